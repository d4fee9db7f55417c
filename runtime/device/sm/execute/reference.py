"""Plain-Python execution of one instruction: slow, simple, exact; what the LLVM functions are tested against.

`execute(bound, state, mask)` reads a warp state (see `abi`) and returns what would be written, without writing:
a list of rows, one per result: 32 ints for R, one int (lane bits) for P, one int for UR/UP. `commit` writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minicc.numbers import signed
from minicc.sass.semantics.expr import E
from runtime.device.sm.execute import abi
from runtime.device.sm.execute import reference_float as fp
from runtime.device.sm.execute.codegen import Bound
from runtime.device.sm.execute.codegen_llvm import register_slots, value_slots

Row = list[int] | int


_PLAIN: dict[str, Callable[[E, Sequence[int]], int]] = {
    "add": lambda e, a: a[0] + a[1],
    "sub": lambda e, a: a[0] - a[1],
    "mul": lambda e, a: a[0] * a[1],
    "and": lambda e, a: a[0] & a[1],
    "or": lambda e, a: a[0] | a[1],
    "xor": lambda e, a: a[0] ^ a[1],
    "shl": lambda e, a: a[0] << _amount(e, a[1]),
    "lshr": lambda e, a: a[0] >> _amount(e, a[1]),
    "ashr": lambda e, a: signed(a[0], e.width) >> _amount(e, a[1]),
    "eq": lambda e, a: int(a[0] == a[1]),
    "ult": lambda e, a: int(a[0] < a[1]),
    "ule": lambda e, a: int(a[0] <= a[1]),
    "slt": lambda e, a: int(signed(a[0], e.args[0].width) < signed(a[1], e.args[0].width)),
    "sle": lambda e, a: int(signed(a[0], e.args[0].width) <= signed(a[1], e.args[0].width)),
    "select": lambda e, a: a[1] if a[0] else a[2],
    "zext": lambda e, a: a[0],
    "sext": lambda e, a: signed(a[0], e.args[0].width),
    "trunc": lambda e, a: a[0],
    "ctpop": lambda e, a: a[0].bit_count(),
    "ctlz": lambda e, a: e.width - a[0].bit_length(),
    "cttz": lambda e, a: (a[0] & -a[0]).bit_length() - 1 if a[0] else e.width,
    "bitreverse": lambda e, a: int(format(a[0], f"0{e.width}b")[::-1], 2),
    "fadd": lambda e, a: fp.add(e.attr[0], a[0], a[1], e.attr[1]),
    "fmul": lambda e, a: fp.mul(e.attr[0], a[0], a[1], e.attr[1]),
    "fma": lambda e, a: fp.fma(e.attr[0], a[0], a[1], a[2], e.attr[1]),
    "fcmp": lambda e, a: int(fp.compare(e.attr[0], e.attr[1], a[0], a[1])),
    "fext": lambda e, a: fp.convert("f32", "f64", a[0], "RN"),
    "ftrunc": lambda e, a: fp.convert("f64", "f32", a[0], e.attr),
    "frint": lambda e, a: fp.round_integral(e.attr[0], a[0], e.attr[1]),
    "itof": lambda e, a: fp.from_integer(e.attr[0], signed(a[0], e.args[0].width) if e.attr[1] else a[0], e.attr[2]),
    "ftoi": lambda e, a: fp.to_int_saturating(e.attr[0], a[0], e.width, e.attr[1]),
    "table": lambda e, a: e.attr[a[0]],
}


def _amount(e: E, amount: int) -> int:
    if amount >= e.width:
        raise ValueError(f"{e.op} of {e.width} bits by {amount}")
    return amount


_REDUCTIONS: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda x, y, w: (x + y) & ((1 << w) - 1),
    "and": lambda x, y, w: x & y,
    "or": lambda x, y, w: x | y,
    "xor": lambda x, y, w: x ^ y,
    "umin": lambda x, y, w: min(x, y),
    "umax": lambda x, y, w: max(x, y),
    "smin": lambda x, y, w: min(x, y, key=lambda v: signed(v, w)),
    "smax": lambda x, y, w: max(x, y, key=lambda v: signed(v, w)),
}


class _Evaluation:
    """All lanes of all nodes, each computed once: 32 ints a node."""

    def __init__(self, bound: Bound, state: Any, mask: int):
        assert bound.form is not None
        self.form, self.state, self.mask = bound.form, state, mask
        self.operands = bound.operands
        self.src = {n: int(bound.operands["src"][k]) for k, n in enumerate(register_slots(self.form))}
        self.imm = {n: int(bound.operands["imm"][k]) for k, n in enumerate(value_slots(self.form))}
        self.active = [i for i in range(abi.LANES) if mask >> i & 1]
        self.done: dict[int, list[int]] = {}
        self.round = 0

    def word(self, at: int) -> int:
        return int(self.state[at])

    def source(self, e: E) -> list[int]:
        slot = self.form.slots[e.attr]
        lanes = range(abi.LANES)
        match slot.kind:
            case "K":
                return [self.imm[e.attr] & ((1 << slot.width) - 1)] * abi.LANES
            case "R" | "SPECIAL":
                at = self.src[e.attr] if slot.kind == "R" else abi.SPECIAL_ROW * abi.LANES
                rows = range(slot.width // 32)
                return [sum(self.word(at + 32 * r + lane) << 32 * r for r in rows) for lane in lanes]
            case "U":
                at = self.src[e.attr]
                return [sum(self.word(at + r) << 32 * r for r in range(slot.width // 32))] * abi.LANES
            case "P":
                word = self.word(self.src[e.attr])
                return [word >> lane & 1 for lane in lanes]
            case "PR":
                word = self.word(abi.P + int(slot.part))
                return [word >> lane & 1 for lane in lanes]
            case _:
                at = abi.UP + int(slot.part) if slot.kind == "UPR" else self.src[e.attr]
                return [int(self.word(at) != 0)] * abi.LANES

    def value(self, root: E) -> list[int]:
        stack = [root]
        while stack:
            e = stack[-1]
            if id(e) in self.done:
                stack.pop()
                continue
            missing = [a for a in e.args if id(a) not in self.done]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self.done[id(e)] = self.node(e)
        return self.done[id(root)]

    def node(self, e: E) -> list[int]:
        lanes = range(abi.LANES)
        full = (1 << e.width) - 1
        arguments = [self.done[id(a)] for a in e.args]
        match e.op:
            case "const":
                return [e.attr] * abi.LANES
            case "src":
                return self.source(e)
            case "lane":
                return list(lanes)
            case "active":
                return [self.mask] * abi.LANES
            case "round":
                return [self.round] * abi.LANES
            case "gather":
                at = self.src[e.attr]
                return [self.word(at + lane) for lane in arguments[0]]
            case "ballot":
                return [sum(arguments[0][i] << i for i in self.active)] * abi.LANES
            case "first":
                return [arguments[0][self.active[0] if self.active else 0]] * abi.LANES
            case "match":
                x = arguments[0]
                return [sum(1 << i for i in self.active if x[i] == x[lane]) for lane in lanes]
            case "reduce":
                total = arguments[0][self.active[0]]
                for i in self.active[1:]:
                    total = _REDUCTIONS[e.attr](total, arguments[0][i], e.width)
                return [total] * abi.LANES
            case op:
                function = _PLAIN[op]
                if not e.vec:
                    return [function(e, [a[0] for a in arguments]) & full] * abi.LANES
                return [function(e, [a[lane] for a in arguments]) & full for lane in lanes]


def execute(bound: Bound, state: Any, mask: int = 0xFFFFFFFF) -> list[Row]:
    """Result rows (for a memory instruction: rows of 32 addresses)."""
    evaluation = _Evaluation(bound, state, mask)
    form = evaluation.form
    out: list[Row] = []
    per_round: list[list[list[int]]] = []
    for r in range(form.rounds):
        evaluation.round = r
        evaluation.done.clear()
        per_round.append([evaluation.value(result.value) for result in form.results])
    for k, result in enumerate(form.results):
        for r in range(form.rounds):
            lanes = per_round[r][k]
            if result.file in ("R", "ADDRESS"):
                out.append(list(lanes))
            elif result.file == "P":
                out.append(sum(bit << i for i, bit in enumerate(lanes)))
            else:
                out.append(lanes[0] * 0xFFFFFFFF if result.file == "UP" else lanes[0])
    return out


def commit(bound: Bound, rows: Sequence[Row], state: Any, mask: int = 0xFFFFFFFF) -> None:
    """Writes the rows of `execute` into the state, merging by `mask`."""
    for k, ((file, _), row) in enumerate(zip(bound.results, rows, strict=True)):
        at = int(bound.operands["dst"][k])
        if isinstance(row, list):
            for lane in range(abi.LANES):
                if mask >> lane & 1:
                    state[at + lane] = np.uint32(row[lane])
        elif file == "P":
            state[at] = np.uint32((int(state[at]) & ~mask) | (row & mask))
        else:
            state[at] = np.uint32(row)
