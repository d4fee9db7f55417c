"""Bulk and tensor-map copies (TMA), their groups, prefetches and cache policies.

Operands as ptxas 13.0 lays them out for sm_90a: of UBLKCP a pair (shared address, mbarrier), a pair (global address),
a word (16-byte units | block mask << 16); of UTMALDG a group (shared address, mbarrier, coordinates...) and the map's
address; of UTMASTG a group (shared address, coordinates...).
"""

from __future__ import annotations

from collections.abc import Callable

from minicc.ptx import model as ptx
from minicc.ptxas.lower import uniform
from minicc.ptxas.lower.builder import Builder, imm, inv
from minicc.ptxas.lower.integer import compare64
from minicc.ptxas.lower.mbarrier import place
from minicc.ptxas.lower.same import same
from minicc.ptxas.lower.types import dotted
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V, VMem
from minicc.sass.instr import Control, Imm, Name, Reg

SCOREBOARD = 1
"""The scoreboard that counts bulk groups."""
_TYPES = {
    "u32": "", "s32": "S32", "u64": "U64", "s64": "S64", "f16": "F16.RN", "bf16": "BF16.RN", "f32": "F32.RN",
    "f64": "F64.RN", "b32": "", "b64": "U64",
}  # fmt: skip
_OPERATIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")


def bulk(b: Builder, inst: ptx.Inst) -> None:
    """cp{.reduce}.async.bulk...."""
    mods = inst.modifiers
    if "commit_group" in mods:
        mark = b.emit("UTMACMDFLUSH", side=True, memory="barrier")
        mark.control = Control(rbar=SCOREBOARD)
        return
    if "wait_group" in mods:
        groups = b.constant(inst.operands[0]) or 0
        b.emit("DEPBAR.LE", (), (Reg("SB", SCOREBOARD), Imm(min(groups, 63), "uint")), side=True, memory="barrier")
        if "read" not in mods:
            b.emit("CCTL.IVALL", memory="fence")
        return
    if "tensor" in mods:
        _tensor(b, inst)
    else:
        _plain(b, inst)


def _add(b: Builder, base: MOperand, offset: int) -> MOperand:
    """A shared address in one value."""
    if base == ZERO:
        return imm(offset)
    return b.new("IADD3", base, imm(offset), ZERO) if offset else base


def _shared(b: Builder, item: ptx.Operand) -> MOperand:
    return _add(b, *place(b, item))


def _global(b: Builder, item: ptx.Operand) -> tuple[MOperand, MOperand]:
    """A 64-bit address in two values."""
    if not isinstance(item, ptx.Address):
        b.wrong("Arguments mismatch: an address was expected")
    low, high = b.val64(item.base)
    if item.offset:
        total = b.temp(2)
        b.add64(total, (low, high), (imm(item.offset), imm(item.offset >> 32)))
        return V(total.reg, 0), V(total.reg, 1)
    return low, high


def _plain(b: Builder, inst: ptx.Inst) -> None:
    mods, operands = inst.modifiers, list(inst.operands)
    hint = b.val64(operands.pop()) if "L2::cache_hint" in mods else None
    mask = operands.pop() if "multicast::cluster" in mods else None
    reduce = next((m for m in mods if m in _OPERATIONS), "") if "reduce" in mods else ""
    if "prefetch" in mods:
        source, size = operands
        address, word = _global(b, source), _units(b, size, None)

        def prefetch() -> list[MOperand]:
            return _hinted(b, [VMem(uniform.group(b, address)), uniform.group(b, (word,))], hint)

        uniform.together(b, _same(b, inst), prefetch, lambda srcs: _emit(b, "UBLKPF.L2", *srcs))
        return
    to, source, size, *barrier = operands
    spaces = [m.split("::")[0] for m in mods if m.split("::")[0] in ("shared", "global")][:2]
    word = _units(b, size, mask)
    target: tuple[MOperand, ...] = (_shared(b, to),) if spaces[0] == "shared" else _global(b, to)
    origin: tuple[MOperand, ...] = (_shared(b, source),) if spaces[1] == "shared" else _global(b, source)
    if barrier:
        target = (*target, _shared(b, barrier[0]))
    type_ = next(_TYPES[m] for m in mods if m in _TYPES) if reduce else ""
    ways = ".".join("S" if s == "shared" else "G" for s in spaces)
    if reduce:
        op = dotted("UBLKRED", ways, reduce.upper(), type_)
    else:
        op = dotted("UBLKCP", ways, "MULTICAST" if mask is not None else "")

    def gathered() -> list[MOperand]:
        srcs: list[MOperand] = [VMem(uniform.group(b, x)) for x in (target, origin)]
        srcs.append(uniform.group(b, (word,)))
        return _hinted(b, srcs, hint)

    _issue(b, inst, op, gathered, again=not reduce and not barrier)


