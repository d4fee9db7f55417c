"""An ELF file of the device as text: headers, symbols and what each section holds, as cuobjdump -elf shows them.

Sections are in cuobjdump's order: memory, notes, attributes, call graph, code, debug information; each with its
relocations behind it. The words of the format (names of symbol flags, of attributes) are those that cuobjdump 13.4.92
and 13.5.37 print when given files with each number."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from minicc.binary import attributes, codes
from minicc.binary.elf_read import Elf, Reloc, Section, Symbol
from minicc.binary.frame_text import frame_text

SECTION = 3
_TYPES = {0: "NOTYPE", 1: "OBJECT", 2: "FUNC", SECTION: "SECTION", 4: "FILE", 13: "CUDA_OBJECT"}
_BINDS = {0: "LOCAL", 1: "GLOBAL", 2: "WEAK"}
_VISIBLE = ("DEFAULT", "INTERNAL", "HIDDEN", "PROTECTED")
_SPACES = ("", "GLOBAL", "SHARED", "LOCAL", "CONSTANT", "RESERVED_SHARED")
"""Bits 5..7 of a symbol's st_other."""
_FLAGS = ((0x10, "ENTRY"), (0x04, "MANAGED"), (0x08, "OBSCURE"))
_SECTIONS = {1: "PROGBITS", 2: "SYMTAB", 3: "STRTAB", 4: "RELA", 7: "NOTE", 8: "NOBITS", 9: "REL"}
_PROGBITS, _SYMTAB, _STRTAB, _NOTE, _NOBITS = 1, 2, 3, 7, 8
_RELOCATED = {4: "RELA", 9: "REL"}
_INFO, _CALLGRAPH, _PROTOTYPE, _SHARED, _COMPAT = 0x70000000, 0x70000001, 0x70000002, 0x7000000A, 0x70000086
_MERCURY = 0x10000000
"""The flag of sections that hold code to be finished for another chip (since sm_100); cuobjdump shows none of them."""
_FORMATS = {codes.NVAL: "NVAL", codes.BVAL: "BVAL", codes.HVAL: "HVAL", codes.SVAL: "SVAL"}


def elf_text(view: Elf, title: str) -> list[str]:
    """The lines. `title` is the first of them."""
    out = ["", title, "Sections:", "Index Offset   Size ES Align                      Type    Flags Link     Info Name"]
    for index, s in enumerate(view.sections[1:], 1):
        kind = _SECTIONS.get(s.type) or codes.SECTION_TYPES.get(s.type, f"UNKNOWN:{s.type & 0xFFFFFF:4}")
        out.append(
            f"{index:5x} {s.offset:6x} {s.size:6x} {s.entsize:2x} {s.align:2x} {kind:>28} {s.flags:8x} {s.link:4x}"
            f" {s.info:8x} {s.name}"
        )
    out += [line for name in (".strtab", ".shstrtab") if view.section(name) for line in ("", f".section {name}")]
    out += ["", ".section .symtab", *_symbols(view), ""]
    tables = [s for s in view.sections if s.type in _RELOCATED]
    hidden = (_SYMTAB, _STRTAB, *_RELOCATED)
    shown = [s for s in view.sections[1:] if s.type not in hidden and s.name != ".nv.global" and not s.flags & _MERCURY]
    for s in sorted(shown, key=_rank):
        out += [*_section(view, s), ""] if s.name == ".debug_frame" else ["", *_section(view, s), ""]
        for table in tables:
            if view.sections[table.info : table.info + 1] == [s]:
                out += [*_relocations(view, table), ""]
    for table in tables:  # (those of no section, in a damaged file)
        if not 0 < table.info < len(view.sections):
            out += ["", *_relocations(view, table), ""]
    return out[:-1]


