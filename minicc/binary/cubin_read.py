"""cubin -> Program: ours and NVIDIA's, whole-program (ET_EXEC) and relocatable (ET_REL), ABI versions 7 and 8.

Where a fact sits depends on the age of the file: the register count is EIATTR_REGCOUNT since sm_90 and the top byte of
the text section's sh_info before; the barrier count is EIATTR_NUM_BARRIERS, or bits 20..26 of the text section's flags.
"""

from __future__ import annotations

import struct

from minicc.binary import attributes as rec
from minicc.binary import elf, elf_read, lines
from minicc.binary.codes import ATTRIBUTES, NVAL, RELOCATIONS
from minicc.binary.data import Data
from minicc.binary.elf_read import Elf, Section, Symbol
from minicc.binary.scan import pad, strip_padding
from minicc.diagnostics import fail
from minicc.sass.program import Function, Param, Program, Relocation, Variable

RESERVED_SHARED = 1024
"""Bytes of .nv.shared.<k> that belong to the system, from sm_90 on."""
TEXT_PADDING = 128
"""NOPs after the code beyond rounding up, sm_80 and later; sm_75 has none."""

_DERIVED = {"EXIT_INSTR_OFFSETS", "COOP_GROUP_INSTR_OFFSETS", "COOP_GROUP_MASK_REGIDS", "INT_WARP_WIDE_INSTR_OFFSETS",
            "SYSCALL_OFFSETS", "CRS_STACK_SIZE", "CUDA_API_VERSION", "SW_WAR"}  # fmt: skip
"""Kept by the reader for display, written anew from the code."""


def read_cubin(data: bytes | bytearray | memoryview, name: str) -> Program:
    """The program in a cubin; `CompileError` naming `name` and the byte offset if it is not one or is damaged."""
    return _Reader(elf_read.read(data, name)).run()


def arch_of(image: Elf) -> str:
    """ "sm_90" or "sm_90a": from e_flags; in ABI version 8 the letter is a record of .nv.compat."""
    if image.machine != elf.EM_CUDA:
        image.data.bad(0x12, f"ELF machine {image.machine} is not CUDA ({elf.EM_CUDA})")
    if image.abi >= 8:
        sm, letter = image.flags >> 8 & 0xFFFF, ""
        compat = image.section(".nv.compat")
        if compat is not None:
            for record in rec.parse(compat.data):
                if record.code == 9 and isinstance(record.value, int):
                    letter = {1: "a", 2: "f"}.get(record.value, "")
        return f"sm_{sm}{letter}"
    return f"sm_{image.flags & 0xFF}{'a' if image.flags & 0x800 else ''}"


_PAIR = struct.Struct("<II")


