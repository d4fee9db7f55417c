"""Reading C++ names (Itanium ABI) as far as launching needs: the base name of a kernel, and its parameters' types."""

from __future__ import annotations

from typing import Literal

import attrs

from minicc.record import evolve

Kind = Literal["int", "uint", "bool", "float", "pointer", "class", "unknown"]

_BUILTIN: dict[str, tuple[Kind, int]] = {
    "b": ("bool", 1), "c": ("int", 1), "a": ("int", 1), "h": ("uint", 1), "s": ("int", 2), "t": ("uint", 2),
    "i": ("int", 4), "j": ("uint", 4), "l": ("int", 8), "m": ("uint", 8), "x": ("int", 8), "y": ("uint", 8),
    "w": ("int", 4), "n": ("int", 16), "o": ("uint", 16), "f": ("float", 4), "d": ("float", 8), "e": ("float", 16),
    "v": ("unknown", 0),
}  # fmt: skip


@attrs.frozen
class Type:
    """A parameter type. `size` is 0 where unknown; `pointee` is set for pointers; `const`: it may not be written."""

    kind: Kind
    size: int = 0
    name: str = ""
    pointee: Type | None = None
    const: bool = False


_SCALARS = {
    "a": "signed char", "b": "bool", "c": "char", "d": "double", "f": "float", "h": "unsigned char", "i": "int",
    "j": "unsigned int", "l": "long", "m": "unsigned long", "s": "short", "t": "unsigned short", "x": "long long",
    "y": "unsigned long long",
}  # fmt: skip
"""Itanium ABI: builtin types by their code letter."""


def spelled(kind: Type) -> str:
    """A type as C++ writes it, as far as it is known."""
    if kind.pointee is not None:
        return f"{'const ' if kind.pointee.const else ''}{spelled(kind.pointee)} *"
    return _SCALARS.get(kind.name, kind.name or kind.kind)


@attrs.frozen
class Signature:
    """`base` is the function's name without namespaces and template arguments, `template` these ("<int, 4>"). `params`
    is None if they could not be read, or the name is not mangled."""

    base: str
    params: tuple[Type, ...] | None
    template: str = ""

    @property
    def shown(self) -> str:
        """The function as C++ writes it, with parameter types where they are known."""
        types = "" if self.params is None else f"({', '.join(spelled(p) for p in self.params)})"
        return f"{self.base}{self.template}{types}"


class _Unknown(Exception):
    pass


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.substitutions: list[Type] = []
        self.depth = 0
        self.last: list[Type] = []
        """The template arguments of the name read last; literals are types called what they are."""
        self.template: list[Type] = []
        """Those of the function itself, which T_ and T0_ are."""

    def peek(self, count: int = 1) -> str:
        return self.text[self.at : self.at + count]

    def take(self, text: str) -> bool:
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def number(self) -> int:
        start = self.at
        while self.peek().isdigit():
            self.at += 1
        if start == self.at or self.at - start > 6:
            raise _Unknown
        return int(self.text[start : self.at])

    def identifier(self) -> str:
        length = self.number()
        name = self.text[self.at : self.at + length]
        if len(name) < length:
            raise _Unknown
        self.at += length
        return name

    def name(self) -> str:
        """<name>: returns the last identifier; records substitutions for nested prefixes."""
        self.last = []
        if self.take("N"):
            while self.peek() in ("K", "V", "r"):
                self.at += 1
            last, found = "", list[Type]()
            while not self.take("E"):
                if self.peek() == "S":
                    self.substitution()
                elif self.peek() == "I":
                    found = self.arguments()
                    if self.peek() != "E":  # the whole of a type is kept by `type`, that of a function by nobody
                        self.substitutions.append(Type("class", 0, last))
                elif self.peek().isdigit():
                    last, found = self.identifier(), []
                    if self.peek() != "E":
                        self.substitutions.append(Type("class", 0, last))
                elif self.take("L"):
                    continue
                else:
                    raise _Unknown
            self.last = found
            return last
        self.take("L")
        name = self.identifier()
        if self.peek() == "I":
            self.substitutions.append(Type("class", 0, name))
            self.last = self.arguments()
        return name

    def arguments(self) -> list[Type]:
        """<template-args>; packs are laid flat."""
        if not self.take("I"):
            raise _Unknown
        self.deeper()
        found = []
        while not self.take("E"):
            if self.take("L"):
                kind, start = self.type(), self.at
                while self.peek() and self.peek() != "E":
                    self.at += 1
                text = self.text[start : self.at].replace("n", "-", 1)
                if not self.take("E"):
                    raise _Unknown
                truth = {"0": "false", "1": "true"} if kind.kind == "bool" else {}
                found.append(Type("unknown", 0, truth.get(text, text)))
            elif self.take("J"):
                while not self.take("E"):
                    found.append(self.type())
            else:
                found.append(self.type())
        return found

    def substitution(self) -> Type:
        if not self.take("S"):
            raise _Unknown
        if self.take("t"):
            return Type("class", 0, self.identifier())
        digits = ""
        while self.peek().isalnum() and self.peek() != "_":
            digits += self.peek()
            self.at += 1
        if not self.take("_"):
            raise _Unknown
        index = int(digits, 36) + 1 if digits else 0
        if index >= len(self.substitutions):
            raise _Unknown
        return self.substitutions[index]

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > 200:
            raise _Unknown

    def type(self) -> Type:
        self.deeper()
        ch = self.peek()
        if ch in ("P", "R", "O"):
            self.at += 1
            inner = self.type()
            found = Type("pointer", 8, "", inner, inner.const)
        elif ch in ("K", "V", "r"):
            self.at += 1
            inner = self.type()
            found = evolve(inner, const=True) if ch == "K" else inner
        elif ch == "S":
            return self.substitution()
        elif ch == "T":
            self.at += 1
            start = self.at
            while self.peek() and self.peek() != "_":
                self.at += 1
            digits = self.text[start : self.at]
            self.take("_")
            index = int(digits, 36) + 1 if digits.isalnum() else 0
            found = self.template[index] if index < len(self.template) else Type("unknown")
        elif ch == "D" and self.peek(2) == "Dh":
            self.at += 2
            return Type("float", 2, "half")
        elif ch == "A":
            self.at += 1
            self.number()
            if not self.take("_"):
                raise _Unknown
            found = self.type()
        elif ch == "N" or ch.isdigit():
            name = self.name()
            found = Type("class", 0, name)
        elif ch in _BUILTIN:
            self.at += 1
            kind, size = _BUILTIN[ch]
            return Type(kind, size, ch)
        else:
            raise _Unknown
        self.substitutions.append(found)
        return found


def signature(name: str) -> Signature:
    """What a symbol name says. Never fails: a name that is not understood is its own base, without parameters."""
    if not name.startswith("_Z"):
        return Signature(name, None)
    parser = _Parser(name[2:])
    base, written = name, ""
    try:
        templated = "I" in name
        base = parser.name()
        parser.template = parser.last
        written = f"<{', '.join(spelled(t) for t in parser.template)}>" if parser.template else ""
        if templated and parser.text[parser.at - 1] == "E" and parser.peek():
            parser.type()  # a template's return type comes first
        params: list[Type] = []
        while parser.at < len(parser.text) and parser.peek() != ".":
            params.append(parser.type())
        if len(params) == 1 and params[0].name == "v":
            params = []
        return Signature(base, tuple(params), written)
    except (_Unknown, IndexError, RecursionError):
        return Signature(base, None, written)
