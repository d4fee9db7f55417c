"""Cost classes: (latency, issue cycles per warp and sub-core), by generation of machines.

sm_90 figures are those of the machine description `minicc.arch.sm_90` (probes of an H200), summed over the SASS
instructions that a PTX instruction becomes there: an operation on i64 is two of i32, a multiplication of i64 three or
four multiply-adds, a division a subroutine. Other generations differ where `CHANGES` says so; sources:
  C  throughput tables of the CUDA programming guide (results per cycle and SM, as issue cycles of a warp per sub-core:
     32 lanes / (results / 4))
  P  published microbenchmarks of the generation (latencies)
  T  the tensor-core table of the pattern-database document (004), as `minicc.arch.tensor` keeps it
"""

from __future__ import annotations

COSTS: dict[str, tuple[int, int]] = {
    "free": (0, 0),
    "mov": (4, 1),
    "mov64": (4, 2),
    "alu": (4, 2),
    "alu2": (8, 4),
    "field": (7, 4),
    "alu3": (12, 6),
    "alu4": (16, 8),
    "alu6": (24, 12),
    "imad": (4, 2),
    "wide": (5, 4),
    "madwide": (14, 9),
    "mul64": (16, 10),
    "mulhi": (6, 4),
    "mulhi64": (30, 22),
    "dot": (4, 2),
    "mul24": (10, 6),
    "minmax3": (4, 2),
    "carry": (4, 2),
    "fma": (4, 1),
    "fmax2": (4, 2),
    "half": (5, 2),
    "half2": (9, 3),
    "bhalf": (5, 2),
    "fp64": (8, 2),
    "fp64x2": (16, 4),
    "mufu": (18, 8),
    "mufu2": (22, 9),
    "xu": (15, 8),
    "xu64": (17, 16),
    "cvt2": (19, 10),
    "cvtnarrow": (8, 4),
    "div32": (90, 40),
    "div64": (400, 200),
    "fdiv": (50, 20),
    "fdiv64": (120, 60),
    "fsqrt": (50, 20),
    "fsqrt64": (120, 60),
    "fapprox": (40, 14),
    "setp": (4, 2),
    "setp64": (8, 4),
    "sel": (4, 2),
    "sreg": (23, 2),
    "branch": (10, 2),
    "jump": (40, 8),
    "call": (40, 20),
    "ldg": (32, 2),
    "ldg2": (34, 4),
    "ldg4": (38, 8),
    "ldnc": (32, 2),
    "lds": (23, 2),
    "ldc": (22, 2),
    "stg": (4, 2),
    "sts": (4, 2),
    "tex": (100, 8),
    "surf": (100, 8),
    "atom": (300, 8),
    "red": (20, 4),
    "atoms": (60, 8),
    "fence": (300, 20),
    "bar": (20, 4),
    "mbar": (24, 4),
    "shfl": (22, 4),
    "vote": (6, 2),
    "match": (25, 8),
    "redux": (36, 8),
    "mma": (32, 16),
    "wmma": (33, 32),
    "wgmma": (128, 32),
    "tcgen": (32, 8),
    "ldsm": (30, 8),
    "async": (20, 4),
    "tma": (5, 4),
}

GENERATIONS = (20, 30, 50, 60, 70, 75, 80, 86, 89, 90, 100, 120)
"""First SM of each generation whose figures differ; a machine takes those of the last that is not younger than it."""