class _Reader:
    def __init__(self, image: Elf) -> None:
        self.image = image
        self.arch = arch_of(image)
        self.sm = int(self.arch.removeprefix("sm_").rstrip("af") or 0)
        # A relocatable file leaves the system's part of shared memory to the linker.
        self.reserve = RESERVED_SHARED if self.sm >= 90 and image.type != elf.ET_REL else 0
        self.budget = 4 * len(image.data) + 65536
        """Bytes that may still be copied out: variables may overlap in a damaged file."""

    def run(self) -> Program:
        image = self.image
        program = Program(self.arch)
        texts = {s.name[6:]: s for s in image.sections if s.name.startswith(".text.") and s.type == elf.PROGBITS}
        kernels: dict[int, Symbol] = {}
        inner: dict[int, list[Symbol]] = {}
        by_index = {s.index: s for s in texts.values()}
        references = {number: kind for kind, number in elf.STT_REFERENCES.items()}
        for symbol in image.symbols:
            if symbol.section == 0 and symbol.type in references:
                program.references[symbol.name] = references[symbol.type]
            elif symbol.section == 0 and symbol.type == elf.STT_OBJECT and symbol.name.endswith("DescSize"):
                program.references[symbol.name] = "size"
            if symbol.type != elf.STT_FUNC:
                continue
            if symbol.section in by_index:
                own = by_index[symbol.section].name[6:] == symbol.name
                if own:
                    kernels[symbol.section] = symbol
                else:
                    inner.setdefault(symbol.section, []).append(symbol)
            elif symbol.section == 0 and symbol.name:
                program.externs.append(symbol.name)
        self.relocations = self._all_relocations()
        for section in texts.values():
            if section.index not in kernels:
                section.data.bad(0, f"{section.name} has no function symbol")
            program.functions.append(self._function(section, kernels[section.index], inner.get(section.index, [])))
        self._module_info(program)
        self._callgraph(program)
        self._variables(program)
        self._constant4(program)
        self._lines(program)
        program.uses_extern_shared = self.reserve > 0 and any(
            s.name.startswith(".nv.shared.") and s.size == self.reserve for s in image.sections
        )
        self._ptx_version(program)
        virtual = virtual_of(image)
        program.virtual = virtual if self.arch.strip("sm_af") != str(virtual) else 0
        return program

    def _all_relocations(self) -> dict[int, list[Relocation]]:
        """Relocations by the index of the section they patch."""
        out: dict[int, list[Relocation]] = {}
        for section in self.image.sections:
            if section.type not in (elf.SHT_RELA, elf.SHT_REL):
                continue
            for r in self.image.relocations(section):
                kind = RELOCATIONS.get(r.type, str(r.type))
                out.setdefault(section.info, []).append(
                    Relocation(r.offset, kind, self.image.symbols[r.symbol].name, r.addend)
                )
        return out

    def _copy(self, data: Data, offset: int, size: int, what: str) -> bytes:
        self.budget -= size
        if self.budget < 0:
            data.bad(offset, f"{what}: parts of the file overlap too much")
        return data.bytes(offset, size, what)

    def _function(self, section: Section, symbol: Symbol, inner: list[Symbol]) -> Function:
        if section.size % 16:
            section.data.bad(0, f"{section.name}: {section.size} bytes are not whole 16-byte instructions")
        raw = self._copy(section.data, 0, section.size, section.name)
        f = Function(symbol.name, strip_padding(raw), entry=bool(symbol.other & elf.STO_ENTRY))
        if len(pad(f.code, TEXT_PADDING)) != len(raw):
            f.attributes["TEXT_SIZE"] = len(raw)
        if self.sm < 90 or section.info >> 24:
            f.registers = section.info >> 24
        f.barriers = section.flags >> 20 & 0x7F
        f.labels = {s.name: s.value for s in inner if s.name and s.value < max(len(f.code), 1)}
        f.relocations = self.relocations.get(section.index, [])
        info = self.image.section(f".nv.info.{f.name}")
        if info is not None:
            self._kernel_info(f, info)
        shared = self.image.section(f".nv.shared.{f.name}")
        if shared is not None:
            f.shared = max(shared.size - self.reserve, 0)
            f.shared_align = max(shared.align, 1)
        constant = self.image.section(f".nv.constant2.{f.name}")
        if constant is not None:
            f.constant2 = self._copy(constant.data, 0, len(constant.data), constant.name)
            if entries := self.relocations.get(constant.index):
                f.attributes["CONSTANT2_RELOCATIONS"] = entries
        bank = self.image.section(f".nv.constant0.{f.name}")
        if bank is not None:
            entries = sorted(self.relocations.get(bank.index, []), key=lambda r: r.offset)
            f.headers = [r.symbol for r in entries if "_HEADER_INDEX" in r.kind]
        return f

    def _kernel_info(self, f: Function, info: Section) -> None:
        for record in rec.parse(info.data):
            words, name = record.words, ATTRIBUTES.get(record.code, f"0x{record.code:02x}")
            if name in ("KPARAM_INFO", "KPARAM_INFO_V2"):
                if len(words) < 3:
                    info.data.bad(record.offset, f"{name} record of {4 * len(words)} bytes; 12 expected")
                size = words[2] if name.endswith("V2") else words[2] >> 18
                f.params.append(Param(words[1] & 0xFFFF, words[1] >> 16, size))
            elif name == "CBANK_PARAM_SIZE" and isinstance(record.value, int):
                f.param_bytes = record.value
            elif name == "PARAM_CBANK" and len(words) >= 2:
                f.attributes["PARAM_BASE"] = words[1] & 0xFFFF
            elif name == "NUM_BARRIERS" and isinstance(record.value, int):
                f.barriers = record.value
            elif name == "EXTERNS":
                f.callees += [self.image.symbols[w].name for w in words if w < len(self.image.symbols)]
            elif name == "MAX_THREADS" and len(words) >= 3:
                f.max_threads = (words[0], words[1], words[2])
            elif name == "REQNTID" and len(words) >= 3:
                f.req_threads = (words[0], words[1], words[2])
            else:
                if name == "MAXREG_COUNT" and isinstance(record.value, int) and record.value != 0xFF:
                    f.max_registers = record.value
                value: object = True if record.format == NVAL else record.value
                if isinstance(value, bytes) and len(value) % 4 == 0:
                    value = record.words
                f.attributes[name] = value
            if name == "KPARAM_INFO_V2":
                f.attributes[name] = True
        f.params.sort(key=lambda p: p.ordinal)

    def _module_info(self, program: Program) -> None:
        info = self.image.section(".nv.info")
        if info is None:
            return
        functions = {f.name: f for f in program.functions}
        owner = {label: f for f in program.functions for label in f.labels}
        for record in rec.parse(info.data):
            words, name = record.words, ATTRIBUTES.get(record.code, "")
            program.independent |= name == "TEXMODE_INDEPENDENT"
            if name not in ("REGCOUNT", "FRAME_SIZE", "MIN_STACK_SIZE") or len(words) < 2:
                continue
            if words[0] >= len(self.image.symbols):
                info.data.bad(record.offset, f"{name}: symbol index {words[0]} is out of range")
            symbol = self.image.symbols[words[0]].name
            if symbol in functions:
                function = functions[symbol]
                if name == "REGCOUNT":
                    function.registers = words[1]
                elif name == "FRAME_SIZE":
                    function.frame = words[1]
                else:
                    function.min_stack = words[1]
            elif name == "FRAME_SIZE" and symbol in owner:
                frames = owner[symbol].attributes.setdefault("LOCAL_FRAMES", {})
                assert isinstance(frames, dict)
                frames[symbol] = words[1]

    def _callgraph(self, program: Program) -> None:
        """Edges between functions with symbols of their own, beyond the externs that a kernel's records list."""
        section = self.image.section(".nv.callgraph")
        if section is None:
            return
        functions, symbols = {f.name: f for f in program.functions}, self.image.symbols
        for at in range(0, len(section.data) - 7, 8):
            caller, callee = section.data.unpack(_PAIR, at, ".nv.callgraph")
            if caller < len(symbols) and callee < len(symbols) and symbols[caller].name in functions:
                callees = functions[symbols[caller].name].callees
                if symbols[callee].name and symbols[callee].name not in callees:
                    callees.append(symbols[callee].name)

    def _variables(self, program: Program) -> None:
        holders = {
            s.index: s for s in self.image.sections if s.name in (".nv.global", ".nv.global.init", ".nv.constant3")
        }
        found: list[tuple[int, int, Symbol]] = []
        for symbol in self.image.symbols:
            if symbol.section in holders and symbol.type in (elf.STT_OBJECT, 13):
                found.append((symbol.section, symbol.value, symbol))
        for index, offset, symbol in sorted(found, key=lambda item: item[:2]):
            section = holders[index]
            if offset + symbol.size > section.size:
                section.data.bad(0, f"variable '{symbol.name}' runs past the end of {section.name}")
            init = None
            if section.type not in elf.NO_DATA:
                init = self._copy(section.data, offset, symbol.size, symbol.name)
            align = min(offset & -offset or section.align, max(section.align, 1))
            space = "constant" if section.name == ".nv.constant3" else "global"
            inside = [
                Relocation(r.offset - offset, r.kind, r.symbol, r.addend)
                for r in self._between(index, offset, offset + symbol.size)
            ]
            program.variables.append(
                Variable(symbol.name, space, symbol.size, max(align, 1), init, inside, offset)  # type: ignore[arg-type]
            )

    def _between(self, section: int, start: int, end: int) -> list[Relocation]:
        return [r for r in self.relocations.get(section, []) if start <= r.offset < end]

    def _constant4(self, program: Program) -> None:
        section = self.image.section(".nv.constant4")
        if section is None:
            return
        slots = [""] * (len(section.data) // 8)
        for r in self.relocations.get(section.index, []):
            if r.offset // 8 < len(slots):
                slots[r.offset // 8] = f"{r.symbol}+0x{r.addend:x}" if r.addend > 0 else r.symbol
        program.constant4 = slots

    def _lines(self, program: Program) -> None:
        section = self.image.section(".debug_line")
        if section is None:
            return
        names = {f.name for f in program.functions}
        starts = {
            r.offset: (r.symbol.removeprefix(".text."), r.addend) for r in self.relocations.get(section.index, [])
        }
        strings = self.image.section(".debug_str")
        found = lines.read(section.data, strings.data if strings else None, starts)
        for f in program.functions:
            if f.name in names and f.name in found:
                f.lines = found[f.name]
        program.debug_line = self._copy(section.data, 0, len(section.data), ".debug_line")

    def _ptx_version(self, program: Program) -> None:
        """The PTX text that -lineinfo keeps says its version."""
        section = self.image.section(".nv_debug_ptx_txt")
        if section is None:
            return
        head = bytes(section.data.view[:4096])
        at = head.find(b".version ")
        if at >= 0:
            text = head[at + 9 : at + 20].split(b"\0")[0].split(b"\n")[0].strip().decode("latin1")
            major, _, minor = text.partition(".")
            if major.isdigit() and minor.isdigit():
                program.ptx_version = (int(major), int(minor))


def virtual_of(image: Elf) -> int:
    """Number of the target that the code was made for, which may be older than the machine."""
    kit = toolkit_of(image)
    if kit is not None:
        return kit[2]
    return image.flags >> 8 & 0xFFFF if image.abi >= 8 else image.flags >> 16 & 0xFF


def toolkit_of(image: Elf) -> tuple[int, int, int] | None:
    """(major, minor, virtual SM) from .note.nv.cuinfo."""
    section = image.section(".note.nv.cuinfo")
    if section is None:
        return None
    for note in rec.parse_notes(section.data):
        if note.type == rec.CUINFO and len(note.description) >= 6:
            _, virtual, toolkit = struct.unpack_from("<HHH", note.description)
            return toolkit // 10, toolkit % 10, virtual
    return None


__all__ = ["arch_of", "fail", "read_cubin", "toolkit_of", "virtual_of"]
