"""What one cubin holds, free of any file format: made by ptxas and the assembler, written and read by `binary`, loaded
by the runtime driver."""

from __future__ import annotations

from typing import Literal

from minicc.record import NamedTuple, Record


class Relocation(NamedTuple):
    """Patch `kind` (R_CUDA_* name) at byte `offset` of its section with the address of `symbol` + `addend`."""

    offset: int
    kind: str
    symbol: str
    addend: int = 0


class Param(NamedTuple):
    """One kernel parameter: byte `offset` from the start of the parameter area (c[0x0][0x210] on sm_90) and size."""

    ordinal: int
    offset: int
    size: int


class Line(NamedTuple):
    """From byte `offset` of the code on, the source is file:line:column. `inlined_at` is the chain of call sites,
    innermost first, each (file, line, column, name of the inlined function)."""

    offset: int
    file: str
    line: int
    column: int = 0
    inlined_at: tuple[tuple[str, int, int, str], ...] = ()


CONSTANT_BANK = 65536
"""Bytes of a constant bank: what an instruction's 16 bits of offset reach."""


class Function(Record):
    """A kernel (`entry`) or a separately placed device function, with machine code of 16 bytes an instruction.

    Sizes in bytes, per thread for `frame`/`min_stack`, per CTA for `shared` (static, without the reserved 1024).
    `code` holds the instructions alone, without the file format's padding."""

    def __init__(
        self,
        name: str,
        code: bytes,
        entry: bool = True,
        registers: int = 0,
        barriers: int = 0,
        shared: int = 0,
        shared_align: int = 16,
        frame: int = 0,
        min_stack: int = 0,
        params: list[Param] | None = None,
        param_bytes: int = 0,
        max_threads: tuple[int, int, int] | None = None,
        req_threads: tuple[int, int, int] | None = None,
        min_ctas: int | None = None,
        max_registers: int | None = None,
        relocations: list[Relocation] | None = None,
        callees: list[str] | None = None,
        lines: list[Line] | None = None,
        constant2: bytes = b"",
        labels: dict[str, int] | None = None,
        attributes: dict[str, object] | None = None,
        headers: list[str] | None = None,
        debug: dict[str, tuple[str, int]] | None = None,
        frames: list[tuple[int, int, int, int, int]] | None = None,
    ) -> None:
        self.name, self.code, self.entry, self.registers, self.barriers = name, code, entry, registers, barriers
        self.shared, self.shared_align, self.frame, self.min_stack = shared, shared_align, frame, min_stack
        self.params: list[Param] = [] if params is None else params
        self.param_bytes, self.max_threads, self.req_threads = param_bytes, max_threads, req_threads
        self.min_ctas, self.max_registers = min_ctas, max_registers
        self.relocations: list[Relocation] = [] if relocations is None else relocations
        self.callees: list[str] = [] if callees is None else callees
        self.lines: list[Line] = [] if lines is None else lines
        self.constant2 = constant2
        self.labels: dict[str, int] = {} if labels is None else labels
        self.attributes: dict[str, object] = {} if attributes is None else attributes
        """Further EIATTR records by name, as read; the writer emits what it knows how to derive."""
        self.headers: list[str] = [] if headers is None else headers
        """Textures, samplers and surfaces whose numbers the driver writes behind the parameters, a word each."""
        self.debug: dict[str, tuple[str, int]] = {} if debug is None else debug
        """What names in debug sections mean here (`ptxas.dwarf.located`)."""
        self.frames: list[tuple[int, int, int, int, int]] = [] if frames is None else frames
        """With debug sections: (offset, size, first and last byte with a frame, its size) of each function in the
        code."""

    @property
    def parameter_size(self) -> int:
        """Bytes that a launch gives: as many as the file says, or as its parameters take if that is more."""
        return max([self.param_bytes, *(p.offset + p.size for p in self.params)])


class DebugSection(Record):
    """A DWARF section that is neither lines nor strings."""

    def __init__(self, data: bytes, relocations: list[Relocation] | None = None) -> None:
        self.data = data
        self.relocations: list[Relocation] = [] if relocations is None else relocations


class Variable(Record):
    """A module-scope variable: __device__ (space "global") or __constant__ (space "constant", bank 3).
    `init` None means zero-filled. Relocations patch 64-bit addresses inside `init`."""

    def __init__(
        self,
        name: str,
        space: Literal["global", "constant"],
        size: int,
        align: int,
        init: bytes | None = None,
        relocations: list[Relocation] | None = None,
        offset: int | None = None,
    ) -> None:
        self.name, self.space, self.size, self.align, self.init = name, space, size, align, init
        self.relocations: list[Relocation] = [] if relocations is None else relocations
        self.offset = offset
        """Offset in its section once placed (banks are laid out by `ptxas`; code refers to c[0x3][offset])."""


class Program(Record):
    """One device module for one architecture, e.g. arch "sm_90"."""

    def __init__(
        self,
        arch: str,
        functions: list[Function] | None = None,
        variables: list[Variable] | None = None,
        externs: list[str] | None = None,
        constant4: list[str] | None = None,
        uses_extern_shared: bool = False,
        ptx_version: tuple[int, int] | None = None,
        virtual: int = 0,
        debug_line: bytes | None = None,
        references: dict[str, str] | None = None,
        independent: bool = False,
        debug: dict[str, DebugSection] | None = None,
    ) -> None:
        self.arch = arch
        self.functions: list[Function] = [] if functions is None else functions
        self.variables: list[Variable] = [] if variables is None else variables
        self.externs: list[str] = [] if externs is None else externs
        """Symbols the driver provides: vprintf, __assertfail, malloc, free."""
        self.constant4: list[str] = [] if constant4 is None else constant4
        """Symbols whose 64-bit addresses the driver writes to c[0x4][8*i] (globals, externs), in slot order."""
        self.uses_extern_shared, self.ptx_version = uses_extern_shared, ptx_version
        self.virtual = virtual
        """Number of the .target that it was made from, if that is not its own."""
        self.debug_line = debug_line
        self.references: dict[str, str] = {} if references is None else references
        """Names that the driver gives a meaning: "texref", "samplerref", "surfref", or "size" (of a descriptor)."""
        self.independent = independent
        """Whether samplers are told apart from textures (texmode_independent)."""
        self.debug: dict[str, DebugSection] = {} if debug is None else debug
        """DWARF sections by name, in order."""

    def function(self, name: str) -> Function:
        """The function of that (mangled) name; KeyError if there is none."""
        for function in self.functions:
            if function.name == name:
                return function
        raise KeyError(name)
