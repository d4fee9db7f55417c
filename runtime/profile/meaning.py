"""What each metric means, for `minicc prof --explain`, with its base unit.

Names and units are those of Nsight Compute's gh100 metrics; the sentences say how this model counts, and what a reader
should do about the figure. Where many names follow one pattern (stall reasons, spaces, pipes) one row makes them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import attrs

from runtime.profile.kinds import OPERATIONS


@attrs.frozen
class Meaning:
    """A metric's base unit, what it counts, and what to make of it."""

    unit: str
    text: str
    advice: str = ""


STATES: dict[str, tuple[str, str]] = {
    "selected": ("the warp issued an instruction in this cycle", "exactly 1 for each issued instruction"),
    "not_selected": (
        "ready to issue, but the scheduler picked another warp",
        "there is enough parallelism; fewer warps (more registers or shared memory each) would not hurt",
    ),
    "wait": (
        "a fixed latency that the compiler counted out with the stall count",
        "more independent instructions in a thread, or more warps, cover it",
    ),
    "long_scoreboard": (
        "data from global or local memory that has not come back",
        "coalesce, keep data in shared memory or registers, issue loads earlier, or add warps",
    ),
    "short_scoreboard": (
        "a result of shared memory, shuffles, special functions or special registers that has not come back",
        "remove bank conflicts, use fewer MUFU and shuffles, or put independent work behind them",
    ),
    "math_pipe_throttle": (
        "the arithmetic pipe that the instruction needs is taken",
        "the kernel is bound by that pipe: change the mix of instructions",
    ),
    "lg_throttle": (
        "the queue for global and local memory instructions is full",
        "fewer and wider accesses; spills count too",
    ),
    "mio_throttle": (
        "the queue for shared memory, shuffles and special math is full",
        "fewer and wider shared-memory accesses; move address arithmetic off the special units",
    ),
    "tex_throttle": ("the queue of the texture unit is full", "fewer texture fetches in flight"),
    "barrier": (
        "the other warps of the block have not reached the barrier",
        "balance the work between barriers, or use smaller blocks",
    ),
    "branch_resolving": ("a taken branch has not taken effect", "fewer jumps: unroll, or predicate short branches"),
    "dispatch_stall": (
        "register ports or the issue port are taken (bank conflicts of registers)",
        "other registers: operands in both banks, the reuse cache",
    ),
    "imc_miss": ("a constant operand is not in the constant cache", "first touch of a constant line; rarely matters"),
    "no_instruction": (
        "the next instruction is not in the instruction cache",
        "shorter code: less unrolling; jumps across the code cost a fetch",
    ),
    "membar": ("a memory fence waits for earlier accesses", "fewer or narrower fences"),
    "sleeping": ("nanosleep", "the program asked for it"),
    "drain": ("after EXIT, stores that have not left yet", "many stores at the end of a short kernel"),
    "gmma": ("a warpgroup matrix instruction", "bound by the tensor cores"),
    "misc": ("anything else", ""),
}
"""Warp states: what a warp in it waits for, and what helps."""

