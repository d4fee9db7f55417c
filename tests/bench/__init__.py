"""Benchmarks: medians and ratios against a peer in the same run. Nothing here asserts a time."""
