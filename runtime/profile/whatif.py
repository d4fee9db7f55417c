"""How far a kernel is from what the machine allows, and what would change if one cause went away.

The questions are those of the project's document on cuSPARSE's merge-path SpMV (seed 000), asked of any kernel: the CPI
stack of several launches side by side (its section 5.1), which instructions the stalls come from (5.2), the gap to the
time that the bytes alone take (6.5), Little's law (4.3), and decoupling access from execution (7). Everything is worked
out from counters, the code's dataflow, and the machine description.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import attrs

from minicc.analysis.access import address_operand
from minicc.analysis.dataflow import Dataflow
from minicc.analysis.occupancy import occupancy
from minicc.sass.instr import Target
from runtime.profile import metrics
from runtime.profile.facts import Facts, Hot
from runtime.profile.metrics import Values, number
from runtime.profile.units import number as text_number
from runtime.profile.units import scaled, table

CLASSES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("global load", ("LDG", "LD", "LDL", "LDGSTS")),
    ("global store and atomic", ("STG", "ST", "STL", "REDG", "RED", "ATOMG", "ATOM")),
    ("shared memory", ("LDS", "STS", "LDSM", "STSM", "ATOMS")),
    ("shuffle and vote", ("SHFL", "VOTE", "VOTEU", "MATCH", "REDUX")),
    ("address and integer", ("IMAD", "IADD3", "LEA", "SHF", "LOP3", "IABS", "VIADD", "UIADD3", "ULEA", "UIMAD", "USHF",
                             "ULOP3", "FLO", "POPC", "VIMNMX", "IMNMX", "BMSK", "SGXT")),
    ("floating point", ("FADD", "FMUL", "FFMA", "DADD", "DMUL", "DFMA", "HADD2", "HMUL2", "HFMA2", "MUFU", "FMNMX",
                        "FCHK")),
    ("tensor", ("HMMA", "IMMA", "DMMA", "BMMA")),
    ("compare and select", ("ISETP", "FSETP", "DSETP", "HSETP2", "SEL", "FSEL", "PLOP3", "USETP", "UISETP", "USEL")),
    ("control", ("BRA", "BSSY", "BSYNC", "EXIT", "CALL", "RET", "BREAK", "WARPSYNC", "BRX", "BAR", "NOP", "DEPBAR")),
)  # fmt: skip
"""Kinds of instruction for the tables of the mix and of what stalls come from."""


def kind_of(row: Hot) -> str:
    """The class of an instruction."""
    return next((name for name, opcodes in CLASSES if row.mnemonic in opcodes), "moves and special registers")


def own(f: Facts) -> tuple[Hot, ...]:
    """The kernel's own instructions, without those of functions that it calls, in address order."""
    rows: list[Hot] = []
    for row in f.instructions:
        if row.offset == 16 * len(rows):
            rows.append(row)
    return tuple(rows)


@lru_cache(maxsize=8)
def flow(f: Facts) -> Dataflow:
    """Dataflow of the kernel's own code."""
    return Dataflow([row.instr for row in own(f)], f.arch)


# ---- CPI stack -------------------------------------------------------------------------------------------------------


def cpi_stack(launches: Sequence[Facts]) -> list[str]:
    """Warp-cycles per issued instruction by state, a column a launch, their mean, and its share."""
    stacks = [dict(f.states()) for f in launches]
    names = sorted({n for s in stacks for n in s}, key=lambda n: (-sum(s.get(n, 0.0) for s in stacks), n))
    means = {n: sum(s.get(n, 0.0) for s in stacks) / len(stacks) for n in names}
    total = sum(means.values())
    many = len(stacks) > 1
    heads = [f"#{k}" for k in range(len(stacks))] if many else []
    rows: list[tuple[str, ...]] = [("state", *heads, "mean" if many else "CPI", "share")]
    for name in names:
        each = [f"{s.get(name, 0.0):.2f}" for s in stacks] if many else []
        rows.append((name, *each, f"{means[name]:.2f}", f"{100 * means[name] / total:.1f} %"))
    sums = [f"{sum(s.values()):.2f}" for s in stacks] if many else []
    rows.append(("total", *sums, f"{total:.2f}", "100.0 %"))
    names_note = "\n".join(f"#{k} {_title(f)}" for k, f in enumerate(launches)) if many else ""
    return table("CPI stack: warp-cycles per issued instruction", rows, "l" + "r" * 12, head=True, note=names_note)


def _title(f: Facts) -> str:
    from runtime.profile.units import dims

    return f"{f.demangled.split('(')[0]} ({dims(f.grid)})x({dims(f.block)})"


# ---- which instructions the stalls come from ------------------------------------------------------------------------