def _rank(s: Section) -> int:
    if s.name.startswith(".text"):
        return 4
    if s.name == ".nv.rel.action":
        return 3
    if s.name.startswith((".debug", ".nv_debug")):
        return 5
    return {_PROGBITS: 0, _NOBITS: 0, _NOTE: 1, _INFO: 2, _COMPAT: 2, _CALLGRAPH: 3, _PROTOTYPE: 3}.get(s.type, 0)


def _section(view: Elf, s: Section) -> Iterator[str]:
    data = b"" if s.type == _NOBITS else bytes(s.data.bytes(0, len(s.data), s.name))
    if s.type == _NOTE:
        yield f".section {s.name}"
        yield from _notes(s)
    elif s.name == ".debug_frame":
        yield f".section {s.name}"
        if not data:
            yield f"Skipping {s.name} section, as length was 0"
            return
        yield from frame_text(data, {r.offset: view.symbols[r.symbol].name for r in _fixes(view, s)})
    elif s.name == ".debug_str":
        yield f".section {s.name}"
        yield from data.decode("latin1").rstrip("\0").split("\0")
    else:
        yield s.name
        if s.type in (_INFO, _COMPAT):
            yield from _records(view, s)
        elif s.type == _CALLGRAPH:
            yield from (f" <{a},{b}>" for a, b in struct.iter_unpack("<ii", data[: len(data) // 8 * 8]))
        elif s.type == _PROTOTYPE and (names := view.section(".strtab")):
            for symbol, at in struct.iter_unpack("<II", data[: len(data) // 8 * 8]):
                yield f" <{symbol},{at}({names.data.string(at, 'a prototype')})>"
        elif s.name == ".nv.rel.action" and len(data) == 16:
            name = codes.RELOCATIONS.get(int.from_bytes(data[:4], "little"), "?")
            yield f"Header : Base Relocation : {name}"
            yield (
                "Reloc type : Symbol Kind,Addend Shift,Source Position1,length1,Destination Position1,"
                "Source Position2,length2,Destination Position2"
            )
            kind = "EIVALUE_SYM_KIND_ADDR" if data[8] == 0 else str(data[8])
            yield f"{name} : {','.join((kind, *map(str, data[9:])))}"
        elif s.type in (_NOBITS, _SHARED):
            yield "   No data to be dumped. "
        else:
            if s.name.startswith(".text."):
                name = s.name.removeprefix(".text.")
                sizes = [(view.section(f".nv.{space}.{name}"), label) for space, label in _MEMORIES]
                yield "\t".join(f"{label}={section.size if section else 0}" for section, label in sizes)
            yield from words(data)
            if len(data) % 16 == 0:
                yield ""


_MEMORIES = (("local", "lmem"), ("shared", "smem"))


def words(data: bytes) -> list[str]:
    """Four words a line; a rest that is no word by bytes."""
    out = []
    for at in range(0, len(data), 16):
        row = data[at : at + 16]
        whole = len(row) // 4 * 4
        line = [f"{int.from_bytes(row[k : k + 4], 'little'):#010x}" for k in range(0, whole, 4)]
        line += [f"{b:#04x}" for b in row[whole:]]
        out.append(" ".join(line) + (" " if len(row) < 16 else ""))
    return out


def _hex(value: int) -> str:
    return f"{value:#x}" if value else "0"


def _symbols(view: Elf) -> list[str]:
    out = [
        "   Num            Value             Size  Type          Bind    Vis        Other                            "
        "    Ndx  Name"
    ]
    for index, s in enumerate(view.symbols):
        out.append(
            f"{_hex(index):>6} {_hex(s.value):>16} {_hex(s.size):>16}  {nature(s):<67}{_hex(s.section):>6}"
            f"  {s.name or '(null)'}"
        )
    return out


def nature(s: Symbol) -> str:
    """Type, binding, visibility and flags of a symbol, in columns."""
    kind, bind = _TYPES.get(s.type, f"{s.type:#x}"), _BINDS.get(s.bind, f"{s.bind:#x}")
    return f"{kind:<14}{bind:<8}{_VISIBLE[s.other & 3]:<11}{_other(s)}"


def _other(s: Symbol) -> str:
    space = s.other >> 5
    known = space < len(_SPACES)
    flags = [_SPACES[space]] if known and space else []
    flags += ["UNIFIED_FUNC" if name == "MANAGED" and s.type == 2 else name for bit, name in _FLAGS if s.other & bit]
    flags += [] if known else [f"UNKNOWN({s.other & 0xE0:#x})"]
    return "|".join(flags) or "-"


def _fixes(view: Elf, s: Section) -> list[Reloc]:
    return [
        r
        for table in view.sections
        if table.type in _RELOCATED and view.sections[table.info : table.info + 1] == [s]
        for r in view.relocations(table)
    ]


def _relocations(view: Elf, table: Section) -> Iterator[str]:
    yield f".section {table.name}\t{_RELOCATED[table.type]}"
    for r in view.relocations(table):
        kind = codes.RELOCATIONS.get(r.type, f"{r.type:#x}")
        addend = f"    {r.addend & (1 << 64) - 1:#x}" if _RELOCATED[table.type] == "RELA" else ""
        yield f"{r.offset:#x}    {view.symbols[r.symbol].name}    {kind}{addend}"


def _notes(s: Section) -> Iterator[str]:
    for number, note in enumerate(attributes.parse_notes(s.data), 1):
        what = {attributes.TKINFO: "NVIDIA CUDA Toolkit Information", attributes.CUINFO: "NVIDIA CUDA Information"}
        yield f"Entry: {number}"
        yield "  Owner                  Data size        Description"
        yield f"  {note.owner:<22} {len(note.description):<16} {what.get(note.type, f'note type {note.type:#x}')}"
        body = note.description
        if note.type == attributes.TKINFO and len(body) >= 24:
            source, tool, version, branch, arguments = attributes.parse_tkinfo(note)
            if number == 1:
                yield f"\tNote Version: {int.from_bytes(body[:4], 'little')}"
            if source:
                yield f"\tObject File: {source}"
            yield f"\tTool Name: {tool}"
            yield f"\tTool Version: {version}"
            yield f"\tTool Branch: {branch}"
            yield f"\tTool Command Line Arguments: {arguments}"
        elif note.type == attributes.CUINFO and len(body) >= 6:
            version_, sm, toolkit = struct.unpack_from("<HHH", body)
            yield f"\tNote Version: {version_}"
            yield f"\tCUDA Virtual SM: sm_{sm}"
            yield f"\tCUDA Tool Kit Version: {toolkit // 10}.{toolkit % 10}"
        else:
            yield from (f"\t{line}" for line in words(body))


def _records(view: Elf, s: Section) -> Iterator[str]:
    names, prefix = (codes.COMPAT, "EICOMPAT") if s.type == _COMPAT else (codes.ATTRIBUTES, "EIATTR")
    prefix = f"{prefix}_ATTR_" if s.type == _COMPAT else f"{prefix}_"
    for number, record in enumerate(attributes.parse(s.data), 1):
        name = names.get(record.code, "")
        yield f"\t<0x{number}>"
        yield f"\tAttribute:\t{prefix + name if name else 'unknown Attribute'}"
        yield f"\tFormat:\tEIFMT_{_FORMATS[record.format]}"
        if record.value is not None:
            show = _SHOWN.get(name) if s.type == _INFO else None
            given = record.words
            if isinstance(record.value, int):
                yield f"\tValue:\t{_NUMBERS.get(name, hex)(record.value)}"
            elif show and len(given) >= show[0]:
                yield f"\tValue:\t{show[1](view, given)}"
            else:
                yield "\tValue:\t" + "".join(f"{word:#x} " for word in given)


def _of_function(label: str, form: str) -> tuple[int, Callable[[Elf, tuple[int, ...]], str]]:
    def show(view: Elf, given: tuple[int, ...]) -> str:
        index = given[0]
        name = view.symbols[index].name if index < len(view.symbols) else "?"
        return f"function: {name}({index:#x})\t{label}: {format(given[1], form)}"

    return 2, show


def _parameter(view: Elf, given: tuple[int, ...]) -> str:
    """Index, ordinal and offset, size, and flags: the bits of EIATTR_KPARAM_INFO's last word (docs/binary.md)."""
    index, place, flags = given[:3]
    space = "CBANK" if flags >> 17 & 1 == 0 else "SMEM"
    return (
        f"Index : {index:#x}\tOrdinal : {place & 0xFFFF:#x}\tOffset  : {place >> 16:#x}\tSize    : {flags >> 18:#x}\n"
        f"\t\tPointee's logAlignment : {flags & 0xFF:#x}\tSpace : {flags >> 8 & 0xF:#x}"
        f"\tcbank : {flags >> 12 & 0x1F:#x}\tParameter Space : {space}\t"
    )


def _externs(view: Elf, given: tuple[int, ...]) -> str:
    names = [view.symbols[index].name if index < len(view.symbols) else "?" for index in given]
    return "externs:\t" + "".join(f"{name}({index:#x})\t" for name, index in zip(names, given, strict=True))


def _pairs(view: Elf, given: tuple[int, ...]) -> str:
    """Places of the loops that stand for 16-bit atomics, each with a register."""
    return "".join(f"({place:#x}, {register})  " for place, register in zip(given[::2], given[1::2], strict=False))


def _mbarriers(view: Elf, given: tuple[int, ...]) -> str:
    """Groups of: place, register, distance, and a word of kind, stride and uniform register."""
    out = ""
    for place, register, distance, word in zip(*(given[k::4] for k in range(4)), strict=False):
        kind = codes.MBARRIERS.get(word & 0xFF)
        address = f"R{register} + UR{word >> 16 & 0xFF}" + (f" + {distance}" if distance else "")
        stride = "MBARRIER_STRIDE_X4" if word >> 8 & 0xFF == 1 else f"{word >> 8 & 0xFF}"
        out += f"\n\t{place:#x}\t:\tInstruction Kind : {f'MBARRIER_{kind}' if kind else 'Unknown Instruction'}"
        out += f"\t({address})\tStride : {stride}"
    return out


def _branches(view: Elf, given: tuple[int, ...]) -> str:
    """Groups of: place of the branch, a word, number of targets, the targets."""
    out, at = "", 0
    while at + 3 <= len(given):
        place, _, count = given[at : at + 3]
        targets = "".join(f"{target:#x} " for target in given[at + 3 : at + 3 + count])
        out += f"\n\t\tOffset of Indirect Branch: {place:#x}\t Number of targets: {count}\n\t\tTargets: {targets}\n"
        at += 3 + count
    return out


_SHOWN: dict[str, tuple[int, Callable[[Elf, tuple[int, ...]], str]]] = {
    "REGCOUNT": _of_function("register count", "d"),
    "FRAME_SIZE": _of_function("frame size", "#x"),
    "MIN_STACK_SIZE": _of_function("min stack size", "#x"),
    "KPARAM_INFO": (3, _parameter),
    "EXTERNS": (1, _externs),
    "ATOM16_EMUL_INSTR_REG_MAP": (2, _pairs),
    "MBARRIER_INSTR_OFFSETS": (4, _mbarriers),
    "LANGUAGE": (1, lambda view, given: "Language:\t PTX\n" if given[0] == 3 else f"{given[0]:#x} "),
    "INDIRECT_BRANCH_TARGETS": (3, _branches),
}
_NUMBERS: dict[str, Callable[[int], str]] = {
    "FINALIZER_VERSION": lambda value: f"{value >> 10}.{value >> 6 & 15}.{value & 63}",
    "NVSAL_SW_WAR": lambda value: f" {value:#x}",
}
