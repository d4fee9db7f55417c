"""One kind of error for every stage.

A stage reports a `Diagnostic` (severity, stable code, message, place, notes) into a `Diagnostics` collector, or raises
`CompileError` at once. The driver prints them as clang does (file:line:column, source line, caret) or as JSON, and
exits with the status of the stage: 1 for errors in source, 255 from ptxas, as nvcc does.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NoReturn

from minicc.record import NamedTuple

Severity = Literal["error", "warning", "note", "remark"]

EXIT_SOURCE = 1
"""Exit status for errors in what the user wrote or typed, as nvcc's."""
EXIT_PTXAS = 255
"""Exit status when the ptxas stage fails, as nvcc's."""
EXIT_INTERNAL = 70
"""Exit status of a fault of minicc itself (EX_SOFTWARE of sysexits.h)."""


class SourceFile:
    """A text that diagnostics can point into. `name` is printed as given; `text` is the whole content."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self._renumbered: list[tuple[int, int, str]] = []
        self._starts, at = [0], text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    def position(self, offset: int) -> tuple[int, int]:
        """1-based (line, column) of a 0-based character offset."""
        line = bisect.bisect_right(self._starts, offset) - 1
        return line + 1, offset - self._starts[line] + 1

    def renumber(self, line: int, number: int, name: str) -> None:
        """From `line` on the text is that of file `name` from `number` on (#line). Told in the order of lines; told
        again, as for another machine, it changes nothing."""
        if not self._renumbered or self._renumbered[-1][0] < line:
            self._renumbered.append((line, number, name))

    def presumed(self, offset: int) -> tuple[str, int, int]:
        """(file, line, column) of an offset, as #line has them."""
        line, column = self.position(offset)
        at = bisect.bisect_right(self._renumbered, line, key=lambda known: known[0]) - 1
        if at < 0:
            return self.name, line, column
        start, number, name = self._renumbered[at]
        return name, number + line - start, column

    def line(self, number: int) -> str:
        """Text of a 1-based line without its newline; empty if there is no such line."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")


class Span(NamedTuple):
    """Half-open range of character offsets in one source."""

    source: SourceFile
    start: int
    end: int

    def __str__(self) -> str:
        return ":".join(map(str, self.source.presumed(self.start)))


class Diagnostic(NamedTuple):
    """One message. `code` is stable ("frontend.undeclared"; nvcc's "177-D" where it has such a warning);
    `where` is a place in a text, or None.

    `place` is for inputs that have no text positions ("vadd.cubin: byte 0x40") and is printed when `where` is None.
    """

    severity: Severity
    code: str
    message: str
    where: Span | None = None
    place: str | None = None
    notes: Sequence[Diagnostic] = ()

    def render(self) -> str:
        """Text as clang prints it: place, severity, message, source line, caret, then notes."""
        prefix = f"{self.where}: " if self.where else f"{self.place}: " if self.place else "minicc: "
        number = f" #{self.code}" if self.code.endswith("-D") else ""
        lines = [f"{prefix}{self.severity}{number}: {''.join(map(_visible, self.message))}"]
        if self.where:
            line, column = self.where.source.position(self.where.start)
            text = self.where.source.line(line)
            if text.strip():
                lines += _excerpt(text, column - 1, self.where.end - self.where.start)
        lines += [note.render() for note in self.notes]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Schema: severity, code, message, and where known file/line/column/end_line/end_column, notes."""
        out: dict[str, Any] = {"severity": self.severity, "code": self.code, "message": self.message}
        if self.where:
            file, line, column = self.where.source.presumed(self.where.start)
            _, end_line, end_column = self.where.source.presumed(self.where.end)
            out |= {"file": file, "line": line, "column": column}
            out |= {"end_line": end_line, "end_column": end_column}
        elif self.place:
            out["place"] = self.place
        if self.notes:
            out["notes"] = [note.to_json() for note in self.notes]
        return out


_WIDEST, _AROUND = 200, 60
"""Of a line longer than the one, that many characters before the place are shown."""


def _excerpt(text: str, at: int, length: int) -> list[str]:
    """A source line and what marks `length` characters from `at` on; of a long line, the part around them."""
    before, after = "", ""
    if len(text) > _WIDEST:
        start = max(0, at - _AROUND)
        before, after = "..." * (start > 0), "..." * (start + _WIDEST < len(text))
        text, at = text[start : start + _WIDEST], at - start
    marked = max(1, sum(_columns(ch) for ch in text[at : at + length]))
    pad = " " * len(before) + "".join("\t" if ch == "\t" else " " * _columns(ch) for ch in text[:at])
    return [f"    {before}{''.join(map(_visible, text))}{after}", f"    {pad}^{'~' * (marked - 1)}"]


def _visible(ch: str) -> str:
    """A character as it is printed: what would steer the terminal, and bytes that are no text, by their numbers."""
    if ch.isprintable() or ch in "\t\n":
        return ch
    return f"<{ord(ch) - 0xDC00:02X}>" if "\udc80" <= ch <= "\udcff" else f"<U+{ord(ch):04X}>"


def _columns(ch: str) -> int:
    """What a character takes on a terminal."""
    if not ch.isprintable():
        return len(_visible(ch))
    if ch.isascii():
        return 1
    from unicodedata import combining, east_asian_width

    return 0 if combining(ch) else 2 if east_asian_width(ch) in "WF" else 1


class CompileError(Exception):
    """A stage cannot go on. Carries every diagnostic found so far and the process exit status."""

    def __init__(self, diagnostics: Iterable[Diagnostic] | Diagnostic, exit_status: int = EXIT_SOURCE) -> None:
        self.diagnostics = [diagnostics] if isinstance(diagnostics, Diagnostic) else list(diagnostics)
        self.exit_status = exit_status
        super().__init__("\n".join(d.render() for d in self.diagnostics))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics, self.exit_status)


def fail(
    code: str,
    message: str,
    where: Span | None = None,
    *,
    place: str | None = None,
    notes: Sequence[Diagnostic] = (),
    exit_status: int = EXIT_SOURCE,
) -> NoReturn:
    """Raise a `CompileError` of one error."""
    raise CompileError(Diagnostic("error", code, message, where, place, notes), exit_status)


class Diagnostics:
    """Collector for stages that recover and report several. `limit` errors end the stage, as clang's -ferror-limit.
    `severity` says what a warning of a code counts as (None: nothing is said)."""

    def __init__(
        self,
        limit: int = 20,
        exit_status: int = EXIT_SOURCE,
        severity: Callable[[str], Severity | None] = lambda code: "warning",
    ) -> None:
        self.limit, self.exit_status, self.severity = limit, exit_status, severity
        self.items: list[Diagnostic] = []

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep one; raises `CompileError` when the error limit is reached."""
        self.items.append(diagnostic)
        if diagnostic.severity == "error" and len(self.errors) >= self.limit:
            raise CompileError(self.items, self.exit_status)

    def error(self, code: str, message: str, where: Span | None = None, notes: Sequence[Diagnostic] = ()) -> None:
        self.report(Diagnostic("error", code, message, where, None, notes))

    def warn(self, code: str, message: str, where: Span | None = None, notes: Sequence[Diagnostic] = ()) -> None:
        if severity := self.severity(code):
            self.report(Diagnostic(severity, code, message, where, None, notes))

    @property
    def errors(self) -> list[Diagnostic]:
        return [d for d in self.items if d.severity == "error"]

    def check(self) -> None:
        """Raise `CompileError` if any error was reported."""
        if self.errors:
            raise CompileError(self.items, self.exit_status)
