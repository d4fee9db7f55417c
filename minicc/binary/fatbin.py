"""fatbin: the container that holds a kernel's cubins and PTX.

Layout and flag bits read out of files that fatbinary 13.0.88 made with 19 sets of options; our files are listed and
extracted by cuobjdump 13.4.92 and loaded by an H200's driver. Compression is a zstd frame (flag 0x8000, nvcc's default
for PTX) or a raw LZ4 block (flag 0x2000, --compress-mode=speed).
"""

from __future__ import annotations

import re
import struct
from typing import Literal

import attrs

from minicc.binary.data import Data
from minicc.diagnostics import fail
from minicc.numbers import align_up

MAGIC, VERSION = 0xBA55ED50, 1
_HEAD = struct.Struct("<IHHQ")
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
_OPTIONS = struct.Struct("<II")
_KINDS = {"ptx": 1, "cubin": 2}
_KIND_NAMES = {1: "ptx", 2: "cubin"}

F_64BIT, F_DEBUG, F_LINUX = 0x1, 0x2, 0x10
F_LZ4, F_ZSTD = 0x2000, 0x8000
F_COMPRESSED = 0xF000
F_ARCH_SPECIFIC, F_FAMILY = 0x100000, 0x200000
F_COMPAT = 0x1000000
"""The options slot of a cubin entry holds .nv.compat records (sm_100 and later)."""

LIMIT = 1 << 30
"""Largest uncompressed image that is read. A declared size is also checked against the compression method's best."""
_LZ4_RATIO, _ZSTD_RATIO = 256, 65536

METHODS = {"none": 0, "lz4": F_LZ4, "zstd": F_ZSTD}
"""Flag bit of each compression method."""


@attrs.frozen
class Entry:
    """One image. `arch` is "sm_90a" for a cubin, "compute_90" for PTX; `data` is uncompressed, PTX without its NUL.

    `compression` is a key of `METHODS`; `options` is what ptxas is to be run with (PTX); `name` is the identifier of
    the source file, as cuobjdump prints it."""

    kind: Literal["cubin", "ptx"]
    arch: str
    data: bytes = attrs.field(repr=lambda d: f"<{len(d)} bytes>")
    compression: str = attrs.field(default="none", validator=attrs.validators.in_(METHODS))
    name: str = ""
    options: str = ""
    version: tuple[int, int] | None = None
    """(major, minor) as stored: PTX ISA version, or (1, 8) for a cubin; None derives it from `data`."""
    debug: bool = False
    compat: bytes = b""
    """Records in the options slot of a cubin entry of sm_100 and later."""


def _arch(text: str) -> tuple[int, int]:
    """(SM number, flag bits) of sm_90, sm_90a, compute_100f ..."""
    match = re.fullmatch(r"(?:sm|compute)_(\d{2,3})([af]?)", text)
    if not match:
        fail("binary.arch", f"'{text}' is not an architecture (sm_90, compute_90a)")
    return int(match[1]), {"": 0, "a": F_ARCH_SPECIFIC, "f": F_FAMILY}[match[2]]


def _ptx_version(text: bytes) -> tuple[int, int]:
    match = re.search(rb"^\s*\.version\s+(\d+)\.(\d+)", text[:65536], re.MULTILINE)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def write_fatbin(entries: list[Entry]) -> bytes:
    """A fatbin of `entries` in order."""
    body = b"".join(_pack(e) for e in entries)
    return _HEAD.pack(MAGIC, VERSION, _HEAD.size, len(body)) + body


def _compress(data: bytes, method: str) -> bytes:
    if method == "zstd":
        import zstandard

        return zstandard.ZstdCompressor(level=19, write_checksum=False, write_content_size=True).compress(data)
    if method == "lz4":
        import lz4.block

        packed = lz4.block.compress(data, mode="high_compression", store_size=False)
        assert isinstance(packed, bytes)
        return packed
    return data


def _pack(entry: Entry) -> bytes:
    sm, bits = _arch(entry.arch)
    raw = entry.data if entry.kind == "cubin" else entry.data.rstrip(b"\0") + b"\0"
    payload = _compress(raw, entry.compression)
    flags = F_64BIT | F_LINUX | bits | (F_DEBUG if entry.debug else 0)
    flags |= METHODS[entry.compression]
    extension, name_at, options_at = b"", 0, 0
    name = entry.name.encode()
    if name:
        name_at = _ENTRY.size
        extension += name + bytes(align_up(len(name) + 1, 8) - len(name))
    if entry.kind == "ptx" or entry.compat:
        # A PTX entry always has an options descriptor; cuobjdump rejects one without.
        options_at = _ENTRY.size + len(extension)
        text = entry.options.encode() if entry.kind == "ptx" else entry.compat
        flags |= F_COMPAT if entry.kind == "cubin" else 0
        extension += _OPTIONS.pack(options_at + _OPTIONS.size, len(text)) + text
        extension += bytes(align_up(max(len(text), 1), 8) - len(text))
    version = entry.version or ((1, 8) if entry.kind == "cubin" else _ptx_version(entry.data))
    packed = entry.compression != "none"
    size = align_up(len(payload), 8)
    head = _ENTRY.pack(
        _KINDS[entry.kind], 0x0101, _ENTRY.size + len(extension), size, len(payload) if packed else 0, options_at,
        version[1], version[0], sm, name_at, len(name), flags, 0, len(raw) if packed else 0,
    )  # fmt: skip
    return head + extension + payload + bytes(size - len(payload))


