"""Metrics of a launch under the names that Nsight Compute has for them, each with its unit and what it means.

`values(facts)` gives all of them; `find(name)` what one means. The engine counts per instruction (executed, threads,
requests, sectors, hits, wavefronts, warp-cycles by state); everything here is sums and ratios of those. `.sum` is over
the device, `.avg` over SMs (sm__), sub-cores (smsp__) or the whole; `pct_of_peak_sustained_active` relates to cycles in
which the SM had a warp, `..._elapsed` to all cycles of the kernel. Names: gh100's, as ncu --query-metrics lists them;
`model__` are figures that ncu has no name for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import attrs

from runtime.device.sm.tables import kinds as K
from runtime.profile import rollups
from runtime.profile.facts import Facts, Hot
from runtime.profile.kinds import OPERATIONS
from runtime.profile.meaning import FAMILIES, METRICS, Meaning

Values = dict[str, float | str]

OPS = (("load", "ld"), ("store", "st"), ("atom", "atom"), ("red", "red"))
SPACES = ("global", "local", "shared")
FLOPS = {
    # mnemonic -> (precision, operations of a thread)
    "FADD": ("fp32", 1), "FMUL": ("fp32", 1), "FFMA": ("fp32", 2), "DADD": ("fp64", 1), "DMUL": ("fp64", 1),
    "DFMA": ("fp64", 2), "HADD2": ("fp16", 2), "HMUL2": ("fp16", 2), "HFMA2": ("fp16", 4),
}  # fmt: skip
DEFAULT_STACK = 1024
"""Bytes: the stack that the driver gives a thread unless it is told otherwise."""
LEAST_REGISTERS = 16
"""A thread has no fewer registers, whatever the compiler needs; ncu shows what it has (both seen on an H200)."""
TENSOR_SHAPES = {"16816": 16 * 8 * 16, "1688": 16 * 8 * 8, "884": 8 * 8 * 4, "16832": 16 * 8 * 32, "1684": 16 * 8 * 4}
"""Multiply-adds of a warp instruction, by the shape in the mnemonic."""


@attrs.frozen
class Sums:
    """Sums over the instructions that `keep` accepts."""

    rows: tuple[Hot, ...]

    def of(self, counter: str, keep: Callable[[Hot], bool] = lambda row: True) -> float:
        """Sum of a per-instruction counter."""
        return sum(row.counters.get(counter, 0.0) for row in self.rows if keep(row))


def _pct(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def meaning(name: str) -> Meaning | None:
    """What a metric means; families of names (stall reasons, pipes, spaces) are found by their pattern, and what
    follows from others by the rules of names."""
    return _direct(name) or rollups.meaning(name, _direct)


def _direct(name: str) -> Meaning | None:
    if name in METRICS:
        return METRICS[name]
    for pattern, make in FAMILIES:
        if match := pattern.fullmatch(name):
            return make(match)
    return None


def unit(name: str) -> str:
    """ncu's base unit of a metric."""
    known = meaning(name)
    return known.unit if known else ""


BRANCHES = frozenset(("BRA", "BRX", "JMP", "JMX", "CALL", "RET", "BSYNC", "BREAK", "WARPSYNC", "EXIT"))
"""What ncu counts as a branch (H200: twelve kernels, eleven of them exactly so)."""
TARGETS = frozenset(("BRA", "BRX", "JMP", "JMX", "CALL", "RET"))
"""Those of them that ncu's branch efficiency is about (H200: four kernels, exactly so)."""


