"""Address generation: every memory instruction's 32 lane addresses, and an `Access` saying what to move.

An address is base + uniform register + offset. A 64-bit base (suffix 64, or the E modifier) takes a register pair; a
32-bit one is zero-extended after the addition. X4/X8/X16 scale the base. Descriptors carry no address bits here.
"""

from __future__ import annotations

from minicc.record import evolve
from minicc.sass.instr import RZ, URZ, Const, Mem, Reg
from minicc.sass.semantics.expr import E, const
from minicc.sass.semantics.form import Access, Builder, Result, Slot, SlotKind, Space, semantic

SIZES = {"U8": (1, False), "S8": (1, True), "U16": (2, False), "S16": (2, True), "32": (4, False), "64": (8, False),
         "128": (16, False)}  # fmt: skip


def size_of(b: Builder) -> tuple[int, bool]:
    for m in b.mods:
        if m in SIZES:
            return SIZES[m]
    return 4, False


def address(b: Builder, i: int, wide: bool) -> E:
    """Address of the Mem operand i, 64 bits."""
    op = b.ops[i]
    if not isinstance(op, Mem):
        raise b.fail("no address operand")
    suffix = op.base.suffix if op.base else ()
    wide_base = "64" in suffix or (wide and "U32" not in suffix)
    total = const(0, 64)
    if op.base is not None and op.base.index != (RZ if op.base.file == "R" else URZ):
        kind: SlotKind = "R" if op.base.file == "R" else "U"
        base = b.leaf(Slot(kind, i, 64 if wide_base else 32, part="base"))
        scale = next((int(s[1:]) for s in suffix if s[0] == "X" and s[1:].isdigit()), 1)
        total = base.zext(64) * scale
    if op.ureg is not None and op.ureg.index != URZ:
        total = total + b.leaf(Slot("U", i, 64 if wide else 32, part="ureg")).zext(64)
    total = total + b.leaf(Slot("K", i, 64, part="offset"))
    return total if wide else total & 0xFFFFFFFF


def _emit(b: Builder, access: Access, *addresses: E) -> None:
    b.access = access
    for row, a in enumerate(addresses):
        b.results.append(Result("ADDRESS", -1, row, a))


def _mem(b: Builder) -> int:
    for i, op in enumerate(b.ops):
        if isinstance(op, Mem):
            return i
    raise b.fail("no address operand")


SPACES: dict[str, Space] = {
    "LDG": "global", "STG": "global", "LDS": "shared", "STS": "shared", "LDL": "local", "STL": "local",
    "LD": "generic", "ST": "generic", "ATOMG": "global", "ATOM": "generic", "ATOMS": "shared", "REDG": "global",
    "RED": "generic",
}  # fmt: skip


def _wide(b: Builder) -> bool:
    return b.has("E") if SPACES[b.instr.mnemonic] in ("global", "generic") else False


@semantic("LDG", "LD", "LDS", "LDL")
def load(b: Builder) -> None:
    """[P,] d, [address] [, P]: an extra predicate destination before d is allowed by the encoding."""
    at = _mem(b)
    width, signed = size_of(b)
    space = SPACES[b.instr.mnemonic]
    flag = at - 2 if at >= 2 else -1
    _emit(b, Access(space, "load", width, signed, dest=at - 1, predicate=flag), address(b, at, _wide(b)))


@semantic("STG", "ST", "STS", "STL")
def store(b: Builder) -> None:
    at = _mem(b)
    width, _ = size_of(b)
    space = SPACES[b.instr.mnemonic]
    _emit(b, Access(space, "store", width, data=at + 1), address(b, at, _wide(b)))


@semantic("LDC", "ULDC")
def load_constant(b: Builder) -> None:
    """c[bank][base + offset]: the address is the offset in the bank."""
    at = len(b.ops) - 1
    while not isinstance(b.ops[at], Const | Mem):
        at -= 1
    op = b.ops[at]
    width, signed = size_of(b)
    if not isinstance(op, Const) or op.ureg is not None:
        raise b.fail("bindless constant")
    if op.base is None or op.base.index == (RZ if op.base.file == "R" else URZ):
        if width >= 4 and b.instr.mnemonic == "ULDC":
            b.set(0, b.leaf(Slot("K", at, 8 * width)))
            return
        base = const(0, 64)
    else:
        kind: SlotKind = "R" if op.base.file == "R" else "U"
        base = b.leaf(Slot(kind, at, 32, part="base")).zext(64)
    total = (base + b.leaf(Slot("K", at, 64, part="offset"))) & 0xFFFFFFFF
    _emit(b, Access("constant", "load", width, signed, dest=0, bank=op.bank), total)


ATOMIC_OPS = ("ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAS", "CAST", "SAFEADD", "POPC", "ARRIVE")
FLOAT_ATOMICS = {"F16x2": 4, "F16x4": 8, "F16x8": 16, "BF16x2": 4, "BF16x4": 8, "BF16x8": 16, "F32": 4, "F32x2": 8,
                 "F32x4": 16, "F64": 8}  # fmt: skip


def _atomic_type(b: Builder) -> tuple[str, int]:
    name = b.one(*FLOAT_ATOMICS)
    if name:
        return name + (".FTZ" if b.has("FTZ") else ""), FLOAT_ATOMICS[name]
    for m, (kind, width) in {"S64": ("S64", 8), "64": ("U64", 8), "128": ("U128", 16), "S32": ("S32", 4)}.items():
        if b.has(m):
            return kind, width
    return "U32", 4


