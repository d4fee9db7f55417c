"""Cost classes: (latency, issue cycles per warp and sub-core).

sm_90 figures are those of the machine description `minicc.arch.sm_90` (probes of an H200), summed over the SASS
instructions that a PTX instruction becomes there: an operation on i64 is two of i32, a multiplication of i64 three or
four multiply-adds, a division a subroutine.
"""

from __future__ import annotations

COSTS: dict[str, tuple[int, int]] = {
    "free": (0, 0),
    "mov": (4, 1),
    "mov64": (4, 2),
    "alu": (4, 2),
    "alu2": (8, 4),
    "alu3": (12, 6),
    "alu4": (16, 8),
    "alu6": (24, 12),
    "imad": (4, 2),
    "imad2": (8, 4),
    "imad4": (14, 8),
    "wide": (5, 4),
    "mul64": (16, 10),
    "mulhi": (6, 4),
    "mulhi64": (30, 22),
    "fma": (4, 1),
    "fma2": (8, 2),
    "half": (5, 2),
    "fp64": (8, 2),
    "fp64x2": (16, 4),
    "mufu": (18, 8),
    "mufu2": (22, 9),
    "mufu3": (40, 18),
    "xu": (15, 8),
    "xu64": (17, 16),
    "cvt2": (19, 10),
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
    "call": (40, 20),
    "ldg": (32, 2),
    "ldg2": (34, 4),
    "ldg4": (38, 8),
    "ldnc": (32, 2),
    "lds": (23, 2),
    "lds2": (25, 4),
    "lds4": (29, 8),
    "ldc": (22, 2),
    "stg": (4, 2),
    "sts": (4, 2),
    "atom": (300, 8),
    "red": (20, 4),
    "atoms": (60, 8),
    "fence": (300, 20),
    "bar": (20, 4),
    "shfl": (22, 4),
    "vote": (6, 2),
    "match": (25, 8),
    "redux": (36, 8),
    "mma": (32, 16),
    "ldsm": (30, 8),
    "async": (20, 4),
}

PER_SM: dict[int, dict[str, tuple[int, int]]] = {
    # sm_80/86: no packed issue of FP64 beside FP32 on sm_86; divisions and MUFU as sm_90.
    80: {"redux": (40, 16)},
    86: {"fp64": (48, 64), "fp64x2": (96, 128), "redux": (40, 16)},
    89: {"fp64": (48, 64), "fp64x2": (96, 128), "redux": (40, 16)},
}
