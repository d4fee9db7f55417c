"""`minicc patterns`: browse, search and count the pattern database of instruction selection."""

from __future__ import annotations

import json
from typing import Any

from minicc import arch as archs
from minicc.diagnostics import fail

USAGE = """Usage: minicc patterns [WORD...] [options]

Without words: how many patterns there are, by category, width and SM, and how full the three tables are. With words:
the patterns whose tree, template or cost class contains all of them: the tree of operations that one covers, the PTX
that it becomes, and what it costs, (latency + 3 issue) / 100. docs/isel.md says how a row is read.

  --category NAME   only arithmetic, bitwise, floating, convert, memory, control, tensor or special
  --width BITS      only those on 8, 16, 32, 64 or 128 bits, or variable
  --op OPERATION    the candidates for a node of the DAG, in the order they are tried: add.i32, ld.global.f32, ...
  --table NAME      records of the primary, secondary or tertiary table by slot (words: of those lines that have them)
  -arch sm_XX       costs of that machine, and only what it has (default: sm_90, and all)
  --tensor          the tensor cores of each generation instead: instruction, latency, throughput, formats
  --json            as JSON

Examples:
  minicc patterns                       statistics and load factors
  minicc patterns lop3                  every row that becomes lop3
  minicc patterns --op add.i64          what may cover an addition
  minicc patterns --table primary add   where additions lie in the hash table, how far from their home slots
  minicc patterns --category tensor -arch sm_80
"""
_OPTIONS = ("--category", "--width", "--op", "--table", "-arch", "--arch")
_WIDTHS = ("8", "16", "32", "64", "128", "variable")
_TABLES = ("primary", "secondary", "tertiary")


def main(words: list[str]) -> int:
    """Print statistics, or the patterns asked for. Returns 1 if nothing matches."""
    values: dict[str, str] = {}
    rest: list[str] = []
    as_json = tensor = False
    at = 0
    while at < len(words):
        word, equals, value = words[at].partition("=")
        at += 1
        if word in ("-h", "--help"):
            print(USAGE, end="")
            return 0
        if word in ("--json", "-json"):
            as_json = True
        elif word == "--tensor":
            tensor = True
        elif word in _OPTIONS:
            if not equals:
                if at == len(words):
                    fail("cli.missing-value", f"Argument expected after '{word}'")
                value = words[at]
                at += 1
            values[word.lstrip("-")] = value
        elif word.startswith("-"):
            fail("cli.unknown-option", f"Unknown option '{word}'; see minicc patterns --help")
        else:
            rest.append(words[at - 1])
    if tensor:
        print(generations(as_json), end="")
        return 0
    if "table" in values:
        records = table(_one_of(_TABLES, values["table"], "table"), values.get("arch", "sm_90"), rest)
        print(_document("records", [record for record, _ in records]) if as_json else records_text(values, records))
        return 0 if records else 1
    if not rest and not values.keys() - {"arch"}:
        report = statistics(values.get("arch"))
        print(json.dumps({"schema": 1, **report}, indent=2) if as_json else render(report), end="\n" * as_json)
        return 0
    found = chosen(rest, values)
    print(_document("patterns", found) if as_json else listing(found), end="\n" * as_json)
    return 0 if found else 1


def _document(name: str, records: list[dict[str, Any]]) -> str:
    return json.dumps({"schema": 1, name: records}, indent=2)


def chosen(words: list[str], values: dict[str, str]) -> list[dict[str, Any]]:
    """The patterns that words and options leave, each as a record."""
    from minicc.isel.cover import cost as costs
    from minicc.isel.cover import statistics as stats
    from minicc.isel.cover.database import of, root, substitute, unify
    from minicc.isel.patterns import CATEGORIES, cost_of
    from minicc.isel.patterns.axes import AXES

    category = values.get("category")
    if category:
        _one_of((*CATEGORIES, "special"), category, "category")
    if "width" in values:
        _one_of(_WIDTHS, values["width"], "width")
    if "op" in values:
        _known(values["op"])
    arch = archs.get(values.get("arch", "sm_90"))
    base = of(arch)
    special = {row.tree for row in stats.special()}
    out = []
    for name, row in stats.search(words, base.has if "arch" in values else lambda row: True):
        if category and category != name and not (category == "special" and row.tree in special):
            continue
        wide = stats.width(row)
        if values.get("width", wide) != wide:
            continue
        if "op" in values and unify(root(row.tree), values["op"]) is None:
            continue
        first = substitute(row.cost, {axis: next(iter(texts)) for axis, texts in AXES.items()})
        latency, issue = cost_of(first, arch.sm)
        mantissa, exponent = costs.combine(latency, issue)
        out.append(
            {
                "tree": row.tree,
                "template": row.template,
                "category": name,
                "special": row.tree in special,
                "width": wide,
                "sm": f"{row.sm}{'a' if 'a' in row.flags.split() else ''}",
                "cost_class": first,
                "latency": latency,
                "issue": issue,
                "cost": mantissa * 2.0**exponent,
                "mantissa": mantissa,
                "exponent": exponent,
                "flags": row.flags,
                "forms": stats.forms(row),
                "constraints": stats.classes(row),
            }
        )
    return out


def _one_of(names: tuple[str, ...], value: str, what: str) -> str:
    if value not in names:
        fail("cli.bad-value", f"'{value}' is no {what}; there are {', '.join(names[:-1])} and {names[-1]}")
    return value


