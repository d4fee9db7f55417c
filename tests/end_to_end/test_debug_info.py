"""-G: what pyelftools reads of our cubins' variables is what the source declares, what NVIDIA's ptxas makes of our PTX,
and what nvcc says of the same file; and the code keeps each variable where the debug information has it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import attrs
import pytest
from elftools.dwarf.die import DIE
from elftools.elf.elffile import ELFFile

from minicc import cli
from minicc.binary.frame_text import frame_text
from tests.conftest import PTXAS, needs_ptxas, nvcc_makes

SOURCE = """\
enum class Kind : short { A = -2, B = 7 };
struct Base { int id; };
struct P : Base { float y[3]; unsigned lo : 5, hi : 11; P *next; union { int i; float f; }; };
struct Acc { double sum; __device__ void add(float v) { double w = v; sum += w; } };
__device__ int counter = 3;
__constant__ float table[4];
template <typename T> __device__ T twice(T q, const P &p) { T z = q * 2 + p.id; return z; }
__global__ void k(float *out, const int n, P s, Kind kind) {
  __shared__ float buf[64];
  int i = threadIdx.x;
  Acc acc = {0};
  for (int j = 0; j < n; j++) {
    float t = buf[j] * table[j & 3];
    acc.add(t);
    if (t > 1) { const char *i = "inner"; out[j] = i[0]; }
  }
  P loc = s;
  int &r = loc.id;
  r += i + counter;
  out[i] = acc.sum + twice(i, loc) + (kind == Kind::B);
}
"""
_OP_ADDR, _OP_FBREG, _OP_PLUS_UCONST = 0x03, 0x91, 0x23


@attrs.frozen
class Entry:
    """Tag, depth in the tree, name, spelled type, class of the address, its kind and offset, and the line."""

    depth: int
    tag: str
    name: str
    type: str
    space: int | None
    place: str
    line: int | None


def spelled(die: DIE | None) -> str:
    if die is None:
        return "void"
    name = die.attributes["DW_AT_name"].value.decode() if "DW_AT_name" in die.attributes else ""
    inner = spelled(die.get_DIE_from_attribute("DW_AT_type")) if "DW_AT_type" in die.attributes else "void"
    match die.tag:
        case "DW_TAG_pointer_type":
            return inner + "*"
        case "DW_TAG_reference_type":
            return inner + "&"
        case "DW_TAG_const_type":
            return "const " + inner
        case "DW_TAG_array_type":
            return inner + "".join(f"[{c.attributes['DW_AT_count'].value}]" for c in die.iter_children())
    return name


def place(die: DIE) -> str:
    if "DW_AT_location" not in die.attributes:
        return ""
    value = die.attributes["DW_AT_location"].value
    if isinstance(value, int):
        return "list"
    if value[0] == _OP_FBREG:
        return f"frame+{value[value.index(_OP_PLUS_UCONST) + 1]}"
    if value[0] == _OP_ADDR:
        return f"{int.from_bytes(bytes(value[1:9]), 'little'):#x}"
    return "register"


def entries(cubin: Path) -> list[Entry]:
    out: list[Entry] = []

    def walk(die: DIE, depth: int) -> None:
        found = die.attributes
        name = found["DW_AT_name"].value.decode() if "DW_AT_name" in found else ""
        kind = spelled(die.get_DIE_from_attribute("DW_AT_type")) if "DW_AT_type" in found else ""
        space = found["DW_AT_address_class"].value if "DW_AT_address_class" in found else None
        line = found["DW_AT_decl_line"].value if "DW_AT_decl_line" in found else None
        out.append(Entry(depth, die.tag.removeprefix("DW_TAG_"), name, kind, space, place(die), line))
        for child in die.iter_children():
            walk(child, depth + 1)

    with cubin.open("rb") as file:
        for unit in ELFFile(file).get_dwarf_info(relocate_dwarf_sections=False).iter_CUs():
            walk(unit.get_top_DIE(), 0)
    return out


def variables(found: list[Entry]) -> set[tuple[str, str, int | None]]:
    """(name, type, line), less differences of spelling."""
    of = [e for e in found if e.tag in ("variable", "formal_parameter") and e.name and e.line]
    return {(e.name, e.type.replace("signed ", "").replace("unsigned int", "unsigned"), e.line) for e in of}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("debug")
    (folder / "k.cu").write_text(SOURCE)
    for kind in ("cubin", "ptx"):
        assert cli.main([str(folder / "k.cu"), "-arch=sm_90", "-G", f"-{kind}", "-o", str(folder / f"k.{kind}")]) == 0
    return folder


def test_variables_are_those_of_the_source(files: Path) -> None:
    found = {(e.name, e.line): e for e in entries(files / "k.cubin") if e.tag in ("variable", "formal_parameter")}
    wanted = {
        ("out", 8): "float*", ("n", 8): "const int", ("s", 8): "P", ("kind", 8): "Kind", ("buf", 9): "float[64]",
        ("i", 10): "int", ("acc", 11): "Acc", ("j", 12): "int", ("t", 13): "float", ("i", 15): "const char*",
        ("loc", 17): "P", ("r", 18): "int&", ("q", 7): "int", ("p", 7): "const P&", ("z", 7): "int",
        ("w", 4): "double", ("v", 4): "float", ("this", 4): "Acc*", ("counter", 5): "int", ("table", 6): "float[4]",
    }  # fmt: skip
    assert {key: found[key].type for key in wanted} == wanted
    assert {key for key in found if key[0]} == set(wanted)
    assert {(e.name, e.space) for e in found.values() if e.space != 6 and e.name} == {
        ("s", 7), ("buf", 8), ("counter", 5), ("table", 4)
    }  # fmt: skip
    # What is declared in a block is in one: t's and the inner i's lie within that of j.
    depth = {key: e.depth for key, e in found.items()}
    assert depth["i", 15] > depth["t", 13] > depth["j", 12] > depth["i", 10]


def test_classes_are_those_of_the_source(files: Path) -> None:
    found = entries(files / "k.cubin")
    at = next(n for n, e in enumerate(found) if e.tag == "structure_type" and e.name == "P")
    inside = [e for e in found[at + 1 : at + 8] if e.depth > found[at].depth]
    assert [(e.tag, e.name, e.type) for e in inside][:6] == [
        ("inheritance", "", "Base"), ("member", "y", "float[3]"), ("member", "lo", "unsigned int"),
        ("member", "hi", "unsigned int"), ("member", "next", "P*"), ("member", "", ""),
    ]  # fmt: skip


@needs_ptxas
def test_ptxas_makes_the_same_of_our_ptx(files: Path) -> None:
    subprocess.run([PTXAS, "-arch=sm_90", "-g", files / "k.ptx", "-o", files / "nv.cubin"], check=True)
    assert entries(files / "nv.cubin") == entries(files / "k.cubin")


def test_nvcc_describes_the_same_variables(files: Path) -> None:
    nvcc_makes(files / "k.cu", files / "nvcc.cubin", "-G")
    theirs, ours = variables(entries(files / "nvcc.cubin")), variables(entries(files / "k.cubin"))
    assert {v[::2] for v in ours} >= {v[::2] for v in theirs}
    differ = {(name, kind) for name, kind, _ in theirs - ours}
    assert not differ, differ


@needs_ptxas
def test_debug_sections_of_nvccs_ptx(files: Path) -> None:
    """Registers and lists of places are kept as they are; names, types and tree are as ptxas has them."""
    nvcc_makes(files / "k.cu", files / "nvcc.ptx", "-G")
    assert cli.main([str(files / "nvcc.ptx"), "-arch=sm_90", "-G", "-cubin", "-o", str(files / "own.cubin")]) == 0
    subprocess.run([PTXAS, "-arch=sm_90", "-g", files / "nvcc.ptx", "-o", files / "theirs.cubin"], check=True)
    assert entries(files / "own.cubin") == entries(files / "theirs.cubin")


def test_each_variable_is_stored_where_it_is_said_to_lie(tmp_path: Path) -> None:
    """Constants that occur once: the store of each goes to the frame's place of its variable."""
    names = [f"v{n}" for n in range(6)]
    body = " ".join(f"volatile int {name} = {1000 + n};" for n, name in enumerate(names))
    (tmp_path / "k.cu").write_text(f"__global__ void k(int *o) {{ {body} o[0] = {' + '.join(names)}; }}")
    cubin = tmp_path / "k.cubin"
    assert cli.main([str(tmp_path / "k.cu"), "-arch=sm_90", "-G", "-cubin", "-o", str(cubin)]) == 0
    assert cli.main([str(tmp_path / "k.cu"), "-arch=sm_90", "-G", "-ptx", "-o", str(tmp_path / "k.ptx")]) == 0
    found = {e.name: e.place for e in entries(cubin)}
    ptx = (tmp_path / "k.ptx").read_text()
    for n, name in enumerate(names):
        stored = re.search(rf"mov\.b32\s+(%r\d+), {1000 + n};\s+st\.local\.u32\s+\[\w+(\+\d+)?\], \1;", ptx)
        assert stored is not None, ptx
        assert found[name] == f"frame+{int(stored[2] or 0)}"


