"""Line tables: `.debug_line` as ptxas -lineinfo writes it, from and to `Line` records.

One DWARF 2 line program holds a sequence for every kernel; `.rela.debug_line` ties each sequence's start address to its
kernel. NVIDIA's extension for inlined code, read out of ptxas 13.0.88 files: extended opcode 0x90 has two ULEB128
operands, the 1-based number within the sequence of the row that is the call site (0: not inlined) and the offset of the
inlined function's name in .debug_str; a call site gets a row of its own at the same address. A unit that uses it ends
its header with a u32, the base in .debug_str.
"""

from __future__ import annotations

import posixpath
import struct
from collections.abc import Iterable, Sequence

import attrs

from minicc.binary.data import Data
from minicc.numbers import sleb, uleb
from minicc.record import NamedTuple
from minicc.sass.program import Line
from minicc.texts import as_bytes

_LINE_BASE, _LINE_RANGE, _OPCODE_BASE = -5, 14, 10
_STANDARD_LENGTHS = bytes((0, 1, 1, 1, 1, 0, 0, 0, 1))
_HEAD = struct.Struct("<IHI")
_INLINED_CALL = 0x90


class Sequence_(NamedTuple):
    """Line records of one function: its name, its code size, its lines in address order."""

    name: str
    size: int
    lines: Sequence[Line]


class Written(NamedTuple):
    """Section contents, and (offset, function name) of each start address to relocate."""

    debug_line: bytes
    debug_str: bytes
    relocations: list[tuple[int, str]]


class _Writer:
    """State of the line program while it is written."""

    def __init__(self) -> None:
        self.program = bytearray()
        self.directories: dict[str, int] = {}
        self.files: dict[str, int] = {}
        self.strings = bytearray()
        self.string_at: dict[str, int] = {}
        self.rows = 0
        self.relocations: list[tuple[int, str]] = []

    def file(self, name: str) -> int:
        """1-based number in the file table."""
        if name not in self.files:
            directory = posixpath.dirname(name)
            if directory and directory not in self.directories:
                self.directories[directory] = len(self.directories) + 1
            self.files[name] = len(self.files) + 1
        return self.files[name]

    def string(self, text: str) -> int:
        if text not in self.string_at:
            self.string_at[text] = len(self.strings)
            self.strings += as_bytes(text) + b"\0"
        return self.string_at[text]

    def sequence(self, part: Sequence_) -> None:
        self.relocations.append((len(self.program) + 3, part.name))
        self.program += b"\x00\x09\x02" + bytes(8)
        self.rows = 0
        address, line, file, context, name = 0, 1, 0, 0, 0

        def row(at: int, to_file: str, to_line: int, to_context: int, to_name: int) -> int:
            nonlocal address, line, file, context, name
            number = self.file(to_file)
            if number != file:
                self.program += b"\x04" + uleb(number)
            if (to_context, to_name) != (context, name):
                operands = uleb(to_context) + uleb(to_name)
                self.program += b"\x00" + uleb(1 + len(operands)) + bytes((_INLINED_CALL,)) + operands
            step, advance = to_line - line, at - address
            special = step - _LINE_BASE + _LINE_RANGE * advance + _OPCODE_BASE
            if 0 <= step - _LINE_BASE < _LINE_RANGE and special <= 255 and advance:
                self.program.append(special)
            else:
                self.program += b"\x03" + sleb(step) if step else b""
                self.program += b"\x02" + uleb(advance) if advance else b""
                self.program += b"\x01"
            address, line, file, context, name = at, to_line, number, to_context, to_name
            self.rows += 1
            return self.rows

        for entry in part.lines:
            outer, called = 0, 0
            for call_file, call_line, _column, function in reversed(entry.inlined_at):
                outer = row(entry.offset, call_file, call_line, outer, called)
                called = self.string(function)
            row(entry.offset, entry.file, entry.line, outer, called)
        self.program += b"\x02" + uleb(max(part.size - address, 0)) + b"\x00\x01\x01"


