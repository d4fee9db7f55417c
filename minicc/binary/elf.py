"""64-bit little-endian ELF as CUDA uses it: read any, lay out ours.

Format facts: the ELF specification; for CUDA the header fields that CUDA 13.0 files show (OSABI 0x41, ABI version 8,
machine 190, e_flags = SM number in bits 8..23 and the section index of .note.nv.cuinfo in bits 24..31), read out of
ptxas 13.0.88 files; for ABI version 7 (CUDA 12 and older) LLVM's BinaryFormat/ELF.h.
"""

from __future__ import annotations

import struct

import attrs

from minicc.binary.data import Data, align_up

EHDR = struct.Struct("<16sHHIQQQIHHHHHH")
SHDR = struct.Struct("<IIQQQQIIQQ")
PHDR = struct.Struct("<IIQQQQQQ")
SYM = struct.Struct("<IBBHQQ")
RELA = struct.Struct("<QIIq")
REL = struct.Struct("<QII")

EM_CUDA = 190
ET_REL, ET_EXEC = 1, 2
PROGBITS, SYMTAB, STRTAB, SHT_RELA, NOTE, NOBITS, SHT_REL = 1, 2, 3, 4, 7, 8, 9
NO_DATA = frozenset((0, NOBITS, 0x70000007, 0x70000009, 0x7000000A, 0x70000015))
"""Section types without bytes in the file: besides NOBITS, CUDA_GLOBAL, _LOCAL, _SHARED and _RESERVED_SHARED."""
WRITE, ALLOC, EXEC, INFO_LINK = 1, 2, 4, 0x40
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION = 0, 1, 2, 3
STT_REFERENCES = {"texref": 10, "samplerref": 11, "surfref": 12}
"""Symbols of textures, samplers and surfaces that a program names; the driver knows them."""
STB_LOCAL, STB_GLOBAL, STB_WEAK = 0, 1, 2
STO_ENTRY = 0x10


@attrs.frozen(eq=False, repr=False)
class Section:
    """One section as read. `data` is empty for the types of `NO_DATA`, whose extent is `size`."""

    index: int
    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entsize: int
    data: Data


@attrs.frozen(repr=False)
class Symbol:
    """One symbol as read."""

    index: int
    name: str
    value: int
    size: int
    type: int
    bind: int
    other: int
    section: int


@attrs.frozen(repr=False)
class Reloc:
    """One relocation entry; `type` is a number (see `codes.RELOCATIONS`), `symbol` an index."""

    offset: int
    type: int
    symbol: int
    addend: int


@attrs.frozen(repr=False)
class Segment:
    """One program header."""

    type: int
    flags: int
    offset: int
    filesz: int
    memsz: int
    align: int


@attrs.frozen(eq=False, repr=False)
class Elf:
    """An ELF file: the view that `objdump -elf` prints and `read_cubin` interprets."""

    name: str
    type: int
    machine: int
    osabi: int
    abi: int
    flags: int
    sections: list[Section]
    symbols: list[Symbol]
    segments: list[Segment]
    data: Data

    def section(self, name: str) -> Section | None:
        """The first section of that name."""
        for section in self.sections:
            if section.name == name:
                return section
        return None

    def relocations(self, section: Section) -> list[Reloc]:
        """Entries of a RELA or REL section, in file order. The addend of a REL entry is 0."""
        layout = RELA if section.type == SHT_RELA else REL
        out = []
        for at in range(0, len(section.data) - layout.size + 1, layout.size):
            fields = section.data.unpack(layout, at, section.name)
            if fields[2] >= len(self.symbols):
                section.data.bad(at, f"{section.name}: symbol index {fields[2]} is out of range")
            out.append(Reloc(fields[0], fields[1], fields[2], fields[3] if layout is RELA else 0))
        return out


class _Names:
    """Strings of one table, each offset decoded once. The total is bounded, so that overlapping names of a hostile
    file cannot multiply its size."""

    def __init__(self, table: Data) -> None:
        self.table, self.seen, self.budget = table, {}, 8 * len(table) + 4096  # type: Data, dict[int, str], int

    def at(self, offset: int, what: str) -> str:
        if not len(self.table):
            return ""
        if offset not in self.seen:
            text = self.table.string(offset, what)
            self.budget -= len(text)
            if self.budget < 0:
                self.table.bad(offset, "the names in this string table overlap too much")
            self.seen[offset] = text
        return self.seen[offset]


