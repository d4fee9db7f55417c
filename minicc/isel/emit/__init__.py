"""From covered expressions to PTX: registers, branches, variables, debug information."""
