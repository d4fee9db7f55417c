"""Loops with a barrier in each turn go four turns at a time, as in NVIDIA's code, where all threads make as many turns;
so do those with inline PTX that lanes do together (products of matrices).

LLVM unrolls none whose turns it has to count at run time: the turns that are left over would put the barrier under
another condition, and it does not know that this condition is the same for all threads. Here that is looked up: a loop
is chosen whose only way out compares an index, which goes by a constant, with a bound, and both are made of what the
launch says alone. The barriers go by another name while LLVM unrolls just these loops, and inline PTX has another
attribute.

Input: a module's text after LLVM's pipeline, whose blocks stand in an order in which a loop is one stretch.
"""

from __future__ import annotations

import re

from minicc.nvvm.bodies import NAME, TARGET, places
from minicc.nvvm.flags import PURE, THREAD

TURNS = (4, 2)
"""How many go together; the second where those of the first would load too much at once."""
_IN_FLIGHT = 32
"""Words that inline PTX loads in the turns that go together, at most: for as many registers `together` of ptxas makes
the loads of a loop's turns together."""
LONGEST = 50
"""Instructions of a turn: LLVM stops at as many, times four, for loops without barriers."""

_BARRIER = "@llvm.nvvm.barrier.cta.sync.aligned.all("
_NAME = "@barrier.of.turns("
_DECLARED = re.compile(rf"^declare void {re.escape(_NAME)}.*", re.M)
_ATTRIBUTES = re.compile(r"^attributes #(\d+) = \{ convergent nounwind([^}\n]*) \}$", re.M)
_ALONE = ' "asm.of.turns"'
_ASM = re.compile(r" asm (?:sideeffect )?\"[^\n]*\) #(\d+)(?=,|$)", re.M)
_COSTS = re.compile(rf"  (?!{NAME} = (?:phi|getelementptr)\b)")
"""An instruction for which code is made, or the extractvalue of a register that inline PTX gives."""
_PART = re.compile(r"  \S+ = extractvalue [^%]*(%[-\w.$]+), ")
_LOADING = re.compile(rf"  ({NAME}) = (?:tail )?call [^\n]* asm (?:sideeffect )?\"\s*(?:wmma\.load|ldmatrix)\.")
_NUMBERED = re.compile(r"^!(\d+) = ", re.M)
"""Metadata, whose numbers have gaps where functions were taken from another text (minicc.nvvm.functions)."""
_ENDS = re.compile("  (?:ret|switch|unreachable|indirectbr)")
_BACK = re.compile(rf"  br i1 ({NAME}), label {NAME}, label {NAME}$")
"""A branch that no note about unrolling follows."""
_COMPARE = re.compile(r"icmp (?:samesign )?\w+ i\d+ (\S+), (\S+)$")
_PHI = re.compile(r"phi i\d+ \[ (.+?), .*?\], \[ (.+?), .*?\]$")
_STEP = re.compile(rf"(?:add|sub) (?:nuw )?(?:nsw )?i\d+ ({NAME}), -?\d+$")
_SAME = re.compile(rf"{PURE}|call [^\n]*@llvm\.[su](?:max|min)\.")
"""Values that are the same for all threads if their operands are."""
_HEAD = re.compile(rf"{_SAME.pattern}|phi\b")
"""Those at the head of a loop with a barrier, which all threads come to."""


