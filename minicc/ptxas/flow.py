"""Small passes over blocks: unreachable code, moves to itself, jumps to the next block."""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg, is_plain, target_of
from minicc.ptxas.mir import MFunction, MInst, V
from minicc.ptxas.options import Options


def drop_unreachable(function: MFunction, arch: Arch, options: Options) -> None:
    """Remove blocks that no path reaches, and set loop depths. The last block of a fall-through chain always stays
    beside its successor, because only whole unreachable blocks go."""
    cfg = Cfg.of(function)
    keep = set(cfg.rpo)
    if len(keep) < len(function.blocks):
        function.blocks = [block for i, block in enumerate(function.blocks) if i in keep]
        cfg = Cfg.of(function)
    cfg.set_loop_depths()


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
