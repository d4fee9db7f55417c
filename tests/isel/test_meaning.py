"""Every pattern that computes something: its PTX, compiled by our ptxas, gives on the model what its tree means.

A kernel a pattern: the operands are the words of a parameter, the result is stored. Values are drawn by Hypothesis, the
same rows for all patterns.
"""

from __future__ import annotations

import itertools
import struct
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import minicc
import runtime
from minicc import arch, ptx
from minicc.diagnostics import SourceFile
from minicc.isel.database import ADDR, Leaf, Tree, all_rows, database, root
from minicc.ptx import model
from tests.isel import meaning
from tests.isel.synthesise import argument_type, build, plain, result_type

ARCH = "sm_90a"
"""Patterns of this machine."""
WORDS = 16


@attrs.define
class Probe:
    """A kernel for a pattern."""

    name: str
    tree: Tree
    op: str
    leaves: dict[str, tuple[int, str, int | None]]
    """Operand -> place among the words, type, value if it is a constant."""


def asked(tree: Tree | Leaf, op: str) -> bool:
    """Whether the operands are words of known types."""
    if isinstance(tree, Leaf):
        return not tree.accept & ADDR
    return all(
        asked(child, plain(child.op) if isinstance(child, Tree) else op)
        and (isinstance(child, Tree) or argument_type(op, child.name or "=") != "p")
        for child in tree.children
    )


@pytest.fixture(scope="module")
def probes() -> tuple[list[Probe], Any]:
    described = arch.get(ARCH)
    base = database(described.sm, described.feature)
    module = model.Module(described.ptx_version, ARCH)
    found: list[Probe] = []
    build.ftz = False  # type: ignore[attr-defined]
    for number, row in enumerate(all_rows()):
        op = plain(root(row.tree))
        if not base.has(row) or "{sem}" in row.template or op.startswith(("ld", "st", "br", "ret", "call", "sreg")):
            continue
        pattern = next(p for p in base.lookup(op) if p.row is row)
        assert pattern.tree is not None
        if not pattern.tree.children or not asked(pattern.tree, op):
            continue
        made = build(pattern, op, base, described, number)
        if made is None or not build.single:  # type: ignore[attr-defined]
            continue
        leaves = {
            name: (place, node.type, node.data if node.is_const else None)
            for place, (name, node) in enumerate(build.leaves.items())  # type: ignore[attr-defined]
        }
        probe = Probe(f"f{number}", pattern.tree, op, leaves)
        if value(probe, [3] * WORDS) is None and value(probe, [0x3FC00000] * WORDS) is None:
            continue
        found.append(probe)
        made = attrs.evolve(made, entry=True)
        module.functions.append(made)
        module.order.append(made)
    image = minicc.compile(SourceFile("patterns.ptx", ptx.format(module)), arch=ARCH).cubin
    return found, runtime.Device(ARCH).load(image)


def value(probe: Probe, words: list[int]) -> int | None:
    """What the pattern's tree means for such words."""

    def of(item: Tree | Leaf, op: str) -> int | None:
        if isinstance(item, Leaf):
            if item.value is not None:
                return item.value & (1 << meaning.bits_of(argument_type(op, "="))) - 1
            place, kind, constant = probe.leaves[item.name]
            return constant if constant is not None else words[place] & (1 << meaning.bits_of(kind)) - 1
        name = plain(item.op)
        fused = multiply_add(name, item)
        if fused is not None:
            turned, (a, b, c) = fused
            args = [of(a, name), of(b, name), of(c, name)]
            if turned is not None and args[turned] is not None:
                args[turned] = meaning.evaluate(f"fneg.{result_type(name)}", [args[turned] or 0])
            name = f"fma.{result_type(name)}"
        else:
            args = [of(child, name) for child in item.children]
        if any(arg is None for arg in args):
            return None
        found = meaning.evaluate(name, args)  # type: ignore[arg-type]
        if item is not probe.tree and result_type(name) in meaning.FORMATS and found in (0, None):
            return None  # which zero it is shows in what is made of it
        return found

    return of(probe.tree, probe.op)


def multiply_add(op: str, item: Tree) -> tuple[int | None, tuple[Any, Any, Any]] | None:
    """Operands of a sum that takes a product in, one rounding for both, and which of them is negated."""
    if op.partition(".")[0] not in ("faddc", "fsubc"):
        return None
    for place, child in enumerate(item.children):
        if isinstance(child, Tree) and child.op.startswith("fmul"):
            turned = None if op.startswith("faddc") else 2 if place == 0 else 0
            return turned, (*child.children, item.children[1 - place])  # type: ignore[return-value]
    return None


def rows() -> st.SearchStrategy[tuple[list[int], ...]]:
    """Rows of words: any bits, and ordinary numbers of each type."""
    half = st.floats(-60, 60, width=16).map(lambda v: struct.unpack("<H", struct.pack("<e", v))[0])
    brain = st.floats(-60, 60, width=32).map(lambda v: struct.unpack("<I", struct.pack("<f", v))[0] >> 16)
    single = st.floats(-1e5, 1e5, width=32).map(lambda v: struct.unpack("<I", struct.pack("<f", v))[0])
    double = st.floats(-1e9, 1e9).map(lambda v: struct.unpack("<Q", struct.pack("<d", v))[0])
    small = st.integers(1, 40)
    whole = st.integers(1, 2**64 - 1)
    kinds = [st.lists(kind, min_size=WORDS, max_size=WORDS) for kind in (whole, small, single, double, half, brain)]
    return st.tuples(*kinds)


def test_what_is_selected_is_what_is_meant(probes: tuple[list[Probe], Any]) -> None:
    found, module = probes
    assert len(found) > 400
    out = np.zeros(1, np.uint64)
    compared: set[str] = set()

    @settings(max_examples=1, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(rows())
    def check(drawn: tuple[list[int], ...]) -> None:
        for row, probe in itertools.product(drawn, found):
            block = b"".join(word.to_bytes(8, "little") for word in row)
            want = value(probe, row)
            if want is None or want < 0:
                continue
            out[0] = 0
            module[probe.name][1, 1](out, block)
            bits = meaning.bits_of(build_type(probe))
            got = int(out[0]) & (1 << bits) - 1
            compared.add(probe.name)
            assert same(got, want, probe), (probe.op, [hex(w) for w in row[: len(probe.leaves)]], hex(got), hex(want))

    check()
    assert len(compared) > len(found) - 20, {probe.op for probe in found if probe.name not in compared}


def build_type(probe: Probe) -> str:
    return result_type(probe.op)


def same(got: int, want: int, probe: Probe) -> bool:
    """Equal, but for a zero's sign."""
    kind = build_type(probe)
    if kind in meaning.FORMATS:
        top = 1 << meaning.bits_of(kind) - 1
        return got == want or (got | top == want | top == top)
    return got == want
