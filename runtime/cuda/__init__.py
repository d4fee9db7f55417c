"""The same API on a real GPU, through libcuda."""
