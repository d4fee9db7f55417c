"""Rotate: what a loop hands on from turn to turn is copied before the load that takes its place.

    LDG x, [p];  ...;  MOV b, m;  MOV m, x        MOV b, m;  LDG x, [p];  ...;  MOV m, x      (x and m: one register)

    head: LDG x, [p];  @q BRA B                   head: MOV b, m;  LDG x, [p];  @q BRA B
    A: MOV b, m;  MOV m, x;  ...             ->   A: MOV m, x;  ...
    B: MOV b, m;  MOV m, x;  ...                  B: MOV m, x;  ...

Rows of a sweep are named so: the one before, this one, the next. LLVM copies at the end of a turn, where the old value
of `m` still lives when the new one comes: two registers, and `MOV m, x` waits for memory, although nobody asks for `m`
before the next turn (a tridiagonal solver waited for each row, 1.24 of nvcc's cycles on an H200).

Cost: linear in the blocks of loops that load, but for the copies moved.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import Block, MFunction, MInst, Part, V
from minicc.ptxas.operands import guarded, is_far, parts_read, parts_written
from minicc.ptxas.options import Options

Copy = tuple[Part, Part]
"""Destination and source."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Look at each block of a loop that loads from far memory, and at those behind it."""
    heads = [n for n, b in enumerate(function.blocks) if b.loop_depth and any(map(is_far, b.insts))]
    cfg = Cfg.of(function) if heads else None
    for head in heads:
        assert cfg is not None
        block = function.blocks[head]
        loads = [at for at, inst in enumerate(block.insts) if is_far(inst)]
        loaded = {part for at in loads for part in parts_written(block.insts[at])}
        behind = [function.blocks[s] for s in cfg.succs[head] if cfg.preds[s] == [head] and s != head]
        if len(behind) == len(cfg.succs[head]) > 1:
            _common(block, behind, loaded)
        if wanted := _wanted([block, *behind], loaded):
            _before(block, wanted, loads[0])


def _copy(inst: MInst) -> Copy | None:
    """Of a copy of one general register to another."""
    if inst.mnemonic != "MOV" or guarded(inst) or inst.hidden or inst.modifiers or len(inst.srcs) != 1:
        return None
    d, s = inst.dsts[0], inst.srcs[0]
    if not isinstance(d, V) or not isinstance(s, V) or not s.plain or d.reg.file != "R" or s.reg.file != "R":
        return None
    if d.reg.fixed is not None or s.reg.fixed is not None:
        return None
    return (d.reg.id, d.part), (s.reg.id, s.part)


def _wanted(blocks: list[Block], loaded: set[Part]) -> set[Copy]:
    """Copies of what a value that is loaded takes the place of, and those that must come before them."""
    copies = {copy for block in blocks for inst in block.insts if (copy := _copy(inst)) is not None}
    places = {d for d, s in copies if s in loaded}
    wanted: set[Copy] = set()
    while more := {copy for copy in copies - wanted if copy[1] in places and copy[1] not in loaded}:
        wanted |= more
        places |= {d for d, _ in more}
    return wanted


def _free(insts: list[MInst], first: int, at: int, copy: Copy) -> bool:
    """Could the copy at `at` as well stand at `first`?"""
    d, s = copy
    return not any(
        d in parts_read(inst) or d in parts_written(inst) or s in parts_written(inst) or inst.mnemonic == "CALL"
        for inst in insts[first:at]
    )


def _common(head: Block, behind: list[Block], loaded: set[Part]) -> None:
    """What all blocks behind the head begin with is copied at its end."""
    if head.insts[-1].mnemonic != "BRA":
        return
    wanted = _wanted(behind, loaded)
    for inst in list(behind[0].insts):
        copy = _copy(inst)
        if copy not in wanted or copy is None:
            continue
        places = [next((n for n, i in enumerate(b.insts) if _copy(i) == copy), -1) for b in behind]
        if all(at >= 0 and _free(b.insts, 0, at, copy) for b, at in zip(behind, places, strict=True)):
            for b, at in zip(behind, places, strict=True):
                b.insts = b.insts[:at] + b.insts[at + 1 :]
            end = len(head.insts)
            while end and head.insts[end - 1].mnemonic == "BRA":
                end -= 1
            head.insts.insert(end, inst)


def _before(block: Block, wanted: set[Copy], load: int) -> None:
    """Copies come before the first load, if nothing there is against it."""
    for at, inst in enumerate(block.insts):
        copy = _copy(inst)
        if at > load and copy is not None and copy in wanted and _free(block.insts, load, at, copy):
            block.insts.insert(load, block.insts.pop(at))
            load += 1
