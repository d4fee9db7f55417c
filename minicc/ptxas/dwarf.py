"""Debug sections: the text of PTX's `.section .debug_info` and its kind becomes bytes and relocations.

What names a place in the code is its label's address; a variable in local memory is a distance from the frame's base
(DW_OP_fbreg in place of DW_OP_addr, with DW_OP_nop for what is over), as ptxas -g has them; parameters are where
constant bank 0 holds them. `.debug_frame` says what the frame's base is: R1 as it was when the function was entered.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

import attrs

from minicc.numbers import sleb, uleb
from minicc.ptx.constexpr import literal
from minicc.ptx.model import Int
from minicc.ptxas.mir import MFunction, MInst
from minicc.sass.instr import Instr, Reg
from minicc.sass.program import DebugSection, Function, Relocation

SIZE = 16
"""Bytes of an instruction."""
_OP_ADDR, _OP_FBREG, _OP_NOP = 0x03, 0x91, 0x96
_STRINGS = ".debug_str"
"""Read by `lines`, and written by `binary.lines`."""
_TOKEN = re.compile(r"\.b(8|16|32|64)\b|([^\s,{}]+)")
_NUMBER = re.compile(r"-?\d[0-9a-fA-FxX]*$")
_MOVES = frozenset(("LDC", "MOV", "IADD3", "VIADD"))
_STACK = Reg("R", 1)
_REGISTER_1 = bytes((0x81, 0x80, 0x80, 0x28))
"""R1 as DWARF numbers it on these machines (class 5, number 1), as unsigned LEB128."""


@attrs.define(eq=False, repr=False)
class Places:
    """Of one function: where in its PTX labels and instructions (by identity) stand, the offsets of its local variables
    in its frame, and the addresses of its parameters and shared variables."""

    order: dict[int, int] = attrs.field(factory=dict)
    labels: dict[str, int] = attrs.field(factory=dict)
    locals: dict[str, int] = attrs.field(factory=dict)
    addresses: dict[str, int] = attrs.field(factory=dict)


def mentioned(sections: Iterable[str]) -> frozenset[str]:
    """The symbols that debug sections name."""
    found = (word for s in sections if _name(s) != _STRINGS for width, word in _TOKEN.findall(s) if not width)
    return frozenset(word.partition("+")[0] for word in found if not _NUMBER.match(word))


def located(functions: Sequence[MFunction], origin: Sequence[MInst]) -> dict[str, tuple[str, int]]:
    """What each name means in a kernel's code, its device functions behind it: ("code", byte offset), ("frame", offset
    from the frame's base) or ("address", value)."""
    out: dict[str, tuple[str, int]] = {}
    at = 0
    for function in functions:
        count = sum(len(block.insts) for block in function.blocks)
        places = function.places
        if places is not None:
            own = enumerate(origin[at : at + count], at)
            known = sorted((places.order.get(id(i.ptx), -1), n * SIZE) for n, i in own)
            # The first place of what stands at an order or behind it.
            first = list(accumulate([(at + count) * SIZE, *(where for _, where in reversed(known))], min))[::-1]
            for label, position in places.labels.items():
                where = first[bisect_left(known, (position,))] if position else at * SIZE
                out.setdefault(label, ("code", where))
            for name, offset in places.locals.items():
                out.setdefault(name, ("frame", offset - function.frame))
            for name, address in places.addresses.items():
                out.setdefault(name, ("address", address))
        at += count
    return out


def frames(functions: Sequence[MFunction], code: Sequence[Instr]) -> list[tuple[int, int, int, int, int]]:
    """Of each function in a kernel's code: (offset, size, where its frame begins to exist and ceases to, its size)."""
    out = []
    at = 0
    for function in functions:
        count = sum(len(block.insts) for block in function.blocks)
        # A kernel loads R1 and takes the frame from it; a device function gives it back where it ends.
        own = enumerate(code[at : at + count], 1)
        moves = [after for after, instr in own if instr.mnemonic in _MOVES and instr.operands[0] == _STACK]
        taken = moves[: 2 if function.entry else 1]
        first = taken[-1] if taken else 0
        last = moves[-1] if moves and not function.entry and len(moves) > 1 else count
        out.append((at * SIZE, count * SIZE, first * SIZE, last * SIZE, function.frame))
        at += count
    return out


def sections(texts: Sequence[str], functions: Sequence[Function], variables: Iterable[str]) -> dict[str, DebugSection]:
    """The sections by name, in order."""
    out: dict[str, DebugSection] = {}
    known: dict[str, tuple[str, str, int]] = {}
    for function in functions:
        for name, (kind, value) in function.debug.items():
            known.setdefault(name, (kind, function.name, value))
    known.update({name: ("symbol", name, 0) for name in variables})
    for text in texts:
        name = _name(text)
        if name == _STRINGS:
            continue
        out[name] = _section(text, known)
    if any(name == ".debug_info" for name in out):
        out = {".debug_frame": _frame_section(functions), **out}
    return out


def _name(text: str) -> str:
    return text.split("{", 1)[0].split()[-1]


def _integer(word: str) -> int:
    """A literal, perhaps negative; the parser has seen that it is one."""
    found = literal(word.lstrip("-"))
    value = found.value if isinstance(found, Int) else 0
    return -value if word[0] == "-" else value


def _section(text: str, known: dict[str, tuple[str, str, int]]) -> DebugSection:
    data, relocations = bytearray(), []
    size = 1
    for width, word in _TOKEN.findall(text[text.index("{") :]):
        if width:
            size = int(width) // 8
            continue
        if _NUMBER.match(word):
            data += (_integer(word) & (1 << 8 * size) - 1).to_bytes(size, "little")
            continue
        symbol, _, rest = word.partition("+")
        addend = _integer(rest) if _NUMBER.match(rest) else 0
        kind, owner, value = known.get(symbol, ("address", "", 0))
        if kind in ("code", "symbol") and size == 8:
            relocations.append(Relocation(len(data), "R_CUDA_64", owner, value + addend))
            value = addend = 0
        if kind == "frame" and size == 8 and data[-1:] == bytes((_OP_ADDR,)):
            data[-1] = _OP_FBREG
            data += sleb(value + addend).ljust(8, bytes((_OP_NOP,)))
        else:
            data += (value + addend & (1 << 8 * size) - 1).to_bytes(size, "little")
    return DebugSection(bytes(data), relocations)


def _frame_section(functions: Sequence[Function]) -> DebugSection:
    """One CIE (64-bit DWARF, version 3), and an FDE for each function."""
    data = bytearray(_entry(b"\xff" * 8 + b"\x03\0\x04\x7c\xff\xff\xff\xff\x0f" + _base(0)))
    relocations = []
    for function in functions:
        for start, size, first, last, frame in function.frames:
            relocations.append(Relocation(len(data) + 20, "R_CUDA_64", function.name, start))
            rules = _advance(first) + _base(frame)
            if last < size:
                rules += _advance(last - first) + _base(0)
            data += _entry(bytes(16) + struct.pack("<Q", size) + rules)
    return DebugSection(bytes(data), relocations)


def _entry(body: bytes) -> bytes:
    body += bytes(-len(body) % 8)
    return struct.pack("<IQ", 0xFFFFFFFF, len(body)) + body


def _advance(distance: int) -> bytes:
    """DW_CFA_advance_loc4, in units of four bytes."""
    return b"\x04" + struct.pack("<I", distance // 4)


def _base(offset: int) -> bytes:
    """DW_CFA_def_cfa: R1 and so many bytes."""
    return b"\x0c" + _REGISTER_1 + uleb(offset)
