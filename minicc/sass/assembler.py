"""Text to `Program`: what `listing` writes, what `objdump -sass` prints, and what people write by hand.

Left out, these are filled in: control codes (every instruction waits for everything before it: slow and safe), the
register count, the number of barriers. In the dump's format, the words in the comments give control codes and silent
fields; the instruction's text decides the rest.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Literal, NoReturn

import attrs

from minicc.arch import Arch
from minicc.diagnostics import CompileError, Diagnostic, Diagnostics, SourceFile, Span
from minicc.record import evolve
from minicc.sass.codec import decode, encode
from minicc.sass.control_text import parse_control
from minicc.sass.effects import effects
from minicc.sass.instr import Control, Instr, Target
from minicc.sass.listing import WORD, arch_of
from minicc.sass.parser import parse
from minicc.sass.printer import format
from minicc.sass.program import Function, Line, Param, Program, Relocation, Variable

_CONTROL = re.compile(r"\s*\[(B[^\]]*)\]")
_HIDDEN = re.compile(r"\s*\{([^}]*)\}\s*$")
_LABEL = re.compile(r"\s*([.\w$]+):\s*$")
_DUMP = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s*(.*?)\s*/\* (0x[0-9a-f]{16}) \*/\s*$")
_HIGH = re.compile(r"\s*/\* (0x[0-9a-f]{16}) \*/\s*$")
_FUNCTION = re.compile(r"\s*Function : (\S+)\s*$")
_SKIP = re.compile(
    r"\s*(\.headerflags|\.target|code for|Fatbin|=+|compile_size|arch =|code version|host =|identifier =|compressed$"
    r"|ptxasOptions =|producer|\.\.\.)"
)
_COMMENT = re.compile(r"(//|#(?!\w)).*$")
PADDING = bytes.fromhex("1879000000000000" + "0000000000c00f00")
"""The NOP that fills a text section behind the code."""
_WORDS = (1 << 32) - 1
_FILLED = 1 << 28
_PARAMETERS = 1 << 16
"""The largest numbers that directives take: as such, for bytes that `.zero` writes, and for parameters."""
_NAME = r'(?:"(?:[^"\\]|\\.)*"|[\w$.@<>:~]+)'


@attrs.define
class _Item:
    """One word to be: an instruction, or raw bytes. `where` is its place in the source."""

    at: int
    where: Span
    instr: Instr | None = None
    raw: bytes = b""
    bare: bool = False
    """Written without control codes."""


@attrs.define
class _Body:
    """A function under construction."""

    function: Function
    where: Span
    items: list[_Item] = attrs.field(factory=list)
    labels: dict[str, int] = attrs.field(factory=dict)
    at: int = 0
    mark: int | None = None
    registers: bool = False
    barriers: bool = False
    dumped: bool = False
    """From a dump, which shows the file's padding, too."""


def assemble(source: SourceFile | str, arch: Arch) -> Program:
    """The program of a listing or dump. Errors carry line, column and caret; up to twenty are collected."""
    if isinstance(source, str):
        source = SourceFile("<sass>", source)
    return _Assembler(source, arch).run()


