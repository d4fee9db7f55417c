"""From virtual registers to numbers: what shares one, what is spilled, which bank it lies in."""
