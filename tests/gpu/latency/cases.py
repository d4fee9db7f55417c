"""Latency cases: one per producer class of the sm_90 table. A case is a producer and a consumer at a distance that is
right, and one cycle less, where the hardware must give another result.

Method: a stale value is put in the register, everything settles, the producer issues with the stall under test, then
the consumer; everything settles again and the consumer's result is stored. In a loop, so that the code is in the
instruction cache when it counts. Expected values are worked out by hand beside each case.
"""

from __future__ import annotations

from typing import NamedTuple

GRID, BLOCK = 132, 32


class Case(NamedTuple):
    """`out` is the register stored. `short` is the distance that must break; default one less than `distance`. A
    `barrier` case waits on scoreboard 1 instead of a distance, and breaks without the wait."""

    name: str
    setup: str
    producer: str
    distance: int
    consumer: str
    right: int
    out: str = "R48"
    short: int | None = None
    barrier: bool = False
    late: bool = False
    """The consumer itself has variable latency (its result is waited for)."""
    after: str = ""
    """Instructions between consumer and store."""


BASE = "MOV R20, 0xbad; MOV R21, 0xbad; MOV R24, 0x77; MOV R30, 0x1000; MOV R31, 0x1; MOV R48, 0xbad; MOV R49, 0xbad"
LANES = BASE + "; S2R R20, SR_TID.X"
TO_ALU = "IADD3 R48, R20, R30, RZ"
TO_ALU_HIGH = "IADD3 R48, R21, R30, RZ"
TO_FMA = "IMAD R48, R20, R31, R30"
ONE = "MOV R24, RZ; MOV R25, 0x3ff00000; MOV R20, RZ; MOV R21, 0x3ff00000"
HALVES = "MOV R25, 0x3c003c00; MOV R26, 0x40004000; MOV R20, 0x3c003c00"
UNIFORM = "UMOV UR8, 0xbad; UMOV UR10, 0x77; UMOV UR11, 0x1000; UMOV UR12, 0xbad"
STALE_P = "ISETP.NE.AND P1, PT, RZ, RZ, PT"
ONES = (
    "; ".join(f"MOV R{n}, 0x3c003c00" for n in range(64, 72)) + "; " + "; ".join(f"MOV R{n}, RZ" for n in range(72, 76))
)
MEMORY = "MOV R24, 0x420; MOV R20, 0x410; MOV R28, 0xbbbb; MOV R29, 0xaaaa; STS [R24], R28; STS [R20], R29"

