"""Loads and stores of every space, prefetches, address conversions, fences.

Global and generic accesses are desc[UR][R.64 + offset]; shared and local ones take a 32-bit register; `.const` is LDC
from bank 3 and kernel parameters are LDC from bank 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import STACK, Builder, imm
from minicc.ptxas.lower.integer import wide
from minicc.ptxas.lower.types import bits, dotted, type_of
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V, VConst, VMem
from minicc.record import evolve
from minicc.sass.instr import Const, Control, Imm, Reg
from minicc.sass.program import CONSTANT_BANK

SPACES = ("global", "shared", "local", "const", "param")
MAX_OFFSET = 1 << 23
SCOPES = {"cta": "SM", "cluster": "GPU", "gpu": "GPU", "sys": "SYS"}
EVICTION = {
    "L1::evict_normal": "", "L1::evict_unchanged": "EU", "L1::evict_first": "EF", "L1::evict_last": "EL",
    "L1::no_allocate": "NA",
}  # fmt: skip
PREFETCH = {"L2::64B": "LTC64B", "L2::128B": "LTC128B", "L2::256B": "LTC256B"}


def space_of(inst: ptx.Inst) -> str:
    """The state space of a memory instruction; "" is generic. `.shared::cta` is shared."""
    for modifier in inst.modifiers:
        base = modifier.split("::")[0]
        if base in SPACES:
            return base
    return ""


def vector_of(inst: ptx.Inst) -> int:
    return next((int(m[1:]) for m in inst.modifiers if m in ("v2", "v4", "v8")), 1)


def size_suffix(width: int, type_: str) -> str:
    """The printed size of an access of `width` bits in all."""
    if width == 8:
        return "S8" if type_[0] == "s" else "U8"
    if width == 16:
        return "S16" if type_ == "s16" else "U16"
    return {32: "", 64: "64", 128: "128"}[width]


def address(b: Builder, item: ptx.Operand, space: str, most: int = MAX_OFFSET) -> tuple[V | Reg, int]:
    """Base register (a pair for global and generic, suffixed ".64"; RZ for absolute) and offset, below `most` if there
    is a register."""
    if isinstance(item, ptx.Symbol):
        item = ptx.Address(item)
    if not isinstance(item, ptx.Address):
        b.wrong("Arguments mismatch: an address was expected")
    base, offset = item.base, item.offset
    long = space in ("", "global")
    if isinstance(base, ptx.Symbol):
        offset += base.offset
        base = ptx.Symbol(base.name)
        if not long:
            if (local := b.local_offsets.get(base.name)) is not None:
                return STACK, local + offset
            low, _ = b.val64(base)
            if isinstance(low, Imm):
                return ZERO, low.bits + offset
            if low == ZERO:
                return ZERO, offset
    known = b.constant(base)
    if known is not None and not long:
        return ZERO, (known & 0xFFFFFFFF) + offset
    if not long:
        return _near(b, b.reg(b.val(base)), offset, most)
    if isinstance(base, ptx.Reg) and b.vreg(base.name).width == 1:
        pair: MOperand = b.join(b.val(base), ZERO)
    else:
        pair = b.pair(base)
    if not -most <= offset < most:
        total = b.temp(2)
        assert isinstance(pair, V)
        b.add64(total, wide(pair), (imm(offset), imm(offset >> 32)))
        pair, offset = total, 0
    if isinstance(pair, V):
        pair = V(pair.reg, pair.part, 2, suffix=("64",))
    else:
        # An absolute null address: the descriptor form still needs a pair.
        zero = b.temp(2)
        b.move64(zero, ZERO, ZERO)
        pair = V(zero.reg, 0, 2, suffix=("64",))
    return pair, offset


def _near(b: Builder, base: V | Reg, offset: int, most: int) -> tuple[V | Reg, int]:
    offset &= 0xFFFFFFFF
    if offset >> 31:
        offset -= 1 << 32
    if -most <= offset < most:
        return base, offset
    return b.new("IADD3", base, imm(offset), ZERO), 0


def memory_operand(b: Builder, item: ptx.Operand, space: str, most: int = MAX_OFFSET) -> VMem:
    base, offset = address(b, item, space, most)
    if space in ("", "global"):
        return b.global_address(base, offset)
    return VMem(base, offset)


def _undescribed(memory: VMem) -> VMem:
    """Without a descriptor of memory, as ptxas has accesses of devices' registers (MMIO)."""
    base = memory.base
    return VMem(evolve(base, suffix=()) if isinstance(base, V) else base, memory.offset)


