"""Random values of LLVM IR without control flow: what is reckoned, compared, converted, put into vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tests.isel.random_types import BITS, INTEGERS, NAN, TYPES, VECTORS, Text, bits, like, parts, size, suffix


class Values(Text, ABC):
    """Values, made from their results down; `make` is any value of a type."""

    @abstractmethod
    def make(self, type_: str, depth: int) -> str: ...

    @abstractmethod
    def leaf(self, type_: str) -> str: ...

    def place(self, vector: str) -> str:
        """A place in a vector, known or not."""
        count, _ = parts(vector)
        if self.rng.random() < 0.6 or count & count - 1:
            return f"i32 {self.rng.randrange(count)}"
        if count > 1 and self.rng.random() < 0.5:  # of a width that has no number beyond the last place
            narrow = f"i{count.bit_length() - 1}"
            index = self.line(narrow, f"trunc i32 {self.leaf('i32')} to {narrow}")
            return f"{narrow} {index}"
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
        if roll < 0.88:
            return self.idiom(type_, depth)
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

    def idiom(self, type_: str, depth: int) -> str:
        """What people write in place of an instruction."""
        rng, n = self.rng, bits(parts(type_)[1])

        def op(name: str, a: str, b: str) -> str:
            return self.line(type_, f"{name} {type_} {a}, {b}")

        def least(name: str, a: str, b: str) -> str:
            flags = like(type_, "i1")
            holds = self.line(flags, f"icmp {name} {type_} {a}, {b}")
            return self.line(type_, f"select {flags} {holds}, {type_} {a}, {type_} {b}")

        a, b = self.pair(type_, depth)
        by = rng.randrange(1, n)
        amount, rest = self.each(type_, str(by)), self.each(type_, str(n - by))
        kind = rng.choice(["turn", "funnel", "field", "merge", "three", "clamp", "average", "ring", "carry"])
        if kind in ("turn", "funnel"):
            return op("or", op("shl", a, amount), op("lshr", a if kind == "turn" else b, rest))
        if kind == "field":
            return op(rng.choice(["ashr", "lshr"]), op("shl", a, amount), self.each(type_, str(rng.randrange(by, n))))
        if kind == "merge":
            mask = rng.getrandbits(n) if rng.random() < 0.3 else ((1 << by) - 1) << rng.randrange(n - by)
            masks = [self.each(type_, str(m - (1 << n) if m >> n - 1 else m)) for m in (mask, ~mask & (1 << n) - 1)]
            return op("or", op("and", a, masks[0]), op("and", b, masks[1]))
        if kind == "three":
            name = rng.choice(["slt", "sgt", "ult", "ugt", "sle", "uge"])
            return least(name, least(name, a, b), self.leaf(type_))
        if kind == "clamp":
            return least(
                "sgt", self.each(type_, "-3"), least("slt", a, self.each(type_, str(min((1 << n - 1) - 1, 100))))
            )
        if kind == "average":
            return op("add", op("and", a, b), op("lshr", op("xor", a, b), self.each(type_, "1")))
        if kind == "ring":
            more = op("add", a, self.each(type_, "1"))
            return least("ult", more, op("sub", more, b))
        flags = like(type_, "i1")
        total = op("add", a, b)
        over = self.line(flags, f"icmp ult {type_} {total}, {a}")
        return op("add", total, self.line(type_, f"zext {flags} {over} to {type_}"))

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
            if name[3:] == "num":
                self.known[type_].pop()  # of -0 and 0 it may be either
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
        whole = next((v for v in VECTORS if parts(v)[1] == type_ and rng.random() < 0.3), "")
        if whole and element in ("float", "double"):
            name = f"vector.reduce.{rng.choice(['fadd', 'fmul'])}.{suffix(whole)}"
            return self.call(type_, name, (type_, self.make(type_, depth - 1)), (whole, self.make(whole, depth - 1)))
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
        if rng.random() < 0.1:
            return self.call(type_, f"vector.reverse.{suffix(type_)}", (type_, a))
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
        if type_ in ("i8", "i16") and depth > 0 and rng.random() < 0.2:
            mask = f"<{bits(to)} x i1>"
            return self.line(type_, f"bitcast {mask} {self.compare(mask, depth)} to {type_}")
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