def write(parts: Iterable[Sequence_]) -> Written:
    """The sections for these functions, in the order given. Columns are not kept: ptxas writes none."""
    writer = _Writer()
    for part in parts:
        if part.lines:
            writer.sequence(part)
    tables = b"".join(as_bytes(d) + b"\0" for d in writer.directories) + b"\0"
    for name in writer.files:
        directory = writer.directories.get(posixpath.dirname(name), 0)
        # Times and sizes of source files are left 0 ("unknown"): the same input gives the same bytes.
        tables += as_bytes(posixpath.basename(name)) + b"\0" + uleb(directory) + b"\0\0"
    tables += b"\0"
    fixed = bytes((1, 1, _LINE_BASE & 0xFF, _LINE_RANGE, _OPCODE_BASE)) + _STANDARD_LENGTHS
    header = fixed + tables + (bytes(4) if writer.strings else b"")
    start = _HEAD.size + len(header)
    data = _HEAD.pack(start - 4 + len(writer.program), 2, len(header)) + header + bytes(writer.program)
    return Written(data, bytes(writer.strings), [(start + at, name) for at, name in writer.relocations])


class _Cursor:
    """Sequential reads of a line program."""

    def __init__(self, data: Data, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, end

    def byte(self) -> int:
        if self.at >= self.end:
            self.data.bad(self.at, ".debug_line: the line program ends inside an operation")
        self.at += 1
        return self.data.view[self.at - 1]

    def uleb(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return value
        self.data.bad(self.at, ".debug_line: LEB128 number is too long")

    def sleb(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return value - (1 << shift + 7) if byte & 0x40 else value
        self.data.bad(self.at, ".debug_line: LEB128 number is too long")

    def text(self) -> str:
        out = self.data.string(self.at, ".debug_line name", limit=4096)
        self.at += len(out.encode("utf-8", "backslashreplace")) + 1
        if self.at > self.end:
            self.data.bad(self.end, ".debug_line: a name runs past its table")
        return out


@attrs.define(repr=False)
class _Row:
    file: str
    line: int
    column: int
    context: int
    name: str


def read(debug_line: Data, debug_str: Data | None, starts: dict[int, tuple[str, int]]) -> dict[str, list[Line]]:
    """Lines of each function. `starts` maps the offset of a start address in the section to (function, addend), from
    the section's relocations. Sequences without a relocation are left out: no function is known for them."""
    out: dict[str, list[Line]] = {}
    at = 0
    while at + _HEAD.size <= len(debug_line):
        length, version, header = debug_line.unpack(_HEAD, at, ".debug_line header")
        end = at + 4 + length
        if end > len(debug_line) or length < 6:
            debug_line.bad(at, f".debug_line: unit of {length} bytes does not fit in the section")
        if not 2 <= version <= 4:
            debug_line.bad(at + 4, f".debug_line: DWARF version {version} is not supported (2 to 4 are)")
        _Unit(debug_line, debug_str, starts, out, at, end).run(version, header)
        at = end
    return out


class _Unit:
    """A line program as DWARF 2 to 4 have it: its header, then a machine of a few registers that emits rows."""

    def __init__(
        self,
        data: Data,
        debug_str: Data | None,
        starts: dict[int, tuple[str, int]],
        out: dict[str, list[Line]],
        at: int,
        end: int,
    ) -> None:
        self.data, self.debug_str, self.starts, self.out, self.end = data, debug_str, starts, out, end
        self.at = at
        self.cursor = _Cursor(data, at + _HEAD.size, end)
        self.table: list[_Row] = []
        self.names: dict[int, str] = {}
        self._begin()

    def _begin(self) -> None:
        """A new sequence."""
        self.address, self.file, self.line, self.column, self.context = 0, 1, 1, 0, 0
        self.called = ""
        self.function: str | None = None
        self.table.clear()

    def run(self, version: int, header: int) -> None:
        program = self.at + _HEAD.size + header
        if program > self.end:
            self.data.bad(self.at + 6, ".debug_line: the header is longer than its unit")
        self._header(version)
        self.cursor.at = program
        while self.cursor.at < self.end:
            self._operation(self.cursor.byte())

    def _header(self, version: int) -> None:
        cursor = self.cursor
        self.step = cursor.byte()
        if version >= 4:
            cursor.byte()
        cursor.byte()
        base = cursor.byte()
        self.base = base - 256 if base > 127 else base
        self.line_range, self.opcode_base = cursor.byte(), cursor.byte()
        if not self.line_range or not self.opcode_base:
            self.data.bad(cursor.at - 2, ".debug_line: line range or opcode base is 0")
        self.lengths = [cursor.byte() for _ in range(self.opcode_base - 1)]
        directories, self.files = [""], [""]
        while name := cursor.text():
            directories.append(name)
        while name := cursor.text():
            directory, _, _ = cursor.uleb(), cursor.uleb(), cursor.uleb()
            known = directory < len(directories)
            self.files.append(posixpath.join(directories[directory], name) if known else name)

    def _operation(self, opcode: int) -> None:
        cursor = self.cursor
        if opcode >= self.opcode_base:
            self.address += (opcode - self.opcode_base) // self.line_range * self.step
            self.line += self.base + (opcode - self.opcode_base) % self.line_range
            self._emit()
        elif opcode == 0:
            self._extended()
        elif opcode == 1:
            self._emit()
        elif opcode == 2:
            self.address += cursor.uleb() * self.step
        elif opcode == 3:
            self.line += cursor.sleb()
        elif opcode == 4:
            self.file = cursor.uleb()
        elif opcode == 5:
            self.column = cursor.uleb()
        elif opcode == 8:
            self.address += (255 - self.opcode_base) // self.line_range * self.step
        elif opcode == 9:
            self.address += self.data.unpack(struct.Struct("<H"), cursor.at, "fixed advance")[0]
            cursor.at += 2
        else:
            for _ in range(self.lengths[opcode - 1]):
                cursor.uleb()

    def _extended(self) -> None:
        cursor = self.cursor
        size = cursor.uleb()
        if not size:
            self.data.bad(cursor.at, ".debug_line: extended operation of length 0")
        stop = cursor.at + size
        if stop > self.end:
            self.data.bad(cursor.at, ".debug_line: an extended operation runs past its unit")
        operation = cursor.byte()
        if operation == 1:
            self._begin()
        elif operation == 2:
            self.function, addend = self.starts.get(cursor.at, (None, 0))
            self.address = addend if self.function is not None else 0
        elif operation == _INLINED_CALL:
            self.context, offset = cursor.uleb(), cursor.uleb()
            self.called = self._name(offset) if self.context else ""
        cursor.at = stop

    def _name(self, offset: int) -> str:
        """Of a function that was inlined."""
        if offset not in self.names:
            strings = self.debug_str
            known = strings is not None and offset < len(strings)
            self.names[offset] = strings.string(offset, "inlined name", 4096) if known and strings else ""
        return self.names[offset]

    def _emit(self) -> None:
        """A row, and the line that it is, with the calls that it was inlined through."""
        where = self.files[self.file] if 0 < self.file < len(self.files) else ""
        table = self.table
        table.append(_Row(where, self.line, self.column, self.context, self.called))
        if self.function is None:
            return
        # A call site may be any earlier row; depth is bounded so that a damaged table cannot make huge chains.
        chain: list[tuple[str, int, int, str]] = []
        current = table[-1]
        while 0 < current.context < len(table) and len(chain) < 64:
            site = table[current.context - 1]
            chain.append((site.file, site.line, site.column, current.name))
            if site.context >= current.context:
                break
            current = site
        lines = self.out.setdefault(self.function, [])
        if lines and lines[-1].offset == self.address:
            lines.pop()
        lines.append(Line(self.address, where, self.line, self.column, tuple(chain)))
