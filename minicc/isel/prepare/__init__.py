"""Passes over the IR before there are expressions."""
