"""GK104 (Kepler, GTX 680).

Sources: D the project's document on SGEMM upper bounds (seed 002: Tables 1 and 2, sections 3.3, 4.1, 5.4); G the CUDA C
programming guide 4.2; F fitted, as said.
"""

from __future__ import annotations

from minicc.arch.classic.schema import Machine, RegisterFile, Unit

MACHINE = Machine(
    name="gk104",
    title="Kepler GK104 (GTX 680)",
    # D: four schedulers. That one useful instruction a cycle is all that each of them issues is what the document
    # finds (132 of 192); dual issue (178 with operands in common) is left out.
    schedulers=4,
    issue_interval=1,
    peak=192,
    units={
        # G: 11 cycles between dependent instructions.
        "sp": Unit(interval=1, latency=11),
        # D, Table 2: IMUL and IMAD at a quarter of the rate.
        "int": Unit(interval=4, latency=11),
        # D: 33.1 operations of 64 bits a cycle and SM, whatever the width up to 64 bits; 128 bits take two. Latency:
        # Mei and Chu, Dissecting GPU Memory Hierarchy (2015).
        "lds64": Unit(interval=1, latency=47, shared=True),
        "lds128": Unit(interval=2, latency=47, shared=True),
    },
    opcodes={"FFMA": "sp", "FADD": "sp", "FMUL": "sp", "IADD": "sp", "IMUL": "int", "IMAD": "int", "LDS": "lds64",
             "LDS.64": "lds64", "LDS.128": "lds128"},
    # D, section 3.3: banks even 0, odd 0, even 1, odd 1 by the number's bits 0 and 2. F: overlap, from the one row of
    # Table 2 that is not the larger of reading and executing (IMAD with three registers of one bank, 26.5).
    registers=RegisterFile("banks", bank_bits=(0, 2), overlap=2),
    # The document counts in cycles of 1058 MHz and finds 132 where four schedulers issue 128: the chip ran that much
    # faster than assumed.
    clock_ratio=132 / 128,
    sms=8,
    clock_mhz=1006,
    bandwidth=192.26,
    registers_per_sm=65536,
    registers_per_thread=63,
    shared_per_sm=49152,
    threads_per_sm=2048,
)  # fmt: skip
