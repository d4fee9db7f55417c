"""Tables of sections that are made of several metrics at once."""

from __future__ import annotations

from runtime.profile import metrics
from runtime.profile.facts import Facts
from runtime.profile.meaning import STATES
from runtime.profile.metrics import Values, number
from runtime.profile.units import number as text_number
from runtime.profile.units import table


def states(f: Facts, out: Values) -> list[str]:
    """Warp states, cycles per issued instruction, and what a warp waits for in each."""
    del out
    found = f.states()
    total = sum(value for _, value in found)
    rows: list[tuple[str, ...]] = [("state", "cycles", "share", "the warp waits for")]
    rows += [(name, f"{v:.2f}", f"{100 * v / total:.1f} %", STATES[name][0]) for name, v in found]
    rows.append(("total", f"{total:.2f}", "100.0 %", "warp-cycles for each issued instruction"))
    return table("Warp states, cycles per issued instruction", rows, "lrrl", head=True)


def _cell(out: Values, name: str, percent: bool = False) -> str:
    if name not in out:
        return ""
    return f"{number(out, name):.1f} %" if percent else text_number(out[name])


def memory(f: Facts, out: Values) -> list[str]:
    """Shared memory, L1, L2 and DRAM: requests, sectors, hit rates, conflicts."""
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
        rows.append(("DRAM written", "", "", _cell(out, "dram__bytes_write.sum")))
        lines += table("L2 cache and DRAM", rows, "lrrr", head=True)
    return lines


def opcodes(f: Facts, out: Values) -> list[str]:
    """Executed instructions by opcode."""
    del f
    stem = "sass__inst_executed_per_opcode."
    found = [(name[len(stem) :], number(out, name)) for name in out if name.startswith(stem)]
    total = sum(n for _, n in found) or 1.0
    rows: list[tuple[str, ...]] = [("opcode", "executed", "share")]
    found.sort(key=lambda row: (-row[1], row[0]))
    rows += [(name, text_number(n), f"{100 * n / total:.1f} %") for name, n in found]
    return table("Executed instruction mix", rows, "lrr", head=True)


def pipes(f: Facts, out: Values) -> list[str]:
    """Instructions and utilization of each pipe."""
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


def roofline(f: Facts, out: Values) -> list[str]:
    """Operations, their rate, and the roof above them, by precision."""
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


def hazards(f: Facts) -> list[str]:
    """Reads and writes that came too early."""
    return table("Hazards", [(h.text,) for h in f.outcome.hazards[:20]], "l")
