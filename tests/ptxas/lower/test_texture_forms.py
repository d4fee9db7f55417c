"""Texture and surface instructions in all their forms, a random choice of them: what NVIDIA's ptxas takes is taken,
what it refuses is refused, and the machine's instructions are its, but for registers.

All of them (ptxas crashes on sured.xor, .inc and .exch):  PYTHONPATH=. python tests/ptxas/lower/test_texture_forms.py
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import runtime
from minicc import arch, binary, ptx, ptxas
from minicc.diagnostics import CompileError, SourceFile
from minicc.ptx import isa
from minicc.ptx.model import Inst
from minicc.ptxas.options import Options
from minicc.sass import assembler, decode, format, listing
from minicc.sass.program import Program
from tests.conftest import PTXAS, needs_ptxas

SM = arch.get("sm_90a")
COORDINATES = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 3, "acube": 3, "2dms": 2, "a2dms": 2}
RESULTS = {
    "f16x2": ("v2", "{%r20,%r21}"),
    "f16": ("v4", "{%h20,%h21,%h22,%h23}"),
    "f32": ("v4", "{%f20,%f21,%f22,%f23}"),
}
WORDS = ("v4", "{%r20,%r21,%r22,%r23}")
REGISTER = {"b8": "h", "b16": "h", "b32": "r", "u32": "r", "s32": "r", "f32": "f", "b64": "d", "u64": "d", "s64": "d"}
KINDS = {"h": "b16", "r": "b32", "f": "f32", "d": "b64", "p": "pred"}
MODES = {  # .target options, texture, surface
    "handles": ("", "%d0", "%d0"),
    "names": ("", "TT", "SS"),
    "independent": (", texmode_independent", "%d0, %d1", "%d0"),
    "independent names": (", texmode_independent", "TT, MM", "SS"),
}
NAMED = (
    "tex.2d.v4.f32.f32 {%f20,%f21,%f22,%f23}, [TT, MM, {%f0,%f1}]; sust.b.1d.b32.trap [SS, {%r0}], {%r1};"
    "txq.filter_mode.b32 %r2, [MM];"
)
SPECIAL = re.compile(r"(TEX|TLD|TLD4|TXD|TXQ|SULD|SUST|SURED)\b")


def braced(items: list[str], four: bool = False) -> str:
    return "{" + ",".join([*items, items[-1]] if four else items) + "}"


def coordinates(shape: str, letter: str) -> str:
    sample = ["%r9"] if shape.endswith("ms") else []
    lead = sample + (["%r8"] if shape[0] == "a" else [])
    found = lead + [f"%{letter}{k}" for k in range(COORDINATES[shape])]
    return braced(found, len(found) == 3)


def fetches(texture: str) -> Iterator[str]:
    types = (*RESULTS, "u32", "s32")
    for mip, shape, dtype, ctype, resident, offsets, depth in product(
        ("", "base.", "level.", "grad."), COORDINATES, types, ("s32", "f32"), ("", "|%p1"), (0, 1, 2), (0, 1)
    ):
        letter = "f" if ctype == "f32" else "r"
        count, three = COORDINATES[shape], COORDINATES[shape] == 3
        width, out = RESULTS.get(dtype, WORDS)
        operands = [out + resident, f"[{texture}, {coordinates(shape, letter)}]"]
        if mip == "level.":
            operands.append(f"%{letter}10")
        if mip == "grad.":
            operands += [braced([f"%f{at + k}" for k in range(count)], three) for at in (11, 15)]
        if offsets:
            operands.append(braced([f"%r{4 + k}" if offsets == 2 else f"{(1, -2, 3)[k]}" for k in range(count)], three))
        yield f"tex.{mip}{shape}.{width}.{dtype}.{ctype} {', '.join(operands + ['%f9'] * depth)};"
    for part, shape, dtype, resident, offsets, depth in product(
        "rgba", ("1d", "2d", "3d", "a2d", "cube", "acube"), types, ("", "|%p1"), (0, 1, 2), (0, 1)
    ):
        width, out = RESULTS.get(dtype, WORDS)
        operands = [out + resident, f"[{texture}, {coordinates(shape, 'f')}]"]
        operands += [("", "{1,-2}", "{%r4,%r5}")[offsets]] if offsets else []
        yield f"tld4.{part}.{shape}.{width}.{dtype}.f32 {', '.join(operands + ['%f9'] * depth)};"


def queries(texture: str, surface: str) -> Iterator[str]:
    about = ("width", "height", "depth", "channel_data_type", "channel_order", "array_size", "memory_layout")
    for what in (*about, "normalized_coords", "num_mipmap_levels", "num_samples", "filter_mode", "addr_mode_1"):
        place = texture.split(", ")[-1 if what in ("filter_mode", "addr_mode_1") else 0]
        yield f"txq.{what}.b32 %r20, [{place}];"
        yield f"txq.level.{what}.b32 %r20, [{place}], %r10;"
        yield f"suq.{what}.b32 %r20, [{surface}];"
    yield from (f"istypep.{kind} %p1, %d0;" for kind in ("texref", "samplerref", "surfref"))


def surfaces(surface: str) -> Iterator[str]:
    shapes, outside = ("1d", "2d", "3d", "a1d", "a2d", "cube"), (".trap", ".clamp", ".zero", "")
    for shape, order, vector, type_, clamp in product(
        shapes, ("", ".ca", ".cg", ".cs", ".cv", ".wb", ".wt"), ("", ".v2", ".v4"), REGISTER, outside
    ):
        data = braced([f"%{REGISTER[type_]}{20 + k}" for k in range({"": 1, ".v2": 2, ".v4": 4}[vector])])
        place = f"[{surface}, {coordinates(shape, 'r')}]"
        for kind in "bp":
            mods = f".{kind}.{shape}{order}{vector}.{type_}{clamp}"
            yield f"suld{mods} {data}, {place};"
            yield f"sust{mods} {place}, {data};"
    for kind, operation, shape, type_, clamp in product(
        "bp", ("add", "min", "max", "and", "or"), shapes, REGISTER, outside
    ):
        place = f"[{surface}, {coordinates(shape, 'r')}]"
        yield f"sured.{kind}.{operation}.{shape}.{type_}{clamp} {place}, %{REGISTER[type_]}20;"


def head(mode: str) -> str:
    independent = MODES[mode][0]
    sampler = ".global .samplerref MM;\n" if independent else ""
    machine = f".version 9.0\n.target sm_90a{independent}\n.address_size 64\n"
    return f"{machine}.global .texref TT;\n.global .surfref SS;\n{sampler}"


def kernel(name: str, text: str) -> str:
    """What the instruction reads comes from memory, what it writes goes there."""
    found = sorted(set(re.findall(r"%[hrfd]\d+", text)) - {"%d0", "%d1"})
    lines = [
        f".visible .entry {name}(.param .u64 h, .param .u64 s, .param .u64 in, .param .u64 out) {{",
        ".reg .pred %p<4>; .reg .b16 %h<32>; .reg .b32 %r<32>; .reg .f32 %f<32>; .reg .b64 %d<32>;",
        "ld.param.u64 %d0,[h]; ld.param.u64 %d1,[s]; ld.param.u64 %d2,[in]; ld.param.u64 %d3,[out];",
        *(f"ld.global.{KINDS[r[1]]} {r}, [%d2+{8 * int(r[2:])}];" for r in found),
        text,
        *(f"st.global.{KINDS[r[1]]} [%d3+{8 * int(r[2:])}], {r};" for r in found if int(r[2:]) >= 20),
    ]
    if "%p1" in text:
        lines.append("selp.b32 %r0, 1, 0, %p1; st.global.b32 [%d3+8], %r0;")
    return "\n".join([*lines, "ret; }\n"])


def taken_by_nvidia(mode: str, forms: list[str], folder: Path) -> tuple[list[str], bytes]:
    """The forms that ptxas takes, and its cubin of them: kernels k0, k1, ..."""
    while True:
        texts = [head(mode), *(kernel(f"k{n}", form) for n, form in enumerate(forms))]
        (folder / "k.ptx").write_text("".join(texts))
        command = [PTXAS, "-arch=sm_90a", "k.ptx", "-o", "k.cubin"]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            return forms, (folder / "k.cubin").read_bytes()
        starts, at = [], 1
        for text in texts:
            starts.append(at)
            at += text.count("\n")
        wrong = {int(n) for n in re.findall(r"line (\d+)", result.stderr)}
        assert wrong, result.stderr
        ends = [*starts[2:], at]
        forms = [
            form
            for form, start, end in zip(forms, starts[1:], ends, strict=True)
            if not any(start <= n < end for n in wrong)
        ]


def taken_here(mode: str, form: str) -> bool:
    module = ptx.parse(SourceFile("k.ptx", head(mode) + kernel("k", form)))
    body = module.functions[0].body
    assert body is not None
    inst = next(i for i in body if isinstance(i, Inst) and i.opcode == re.split(r"\W", form)[0])
    return not list(isa.check(inst, lambda name: KINDS.get(name[1]), (9, 0), SM, 90))


def special(code: bytes) -> list[str]:
    """The instructions in question without register numbers and guards (ptxas reduces over a warp first), sorted."""
    found = (re.sub(r"\b(UR|R|UP|P)\d+\b", r"\1", line) for line in text(code) if SPECIAL.match(line))
    return sorted(found)


def text(code: bytes) -> list[str]:
    words = (int.from_bytes(code[at : at + 16], "little") for at in range(0, len(code), 16))
    return [re.sub(r"^@!?P\d ", "", format(decode(word, SM))) for word in words]


def compile_(mode: str, form: str) -> Program:
    return ptxas.assemble(ptx.parse(SourceFile("k.ptx", head(mode) + kernel("k", form))), SM, Options())


def compare(mode: str, forms: list[str], folder: Path) -> tuple[int, list[str], list[str]]:
    """(how many ptxas takes, those judged otherwise here, those whose instructions differ)"""
    taken, cubin = taken_by_nvidia(mode, forms, folder)
    known = set(taken)
    judged = [form for form in forms if taken_here(mode, form) != (form in known)]
    theirs = {f.name: f.code for f in binary.read_cubin(cubin, "k.cubin").functions}
    differ = []
    for n, form in enumerate(taken):
        ours = special(compile_(mode, form).functions[0].code)
        if ".f16" in form:  # ptxas asks for the parts that the halves need, here and there for all
            ours = [re.sub(r", 0x[0-9a-f]$", "", line) for line in ours]
        if ours != special(theirs[f"k{n}"]):
            differ.append(form)
    return len(taken), judged, differ


@needs_ptxas
@pytest.mark.parametrize("mode", MODES)
def test_as_nvidia_has_them(mode: str, tmp_path: Path) -> None:
    _, texture, surface = MODES[mode]
    draw = random.Random(mode)
    every = [*fetches(texture), *surfaces(surface)]
    chosen = [*draw.sample(every, 250), *queries(texture, surface)]
    taken, judged, differ = compare(mode, list(dict.fromkeys(chosen)), tmp_path)
    assert taken > 25
    assert not judged
    assert not differ


RESIDENT = "tex.2d.v4.f32.f32 {%f20,%f21,%f22,%f23}|%p1, [%d0, {%f0,%f1}];"


@needs_ptxas
def test_texels_that_are_there_are_resident(tmp_path: Path) -> None:
    """The machine's predicate says the contrary of PTX's; an H200 stores 1 here, too."""
    _, cubin = taken_by_nvidia("handles", [RESIDENT], tmp_path)
    ours = binary.write_cubin(compile_("handles", RESIDENT))
    device = runtime.Device("sm_90", timing=False)
    texture = device.texture(np.random.default_rng(1).random((8, 8)).astype(np.float32), filter="linear")
    results = []
    for image, name in ((cubin, "k0"), (ours, "k")):
        out = np.zeros(64, np.uint32)
        device.load(image)[name][1, 32](texture, np.uint64(0), np.full(64, 2.5, np.float32), out).wait()
        results.append(out.tolist())
    assert results[0] == results[1]
    assert results[1][2] == 1


def test_a_program_that_names_textures_is_not_loaded() -> None:
    with pytest.raises(CompileError, match="names 'TT'"):
        runtime.Device("sm_90", timing=False).load(binary.write_cubin(compile_("names", RESIDENT.replace("%d0", "TT"))))


@needs_ptxas
@pytest.mark.parametrize("mode", ["handles", "independent"])
def test_fields_of_descriptors(mode: str, tmp_path: Path) -> None:
    """The place in the descriptor, the table's address in bank 0, and the symbol of the stride."""
    _, texture, surface = MODES[mode]
    taken, cubin = taken_by_nvidia(mode, list(queries(texture, surface)), tmp_path)
    theirs = binary.read_cubin(cubin, "k.cubin")
    checked = 0
    for n, form in enumerate(taken):
        function = theirs.function(f"k{n}")
        place = next((m[1] for line in text(function.code) if (m := re.match(r"UIMAD .*, ([^ ;]+)", line))), None)
        if place is None:
            continue
        ours = compile_(mode, form).functions[0]
        loads = [m[1] or "0" for line in text(ours.code) if (m := re.search(r"CONSTANT .*64(?:\+(0x\w+))?\]", line))]
        assert [int(at, 16) for at in loads] == [0 if place == "URZ" else int(place, 16)], form
        tables = [re.findall(r"c\[0x0\]\[(0x(?:f0|f8|100))\]", "".join(text(f.code))) for f in (ours, function)]
        assert tables[0] == tables[1] != [], form
        assert [r.symbol for r in ours.relocations] == [r.symbol for r in function.relocations], form
        checked += 1
    assert checked >= 10


