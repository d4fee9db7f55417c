"""Random structured programs: variables, assignments in parallel, if, counted loops, switch; LLVM IR and exact result.

They exercise what expressions do not: phis, critical edges, swaps, loop-carried values, branches. Every variable is an
i32; each thread starts from its row of four argument slots and stores all variables at the end.
"""

from __future__ import annotations

from typing import Any

import attrs
from hypothesis import strategies as st

from minicc.numbers import signed

VARIABLES = 4
MASK = 0xFFFFFFFF


@attrs.frozen
class Assign:
    """(targets) = (values): each value is (op, a, b) over variables or constants, all read before any is written."""

    targets: tuple[int, ...]
    values: tuple[tuple[str, int | str, int | str], ...]


@attrs.frozen
class If:
    """Condition (predicate, a, b) on variables or constants."""

    condition: tuple[str, int | str, int | str]
    then: tuple[Any, ...]
    other: tuple[Any, ...]


@attrs.frozen
class Loop:
    """`count` iterations (below 8) or until the condition holds at the end of one."""

    count: int
    until: tuple[str, int | str, int | str]
    body: tuple[Any, ...]


@attrs.frozen
class Switch:
    """Cases on a variable's low bits."""

    variable: int
    mask: int
    cases: tuple[tuple[Any, ...], ...]
    fall: bool


_OPS = ("add", "sub", "mul", "and", "or", "xor", "copy")
_PREDICATES = ("eq", "ne", "ult", "ugt", "slt", "sgt", "sle", "uge")


@st.composite
def programs(draw: st.DrawFn, depth: int = 3) -> tuple[Any, ...]:
    """A list of statements."""
    operand = st.one_of(st.integers(0, VARIABLES - 1).map(lambda v: f"v{v}"), st.integers(0, 20), st.integers(0, MASK))
    condition = st.tuples(st.sampled_from(_PREDICATES), st.integers(0, VARIABLES - 1).map(lambda v: f"v{v}"), operand)

    def statement(left: int) -> Any:
        choice = draw(st.integers(0, 5)) if left else 0
        if choice <= 2:
            targets = draw(st.lists(st.integers(0, VARIABLES - 1), min_size=1, max_size=3, unique=True))
            swap = draw(st.booleans())
            values: list[tuple[str, int | str, int | str]] = []
            for position, _ in enumerate(targets):
                if swap:
                    values.append(("copy", f"v{targets[(position + 1) % len(targets)]}", 0))
                else:
                    values.append((draw(st.sampled_from(_OPS)), draw(operand), draw(operand)))
            return Assign(tuple(targets), tuple(values))
        if choice == 3:
            return If(draw(condition), block(left - 1), block(left - 1))
        if choice == 4:
            return Loop(draw(st.integers(1, 7)), draw(condition), block(left - 1))
        mask = draw(st.sampled_from((3, 7)))
        cases = tuple(block(left - 1) for _ in range(draw(st.integers(1, mask))))
        return Switch(draw(st.integers(0, VARIABLES - 1)), mask, cases, draw(st.booleans()))

    def block(left: int) -> tuple[Any, ...]:
        return tuple(statement(left) for _ in range(draw(st.integers(1, 3))))

    return block(depth)


def evaluate(program: tuple[Any, ...], row: list[int]) -> list[int]:
    """Final variables."""
    state = [value & MASK for value in row[:VARIABLES]]

    def read(operand: int | str) -> int:
        return state[int(operand[1:])] if isinstance(operand, str) else operand

    def holds(condition: tuple[str, int | str, int | str]) -> bool:
        pred, x, y = condition
        a, b = read(x), read(y)
        if pred[0] == "s":
            a, b = signed(a, 32), signed(b, 32)
        kind = pred if pred in ("eq", "ne") else pred[1:]
        return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[kind]

    def compute(op: str, a: int, b: int) -> int:
        return {"add": a + b, "sub": a - b, "mul": a * b, "and": a & b, "or": a | b, "xor": a ^ b, "copy": a}[op] & MASK

    def run(statements: tuple[Any, ...]) -> None:
        for s in statements:
            if isinstance(s, Assign):
                values = [compute(op, read(a), read(b)) for op, a, b in s.values]
                for target, value in zip(s.targets, values, strict=True):
                    state[target] = value
            elif isinstance(s, If):
                run(s.then if holds(s.condition) else s.other)
            elif isinstance(s, Loop):
                for _ in range(s.count):
                    run(s.body)
                    if holds(s.until):
                        break
            else:
                chosen = state[s.variable] & s.mask
                while chosen < len(s.cases):
                    run(s.cases[chosen])
                    if not s.fall:
                        break
                    chosen += 1

    run(program)
    return state


