"""The engine's tables: their columns, what the values in them mean, how they come to compiled code."""
