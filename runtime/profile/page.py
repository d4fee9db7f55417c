"""A profile as one HTML page that needs nothing else: findings, pictures, sections, source lines and machine code
shaded by what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from runtime.profile import metrics, roofline, sections, timeline
from runtime.profile.facts import Facts, Hot
from runtime.profile.meaning import STATES
from runtime.profile.rules import findings
from runtime.profile.source import by_line, live_registers
from runtime.profile.units import dims, number

_STYLE = """
body { font: 14px system-ui, sans-serif; margin: 2em auto; max-width: 1200px; padding: 0 1em; color: #222 }
h2 { margin-top: 2em; border-bottom: 2px solid #4269d0 } h3 { margin-bottom: .3em }
pre, td.code { font: 12px ui-monospace, monospace; white-space: pre }
table { border-collapse: collapse } td, th { padding: 1px 8px; text-align: right; vertical-align: top }
th { background: #eee; position: sticky; top: 0 } td.code, th.code { text-align: left }
li { margin: .4em 0 } details { margin: .6em 0 } summary { cursor: pointer; font-weight: 600 }
"""
_KEY = "stall_"


def _shade(share: float) -> str:
    """Background of a row that takes `share` of all cycles."""
    return f"background: rgba(255,114,92,{min(1.0, share**0.5):.2f})" if share > 0.001 else ""


def _mix(counters: dict[str, float]) -> str:
    """The states at a place as text, the largest first, for the pointer to rest on."""
    found = [(v, k[len(_KEY) :]) for k, v in counters.items() if k.startswith(_KEY) and v]
    total = sum(v for v, _ in found) or 1.0
    found.sort(reverse=True)
    return "&#10;".join(f"{100 * v / total:.0f} % {name}: {escape(STATES[name][0])}" for v, name in found[:6])


def _row(cells: Sequence[str], code: str, share: float, counters: dict[str, float]) -> str:
    inside = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr style="{_shade(share)}" title="{_mix(counters)}">{inside}<td class="code">{escape(code)}</td></tr>'


def _source(f: Facts, total: float) -> list[str]:
    places = by_line(f)
    out = []
    for file in dict.fromkeys(place.file for place in places if place.line):
        out += [f"<h3>{escape(file)}</h3>", "<table><tr><th>line</th><th>executed</th><th>cycles</th>"]
        out.append('<th class="code">source</th></tr>')
        for place in places:
            if place.file == file and place.line:
                executed = number(place.counters.get("inst_executed", 0.0))
                share = place.samples / total
                cells = (str(place.line), executed, f"{100 * share:.1f} %")
                out.append(_row(cells, place.text, share, place.counters))
        out.append("</table>")
    return out


def _code(f: Facts, total: float) -> list[str]:
    live = live_registers(f)
    out = ["<table><tr><th>offset</th><th>line</th><th>live</th><th>executed</th><th>lanes</th><th>cycles</th>"]
    out.append('<th class="code">instruction</th></tr>')

    def cells(row: Hot) -> tuple[str, ...]:
        lanes = f"{row.threads / row.executed:.1f}" if row.executed else ""
        line, share = str(row.line or ""), f"{100 * row.samples / total:.1f} %"
        return (f"0x{row.offset:04x}", line, str(live.get(row.offset, "")), number(row.executed), lanes, share)

    out += [_row(cells(row), row.text, row.samples / total, row.counters) for row in f.instructions]
    return [*out, "</table>"]


def _launch(f: Facts) -> list[str]:
    out = metrics.values(f)
    total = sum(row.samples for row in f.instructions) or 1.0
    lines = [f"<h2>{escape(f.demangled)} ({dims(f.grid)})x({dims(f.block)})</h2>", "<ul>"]
    lines += [f"<li><b>{finding.rule}</b> {escape(finding.text)}</li>" for finding in findings(f, out)]
    lines.append("</ul>")
    if f.outcome.cycles:
        lines += [timeline.states_picture([f]), roofline.picture([f])]
    for section in sections.SECTIONS:
        if (section.timed and not f.outcome.cycles) or section.name == "SourceCounters":
            continue
        body = sections.body(section, f, out)
        if section.together is not None:
            body = section.together([f], 0.0)
        if body:
            shown = " open" if section.name in ("SpeedOfLight", "WarpStateStats") else ""
            text = escape("\n".join(body).rstrip())
            lines.append(f"<details{shown}><summary>{section.title}</summary><pre>{text}</pre></details>")
    lines += [f"<details open><summary>Source</summary>{''.join(_source(f, total))}</details>"]
    lines += [f"<details><summary>Machine code</summary>{''.join(_code(f, total))}</details>"]
    return lines


def page(launches: Sequence[Facts]) -> str:
    """The page of these launches."""
    title = f"Profile of {launches[0].demangled.split('(')[0]}"
    lines = ["<!doctype html>", '<html lang="en"><head><meta charset="utf-8">']
    lines += [f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>", f"<h1>{escape(title)}</h1>"]
    lines.append(f"<p>{escape(launches[0].device)}; rest the pointer on a line to see what its warps waited for.</p>")
    for f in launches:
        lines += _launch(f)
    return "\n".join([*lines, "</body></html>"]) + "\n"
