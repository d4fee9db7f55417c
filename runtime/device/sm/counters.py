"""From the engine's tables to counters under their ncu names."""

from __future__ import annotations

from typing import Any

from minicc.arch import Arch
from runtime.device.cwd import Residency, shared_configuration
from runtime.device.grid import Grid
from runtime.device.sm.code.decode import Decoded
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L

_MEMORY = {
    K.SPACE_GLOBAL: "global",
    K.SPACE_GENERIC: "global",
    K.SPACE_LOCAL: "local",
    K.SPACE_SHARED: "shared",
}


_NAMED = ("ld", "st")
"""Accesses of which the bytes are counted that lanes name."""


def stalls(PCC: Any) -> dict[str, float]:
    """Warp-cycles by reason."""
    totals = PCC[:, K.R_ALL].sum(axis=0)
    return {name: float(total) for name, total in zip(K.REASONS, totals, strict=True)}


def per_pc(PCC: Any) -> dict[int, dict[str, float]]:
    """Counters of each instruction that was issued or waited for."""
    names = {
        K.R_SELECTED: "inst_executed",
        L.P_THREADS: "thread_inst_executed_pred_on",
        L.P_ACTIVE: "thread_inst_executed",
        L.P_DIVERGED: "divergent_branches",
        L.P_REQUESTS: "requests",
        L.P_SECTORS: "sectors",
        L.P_IDEAL: "sectors_ideal",
        L.P_L1HIT: "l1_hits",
        L.P_WAVEFRONTS: "wavefronts",
        L.P_CONFLICTS: "bank_conflicts",
        L.P_LINES: "lines",
        L.P_L2: "l2_sectors",
        L.P_L2HIT: "l2_hits",
        L.P_DRAM: "dram_sectors",
        L.P_WRITTEN: "dram_sectors_written",
        L.P_ASKED: "l2_asked",
    }
    found: dict[int, dict[str, float]] = {}
    pairs = [*names.items(), *((k, f"stall_{name}") for k, name in enumerate(K.REASONS, K.R_SELECTED))]
    for i, row in enumerate(PCC.tolist()):
        if any(row):
            found[16 * i] = {text: float(row[k]) for k, text in pairs if row[k]}
    return found


def counters(
    PCC: Any, SM: Any, decoded: Decoded, grid: Grid, arch: Arch, residency: Residency, cycles: int, timing: bool
) -> dict[str, float]:
    """All counters of a grid. Sums are over the whole device, `.avg` over its SMs or sub-cores."""
    out = {**_launch(grid, arch, residency), **_executed(PCC, decoded)}
    if timing:
        out |= _l1(PCC, decoded)
        out |= _beyond(PCC, decoded)
        out |= _time(PCC, SM, arch, cycles)
        out |= _rates(out, arch, cycles)
    return out


def _launch(grid: Grid, arch: Arch, residency: Residency) -> dict[str, float]:
    ctas = grid.grid[0] * grid.grid[1] * grid.grid[2]
    size = grid.block[0] * grid.block[1] * grid.block[2]
    resident = residency.ctas * residency.warps_per_cta
    return {
        "launch__grid_size": ctas,
        "launch__block_size": size,
        "launch__thread_count": ctas * size,
        "launch__registers_per_thread": grid.registers,
        "launch__shared_mem_per_block": grid.shared,
        "launch__waves_per_multiprocessor": ctas / max(residency.ctas * arch.sm_count, 1),
        "launch__occupancy_per_block_size": resident,
        "sm__maximum_warps_per_active_cycle_pct": 100 * resident / arch.occupancy.max_warps,
        "launch__shared_mem_config_size": shared_configuration(grid, arch),
        **residency.limits,
    }


def _executed(PCC: Any, decoded: Decoded) -> dict[str, float]:
    """Instructions, of warps, threads and pipes."""
    selected = PCC[:, K.R_SELECTED]
    executed = float(selected.sum())
    active, threads = (float(PCC[:, column].sum()) for column in (L.P_ACTIVE, L.P_THREADS))
    out = {
        "smsp__inst_executed.sum": executed,
        "sm__inst_executed.sum": executed,
        "smsp__thread_inst_executed.sum": active,
        "smsp__thread_inst_executed_per_inst_executed.ratio": active / executed if executed else 0.0,
        "smsp__thread_inst_executed_pred_on.sum": threads,
        "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio": threads / executed if executed else 0.0,
    }
    pipes: dict[str, float] = {}
    for i, row in enumerate(decoded.timings):
        if row is not None and row.counter:
            pipes[row.counter] = pipes.get(row.counter, 0.0) + float(selected[i])
    return out | {f"sm__inst_executed_pipe_{name}.sum": value for name, value in sorted(pipes.items())}