def read(data: bytes | bytearray | memoryview, name: str) -> Elf:
    """Read an ELF64 file of any machine. `CompileError` with the byte offset if it is not one or is cut or damaged."""
    view = Data.of(data, name)
    head = view.unpack(EHDR, 0, "ELF header")
    ident = bytes(view.view[:16])
    if ident[:4] != b"\x7fELF":
        view.bad(0, "not an ELF file (no 7f 45 4c 46 at the start)")
    if ident[4] != 2 or ident[5] != 1:
        view.bad(4, "not a 64-bit little-endian ELF file")
    _, kind, machine, _, _, phoff, shoff, flags, _, phentsize, phnum, shentsize, shnum, shstrndx = head
    if shnum and shentsize != SHDR.size:
        view.bad(0x3A, f"section headers of {shentsize} bytes; {SHDR.size} expected")
    raw = [view.unpack(SHDR, shoff + SHDR.size * i, f"section header {i}") for i in range(shnum)]
    total, parts = 0, []
    for i, (_, typ, _, _, offset, size, *_rest) in enumerate(raw):
        here = 0 if typ in NO_DATA else size
        total += here
        if total > 4 * len(view):  # sm_100 files hold some sections twice, over the same bytes
            view.bad(shoff + SHDR.size * i, "sections are larger than the file or overlap")
        parts.append(view.part(offset, here, f"section {i}") if here else Data(view.view[:0], name, 0))
    if shnum and shstrndx >= shnum:
        view.bad(0x3E, f"section name table {shstrndx} does not exist")
    names = _Names(parts[shstrndx] if shnum else view.part(0, 0, ""))
    sections = [
        Section(
            i, names.at(r[0], f"name of section {i}"), r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], parts[i]
        )
        for i, r in enumerate(raw)
    ]
    segments = []
    if phnum:
        if phentsize != PHDR.size:
            view.bad(0x36, f"program headers of {phentsize} bytes; {PHDR.size} expected")
        for i in range(phnum):
            p = view.unpack(PHDR, phoff + PHDR.size * i, f"program header {i}")
            segments.append(Segment(p[0], p[1], p[2], p[5], p[6], p[7]))
    return Elf(name, kind, machine, ident[7], ident[8], flags, sections, _symbols(view, sections), segments, view)


