"""Loops that test a flag of the launch, such as `bool clip` or `int mode`: one loop for each of its values is faster.

LLVM takes a test that a loop does not change out of it ("non-trivial unswitching") only on demand: where threads differ
in the condition a warp goes through both loops then. It has no analysis of that in its middle end; what depends on a
kernel's parameters alone is the same for all threads. So the demand is made for kernels in which a loop tests a flag,
and none tests something else that it does not change and that threads may differ in.

Input: a module's text after LLVM's pipeline, whose blocks stand in an order in which a loop goes back to an earlier
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from minicc.nvvm.bodies import NAME, TARGET, bodies, places

_LONGEST = 40_000
"""Characters of a kernel, some 600 lines, beyond which it is not worth several of its loops."""
PURE = (
    r"(?:icmp|fcmp|and|or|xor|add|sub|mul|shl|lshr|ashr|sdiv|udiv|srem|urem|zext|sext|trunc|select|freeze)\b"
    r"|call [^\n]*@llvm\.nvvm\.read\.ptx\.sreg\."
)
THREAD = r"\.sreg\.(?:tid|laneid|lanemask|warpid|smid|clock|globaltimer|pm)"
_TERMINATORS = ("  br ", "  switch ", "  ret ", "  unreachable")
_TESTS = (" = icmp eq ", " = icmp ne ", " = trunc ", " = and ")
_CHOICE = re.compile(rf"  (?:br i1|switch i\d+|{NAME} = select i1) ({NAME}), ")


def in_loops(text: str) -> set[str]:
    """The kernels in which one loop for each value of a flag is a gain."""
    return {
        name
        for name, head, body in bodies(text)
        if "ptx_kernel" in head and len(body) <= _LONGEST and (flags := _flags(head, body)) and _tests(body, flags)
    }


def _flags(head: str, body: str) -> set[str]:
    """Integers among the parameters of a kernel that are compared with constants, or their bits, and not used
    besides."""
    numbers = [word.strip().rstrip(")") for word in re.split(r"[(,]", head) if word.lstrip()[:1] == "i"]
    names = [word[word.find("%") :].partition(")")[0] for word in numbers if "%" in word]
    return {name for name in names if name in body and all(_is_test(line, name) for line in _lines(body, name))}


def _lines(body: str, name: str) -> Iterator[str]:
    """The lines that a value is named in, with duplicates."""
    at = body.find(name)
    while at >= 0:
        after = at + len(name)
        if body[after] in ",) \n]":
            yield body[body.rfind("\n", 0, at) + 1 : body.find("\n", at)]
        at = body.find(name, after)


def _is_test(line: str, name: str) -> bool:
    after = line[line.rfind(name) + len(name) :]
    if line.startswith("  switch "):
        return True
    return any(word in line for word in _TESTS) and (after == " to i1" or (after[:2] == ", " and "%" not in after))


def _ends(lines: list[str], place: int) -> bool:
    """Whether the block whose label is there ends the kernel: LLVM may put it before blocks that go there."""
    return next(line for line in lines[place + 1 :] if line.startswith(_TERMINATORS)).startswith("  ret ")


def _tests(body: str, flags: set[str]) -> bool:
    """Whether a loop tests a flag, and none tests what it does not change and threads may differ in."""
    lines = body.split("\n")
    labels, values = places(lines)
    loops = [
        (labels[target], place)
        for place, line in enumerate(lines)
        if line.startswith("  br ")
        for target in TARGET.findall(line)
        if labels.get(target, place) < place and not _ends(lines, labels[target])
    ]

    def parameters(name: str, start: int) -> set[str] | None:
        """Those that a value is made of; with "" if threads may differ in it, None if the loop from `start` on makes
        part of it."""
        found: set[str] = set()
        seen, todo = {name}, [name]
        while todo:
            name = todo.pop()
            place, text = values.get(name, (0, ""))
            if not text:
                found.add(name)
            elif not re.match(PURE, text):
                if place >= start:
                    return None
                found.add("")
            elif re.search(THREAD, text):
                found.add("")
            else:
                more = set(re.findall(NAME, text)) - seen
                seen |= more
                todo += more
        return found

    some = False
    for place, line in enumerate(lines):
        branch = _CHOICE.match(line)
        around = [start for start, end in loops if start <= place <= end] if branch else []
        if not branch or not around:
            continue
        made_of = parameters(branch[1], max(around))
        if made_of is None:
            continue
        if "" in made_of:
            return False
        some |= not made_of.isdisjoint(flags)
    return some
