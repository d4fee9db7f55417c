"""docs/accuracy.md and its picture, from what an H200 measured and what the model gives.

    python -m tests.gpu.accuracy_page DOCS                           the page, from tests/gpu/data
    python -m tests.gpu.accuracy_page --pack NAME RUN PLANS MODEL    data/NAME.json from ncu's CSV files and the model

The micro-benchmarks are run on the model anew. The kernels of "validation" and "blind" are others' code, which is not
kept here: their model figures are those of the last `--pack`, in which RUN/ncu_nvcc*.csv, RUN/ncu_ours*.csv are of the
plans PLANS/nvcc*.json, PLANS/ours*.json, and MODEL/nvcc*.json, MODEL/ours*.json come from `tests.gpu.compare model`.
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

from tests.gpu import compare, programs
from tests.gpu.micro.plan import IMAGES, plans
from tests.gpu.validation.found import half

DATA = Path(__file__).parent / "data"
CYCLES = compare.CYCLES
COLORS = {
    "micro-benchmarks": "#9aa0a6",
    "validation, nvcc": "#1a73e8",
    "validation, ours": "#d93025",
    "blind, nvcc": "#188038",
    "blind, ours": "#f9ab00",
}
KEEP = (
    CYCLES,
    "sm__cycles_active.avg",
    "smsp__inst_executed.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "lts__t_sectors_srcunit_tex.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "smsp__average_warp_latency_per_inst_issued.ratio",
)
LATER = ("fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth")
UNSEEN = {"second": "unseen"} | {name: f"unseen{n}" for n, name in enumerate(LATER, 4)}
"""The later sets, and the files that have them."""
NEWEST = LATER[-1]
COUNTED_AGAIN = {(name, "nvcc") for name in ("second", *LATER)} | {(name, "ours") for name in LATER[1:]}
"""Of these the model's columns are of the latest model."""
Pair = tuple[str, float, float]
"""Label, cycles of the H200, cycles of the model."""


def same_work(row: dict[str, float], modelled: dict[str, float]) -> bool:
    """Whether both executed the same instructions, nearly: in a few kernels the path depends on who wins a race."""
    executed = "smsp__inst_executed.sum"
    return abs(modelled[executed] / row[executed] - 1) < 0.03


def pack(name: str, run: Path, folder: Path, model: Path) -> None:
    """tests/gpu/data/NAME.json, from `run`: ncu's CSV files and device.json of `seen`. A plan whose process ended early
    has fewer rows than launches."""
    out: dict[str, Any] = json.loads((run / "device.json").read_text())
    for variant in ("nvcc", "ours"):
        rows = out[variant] = {}
        for plan in sorted(folder.glob(f"{variant}*.json")):
            measured = compare.read_ncu(run / f"ncu_{plan.stem}.csv")
            modelled = json.loads((model / plan.name).read_text())["launches"]
            for label, row in zip(compare.labels(programs.plan(plan)), measured, strict=False):
                if label in modelled and same_work(row, modelled[label]):
                    rows[label] = {
                        "h200": {k: row[k] for k in KEEP if k in row},
                        "model": {k: round(modelled[label][k], 3) for k in KEEP if k in modelled[label]},
                    }
    (DATA / f"{name}.json").write_text(json.dumps(out, indent=0))


