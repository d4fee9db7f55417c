"""Random functions of LLVM IR for `test_random_ir.py`: what `minicc.fuzz.expr` does not reach.

Vectors, words of 24 and 128 bits, half and bfloat beside float, saturation, overflow, funnel shifts, idioms, places in
vectors, in tables and in a local array (written in one type, read in another, copied), switches and short loops whose
values change places. A function has no undefined
behaviour and one value on every machine: shifts and places are masked, divisors odd, signed ones positive too; a NaN
becomes one NaN before its bits are looked at, and minnum(-0, 0) is added to 0.
"""

from __future__ import annotations

import random

from tests.isel.forms import Case
from tests.isel.random_types import BITS, PACKED, TYPES, VECTORS, parts, size
from tests.isel.random_values import Values

BUFFER = 64
"""Bytes of the local array."""


class Writer(Values):
    """One function's text, made from its result down."""

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
        if roll < 0.26 and type_ not in PACKED:
            return self.table(type_)
        if roll < 0.36:
            return self.cast(type_, self.rng.choice(TYPES), depth)
        if parts(type_)[0] and roll < 0.5:
            return self.vector(type_, depth)
        wholes = [v for v in VECTORS if parts(v)[1] == type_]
        if wholes and roll < 0.44:
            source = self.rng.choice(wholes)
            return self.line(type_, f"extractelement {source} {self.make(source, depth - 1)}, {self.place(source)}")
        return self.floating(type_, depth) if parts(type_)[1] in BITS else self.integer(type_, depth)

    def memory(self, type_: str, depth: int) -> str:
        """Something is written to the local array in its own type, and something read from near it."""
        rng = self.rng
        source = rng.choice([t for t in TYPES if t not in PACKED])
        value = self.make(source, depth - 1)
        if parts(source)[1] in BITS:
            value = self.quiet(source, value)
        if type_ in PACKED:
            return self.cast(type_, "i64", depth)
        if rng.random() < 0.15:
            self.moved()
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

    def moved(self) -> None:
        """Bytes of the local array are copied or set."""
        rng = self.rng
        self.names += 1
        places = [f"%q{self.names}", f"%z{self.names}"]
        size_ = rng.choice([1, 3, 4, 8, 12, 16])
        for place, at in zip(places, rng.sample(range(0, BUFFER - 16, 16), 2), strict=True):
            self.lines.append(f"{place} = getelementptr i8, ptr %local, i64 {at + rng.randrange(16)}")
        name = rng.choice(["memcpy", "memmove", "memset"])
        if name == "memset":
            self.lines.append(
                f"call void @llvm.memset.p0.i64(ptr {places[0]}, i8 {self.leaf('i8')}, i64 {size_}, i1 false)"
            )
            return
        self.declared[f"declare void @llvm.{name}.p0.p0.i64(ptr, ptr, i64, i1)"] = None
        self.lines.append(f"call void @llvm.{name}.p0.p0.i64(ptr {places[0]}, ptr {places[1]}, i64 {size_}, i1 false)")

    def table(self, type_: str) -> str:
        """An element of an array of constants."""
        count = self.rng.choice([4, 8, 16])
        values = ", ".join(f"{type_} {self.each(type_)}" for _ in range(count))
        name = f"@table{len(self.declared)}.{self.rng.getrandbits(64):x}"
        self.declared[f"{name} = private unnamed_addr constant [{count} x {type_}] [{values}]"] = None
        index = self.line("i64", f"and i64 {self.leaf('i64')}, {count - 1}")
        self.names += 1
        self.lines.append(f"%t{self.names} = getelementptr [{count} x {type_}], ptr {name}, i64 0, i64 {index}")
        return self.line(type_, f"load {type_}, ptr %t{self.names}")

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
        """Up to seven turns, with one to three values that go round and change places; it may be left midway."""
        rng = self.rng
        self.turns += 1
        self.names += 1
        mark, several, leaves = self.names, rng.choice([1, 1, 2, 3]), rng.random() < 0.3
        firsts = [self.make(type_, depth - 1) for _ in range(several)]
        count = self.line("i32", f"and i32 {self.leaf('i32')}, 7") if rng.random() < 0.7 else "5"
        before = self.block
        known = {k: list(v) for k, v in self.known.items()}
        self.lines.append(f"br label %head{mark}")
        self.start(f"head{mark}")
        at = len(self.lines)
        values = [f"%v{mark}.{k}" for k in range(several)]
        self.known.setdefault(type_, []).extend(values)
        self.known.setdefault("i32", []).append(f"%n{mark}")
        ends = []
        if leaves:
            early = self.make("i1", min(depth - 1, 1))
            ends.append((values[0], self.block))
            self.lines.append(f"br i1 {early}, label %past{mark}, label %more{mark}")
            self.start(f"more{mark}")
        new = self.make(type_, min(depth - 1, 2))
        ends.append((new, self.block))
        round_ = [new, *values]
        self.lines[at:at] = [
            *(
                f"{value} = phi {type_} [ {first}, %{before} ], [ {after}, %{self.block} ]"
                for value, first, after in zip(values, firsts, round_, strict=False)
            ),
            f"%n{mark} = phi i32 [ 0, %{before} ], [ %m{mark}, %{self.block} ]",
        ]
        self.lines += [
            f"%m{mark} = add i32 %n{mark}, 1", f"%c{mark} = icmp ult i32 %m{mark}, {count}",
            f"br i1 %c{mark}, label %head{mark}, label %past{mark}",
        ]  # fmt: skip
        self.known = known
        self.start(f"past{mark}")
        return self.line(type_, f"phi {type_} {', '.join(f'[ {value}, %{block} ]' for value, block in ends)}")


def function(seed: int, depth: int = 4) -> Case:
    """A random function of four operands."""
    rng = random.Random(seed)
    writer = Writer(rng)
    result = rng.choice([t for t in TYPES if t not in (*PACKED, "bfloat", "<2 x bfloat>")])
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
