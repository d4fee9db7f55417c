"""Accesses to local arrays say how far they are aligned, so that LLVM joins neighbours to vectors.

Where local memory has its own address space before LLVM's pipeline runs (modules with shared memory), LLVM does not see
through the cast that an address is of an array that begins at a multiple of sixteen bytes: a fragment of eight words is
eight accesses.

    %p = addrspacecast ptr %fragment to ptr addrspace(5)              %fragment = alloca [2 x [8 x float]], align 16
    %q = getelementptr [8 x float], ptr addrspace(5) %p, i32 %i
    store float %x, ptr addrspace(5) %q, align 4                      align 16

Input: a module's text after LLVM's pipeline; the same with greater alignments.
"""

from __future__ import annotations

import math
import re

_MADE = re.compile(
    r"  (?P<name>%[-\w.$]+) = (?:alloca [^\n]*?, align (?P<align>\d+)"
    r"|addrspacecast ptr (?P<cast>%[-\w.$]+) to ptr addrspace\(5\)"
    r"|getelementptr (?:inbounds |nuw |nusw )*(?P<type>[^%@\n]+?), ptr addrspace\(5\) (?P<base>%[-\w.$]+),"
    r" (?P<at>[^\n!]+))"
)
_ACCESS = re.compile(
    r"(?P<head>  (?:%[-\w.$]+ = load|store) [^\n]*ptr addrspace\(5\) (?P<base>%[-\w.$]+), align )(?P<align>\d+)"
)
_ARRAY = re.compile(r"\[(\d+) x (.*)\]$")
_SIZES = {"i8": 1, "i16": 2, "half": 2, "bfloat": 2, "i32": 4, "float": 4, "i64": 8, "double": 8}


def marked(text: str) -> str:
    """The module's text with what is known of such accesses."""
    return "\n}\n".join([_function(f) if " to ptr addrspace(5)" in f else f for f in text.split("\n}\n")])


def _function(text: str) -> str:
    known: dict[str, int] = {}
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if made := _MADE.match(line):
            if made["align"]:
                known[made["name"]] = int(made["align"])
            elif made["cast"] in known:
                known[made["name"]] = known[made["cast"]]
            elif made["base"] in known:
                known[made["name"]] = math.gcd(known[made["base"]], _offset(made["type"], made["at"]))
        elif (access := _ACCESS.match(line)) and known.get(access["base"], 0) > int(access["align"]):
            lines[at] = f"{access['head']}{known[access['base']]}{line[access.end() :]}"
    return "\n".join(lines)


def _offset(kind: str, at: str) -> int:
    """A number of bytes that divides the offset of an element."""
    found = 0
    for position, index in enumerate(at.split(", ")):
        if position:
            array = _ARRAY.match(kind)
            if array is None:
                return 1
            kind = array[2]
        number = index.split()[-1]
        found = math.gcd(found, _size(kind) * (1 if number.startswith("%") else abs(int(number))))
    return found


def _size(kind: str) -> int:
    """Of a type, in bytes; 1 if that is not known."""
    if array := _ARRAY.match(kind):
        return int(array[1]) * _size(array[2])
    return _SIZES.get(kind, 1)