METRICS: dict[str, Meaning] = {
    "gpc__cycles_elapsed.max": Meaning("cycle", "cycles from the grid's start to its end, launch overhead included"),
    "sm__cycles_elapsed.avg": Meaning("cycle", "the same, as an SM counts them"),
    "sm__cycles_elapsed.max": Meaning("cycle", "the same"),
    "sm__cycles_active.avg": Meaning(
        "cycle",
        "cycles in which an SM held at least one warp, averaged over all SMs",
        "far below the elapsed cycles: too few blocks, uneven blocks, or a kernel so short that launching dominates",
    ),
    "smsp__cycles_active.avg": Meaning("cycle", "the same for a sub-core"),
    "sm__cycles_active.avg.pct_of_peak_sustained_elapsed": Meaning("%", "share of the elapsed cycles that those are"),
    "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed": Meaning("%", "the same for a sub-core"),
    "l1tex__cycles_active.avg": Meaning("cycle", "cycles in which the SM's L1 could have work"),
    "gpu__time_duration.sum": Meaning("ns", "elapsed cycles at the SM clock"),
    "smsp__cycles_elapsed.avg.per_second": Meaning("hz", "SM clock that the model assumes"),
    "launch__grid_size": Meaning("", "blocks of the grid"),
    "launch__block_size": Meaning("", "threads of a block"),
    "launch__thread_count": Meaning("thread", "threads of the grid"),
    "launch__registers_per_thread": Meaning("register/thread", "registers of a thread, 16 at least"),
    "launch__waves_per_multiprocessor": Meaning(
        "",
        "how often the grid fills all SMs",
        "a fraction behind the point is a tail: in the last wave some SMs have nothing to do",
    ),
    "launch__sm_count": Meaning("SM", "streaming multiprocessors of the device"),
    "launch__stack_size": Meaning("byte", "local memory that a thread may use for its stack"),
    "launch__shared_mem_per_block": Meaning("byte/block", "shared memory that a block takes, the driver's included"),
    "launch__shared_mem_per_block_static": Meaning("byte/block", "declared in the kernel"),
    "launch__shared_mem_per_block_dynamic": Meaning("byte/block", "asked for at the launch"),
    "launch__shared_mem_per_block_driver": Meaning(
        "byte/block", "reserved at the start of every block's shared memory"
    ),
    "launch__shared_mem_config_size": Meaning("byte", "share of the SM's L1 array that is set up as shared memory"),
    "launch__func_cache_config": Meaning("", "the preference between L1 and shared memory"),
    "launch__occupancy_limit_blocks": Meaning("block", "blocks that an SM can hold at all"),
    "launch__occupancy_limit_registers": Meaning("block", "blocks whose registers fit an SM"),
    "launch__occupancy_limit_shared_mem": Meaning("block", "blocks whose shared memory fits an SM"),
    "launch__occupancy_limit_warps": Meaning("block", "blocks whose warps fit an SM"),
    "launch__occupancy_limit_barriers": Meaning("block", "blocks whose named barriers fit an SM"),
    "sm__maximum_warps_avg_per_active_cycle": Meaning("warp", "warps an SM could hold of this kernel"),
    "smsp__maximum_warps_avg_per_active_cycle": Meaning("warp", "the same for a sub-core"),
    "sm__maximum_warps_per_active_cycle_pct": Meaning(
        "%", "theoretical occupancy: warps an SM could hold of this kernel, of those it can hold at all"
    ),
    "sm__warps_active.avg.pct_of_peak_sustained_active": Meaning(
        "%",
        "achieved occupancy: warps that were there, on average over active cycles",
        "below the theoretical one: short blocks, a tail, or uneven warps",
    ),
    "sm__warps_active.avg.per_cycle_active": Meaning("warp", "warps that an SM held, on average over active cycles"),
    "smsp__warps_active.avg.pct_of_peak_sustained_active": Meaning("%", "achieved occupancy of a sub-core"),
    "smsp__warps_launched.sum": Meaning("warp", "warps of the grid"),
    "sm__ctas_launched.sum": Meaning("block", "blocks of the grid"),
    "smsp__warps_active.avg.per_cycle_active": Meaning("warp", "warps that a scheduler had to choose from"),
    "smsp__warps_active.avg.peak_sustained": Meaning("warp", "warps that a scheduler can hold"),
    "smsp__warps_eligible.avg.per_cycle_active": Meaning(
        "warp",
        "warps that could have issued: picked or not picked",
        "look here first: below one, the scheduler often has nothing to issue, and the warp states say why",
    ),
    "smsp__warps_eligible.sum.per_cycle_active": Meaning("warp", "the same of all schedulers of the device together"),
    "smsp__issue_active.avg.per_cycle_active": Meaning("", "instructions a scheduler issued a cycle; 1 at most"),
    "smsp__issue_active.avg.pct_of_peak_sustained_active": Meaning("%", "cycles in which a scheduler issued"),
    "smsp__issue_inst0.avg.pct_of_peak_sustained_active": Meaning("%", "cycles in which a scheduler issued nothing"),
    "smsp__average_warp_latency_per_inst_issued.ratio": Meaning(
        "cycle",
        "warp-cycles for each issued instruction: the sum of all warp states",
        "active warps per scheduler divided by it is the issue rate",
    ),
    "smsp__average_warps_active_per_inst_executed.ratio": Meaning("cycle", "the same for each executed instruction"),
    "smsp__thread_inst_executed.sum": Meaning("inst", "thread instructions of active lanes, whatever their guards say"),
    "smsp__thread_inst_executed_per_inst_executed.ratio": Meaning(
        "thread", "active lanes of an instruction, on average", "below 32: divergence, or blocks that do not fill warps"
    ),
    "smsp__thread_inst_executed_pred_on.sum": Meaning("inst", "thread instructions of lanes whose guard was true"),
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio": Meaning(
        "thread", "lanes that did something, on average", "below the active lanes: predication"
    ),
    "smsp__inst_executed.sum": Meaning("inst", "warp instructions executed"),
    "smsp__inst_executed.avg": Meaning("inst", "the same, for one scheduler on average"),
    "smsp__average_inst_executed_per_warp.ratio": Meaning("inst/warp", "warp instructions that a warp executes"),
    "smsp__inst_issued.sum": Meaning("inst", "warp instructions issued; the model never issues one twice"),
    "smsp__inst_issued.avg": Meaning("inst", "the same, for one scheduler on average"),
    "smsp__inst_executed_op_branch.sum": Meaning(
        "inst", "branches, reconvergence points, calls and exits executed, taken or not"
    ),
    "model__branch_instructions_ratio": Meaning("", "the share of those among all instructions executed"),
    "smsp__sass_branch_targets_threads_divergent.sum": Meaning(
        "branches", "branches after which the lanes of a warp are at different places"
    ),
    "smsp__sass_branch_targets_threads_divergent.avg": Meaning("branches", "the same, for one scheduler on average"),
    "smsp__sass_branch_targets_threads_uniform.sum": Meaning(
        "branches", "branches, calls and returns in which all running lanes of a warp went to one place"
    ),
    "smsp__sass_average_branch_targets_threads_uniform.pct": Meaning(
        "%", "branch efficiency: of branches, calls and returns, those that kept the running lanes together"
    ),
    "sm__inst_executed.sum": Meaning("inst", "warp instructions executed"),
    "sm__inst_executed.avg.per_cycle_active": Meaning("inst/cycle", "instructions an SM executes in an active cycle"),
    "sm__inst_executed.avg.per_cycle_elapsed": Meaning("inst/cycle", "the same over all cycles of the kernel"),
    "sm__inst_issued.avg.per_cycle_active": Meaning("inst/cycle", "instructions an SM issues in an active cycle"),
    "sm__inst_issued.avg.pct_of_peak_sustained_active": Meaning("%", "issue slots used, of four a cycle"),
    "sm__instruction_throughput.avg.pct_of_peak_sustained_active": Meaning(
        "%", "the busiest of the issue slots and all pipes, in active cycles"
    ),
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": Meaning(
        "%",
        "compute throughput: the busiest of the issue slots and all pipes, over all cycles",
        "above 80 %: bound by computing; below 60 % with memory below 60 % too: bound by latency",
    ),
    "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed": Meaning("%", "how busy the memory pipes of the SM are"),
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": Meaning(
        "%", "memory throughput: the busiest of L1, L2 and DRAM", "above 80 %: bound by memory bandwidth"
    ),
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": Meaning("%", "DRAM bandwidth used"),
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": Meaning("%", "DRAM bandwidth used"),
    "dram__bytes_read.sum": Meaning("byte", "bytes that came from DRAM"),
    "dram__bytes_read.sum.per_second": Meaning("byte/s", "rate of those bytes over the whole kernel"),
    "dram__sectors_read.sum": Meaning("sector", "32-byte sectors that came from DRAM"),
    "dram__bytes_write.sum": Meaning("byte", "bytes that went to DRAM before the kernel's end"),
    "lts__throughput.avg.pct_of_peak_sustained_elapsed": Meaning("%", "L2 bandwidth used"),
    "lts__t_sectors.sum": Meaning("sector", "32-byte sectors that L2 was asked for, by L1 and by its own other half"),
    "lts__t_bytes.sum": Meaning("byte", "the same in bytes"),
    "lts__t_sectors_op_read.sum": Meaning("sector", "sectors read from L2"),
    "lts__t_sectors_op_write.sum": Meaning("sector", "sectors that stores write to L2"),
    "lts__t_sectors_op_red.sum": Meaning("sector", "packets of reductions: a sector in which no word is named twice"),
    "lts__t_sectors_op_atom.sum": Meaning("sector", "the same of atomics that return a value"),
    "lts__t_sector_hit_rate.pct": Meaning("%", "sectors that L2 had; a written sector counts as a hit"),
    "l1tex__throughput.avg.pct_of_peak_sustained_active": Meaning("%", "the busier of L1's data stage and its port"),
    "l1tex__t_sectors.sum": Meaning("sector", "32-byte sectors that L1 was asked for"),
    "l1tex__t_sector_hit_rate.pct": Meaning(
        "%", "sectors that L1 had", "loads only: stores do not allocate in the model's L1"
    ),
    "l1tex__data_pipe_lsu_wavefronts.sum": Meaning("", "passes through L1's data stage, shared memory included"),
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active": Meaning("%", "how busy that stage is"),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": Meaning("", "passes of shared-memory accesses"),
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum": Meaning(
        "", "passes of global loads through L1's tags, four 128-byte lines each"
    ),
    "lts__t_sectors_srcunit_tex.sum": Meaning("sector", "sectors that the SMs' L1 caches asked L2 for, or wrote"),
}

