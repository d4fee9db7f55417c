"""What stands out in a profile, in sentences: Nsight Compute's rules, as far as the model can tell.

Each rule looks at the metrics of one section and says what it found and what would help. `speedup` is the share of the
elapsed time, in percent, that would be saved at most if the cause were gone; 0 if the rule does not know."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from runtime.profile.facts import NOT_STALLS, Facts
from runtime.profile.meaning import STATES
from runtime.profile.metrics import Values, number


@attrs.frozen
class Finding:
    """One finding, and the section that it belongs to."""

    section: str
    rule: str
    text: str
    speedup: float = 0.0


def _light(f: Facts, out: Values) -> list[Finding]:
    del f
    compute = number(out, "sm__throughput.avg.pct_of_peak_sustained_elapsed")
    memory = number(out, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed")
    where = f"compute {compute:.0f} %, memory {memory:.0f} % of what the device could do"
    if max(compute, memory) >= 80:
        text = f"Well used: {where}. More speed means less work, not more parallelism."
    elif max(compute, memory) < 60:
        text = f"Bound by latency: {where}. Look at the warp states, and at the launch if the grid is small."
    else:
        text = f"{'Compute' if compute > memory else 'Memory'} is the busier side: {where}."
    return [Finding("SpeedOfLight", "SOLBottleneck", text)]


def _grid(f: Facts, out: Values) -> list[Finding]:
    waves = number(out, "launch__waves_per_multiprocessor")
    blocks, sms = number(out, "launch__grid_size"), f.arch.sm_count
    if blocks < sms:
        text = f"The grid has {blocks:.0f} blocks; the device has {sms} SMs, so {sms - blocks:.0f} have nothing to do."
        return [Finding("LaunchStats", "SmallGrid", text, 100 * (1 - blocks / sms))]
    tail = waves - int(waves)
    if 1 <= waves < 8 and 0 < tail < 0.75:
        text = (
            f"{waves:.2f} waves: after {int(waves)} full ones a last one fills {100 * tail:.0f} % of the SMs; it takes "
            "as long as a full one."
        )
        return [Finding("LaunchStats", "TailEffect", text, 100 * (1 - waves / (int(waves) + 1)))]
    if f.block[0] * f.block[1] * f.block[2] % 32:
        text = "The block is not a multiple of 32 threads: the lanes of its last warp that are left over do nothing."
        return [Finding("LaunchStats", "BlockSize", text)]
    return []


def _occupancy(f: Facts, out: Values) -> list[Finding]:
    theory = number(out, "sm__maximum_warps_per_active_cycle_pct")
    reached = number(out, "sm__warps_active.avg.pct_of_peak_sustained_active")
    found = []
    if theory < 100:
        limits = {k.removeprefix("launch__occupancy_limit_"): number(out, k) for k in out if "occupancy_limit" in k}
        name = min(limits, key=lambda k: (limits[k], k))
        text = f"Theoretical occupancy is {theory:.0f} %: {name.replace('_', ' ')} allow {limits[name]:.0f} blocks."
        found.append(Finding("Occupancy", "TheoreticalOccupancy", text))
    if f.outcome.cycles and reached < 0.8 * theory:
        few = number(out, "launch__waves_per_multiprocessor") < 1
        why = "too few blocks to fill the SMs" if few else "short blocks, uneven ones, or a tail"
        text = f"Achieved occupancy is {reached:.0f} %, of {theory:.0f} % possible: {why}."
        found.append(Finding("Occupancy", "AchievedOccupancy", text))
    return found


def _stall(f: Facts, out: Values) -> list[Finding]:
    total = sum(value for _, value in f.states())
    issue = number(out, "smsp__issue_active.avg.per_cycle_active")
    stalls = [(value, name) for name, value in f.states() if name not in NOT_STALLS]
    if not stalls or issue > 0.8:
        return []
    value, name = max(stalls)
    if value < 0.3 * total:
        return []
    meaning, advice = STATES[name]
    text = (
        f"Of {total:.1f} cycles between two instructions of a warp, {value:.1f} ({100 * value / total:.0f} %) go to "
        f"{name}: {meaning}. {advice[:1].upper()}{advice[1:]}."
    )
    return [Finding("WarpStateStats", "CPIStall", text, 100 * value / total * (1 - issue))]


def _sectors(f: Facts, out: Values) -> list[Finding]:
    wanted = used = 0.0
    worst = None
    for row in f.instructions:
        requests, sectors = row.counters.get("requests", 0.0), row.counters.get("sectors", 0.0)
        if row.access[0] not in ("global", "generic") or not requests:
            continue
        need = min(row.threads * row.access[2] / 32, sectors)
        wanted, used = wanted + need, used + sectors
        if worst is None or sectors - need > worst[0]:
            worst = (sectors - need, row)
    if worst is None or used < 1.5 * wanted:
        return []
    place = worst[1].source or f"0x{worst[1].offset:04x}"
    text = (
        f"Global accesses touch {used:,.0f} sectors where {wanted:,.0f} would hold the bytes: "
        f"{100 * (1 - wanted / used):.0f} % of them are for nothing. Most at {place}: {worst[1].text}"
    )
    return [Finding("MemoryWorkloadAnalysis_Tables", "UncoalescedAccess", text)]


def _conflicts(f: Facts, out: Values) -> list[Finding]:
    del f
    extra = sum(number(out, f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum") for op in ("ld", "st"))
    fronts = sum(number(out, f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum") for op in ("ld", "st"))
    if not fronts or extra < 0.1 * fronts:
        return []
    text = f"{extra:,.0f} of {fronts:,.0f} shared-memory wavefronts are bank conflicts. Pad rows or change the layout."
    return [Finding("MemoryWorkloadAnalysis_Tables", "SharedMemoryConflicts", text)]


def _lanes(f: Facts, out: Values) -> list[Finding]:
    del f
    lanes = number(out, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio")
    if not lanes or lanes > 24:
        return []
    text = f"{lanes:.1f} of 32 lanes do something in an instruction, on average: divergence, guards, or small blocks."
    return [Finding("WarpStateStats", "ThreadDivergence", text)]


RULES: tuple[Callable[[Facts, Values], list[Finding]], ...] = (
    _light, _grid, _occupancy, _stall, _sectors, _conflicts, _lanes,
)  # fmt: skip


def findings(f: Facts, out: Values) -> list[Finding]:
    """Everything that the rules found, in the order of the rules."""
    found: list[Finding] = []
    for rule in RULES:
        if f.outcome.cycles or rule in (_grid, _occupancy):
            found += rule(f, out)
    return found