def cluster_memory(b: Builder, item: ptx.Operand) -> VMem:
    """A `.shared::cluster` address, as a generic one: the window's upper half is above it."""
    base, offset = address(b, item, "shared")
    pair = b.temp(2)
    b.move(V(pair.reg, 0), base)
    b.emit("S2R", (V(pair.reg, 1),), (sr("SR_SWINHI"),))
    return b.global_address(V(pair.reg, 0, 2, suffix=("64",)), offset)


def order_modifiers(inst: ptx.Inst, load: bool) -> tuple[str, str, bool]:
    """(eviction word, strength, is it acquire/release)."""
    mods = inst.modifiers
    scope = next((SCOPES[m] for m in mods if m in SCOPES), "SYS")
    eviction = next((EVICTION[m] for m in mods if m in EVICTION), "")
    strength, ordered = "", False
    if "volatile" in mods or "cv" in mods or "wt" in mods:
        strength = "STRONG.SYS"
    elif "mmio" in mods:
        strength = f"MMIO.{scope}"
    elif "relaxed" in mods:
        strength = f"STRONG.{scope}"
    elif "acquire" in mods or "release" in mods:
        strength, ordered = f"STRONG.{scope}", True
    elif "cg" in mods:
        strength = "STRONG.GPU"
    if not strength:
        if "cs" in mods:
            eviction = "EF"
        elif "lu" in mods and load:
            eviction = "LU"
    return eviction, strength, ordered


