"""f16 and bf16 arithmetic: scalars in the low half of a register (read as .H0_H0), pairs in whole registers."""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, absolute, imm, neg
from minicc.ptxas.lower.types import dotted, type_of
from minicc.ptxas.mir import FALSE, TRUE, ZERO, MOperand, V
from minicc.record import evolve


def source(b: Builder, item: ptx.Operand, type_: str) -> MOperand:
    """An operand; a scalar half is read twice."""
    x = b.reg(b.val(item, "u32"))
    if type_.endswith("x2") or not isinstance(x, V):
        return x
    return V(x.reg, x.part, suffix=("H0_H0",))


def words(inst: ptx.Inst) -> tuple[str, str]:
    """(kind, modifiers) as they print."""
    type_ = type_of(inst)
    mods = inst.modifiers
    kind = "BF16_V2" if type_.startswith("bf") else ""
    flush = "FTZ" if "ftz" in mods else "OOB" if "oob" in mods else ""
    return kind, dotted(flush, "SAT" if "sat" in mods else "RELU" if "relu" in mods else "")


def arithmetic(b: Builder, inst: ptx.Inst) -> None:
    """add, sub, mul, fma."""
    type_ = type_of(inst)
    kind, mods = words(inst)
    d, *rest = inst.operands
    xs = [source(b, o, type_) for o in rest]
    if inst.opcode == "sub":
        xs[1] = neg(xs[1])
    op = {"add": "HADD2", "sub": "HADD2", "mul": "HMUL2", "fma": "HFMA2"}[inst.opcode]
    srcs: tuple[MOperand, ...] = tuple(xs)
    b.emit(dotted(op, kind, mods), (b.dst(d),), srcs)


def sign(b: Builder, inst: ptx.Inst) -> None:
    """neg and abs: added to -0, which flushes what .ftz asks for and makes one NaN of all. Of bfloats a product is
    added to, as NVIDIA's ptxas does: sm_80 has no sum of them."""
    type_ = type_of(inst)
    kind, _ = words(inst)
    d, item = inst.operands
    x = source(b, item, type_)
    x = neg(x) if inst.opcode == "neg" else absolute(x)
    if kind:
        zero = evolve(ZERO, suffix=("H0_H0",))
        b.emit(dotted("HFMA2", kind), (b.dst(d),), (neg(zero), zero, x))
    else:
        b.emit(dotted("HADD2", "FTZ" if "ftz" in inst.modifiers else ""), (b.dst(d),), (x, neg(ZERO)))


def minimum(b: Builder, inst: ptx.Inst) -> None:
    type_ = type_of(inst)
    kind, _ = words(inst)
    mods = inst.modifiers
    d, left, right = inst.operands
    x, y = source(b, left, type_), source(b, right, type_)
    xorsign = "XORSIGN" if "xorsign" in mods else ""
    if xorsign:
        x, y = absolute(x), absolute(y)
    op = dotted("HMNMX2", kind, "FTZ" if "ftz" in mods else "", "NAN" if "NaN" in mods else "", xorsign)
    b.emit(op, (b.dst(d),), (x, y, TRUE if inst.opcode == "min" else FALSE))


def special(b: Builder, inst: ptx.Inst) -> None:
    """ex2 and tanh .approx: MUFU of each half."""
    type_ = type_of(inst)
    d, item = inst.operands
    x = b.reg(b.val(item))
    op = f"MUFU.{inst.opcode.upper()}.{'BF16' if type_.startswith('bf') else 'F16'}"
    if not type_.endswith("x2"):
        b.emit(op, (b.dst(d),), (x,))
        return
    low, high = b.temp(), b.temp()
    b.emit(op, (low,), (x,))
    upper = b.new("SHF.R.U32.HI", ZERO, imm(16), x)
    b.emit(op, (high,), (upper,))
    b.emit("PRMT", (b.dst(d),), (low, imm(0x5410), high))


def set_half(b: Builder, inst: ptx.Inst, into: str, from_: str, combine: MOperand) -> None:
    """set with half operands or results."""
    from minicc.ptxas.lower.compare import BOOLEAN, FLOATING

    d, left, right, *_ = inst.operands
    how = next(FLOATING[m] for m in inst.modifiers if m in FLOATING)
    boolean = next((BOOLEAN[m] for m in inst.modifiers if m in BOOLEAN), "AND")
    if not from_.startswith(("f16", "bf16")):
        b.unsupported()
    kind = "BF16_V2" if from_.startswith("bf") else ""
    result = "BF" if into.startswith(("f16", "bf16")) else ""
    ftz = "FTZ" if "ftz" in inst.modifiers else ""
    x, y = source(b, left, from_), source(b, right, from_)
    b.emit(dotted("HSET2", kind, result, how, ftz, boolean), (b.dst(d),), (x, y, combine))


LOWER = {
    "add": arithmetic,
    "sub": arithmetic,
    "mul": arithmetic,
    "fma": arithmetic,
    "neg": sign,
    "abs": sign,
    "min": minimum,
    "max": minimum,
    "ex2": special,
    "tanh": special,
}
