"""Exchanges to which lanes of their mask come at several places.

WARPSYNC gathers lanes at one place. Of a shfl, vote, match or warp barrier CUDA asks that all lanes of the mask execute
the same intrinsic, which need not be the same call of it: the two sides of a branch, or rounds of an unrolled loop.
Where lanes of a function may come to one such exchange without another of its kind, each asks whether lanes are
missing, as nvcc's code does:

          BRA.DIV mask, apart       not all lanes of the mask are here
          SHFL ...
    on:   ...
    apart: WARPSYNC.COLLECTIVE mask; SHFL R4, ... ; ENDCOLLECTIVE; BRA on

A collective is executed for all by who comes last, so that its operands and results are in the same registers
everywhere. Where lanes that are together may have several masks, BRA.DIV asks about all of these lanes, and whether
each mask has lanes with that mask only; the masks' collectives run one after the other, and a BSYNC brings these lanes
back together.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from minicc.graphs import dominates
from minicc.ptxas.lower import abi
from minicc.ptxas.lower.builder import Builder, inv
from minicc.ptxas.lower.graph import link
from minicc.ptxas.lower.same import same
from minicc.ptxas.mir import AFTER_COLLECTIVE, TRUE, ZERO, Block, MFunction, MInst, MOperand, V
from minicc.record import Record, evolve
from minicc.sass.codec import has
from minicc.sass.instr import Imm, Reg, Target

_EXCHANGES = frozenset({"SHFL", "VOTE", "MATCH", "REDUX", "ELECT"})
_FULL = 0xFFFFFFFF
_UNIFORM = 62
"""What a collective leaves in a uniform register is in this one."""
_MASK = abi.FIRST + abi.COUNT - 1
"""The register of all masks, whatever the exchange: with several, an H200 took lanes that wait in one collective beside
another for an illegal instruction in one of 80 random programs; nvcc has one in each function, and sets it before
barriers' collectives as well."""
Kind = tuple[str, tuple[str, ...]]


class Site(Record):
    """An exchange (none: a warp's barrier) in a block, the WARPSYNC before it, and its mask if that is known; the first
    and the last instruction that only lanes execute that are all here. The last may be a move of what the exchange
    leaves in a uniform register to `result`."""

    def __init__(
        self,
        block: int,
        sync: MInst,
        exchange: MInst | None,
        first: MInst,
        last: MInst,
        result: MOperand | None,
        mask: int | None,
    ) -> None:
        self.block, self.sync, self.exchange, self.first, self.last = block, sync, exchange, first, last
        self.result, self.mask = result, mask

    @property
    def kind(self) -> Kind:
        """Sites of different kinds do not wait for each other."""
        return (self.exchange.mnemonic, self.exchange.modifiers) if self.exchange is not None else ("", ())


def collective(b: Builder, mask: MOperand | None = None) -> MInst:
    """What the next barrier or exchange that is one of a mask's lanes (none: the whole warp's) begins with; `control`
    puts it right before that, and ENDCOLLECTIVE behind. One of the whole warp has its mask in the register, too: lanes
    may wait in it beside others."""
    b.fn.collectives = True
    given = abi.pinned(b, "R", _MASK)
    b.move(given, Imm(_FULL) if mask is None else mask)
    op = "WARPSYNC.COLLECTIVE.ALL" if mask is None else "WARPSYNC.COLLECTIVE"
    out = b.emit(
        op, (), (AFTER_COLLECTIVE,) if mask is None else (given, AFTER_COLLECTIVE), side=True, memory="barrier"
    )
    out.implicit_reads = (given,)
    return out


def sites(function: MFunction, b: Builder) -> list[Site]:
    """All of a function, if the machine has collectives."""
    if not has("WARPSYNC", ("COLLECTIVE", "ALL"), b.arch.sass):
        return []
    out: list[Site] = []
    for n, block in enumerate(function.blocks):
        sync: MInst | None = None
        for at, inst in enumerate(block.insts):
            ptx = inst.ptx
            if ptx is None or inst.guard != TRUE:
                continue
            if inst.mnemonic == "WARPSYNC":
                collected = inst in b.collective and inst not in b.barriers
                sync = inst if collected or "EXCLUSIVE" in inst.modifiers else None
                # Which lane of part of a warp is elected needs no exchange.
                elects = ptx.opcode == "elect" and inst.srcs
                if elects or (ptx.opcode in ("bar", "barrier") and "warp" in ptx.modifiers):
                    out.append(Site(n, inst, None, inst, inst, None, b.constant(ptx.operands[-1])))
            elif sync is not None and sync.ptx is ptx and inst.mnemonic in _EXCHANGES:
                first = last = inst
                result = None
                follows = block.insts[at + 1] if at + 1 < len(block.insts) else inst
                if follows.mnemonic == "MOV" and follows.srcs == tuple(d for d in inst.dsts if _is_uniform(d)):
                    last, result = follows, follows.dsts[0]
                if "EXCLUSIVE" in sync.modifiers:
                    first, last = block.insts[at - 2], block.insts[at + 2]
                out.append(Site(n, sync, inst, first, last, result, b.constant(ptx.operands[-1])))
                sync = None
    return out


def _is_uniform(operand: MOperand) -> bool:
    return isinstance(operand, V) and operand.reg.file == "UR"