def pipe_cycles(rows: Iterable[Hot]) -> dict[str, float]:
    """Cycles for which each pipe of a sub-core was taken, summed over the device. FMA has two halves and counts a full
    cycle when both are; LSU is the unit that the four sub-cores share, so its cycles are the SM's."""
    busy: dict[str, float] = {}
    for row in rows:
        if row.unit is None or not row.unit.counter or not row.executed:
            continue
        name, each = row.unit.counter, float(row.unit.interval)
        if name == "lsu":
            busy[name] = busy.get(name, 0.0) + max(row.executed * row.unit.shared, row.counters.get("wavefronts", 0.0))
            continue
        if row.unit.queue != K.Q_NONE:
            each = row.unit.sub
        if name in ("fma", "fmaheavy"):
            name, each = "fma", each / 2
            if row.unit.pipe == K.PIPE_HEAVY:
                busy["fmaheavy"] = busy.get("fmaheavy", 0.0) + row.executed * row.unit.interval
        busy[name] = busy.get(name, 0.0) + row.executed * each
    return busy


def values(f: Facts, names: Iterable[str] = ()) -> Values:
    """Every metric of a launch that the model can tell, and those of `names` that follow from them."""
    out: Values = dict(f.counters)
    sums = Sums(f.instructions)
    _launch(f, out)
    _instructions(f, sums, out)
    if f.outcome.cycles:
        _memory(f, sums, out)
        _issue(f, out)
        _throughput(f, out)
        _roofline(f, out)
    for name in names:
        if name not in out:
            found = rollups.value(name, out, f, lambda one: _direct(one) is not None)
            if found is not None:
                out[name] = found
    return out


def number(out: Values, name: str) -> float:
    """A metric that is a number; 0 if it is not there."""
    value = out.get(name, 0.0)
    return value if isinstance(value, float | int) else 0.0