def read_fatbin(data: bytes | bytearray | memoryview, name: str = "<fatbin>") -> list[Entry]:
    """Every entry of the fatbin, or of several fatbins back to back as in a linked program's .nv_fatbin section.
    `CompileError` with the byte offset if the data is cut or damaged."""
    view = Data.of(data, name)
    entries: list[Entry] = []
    at = 0
    while at < len(view):
        if at and not any(view.view[at : at + 4]):
            at += 4 if at % 8 else 8  # padding between concatenated fatbins
            continue
        magic, version, header, total = view.unpack(_HEAD, at, "fatbin header")
        if magic != MAGIC:
            view.bad(at, f"not a fatbin (magic 0x{magic:08x}, 0x{MAGIC:08x} expected)")
        if version != VERSION or header < _HEAD.size:
            view.bad(at + 4, f"fatbin version {version} with a header of {header} bytes is not supported")
        end = at + header + total
        if end > len(view):
            view.bad(at + 8, f"fatbin of {total} bytes does not fit in the file")
        at += header
        while at < end:
            entry, at = _unpack(view, at, end)
            if entry:
                entries.append(entry)
    return entries


def _unpack(view: Data, at: int, end: int) -> tuple[Entry | None, int]:
    (kind, _, header, size, packed, options_at, minor, major, sm, name_at, name_length, flags, _, full) = view.unpack(
        _ENTRY, at, "fatbin entry"
    )
    if header < _ENTRY.size or at + header + size > end:
        view.bad(at + 4, f"fatbin entry of {header} + {size} bytes does not fit in its container")
    after = at + header + size
    if kind not in _KIND_NAMES:
        return None, after
    compression = "zstd" if flags & F_ZSTD else "lz4" if flags & F_LZ4 else "none"
    if flags & F_COMPRESSED and compression == "none":
        view.bad(at + 0x28, f"compression flags 0x{flags & F_COMPRESSED:x} are not known")
    length = packed if compression != "none" else size
    if length > size:
        view.bad(at + 0x10, f"compressed size {length} is larger than the entry's {size} bytes")
    payload = view.part(at + header, length, "fatbin payload")
    raw = _decompress(payload, compression, full) if compression != "none" else bytes(payload.view)
    identifier = _text(view, at, header, name_at, name_length, "identifier") if name_at else b""
    slot = b""
    if options_at:
        place, length = view.part(at, header, "entry header").unpack(_OPTIONS, options_at, "options descriptor")
        slot = _text(view, at, header, place, length, "options")
    letter = "a" if flags & F_ARCH_SPECIFIC else "f" if flags & F_FAMILY else ""
    if kind == 1:
        raw = raw.split(b"\0", 1)[0]
    return Entry(
        "ptx" if kind == 1 else "cubin",
        f"{'compute' if kind == 1 else 'sm'}_{sm}{letter}",
        _exact_elf(raw) if kind == 2 and compression == "none" else raw,
        compression,
        identifier.decode("utf-8", "backslashreplace"),
        slot.decode("utf-8", "backslashreplace") if kind == 1 else "",
        (major, minor),
        bool(flags & F_DEBUG),
        slot if kind == 2 else b"",
    ), after


def _text(view: Data, entry: int, header: int, offset: int, length: int, what: str) -> bytes:
    if offset + length > header:
        view.bad(entry + 0x14, f"{what} of a fatbin entry runs past its header")
    return view.bytes(entry + offset, length, what)


def _exact_elf(raw: bytes) -> bytes:
    """An uncompressed cubin without the padding to 8 bytes: its tables end where its header says."""
    if raw[:4] != b"\x7fELF" or len(raw) < 64:
        return raw
    phoff, shoff = struct.unpack_from("<QQ", raw, 32)
    phentsize, phnum, shentsize, shnum = struct.unpack_from("<HHHH", raw, 54)
    end = max(phoff + phentsize * phnum, shoff + shentsize * shnum)
    return raw[:end] if len(raw) - 8 < end <= len(raw) and not any(raw[end:]) else raw


def _decompress(payload: Data, method: str, full: int) -> bytes:
    """The image; never allocates more than the declared size, which must be possible for the method."""
    ratio = _LZ4_RATIO if method == "lz4" else _ZSTD_RATIO
    if full > LIMIT or full > ratio * len(payload) + 64:
        payload.bad(0, f"declared size of {full} bytes is impossible for {len(payload)} compressed bytes")
    data = bytes(payload.view)
    try:
        out = _lz4(data, full) if method == "lz4" else _zstd(payload, data, full)
    except (ValueError, MemoryError, RuntimeError, OverflowError) as error:
        payload.bad(0, f"{method} data is damaged: {error}")
    if len(out) != full:
        payload.bad(0, f"{method} data holds {len(out)} bytes; the header says {full}")
    return out


def _lz4(data: bytes, full: int) -> bytes:
    import lz4.block

    try:
        out = lz4.block.decompress(data, uncompressed_size=full)
    except lz4.block.LZ4BlockError as error:
        raise ValueError(str(error)) from None
    assert isinstance(out, bytes)
    return out


def _zstd(payload: Data, data: bytes, full: int) -> bytes:
    import zstandard

    try:
        if zstandard.get_frame_parameters(data).window_size > LIMIT:
            payload.bad(0, "zstd frame asks for too much memory")
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(data)
        return _read_some(reader, full + 1)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None


def _read_some(reader: object, limit: int) -> bytes:
    """Up to `limit` bytes in pieces, so that a false size costs nothing."""
    parts, total = [], 0
    while total < limit:
        piece = reader.read(min(1 << 20, limit - total))  # type: ignore[attr-defined]
        if not piece:
            break
        parts.append(piece)
        total += len(piece)
    return b"".join(parts)