def marked(text: str) -> str | None:
    """The text with such loops marked, and nothing in them that keeps LLVM from unrolling them; None if it has none."""
    head, *functions = text.split("\ndefine ")
    first = 1 + max(map(int, _NUMBERED.findall(text)), default=0)
    notes = [f'!{first + n} = !{{!"llvm.loop.unroll.count", i32 {turns}}}' for n, turns in enumerate(TURNS)]
    groups = {number for number, _ in _ATTRIBUTES.findall(text)}
    for place, function in enumerate(functions):
        if "ptx_kernel" not in function[: function.find("{")] or not _together(function, groups):
            continue
        lines = function.split("\n")
        for start, latch in _loops(lines, groups):
            loop, count = f"!{first + len(notes)}", _loaded(lines[start:latch]) * TURNS[0] > _IN_FLIGHT
            lines[latch] += f", !llvm.loop {loop}"
            notes.append(f"{loop} = distinct !{{{loop}, !{first + count}}}")
        functions[place] = "\n".join(lines)
    if len(notes) == len(TURNS):
        return None
    text = "\ndefine ".join([head, *functions]).replace(_BARRIER, _NAME)
    text = _ATTRIBUTES.sub(rf"attributes #\1 = {{ nounwind\2{_ALONE} }}", text) if _ASM.search(text) else text
    return "\n".join([_DECLARED.sub(f"declare void {_NAME}i32) nounwind", text), *notes, ""])


def restored(text: str) -> str:
    """The text with its barriers, and what lanes do together."""
    lines = text.replace(_NAME, _BARRIER).split("\n")
    return "\n".join(
        line.replace(_ALONE, "").replace("{ ", "{ convergent ", 1) if _ALONE in line else line for line in lines
    )


def _together(text: str, groups: set[str]) -> bool:
    """Whether threads do something together there; `groups` are numbers of the attributes of such calls."""
    return _BARRIER in text or any(number in groups for number in _ASM.findall(text))


def _loaded(lines: list[str]) -> int:
    """How many words inline PTX loads in a turn."""
    loads = {found[1] for found in map(_LOADING.match, lines) if found}
    return sum(found[1] in loads for found in map(_PART.match, lines) if found)


def _loops(lines: list[str], groups: set[str]) -> list[tuple[int, int]]:
    """Of each such loop the places of its first line and its last, a branch."""
    labels, values = places(lines)
    begins = set(labels.values())
    blocks: list[int] = []
    """Of each line the place of its block's label."""
    for place in range(len(lines)):
        blocks.append(place if place in begins or not place else blocks[-1])
    targets = [[labels.get(name, 0) for name in TARGET.findall(line)] for line in lines]
    loops = [(start, end) for end, starts in enumerate(targets) for start in starts if start < end]
    loops = [(start, end) for start, end in loops if any(_together(line, groups) for line in lines[start:end])]
    heads = {start for start, _ in loops}

    def same(*names: str) -> bool:
        """Whether values are the same for all threads."""
        seen, todo = set(names), list(names)
        while todo:
            place, text = values.get(todo.pop(), (0, ""))
            if text and (re.search(THREAD, text) or not (_HEAD if blocks[place] in heads else _SAME).match(text)):
                return False
            more = set(re.findall(NAME, text)) - labels.keys() - seen
            seen |= more
            todo += more
        return True

    def counted(start: int, end: int) -> bool:
        """Whether the loop's last line compares an index with a bound."""
        branch = _BACK.match(lines[end])
        compare = branch and _COMPARE.match(values.get(branch[1], (0, ""))[1])
        if not compare:
            return False
        for phi, (place, text) in values.items():
            made = _PHI.match(text) if blocks[place] == start else None
            for first, following in (made.groups(), made.groups()[::-1]) if made else ():
                step = _STEP.match(values[following][1]) if following in values else None
                bounds = {*compare.groups()} - {phi, following}
                if step and step[1] == phi and len(bounds) == 1:
                    bound = bounds.pop()
                    known = "%" not in first + bound
                    return not known and values.get(bound, (0, ""))[0] < start and same(phi, bound)
        return False

    return [
        (start, end)
        for start, end in loops
        if sum(bool(_COSTS.match(line)) and not _PART.match(line) for line in lines[start:end]) <= LONGEST
        and not any(_ENDS.match(line) for line in lines[start:end])
        and all(place < target <= end for place in range(start, end) for target in targets[place])
        and counted(start, end)
    ]
