"""Loads that come late: chains, walks along rows, loads that wait for one miss, loops over one filter by all SMs."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, floats, i32, program, words


def _chains() -> list[Program]:
    out = []
    for stride, kilobytes in ((32, 32), (64, 64), (96, 96), (128, 128), (256, 256), (4096, 2048)):
        chase = words(kilobytes * 256, chase={"stride": stride, "order": "next"})
        n = min(kilobytes * 1024 // stride - 1, 1000)
        buffers = {"p": chase, "o": words(1100)}
        out.append(program(f"chain {stride}", "late", buffers, [("", "chain", 1, 1, ["p", i32(n), "o"])]))
    for grid, block, step in (
        (1, 32, 128), (1, 32, 32), (1, 32, 64), (1, 64, 128), (1, 256, 128), (1, 32, 4096), (132, 256, 128),
    ):  # fmt: skip
        buffers = {"p": words(max(MB, grid * (block // 32) * 256 * step // 4 + 64)), "o": words(1024)}
        launch = ("", "lines", grid, block, ["p", i32(256), i32(step), "o"])
        out.append(program(f"lines {grid}x{block} {step}", "late", buffers, [launch]))
    return out


def _walks() -> list[Program]:
    out = []
    for ahead, n in ((1, 64), (4, 128), (16, 256)):
        for grid, block in ((1, 32), (1, 64), (1, 128), (1, 256), (132, 64), (132, 128)):
            for pitch in (1024, 4112) if grid == 1 else (1024,):
                buffers = {"p": words(grid * block * pitch // 4 + 4096), "o": words(8 * 16 * (ahead + 1) + 64)}
                launch = ("", f"walk_{ahead}", grid, block, ["p", i32(pitch), i32(n), "o"])
                out.append(program(f"walk {ahead} {grid}x{block} {pitch}", "late", buffers, [launch]))
    return out


def _beside_misses() -> list[Program]:
    """A load that hits while other loads, or the same warp's, miss; a load that waits for the same miss."""
    out = []
    for who in (9, 0, 1, 4):
        for loads, lines, same in ((1, 1, 0), (1, 1, 1), (1, 32, 0), (1, 32, 1), (4, 1, 0), (4, 32, 0)):
            if who == 9 and (loads, lines, same) != (1, 1, 0):
                continue
            buffers = {"h": words(4096), "c": words(MB // 4), "o": words(64)}
            launch = ("", "under", 1, 160, ["h", "c", i32(who), i32(loads), i32(lines), i32(same), "o"])
            out.append(program(f"under who {who} {loads}x{lines} same {same}", "late", buffers, [launch]))
    return out


def _trains() -> list[Program]:
    out = []
    for pitch, step, warm in (
        (128, 0, 0), (128, 32, 0), (128, 0, 1), (4, 0, 0), (4, 32, 0), (4, 128, 0), (4, 0, 1), (128, 4, 0),
    ):  # fmt: skip
        for block in (256, 1024):
            if (pitch, step, block) != (4, 128, 1024):
                launch = ("", "train", 1, block, ["p", i32(pitch), i32(step), i32(warm), "o"])
                buffers = {"p": words(MB // 4), "o": words(512)}
                out.append(program(f"train {pitch} {step} {warm} {block}", "late", buffers, [launch]))
    return out


def _loops() -> list[Program]:
    def some(count: int) -> dict[str, Any]:
        return floats(count, uniform=[0, 1])

    out = []
    for grid, block in ((1, 32), (1, 256), (4, 256), (132, 256), (264, 512)):
        threads = grid * block
        windows = {"x": some(threads + 1024), "f": some(1024), "o": some(threads)}
        for kernel in ("window_loop", "window_loop_4"):
            launch = ("", kernel, grid, block, ["x", "f", "o", i32(512)])
            out.append(program(f"{kernel} {grid}x{block}", "late", windows, [launch]))
        for kernel in ("broadcast_loop", "broadcast_loop_4"):
            buffers = {"f": some(4096), "o": some(threads)}
            launch = ("", kernel, grid, block, ["f", "o", i32(1024)])
            out.append(program(f"{kernel} {grid}x{block}", "late", buffers, [launch]))
    return out


def late_programs() -> list[Program]:
    return [*_chains(), *_walks(), *_beside_misses(), *_trains(), *_loops()]
