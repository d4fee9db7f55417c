"""From machine code to the engine's tables, once per piece of code.

Input: the bytes of mapped code. Output: `Decoded`, whose CODE rows hold everything the compiled engine asks about an
instruction. What depends on the grid (constant operands, code addresses) is filled in by `Decoded.instance`.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from minicc import sass
from minicc.arch import Arch
from minicc.diagnostics import CompileError
from minicc.sass.instr import PT, RZ, Instr, Mem, Reg, Target
from runtime.device import syscalls
from runtime.device.sm.code import control_rows, extended
from runtime.device.sm.code.control_rows import always, place
from runtime.device.sm.code.prove import Facts, Flow, prove, tables
from runtime.device.sm.code.timing import Timing, timing
from runtime.device.sm.core.units import constant_line
from runtime.device.sm.execute import abi, codegen
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.workspace import aligned

Table = npt.NDArray[np.int64]

_SPECIAL = {name: n for n, name in enumerate(K.SPECIALS)}
_SPECIAL["SR_CLOCK"] = _SPECIAL["SR_CLOCKLO"]
_NUMBERS = {
    0: "SR_LANEID", 1: "SR_CLOCK", 3: "SR_VIRTID", 32: "SR_TID", 33: "SR_TID.X", 34: "SR_TID.Y", 35: "SR_TID.Z",
    37: "SR_CTAID.X", 38: "SR_CTAID.Y", 39: "SR_CTAID.Z", 40: "SR_NTID", 46: "SR_LWINHI", 47: "SR_SWINHI",
    48: "SR_SWINLO", 52: "SR_LWINLO", 56: "SR_EQMASK", 57: "SR_LTMASK", 58: "SR_LEMASK", 59: "SR_GTMASK",
    60: "SR_GEMASK", 67: "SR_VIRTUALSMID", 80: "SR_CLOCKLO", 81: "SR_CLOCKHI", 82: "SR_GLOBALTIMERLO",
    83: "SR_GLOBALTIMERHI", 136: "SR_CgaCtaId", 255: "SRZ",
}  # fmt: skip
"""Special register numbers (bits 72..79, as nvdisasm names them) that the engine supplies; all others read zero."""

_SPACES = {"global": K.SPACE_GLOBAL, "shared": K.SPACE_SHARED, "local": K.SPACE_LOCAL, "generic": K.SPACE_GENERIC,
           "constant": K.SPACE_CONST}  # fmt: skip
_ACCESSES = {"load": K.A_LOAD, "store": K.A_STORE, "atom": K.A_ATOM, "red": K.A_RED, "ldgsts": K.A_LDGSTS,
             "ldsm": K.A_LDSM, "stsm": K.A_STSM}  # fmt: skip
_TYPES = {"u32": K.T_U32, "s32": K.T_S32, "u64": K.T_U64, "s64": K.T_S64, "f32": K.T_F32, "f64": K.T_F64,
          "f16x2": K.T_F16X2, "bf16x2": K.T_BF16X2, "f32.ftz": K.T_F32_FTZ, "f16x2.ftz": K.T_F16X2, "u128": K.T_F32,
          "f16x4": K.T_F16X2, "f16x8": K.T_F16X2, "bf16x4": K.T_BF16X2, "bf16x8": K.T_BF16X2, "f32x2": K.T_F32,
          "f32x4": K.T_F32, "f32x2.ftz": K.T_F32_FTZ, "f32x4.ftz": K.T_F32_FTZ}  # fmt: skip
"""Of vectors (and 128 bits, which are only exchanged and compared) the type of a word."""
_DRIVER = {syscalls.ADDRESSES["vprintf"]: K.CALL_PRINT, syscalls.ADDRESSES["__assertfail"]: K.CALL_ASSERT,
           syscalls.ADDRESSES["malloc"]: K.CALL_MALLOC, syscalls.ADDRESSES["free"]: K.CALL_FREE}  # fmt: skip

WAITS = 4
"""The least stall count of an instruction whose warp waits for its result."""


@attrs.define(eq=False)
class Decoded:
    """Tables of one piece of code of `count` instructions. `errors[i]` says why instruction i cannot be executed."""

    count: int
    code: Table
    operands: Any
    res: Table
    src: Table
    raw: Table
    instrs: list[Instr | None]
    timings: list[Timing | None]
    errors: dict[int, str]
    constants: list[tuple[int, int, int, int, int]]
    """(instruction, slot, bank, offset, size) of constant operands"""
    extended: bool
    """Whether any instruction needs the extension"""
    absolute: list[int]
    """direct jumps to absolute addresses: C_TARGET is relative to the code only once the grid is known"""
    highest: Table
    """One more than the highest general register that each instruction names"""

    @property
    def registers(self) -> int:
        """One more than the highest general register that any of it names."""
        return int(self.highest.max(initial=0))

    def beyond(self, registers: int) -> npt.NDArray[np.bool_]:
        """Which instructions name registers that a kernel of so many has not (with USETMAXREG it has others)."""
        if any(instr is not None and instr.mnemonic == "USETMAXREG" for instr in self.instrs):
            return np.zeros(self.count, bool)
        return self.highest > usable(registers)

    def instance(self, banks: dict[int, bytes], code_address: int, registers: int) -> tuple[Table, Any]:
        """CODE and operand records for a grid with these constant banks, this place of the code and so many registers a
        thread."""
        code = copied(self.code)
        wrong = self.beyond(registers)
        code[wrong, L.C_KIND], code[wrong, L.C_PLAIN] = K.K_ILLEGAL, 0
        code[wrong, L.C_GUARD], code[wrong, L.C_GINV] = 4 * abi.p_word(PT), 0
        operands = aligned(self.operands.shape, abi.OPERANDS)
        operands[:] = self.operands
        base = operands.ctypes.data
        code[:, L.C_OPERANDS] = base + abi.OPERANDS.itemsize * np.arange(self.count)
        imm = operands["imm"]
        for i, slot, bank, offset, size in self.constants:
            data = banks.get(bank, b"")[offset : offset + size]
            imm[i, slot] = int.from_bytes(data.ljust(size, b"\0"), "little")
        for i in self.absolute:
            address = int(code[i, L.C_TARGET])
            code[i, L.C_AUX] = _DRIVER.get(address, 0)
            target = address - code_address
            code[i, L.C_TARGET] = target >> 4 if target % 16 == 0 else -1
        return code, operands


def usable(registers: int) -> int:
    """How many registers code may name where its kernel asks for so many: two less, of 16 at least; an instruction that
    names another is illegal whatever its guard says (H200, counts from 5 to 255)."""
    return max(registers, 16) - 2


def copied(code: Table) -> Table:
    """A copy of CODE rows. A warp that runs off the end looks at one row more before it is noticed."""
    table = aligned((len(code) + 1, L.C_COLUMNS), np.int64)[:-1]
    table[:] = code
    return table


def moved(code: Table, count: int, rows: int, results: int, sources: int) -> None:
    """Make CODE rows of a grid (see `instance`) those behind `rows` others, which have so many results and sources."""
    jumps = np.isin(code[:, L.C_KIND], (K.K_BRA, K.K_CALL, K.K_BRA_DIV, K.K_WARPSYNC))
    inside = (code[:, L.C_TARGET] >= 0) & (code[:, L.C_TARGET] < count)
    code[jumps, L.C_TARGET] = np.where(inside, code[:, L.C_TARGET] + rows, -1)[jumps]
    code[code[:, L.C_FOLLOW] >= 0, L.C_FOLLOW] += rows
    code[code[:, L.C_KIND] == K.K_LEPC, L.C_AUX] += 16 * rows
    code[code[:, L.C_KIND] == K.K_BRA_REG, L.C_AUX3] += 16 * rows
    code[:, L.C_RES] += results
    code[:, L.C_SRC] += sources


def _misplaced(effects: sass.Effects) -> str:
    """Of an instruction a group of whose registers begins where none does: pairs begin at even registers, groups of
    four at multiples of four (an H200 ends such a kernel with an illegal instruction)."""
    for a in (*effects.reads, *effects.writes):
        if a.file == "R" and a.index < RZ and a.index % min(a.count & -a.count, 4):
            return f"{a.count} registers cannot begin at R{a.index}"
    return ""


def _effective_stall(stall: int, yields: bool, pause: int) -> int:
    """Cycles to this warp's next issue. Measured on an H200: stall 0 with yield is a long pause, 0 without is 2; 12 and
    more without yield hardly count; 1 with yield leaves a bubble."""
    if stall == 0:
        return pause if yields else 2
    if stall >= 12 and not yields:
        return 2 if stall == 15 else 1
    if stall == 1 and yields:
        return 2
    return stall


def _base_row(row: Table, instr: Instr) -> None:
    """From which registers a memory instruction makes addresses of device memory."""
    memory = [o for o in instr.operands if isinstance(o, Mem)]
    if row[L.C_SPACE] not in (K.SPACE_GLOBAL, K.SPACE_GENERIC) or not memory:
        return
    where = memory[-1]
    if where.base is None or where.base.file != "R" or where.base.index == RZ:
        return
    row[L.C_BASE] = place(where.base)
    row[L.C_WIDE] = "U32" not in where.base.suffix
    row[L.C_OFFSET] = where.offset
    if where.ureg is not None:
        row[L.C_UBASE] = place(where.ureg)


def _windows(move: codegen.Transfer) -> int:
    """Which windows of generic addresses an atomic is done in (`K.WINDOW_SHARED`, `K.WINDOW_LOCAL`): integers of 32
    bits in both, sums and exchanges of 64 in shared memory. An H200 has it so for each operation and type, one lane to
    each of the spaces; where one is not done its predicate is false and its register stays (2026-12-01)."""
    if move.type in ("u32", "s32"):
        return K.WINDOW_SHARED | K.WINDOW_LOCAL
    return K.WINDOW_SHARED if move.type == "u64" and move.atomic in ("add", "cas", "exch") else 0


def _transfer_row(row: Table, move: codegen.Transfer) -> None:
    """Fill the columns of a memory instruction."""
    row[L.C_SPACE] = _SPACES[move.space]
    row[L.C_ACCESS] = _ACCESSES[move.op]
    row[L.C_WIDTH] = move.width
    row[L.C_BANK] = max(move.bank, 0)
    row[L.C_BYPASS] = move.strong
    zero, dump = 4 * abi.RZ_ROW * abi.LANES, 4 * abi.DUMP_ROW * abi.LANES
    row[L.C_DATA] = row[L.C_DATA2] = zero
    row[L.C_DEST] = dump
    row[L.C_AUX] = 0

    if move.dest is not None:
        row[L.C_DEST] = 4 * abi.word(*move.dest[:2], write=True)
    if move.data is not None:
        row[L.C_DATA] = 4 * abi.word(*move.data[:2])
    if move.op == "load":
        row[L.C_AUX] = move.signed
    elif move.op in ("atom", "red"):
        row[L.C_AUX2] = 4 * abi.p_word(move.predicate, write=True) if move.predicate >= 0 else -1
        row[L.C_AUX3] = _windows(move)
        if move.atomic == "popc.inc":
            row[L.C_AUX] = 2
            row[L.C_OP] = K.OP_ADD
        else:
            row[L.C_OP] = extended.ATOMICS.get(move.atomic, -1)
            row[L.C_TYPE] = _TYPES.get(move.type, -1)
            if row[L.C_OP] < 0 or row[L.C_TYPE] < 0:
                row[L.C_KIND] = K.K_ILLEGAL
            if move.atomic in ("cas", "cast") and move.compare is not None:
                row[L.C_DATA2] = row[L.C_DATA]
                row[L.C_DATA] = 4 * abi.word(*move.compare[:2])
    elif move.op == "ldgsts":
        row[L.C_AUX] = -1
        row[L.C_AUX2] = move.zero_fill
        if move.guard is not None:
            row[L.C_AUX] = 4 * abi.p_word(move.guard[0])
            row[L.C_AUX3] = 0xFFFFFFFF if move.guard[1] else 0
    elif move.op in ("ldsm", "stsm"):
        row[L.C_AUX], row[L.C_AUX2] = move.matrices, move.transposed


def _reach(words: list[int], entry: int, arch: Arch) -> dict[int, Instr | str]:
    """Decode what can be reached from instruction `entry` (everything, if an indirect jump could go anywhere). A string
    is the reason why a word does not decode."""
    found: dict[int, Instr | str] = {}
    work = [entry]
    everything = False
    names: set[str] = set()
    known: dict[int, Instr] = {}
    """Words that say the same at every place."""

    def decoded(i: int) -> Instr | str:
        if (instr := known.get(words[i])) is not None:
            return instr
        try:
            instr = sass.decode(words[i], arch, 16 * i)
        except CompileError as error:
            return str(error)
        if not any(isinstance(op, Target) for op in instr.operands):
            known[words[i]] = instr
        return instr

    while work:
        i = work.pop()
        while 0 <= i < len(words) and i not in found:
            instr = found[i] = decoded(i)
            if isinstance(instr, str):
                break
            name = instr.mnemonic
            for op in instr.operands:
                if isinstance(op, Target) and op.address is not None and "ABS" not in instr.modifiers:
                    work.append(op.address >> 4)
            registers = [o for o in instr.operands if isinstance(o, Reg)]
            indirect = "ABS" in instr.modifiers or any(r.file in ("R", "UR") for r in registers)
            names.add(name)
            if name in ("BRX", "BRXU", "JMX", "JMXU", "JMP") or (name == "CALL" and indirect):
                everything = True
            plain = always(instr.guard) and all(always(r) for r in registers if r.file in ("P", "UP"))
            both = {"DIV", "CONV"} & set(instr.modifiers)
            if plain and not both and name in ("EXIT", "RET", "BRX", "JMP", "JMX", "BRA"):
                break
            i += 1
    if everything or ("RET" in names and "CALL" not in names):
        for i in range(len(words)):
            if i not in found:
                found[i] = decoded(i)
    return found


_CACHE: OrderedDict[tuple[bytes, int, str, bool], Decoded] = OrderedDict()


def decode(data: bytes, entry: int, arch: Arch, hazards: bool) -> Decoded:
    """Tables for the code `data` run from byte offset `entry`; kept for the last 32 pieces of code."""
    key = (data, entry, arch.name, hazards)
    known = _CACHE.get(key)
    if known is not None:
        _CACHE.move_to_end(key)
        return known
    decoded = _decode(data, entry, arch, hazards)
    _CACHE[key] = decoded
    if len(_CACHE) > 32:
        _CACHE.popitem(last=False)
    return decoded


def _meaning(
    row: Table, i: int, instr: Instr, arch: Arch, absolute: list[int]
) -> tuple[codegen.Bound | None, str | None]:
    """Fill the columns that say what instruction i does: its operands, and why it cannot be executed."""
    try:
        bound = codegen.bind(instr, arch)
    except codegen.Unsupported as error:
        return None, f"{instr.mnemonic}: {error}"
    move = bound.transfer
    row[L.C_AUX] = -1
    if instr.mnemonic in extended.MNEMONICS:
        return bound, extended.row_of(row, instr)
    if move is not None and move.op == "sync":
        return bound, extended.sync_row(row, instr, move)
    if bound.key is None:
        control_rows.fill(row, i, instr, absolute)
        if row[L.C_KIND] == K.K_ILLEGAL:
            return bound, f"{instr.mnemonic} is not modelled"
    elif move is not None:
        row[L.C_KIND] = K.K_MEM
        _transfer_row(row, move)
        _base_row(row, instr)
        if row[L.C_KIND] == K.K_ILLEGAL:
            return bound, f"atomic {move.atomic} {move.type} is not modelled"
    elif bound.special >= 0:
        row[L.C_KIND] = K.K_SPECIAL
        row[L.C_AUX] = _SPECIAL[_NUMBERS.get(bound.special, "SRZ")]
    else:
        row[L.C_KIND] = K.K_EXEC
        general = [index for file, index in bound.sources if file == "R"]  # of RZ or a number all lanes have one value
        if instr.mnemonic == "MATCH" and "ANY" in instr.modifiers and general:
            row[L.C_WIDTH] = 8 if "U64" in instr.modifiers else 4
            row[L.C_DATA] = 4 * abi.r_row(general[0])
    return bound, None


def unmodelled(instr: Instr, arch: Arch) -> str | None:
    """Why an instruction cannot be executed; None if it can."""
    return _meaning(np.zeros(L.C_COLUMNS, np.int64), 0, instr, arch, [])[1]


def _decode(data: bytes, entry: int, arch: Arch, hazards: bool) -> Decoded:
    words = [int.from_bytes(data[k : k + 16], "little") for k in range(0, len(data) - 15, 16)]
    count = len(words)
    code = np.zeros((count, L.C_COLUMNS), np.int64)
    code[:, L.C_KIND] = K.K_ILLEGAL
    code[:, L.C_GUARD] = 4 * abi.p_word(PT)
    code[:, L.C_WBAR] = code[:, L.C_RBAR] = 7
    code[:, L.C_STALL] = code[:, L.C_HOLD] = 1
    code[:, L.C_PORTS] = code[:, L.C_CLINE] = code[:, L.C_PRED] = code[:, L.C_READ : L.C_READ + 8] = -1
    code[:, L.C_ROW : L.C_ROW + 4] = 4 * abi.RZ_ROW * abi.LANES
    operands = np.zeros(count, abi.OPERANDS)
    instrs: list[Instr | None] = [None] * count
    timings: list[Timing | None] = [None] * count
    errors: dict[int, str] = {}
    bounds: dict[int, codegen.Bound] = {}
    absolute: list[int] = []
    constants: list[tuple[int, int, int, int, int]] = []
    facts: list[Facts | None] = [None] * count
    highest = np.zeros(count, np.int64)
    first: dict[int, int] = {}
    """Where a word stands first that says the same at every place."""
    for i, instr in sorted(_reach(words, entry // 16, arch).items()):
        if isinstance(instr, str):
            errors[i] = instr
            continue
        instrs[i] = instr
        if (same := first.get(words[i])) is not None:
            code[i], operands[i], highest[i] = code[same], operands[same], highest[same]
            timings[i], facts[i], bounds[i] = timings[same], facts[same], bounds[same]
            continue
        row, effects = code[i], sass.effects(instr, arch)
        if misplaced := _misplaced(effects):
            errors[i] = misplaced
            continue
        bound, error = _meaning(row, i, instr, arch, absolute)
        if error is not None:
            errors[i] = error
        if bound is None:
            continue
        bounds[i] = bound
        operands[i] = o = bound.operands
        if o["const_slot"] >= 0:
            row[L.C_CLINE] = constant_line.python(int(o["const_bank"]), int(o["const_offset"]))
        _common(row, instr, bound, effects, arch, timings, i)
        facts[i] = Facts.of(effects, bound)
        named = [a.index + a.count for a in (*effects.reads, *effects.writes) if a.file == "R" and a.index < RZ]
        highest[i] = max(named, default=0)
        if bound.key is not None and error is None:
            first[words[i]] = i
    addresses = codegen.compile(b.form for b in bounds.values() if b.form is not None)
    for i, bound in bounds.items():
        if bound.key is not None:
            code[i, L.C_FN] = addresses[bound.key]
        if (o := bound.operands)["const_slot"] >= 0:
            constants.append(
                (i, int(o["const_slot"]), int(o["const_bank"]), int(o["const_offset"]), int(o["const_size"]))
            )
    for i, known in enumerate(instrs):
        if known is not None and known.mnemonic == "DEPBAR" and code[i, L.C_AUX] >= 0:
            ringed = code[i, L.C_AUX]
            code[(code[:, L.C_WBAR] == ringed) | (code[:, L.C_RBAR] == ringed), L.C_RING] = 1
    flow = Flow(code, instrs)
    res, src, raw = tables(facts, code, arch)
    if hazards:
        prove(facts, code, flow, arch)
    for i, known_timing in enumerate(timings):
        if known_timing is not None and known_timing.late and code[i, L.C_STALL] >= WAITS:
            code[i, L.C_AFTER] = known_timing.late
            code[i, L.C_STALL] += known_timing.late
    free = (code[:, L.C_WBAR] >= 6) & (code[:, L.C_RBAR] >= 6) & (code[:, L.C_QUEUE] == K.Q_NONE)
    free &= (code[:, L.C_STAGED] == 0) & (code[:, L.C_OVERTAKES] == 0)
    code[:, L.C_PLAIN] = (code[:, L.C_KIND] == K.K_EXEC) & free
    _follow(code)
    more = bool((code[:, L.C_KIND] == K.K_EXTENDED).any())
    return Decoded(count, code, operands, res, src, raw, instrs, timings, errors, constants, more, absolute, highest)


def _follow(code: Table) -> None:
    """C_FOLLOW of all instructions."""
    jumps = (code[:, L.C_KIND] == K.K_BRA) & (code[:, L.C_GUARD] == 4 * abi.p_word(PT)) & (code[:, L.C_GINV] == 0)
    jumps &= (code[:, L.C_PRED] < 0) & (code[:, L.C_AUX] == 0)
    targets = np.where(jumps, code[:, L.C_TARGET], -1)
    # From the last instruction of each line to the first.
    for i in range(len(code) - 1, -1, -1):
        behind = -1 if i & 7 == 7 or i + 1 == len(code) else code[i + 1, L.C_FOLLOW]
        code[i, L.C_FOLLOW] = targets[i] if jumps[i] else behind


def _common(
    row: Table,
    instr: Instr,
    bound: codegen.Bound,
    effects: sass.Effects,
    arch: Arch,
    timings: list[Timing | None],
    i: int,
) -> None:
    """Guard, control field, unit and register ports."""
    row[L.C_GUARD] = place(instr.guard)
    row[L.C_GINV] = 0xFFFFFFFF if instr.guard.inv else 0
    move = bound.transfer
    space, kind, width = ("", "", 4)
    if move is not None:
        space, width = move.space, move.width
        kind = {"ldsm": "matrix_load", "stsm": "matrix_store", "ldgsts": "copy"}.get(move.op, move.op)
        uniform = move.dest is not None and move.dest[0] == "UR"
        row[L.C_UNIFORM] = uniform
    facts = timing(instr, space, kind, width)
    timings[i] = facts
    control = instr.control
    row[L.C_STALL] = _effective_stall(control.stall, control.yield_, arch.core.stall_zero_pause)
    row[L.C_YIELD] = control.yield_
    row[L.C_WBAR], row[L.C_RBAR], row[L.C_WAIT] = control.wbar, control.rbar, control.wait
    row[L.C_PIPE], row[L.C_INTERVAL], row[L.C_HOLD] = facts.pipe, max(facts.interval, 1), facts.hold
    row[L.C_QUEUE], row[L.C_QSUB] = facts.queue, round(facts.sub)
    row[L.C_UNIT] = facts.pipe | facts.queue << 4
    row[L.C_QSM] = round(16 * facts.shared)
    row[L.C_LATENCY], row[L.C_RELEASE], row[L.C_ARRIVE] = facts.latency, facts.release, facts.arrive
    row[L.C_LONG] = space in ("global", "local", "generic") or instr.mnemonic in ("LDGDEPBAR", "DEPBAR")
    _rows(row, bound)
    if facts.queue == K.Q_NONE and bound.key is not None:
        _ports(row, effects, control.reuse if not control.yield_ else 0)


def _ports(row: Table, effects: sass.Effects, reuse: int) -> None:
    """The registers that a fixed-latency instruction reads through slots A, B, C."""
    slots: dict[int, list[int]] = {}
    for read in effects.reads:
        if read.file == "R" and 0 <= read.slot < 3:
            slots[read.slot] = [read.index, read.index + 1] if read.count > 1 else [read.index]
    known: set[int] = set()
    ports = 0
    for slot, numbers in sorted(slots.items()):
        for n in numbers:
            place = 2 * slot + (n & 1)
            row[L.C_READ + place] = n
            row[L.C_KEEP] |= (reuse >> slot & 1) << place
            ports |= (n not in known) << place
        known.update(numbers)
    if slots:
        row[L.C_PORTS] = ports


def _rows(row: Table, bound: codegen.Bound) -> None:
    """The register rows that an instruction needs first."""
    wanted: list[int] = []
    for file, index in (*bound.sources, *bound.results):
        if file == "R" and index != RZ and 4 * abi.r_row(index) not in wanted:
            wanted.append(4 * abi.r_row(index))
    move = bound.transfer
    for part in (move.data, move.dest) if move is not None else ():
        if part is not None and part[0] == "R" and part[1] != RZ:
            wanted += [4 * abi.r_row(part[1] + k) for k in range(part[2])]
    for k in range(4 if wanted else 0):
        row[L.C_ROW + k] = wanted[min(k, len(wanted) - 1)]
