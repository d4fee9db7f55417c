"""The language that the engine is written in, and its compiler."""
