"""Every pattern: its PTX, compiled by our ptxas, does on the model what its tree means.

A kernel a pattern, a warp of operands. What is expected comes from exact arithmetic (`meaning`), from what operations
of a warp do (`warp`) and from matrix products (`matrices`); results and all of the memory are compared.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minicc
import runtime
from minicc import arch
from minicc.diagnostics import SourceFile
from minicc.isel.cover.database import ADDR, Leaf, Tree, all_rows, database, root
from minicc.isel.patterns import CATEGORIES, Row, rows_of
from runtime.driver import tensormap
from runtime.errors import DeviceError
from tests.isel import matrices, meaning, operands, warp
from tests.isel.kernels import HEAD, MEMORY, entry
from tests.isel.synthesise import LANE, OFFSET, SLOT, Probe, argument_type, build, plain, result_type, space
from tests.isel.test_probes import ALONE

ARCH = "sm_90a"
"""Patterns of this machine."""
LANES = warp.LANES
SIGNS = {"f16": 1 << 15, "bf16": 1 << 15, "f16x2": 0x80008000, "bf16x2": 0x80008000, "f32": 1 << 31, "f64": 1 << 63}
UNTAKEN = re.compile(r"mma\.sp.*\.(s4|e4m3)\b.*")
"""Instructions that NVIDIA's ptxas spells out for this machine and ours does not take."""
FAULTS = ("trap.", "trapcall.", "brkpt.")
"""What ends the kernel with a fault."""


def probes() -> list[tuple[Row, Probe]]:
    """The patterns that can stand alone in a kernel of this machine."""
    described = arch.get(ARCH)
    base = database(described.sm, described.feature)
    found = []
    for number, row in enumerate(all_rows()):
        op = plain(root(row.tree))
        if base.has(row) and not op.startswith(ALONE):
            pattern = next(p for p in base.lookup(op) if p.row is row)
            probe = build(pattern, op, base, described, number)
            assert probe is not None
            found.append((row, probe))
    return found