def _l1(PCC: Any, decoded: Decoded) -> dict[str, float]:
    """What the load/store unit was asked for, by space and kind of access."""
    out: dict[str, float] = {}
    code = decoded.code
    memory = code[:, L.C_KIND] == K.K_MEM
    for space, place in _MEMORY.items():
        for access, op in ((K.A_LOAD, "ld"), (K.A_STORE, "st"), (K.A_ATOM, "atom"), (K.A_RED, "red")):
            rows = memory & (code[:, L.C_SPACE] == space) & (code[:, L.C_ACCESS] == access)
            if not rows.any():
                continue
            if space == K.SPACE_SHARED:
                _add(out, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", PCC[rows, L.P_WAVEFRONTS])
                _add(out, f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum", PCC[rows, L.P_WAVEFRONTS])
                _add(out, f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum", PCC[rows, L.P_CONFLICTS])
                if op in _NAMED and PCC[rows, L.P_BYTES].any():
                    _add(out, f"smsp__sass_data_bytes_mem_shared_op_{op}.sum", PCC[rows, L.P_BYTES])
                continue
            stem = f"pipe_lsu_mem_{place}_op_{op}"
            _add(out, f"l1tex__t_requests_{stem}.sum", PCC[rows, L.P_REQUESTS])
            _add(out, f"l1tex__t_sectors_{stem}.sum", PCC[rows, L.P_SECTORS])
            _add(out, f"l1tex__t_sectors_{stem}_lookup_hit.sum", PCC[rows, L.P_L1HIT])
            if place == "global" and op in _NAMED and PCC[rows, L.P_BYTES].any():
                _add(out, f"smsp__sass_data_bytes_mem_global_op_{op}.sum", PCC[rows, L.P_BYTES])
    for key in [k for k in out if k.startswith("l1tex__t_requests_")]:
        matching = key.replace("t_requests", "t_sectors")
        ratio = key.replace("l1tex__t_requests", "l1tex__average_t_sectors_per_request").replace(".sum", ".ratio")
        out[ratio] = out[matching] / out[key] if out[key] else 0.0
    for op in _NAMED:
        for place, part, size, taken in (
            ("global", "sector", 32, f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum"),
            ("shared", "wavefront", 128, f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"),
        ):
            if named := out.get(f"smsp__sass_data_bytes_mem_{place}_op_{op}.sum"):
                share = named / out[taken]
                stem = f"smsp__sass_average_data_bytes_per_{part}_mem_{place}_op_{op}"
                out |= {f"{stem}.ratio": share, f"{stem}.pct": 100 * share / size}
    sectors, hits = float(PCC[:, L.P_SECTORS].sum()), float(PCC[:, L.P_L1HIT].sum())
    out["l1tex__t_sectors.sum"] = sectors
    out["l1tex__t_sector_hit_rate.pct"] = 100 * hits / sectors if sectors else 0.0
    return out


def _beyond(PCC: Any, decoded: Decoded) -> dict[str, float]:
    """Sectors of L2, bytes of DRAM."""
    code = decoded.code
    memory = code[:, L.C_KIND] == K.K_MEM
    l2, l2_hits = float(PCC[:, L.P_L2].sum()), float(PCC[:, L.P_L2HIT].sum())
    out = {"lts__t_sectors.sum": l2, "lts__t_sectors_srcunit_tex.sum": float(PCC[:, L.P_ASKED].sum())}
    rest = l2
    for access, op in ((K.A_STORE, "write"), (K.A_ATOM, "atom"), (K.A_RED, "red")):
        rows = memory & (code[:, L.C_ACCESS] == access)
        out[f"lts__t_sectors_op_{op}.sum"] = float(PCC[rows, L.P_L2].sum())
        rest -= out[f"lts__t_sectors_op_{op}.sum"]
    out["lts__t_sectors_op_read.sum"] = rest
    out["lts__t_sector_hit_rate.pct"] = 100 * l2_hits / l2 if l2 else 0.0
    out["dram__bytes_read.sum"] = 32.0 * float(PCC[:, L.P_DRAM].sum())
    out["dram__bytes_write.sum"] = 32.0 * float(PCC[:, L.P_WRITTEN].sum())
    return out


def _time(PCC: Any, SM: Any, arch: Arch, cycles: int) -> dict[str, float]:
    """Cycles, what was issued in them, and what warps waited for."""
    executed = float(PCC[:, K.R_SELECTED].sum())
    active = float(SM[:, L.M_ACTIVE].sum())
    warp_cycles = float(SM[:, L.M_WARPCYCLES].sum())
    sms, sub = arch.sm_count, arch.sub_cores
    out: dict[str, float] = {
        "gpc__cycles_elapsed.max": cycles,
        "sm__cycles_elapsed.avg": cycles,
        "sm__cycles_active.avg": active / sms,
        "smsp__cycles_active.avg": active / sms,
        "gpu__time_duration.sum": cycles * 1000.0 / arch.clock_mhz,
    }
    if active:
        out["sm__inst_executed.avg.per_cycle_active"] = executed / active
        out["smsp__issue_active.avg.per_cycle_active"] = executed / active / sub
        out["smsp__warps_active.avg.per_cycle_active"] = warp_cycles / active / sub
        out["sm__warps_active.avg.pct_of_peak_sustained_active"] = 100 * warp_cycles / active / arch.occupancy.max_warps
        eligible = float(PCC[:, [K.R_SELECTED, K.R_NOT_SELECTED]].sum())
        out["smsp__warps_eligible.avg.per_cycle_active"] = eligible / active / sub
        out["sm__throughput.avg.pct_of_peak_sustained_elapsed"] = 100 * executed / sub / sms / cycles
    totals = stalls(PCC)
    if executed:
        for name, value in totals.items():
            out[f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio"] = value / executed
        out["smsp__average_warp_latency_per_inst_issued.ratio"] = sum(totals.values()) / executed
    return out


def _rates(counted: dict[str, float], arch: Arch, cycles: int) -> dict[str, float]:
    """Bytes a second, and shares of the peaks."""
    seconds = cycles / (arch.clock_mhz * 1e6)
    if not seconds:
        return {}
    read, sectors = counted["dram__bytes_read.sum"], counted["lts__t_sectors.sum"]
    return {
        "dram__bytes_read.sum.per_second": read / seconds,
        "dram__throughput.avg.pct_of_peak_sustained_elapsed": 100 * read / (arch.memory.dram_bandwidth * cycles),
        "lts__throughput.avg.pct_of_peak_sustained_elapsed": 100 * 32 * sectors / (arch.memory.l2_bandwidth * cycles),
    }


def _add(out: dict[str, float], name: str, values: Any) -> None:
    out[name] = out.get(name, 0.0) + float(values.sum())