def to_ir(program: tuple[Any, ...], name: str = "kernel") -> str:
    """A kernel `void name(ptr in, ptr out)` over rows of VARIABLES 64-bit slots; results the same."""
    lines: list[str] = []
    counter = 0

    def fresh(prefix: str = "t") -> str:
        nonlocal counter
        counter += 1
        return f"{prefix}{counter}"

    def emit(text: str) -> None:
        lines.append(f"  {text}")

    def value(text: str) -> str:
        register = "%" + fresh()
        emit(f"{register} = {text}")
        return register

    def read(operand: int | str) -> str:
        if isinstance(operand, str):
            return value(f"load i32, ptr %{operand}")
        return str(signed(operand, 32))

    def holds(condition: tuple[str, int | str, int | str]) -> str:
        return value(f"icmp {condition[0]} i32 {read(condition[1])}, {read(condition[2])}")

    def run(statements: tuple[Any, ...]) -> None:
        for s in statements:
            if isinstance(s, Assign):
                values = []
                for op, a, b in s.values:
                    text = f"add i32 {read(a)}, 0" if op == "copy" else f"{op} i32 {read(a)}, {read(b)}"
                    values.append(value(text))
                for target, result in zip(s.targets, values, strict=True):
                    emit(f"store i32 {result}, ptr %v{target}")
            elif isinstance(s, If):
                then, other, end = fresh("then"), fresh("else"), fresh("end")
                emit(f"br i1 {holds(s.condition)}, label %{then}, label %{other}")
                for label, body in ((then, s.then), (other, s.other)):
                    lines.append(f"{label}:")
                    run(body)
                    emit(f"br label %{end}")
                lines.append(f"{end}:")
            elif isinstance(s, Loop):
                head, end, count = fresh("loop"), fresh("end"), "%" + fresh("count")
                allocas.append(f"  {count} = alloca i32")
                emit(f"store i32 0, ptr {count}")
                emit(f"br label %{head}")
                lines.append(f"{head}:")
                run(s.body)
                done = holds(s.until)
                after = value(f"add i32 {value(f'load i32, ptr {count}')}, 1")
                emit(f"store i32 {after}, ptr {count}")
                last = value(f"icmp uge i32 {after}, {s.count}")
                leave = value(f"or i1 {done}, {last}")
                emit(f"br i1 {leave}, label %{end}, label %{head}")
                lines.append(f"{end}:")
            else:
                labels = [fresh("case") for _ in s.cases]
                end = fresh("end")
                masked = value(f"and i32 {read(f'v{s.variable}')}, {s.mask}")
                table = " ".join(f"i32 {i}, label %{label}" for i, label in enumerate(labels))
                emit(f"switch i32 {masked}, label %{end} [ {table} ]")
                for index, (label, body) in enumerate(zip(labels, s.cases, strict=True)):
                    lines.append(f"{label}:")
                    run(body)
                    follow = labels[index + 1] if s.fall and index + 1 < len(labels) else end
                    emit(f"br label %{follow}")
                lines.append(f"{end}:")

    allocas = [f"  %v{i} = alloca i32" for i in range(VARIABLES)]
    run(program)
    setup = []
    finish = []
    for i in range(VARIABLES):
        setup += [
            f"  %p{i} = getelementptr i64, ptr %row, i64 {i}",
            f"  %a{i} = load i64, ptr %p{i}, align 8",
            f"  %b{i} = trunc i64 %a{i} to i32",
            f"  store i32 %b{i}, ptr %v{i}",
        ]
        finish += [
            f"  %f{i} = load i32, ptr %v{i}",
            f"  %g{i} = zext i32 %f{i} to i64",
            f"  %q{i} = getelementptr i64, ptr %to, i64 {i}",
            f"  store i64 %g{i}, ptr %q{i}, align 8",
        ]
    head = (
        'target triple = "nvptx64-nvidia-cuda"\n\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\n'
        f"define ptx_kernel void @{name}(ptr %in, ptr %out) {{\n"
        "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %i = zext i32 %tid to i64\n"
        f"  %first = mul i64 %i, {VARIABLES}\n  %row = getelementptr i64, ptr %in, i64 %first\n"
        "  %to = getelementptr i64, ptr %out, i64 %first\n"
    )
    return head + "\n".join([*allocas, *setup, *lines, *finish, "  ret void", "}", ""])
