"""Records of .nv.info, .nv.info.<kernel> and .nv.compat, and the notes: how they are packed.

A record is u8 format, u8 code and, by format: NVAL u16 0; BVAL u8, u8 0; HVAL u16; SVAL u16 length and bytes.
Read from the .nv.info sections of ptxas 13.0.88 files.
"""

from __future__ import annotations

import struct

from minicc.binary.codes import BVAL, HVAL, NVAL, SVAL
from minicc.binary.data import Data
from minicc.numbers import align_up

_HEAD = struct.Struct("<BBH")
_NOTE = struct.Struct("<III")

CUINFO, TKINFO = 1000, 2000
"""Note types of .note.nv.cuinfo and .note.nv.tkinfo."""
OWNER = b"NVIDIA Corp\0"


class Record:
    """One attribute. `value` is None (NVAL), an int (BVAL, HVAL) or bytes (SVAL); `offset` its place in the section."""

    def __init__(self, code: int, format: int, value: int | bytes | None, offset: int = 0) -> None:
        self.code, self.format, self.value, self.offset = code, format, value, offset

    @property
    def words(self) -> tuple[int, ...]:
        """The value as u32 words; a trailing part word is dropped."""
        if isinstance(self.value, bytes):
            count = len(self.value) // 4
            return struct.unpack_from(f"<{count}I", self.value)
        return () if self.value is None else (self.value,)


def parse(data: Data) -> list[Record]:
    """All records of a section."""
    out, at = [], 0
    while at + 4 <= len(data):
        form, code, value = data.unpack(_HEAD, at, "attribute record")
        if form == SVAL:
            out.append(Record(code, form, data.bytes(at + 4, value, f"attribute 0x{code:02x}"), at))
            at += 4 + value
        elif form in (NVAL, BVAL, HVAL):
            out.append(Record(code, form, None if form == NVAL else value & 0xFF if form == BVAL else value, at))
            at += 4
        else:
            data.bad(at, f"attribute record has unknown format {form}")
    return out


def nval(code: int) -> bytes:
    return _HEAD.pack(NVAL, code, 0)


def bval(code: int, value: int) -> bytes:
    return _HEAD.pack(BVAL, code, value & 0xFF)


def hval(code: int, value: int) -> bytes:
    return _HEAD.pack(HVAL, code, value & 0xFFFF)


def sval(code: int, *words: int) -> bytes:
    """A byte-string record of u32 words."""
    return sbytes(code, struct.pack(f"<{len(words)}I", *(w & 0xFFFFFFFF for w in words)))


def sbytes(code: int, data: bytes) -> bytes:
    return _HEAD.pack(SVAL, code, len(data)) + data


class Note:
    """One ELF note."""

    def __init__(self, owner: str, type: int, description: bytes) -> None:
        self.owner, self.type, self.description = owner, type, description


def parse_notes(data: Data) -> list[Note]:
    """All notes of a section."""
    out, at = [], 0
    while at + _NOTE.size <= len(data):
        namesz, descsz, kind = data.unpack(_NOTE, at, "note")
        owner = data.bytes(at + _NOTE.size, namesz, "note owner")
        start = at + _NOTE.size + align_up(namesz, 4)
        out.append(Note(owner.rstrip(b"\0").decode("latin1"), kind, data.bytes(start, descsz, "note description")))
        at = start + align_up(descsz, 4)
    return out


def _note(kind: int, description: bytes) -> bytes:
    padded = description + bytes(-len(description) % 4)
    return _NOTE.pack(len(OWNER), len(description), kind) + OWNER + padded


def cuinfo(virtual_sm: int, toolkit: int) -> bytes:
    """The note that carries the virtual architecture and the toolkit version (130 = 13.0)."""
    return _note(CUINFO, struct.pack("<HHHH", 2, virtual_sm, toolkit, 0))


def tkinfo(tool: str, version: str, branch: str, arguments: str) -> bytes:
    """The note that says which tool wrote the file."""
    blob, offsets = bytearray(b"\0"), []
    for text in (tool, version, branch, arguments):
        offsets.append(len(blob))
        blob += text.encode() + b"\0"
    body = struct.pack("<6I", 2, 0, *offsets) + blob
    return _note(TKINFO, body + bytes(-len(body) % 4))


def parse_tkinfo(note: Note) -> tuple[str, ...]:
    """(object file, tool, version, branch, arguments); empty strings where the note is damaged."""
    if len(note.description) < 24:
        return ("", "", "", "", "")
    blob = note.description[24:]
    out = []
    for offset in struct.unpack_from("<5I", note.description, 4):
        out.append(blob[offset:].split(b"\0", 1)[0].decode("utf-8", "backslashreplace") if offset < len(blob) else "")
    return tuple(out)
