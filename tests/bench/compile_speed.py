"""Time per machine instruction of our ptxas, from small kernels to very large ones.

    python -m tests.bench.compile_speed [--largest 100000] [--profile]

Generated kernels of nine shapes: one long chain, independent work, loads and stores, short branches, nested loops,
four hundred values alive across blocks, branches a hundred deep, divisions, products and sums. Figures
are processor seconds of this process; the share of each pass with --profile.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import time
from collections.abc import Callable

from minicc import arch, binary, ptx, ptxas
from minicc.diagnostics import SourceFile
from minicc.ptxas.options import Options

_HEAD = """.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
    .reg .pred %p<4>; .reg .b32 %r<65536>; .reg .f32 %f<65536>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [a]; ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd1, %r1, 4, %rd1;
    ld.global.f32 %f0, [%rd1]; mov.f32 %f1, %f0;
"""
_TAIL = "    st.global.f32 [%rd1], %f1;\n    ret;\n}\n"


def chain(count: int, rng: random.Random) -> list[str]:
    """Each instruction reads the one before."""
    return [f"fma.rn.f32 %f1, %f1, 0f3F7FFF58, 0f{rng.getrandbits(23) | 0x3F800000:08X};" for _ in range(count)]


def wide(count: int, rng: random.Random) -> list[str]:
    """Twenty chains side by side."""
    out = [f"add.f32 %f{10 + k}, %f0, 0f{rng.getrandbits(23) | 0x3F800000:08X};" for k in range(20)]
    out += [f"fma.rn.f32 %f{10 + k % 20}, %f{10 + (k * 7) % 20}, %f0, %f{10 + k % 20};" for k in range(count - 40)]
    return out + [f"add.f32 %f1, %f1, %f{10 + k};" for k in range(20)]


def memory(count: int, rng: random.Random) -> list[str]:
    """Load, add, store, at known offsets."""
    out = []
    for k in range(count // 3):
        at = 4 * (k % 4096)
        name = 10 + k % 60000
        out += [f"ld.global.f32 %f{name}, [%rd1+{at}];", f"add.f32 %f{name}, %f{name}, %f0;"]
        out.append(f"st.global.f32 [%rd1+{at + 16384}], %f{name};")
    return out


def branches(count: int, rng: random.Random) -> list[str]:
    """A branch around three instructions, again and again."""
    out = []
    for k in range(count // 6):
        out += [
            f"setp.gt.f32 %p1, %f1, 0f{rng.getrandbits(23) | 0x3F800000:08X};",
            f"@%p1 bra L{k};",
            "mul.f32 %f1, %f1, %f0;",
            "st.global.f32 [%rd1+8], %f1;",
            "bar.sync 0;",
            "add.f32 %f1, %f1, 0f3F800000;",
            f"L{k}:",
        ]
    return out


def loops(count: int, rng: random.Random) -> list[str]:
    """Two loops, one in the other, each of a few instructions."""
    out = []
    for k in range(count // 12):
        out += [
            f"mov.u32 %r2, %r0; O{k}: mov.u32 %r3, %r1; I{k}: fma.rn.f32 %f1, %f1, %f0, %f1;",
            f"add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 64; @%p1 bra I{k};",
            f"add.f32 %f1, %f1, %f0; sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra O{k};",
        ]
    return out


def live(count: int, rng: random.Random) -> list[str]:
    """Four hundred values that live across many blocks: they spill."""
    many = 400
    out = [f"add.f32 %f{100 + k}, %f0, 0f{rng.getrandbits(23) | 0x3F800000:08X};" for k in range(many)]
    for k in range((count - 3 * many) // 6):
        a, c = 100 + rng.randrange(many), 100 + rng.randrange(many)
        out += [
            f"fma.rn.f32 %f{a}, %f{c}, %f0, %f{a};",
            f"setp.gt.f32 %p1, %f{a}, 0f40000000; @%p1 bra V{k}; mul.f32 %f{c}, %f{c}, %f0;",
            f"st.global.f32 [%rd1+8], %f{c}; V{k}:",
        ]
    return out + [f"add.f32 %f1, %f1, %f{100 + k};" for k in range(many)]


def nested(count: int, rng: random.Random) -> list[str]:
    """Branches in branches, as deep as there are instructions for: ten deep, then a hundred."""
    out: list[str] = []
    number = 0
    while len(out) < count // 2:
        depth = 10 if number % 2 else 100
        first = number
        for k in range(depth):
            out.append(f"ld.global.f32 %f2, [%rd1+{4 * k}]; setp.gt.f32 %p1, %f2, %f1; @%p1 bra D{first + k};")
            out.append("add.f32 %f1, %f1, %f2; st.global.f32 [%rd1+8], %f1;")
        out += [f"D{first + k}: add.f32 %f1, %f1, 0f3F800000;" for k in range(depth - 1, -1, -1)]
        number += depth
    return out


def divisions(count: int, rng: random.Random) -> list[str]:
    """Long sequences, each with a cold side path."""
    out = []
    for k in range(count // 40):
        out += [f"ld.global.f32 %f2, [%rd1+{4 * (k % 4096)}];", "div.rn.f32 %f1, %f1, %f2;", "add.f32 %f1, %f1, %f0;"]
    return out


def products(count: int, rng: random.Random) -> list[str]:
    """Products without rounding, which sums may take in as long as their factors last."""
    names = [100 + k % 60000 for k in range(count // 2)]
    return [f"mul.f32 %f{k}, %f0, 0f{rng.getrandbits(23) | 0x3F800000:08X}; add.f32 %f1, %f1, %f{k};" for k in names]


SHAPES: dict[str, Callable[[int, random.Random], list[str]]] = {
    "chain": chain, "wide": wide, "memory": memory, "branches": branches, "loops": loops, "live": live,
    "nested": nested, "divisions": divisions, "products": products,
}  # fmt: skip


def source(shape: str, count: int) -> str:
    """PTX of a kernel of that shape, of about so many instructions."""
    return _HEAD + "\n".join(SHAPES[shape](count, random.Random(1))) + "\n" + _TAIL


def measure(shape: str, count: int, options: Options) -> tuple[int, float]:
    """(machine instructions, processor seconds) from PTX text to cubin."""
    text = source(shape, count)
    start = time.process_time()
    program = ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), arch.get("sm_90"), options)
    binary.write_cubin(program)
    spent = time.process_time() - start
    return len(program.functions[0].code) // 16, spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=100_000)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--shape", choices=[*SHAPES], action="append")
    wanted = parser.parse_args()
    gc.disable()  # as the command does
    measure("wide", 200, Options())
    sizes = [s for s in (100, 1000, 10_000, 100_000) if s <= wanted.largest]
    print(f"{'shape':10}" + "".join(f"{s:>10}" for s in sizes) + "   microseconds an instruction")
    for shape in wanted.shape or SHAPES:
        row = []
        for size in sizes:
            options = Options(time_passes=wanted.profile)
            made, spent = measure(shape, size, options)
            row.append(1e6 * spent / made)
            if wanted.profile:
                print("   ", size, {k: round(1e6 * v / made) for k, v in options.seconds.items() if v > 0.02 * spent})
        print(f"{shape:10}" + "".join(f"{x:10.0f}" for x in row), flush=True)
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most")


if __name__ == "__main__":
    main()
