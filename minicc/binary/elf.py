"""64-bit little-endian ELF as CUDA uses it: the format, and how ours is laid out. `elf_read` reads any.

Format facts: the ELF specification; for CUDA the header fields that CUDA 13.0 files show (OSABI 0x41, ABI version 8,
machine 190, e_flags = SM number in bits 8..23 and the section index of .note.nv.cuinfo in bits 24..31), read out of
ptxas 13.0.88 files; for ABI version 7 (CUDA 12 and older) LLVM's BinaryFormat/ELF.h.
"""

from __future__ import annotations

import struct

from minicc.numbers import align_up
from minicc.texts import as_bytes

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


class Draft:
    """A section to be written. `link` and a string `info` name another section; `size` is for NOBITS."""

    def __init__(
        self,
        name: str,
        type: int,
        flags: int = 0,
        data: bytes = b"",
        link: str = "",
        info: int | str = 0,
        align: int = 1,
        entsize: int = 0,
        size: int = 0,
    ) -> None:
        self.name, self.type, self.flags, self.data = name, type, flags, data
        self.link, self.info, self.align, self.entsize, self.size = link, info, align, entsize, size


class DraftSymbol:
    """A symbol to be written; `section` "" is undefined."""

    def __init__(
        self,
        name: str,
        section: str = "",
        value: int = 0,
        size: int = 0,
        type: int = STT_NOTYPE,
        bind: int = STB_LOCAL,
        other: int = 0,
    ) -> None:
        self.name, self.section, self.value = name, section, value
        self.size, self.type, self.bind, self.other = size, type, bind, other


class Strings:
    """A string table under construction; equal strings are stored once."""

    def __init__(self) -> None:
        self.blob, self.at = bytearray(b"\0"), {"": 0}

    def add(self, text: str) -> int:
        if text not in self.at:
            self.at[text] = len(self.blob)
            self.blob += as_bytes(text) + b"\0"
        return self.at[text]


def pack_symbols(symbols: list[DraftSymbol], index: dict[str, int], strings: Strings) -> bytes:
    """Bytes of a .symtab whose null entry is written first; `index` maps section names to numbers."""
    out = bytearray(SYM.size)
    for s in symbols:
        where = index[s.section] if s.section else 0
        out += SYM.pack(strings.add(s.name), s.bind << 4 | s.type, s.other, where, s.value, s.size)
    return bytes(out)


def lay_out(
    sections: list[Draft], type: int, machine: int, flags: int, osabi: int, abi: int, *, segments: bool
) -> bytes:
    """The file: header, section contents in order, section headers, program headers (if `segments`: the runs that
    become PT_LOAD), as ptxas orders them. `sections` does not include the null section; the first holds the names."""
    index = {s.name: i + 1 for i, s in enumerate(sections)}
    out = bytearray(EHDR.size)
    names = Strings()
    for s in sections:
        names.add(s.name)
    offsets: list[tuple[int, int]] = []
    for i, s in enumerate(sections):
        data = bytes(names.blob) if i == 0 else s.data
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
    if segments:
        phoff = len(out)
        headers = _segments(sections, offsets, phoff)
        out += headers
    ident = b"\x7fELF\x02\x01\x01" + bytes((osabi, abi)) + bytes(7)
    counts = (PHDR.size if headers else 0, len(headers) // PHDR.size, SHDR.size, len(sections) + 1, 1)
    out[: EHDR.size] = EHDR.pack(ident, type, machine, 1, 0, phoff, shoff, flags, EHDR.size, *counts)
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
