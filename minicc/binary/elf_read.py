"""Reading an ELF64 file of any machine. Every access is within bounds, or a `CompileError` with the byte offset."""

from __future__ import annotations

import attrs

from minicc.binary.data import Data
from minicc.binary.elf import EHDR, NO_DATA, PHDR, REL, RELA, SHDR, SHT_RELA, SYM, SYMTAB


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