def test_names_of_textures_are_kept() -> None:
    """Through the cubin and through the listing."""
    program = compile_("independent names", NAMED)
    assert program.independent
    assert program.functions[0].headers == ["TT", "MM", "SS"]
    image = binary.write_cubin(program)
    back = binary.read_cubin(image, "k.cubin")
    again = assembler.assemble(SourceFile("k.sass", listing.disassemble(back)), SM)
    for one in (back, again):
        assert (one.independent, one.references) == (True, program.references)
        assert one.functions[0].headers == ["TT", "MM", "SS"]
        assert binary.write_cubin(one) == image


@needs_ptxas
def test_names_are_written_as_nvidia_writes_them(tmp_path: Path) -> None:
    taken, cubin = taken_by_nvidia("independent names", [NAMED], tmp_path)
    assert taken
    theirs = binary.read_cubin(cubin, "k.cubin")
    ours = compile_("independent names", NAMED)
    assert ours.references == theirs.references
    assert sorted(ours.functions[0].headers) == sorted(theirs.functions[0].headers)
    assert theirs.independent


GRADIENT = (
    "tex.grad.cube.v4.f32.f32 {%f20,%f21,%f22,%f23}|%p1, [%d0, {%f0,%f1,%f2,%f2}], {%f3,%f4,%f5,%f5},"
    "{%f6,%f7,%f8,%f8}, %f9;"
)