def _issue(b: Builder, inst: ptx.Inst, op: str, gathered: Callable[[], list[MOperand]], again: bool) -> None:
    """A copy for each lane, or, where doing it `again` changes nothing, for each set of operands."""

    def issue(srcs: list[MOperand]) -> None:
        b.emit(op, (), srcs, memory="barrier", side=True)

    if again:
        uniform.together(b, _same(b, inst), gathered, issue)
    else:
        uniform.alone(b, lambda: issue(gathered()))


def _same(b: Builder, inst: ptx.Inst) -> bool:
    return all(same(b, operand) for operand in inst.operands)


def _units(b: Builder, size: ptx.Operand, mask: ptx.Operand | None) -> MOperand:
    """Bytes in units of 16 below, the blocks to send to above."""
    known = b.constant(size)
    if known is not None and mask is None:
        return imm(known >> 4 & 0xFFFF)
    units = b.new("SHF.R.U32.HI", ZERO, imm(4), b.val(size))
    return b.new("PRMT", units, imm(0x5410), ZERO if mask is None else b.reg(b.val(mask, "u16")))


def _hinted(b: Builder, srcs: list[MOperand], hint: tuple[MOperand, MOperand] | None) -> list[MOperand]:
    """With the cache policy as the last operand."""
    if hint is not None:
        srcs.append(VMem(None, 0, None, uniform.group(b, hint)))
    return srcs


def _tensor(b: Builder, inst: ptx.Inst) -> None:
    mods, operands = inst.modifiers, list(inst.operands)
    hint = b.val64(operands.pop()) if "L2::cache_hint" in mods else None
    im2col = "im2col" in mods
    dims = next(m for m in mods if len(m) == 2 and m[1] == "d").upper()
    first = next(m for m in mods if m.startswith(("shared", "global")))
    load = "prefetch" not in mods and "reduce" not in mods and first != "global"
    mask = operands.pop() if "multicast::cluster" in mods else None
    offsets = operands.pop() if im2col and (load or "prefetch" in mods) else None
    extra: MOperand | None = None
    if offsets is not None:
        if not isinstance(offsets, ptx.Vector):
            b.wrong("im2col offsets: a vector was expected")
        given = [b.reg(b.val(i, "u16")) for i in offsets.items if i is not None]
        # Two offsets are bytes, three are five bits each.
        packed: MOperand = given[0]
        if len(given) == 2:
            packed = b.new("PRMT", given[0], imm(0x40), given[1])
        elif len(given) == 3:
            packed = given[0]
            for k, part in enumerate(given[1:], 1):
                packed = b.logic(b.new("SHF.L.U32", part, imm(5 * k), ZERO), packed, 0xFC)
        extra = b.new("PRMT", packed, imm(0x5410), ZERO if mask is None else b.reg(b.val(mask, "u16")))
    elif mask is not None:
        extra = b.new("PRMT", ZERO, imm(0x5410), b.reg(b.val(mask, "u16")))
    shared: list[MOperand] = []
    if load:
        shared = [_shared(b, operands[0]), _shared(b, operands[2])]
        where = operands[1]
    elif "prefetch" in mods:
        where = operands[0]
    else:
        shared = [_shared(b, operands[1])]
        where = operands[0]
    map_, coordinates = _coordinates(b, where)
    kind = "IM2COL" if im2col else ""
    if load:
        op = dotted("UTMALDG", dims, kind, "MULTICAST" if mask is not None else "")
    elif "prefetch" in mods:
        op = dotted("UTMAPF.L2", dims, kind)
    elif "reduce" in mods:
        op = dotted("UTMAREDG", dims, kind, next(m for m in mods if m in _OPERATIONS).upper())
    else:
        op = dotted("UTMASTG", dims, kind)

    def gathered() -> list[MOperand]:
        values = [*shared, *coordinates]
        srcs: list[MOperand] = [VMem(uniform.group(b, values)), VMem(uniform.group(b, map_))]
        if extra is not None:
            srcs.append(uniform.group(b, (extra,)))
        return _hinted(b, srcs, hint)

    _issue(b, inst, op, gathered, again=not load and "reduce" not in mods)


def _coordinates(b: Builder, where: ptx.Operand) -> tuple[tuple[MOperand, MOperand], list[MOperand]]:
    """(address of the map, coordinates) of `[map, {c0, c1, ...}]`."""
    if not isinstance(where, ptx.Bracket) or len(where.items) != 2:
        b.wrong("a tensor coordinate was expected")
    map_, vector = where.items
    items = vector.items if isinstance(vector, ptx.Vector) else (vector,)
    low, high = b.val64(map_)
    return (low, high), [b.reg(b.val(i, "s32")) for i in items if i is not None]


def prefetch_map(b: Builder, where: ptx.Operand) -> None:
    """prefetch.tensormap"""
    pair = _global(b, where)
    _control(b, "UTMACCTL.PF", where, pair)


