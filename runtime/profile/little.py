"""Little's law: what bandwidth the bytes in flight can draw (seed 000, section 4.3), with the loads in flight and the
loads that wait for one another found in the code's dataflow."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from minicc.analysis.access import address_operand
from minicc.sass.instr import Target
from runtime.profile.facts import Facts, Hot
from runtime.profile.kinds import flow, own
from runtime.profile.metrics import Values, number
from runtime.profile.units import table


@attrs.frozen
class Chain:
    """Loads of a kernel that wait for one another. `depth`: loads of one loop in a row, each needing the one before for
    its address, among those that move a fiftieth of the bytes or more; `parallel`: most loads in flight before a
    wait."""

    depth: int
    parallel: int
    path: tuple[int, ...]
    """byte offsets of one such chain, first to last"""


def loads_of(rows: Sequence[Hot]) -> list[int]:
    return [
        i for i, row in enumerate(rows) if row.access[0] in ("global", "generic") and row.access[1] in ("load", "copy")
    ]


def _innermost(rows: Sequence[Hot]) -> list[int]:
    """The first instruction of the smallest loop around each instruction, -1 outside loops: loops are the address
    ranges of backward branches."""
    found = [-1] * len(rows)
    size = [len(rows) + 1] * len(rows)
    for i, row in enumerate(rows):
        target = next((op for op in row.instr.operands if isinstance(op, Target)), None) if row.instr else None
        if row.mnemonic == "BRA" and target is not None and target.address is not None and target.address <= row.offset:
            first = target.address // 16
            for k in range(first, i + 1):
                if i - first < size[k]:
                    found[k], size[k] = first, i - first
    return found


def chain(f: Facts) -> Chain:
    """The dependent loads of the kernel's hot code, from its dataflow. A load that feeds its own address around a loop
    counts once."""
    rows, data = own(f), flow(f)
    loads = loads_of(rows)
    moved = {i: rows[i].counters.get("sectors", 0.0) for i in loads}
    hot = [i for i in loads if moved[i] >= 0.02 * sum(moved.values())]

    def addressloads_of(i: int) -> set[int]:
        """Loads whose values reach the address of load i."""
        instr = rows[i].instr
        place = address_operand(instr)
        found: set[int] = set()
        seen: set[int] = set()
        todo = list(data.sources(i, lambda operand: operand == place))
        while todo:
            k = todo.pop()
            if k in seen:
                continue
            seen.add(k)
            if k in loads:
                found.add(k)
                continue
            todo += data.sources(k, lambda operand: operand != -1)
        return found

    loop = _innermost(rows)
    feeders = {i: {k for k in addressloads_of(i) if k in hot and loop[k] == loop[i]} for i in hot}

    def path(i: int, above: tuple[int, ...]) -> tuple[int, ...]:
        best: tuple[int, ...] = ()
        for k in sorted(feeders[i]):
            if k not in above and k != i:
                found = path(k, (*above, i))
                best = max(best, found, key=len)
        return (*best, i)

    longest = max((path(i, ()) for i in hot), key=len, default=())
    parallel = flying = 0
    pending: set[int] = set()
    for row in rows:
        if row.instr is None:
            continue
        wait = row.instr.control.wait
        if any(wait >> b & 1 for b in pending):
            pending, flying = set(), 0
        if row.mnemonic in ("BRA", "EXIT", "BSYNC"):
            flying = 0
        if row.access[0] in ("global", "generic") and row.access[1] in ("load", "copy"):
            flying += 1
            pending.add(row.instr.control.wbar)
        parallel = max(parallel, flying)
    return Chain(max(len(longest), 1 if loads else 0), parallel, tuple(rows[i].offset for i in longest))


@attrs.frozen
class Little:
    """Little's law for DRAM. `needed`: bytes in flight that keep it busy; `warps`: warps an SM that takes with `each`
    bytes in flight a warp; `share`: of the peak that `limit` warps an SM can draw."""

    needed: float
    each: float
    warps: float
    limit: float

    @property
    def share(self) -> float:
        """Of the peak bandwidth, at most."""
        return min(1.0, self.limit / self.warps) if self.warps else 1.0


def little(bandwidth: float, latency: float, sms: int, each: float, limit: float) -> Little:
    """`bandwidth` bytes and `latency` in one unit of time (bytes a second and seconds, or bytes a cycle and cycles);
    `each`: bytes that a warp keeps in flight; `limit`: warps of an SM."""
    needed = bandwidth * latency
    return Little(needed, each, needed / sms / each if each else 0.0, limit)


def littles_law(f: Facts, out: Values, peak: float = 0.0) -> list[str]:
    """What bandwidth the kernel's warps can draw, given how many bytes each keeps in flight."""
    m = f.arch.memory
    a_cycle = peak * 1e9 / (f.arch.clock_mhz * 1e6) if peak else m.dram_bandwidth
    found = chain(f)
    requests = number(out, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")
    sectors = number(out, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
    resident = number(out, "sm__warps_active.avg.per_cycle_active")
    limit = float(f.arch.occupancy.max_warps)
    per_request = 32 * sectors / requests if requests else 128.0
    rows: list[tuple[str, ...]] = [
        ("a warp keeps in flight", "bytes", "bytes needed", "warps/SM needed", "at most", "at its occupancy")
    ]
    depth = max(found.depth, 1)
    cases = [("one coalesced request (128 bytes)", 128.0)]
    if requests:
        cases.append((f"one of its requests ({sectors / requests:.1f} sectors)", per_request))
        cases.append((f"its independent loads ({found.parallel} at a time)", per_request * found.parallel))
        if depth > 1:
            cases.append((f"the same, {depth} in a row dependent", per_request * found.parallel / depth))
    for name, each in cases:
        law = little(a_cycle, m.dram_latency, f.arch.sm_count, each, limit)
        at = little(a_cycle, m.dram_latency, f.arch.sm_count, each, resident)
        cells = (name, f"{each:,.0f}", f"{law.needed:,.0f}", f"{law.warps:.1f}")
        rows.append((*cells, f"{100 * law.share:.1f} % of peak", f"{100 * at.share:.1f} % of peak"))
    used = number(out, "dram__throughput.avg.pct_of_peak_sustained_elapsed")
    if peak:
        used *= m.dram_bandwidth / a_cycle
    note = (
        f"DRAM {a_cycle * f.clock_mhz / 1e3:,.0f} GB/s, {m.dram_latency} cycles away; an SM holds {limit:.0f} warps, "
        f"this kernel had {resident:.1f}; it drew {used:.1f} % of the peak"
    )
    if len(found.path) > 1:
        rows_by = {row.offset: row for row in own(f)}
        note += "\ndependent loads: " + " -> ".join(
            f"0x{o:04x} {rows_by[o].text.split(' desc')[0]}" for o in found.path
        )
    return table("Little's law: bytes in flight that keep DRAM busy", rows, "lrrrrr", head=True, note=note)
