"""Meaning: conversions, operators, calls, initialisers, constants."""
