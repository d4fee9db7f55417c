"""Words that a loop carries as two halves are carried whole.

A fragment of halves is filled half by half and then read and written by inline assembly word by word, and LLVM keeps
each half in a variable of its own: every turn joins them before its mma and takes them apart behind it.

    %low = phi i32 [ 0, %entry ], [ %d, %loop ]             %word = phi i32 [ 0, %entry ], [ %d, %loop ]
    %high = phi i32 [ 0, %entry ], [ %upper, %loop ]        %high = lshr i32 %word, 16
    %shifted = shl i32 %high, 16
    %kept = and i32 %low, 65535
    %word = or i32 %shifted, %kept
    %d = call i32 asm "mma ...", (i32 %word)                %d = call i32 asm "mma ...", (i32 %word)
    %upper = lshr i32 %d, 16

The halves of constants, of one value on the same way, and of such pairs again come together. Input: a module's text
after LLVM's pipeline; what nothing uses any more is left to LLVM.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator

from minicc.nvvm.bodies import NAME, fresh, places

_WORD = re.compile(rf"or (?:disjoint )?i32 ({NAME}), ({NAME})(?:, !|$)")
_SHIFTED = re.compile(rf"shl (?:nuw )?(?:nsw )?i32 ({NAME}), 16(?:, !|$)")
_KEPT = re.compile(rf"and i32 ({NAME}), 65535(?:, !|$)")
_WIDE = re.compile(rf"zext (?:nneg )?i16 ({NAME}) to i32")
_NARROW = re.compile(rf"trunc (?:nuw )?(?:nsw )?i32 ({NAME}) to i16")
_UPPER = re.compile(rf"lshr (?:exact )?i32 ({NAME}), 16(?:, !|$)")
_PHIS = ("phi i32 ", "phi i16 ")
_NUMBER = re.compile(r"-?\d+")
_WAYS = re.compile(rf"\[ ({NAME}|-?\d+), ({NAME}) \]")

Pair = tuple[str, str]
"""Two phis of a block: the lower and the upper half of a word."""
Ways = dict[str, str]
"""Block -> the value that a phi has on the way from there."""


def joined(text: str) -> str:
    """The module's text with such words."""
    if not _seen(text):
        return text
    names = fresh(text, "whole")
    pieces = text.split("\n}\n")
    return "\n}\n".join([_Function(piece, names).joined() if _seen(piece) else piece for piece in pieces])


def _seen(text: str) -> bool:
    """Whether there may be such words."""
    return " = lshr i32 " in text and (" = zext i16 " in text or ", 65535" in text)


class _Function:
    """A function, and what stands before it."""

    def __init__(self, text: str, names: Iterator[str]) -> None:
        self.lines, self.names = text.split("\n"), names
        labels, self.values = places(self.lines)
        self.begins = sorted(labels.values())
        self.words: dict[Pair, tuple[str, Ways]] = {}
        """What pairs become: the name of the phi, and its ways."""

    def joined(self) -> str:
        renamed = {}
        for word, (_, made) in self.values.items():
            if (pair := self._pair(made)) and self._whole(pair):
                renamed[word] = self.words[pair][0]
        if not renamed:
            return "\n".join(self.lines)
        for name in [*renamed, *(high for _, high in self.words)]:
            self.lines[self.values[name][0]] = ""
        for (low, high), (word, ways) in self.words.items():
            at = self.values[low][0]
            incoming = ", ".join(f"[ {value}, {way} ]" for way, value in ways.items())
            halves = f"\n  {high} = lshr i32 %{word}, 16"
            if self._made(low).startswith("phi i16 "):
                self.lines[at] = ""
                halves = f"\n  %{word}.upper = lshr i32 %{word}, 16\n  {high} = trunc i32 %{word}.upper to i16"
                halves += f"\n  {low} = trunc i32 %{word} to i16"
            self.lines[self._behind_phis(at)] += halves
            self.lines[at] = f"  %{word} = phi i32 {incoming}\n{self.lines[at]}"
        return re.sub(
            NAME, lambda name: f"%{renamed[name[0]]}" if name[0] in renamed else name[0], "\n".join(self.lines)
        )

    def _pair(self, made: str) -> Pair | None:
        """The phis whose halves a value joins."""
        if (word := _WORD.match(made)) is None:
            return None
        for upper, lower in (word[1], word[2]), (word[2], word[1]):
            shifted, kept = _SHIFTED.match(self._made(upper)), _KEPT.match(self._made(lower))
            low, high = (
                kept[1] if kept else self._under(_WIDE, lower),
                self._under(_WIDE, shifted[1] if shifted else ""),
            )
            if shifted and self._together(low, high):
                return low, high
        return None

    def _under(self, made: re.Pattern[str], name: str) -> str:
        """What a value is made from in this way; itself if it is not."""
        found = made.match(self._made(name))
        return found[1] if found else name

    def _made(self, name: str) -> str:
        return self.values[name][1] if name in self.values else ""

    def _together(self, low: str, high: str) -> bool:
        """Whether both are phis of the same block."""
        kind = self._made(low)[: len(_PHIS[0])]
        alike = low != high and kind in _PHIS and self._made(high).startswith(kind)
        return alike and self._block(low) == self._block(high)

    def _block(self, name: str) -> int:
        return bisect(self.begins, self.values[name][0])

    def _behind_phis(self, at: int) -> int:
        """Where the last phi of the block is whose phi stands at a place."""
        while " = phi " in self.lines[at + 1] or not self.lines[at + 1]:  # or it was one
            at += 1
        return at

    def _whole(self, pair: Pair) -> bool:
        """Whether the phis are one word's halves on every way; they and those that they hang on are in `words` then."""
        before = dict(self.words)
        if self._found(pair):
            return True
        self.words = before
        return False

    def _found(self, pair: Pair) -> bool:
        if pair in self.words:
            return True
        if any(phi in other for other in self.words for phi in pair):
            return False
        low, high = ({way: value for value, way in _WAYS.findall(self._made(name))} for name in pair)
        least = 0 if self._made(pair[1]).startswith("phi i32 ") else -(1 << 15)
        ways: Ways = {}
        self.words[pair] = next(self.names), ways
        for way, value in low.items():
            upper = high.get(way, "")
            whole = self._under(_NARROW, value)
            extracted = _UPPER.match(self._made(self._under(_NARROW, upper)))
            if extracted and extracted[1] == whole:
                ways[way] = whole
            elif _NUMBER.fullmatch(value) and _NUMBER.fullmatch(upper) and least <= int(upper) < 1 << 16:
                ways[way] = str((int(upper) & 0xFFFF) << 16 | int(value) & 0xFFFF)
            elif self._together(value, upper) and self._found((value, upper)):
                ways[way] = f"%{self.words[value, upper][0]}"
            else:
                return False
        return len(ways) == self._made(pair[0]).count("[ ")