class Bench:
    """The model, and what kernels of patterns work on."""

    def __init__(self) -> None:
        self.device = runtime.Device(ARCH, timing=False)
        self.memory = random.Random(1).randbytes(MEMORY)
        texels = np.arange(4 * 8 * 8 * 4, dtype=np.float32)
        self.texels = {1: texels[:32].reshape(8, 4), 2: texels[:256].reshape(8, 8, 4), 3: texels.reshape(4, 8, 8, 4)}
        table = ",".join(map(str, self.memory[: MEMORY // 2]))
        self.head = f".version 9.0\n.target {ARCH}\n.address_size 64\n{HEAD}"
        self.head += f".const .align 16 .b8 table[{MEMORY // 2}] = {{{table}}};\n"

    def load(self, found: list[Probe]) -> Any:
        """A module with the kernels of patterns."""
        texts = [entry(probe, matrices.around(probe) if probe.op.startswith("wmma.") else None) for probe in found]
        return self.device.load(minicc.compile(SourceFile("patterns.ptx", self.head + "".join(texts)), arch=ARCH).cubin)

    def run(self, module: Any, probe: Probe, draw: random.Random) -> int:
        """One launch; results and memory against what is expected. How many results could be compared."""
        memory = bytearray(self.memory)
        if probe.op.startswith("wmma."):
            matrices.prepare(probe.op, memory, draw)
        held = self.device.buffer(np.frombuffer(memory, np.uint8))
        handle, texels = self.handle(probe.op, held.address)
        rows = operands.words(probe, handle, draw)
        given = self.device.buffer(np.array(rows, np.uint64))
        out = self.device.zeros((LANES, LANE // 8), np.uint64)
        state = warp.State(memory, rows, None if texels is None else texels[0].copy())
        want = expected(probe, state)
        module[probe.function.name][1, LANES](out, given, held, self.memory[:SLOT])
        compare(probe, out.numpy(), want, rows)
        left = held.numpy().tobytes()
        wrong = [i for i in range(MEMORY) if left[i] != state.memory[i] and i not in state.unknown]
        assert not wrong, (probe.op, wrong[:8])
        if texels is not None:
            assert texels[1].buffer.numpy().tobytes() == state.texels.tobytes(), probe.op
        if not probe.kinds:
            return 1
        return min(sum(answer is not None for answer in want.get(place, ())) for place in range(len(probe.kinds)))

    def handle(self, op: str, address: int) -> tuple[int, Any]:
        """A texture, surface or tensor map for the operation's operand t, and the texels as [z, y, x, channel]."""
        if op.startswith("tensor"):
            rank = int(op[-2])
            sizes = warp.SIZES[:rank]
            strides = [4 * int(np.prod(sizes[: i + 1])) for i in range(rank - 1)]
            made = tensormap.tiled(address + operands.FAR, "i32", sizes, strides, [4, *[1] * (rank - 1)])
            self.map = self.device.buffer(np.frombuffer(made, np.uint8))
            return self.map.address, None
        if not op.startswith(("tex", "su")):
            return 0, None
        found = re.search(r"\.(\d)d(\.array)?", op)
        array = bool(found and found[2])
        texels = self.texels[int(found[1]) + array if found else 2]
        self.texture = self.device.texture(texels, channels=4, layers=array)
        return self.texture.handle, (texels, self.texture)


def expected(probe: Probe, state: warp.State) -> warp.Results:
    """What every lane's results are, and `state.memory` afterwards."""
    places = {name: place for place, name in enumerate(probe.leaves)}

    def leaf(item: Leaf, op: str, lane: int) -> int | None:
        kind = argument_type(op, item.name or "=")
        if item.value is not None:
            return item.value & (1 << meaning.bits_of(kind)) - 1
        node = probe.leaves[item.name]
        if node.is_const:
            return int(node.data)
        if node.head == "sym":
            return 0
        bits = state.words[lane][places[item.name]]
        if item.accept & ADDR:
            where = space(op, item.name)
            at = OFFSET + (0 if where == "param" else bits) + (lane * LANE if where == "local" else 0)
            return at % (1 << 64)
        return int(bits == 0) if kind == "p" else bits & (1 << meaning.bits_of(kind)) - 1

    def of(item: Tree | Leaf, op: str) -> list[Any]:
        if isinstance(item, Leaf):
            return [leaf(item, op, lane) for lane in range(LANES)]
        results = results_of(item)
        return results[0]

    def results_of(item: Tree) -> Any:
        name = plain(item.op)
        fused = joined(name, item)
        if fused is not None:
            name, turned, children = fused
            columns = [of(child, name) for child in children]
            if turned is not None:
                signs = SIGNS[name.rpartition(".")[2]]
                columns[turned] = [v ^ signs if isinstance(v, int) else None for v in columns[turned]]
        else:
            columns = [of(child, name) for child in item.children]
        found = warp.perform(name, columns, state) or matrices.perform(name, columns, state)
        if found is not None:
            return found
        column: list[Any] = []
        for args in zip(*columns, strict=True):
            known = all(isinstance(arg, int) for arg in args)  # neither unknown nor an approximation
            value = meaning.evaluate(name, list(args)) if known else None
            if item is not probe.tree and result_type(name) in meaning.FORMATS and value == 0:
                value = None  # which zero it is shows in what is made of it
            column.append(value)
        return {0: column}

    return results_of(probe.tree)  # type: ignore[no-any-return]


def compare(probe: Probe, got: np.ndarray[Any, Any], want: warp.Results, rows: list[list[int]]) -> None:
    """Every lane's results."""
    for place, column in want.items():
        kind = probe.kinds[place] if place < len(probe.kinds) else "i32"
        for lane, answer in enumerate(column):
            bits = int(got[lane, place])
            given = [hex(word) for word in rows[lane][: len(probe.leaves)]]
            assert meaning.right(bits, answer, kind), (probe.op, place, lane, given, hex(bits), answer)


def joined(op: str, item: Tree) -> tuple[str, int | None, tuple[Any, ...]] | None:
    """What a tree of two operations means as one, rounded once: its name, the operand that is negated, the operands."""
    if op == "frcpapprox.f32" and isinstance(item.children[0], Tree):
        return "frsqrt.f32", None, item.children[0].children
    if op.partition(".")[0] not in ("faddc", "fsubc"):
        return None
    for place, child in enumerate(item.children):
        if isinstance(child, Tree) and child.op.startswith("fmul"):
            turned = None if op.startswith("faddc") else 2 if place == 0 else 0
            return f"fma.{op.rpartition('.')[2]}", turned, (*child.children, item.children[1 - place])
    return None


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize("category", CATEGORIES)
def test_what_is_selected_is_what_is_meant(bench: Bench, category: str) -> None:
    """Each pattern with operands that Hypothesis draws and makes smaller; each has something to be compared with."""
    rows = set(rows_of(category))
    found = [
        probe
        for row, probe in probes()
        if row in rows and not probe.op.startswith(FAULTS) and not UNTAKEN.fullmatch(probe.op)
    ]
    module = bench.load(found)
    for probe in found:
        drive(probe, functools.partial(bench.run, module, probe))


def drive(probe: Probe, run: Callable[[random.Random], int]) -> None:
    """A pattern by `run`, which says how many results it could compare, with a few choices of operands. Elements of
    matrices are too many to be choices: there a seed is one."""
    compared = []
    by_seed = probe.op.startswith(("mma", "wmma"))

    @settings(max_examples=3, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(draw=st.randoms(use_true_random=by_seed))
    def launch(draw: random.Random) -> None:
        compared.append(run(draw))

    launch()
    assert sum(compared), f"nothing to compare {probe.op} with"


@pytest.mark.parametrize("op", FAULTS)
def test_faults(op: str) -> None:
    """What ends the kernel: on a device of its own, as none works after it."""
    probe = next(probe for _, probe in probes() if probe.op == op)
    bench = Bench()
    with pytest.raises(DeviceError, match="trap"):
        bench.run(bench.load([probe]), probe, random.Random(0))
        bench.device.synchronize()
