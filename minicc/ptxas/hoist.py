"""Loads behind a branch whose ways meet again are made before it, so that their latencies pass together.

    head: x = load;  @p(x) BRA join        head: x = load;  y = load;  @p(x) BRA join
    body: ...                        ->    body: ...
    join: y = load;  @q(y) BRA ...         join: @q(y) BRA ...

Who comes to the head comes to the join as well, so no load is made that was not made before. Only where something
between is waited for: otherwise little is gained for the registers. Turns of a loop that LLVM has unrolled around a
condition stand so, one after the other; NVIDIA's ptxas makes their loads together, too (HeCBench's stsg waited eight
times where its code waits twice: 1.46 of its cycles on an H200).
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.ahead import PURE, WEAK, Part, parts, stores
from minicc.ptxas.cfg import Cfg, ends
from minicc.ptxas.mir import MFunction, MInst, V
from minicc.ptxas.operands import guarded, reads, writes
from minicc.ptxas.options import Options

_BODY = 64
"""Instructions between head and join, at most: registers are held over them."""
_WORDS = 8
"""Registers that loads of one head may take."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Move loads up, from the last join to the first, so that those of several come to one head."""
    blocks = function.blocks
    if not any(i.mnemonic == "LDG" for block in blocks[2:] for i in block.insts):
        return
    cfg = Cfg.of(function)
    for head in reversed(range(len(blocks) - 2)):
        join = _join(cfg, head)
        if join:
            _move(function, head, join)


def _join(cfg: Cfg, head: int) -> int:
    """Where all ways from the head meet, if nobody else comes there or to a block between; 0 if there is no such."""
    blocks = cfg.function.blocks
    if len(cfg.succs[head]) < 2:
        return 0
    join, at, size = max(cfg.succs[head]), head + 1, 0
    while at < join:
        size += len(blocks[at].insts)
        if size > _BODY or not cfg.succs[at] or min(cfg.preds[at], default=-1) < head or max(cfg.preds[at]) >= join:
            return 0
        join, at = max(join, *cfg.succs[at]), at + 1
    if min(cfg.succs[head]) <= head or any(min(cfg.succs[b]) <= b for b in range(head, join)):
        return 0
    if min(cfg.preds[join]) < head or max(cfg.preds[join]) >= join:
        return 0
    # Where they meet may be a BSYNC alone, since a BSSY names what comes after it.
    alone = len(blocks[join].insts) == 1 and cfg.succs[join] == [join + 1] and cfg.preds[join + 1] == [join]
    return join + 1 if alone else join


def _move(function: MFunction, head: int, join: int) -> None:
    """Move the loads at the join that need nothing of what lies between, and what makes their addresses."""
    top, bottom = function.blocks[head].insts, function.blocks[join].insts
    end = len(top)
    while end and top[end - 1].mnemonic == "BRA":
        end -= 1
    between = top[end:] + [inst for block in function.blocks[head + 1 : join] for inst in block.insts]
    if any(inst.mnemonic == "EXIT" or inst.mnemonic == "CALL" for inst in between):
        return
    used = {part for inst in between for r in reads(inst) for part in parts(r)}
    made = {part for inst in between for w in writes(inst) for part in parts(w)}
    if not any(inst.mnemonic == "LDG" for inst in between) and not _waits(top[:end], used):
        return
    calm = not any(map(stores, between)) and not any(i.memory == "barrier" for i in between)
    wanted = _movable(bottom, used, made, calm, set(bottom))
    needed: set[MInst] = set()
    sources: set[Part] = set()
    for inst in reversed(wanted):
        if inst.mnemonic == "LDG" or any(part in sources for w in writes(inst) for part in parts(w)):
            needed.add(inst)
            sources.update(part for r in reads(inst) for part in parts(r))
    moved = _movable(bottom, used, made, calm, needed)
    if any(inst.mnemonic == "LDG" for inst in moved):
        gone = set(moved)
        top[end:end] = moved
        function.blocks[join].insts = [inst for inst in bottom if inst not in gone]


def _waits(insts: list[MInst], wanted: set[Part]) -> bool:
    """Whether one of the parts comes of a load."""
    wanted = set(wanted)
    for inst in reversed(insts):
        if not wanted.isdisjoint(part for w in writes(inst) for part in parts(w)):
            if inst.mnemonic == "LDG":
                return True
            wanted.update(part for r in reads(inst) for part in parts(r))
    return False


def _movable(insts: list[MInst], used: set[Part], made: set[Part], calm: bool, among: set[MInst]) -> list[MInst]:
    """Those of `among` that could as well be made before what reads `used` and writes `made`, in order."""
    used, made = set(used), set(made)
    out: list[MInst] = []
    words = 0
    for inst in insts:
        if ends(inst):
            break
        inputs = [part for r in reads(inst) for part in parts(r)]
        results = [part for w in writes(inst) for part in parts(w)]
        load = inst.mnemonic == "LDG" and not inst.side_effect and WEAK.issuperset(inst.modifiers)
        if (
            inst in among
            and (inst.mnemonic in PURE or (load and (calm or "CONSTANT" in inst.modifiers)))
            and not guarded(inst)
            and not inst.hidden
            and all(isinstance(w, V) and w.reg.file == "R" for w in inst.dsts)
            and made.isdisjoint(inputs)
            and made.isdisjoint(results)
            and used.isdisjoint(results)
            and (not load or words + len(results) <= _WORDS)
        ):
            out.append(inst)
            words += len(results) if load else 0
            continue
        used.update(inputs)
        made.update(results)
        calm = calm and not stores(inst) and inst.memory != "barrier"
    return out
