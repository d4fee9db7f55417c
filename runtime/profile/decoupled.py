"""What decoupling access from execution would gain (seed 000, section 7): an access processor that runs ahead takes the
waits for global memory."""

from __future__ import annotations

from minicc.analysis.access import address_operand
from runtime.profile.facts import Facts
from runtime.profile.kinds import flow, kind_of, own
from runtime.profile.little import loads_of
from runtime.profile.metrics import Values, number
from runtime.profile.units import table


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
    seeds = set(loads_of(rows))
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
