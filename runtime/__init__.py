"""Runs what minicc builds: on the SM model, or on a real GPU."""
