"""What instruction selection weighed: for each PTX instruction, the candidate patterns and their costs."""

from __future__ import annotations

from typing import Any

import attrs

from minicc.isel.dag import Node
from minicc.isel.database import Database
from minicc.ptx import model as ptx


@attrs.define(repr=False)
class Choice:
    """One covered node: its signature, the PTX it became, and the candidates (pattern, cost, whether chosen)."""

    function: str
    node: str
    ptx: str
    candidates: list[tuple[str, float, bool]]


@attrs.define(repr=False)
class Explanation:
    """Collected by `select(..., explanation=...)`."""

    choices: list[Choice] = attrs.field(factory=list)

    def add(self, function: str, explained: list[tuple[ptx.Inst, Node]], database: Database) -> None:
        for inst, node in explained:
            chosen = node.tile.pattern if node.tile else None
            candidates = [
                (f"{pattern.row.tree} -> {pattern.row.template}", mantissa * 2.0**exponent, pattern is chosen)
                for pattern, (mantissa, exponent) in node.weighed or []
            ]
            self.choices.append(Choice(function, node.op, inst.name, candidates))

    def render(self) -> str:
        """Text: one paragraph per instruction, the chosen pattern marked."""
        lines: list[str] = []
        for choice in self.choices:
            lines.append(f"{choice.function}: {choice.node} => {choice.ptx}")
            for text, cost, chosen in choice.candidates:
                lines.append(f"  {'*' if chosen else ' '} {cost:8.3f}  {text}")
        return "\n".join(lines) + "\n"

    def to_json(self) -> list[dict[str, Any]]:
        return [attrs.asdict(choice) for choice in self.choices]
