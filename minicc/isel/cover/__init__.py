"""Expressions are covered with patterns at least cost; what was weighed, and what there is."""
