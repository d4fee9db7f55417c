"""Architectures that have PTX but no machine code here: what selection must know of them, as a table.

Everything below PTX (latencies, pipes, caches) is inherited from sm_90 and means nothing for them; `sass` is empty,
which is how ptxas refuses them by name. Sources: the PTX manual's target and version notes; LLVM's NVPTX processor
table.
"""

from __future__ import annotations

from minicc.arch import sm_90
from minicc.arch.schema import Arch

# name -> (PTX version that is written, number of SMs and device of a well-known member)
TABLE: dict[str, tuple[tuple[int, int], str]] = {
    "sm_30": ((6, 5), "Kepler GK104"),
    "sm_32": ((6, 5), "Kepler GK20A"),
    "sm_35": ((7, 8), "Kepler GK110"),
    "sm_37": ((7, 8), "Kepler GK210"),
    "sm_50": ((8, 8), "Maxwell GM107"),
    "sm_52": ((8, 8), "Maxwell GM20x"),
    "sm_53": ((8, 8), "Maxwell GM20B"),
    "sm_60": ((8, 8), "Pascal GP100"),
    "sm_61": ((8, 8), "Pascal GP10x"),
    "sm_62": ((8, 8), "Pascal GP10B"),
    "sm_70": ((8, 8), "Volta GV100"),
    "sm_72": ((8, 8), "Volta GV11B"),
    "sm_75": ((8, 8), "Turing TU10x"),
    "sm_87": ((8, 8), "Ampere GA10B"),
    "sm_100": ((8, 8), "Blackwell GB100"),
    "sm_100a": ((8, 8), "Blackwell GB100"),
    "sm_103": ((8, 8), "Blackwell GB300"),
    "sm_103a": ((8, 8), "Blackwell GB300"),
    "sm_110": ((9, 0), "Blackwell Thor"),
    "sm_110a": ((9, 0), "Blackwell Thor"),
    "sm_120": ((8, 8), "Blackwell GB20x"),
    "sm_120a": ((8, 8), "Blackwell GB20x"),
    "sm_121": ((8, 8), "Blackwell GB10"),
    "sm_121a": ((8, 8), "Blackwell GB10"),
}


def features(sm: int) -> frozenset[str]:
    """What PTX has for an architecture beyond single instructions, each from its first SM on.

    "scoped": atomics name their scope (sm_60); "ordered": memory operations name their semantics (sm_70)."""
    since = {"scoped": 60, "ordered": 70, "cluster": 90}
    return frozenset(name for name, first in since.items() if sm >= first)


def get(name: str) -> Arch:
    """The description of a PTX-only architecture."""
    version, device = TABLE[name]
    digits = name.removeprefix("sm_").rstrip("a")
    return sm_90.ARCH._replace(
        name=name,
        sm=int(digits),
        feature="a" if name.endswith("a") else "",
        ptx_version=version,
        sass="",
        device_name=device,
        features=features(int(digits)),
    )