CHANGES: dict[str, dict[int, tuple[int, int]]] = {
    # C: Fermi and Kepler dual-issue to 16/32-wide pipes; Maxwell and Pascal have four 32-wide quarters, latency 6 (P).
    "mov": {20: (18, 2), 30: (9, 1), 50: (6, 1), 70: (4, 1)},
    "mov64": {20: (18, 4), 30: (9, 2), 50: (6, 2), 70: (4, 2)},
    "alu": {20: (18, 2), 30: (9, 1), 50: (6, 1), 70: (4, 2)},
    "alu2": {20: (36, 4), 30: (18, 2), 50: (12, 2), 70: (8, 4)},
    "field": {20: (18, 2), 30: (9, 4), 50: (6, 2), 70: (7, 4)},
    "alu3": {20: (54, 6), 30: (27, 3), 50: (18, 3), 70: (12, 6)},
    "alu4": {20: (72, 8), 30: (36, 4), 50: (24, 4), 70: (16, 8)},
    "alu6": {20: (108, 12), 30: (54, 6), 50: (36, 6), 70: (24, 12)},
    # C: 32-bit multiplication is one instruction on Fermi, Kepler, Volta and later; XMAD chains of three on Maxwell.
    "imad": {20: (18, 4), 30: (9, 4), 50: (18, 3), 70: (4, 2)},
    "wide": {20: (36, 8), 30: (18, 8), 50: (30, 6), 70: (5, 4)},
    # From Volta on, ptxas 13.0 takes a mad.wide apart into three or four instructions; it fuses mul.wide, add.
    "madwide": {20: (36, 8), 30: (18, 8), 50: (30, 6), 70: (14, 9)},
    "mul64": {20: (90, 16), 30: (54, 16), 50: (72, 14), 70: (16, 10)},
    "mulhi": {20: (18, 4), 30: (9, 4), 50: (36, 6), 70: (6, 4)},
    "mul24": {20: (36, 8), 30: (18, 8), 50: (12, 2), 70: (10, 6)},
    # C: 3-input minimum, packed 16-bit integers: DPX from sm_90 in hardware, several instructions before.
    "dot": {20: (90, 10), 30: (54, 10), 50: (36, 8), 60: (6, 2), 70: (4, 2)},
    # C: FP32: half rate on sm_70 to 80 (16 lanes a quarter), full on sm_60 and 86 on.
    "fma": {20: (18, 2), 30: (9, 1), 50: (6, 1), 70: (4, 2), 86: (4, 1)},
    # FADD2/FMUL2/FFMA2 of sm_100: two results an issue.
    "fmax2": {90: (8, 4), 100: (4, 2), 120: (4, 2)},
    "half": {50: (12, 4), 60: (6, 1), 70: (5, 2), 80: (5, 1), 90: (5, 2)},
    "half2": {50: (24, 8), 60: (12, 2), 70: (9, 4), 80: (9, 2), 90: (9, 3)},
    "bhalf": {80: (10, 4), 90: (5, 2)},
    # C: FP64 lanes per quarter: 4 (sm_20), 16 (35), 1 (50), 8 (60, 70), 0.5 (75), 8 (80), 0.5 (86, 89), 16 (90).
    "fp64": {20: (22, 8), 30: (10, 4), 50: (48, 32), 60: (8, 4), 70: (8, 4), 75: (40, 64), 80: (8, 4), 86: (48, 64),
             89: (48, 64), 90: (8, 2), 100: (8, 2), 120: (48, 64)},
    "fp64x2": {20: (44, 16), 30: (20, 8), 50: (96, 64), 60: (16, 8), 70: (16, 8), 75: (80, 128), 80: (16, 8),
               86: (96, 128), 89: (96, 128), 90: (16, 4), 100: (16, 4), 120: (96, 128)},
    "mufu": {20: (40, 8), 30: (20, 4), 50: (20, 4), 70: (18, 8)},
    "mufu2": {20: (58, 9), 30: (29, 5), 50: (26, 5), 70: (22, 9)},
    "xu": {20: (40, 8), 30: (20, 4), 50: (20, 4), 70: (15, 8)},
    "xu64": {20: (44, 16), 30: (22, 8), 50: (40, 16), 60: (20, 8), 70: (17, 16), 75: (40, 32), 80: (17, 16),
             86: (40, 32), 90: (17, 16), 120: (40, 32)},
    "cvtnarrow": {89: (8, 4), 90: (8, 4), 100: (6, 2), 120: (6, 2)},
    "fdiv": {20: (180, 40), 30: (90, 20), 50: (70, 14), 70: (50, 20)},
    "fdiv64": {20: (300, 120), 30: (200, 60), 50: (600, 400), 60: (130, 60), 75: (600, 700), 80: (120, 60),
               86: (600, 700), 90: (120, 60), 120: (600, 700)},
    "fsqrt64": {20: (300, 120), 30: (200, 60), 50: (600, 400), 60: (130, 60), 75: (600, 700), 80: (120, 60),
                86: (600, 700), 90: (120, 60), 120: (600, 700)},
    "div32": {20: (300, 80), 30: (160, 40), 50: (140, 36), 70: (90, 40)},
    "div64": {20: (1200, 400), 30: (700, 220), 50: (600, 200), 70: (400, 200)},
    "setp": {20: (18, 2), 30: (9, 1), 50: (6, 1), 70: (4, 2)},
    "setp64": {20: (36, 4), 30: (18, 2), 50: (12, 2), 70: (8, 4)},
    "sel": {20: (18, 2), 30: (9, 1), 50: (6, 2), 70: (4, 2)},
    # P: unloaded latency of an L1 hit.
    "ldg": {20: (80, 2), 30: (160, 2), 50: (82, 2), 60: (82, 2), 70: (28, 2), 75: (32, 2), 80: (33, 2), 90: (32, 2)},
    "ldg2": {20: (84, 4), 30: (162, 4), 50: (84, 4), 70: (30, 4), 75: (34, 4)},
    "ldnc": {30: (110, 2), 50: (82, 2), 70: (28, 2), 75: (32, 2)},
    "lds": {20: (38, 2), 30: (29, 2), 50: (24, 2), 70: (19, 2), 75: (22, 2), 80: (22, 2), 90: (23, 2)},
    "atom": {20: (600, 32), 30: (400, 16), 50: (300, 8)},
    "atoms": {20: (300, 64), 30: (240, 48), 50: (60, 8)},
    "bar": {20: (40, 4), 30: (30, 4), 50: (24, 4), 70: (20, 4)},
    "redux": {80: (40, 16), 90: (36, 8), 100: (36, 8), 120: (40, 8)},
    # T: cycles of an m16n16k16 product from wmma to tcgen05 are the document's; issue cycles scale with its throughput.
    "wmma": {70: (64, 64), 75: (64, 64), 80: (33, 32), 90: (33, 32)},
    "mma": {75: (64, 32), 80: (32, 32), 86: (34, 32), 90: (15, 6), 120: (34, 16)},
    "wgmma": {90: (128, 32)},
    "tcgen": {100: (32, 8)},
    "ldsm": {75: (33, 8), 80: (32, 8), 90: (30, 8)},
    "async": {80: (20, 4), 90: (20, 4), 100: (20, 2)},
    "tma": {90: (5, 4), 100: (5, 2)},
}  # fmt: skip


def since(name: str, sm: int) -> int:
    """The generation whose figures of a class a machine has."""
    return max((first for first in CHANGES.get(name, ()) if first <= sm), default=GENERATIONS[0])


def cost_of(name: str, sm: int) -> tuple[int, int]:
    """(latency, issue cycles) of a cost class on a machine."""
    return CHANGES.get(name, {}).get(since(name, sm)) or COSTS[name]


def generations(name: str) -> list[int]:
    """SMs for which the cost table keeps a record of the class: the baseline, and each at which it changes."""
    return sorted({GENERATIONS[0], *CHANGES.get(name, ())})