def _known(op: str) -> None:
    """Refuse an operation that no pattern has for its root; name those of its head."""
    from minicc.isel.cover import statistics as stats
    from minicc.isel.cover.database import heads, unify

    roots = stats.operations()
    if any(unify(name, op) is not None for name in roots):
        return
    alike = [name for name in roots if op.partition(".")[0] in heads(name)]
    hint = f"there are {', '.join(alike)}" if alike else "'minicc patterns WORD' searches"
    fail("cli.bad-value", f"no pattern covers an operation '{op}'; {hint}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def listing(found: list[dict[str, Any]]) -> str:
    """Text of a list of patterns."""
    lines = []
    for row in found:
        flags = f" [{row['flags']}]" if row["flags"] else ""
        width = f"{row['width']} bits" if row["width"] != "variable" else "any width"
        cost = f"{row['cost']:.3f} = ({row['latency']} + 3 * {row['issue']}) / 100"
        pair = f"({row['mantissa']:#x}, {row['exponent']})"
        lines += [
            row["tree"],
            f"    {row['template']}",
            f"    {row['category']}, {width}, sm_{row['sm']}, {_count(row['forms'], 'form')}{flags}; "
            f"cost {cost} {pair}, class {row['cost_class']}",
        ]
    return "\n".join([*lines, _count(len(found), "pattern"), ""])


def table(name: str, arch: str, words: list[str]) -> list[tuple[dict[str, Any], str]]:
    """Records of a table and the line of each, of those whose line has all words."""
    from minicc.isel.cover import statistics as stats

    out = []
    for record in stats.contents(name, archs.get(arch).sm):
        if name == "tertiary":
            pair = f"({record['mantissa']:#018x}, {record['exponent']})"
            rest = f"{record['class']:12} sm_{record['sm']:<4} {record['cost']:7.3f}  {pair}"
            line = f"  {record['slot']:6}  {record['probe']:5}  {record['key']:#010x}  {rest}"
        else:
            rest = (
                f"{record['patterns']:8}  sm_{record['sm']:<4} {record['first']}"
                if name == "primary"
                else f"{record['patterns']:8}  {record['type']:6} {', '.join(record['operands']) or 'none'}"
            )
            line = f"  {record['slot']:6}  {record['home']:4}  {record['probe']:5}  {record['key']:#018x}  {rest}"
        if all(word in line for word in words):
            out.append((record, line))
    return out


_HEADS = {
    "primary": "    slot  home  probe  signature           patterns  from    the first of them",
    "secondary": "    slot  home  probe  operand mask        patterns  type   classes of the operands",
    "tertiary": "  bucket  place  key         class        since      cost  (mantissa, exponent)",
}


def records_text(values: dict[str, str], records: list[tuple[dict[str, Any], str]]) -> str:
    """Text of a table's records."""
    return "\n".join([_HEADS[values["table"]], *(line for _, line in records), _count(len(records), "record")])


def generations(as_json: bool) -> str:
    """Tensor cores by generation."""
    import attrs

    from minicc.arch.tensor import GENERATIONS

    if as_json:
        return _document("generations", [attrs.asdict(found) for found in GENERATIONS]) + "\n"
    lines = ["  sm   name       instruction           shape      threads  latency  throughput  formats"]
    for g in GENERATIONS:
        rate = (
            f"{g.throughput[0]:g}-{g.throughput[1]:g}" if g.throughput[0] != g.throughput[1] else f"{g.throughput[0]:g}"
        )
        seen = f"; measured {g.measured[0]} cycles, every {g.measured[1]}" if g.measured else ""
        lines.append(
            f"  {g.sm:<4} {g.name:10} {g.instruction:21} {g.shape:10} {g.threads:7} {g.latency:8} {rate:>11}"
            f"  {' '.join(g.formats)}{' (sparse too)' if g.sparse else ''}{seen}"
        )
    return "\n".join(lines) + "\n"


def statistics(name: str | None) -> dict[str, Any]:
    """Counts, of what a machine has if one is named, and tables, with the document's figures."""
    from minicc.isel.cover import statistics as stats
    from minicc.isel.cover.database import all_rows, of

    arch = archs.get(name or "sm_90")
    keep = of(arch).has if name else lambda row: True
    rows = list(filter(keep, all_rows()))
    return {
        "patterns": len(rows),
        "forms": sum(map(stats.forms, rows)),
        "counts": stats.counts(keep),
        "document": stats.DOCUMENT,
        "tables": stats.tables(arch.sm),
    }


def render(report: dict[str, Any]) -> str:
    """Text of the statistics."""
    counts, document = report["counts"], report["document"]
    lines = [f"{report['patterns']} patterns, {report['forms']} forms of them", ""]
    for title, key in (("category", "category"), ("width", "width"), ("up to sm", "sm")):
        lines.append(f"  {title:12} patterns  document")
        for name, count in counts[key].items():
            given = document[key].get(name)
            lines.append(f"  {name:12} {count:8}  {given if given is not None else '':>8}")
        lines.append("")
    lines.append("  table       slots  bytes   used   load  document  mean probe  longest")
    for table in report["tables"]:
        given = document["load"][table["table"]] / 100
        lines.append(
            f"  {table['table']:10} {table['slots']:6} {table['bytes']:6} {table['used']:6} {table['load']:6.2f}"
            f"  {given:8.2f} {table['probes']:11.2f} {table['longest']:8}"
        )
    return "\n".join([*lines, ""])
