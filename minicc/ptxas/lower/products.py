"""Products of 64 bits of which both halves are wanted: mul.lo.u64 and mul.hi.u64, or a mad, of the same factors.

The upper half takes four products of words, whose sums the lower one is made of. Whichever of the two comes first in a
stretch without control flow makes both.
"""

from __future__ import annotations

from collections.abc import Callable

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder
from minicc.ptxas.lower.contract import names_of
from minicc.ptxas.mir import V

_FORMS = frozenset({"mul", "mad", "madc"})
_LOW = frozenset({("mul", "lo"), ("mad", "lo", "cc"), ("madc", "lo"), ("madc", "lo", "cc")})
"""What wants the lower half; the addend of a plain mad.lo comes for nothing with a product of words."""


class _Product:
    """One of two factors. `made` are the halves, lower first."""

    def __init__(self, x: ptx.Reg, y: ptx.Reg) -> None:
        self.x, self.y = x, y
        self.made: tuple[V, V] | None = None


def halves(b: Builder, inst: ptx.Inst, make: Callable[..., None]) -> tuple[V, V] | None:
    """The halves of an instruction's product, lower first, if another wants the other one. `make` is given the builder,
    the upper half, the factors, whether they are signed, and the lower half."""
    if b.products is None:
        b.products = _found(b)
    found: _Product | None = b.products.get(id(inst))
    if found is None:
        return None
    if found.made is None:
        low, high = b.temp(2), b.temp(2)
        make(b, high, b.val64(found.x), b.val64(found.y), False, low)
        found.made = low, high
    return found.made


def _found(b: Builder) -> dict[int, _Product]:
    """Instruction (by identity) -> its product, of those that share one."""
    out: dict[int, _Product] = {}
    statements = b.flat.statements
    if not any(isinstance(s, ptx.Inst) and s.opcode in _FORMS and {"hi", "u64"} <= {*s.modifiers} for s in statements):
        return out
    copies: dict[str, str] = {}
    """Copy -> what it is one of."""
    known: set[str] = set()
    """Factors, copies, and what they are of."""
    low: dict[tuple[str, str], list[ptx.Inst]] = {}
    high: dict[tuple[str, str], list[ptx.Inst]] = {}
    for inst in [*statements, None]:
        if (
            not isinstance(inst, ptx.Inst)
            or inst.opcode in ("bra", "brx", "call")
            or (inst.operands and not known.isdisjoint(names_of(inst.operands[0])))
        ):
            # The stretch ends, or what was a factor before becomes another one (in a loop).
            for factors in low.keys() & high.keys():
                product = _Product(*map(ptx.Reg, factors))
                out.update((id(one), product) for one in low[factors] + high[factors])
            low, high, copies, known = {}, {}, {}, set()
        if not isinstance(inst, ptx.Inst) or inst.guard is not None:
            continue
        names = [o.name for o in inst.operands if isinstance(o, ptx.Reg) and o == ptx.Reg(o.name)]
        if inst.opcode == "mov" and len(names) == 2:
            copies[names[0]] = copies.get(names[1], names[1])
            known |= {names[0], copies[names[0]]}
        elif inst.opcode in _FORMS and inst.modifiers[-1] in ("u64", "s64"):
            *how, type_ = inst.modifiers
            wants = high if "hi" in how and type_ == "u64" else low if (inst.opcode, *how) in _LOW else None
            both = [o.name for o in inst.operands[1:3] if isinstance(o, ptx.Reg) and o.name in names]
            if wants is not None and len(both) == 2 and names[0] not in both:
                first, second = sorted(copies.get(name, name) for name in both)
                wants.setdefault((first, second), []).append(inst)
                known |= {first, second}
    return out
