"""The textbook SM: one partition with operand collectors, a 16-bank crossbar, and a scoreboard with two checks.

Source of all figures: the project's document on SM architecture (seed 003: "Register File Organization", "The Register
Bank/Collectors crossbar", "Scoreboard interactions", "Writeback path", "TensorCore Complications"). Where it gives a
range (1-2 read ports, 4-8 collectors, 2-4 buses) the description takes one end, and a bench may take the other.
"""

from __future__ import annotations

from minicc.arch.classic.schema import Textbook

MACHINE = Textbook(
    banks=16,
    read_ports=2,
    write_ports=1,
    collectors=8,
    crossbar_latency=0,
    dispatch=1,
    issue=1,
    execute={"FFMA": 5, "FADD": 5, "FMUL": 5, "IADD": 5, "MUFU": 12},
    writeback_buses=3,
    bypass=True,
    gather_latency=4,
    tensor_fill=16,
    tensor_compute=16,
    tensor_drain=16,
    tensor_permute=2,
    tensor_buffers=2,
)
