"""What one cubin holds, free of any file format: made by ptxas and the assembler, written and read by `binary`, loaded
by the runtime driver."""

from __future__ import annotations

from typing import Literal, NamedTuple

import attrs


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


@attrs.define(repr=False)
class Function:
    """A kernel (`entry`) or a separately placed device function, with machine code of 16 bytes an instruction.

    Sizes in bytes, per thread for `frame`/`min_stack`, per CTA for `shared` (static, without the reserved 1024).
    `code` holds the instructions alone, without the file format's padding."""

    name: str
    code: bytes
    entry: bool = True
    registers: int = 0
    barriers: int = 0
    shared: int = 0
    shared_align: int = 16
    frame: int = 0
    min_stack: int = 0
    params: list[Param] = attrs.field(factory=list)
    param_bytes: int = 0
    max_threads: tuple[int, int, int] | None = None
    req_threads: tuple[int, int, int] | None = None
    min_ctas: int | None = None
    max_registers: int | None = None
    relocations: list[Relocation] = attrs.field(factory=list)
    callees: list[str] = attrs.field(factory=list)
    lines: list[Line] = attrs.field(factory=list)
    constant2: bytes = b""
    labels: dict[str, int] = attrs.field(factory=dict)
    attributes: dict[str, object] = attrs.field(factory=dict)
    """Further EIATTR records by name, as read; the writer emits what it knows how to derive."""
    headers: list[str] = attrs.field(factory=list)
    """Textures, samplers and surfaces whose numbers the driver writes behind the parameters, a word each."""
    debug: dict[str, tuple[str, int]] = attrs.field(factory=dict)
    """What names in debug sections mean here (`ptxas.dwarf.located`)."""
    frames: list[tuple[int, int, int, int, int]] = attrs.field(factory=list)
    """With debug sections: (offset, size, first and last byte with a frame, its size) of each function in the code."""

    @property
    def parameter_size(self) -> int:
        """Bytes that a launch gives: as many as the file says, or as its parameters take if that is more."""
        return max([self.param_bytes, *(p.offset + p.size for p in self.params)])


@attrs.frozen(repr=False)
class DebugSection:
    """A DWARF section that is neither lines nor strings."""

    data: bytes
    relocations: list[Relocation] = attrs.field(factory=list)


@attrs.define(repr=False)
class Variable:
    """A module-scope variable: __device__ (space "global") or __constant__ (space "constant", bank 3).
    `init` None means zero-filled. Relocations patch 64-bit addresses inside `init`."""

    name: str
    space: Literal["global", "constant"]
    size: int
    align: int
    init: bytes | None = None
    relocations: list[Relocation] = attrs.field(factory=list)
    offset: int | None = None
    """Offset in its section once placed (banks are laid out by `ptxas`; code refers to c[0x3][offset])."""


@attrs.define(repr=False)
class Program:
    """One device module for one architecture, e.g. arch "sm_90"."""

    arch: str
    functions: list[Function] = attrs.field(factory=list)
    variables: list[Variable] = attrs.field(factory=list)
    externs: list[str] = attrs.field(factory=list)
    """Symbols the driver provides: vprintf, __assertfail, malloc, free."""
    constant4: list[str] = attrs.field(factory=list)
    """Symbols whose 64-bit addresses the driver writes to c[0x4][8*i] (globals, externs), in slot order."""
    uses_extern_shared: bool = False
    ptx_version: tuple[int, int] | None = None
    virtual: int = 0
    """Number of the .target that it was made from, if that is not its own."""
    debug_line: bytes | None = None
    references: dict[str, str] = attrs.field(factory=dict)
    """Names that the driver gives a meaning: "texref", "samplerref", "surfref", or "size" (of a descriptor)."""
    independent: bool = False
    """Whether samplers are told apart from textures (texmode_independent)."""
    debug: dict[str, DebugSection] = attrs.field(factory=dict)
    """DWARF sections by name, in order."""

    def function(self, name: str) -> Function:
        """The function of that (mangled) name; KeyError if there is none."""
        for function in self.functions:
            if function.name == name:
                return function
        raise KeyError(name)
