"""Cache operators that options ask for: -dlcm and -dscm give one to each access that has none, -flcm and -fscm another
one to those that have, too.

As ptxas 13.0 does (found by giving it each form with each option): accesses to global memory and by generic addresses;
none that is ordered, volatile or says how its line is to be evicted.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.flatten import Flat
from minicc.ptxas.lower.memory import EVICTION, space_of
from minicc.ptxas.options import CACHES, Options
from minicc.record import evolve

_KINDS = {"ld": "load", "ldu": "load", "st": "store"}
_OWN = frozenset({"volatile", "relaxed", "acquire", "release", "mmio", *EVICTION})


def impose(flat: Flat, options: Options) -> None:
    """Write the operators into the statements."""
    for at, inst in enumerate(flat.statements):
        kind = _KINDS.get(inst.opcode) if isinstance(inst, ptx.Inst) else None
        if kind is None or not isinstance(inst, ptx.Inst):
            continue
        words = inst.modifiers
        if space_of(inst) not in ("", "global") or not _OWN.isdisjoint(words):
            continue
        forced, given = options.caches.get(f"force-{kind}"), not CACHES[kind].isdisjoint(words)
        asked = forced or (None if given else options.caches.get(f"def-{kind}"))
        if asked is not None:
            rest = tuple(w for w in words if w not in CACHES[kind])
            flat.statements[at] = evolve(inst, modifiers=(asked, *rest))
