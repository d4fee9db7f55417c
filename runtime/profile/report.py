"""Text and JSON of a launch's profile."""

from __future__ import annotations

import json
from typing import Any

import attrs

from runtime.profile import metrics
from runtime.profile.facts import Facts, gather
from runtime.profile.sections import SECTIONS, details
from runtime.profile.units import dims

SCHEMA_VERSION = 2


def summary(launch: Any) -> str:
    """A few lines: size, cycles, time, instructions, occupancy, what warps waited for."""
    f = gather(launch)
    o = f.outcome
    first = f"{f.kernel}: grid {dims(f.grid)}, block {dims(f.block)}, {f.registers} registers, {f.shared} bytes shared"
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
    if o.sampled is not None:
        s, plural = o.sampled, "" if o.sampled.stretches == 1 else "es"
        lines.insert(
            2,
            f"cycles are an estimate from {s.simulated:,} of {s.ctas:,} blocks in {s.stretches} stretch{plural}, "
            f"+- {100 * s.error:.1f} % (95 %, from the variance within the sample)",
        )
    if o.hazards:
        lines.append(f"{len(o.hazards)} read(s) or write(s) come too early: see the report")
    return "\n".join(lines)


def report(launch: Any) -> str:
    """The whole profile as text: the sections that `minicc prof` shows without being asked for one."""
    return text_of(gather(launch))


def text_of(f: Facts) -> str:
    """`report` of gathered facts."""
    return details(f, tuple(section for section in SECTIONS if section.basic))


def plain(f: Facts, per_instruction: bool = True) -> dict[str, Any]:
    """The profile as plain data."""
    o = f.outcome
    out: dict[str, Any] = {
        "schema": SCHEMA_VERSION,
        "kernel": f.kernel,
        "name": f.demangled,
        "device": f.device,
        "grid": f.grid,
        "block": f.block,
        "cycles": o.cycles,
        "microseconds": f.microseconds,
        "instructions": o.instructions,
        "metrics": metrics.values(f),
        "stalls": o.stalls,
        "hazards": [attrs.asdict(hazard) for hazard in o.hazards],
    }
    if per_instruction:
        out["per_pc"] = [
            {"offset": h.offset, "text": h.text, "file": h.file, "line": h.line, "counters": h.counters}
            for h in f.instructions
        ]
    return out


def html(launch: Any) -> str:
    """The summary, and the warp states as a picture."""
    from html import escape

    from runtime.profile.timeline import states_picture

    f = gather(launch)
    picture = states_picture([f]) if f.outcome.cycles else ""
    return f"<pre>{escape(summary(launch))}</pre>\n{picture}"


def as_json(launch: Any) -> str:
    """The profile as JSON text with a schema version."""
    return json.dumps(plain(gather(launch)), indent=2, sort_keys=True)
