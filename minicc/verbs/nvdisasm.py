"""What nvdisasm writes around machine code when it is asked to: source lines, life ranges, the control-flow graph.

Each works on the lines of one function as `minicc.sass.dump` has them; the forms are those of nvdisasm 13.0 (-g, -gi,
-plr and -lrm, -bbcfg). It has R1, the stack's, in
use everywhere; here it is where something needs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from minicc.analysis.dataflow import Dataflow
from minicc.arch import Arch
from minicc.sass.dump import WORD, DumpLine
from minicc.sass.program import Line

FILES = (("GPR", "R"), ("PRED", "P"), ("UGPR", "UR"), ("UPRED", "UP"))
"""nvdisasm's columns of life ranges and the register files that they show."""
LEGEND = """Legend:
    ^       : Register assignment
    v       : Register usage
    x       : Register usage and reassignment
    :       : Register in use
    <space> : Register not in use
    #       : Number of occupied registers"""


def source_lines(text: Sequence[str], lines: Sequence[DumpLine], places: Sequence[Line], inlined: bool) -> list[str]:
    """Each stretch of a section's `text` (a whole number of lines an instruction) below the source line it is of."""
    height, out = len(text) // max(len(lines), 1), []
    starts, shown = {place.offset: place for place in places}, [""]
    for i, line in enumerate(lines):
        if (place := starts.get(line.address)) is not None:
            calls = place.inlined_at if inlined else ()
            chain = [f'"{file}", line {number}' for file, number, *_ in ((place.file, place.line), *calls)]
            notes = [f"\t//## File {here} inlined at {call}" for here, call in pairwise(chain)]
            notes.append(f"\t//## File {chain[-1]}")
            out += notes if notes != shown else []
            shown = notes
        out += text[height * i : height * (i + 1)]
    return out


def life_ranges(text: Sequence[str], lines: Sequence[DumpLine], arch: Arch, mode: str) -> list[str]:
    """Each line of `text` (one an instruction) with the registers in use there: `mode` is wide, narrow or count."""
    flow = Dataflow([line.instr for line in lines], arch)
    columns = [column for title, file in FILES if (column := _column(flow, title, file, mode))]
    tallest = max(map(len, columns), default=0)
    columns = [[c[0], *[" " * len(c[0])] * (tallest - len(c)), *c[1:]] for c in columns]
    rule = "+" + "+".join("-" * len(column[0]) for column in columns) + "+"
    width = max((len(line) for line in text), default=0) + 2
    rows = ["|" + "|".join(cells) + "|" for cells in zip(*columns, strict=True)]
    head, body = rows[: len(rows) - len(text)], rows[len(rows) - len(text) :]
    out = [f"{'':{width}}// {row}" for row in (rule, *head, rule)]
    out += [f"{line:<{width}}// {row}" for line, row in zip(text, body, strict=True)]
    return [*out, f"{'':{width}}// {rule}", "", *(f"{'':{width}}// {line}" for line in LEGEND.splitlines())]


def _column(flow: Dataflow, title: str, file: str, mode: str) -> list[str]:
    """Heading and rows of a register file, all equally wide; nothing if the code has none of it."""
    live = flow.live_sets(file)
    reads, writes = flow.registers(file, "reads"), flow.registers(file, "writes")
    count = max((bits.bit_length() for bits in (*live, *writes)), default=0)
    if not count:
        return []
    width = len(str(count - 1)) if mode == "wide" else 1
    gap = " " if mode == "wide" else ""
    shown = range(count) if mode != "count" else range(0)
    rows = []
    for here, read, written in zip(live, reads, writes, strict=True):
        used = (here | written).bit_count()
        marks = []
        for register in shown:
            bit = 1 << register
            mark = "x" if read & written & bit else "^" if written & bit else "v" if read & bit else ":"
            marks.append(f"{mark if (here | written) & bit else '':>{width}}")
        rows.append(f"{used or '':>3} {gap.join(marks)}  ")
    if mode == "narrow":
        digits = len(str(count - 1))
        numbers = ["".join(f"{n:0{digits}}"[k] for n in shown) for k in range(digits)]
    else:
        numbers = [gap.join(f"{n:>{width}}" for n in shown)]
    head = [f"{'':>3} {line}  " for line in numbers[:-1]] + [f"{'#':>3} {numbers[-1]}  "]
    size = max(len(line) for line in (title, *head, *rows))
    return [f"{title:^{size}}", *(f"{line:<{size}}" for line in (*head, *rows))]


def graph(sections: Sequence[tuple[str, Sequence[DumpLine]]], arch: Arch) -> Iterator[str]:
    """Basic blocks and the ways between them, for Graphviz's dot."""
    yield "digraph f {"
    yield 'node [fontname="Courier",fontsize=10,shape=box];'
    for number, (name, lines) in enumerate(sections):
        flow = Dataflow([line.instr for line in lines], arch)
        after: list[list[int]] = [[] for _ in lines]
        for i, before in enumerate(flow.before):
            for k in before:
                after[k].append(i)
        heads = {0, *(i for i, before in enumerate(flow.before) if before != [i - 1])}
        heads |= {i + 1 for i, ways in enumerate(after) if ways != [i + 1]}
        starts = sorted(i for i in heads if i < len(lines) and (not i or flow.before[i]))
        yield f'subgraph "cluster_{name}" {{'
        yield f'label="{name}";'
        for at in starts:
            end = next(i for i in range(at + 1, len(lines) + 1) if i in heads or i == len(lines))
            code = "".join(f"/*{line.address:04x}*/ {line.text}\\l" for line in lines[at:end])
            yield f'"{number}_{at * WORD:04x}" [label="{code}"];'
            for to in after[end - 1]:
                style = "solid" if to == end else "bold"
                yield f'"{number}_{at * WORD:04x}" -> "{number}_{to * WORD:04x}" [style={style}];'
        yield "}"
    yield "}"