def blame(f: Facts) -> dict[int, dict[str, float]]:
    """Scoreboard cycles by the instruction that made others wait (byte offset): each wait is shared by those that may
    have set the scoreboards of its wait mask, evenly. Other states stay with the instruction that was in them."""
    data = flow(f)
    rows = own(f)
    found: dict[int, dict[str, float]] = {}

    def add(offset: int, state: str, cycles: float) -> None:
        at = found.setdefault(offset, {})
        at[state] = at.get(state, 0.0) + cycles

    for i, row in enumerate(rows):
        causes: dict[str, list[int]] = {}
        if row.instr is not None and row.instr.control.wait:
            for barrier in range(6):
                if row.instr.control.wait >> barrier & 1:
                    for k in data.setters(i, barrier):
                        long = rows[k].access[0] in ("global", "local", "generic")
                        causes.setdefault("long_scoreboard" if long else "short_scoreboard", []).append(k)
        for name, cycles in row.counters.items():
            if not name.startswith("stall_"):
                continue
            state = name.removeprefix("stall_")
            guilty = causes.get(state) or [i]
            for k in guilty:
                add(rows[k].offset, state, cycles / len(guilty))
    return found


def stall_sources(f: Facts, out: Values) -> list[str]:
    """Share of the CPI by kind of instruction, scoreboard waits booked to what was waited for."""
    del out
    booked = blame(f)
    rows_by_offset = {row.offset: row for row in own(f)}
    total = sum(sum(states.values()) for states in booked.values()) or 1.0
    kinds: dict[str, dict[str, float]] = {}
    names: dict[str, dict[str, float]] = {}
    for offset, states in booked.items():
        row = rows_by_offset[offset]
        for state, cycles in states.items():
            at = kinds.setdefault(kind_of(row), {})
            at[state] = at.get(state, 0.0) + cycles
        names.setdefault(kind_of(row), {}).setdefault(row.mnemonic, 0.0)
        names[kind_of(row)][row.mnemonic] += sum(states.values())
    rows: list[tuple[str, ...]] = [("instructions", "opcodes", "mostly", "of CPI")]
    for kind, states in sorted(kinds.items(), key=lambda item: -sum(item[1].values())):
        opcodes = sorted(names[kind], key=lambda n: (-names[kind][n], n))[:4]
        waits = {state: cycles for state, cycles in states.items() if state != "selected"} or states
        worst = max(waits, key=lambda s: (waits[s], s))
        rows.append((kind, " ".join(opcodes), worst, f"{100 * sum(states.values()) / total:.1f} %"))
    lines = table("Where the cycles come from", rows, "lllr", head=True)
    guilty = sorted(booked, key=lambda o: (-sum(booked[o].values()), o))[:8]
    rows = [("offset", "of CPI", "mostly", "instruction", "source")]
    for offset in sorted(guilty):
        states = booked[offset]
        worst = max(states, key=lambda s: (states[s], s))
        row = rows_by_offset[offset]
        rows.append(
            (f"0x{offset:04x}", f"{100 * sum(states.values()) / total:.1f} %", worst, row.text[:60], row.source)
        )
    return lines + table("Instructions that made warps wait", rows, "lrlll", head=True)


# ---- instruction mix -------------------------------------------------------------------------------------------------


def mix(f: Facts, out: Values) -> list[str]:
    """Static and executed instructions by kind."""
    del out
    static: dict[str, int] = {}
    executed: dict[str, float] = {}
    opcodes: dict[str, dict[str, float]] = {}
    for row in own(f):
        kind = kind_of(row)
        static[kind] = static.get(kind, 0) + 1
        executed[kind] = executed.get(kind, 0.0) + row.executed
        opcodes.setdefault(kind, {}).setdefault(row.mnemonic, 0.0)
        opcodes[kind][row.mnemonic] += row.executed or 1e-9
    all_static, all_executed = sum(static.values()) or 1, sum(executed.values()) or 1.0
    rows: list[tuple[str, ...]] = [("kind", "static", "", "executed", "", "opcodes")]
    for kind in sorted(static, key=lambda k: (-executed[k], -static[k], k)):
        names = sorted(opcodes[kind], key=lambda n: (-opcodes[kind][n], n))[:5]
        shares = (f"{100 * static[kind] / all_static:.1f} %", f"{100 * executed[kind] / all_executed:.1f} %")
        rows.append((kind, str(static[kind]), shares[0], text_number(executed[kind]), shares[1], " ".join(names)))
    compute = executed.get("floating point", 0.0) + executed.get("tensor", 0.0)
    memory = sum(executed.get(k, 0.0) for k in ("global load", "global store and atomic", "shared memory"))
    note = ""
    if compute and memory:
        note = f"compute to memory instructions 1 : {memory / compute:.2f}"
    return table("Instruction mix", rows, "lrrrrl", head=True, note=note)


# ---- the gap to the floor --------------------------------------------------------------------------------------------


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
        arch.sm_count * arch.core.sub_cores
    )
    for pipe, busy in metrics.pipe_cycles(f.instructions).items():
        units = arch.sm_count * (1 if pipe == "lsu" else arch.core.sub_cores)
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
                _title(f),
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
        lines += table(f"Floors of {_title(f)}", body, "lrr", head=True)
    return lines


# ---- Little's law ----------------------------------------------------------------------------------------------------


@attrs.frozen
class Chain:
    """Loads of a kernel that wait for one another. `depth`: loads of one loop in a row, each needing the one before for
    its address, among those that move a fiftieth of the bytes or more; `parallel`: most loads in flight before a
    wait."""

    depth: int
    parallel: int
    path: tuple[int, ...]
    """byte offsets of one such chain, first to last"""


