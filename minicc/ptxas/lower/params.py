"""`.param` space: kernel parameters in constant bank 0, and the variables that calls pass values through.

A `.param` variable of a body is kept in virtual registers, a word each, where its address is not taken.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, imm
from minicc.ptxas.lower.symbols import size_of
from minicc.ptxas.lower.types import bits
from minicc.ptxas.mir import ZERO, MOperand, V


def words(b: Builder, name: str) -> list[V] | None:
    """The registers of a local `.param` variable."""
    found = b.params.get(name)
    if found is None:
        variable = b.flat.variables.get(name)
        if variable is None or variable.space != "param":
            return None
        count = -(-max(size_of(variable), 1) // 4)
        found = [b.fn.new("R", 1, name) for _ in range(count)]
        b.params[name] = found
    return [V(reg) for reg in found]


def place(b: Builder, where: ptx.Operand) -> tuple[str | None, int]:
    """(variable, offset) of a parameter address; None for a register base."""
    if isinstance(where, ptx.Address):
        if isinstance(where.base, ptx.Symbol):
            return where.base.name, where.offset + where.base.offset
        return None, where.offset
    if isinstance(where, ptx.Symbol):
        return where.name, where.offset
    b.wrong("Arguments mismatch: an address was expected")


def load(b: Builder, where: ptx.Operand, outs: list[ptx.Operand | None], type_: str) -> None:
    """ld.param"""
    from minicc.ptxas.lower.memory import fill_high, load_constant

    name, offset = place(b, where)
    if name is None or name in b.entry_params:
        load_constant(b, where, outs, type_, 0, 0)
        return
    registers = words(b, name)
    if registers is None:
        b.wrong(f"Unknown symbol '{name}'")
    b.floor = max(b.floor, len(b.fn.vregs))
    width = bits(type_)
    for index, item in enumerate(outs):
        if item is None:
            continue
        at = offset + index * width // 8
        _check(b, name, at, width // 8, len(registers))
        out = b.dst(item, max(1, width // 32))
        if width >= 32:
            for part in range(width // 32):
                b.move(V(out.reg, part), registers[at // 4 + part])
            if out.count > width // 32:
                fill_high(b, out, b.inst)
            continue
        narrow(b, V(out.reg, 0), registers[at // 4], at % 4, type_)
        if out.count == 2:
            fill_high(b, out, b.inst)


def narrow(b: Builder, out: MOperand, word: V, byte: int, type_: str) -> None:
    """Byte or half at `byte` of a word, extended."""
    signed = type_[0] == "s"
    if bits(type_) == 16:
        low = byte | (byte + 1) << 4
        high = (byte + 1) | 8 if signed else 7
        selector = low | high << 8 | high << 12
    else:
        high = byte | 8 if signed else 7
        selector = byte | high << 4 | high << 8 | high << 12
    b.emit("PRMT", (out,), (word, imm(selector), ZERO))


def store(b: Builder, where: ptx.Operand, values: list[ptx.Operand], type_: str) -> None:
    """st.param"""
    from minicc.ptxas.lower.memory import quad

    name, offset = place(b, where)
    registers = words(b, name) if name is not None else None
    if registers is None or name is None:
        b.wrong("st.param: only a .param variable of this function can be stored to")
    b.floor = max(b.floor, len(b.fn.vregs))
    width = bits(type_)
    size = size_of(b.flat.variables[name])
    for index, item in enumerate(values):
        at = offset + index * width // 8
        _check(b, name, at, width // 8, len(registers))
        if width == 128:
            whole = quad(b, item)
            for part in range(4):
                b.move(registers[at // 4 + part], V(whole.reg, part))
        elif width == 64:
            low, high = b.val64(item, type_)
            b.move(registers[at // 4], low)
            b.move(registers[at // 4 + 1], high)
        elif width == 32:
            b.move(registers[at // 4], b.val(item, type_))
        elif size <= width // 8:
            b.move(registers[at // 4], b.val(item, f"u{width}"))
        else:
            insert(b, registers[at // 4], b.reg(b.val(item, f"u{width}")), at % 4, width)


def insert(b: Builder, word: V, value: MOperand, byte: int, width: int) -> None:
    """Replace a byte or half of a word."""
    selector = 0x3210
    for i in range(width // 8):
        selector &= ~(0xF << 4 * (byte + i))
        selector |= (4 + i) << 4 * (byte + i)
    b.emit("PRMT", (word,), (word, imm(selector), value))


def _check(b: Builder, name: str, at: int, size: int, count: int) -> None:
    if at < 0 or at + size > 4 * count or at % min(size, 4):
        b.wrong(f"access outside of parameter '{name}'")
