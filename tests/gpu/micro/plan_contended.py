"""Launches of `contended.cu`: atomics on few words, scattered parts of sectors, DRAM in both directions, stencils."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, floats, i32, program, words

WORDS = {"red_f64": 2, "red_u64": 2}
"""32-bit words of an element, if not one."""


def atomic_programs() -> list[Program]:
    rows: list[Any] = []
    n = 1 << 16

    def add(kernel: str, divide: int, modulo: int, times: int, n: int = n, block: int = 256) -> None:
        label = f"{kernel} /{divide} %{modulo} *{times} {n}/{block}"
        rows.append((label, kernel, n // block, block, ["q", "r", *map(i32, (n, divide, modulo, times))]))

    integers = ("red_s32", "red_f32", "atom_s32", "atom_f32", "atom_cas")
    for kernel in integers:
        # All lanes on one word; a word a warp; neighbours; 32 words of one line; as many lines.
        for divide, modulo, times in (
            (1, 1, 1),
            (32, 2, 1),
            (32, 64, 1),
            (32, 64, 32),
            (32, 1 << 30, 1),
            (1, 2, 1),
            (1, 8, 1),
            (1, 32, 1),
            (1, 32, 32),
            (1, 1024, 1),
            (1, 1 << 30, 1),
        ):
            add(kernel, divide, modulo, times)
    for kernel in ("red_max", "red_f64", "red_u64", "atom_exch", "store_same", "load_same"):
        for divide, modulo, times in ((1, 1, 1), (1, 32, 1), (32, 64, 32), (1, 1 << 30, 1)):
            add(kernel, divide, modulo, times)
    for kernel in ("red_s32", "red_f32", "atom_s32", "atom_cas", "store_same"):
        # One SM's worth, and a great many.
        add(kernel, 1, 1, 1, 256)
        add(kernel, 1, 32, 1, 256)
        add(kernel, 1, 1 << 30, 1, 256)
        add(kernel, 1, 1 << 30, 1, 1 << 20)
    out = [program("atomics", "contended", {"q": words(4 * MB), "r": words(2 * MB)}, rows)]
    rows = [
        (f"{n}/{block} %{modulo} *{times}", "cas_loop", n // block, block, ["q", *map(i32, (n, modulo, times))])
        for n, block, modulo, times in (
            (32, 32, 1, 1),
            (256, 256, 1, 1),
            (1024, 32, 1, 1),
            (8192, 256, 32, 1),
            (65536, 256, 1024, 1),
            (65536, 256, 65536, 1),
        )
    ]
    out.append(program("cas loop", "contended", {"q": words(MB)}, rows))
    for bins in (16, 256, 4096):
        at = {"dtype": "<i4", "count": 1 << 20, "integers": [0, bins], "seed": 7}
        rows = [
            (f"{grid}x256", "red_many", grid, 256, ["t", "q", i32(1 << 17 if bins < 4096 else 1 << 20)])
            for grid in (32, 264)
        ]
        out.append(program(f"histogram {bins}", "contended", {"t": at, "q": words(bins)}, rows))
    rows = [(f"{g}x256", "sum_atomic", g, 256, ["p", "q", i32(1 << 20)]) for g in (132, 1056, 4096)]
    out.append(program("sum", "contended", {"p": floats(1 << 20), "q": floats(64)}, rows))
    return out


def mixed_programs() -> list[Program]:
    out = []
    for bits in (12, 16, 20, 24, 26):
        rows: list[Any] = []
        n = 1 << 18
        for kernel, bytes_ in (
            ("store_u8", 1),
            ("store_f32", 4),
            ("store_f64", 8),
            ("store_f128", 16),
            ("load_f32", 4),
            ("update_f32", 4),
            ("red_mixed", 4),
        ):
            for shift in (0, 1, 2, 3, 5):
                if (shift and kernel in ("store_u8", "red_mixed")) or (bits < 20 and shift not in (0, 3)):
                    continue
                places = (1 << bits + 2) // bytes_ >> shift
                args: list[Any] = ["q", "r"] if kernel.startswith("load") else ["q"]
                args += [i32(n), i32(shift), {"u32": places - 1}]
                if kernel.startswith("update"):
                    args.append({"f32": 1.0})
                rows.append((f"{kernel} {1 << shift}", kernel, n // 256, 256, args))
        out.append(program(f"mixed {bits}", "contended", {"q": words(1 << bits), "r": words(n)}, rows))
    return out


def flow_programs() -> list[Program]:
    rows: list[Any] = []
    for megabytes in (1, 4, 16, 32, 64, 128):
        n = megabytes * MB // 16
        for streams in ("1_0", "0_1", "1_1", "2_1", "3_1"):
            rows.append((f"{streams} {megabytes}M", f"flow_{streams}", n // 256, 256, ["p", "q", i32(n)]))
    out = [program("flow", "contended", {"p": words(96 * MB), "q": words(32 * MB)}, rows)]
    rows = []
    for width, height, bx, by in (
        (512, 512, 32, 8),
        (1024, 1024, 32, 8),
        (1024, 1024, 16, 16),
        (1024, 1024, 256, 1),
        (2048, 2048, 32, 8),
        (2050, 2050, 32, 4),
        (4096, 4096, 32, 8),
    ):
        grid = [(width + bx - 1) // bx, (height + by - 1) // by]
        for kernel in ("stencil_5", "stencil_9"):
            args = ["p", "q", i32(width), i32(height)]
            rows.append((f"{kernel} {width}x{height} {bx}x{by}", kernel, grid, [bx, by], args))
    for n in (1 << 18, 1 << 20, 1 << 22):
        rows.append((f"stencil_3 {n}", "stencil_3", n // 256, 256, ["p", "q", i32(n)]))
    out.append(program("stencil", "contended", {"p": floats(16 * MB), "q": floats(16 * MB)}, rows))
    return out


def merge_programs() -> list[Program]:
    """Stores to few lines, pairs of places that share a slice or not, chains of atomics."""
    rows: list[Any] = []
    for grid, block in ((1, 32), (1, 256), (132, 256)):
        for lines in (1, 2, 4, 8, 16, 64):
            rows.append(
                (f"turns {grid}x{block} {lines}", "store_turns", grid, block, ["q", i32(lines), i32(32), i32(64)])
            )
        for bits in (3, 5, 7, 9, 11, 13, 15):
            rows.append((f"few {grid}x{block} {1 << bits}", "store_few", grid, block, ["q", i32(1 << bits), i32(64)]))
    out = [program("stores", "contended", {"q": words(MB)}, rows)]
    # Words within a sector, sectors of a line, lines near each other, powers of two up to 2 MB and a few mixed.
    offsets = [1, 7, 8, 16, 24]
    offsets += [32 * k for k in range(1, 65)]
    offsets += [1 << k for k in range(12, 20)]
    offsets += [(1 << 12) + (1 << k) for k in range(5, 12)]
    offsets += [(1 << 14) + (1 << k) for k in range(5, 14)]
    offsets += [32 * k for k in range(1024, 1044)]
    at = {"dtype": "<i4", "count": len(offsets), "list": offsets}
    rows = [("", "pairs", 132, 32, ["q", "t", i32(len(offsets)), i32(48), "c", "o"])]
    out.append(
        program("pairs", "contended", {"q": words(MB), "t": at, "c": words(4), "o": words(len(offsets))}, rows, ["o"])
    )
    rows = [
        (f"chain {grid}x{block} %{modulo} *{spread}", "atom_chain", grid, block,
         ["q", i32(spread), i32(modulo), i32(64), "o"])
        for grid, block, modulo, spread in (
            (1, 1, 1, 0), (1, 32, 1, 0), (132, 32, 1, 0), (132, 32, 132, 32), (132, 32, 8, 8), (132, 32, 64, 32),
            (132, 256, 1056, 32),
        )
    ]  # fmt: skip
    out.append(program("atom chain", "contended", {"q": words(MB), "o": words(2048)}, rows, ["o"]))
    return out