def _loads(rows: Sequence[Hot]) -> list[int]:
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
    loads = _loads(rows)
    moved = {i: rows[i].counters.get("sectors", 0.0) for i in loads}
    hot = [i for i in loads if moved[i] >= 0.02 * sum(moved.values())]

    def address_loads(i: int) -> set[int]:
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
    feeders = {i: {k for k in address_loads(i) if k in hot and loop[k] == loop[i]} for i in hot}

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


# ---- occupancy -------------------------------------------------------------------------------------------------------


def occupancy_curves(f: Facts, out: Values) -> list[str]:
    """Warps that an SM holds if the block, the registers or the shared memory were others, all else as it is."""
    del out
    threads = f.block[0] * f.block[1] * f.block[2]
    lines: list[str] = []

    def curve(title: str, name: str, values: Sequence[int], at: int, warps: Sequence[tuple[int, str]]) -> None:
        rows: list[tuple[str, ...]] = [(name, "warps", "occupancy", "limited by", "")]
        for value, (count, limiter) in zip(values, warps, strict=True):
            share = f"{100 * count / f.arch.occupancy.max_warps:.0f} %"
            rows.append((f"{value:,}", str(count), share, limiter, "<- this launch" if value == at else ""))
        lines.extend(table(title, rows, "rrrll", head=True))

    def at(registers: int, shared: int, block: int) -> tuple[int, str]:
        found = occupancy(f.arch, registers, shared, block)
        return found.warps, found.limiter if found.blocks else "cannot run"

    blocks = sorted({32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, threads})
    curve("By threads of a block", "threads", blocks, threads, [at(f.registers, f.shared, n) for n in blocks])
    limit = f.arch.occupancy.max_registers_per_thread
    counts = sorted({16, 24, 32, 40, 48, 56, 64, 80, 96, 128, 168, 255, f.registers})
    counts = [n for n in counts if n <= limit]
    curve("By registers of a thread", "registers", counts, f.registers, [at(n, f.shared, threads) for n in counts])
    sizes = sorted({0, *(1024 * k for k in (4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 227)), f.shared})
    curve("By shared memory of a block", "bytes", sizes, f.shared, [at(f.registers, n, threads) for n in sizes])
    return lines


# ---- decoupled access and execute ------------------------------------------------------------------------------------


def access_slice(f: Facts) -> set[int]:
    """Indices of the instructions that an access processor would run: global loads, what their addresses are made of,
    and the branches with what decides them."""
    rows, data = own(f), flow(f)
    todo: list[int] = []
    for i, row in enumerate(rows):
        if row.instr is None:
            continue
        if row.access[0] in ("global", "generic") and row.access[1] in ("load", "copy"):
            place = address_operand(row.instr)
            todo.append(i)
            todo += data.sources(i, lambda operand, at=place: operand in (at, -1))  # type: ignore[misc]
        elif kind_of(row) == "control":
            todo.append(i)
            todo += data.sources(i)
    seeds = set(_loads(rows))
    found: set[int] = set()
    while todo:
        i = todo.pop()
        if i in found:
            continue
        found.add(i)
        if i not in seeds:
            todo += data.sources(i)
        else:
            place = address_operand(rows[i].instr)
            todo += data.sources(i, lambda operand, at=place: operand in (at, -1))  # type: ignore[misc]
    return found


def absorbed(cpi: float, waits: float) -> float:
    """Speedup if `waits` of `cpi` cycles an instruction were covered by running ahead; at least one cycle is left."""
    return cpi / max(cpi - waits, 1.0)


def decoupled(f: Facts, out: Values) -> list[str]:
    """What a decoupled access/execute machine would gain: the access processor runs ahead, so that the execute
    processor does not wait for global memory."""
    stack = dict(f.states())
    total = sum(stack.values())
    if not total:
        return []
    long = stack.get("long_scoreboard", 0.0)
    wait = stack.get("wait", 0.0)
    rows: list[tuple[str, ...]] = [("if", "CPI", "speedup")]
    for name, waits in (
        ("as it is", 0.0),
        ("waits for global memory are absorbed", long),
        ("those and fixed latencies are halved", (long + wait) / 2),
    ):
        speedup = absorbed(total, waits)
        rows.append((name, f"{total / speedup:.2f}", f"{speedup:.2f}x"))
    issue = number(out, "smsp__issue_active.avg.per_cycle_active")
    dram = number(out, "dram__throughput.avg.pct_of_peak_sustained_elapsed")
    ceiling = min(1 / issue if issue else 1.0, 100 / dram if dram else float("inf"))
    access = access_slice(f)
    ran = [row.executed for row in own(f)]
    share = 100 * sum(ran[i] for i in access) / (sum(ran) or 1.0)
    note = (
        f"access slice (loads, their addresses, control): {share:.0f} % of the executed instructions, execute slice "
        f"{100 - share:.0f} %\nissue slots and DRAM allow {ceiling:.1f}x at most, whatever is absorbed"
    )
    return table("Decoupled access/execute", rows, "lrr", head=True, note=note)