def _launch(f: Facts, out: Values) -> None:
    # ncu has something else under this name.
    warps = float(out.pop("launch__occupancy_per_block_size", 0.0))
    driver = f.arch.abi.shared_reserved
    shared = "launch__occupancy_limit_shared_mem"
    out[shared] = min(number(out, shared), number(out, "launch__occupancy_limit_blocks"))
    out |= {
        "launch__grid_dim_x": f.grid[0], "launch__grid_dim_y": f.grid[1], "launch__grid_dim_z": f.grid[2],
        "launch__block_dim_x": f.block[0], "launch__block_dim_y": f.block[1], "launch__block_dim_z": f.block[2],
        "launch__sm_count": f.arch.sm_count,
        "launch__stack_size": max(f.stack, DEFAULT_STACK),
        "launch__registers_per_thread": max(f.registers, LEAST_REGISTERS),
        "launch__shared_mem_per_block_static": f.static_shared,
        "launch__shared_mem_per_block_dynamic": f.shared - f.static_shared,
        "launch__shared_mem_per_block_driver": driver,
        "launch__shared_mem_per_block": f.shared + driver,
        "launch__func_cache_config": "CachePreferNone",
        "sm__maximum_warps_avg_per_active_cycle": warps,
        "smsp__maximum_warps_avg_per_active_cycle": warps / f.arch.sub_cores,
        "smsp__cycles_elapsed.avg.per_second": f.clock_mhz * 1e6,
        "sm__ctas_launched.sum": math.prod(f.grid),
        "smsp__warps_launched.sum": math.prod(f.grid) * -(-math.prod(f.block) // 32),
    }  # fmt: skip


def _together(row: Hot) -> float:
    """How often all lanes of a branch went to one place. A branch through a register is executed again for each further
    place of its lanes, so that many places hide others that had one."""
    if row.mnemonic not in TARGETS:
        return 0.0
    apart = row.counters.get("divergent_branches", 0.0)
    return max(row.executed - (2 if row.mnemonic in ("BRX", "JMX") else 1) * apart, 0.0)


def _instructions(f: Facts, sums: Sums, out: Values) -> None:
    executed = number(out, "smsp__inst_executed.sum")
    parts = f.arch.sm_count * f.arch.sub_cores
    out |= {
        "smsp__inst_executed.avg": executed / parts,
        "smsp__inst_issued.sum": executed,
        "smsp__inst_issued.avg": executed / parts,
        "smsp__average_inst_executed_per_warp.ratio": executed / number(out, "smsp__warps_launched.sum"),
    }
    branches = sums.of("inst_executed", lambda r: r.mnemonic in BRANCHES)
    apart = sums.of("divergent_branches")
    together = sum(_together(row) for row in f.instructions)
    out |= {
        "smsp__inst_executed_op_branch.sum": branches,
        "model__branch_instructions_ratio": _ratio(branches, executed),
        "smsp__sass_branch_targets_threads_divergent.sum": apart,
        "smsp__sass_branch_targets_threads_divergent.avg": apart / parts,
        "smsp__sass_branch_targets_threads_uniform.sum": together,
        "smsp__sass_average_branch_targets_threads_uniform.pct": 100 * together / max(together + apart, 1.0),
    }
    both = number(out, "sm__inst_executed_pipe_fma.sum") + number(out, "sm__inst_executed_pipe_fmaheavy.sum")
    if both:
        out["sm__inst_executed_pipe_fma.sum"] = both
    for space in SPACES:
        for kind, op in OPS:
            n = sums.of("inst_executed", _accessing(space, kind))
            if n:
                out[f"smsp__inst_executed_op_{space}_{op}.sum"] = n
                out[f"smsp__sass_inst_executed_op_{space}_{op}.sum"] = n
    by_opcode: dict[str, float] = {}
    for row in f.instructions:
        if row.executed:
            by_opcode[row.mnemonic] = by_opcode.get(row.mnemonic, 0.0) + row.executed
    for name, n in sorted(by_opcode.items()):
        out[f"sass__inst_executed_per_opcode.{name}"] = n
    for row in f.instructions:
        if row.mnemonic in FLOPS and row.threads:
            name = f"smsp__sass_thread_inst_executed_op_{row.mnemonic.lower().rstrip('2')}_pred_on.sum"
            out[name] = number(out, name) + row.threads
        if row.threads and (operation := OPERATIONS.get(row.mnemonic)):
            name = f"smsp__sass_thread_inst_executed_op_{operation}_pred_on.sum"
            out[name] = number(out, name) + row.threads


def _accessing(space: str, kind: str) -> Callable[[Hot], bool]:
    """Rows whose access is of `space` (generic ones pass as global) and `kind`; matrix loads and asynchronous copies
    are loads."""
    kinds = {"load": ("load", "matrix_load", "copy"), "store": ("store", "matrix_store")}.get(kind, (kind,))
    spaces = ("global", "generic") if space == "global" else (space,)
    return lambda row: row.access[0] in spaces and row.access[1] in kinds


def _memory(f: Facts, sums: Sums, out: Values) -> None:
    parts = f.arch.sm_count
    active = number(out, "sm__cycles_active.avg") * parts
    total_fronts = 0.0
    for space in SPACES:
        for kind, op in OPS:
            keep = _accessing(space, kind)
            requests, sectors = sums.of("requests", keep), sums.of("sectors", keep)
            fronts, hits = sums.of("wavefronts", keep), sums.of("l1_hits", keep)
            total_fronts += fronts
            if not requests and not fronts:
                continue
            stem = f"pipe_lsu_mem_{space}_op_{op}"
            out[f"l1tex__data_pipe_lsu_wavefronts_mem_{space}_op_{op}.sum"] = fronts
            if space == "shared":
                conflicts = sums.of("bank_conflicts", keep)
                out[f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"] = conflicts
                continue
            out[f"l1tex__t_requests_{stem}.sum"] = requests
            out[f"l1tex__t_sectors_{stem}.sum"] = sectors
            out[f"l1tex__average_t_sectors_per_request_{stem}.ratio"] = _ratio(sectors, requests)
            out[f"l1tex__t_sectors_{stem}_lookup_hit.sum"] = hits
            out[f"l1tex__t_sectors_{stem}_lookup_miss.sum"] = sectors - hits
            out[f"l1tex__t_sector_{stem}_hit_rate.pct"] = _pct(hits, sectors)
            out[f"l1tex__t_bytes_{stem}.sum"] = 32 * sectors
    from_l1 = 0.0
    for kind, op in (("load", "read"), ("store", "write"), ("atom", "atom"), ("red", "red")):
        keep = _any_space(kind)
        # What L1 asks L2 for; what L2's partitions ask each other for comes on top of it in lts__t_sectors.
        asked = sums.of("l2_asked", keep)
        if asked:
            from_l1 += asked
            out[f"lts__t_sectors_srcunit_tex_op_{op}.sum"] = asked
            out[f"lts__t_sector_op_{op}_hit_rate.pct"] = _pct(sums.of("l2_hits", keep), sums.of("l2_sectors", keep))
    loads = [row for row in f.instructions if _accessing("global", "load")(row)]
    passes = sum(row.counters.get("requests", 0.0) * _quarters(row) for row in loads)
    if passes:
        out["l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum"] = passes
    out["l1tex__data_pipe_lsu_wavefronts.sum"] = total_fronts
    out["l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active"] = _pct(total_fronts, active)
    out["lts__t_sectors_srcunit_tex.sum"] = from_l1
    out["lts__t_bytes.sum"] = 32 * number(out, "lts__t_sectors.sum")
    out["dram__sectors_read.sum"] = number(out, "dram__bytes_read.sum") / 32


def _quarters(row: Hot) -> int:
    """Passes through L1's tags of one request: four lines each (as ncu counts them on an H200)."""
    lines, requests = row.counters.get("lines", 0.0), row.counters.get("requests", 0.0)
    return -int(-lines // (4 * requests)) if requests else 0


def _any_space(kind: str) -> Callable[[Hot], bool]:
    found = [_accessing(space, kind) for space in ("global", "local")]
    return lambda row: any(keep(row) for keep in found)


def _issue(f: Facts, out: Values) -> None:
    cycles, sms, sub = f.outcome.cycles, f.arch.sm_count, f.arch.sub_cores
    executed = number(out, "smsp__inst_executed.sum")
    issue = number(out, "smsp__issue_active.avg.per_cycle_active")
    latency = number(out, "smsp__average_warp_latency_per_inst_issued.ratio")
    out |= {
        "sm__inst_executed.avg.per_cycle_elapsed": executed / sms / cycles,
        "sm__inst_issued.avg.per_cycle_active": number(out, "sm__inst_executed.avg.per_cycle_active"),
        "sm__inst_issued.avg.pct_of_peak_sustained_active": 100 * issue,
        "smsp__issue_active.avg.pct_of_peak_sustained_active": 100 * issue,
        "smsp__issue_inst0.avg.pct_of_peak_sustained_active": 100 * (1 - issue),
        "smsp__warps_active.avg.peak_sustained": f.arch.occupancy.max_warps / sub,
        "smsp__average_warps_active_per_inst_executed.ratio": latency,
        "smsp__warps_active.avg.pct_of_peak_sustained_active": number(
            out, "sm__warps_active.avg.pct_of_peak_sustained_active"
        ),
        "smsp__warps_eligible.sum.per_cycle_active": sms
        * sub
        * number(out, "smsp__warps_eligible.avg.per_cycle_active"),
        "sm__cycles_elapsed.max": cycles,
        "sm__cycles_active.avg.pct_of_peak_sustained_elapsed": _pct(number(out, "sm__cycles_active.avg"), cycles),
        "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed": _pct(number(out, "smsp__cycles_active.avg"), cycles),
        "sm__warps_active.avg.per_cycle_active": sub * number(out, "smsp__warps_active.avg.per_cycle_active"),
    }
    booked = sum(f.outcome.stalls.values())
    for reason, cycles_in in f.outcome.stalls.items():
        out[f"smsp__warp_issue_stalled_{reason}_per_warp_active.pct"] = _pct(cycles_in, booked)


def _throughput(f: Facts, out: Values) -> None:
    cycles, sms, sub = f.outcome.cycles, f.arch.sm_count, f.arch.sub_cores
    active = number(out, "sm__cycles_active.avg")
    busiest = number(out, "smsp__issue_active.avg.per_cycle_active") * 100
    for name, busy in sorted(pipe_cycles(f.instructions).items()):
        share = _pct(busy, active * sms * (1 if name == "lsu" else sub))
        stem = name if name.startswith("tensor") else f"pipe_{name}"
        if name == "lsu":
            out["sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active"] = share
        else:
            out[f"sm__{stem}_cycles_active.avg.pct_of_peak_sustained_active"] = share
        busiest = max(busiest, share)
    duty = active / cycles
    l1 = number(out, "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active")
    l1 = max(l1, number(out, "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active"))
    l2 = number(out, "lts__throughput.avg.pct_of_peak_sustained_elapsed")
    dram = number(out, "dram__throughput.avg.pct_of_peak_sustained_elapsed")
    out |= {
        "sm__instruction_throughput.avg.pct_of_peak_sustained_active": busiest,
        "sm__throughput.avg.pct_of_peak_sustained_elapsed": busiest * duty,
        "l1tex__throughput.avg.pct_of_peak_sustained_active": l1,
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": dram,
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": max(l1 * duty, l2, dram),
        "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed": l1 * duty,
        "l1tex__cycles_active.avg": active,
    }


def flops(f: Facts) -> dict[str, float]:
    """Floating-point operations by precision: "fp32", "fp64", "fp16", "tensor"; a fused multiply-add counts two."""
    done: dict[str, float] = {}
    for row in f.instructions:
        if row.mnemonic in FLOPS:
            precision, each = FLOPS[row.mnemonic]
            done[precision] = done.get(precision, 0.0) + each * row.threads
        elif row.mnemonic in ("HMMA", "IMMA", "DMMA") and row.instr is not None:
            shape = next((TENSOR_SHAPES[m] for m in row.instr.modifiers if m in TENSOR_SHAPES), 0)
            done["tensor"] = done.get("tensor", 0.0) + 2 * shape * row.executed
    return done


def peaks(f: Facts) -> dict[str, float]:
    """Floating-point operations a cycle of the whole device, by precision, from the issue intervals of its pipes."""
    lanes = 32 * f.arch.sub_cores * f.arch.sm_count
    pipes = f.arch.pipes
    tensor = 2 * TENSOR_SHAPES["16816"] / pipes["tensor"].interval * f.arch.sub_cores * f.arch.sm_count
    return {
        "fp32": 2 * lanes / pipes["fma"].interval,
        "fp64": 2 * lanes / pipes["fp64"].interval,
        "fp16": 4 * lanes / pipes["half"].interval,
        "tensor": tensor,
    }


def _roofline(f: Facts, out: Values) -> None:
    cycles = f.outcome.cycles
    bytes_ = number(out, "dram__bytes_read.sum")
    peak = peaks(f)
    bandwidth = f.arch.memory.dram_bandwidth
    for precision, done in sorted(flops(f).items()):
        out[f"model__flops_{precision}.sum"] = done
        out[f"model__flops_{precision}.sum.per_second"] = done / cycles * f.clock_mhz * 1e6
        out[f"model__flops_{precision}.pct_of_peak"] = _pct(done / cycles, peak[precision])
        if bytes_:
            out[f"model__arithmetic_intensity_{precision}.ratio"] = done / bytes_
            out[f"model__ridge_point_{precision}.ratio"] = peak[precision] / bandwidth
            roof = min(peak[precision], done / bytes_ * bandwidth)
            out[f"model__roof_{precision}.pct_of_roof"] = _pct(done / cycles, roof)
