"""Small passes over blocks: unreachable code, moves to itself, jumps to the next block."""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg, falls_through, is_plain, target_of
from minicc.ptxas.mir import Block, MFunction, MInst, V
from minicc.ptxas.options import Options
from minicc.sass.instr import Target


def drop_unreachable(function: MFunction, arch: Arch, options: Options) -> None:
    """Remove blocks that no path reaches, and set loop depths. The last block of a fall-through chain always stays
    beside its successor, because only whole unreachable blocks go."""
    cfg = Cfg.of(function)
    keep = set(cfg.rpo)
    if len(keep) < len(function.blocks):
        before = function.blocks
        function.blocks = [block for i, block in enumerate(before) if i in keep]
        _drop_lone_bssy(function)
        # A BSSY names the code after its BSYNC even where that has been folded away (every path there exits).
        named = {target_of(i) for block in function.blocks for i in block.insts if i.mnemonic == "BSSY"}
        marks = [b for i, b in enumerate(before) if i not in keep and b.label in named]
        if marks:
            function.blocks += [_stub(block.label) for block in marks]
        cfg = Cfg.of(function)
    cfg.set_loop_depths()


def _stub(label: str) -> Block:
    """An exit that is never reached, for a BSSY to name."""
    return Block(label, [MInst("EXIT", side_effect=True)])


def _drop_lone_bssy(function: MFunction) -> None:
    """A BSSY whose BSYNC is gone (every path of its region exits) has nothing to wait for."""
    awaited = {
        s.reg.id for b in function.blocks for i in b.insts if i.mnemonic == "BSYNC" for s in i.srcs if isinstance(s, V)
    }
    for block in function.blocks:
        block.insts = [
            i
            for i in block.insts
            if i.mnemonic != "BSSY" or not isinstance(i.dsts[0], V) or i.dsts[0].reg.id in awaited
        ]


def _idle(inst: MInst) -> bool:
    if inst.mnemonic in ("MOV", "UMOV") and len(inst.srcs) == 1 and isinstance(inst.dsts[0], V):
        to, source = inst.dsts[0], inst.srcs[0]
        if isinstance(source, V) and not (source.neg or source.abs or source.inv):
            a, b = to.reg.fixed, source.reg.fixed
            same_file = to.reg.file == source.reg.file
            return same_file and a is not None and b is not None and a + to.part == b + source.part
    return False


def drop_idle(function: MFunction, arch: Arch, options: Options) -> None:
    """After allocation: remove copies of a register to itself and jumps to the next block."""
    blocks = function.blocks
    for at, block in enumerate(blocks):
        block.insts = [i for i in block.insts if not _idle(i)]
        if block.insts and at + 1 < len(blocks):
            last = block.insts[-1]
            if last.mnemonic == "BRA" and is_plain(last) and target_of(last) == blocks[at + 1].label:
                block.insts.pop()


def thread_exits(function: MFunction, arch: Arch, options: Options) -> None:
    """Jump threading: a branch to a block that only exits exits itself; one to a block that only jumps goes where that
    goes. Convergence instructions are left alone."""
    only_exit: set[str] = set()
    forward: dict[str, str] = {}
    for block in function.blocks:
        if len(block.insts) == 1 and is_plain(block.insts[0]):
            first = block.insts[0]
            if first.mnemonic == "EXIT":
                only_exit.add(block.label)
            elif first.mnemonic == "BRA":
                target = target_of(first)
                if target is not None and target != block.label:
                    forward[block.label] = target
    for block in function.blocks:
        for at, inst in enumerate(block.insts):
            if inst.mnemonic != "BRA" or len(inst.srcs) != 1:
                continue
            start = target = target_of(inst)
            for _ in range(8):
                if target is None or target not in forward:
                    break
                target = forward[target]
            if target is None or start is None:
                continue
            if target in only_exit:
                plain = is_plain(inst)
                block.insts[at] = MInst("EXIT", (), (), (), inst.guard, inst.loc, inst.ptx, side_effect=True)
                _drop_edge(block, start, function)
                if plain:
                    del block.insts[at + 1 :]
                    break
            elif target != start:
                inst.srcs = (Target(label=target),)
                _drop_edge(block, start, function)
                if target not in block.succs:
                    block.succs.append(target)
    drop_unreachable(function, arch, options)


def _drop_edge(block: Block, label: str, function: MFunction) -> None:
    """Remove a successor unless the block still reaches it by another branch or by falling through."""
    if any(i.mnemonic == "BRA" and target_of(i) == label for i in block.insts):
        return
    at = function.blocks.index(block)
    if falls_through(block) and at + 1 < len(function.blocks) and function.blocks[at + 1].label == label:
        return
    block.succs = [s for s in block.succs if s != label]


def straighten(function: MFunction, arch: Arch, options: Options) -> None:
    """Join each block to its only successor where that has no other way in, so that the scheduler sees longer runs."""
    blocks = function.blocks
    preds: dict[str, int] = {}
    named: set[str | None] = set()
    for block in blocks:
        for succ in block.succs:
            preds[succ] = preds.get(succ, 0) + 1
    for at, block in enumerate(blocks[:-1]):
        last = block.insts[-1] if block.insts else None
        if last is not None and last.mnemonic == "BRA" and is_plain(last) and target_of(last) == blocks[at + 1].label:
            block.insts.pop()
    for block in blocks:
        named.update(target_of(i) for i in block.insts)
    out: list[Block] = []
    for block in blocks:
        before = out[-1] if out else None
        if (
            before is not None
            and before.succs == [block.label]
            and preds.get(block.label) == 1
            and block.label not in named
            and falls_through(before)
        ):
            before.insts += block.insts
            before.succs = block.succs
        else:
            out.append(block)
    function.blocks = out
