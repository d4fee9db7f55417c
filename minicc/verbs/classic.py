"""`minicc classic EXPERIMENT`: older machines, simulated from their descriptions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import attrs

from minicc.diagnostics import EXIT_SOURCE, fail
from minicc.output import write
from minicc.record import evolve
from minicc.verbs import check_runtime, launching
from minicc.verbs.launching import Arguments

HELP = """Usage: minicc classic EXPERIMENT [options]

Simulates machines that are described in minicc/arch/classic: Fermi (gf110), Kepler (gk104), and the textbook SM with
operand collectors. Nothing is compiled: programs are short streams of instructions.

  table2     throughput of an instruction by the banks of its registers          [--machine gk104]
  figure2    FFMA mixed with loads of shared memory, by their ratio              [--machine gf110]
  figure4    FFMA and LDS.64 at 6 to 1, by active threads                        [--machine gf110]
  figure8    register allocation of a 6x6 SGEMM and its bank conflicts           [--machine gk104]
  bounds     upper bounds of SGEMM, the document's and simulated (see minicc bound)
  stream     throughput of your own: --code 'FFMA R0, R1, R4, R5; LDS.64 R8, [R2]' [--threads 1024]
  timeline   an instruction through collectors and crossbar, cycle by cycle      [--code ...] [--ports 1] [--no-bypass]
  wmma       a matrix instruction through the tensor core                        [--count 4]

  --ideal-registers   the machine without register-bank conflicts (table2, figure8, stream)
  --svg FILE   draw it        --json   as JSON

Examples:
  minicc classic table2
  minicc classic figure4 --machine gk104 --svg figure4.svg
  minicc classic timeline --code 'FFMA R8, R5, R6, R7; FADD R9, R8, R10'
