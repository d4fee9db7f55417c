"""docs/accuracy.md and its picture, from what an H200 measured and what the model gives.

    python -m tests.gpu.accuracy_page DOCS                 the page, from tests/gpu/data
    python -m tests.gpu.accuracy_page --kernels NAME       every kernel of data/NAME.json, as a table

The micro-benchmarks are run on the model anew. The other sets are others' code, which is not kept here: their figures
are those that `tests.gpu.errors` recorded. What stands before "## Figures" on the page stays as it is.
"""

from __future__ import annotations

import json
import lzma
import math
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.gpu import compare
from tests.gpu.micro.plan import IMAGES, plans
from tests.gpu.validation.found import half

DATA = Path(__file__).parent / "data"
WAYS = ("nvcc", "ours")
CYCLES = compare.CYCLES
COLORS = {
    "micro-benchmarks": "#9aa0a6",
    "validation, nvcc": "#1a73e8",
    "validation, ours": "#d93025",
    "last unseen set, nvcc": "#188038",
    "last unseen set, ours": "#f9ab00",
}
LATER = (
    *("fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth"),
    *("seventeenth", "eighteenth", "nineteenth", "twentieth", "twenty-first", "twenty-second", "twenty-third"),
    *("twenty-fourth", "twenty-fifth", "twenty-sixth", "twenty-seventh", "twenty-eighth"),
    *("twenty-ninth",),
)
UNSEEN = {"second": "unseen"} | {name: f"unseen{n}" for n, name in enumerate(LATER, 4)}
"""The later sets, and the files that have them."""
COUNTED_AGAIN = {(name, "nvcc") for name in ("second", *LATER)} | {(name, "ours") for name in LATER[1:]}
"""Of these the model's columns are of the latest model."""
Pair = tuple[str, float, float]
"""Label, cycles of the H200, cycles of the model."""


MANY = 60
"""More programs of a plan, or launches of a program, than this differ little from one to the next."""


def some(items: list[Any], every: int) -> list[Any]:
    return items[::every] if len(items) > MANY else items


