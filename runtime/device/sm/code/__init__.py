"""From machine code to the engine's tables."""
