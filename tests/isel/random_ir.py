"""Random functions of LLVM IR for `test_random_ir.py`: what `minicc.fuzz.expr` does not reach.

Vectors, words of 24 and 128 bits, half and bfloat beside float, saturation, overflow, funnel shifts, places in vectors
and in a local array (written in one type, read in another), switches and short loops. A function has no undefined
behaviour and one value on every machine: shifts and places are masked, divisors odd, signed ones positive too; a NaN
becomes one NaN before its bits are looked at, and minnum(-0, 0) is added to 0.
"""

from __future__ import annotations

import random
import re

from tests.isel.forms import Case

INTEGERS = ("i1", "i8", "i16", "i24", "i32", "i64", "i128")
FLOATS = ("half", "bfloat", "float", "double")
VECTORS = (
    "<4 x i8>", "<8 x i8>", "<2 x i16>", "<4 x i16>", "<3 x i16>", "<2 x i32>", "<4 x i32>", "<2 x i64>",
    "<2 x half>", "<4 x half>", "<2 x bfloat>", "<2 x float>", "<2 x double>",
)  # fmt: skip
TYPES = (*INTEGERS, *FLOATS, *VECTORS)
OPERANDS = (
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "half",
    "float",
    "double",
    "<4 x i8>",
    "<2 x i16>",
    "<4 x i32>",
    "<2 x half>",
)
BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
SUFFIX = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
NAN = {"half": "0xH7E00", "bfloat": "0xR7FC0", "float": "0x7FF8000000000000", "double": "0x7FF8000000000000"}
BUFFER = 64
"""Bytes of the local array."""


def parts(type_: str) -> tuple[int, str]:
    """Elements (0 of a scalar) and their type."""
    found = re.fullmatch(r"<(\d+) x (\w+)>", type_)
    return (int(found[1]), found[2]) if found else (0, type_)


def like(type_: str, element: str) -> str:
    """The type with other elements."""
    count, _ = parts(type_)
    return f"<{count} x {element}>" if count else element


def bits(element: str) -> int:
    return BITS.get(element) or int(element[1:])


def size(type_: str) -> int:
    count, element = parts(type_)
    return max(count, 1) * bits(element)


def suffix(type_: str) -> str:
    count, element = parts(type_)
    return (f"v{count}" if count else "") + SUFFIX.get(element, element)


