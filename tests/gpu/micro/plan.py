"""The launches of the micro-benchmarks: `python -m tests.gpu.micro.plan FOLDER` writes plans beside their cubins."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.gpu.micro.plan_adds import add_programs
from tests.gpu.micro.plan_bytes import byte_programs
from tests.gpu.micro.plan_causes import page_programs, sum_programs, walk_programs, work_programs
from tests.gpu.micro.plan_cold import carve_programs, cold_programs, turn_programs
from tests.gpu.micro.plan_constant import constant_programs
from tests.gpu.micro.plan_contended import atomic_programs, flow_programs, merge_programs, mixed_programs
from tests.gpu.micro.plan_ends import ends_programs
from tests.gpu.micro.plan_first import first_programs
from tests.gpu.micro.plan_gpcs import gpc_programs
from tests.gpu.micro.plan_hot import hot_programs
from tests.gpu.micro.plan_late import late_programs
from tests.gpu.micro.plan_mechanisms import mechanism_programs
from tests.gpu.micro.plan_narrow import narrow_programs
from tests.gpu.micro.plan_packed import packed_programs
from tests.gpu.micro.plan_phases import phase_programs
from tests.gpu.micro.plan_places import place_programs
from tests.gpu.micro.plan_rows import row_programs
from tests.gpu.micro.plan_steps import step_programs
from tests.gpu.micro.plan_stored import stored_programs
from tests.gpu.micro.plan_tools import MB, Program, floats, i32, program, words
from tests.gpu.micro.plan_traces import store_programs, trace_programs
from tests.gpu.micro.plan_waiting import waiting_programs

IMAGES = (
    "core", "memory", "cold", "contended", "constant", "causes", "traces", "mechanisms", "first", "batches", "local",
    "ends", "code", "bursts", "waiting", "late", "rows", "packed", "phases", "places", "stored",
    "bytes", "narrow", "adds", "steps", "gpcs", "hot",
)  # fmt: skip


def launch_programs() -> list[Program]:
    rows: list[Any] = [
        (f"{grid}x{block}", "empty", grid, block, [])
        for grid, block in (
            (1, 32),
            (132, 32),
            (264, 32),
            (1056, 32),
            (4224, 32),
            (8448, 32),
            (33792, 32),
            (1, 1024),
            (132, 1024),
            (264, 1024),
            (1056, 1024),
            (4224, 1024),
            (132, 256),
            (1056, 256),
            (4224, 256),
            (16896, 256),
            (65536, 256),
            (4224, 128),
            (16896, 128),
            (16896, 64),
        )
    ]
    out = [program("empty", "core", {}, rows)]
    rows = [
        (f"{grid}x{block}+{s}", "empty", grid, block, [], s)
        for grid, block, s in ((132, 256, 16384), (1056, 256, 16384), (1056, 256, 65536), (1056, 256, 200000))
    ]
    out.append(program("empty shared", "core", {}, rows))
    out.append(
        program(
            "empty args",
            "core",
            {"p": words(4096)},
            [(f"{g}x{b}", "empty_args", g, b, ["p", i32(0)]) for g, b in ((1, 32), (132, 256), (4224, 256))]
            + [
                (f"registers {g}x{b}", "empty_registers", g, b, ["p", i32(0)])
                for g, b in ((1, 32), (132, 256), (4224, 256))
            ],
        )
    )
    for grid, block, spins in (
        (1, 32, 0),
        (132, 32, 3000),
        (1056, 32, 3000),
        (528, 256, 3000),
        (1056, 256, 3000),
        (2112, 256, 1000),
        (2112, 256, 0),
        (528, 1024, 3000),
        (8448, 64, 500),
        (600, 512, 2000),
    ):
        out.append(
            program(
                f"blocks {grid}x{block} {spins}",
                "core",
                {"o": words(4 * grid)},
                [("", "blocks", grid, block, ["o", i32(spins)])],
                ["o"],
            )
        )
    rows = [
        (f"{g}x{b} {n}", "spin", g, b, [i32(n), "p"])
        for g, b, n in (
            (1, 32, 100),
            (132, 256, 100),
            (1056, 256, 100),
            (132, 1024, 1000),
            (1056, 256, 400),
            (1200, 256, 400),
            (2112, 256, 400),
            (16896, 64, 50),
            (4224, 128, 200),
        )
    ]
    out.append(program("spin", "core", {"p": words(64)}, rows))
    return out


def instruction_programs() -> list[Program]:
    out = []
    for n in (128, 512, 1024, 2048, 4096, 8192):
        for grid, block in ((1, 32), (132, 32), (132, 256)) if n in (512, 2048, 8192) else ((1, 32),):
            out.append(
                program(
                    f"straight {n} {grid}x{block}",
                    "core",
                    {"o": words(4 * grid), "p": words(64)},
                    [("", f"straight_{n}", grid, block, [i32(4), "o", "p"])],
                    ["o"],
                )
            )
    out.append(
        program("jumps", "core", {"o": words(48), "p": words(64)}, [("", "jumps", 1, 32, [i32(0), "o", "p"])], ["o"])
    )
    for step in (1, 16, 64, 512):
        n = min(24576 // 2 // step, 256)
        out.append(
            program(
                f"constants {step}",
                "core",
                {"o": words(2 * n)},
                [("", "constants", 1, 1, [i32(step), i32(n), "o"])],
                ["o"],
            )
        )
    out.append(
        program(
            "constant operands",
            "core",
            {"o": words(32), "p": words(64)},
            [("", "constant_operands", 1, 32, ["o", "p"])],
            ["o"],
        )
    )
    for block in (32, 64, 256, 512, 1024):
        out.append(
            program(f"barriers {block}", "core", {"o": words(8)}, [("", "barriers", 1, block, [i32(200), "o"])], ["o"])
        )
    out.append(
        program("barriers 4 CTAs", "core", {"o": words(528)}, [("", "barriers", 528, 256, [i32(200), "o"])], ["o"])
    )
    n = 132 * 1024
    buffers = {
        "t": {"dtype": "<i4", "count": n, "integers": [0, 200], "seed": 3},
        "b": {"dtype": "<i4", "count": n, "integers": [0, 65536], "seed": 4},
        "q": floats(n),
    }
    out.append(
        program(
            "divergence",
            "core",
            buffers,
            [
                ("ragged 132x256", "ragged", 132, 256, ["t", "q"]),
                ("ragged 1056x128", "ragged", 1056, 128, ["t", "q"]),
                ("ragged 132x32", "ragged", 132, 32, ["t", "q"]),
                ("branches 132x32", "branches", 132, 32, ["b", i32(64), "q"]),
                ("branches 132x256", "branches", 132, 256, ["b", i32(64), "q"]),
                ("branches 528x256", "branches", 528, 256, ["b", i32(64), "q"]),
            ],
        )
    )
    mixes = [
        "0_0",
        "0_1",
        "0_2",
        "0_3",
        "0_4",
        "0_5",
        "1_2",
        "1_3",
        "2_2",
        "2_5",
        "3_3",
        "4_4",
        "4_2",
        "5_5",
        "6_6",
        "7_7",
        "8_8",
        "9_9",
        "9_5",
        "10_10",
        "11_11",
        "3_5",
    ]
    for block in (128, 1024):
        rows = [(f"{m} 132x{block}", f"mix_{m}", 132, block, [i32(200), "q"]) for m in mixes]
        out.append(program(f"mix {block}", "core", {"q": floats(n)}, rows))
    n = 132 * 256 * 16
    for bins in (1, 32, 1024):
        out.append(
            program(
                f"shared atomics {bins}",
                "core",
                {"t": {"dtype": "<i4", "count": n, "integers": [0, bins], "seed": 3}, "q": words(1024)},
                [("132x256", "shared_atomics", 132, 256, ["t", i32(16), "q"])],
            )
        )
    out.append(
        program(
            "tree",
            "core",
            {"p": floats(1056 * 1024), "q": floats(1056)},
            [(f"{g}x{b}", "tree", g, b, ["p", "q"]) for g, b in ((132, 1024), (1056, 256), (1056, 1024))],
        )
    )
    return out


def latency_programs() -> list[Program]:
    out = []
    for kernel, bytes_, stride, order, n in (
        ("chase_trace", MB // 4, 128, "next", 1024),
        ("chase_trace", 4 * MB, 4096, "next", 1024),
        ("chase_trace", 16 * MB, 4096, "random", 1024),
        ("chase_trace", 64 * MB, 65536, "next", 1024),
        ("chase_trace", 256 * MB, 65536, "random", 1024),
        ("chase_trace", 512 * MB, 2 * MB, "next", 256),
        ("chase_trace_cg", 32 * MB, 32768, "next", 2000),
        ("chase_trace_cg", 65536, 128, "next", 1024),
    ):
        out.append(
            program(
                f"{kernel} {bytes_ // 1024}K {stride} {order}",
                "memory",
                {"p": words(bytes_ // 4, chase={"stride": stride, "order": order}), "o": words(n)},
                [("", kernel, 1, 1, ["p", {"u32": 0}, i32(n), "o"])],
                ["o"],
            )
        )
    for kilobytes, stride in ((128, 128), (240, 128), (1024, 128), (16384, 512), (32768, 1024), (65536, 2048)):
        n = min(kilobytes * 1024 // stride, 8192)
        out.append(
            program(
                f"chase_mean {kilobytes}K {stride}",
                "memory",
                {"p": words(kilobytes * 256, chase={"stride": stride, "order": "random"}), "o": words(4)},
                [("", "chase_mean", 1, 1, ["p", {"u32": 0}, i32(kilobytes * 1024 // stride), i32(n), "o"])],
                ["o"],
            )
        )
    out.append(
        program(
            "store_load", "memory", {"p": floats(64), "o": words(64)}, [("", "store_load", 1, 32, ["p", "o"])], ["o"]
        )
    )
    return out


def stream_programs() -> list[Program]:
    n = 16 * MB
    rows = []
    for grid, block, kernel, items in (
        (132, 32, "read4_1", MB // 4),
        (132, 32, "read4_8", MB),
        (132, 256, "read4_1", MB),
        (132, 256, "read4_4", 4 * MB),
        (132, 1024, "read4_1", 4 * MB),
        (132, 1024, "read4_8", n),
        (1056, 256, "read4_1", 4 * MB),
        (1056, 256, "read4_4", n),
        (1056, 256, "read16_1", n // 4),
        (1056, 256, "read16_4", n // 4),
        (264, 1024, "read16_4", n // 4),
        (1, 1024, "read16_4", MB // 8),
        (4, 1024, "read16_4", MB // 4),
        (16, 1024, "read16_4", MB),
        (66, 1024, "read16_4", n // 4),
        (1056, 256, "read8_4", n // 2),
        (1056, 256, "read4_1", MB // 4),
        (1056, 256, "read4_1", MB),
    ):
        rows.append((f"{kernel} {grid}x{block} {items}", kernel, grid, block, ["p", i32(items), i32(1), "q"]))
    for grid, block, kernel, items, reps in (
        (132, 1024, "read4_8", MB, 6),
        (1056, 256, "read16_4", MB, 6),
        (132, 256, "read16_4", MB // 2, 6),
        (1, 1024, "read16_4", MB // 32, 8),
        (16, 1024, "read16_4", MB // 4, 6),
        (132, 32, "read4_8", MB // 4, 6),
        (1056, 256, "read4_1", MB, 6),
        (1056, 256, "read16_4", 2 * MB, 4),
    ):
        rows.append(
            (f"{kernel} {grid}x{block} {items} reps {reps}", kernel, grid, block, ["p", i32(items), i32(reps), "q"])
        )
    out = [program("read", "memory", {"p": floats(n), "q": words(64)}, rows)]
    rows = []
    for grid, block, kernel, items in (
        (132, 256, "write4_1", MB // 4),
        (1056, 256, "write4_1", MB),
        (1056, 256, "write4_1", n),
        (1056, 256, "write4_4", n),
        (1056, 256, "write16_1", n // 4),
        (1, 1024, "write4_1", MB // 8),
        (1, 1024, "write16_1", MB // 16),
        (16, 1024, "write16_1", MB // 4),
        (66, 1024, "write4_1", MB),
    ):
        rows.append((f"{kernel} {grid}x{block} {items}", kernel, grid, block, ["q", i32(items)]))
    for grid, block, kernel, items in (
        (1056, 256, "copy4", MB),
        (1056, 256, "copy4", n // 2),
        (1056, 256, "copy4_4", n // 2),
        (1056, 256, "copy16", n // 8),
        (132, 1024, "copy4", 2 * MB),
    ):
        rows.append((f"{kernel} {grid}x{block} {items}", kernel, grid, block, ["p", "q", i32(items)]))
    out.append(program("write", "memory", {"p": floats(n // 2), "q": floats(n)}, rows))
    rows = []
    for items, block in (
        (1 << 12, 256),
        (1 << 16, 256),
        (1 << 18, 256),
        (1 << 20, 256),
        (1 << 22, 256),
        (1 << 23, 256),
        (1 << 20, 64),
        (1 << 20, 1024),
    ):
        grid = items // block
        rows += [
            (f"read {items}/{block}", "flat_read", grid, block, ["p", "q", i32(items)]),
            (f"write {items}/{block}", "flat_write", grid, block, ["q", i32(items)]),
            (f"copy {items}/{block}", "flat_copy", grid, block, ["p", "q", i32(items)]),
            (f"triad {items}/{block}", "flat_triad", grid, block, ["p", "r", "s", "q", i32(items)]),
            (f"update {items}/{block}", "flat_update", grid, block, ["q", i32(items)]),
        ]
    out.append(program("flat", "memory", {k: floats(1 << 23) for k in "pqrs"}, rows))
    return out


def pattern_programs() -> list[Program]:
    out = []
    n = 16 * MB
    for warps, grid in ((1, 1), (8, 1), (8, 132), (32, 132)):
        for lane, step, warp in (
            (1, 32, 512),
            (2, 64, 1024),
            (4, 128, 2048),
            (8, 256, 4096),
            (32, 1, 1024),
            (33, 1, 1056),
            (1024, 1, 16),
            (1024, 8, 128),
            (1025, 1, 16),
            (0, 1, 16),
            (0, 8, 128),
        ):
            items = 16
            if (31 * lane + (items - 1) * step + warp * warps * grid) > n or (warps, lane) in ((1, 33), (32, 33)):
                continue
            out.append(
                program(
                    f"store {lane}/{step}/{warp} {grid}x{32 * warps}",
                    "memory",
                    {"p": floats(31 * lane + items * step + warp * warps * grid + 64), "o": words(2 * grid)},
                    [("", "store_pattern", grid, 32 * warps, ["p", *map(i32, (lane, step, warp, items)), "o"])],
                    ["o"],
                )
            )
    for kernel, grid, warps, lane, step, warp in (
        ("load_pattern", 1, 1, 1, 32, 512),
        ("load_pattern", 1, 8, 1, 32, 512),
        ("load_pattern", 1, 32, 1, 32, 512),
        ("load_pattern", 1, 8, 2, 64, 1024),
        ("load_pattern", 1, 8, 8, 256, 4096),
        ("load_pattern", 1, 8, 32, 1, 1024),
        ("load_pattern", 1, 8, 32, 8, 1024),
        ("load_pattern", 1, 8, 33, 1, 1056),
        ("load_pattern", 1, 8, 0, 1, 16),
        ("load_pattern", 132, 8, 32, 1, 1024),
        ("load_pattern", 132, 32, 32, 1, 1024),
        ("load_pattern", 132, 8, 1024, 1, 16),
        ("load_pattern_cg", 1, 8, 1, 32, 512),
        ("load_pattern_cg", 132, 8, 1, 32, 512),
        ("load_pattern_cg", 132, 32, 1, 32, 512),
        ("load_pattern_cg", 1, 8, 8, 256, 4096),
        ("load_pattern_cg", 132, 8, 8, 256, 4096),
        ("load_pattern_cg", 132, 8, 32, 1, 1024),
        ("load_pattern_cg", 132, 8, 32, 8, 1024),
        ("load_pattern_cg", 132, 8, 0, 8, 128),
        ("load_pattern_cg", 132, 8, 1024, 1, 16),
    ):
        out.append(
            program(
                f"{kernel} {lane}/{step}/{warp} {grid}x{32 * warps}",
                "memory",
                {"p": floats(31 * lane + 16 * step + warp * warps * grid + 64), "o": words(4 * grid)},
                [("", kernel, grid, 32 * warps, ["p", *map(i32, (lane, step, warp, 16, 4)), "o"])],
                ["o"],
            )
        )
    n = 1 << 18
    for size in (1, 32, 1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 26):
        kernels = (
            ["gather", "scatter", "red_at", "redf_at", "atom_at", "cas_at"]
            if size <= 1 << 20
            else ["gather", "scatter"]
        )
        rows = []
        for kernel in kernels:
            m = n if size >= 1 << 12 else n >> 3
            args: list[Any] = ["t", "p", "r"] if kernel in ("gather", "atom_at", "cas_at") else ["t", "p"]
            rows.append((kernel, kernel, m // 256, 256, [*args, i32(m)]))
        out.append(
            program(
                f"random {size}",
                "memory",
                {"t": {"dtype": "<i4", "count": n, "integers": [0, size], "seed": 5}, "p": words(size), "r": words(n)},
                rows,
            )
        )
    for bx, by, width in ((32, 8, 512), (32, 8, 1024), (16, 16, 1024), (256, 1, 1024), (32, 32, 2048)):
        for pitch in (width, width + 1, width + 8):
            rows = [
                (kernel, kernel, [width // bx, width // by], [bx, by], ["p", "q", i32(width), i32(pitch)])
                for kernel in ("columns", "columns_read")
            ]
            out.append(
                program(
                    f"columns {bx}x{by} {width} {pitch}",
                    "memory",
                    {"p": floats(width * pitch + 64), "q": floats(width * pitch + 64)},
                    rows,
                )
            )
    for rows_, width, block in (
        (1024, 256, 256),
        (4096, 256, 256),
        (8192, 512, 256),
        (4096, 256, 32),
        (1024, 1024, 32),
    ):
        buffers = {"p": floats(rows_ * width), "q": floats(max(rows_, width))}
        out.append(
            program(
                f"walk {rows_}x{width} {block}",
                "memory",
                buffers,
                [
                    ("rows", "row_walk", rows_ // block, block, ["p", "q", i32(width)]),
                    ("columns", "column_walk", rows_ // block, block, ["p", "q", i32(width), i32(rows_)]),
                    ("accumulate", "accumulate", rows_ // block, block, ["p", "q", i32(width), i32(rows_)]),
                    ("accumulate weak", "accumulate_weak", rows_ // block, block, ["p", "q", i32(width), i32(rows_)]),
                ],
            )
        )
    out.append(
        program(
            "local",
            "memory",
            {"t": {"dtype": "<i4", "count": 256, "integers": [0, 64], "seed": 2}, "q": words(132 * 512)},
            [(f"{g}x{b}", "local_array", g, b, ["t", "q", i32(128)]) for g, b in ((1, 32), (132, 128), (264, 256))],
        )
    )
    return out


def plans() -> dict[str, list[Program]]:
    """All plans by name."""
    return {
        "launch": launch_programs(),
        "instruction": instruction_programs(),
        "latency": latency_programs(),
        "stream": stream_programs(),
        "pattern": pattern_programs(),
        "cold": cold_programs(),
        "turn": turn_programs(),
        "carve": carve_programs(),
        "atomic": atomic_programs(),
        "mixed": mixed_programs(),
        "flow": flow_programs(),
        "merge": merge_programs(),
        "constant": constant_programs(),
        "sums": sum_programs(),
        "walks": walk_programs(),
        "pages": page_programs(),
        "work": work_programs(),
        "traces": trace_programs(),
        "stores": store_programs(),
        "mechanism": mechanism_programs(),
        "first": first_programs(),
        "ends": ends_programs(),
        "waiting": waiting_programs(),
        "late": late_programs(),
        "rows": row_programs(),
        "packed": packed_programs(),
        "phases": phase_programs(),
        "places": place_programs(),
        "stored": stored_programs(),
        "bytes": byte_programs(),
        "narrow": narrow_programs(),
        "adds": add_programs(),
        "steps": step_programs(),
        "gpcs": gpc_programs(),
        "hot": hot_programs(),
    }


if __name__ == "__main__":
    for name, programs in plans().items():
        Path(sys.argv[1], f"{name}.json").write_text(json.dumps(programs))
        print(name, sum(len(p["launches"]) for p in programs))
