"""Native: instructions of later machines, by those that this one has.

    VIADD R0, R1, 0x4          IADD3 R0, R1, 0x4, RZ
    VIMNMX R0, R1, R2, PT      IMNMX R0, R1, R2, PT
    I2FP.F32.S32 R0, R1        I2F R0, R1

Lowering speaks of sm_90; what an encoding family has is what its rows in `minicc.sass.isa` say. An instruction that is
neither there nor here stays, and is an error when it is encoded. Runs first, since latencies and whether there is one
differ. Passes behind it ask `has` before they make such an instruction themselves.
"""

from __future__ import annotations

from collections.abc import Callable

from minicc.arch.schema import Arch
from minicc.ptxas.mir import FALSE, WAY_BACK, ZERO, MFunction, MInst, V
from minicc.ptxas.options import Options
from minicc.sass.codec import has, plans
from minicc.sass.instr import Imm

_ALL_LANES = Imm(0xFFFFFFFF, "uint")


def _sum(inst: MInst, function: MFunction) -> None:
    inst.mnemonic, inst.srcs = "IADD3", (*inst.srcs, ZERO)


def _extreme(inst: MInst, function: MFunction) -> None:
    inst.mnemonic = "IMNMX"


def _convert(inst: MInst, function: MFunction) -> None:
    """Rounds to nearest unless it says otherwise, as I2FP does."""
    inst.mnemonic = "I2F"
    inst.modifiers = tuple(m for m in inst.modifiers if m not in ("F32", "S32"))


def _reduce(inst: MInst, function: MFunction) -> None:
    inst.mnemonic = "RED"


def _meet(inst: MInst, function: MFunction) -> None:
    """All lanes, by a mask. A collective is a later machine's; without it lanes that are elsewhere are waited for."""
    inst.modifiers, inst.srcs = (), (_ALL_LANES,)


def _double(inst: MInst, function: MFunction) -> None:
    """The one shape, which is called otherwise."""
    if inst.modifiers[:1] == ("8x8x4",):
        inst.modifiers = ("884", *inst.modifiers[1:])


def _pack(inst: MInst, function: MFunction) -> None:
    """Halves are meant where nothing is said."""
    inst.modifiers = tuple(m for m in inst.modifiers if m not in ("F16", "F32"))


_OTHERS: dict[str, Callable[[MInst, MFunction], None]] = {
    "VIADD": _sum, "VIMNMX": _extreme, "I2FP": _convert, "REDG": _reduce, "WARPSYNC": _meet, "F2FP": _pack,
    "DMMA": _double,
}  # fmt: skip
_NEEDLESS = frozenset({"CGAERRBAR"})
"""Instructions about clusters, where there are none."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Rewrite what the machine lacks."""
    function.uncoupled = arch.latency.uncoupled
    for block in function.blocks:
        out: list[MInst] = []
        for inst in block.insts:
            if inst.mnemonic == "LEPC" and not plans("LEPC", (), ("R", "T"), arch.sass):
                out += _return_address(inst, function)
            elif inst.mnemonic in _NEEDLESS and not has(inst.mnemonic, inst.modifiers, arch.sass):
                continue
            else:
                other = _OTHERS.get(inst.mnemonic)
                if other is not None and not has(inst.mnemonic, inst.modifiers, arch.sass):
                    other(inst, function)
                out.append(inst)
        block.insts = out


def _return_address(inst: MInst, function: MFunction) -> list[MInst]:
    """LEPC gives its own address alone: how far it is from there to where the call returns is added."""
    address = inst.dsts[0]
    assert isinstance(address, V)
    low, high = V(address.reg, address.part), V(address.reg, address.part + 1)
    carry = V(function.new("P"))
    inst.srcs = ()
    return [
        inst,
        MInst("IADD3", (), (low, carry), (low, WAY_BACK, ZERO), loc=inst.loc, side_effect=True),
        MInst("IADD3", ("X",), (high,), (high, ZERO, ZERO, carry, FALSE), loc=inst.loc, side_effect=True),
    ]


__all__ = ["run"]
