"""Phis, moves and branches: any graph of blocks, in a loop, leaves variables with what walking it by hand leaves."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import isel
from minicc.nvvm import read
from tests.isel.run_ptx import ARCH, kernel, run_rows

VARIABLES = 3
TURNS = 3
SHIFT = 16
"""Bits of the input that a turn of the loop may ask for."""


@attrs.frozen
class Block:
    """Each variable becomes a number, or another one plus a number; then a bit, or four, choose the next block."""

    becomes: list[tuple[int | None, int]]
    shift: int
    targets: list[int]


@st.composite
def graphs(draw: st.DrawFn) -> list[Block]:
    count = draw(st.integers(2, 8))
    blocks = []
    for at in range(count):
        source = st.one_of(st.none(), st.integers(0, VARIABLES - 1))
        becomes = [(draw(source), draw(st.integers(0, 1))) for _ in range(VARIABLES)]
        later = st.integers(at + 1, count)
        ways = draw(st.sampled_from([1, 2, 2, 2, 4]))
        targets = draw(st.lists(later, min_size=ways, max_size=ways, unique=ways == 2 and count - at > 1))
        blocks.append(
            Block(becomes, draw(st.integers(0, SHIFT - 2)), targets if len(set(targets)) > 1 else targets[:1])
        )
    return blocks


def walk(blocks: list[Block], word: int) -> list[int]:
    values = [0] * VARIABLES
    for _ in range(TURNS):
        at = 0
        while at < len(blocks):
            block = blocks[at]
            values = [more + (values[of] if of is not None else 0) for of, more in block.becomes]
            at = block.targets[(word >> block.shift) % len(block.targets)]
        word >>= SHIFT
    return values


def text_of(blocks: list[Block]) -> str:
    """The same as phis: block n is b{n}, the last one goes round."""
    count = len(blocks)
    entering: dict[int, list[tuple[str, list[str]]]] = {0: [("entry", ["0"] * VARIABLES)]}
    body: list[str] = []
    for at, block in enumerate(blocks):
        if at not in entering:
            continue
        names, lines = [], []
        for k, (of, more) in enumerate(block.becomes):
            name = f"%v{at}_{of}" if of is not None else str(more)
            if of is not None and more:
                lines.append(f"%n{at}_{k} = add i64 {name}, {more}")
                name = f"%n{at}_{k}"
            names.append(name)
        lines.append(f"%s{at} = lshr i64 %word, {block.shift}")
        ways = [f"label %b{target}" for target in block.targets]
        if len(ways) == 1:
            lines.append(f"br {ways[0]}")
        elif len(ways) == 2:
            lines += [f"%c{at} = trunc i64 %s{at} to i1", f"br i1 %c{at}, {ways[1]}, {ways[0]}"]
        else:
            cases = " ".join(f"i64 {k}, {way}" for k, way in enumerate(ways) if k)
            lines += [f"%c{at} = and i64 %s{at}, 3", f"switch i64 %c{at}, {ways[0]} [ {cases} ]"]
        for target in block.targets:
            entering.setdefault(target, []).append((f"b{at}", names))
        body += ["" if at == 0 else f"b{at}:", f"PHIS{at}", *lines]
    last = f"b{count}"
    entering[0].append((last, [f"%v{count}_{k}" for k in range(VARIABLES)]))
    turn = f"%word = phi i64 [ %in64, %entry ], [ %less, %{last} ]\n%i = phi i64 [ 0, %entry ], [ %j, %{last} ]\n"
    end = [f"{last}:", f"PHIS{count}", f"%less = lshr i64 %word, {SHIFT}", "%j = add i64 %i, 1"]
    end += [f"%more = icmp ult i64 %j, {TURNS}", "br i1 %more, label %b0, label %after", "after:"]
    for k in range(VARIABLES):
        end += [f"%o{k} = getelementptr i64, ptr %out, i64 {k}", f"store i64 %v{count}_{k}, ptr %o{k}"]
    text = "\n".join(["entry:", "%in64 = load i64, ptr %in", "br label %b0", "b0:", *body, *end, "br label %end"])
    for at in sorted(entering, reverse=True):
        phis = [
            f"%v{at}_{k} = phi i64 " + ", ".join(f"[ {names[k]}, %{block} ]" for block, names in entering[at])
            for k in range(VARIABLES)
        ]
        text = text.replace(f"PHIS{at}\n", (turn if at == 0 else "") + "\n".join(phis) + "\n")
    return kernel(text)


@pytest.mark.parametrize("level", [0, 3])
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(blocks=graphs(), words=st.lists(st.integers(0, 2 ** (SHIFT * TURNS) - 1), min_size=4, max_size=4))
def test_walk(level: int, blocks: list[Block], words: list[int]) -> None:
    selected = isel.select(read(text_of(blocks)), ARCH, isel.Options(opt_level=level))
    assert run_rows(selected, [[word] for word in words], VARIABLES) == [walk(blocks, word) for word in words]
