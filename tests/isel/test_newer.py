"""Patterns that the model cannot run: those of machines after sm_90, and sparse products that our ptxas does not take.

Their PTX is executed by an interpreter of PTX, a warp in step, and compared with what their trees mean. What has no
meaning but on its own machine is in `MACHINE`, with the reason; the tests there are that NVIDIA's ptxas accepts it
(`test_probes.py`) and that it is selected.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from minicc import arch
from minicc.isel.cover.database import all_rows, database, root
from minicc.isel.patterns import Row
from minicc.ptx import model as ptx
from tests.isel import matrices, meaning, operands, warp
from tests.isel.interpret import GLOBAL, Machine, to_bits, to_float
from tests.isel.kernels import MEMORY
from tests.isel.synthesise import LANE, SLOT, Probe, build, plain
from tests.isel.test_meaning import UNTAKEN, compare, drive, expected
from tests.isel.test_meaning import probes as driven
from tests.isel.test_probes import ALONE

TARGETS = ("sm_90a", "sm_100a", "sm_120a")
MACHINE = {
    "tcgen05.": "tensor memory: allocation, order, copies into it; its contents cannot be read by these alone",
    "clc.": "asks for another block's work; an answer is opaque",
    "stmatrix.sync.aligned.m16n8": "bytes of 16 by 8 matrices, whose places an H200 cannot show",
    "ldmatrix.sync.aligned.m16n16": "bytes of 16 by 16 matrices, whose places an H200 cannot show",
}
"""What is neither run nor interpreted, and why."""
LANES = warp.LANES


def newer() -> list[tuple[Row, Probe]]:
    """The patterns that the model does not run, each selected for the first machine that has it."""
    run = {row for row, probe in driven() if not UNTAKEN.fullmatch(probe.op)}
    found = []
    for number, row in enumerate(all_rows()):
        op = plain(root(row.tree))
        if row in run or op.startswith(ALONE):
            continue
        for target in TARGETS:
            described = arch.get(target)
            base = database(described.sm, described.feature)
            if base.has(row):
                pattern = next(p for p in base.lookup(op) if p.row is row)
                probe = build(pattern, op, base, described, number)
                assert probe is not None
                found.append((row, probe))
                break
    return found


class Lane(Machine):
    """One lane, with the instructions that sm_90 has not."""

    number = 0

    def get(self, operand: Any) -> int:
        return self.number if isinstance(operand, ptx.Special) and operand.name == "%tid.x" else super().get(operand)

    def floats(self, ops: tuple[Any, ...]) -> list[Any]:
        return [to_float(self.get(op), "f32") for op in ops[1:]]

    def pairs(self, mods: list[str], ops: tuple[Any, ...], what: Any) -> bool:
        """An operation on two floats in a register each."""
        if mods[-1] != "f32x2":
            return False
        halves = [[to_float(self.get(op) >> shift & 0xFFFFFFFF, "f32") for op in ops[1:]] for shift in (0, 32)]
        with np.errstate(all="ignore"):
            low, high = (to_bits(np.float32(what(*half)), "f32") for half in halves)
        self.put(ops[0], high << 32 | low)
        return True

    def do_add(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        if not self.pairs(mods, ops, lambda a, b: a + b):
            super().do_add(mods, ops)

    def do_sub(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        if not self.pairs(mods, ops, lambda a, b: a - b):
            super().do_sub(mods, ops)

    def do_mul(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        if not self.pairs(mods, ops, lambda a, b: a * b):
            super().do_mul(mods, ops)

    def do_fma(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        if mods[-1] != "f32x2":
            super().do_fma(mods, ops)
            return
        parts = [
            meaning.evaluate("fma.f32", [self.get(op) >> shift & 0xFFFFFFFF for op in ops[1:]]) for shift in (0, 32)
        ]
        self.put(ops[0], sum((part if part is not None else 0) << 32 * i for i, part in enumerate(parts)))

    def three(self, mods: list[str], ops: tuple[Any, ...], choose: Any) -> bool:
        if len(ops) != 4:
            return False
        values = self.floats(ops)
        whole = [value for value in values if value == value]
        nan = len(whole) < 3 and ("NaN" in mods or not whole)
        self.put(ops[0], 0x7FFFFFFF if nan else to_bits(choose(whole), "f32"))
        return True

    def do_min(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        if not self.three(mods, ops, min):
            super().do_min(mods, ops)

    def do_max(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        if not self.three(mods, ops, max):
            super().do_max(mods, ops)

    def do_cvt(self, mods: list[str], ops: tuple[Any, ...]) -> None:
        to, source = mods[-2], mods[-1]
        relu = "relu" in mods
        if source.removesuffix("x2") in meaning.NARROW:
            codes = [self.get(ops[1]) >> shift & 0xFF for shift in (8, 0)]
            values = [meaning._positive(meaning.widened(code, source[:-2]), relu) for code in codes]
            high, low = (meaning.rounded(value, to[:-2]) for value in values)
            self.put(ops[0], high << 16 | low)
        elif to.removesuffix("x2") in meaning.NARROW:
            values = [meaning._positive(meaning.number(self.get(op), source), relu) for op in ops[1:]]
            high, low = (meaning.narrowed(value, to[:-2]) for value in values)
            self.put(ops[0], high << 8 | low)
        elif to == "ue8m0x2":
            kind = "f32" if source == "f32" else "bf16"
            given = (
                [self.get(op) for op in ops[1:]]
                if kind == "f32"
                else [self.get(ops[1]) >> 16, self.get(ops[1]) & 0xFFFF]
            )
            high, low = (power(meaning.number(bits, kind), mods[0]) for bits in given)
            self.put(ops[0], high << 8 | low)
        elif source == "ue8m0x2":
            high, low = (max((self.get(ops[1]) >> shift & 0xFF) << 7, 0x40) for shift in (8, 0))
            self.put(ops[0], high << 16 | low)
        else:
            super().do_cvt(mods, ops)


def power(value: Any, mode: str) -> int:
    """The exponent, biased, of the power of two below or above a number's size; the largest for what is beyond it."""
    if value != value:
        return 0xFF
    size = abs(value)
    code = 0
    while code < 0xFE and 2.0 ** (code + 1 - 127) <= size:
        code += 1
    above = mode == "rp" and size > 2.0 ** (code - 127)
    return min(code + above, 0xFE)


