"""Where the cycles went: the CPI stack of several launches side by side, which instructions the stalls come from, and
the instruction mix (seed 000, sections 5.1, 5.2 and 8, asked of any kernel)."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.profile.facts import Facts
from runtime.profile.kinds import flow, kind_of, own, title
from runtime.profile.metrics import Values
from runtime.profile.units import number as text_number
from runtime.profile.units import table


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
    names_note = "\n".join(f"#{k} {title(f)}" for k, f in enumerate(launches)) if many else ""
    return table("CPI stack: warp-cycles per issued instruction", rows, "l" + "r" * 12, head=True, note=names_note)


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
