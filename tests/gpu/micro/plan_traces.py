"""Launches of `traces.cu`: latencies one by one, and stores to few lines."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, i32, program, words

SAME = 40
"""A logarithm of `wrap` that no offset reaches."""


def i64(n: int) -> dict[str, int]:
    return {"i64": n}


def trace_programs() -> list[Program]:
    """What each load of a chain takes: near and far, refreshed banks, pages, lines that other SMs ask for."""
    rows: list[Any] = []
    buffers: dict[str, Any] = {"p": {"bytes": 1 << 30}}

    def add(kernel: str, label: str, grid: int, block: int, stride: int, n: int = 128, **how: int) -> None:
        took = f"t{len(rows)}"
        buffers[took] = words(grid * (n + 2))
        places = [i64(how.get("first", 0)), i64(how.get("apart", 0)), i64(stride), i32(how.get("bits", SAME))]
        args = ["p", *places, i64(how.get("jump", 0)), i32(n), i32(how.get("delay", 0)), took]
        rows.append((f"{kernel} {label} {grid}x{block}", kernel, grid, block, args))

    lane, warp, store = "trace_lane", "trace_warp", "trace_store"
    for again in ("", "again"):
        add(lane, f"2M {again}", 1, 32, 2 * MB)
    for bits in range(22, 30):
        add(lane, f"2M in 2^{bits}", 1, 32, 2 * MB, 512, bits=bits, jump=4224)
    for label, stride in (("64K", 1 << 16), ("64K offset", (1 << 16) + 4096), ("256K", 1 << 18), ("4K", 4096)):
        add(lane, label, 1, 32, stride, 512)
    add(lane, "2M same", 132, 32, 2 * MB)
    add(lane, "2M same, later", 132, 32, 2 * MB, delay=250000)
    add(lane, "2M own 4M apart", 132, 32, 2 * MB, 2, first=4 * MB)
    add(lane, "64K own 4M apart", 132, 32, 1 << 16, 64, first=4 * MB)
    add(lane, "2M*8 own", 132, 32, 2 * MB, 256, first=2 * MB, bits=26, jump=4224)
    add(store, "2M", 1, 32, 2 * MB)
    add(store, "2M in 2^24", 1, 32, 2 * MB, 256, bits=24, jump=4224)
    add(store, "128", 1, 32, 128, 256)
    for stride in (128, 256, 512, 1024, 4096, 8192, 16384, 32768, 65536 + 128):
        add(warp, f"{stride}", 1, 32, stride, 1000)
    add(warp, "1024 of two", 2, 32, 1024, 1000, first=16 * MB)
    add(lane, "32", 1, 32, 32, 1000)
    add(lane, "64", 1, 32, 64, 1000)
    for grid in (2, 4, 8, 20, 32, 66, 132):
        add(warp, "1024 same", grid, 32, 1024, 500)
    for grid in (8, 132):
        add(warp, "1024 same, later", grid, 32, 1024, 500, delay=1500)
    for grid in (8, 132):
        add(lane, "1024 same", grid, 32, 1024, 500)
    for grid, block in ((1, 256), (4, 256), (32, 256), *((132, 32 << k) for k in range(6))):
        add(warp, "own rows of 1024", grid, block, 1024, 250, first=MB, apart=128)
    for block in (32, 128, 256, 512, 1024):
        add(warp, "own places", 132, block, 4224, 200, first=7 * MB + 640, apart=160 * 1024 + 384)
    for grid in (1, 2, 132):
        add(warp, "64K again", grid, 32, 128, 1000, first=64 << 10, bits=18)
    for grid, loads in (*((1, n) for n in (1, 2, 4, 8, 16, 32, 64, 256, 1024)), (132, 1), (132, 8), (132, 32)):
        for step, name, jump in ((2 * MB, "2M", 128 * 33), (128, "128", 6 * MB)):
            took = f"t{len(rows)}"
            buffers[took] = words(grid * 4)
            apart = MB if loads > 256 and step > MB else step
            args: list[Any] = ["p", i64(384), i64(apart), i32(loads), i32(4), i64(jump), took]
            rows.append((f"burst {loads} {name} {grid}", "burst", grid, max(32, loads), args))
    return [program("traces", "traces", buffers, rows, [b for b in buffers if b != "p"])]


def store_programs() -> list[Program]:
    """Stores to few lines, by pattern: which of them leave an SM as one."""
    rows: list[Any] = []
    buffers: dict[str, Any] = {"q": {"bytes": 16 * MB}, "p": {"bytes": MB}}
    names = ("apart", "mode", "lines", "active", "a", "b", "c", "d", "e", "f", "gap", "reps")

    def add(label: str, grid: int = 1, block: int = 32, **how: int) -> None:
        took = f"t{len(rows)}"
        buffers[took] = words(grid)
        values = {"lines": 1, "active": 32, "reps": 128} | how
        args = ["q", "p", *(i32(values.get(name, 0)) for name in names), took]
        rows.append((f"{label} {grid}x{block}", "stores", grid, block, args))

    for block in (32, 256):
        for n in (1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48):
            add(f"one word, {n} lines", block=block, lines=n, active=1, b=1, c=3 if block > 32 else 0)
        for n in (4, 8, 12, 16, 20, 24, 28, 32, 48, 64):
            add(f"mixed words, {n} lines", block=block, mode=1, lines=n, reps=64)
        for n in (8, 12, 16, 20, 24, 28, 32, 48):
            add(f"a lane a line, {n} lines", block=block, lines=n, active=min(n, 32), a=1, b=0 if n <= 32 else 7)
        for gap in (1, 30, 100, 200, 400, 800, 1600):
            add(f"mixed words, 16 lines, gap {gap}", block=block, mode=1, lines=16, reps=32, gap=gap)
        for gap in (0, 1, 10, 20, 40, 80, 160, 400):
            add(f"one word of one line, gap {gap}", block=block, active=1, reps=64, gap=gap)
        for n in (1, 2, 3, 4, 8, 16):
            add(f"whole lines, {n} lines", block=block, lines=n, b=1, c=1, d=1)
        for active in (8, 16):
            for n in (1, 2, 4, 8):
                add(f"{active} words of {n} lines", block=block, lines=n, active=active, b=1, c=1, d=1)
        for n in (8, 16):
            add(f"mixed words and loads, {n} lines", block=block, mode=3, lines=n, reps=32)
    for block in (512, 1024):
        for n in (16, 32):
            add(f"mixed words, {n} lines", block=block, mode=1, lines=n, reps=32)
    for grid, apart in ((1, 0), (132, 1024)):
        for n, per in ((8, 4), (16, 2), (32, 1)):
            add(f"transpose {n} lines, {per} words, once", grid, 512, apart=apart, lines=n, a=1, f=per, reps=1)
        for n in (8, 16, 32):
            add(f"transpose {n} lines, 8 times", grid, 512, apart=apart, lines=n, a=1, f=2, e=1, reps=8)
    for n in (16, 32, 64, 128, 512):
        for apart, name in ((0, "same"), (n * 32, "own")):
            add(f"mixed words, {n} lines, {name}", 132, 256, apart=apart, mode=1, lines=n, reps=4)
            if n in (16, 32):
                add(f"mixed words once, {n} lines, {name}", 132, 1024, apart=apart, mode=1, lines=n, reps=1)
    for grid in (4, 32):
        add("mixed words, 32 lines, same", grid, 256, mode=1, lines=32, reps=16)
    return [program("stores", "traces", buffers, rows)]
