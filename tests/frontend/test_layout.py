"""Where members and bases lie: random classes have nvcc's sizes and offsets, for the host fills what a kernel takes."""

from __future__ import annotations

import random
import re
from pathlib import Path

import minicc
from minicc.diagnostics import SourceFile
from tests.conftest import nvcc_makes

HEAD = """
struct Empty {}; struct Other {}; struct Inner : Empty {}; struct alignas(8) Wide {};
struct Ended { __host__ __device__ ~Ended() {} int x; char c; };
struct Hidden { private: int x; char c; };
struct Plain { int x; char c; };
"""
TYPES = (
    "char",
    "short",
    "int",
    "double",
    "char",
    "Empty",
    "Other",
    "Inner",
    "Ended",
    "Hidden",
    "Plain",
    "Wide",
    "float3",
)
WITHIN = (
    "public:", "private:", "protected:", "__host__ __device__ ~{0}() {{}}", "~{0}() = default;",
    "__host__ __device__ {0}(int);", "{0}({0} &&) = default;", "{0}() = delete;",
    "{0} &operator=(const {0} &) = default;", "__host__ __device__ {0} &operator=(const {0} &) {{ return *this; }}",
    "__host__ __device__ virtual void f() {{}}", "int &r{1};", "int i{1} = 3;", "int : 3;", "int : 0;", "static int s;",
)  # fmt: skip


def classes(rnd: random.Random, count: int) -> tuple[str, list[str]]:
    """Definitions, and their names."""
    text, names, usable = [HEAD], [], ["Empty", "Other", "Inner", "Wide", "Ended", "Hidden", "Plain", "float3"]
    for n in range(count):
        name = f"C{n}"
        bases = (
            []
            if rnd.random() < 0.4
            else list(dict.fromkeys(rnd.choice(usable[-12:]) for _ in range(rnd.randint(1, 2))))
        )
        lines = []
        for k in range(rnd.randint(0, 4)):
            t = rnd.choice([*TYPES, *usable[-6:]])
            if t in ("char", "short", "int") and rnd.random() < 0.25:
                lines.append(f"{t} b{k} : {rnd.randint(1, {'char': 8, 'short': 16, 'int': 32}[t])};")
            else:
                lines.append(f"{t} m{k}{rnd.choice(('', '', '', '[2]', '[3]'))};")
        if rnd.random() < 0.6:
            lines.insert(rnd.randint(0, len(lines)), rnd.choice(WITHIN).format(name, n))
        text.append(f"struct {name}{' : ' * bool(bases)}{', '.join(bases)} {{ {' '.join(lines)} }};")
        text.append(f"struct D{n} : {name} {{ char last{n}; }};")
        names += [name, f"D{n}"]
        usable += [name, f"D{n}"]
    return "\n".join(text), names


def measured(ptx: str) -> dict[str, int]:
    found = re.finditer(r"\.global \.align 4 \.[bu]32 (\w+)(?: = (\d+))?;", ptx)
    return {m[1]: int(m[2] or 0) for m in found}


def compared(seed: int, folder: Path) -> None:
    text, names = classes(random.Random(seed), 40)
    text += "".join(f"\n__device__ int size_{x} = sizeof({x}), align_{x} = alignof({x});" for x in names)
    text += "".join(f"\n__device__ int at_{x} = __builtin_offsetof({x}, last{x[1:]});" for x in names if x[0] == "D")
    source = folder / "classes.cu"
    source.write_text(text + "\n__global__ void k() {}\n")
    theirs = measured(nvcc_makes(source, folder / "classes.ptx", "-w").decode())
    ours = measured(minicc.compile(SourceFile("classes.cu", source.read_text()), options="-w").ptx)
    assert len(theirs) == 5 * len(names) // 2
    assert ours == theirs


def test_sizes_and_offsets(tmp_path: Path) -> None:
    compared(1, tmp_path)