def ld(b: Builder, inst: ptx.Inst) -> None:
    """ld, ldu and ld.global.nc."""
    space, type_, count = space_of(inst), type_of(inst), vector_of(inst)
    d, where, *_ = inst.operands
    outs: list[ptx.Operand | None] = list(d.items) if isinstance(d, ptx.Vector) else [d]
    if len(outs) != count:
        b.wrong("Arguments mismatch: vector size")
    if space == "param":
        from minicc.ptxas.lower.params import load

        load(b, where, outs, type_)
        return
    if space == "const":
        load_constant(b, where, outs, type_, 3, 0)
        return
    eviction, strength, ordered = order_modifiers(inst, True)
    if "shared::cluster" in inst.modifiers:
        space, memory = "", cluster_memory(b, where)
    else:
        memory = memory_operand(b, where, space)
    if "mmio" in inst.modifiers:
        memory = _undescribed(memory)
    width = bits(type_)
    if space in ("shared", "local"):
        mnemonic = "LDS" if space == "shared" else "LDL"
        head, tail = mnemonic, ""
    else:
        prefetch = next((PREFETCH[m] for m in inst.modifiers if m in PREFETCH), "")
        constant = "CONSTANT" if "nc" in inst.modifiers and space == "global" else ""
        head = dotted("LDG.E" if space == "global" else "LD.E", eviction, prefetch)
        tail = constant or strength
    volatile = bool(strength) or ordered

    def access(start: int, size: int, out: V) -> None:
        part = VMem(memory.base, memory.offset + start * width // 8, None, memory.desc)
        op = dotted(head, size_suffix(size * width, type_), tail)
        b.emit(op, (out,), (part,), memory="load", space=space, side=volatile)

    for start, size in chunks(count, width):
        spread(b, outs[start : start + size], width, partial(access, start, size))
    if ordered:
        b.emit("CCTL.IVALL", (), (), memory="fence")


def chunks(count: int, width: int) -> list[tuple[int, int]]:
    """Split `count` elements of `width` bits into accesses of at most 128 bits: (first, how many)."""
    each = max(1, min(count, 128 // width))
    return [(i, min(each, count - i)) for i in range(0, count, each)]


def spread(b: Builder, group: list[ptx.Operand | None], width: int, load: Callable[[V], None]) -> None:
    """Load elements with one access `load(out)` and distribute them to PTX registers."""
    if len(group) == 1:
        item = group[0]
        if item is None:
            return
        out = b.dst(item, max(1, width // 32))
        needed = max(1, width // 32)
        if out.count == needed:
            load(out)
        elif out.count > needed:
            # A narrow load into a wide register extends.
            low = V(out.reg, 0)
            load(low)
            fill_high(b, out, b.inst)
        else:
            b.wrong("Arguments mismatch: the register is too small")
        return
    words = len(group) * width // 32
    if width < 32:
        packed = b.temp(max(1, words))
        load(packed)
        for index, item in enumerate(group):
            if item is None:
                continue
            word = V(packed.reg, index * width // 32)
            place = index * width % 32
            out = b.dst(item)
            signed = type_of(b.inst)[0] == "s" if b.inst else False
            if width == 16:
                selector = (0xBB32 if signed else 0x7732) if place else (0x9910 if signed else 0x7710)
            else:
                byte = place // 8
                selector = (0x8880 + 0x1110 * byte + byte) if signed else 0x7770 | byte
            b.emit("PRMT", (V(out.reg, 0),), (word, imm(selector), ZERO))
            if out.count == 2:
                fill_high(b, out, b.inst)
        return
    packed = b.temp(words)
    load(packed)
    each = width // 32
    for index, item in enumerate(group):
        if item is None:
            continue
        out = b.dst(item)
        for part in range(each):
            b.move(V(out.reg, part), V(packed.reg, index * each + part))
        if out.count > each:
            fill_high(b, out, b.inst)


def fill_high(b: Builder, out: V, inst: ptx.Inst | None) -> None:
    """Extend a value loaded into the low word of a pair."""
    if inst is not None and type_of(inst)[0] == "s":
        b.emit("SHF.R.S32.HI", (V(out.reg, 1),), (ZERO, imm(31), V(out.reg, 0)))
    else:
        b.move(V(out.reg, 1), ZERO)


def _is(b: Builder, item: ptx.Operand | None, register: V) -> bool:
    return isinstance(item, ptx.Reg) and b.vreg(item.name) is register.reg


def load_constant(
    b: Builder, where: ptx.Operand, outs: list[ptx.Operand | None], type_: str, bank: int, base_offset: int
) -> None:
    """LDC from a constant bank; vectors are loaded element by element, pairs of words together."""
    base, offset = address(b, where, "const")
    offset += base_offset
    width = bits(type_)
    if isinstance(base, Reg) and base == ZERO:
        if not 0 <= offset < CONSTANT_BANK:
            b.wrong("constant address out of range")
    elif not -32768 <= offset <= 32768 - len(outs) * max(1, width // 8):
        base, offset = b.new("IADD3", base, imm(offset), ZERO), 0
    elif isinstance(base, V) and any(_is(b, item, base) for item in outs[:-1]):
        # An element is put where the address was that the next ones are loaded from.
        kept = b.temp()
        b.move(kept, base)
        base = kept

    def constant(at: int) -> MOperand:
        return Const(bank, at) if base == ZERO else VConst(bank, at, base)

    for index, item in enumerate(outs):
        if item is None:
            continue
        at = offset + index * width // 8
        out = b.dst(item, max(1, width // 32))
        if width >= 64:
            if out.count != width // 32:
                b.wrong("Arguments mismatch: the register is too small")
            for part in range(0, out.count, 2):
                b.emit("LDC.64", (V(out.reg, part, 2),), (constant(at + 4 * part),))
        else:
            suffix = "" if width == 32 else size_suffix(width, type_)
            b.emit(dotted("LDC", suffix), (V(out.reg, 0),), (constant(at),))
            if out.count == 2:
                fill_high(b, out, b.inst)


def st(b: Builder, inst: ptx.Inst) -> None:
    """st of every space."""
    if "async" in inst.modifiers:
        from minicc.ptxas.lower.mbarrier import store_async

        store_async(b, inst)
        return
    space, type_, count = space_of(inst), type_of(inst), vector_of(inst)
    where, source, *_ = inst.operands
    values: list[ptx.Operand | None] = list(source.items) if isinstance(source, ptx.Vector) else [source]
    if len(values) != count or any(v is None for v in values):
        b.wrong("Arguments mismatch: vector size")
    if space == "param":
        from minicc.ptxas.lower.params import store

        store(b, where, [v for v in values if v is not None], type_)
        return
    if space == "const":
        b.wrong("constant memory cannot be stored to")
    eviction, strength, ordered = order_modifiers(inst, False)
    if ordered:
        release(b, inst)
    if "shared::cluster" in inst.modifiers:
        space, memory = "", cluster_memory(b, where)
    else:
        memory = memory_operand(b, where, space)
    if "mmio" in inst.modifiers:
        memory = _undescribed(memory)
    width = bits(type_)
    if space in ("shared", "local"):
        head, tail = ("STS" if space == "shared" else "STL"), ""
    else:
        head, tail = dotted("STG.E" if space == "global" else "ST.E", eviction), strength
    for start, size in chunks(count, width):
        group = [v for v in values[start : start + size] if v is not None]
        data = gather(b, group, width, type_)
        suffix = size_suffix(size * width, "u" + str(size * width))
        moved = VMem(memory.base, memory.offset + start * width // 8, None, memory.desc)
        b.emit(dotted(head, suffix, tail), (), (moved, data), memory="store", space=space)


def quad(b: Builder, operand: ptx.Operand) -> V:
    """A value of 128 bits; constants have 64, and zeros above."""
    if not isinstance(operand, ptx.Int):
        return b.dst(operand)
    out, value = b.temp(4), operand.value & (1 << 64) - 1
    for n in range(4):
        b.move(V(out.reg, n), imm(value >> 32 * n & 0xFFFFFFFF))
    return out


def gather(b: Builder, group: list[ptx.Operand], width: int, type_: str) -> MOperand:
    """Elements in consecutive registers, as a store reads them."""
    if len(group) == 1:
        if width == 64:
            return b.pair(group[0], type_)
        if width == 128:
            return quad(b, group[0])
        return b.reg(b.val(group[0], type_ if type_ == "f32" else f"u{width}" if width < 32 else type_))
    words: list[MOperand] = []
    if width < 32:
        from minicc.ptxas.lower.compare import _bytes, _halves

        values = [b.val(v, f"u{width}") for v in group]
        if width == 16:
            words = [_halves(b, values[i], values[i + 1]) for i in range(0, len(values), 2)]
        else:
            pairs = [_bytes(b, values[i], values[i + 1]) for i in range(0, len(values), 2)]
            words = [_halves(b, pairs[i], pairs[i + 1]) for i in range(0, len(pairs), 2)] if len(pairs) > 1 else pairs
    else:
        for v in group:
            if width == 64:
                words += b.val64(v, type_)
            else:
                words.append(b.val(v, type_))
    if len(words) == 1:
        return b.reg(words[0])
    if all(x == ZERO for x in words):
        return ZERO
    first = words[0]
    if isinstance(first, V) and all(
        isinstance(x, V) and x.reg is first.reg and x.part == first.part + i for i, x in enumerate(words)
    ):
        return V(first.reg, first.part, len(words))
    packed = b.temp(len(words))
    for i, x in enumerate(words):
        b.move(V(packed.reg, i), x)
    return packed


def release(b: Builder, inst: ptx.Inst) -> None:
    """What precedes a releasing access."""
    scope = next((m for m in inst.modifiers if m in SCOPES), "sys")
    fence_words(b, "ALL", scope, False)


def fence_words(b: Builder, kind: str, scope: str, invalidate: bool = True) -> None:
    """MEMBAR with what ptxas puts around it."""
    word = {"cta": "CTA", "cluster": "GPU", "gpu": "GPU", "sys": "SYS"}[scope]
    b.emit(f"MEMBAR.{kind}.{word}", memory="fence")
    if word != "CTA":
        b.emit("ERRBAR", memory="fence")
        b.emit("CGAERRBAR", memory="fence")
        if invalidate:
            b.emit("CCTL.IVALL", memory="fence")


_FENCES = 5
"""The scoreboard that fences of the asynchronous proxy are waited for by."""


def view_async(b: Builder, everywhere: bool) -> None:
    """What was written so far (`everywhere`: to global memory too) is seen by asynchronous copies: each step waits for
    the one before, as ptxas has it."""
    first = b.emit(f"MEMBAR.ALL.{'GPU' if everywhere else 'CTA'}", memory="fence")
    first.control = Control(rbar=_FENCES)
    view_shared(b, wait=1 << _FENCES)


def view_shared(b: Builder, wait: int = 0, space: str = "S") -> None:
    """The last part of `view_async`. One such fence after another has nothing to do."""
    if not wait and _fenced(b):
        return
    second = b.emit(f"FENCE.VIEW.ASYNC.{space}", memory="fence")
    second.control = Control(wbar=_FENCES, wait=wait)
    last = b.emit("DEPBAR.LE", (), (Reg("SB", _FENCES), Imm(0, "uint")), side=True, memory="fence")
    last.control = Control(wait=1 << _FENCES)


def _fenced(b: Builder) -> bool:
    """Is there only the set-up of mbarriers since the last fence in this block?"""
    for inst in reversed(b.block.insts):
        if inst.mnemonic == "DEPBAR" and inst.srcs[0] == Reg("SB", _FENCES):
            return True
        if inst.memory and inst.mnemonic != "SYNCS":
            return False
    return False


def fence(b: Builder, inst: ptx.Inst) -> None:
    """fence and membar."""
    mods = inst.modifiers
    if inst.opcode == "membar" and "proxy" not in mods:
        scope = {"cta": "cta", "gl": "gpu", "sys": "sys"}.get(mods[0] if mods else "")
        if scope is None:
            b.unsupported()
        fence_words(b, "SC", scope)
        return
    if "proxy" in mods:
        if any(m.startswith("async") for m in mods):
            if "global" in mods:
                view_shared(b, space="G")
            else:
                view_async(b, everywhere=not any(m.startswith("shared") for m in mods))
            return
        if any(m.startswith("tensormap::") for m in mods):
            scope = next((m for m in mods if m in SCOPES), "gpu")
            if "release" in mods:
                fence_words(b, "ALL", scope, invalidate=False)
                return
            from minicc.ptxas.lower.bulk import invalidate_map

            invalidate_map(b, inst.operands[0])
            return
        fence_words(b, "SC", "sys")  # of other names of the same memory
        return
    if "mbarrier_init" in mods or "sync_restrict::shared::cluster" in mods:
        return
    if "sync_restrict::shared::cta" in mods:
        view_async(b, everywhere=False)
        return
    scope = next((m for m in mods if m in SCOPES), "sys")
    kind = "SC" if "sc" in mods else "ALL"
    fence_words(b, kind, scope)


def prefetch(b: Builder, inst: ptx.Inst) -> None:
    """prefetch{u}.{global}.{L1,L2}: hints; local ones do nothing."""
    if "tensormap" in inst.modifiers:
        from minicc.ptxas.lower.bulk import prefetch_map

        prefetch_map(b, inst.operands[0])
        return
    space = space_of(inst)
    if space in ("local", "const", "param"):
        return
    if space == "":
        space = "global"
    base, offset = address(b, inst.operands[0], space)
    if isinstance(base, V):
        base = V(base.reg, base.part, 2)
    level = "PF1" if any(m.startswith("L1") for m in inst.modifiers) else "PF2"
    b.emit(f"CCTL.E.{level}", (), (VMem(base, offset),), side=True, memory="fence")


def cvta(b: Builder, inst: ptx.Inst) -> None:
    """Between a space's addresses and generic ones. Global addresses are generic as they are."""
    d, source = inst.operands
    out = b.dst(d)
    space = space_of(inst)
    to = "to" in inst.modifiers
    low, high = b.val64(source)
    if out.count == 1:
        b.unsupported("32-bit generic addresses")
    if space == "global":
        b.move64(out, low, high)
    elif space == "shared" and "swinhi" in b.arch.features:
        if to:
            b.move64(out, low, ZERO)
        else:
            window = b.temp()
            b.emit("S2R", (window,), (sr("SR_SWINHI"),))
            b.move64(out, low, window)
    elif space in ("shared", "local"):
        base = b.temp(2)
        abi = b.arch.abi
        b.emit("LDC.64", (base,), (Const(0, abi.shared_window if space == "shared" else abi.local_window),))
        if to:
            part = b.temp()
            b.emit("IADD3", (part,), b.minus(low, V(base.reg, 0)))
            b.move64(out, part, ZERO)
        else:
            b.add64(out, (low, ZERO), wide(base))
    elif space == "const":
        _constant_window(b, out, (low, high), to)
    elif space == "param":
        _parameter_window(b, out, (low, high), to)
    else:
        b.unsupported()


def _parameter_window(b: Builder, out: V, address: tuple[MOperand, MOperand], to: bool) -> None:
    """Generic addresses of parameters: the driver says where in memory the bank is, from `parameter_window` on."""
    abi = b.arch.abi
    if abi.parameter_window is None:
        b.unsupported("generic address of a parameter")
    base = b.temp(2)
    b.emit("LDC.64", (base,), (Const(0, abi.parameter_window),))
    if to:
        offset = b.temp()
        b.emit("IADD3", (offset,), b.minus(b.reg(address[0]), V(base.reg, 0)))
        b.move64(out, b.new("IADD3", offset, imm(abi.parameter_origin), ZERO), ZERO)
        return
    low = address[0]
    if isinstance(low, Imm):
        b.add64(out, wide(base), (imm(low.bits - abi.parameter_origin), ZERO))
    else:
        b.add64(out, wide(base), (b.new("IADD3", low, imm(-abi.parameter_origin), ZERO), ZERO))


def _constant_window(b: Builder, out: V, address: tuple[MOperand, MOperand], to: bool) -> None:
    """Generic addresses of .const variables: the driver says where in memory the bank is. (It loads no image in which
    bank 4 asks for the address of one.)"""
    base = b.temp(2)
    b.emit("LDC.64", (base,), (Const(0, b.arch.abi.constant_window),))
    if to:
        b.move64(out, b.new("IADD3", *b.minus(b.reg(address[0]), V(base.reg, 0))), ZERO)
    else:
        b.add64(out, (address[0], ZERO), wide(base))


def sr(name: str) -> MOperand:
    """A special register as an operand."""
    from minicc.sass.instr import Name

    return Name(name)


def isspacep(b: Builder, inst: ptx.Inst) -> None:
    """isspacep.space p, address"""
    p, source = inst.operands
    out = b.dst_pred(p)
    space = space_of(inst)
    pair = b.pair(source)
    if space == "const":
        _in_constants(b, out, b.val64(source))
        return
    letter = {"shared": "S", "local": "L", "global": "G"}.get(space)
    if "shared::cluster" in inst.modifiers:
        letter = "D"
    if letter is None:
        b.emit("PLOP3.LUT", (out, TRUE), (TRUE, TRUE, TRUE, Imm(0x8, "uint"), Imm(0, "uint")))
        return
    b.emit(f"QSPC.E.{letter}", (out, ZERO), (VMem(pair, 0),))


def _in_constants(b: Builder, out: MOperand, address: tuple[MOperand, MOperand]) -> None:
    """Less than the bank's size beyond its start."""
    base, distance = b.temp(2), b.temp(2)
    b.emit("LDC.64", (base,), (Const(0, b.arch.abi.constant_window),))
    b.sub64(distance, address, wide(base))
    near = b.setp("ISETP.LT.U32.AND", V(distance.reg, 0), imm(b.symbols.constant_size))
    b.emit("ISETP.EQ.U32.AND", (out, TRUE), (V(distance.reg, 1), ZERO, near))


def branches(inst: ptx.Inst) -> bool:
    """What one lane at a time does makes blocks."""
    return any("tensormap" in m for m in inst.modifiers)


LOWER = {
    "ld": ld,
    "ldu": ld,
    "st": st,
    "fence": fence,
    "membar": fence,
    "prefetch": prefetch,
    "prefetchu": prefetch,
    "cvta": cvta,
    "isspacep": isspacep,
}
