"""Numbers as Nsight Compute writes them, and tables of text."""

from __future__ import annotations

from collections.abc import Sequence

_SCALES = {
    "byte": (("Gbyte", 1e9), ("Mbyte", 1e6), ("Kbyte", 1e3)),
    "byte/s": (("Tbyte/s", 1e12), ("Gbyte/s", 1e9), ("Mbyte/s", 1e6), ("Kbyte/s", 1e3)),
    "byte/block": (("Kbyte/block", 1e3),),
    "ns": (("s", 1e9), ("ms", 1e6), ("us", 1e3)),
    "hz": (("Ghz", 1e9), ("Mhz", 1e6)),
    "pJ": (("J", 1e12), ("mJ", 1e9), ("uJ", 1e6), ("nJ", 1e3)),
}


def number(value: float | str) -> str:
    """Thousands separated; two decimals unless it is whole, more digits where two would say nothing."""
    if isinstance(value, str):
        return value
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) < 0.01:
        return f"{value:.3g}"
    return f"{value:,.2f}"


def scaled(value: float | str, unit: str, base: bool = False) -> tuple[str, str]:
    """(number, unit) of a value in its base unit, in the unit that a reader wants unless `base`."""
    if isinstance(value, str) or base:
        return number(value), unit
    for name, factor in _SCALES.get(unit, ()):
        if abs(value) >= factor:
            return number(round(value / factor, 2)), name
    return number(value), unit


def dims(d: Sequence[int]) -> str:
    """A grid or block, `256` or `16x16x1`."""
    return "x".join(map(str, d)) if d[1] != 1 or d[2] != 1 else str(d[0])


def table(title: str, rows: Sequence[Sequence[str]], align: str = "", head: bool = False, note: str = "") -> list[str]:
    """Lines of a table: title, rule, rows in columns of one width. `align` has l or r for each column; with `head` the
    first row is ruled off; `note` goes below."""
    if not rows:
        return []
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    out = [title, "-" * len(title)] if title else []
    for n, row in enumerate(rows):
        cells = [
            c.rjust(w) if align[k : k + 1] == "r" else c.ljust(w)
            for k, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        out.append(("  " + "  ".join(cells)).rstrip())
        if head and n == 0:
            out.append("  " + "  ".join("-" * w for w in widths))
    if note:
        out += ["", *(f"  {line}" for line in note.splitlines())]
    return [*out, ""]
