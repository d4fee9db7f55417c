"""What instruction selection weighed: for each PTX instruction, the candidates, their costs, and why one won."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from minicc.isel.cover import cost as costs
from minicc.isel.cover.database import Database, Pattern
from minicc.isel.dag import Node
from minicc.ptx import model as ptx


@attrs.define(repr=False)
class Candidate:
    """A pattern that fits: its total cost (with operands that nothing else needs) and its own, in decimal. Its own is
    (latency + 3 issue) / 100, in cycles of its class on the machine."""

    tree: str
    template: str
    cost_class: str
    latency: int
    issue: int
    mantissa: int
    exponent: int
    cost: float
    own: float
    chosen: bool


@attrs.define(repr=False)
class Choice:
    """One PTX instruction: the label it stands under, the operation it is for, its source line, the candidates. Inline
    assembly has none."""

    function: str
    label: str
    node: str
    ptx: str
    line: int
    candidates: list[Candidate]
    rejected: int
    """Patterns of the same operation that do not fit these operands."""
    why: str


LEGEND = """\
Each PTX instruction, the operation it is for, and the patterns that fit it; * is what was taken. A pattern costs
(latency + 3 issue) / 100 by its class, and what it needs that nothing else does. (mantissa, exponent) is the total.
`minicc patterns --op add.i32` lists all that may cover an operation, those that do not fit here too.
"""


def decimal(cost: costs.Cost) -> float:
    """(mantissa, exponent) as a number."""
    return cost[0] * 2.0 ** cost[1]


def reason(candidates: list[Candidate]) -> str:
    """Why the chosen candidate won."""
    won = next((c for c in candidates if c.chosen), None)
    if won is None:
        return "no pattern"
    others = [c for c in candidates if not c.chosen]
    if not others:
        return "the only pattern that fits"
    next_best = min(others, key=lambda c: c.cost)
    if (next_best.mantissa, next_best.exponent) == (won.mantissa, won.exponent):
        return "least cost, and the first of those that have it"
    if next_best.cost < won.cost:
        return "the first that fits"
    return f"least cost, by {next_best.cost - won.cost:.3f}"


@attrs.define(repr=False)
class Explanation:
    """Collected by `select(..., explanation=...)`."""

    choices: list[Choice] = attrs.field(factory=list)

    def add(
        self, function: str, body: list[ptx.Statement], explained: list[tuple[ptx.Inst, Node | str, str]],
        database: Database, first: bool = False,
    ) -> None:  # fmt: skip
        """A function's instructions in the order of its body; `first`: patterns after one that fits were not tried."""
        known = {id(inst): (node, purpose) for inst, node, purpose in explained}
        for label, inst in _instructions(body):
            node, purpose = known.get(id(inst), ("", ""))
            line = inst.loc.line if inst.loc else 0
            if isinstance(node, str):
                patterns = database.lookup(node) if node else []
                taken = [database.simple(node)] if node else []
                candidates = [_candidate(p, database.cost(p), True, database) for p in taken]
                why = purpose if node else "inline assembly, as it was written"
                name = node or "asm"
            else:
                chosen = node.tile.pattern if node.tile else None
                patterns = database.lookup(node.op)
                candidates = [_candidate(p, total, p is chosen, database) for p, total in node.weighed or []]
                why, name = reason(candidates), node.op
                if node.head == "mov":
                    why = "a value of a loop's turn that is needed after the loop"
                if first and chosen is not None:
                    patterns = patterns[: patterns.index(chosen) + 1]
                    why = "the first that fits; none after it is tried"
            rejected = len(patterns) - len(candidates)
            self.choices.append(Choice(function, label, name, _text(inst), line, candidates, rejected, why))

    def render(self) -> str:
        """Text: one paragraph per instruction, the chosen pattern marked."""
        if not self.choices:
            return "Nothing was selected: the input has no code, or is PTX or machine code already.\n"
        lines = LEGEND.splitlines()
        function = label = ""
        for choice in self.choices:
            if choice.function != function:
                function, label = choice.function, ""
                lines += [f"{function}:", ""]
            if choice.label != label:
                label = choice.label
                lines += [f"{label}:", ""]
            place = f"  (line {choice.line})" if choice.line else ""
            lines.append(f"{choice.ptx}{place}")
            verb = "does" if choice.rejected == 1 else "do"
            rest = f"; {choice.rejected} more of this operation {verb} not fit" if choice.rejected else ""
            lines.append(f"    for {choice.node.rstrip('.')}: {choice.why}{rest}")
            for c in choice.candidates:
                mark = "*" if c.chosen else " "
                operands = f" = {c.own:.3f} + operands {c.cost - c.own:.3f}" if c.cost - c.own > 1e-9 else ""
                machine = f"{c.cost_class}: latency {c.latency}, issue {c.issue}"
                lines.append(f"  {mark} {c.cost:7.3f}{operands}  ({c.mantissa:#018x}, {c.exponent})  {machine}")
                lines.append(f"              {c.tree} -> {c.template}")
            lines.append("")
        return "\n".join(lines)

    def to_json(self) -> list[dict[str, Any]]:
        return [attrs.asdict(choice) for choice in self.choices]


def _instructions(body: list[ptx.Statement], label: str = "") -> Iterator[tuple[str, ptx.Inst]]:
    """Instructions, each with the last label before it."""
    for statement in body:
        if isinstance(statement, ptx.Scope):
            yield from _instructions(statement.body, label)
        elif isinstance(statement, ptx.Label):
            label = statement.name
        elif isinstance(statement, ptx.Inst):
            yield label, statement


def _candidate(pattern: Pattern, total: costs.Cost, chosen: bool, database: Database) -> Candidate:
    own = decimal(database.cost(pattern))
    name = database.names[pattern.family]
    figures = pattern.latency, pattern.throughput
    return Candidate(
        pattern.row.tree, pattern.template, name, *figures, total[0], total[1], decimal(total), own, chosen
    )


def _text(inst: ptx.Inst) -> str:
    from minicc.ptx.printer import instruction

    return " ".join(instruction(inst).rstrip(";").split())
