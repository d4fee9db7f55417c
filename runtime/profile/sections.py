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
from runtime.profile.metrics import Values
from runtime.profile.rules import findings
from runtime.profile.source import hottest
from runtime.profile.stack import cpi_stack, mix, stall_sources
from runtime.profile.tables import hazards, memory, opcodes, pipes, roofline, states
from runtime.profile.units import dims, table

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
    Section("SpeedOfLight_RooflineChart", "GPU Speed Of Light Roofline Chart", extra=roofline),
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
        extra=pipes,
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
    Section("MemoryWorkloadAnalysis_Tables", "Memory Workload Analysis Tables", extra=memory),
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
        extra=states,
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
        extra=opcodes,
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
        (
            ("Branch Instructions Ratio", "model__branch_instructions_ratio"),
            ("Branch Instructions", "smsp__inst_executed_op_branch.sum"),
            ("Branch Efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct"),
            ("Avg. Divergent Branches", "smsp__sass_branch_targets_threads_divergent.avg"),
        ),
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


SETS: dict[str, tuple[str, ...]] = {
    "none": (),
    "basic": ("SpeedOfLight", "LaunchStats", "Occupancy"),
    "detailed": ("SpeedOfLight", "SpeedOfLight_RooflineChart", "ComputeWorkloadAnalysis", "MemoryWorkloadAnalysis",
                 "LaunchStats", "Occupancy", "SourceCounters"),
    "roofline": ("SpeedOfLight", "SpeedOfLight_RooflineChart"),
    "full": tuple(section.name for section in SECTIONS if section.basic),
}  # fmt: skip
"""ncu's sets, of the sections that there are here."""


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
        lines += hazards(f)
    return "\n".join(lines).rstrip() + "\n"


def together(launches: Sequence[Facts], chosen: Sequence[Section], peak: float = 0.0) -> str:
    """The sections that look at all launches at once; empty if none is chosen."""
    timed = [f for f in launches if f.outcome.cycles]
    lines: list[str] = []
    for section in chosen:
        if section.together is not None and timed:
            lines += [f"Section: {section.title}", "-" * (9 + len(section.title)), *section.together(timed, peak)]
    return "\n".join(lines).rstrip() + "\n" if lines else ""
