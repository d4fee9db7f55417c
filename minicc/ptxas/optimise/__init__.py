"""Passes over machine IR before its order is made: fewer instructions, and loads earlier."""