def invalidate_map(b: Builder, where: ptx.Operand) -> None:
    """fence.proxy.tensormap::generic.acquire: what is cached of a map goes."""
    pair = _global(b, where)
    b.emit("DEPBAR", (), (Name("{5,4,3,2,1,0}"),), side=True, memory="barrier")
    _control(b, "UTMACCTL.IV", where, pair)


def _control(b: Builder, op: str, where: ptx.Operand, pair: tuple[MOperand, MOperand]) -> None:
    uniform.together(b, same(b, where), lambda: [VMem(uniform.group(b, pair))], lambda srcs: _emit(b, op, *srcs))


def _emit(b: Builder, op: str, *srcs: MOperand) -> None:
    b.emit(op, (), srcs, memory="barrier", side=True)


_PRIMARY = {"L2::evict_unchanged": 0, "L2::evict_first": 0x20, "L2::evict_last": 0x40, "L2::evict_normal": 0x60}


def createpolicy(b: Builder, inst: ptx.Inst) -> None:
    """createpolicy: a 64-bit word, of which only the upper half says anything."""
    mods = inst.modifiers
    d, *operands = inst.operands
    out = b.dst(d, 2)
    if "cvt" in mods:
        b.move64(out, *b.val64(operands[0]))
        return
    levels = [m for m in mods if m.startswith("L2::")]
    if not levels or levels[0] not in _PRIMARY:
        b.unsupported()
    base = 0x100 | _PRIMARY[levels[0]] | (0x10 if levels[1:] == ["L2::evict_first"] else 0)
    if "range" in mods:
        b.move64(out, ZERO, _range(b, base, operands))
        return
    fraction = operands[0] if operands else ptx.Float(0x3F800000, 32)
    if isinstance(fraction, ptx.Float):
        import struct

        kind, size = ("<f", "<I") if fraction.width == 32 else ("<d", "<Q")
        part = min(15, int(struct.unpack(kind, struct.pack(size, fraction.bits))[0] * 15.99))
        b.move64(out, ZERO, imm((base | part) << 20))
        return
    scaled = b.new("FMUL", b.reg(b.val(fraction, "f32")), Imm(0x417FD70A, "f32"))  # 15.99
    whole = b.temp()
    b.emit("F2I.U32.TRUNC.NTZ", (whole,), (scaled,))
    word = b.logic(b.logic(whole, imm(15), 0xC0), imm(base), 0xFC)
    b.emit("SHF.L.U32", (V(out.reg, 1),), (word, imm(20), ZERO))
    b.move(V(out.reg, 0), ZERO)


def _range(b: Builder, base: int, operands: list[ptx.Operand]) -> V:
    """createpolicy.range: the range in blocks of 2^shift bytes, at most 128 to the whole window, as ptxas 13.0 has it:
    mode, shift - 12, number of the first block and of blocks after it."""
    where, primary, window = operands
    address = _global(b, where)
    bytes_, size = b.reg(b.val(primary)), b.reg(b.val(window))
    some = b.setp("ISETP.NE.U32.AND", size, ZERO)
    log = b.temp()
    b.emit("MUFU.LG2", (log,), (b.new("I2FP.F32.U32", size),))
    whole = b.temp()
    b.emit("F2I.U32.CEIL.NTZ", (whole,), (log,))
    shift = b.new("VIMNMX", b.new("IADD3", whole, imm(-7), ZERO), imm(12), inv(TRUE))
    rounded = b.new("SHF.L.U32", b.reg(imm(1)), shift, ZERO)
    beyond, blocks = b.temp(2), b.temp(2)
    b.add64(beyond, address, (b.new("IADD3", b.new("IADD3", bytes_, imm(-1), ZERO), rounded, ZERO), ZERO))

    def down(low: MOperand, high: MOperand) -> tuple[MOperand, MOperand]:
        return b.new("SHF.R.U64", low, shift, b.reg(high)), b.new("SHF.R.U32.HI", ZERO, shift, b.reg(high))

    first = down(b.reg(address[0]), address[1])
    b.sub64(blocks, down(V(beyond.reg, 0), V(beyond.reg, 1)), first)
    few = compare64(b, "LT", False, (V(blocks.reg, 0), V(blocks.reg, 1)), (imm(0x7F), ZERO))
    count = b.sel(V(blocks.reg, 0), imm(0x7F), few)
    word: MOperand = b.logic(b.new("IADD3", shift, imm(-12), ZERO), imm(15), 0xEA, b.reg(imm(base | 0x80)))
    for at, part in ((8, first[0]), (7, count)):
        word = b.logic(part, imm(0x7F), 0xEA, b.new("SHF.L.U32", word, imm(at), ZERO))
    return b.new("SHF.L.U32", b.sel(word, imm(0x180 << 15), some), imm(5), ZERO)


LOWER = {"createpolicy": createpolicy}