"""

_VALUES = ("machine", "svg", "code", "threads", "ports", "count", "collectors", "buses", "crossbar")
_FLAGS = ("help", "json", "no-bypass", "ideal-registers")

Outcome = tuple[list[str], Any, str]
"""Text, plain data, SVG."""


def main(words: list[str]) -> int:
    """The verb. `words` is the command line after `classic`."""
    arguments = launching.arguments(words, _VALUES, _FLAGS)
    if "help" in arguments.flags or "-h" in words or not words:
        print(HELP, end="")
        return 0 if words else EXIT_SOURCE
    for word in arguments.rest:
        if word.startswith("-"):
            fail("cli.unknown-option", f"Unknown option '{word}'; see minicc classic --help")
    if len(arguments.rest) != 1 or arguments.rest[0] not in EXPERIMENTS:
        fail("classic.experiment", f"name one experiment: {', '.join(EXPERIMENTS)}")
    check_runtime()
    text, data, picture = EXPERIMENTS[arguments.rest[0]](arguments)
    if path := arguments.last("svg"):
        write(path, picture)
    if "json" in arguments.flags:
        print(json.dumps({"schema": 1, "experiment": arguments.rest[0], "result": data}))
    else:
        print("\n".join(text).rstrip())
    return 0


def _machine(arguments: Arguments, default: str) -> Any:
    from minicc.arch import classic

    machine = classic.get(arguments.last("machine", default))
    if "ideal-registers" in arguments.flags:
        from minicc.arch.classic.schema import RegisterFile

        ideal = RegisterFile("ideal", machine.registers.bank_bits, machine.registers.overlap)
        return evolve(machine, registers=ideal)
    return machine


def _table2(arguments: Arguments) -> Outcome:
    from runtime.classic.experiments import table2
    from runtime.profile.svg import bars
    from runtime.profile.units import table

    machine = _machine(arguments, "gk104")
    name = machine.name
    rows = table2(machine)
    body: list[tuple[str, ...]] = [("instruction", "simulated", "document", "error")]
    for row in rows:
        stated = (f"{row.stated:.1f}", f"{row.error:+.1f} %") if row.stated else ("", "")
        body.append((row.name, f"{row.simulated:.1f}", *stated))
    text = table(f"Thread instructions a cycle and SM, {name} (seed 002, Table 2)", body, "lrrr", head=True)
    picture = bars(f"Throughput by register banks, {name}", [(r.name, [("simulated", r.simulated)]) for r in rows])
    return text, [attrs.asdict(row) for row in rows], picture


def _curves(arguments: Arguments, which: str) -> Outcome:
    from runtime.classic import experiments
    from runtime.profile.svg import Series, chart
    from runtime.profile.units import table

    name = _machine(arguments, "gf110").name
    found: dict[str, list[tuple[int, float]]] = getattr(experiments, which)(name)
    axis = "FFMA to one load" if which == "figure2" else "active threads on an SM"
    xs = [x for x, _ in next(iter(found.values()))]
    body: list[tuple[str, ...]] = [(axis, *found)]
    body += [(str(x), *(f"{points[k][1]:.1f}" for points in found.values())) for k, x in enumerate(xs)]
    title = "mixing FFMA and LDS" if which == "figure2" else "FFMA and LDS.64 at 6:1"
    number = which.removeprefix("figure")
    stated = [(load, n, v) for (m, load, n), v in experiments.STATED.items() if m == name]
    note = "\n".join(f"document: {v} with {load}, {n} threads" for load, n, v in stated)
    head = f"Thread instructions a cycle and SM, {title}, {name} (seed 002, Figure {number})"
    text = table(head, body, "rrrr", head=True, note=note)
    series = [Series(key, tuple((float(x), y) for x, y in points)) for key, points in found.items()]
    picture = chart(f"{title}, {name}", axis, "thread instructions a cycle", series)
    return text, found, picture


def _figure8(arguments: Arguments) -> Outcome:
    from runtime.classic.experiments import figure8
    from runtime.profile.svg import bars
    from runtime.profile.units import table

    machine = _machine(arguments, "gk104")
    name = machine.name
    rows = figure8(machine)
    body: list[tuple[str, ...]] = [("allocation", "2-way", "3-way", "FFMA a cycle", "of peak")]
    body += [(r.name, f"{r.two_way:.1f} %", f"{r.three_way:.1f} %", f"{r.ffma:.1f}", f"{r.peak:.1f} %") for r in rows]
    note = "document: 68.8 % and 10.6 % in its first version, 1.2 % and 0 % by banks (of the whole kernel)"
    text = table(
        f"Bank conflicts of FFMA in a 6x6 SGEMM, {name} (seed 002, Figure 8)", body, "lrrrr", head=True, note=note
    )
    drawn = [(r.name, [("2-way", r.two_way), ("3-way", r.three_way)]) for r in rows]
    return text, [attrs.asdict(row) for row in rows], bars(f"FFMA with bank conflicts, {name}", drawn, "%")


def _stream(arguments: Arguments) -> Outcome:
    from runtime.classic.experiments import sgemm_threads
    from runtime.classic.sm import conflict_ways, run
    from runtime.classic.stream import program
    from runtime.profile.svg import bars
    from runtime.profile.units import table

    machine = _machine(arguments, "gk104")
    code = program(arguments.last("code") or fail("cli.missing-value", "stream needs --code"))
    for op in code:
        if op.opcode not in machine.opcodes:
            fail("classic.opcode", f"{machine.name} has no {op.opcode}; it has {', '.join(machine.opcodes)}")
    threads = arguments.number("threads", sgemm_threads(machine))
    if not 32 <= threads <= machine.threads_per_sm:
        fail("cli.bad-value", f"{machine.name} holds 32 to {machine.threads_per_sm} threads")
    result = run(machine, code, threads // 32)
    rows: list[tuple[str, ...]] = [("instruction", "unit", "cycles to read")]
    rows += [(op.text, machine.opcodes[op.opcode], str(conflict_ways(machine, op))) for op in code]
    share = 100 * result.throughput / machine.peak
    note = (
        f"{result.throughput:.1f} thread instructions a cycle and SM ({share:.1f} % of the SPs) with {threads} threads"
    )
    text = table(f"Stream on {machine.title}", rows, "llr", head=True, note=note)
    each = {name: result.of(name) for name in result.by_opcode}
    picture = bars(note, [("stream", list(each.items()))])
    return text, {"throughput": result.throughput, "by_opcode": each}, picture


def _textbook(arguments: Arguments) -> Any:
    """The textbook SM, as the options change it."""
    from minicc.arch import classic

    machine = classic.collectors()
    changes: dict[str, Any] = {}
    for option, field in (
        ("ports", "read_ports"), ("collectors", "collectors"), ("buses", "writeback_buses"),
        ("crossbar", "crossbar_latency"),
    ):  # fmt: skip
        value = arguments.number(option, getattr(machine, field))
        if value < (0 if option == "crossbar" else 1) or value > 64:
            fail("cli.bad-value", f"Value '{value}' is out of range for '--{option}'")
        changes[field] = value
    return evolve(machine, bypass="no-bypass" not in arguments.flags, **changes)


def _timeline(arguments: Arguments) -> Outcome:
    from runtime.classic import collector
    from runtime.classic.stream import program
    from runtime.profile.svg import Span, spans
    from runtime.profile.units import table

    machine = _textbook(arguments)
    code = program(arguments.last("code", "FFMA R8, R5, R6, R7"))
    warps = arguments.number("count", 1)
    if not 1 <= warps <= 16:
        fail("cli.bad-value", "the textbook partition holds 1 to 16 warps (--count)")
    result = collector.run(machine, [code] * warps)
    rows: list[tuple[str, ...]] = [
        ("warp", "instruction", "picked", "dispatched", "collected", "ready", "executed", "written", "")
    ]
    drawn = []
    for number, f in enumerate(result.flights):
        note = f"R{', R'.join(map(str, f.bypassed))} from the bus" if f.bypassed else ""
        if f.conflicts:
            note = f"{note}; {f.conflicts} lanes turned away" if note else f"{f.conflicts} lanes turned away"
        reads = f"{f.first_read}-{f.last_read}" if f.first_read >= 0 else ""
        rows.append(
            (str(f.warp), f.op.text, str(f.picked), str(f.dispatched), reads, str(f.ready), f"{f.begin}-{f.end}",
             str(f.written), note)
        )  # fmt: skip
        lane = f"{number} w{f.warp} {f.op.text}"
        for kind, first, last in (
            ("picked", f.picked, f.picked), ("dispatched", f.dispatched, f.dispatched),
            ("waiting in the collector", f.dispatched + 1, f.ready - 1), ("bank reads", f.first_read, f.last_read),
            ("handed over", f.ready, f.ready), ("executing", f.begin, f.end), ("writeback", f.written, f.written),
        ):  # fmt: skip
            if 0 <= first <= last:
                drawn.append(Span(lane, first, last + 1, kind))
    title = (
        f"Textbook SM: {machine.banks} banks with {machine.read_ports} read port(s), {machine.collectors} collectors, "
        f"{machine.writeback_buses} writeback buses, bypass {'on' if machine.bypass else 'off'} (seed 003)"
    )
    text = table(title, rows, "llrrrrrrl", head=True, note=f"{result.cycles} cycles")
    data = [{**attrs.asdict(f, recurse=False), "op": f.op.text} for f in result.flights]
    return text, data, spans(title, drawn)


def _wmma(arguments: Arguments) -> Outcome:
    from runtime.classic import tensor
    from runtime.profile.svg import Span, spans
    from runtime.profile.units import table

    machine = _textbook(arguments)
    if not arguments.last("ports"):
        machine = evolve(machine, read_ports=1)
    count = arguments.number("count", 3)
    if not 1 <= count <= 1000:
        fail("cli.bad-value", "1 to 1000 instructions (--count)")
    found = tensor.run(machine, count)
    one = found[0]
    rows: list[tuple[str, ...]] = [("phase", "first", "last", "cycles")]
    rows += [(p.name, str(p.first), str(p.last), str(p.cycles)) for p in one.phases]
    text = table("One 16x16x16 matrix instruction on the textbook SM (seed 003)", rows, "lrrr", head=True)
    gather = one.of("gather A", "gather B", "gather C", "permute in")
    back = one.of("permute out", "arbitrate", "writeback", "scoreboard")
    sustained = tensor.throughput(machine)
    rows = [
        ("phase", "cycles", "document"),
        ("operand gather (A, B, C)", str(gather), "30-50"),
        ("array fill", str(one.of("fill")), "~16"),
        ("array compute", str(one.of("compute")), "~16"),
        ("array drain", str(one.of("drain")), "~16"),
        ("result writeback", str(back), "20-40"),
        ("latency of one", str(one.latency), "~100-140"),
        ("between two, sustained", f"{sustained:.0f}", "~32"),
    ]
    text += table("Latency breakdown", rows, "lrr", head=True)
    drawn = [
        Span(f"WMMA {k}", p.first, p.last + 1, "gather" if p.name.startswith("gather") else p.name)
        for k, w in enumerate(found)
        for p in w.phases
    ]
    data = {
        "instructions": [attrs.asdict(w) for w in found],
        "latency": one.latency,
        "gather": gather,
        "writeback": back,
        "sustained": sustained,
    }
    return text, data, spans("Matrix instructions on the textbook SM", drawn)


def _bounds(arguments: Arguments) -> Outcome:
    from runtime.classic.experiments import bounds
    from runtime.profile.svg import bars
    from runtime.profile.units import table

    del arguments
    found = bounds()
    rows: list[tuple[str, ...]] = [("SGEMM, 6x6 registers", "document", "with its throughput", "simulated")]
    rows += [(f"{m} {load}", *(f"{value:.1f} %" for value in values)) for m, load, *values in found]
    text = table("Upper bounds, of the SPs' peak (seed 002, section 4.5)", rows, "lrrr", head=True)
    drawn = [(f"{m} {load}", [("simulated", ours)]) for m, load, _, _, ours in found]
    return text, found, bars("Upper bounds of SGEMM, percent of the peak", drawn, "%")


EXPERIMENTS: dict[str, Callable[[Arguments], Outcome]] = {
    "table2": _table2,
    "figure2": lambda arguments: _curves(arguments, "figure2"),
    "figure4": lambda arguments: _curves(arguments, "figure4"),
    "figure8": _figure8,
    "bounds": _bounds,
    "stream": _stream,
    "timeline": _timeline,
    "wmma": _wmma,
}