def micro(names: tuple[str, ...] = tuple(plans())) -> dict[str, list[Pair]]:
    """The micro-benchmarks of some plans on the model, beside the record."""
    record = json.loads((DATA / "micro.json").read_text())["launches"]
    out: dict[str, list[Pair]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for image in IMAGES:
            data = lzma.decompress((DATA / "micro" / f"{image}.cubin.xz").read_bytes())
            (folder / f"micro_{image}.cubin").write_bytes(data)
        for plan in names:
            (folder / f"{plan}.json").write_text(json.dumps(plans()[plan]))
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
        for label, h, m in pairs:
            parts.append(
                f'<circle cx="{at(h):.1f}" cy="{size - at(m):.1f}" r="3" fill="{COLORS[group]}" fill-opacity="0.6">'
                f"<title>{label.replace('&', '+').replace('<', '(')}: {h:.0f}, model {m:.0f}</title></circle>"
            )
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


def page(docs: Path) -> None:
    """Write accuracy.md and accuracy.svg."""
    calibration = micro()
    record = json.loads((DATA / "validation.json").read_text())
    pairs = {
        v: [(k, row["h200"][CYCLES], row["model"][CYCLES]) for k, row in record[v].items()] for v in ("nvcc", "ours")
    }
    unseen = json.loads((DATA / "blind.json").read_text())
    blind = {
        (v, which): [(k, x["h200"][CYCLES], x["model"][CYCLES]) for k, x in unseen[v].items() if half(k) == which]
        for v in ("nvcc", "ours")
        for which in ("open", "closed")
    }
    sets = {name: json.loads((DATA / f"{file}.json").read_text()) for name, file in UNSEEN.items()}
    later = {
        (name, v, when): [
            # Some were measured again later, five times.
            (k, (x["h200"] if when == "first" else x.get("again", x["h200"]))[CYCLES], x[when][CYCLES])
            for k, x in rows[v].items()
        ]
        for name, rows in sets.items()
        for v in ("nvcc", "ours")
        for when in (("first", "model") if (name, v) in COUNTED_AGAIN else ("first",))
    }
    groups = {
        "micro-benchmarks": [p for rows in calibration.values() for p in rows],
        "validation, nvcc": pairs["nvcc"],
        "validation, ours": pairs["ours"],
        "blind, nvcc": blind["nvcc", "open"] + blind["nvcc", "closed"],
        "blind, ours": blind["ours", "open"] + blind["ours", "closed"],
    }
    (docs / "accuracy.svg").write_text(picture(groups))
    lines = [(Path(__file__).parent / "accuracy_text.md").read_text()]
    head = "| launches | mean abs. error | median | 90 % below | mean error |"
    lines += ["## Summary\n", f"| set {head}", "|---|---|---|---|---|---|"]
    lines += [f"| calibration: {plan} | {quantiles(rows)} |" for plan, rows in calibration.items()]
    lines += [f"| validation: {v} | {quantiles(rows)} |" for v, rows in pairs.items()]
    lines += [f"| unseen, {which} half: {v} | {quantiles(rows)} |" for (v, which), rows in blind.items()]
    for (name, v, when), rows in later.items():
        lines += [f"| {name} unseen set, {'as first counted' if when == 'first' else 'now'}: {v} | {quantiles(rows)} |"]
    lines += ["", "![model against H200](accuracy.svg)", ""]
    for variant in ("nvcc", "ours"):
        lines += [f"## Validation kernels, compiled by {'nvcc' if variant == 'nvcc' else 'minicc'}\n"]
        lines += ["Sectors and bytes are the model's over the H200's; *long* is the share of long-scoreboard stalls.\n"]
        lines += [
            "| kernel, grid, block | cycles H200 | model | error | L1 hits | L2 reads | DRAM read | long H200 | model |"
        ]
        lines += ["|---|---|---|---|---|---|---|---|---|"]
        for name, row in record[variant].items():
            h, m = row["h200"], row["model"]

            def ratio(key: str, h: Any = h, m: Any = m) -> str:
                return f"{m.get(key, 0) / h[key]:.2f}" if h.get(key) else "-"

            def share(side: Any) -> str:
                total = side.get(KEEP[11])
                return f"{100 * side.get(KEEP[10], 0) / total:.0f} %" if total else "-"

            lines += [
                f"| {name} | {h[CYCLES]:.0f} | {m[CYCLES]:.0f} | {100 * (m[CYCLES] / h[CYCLES] - 1):+.1f} % "
                f"| {ratio(KEEP[4])} | {ratio(KEEP[5])} | {ratio('dram__bytes_read.sum')} | {share(h)} | {share(m)} |"
            ]
        lines += [""]
    lines += [f"## Kernels that nobody had looked at (the {NEWEST} set, as first counted)\n"]
    lines += ["Cycles on the H200, the model's, and the error, for nvcc's code and for minicc's.\n"]
    lines += ["| kernel, grid, block | H200 | model | error | H200 | model | error |", "|---|---|---|---|---|---|---|"]
    ours = {k: (h, m) for k, h, m in later[NEWEST, "ours", "first"]}
    for name, h, m in later[NEWEST, "nvcc", "first"]:
        other = "- | - | -"
        if name in ours:
            x, y = ours[name]
            other = f"{x:.0f} | {y:.0f} | {100 * (y / x - 1):+.1f} %"
        lines += [f"| {name} | {h:.0f} | {m:.0f} | {100 * (m / h - 1):+.1f} % | {other} |"]
    lines += [""]
    worst = sorted(groups["micro-benchmarks"], key=lambda p: -abs(p[2] / p[1] - 1))[:12]
    lines += ["## The worst micro-benchmarks\n", "| launch | cycles H200 | model | error |", "|---|---|---|---|"]
    lines += [f"| {k} | {h:.0f} | {m:.0f} | {100 * (m / h - 1):+.0f} % |" for k, h, m in worst]
    (docs / "accuracy.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if sys.argv[1] == "--pack":
        pack(sys.argv[2], *(Path(a) for a in sys.argv[3:6]))
    else:
        page(Path(sys.argv[1]))