def test_ranges_and_frames(files: Path) -> None:
    """Ranges lie within their functions, those of blocks within those around them; each function has a frame entry."""
    with (files / "k.cubin").open("rb") as file:
        elf = ELFFile(file)
        info = elf.get_dwarf_info(relocate_dwarf_sections=False)
        section = elf.get_section_by_name(".rela.debug_info")
        places = {r["r_offset"]: r["r_addend"] for r in section.iter_relocations()}
        base = 0
        seen = 0

        def walk(die: DIE, low: int, high: int) -> None:
            nonlocal seen
            if "DW_AT_high_pc" in die.attributes and die.tag != "DW_TAG_compile_unit":
                own = [places[base + die.attributes[name].offset] for name in ("DW_AT_low_pc", "DW_AT_high_pc")]
                assert low <= own[0] < own[1] <= high
                low, high = own
                seen += 1
            for child in die.iter_children():
                walk(child, low, high)

        for unit in info.iter_CUs():
            walk(unit.get_top_DIE(), 0, 1 << 32)
        assert seen >= 3 + 3
        functions = [s for s in elf.get_section_by_name(".symtab").iter_symbols() if s["st_info"]["type"] == "STT_FUNC"]
        frames = list(frame_text(elf.get_section_by_name(".debug_frame").data(), {}))
        assert sum("Description Entry" in line for line in frames) == len(functions)
