"""Launches of `causes.cu`: one cause each."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, floats, i32, program, words

WORK_TYPES = {
    "<u8": ("udiv64", "umod64", "udiv64_small", "sdiv64"),
    "<u4": ("udiv32", "sdiv32", "gcd", "collatz", "switch", "branch", "shuffle", "ballot", "match", "reduce", "local"),
    "<f4": ("fdiv", "fsqrt", "expf", "logf", "powf", "sinf", "sinf_big", "atan2f", "fmodf"),
    "<f8": ("ddiv", "dsqrt", "exp"),
}


def sum_programs() -> list[Program]:
    """Reductions by word, sector and line; loops of compare-and-swap; shared memory."""
    rows: list[Any] = []
    n = 1 << 16

    def add(image: str, kernel: str, divide: int, modulo: int, times: int, n: int = n, block: int = 256) -> None:
        label = f"{kernel} /{divide} %{modulo} *{times} {n}/{block}"
        rows.append((label, kernel, n // block, block, ["q", "r", *map(i32, (n, divide, modulo, times))]))

    # Whole warps to one word: words in sectors of their own, one line or many.
    for modulo, times in ((2, 8), (4, 8), (8, 8), (32, 8), (256, 8), (2, 4096), (8, 4096), (8, 32)):
        add("contended", "red_f32", 32, modulo, times)
        add("contended", "red_s32", 32, modulo, times)
    # Lanes to sectors of their own, all warps to the same; a word of each line.
    for modulo, times in ((4, 8), (8, 8), (16, 8), (32, 8), (4, 4096), (32, 1024)):
        add("contended", "red_f32", 1, modulo, times)
    for modulo, times in ((4, 8), (32, 8)):
        add("contended", "red_s32", 1, modulo, times)
    for modulo, times in ((1, 1), (2, 4), (4, 1), (8, 4), (16, 1), (32, 4)):
        add("contended", "red_f64", 1, modulo, times)
    add("contended", "red_f64", 32, 64, 1)
    add("contended", "red_u64", 32, 64, 1)
    out = [program("sums", "contended", {"q": words(4 * MB), "r": words(2 * MB)}, rows)]
    rows = []
    for kernel in ("red_f16x2", "red_and", "atom_f64", "atom_u64", "cas_u64", "lane_red_f32", "plain_load"):
        for divide, modulo, times in ((1, 1, 1), (1, 32, 1), (32, 64, 1), (1, 1 << 30, 1)):
            add("causes", kernel, divide, modulo, times)
    for kernel in ("plain_store", "lane_store"):
        for divide, modulo, times in ((1, 1, 1), (32, 2, 32), (32, 64, 32), (32, 64, 1)):
            for threads, block in ((1 << 16, 256), (1 << 18, 256), (1 << 20, 256), (1 << 18, 1024), (1 << 18, 64)):
                if threads == 1 << 18 or modulo == 1:
                    add("causes", kernel, divide, modulo, times, threads, block)
    for turns in (0, 8, 32, 100):
        rows.append((f"late_store {turns}", "late_store", 1024, 256, ["q", i32(turns)]))
    for bits in (3, 6, 8, 10, 12, 14, 16, 20):
        rows.append((f"scatter_few {1 << bits}", "scatter_few", 1024, 256, ["q", i32(1 << bits)]))
    out.append(program("places", "causes", {"q": words(8 * MB), "r": words(4 * MB)}, rows))
    rows = [
        (f"cas_count {n}/{block} %{modulo} *{times}", "cas_count", n // block, block,
         ["q", *map(i32, (n, modulo, times)), f"o{k}"])
        for k, (n, block, modulo, times) in enumerate(CAS)
    ] + [
        (f"cas_max {n}/{block} %{modulo}", "cas_max", n // block, block, ["m", i32(n), i32(modulo), f"x{k}"])
        for k, (n, block, modulo) in enumerate(CAS_MAX)
    ]  # fmt: skip
    buffers = {"q": words(MB), "m": words(MB)}
    buffers |= {f"o{k}": words(c[0]) for k, c in enumerate(CAS)} | {f"x{k}": words(c[0]) for k, c in enumerate(CAS_MAX)}
    out.append(program("cas", "causes", buffers, rows, [b for b in buffers if b[0] in "ox"]))
    shapes = ((1, 1, 0), (1, 32, 0), (132, 1, 32), (132, 32, 32))
    rows = [
        (f"chain {kind} {grid}x{block} *{spread}", "chain", grid, block,
         [i32(kind), "q", i32(spread), i32(32), f"o{kind}{k}"])
        for kind in range(9)
        for k, (grid, block, spread) in enumerate(shapes)
    ]  # fmt: skip
    saved = [row[4][-1] for row in rows]
    out.append(program("chains", "causes", {"q": words(MB)} | {name: words(132) for name in saved}, rows, saved))
    rows = [
        (f"kind {kind} {grid}x{block} %{modulo}", "shared_sums", grid, block, [*map(i32, (kind, modulo, 16)), "q", "o"])
        for kind in range(5)
        for grid, block, modulo in ((1, 32, 1), (1, 32, 32), (1, 256, 1), (1, 256, 8), (132, 256, 64), (1, 1024, 1024))
    ]
    out.append(program("shared sums", "causes", {"q": floats(132 * 1024), "o": words(132)}, rows, ["o"]))
    return out


CAS = (
    (1, 1, 1, 1), (2, 2, 1, 1), (8, 8, 1, 1), (32, 32, 1, 1), (64, 32, 1, 1), (128, 32, 1, 1), (256, 32, 1, 1),
    (256, 64, 1, 1), (512, 256, 1, 1), (1024, 128, 4, 32), (4096, 256, 32, 1), (4096, 256, 32, 32), (4224, 32, 132, 32),
)  # fmt: skip
CAS_MAX = ((1024, 256, 1), (65536, 256, 1), (65536, 256, 256))


def walk_programs() -> list[Program]:
    """Rows, one a lane; parts of sectors in a stream; windows; planes."""
    out = []
    rows: list[Any] = []
    for grid, block in ((1, 32), (1, 256), (132, 128)):
        for pitch, n, reps in ((64, 64, 2), (257, 128, 1), (1024, 128, 1), (16, 16, 4)):
            for kernel in ("rows_load_1", "rows_load_4", "rows_load_16", "rows_store", "rows_update"):
                if kernel in ("rows_load_4", "rows_load_16") and pitch == 16:
                    continue
                args: list[Any] = ["p", i32(pitch), i32(n), i32(reps)]
                rows.append(
                    (f"{kernel} {grid}x{block} {pitch}*{n}*{reps}", kernel, grid, block,
                     args + (["q"] if "load" in kernel else []))
                )  # fmt: skip
            if pitch <= 257:
                args = ["p", i32(pitch), i32(n), i32(reps), "q"]
                rows.append((f"rows_bytes {grid}x{block} {pitch}*{n}*{reps}", "rows_bytes", grid, block, args))
    out.append(program("rows", "causes", {"p": words(24 * MB), "q": words(MB)}, rows))
    rows = []
    n = 1 << 20
    for step in (3, 4, 8):
        rows.append((f"pixels_store_3 {step}", "pixels_store_3", n // 256, 256, ["p", i32(n), i32(step)]))
        rows.append((f"pixels_load_3 {step}", "pixels_load_3", n // 256, 256, ["p", i32(n), i32(step), "q"]))
    for step, parts in ((1, 1), (2, 1), (4, 1), (32, 1), (4, 4), (3, 3)):
        rows.append((f"pixels {step}/{parts}", "pixels_store", n // 256, 256, ["p", i32(n), i32(step), i32(parts)]))
    for step in (1, 2, 16):
        rows.append((f"halves {step}", "halves_store", n // 256, 256, ["p", i32(n), i32(step)]))
    for parts in (1, 2, 4, 8, 16):
        for grid, step, m in ((1024, 16, 1 << 18), (64, 16, 1 << 14), (1, 16, 256), (512, 64, 1 << 16)):
            rows.append((f"fill {parts} *{step} {grid} {m}", f"fill_{parts}", grid, 256, ["p", i32(m), i32(step)]))
    out.append(program("parts", "causes", {"p": words(8 * MB), "q": words(MB)}, rows))
    rows = []
    for width in (512, 1024, 2048, 4096):
        for bx, by in ((32, 8), (16, 16), (256, 1), (32, 4)):
            if (bx, by) != (32, 8) and width != 1024:
                continue
            grid2 = [width // bx, width // by]
            size = f"{width} {bx}x{by}"
            rows.append((f"plane_copy {size}", "plane_copy", grid2, [bx, by], ["p", "q", i32(width)]))
            rows.append((f"plane_read {size}", "plane_read", grid2, [bx, by], ["p", "q", i32(width)]))
            rows.append((f"plane_write {size}", "plane_write", grid2, [bx, by], ["q", i32(width)]))
            rows.append((f"plane_3 {size}", "plane_3", grid2, [bx, by], ["p", "q", i32(width), i32(width)]))
    for width, bx, by in ((256, 16, 16), (512, 16, 16), (1024, 16, 16), (512, 32, 8), (512, 8, 8)):
        args = ["p", "q", i32(width), i32(77)]
        rows.append((f"shares {width} {bx}x{by}", "shares", [width // bx, width // by], [bx, by], args))
    out.append(program("planes", "causes", {"p": words(16 * MB), "q": words(16 * MB)}, rows))
    rows = []
    for kernel in ("window", "window_f64"):
        for grid, block, size in ((1, 32, 33), (64, 1024, 33), (264, 256, 9), (1024, 256, 65), (64, 256, 129)):
            args = ["p", "m", "q", i32(grid * block), i32(size)]
            rows.append((f"{kernel} {grid}x{block} {size}", kernel, grid, block, args))
    out.append(program("windows", "causes", {"p": words(MB), "m": words(1024), "q": words(MB)}, rows))
    return out


def page_programs() -> list[Program]:
    """Gathers of many pages."""
    rows: list[Any] = []
    big = 1 << 30
    buffers: dict[str, Any] = {"p": {"bytes": big}}
    for step, wrap, count in (
        (4096, big, 4), (4096, 64 * MB, 4), (64 << 10, big, 4), (2 * MB + 4096, big, 4), (2 * MB + 4096, big, 16),
        (128, big, 4), (4, big, 4),
    ):  # fmt: skip
        for grid in (1, 132):
            args = ["p", {"i64": step}, {"i64": wrap}, i32(count), "q"]
            rows.append((f"gather {step} in {wrap >> 20}M *{count} {grid}x256", "pages_gather", grid, 256, args))
    buffers["q"] = words(132 * 256)
    return [program("pages", "causes", buffers, rows)]


def work_programs() -> list[Program]:
    """Long code of few warps: library functions, divisions, divergence, votes."""
    out = []
    for dtype, names in WORK_TYPES.items():
        rows: list[Any] = []
        values = {"integers": [1, 1 << 20]} if dtype[1] == "u" else {"uniform": [1, 4]}
        buffers: dict[str, Any] = {
            "p": {"dtype": dtype, "count": 1024} | values,
            "q": {"dtype": dtype, "count": 132 * 256},
        }  # fmt: skip
        saved = []
        for name in names:
            for grid, block, spread in ((1, 32, 0), (1, 32, 1), (132, 256, 1)):
                took = f"o{len(rows)}"
                buffers[took] = words(grid * block // 32)
                saved.append(took)
                label = f"{name} {grid}x{block} {'same' if spread == 0 else 'mixed'}"
                rows.append((label, f"work_{name}", grid, block, ["p", "q", i32(24), i32(spread), took]))
        out.append(program(f"work {dtype[1:]}", "causes", buffers, rows, saved))
    return out