_OP = {"ld": "loads", "st": "stores", "atom": "atomics that return a value", "red": "reductions", "read": "loads",
       "write": "stores"}  # fmt: skip
_FIGURES = {
    "requests": ("request", "warp instructions ({op}) to {space} memory that reached L1"),
    "sectors": ("sector", "32-byte sectors of {space} {op}; 4 a request is perfect for 4-byte elements"),
    "bytes": ("byte", "bytes of {space} {op}, in whole sectors"),
}
_UNITS = {"fp32": "single precision", "fp64": "double precision", "fp16": "half precision", "tensor": "tensor core"}


def _state(match: re.Match[str], unit: str, what: str) -> Meaning:
    name = match["r"]
    text, advice = STATES[name]
    return Meaning(unit, f"{what} in state {name}: {text}", advice)


Maker = Callable[[re.Match[str]], Meaning]
_R = "(?P<r>" + "|".join(STATES) + ")"
_S = "(?P<space>global|local|shared)_op_(?P<op>ld|st|atom|red)"
_P = "(?P<pipe>adu|alu|cbu|fma|fmaheavy|fp16|fp64|lsu|tensor_op_gmma|tensor_op_hmma|tex|uniform|xu)"
"""What the engine counts instructions of."""
_ROWS: tuple[tuple[str, Maker], ...] = (
    (
        rf"smsp__average_warps_issue_stalled_{_R}_per_issue_active\.ratio",
        lambda m: _state(m, "inst", "cycles of a warp for each issued instruction"),
    ),
    (rf"smsp__warp_issue_stalled_{_R}_per_warp_active\.pct", lambda m: _state(m, "%", "share of all warp-cycles")),
    (
        rf"l1tex__t_(?P<what>requests|sectors|bytes)_pipe_lsu_mem_{_S}\.sum",
        lambda m: Meaning(_FIGURES[m["what"]][0], _FIGURES[m["what"]][1].format(op=_OP[m["op"]], space=m["space"])),
    ),
    (
        rf"l1tex__t_sectors_pipe_lsu_mem_{_S}_lookup_(?P<found>hit|miss)\.sum",
        lambda m: Meaning("sector", f"sectors of {m['space']} {_OP[m['op']]}: L1 {m['found']}"),
    ),
    (
        rf"l1tex__t_sector_pipe_lsu_mem_{_S}_hit_rate\.pct",
        lambda m: Meaning("%", f"sectors of {m['space']} {_OP[m['op']]} that L1 had"),
    ),
    (
        rf"l1tex__average_t_sectors_per_request_pipe_lsu_mem_{_S}\.ratio",
        lambda m: Meaning(
            "sector/req",
            f"sectors that a request of {m['space']} {_OP[m['op']]} touches",
            "4 for coalesced 4-byte accesses, 32 if every lane is in a line of its own",
        ),
    ),
    (
        rf"l1tex__data_pipe_lsu_wavefronts_mem_{_S}\.sum",
        lambda m: Meaning("", f"passes through L1's data stage for {m['space']} {_OP[m['op']]}"),
    ),
    (
        r"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_(?P<op>ld|st|atom|red)\.sum",
        lambda m: Meaning(
            "", f"passes of shared {_OP[m['op']]} beyond those that their width needs", "pad rows, or change the layout"
        ),
    ),
    (
        r"smsp__sass_data_bytes_mem_(?P<space>global|shared)_op_(?P<op>ld|st)\.sum",
        lambda m: Meaning(
            "byte", f"bytes that {m['space']} {_OP[m['op']]} name; one that several lanes name at once is one"
        ),
    ),
    (
        r"smsp__sass_average_data_bytes_per_(?P<part>sector|wavefront)_mem_(?P<space>global|shared)_op_(?P<op>ld|st)"
        r"\.(?P<how>ratio|pct)",
        lambda m: Meaning(
            "%" if m["how"] == "pct" else f"byte/{m['part']}",
            f"of each {m['part']} of {m['space']} {_OP[m['op']]}, the bytes that lanes name (nvprof: "
            f"{'shared' if m['space'] == 'shared' else 'gld' if m['op'] == 'ld' else 'gst'}_efficiency)",
            "let lanes of a warp name neighbours",
        ),
    ),
    (
        r"smsp__(?:sass_)?inst_executed_op_(?P<space>global|local|shared)_(?P<op>ld|st|atom|red)\.sum",
        lambda m: Meaning("inst", f"warp instructions: {m['space']} {_OP[m['op']]}"),
    ),
    (
        r"lts__t_sectors_srcunit_tex_op_(?P<op>read|write|atom|red)\.sum",
        lambda m: Meaning("sector", f"sectors of {_OP[m['op']]} that L1 asked L2 for"),
    ),
    (
        r"lts__t_sector_op_(?P<op>read|write|atom|red)_hit_rate\.pct",
        lambda m: Meaning("%", f"L2 sectors of {_OP[m['op']]} that it had"),
    ),
    (
        rf"sm__inst_executed_pipe_{_P}\.sum",
        lambda m: Meaning("inst", f"warp instructions of pipe {m['pipe']}"),
    ),
    (
        rf"sm__(?:pipe_{_P}|(?P<tensor>tensor_op_[hg]mma))_cycles_active\.avg\.pct_of_peak_sustained_active",
        lambda m: Meaning("%", f"active cycles in which pipe {m['pipe'] or m['tensor']} was taken"),
    ),
    (
        rf"sm__inst_executed_pipe_{_P}\.avg\.pct_of_peak_sustained_active",
        lambda m: Meaning("%", f"active cycles in which unit {m['pipe']} was taken"),
    ),
    (
        r"sass__inst_executed_per_opcode\.(?P<op>\w+)",
        lambda m: Meaning("inst", f"warp instructions {m['op']}"),
    ),
    (
        r"smsp__sass_thread_inst_executed_op_(?P<op>[fdh](?:add|mul|fma))_pred_on\.sum",
        lambda m: Meaning("inst", f"thread instructions {m['op'].upper()} whose guard was true"),
    ),
    (
        rf"smsp__sass_thread_inst_executed_op_(?P<op>{'|'.join(sorted(set(OPERATIONS.values())))})_pred_on\.sum",
        lambda m: Meaning("inst", f"thread instructions whose guard was true: {m['op'].replace('_', ' ')}"),
    ),
    (
        r"launch__(?P<of>grid|block)_dim_(?P<d>[xyz])",
        lambda m: Meaning("", f"{m['d']} dimension of the {m['of']}"),
    ),
    (
        r"model__flops_(?P<p>\w+)\.sum(?P<rate>\.per_second)?",
        lambda m: Meaning("flop/s" if m["rate"] else "flop", f"{_UNITS[m['p']]} operations; a multiply-add counts two"),
    ),
    (
        r"model__flops_(?P<p>\w+)\.pct_of_peak",
        lambda m: Meaning("%", f"{_UNITS[m['p']]} operations, of what the pipes could do in the elapsed cycles"),
    ),
    (
        r"model__arithmetic_intensity_(?P<p>\w+)\.ratio",
        lambda m: Meaning("flop/byte", f"{_UNITS[m['p']]} operations for each byte read from DRAM"),
    ),
    (
        r"model__ridge_point_(?P<p>\w+)\.ratio",
        lambda m: Meaning(
            "flop/byte", "arithmetic intensity from which on the pipes bind, not DRAM", "below it, save bytes"
        ),
    ),
    (
        r"model__roof_(?P<p>\w+)\.pct_of_roof",
        lambda m: Meaning("%", "performance reached, of the roof at this arithmetic intensity"),
    ),
    (
        r"model__energy_(?P<part>\w+)\.sum",
        lambda m: Meaning("pJ", f"energy of {m['part'].replace('_', ' ')}, from the machine description's figures"),
    ),
)
FAMILIES: tuple[tuple[re.Pattern[str], Maker], ...] = tuple((re.compile(pattern), make) for pattern, make in _ROWS)
"""Names that follow a pattern, and what each of them means."""
