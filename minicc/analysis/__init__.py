"""Static analyses for people: occupancy, instruction mix, register-bank conflicts. They look at finished code (ours or
anybody's) and at nothing else."""

from minicc.analysis.banks import Banks, Conflict, banks
from minicc.analysis.mix import Mix, mix
from minicc.analysis.occupancy import Report, occupancy

__all__ = ["Banks", "Conflict", "Mix", "Report", "banks", "mix", "occupancy"]
