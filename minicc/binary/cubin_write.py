"""Program -> cubin: the device ELF that the driver of a real GPU loads.

Sections, flags, symbols and record order follow what ptxas 13.0.88 writes for sm_90 (ABI version 8); in what the files
of other architectures differ, `Arch.container` says. An H200's driver (580.159.04) demands .note.nv.tkinfo and
.note.nv.cuinfo; cuobjdump 13.4 also demands .nv.compat.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

from minicc import arch as machines
from minicc.arch.schema import Arch
from minicc.binary import attributes as rec
from minicc.binary import elf
from minicc.binary.codes import ATTRIBUTE_CODES, BVAL, HVAL, NVAL, RELOCATION_CODES, SVAL
from minicc.binary.elf import Draft, DraftSymbol
from minicc.binary.scan import Offsets, pad, scan
from minicc.diagnostics import fail
from minicc.numbers import align_up
from minicc.sass.program import Function, Program, Relocation, Variable

if TYPE_CHECKING:
    from minicc.binary.lines import Written

OSABI, ABI_VERSION = 0x41, 8
TOOLKIT = 130
"""CUDA 13.0: the toolkit whose formats these are, as .note.nv.cuinfo and EIATTR_CUDA_API_VERSION state it."""

HEADER_KINDS = {"texref": "R_CUDA_TEX_HEADER_INDEX", "samplerref": "R_CUDA_SAMP_HEADER_INDEX_0",
                "surfref": "R_CUDA_SURF_HEADER_INDEX"}  # fmt: skip
"""How the number of each is written behind the parameters."""

CALLGRAPH, INFO, COMPAT, RELOCATION_ACTION = 0x70000001, 0x70000000, 0x70000086, 0x7000000B
KPARAM_V2_FROM = 4352
"""Parameter areas larger than this use KPARAM_INFO_V2 (measured on ptxas: 4352 -> V1, 4360 -> V2), as do kernels with
`.hidden` parameters, which have no record."""

# Attributes that come from `Function.attributes` unchanged: code name -> format.
_KEPT = {
    "BLOCKS_ARE_CLUSTERS": NVAL,
    "EXPLICIT_CLUSTER": NVAL,
    "MAX_CLUSTER_RANK": SVAL,
    "CTA_PER_CLUSTER": SVAL,
    "WMMA_USED": NVAL,
    "REG_RECONFIG": NVAL,
    "NUM_MBARRIERS": HVAL,
    "MBARRIER_INSTR_OFFSETS": SVAL,
    "INDIRECT_BRANCH_TARGETS": SVAL,
    "SPARSE_MMA_MASK": HVAL,
    "MAXREG_COUNT": HVAL,
}


def write_cubin(program: Program) -> bytes:
    """The cubin of `program`. `CompileError` for a program that cannot be one (duplicate names, unknown symbols)."""
    return _Writer(program, machines.get(program.arch)).run()


class _Writer:
    def __init__(self, program: Program, arch: Arch) -> None:
        self.program, self.arch = program, arch
        self.sections: list[Draft] = []
        self.symbols: list[DraftSymbol] = []
        self.number: dict[str, int] = {}
        """Symbol name -> index in .symtab."""
        self.local_functions: dict[str, list[tuple[str, int, int]]] = {}
        """Kernel -> (name, offset, size) of the device functions inside its code."""
        self.texts: dict[str, bytes] = {}
        self.offsets: dict[str, Offsets] = {}

    def run(self) -> bytes:
        program = self.program
        for function in program.functions:
            self.texts[function.name] = self._text(function)
            self.offsets[function.name] = scan(function.code, bool(set(function.callees) & set(program.externs)))
            self.local_functions[function.name] = _local_functions(function, len(self.texts[function.name]))
        init, zero, constant, placed = _place(program.variables)
        self._name_symbols(placed)
        line_table = self._line_table()
        self._tables(line_table)
        self._info()
        self._relocations(placed, line_table)
        if program.constant4:
            self.add(Draft(".nv.constant4", elf.PROGBITS, elf.ALLOC, bytes(8 * len(program.constant4)), align=8))
        if constant:
            self.add(Draft(".nv.constant3", elf.PROGBITS, elf.ALLOC, constant.data, align=constant.align))
        for f in program.functions:
            if f.constant2:
                flags = elf.ALLOC | elf.INFO_LINK
                name, owner = f".nv.constant2.{f.name}", f".text.{f.name}"
                self.add(
                    Draft(
                        name, elf.PROGBITS, flags, f.constant2, info=owner, align=8 if len(f.constant2) % 8 == 0 else 4
                    )
                )
        if self.arch.container.constants_first:
            self._parameters()
        for f in program.functions:
            flags, symbol = elf.ALLOC | elf.EXEC, self.number[f.name]
            text = self.texts[f.name]
            if self.arch.container.registers_in_text:
                symbol |= f.registers << 24
            self.add(Draft(f".text.{f.name}", elf.PROGBITS, flags, text, ".symtab", symbol, align=128))
        self._data(init, zero)
        if not self.arch.container.constants_first:
            self._parameters()
        return self._finish()

    def _parameters(self) -> None:
        """Bank 0 of each kernel."""
        for f in self.program.functions:
            if f.entry:
                size = (
                    self._behind_parameters(f) + 4 * len(f.headers)
                    if f.headers
                    else self.arch.abi.param_base + f.parameter_size
                )
                flags = elf.ALLOC | elf.INFO_LINK
                name = f".nv.constant0.{f.name}"
                self.add(Draft(name, elf.PROGBITS, flags, bytes(size), info=f".text.{f.name}", align=4))

    def _line_table(self) -> Written | None:
        if not any(f.lines for f in self.program.functions):
            return None
        from minicc.binary import lines

        return lines.write(lines.Sequence_(f.name, len(self.texts[f.name]), f.lines) for f in self.program.functions)

    def add(self, section: Draft) -> None:
        self.sections.append(section)

    def _text(self, function: Function) -> bytes:
        if len(function.code) % 16 or not function.code:
            fail("binary.code", f"code of '{function.name}' is {len(function.code)} bytes: not whole instructions")
        text = pad(function.code, self.arch.abi.text_padding)
        wanted = function.attributes.get("TEXT_SIZE")
        return text if not isinstance(wanted, int) or wanted <= len(text) else pad(function.code, wanted)[:wanted]

    def _behind_parameters(self, f: Function) -> int:
        """Where the numbers of textures, samplers and surfaces begin in bank 0."""
        return self.arch.abi.param_base + align_up(f.parameter_size, 4)

    # -- symbols -------------------------------------------------------------------------------------------------

    def _symbol(self, name: str, section: str = "", value: int = 0, size: int = 0, kind: int = elf.STT_NOTYPE,
                bind: int = elf.STB_LOCAL, other: int = 0) -> None:  # fmt: skip
        if name in self.number:
            fail("binary.duplicate", f"symbol '{name}' is defined twice in the program")
        self.symbols.append(DraftSymbol(name, section, value, size, kind, bind, other))
        self.number[name] = len(self.symbols)

    def _section_symbol(self, name: str) -> None:
        self._symbol(name, name, kind=elf.STT_SECTION)

    def _name_symbols(self, placed: list[tuple[Variable, str, int]]) -> None:
        program = self.program
        for name in (".note.nv.tkinfo", ".note.nv.cuinfo", *(f".text.{f.name}" for f in program.functions)):
            self._section_symbol(name)
        if self.arch.container.reserved_shared:
            self._symbol(".nv.reservedSmem.offset0", size=4, kind=elf.STT_OBJECT, bind=elf.STB_WEAK)
            self._symbol("__nv_reservedSMEM_offset_0_alias", ".nv.shared.reserved.0", bind=elf.STB_WEAK, other=0xA0)
        if program.constant4:
            self._section_symbol(".nv.constant4")
        for name in dict.fromkeys(section for _, section, _ in placed):
            self._section_symbol(name)
        for variable, section, offset in placed:
            self._symbol(variable.name, section, offset, variable.size, elf.STT_OBJECT)
        for f in program.functions:
            for name, offset, size in self.local_functions[f.name]:
                self._symbol(name, f".text.{f.name}", offset, size, elf.STT_FUNC)
            if f.constant2:
                self._section_symbol(f".nv.constant2.{f.name}")
        self._section_symbol(".nv.callgraph")
        for f in program.functions:
            other = elf.STO_ENTRY if f.entry else 0
            size = len(self.texts[f.name])
            self._symbol(f.name, f".text.{f.name}", 0, size, elf.STT_FUNC, elf.STB_GLOBAL, other)
        for name in program.externs:
            self._symbol(name, kind=elf.STT_FUNC, bind=elf.STB_GLOBAL)
        for name, kind in program.references.items():
            if kind == "size":
                self._symbol(name, size=4, kind=elf.STT_OBJECT, bind=elf.STB_WEAK)
            else:
                self._symbol(name, kind=elf.STT_REFERENCES[kind], bind=elf.STB_GLOBAL)
        for f in program.functions:
            if f.entry:
                self._section_symbol(f".nv.constant0.{f.name}")

    def _index(self, name: str, what: str) -> int:
        if name not in self.number:
            fail("binary.symbol", f"{what} refers to '{name}', which is not defined here, and no other file is linked")
        return self.number[name]

    # -- sections ------------------------------------------------------------------------------------------------

    def _tables(self, table: Written | None) -> None:
        for name, kind in ((".shstrtab", elf.STRTAB), (".strtab", elf.STRTAB)):
            self.add(Draft(name, kind))
        self.add(
            Draft(".symtab", elf.SYMTAB, link=".strtab", info=len(self.symbols) + 1, align=8, entsize=elf.SYM.size)
        )
        if table:
            self.add(Draft(".debug_line", elf.PROGBITS, data=table.debug_line))
        if table and table.debug_str:
            self.add(Draft(".debug_str", elf.PROGBITS, data=table.debug_str))
        for name, found in self.program.debug.items():
            self.add(Draft(name, elf.PROGBITS, data=found.data))
        arguments = f"-arch {self.arch.name} -m 64 "
        note = rec.tkinfo("minicc", "minicc 0.1.0, CUDA 13.0 formats", "minicc ptxas", arguments)
        self.add(Draft(".note.nv.tkinfo", elf.NOTE, 0x02000000, note, align=4))
        note = rec.cuinfo(self.program.virtual or self.arch.sm, TOOLKIT)
        flags, compat = (0x01000040, ".nv.compat") if self.arch.container.compat else (0x01000000, 0)
        self.add(Draft(".note.nv.cuinfo", elf.NOTE, flags, note, ".note.nv.tkinfo", compat, 4))

    def _info(self) -> None:
        code, functions = ATTRIBUTE_CODES, self.program.functions
        module = b""
        for f in functions:
            module += rec.sval(code["REGCOUNT"], self.number[f.name], f.registers)
            frames = f.attributes.get("LOCAL_FRAMES")
            for name, _, _ in self.local_functions[f.name]:
                frame = frames.get(name, 0) if isinstance(frames, dict) else 0
                module += rec.sval(code["FRAME_SIZE"], self.number[name], frame)
            module += rec.sval(code["FRAME_SIZE"], self.number[f.name], f.frame)
        for f in functions:
            if f.entry:
                module += rec.sval(code["MIN_STACK_SIZE"], self.number[f.name], f.min_stack)
        if self.program.independent:
            module += rec.nval(code["TEXMODE_INDEPENDENT"])
        if module:
            self.add(Draft(".nv.info", INFO, data=module, link=".symtab", align=4))
        if self.arch.container.compat:
            # The values of a ptxas 13.0.88 sm_90 file; record 9 is what tells sm_90a from sm_90.
            target = {"": 0, "a": 1, "f": 2}[self.arch.feature]
            compat = b"".join((rec.bval(9, target), rec.bval(2, 1), rec.bval(5, 5), rec.hval(7, 0x0101),
                               rec.bval(3, 0), rec.bval(6, 1), rec.sval(0xB, 0, 0)))  # fmt: skip
            self.add(Draft(".nv.compat", COMPAT, data=compat, align=4))
        for f in functions:
            if f.entry:
                name, text = f".nv.info.{f.name}", f".text.{f.name}"
                self.add(Draft(name, INFO, elf.INFO_LINK, self._kernel_info(f), ".symtab", text, 4))
        graph = [(0, -1)]
        for f in functions:
            targets = [c for c in f.callees if c in self.program.externs or any(g.name == c for g in functions)]
            graph += [(self.number[f.name], self.number[c]) for c in targets]
        graph += [(0, -2), (0, -3), (0, -4)]
        data = b"".join(struct.pack("<ii", *pair) for pair in graph)
        self.add(Draft(".nv.callgraph", CALLGRAPH, data=data, link=".symtab", align=4, entsize=8))
        if action := self.arch.container.relocation_action:
            self.add(Draft(".nv.rel.action", RELOCATION_ACTION, data=action, align=8, entsize=8))

    def _kernel_info(self, f: Function) -> bytes:
        """Records of one kernel, in the order ptxas keeps."""
        code, found, abi = ATTRIBUTE_CODES, self.offsets[f.name], self.arch.abi
        size = f.parameter_size
        out = self._kept(f, "BLOCKS_ARE_CLUSTERS") + rec.sval(code["CUDA_API_VERSION"], TOOLKIT)
        out += b"".join(rec.nval(mark) for mark in self.arch.container.marks)
        for p in sorted(f.params, key=lambda p: -p.ordinal):
            place = p.ordinal | p.offset << 16
            if size > KPARAM_V2_FROM or "KPARAM_INFO_V2" in f.attributes:
                out += rec.sval(code["KPARAM_INFO_V2"], 0, place, p.size)
            else:
                out += rec.sval(code["KPARAM_INFO"], 0, place, p.size << 18 | 0x1F << 12)
        out += self._kept(f, "MAX_CLUSTER_RANK", "EXPLICIT_CLUSTER", "CTA_PER_CLUSTER")
        out += self._kept(f, "SPARSE_MMA_MASK") or rec.hval(code["SPARSE_MMA_MASK"], 0)
        out += self._kept(f, "WMMA_USED")
        out += self._kept(f, "MAXREG_COUNT") or rec.hval(code["MAXREG_COUNT"], f.max_registers or 0xFF)
        if f.barriers:
            out += rec.bval(code["NUM_BARRIERS"], f.barriers)
        if used := [c for c in dict.fromkeys(f.callees) if c in self.program.externs]:
            out += rec.sval(code["EXTERNS"], *(self.number[c] for c in used))
        out += rec.hval(0x5F, self.arch.container.finalizer)
        if found.warp_wide:
            out += rec.sval(code["INT_WARP_WIDE_INSTR_OFFSETS"], *found.warp_wide)
        out += self._kept(f, "MBARRIER_INSTR_OFFSETS")
        if found.system_calls:
            out += rec.sval(code["SYSCALL_OFFSETS"], *found.system_calls)
        out += self._kept(f, "REG_RECONFIG")
        if found.warp_sync:
            out += rec.sval(code["COOP_GROUP_MASK_REGIDS"], *(0xFFFFFFFF for _ in found.warp_sync))
        out += self._kept(f, "NUM_MBARRIERS")
        if found.warp_sync:
            out += rec.sval(code["COOP_GROUP_INSTR_OFFSETS"], *found.warp_sync)
        if found.exits:
            out += rec.sval(code["EXIT_INSTR_OFFSETS"], *found.exits)
        if f.req_threads:
            out += rec.sval(code["REQNTID"], *f.req_threads)
        elif f.max_threads:
            out += rec.sval(code["MAX_THREADS"], *f.max_threads)
        if found.divergent:
            out += rec.sval(code["CRS_STACK_SIZE"], 0)
        out += self._kept(f, "INDIRECT_BRANCH_TARGETS")
        out += rec.hval(code["CBANK_PARAM_SIZE"], size)
        bank = self.number[f".nv.constant0.{f.name}"]
        out += rec.sval(code["PARAM_CBANK"], bank, abi.param_base | size << 16)
        workarounds = self.arch.container.workarounds
        return out if workarounds is None else out + rec.sval(code["SW_WAR"], workarounds)

    def _kept(self, f: Function, *names: str) -> bytes:
        out = b""
        for name in names:
            value, code = f.attributes.get(name), ATTRIBUTE_CODES[name]
            if value is None or value is False:
                continue
            form = _KEPT[name]
            if form == NVAL:
                out += rec.nval(code)
            elif form in (BVAL, HVAL):
                assert isinstance(value, int)
                out += rec.bval(code, value) if form == BVAL else rec.hval(code, value)
            elif isinstance(value, bytes):
                out += rec.sbytes(code, value)
            else:
                out += rec.sval(code, *([value] if isinstance(value, int) else value))  # type: ignore[misc]
        return out

    def _relocations(self, placed: list[tuple[Variable, str, int]], table: Written | None) -> None:
        functions = self.program.functions
        for f in functions:
            if f.relocations:
                self._rela(f".text.{f.name}", f.relocations)
        for f in functions:
            extra = f.attributes.get("CONSTANT2_RELOCATIONS")
            if f.constant2 and isinstance(extra, list) and extra:
                self._rela(f".nv.constant2.{f.name}", extra)
        for f in functions:
            at = self._behind_parameters(f)
            headers = [Relocation(at + 4 * n, self._header_kind(name), name) for n, name in enumerate(f.headers)]
            if headers:
                self._rela(f".nv.constant0.{f.name}", reversed(headers))
        if table:
            self._rela(".debug_line", [Relocation(at, "R_CUDA_64", name) for at, name in table.relocations])
        for name, found in self.program.debug.items():
            if found.relocations:
                self._rela(name, found.relocations)
        if self.program.constant4:
            slots = [(8 * i, *split_addend(name)) for i, name in enumerate(self.program.constant4) if name]
            entries = [Relocation(at, "R_CUDA_64", name, addend) for at, name, addend in reversed(slots)]
            self._rela(".nv.constant4", entries)
        by_section: dict[str, list[Relocation]] = {}
        for variable, section, offset in placed:
            for r in variable.relocations:
                moved = Relocation(offset + r.offset, r.kind, r.symbol, r.addend)
                by_section.setdefault(section, []).append(moved)
        for section, entries in by_section.items():
            self._rela(section, entries)

    def _header_kind(self, name: str) -> str:
        return HEADER_KINDS.get(self.program.references.get(name, ""), "none")

    def _rela(self, target: str, entries: Iterable[Relocation]) -> None:
        data = b""
        for r in entries:
            if r.kind not in RELOCATION_CODES:
                fail("binary.relocation", f"unknown relocation kind '{r.kind}' in {target}")
            symbol = self._index(r.symbol, f"a relocation of {target}")
            data += elf.RELA.pack(r.offset, RELOCATION_CODES[r.kind], symbol, r.addend)
        flags, size = elf.INFO_LINK, elf.RELA.size
        self.add(Draft(f".rela{target}", elf.SHT_RELA, flags, data, ".symtab", target, 8, size))

    def _data(self, init: _Bank | None, zero: _Bank | None) -> None:
        program, reserve = self.program, self.arch.abi.shared_reserved
        data = elf.ALLOC | elf.WRITE
        if init:
            self.add(Draft(".nv.global.init", elf.PROGBITS, data, init.data, align=init.align))
        for f in program.functions:
            if f.entry and (f.shared or program.uses_extern_shared):
                name, align = f".nv.shared.{f.name}", max(f.shared_align, 1)
                flags, size = data | elf.INFO_LINK, reserve + f.shared
                self.add(Draft(name, elf.NOBITS, flags, info=f".text.{f.name}", align=align, size=size))
        if self.arch.container.reserved_shared:
            self.add(Draft(".nv.shared.reserved.0", elf.NOBITS, data))
        if zero:
            self.add(Draft(".nv.global", elf.NOBITS, data, align=zero.align, size=zero.size))

    def _finish(self) -> bytes:
        index = {s.name: i + 1 for i, s in enumerate(self.sections)}
        strings = elf.Strings()
        by_name = {s.name: s for s in self.sections}
        by_name[".symtab"].data = elf.pack_symbols(self.symbols, index, strings)
        by_name[".strtab"].data = bytes(strings.blob)
        flags = 0x04 | self.arch.sm << 8 | index[".note.nv.cuinfo"] << 24
        if index[".note.nv.cuinfo"] > 255:  # cannot happen: it follows a fixed number of sections
            fail("binary.layout", "the cuinfo note has no room in e_flags")
        return elf.lay_out(self.sections, elf.ET_EXEC, elf.EM_CUDA, flags, OSABI, ABI_VERSION, segments=True)


def _local_functions(f: Function, text_size: int) -> list[tuple[str, int, int]]:
    """Labels that begin with `$` (but not `$L`, a branch label) are device functions inside the kernel's code, such as
    $kernel$function; each ends where the next begins."""
    found = sorted((offset, name) for name, offset in f.labels.items() if name[:1] == "$" and name[:2] != "$L")
    ends = [*(offset for offset, _ in found[1:]), text_size][: len(found)]
    return [(name, offset, end - offset) for (offset, name), end in zip(found, ends, strict=True)]


def split_addend(name: str) -> tuple[str, int]:
    """("symbol", 16) of "symbol+0x10"; `Program.constant4` slots may carry an addend so."""
    symbol, plus, addend = name.partition("+0x")
    return (symbol, int(addend, 16)) if plus else (name, 0)


class _Bank:
    def __init__(self, data: bytes, size: int, align: int) -> None:
        self.data, self.size, self.align = data, size, align


def _place(
    variables: list[Variable],
) -> tuple[_Bank | None, _Bank | None, _Bank | None, list[tuple[Variable, str, int]]]:
    """Lay variables out in .nv.global.init, .nv.global and .nv.constant3: (init, zero, constant, placements).
    A variable that has an `offset` keeps it (code refers to bank 3 by offset); the others follow."""
    groups: dict[str, list[Variable]] = {".nv.global.init": [], ".nv.global": [], ".nv.constant3": []}
    for v in variables:
        name = ".nv.constant3" if v.space == "constant" else ".nv.global" if v.init is None else ".nv.global.init"
        groups[name].append(v)
    banks, placed = {}, []
    for name, group in groups.items():
        spans: list[tuple[int, Variable]] = [(v.offset, v) for v in group if v.offset is not None]
        end = max((at + v.size for at, v in spans), default=0)
        for v in group:
            if v.offset is None:
                at = align_up(end, max(v.align, 1))
                spans.append((at, v))
                end = at + v.size
        spans.sort(key=lambda s: s[0])
        for (at, v), (following, w) in pairwise(spans):
            if at + v.size > following:
                fail("binary.layout", f"variables '{v.name}' and '{w.name}' overlap in {name}")
        data = bytearray(0 if name == ".nv.global" else end)
        for at, v in spans:
            if v.init is not None:
                if len(v.init) > v.size:
                    fail("binary.layout", f"initialiser of '{v.name}' is longer than the variable")
                data[at : at + len(v.init)] = v.init
            placed.append((v, name, at))
        banks[name] = _Bank(bytes(data), end, max((v.align for v in group), default=1)) if group else None
    return banks[".nv.global.init"], banks[".nv.global"], banks[".nv.constant3"], placed
