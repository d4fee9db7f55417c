"""Random programs for a real GPU."""
