"""Overload sets, in which a function is found by its parameters, and which forget what was declared since a mark.

A set is a list in a scope's names, which grows at its end only. Thousands of overloads and thousands of declarations
that may turn out to be the host's take a step each, not one for every other.
"""

from __future__ import annotations

from collections.abc import Iterable

from minicc.frontend import ast
from minicc.frontend.types import Type


class _Index:
    """The functions of a set by their parameters, up to `count`."""

    def __init__(self, entities: list[object]) -> None:
        self.entities, self.count = entities, 0
        self.functions: dict[tuple[Type, ...], ast.Function] = {}


class Signatures:
    """All sets that have been asked for."""

    def __init__(self) -> None:
        self.grown: list[list[object]] = []
        """The sets that grew, one entry for each function and template."""
        self.known: dict[int, _Index] = {}
        """By the identity of the list, which its index keeps alive."""

    def of(self, entities: list[object]) -> dict[tuple[Type, ...], ast.Function]:
        """The first function for each list of parameters."""
        index = self.known.get(id(entities))
        if index is None or index.count > len(entities):
            index = self.known[id(entities)] = _Index(entities)
        for entity in entities[index.count :]:
            if isinstance(entity, ast.Function):
                index.functions.setdefault(entity.type.params, entity)
        index.count = len(entities)
        return index.functions

    def append(self, entities: list[object], entity: object) -> None:
        entities.append(entity)
        self.grown.append(entities)

    @property
    def mark(self) -> int:
        return len(self.grown)

    def undo(self, mark: int, among: Iterable[object]) -> None:
        """What the sets that are `among` these have got since then goes again."""
        wanted = {id(one) for one in among}
        for entities in reversed(self.grown[mark:]):
            if id(entities) in wanted:
                entities.pop()
                self.known.pop(id(entities), None)
        del self.grown[mark:]


__all__ = ["Signatures"]