class _Assembler:
    def __init__(self, source: SourceFile, arch: Arch) -> None:
        self.source, self.arch = source, arch
        self.program = Program(arch.name)
        self.bodies: list[_Body] = []
        self.body: _Body | None = None
        self.variable: Variable | None = None
        self.sink: Callable[[bytes], None] | None = None
        self.diagnostics = Diagnostics()
        self.pending: tuple[int, str, Span] | None = None
        self.directives = {name[4:]: getattr(self, name) for name in dir(self) if name.startswith("_do_")}

    def run(self) -> Program:
        offset = 0
        for text in self.source.text.split("\n"):
            try:
                self._line(text, offset)
            except CompileError as error:
                for item in error.diagnostics:
                    self.diagnostics.report(item._replace(where=item.where or self._span(text, offset)))
            except (ValueError, SyntaxError) as error:
                self.diagnostics.error("sass.syntax", str(error), self._span(text, offset))
            offset += len(text) + 1
        for body in self.bodies:
            self._finish(body)
        self.diagnostics.check()
        self.program.arch = self.arch.name
        return self.program

    def _span(self, text: str, offset: int) -> Span:
        start = len(text) - len(text.lstrip())
        return Span(self.source, offset + start, offset + max(len(text.rstrip()), start + 1))

    def _wrong(self, message: str, where: Span, code: str = "sass.syntax") -> NoReturn:
        raise CompileError(Diagnostic("error", code, message, where))

    def _line(self, text: str, offset: int) -> None:
        where = self._span(text, offset)
        dump = _DUMP.match(text)
        if dump:
            self.pending = None
            self._need_body(where)
            self.pending = (int(dump[3], 16), dump[2], Span(self.source, offset + dump.start(2), offset + dump.end(2)))
            return
        high = _HIGH.match(text)
        if high and self.pending:
            self._dumped(int(high[1], 16))
            return
        named = _FUNCTION.match(text)
        if named:
            self._begin(Function(named[1], b""), where)
            return
        stripped = text.strip()
        if not stripped or (_SKIP.match(text) and not stripped.startswith(".target")):
            return
        code = _COMMENT.sub("", text).rstrip()
        if not code.strip():
            return
        label = _LABEL.match(code)
        if label:
            body = self._need_body(where)
            if label[1] in body.labels:
                self._wrong(f"label '{label[1]}' is defined twice", where, "sass.label")
            body.labels[label[1]] = body.at
            return
        if stripped[0] == ".":
            name, *more = code.strip()[1:].split(None, 1)
            rest = more[0] if more else ""
            action = self.directives.get(name)
            if action is None:
                self._wrong(f"unknown directive '.{name}'", where)
            try:
                action(rest.strip(), where)
            except (ValueError, SyntaxError, IndexError, TypeError) as error:
                self._wrong(f"cannot read '.{name}': {error}", where)
            return
        self._instruction(code, offset, where)

    def _need_body(self, where: Span) -> _Body:
        if self.body is None:
            self._begin(Function("kernel", b""), where)
        assert self.body is not None
        return self.body

    def _begin(self, function: Function, where: Span) -> None:
        if any(f.name == function.name for f in self.program.functions):
            self._wrong(f"function '{function.name}' is defined twice", where)
        self.body = _Body(function, where)
        self.bodies.append(self.body)
        self.program.functions.append(function)
        self.sink = self.variable = None

    def _instruction(self, code: str, offset: int, where: Span) -> None:
        body = self._need_body(where)
        start, end = 0, len(code)
        control_words = None
        match = _CONTROL.match(code)
        if match:
            start = match.end()
            try:
                control_words = parse_control(match[1])
            except ValueError as error:
                self._wrong(str(error), Span(self.source, offset + match.start(1), offset + match.end(1)))
        hidden: list[tuple[str, int]] = []
        reuse = None
        notes = _HIDDEN.search(code, start)
        if notes and ";" in code[: notes.start() + 1]:
            end = notes.start()
            for item in notes[1].split(","):
                name, _, value = item.strip().partition("=")
                if name == "reuse":
                    reuse = int(value, 0)
                else:
                    hidden.append((name, int(value, 0)))
        instr = parse(code[start:end], self.arch.sass, self.source, offset + start)
        flags = instr.control.reuse if reuse is None else reuse
        control = evolve(control_words, reuse=flags) if control_words else Control(reuse=flags)
        instr = evolve(instr, control=control, hidden=tuple(hidden))
        body.items.append(_Item(body.at, where, instr, bare=control_words is None))
        body.at += WORD

    def _dumped(self, high: int) -> None:
        """An instruction of a dump: its text, with control codes and silent fields of the word beside it."""
        assert self.pending is not None
        low, text, where = self.pending
        self.pending = None
        body = self._need_body(where)
        body.dumped = True
        word = low | high << 64
        raw = word.to_bytes(WORD, "little")
        try:
            instr = decode(word, self.arch, body.at)
        except CompileError:
            body.items.append(_Item(body.at, where, raw=raw))
            body.at += WORD
            return
        if _squeeze(format(instr, self.arch.sass)) != _squeeze(text):
            edited = parse(text, self.arch.sass, self.source, where.start)
            control = evolve(instr.control, reuse=edited.control.reuse)
            instr = evolve(edited, control=control)
        body.items.append(_Item(body.at, where, instr))
        body.at += WORD

    # Directives. Each gets the rest of its line.

    def _do_target(self, rest: str, where: Span) -> None:
        family = arch_of(rest, where).sass
        if family != self.arch.sass:
            self._wrong(f"the listing is for {rest}, not for {self.arch.name}", where, "sass.target")
        self.arch = arch_of(rest)

    def _do_ptx_version(self, rest: str, where: Span) -> None:
        major, minor = rest.split(".")
        self.program.ptx_version = (int(major), int(minor))

    def _do_virtual_sm(self, rest: str, where: Span) -> None:
        self.program.virtual = int(rest)

    def _do_uses_extern_shared(self, rest: str, where: Span) -> None:
        self.program.uses_extern_shared = True

    def _do_extern(self, rest: str, where: Span) -> None:
        self.program.externs.append(_unquote(rest))

    def _do_independent(self, rest: str, where: Span) -> None:
        self.program.independent = True

    def _do_reference(self, rest: str, where: Span) -> None:
        name, kind = rest.rsplit(",", 1)
        if kind.strip() not in ("texref", "samplerref", "surfref", "size"):
            self._wrong(f"unknown kind of reference: {kind.strip()}", where)
        self.program.references[_unquote(name)] = kind.strip()

    def _do_constant4(self, rest: str, where: Span) -> None:
        self.program.constant4.append(_unquote(rest))

    def _do_debug_line(self, rest: str, where: Span) -> None:
        self.program.debug_line = b""

        def add(data: bytes) -> None:
            self.program.debug_line = (self.program.debug_line or b"") + data

        self.sink = add

    def _do_variable(self, rest: str, where: Span) -> None:
        match = re.fullmatch(rf"({_NAME}), (global|constant), size (\w+), align (\w+)(?:, offset (\w+))?", rest)
        if match is None:
            raise ValueError("expected name, global|constant, size N, align N[, offset N]")
        name, _, size, align, offset = match.groups()
        space: Literal["global", "constant"] = "global" if match[2] == "global" else "constant"
        place = _number(offset) if offset else None
        variable = Variable(_unquote(name), space, _number(size), _number(align), offset=place)
        self.program.variables.append(variable)
        self.variable, self.body = variable, None

        def add(data: bytes) -> None:
            variable.init = (variable.init or b"") + data

        self.sink = add

    def _do_bytes(self, rest: str, where: Span) -> None:
        data = bytes.fromhex(rest)
        if self.sink is not None:
            self.sink(data)
            return
        if len(data) % WORD:
            raise ValueError(f"{len(data)} bytes are not whole instructions of {WORD}")
        body = self._need_body(where)
        body.items.append(_Item(body.at, where, raw=data))
        body.at += len(data)

    def _do_zero(self, rest: str, where: Span) -> None:
        count = _number(rest, _FILLED)
        if self.sink is None:
            raise ValueError("'.zero' fills a variable")
        self.sink(bytes(count))

    def _do_function(self, rest: str, where: Span) -> None:
        match = re.fullmatch(rf"({_NAME}), (entry|device)", rest)
        if match is None:
            raise ValueError("expected name, entry|device")
        self._begin(Function(_unquote(match[1]), b"", match[2] == "entry"), where)

    def _do_registers(self, rest: str, where: Span) -> None:
        body = self._need_body(where)
        body.function.registers, body.registers = _number(rest), True

    def _do_barriers(self, rest: str, where: Span) -> None:
        body = self._need_body(where)
        body.function.barriers, body.barriers = _number(rest), True

    def _do_shared(self, rest: str, where: Span) -> None:
        match = re.fullmatch(r"(\w+)(?:, align (\w+))?", rest)
        if match is None:
            raise ValueError("expected size[, align N]")
        function = self._need_body(where).function
        function.shared, function.shared_align = _number(match[1]), _number(match[2] or "16")

    def _do_frame(self, rest: str, where: Span) -> None:
        match = re.fullmatch(r"(\w+)(?:, min_stack (\w+))?", rest)
        if match is None:
            raise ValueError("expected size[, min_stack N]")
        function = self._need_body(where).function
        function.frame, function.min_stack = _number(match[1]), _number(match[2] or match[1])

    def _do_param(self, rest: str, where: Span) -> None:
        match = re.fullmatch(r"(\w+), offset (\w+), size (\w+)", rest)
        if match is None:
            raise ValueError("expected ordinal, offset N, size N")
        ordinal, offset, size = (_number(g, _PARAMETERS) for g in match.groups())
        function = self._need_body(where).function
        function.params.append(Param(ordinal, offset, size))
        function.param_bytes = max(function.param_bytes, offset + size)

    def _do_param_bytes(self, rest: str, where: Span) -> None:
        self._need_body(where).function.param_bytes = _number(rest, _PARAMETERS)

    def _do_max_threads(self, rest: str, where: Span) -> None:
        x, y, z = (_number(w) for w in rest.split(","))
        self._need_body(where).function.max_threads = (x, y, z)

    def _do_req_threads(self, rest: str, where: Span) -> None:
        x, y, z = (_number(w) for w in rest.split(","))
        self._need_body(where).function.req_threads = (x, y, z)

    def _do_min_ctas(self, rest: str, where: Span) -> None:
        self._need_body(where).function.min_ctas = _number(rest)

    def _do_max_registers(self, rest: str, where: Span) -> None:
        self._need_body(where).function.max_registers = _number(rest)

    def _do_callee(self, rest: str, where: Span) -> None:
        self._need_body(where).function.callees.append(_unquote(rest))

    def _do_header(self, rest: str, where: Span) -> None:
        self._need_body(where).function.headers.append(_unquote(rest))

    def _do_constant2(self, rest: str, where: Span) -> None:
        function = self._need_body(where).function

        def add(data: bytes) -> None:
            function.constant2 += data

        self.sink = add

    def _do_relocation(self, rest: str, where: Span) -> None:
        match = re.fullmatch(rf"(\w+), (\w+), ({_NAME}), (-?\w+)", rest)
        if match is None:
            raise ValueError("expected offset, kind, symbol, addend")
        relocation = Relocation(int(match[1], 0), match[2], _unquote(match[3]), int(match[4], 0))
        if self.variable is not None:
            self.variable.relocations.append(relocation)
        else:
            self._need_body(where).function.relocations.append(relocation)
            self.sink = None

    def _do_attribute(self, rest: str, where: Span) -> None:
        match = re.fullmatch(rf"({_NAME}), (.*)", rest)
        if match is None:
            raise ValueError("expected name, value")
        self._need_body(where).function.attributes[_unquote(match[1])] = ast.literal_eval(match[2])
        self.sink = None

    def _do_label(self, rest: str, where: Span) -> None:
        body = self._need_body(where)
        body.function.labels[_unquote(rest)] = body.at if body.mark is None else body.mark
        self.sink = body.mark = None

    def _do_at(self, rest: str, where: Span) -> None:
        self._need_body(where).mark = _number(rest)

    def _do_loc(self, rest: str, where: Span) -> None:
        value = ast.literal_eval(f"({rest},)")
        body = self._need_body(where)
        chain = value[3] if len(value) > 3 else ()
        at = body.at if body.mark is None else body.mark
        body.function.lines.append(
            Line(at, str(value[0]), int(value[1]), int(value[2]), tuple(tuple(c) for c in chain))
        )
        self.sink = None

    def _do_word(self, rest: str, where: Span) -> None:
        low, high = (int(w, 0) for w in rest.split(","))
        body = self._need_body(where)
        if not (0 <= low < 1 << 64 and 0 <= high < 1 << 64):
            raise ValueError("expected two 64-bit numbers")
        body.items.append(_Item(body.at, where, raw=(low | high << 64).to_bytes(WORD, "little")))
        body.at += WORD

    # Second pass.

    def _finish(self, body: _Body) -> None:
        code = bytearray()
        top = barriers = -1
        for item in body.items:
            if item.instr is None:
                code += item.raw
                continue
            try:
                instr = self._place(item, body)
                if item.bare:
                    instr = evolve(instr, control=safe_control(instr, self.arch))
                code += encode(instr, self.arch, item.at).to_bytes(WORD, "little")
            except CompileError as error:
                for d in error.diagnostics:
                    self.diagnostics.report(d._replace(where=d.where or item.where))
                code += bytes(WORD)
                continue
            if not body.registers:
                fx = effects(instr, self.arch)
                top = max([top, *(a.index + a.count - 1 for a in (*fx.reads, *fx.writes) if a.file == "R")])
            if not body.barriers and instr.mnemonic == "BAR":
                barriers = max(barriers, next((o.bits for o in instr.operands if hasattr(o, "bits")), 15))
        while body.dumped and code.endswith(PADDING):
            del code[-WORD:]
        body.function.code = bytes(code)
        if not body.registers:
            body.function.registers = max(top + 1, 8)
        if not body.barriers and barriers >= 0:
            body.function.barriers = barriers + 1

    def _place(self, item: _Item, body: _Body) -> Instr:
        """The instruction with its labels replaced by addresses."""
        assert item.instr is not None
        operands = []
        for operand in item.instr.operands:
            if isinstance(operand, Target) and operand.label is not None:
                address = body.labels.get(operand.label, body.function.labels.get(operand.label))
                if address is None:
                    self._wrong(f"label '{operand.label}' is not defined in this function", item.where, "sass.label")
                operand = Target(address)
            operands.append(operand)
        return evolve(item.instr, operands=tuple(operands))


def safe_control(instr: Instr, arch: Arch) -> Control:
    """Control codes that need no knowledge of the neighbours: wait for all before, stall as long as a fixed latency
    is."""
    fx = effects(instr, arch)
    write = 0 if fx.variable and fx.writes else 7
    read = 1 if fx.late and fx.reads and write == 7 else 7
    return Control(15, True, write, read, 0b11)


def _squeeze(text: str) -> str:
    return text.replace(" ", "").rstrip(";")


def _number(text: str, limit: int = _WORDS) -> int:
    value = int(text, 0)
    if not 0 <= value <= limit:
        raise ValueError(f"{text[:20]} is not between 0 and {limit}")
    return value


def _unquote(text: str) -> str:
    return str(ast.literal_eval(text)) if text[:1] == '"' else text