def micro(names: tuple[str, ...] = tuple(plans()), every: int = 1) -> dict[str, list[Pair]]:
    """The micro-benchmarks of some plans on the model, beside the record; `every` 3: each third of what is MANY."""
    record = json.loads((DATA / "micro.json").read_text())["launches"]
    out: dict[str, list[Pair]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for image in IMAGES:
            data = lzma.decompress((DATA / "micro" / f"{image}.cubin.xz").read_bytes())
            (folder / f"micro_{image}.cubin").write_bytes(data)
        for plan in names:
            programs = some(plans()[plan], every)
            for program in programs:
                program["launches"] = some(program["launches"], every)
            (folder / f"{plan}.json").write_text(json.dumps(programs))
            if not any(label.startswith(f"{plan}/") for label in record):
                # Not measured yet.
                continue
            launches = compare.run_model(folder / f"{plan}.json", clocks=False)["launches"]
            out[plan] = [(k, record[f"{plan}/{k}"][CYCLES], row[CYCLES]) for k, row in launches.items()]
    return out


def error(pairs: list[Pair]) -> float:
    """Mean absolute error of cycles, in percent."""
    return 100 * statistics.fmean(abs(m / h - 1) for _, h, m in pairs)


def quantiles(pairs: list[Pair]) -> str:
    errors = sorted(100 * abs(m / h - 1) for _, h, m in pairs)
    mean_signed = 100 * statistics.fmean(m / h - 1 for _, h, m in pairs)
    middle, ninth = errors[len(errors) // 2], errors[int(len(errors) * 0.9)]
    return f"{len(errors)} | {statistics.fmean(errors):.1f} % | {middle:.1f} % | {ninth:.1f} % | {mean_signed:+.1f} %"


def picture(groups: dict[str, list[Pair]]) -> str:
    """A scatter plot, both axes logarithmic."""
    size, margin = 560, 60
    low, high = 3.4, 7.5

    def at(value: float) -> float:
        return margin + (math.log10(value) - low) / (high - low) * (size - 2 * margin)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" font-family="sans-serif">']
    parts.append(f'<rect width="{size}" height="{size}" fill="white"/>')
    for power in range(4, 8):
        x = at(10**power)
        parts.append(
            f'<path d="M{x:.1f} {margin}V{size - margin}M{margin} {size - x:.1f}H{size - margin}" stroke="#eee"/>'
        )
        parts.append(f'<text x="{x:.1f}" y="{size - margin + 18}" font-size="12" text-anchor="middle">1e{power}</text>')
        parts.append(f'<text x="{margin - 8}" y="{size - x + 4:.1f}" font-size="12" text-anchor="end">1e{power}</text>')
    a, b = at(10**low), at(10**high)
    parts.append(f'<path d="M{a:.1f} {size - a:.1f}L{b:.1f} {size - b:.1f}" stroke="black"/>')
    for group, pairs in groups.items():
        dots = "".join(f"M{at(h):.1f} {size - at(m):.1f}h0" for _, h, m in pairs)
        style = f'fill="none" stroke="{COLORS[group]}" stroke-width="6" stroke-linecap="round" stroke-opacity="0.6"'
        parts.append(f'<path d="{dots}" {style}/>')
    for n, group in enumerate(groups):
        y = margin + 16 * n
        parts.append(f'<circle cx="{margin + 12}" cy="{y}" r="4" fill="{COLORS[group]}"/>')
        parts.append(f'<text x="{margin + 22}" y="{y + 4}" font-size="12">{group}: {error(groups[group]):.1f} %</text>')
    middle = size / 2
    parts.append(f'<text x="{middle}" y="{size - 12}" font-size="13" text-anchor="middle">cycles on an H200</text>')
    parts.append(
        f'<text transform="translate(16 {middle}) rotate(-90)" font-size="13" text-anchor="middle">model</text>'
    )
    return "\n".join([*parts, "</svg>", ""])


def cycles(rows: dict[str, Any], when: str = "model") -> list[Pair]:
    """What the H200 and the model took; the H200 by later rounds, where there are any, but for the first count."""
    return [
        (k, (x["h200"] if when == "first" else x.get("again", x["h200"]))[CYCLES], x[when][CYCLES])
        for k, x in rows.items()
    ]


def recorded() -> dict[tuple[str, str, str], list[Pair]]:
    """Launches by set, whose code it is (nvcc, ours), and when the model's figures were made (first, model)."""
    out = {}
    blind, validation = (json.loads((DATA / f"{name}.json").read_text()) for name in ("blind", "validation"))
    for way in ("nvcc", "ours"):
        out["validation", way, "model"] = cycles(validation[way])
        for which in ("open", "closed"):
            rows = {k: x for k, x in blind[way].items() if half(k) == which}
            out[f"first, {which} half", way, "model"] = cycles(rows)
    for name, file in UNSEEN.items():
        data = json.loads((DATA / f"{file}.json").read_text())
        for way in ("nvcc", "ours"):
            out[name, way, "first"] = cycles(data[way], "first")
            if (name, way) in COUNTED_AGAIN:
                out[name, way, "model"] = cycles(data[way])
    return out


def brief(pairs: list[Pair] | None) -> str:
    """Mean, median and ninth decile of the errors."""
    if not pairs:
        return "-"
    errors = sorted(100 * abs(m / h - 1) for _, h, m in pairs)
    middle, ninth = errors[len(errors) // 2], errors[int(len(errors) * 0.9)]
    return f"{statistics.fmean(errors):.1f} ({middle:.1f}; {ninth:.1f})"


def summary(record: dict[tuple[str, str, str], list[Pair]]) -> list[str]:
    """A row for each set of kernels that nothing was fitted to."""
    lines = [
        "| set | launches | nvcc's code, as first counted | now | ours, as first counted | now |",
        "|---" * 6 + "|",
    ]
    for name in dict.fromkeys(name for name, _, _ in record):
        count = " + ".join(str(len(record.get((name, w, "first"), record.get((name, w, "model"), [])))) for w in WAYS)
        columns = [brief(record.get((name, way, when))) for way in WAYS for when in ("first", "model")]
        lines += [f"| {name} | {count} | {' | '.join(columns)} |"]
    return lines


def kernels(name: str) -> list[str]:
    """Every launch of a data file: cycles of nvcc's code and of ours on the H200 and on the model, as first counted."""
    data = json.loads((DATA / f"{name}.json").read_text())
    when = "first" if "first" in next(iter(data["nvcc"].values())) else "model"
    sides = [{k: (h, m) for k, h, m in cycles(data[way], when)} for way in WAYS]
    lines = ["| kernel, grid, block | nvcc: H200 | model | error | ours: H200 | model | error |", "|---" * 7 + "|"]
    for label in sides[0] | sides[1]:
        pairs = [side.get(label) for side in sides]
        found = [f"{p[0]:.0f} | {p[1]:.0f} | {100 * (p[1] / p[0] - 1):+.1f} %" if p else "- | - | -" for p in pairs]
        lines += [f"| {label} | {' | '.join(found)} |"]
    return lines


def page(docs: Path) -> None:
    """Write accuracy.md and accuracy.svg."""
    calibration, record = micro(), recorded()
    groups = {"micro-benchmarks": [p for rows in calibration.values() for p in rows]}
    for way in WAYS:
        groups[f"validation, {way}"] = record["validation", way, "model"]
        groups[f"last unseen set, {way}"] = record[LATER[-1], way, "first"]
    (docs / "accuracy.svg").write_text(picture({group: groups[group] for group in COLORS}))
    lines = [
        (docs / "accuracy.md").read_text().partition("## Figures\n")[0] + "## Figures\n",
        "Mean absolute error of cycles in percent (median; 90 % are below). The page begins with the last.\n",
    ]
    lines += [
        *summary(record),
        "",
        f"`python -m tests.gpu.accuracy_page --kernels {UNSEEN[LATER[-1]]}` lists the launches of a set.",
        "",
    ]
    lines += ["![model against H200](accuracy.svg)", ""]
    lines += ["| calibration | launches | mean abs. error | median | 90 % below | mean error |", "|---" * 6 + "|"]
    lines += [f"| {plan} | {quantiles(rows)} |" for plan, rows in calibration.items()]
    worst = sorted(groups["micro-benchmarks"], key=lambda p: -abs(p[2] / p[1] - 1))[:12]
    lines += ["", "The worst of them:", "", "| launch | cycles H200 | model | error |", "|---" * 4 + "|"]
    lines += [f"| {k} | {h:.0f} | {m:.0f} | {100 * (m / h - 1):+.0f} % |" for k, h, m in worst]
    (docs / "accuracy.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if sys.argv[1] == "--kernels":
        print("\n".join(kernels(sys.argv[2])))
    else:
        page(Path(sys.argv[1]))
