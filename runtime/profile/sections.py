"""The sections of a profile, under Nsight Compute's identifiers: which metrics they show and under which label.

A section is rows of (label, metric), a note, and perhaps tables that are made of several metrics. `SECTIONS` is in the
order in which ncu prints them; `--section` takes an identifier, or `regex:` and a pattern, as ncu does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap

import attrs

from runtime.profile import energy, metrics
from runtime.profile.calculator import occupancy_curves
from runtime.profile.decoupled import decoupled
from runtime.profile.facts import Facts
from runtime.profile.floor import gap
from runtime.profile.little import littles_law
from runtime.profile.meaning import STATES
from runtime.profile.metrics import Values, number
from runtime.profile.rules import findings
from runtime.profile.source import hottest
from runtime.profile.stack import cpi_stack, mix, stall_sources
from runtime.profile.units import dims, table
from runtime.profile.units import number as text_number

Extra = Callable[[Facts, Values], list[str]]
Together = Callable[[Sequence[Facts], float], list[str]]
"""Made of all launches at once, and the DRAM bandwidth in GB/s to hold them to (0: the machine's)."""


@attrs.frozen
class Section:
    """One section. `basic`: shown without being asked for."""

    name: str
    title: str
    rows: tuple[tuple[str, str], ...] = ()
    extra: Extra | None = None
    basic: bool = True
    timed: bool = True
    """Needs cycles."""
    together: Together | None = None


def _states(f: Facts, out: Values) -> list[str]:
    del out
    states = f.states()
    total = sum(value for _, value in states)
    rows: list[tuple[str, ...]] = [("state", "cycles", "share", "the warp waits for")]
    rows += [(name, f"{v:.2f}", f"{100 * v / total:.1f} %", STATES[name][0]) for name, v in states]
    rows.append(("total", f"{total:.2f}", "100.0 %", "warp-cycles for each issued instruction"))
    return table("Warp states, cycles per issued instruction", rows, "lrrl", head=True)


def _cell(out: Values, name: str, percent: bool = False) -> str:
    if name not in out:
        return ""
    return f"{number(out, name):.1f} %" if percent else text_number(out[name])


def _memory(f: Facts, out: Values) -> list[str]:
    del f
    lines: list[str] = []
    rows: list[tuple[str, ...]] = [("", "instructions", "wavefronts", "bank conflicts", "per access")]
    for kind, op in metrics.OPS[:3]:
        executed = f"smsp__inst_executed_op_shared_{op}.sum"
        if executed in out:
            fronts = f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
            conflicts = f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"
            each = number(out, fronts) / (number(out, executed) or 1)
            cells = [_cell(out, name) for name in (executed, fronts, conflicts)]
            rows.append((f"shared {kind}", cells[0], cells[1], cells[2], f"{each:.2f}"))
    if len(rows) > 1:
        lines += table("Shared memory", rows, "lrrrr", head=True)
    rows = [("", "instructions", "requests", "wavefronts", "sectors", "sectors/req", "hit rate", "misses to L2")]
    for space in ("global", "local"):
        for kind, op in metrics.OPS:
            stem = f"pipe_lsu_mem_{space}_op_{op}"
            if f"l1tex__t_requests_{stem}.sum" not in out:
                continue
            rows.append(
                (
                    f"{space} {kind}",
                    _cell(out, f"smsp__inst_executed_op_{space}_{op}.sum"),
                    _cell(out, f"l1tex__t_requests_{stem}.sum"),
                    _cell(out, f"l1tex__data_pipe_lsu_wavefronts_mem_{space}_op_{op}.sum"),
                    _cell(out, f"l1tex__t_sectors_{stem}.sum"),
                    _cell(out, f"l1tex__average_t_sectors_per_request_{stem}.ratio"),
                    _cell(out, f"l1tex__t_sector_{stem}_hit_rate.pct", percent=True),
                    _cell(out, f"l1tex__t_sectors_{stem}_lookup_miss.sum"),
                )
            )
    if len(rows) > 1:
        lines += table("L1/TEX cache", rows, "lrrrrrrr", head=True)
    rows = [("", "sectors", "hit rate", "bytes")]
    for op, kind in (("read", "load"), ("write", "store"), ("atom", "atom"), ("red", "red")):
        name = f"lts__t_sectors_srcunit_tex_op_{op}.sum"
        if name in out:
            hits = _cell(out, f"lts__t_sector_op_{op}_hit_rate.pct", percent=True)
            rows.append((f"L1/TEX {kind}", _cell(out, name), hits, text_number(32 * number(out, name))))
    if len(rows) > 1:
        rate = _cell(out, "lts__t_sector_hit_rate.pct", percent=True)
        asked = number(out, "lts__t_sectors_srcunit_tex.sum")
        rows.append(("L1/TEX total", text_number(asked), "", text_number(32 * asked)))
        rows.append(("L2 in all", _cell(out, "lts__t_sectors.sum"), rate, _cell(out, "lts__t_bytes.sum")))
        rows.append(("DRAM read", _cell(out, "dram__sectors_read.sum"), "", _cell(out, "dram__bytes_read.sum")))
        lines += table("L2 cache and DRAM", rows, "lrrr", head=True)
    return lines


def _opcodes(f: Facts, out: Values) -> list[str]:
    del f
    stem = "sass__inst_executed_per_opcode."
    found = [(name[len(stem) :], number(out, name)) for name in out if name.startswith(stem)]
    total = sum(n for _, n in found) or 1.0
    rows: list[tuple[str, ...]] = [("opcode", "executed", "share")]
    found.sort(key=lambda row: (-row[1], row[0]))
    rows += [(name, text_number(n), f"{100 * n / total:.1f} %") for name, n in found]
    return table("Executed instruction mix", rows, "lrr", head=True)


def _pipes(f: Facts, out: Values) -> list[str]:
    del f
    rows: list[tuple[str, ...]] = [("pipe", "instructions", "utilization")]
    for name in sorted(out):
        if name.startswith("sm__inst_executed_pipe_") and name.endswith(".sum"):
            pipe = name.removeprefix("sm__inst_executed_pipe_").removesuffix(".sum")
            stem = pipe if pipe.startswith("tensor") else f"pipe_{pipe}"
            busy = f"sm__{stem}_cycles_active.avg.pct_of_peak_sustained_active"
            if busy not in out:
                busy = f"sm__inst_executed_pipe_{pipe}.avg.pct_of_peak_sustained_active"
            rows.append((pipe, _cell(out, name), _cell(out, busy, percent=True)))
    return table("Pipe utilization, of active cycles", rows, "lrr", head=True) if len(rows) > 1 else []


def _roofline(f: Facts, out: Values) -> list[str]:
    rows: list[tuple[str, ...]] = [("", "operations", "rate", "of peak", "flop/byte", "ridge", "of roof", "bound by")]
    for precision in metrics.peaks(f):
        stem = f"model__flops_{precision}"
        if f"{stem}.sum" not in out:
            continue
        intensity = number(out, f"model__arithmetic_intensity_{precision}.ratio")
        ridge = number(out, f"model__ridge_point_{precision}.ratio")
        rows.append(
            (
                precision,
                _cell(out, f"{stem}.sum"),
                f"{number(out, f'{stem}.sum.per_second') / 1e9:,.1f} Gflop/s",
                _cell(out, f"{stem}.pct_of_peak", percent=True),
                f"{intensity:.2f}" if ridge else "",
                f"{ridge:.1f}" if ridge else "",
                _cell(out, f"model__roof_{precision}.pct_of_roof", percent=True),
                ("DRAM" if intensity < ridge else "the pipes") if ridge else "",
            )
        )
    return table("", rows, "lrrrrrrl", head=True) if len(rows) > 1 else ["  no floating-point instructions", ""]


def _hazards(f: Facts) -> list[str]:
    rows = [
        (
            f"0x{h.consumer:04x} reads {h.register}",
            f"{h.early} cycle(s) before",
            f"0x{h.producer:04x} has it",
            f"{h.count} times",
        )
        for h in f.outcome.hazards[:20]
    ]
    return table("Hazards", rows, "llll")


def _source(f: Facts, out: Values) -> list[str]:
    del out
    return hottest(f)


def _cpi_stack(launches: Sequence[Facts], peak: float) -> list[str]:
    del peak
    return cpi_stack(launches)


def _littles_law(launches: Sequence[Facts], peak: float) -> list[str]:
    return [line for f in launches for line in littles_law(f, metrics.values(f), peak)]


SECTIONS: tuple[Section, ...] = (
    Section(
        "SpeedOfLight",
        "GPU Speed Of Light Throughput",
        (
            ("SM Frequency", "smsp__cycles_elapsed.avg.per_second"),
            ("Elapsed Cycles", "gpc__cycles_elapsed.max"),
            ("Memory Throughput", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
            ("DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"),
            ("Duration", "gpu__time_duration.sum"),
            ("L1/TEX Cache Throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active"),
            ("L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed"),
            ("SM Active Cycles", "sm__cycles_active.avg"),
            ("Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
        ),
    ),
    Section("SpeedOfLight_RooflineChart", "GPU Speed Of Light Roofline Chart", extra=_roofline),
    Section(
        "ComputeWorkloadAnalysis",
        "Compute Workload Analysis",
        (
            ("Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active"),
            ("Executed Ipc Elapsed", "sm__inst_executed.avg.per_cycle_elapsed"),
            ("Issue Slots Busy", "sm__inst_issued.avg.pct_of_peak_sustained_active"),
            ("Issued Ipc Active", "sm__inst_issued.avg.per_cycle_active"),
            ("SM Busy", "sm__instruction_throughput.avg.pct_of_peak_sustained_active"),
        ),
        extra=_pipes,
    ),
    Section(
        "MemoryWorkloadAnalysis",
        "Memory Workload Analysis",
        (
            ("Memory Throughput", "dram__bytes_read.sum.per_second"),
            ("L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"),
            ("L2 Hit Rate", "lts__t_sector_hit_rate.pct"),
            ("Mem Pipes Busy", "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed"),
        ),
    ),
    Section("MemoryWorkloadAnalysis_Tables", "Memory Workload Analysis Tables", extra=_memory),
    Section(
        "SchedulerStats",
        "Scheduler Statistics",
        (
            ("One or More Eligible", "smsp__issue_active.avg.pct_of_peak_sustained_active"),
            ("Issued Warp Per Scheduler", "smsp__issue_active.avg.per_cycle_active"),
            ("No Eligible", "smsp__issue_inst0.avg.pct_of_peak_sustained_active"),
            ("Active Warps Per Scheduler", "smsp__warps_active.avg.per_cycle_active"),
            ("Eligible Warps Per Scheduler", "smsp__warps_eligible.avg.per_cycle_active"),
            ("Theoretical Warps Per Scheduler", "smsp__maximum_warps_avg_per_active_cycle"),
            ("GPU Maximum Warps Per Scheduler", "smsp__warps_active.avg.peak_sustained"),
        ),
    ),
    Section(
        "WarpStateStats",
        "Warp State Statistics",
        (
            ("Warp Cycles Per Issued Instruction", "smsp__average_warp_latency_per_inst_issued.ratio"),
            ("Warp Cycles Per Executed Instruction", "smsp__average_warps_active_per_inst_executed.ratio"),
            ("Avg. Active Threads Per Warp", "smsp__thread_inst_executed_per_inst_executed.ratio"),
            (
                "Avg. Not Predicated Off Threads Per Warp",
                "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
            ),
        ),
        extra=_states,
    ),
    Section(
        "InstructionStats",
        "Instruction Statistics",
        (
            ("Avg. Executed Instructions Per Scheduler", "smsp__inst_executed.avg"),
            ("Executed Instructions", "smsp__inst_executed.sum"),
            ("Avg. Issued Instructions Per Scheduler", "smsp__inst_issued.avg"),
            ("Issued Instructions", "smsp__inst_issued.sum"),
        ),
        extra=_opcodes,
        timed=False,
    ),
    Section(
        "LaunchStats",
        "Launch Statistics",
        (
            ("Block Size", "launch__block_size"),
            ("Function Cache Configuration", "launch__func_cache_config"),
            ("Grid Size", "launch__grid_size"),
            ("Registers Per Thread", "launch__registers_per_thread"),
            ("Shared Memory Configuration Size", "launch__shared_mem_config_size"),
            ("Driver Shared Memory Per Block", "launch__shared_mem_per_block_driver"),
            ("Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"),
            ("Static Shared Memory Per Block", "launch__shared_mem_per_block_static"),
            ("# SMs", "launch__sm_count"),
            ("Stack Size", "launch__stack_size"),
            ("Threads", "launch__thread_count"),
            ("Waves Per SM", "launch__waves_per_multiprocessor"),
        ),
        timed=False,
    ),
    Section(
        "Occupancy",
        "Occupancy",
        (
            ("Block Limit Barriers", "launch__occupancy_limit_barriers"),
            ("Block Limit SM", "launch__occupancy_limit_blocks"),
            ("Block Limit Registers", "launch__occupancy_limit_registers"),
            ("Block Limit Shared Mem", "launch__occupancy_limit_shared_mem"),
            ("Block Limit Warps", "launch__occupancy_limit_warps"),
            ("Theoretical Active Warps per SM", "sm__maximum_warps_avg_per_active_cycle"),
            ("Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"),
            ("Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"),
            ("Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active"),
        ),
        timed=False,
    ),
    Section(
        "SourceCounters",
        "Source Counters",
        (("Branch Instructions", "smsp__inst_executed_op_branch.sum"),),
        extra=_source,
        timed=False,
    ),
    Section("Energy", "Energy", extra=energy.section, basic=False, timed=False),
    Section("OccupancyCalculator", "Occupancy Calculator", extra=occupancy_curves, basic=False, timed=False),
    Section("CpiStack", "CPI Stack", together=_cpi_stack, basic=False),
    Section("StallSources", "Stall Sources", extra=stall_sources, basic=False),
    Section("InstructionMix", "Instruction Mix", extra=mix, basic=False, timed=False),
    Section("Floor", "Gap to the Floor", together=gap, basic=False),
    Section("LittlesLaw", "Little's Law", together=_littles_law, basic=False),
    Section("DecoupledAccessExecute", "Decoupled Access/Execute", extra=decoupled, basic=False),
)


def body(section: Section, f: Facts, out: Values, base: bool = False) -> list[str]:
    """The text of a section: its metrics as ncu lays them out, then its tables."""
    from runtime.profile.units import scaled

    rows: list[tuple[str, ...]] = [("Metric Name", "Metric Unit", "Metric Value")]
    for label, name in section.rows:
        if name in out:
            value, unit = scaled(out[name], metrics.unit(name), base)
            rows.append((label, unit, value))
    lines = table("", rows, "llr", head=True) if len(rows) > 1 else []
    if section.extra is not None:
        lines += section.extra(f, out)
    return lines


def details(f: Facts, chosen: tuple[Section, ...], base: bool = False) -> str:
    """The details page of a launch."""
    out = metrics.values(f)
    found = findings(f, out)
    head = f"{f.demangled} ({dims(f.grid)})x({dims(f.block)}), Device {f.device}"
    lines = [head, "=" * len(head), ""]
    for section in chosen:
        if section.timed and not f.outcome.cycles:
            continue
        content = body(section, f, out, base)
        for finding in found:
            if finding.section == section.name:
                gain = f" Up to {finding.speedup:.0f} % of the time." if finding.speedup >= 1 else ""
                content += [
                    *wrap(f"OPT  {finding.text}{gain}", 118, initial_indent="  ", subsequent_indent="       "),
                    "",
                ]
        if content:
            lines += [f"Section: {section.title}", "-" * (9 + len(section.title)), *content]
    if f.outcome.hazards:
        lines += _hazards(f)
    return "\n".join(lines).rstrip() + "\n"


def together(launches: Sequence[Facts], chosen: Sequence[Section], peak: float = 0.0) -> str:
    """The sections that look at all launches at once; empty if none is chosen."""
    timed = [f for f in launches if f.outcome.cycles]
    lines: list[str] = []
    for section in chosen:
        if section.together is not None and timed:
            lines += [f"Section: {section.title}", "-" * (9 + len(section.title)), *section.together(timed, peak)]
    return "\n".join(lines).rstrip() + "\n" if lines else ""
