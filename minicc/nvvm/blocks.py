"""`memset` and `memcpy` of a size that only the launch knows, or of a large one, go by words where alignment allows.

LLVM's code generation makes them loops of one byte a turn, each of which waits for what it loads. Here the same bytes
go four words at a time, then by words, and what is left by bytes:

    call @llvm.memset(p, align 16, v, n)        i = 0
                                                while i < (n & -64): p[i .. i + 63] = v; i += 64
                                                while i < (n & -16): p[i .. i + 15] = v; i += 16
                                                while i < n:         p[i] = v;           i += 1

A turn of a `memcpy` loads all of its words before it stores them: source and target do not overlap. What selection
unrolls (`minicc.isel.lower.intrinsics`), `memmove` and volatile ones stay. Input: a module's text after LLVM's
pipeline.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from minicc.nvvm.bodies import LABEL, fresh

_CALLS = ("@llvm.memset.", "@llvm.memcpy.")
_CALL = re.compile(r"  (?:tail )?call void @llvm\.mem(set|cpy)\.p\d[\w.]*\((.*), i1 false\)")
_ALIGN = re.compile(r" align (\d+) ")
_FROM = re.compile(r"\[ ([^\[\]]*), (%[-\w.$]+) \]")
_POINTER = re.compile(r"ptr(?: addrspace\(\d+\))?")
_WIDEST = 8
"""Bytes of an access; LLVM joins two where the alignment allows."""
_TOGETHER = 4
"""Words of a turn."""


def by_words(text: str, least: int) -> str:
    """The module's text with loops for such calls. Sizes that are constants less than `least` stay."""
    names = fresh(text, "block")
    parts = text.split("\ndefine ")
    return "\ndefine ".join([_function(p, least, names) if any(c in p for c in _CALLS) else p for p in parts])


def _function(text: str, least: int, names: Iterator[str]) -> str:
    out: list[str] = []
    label: str | None = None
    ends: dict[str, str] = {}
    for line in text.split("\n"):
        if begins := LABEL.match(line):
            label = "%" + begins[1]
        call = _CALL.match(line)
        if label and call:  # without a label nothing says where the block begins that a phi comes from
            target, source, size = _arguments(call[2])
            number = size.rpartition(" ")[2]
            if not number.isdigit() or int(number) >= least:
                made = next(names)
                out += _loops(target, source, size, call[1] == "cpy", made)
                ends[label] = f"%{made}.end"
                continue
        out.append(line)
    moved = (lambda line: _FROM.sub(lambda m: f"[ {m[1]}, {ends.get(m[2], m[2])} ]", line)) if ends else str
    return "\n".join([moved(line) if " = phi " in line else line for line in out])


def _arguments(text: str) -> list[str]:
    """The arguments of a call, each with its type and attributes."""
    out, depth, start = [], 0, 0
    for at, c in enumerate(text):
        depth += (c in "([{<") - (c in ")]}>")
        if c == "," and not depth:
            out.append(text[start:at].strip())
            start = at + 1
    return [*out, text[start:].strip()]


def _pointer(argument: str) -> tuple[str, str, int]:
    """Type, value and alignment of a pointer among the arguments."""
    kind = _POINTER.match(argument)
    assert kind is not None
    value = re.search(r"(?: |^)((?:getelementptr|addrspacecast|inttoptr) .*|[%@][^ ]+|null)$", argument)
    assert value is not None
    align = _ALIGN.search(argument[: value.start(1)])
    return kind[0], value[1], min(int(align[1]), 2 * _WIDEST) if align else 1


def _loops(target: str, source: str, size: str, copies: bool, made: str) -> Iterator[str]:
    to, where, align = _pointer(target)
    if copies:
        at, there, other = _pointer(source)
        align = min(align, other)
    of, number = size.split()
    word = min(align, _WIDEST)
    yield f"  br label %{made}.begin"
    yield f"{made}.begin:"
    if not copies and word > 1:  # the byte in each place of a word
        byte = source.rpartition(" ")[2]
        yield f"  %{made}.byte = zext i8 {byte} to i{8 * word}"
        yield f"  %{made}.fill = mul i{8 * word} %{made}.byte, {int('01' * word, 16)}"
    before, done = f"{made}.begin", "0"
    for level, step in enumerate(dict.fromkeys((_TOGETHER * align, align, 1))):
        loop, after = f"{made}.by{level}", f"{made}.after{level}"
        value, to_go, more, i, following = (f"%{loop}.{name}" for name in ("end", "any", "more", "i", "next"))
        yield f"  {value} = and {of} {number}, {-step}"
        yield f"  {to_go} = icmp ult {of} {done}, {value}"
        yield f"  br i1 {to_go}, label %{loop}, label %{after}"
        yield f"{loop}:"
        yield f"  {i} = phi {of} [ {done}, %{before} ], [ {following}, %{loop} ]"
        wide = min(step, word)
        kind = f"i{8 * wide}"
        places = range(0, step, wide)
        yield f"  {i}.to = getelementptr i8, {to} {where}, {of} {i}"
        if copies:
            yield f"  {i}.from = getelementptr i8, {at} {there}, {of} {i}"
            for k in places:
                yield f"  {i}.from.{k} = getelementptr i8, {at} {i}.from, {of} {k}"
                yield f"  {i}.word.{k} = load {kind}, {at} {i}.from.{k}, align {_aligned(k, align, step)}"
        for k in places:
            yield f"  {i}.to.{k} = getelementptr i8, {to} {i}.to, {of} {k}"
            filled = f"%{made}.fill" if wide > 1 else source.rpartition(" ")[2]
            word_k = f"{i}.word.{k}" if copies else filled
            yield f"  store {kind} {word_k}, {to} {i}.to.{k}, align {_aligned(k, align, step)}"
        yield f"  {following} = add nuw {of} {i}, {step}"
        yield f"  {more} = icmp ult {of} {following}, {value}"
        yield f"  br i1 {more}, label %{loop}, label %{after}"
        yield f"{after}:"
        # as many as whole steps hold: no phi is needed, since all of them are done by here
        before, done = after, value
    yield f"  br label %{made}.end"
    yield f"{made}.end:"


def _aligned(k: int, align: int, step: int) -> int:
    """Bytes that surely divide the address of byte k of a turn."""
    least = min(align, step)
    return min(least, k & -k) if k else least
