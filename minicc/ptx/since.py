"""Since when PTX has what: first version of the ISA and first target, of modifiers, special registers and directives.

Rows of `isa` tell those of whole instructions. Source: what ptxas 13.0 says of each of them in a module of version 3.0
for sm_30, which is where this counting begins.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

Since = tuple[tuple[int, int], int]
"""Version and number of the target."""

_MODIFIERS = """
* | weak/relaxed/acquire/release/acq_rel/sc | 6.0, 70
* | aligned | 6.0, 0
* | shared::cta | 7.8, 0
cp | shared::cta | 7.0, 80
* | cluster/shared::cluster | 7.8, 90
* | sync_restrict::shared::cta/sync_restrict::shared::cluster | 8.6, 90
* | param::entry/param::func | 8.3, 0
* | mmio | 8.2, 70
* | nc | 3.1, 32
* | NaN | 7.0, 80
* | xorsign | 7.2, 86
* | relu | 7.0, 80
* | oob | 8.1, 90
* | bf16/bf16x2/tf32 | 7.0, 80
* | f16x2 | 4.2, 53
* | noftz | 6.2, 60
* | acc::f32 | 8.2, 90
* | L2::cache_hint/L2::256B | 7.4, 80
* | L2::64B/L2::128B | 7.4, 75
* | L1::evict_normal/L1::evict_unchanged/L1::evict_first/L1::evict_last/L1::no_allocate | 7.4, 70
tex | base/level/grad | 3.1, 0
tex | cube/acube | 3.0, 0
tex | 2dms/a2dms | 3.2, 0
tex | f16 | 4.2, 53
tex | grad cube/acube | 4.3, 0
set/setp | f16 | 4.2, 53
add/sub/mul/fma | f16 | 4.2, 53
add/addc/sub/subc/mad/madc | cc u64/s64 | 4.3, 0
rsqrt | ftz f64 | 4.0, 0
cvta/isspacep | const | 3.1, 0
cvta/isspacep | param | 7.7, 70
cvta/isspacep | param::entry | 8.3, 70
bar/barrier | cta | 7.8, 0
barrier | arrive relaxed | 8.0, 90
barrier | arrive release | 8.0, 90
barrier | wait acquire | 8.0, 90
mbarrier | arrive/arrive_drop release | 8.0, 80
mbarrier | test_wait/try_wait acquire | 8.0, 80
mbarrier | arrive/arrive_drop/test_wait/try_wait relaxed | 8.6, 90
atom/red | cta/gpu/sys | 5.0, 60
atom/red | min/max u64/s64 | 3.1, 32
atom/red | and/or/xor b64 | 3.1, 32
atom/red | add f64 | 5.0, 60
atom/red | noftz f16 | 6.3, 70
atom | cas b16 | 6.3, 70
txq | level | 4.3, 0
txq | num_mipmap_levels/num_samples | 4.1, 0
tld4 | a2d/cube/acube | 4.3, 0
txq/suq | array_size | 4.1, 0
sust | p a1d/a2d | 4.1, 0
istypep | | 4.0, 0
st | async | 8.1, 90
cvt | pack u4/s4/u2/s2 | 6.5, 75
cp | mbarrier shared::cta | 7.8, 80
fence | proxy async | 8.0, 90
"""
"""Opcodes (`*` is any) | modifiers, of each word of which one must be there | version and target. Of lines with one
word the last says."""

SPECIAL: dict[str, Since] = {
    **dict.fromkeys(("%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"), ((7, 8), 90)),
    **dict.fromkeys(("%cluster_ctarank", "%cluster_nctarank", "%is_explicit_cluster"), ((7, 8), 90)),
    "%aggr_smem_size": ((8, 1), 90),
    **dict.fromkeys(("%total_smem_size", "%dynamic_smem_size"), ((4, 1), 0)),
    **{f"%reserved_smem_offset_{which}": ((7, 6), 80) for which in ("begin", "end", "cap", "0", "1")},
    "%clock_hi": ((5, 0), 0),
    **{f"%globaltimer{part}": ((3, 1), 0) for part in ("", "_lo", "_hi")},
    **{f"%pm{n}_64": ((4, 0), 50) for n in range(8)},
    "%current_graph_exec": ((8, 0), 50),
}
"""Special registers without their component."""

DIRECTIVES: dict[str, Since] = {
    "noreturn": ((6, 4), 0),
    **dict.fromkeys(("maxclusterrank", "reqnctapercluster", "explicitcluster"), ((7, 8), 90)),
    "blocksareclusters": ((9, 0), 90),
    **dict.fromkeys(("abi_preserve", "abi_preserve_control"), ((9, 0), 80)),
}
"""Of functions."""
HIDDEN: Since = ((8, 8), 0)
"""Of kernel parameters."""

ACCELERATED = {"wgmma": "", "setmaxnreg": "", "tensormap": "replace"}
"""Opcodes that only targets with an `a` have, and the modifier with which they are so."""

TARGETS = {
    "sm_12": (1, 2), "sm_13": (1, 2), "sm_20": (2, 0), "sm_21": (2, 0), "sm_30": (3, 0),
    "sm_32": (4, 0), "sm_35": (3, 1), "sm_37": (4, 1), "sm_50": (4, 0), "sm_52": (4, 1),
    "sm_53": (4, 2), "sm_60": (5, 0), "sm_61": (5, 0), "sm_62": (5, 0), "sm_70": (6, 0),
    "sm_72": (6, 1), "sm_75": (6, 3), "sm_80": (7, 0), "sm_86": (7, 1), "sm_87": (7, 4),
    "sm_89": (7, 8), "sm_90": (7, 8), "sm_90a": (8, 0),
}  # fmt: skip
"""The first version that knows a target."""

LATEST: Since = ((8, 6), 90)
"""From this version and target on there is everything that `modifiers` and `SPECIAL` have."""


def has(have: Since, needed: Since) -> bool:
    """Is a module of this version and target new enough?"""
    return have[0] >= needed[0] and have[1] >= needed[1]


def lacking(what: str, needed: Since, have: Since) -> Iterator[tuple[str, str]]:
    """(code, message) of what a module is too old for."""
    (major, minor), target = needed
    if needed[0] > have[0]:
        yield "ptx.version", f"{what} requires PTX ISA .version {major}.{minor} or later"
    if target > have[1]:
        yield "ptx.target", f"{what} requires .target sm_{target} or higher"


HANDLES = (3, 1), 0
"""Textures and surfaces that are named by a register, not by their variable."""


def modifiers(opcode: str, present: tuple[str, ...]) -> Iterator[tuple[str, Since]]:
    """What an instruction's modifiers need, and the modifier that needs it."""
    simple, joint = _of(opcode)
    for modifier in present:
        if modifier in simple:
            yield modifier, simple[modifier]
    for words, needed in joint:
        if all(not word.isdisjoint(present) for word in words):
            yield next((m for m in present if words and m in words[0]), opcode), needed


@functools.cache
def _of(opcode: str) -> tuple[dict[str, Since], list[tuple[list[frozenset[str]], Since]]]:
    """Lines of an opcode: those of one word by modifier, and the others."""
    simple: dict[str, Since] = {}
    joint: list[tuple[list[frozenset[str]], Since]] = []
    for line in _MODIFIERS.strip().splitlines():
        opcodes, words, needed = (part.strip() for part in line.split("|"))
        version, target = needed.split(",")
        major, minor = version.split(".")
        since = (int(major), int(minor)), int(target)
        if opcodes != "*" and opcode not in opcodes.split("/"):
            continue
        groups = [frozenset(word.split("/")) for word in words.split()]
        if len(groups) == 1:
            simple.update(dict.fromkeys(groups[0], since))
        else:
            joint.append((groups, since))
    return simple, joint
