"""The verbs of the command line that do more than compile. Only these, of all of minicc, may import runtime."""
