"""How far a launch is from the time that its bytes alone take, and from every other least time (seed 000, section
6.5)."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from runtime.profile import metrics
from runtime.profile.facts import Facts
from runtime.profile.kinds import title
from runtime.profile.metrics import Values, number
from runtime.profile.units import scaled, table


@attrs.frozen
class Floor:
    """Least cycles of a launch if one thing bound it and nothing else was in the way, by name; `actual` cycles."""

    actual: float
    parts: dict[str, float]

    @property
    def tightest(self) -> tuple[str, float]:
        """The floor that is highest."""
        return max(self.parts.items(), key=lambda item: (item[1], item[0]))


def floors(f: Facts, out: Values, peak: float = 0.0) -> Floor:
    """Floors of a launch. `peak`: DRAM bandwidth in GB/s instead of the machine description's."""
    arch = f.arch
    a_cycle = peak * 1e9 / (arch.clock_mhz * 1e6) if peak else arch.memory.dram_bandwidth
    parts: dict[str, float] = {}
    if f.footprint:
        parts["bytes of its arrays, at DRAM's peak"] = f.footprint / a_cycle
    parts["bytes that it read from DRAM, at DRAM's peak"] = number(out, "dram__bytes_read.sum") / a_cycle
    parts["L2 sectors, at L2's peak"] = number(out, "lts__t_bytes.sum") / arch.memory.l2_bandwidth
    parts["instructions, one a cycle and scheduler"] = number(out, "smsp__inst_executed.sum") / (
        arch.sm_count * arch.sub_cores
    )
    for pipe, busy in metrics.pipe_cycles(f.instructions).items():
        units = arch.sm_count * (1 if pipe == "lsu" else arch.sub_cores)
        parts[f"pipe {pipe}"] = busy / units
    return Floor(float(f.outcome.cycles), parts)


def gap(launches: Sequence[Facts], peak: float = 0.0) -> list[str]:
    """The gap of each launch to the time that its arrays' bytes take at DRAM's peak, and what is in between."""
    rows: list[tuple[str, ...]] = [
        ("launch", "bytes", "floor us", "actual us", "gap", "of peak", "SMs busy", "highest floor", "warps wait for")
    ]
    for f in launches:
        out = metrics.values(f)
        found = floors(f, out, peak)
        name = next(iter(found.parts))
        least = found.parts[name]
        tight, cycles = found.tightest
        active = number(out, "sm__cycles_active.avg") / found.actual
        waits = f.top_stalls(1)
        bytes_ = f.footprint or number(out, "dram__bytes_read.sum")
        rows.append(
            (
                title(f),
                " ".join(scaled(bytes_, "byte")),
                f"{least / f.clock_mhz:.2f}",
                f"{found.actual / f.clock_mhz:.2f}",
                f"{found.actual / least:.2f}x" if least else "",
                f"{100 * least / found.actual:.1f} %",
                f"{100 * active:.0f} %",
                f"{tight} {100 * cycles / found.actual:.0f} %",
                f"{waits[0][0]} {100 * waits[0][1]:.0f} %" if waits else "",
            )
        )
    lines = table("Gap to the floor", rows, "lrrrrrrll", head=True)
    for f in launches[:1]:
        found = floors(f, metrics.values(f), peak)
        body: list[tuple[str, ...]] = [("if nothing bound it but", "cycles", "of actual")]
        for name, cycles in sorted(found.parts.items(), key=lambda item: (-item[1], item[0])):
            body.append((name, f"{cycles:,.0f}", f"{100 * cycles / found.actual:.1f} %"))
        body.append(("actual", f"{found.actual:,.0f}", "100.0 %"))
        lines += table(f"Floors of {title(f)}", body, "lrr", head=True)
    return lines
