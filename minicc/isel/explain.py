"""What instruction selection weighed: for each PTX instruction, the candidates, their costs, and why one won."""

from __future__ import annotations

from typing import Any

import attrs

from minicc.isel import cost as costs
from minicc.isel.dag import Node
from minicc.isel.database import Database
from minicc.ptx import model as ptx


@attrs.define(repr=False)
class Candidate:
    """A pattern that fits: its total cost (with operands that nothing else needs) and its own, in decimal."""

    tree: str
    template: str
    cost_class: str
    mantissa: int
    exponent: int
    cost: float
    own: float
    chosen: bool


@attrs.define(repr=False)
class Choice:
    """One covered node: its operation, the PTX instruction it became, its source line, the candidates."""

    function: str
    node: str
    ptx: str
    line: int
    candidates: list[Candidate]
    rejected: int
    """Patterns of the same operation that do not fit these operands."""
    why: str


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

    def add(self, function: str, explained: list[tuple[ptx.Inst, Node]], database: Database) -> None:
        for inst, node in explained:
            chosen = node.tile.pattern if node.tile else None
            candidates = [
                Candidate(
                    pattern.row.tree,
                    pattern.template,
                    database.names[pattern.family],
                    total[0],
                    total[1],
                    decimal(total),
                    decimal(database.cost(pattern)),
                    pattern is chosen,
                )
                for pattern, total in node.weighed or []
            ]
            rejected = len(database.lookup(node.op)) - len(candidates)
            line = inst.loc.line if inst.loc else 0
            self.choices.append(Choice(function, node.op, _text(inst), line, candidates, rejected, reason(candidates)))

    def render(self) -> str:
        """Text: one paragraph per instruction, the chosen pattern marked."""
        lines: list[str] = []
        function = ""
        for choice in self.choices:
            if choice.function != function:
                function = choice.function
                lines += [f"{function}:", ""]
            place = f"  (line {choice.line})" if choice.line else ""
            lines.append(f"{choice.ptx}{place}")
            lines.append(f"    for {choice.node}: {choice.why}; {choice.rejected} of this operation do not fit")
            for c in choice.candidates:
                mark = "*" if c.chosen else " "
                operands = f" = {c.own:.3f} + operands {c.cost - c.own:.3f}" if c.cost - c.own > 1e-9 else ""
                lines.append(f"  {mark} {c.cost:7.3f}{operands}  ({c.mantissa:#018x}, {c.exponent})  {c.cost_class}")
                lines.append(f"              {c.tree} -> {c.template}")
            lines.append("")
        return "\n".join(lines)

    def to_json(self) -> list[dict[str, Any]]:
        return [attrs.asdict(choice) for choice in self.choices]


def _text(inst: ptx.Inst) -> str:
    from minicc.ptx.printer import instruction

    return " ".join(instruction(inst).rstrip(";").split())