CASES = [
    # Registers, fixed latency: 0x77 + 0x1000 against 0xbad + 0x1000.
    Case("alu_alu", BASE, "IADD3 R20, R24, RZ, RZ", 4, TO_ALU, 0x1077),
    Case("alu_fma", BASE, "IADD3 R20, R24, RZ, RZ", 5, TO_FMA, 0x1077),
    Case("fma_fma", BASE, "IMAD R20, R24, R31, RZ", 4, TO_FMA, 0x1077),
    Case("fma_alu", BASE, "IMAD R20, R24, R31, RZ", 5, TO_ALU, 0x1077),
    Case("viadd_alu", BASE, "VIADD R20, R24, 0x1", 5, TO_ALU, 0x1078),
    # 1.0 * 2.0 + 3.0 = 5.0, + 1.0 = 6.0
    Case(
        "ffma_ffma",
        BASE + "; MOV R25, 0x3f800000; MOV R26, 0x40000000; MOV R27, 0x40400000",
        "FFMA R20, R25, R26, R27",
        4,
        "FADD R48, R20, R25",
        0x40C00000,
    ),
    # (1, 1) + (2, 2) = (3, 3); + (1, 1) = (4, 4)
    Case("half_half", BASE + "; " + HALVES, "HADD2 R20, R25, R26", 4, "HADD2 R48, R20, R25", 0x44004400),
    Case("half_alu", BASE + "; " + HALVES, "HADD2 R20, R25, R26", 5, TO_ALU, 0x42005200),
    # 1.0 + 1.0 = 2.0; + 1.0 = 3.0: high words 0x40000000 and 0x40080000
    Case("fp64_fp64", BASE + "; " + ONE, "DADD R20, R24, R24", 8, "DADD R48, R20, R24", 0x40080000, out="R49"),
    Case("fp64_alu", BASE + "; " + ONE, "DADD R20, R24, R24", 8, TO_ALU_HIGH, 0x40001000),
    Case(
        "alu_fp64",
        BASE + "; " + ONE + "; MOV R26, 0x40000000",
        "MOV R21, R26",
        6,
        "DADD R48, R20, R24",
        0x40080000,
        out="R49",
    ),
    Case("cs2r64_alu", BASE, "CS2R R20, SRZ", 6, TO_ALU_HIGH, 0x1000),
    # 0x10000 * 0x20000 = 0x2_0000_0000
    Case(
        "wide_high_alu",
        BASE + "; MOV R24, 0x10000; MOV R25, 0x20000",
        "IMAD.WIDE.U32 R20, R24, R25, RZ",
        5,
        TO_ALU_HIGH,
        0x1002,
    ),
    Case("wide_low_alu", BASE, "IMAD.WIDE.U32 R20, R24, R31, RZ", 3, TO_ALU, 0x1077),
    Case("alu_xu", BASE, "IADD3 R20, R24, RZ, RZ", 4, "POPC R48, R20", 6, late=True),
    Case("alu_lds_address", BASE + "; " + MEMORY, "MOV R20, R24", 5, "LDS R48, [R20]", 0xBBBB, late=True),
    Case("alu_r2ur", BASE, "IADD3 R20, R24, RZ, RZ", 4, "R2UR UR12, R20", 0x77, after="MOV R48, UR12"),
    Case("wide_low_r2ur", BASE, "IMAD.WIDE.U32 R20, R24, R31, RZ", 3, "R2UR UR12, R20", 0x77, after="MOV R48, UR12"),
    # The table leaves one cycle more than was measured. Old values differ from lane to lane.
    Case("alu_match", LANES, "IADD3 R20, R24, RZ, RZ", 4, "MATCH.ANY R48, R20", 0xFFFFFFFF, short=2, late=True),
    # Tensor: 16 products of ones.
    Case("mma16816_alu", BASE + "; " + ONES, "HMMA.16816.F32 R20, R64, R68, R72", 15, TO_ALU, 0x41801000),
    Case("mma1688_alu", BASE + "; " + ONES, "HMMA.1688.F32 R20, R64, R66, R72", 13, TO_ALU, 0x41001000),
    Case(
        "alu_mma_a",
        BASE + "; " + ONES + "; MOV R64, RZ; MOV R32, 0x3c003c00",
        "MOV R64, R32",
        7,
        "HMMA.16816.F32 R48, R64, R68, R72",
        0x41800000,
    ),
    # Predicates.
    Case("p_alu_select", BASE + "; " + STALE_P, "ISETP.NE.AND P1, PT, R24, RZ, PT", 4, "SEL R48, R30, R31, P1", 0x1000),
    Case(
        "p_alu_imad_x",
        BASE + "; " + STALE_P,
        "ISETP.NE.AND P1, PT, R24, RZ, PT",
        5,
        "IMAD.X R48, R30, R31, RZ, P1",
        0x1001,
    ),
    Case("p_alu_guard", BASE + "; " + STALE_P, "ISETP.NE.AND P1, PT, R24, RZ, PT", 13, "@P1 MOV R48, R30", 0x1000),
    Case("p_r2p_select", BASE + "; MOV R24, 0x2; " + STALE_P, "R2P PR, R24, 0x2", 5, "SEL R48, R30, R31, P1", 0x1000),
    Case(
        "p_fp64_select",
        BASE + "; " + ONE + "; " + STALE_P,
        "DSETP.GT.AND P1, PT, R24, RZ, PT",
        6,
        "SEL R48, R30, R31, P1",
        0x1000,
    ),
    Case(
        "p_fp64_guard",
        BASE + "; " + ONE + "; " + STALE_P,
        "DSETP.GT.AND P1, PT, R24, RZ, PT",
        14,
        "@P1 MOV R48, R30",
        0x1000,
    ),
    # Uniform datapath.
    Case(
        "ualu_uniform",
        BASE + "; " + UNIFORM,
        "UIADD3 UR8, UR10, URZ, URZ",
        4,
        "UIADD3 UR12, UR8, UR11, URZ",
        0x1077,
        after="MOV R48, UR12",
    ),
    Case("ualu_vector", BASE + "; " + UNIFORM, "UIADD3 UR8, UR10, URZ, URZ", 6, "IADD3 R48, R30, UR8, RZ", 0x1077),
    Case(
        "ualu_umov",
        BASE + "; " + UNIFORM,
        "UIADD3 UR8, UR10, URZ, URZ",
        6,
        "UMOV UR12, UR8",
        0x77,
        after="MOV R48, UR12",
    ),
    # The table leaves one cycle more than was measured.
    Case("ualu_xu", BASE + "; " + UNIFORM, "UIADD3 UR8, UR10, URZ, URZ", 9, "POPC R48, UR8", 6, short=7, late=True),
    Case("umov_xu", BASE + "; " + UNIFORM, "UMOV UR8, 0x77", 2, "POPC R48, UR8", 6, late=True),
    Case(
        "r2ur_uniform",
        BASE + "; " + UNIFORM,
        "R2UR UR8, R24",
        8,
        "UIADD3 UR12, UR8, UR11, URZ",
        0x1077,
        after="MOV R48, UR12",
    ),
    Case("r2ur_vector", BASE + "; " + UNIFORM, "R2UR UR8, R24", 10, "IADD3 R48, R30, UR8, RZ", 0x1077),
    # Write after write, write after read: the "consumer" is the second writer.
    Case(
        "waw_fp64_alu", BASE + "; " + ONE + "; MOV R28, 0x77", "DADD R20, R24, R24", 2, "MOV R21, R28", 0x77, out="R21"
    ),
    Case("waw_mma_alu", BASE + "; " + ONES, "HMMA.16816.F32 R20, R64, R68, R72", 8, "MOV R20, R24", 0x77, out="R20"),
    Case(
        "waw_ualu_umov",
        BASE + "; " + UNIFORM,
        "UIADD3 UR8, UR10, URZ, URZ",
        6,
        "UMOV UR8, 0x5",
        0x5,
        after="MOV R48, UR8",
    ),
    Case(
        "war_ualu_umov",
        BASE + "; " + UNIFORM,
        "UIADD3 UR12, UR8, UR11, URZ",
        3,
        "UMOV UR8, 0x5",
        0x1BAD,
        after="MOV R48, UR12",
    ),
    Case(
        "war_ushf_umov",
        BASE + "; " + UNIFORM,
        "USHF.L.U32 UR12, UR8, 0x1, URZ",
        3,
        "UMOV UR8, 0x5",
        0x175A,
        after="MOV R48, UR12",
    ),
    # Variable latency: right with the wait, wrong without.
    Case("xu_wait", BASE, "POPC R20, R24", 2, TO_ALU, 0x1006, barrier=True),
    Case("s2r_wait", BASE, "S2R R20, SR_CgaCtaId", 2, TO_ALU, 0x1000, barrier=True),
    Case("ldc_wait", BASE, "LDC R20, c[0x0][0x4]", 2, TO_ALU, 0x1001, barrier=True),
    Case("lds_wait", BASE + "; " + MEMORY, "LDS R20, [R24]", 2, TO_ALU, 0xCBBB, barrier=True),
    Case("shfl_wait", BASE, "SHFL.IDX PT, R20, R24, 0x0, 0x1f", 2, TO_ALU, 0x1077, barrier=True),
    Case("atoms_wait", BASE + "; " + MEMORY, "ATOMS.ADD R20, [R24], RZ", 2, TO_ALU, 0xCBBB, barrier=True),
    Case("redux_wait", BASE + "; " + UNIFORM, "REDUX.OR UR8, R24", 2, "IADD3 R48, R30, UR8, RZ", 0x1077, barrier=True),
    Case("ldg_wait", BASE, "LDG.E R20, desc[UR4][R6.64+0x8000]", 2, TO_ALU, 0x1000, barrier=True),
]