def scattered(found: Iterable[Site], apart: set[int], idom: list[int], ipdom: list[int]) -> set[Kind]:
    """The kinds of which lanes may come to one site without another, in blocks that part of a warp may execute
    (`apart`). Sites with different constants as masks are nothing to each other."""
    kinds: dict[Kind, list[Site]] = {}
    for site in found:
        if site.block in apart:
            kinds.setdefault(site.kind, []).append(site)
    out: set[Kind] = set()
    for kind, of_kind in kinds.items():
        known = {site.mask for site in of_kind}
        for mask in known if None not in known else (None,):
            blocks = [site.block for site in of_kind if mask is None or site.mask == mask]
            if not all(_together(a, b, idom, ipdom) for a, b in pairwise(blocks) if a != b):
                out.add(kind)
    return out


def _together(a: int, b: int, idom: list[int], ipdom: list[int]) -> bool:
    """Do lanes that come to one of the blocks come to the other, in the same order?"""
    return (dominates(idom, a, b) and dominates(ipdom, b, a)) or (dominates(idom, b, a) and dominates(ipdom, a, b))


def gather_anywhere(function: MFunction, b: Builder, found: Iterable[Site]) -> None:
    """Let these exchanges ask for missing lanes, and be collectives where some are."""
    firsts = {site.first: site for site in found}
    needless = {site.sync for site in found if "EXCLUSIVE" not in site.sync.modifiers}
    blocks: list[Block] = []
    cold: list[Block] = []
    b.guard = None
    for block in function.blocks:
        blocks.append(block)
        insts, block.insts = block.insts, []
        site: Site | None = None
        for inst in insts:
            if inst in firsts:
                site = firsts[inst]
                way = Block(b.label("apart"), [], [], block.loop_depth)
                b.inst, b.loc, b.block = inst.ptx, inst.loc, blocks[-1]
                _ask(b, site, way.label)
                blocks.append(Block(b.label("here"), [], [], block.loop_depth))
                onward = Block(b.label("on"), [], [], block.loop_depth)
                cold += _apart(b, site, way, onward.label)
            if site is not None and site.exchange is None:
                inst = MInst("NOP", loc=inst.loc, ptx=inst.ptx, side_effect=True, memory="barrier")
            if inst not in needless:
                blocks[-1].insts.append(inst)
            if site is not None and (inst is site.last or site.exchange is None):
                blocks.append(onward)
                site = None
    function.blocks = [*blocks, *cold]
    link(function)


def _ask(b: Builder, site: Site, way: str) -> None:
    """End the block with a branch to `way` that is taken if lanes of the mask of one that is here are not."""
    guard: MOperand = TRUE
    given = site.sync.srcs[0] if site.sync.srcs else None
    asked = b.uniform()
    if given is None or site.mask is not None:
        b.emit("UMOV", (asked,), (Imm(_FULL if site.mask is None else site.mask & _FULL),))
    elif site.sync.ptx is not None and same(b, site.sync.ptx.operands[-1]):
        b.emit("R2UR", (asked,), (given,))
    else:
        alike, here = b.temp(), b.temp()
        b.emit("MATCH.ANY", (alike,), (given,), side=True)
        b.emit("REDUX.OR", (asked,), (given,), side=True)
        b.emit("VOTE.ANY", (here, TRUE), (TRUE,), side=True)
        guard = inv(b.setp("ISETP.NE.U32.AND", b.logic(given, here, 0x40, alike), ZERO))
    b.emit("BRA.DIV", (), (asked, Target(label=way)), guard, side=True)


def _apart(b: Builder, site: Site, block: Block, onward: str) -> list[Block]:
    """The blocks of a collective, which go on at `onward`."""
    numbers = {"R": abi.FIRST, "P": 0}
    last = Block(b.label("met"), [], [], block.loop_depth)

    def pin(operand: MOperand, least: int = 1) -> V:
        file = operand.file if isinstance(operand, V | Reg) else "R"
        width = operand.count if isinstance(operand, V) else least
        if file == "UR":
            return abi.pinned(b, "UR", _UNIFORM)
        assert file in ("R", "P")
        start = -(-numbers[file] // width) * width
        numbers[file] = start + width
        return abi.pinned(b, file, start) if width == 1 else abi.pinned_pair(b, start)

    exchange = site.exchange
    results, given = [], []
    b.block = block
    if exchange is not None:
        least = 2 if "U64" in exchange.modifiers else 1  # a pair that is zero is RZ
        results, given = [pin(d) for d in exchange.dsts], [pin(s, least) for s in exchange.srcs]
        for to, source in zip(given, exchange.srcs, strict=True):
            for n in range(to.count):
                part = evolve(source, part=source.part + n, count=1) if isinstance(source, V) else source
                b.move(evolve(to, part=to.part + n, count=1), part)
    varies = site.sync.srcs and site.mask is None
    barrier = V(b.fn.new("B"))
    if varies:
        b.emit("BSSY", (barrier,), (Target(label=last.label),), side=True)
    collective(b, site.sync.srcs[0] if site.sync.srcs else Imm(_FULL)).implicit_reads += tuple(given)
    if exchange is None:
        b.emit("NOP", side=True, memory="barrier")
    else:
        done = b.emit(".".join((exchange.mnemonic, *exchange.modifiers)), results, given, side=True, memory="barrier")
        if site.result is not None:
            done.implicit_writes = (abi.pinned(b, "R", numbers["R"]),)
    if varies:
        b.emit("BSYNC", (), (barrier,), side=True)
    b.block = last
    for wanted, found in zip(exchange.dsts, results, strict=True) if exchange is not None else ():
        if isinstance(wanted, V) and wanted.reg.file != "UR":
            b.move(wanted, found)
    if site.result is not None:
        b.move(site.result, abi.pinned(b, "R", numbers["R"]))
    b.emit("BRA", (), (Target(label=onward),), side=True)
    return [block, last]
