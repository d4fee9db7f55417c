"""The order of instructions, and how many registers it may count on."""
