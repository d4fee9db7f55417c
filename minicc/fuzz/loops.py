"""Loops of random kernels: every counter, step, comparison and end; they sum, search, walk by pointers, pass the end of
a type, and are left in the middle."""

from __future__ import annotations

from minicc.fuzz.kernels import CHAR, INT, LONG, SHORT, UCHAR, UINT, ULONG, USHORT, Place, Type
from minicc.fuzz.ranges import Range, Ranged, Slice, common, fits, most

_SIZE = Type("size_t", 64, "u")
_COUNTERS = (INT, INT, INT, UINT, UINT, LONG, _SIZE, SHORT, USHORT, UCHAR, CHAR)


class Loops(Ranged):
    """Writes loops."""

    n: int
    """What the argument n is."""
    words: dict[str, str]
    """What n, m, z, s are called: a function has constants for them."""
    uniform: bool
    """Whether all threads of the block come by here."""

    def pragma(self) -> list[str]:
        match self.number(0, 9):
            case 0:
                return ["#pragma unroll"]
            case 1:
                return ["#pragma unroll 1"]
            case 2:
                return [f"#pragma unroll {self.number(2, 5)}"]
        return []

    def loop(self, depth: int) -> list[str]:
        others = (self.reduction, self.search, self.odd, self.walk, self.halving)
        return self.one((self.counted, self.counted, self.counted, *others))(depth)

    def block(self, depth: int, most: int = 4) -> list[str]:
        saved = list(self.ranges), list(self.slices), list(self.tables), self.uniform
        self.uniform = False
        lines = super().block(depth, most)
        self.ranges, self.slices, self.tables, self.uniform = saved
        return lines

    def calm(self, depth: int, most: int = 4) -> list[str]:
        """Statements of which none leaves a loop."""
        self.loops, was = 0, self.loops
        lines = self.block(depth, most)
        self.loops = was
        return lines

    def bounds(self, type_: Type, turns: int) -> tuple[Range, Range]:
        """A start and an end behind it, at most `turns` apart."""
        for _ in range(6):
            a, b = (self.affine() if self.number(0, 2) else self.narrow() for _ in range(2))
            if self.often():
                a = Range("0", INT, 0, 0)
            ok = all(fits(x.low, x.high, type_) and fits(x.low, x.high, INT) for x in (a, b))
            if ok and b.high - a.low <= turns and a.high - a.low < 200:
                return a, b
        return Range("0", INT, 0, 0), Range(self.words["n"], INT, self.n, self.n)

    def counted(self, depth: int) -> list[str]:
        """for, up or down, by any step."""
        type_, i = self.one(_COUNTERS), self.name("i")
        step = self.one((1, 1, 1, 1, 2, 3, 4, 8))
        a, b = self.bounds(type_, (6, 6, 12, self.one((9, 20, 40)))[min(depth, 3)] * step)
        by = str(step)
        known = [r for r in self.ranges if r.low == r.high > 0 and r.type is INT and r.text.isidentifier()]
        if known and self.number(0, 2) == 0:
            by, _, step, _ = self.one(known)
        low, high = a.low, max(a.low, b.high - 1)
        if not fits(low - step, high + step + 1, type_):
            return self.reduction(depth)
        start = f"for ({type_.name} {i} ="
        exact = a.low == a.high and b.low == b.high >= a.low and (b.low - a.low) % step == 0
        if not self.number(0, 3) and common(type_, a.type).kind == "s" and (b.type.kind == "s" or b.low > 0):
            head = f"{start} {b.text} - 1; {i} >= {a.text}; {i} -= {by}) {{"
        elif exact and self.number(0, 2) == 0:
            head = f"{start} {a.text}; {i} != {b.text}; {i} += {by}) {{"
        elif self.often() and common(type_, b.type).kind == "s" and b.type.kind == "s":
            head = f"{start} {a.text}; {i} <= {b.text} - 1; {i} += {by}) {{"
        else:
            head = f"{start} {a.text}; {i} < ({type_.name}){b.text}; {i} += {by}) {{"
        return self.around(head, Range(i, type_, low, high), depth)

    def around(self, head: str, counter: Range, depth: int, last: str = "") -> list[str]:
        """A loop with any body."""
        was = len(self.ranges)
        self.ranges.append(counter)
        self.loops += 1
        lines = self.block(depth - 1)
        self.loops -= 1
        del self.ranges[was:]
        return [*self.pragma(), head, *lines, *([last] if last else []), "}"]

    def reduction(self, depth: int) -> list[str]:
        """A sum, a maximum, the place of one over what a loop loads."""
        of = self.one(self.tables + self.slices)
        i, total, type_ = self.name("i"), self.name("r"), of.type
        start = self.number(-of.size, of.size // 2 - 1) if of in self.tables else 0
        begin = str(start)
        begins = [r for r in self.ranges if r.low >= 0 and r.high < of.size and r.type is INT]
        if begins and self.often():
            begin, _, start, _ = self.one(begins)
        ends = [r for r in self.ranges if r.low >= 0 and r.high <= min(of.size, start + 64)]
        ends = [r for r in ends if r.type in (INT, LONG) or (r.type is UINT and start >= 0)]
        fixed = Range(str(min(of.size, start + self.number(0, 24))), INT, 0, 0)
        end = self.one(ends) if ends and self.number(0, 3) else fixed
        unsigned = ("blockDim.x", self.words["m"]) if start >= 0 else ()
        step = self.one(("1", "1", "2", "3", self.words["n"], *unsigned))
        counter = self.one((INT, INT, LONG, UINT) if start >= 0 else (INT, LONG))
        load = of.at(i)
        lines = [f"{type_.name} {total} = {self.value(type_, 1)};"]
        body = [f"{total} = {self.plus(type_, total, load)};"]
        match self.number(0, 5):
            case 1:
                body = [f"if ({load} > {total}) {total} = {load};"]
            case 2:
                place = self.name("v")
                lines.append(f"int {place} = -1;")
                body = [f"if ({load} {self.one('<>')} {total}) {{ {total} = {load}; {place} = (int){i}; }}"]
                self.places.append(Place(place, INT))
            case 3:
                body = [f"if ({self.condition(1)}) {body[0]}"]
            case 4:
                self.ranges.append(Range(i, counter, start, max(start, of.size - 1)))
                body.append(f"{total} = {self.plus(type_, total, self.value(type_, 2))};")
                body += self.store(depth) if self.often() else []
                self.ranges.pop()
            case 5 if self.slices:
                to = self.one(self.slices)
                raw = f"__double2ll_rz({total})" if type_.kind == "f" and to.type.kind != "f" else total
                body.append(f"{to.at(f'(unsigned){i} % {to.size}u')} = ({to.type.name}){raw};")
        head = f"for ({counter.name} {i} = {begin}; {i} < {end.text}; {i} += {step}) {{"
        self.places.append(Place(total, type_))
        return [*lines, *self.pragma(), head, *("    " + line for line in body), "}"]

    def store(self, depth: int) -> list[str]:
        if not self.slices:
            return self.assign(depth)
        of = self.one(self.slices)
        match self.number(0, 3):
            case 0 if of.type.kind == "u":
                return [f"{self.access(of)} {self.one(('+=', '^=', '|=', '-='))} {self.value(of.type, 2)};"]
            case 1:
                return [f"{self.access(of)} = {self.plus(of.type, self.access(of), self.access(of))};"]
        return [f"{self.access(of)} = {self.value(of.type, 2)};"]

    def search(self, depth: int) -> list[str]:
        """Leaves a loop, or two, when something is found."""
        of = self.one(self.tables + self.slices)
        i, j, k, found = (self.name(prefix) for prefix in "iiiv")
        bound = self.ranged(0, min(of.size, 40))
        key, condition, op = self.value(of.type, 1), self.condition(1), self.one(("!=", "<", ">"))
        self.places.append(Place(found, INT))
        match self.number(0, 4):
            case 0:
                head = f"for (int {i} = 0; {i} < {bound}; {i}++)"
                return [f"int {found} = -1;", f"{head} if ({of.at(i)} == {key}) {{ {found} = {i}; break; }}"]
            case 1:
                return [f"int {found} = 0;", f"while ({found} < {bound} && {of.at(found)} {op} {key}) {found}++;"]
            case 2:
                return [f"int {i} = 0, {j} = {bound};",
                        f"while ({i} < {j}) {{",
                        f"    int {k} = ({i} + {j}) / 2;",
                        f"    if ({of.at(k)} < {key}) {i} = {k} + 1; else {j} = {k};", "}",
                        f"int {found} = {i};"]  # fmt: skip
            case 3:
                return [f"int {found} = 0;",
                        f"for (int {i} = 0; {i} < {bound}; {i}++) {{",
                        f"    for (int {j} = 0; {j} < {self.number(1, 6)}; {j}++) {{",
                        f"        {found} += {j} ^ {i};",
                        f"        if ({of.at(i)} {op} {key}) goto found{k};", "    }", "}",
                        f"found{k}:;"]  # fmt: skip
        return [f"int {found} = 0, {i} = 0;",
                "while (true) {",
                f"    if ({i} >= {bound}) break;",
                f"    if ({condition}) {{ {i} += 2; {found}++; continue; }}",
                f"    {found} ^= {i};",
                f"    {i}++;", "}"]  # fmt: skip

    def odd(self, depth: int) -> list[str]:
        """Counters that pass their type's end, and 64-bit ones beyond 32 bits."""
        i, v, count = self.name("i"), self.name("v"), self.name("c")
        type_, turns, step = self.one((UINT, UCHAR, USHORT, ULONG, UINT)), self.number(0, 12), self.one((1, 1, 2, 3))
        top = 1 << type_.bits
        distance = self.number(0, turns)
        suffix = "ull" if type_.bits == 64 else "u"
        first, last = f"{-distance % top}{suffix}", f"{(turns * step - distance) % top}{suffix}"
        n, z, s = (self.words[name] for name in "nzs")
        self.places.append(Place(v, UINT))
        self.ranges.append(Range(i, INT if type_.bits < 32 else type_, 0, most(type_)))
        # A continue would go past what counts.
        body = [f"    {v} = {v} * 31u + (unsigned){i};", *self.calm(min(depth - 1, 1), 2)]
        self.ranges.pop()
        begin, start = f"unsigned {v} = 1;", f"for ({type_.name} {i} = {first}"
        match self.number(0, 4):
            case 0:
                return [begin, *self.pragma(), f"{start}; {i} != {last}; {i} += {step}) {{", *body, "}"]
            case 1:
                return [begin, f"{type_.name} {i} = {n};", f"while ({i}--) {{", *body, "}"]
            case 2:
                end = f"{count} < {self.ranged(0, 9)}"
                return [begin, f"int {count} = 0;", f"{start} + {z}; {end}; {i} += {step}, {count}++) {{", *body, "}"]
            case 3:
                head = f"for (long long {i} = {s}; {i} < {s} + {self.one((9, 13))} * (long long){n}; {i} += {n}) {{"
                return [begin, head, f"    {v} = {v} * 31u + (unsigned)({i} >> 3);", "}"]
        again = f"}} while ({i} > {first} && {i} - {first} < {turns}{suffix});"
        return [begin, f"{type_.name} {i} = {first};", "do {", *body, f"    {i} += {step};", again]

    def halving(self, depth: int) -> list[str]:
        """Counters that are shifted, halved, or lose a bit a turn."""
        i, v = self.name("i"), self.name("v")
        start, first = self.value(UINT, 1), self.value(UINT, 1)
        self.places.append(Place(v, UINT))
        word = Range(i, UINT, 0, most(UINT))
        end = self.one(("64", f"{self.words['n']} * 4", "blockDim.x"))
        head, counter = self.one((
            (f"for (unsigned {i} = {start}; {i}; {i} >>= {self.one((1, 3, 4))}) {{", word),
            (f"for (unsigned {i} = {start}; {i}; {i} &= {i} - 1) {{", word),
            (f"for (int {i} = 1; {i} < {end}; {i} <<= 1) {{", Range(i, INT, 1, 127)),
            (f"for (int {i} = {self.one((32, 64))}; {i} > 0; {i} /= 2) {{", Range(i, INT, 1, 64)),
        ))  # fmt: skip
        last = f"    {v} = {v} * 5u + (unsigned){i};"
        return [f"unsigned {v} = {first};", *self.around(head, counter, min(depth, 2), last)]

    def walk(self, depth: int) -> list[str]:
        """A pointer that goes over memory."""
        found = [s for s in self.tables + self.slices if s.plain]
        if not found:
            return self.reduction(depth)
        of: Slice = self.one(found)
        p, end, v = self.name("p"), self.name("e"), self.name("r")
        first, step = self.number(self.least(of), of.size - 2), self.number(1, 3)
        const = "const " if of in self.tables else ""
        behind = self.ranged(0, min(of.size - first, 24))
        lines = [f"{of.type.name} {v} = {self.value(of.type, 1)};",
                 f"{const}{of.type.name} *{p} = {of.plain} + {first}, *{end} = {p} + {behind};"]  # fmt: skip
        body = [f"    {v} = {self.plus(of.type, v, f'*{p}')};"]
        if not const and self.often():
            body.append(f"    *{p} = {self.value(of.type, 2)};")
        if first > self.least(of) + 1 and self.often():
            body.append(f"    {v} = {self.plus(of.type, v, f'{p}[-1]')};")
        self.places.append(Place(v, of.type))
        if self.often() and first + 24 + 3 < of.size:
            return [*lines, f"for (; {p} < {end}; {p} += {step}) {{", *body, "}"]
        return [*lines, f"while ({p} != {end}) {{", *body, f"    {p}++;", "}"]
