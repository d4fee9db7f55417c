"""Text and JSON of a launch's profile."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from runtime.profile.facts import Facts, gather

SCHEMA_VERSION = 1
HOT_ROWS = 20
_MEANING = {
    "wait": "a fixed latency, counted out by the stall count",
    "long_scoreboard": "data from global or local memory",
    "short_scoreboard": "data from shared memory, special registers, MUFU, shuffles",
    "math_pipe_throttle": "its arithmetic pipe is busy",
    "lg_throttle": "the queue for global and local memory is full",
    "mio_throttle": "the queue for shared memory and special math is full",
    "barrier": "other warps of the block at a barrier",
    "branch_resolving": "a branch to take effect",
    "dispatch_stall": "register ports or the issue port",
    "imc_miss": "a constant that is not in the cache yet",
    "no_instruction": "an instruction that is not in the cache",
    "membar": "a memory fence",
    "sleeping": "nanosleep",
    "not_selected": "another warp was picked",
    "selected": "issued",
}


def _number(value: float) -> str:
    if value >= 1e12:
        return f"{value:.3e}"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _bytes(value: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if value < 10000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def _table(title: str, rows: Sequence[tuple[str, ...]], align: str = "") -> list[str]:
    if not rows:
        return []
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    out = [title, "-" * len(title)]
    for row in rows:
        cells = [
            c.rjust(w) if align[k : k + 1] == "r" else c.ljust(w)
            for k, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        out.append("  " + "  ".join(cells).rstrip())
    return [*out, ""]


def summary(launch: Any) -> str:
    """A few lines: size, cycles, time, instructions, occupancy, what warps waited for."""
    f = gather(launch)
    o = f.outcome
    first = f"{f.kernel}: grid {_dim(f.grid)}, block {_dim(f.block)}, {f.registers} registers, {f.shared} bytes shared"
    if not o.cycles:
        return f"{first}\n{o.instructions:,} warp instructions (not timed), simulated in {o.seconds:.2f} s"
    ipc = f.get("sm__inst_executed.avg.per_cycle_active")
    warps = f.get("sm__warps_active.avg.pct_of_peak_sustained_active")
    second = (
        f"{o.cycles:,} cycles = {f.microseconds:.2f} us at {f.clock_mhz} MHz; {o.instructions:,} warp instructions, "
        f"{ipc:.2f} per active cycle and SM; occupancy {warps:.0f} %"
    )
    waits = ", ".join(f"{name} {100 * share:.0f} %" for name, share in f.top_stalls())
    third = f"warps waited for: {waits}" if waits else "warps never waited"
    tail = f"simulated in {o.seconds:.2f} s ({o.instructions / max(o.seconds, 1e-9) / 1e6:.1f} M warp instructions/s)"
    lines = [first, second, third, tail]
    if o.hazards:
        lines.append(f"{len(o.hazards)} read(s) come before their value: see the report")
    return "\n".join(lines)


def _dim(d: tuple[int, int, int]) -> str:
    return "x".join(map(str, d)) if d[1] != 1 or d[2] != 1 else str(d[0])


def report(launch: Any) -> str:
    """The whole profile as text: launch and occupancy, speed of light, warp states, memory, hottest instructions."""
    return text_of(gather(launch))


def text_of(f: Facts) -> str:
    """`report` of gathered facts."""
    out = [f"{f.kernel} on {f.device}", "=" * (len(f.kernel) + 4 + len(f.device)), ""]
    out += _table("Launch and occupancy", _launch_rows(f), "lr")
    if f.outcome.cycles:
        out += _table("Speed of light", _light_rows(f), "lr")
        states = [(name, f"{value:.2f}", _MEANING.get(name, "")) for name, value in f.states()]
        total = sum(value for _, value in f.states())
        states.append(("total", f"{total:.2f}", "warp-cycles per issued instruction"))
        out += _table("Warp states (cycles per issued instruction)", states, "lrl")
        out += _table("Memory", _memory_rows(f), "lrrrr")
    out += _table("Instruction mix", _pipe_rows(f), "lrr")
    out += _table("Hottest instructions", _hot_rows(f), "lrrrll")
    if f.outcome.hazards:
        rows = [
            (
                f"0x{h.consumer:04x} reads {h.register}",
                f"{h.early} cycle(s) before",
                f"0x{h.producer:04x} has it",
                f"{h.count} times",
            )
            for h in f.outcome.hazards[:HOT_ROWS]
        ]
        out += _table("Hazards", rows, "llll")
    return "\n".join(out).rstrip() + "\n"


def _launch_rows(f: Facts) -> Sequence[tuple[str, ...]]:
    limits = {k.removeprefix("launch__occupancy_limit_"): v for k, v in f.counters.items() if "occupancy_limit" in k}
    tightest = min(limits, key=lambda k: (limits[k], k)) if limits else ""
    rows = [
        ("grid", _dim(f.grid)),
        ("block", _dim(f.block)),
        ("registers per thread", str(f.registers)),
        ("shared memory per block", _bytes(f.get("launch__shared_mem_per_block"))),
        ("waves per SM", f"{f.get('launch__waves_per_multiprocessor'):.2f}"),
        ("blocks per SM", f"{min(limits.values()):.0f} (limited by {tightest})" if limits else ""),
        ("theoretical occupancy", f"{f.get('sm__maximum_warps_per_active_cycle_pct'):.1f} %"),
    ]
    if f.outcome.cycles:
        rows.append(("achieved occupancy", f"{f.get('sm__warps_active.avg.pct_of_peak_sustained_active'):.1f} %"))
    return rows


def _light_rows(f: Facts) -> Sequence[tuple[str, ...]]:
    return [
        ("cycles", _number(f.outcome.cycles)),
        ("duration", f"{f.microseconds:.2f} us"),
        ("issue slots busy", f"{100 * f.get('smsp__issue_active.avg.per_cycle_active'):.1f} %"),
        ("instructions per cycle and SM", f"{f.get('sm__inst_executed.avg.per_cycle_active'):.2f}"),
        ("eligible warps per scheduler", f"{f.get('smsp__warps_eligible.avg.per_cycle_active'):.2f}"),
        ("active warps per scheduler", f"{f.get('smsp__warps_active.avg.per_cycle_active'):.2f}"),
        ("threads per instruction", f"{f.get('smsp__thread_inst_executed_per_inst_executed.ratio'):.1f}"),
        ("L2 throughput", f"{f.get('lts__throughput.avg.pct_of_peak_sustained_elapsed'):.1f} %"),
        ("DRAM throughput", f"{f.get('dram__throughput.avg.pct_of_peak_sustained_elapsed'):.1f} %"),
    ]


def _memory_rows(f: Facts) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for space in ("global", "local"):
        for op in ("ld", "st", "atom", "red"):
            stem = f"pipe_lsu_mem_{space}_op_{op}"
            requests, sectors = f.get(f"l1tex__t_requests_{stem}.sum"), f.get(f"l1tex__t_sectors_{stem}.sum")
            if requests:
                hits = f.get(f"l1tex__t_sectors_{stem}_lookup_hit.sum")
                rate = f"{100 * hits / sectors:.1f} %" if op == "ld" and sectors else ""
                rows.append((f"{space} {op}", _number(requests), _number(sectors), f"{sectors / requests:.2f}", rate))
    for op in ("ld", "st", "atom"):
        fronts = f.get(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum")
        if fronts:
            conflicts = f.get(f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum")
            rows.append((f"shared {op}", _number(fronts), _number(conflicts), "", ""))
    if rows:
        rows.insert(0, ("", "requests", "sectors", "per request", "L1 hits"))
        for k, row in enumerate(rows):
            if row[0].startswith("shared"):
                rows.insert(k, ("", "wavefronts", "conflicts", "", ""))
                break
    l2 = f.get("lts__t_sectors.sum")
    if l2:
        rows.append(("L2", "", _number(l2), "", f"{f.get('lts__t_sector_hit_rate.pct'):.1f} % hits"))
        speed = f.get("dram__bytes_read.sum.per_second")
        rows.append(("DRAM read", "", _bytes(f.get("dram__bytes_read.sum")), "", f"{speed / 1e9:.0f} GB/s"))
    return rows


def _pipe_rows(f: Facts) -> list[tuple[str, ...]]:
    prefix = "sm__inst_executed_pipe_"
    total = f.get("sm__inst_executed.sum") or 1.0
    pipes = [
        (k.removeprefix(prefix).removesuffix(".sum"), v) for k, v in f.counters.items() if k.startswith(prefix) and v
    ]
    return [(name, _number(v), f"{100 * v / total:.1f} %") for name, v in sorted(pipes, key=lambda p: (-p[1], p[0]))]


def _hot_rows(f: Facts) -> list[tuple[str, ...]]:
    total = sum(h.samples for h in f.instructions) or 1.0
    hottest = sorted(f.instructions, key=lambda h: (-h.samples, h.offset))[:HOT_ROWS]
    rows: list[tuple[str, ...]] = [("offset", "executed", "cycles", "share", "instruction", "source")]
    for h in sorted(hottest, key=lambda h: h.offset):
        executed = h.counters.get("inst_executed", 0.0)
        share = f"{100 * h.samples / total:.1f} %"
        rows.append((f"0x{h.offset:04x}", _number(executed), _number(h.samples), share, h.text[:60], h.source))
    return rows


def as_json(launch: Any) -> str:
    """The profile as JSON text with a schema version."""
    f = gather(launch)
    o = f.outcome
    return json.dumps(
        {
            "schema": SCHEMA_VERSION,
            "kernel": f.kernel,
            "device": f.device,
            "grid": f.grid,
            "block": f.block,
            "cycles": o.cycles,
            "microseconds": f.microseconds,
            "instructions": o.instructions,
            "counters": o.counters,
            "stalls": o.stalls,
            "hazards": [
                {
                    "producer": h.producer,
                    "consumer": h.consumer,
                    "register": h.register,
                    "early": h.early,
                    "count": h.count,
                }
                for h in o.hazards
            ],
            "per_pc": [
                {"offset": h.offset, "text": h.text, "source": h.source, "counters": h.counters} for h in f.instructions
            ],
        },
        indent=2,
        sort_keys=True,
    )
