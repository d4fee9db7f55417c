"""Texture and surface objects: what include/std/texture.h calls becomes PTX's tex, tld4, suld and sust.

    __tex_fetch(kind, element, bytes, geometry, extra, memory, object, layer, x, y, z, level, dx (3), dy (3))
    __surf_access(store, mode, element, bytes, geometry, memory, object, layer, x, y, z)

Up to `geometry` (and `extra`) the arguments are constants: `kind` 0 float, 1 signed, 2 unsigned; `element` and `bytes`
the sizes of an element and of all at `memory`; `geometry` indexes _GEOMETRIES, `extra` and `mode` their tables. The
operands are those of the PTX ISA, "tex", "tld4", "suld", "sust"; of 3D and 2D-array coordinates the last is given
twice, as nvcc does.
"""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend.emit.module import ALONE
from minicc.frontend.emit.values import Values

# Name, coordinates (l: the layer, an integer).
_GEOMETRIES = (("1d", "l"), ("1d", "x"), ("2d", "xy"), ("3d", "xyzz"), ("a1d", "lx"), ("a2d", "lxyy"), ("cube", "xyzz"),
               ("acube", "lxyz"))  # fmt: skip
_GATHER = "rgba"
_MODES = ("zero", "clamp", "trap")
_KINDS = (("f32", "float", "f"), ("s32", "i32", "r"), ("u32", "i32", "r"))
_ELEMENTS = {1: ("b8", "i16", "h"), 2: ("b16", "i16", "h"), 4: ("b32", "i32", "r"), 8: ("b64", "i64", "l")}
_VECTORS = {1: "", 2: ".v2", 4: ".v4"}


class _Operands:
    """Inputs of one asm statement: each value once."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.types: list[str] = []
        self.letters: list[str] = []

    def use(self, value: str, letter: str) -> str:
        if value not in self.types:
            self.types.append(value)
            self.letters.append(letter)
        return f"${self.first + self.types.index(value)}"

    def call(self, v: Values, text: str, outputs: list[str], letter: str, effect: bool) -> str:
        whole = f"{{ {', '.join(outputs)} }}" if len(outputs) > 1 else (outputs or ["void"])[0]
        constraints = [f"={letter}"] * len(outputs) + self.letters + (["~{memory}"] if effect else [])
        how = " sideeffect" if effect else ""
        return f'call {whole} asm{how} "{text}", "{",".join(constraints)}"({", ".join(self.types)}) {ALONE}'


def texture(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    kind, element, size, geometry, extra = (int(x) for x in a[:5])
    name, coordinates = _GEOMETRIES[geometry]
    memory, handle = a[5:7]
    values = dict(zip("lxyz", a[7:11], strict=True))
    ops = _Operands(4)
    place = f"[{ops.use(f'i64 {handle}', 'l')}, {{"
    place += ", ".join(
        ops.use(f"{'i32' if c == 'l' else 'float'} {values[c]}", "r" if c == "l" else "f") for c in coordinates
    )
    place += "}]"
    prefix = "tex"
    if extra == 1:
        prefix, place = "tex.level", f"{place}, {ops.use(f'float {a[11]}', 'f')}"
    elif extra == 2:
        prefix = "tex.grad"
        parts = coordinates.replace("l", "")
        parts = "xyzz" if "z" in parts else parts[: 2 if "y" in parts else 1]
        for gradient in (a[12:15], a[15:18]):
            place += ", {" + ", ".join(ops.use(f"float {gradient['xyz'.index(c)]}", "f") for c in parts) + "}"
    elif extra >= 3:
        prefix = f"tld4.{_GATHER[extra - 3]}"
    code, llvm, letter = _KINDS[kind]
    coordinate = "s32" if geometry == 0 else "f32"
    text = f"{prefix}.{name}.v4.{code}.{coordinate} {{$0, $1, $2, $3}}, {place};"
    made = v.make(ops.call(v, text, [llvm] * 4, letter, False))
    for i in range(size // element):
        part = v.make(f"extractvalue {{ {', '.join([llvm] * 4)} }} {made}, {i}")
        into = llvm
        if kind and element != 4:
            into = f"i{8 * element}"
            change = "trunc" if element < 4 else "sext" if kind == 1 else "zext"
            part = v.make(f"{change} i32 {part} to {into}")
        v.emit(f"store {into} {part}, ptr {v.offset(memory, element * i)}, align {element}")
    return ""


def surface(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    store, mode, element, size, geometry = (int(x) for x in a[:5])
    name, coordinates = _GEOMETRIES[geometry]
    memory, handle = a[5:7]
    values = dict(zip("lxyz", a[7:11], strict=True))
    bits, llvm, letter = _ELEMENTS[element]
    count = size // element
    ops = _Operands(0 if store else count)
    place = (
        f"[{ops.use(f'i64 {handle}', 'l')}, {{"
        + ", ".join(ops.use(f"i32 {values[c]}", "r") for c in coordinates)
        + "}]"
    )
    plain = f"i{8 * element}"
    if store:
        parts = []
        for i in range(count):
            part = v.make(f"load {plain}, ptr {v.offset(memory, element * i)}, align {element}")
            part = v.make(f"zext i8 {part} to i16") if element == 1 else part
            parts.append(ops.use(f"{llvm} {part}", letter))
        text = f"sust.b.{name}{_VECTORS[count]}.{bits}.{_MODES[mode]} {place}, {{{', '.join(parts)}}};"
        v.emit(ops.call(v, text, [], letter, True))
        return ""
    into = ", ".join(f"${i}" for i in range(count))
    text = f"suld.b.{name}{_VECTORS[count]}.{bits}.{_MODES[mode]} {{{into}}}, {place};"
    made = v.make(ops.call(v, text, [llvm] * count, letter, True))
    for i in range(count):
        part = made if count == 1 else v.make(f"extractvalue {{ {', '.join([llvm] * count)} }} {made}, {i}")
        part = v.make(f"trunc i16 {part} to i8") if element == 1 else part
        v.emit(f"store {plain} {part}, ptr {v.offset(memory, element * i)}, align {element}")
    return ""
