"""The recursive-descent parser; its semantic actions build the typed tree."""
