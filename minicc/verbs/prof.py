"""`minicc prof FILE`: launch as the file's `//!` lines say and print what Nsight Compute would."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from minicc.diagnostics import EXIT_SOURCE, fail
from minicc.output import write
from minicc.verbs import launching
from minicc.verbs.launching import Arguments

if TYPE_CHECKING:
    from runtime.profile.facts import Facts
    from runtime.profile.sections import Section

HELP = f"""Usage: minicc prof FILE [options] [compile options]

FILE is what minicc run takes. Its launches run on the SM model, and each one's profile is printed in the sections,
under the names and with the units of Nsight Compute (ncu). Kernels are compiled with -lineinfo.

{launching.HELP.format(devices="")}
  --section ID        only this section (repeat, or comma-separated; regex:PATTERN); see --list-sections
  --set SET           only the sections of ncu's basic, detailed, full, roofline; beside --section all of both
  --metrics A,B       only these metrics (regex:PATTERN takes all that match); see --query-metrics
  --page PAGE         details (default), raw (every metric), source (every line and instruction)
  --csv               ncu's CSV layout of the page
  --print-units HOW   auto (default) or base
  -s, --launch-skip N    leave out the first N launches      -c, --launch-count N   profile at most N
  -k, --kernel-name RE   profile only kernels whose name matches
  --peak-bandwidth B  GB/s that the Floor and LittlesLaw sections hold the kernel to (default: the machine's)
  --timeline FILE     what every warp, pipe and memory access of an SM did, as FILE.json (Perfetto, chrome://tracing)
                      or FILE.svg; --timeline-sm N (default 0), --timeline-first CYCLE (0),
                      --timeline-cycles N (20000; 0: to the end)
  --picture FILE.svg  occupancy and warp states, drawn          --roofline FILE.svg the roofline
  --html FILE         one page with all of it: findings, pictures, sections, source and machine code by cost
  --json              all of it as JSON                         --log-file FILE   the text into a file
  --explain METRIC    what a metric, section or warp state means
  --list-sections     --list-sets     --query-metrics

ncu's options that say how to measure (--clock-control, --target-processes, --replay-mode ...) are taken; nothing here
depends on them.

Examples:
  minicc prof samples/sgemm_tiled.k
  minicc prof samples/sgemm_tiled.k --page source
  minicc prof samples/spmv_merge.k --section WarpStateStats,CpiStack,LittlesLaw
  minicc prof samples/vadd.k --metrics gpc__cycles_elapsed.max,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum --csv
  minicc prof samples/dot.k --timeline dot.json --timeline dot.svg
  minicc prof --explain long_scoreboard
"""

_VALUES = (
    *launching.VALUES, "section", "metrics", "page", "print-units", "launch-skip", "launch-count", "kernel-name",
    "peak-bandwidth", "timeline", "timeline-sm", "timeline-first", "timeline-cycles", "picture", "roofline", "html",
    "explain", "log-file", "export",
)  # fmt: skip
_TAKEN_VALUES = (
    "apply-rules", "cache-control", "check-exit-code", "clock-control", "graph-profiling", "import-source",
    "kernel-name-base", "print-details", "profile-from-start", "replay-mode", "source-folders", "target-processes",
)  # fmt: skip
_TAKEN_FLAGS = ("call-stack", "details-all", "force-overwrite", "nvtx", "quiet", "verbose")
"""ncu's options that change nothing here."""
_PICTURES = {"timeline": (".json", ".svg"), "picture": (".svg",), "roofline": (".svg",)}
"""What is drawn, and the endings of its files."""
_WINDOW = (("sm", 0), ("first", 0), ("cycles", 20_000))
_SHORT = {"s": "launch-skip", "c": "launch-count", "k": "kernel-name", "f": "force-overwrite", "o": "export"}
_FLAGS = ("csv", "help", "list-sections", "list-sets", "query-metrics")


def main(words: list[str]) -> int:
    """The verb. `words` is the command line after `prof`."""
    arguments = launching.arguments(words, (*_VALUES, *_TAKEN_VALUES), (*_FLAGS, *_TAKEN_FLAGS), _SHORT)
    if "help" in arguments.flags or "-h" in words or not words:
        print(HELP, end="")
        return 0 if words else EXIT_SOURCE
    if name := arguments.last("explain"):
        return _explain(name)
    as_json = "--json" in words or "-json" in words
    if "list-sections" in arguments.flags:
        return _list_sections(as_json)
    if "list-sets" in arguments.flags:
        return _list_sets(as_json)
    if "query-metrics" in arguments.flags:
        return _query(as_json)
    page = arguments.last("page", "details")
    if page not in ("details", "raw", "source"):
        fail("cli.bad-value", f"Value '{page}' is not details, raw or source for '--page'")
    units = arguments.last("print-units", "auto")
    if units not in ("auto", "base"):
        fail("cli.bad-value", f"Value '{units}' is not auto or base for '--print-units'")
    for option, ends in _PICTURES.items():
        for path in arguments.values.get(option, []):
            if path != "-" and not path.endswith(ends):
                fail("cli.bad-value", f"'--{option} {path}' must end in {' or '.join(ends)}")
    if "export" in arguments.values:
        fail(
            "cli.no-output",
            "minicc prof makes nothing for -o; --html FILE is one page with all of it, --json for programs",
        )
    sections = _sections(arguments)
    if arguments.last("device", "sm_90").startswith("cuda"):
        fail("prof.device", "minicc prof looks into the SM model; on a GPU, use ncu with minicc run --device cuda:0")
    if "timeline" in arguments.values:
        again = _record(arguments, words)
        if again is not None:
            return again
    session = launching.perform(arguments, "prof", ["-lineinfo"], count_bytes=True)
    from runtime.profile.facts import gather

    records = _chosen(session.outcome.launches, arguments)
    sizes = dict(zip(map(id, session.outcome.launches), session.footprints, strict=True))
    launches = [gather(record.result, sizes[id(record)]) for record in records]
    _draw(arguments, launches)
    if session.request.has("json"):
        from runtime.profile.report import plain

        print(json.dumps({"schema": 1, "file": session.name, "launches": [plain(f) for f in launches]}))
    else:
        text = _text(arguments, launches, sections, page, units == "base")
        if log := arguments.last("log-file"):
            write(log, text)
        else:
            print(text, end="")
    for check in session.outcome.checks:
        if not check.ok:
            print(f"minicc prof: check {check.name} failed; the profile is of a kernel that is wrong", file=sys.stderr)
    return 0 if session.outcome.ok else EXIT_SOURCE


def _matching(names: list[str], wanted: list[str], what: str) -> list[str]:
    """`wanted` names (comma-separated, or regex:PATTERN) among `names`, in their order."""
    found: list[str] = []
    for text in ",".join(wanted).split(",") if wanted else ():
        if text.startswith("regex:"):
            try:
                pattern = re.compile(text[6:])
            except re.error as error:
                fail("cli.bad-value", f"'{text[6:]}' is no regular expression: {error}")
            matches = [name for name in names if pattern.search(name)]
        else:
            matches = [name for name in names if name == text]
        if not matches:
            import difflib

            near = difflib.get_close_matches(text, names, 1)
            every = "--list-sections" if what == "section" else "--query-metrics"
            hint = f"; did you mean '{near[0]}'?" if near else f"; see minicc prof {every}"
            fail("prof.unknown", f"no {what} '{text}'{hint}")
        found += [name for name in matches if name not in found]
    return found


def _sections(arguments: Arguments) -> tuple[Section, ...]:
    """What --section and --set name, all that need not be asked for if nothing does. Takes the sets out of the
    arguments: to the script, --set NAME=EXPRESSION is an assignment."""
    from runtime.profile.sections import SECTIONS, SETS

    given = arguments.values.get("set", [])
    sets = [name for name in given if "=" not in name]
    for name in sets:
        if name not in SETS:
            fail("cli.bad-value", f"'--set {name}' must read NAME=EXPRESSION, or name a set: {', '.join(SETS)}")
    arguments.values["set"] = [text for text in given if "=" in text]
    wanted = arguments.values.get("section", [])
    if not wanted and not sets:
        return tuple(section for section in SECTIONS if section.basic)
    names = _matching([section.name for section in SECTIONS], wanted, "section")
    names += [name for of in sets for name in SETS[of] if name not in names]
    return tuple(section for name in names for section in SECTIONS if section.name == name)


def _chosen(records: list[Any], arguments: Arguments) -> list[Any]:
    first, count = arguments.number("launch-skip", 0), arguments.number("launch-count", 0)
    if name := arguments.last("kernel-name"):
        try:
            pattern = re.compile(name.removeprefix("regex:"))
        except re.error as error:
            fail("cli.bad-value", f"'{name}' is no regular expression: {error}")
        records = [record for record in records if pattern.search(record.kernel)]
    records = records[first : first + count if count else None]
    if not records:
        fail("prof.no-launch", "no launch is left to profile")
    return records


def _text(arguments: Arguments, launches: list[Facts], sections: tuple[Section, ...], page: str, base: bool) -> str:
    from runtime.profile import metrics, ncu_csv
    from runtime.profile.sections import details, together
    from runtime.profile.units import dims, scaled, table

    csv = "csv" in arguments.flags
    wanted = arguments.values.get("metrics", [])
    if wanted or page == "raw":
        known = sorted({name for f in launches for name in metrics.values(f)})
        extra = [n for n in ",".join(wanted).split(",") if n not in known and metrics.meaning(n) is not None]
        names = _matching(sorted({*known, *extra}), wanted, "metric") if wanted else known
        if csv:
            return ncu_csv.raw(launches, base, names) if page == "raw" else ncu_csv.chosen(launches, names, base)
        out = []
        for f in launches:
            found = metrics.values(f, names)
            rows: list[tuple[str, ...]] = [("Metric Name", "Metric Unit", "Metric Value")]
            for name in names:
                value, unit = scaled(found.get(name, 0.0), metrics.unit(name), base)
                rows.append((name, unit, value))
            out += table(f"{f.demangled} ({dims(f.grid)})x({dims(f.block)})", rows, "llr", head=True)
        return "\n".join(out) + "\n"
    if page == "source" and csv:
        return "".join(ncu_csv.source(f) for f in launches)
    if page == "source":
        from runtime.profile.source import sass_view, source_view

        lines = []
        for f in launches:
            lines += [f"{f.demangled} ({dims(f.grid)})x({dims(f.block)})", "", *source_view(f), *sass_view(f)]
        return "\n".join(lines) + "\n"
    if csv:
        return ncu_csv.details(launches, sections, base)
    single = tuple(section for section in sections if section.extra is not None or section.rows)
    text = "\n".join(details(f, single, base) for f in launches) if single else ""
    rest = together(launches, sections, float(arguments.number("peak-bandwidth", 0)))
    return f"{text}\n{rest}" if text and rest else text + rest


def _record(arguments: Arguments, words: list[str]) -> int | None:
    """Have the engine keep its issues. It is compiled with or without that, so a process that has the other one hands
    over to a new one, whose status is returned."""
    window = [arguments.number(f"timeline-{name}", default) for name, default in _WINDOW]
    asked = {**os.environ, "MINICC_RECORD": ",".join(map(str, window))}
    loaded = sys.modules.get("runtime.device.sm.language.jit")
    if loaded is not None and not loaded.RECORDING:
        import subprocess

        return subprocess.run([sys.executable, "-m", "minicc", "prof", *words], env=asked).returncode
    os.environ.update(asked)
    return None


def _draw(arguments: Arguments, launches: list[Facts]) -> None:
    """The pictures that were asked for; timelines are of the first launch profiled."""
    from runtime.profile import timeline

    sm = arguments.number("timeline-sm", 0)
    for path in arguments.values.get("timeline", []):
        if not timeline.issues(launches[0]):
            fail("prof.no-timeline", f"SM {sm} issued nothing in the cycles asked for")
        make = timeline.trace if path.endswith(".json") else timeline.picture
        write(path, make(launches[0], sm))
    for path in arguments.values.get("picture", []):
        write(path, timeline.states_picture(launches))
    for path in arguments.values.get("html", []):
        from runtime.profile import page

        write(path, page.page(launches))
    for path in arguments.values.get("roofline", []):
        from runtime.profile import roofline

        write(path, roofline.picture(launches))


def _explain(name: str) -> int:
    from runtime.profile import metrics
    from runtime.profile.meaning import STATES
    from runtime.profile.sections import SECTIONS

    if name in STATES:
        name = f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio"
    for section in SECTIONS:
        if section.name.lower() == name.lower():
            print(f"{section.name}: {section.title}")
            for label, metric in section.rows:
                known = metrics.meaning(metric)
                print(f"  {label} = {metric}\n      {known.text if known else ''}")
            return 0
    labels = {label.lower(): metric for section in SECTIONS for label, metric in section.rows}
    name = labels.get(name.lower(), name)
    known = metrics.meaning(name)
    if known is None:
        fail("prof.unknown", f"no metric, section or warp state '{name}'; see minicc prof --query-metrics")
    print(f"{name}{f' [{known.unit}]' if known.unit else ''}\n  {known.text}")
    if known.advice:
        print(f"  {known.advice}")
    return 0


def _list_sections(as_json: bool) -> int:
    from runtime.profile.sections import SECTIONS

    if as_json:
        found = [{"name": s.name, "title": s.title, "default": s.basic} for s in SECTIONS]
        print(json.dumps({"schema": 1, "sections": found}))
        return 0
    for section in SECTIONS:
        print(f"{section.name:32} {section.title}{'' if section.basic else ' (ask for it)'}")
    return 0


def _list_sets(as_json: bool) -> int:
    from runtime.profile.sections import SETS

    if as_json:
        print(json.dumps({"schema": 1, "sets": SETS}))
        return 0
    for name, sections in SETS.items():
        print(f"{name:10} {', '.join(sections)}")
    return 0


def _query(as_json: bool) -> int:
    from runtime.profile.meaning import FAMILIES, METRICS

    if as_json:
        found = [{"name": name, "unit": m.unit, "text": m.text} for name, m in METRICS.items()]
        print(json.dumps({"schema": 1, "metrics": found, "families": [pattern.pattern for pattern, _ in FAMILIES]}))
        return 0
    for name, meaning in METRICS.items():
        print(f"{name}{f' [{meaning.unit}]' if meaning.unit else ''}: {meaning.text}")
    print("\nFamilies:")
    print("  and of every sum: .avg, and of both .per_second, .per_cycle_active, .per_cycle_elapsed")
    for pattern, _ in FAMILIES:
        print(f"  {re.sub(r'[(][?]P<([a-z]+)>', r'<', pattern.pattern).replace(chr(92), '').replace(')', '>')}")
    return 0