@semantic("ATOM", "ATOMG", "ATOMS", "REDG", "RED")
def atomic(b: Builder) -> None:
    """[P,] d, [address], data [, data2]; CAS compares with the first register and stores the second; CAST does so,
    too, and answers 1 for success, 0 for failure (which NVIDIA's loops around it test). Reductions have no destination.
    ATOMS.POPC.INC adds the number of executing lanes, once. ARRIVE is an arrival at an mbarrier of machines before
    sm_90: one is added to the upper word and, if that ends a phase, what it begins the next with, from the lower."""
    at = _mem(b)
    kind, width = _atomic_type(b)
    name = b.one(*ATOMIC_OPS)
    reduction = b.instr.mnemonic in ("REDG", "RED")
    cas = name in ("CAS", "CAST")
    access = Access(
        SPACES[b.instr.mnemonic],
        "reduce" if reduction else "atomic",
        width,
        data=at + 2 if cas else (at + 1 if at + 1 < len(b.ops) else -1),
        compare=at + 1 if cas else -1,
        dest=-1 if reduction else at - 1,
        predicate=at - 2 if at >= 2 else -1,
        atomic=name,
        type=kind,
    )
    if name == "POPC":
        access = evolve(access, atomic="POPC.INC", data=-1)
    _emit(b, access, address(b, at, _wide(b)))


def _matrix(b: Builder) -> Access:
    at = _mem(b)
    count = 4 if b.has("4") else 2 if b.has("2") else 1
    loads = b.instr.mnemonic == "LDSM"
    if not b.has("M88", "MT88"):
        raise b.fail("matrix shape")
    return Access(
        "shared",
        "matrix_load" if loads else "matrix_store",
        16,
        dest=at - 1 if loads else -1,
        data=-1 if loads else at + 1,
        matrices=count,
        transposed=b.has("MT88"),
    )


@semantic("LDSM", "STSM")
def matrix(b: Builder) -> None:
    """8x8 matrices of 16-bit elements: lane 8 m + r gives the address of row r of matrix m (16 bytes). Lane l holds, in
    register m, elements 2 (l % 4) and + 1 of row l / 4; transposed: of column l / 4."""
    _emit(b, _matrix(b), address(b, _mem(b), False))


@semantic("LDGSTS")
def copy(b: Builder) -> None:
    """[shared], desc[..][global] [, P]: address row 0 is the shared one, row 1 (words 64..127) the global one. A false
    predicate stores zeros, with ZFILL or without (an H200 does, and ptxas has copies of no bytes so)."""
    places = [i for i, op in enumerate(b.ops) if isinstance(op, Mem)]
    width, _ = size_of(b)
    preds = [i for i, op in enumerate(b.ops) if isinstance(op, Reg) and op.file == "P"]
    access = Access("global", "copy", width, guard=preds[0] if preds else -1, zero_fill=b.has("ZFILL"))
    _emit(b, access, address(b, places[0], False), address(b, places[1], b.has("E")))


_SYNCS = {
    "PHASECHK": "phase", "ARRIVE": "arrive", "LD": "load", "EXCH": "exchange", "CAS": "cas", "CCTL": "nothing",
}  # fmt: skip


@semantic("SYNCS")
def synchronise(b: Builder) -> None:
    """mbarrier objects, 64 bits of shared memory each: `atomic` says what is done to them (see `_SYNCS`). The address
    may have a rank in the cluster in bits 24..31."""
    what = _SYNCS[b.instr.modifiers[0]]
    if not any(isinstance(op, Mem) for op in b.ops):
        _emit(b, Access("shared", "sync", 8, atomic="nothing"))
        return
    at = _mem(b)
    data = at + 1 if at + 1 < len(b.ops) and what != "load" else -1
    compare = at + 2 if at + 2 < len(b.ops) else -1
    first_p = at == 1 and isinstance(o := b.ops[0], Reg) and o.file == "P"
    access = Access(
        "shared", "sync", 8, data=data, compare=compare, dest=0 if at and not first_p else -1,
        predicate=0 if first_p else -1, atomic=what,
    )  # fmt: skip
    _emit(b, access, address(b, at, False))


@semantic("ARRIVES")
def copies_arrive(b: Builder) -> None:
    """The mbarrier learns when this thread's LDGSTS are done."""
    _emit(b, Access("shared", "sync", 8, atomic="copies"), address(b, _mem(b), False))


@semantic("STAS", "REDAS")
def store_counted(b: Builder) -> None:
    """[address] or [address and mbarrier], value: to shared memory of the cluster. The lane address is 64 bits wide,
    the mbarrier's (if any) above the other."""
    at = _mem(b)
    op = b.ops[at]
    assert isinstance(op, Mem)
    both = op.base is not None and "64" in op.base.suffix
    kind = b.one("S32", "64", "128", default="U32")
    width = {"64": 8, "128": 16}.get(kind, 4)
    name = "store counted" if b.instr.mnemonic == "STAS" else b.one(*ATOMIC_OPS)
    access = Access(
        "shared", "sync", width, data=at + 1, atomic=name, type="U64" if kind == "64" else kind, zero_fill=both
    )
    _emit(b, access, address(b, at, both))


__all__ = ["address"]