def _symbols(view: Data, sections: list[Section]) -> list[Symbol]:
    table = next((s for s in sections if s.type == SYMTAB), None)
    if table is None:
        return []
    if table.link >= len(sections):
        view.bad(table.offset, f"symbol table links to section {table.link}, which does not exist")
    names, out = _Names(sections[table.link].data), []
    for i in range(len(table.data) // SYM.size):
        n, info, other, shndx, value, size = table.data.unpack(SYM, i * SYM.size, f"symbol {i}")
        if shndx >= len(sections) and shndx < 0xFF00:
            table.data.bad(i * SYM.size, f"symbol {i} is in section {shndx}, which does not exist")
        text = names.at(n, f"name of symbol {i}")
        out.append(Symbol(i, text, value, size, info & 15, info >> 4, other, shndx))
    return out


# -- writing ---------------------------------------------------------------------------------------------------------


@attrs.define(eq=False, repr=False)
class Draft:
    """A section to be written. `link` and a string `info` name another section; `size` is for NOBITS."""

    name: str
    type: int
    flags: int = 0
    data: bytes = b""
    link: str = ""
    info: int | str = 0
    align: int = 1
    entsize: int = 0
    size: int = 0


@attrs.define(eq=False, repr=False)
class DraftSymbol:
    """A symbol to be written; `section` "" is undefined."""

    name: str
    section: str = ""
    value: int = 0
    size: int = 0
    type: int = STT_NOTYPE
    bind: int = STB_LOCAL
    other: int = 0


class Strings:
    """A string table under construction; equal strings are stored once."""

    def __init__(self) -> None:
        self.blob, self.at = bytearray(b"\0"), {"": 0}

    def add(self, text: str) -> int:
        if text not in self.at:
            self.at[text] = len(self.blob)
            self.blob += text.encode("utf-8", "surrogateescape") + b"\0"
        return self.at[text]


def pack_symbols(symbols: list[DraftSymbol], index: dict[str, int], strings: Strings) -> bytes:
    """Bytes of a .symtab whose null entry is written first; `index` maps section names to numbers."""
    out = bytearray(SYM.size)
    for s in symbols:
        where = index[s.section] if s.section else 0
        out += SYM.pack(strings.add(s.name), s.bind << 4 | s.type, s.other, where, s.value, s.size)
    return bytes(out)


@attrs.frozen(repr=False)
class Layout:
    """What `lay_out` needs besides sections: header fields, and the runs that become PT_LOAD segments."""

    type: int
    machine: int
    flags: int
    osabi: int = 0
    abi: int = 0
    segments: bool = False
    shstrndx: int = 1


def lay_out(sections: list[Draft], head: Layout) -> bytes:
    """The file: header, section contents in order, section headers, program headers (if `head.segments`), as ptxas
    orders them. `sections` does not include the null section."""
    index = {s.name: i + 1 for i, s in enumerate(sections)}
    out = bytearray(EHDR.size)
    names = Strings()
    for s in sections:
        names.add(s.name)
    offsets: list[tuple[int, int]] = []
    for i, s in enumerate(sections):
        data = bytes(names.blob) if i + 1 == head.shstrndx else s.data
        out += bytes(align_up(len(out), max(s.align, 1)) - len(out))
        offsets.append((len(out), s.size if s.type == NOBITS else len(data)))
        if s.type != NOBITS:
            out += data
    out += bytes(align_up(len(out), 8) - len(out))
    shoff = len(out)
    out += bytes(SHDR.size)
    for s, (offset, size) in zip(sections, offsets, strict=True):
        link = index[s.link] if s.link else 0
        info = index[s.info] if isinstance(s.info, str) else s.info
        out += SHDR.pack(names.add(s.name), s.type, s.flags, 0, offset, size, link, info, max(s.align, 1), s.entsize)
    phoff, headers = 0, b""
    if head.segments:
        phoff = len(out)
        headers = _segments(sections, offsets, phoff)
        out += headers
    ident = b"\x7fELF\x02\x01\x01" + bytes((head.osabi, head.abi)) + bytes(7)
    counts = (PHDR.size if headers else 0, len(headers) // PHDR.size, SHDR.size, len(sections) + 1, head.shstrndx)
    out[: EHDR.size] = EHDR.pack(ident, head.type, head.machine, 1, 0, phoff, shoff, head.flags, EHDR.size, *counts)
    return bytes(out)


def _segments(sections: list[Draft], offsets: list[tuple[int, int]], phoff: int) -> bytes:
    """PT_PHDR, PT_LOAD of the table itself, then one PT_LOAD a run of sections with the same access, in file order."""
    runs: list[tuple[int, int, int, int]] = []  # flags, start, end in file, end in memory
    for s, (offset, size) in zip(sections, offsets, strict=True):
        if not s.flags & ALLOC:
            continue
        access = 4 | (2 if s.flags & WRITE else 0) | (1 if s.flags & EXEC else 0)
        filled = 0 if s.type == NOBITS else size
        if runs and runs[-1][0] == access:
            _, start, end, memory = runs[-1]
            memory = align_up(memory, max(s.align, 1)) + size if s.type == NOBITS else offset + size - start
            runs[-1] = (access, start, max(end, offset + filled), memory)
        else:
            runs.append((access, offset, offset + filled, size))
    size = PHDR.size * (2 + len(runs))
    out = PHDR.pack(6, 4, phoff, 0, 0, size, size, 8) + PHDR.pack(1, 4, phoff, 0, 0, size, size, 8)
    for access, start, end, memory in runs:
        out += PHDR.pack(1, access, start, 0, 0, end - start, max(memory, end - start), 8)
    return out
