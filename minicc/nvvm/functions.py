"""Functions of one module in the place of another's: LLVM's options hold for modules, and not all functions gain.

Both are texts that LLVM printed after it was given the same module. Attributes and metadata are numbered anew.
"""

from __future__ import annotations

import math
import re

from minicc.nvvm.bodies import GLOBAL

_FUNCTION = re.compile(rf"^define [^\n]*?@({GLOBAL})\(.*?^\}}$", re.M | re.S)
_GLOBAL = re.compile(rf"^(@{GLOBAL}) = .*", re.M)
_NAME = re.compile(rf"@{GLOBAL}")
_ADDRESS = re.compile(r" (?:local_)?unnamed_addr\b")
"""Whether an address is asked for, which hangs on what else the module has."""
_DECLARED = re.compile(rf"^declare [^\n]*?(@{GLOBAL})\(.*", re.M)
_NOTE = re.compile(r"^(?:attributes #\d+|!\d+) = .*", re.M)
_UNIT = re.compile(r"^!(\d+) = distinct !DICompileUnit\(", re.M)
_BRACKETS = re.compile(r"(?<!addrspace)\([^()]*\)")
_TYPE = re.compile(r"(?:^|, )(ptr addrspace\(\d+\)|[^\s,]+)")
_NUMBER = re.compile(r"([#!])(\d+)\b")


def replaced(text: str, other: str, names: set[str], most: float = math.inf) -> str | None:
    """The text with the functions `names` as they are in `other`, those apart that are over `most` times as long there;
    None if more than their bodies differs."""
    mine = {match[1]: match[0] for match in _FUNCTION.finditer(text)}
    theirs = {match[1]: match[0] for match in _FUNCTION.finditer(other)}
    if mine.keys() != theirs.keys() or any(_signature(mine[f]) != _signature(theirs[f]) for f in mine):
        return None
    known, new = ({match[1]: match[0] for match in _GLOBAL.finditer(t)} for t in (text, other))
    used, todo = set[str](), [theirs[f] for f in names]
    while todo:
        found = set(_NAME.findall(todo.pop())) & new.keys() - used
        used |= found
        todo += [new[name] for name in found]
    if any(_ADDRESS.sub("", known.get(name, new[name])) != _ADDRESS.sub("", new[name]) for name in used):
        return None
    names = {f for f in names if len(theirs[f]) <= most * len(mine[f])}
    free = 1 + max((int(number) for _, number in _NUMBER.findall("\n".join(_NOTE.findall(text)))), default=0)
    units = [_UNIT.search(t) for t in (text, other)]
    unit = (units[1][1], units[0][1]) if units[0] and units[1] else ("", "")

    def renumbered(part: str) -> str:
        return _NUMBER.sub(
            lambda n: n[1] + (unit[1] if n[2] == unit[0] and n[1] == "!" else f"{int(n[2]) + free}"), part
        )

    more = [line for name, line in new.items() if name in used and name not in known]
    declared = {match[1] for match in _DECLARED.finditer(text)}
    more += [renumbered(match[0]) for match in _DECLARED.finditer(other) if match[1] not in declared]
    more += [renumbered(match[0]) for match in _NOTE.finditer(other) if match[0].split()[0][1:] != unit[0]]
    text = _FUNCTION.sub(lambda f: renumbered(theirs[f[1]]) if f[1] in names else f[0], text)
    return "\n".join([text, *more, ""])


def _signature(function: str) -> tuple[str, list[str]]:
    """The types of the result and of parameters; attributes may differ."""
    head = function[: function.find("{\n")]
    parameters = _BRACKETS.sub("", head[head.find("(", head.find("@")) + 1 : head.rfind(")")])
    return head[: head.find("@")].split()[-1], _TYPE.findall(parameters)