def test_gradients_in_three_dimensions_are_the_drivers() -> None:
    """Handle in R4 and R5, depth in R6, direction from R8 on, gradient over x from R12 on, over y on the stack."""
    program = compile_("handles", GRADIENT)
    assert program.externs == ["__cuda_syscall_tex_grad_pred_cube_v4_f32_f32_depth_compare"]
    function = program.functions[0]
    assert function.frame == 32
    code = text(function.code)
    stored = {m[1] for line in code if (m := re.match(r"STL(?:\.\d+)? \[R1(?:\+(0x\w+))?\]", line))}
    assert stored <= {None, "0x4", "0x8", "0xc"}
    assert stored
    call = next(n for n, line in enumerate(code) if line.startswith("CALL.ABS"))
    written = {int(m[1]) for line in code[:call] for m in re.finditer(r"^\S+ R(\d+)\b", line)}
    assert {4, 5, 6, 8, 9, 10, 12, 13, 14} <= {r for n in written for r in (n, n + 1)} | written


if __name__ == "__main__":
    for name in sys.argv[1:] or ["handles"]:
        _, one, other = MODES[name]
        with tempfile.TemporaryDirectory() as place:
            count, otherwise, unlike = compare(
                name, [*fetches(one), *surfaces(other), *queries(one, other)], Path(place)
            )
        print(f"{name}: ptxas takes {count}; judged otherwise here {len(otherwise)}, other instructions {len(unlike)}")
        print("\n".join([*otherwise[:20], *unlike[:20]]))
