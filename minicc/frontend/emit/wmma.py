"""nvcuda::wmma: what include/mma.h calls, with shape, types and layouts as constants, becomes wmma.* instructions.

    __wmma_load(use, m, n, k, type, layout, registers, memory, stride)     use 0 a, 1 b, 2 c; layout 0 row, 1 column
    __wmma_store(m, n, k, type, layout, registers, memory, stride)
    __wmma_mma(m, n, k, type, result, addend, layout of a, of b, mode, d, a, b, c)

`type` indexes _TYPES; `mode` 1 saturates, of single bits 2 counts the differing ones, 3 the common ones; registers
are pointers to what the fragment holds (PTX ISA, "wmma": the numbers of registers).
"""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend.emit.module import asm_attributes
from minicc.frontend.emit.values import Values

# Name in PTX, LLVM type and constraint of a register, elements a register.
_TYPES = (
    ("f16", "i32", "r", 2), ("bf16", "i32", "r", 2), ("tf32", "i32", "r", 1), ("f32", "float", "f", 1),
    ("f64", "double", "d", 1), ("s8", "i32", "r", 4), ("u8", "i32", "r", 4), ("s32", "i32", "r", 1),
    ("s4", "i32", "r", 8), ("u4", "i32", "r", 8), ("b1", "i32", "r", 32),
)  # fmt: skip
_LAYOUT = ("row", "col")
_BITS = {2: ".xor.popc", 3: ".and.popc"}


def _count(use: int, m: int, n: int, k: int, kind: int) -> int:
    """Registers of a fragment."""
    elements = (m * k, n * k, m * n)[use] // 32
    if kind == 0 and use != 2:
        elements = 16
    return elements // _TYPES[kind][3]


def _read(v: Values, pointer: str, count: int, kind: int) -> list[str]:
    llvm = _TYPES[kind][1]
    size = 8 if llvm == "double" else 4
    return [v.make(f"load {llvm}, ptr {v.offset(pointer, size * i)}, align {size}") for i in range(count)]


def _write(v: Values, made: str, pointer: str, count: int, kind: int) -> None:
    llvm = _TYPES[kind][1]
    size = 8 if llvm == "double" else 4
    whole = llvm if count == 1 else "{ " + ", ".join([llvm] * count) + " }"
    for i in range(count):
        part = made if count == 1 else v.make(f"extractvalue {whole} {made}, {i}")
        v.emit(f"store {llvm} {part}, ptr {v.offset(pointer, size * i)}, align {size}")


def _asm(v: Values, text: str, out: int, kind: int, constraints: list[str], args: list[str], effect: bool) -> str:
    llvm, letter = _TYPES[kind][1:3]
    whole = "void" if out == 0 else llvm if out == 1 else "{ " + ", ".join([llvm] * out) + " }"
    all_ = ",".join([f"={letter}"] * out + constraints + (["~{memory}"] if effect else []))
    how = " sideeffect" if effect else ""
    call = f'call {whole} asm{how} "{text}", "{all_}"({", ".join(args)}) {asm_attributes(text)}'
    if out:
        return v.make(call)
    v.emit(call)
    return ""


def _list(first: int, count: int) -> str:
    return "{" + ", ".join(f"${first + i}" for i in range(count)) + "}"


def emit(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    numbers = [int(x) for x in a[: {"load": 6, "store": 5, "mma": 9}[d[0]]]]
    rest = a[len(numbers) :]
    if d[0] == "load":
        use, m, n, k, kind, layout = numbers
        count = _count(use, m, n, k, kind)
        name = f"wmma.load.{'abc'[use]}.sync.aligned.{_LAYOUT[layout]}.m{m}n{n}k{k}.{_TYPES[kind][0]}"
        text = f"{name} {_list(0, count)}, [${count}], ${count + 1};"
        made = _asm(v, text, count, kind, ["l", "r"], [f"ptr {rest[1]}", f"i32 {rest[2]}"], True)
        _write(v, made, rest[0], count, kind)
    elif d[0] == "store":
        m, n, k, kind, layout = numbers
        count = _count(2, m, n, k, kind)
        _, llvm, letter, _ = _TYPES[kind]
        parts = _read(v, rest[0], count, kind)
        name = f"wmma.store.d.sync.aligned.{_LAYOUT[layout]}.m{m}n{n}k{k}.{_TYPES[kind][0]}"
        args = [f"ptr {rest[1]}", *(f"{llvm} {p}" for p in parts), f"i32 {rest[2]}"]
        _asm(v, f"{name} [$0], {_list(1, count)}, ${count + 1};", 0, kind, ["l", *[letter] * count, "r"], args, True)
    else:
        m, n, k, kind, result, addend, row, column, how = numbers
        counts = [_count(0, m, n, k, kind), _count(1, m, n, k, kind), _count(2, m, n, k, addend)]
        out = _count(2, m, n, k, result)
        kinds = [kind, kind, addend]
        args, constraints, lists, at = [], [], [], out
        for count, of, pointer in zip(counts, kinds, rest[1:], strict=True):
            _, llvm, letter, _ = _TYPES[of]
            args += [f"{llvm} {p}" for p in _read(v, pointer, count, of)]
            constraints += [letter] * count
            lists.append(_list(at, count))
            at += count
        types = f"{_TYPES[result][0]}.{_TYPES[addend][0]}"
        if kind != 0:
            types = f"{_TYPES[result][0]}.{_TYPES[kind][0]}.{_TYPES[kind][0]}.{_TYPES[addend][0]}"
        mode = ".rn" if kind == 4 else ""
        name = f"wmma.mma{_BITS.get(how, '')}.sync.aligned.{_LAYOUT[row]}.{_LAYOUT[column]}.m{m}n{n}k{k}{mode}.{types}"
        name += ".satfinite" if how == 1 else ""
        made = _asm(v, f"{name} {_list(0, out)}, {', '.join(lists)};", out, result, constraints, args, True)
        _write(v, made, rest[0], out, result)
    return ""
