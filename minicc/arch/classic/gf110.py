"""GF110 (Fermi, GTX 580).

Sources: D the project's document on SGEMM upper bounds (seed 002: Table 1 and sections 3.3, 4.1, 4.2); G the CUDA C
programming guide 4.2; F fitted, as said.
"""

from __future__ import annotations

from minicc.arch.classic.schema import Machine, RegisterFile, Unit

MACHINE = Machine(
    name="gf110",
    title="Fermi GF110 (GTX 580)",
    # D: two schedulers, 32 thread instructions a shader cycle: each issues a warp instruction every other cycle.
    schedulers=2,
    issue_interval=2,
    peak=32,
    units={
        # D: 16 SPs for each scheduler. G: 22 cycles between dependent instructions.
        "sp": Unit(interval=2, latency=22),
        # D: 16 operations of 32 bits a cycle and SM; wider loads move no more data, and LDS.128 does 2 thread
        # instructions a cycle. Latency: Mei and Chu, Dissecting GPU Memory Hierarchy (2015), 50 cycles on Fermi, 47 on
        # Kepler. F: slack.
        "lds32": Unit(interval=2, latency=50, shared=True, slack=1),
        "lds64": Unit(interval=4, latency=50, shared=True, slack=1),
        "lds128": Unit(interval=16, latency=50, shared=True, slack=1),
    },
    opcodes={"FFMA": "sp", "FADD": "sp", "FMUL": "sp", "IADD": "sp", "LDS": "lds32", "LDS.64": "lds64",
             "LDS.128": "lds128"},
    registers=RegisterFile("ideal"),
    clock_ratio=1.0,
    sms=16,
    clock_mhz=1544,
    bandwidth=192.4,
    registers_per_sm=32768,
    registers_per_thread=63,
    shared_per_sm=49152,
    threads_per_sm=1536,
)  # fmt: skip
