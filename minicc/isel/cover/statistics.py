"""What the pattern database holds, counted: by category, width, first SM, and how full its three tables are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from minicc.isel.cover.database import WORDS, Database, all_rows, operand_mask, operands, root, signatures, substitute
from minicc.isel.cover.tables import OpenTable
from minicc.isel.patterns import CATEGORIES, Row, rows_of
from minicc.isel.patterns.axes import AXES

DOCUMENT: dict[str, dict[str, int]] = {
    "category": {"arithmetic": 180, "memory": 150, "convert": 110, "floating": 105, "tensor": 125, "bitwise": 95,
                 "control": 85, "special": 50},
    "width": {"8": 45, "16": 85, "32": 320, "64": 240, "128": 75, "variable": 85},
    "sm": {"20": 280, "30": 300, "50": 350, "60": 380, "70": 450, "75": 480, "80": 550, "90": 600, "100": 700},
    "load": {"primary": 78, "secondary": 70, "tertiary": 210},
}  # fmt: skip
"""The figures of the pattern-database document (004), shown beside ours; `docs/isel.md` says where they part."""

_FIELD = re.compile(r"\{(\w+)(?:\.\d)?\}")
_TYPE = re.compile(r"(?<=\.)(?:[usbf]|bf|tf)(8|16|32|64|128)(x2)?\b")
_VECTOR = re.compile(r"\.v(2|4|8)\b")
_LIST = re.compile(r"\{\$[a-z]\*(\d+)\}")


def texts(row: Row) -> list[str]:
    """The template's instructions with each axis in the texts that differ in type."""
    out = [row.template]
    for axis in dict.fromkeys(_FIELD.findall(row.tree + row.template)):
        if axis in AXES:
            out = [substitute(text, {axis: word}) for text in out for word in AXES[axis]]
            out = list(dict.fromkeys(out))[:64]
    return out


def width(row: Row) -> str:
    """Bits of the datum a pattern works on (an access: all of it; a product: a thread's part of A), "variable" where
    that differs or there is none."""
    found = {_width(text) for text in texts(row)}
    return found.pop() if len(found) == 1 else "variable"


def _width(text: str) -> str:
    main = text.split(";")[-1].strip()
    if row := re.match(r"(w?mma|wgmma|tcgen05|ldmatrix|stmatrix)", main):
        lists = _LIST.findall(main)
        pick = 1 if row[1].endswith("mma") and len(lists) > 1 else 0
        bits = 32 * int(lists[pick]) if lists else 32 if "{$" in main else 0
        return {0: "variable", 32: "32", 64: "64"}.get(bits, "128")
    types = _TYPE.findall(main.partition(" ")[0])
    if not types:
        return "variable"
    bits = int(types[0 if main.startswith(("cvt", "mul.wide", "mad.wide")) else -1][0])
    bits *= 2 if types[-1][1] else 1
    if vector := _VECTOR.search(main):
        bits *= int(vector[1])
    return "128" if bits >= 128 else str(bits)


def forms(row: Row) -> int:
    """PTX spellings that a pattern's axes make."""
    count = 1
    for axis in dict.fromkeys(_FIELD.findall(row.tree)):
        count *= len(AXES[axis])
    return count


def special() -> list[Row]:
    """The view that the document counts as a category of its own."""
    from minicc.isel.patterns.special import ROWS

    return ROWS


def counts(keep: Callable[[Row], bool] = lambda row: True) -> dict[str, dict[str, int]]:
    """Patterns by category (special: those of the others that it shows), by width, and by SM, cumulatively."""
    rows = list(filter(keep, all_rows()))
    category = {name: sum(map(keep, rows_of(name))) for name in CATEGORIES} | {"special": sum(map(keep, special()))}
    widths = Counter(map(width, rows))
    sms = {sm: sum(1 for row in rows if row.sm <= int(sm)) for sm in DOCUMENT["sm"]}
    sms["all"] = len(rows)
    return {
        "category": category,
        "width": {name: widths[name] for name in DOCUMENT["width"]},
        "sm": sms,
        "introduced": dict(sorted((str(sm), n) for sm, n in Counter(row.sm for row in rows).items())),
    }


def _open(name: str, table: OpenTable, keys: list[int]) -> dict[str, Any]:
    probes = [table.probes(key) for key in keys]
    return {
        "table": name,
        "slots": table.capacity,
        "bytes": table.record.size,
        "used": table.used,
        "load": round(table.used / table.capacity, 3),
        "probes": round(sum(probes) / len(probes), 2),
        "longest": max(probes),
    }


def tables(sm: int = 90) -> list[dict[str, Any]]:
    """The three tables as the whole database fills them: slots, used, load, mean and longest probe sequence."""
    base = Database(sm, everything=True)
    keys = list(dict.fromkeys(key for row in all_rows() for key in signatures(root(row.tree))))
    chains = [length for length in base.tertiary.chains() if length]
    return [
        _open("primary", base.primary, keys),
        _open("secondary", base.secondary, sorted(set(base.masks))),
        {
            "table": "tertiary",
            "slots": len(base.tertiary.heads),
            "bytes": 24,
            "used": base.tertiary.used,
            "load": round(base.tertiary.used / len(base.tertiary.heads), 3),
            "probes": round(sum(n * (n + 1) / 2 for n in chains) / sum(chains), 2),
            "longest": max(chains),
        },
    ]


def contents(name: str, sm: int = 90) -> list[dict[str, Any]]:
    """Every record of a table, in the order of slots (of the chained one, of buckets): where its key would be and how
    many slots are looked at until it is found, and what the record says."""
    base = Database(sm, everything=True)
    if name == "tertiary":
        return [
            {
                "slot": bucket,
                "probe": place,
                "key": key,
                "class": base.names[key >> 14],
                "sm": since_sm,
                "mantissa": mantissa,
                "exponent": exponent,
                "cost": mantissa * 2.0**exponent,
            }
            for bucket in range(len(base.tertiary.heads))
            for place, (mantissa, exponent, since_sm, _, key) in enumerate(base.tertiary.chain(bucket), 1)
        ]
    table: OpenTable = base.primary if name == "primary" else base.secondary
    uses = Counter(base.masks)
    out = []
    for slot, home, fields in table.entries():
        probe = (slot - home) % table.capacity + 1
        record: dict[str, Any] = {"slot": slot, "home": home, "probe": probe, "key": fields[0]}
        if name == "primary":
            _, first, issue, latency, least, count, family, _ = fields
            record |= {"operation": root(base.rows[first].tree), "patterns": count, "sm": least}
            record |= {"class": base.names[family], "latency": latency, "issue": issue, "first": base.rows[first].tree}
        else:
            record |= {"type": WORDS[code - 1] if (code := fields[0] >> 28 & 15) else "any"}
            record |= {"operands": operands(fields[0]), "patterns": uses[fields[0]]}
        out.append(record)
    return out


def operations() -> list[str]:
    """Roots of all patterns, as they are written in the rows."""
    return list(dict.fromkeys(root(row.tree) for row in all_rows()))


def search(words: list[str], keep: Callable[[Row], bool] = lambda row: True) -> list[tuple[str, Row]]:
    """(category, pattern) of those whose tree, template or cost class contains all words."""
    return [
        (category, row)
        for category in CATEGORIES
        for row in rows_of(category)
        if keep(row) and all(word in f"{row.tree} {row.template} {row.cost}" for word in words)
    ]


def classes(row: Row) -> list[str]:
    """Constraint classes of a pattern's operands, in order."""
    return operands(operand_mask(row.tree))
