"""From the typed tree to LLVM IR text."""