class Writer:
    """One function's text, made from its result down."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.declared: dict[str, None] = {}
        self.known: dict[str, list[str]] = {}
        self.block = "start"
        self.names = 0
        self.turns = 0
        self.kinds = [rng.choice(OPERANDS) for _ in range(4)]
        for k, kind in enumerate(self.kinds):
            self.known.setdefault(kind, []).append(f"%a{k}")

    def line(self, type_: str, text: str) -> str:
        self.names += 1
        name = f"%x{self.names}"
        self.lines.append(f"{name} = {text}")
        self.known.setdefault(type_, []).append(name)
        return name

    def call(self, type_: str, name: str, *arguments: tuple[str, str]) -> str:
        """A call of an intrinsic, overloaded by its first argument's or by its result's type."""
        types = ", ".join(
            f"{kind} immarg" if name.startswith("is.fpclass") and kind == "i32" else kind for kind, _ in arguments
        )
        self.declared[f"declare {type_} @llvm.{name}({types})"] = None
        return self.line(type_, f"call {type_} @llvm.{name}({', '.join(f'{t} {v}' for t, v in arguments)})")

    def each(self, type_: str, value: str | None = None) -> str:
        """A constant: `value` in every element, or any."""
        count, element = parts(type_)
        if not count:
            return value or self.number(element)
        return f"<{', '.join(f'{element} {value or self.number(element)}' for _ in range(count))}>"

    def number(self, element: str) -> str:
        rng = self.rng
        if element in BITS:
            value = rng.choice([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 255.0, 1024.0])
            return (
                f"0xR{ {0.5: 0x3F00, 2.0: 0x4000, 1.0: 0x3F80}.get(value, 0xC040):04X}"
                if element == "bfloat"
                else str(value)
            )
        n = bits(element)
        if n == 1:
            return rng.choice(["true", "false"])
        near = rng.choice(
            [0, 1, 2, 3, 4, 7, 8, 15, 16, 24, 31, 255, 0xFFFF, 0xFF00, -1, -2, 1 << n - 1, (1 << n - 1) - 1, 10, 100]
        )
        value = rng.choice(
            [near, near, rng.getrandbits(n), rng.getrandbits(n) >> rng.randrange(n), 1 << rng.randrange(n)]
        )
        value &= (1 << n) - 1
        return str(value - (1 << n) if value >> n - 1 else value)

    def leaf(self, type_: str) -> str:
        found = self.known.get(type_)
        if found and self.rng.random() < 0.85:
            return self.rng.choice(found)
        if self.rng.random() < 0.4:
            return self.each(type_)
        return self.cast(type_, self.rng.choice(self.kinds), 0)

    def make(self, type_: str, depth: int) -> str:
        if depth <= 0 or (self.rng.random() < 0.12 and self.known.get(type_)):
            return self.leaf(type_)
        roll = self.rng.random()
        if roll < 0.10:
            return self.select(type_, depth)
        if roll < 0.15:
            return self.branches(type_, depth)
        if roll < 0.18 and self.turns < 2:
            return self.loop(type_, depth)
        if roll < 0.24 and type_ != "i1":
            return self.memory(type_, depth)
        if roll < 0.36:
            return self.cast(type_, self.rng.choice(TYPES), depth)
        if parts(type_)[0] and roll < 0.5:
            return self.vector(type_, depth)
        wholes = [v for v in VECTORS if parts(v)[1] == type_]
        if wholes and roll < 0.44:
            source = self.rng.choice(wholes)
            return self.line(type_, f"extractelement {source} {self.make(source, depth - 1)}, {self.place(source)}")
        return self.floating(type_, depth) if parts(type_)[1] in BITS else self.integer(type_, depth)

    def place(self, vector: str) -> str:
        """A place in a vector, known or not."""
        count, _ = parts(vector)
        if self.rng.random() < 0.6 or count & count - 1:
            return f"i32 {self.rng.randrange(count)}"
        index = self.line("i32", f"and i32 {self.leaf('i32')}, {count - 1}")
        return f"i32 {index}"

    def pair(self, type_: str, depth: int) -> tuple[str, str]:
        """Two operands, the second a constant at times."""
        first = self.make(type_, depth - 1)
        return first, self.each(type_) if self.rng.random() < 0.3 else self.make(type_, depth - 1)

    def integer(self, type_: str, depth: int) -> str:
        rng, (_, element) = self.rng, parts(type_)
        n = bits(element)
        if type_ == "i1":
            return self.compare(type_, depth)
        roll = rng.random()
        if roll < 0.4:
            a, b = self.pair(type_, depth)
            return self.line(type_, f"{rng.choice(['add', 'sub', 'mul', 'and', 'or', 'xor'])} {type_} {a}, {b}")
        if roll < 0.55:
            amount = self.each(type_, str(rng.randrange(n)))
            if rng.random() < 0.5:
                mask = n - 1 if n & n - 1 == 0 else 15
                amount = self.line(type_, f"and {type_} {self.make(type_, depth - 1)}, {self.each(type_, str(mask))}")
            return self.line(
                type_, f"{rng.choice(['shl', 'lshr', 'ashr'])} {type_} {self.make(type_, depth - 1)}, {amount}"
            )
        if roll < 0.62:
            op = rng.choice(["udiv", "urem", "sdiv", "srem"])
            a = self.make(type_, depth - 1)
            if rng.random() < 0.6:
                return self.line(
                    type_, f"{op} {type_} {a}, {self.each(type_, str(rng.choice([3, 5, 7, 10, 12, 16, 100, 127])))}"
                )
            b = self.line(type_, f"lshr {type_} {self.make(type_, depth - 1)}, {self.each(type_, '1')}")
            odd = self.line(type_, f"or {type_} {b}, {self.each(type_, '1')}")
            return self.line(type_, f"{op} {type_} {a}, {odd}")
        if roll < 0.68:
            condition = like(type_, "i1")
            return self.line(
                type_, f"{rng.choice(['zext', 'sext'])} {condition} {self.compare(condition, depth)} to {type_}"
            )
        if roll < 0.75 and element != "i24":
            op = rng.choice(["add", "sub", "mul"] if n < 128 else ["add", "sub"])
            name = f"{rng.choice('su')}{op}.with.overflow.{suffix(type_)}"
            flags = like(type_, "i1")
            both = f"{{ {type_}, {flags} }}"
            a, b = self.pair(type_, depth)
            found = self.call(both, name, (type_, a), (type_, b))
            if rng.random() < 0.5:
                return self.line(type_, f"extractvalue {both} {found}, 0")
            flag = self.line(flags, f"extractvalue {both} {found}, 1")
            return self.line(type_, f"select {flags} {flag}, {type_} {self.leaf(type_)}, {type_} {self.leaf(type_)}")
        if roll < 0.78 and type_ in ("i8", "i16", "i32", "i64"):
            source = rng.choice([v for v in VECTORS if parts(v)[1] == type_])
            name = rng.choice(["add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"])
            return self.call(type_, f"vector.reduce.{name}.{suffix(source)}", (source, self.make(source, depth - 1)))
        if roll < 0.8:
            source = rng.choice(
                [t for t in (*INTEGERS, *VECTORS) if parts(t)[0] == parts(type_)[0] and parts(t)[1][0] == "i"]
            )
            a, b = self.pair(source, depth)
            name = f"{rng.choice('su')}cmp.{suffix(type_)}.{suffix(source)}"
            return self.call(type_, name, (source, a), (source, b))
        if roll < 0.82 and not parts(type_)[0]:
            return self.aggregate(type_, depth)
        one = ["ctpop", "bitreverse", "ctlz", "cttz", "abs"] + (["bswap"] if n % 16 == 0 else [])
        two = ["umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat", "ushl.sat", "sshl.sat"]
        name = rng.choice([*one, *two, "fshl", "fshr"])
        full = f"{name}.{suffix(type_)}"
        a = self.make(type_, depth - 1)
        if name in one:
            more = [("i1", "false")] if name in ("ctlz", "cttz", "abs") else []
            return self.call(type_, full, (type_, a), *more)
        b = self.each(type_) if rng.random() < 0.3 else self.make(type_, depth - 1)
        if name.endswith("shl.sat"):
            b = self.line(type_, f"and {type_} {b}, {self.each(type_, '7')}")
        if name in two:
            return self.call(type_, full, (type_, a), (type_, b))
        c = self.each(type_, str(rng.randrange(n))) if rng.random() < 0.5 else self.make(type_, depth - 1)
        return self.call(type_, full, (type_, a), (type_, b), (type_, c))

    def aggregate(self, type_: str, depth: int) -> str:
        """A member of one of two structures."""
        rng = self.rng
        kinds = [rng.choice(TYPES), type_, rng.choice(TYPES)]
        whole, made = f"{{ {', '.join(kinds)} }}", []
        for _ in range(2):
            value = "poison"
            for k, kind in enumerate(kinds):
                value = self.line(
                    whole, f"insertvalue {whole} {value}, {kind} {self.make(kind, min(depth - 1, 1))}, {k}"
                )
            made.append(value)
        chosen = self.compare("i1", depth)
        both = self.line(whole, f"select i1 {chosen}, {whole} {made[0]}, {whole} {made[1]}")
        return self.line(type_, f"extractvalue {whole} {both}, 1")

    def compare(self, type_: str, depth: int) -> str:
        """Of a type i1 or a vector of it."""
        rng, (count, _) = self.rng, parts(type_)
        floats = [t for t in TYPES if parts(t)[0] == count and parts(t)[1] in BITS]
        if floats and rng.random() < 0.1:
            source = rng.choice(floats)
            mask = rng.choice([3, 3, 4, 8, 0x10, 0x60, 0x90, 0x100, 0x207, 0x1F8, 0x264])
            return self.call(
                type_, f"is.fpclass.{suffix(source)}", (source, self.make(source, depth - 1)), ("i32", str(mask))
            )
        if not count and rng.random() < 0.25:
            a, b = self.make("i1", depth - 1), self.make("i1", depth - 1)
            return self.line("i1", f"{rng.choice(['and', 'or', 'xor'])} i1 {a}, {b}")
        source = rng.choice([t for t in TYPES if parts(t)[0] == count and t != "i1"])
        a, b = self.pair(source, depth)
        if parts(source)[1] in BITS:
            name = rng.choice(
                ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno"]
            )
            return self.line(type_, f"fcmp {name} {source} {a}, {b}")
        name = rng.choice(["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"])
        return self.line(type_, f"icmp {name} {source} {a}, {b}")

    def floating(self, type_: str, depth: int) -> str:
        rng, (count, element) = self.rng, parts(type_)
        roll = rng.random()
        if roll < 0.45:
            a, b = self.pair(type_, depth)
            return self.line(type_, f"{rng.choice(['fadd', 'fsub', 'fmul', 'fadd', 'fmul', 'fdiv'])} {type_} {a}, {b}")
        if roll < 0.55 and element in ("float", "double"):
            a, b = self.pair(type_, depth)
            return self.call(
                type_, f"fma.{suffix(type_)}", (type_, a), (type_, b), (type_, self.make(type_, depth - 1))
            )
        if roll < 0.7:
            a, b = self.pair(type_, depth)
            name = rng.choice(["minimum", "maximum", "minnum", "maxnum"])
            found = self.call(type_, f"{name}.{suffix(type_)}", (type_, a), (type_, b))
            zero = self.each(type_, "0xR0000" if element == "bfloat" else "0.0")
            return self.line(type_, f"fadd {type_} {found}, {zero}") if name[3:] == "num" else found
        if roll < 0.8:
            small = [
                t
                for t in TYPES
                if parts(t)[0] == count
                and parts(t)[1] in ("i8", "i16", *(() if bits(element) == 16 else ("i32", "i64")))
            ]
            if small:
                source = rng.choice(small)
                return self.line(
                    type_, f"{rng.choice(['sitofp', 'uitofp'])} {source} {self.make(source, depth - 1)} to {type_}"
                )
        if roll < 0.84:
            sign = self.quiet(type_, self.make(type_, depth - 1))
            return self.call(type_, f"copysign.{suffix(type_)}", (type_, self.make(type_, depth - 1)), (type_, sign))
        if roll < 0.87 and element in ("float", "double"):
            by = like(type_, "i32")
            by = by if by in TYPES else ""
            if by:
                power = self.line(by, f"srem {by} {self.make(by, depth - 1)}, {self.each(by, '90')}")
                return self.call(
                    type_, f"ldexp.{suffix(type_)}.{suffix(by)}", (type_, self.make(type_, depth - 1)), (by, power)
                )
        name = rng.choice(["fabs", "sqrt", "floor", "ceil", "trunc", "rint", "roundeven"])
        a = self.make(type_, depth - 1)
        return (
            self.line(type_, f"fneg {type_} {a}")
            if rng.random() < 0.3
            else self.call(type_, f"{name}.{suffix(type_)}", (type_, a))
        )

    def vector(self, type_: str, depth: int) -> str:
        rng, (count, element) = self.rng, parts(type_)
        a = self.make(type_, depth - 1)
        if rng.random() < 0.4:
            return self.line(
                type_, f"insertelement {type_} {a}, {element} {self.make(element, depth - 1)}, {self.place(type_)}"
            )
        mask = ", ".join(f"i32 {rng.randrange(2 * count)}" for _ in range(count))
        return self.line(
            type_, f"shufflevector {type_} {a}, {type_} {self.make(type_, depth - 1)}, <{count} x i32> <{mask}>"
        )

    def select(self, type_: str, depth: int) -> str:
        condition = like(type_, "i1") if self.rng.random() < 0.5 else "i1"
        chosen = self.compare(condition, depth)
        a, b = self.pair(type_, depth)
        return self.line(type_, f"select {condition} {chosen}, {type_} {a}, {type_} {b}")

    def quiet(self, type_: str, value: str) -> str:
        """The value with one NaN for all, so that its bits may be looked at."""
        flags = like(type_, "i1")
        nan = self.line(flags, f"fcmp uno {type_} {value}, {value}")
        return self.line(
            type_, f"select {flags} {nan}, {type_} {self.each(type_, NAN[parts(type_)[1]])}, {type_} {value}"
        )

    def cast(self, type_: str, source: str, depth: int) -> str:
        """A value of another type, converted: by number where both have as many elements, by bits otherwise."""
        rng = self.rng
        (count, to), (others, of) = parts(type_), parts(source)
        value = (
            self.make(source, depth - 1)
            if depth > 0
            else self.leaf(source)
            if self.known.get(source)
            else self.each(source)
        )
        if source == type_:
            return value
        floats = to in BITS, of in BITS
        if count == others and not (size(type_) == size(source) and rng.random() < 0.5):
            if floats == (True, True):
                if bits(to) == bits(of):
                    value, source, of = (
                        self.line(like(type_, "float"), f"fpext {source} {value} to {like(type_, 'float')}"),
                        like(type_, "float"),
                        "float",
                    )
                return self.line(type_, f"{'fpext' if bits(to) > bits(of) else 'fptrunc'} {source} {value} to {type_}")
            if floats == (False, True) and to != "i1":
                return self.call(
                    type_, f"fpto{rng.choice('su')}i.sat.{suffix(type_)}.{suffix(source)}", (source, value)
                )
            if floats == (True, False) and of in ("i8", "i16"):
                return self.line(type_, f"{rng.choice(['sitofp', 'uitofp'])} {source} {value} to {type_}")
            if floats == (False, False):
                op = "trunc" if bits(to) < bits(of) else rng.choice(["zext", "sext"])
                return self.line(type_, f"{op} {source} {value} to {type_}")
        if floats[1]:
            value = self.quiet(source, value)
        flat, wide = f"i{size(source)}", f"i{size(type_)}"
        if source != flat:
            value = self.line(flat, f"bitcast {source} {value} to {flat}")
        if flat != wide:
            value = self.line(
                wide,
                f"{'trunc' if size(type_) < size(source) else rng.choice(['zext', 'sext'])} {flat} {value} to {wide}",
            )
        if type_ == wide:
            return value
        found = self.line(type_, f"bitcast {wide} {value} to {type_}")
        return self.quiet(type_, found) if floats[0] else found

    def memory(self, type_: str, depth: int) -> str:
        """Something is written to the local array in its own type, and something read from near it."""
        rng = self.rng
        source = rng.choice([t for t in TYPES if t not in ("i1", "i24", "<3 x i16>")])
        value = self.make(source, depth - 1)
        if parts(source)[1] in BITS:
            value = self.quiet(source, value)
        if type_ in ("i24", "<3 x i16>"):
            return self.cast(type_, "i64", depth)
        for action in ("store", "load"):
            kind = source if action == "store" else type_
            step = max(size(kind) // 8, 1) if rng.random() < 0.7 else 1
            room = (BUFFER - 16) // step
            if rng.random() < 0.5:
                at = str(rng.randrange(room) * step)
            else:
                mask = (1 << (room.bit_length() - 1)) - 1
                index = self.line("i64", f"and i64 {self.leaf('i64')}, {mask}")
                at = self.line("i64", f"mul i64 {index}, {step}")
            self.names += 1
            place = f"%p{self.names}"
            self.lines.append(f"{place} = getelementptr i8, ptr %local, i64 {at}")
            pointer = "ptr"
            if rng.random() < 0.2:
                number = self.line("i64", f"ptrtoint ptr {place} to i64")
                self.known["i64"].pop()  # places differ
                self.lines.append(f"{place}.n = inttoptr i64 {number} to ptr")
                place += ".n"
            elif rng.random() < 0.25:
                self.lines.append(f"{place}.l = addrspacecast ptr {place} to ptr addrspace(5)")
                place, pointer = f"{place}.l", "ptr addrspace(5)"
            if action == "store":
                self.lines.append(f"store {source} {value}, {pointer} {place}, align {step}")
        found = self.line(type_, f"load {type_}, {pointer} {place}, align {step}")
        return self.quiet(type_, found) if parts(type_)[1] in BITS else found

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.block = label

    def branches(self, type_: str, depth: int) -> str:
        """A branch or a switch; each side makes its own value."""
        rng = self.rng
        self.names += 1
        mark, count = self.names, rng.choice([2, 2, 3, 5, 8])
        labels = [f"case{mark}.{k}" for k in range(count)]
        if count == 2:
            chosen = self.make("i1", depth - 1)
            self.lines.append(f"br i1 {chosen}, label %{labels[0]}, label %{labels[1]}")
        else:
            kind = rng.choice(["i8", "i16", "i32", "i64"])
            value = self.make(kind, depth - 1)
            small = self.line(kind, f"and {kind} {value}, {rng.choice([3, 7, 15])}")
            first = rng.choice([0, 0, 1, 3])
            cases = " ".join(f"{kind} {first + k}, label %{label}" for k, label in enumerate(labels[1:]))
            self.lines.append(f"switch {kind} {small}, label %{labels[0]} [ {cases} ]")
        known, ends = {k: list(v) for k, v in self.known.items()}, []
        for label in labels:
            self.known = {k: list(v) for k, v in known.items()}
            self.start(label)
            value = self.make(type_, min(depth - 1, 2))
            ends.append(f"[ {value}, %{self.block} ]")
            self.lines.append(f"br label %join{mark}")
        self.known = known
        self.start(f"join{mark}")
        return self.line(type_, f"phi {type_} {', '.join(ends)}")

    def loop(self, type_: str, depth: int) -> str:
        """Up to seven turns, with one value that goes round."""
        self.turns += 1
        self.names += 1
        mark = self.names
        first = self.make(type_, depth - 1)
        count = self.line("i32", f"and i32 {self.leaf('i32')}, 7") if self.rng.random() < 0.7 else "5"
        before = self.block
        known = {k: list(v) for k, v in self.known.items()}
        self.lines.append(f"br label %head{mark}")
        self.start(f"head{mark}")
        at = len(self.lines)
        self.known.setdefault(type_, []).append(f"%v{mark}")
        self.known.setdefault("i32", []).append(f"%n{mark}")
        new = self.make(type_, min(depth - 1, 2))
        phis = [
            f"%v{mark} = phi {type_} [ {first}, %{before} ], [ {new}, %{self.block} ]",
            f"%n{mark} = phi i32 [ 0, %{before} ], [ %m{mark}, %{self.block} ]",
        ]
        self.lines[at:at] = phis
        self.lines += [
            f"%m{mark} = add i32 %n{mark}, 1", f"%c{mark} = icmp ult i32 %m{mark}, {count}",
            f"br i1 %c{mark}, label %head{mark}, label %past{mark}",
        ]  # fmt: skip
        self.known = known
        self.start(f"past{mark}")
        self.known.setdefault(type_, []).append(new if new.startswith("%") else f"%v{mark}")
        return new


def function(seed: int, depth: int = 4) -> Case:
    """A random function of four operands."""
    rng = random.Random(seed)
    writer = Writer(rng)
    result = rng.choice([t for t in TYPES if t not in ("i1", "i24", "<3 x i16>", "bfloat", "<2 x bfloat>")])
    value = writer.make(result, depth)
    head = [
        f"%local = alloca [{BUFFER} x i8], align 16",
        f"call void @llvm.memset.p0.i64(ptr align 16 %local, i8 {rng.randrange(-128, 128)}, i64 {BUFFER}, i1 false)",
        "br label %start", "start:",
    ]  # fmt: skip
    declared = [*writer.declared, "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"]
    # the value under the name that a case's result has
    tail = ["br label %done", "done:", f"%r = phi {result} [ {value}, %{writer.block} ]"]
    return Case(f"r{seed}", tuple(writer.kinds), "\n".join([*head, *writer.lines, *tail]), result, "\n".join(declared))
