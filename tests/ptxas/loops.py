"""Random loops of PTX: what a turn reads before it writes it, several exits, instructions under guards, turns skipped.

A program has words `%r` and predicates `%p` that change, and `%s` and `%b` that are written once, before all uses. Late
words `%l` and predicates `%m` are written once, too, but in a loop that asks for them before: `%d` says whether one has
been written, and only then it counts. (C has such variables: `int last; ... if (turn) use(last); last = ...`.)
Each thread reads a row of `WORDS` words and leaves one, and stores within it under way. Counters bound every loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

WORDS = 16
"""Of a thread's row."""
REGISTERS, LATE, PREDICATES = 6, 6, 4
_BINARY = (
    "add.u32", "sub.u32", "xor.b32", "and.b32", "or.b32", "mul.lo.u32", "min.s32", "max.u32", "shl.b32", "shr.s32",
)  # fmt: skip
_COMPARES = ("eq", "ne", "lt", "le", "gt", "ge")


class Loops:
    """Draws one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = 0
        self.counters = 0
        self.written = 0
        """Late words, and as many predicates, that an instruction writes."""
        self.once = 0
        self.known: list[str] = []
        """Words and predicates written once that are there."""

    def text(self, size: int) -> str:
        """The module: kernel `k(x)`."""
        body = "\n".join(self.block(size, 3, None))
        lines = [f"ld.global.u32 %r{n}, [%at+{4 * n}];" for n in range(REGISTERS)]
        lines += [f"setp.gt.s32 %p{n}, %r{n}, %r{n + 1};" for n in range(PREDICATES)]
        lines += [f"mov.u32 %d{n}, 0;" for n in range(LATE)]
        last = [f"st.global.u32 [%at+{4 * n}], %r{n};" for n in range(REGISTERS)]
        for n in range(PREDICATES):
            last += [f"selp.u32 %t, 1, 0, %p{n};", f"st.global.u32 [%at+{4 * (REGISTERS + n)}], %t;"]
        for n in range(LATE):
            last += [f"setp.ne.u32 %q, %d{n}, 0;", f"@%q st.global.u32 [%at+{4 * (10 + n)}], %l{n};"]
        return f"""
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x) {{
.reg .b32 %r<{REGISTERS}>, %l<{LATE}>, %d<{LATE}>, %c<{self.counters + 1}>, %e<{self.counters + 1}>, %t;
.reg .pred %p<{PREDICATES}>, %m<{LATE}>, %b<{self.once + 1}>, %q; .reg .b32 %s<{self.once + 1}>; .reg .b64 %at, %o;
ld.param.u64 %at, [x]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, {4 * WORDS}; add.s64 %at, %at, %o;
{" ".join(lines)}
{body}
{" ".join(last)}
ret;
}}
"""

    def one(self, of: tuple[str, ...]) -> str:
        return self.random.choice(of)

    def number(self, least: int, most: int) -> int:
        return self.random.randint(least, most)

    def read(self, kind: str) -> str:
        """A word or a predicate (`s`, `b`): one that is written once, where there is one, as often as not."""
        known = [name for name in self.known if name[1] == kind]
        return self.random.choice(known) if known and self.number(0, 1) else self.changed(kind)

    def changed(self, kind: str) -> str:
        return f"%r{self.number(0, REGISTERS - 1)}" if kind == "s" else f"%p{self.number(0, PREDICATES - 1)}"

    def word(self) -> str:
        return self.read("s")

    def operand(self) -> str:
        return str(self.number(0, 9)) if not self.number(0, 3) else self.word()

    def guard(self) -> str:
        return self.one(("@", "@!")) + self.read("b") + " "

    def made(self, text: str, kind: str = "s") -> str:
        """An instruction, with a place for what it writes: a name of its own, or, under a guard or not, any."""
        if self.number(0, 1):
            return self.maybe() + text.format(self.changed(kind))
        self.once += 1
        name = f"%{kind}{self.once}"
        self.known.append(name)
        return text.format(name)

    def block(self, size: int, depth: int, loop: tuple[str, str, str] | None) -> Iterator[str]:
        """Statements; `loop`: the counter around them, where its next turn begins, and what follows it."""
        left, known = size, len(self.known)
        while left > 0:
            kind = self.number(0, 11)
            if kind < 5:
                yield self.simple()
                left -= 1
            elif kind == 5:
                yield self.compare()
                left -= 1
            elif kind == 6:
                yield from self.write(loop[0]) if loop and self.number(0, 1) else self.late()
                left -= 2
            elif kind == 7:
                yield from self.memory()
                left -= 2
            elif kind == 8 and loop:
                yield f"{self.guard()}bra {self.one(loop[1:])};"
                left -= 1
            elif kind in (9, 10) and depth:
                inner = self.number(1, max(left, 1))
                yield from self.loop(inner, depth - 1) if kind == 9 else self.branch(inner, depth - 1, loop)
                left -= inner
        del self.known[known:]

    def maybe(self) -> str:
        return "" if self.number(0, 1) else self.guard()

    def compare(self) -> str:
        words = f"{self.word()}, {self.operand()}"
        return self.made(f"setp.{self.one(_COMPARES)}.{self.one(('s32', 'u32'))} {{}}, {words};", "b")

    def simple(self) -> str:
        if not self.number(0, 5):
            return self.made(f"selp.u32 {{}}, {self.word()}, {self.operand()}, {self.read('b')};")
        if not self.number(0, 5):
            return self.made(f"mad.lo.u32 {{}}, {self.word()}, {self.operand()}, {self.word()};")
        return self.made(f"{self.one(_BINARY)} {{}}, {self.word()}, {self.operand()};")

    def late(self) -> Iterator[str]:
        """A late word or predicate counts, if it has been written."""
        n = self.number(0, LATE - 1)
        yield f"setp.ne.u32 %q, %d{n}, 0;"
        match self.number(0, 2):
            case 0:
                yield f"selp.u32 {self.changed('s')}, %l{n}, {self.word()}, %q;"
            case 1:
                yield f"@%q {self.one(_BINARY)} {self.changed('s')}, {self.one((f'%l{n}', self.word()))}, %l{n};"
            case 2:
                yield f"and.pred %q, %q, %m{n};"
                yield f"@%q {self.one(_BINARY)} {self.changed('s')}, {self.word()}, {self.operand()};"

    def write(self, counter: str) -> Iterator[str]:
        """A late word and predicate are written: by one instruction in the program."""
        n = self.written
        if n == LATE:
            return
        self.written += 1
        guard = self.maybe() if not self.number(0, 2) else ""
        yield f"{guard}setp.{self.one(_COMPARES)}.s32 %m{n}, {self.word()}, {self.one((counter, self.operand()))};"
        match self.number(0, 2):
            case 0:
                yield f"{guard}ld.global.u32 %l{n}, [%at+{4 * self.number(0, WORDS - 1)}];"
            case 1:
                yield f"{guard}selp.u32 %l{n}, {self.word()}, {self.operand()}, {self.one((f'%m{n}', self.read('b')))};"
            case 2:
                yield f"{guard}{self.one(_BINARY)} %l{n}, {self.word()}, {self.one((counter, self.operand()))};"
        yield f"{guard}mov.u32 %d{n}, 1;"

    def memory(self) -> Iterator[str]:
        """A load or a store somewhere in the thread's row."""
        yield f"and.b32 %t, {self.word()}, {WORDS - 1}; mul.wide.u32 %o, %t, 4; add.s64 %o, %at, %o;"
        place = self.one(("%o", f"%at+{4 * self.number(0, WORDS - 1)}"))
        if self.number(0, 1):
            yield self.made(f"ld.global.u32 {{}}, [{place}];")
        else:
            yield f"{self.maybe()}st.global.u32 [{place}], {self.word()};"

    def branch(self, size: int, depth: int, loop: tuple[str, str, str] | None) -> Iterator[str]:
        self.names += 1
        other, after = f"O{self.names}", f"A{self.names}"
        yield f"{self.guard()}bra {other};"
        yield from self.block(size // 2, depth, loop)
        if self.number(0, 1):
            yield f"bra {after};"
        yield f"{other}:"
        yield from self.block(size - size // 2, depth, loop)
        yield f"{after}:"

    def loop(self, size: int, depth: int) -> Iterator[str]:
        """At most seven turns: of a number that is known or not, with its test at the end or the beginning."""
        n = self.counters = self.counters + 1
        head, following, after = f"L{n}", f"N{n}", f"X{n}"
        yield f"mov.u32 %c{n}, 0;"
        yield f"and.b32 %e{n}, {self.word()}, 7;" if self.number(0, 1) else f"mov.u32 %e{n}, {self.number(1, 7)};"
        test = f"setp.lt.u32 %q, %c{n}, %e{n};"
        yield f"{head}:"
        if early := self.number(0, 1):
            yield f"{test} @!%q bra {after};"
        yield from self.block(size, depth, (f"%c{n}", following, after))
        yield f"{following}: add.u32 %c{n}, %c{n}, 1;"
        yield f"bra {head};" if early else f"{test} @%q bra {head};"
        yield f"{after}:"
