"""What the first warps of a kernel wait for: constants that no cache of their SM has yet.

    S2R a; S2R t; ULDC.64 desc                     S2R a; S2R t; LDC n, c[0][0]
    IMAD i, a, c[0][0], t                    ->    IMAD i, a, n, t
    ISETP p, i, c[0][0x228]; @p EXIT               ISETP p, i, c[0][0x228]; @p EXIT
    ...                                            ULDC.64 desc; ...

An operand that is not there holds the warp up, and the line of the block's size and that of the parameters come one
after the other; LDC asks for the first beside S2R. On an H200 a kernel of one wave that adds two vectors keeps its SMs
busy for 1,790 cycles instead of 1,970, and for 560 instead of 690 if all threads leave at once; one of many waves takes
as long as before. Threads that leave without having asked for a parameter do not wait for the line of the parameters:
1,024 blocks of a kernel for one thread keep the SMs busy for 0.63 to 0.77 of the time.
"""

from __future__ import annotations

from bisect import bisect

from minicc.arch.schema import Arch
from minicc.ptxas.mir import Block, MFunction, MInst, MOperand, Part, V
from minicc.ptxas.operands import guarded, parts_read, parts_written
from minicc.ptxas.options import Options
from minicc.sass.instr import Const

_AXES = 3
_LOADS = frozenset({"MOV", "LDC"})
"""What only brings a constant."""
_BRINGS = frozenset({"MOV", "ULDC"})
"""That which may as well bring it later."""
_LINE = 64
"""Bytes of a line of constants (measured on an H200, docs/h200.md)."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Load the block's size, and the descriptor of memory where it is wanted first."""
    if function.entry and function.blocks:
        entry = function.blocks[0]
        _load_sizes(function, entry, arch)
        _delay(entry, arch)


def _load_sizes(function: MFunction, entry: Block, arch: Arch) -> None:
    """Sizes of the block that are operands in the entry are loaded together."""
    places = [Const(0, arch.abi.block_dim + 4 * axis) for axis in range(_AXES)]
    readers = [
        i for i in entry.insts
        if any(isinstance(s, Const) for s in i.srcs) and i.mnemonic not in _LOADS and not i.mnemonic.startswith("U")
    ]  # fmt: skip
    read = {s for i in readers for s in i.srcs if isinstance(s, Const)}
    used = [n for n, c in enumerate(places) if c in read]
    if not used:
        return
    wide = used[0] == 0 and len(used) > 1
    loaded = function.new("R", 2 if wide else 1)
    names = {places[n]: V(loaded, n) for n in (0, 1)} if wide else {places[used[0]]: V(loaded)}
    for inst in readers:
        inst.srcs = tuple(names.get(s, s) if isinstance(s, Const) else s for s in inst.srcs)
    first = places[0 if wide else used[0]]
    entry.insts.insert(0, MInst("LDC", ("64",) if wide else (), (V(loaded, 0, loaded.width),), (first,)))


def _delay(entry: Block, arch: Arch) -> None:
    """The descriptor comes after the exits before its first use, and so do the constants of lines that nothing before
    these exits asks for."""
    descriptor = Const(0, arch.abi.memory_descriptor)
    exits = [n for n, inst in enumerate(entry.insts[:-1]) if inst.mnemonic == "EXIT"]
    if not exits:
        return
    asked = {_line(s) for i in entry.insts[: exits[-1]] if i.mnemonic not in _BRINGS for s in i.srcs}
    touched: dict[Part, int] = {}
    """Part of a register -> the first of the instructions looked at that reads or writes it."""
    late: dict[int, list[MInst]] = {}
    for at in range(exits[-1] - 1, -1, -1):  # nothing goes behind what comes after the last exit
        inst = entry.insts[at]
        source = inst.srcs[0] if inst.mnemonic in _BRINGS and not guarded(inst) else None
        parts = (*parts_read(inst), *parts_written(inst))
        if source == descriptor or (isinstance(source, Const) and _line(source) not in asked):
            first = min([touched.get(part, exits[-1] + 1) for part in parts])
            to = bisect(exits, first) - 1
            if to >= 0 and exits[to] > at:
                late.setdefault(exits[to], []).insert(0, inst)
        for part in parts:
            touched[part] = at
    if late:
        moved = {id(inst) for insts in late.values() for inst in insts}
        kept = [(n, inst) for n, inst in enumerate(entry.insts) if id(inst) not in moved]
        entry.insts = [one for n, inst in kept for one in (inst, *late.get(n, ()))]


def _line(operand: MOperand) -> int | None:
    """Which line of bank 0 an operand is in."""
    return operand.offset // _LINE if isinstance(operand, Const) and not operand.bank else None
