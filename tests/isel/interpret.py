"""A small interpreter of PTX for one thread, over the object model: an executable oracle of what isel writes.

Covers the scalar instructions that isel emits for pure code, global/local/param memory, branches and calls of nothing.
Registers hold unsigned integers (bits); floats are converted at use.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from minicc.ptx import model as ptx
from tests.isel.meaning import rounded

_BITS = {"8": 8, "16": 16, "32": 32, "64": 64}
GLOBAL = 0x10000
LOCAL = 0x4000
CONSTANTS = 0x40000


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def to_float(bits: int, kind: str) -> Any:
    if kind == "f32":
        return np.float32(struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0])
    if kind == "f16":
        return np.frombuffer(struct.pack("<H", bits & 0xFFFF), np.float16)[0]
    if kind == "bf16":
        return to_float(bits << 16, "f32")
    return np.float64(struct.unpack("<d", struct.pack("<Q", bits))[0])


def to_bits(value: Any, kind: str) -> int:
    if kind == "bf16":
        word = to_bits(np.float32(value), "f32")
        return 0x7FFF if np.isnan(value) else (word + (word >> 16 & 1) + 0x7FFF) >> 16
    array = np.array([value], {"f32": np.float32, "f64": np.float64, "f16": np.float16}[kind])
    return int.from_bytes(array.tobytes(), "little")


class Machine:
    """Runs one entry with `params` (raw little-endian bytes by parameter name) over `memory` (global bytes). Constant
    tables among the module's `variables` can be read."""

    def __init__(
        self, function: ptx.Function, params: dict[str, bytes], memory: bytearray, variables: Any = ()
    ) -> None:
        self.function = function
        self.memory = memory
        self.local = bytearray(4096)
        self.params = params
        self.regs: dict[str, int] = {}
        self.code: list[ptx.Inst] = []
        self.labels: dict[str, int] = {}
        self.tables: dict[str, tuple[str, ...]] = {}
        self.local_names: dict[str, int] = {}
        self.steps = 0
        self.carry = 0
        self._flatten(function.body or [], "")
        self.constants = b""
        for variable in variables:
            if isinstance(variable.init, list):
                self.constants += bytes(-len(self.constants) % 8)
                self.local_names[variable.name] = CONSTANTS + len(self.constants)
                size = int(variable.type[1:]) // 8
                self.constants += b"".join((v.value % (1 << 8 * size)).to_bytes(size, "little") for v in variable.init)

    def _flatten(self, body: list[Any], scope: str) -> None:
        for statement in body:
            if isinstance(statement, ptx.Inst):
                self.code.append(statement)
            elif isinstance(statement, ptx.Branchtargets):
                self.tables[statement.name] = statement.targets
            elif isinstance(statement, ptx.Label):
                self.labels[statement.name] = len(self.code)
            elif isinstance(statement, ptx.Scope):
                self._flatten(statement.body, scope)
            elif isinstance(statement, ptx.Variable) and statement.space == "local":
                self.local_names[statement.name] = LOCAL

    # --- operands -----------------------------------------------------------------------------------------------

    def width(self, reg: str) -> int:
        kind = self.function.type_of(reg)
        return 1 if kind == "pred" else int((kind or "b32")[1:])

    def get(self, operand: Any) -> int:
        match operand:
            case ptx.Reg():
                value = self.regs.get(operand.name, 0)
                return value ^ 1 if operand.neg else value
            case ptx.Int():
                return operand.value & (1 << 64) - 1
            case ptx.Float():
                return operand.bits
            case ptx.Special():
                return 0
            case ptx.Symbol():
                return self.local_names[operand.name] + operand.offset
        raise NotImplementedError(operand)

    def put(self, operand: Any, value: int) -> None:
        if isinstance(operand, ptx.Symbol):
            return
        self.regs[operand.name] = value & (1 << self.width(operand.name)) - 1

    def locate(self, space: str, address: ptx.Address) -> tuple[bytearray | bytes, int]:
        base = address.base
        if space == "param":
            assert isinstance(base, ptx.Symbol)
            return self.params[base.name], base.offset + address.offset
        at = self.get(base) + address.offset
        at &= (1 << 64) - 1
        if LOCAL <= at < LOCAL + len(self.local) and (space == "local" or not space):
            return self.local, at - LOCAL
        if isinstance(base, ptx.Reg) and self.width(base.name) == 32:
            at &= 0xFFFFFFFF
        if CONSTANTS <= at < CONSTANTS + len(self.constants):
            return self.constants, at - CONSTANTS
        assert GLOBAL <= at < GLOBAL + len(self.memory), hex(at)
        return self.memory, at - GLOBAL

    # --- execution ----------------------------------------------------------------------------------------------

    def run(self) -> None:
        pc = 0
        while pc < len(self.code):
            self.steps += 1
            assert self.steps < 200_000, "runaway"
            inst = self.code[pc]
            pc += 1
            if inst.guard is not None and not self.get(inst.guard) & 1:
                continue
            if inst.opcode == "bra":
                target = inst.operands[0]
                assert isinstance(target, ptx.Symbol)
                pc = self.labels[target.name]
            elif inst.opcode == "brx":
                index, table = inst.operands
                assert isinstance(table, ptx.Symbol)
                pc = self.labels[self.tables[table.name][self.get(index)]]
            elif inst.opcode in ("ret", "exit", "trap"):
                return
            else:
                self.step(inst)

    def step(self, inst: ptx.Inst) -> None:
        mods = [m for m in inst.modifiers if m not in ("ftz", "uni", "nc", "volatile")]
        handler: Callable[..., None] | None = getattr(self, f"do_{inst.opcode}", None)
        if handler is None:
            raise NotImplementedError(inst.name)
        handler(mods, inst.operands)

    def do_mov(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        to, source = ops
        if isinstance(source, ptx.Vector):
            total = 0
            at = 0
            each = int(mods[-1][1:]) // len(source.items)
            for item in source.items:
                total |= (self.get(item) & (1 << each) - 1) << at
                at += each
            self.put(to, total)
        elif isinstance(to, ptx.Vector):
            value = self.get(source)
            each = int(mods[-1][1:]) // len(to.items)
            for index, item in enumerate(to.items):
                self.put(item, value >> (index * each))
        else:
            self.put(to, self.get(source))

    def do_ld(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        space = next((m for m in mods if m in ("global", "local", "param", "shared", "const")), "")
        kind = mods[-1]
        size = int(kind[1:]) // 8
        data, at = self.locate(space, ops[1])
        items = ops[0].items if isinstance(ops[0], ptx.Vector) else (ops[0],)
        assert at % (size * len(items)) == 0, "misaligned"
        for index, item in enumerate(items):
            value = int.from_bytes(data[at + index * size : at + index * size + size], "little")
            self.put(item, signed(value, size * 8) if kind[0] == "s" else value)

    def do_st(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        space = next((m for m in mods if m in ("global", "local", "param", "shared")), "")
        size = int(mods[-1][1:]) // 8
        data, at = self.locate(space, ops[0])
        items = ops[1].items if isinstance(ops[1], ptx.Vector) else (ops[1],)
        assert at % (size * len(items)) == 0, "misaligned"
        for index, item in enumerate(items):
            value = self.get(item) & (1 << size * 8) - 1
            data[at + index * size : at + index * size + size] = value.to_bytes(size, "little")  # type: ignore[index]

    def do_cvta(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        self.put(ops[0], self.get(ops[1]))

    def arithmetic(self, mods: list[str], ops: tuple[Any, ...], integer: Any, floating: Any = None) -> None:
        kind = mods[-1]
        if kind[0] == "f":
            with np.errstate(all="ignore"):
                values = [to_float(self.get(o), kind) for o in ops[1:]]
                self.put(ops[0], to_bits(floating(*values), kind))
            return
        bits = int(kind[1:])
        values = [self.get(o) & (1 << bits) - 1 for o in ops[1:]]
        if kind[0] == "s":
            values = [signed(v, bits) for v in values]
        self.put(ops[0], integer(*values))

    def do_add(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        if "cc" in mods or "sat" in mods:
            self.carrying(mods, ops, 1, 0)
            return
        self.arithmetic(mods, ops, lambda a, b: a + b, lambda a, b: a + b)

    def do_sub(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        if "cc" in mods or "sat" in mods:
            self.carrying(mods, ops, -1, 0)
            return
        self.arithmetic(mods, ops, lambda a, b: a - b, lambda a, b: a - b)

    def do_addc(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        self.carrying(mods, ops, 1, self.carry)

    def do_subc(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        self.carrying(mods, ops, -1, self.carry)

    def carrying(self, mods: list[str], ops: tuple[Any, ...], sign: int, carry: int) -> None:
        """Sums with the carry flag, or saturated."""
        bits = int(mods[-1][1:])
        a, b = (self.get(o) & (1 << bits) - 1 for o in ops[1:])
        if "sat" in mods:
            total = signed(a, bits) + sign * signed(b, bits)
            self.put(ops[0], max(-(1 << (bits - 1)), min((1 << (bits - 1)) - 1, total)))
            return
        total = a + sign * (b + carry)
        if "cc" in mods:
            self.carry = int(total < 0 or total >> bits != 0)
        self.put(ops[0], total)

    def do_slct(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        chosen = ops[1] if signed(self.get(ops[3]), 32) >= 0 else ops[2]
        self.put(ops[0], self.get(chosen))

    def do_sad(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        bits = int(mods[-1][1:])
        a, b, c = (self.get(o) & (1 << bits) - 1 for o in ops[1:])
        if mods[-1][0] == "s":
            a, b = signed(a, bits), signed(b, bits)
        self.put(ops[0], abs(a - b) + c)

    def do_mul(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        kind = mods[-1]
        if kind[0] == "f":
            self.arithmetic(mods, ops, None, lambda a, b: a * b)
            return
        bits = int(kind[1:])
        a, b = (self.get(o) & (1 << bits) - 1 for o in ops[1:3])
        if kind[0] == "s":
            a, b = signed(a, bits), signed(b, bits)
        product = a * b
        extra = self.get(ops[3]) if len(ops) > 3 else 0
        if "hi" in mods:
            product >>= bits
        self.put(ops[0], product + extra)

    do_mad = do_mul

    def do_fma(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        kind = mods[-1]
        a, b, c = (to_float(self.get(o), kind) for o in ops[1:])
        if kind == "f32":
            from fractions import Fraction

            if all(map(math.isfinite, (a, b, c))):
                exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
                low = np.float32(float(exact))
                self.put(ops[0], to_bits(low, kind))
                return
        self.put(ops[0], to_bits(a * b + c, kind))

    def do_neg(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        if mods[-1][0] == "f":
            self.put(ops[0], self.get(ops[1]) ^ 1 << (int(mods[-1][1:]) - 1))
        else:
            self.arithmetic(mods, ops, lambda a: -a)

    def do_abs(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        if mods[-1][0] == "f":
            self.put(ops[0], self.get(ops[1]) & (1 << (int(mods[-1][1:]) - 1)) - 1)
        else:
            self.arithmetic(mods, ops, abs)

    def do_copysign(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        sign = 1 << (int(mods[-1][1:]) - 1)
        self.put(ops[0], self.get(ops[1]) & sign | self.get(ops[2]) & sign - 1)

    def relu(self, mods: list[str], ops: tuple[Any, ...], choose: Callable[[int, int], int]) -> None:
        a, b = (signed(self.get(o), 32) for o in ops[1:])
        self.put(ops[0], max(choose(a, b), 0))

    def do_min(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        if "relu" in mods:
            self.relu(mods, ops, min)
            return
        self.arithmetic(mods, ops, min, lambda a, b: _least(min, a, b))

    def do_max(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        if "relu" in mods:
            self.relu(mods, ops, max)
            return
        self.arithmetic(mods, ops, max, lambda a, b: _least(max, a, b))

    def do_div(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        def quotient(a: int, b: int) -> int:
            return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)

        self.arithmetic(mods, ops, quotient, lambda a, b: a / b)

    def do_rem(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        self.arithmetic(mods, ops, lambda a, b: a if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1))

    def do_rcp(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        self.arithmetic(mods, ops, None, lambda a: type(a)(1) / a)

    def do_sqrt(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        self.arithmetic(mods, ops, None, np.sqrt)

    def bitwise(self, ops: tuple[Any, ...], function: Any) -> None:
        self.put(ops[0], function(*(self.get(o) for o in ops[1:])))

    def do_and(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        self.bitwise(ops, lambda a, b: a & b)

    def do_or(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        self.bitwise(ops, lambda a, b: a | b)

    def do_xor(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        self.bitwise(ops, lambda a, b: a ^ b)

    def do_not(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        self.bitwise(ops, lambda a: ~a)

    def do_lop3(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        a, b, c = (self.get(o) & 0xFFFFFFFF for o in ops[1:4])
        table = self.get(ops[4])
        out = 0
        for bit in range(32):
            index = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | c >> bit & 1
            out |= (table >> index & 1) << bit
        self.put(ops[0], out)

    def do_shl(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        bits = int(mods[-1][1:])
        amount = self.get(ops[2]) & 0xFFFFFFFF
        self.put(ops[0], self.get(ops[1]) << amount if amount < bits else 0)

    def do_shr(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        bits = int(mods[-1][1:])
        amount = min(self.get(ops[2]) & 0xFFFFFFFF, bits)
        value = self.get(ops[1]) & (1 << bits) - 1
        self.put(ops[0], (signed(value, bits) if mods[-1][0] == "s" else value) >> amount)

    def do_shf(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        low, high, amount = (self.get(o) & 0xFFFFFFFF for o in ops[1:])
        both = high << 32 | low
        self.put(ops[0], both << (amount & 31) >> 32 if mods[0] == "l" else both >> (amount & 31))

    def do_prmt(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        both = (self.get(ops[1]) & 0xFFFFFFFF) | (self.get(ops[2]) & 0xFFFFFFFF) << 32
        out = 0
        for index in range(4):
            selector = self.get(ops[3]) >> (4 * index) & 15
            byte = both >> (8 * (selector & 7)) & 255
            if selector & 8:
                byte = 255 if byte & 128 else 0
            out |= byte << (8 * index)
        self.put(ops[0], out)

    def do_bfe(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        value, at, length = (self.get(o) & 0xFFFFFFFF for o in ops[1:])
        field = value >> at & (1 << length) - 1
        self.put(ops[0], signed(field, length) if mods[-1][0] == "s" and length else field)

    def do_popc(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        self.bitwise(ops, lambda a: a.bit_count())

    def do_clz(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        bits = int(mods[-1][1:])
        self.bitwise(ops, lambda a: bits - a.bit_length())

    def do_brev(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        bits = int(mods[-1][1:])
        self.bitwise(ops, lambda a: int(f"{a:0{bits}b}"[::-1], 2))

    def do_selp(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        self.put(ops[0], self.get(ops[1] if self.get(ops[3]) & 1 else ops[2]))

    def do_setp(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        kind = mods[-1]
        bits = int(kind[1:])
        a, b = self.get(ops[1]), self.get(ops[2])
        if kind[0] == "f":
            x, y = to_float(a, kind), to_float(b, kind)
            unordered = bool(np.isnan(x) or np.isnan(y))
        else:
            mask = (1 << bits) - 1
            x, y = (signed(a, bits), signed(b, bits)) if kind[0] == "s" else (a & mask, b & mask)
            unordered = False
        cc = mods[0]
        if cc in ("num", "nan"):
            result = unordered == (cc == "nan")
        else:
            plain = cc.removesuffix("u") if cc not in ("lu",) else cc
            result = bool({"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[plain])
            if unordered:
                result = cc.endswith("u")
        if len(ops) == 4:
            other = bool(self.get(ops[3]) & 1)
            result = {"and": result and other, "or": result or other, "xor": result != other}[mods[1]]
        self.put(ops[0], int(result))

    def do_cvt(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        to, source = mods[-2], mods[-1]
        value = self.get(ops[1])
        if source[0] in "fb":
            number: Any = to_float(value, source)
            if to[0] in "fb":
                for mod, function in (("rzi", np.trunc), ("rmi", np.floor), ("rpi", np.ceil), ("rni", np.rint)):
                    if mod in mods:
                        number = function(number)
                with np.errstate(all="ignore"):
                    self.put(ops[0], to_bits(number, to))
                return
            self.put(ops[0], self._to_int(number, to, mods))
            return
        bits = int(source[1:])
        value &= (1 << bits) - 1
        if source[0] == "s":
            value = signed(value, bits)
        if to[0] in "fb":
            if to == "bf16":
                self.put(ops[0], rounded(Fraction(value), to))
            elif to == "f64":
                self.put(ops[0], to_bits(float(value), to))
            else:
                self.put(ops[0], to_bits(_round_int(value), to) if to == "f32" else to_bits(np.float16(value), to))
            return
        width = int(to[1:])
        value &= (1 << width) - 1
        self.put(ops[0], signed(value, width) if to[0] == "s" else value)

    @staticmethod
    def _to_int(number: Any, to: str, mods: list[str]) -> int:
        bits = int(to[1:])
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
        if np.isnan(number):
            return 0 if bits == 32 else 1 << 63
        if np.isinf(number):
            return high if number > 0 else low
        function = {"rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil, "rni": round}[mods[0]]
        return max(low, min(high, function(float(number))))


def _least(choose: Callable[..., Any], a: Any, b: Any) -> Any:
    """The minimum or maximum of floating numbers: not NaN if one is a number, and +0 is above -0."""
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return choose(a, b, key=lambda v: (v, math.copysign(1, v)))


def _round_int(value: int) -> Any:
    """Integer to f32, rounded once, to nearest even."""
    magnitude = abs(value)
    excess = magnitude.bit_length() - 24
    if excess > 0:
        half = 1 << (excess - 1)
        rest = magnitude & ((1 << excess) - 1)
        magnitude >>= excess
        if rest > half or (rest == half and magnitude & 1):
            magnitude += 1
        magnitude <<= excess
    return np.float32(-float(magnitude) if value < 0 else float(magnitude))