def together(lanes: list[Lane], inst: ptx.Inst) -> bool:
    """An instruction of the whole warp."""
    mods = list(inst.modifiers)
    if inst.opcode == "redux":
        values = [to_float(lane.get(inst.operands[1]), "f32") for lane in lanes]
        if "abs" in mods:
            values = [abs(value) for value in values]
        whole = [value for value in values if value == value]
        choose = min if "min" in mods else max
        nan = not whole or ("NaN" in mods and len(whole) < LANES)
        for lane in lanes:
            lane.put(inst.operands[0], 0x7FFFFFFF if nan else to_bits(choose(whole), "f32"))
        return True
    if inst.opcode != "mma":
        return False
    shape = next(mod for mod in mods if mod.startswith("m16"))
    kinds = [mod for mod in mods if mod in matrices.BITS]
    args = [[lane.get(reg) for lane in lanes] for vector in inst.operands[1:4] for reg in vector.items]  # type: ignore[union-attr]
    name = "mma"
    if "sp" in mods:
        name = "mma.sp"
        args += [[lane.get(inst.operands[4]) for lane in lanes], [0] * LANES]
    found = matrices.multiply(f"{name}.{shape}", args, tuple(kinds))  # type: ignore[arg-type]
    for place, reg in enumerate(inst.operands[0].items):  # type: ignore[union-attr]
        for lane, bits in zip(lanes, found[place], strict=True):
            lane.put(reg, bits)
    return True


def run(probe: Probe, rows: list[list[int]], memory: bytes) -> tuple[Any, bytearray]:
    """Results and memory afterwards."""
    whole = bytearray(2 * LANES * LANE) + bytearray(memory)
    for lane, row in enumerate(rows):
        at = LANES * LANE + lane * LANE
        whole[at : at + LANE] = b"".join(word.to_bytes(8, "little") for word in row)
    params = {f"f_param_{i}": (GLOBAL + i * LANES * LANE).to_bytes(8, "little") for i in range(3)}
    params["f_param_3"] = bytes(memory[:SLOT])
    lanes = [Lane(probe.function, params, whole, []) for _ in range(LANES)]
    for number, lane in enumerate(lanes):
        lane.number = number
    for inst in lanes[0].code:
        if inst.opcode != "ret" and not together(lanes, inst):
            for lane in lanes:
                lane.step(inst)
    results = np.frombuffer(bytes(whole[: LANES * LANE]), np.uint64).reshape(LANES, -1)
    return results, whole[2 * LANES * LANE :]


INTERPRETED = [probe for _, probe in newer() if not probe.op.startswith(tuple(MACHINE))]


@pytest.mark.parametrize("probe", INTERPRETED, ids=lambda probe: probe.op)
def test_what_is_written_is_what_is_meant(probe: Probe) -> None:
    memory = random.Random(1).randbytes(MEMORY)

    def launch(draw: random.Random) -> int:
        rows = operands.words(probe, 0, draw)
        state = warp.State(bytearray(memory), rows)
        want = expected(probe, state)
        got, left = run(probe, rows, memory)
        compare(probe, got, want, rows)
        assert left == state.memory
        return sum(answer is not None for column in want.values() for answer in column) or not probe.kinds

    drive(probe, launch)


def test_every_pattern_is_driven() -> None:
    """Run on the model, in a kernel of its own or with blocks around it; interpreted; or named with a reason."""
    run = {row.tree for row, probe in driven() if not UNTAKEN.fullmatch(probe.op)}
    blocks = {row.tree for row in all_rows() if row.tree.startswith(ALONE)}
    interpreted = {row.tree for row, probe in newer() if not probe.op.startswith(tuple(MACHINE))}
    rest = {row.tree for row in all_rows()} - run - blocks - interpreted
    assert all(tree.startswith(tuple(MACHINE)) for tree in rest)
    assert (len(run), len(blocks), len(interpreted), len(rest)) == (804, 5, 24, 17)
