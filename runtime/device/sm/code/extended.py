"""The columns of instructions that the extension carries out (see `extend`)."""

from __future__ import annotations

from typing import Any

from minicc.sass.instr import RZ, URZ, Imm, Instr, Mem, Name, Reg
from runtime.device.sm.execute import abi, codegen
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L

_ARRIVALS = {
    "": K.AR_COUNTED | K.AR_BYTES, "A1T0": K.AR_COUNTED, "A0T1": K.AR_EXPECT_ONE, "A0TR": K.AR_BYTES,
    "A0TX": K.AR_COMPLETE, "ART0": K.AR_COUNTED | K.AR_REGISTER,
}  # fmt: skip
_COPIES_COUNT = {"TRANSCNT": K.CA_BYTE, "ARVCNT": K.CA_COUNTED}
_SYNC = {
    "arrive": K.X_ARRIVE, "phase": K.X_PHASE, "load": K.X_SYNC_LOAD, "exchange": K.X_SYNC_EXCHANGE,
    "cas": K.X_SYNC_CAS, "nothing": K.X_NOTHING, "copies": K.X_COPIES_ARRIVE, "store counted": K.X_STORE_ASYNC,
}  # fmt: skip
ATOMICS = {"add": K.OP_ADD, "min": K.OP_MIN, "max": K.OP_MAX, "and": K.OP_AND, "or": K.OP_OR, "xor": K.OP_XOR,
           "exch": K.OP_EXCH, "cas": K.OP_CAS, "inc": K.OP_INC, "dec": K.OP_DEC,
           "cast": K.OP_CAST, "arrive": K.OP_ARRIVE}  # fmt: skip
_BULK_TYPES = {"S32": K.T_S32, "U64": K.T_U64, "S64": K.T_S64, "F16": K.T_F16X2, "F32": K.T_F32, "F64": K.T_F64,
               "BF16": K.T_BF16X2}  # fmt: skip
_FORMATS = {"BF16": K.GM_BF16, "TF32": K.GM_TF32, "E4M3": K.GM_E4M3, "E5M2": K.GM_E5M2, "U8": K.GM_U8,
            "S8": K.GM_S8}  # fmt: skip
_FLAGS = {"negA": K.GM_NEGATE_A, "negB": K.GM_NEGATE_B, "tnspA": K.GM_TRANSPOSE_A,
          "tnspB": K.GM_TRANSPOSE_B}  # fmt: skip
_RETURN_PC = abi.SPECIAL_ROW + 2
"""Row of the warp state that holds Rpc, the return address of each lane: low words, then high words."""
_MATRIX = frozenset({"HGMMA", "QGMMA", "IGMMA", "BGMMA"})
_NOTHING = frozenset({"UBLKPF", "UTMAPF", "UTMACCTL", "USETMAXREG", "WARPGROUPSET"})
_COPIES = ("UBLKCP", "UBLKRED", "UTMALDG", "UTMASTG", "UTMAREDG", "UTMACMDFLUSH")
_FETCHES = ("TEX", "TXD", "TLD", "TLD4", "TXQ", "SULD", "SUST")
MNEMONICS = frozenset((*_COPIES, *_FETCHES, "UCGABAR_ARV", "UCGABAR_WAIT", "WARPGROUP", "RPCMOV", *_MATRIX, *_NOTHING))
"""Those without lane semantics."""


def _place(reg: Reg | None, write: bool = False) -> int:
    """Byte offset of a register in the warp state."""
    if reg is None:
        return 4 * abi.ur_word(URZ)
    return 4 * abi.word(reg.file, reg.index, write=write)


def sync_row(row: Any, instr: Instr, move: codegen.Transfer) -> str | None:
    """An instruction on an mbarrier, or a store that one counts. Why it cannot be executed, or None."""
    row[L.C_KIND] = K.K_EXTENDED
    row[L.C_WIDTH] = move.width
    row[L.C_SPACE] = K.SPACE_SHARED
    row[L.C_OP] = _SYNC.get(move.atomic, K.X_REDUCE_ASYNC)
    row[L.C_AUX] = row[L.C_AUX2] = 0
    row[L.C_DEST] = row[L.C_DATA2] = -1
    row[L.C_DATA] = 4 * abi.RZ_ROW * abi.LANES
    if move.data is not None:
        row[L.C_DATA] = _place(Reg(move.data[0], move.data[1]))  # type: ignore[arg-type]
    if move.compare is not None:
        row[L.C_DATA2] = _place(Reg(move.compare[0], move.compare[1]))  # type: ignore[arg-type]
    if move.dest is not None:
        row[L.C_DEST] = _place(Reg(move.dest[0], move.dest[1]), True)  # type: ignore[arg-type]
        row[L.C_UNIFORM] = move.dest[0] == "UR"
    match int(row[L.C_OP]):
        case K.X_ARRIVE:
            name = next((m for m in instr.modifiers if m in _ARRIVALS), "")
            row[L.C_AUX] = _ARRIVALS[name] | (K.AR_LEAVE if "OPTOUT" in instr.modifiers else 0)
            if "TMASK" in instr.modifiers and row[L.C_DEST] >= 0:
                row[L.C_AUX] |= K.AR_MASK
        case K.X_PHASE:
            row[L.C_AUX] = "TRYWAIT" in instr.modifiers
            row[L.C_DEST] = _place(Reg("P", 7 if move.predicate < 0 else move.predicate), True)
        case K.X_COPIES_ARRIVE:
            counts = [m for m in instr.modifiers if m in _COPIES_COUNT]
            row[L.C_AUX] = _COPIES_COUNT[counts[0]] if counts else K.CA_WORDS
        case K.X_STORE_ASYNC | K.X_REDUCE_ASYNC:
            row[L.C_AUX2] = move.zero_fill
            row[L.C_AUX] = ATOMICS.get(move.atomic, -1)
            row[L.C_TYPE] = {"S32": K.T_S32, "U64": K.T_U64}.get(move.type, K.T_U32)
        case _:
            pass
    return None


def _matrix_row(row: Any, instr: Instr) -> None:
    """A warpgroup matrix instruction: see `gmma.multiply`."""
    mods = instr.modifiers
    ops = list(instr.operands)
    row[L.C_OP] = K.X_MATRIX
    _, columns, depth = next(m for m in mods if m.startswith("64x")).split("x")
    row[L.C_WIDTH], row[L.C_SPACE] = int(columns), int(depth)
    formats = [_FORMATS[m] for m in mods if m in _FORMATS]
    if instr.mnemonic == "BGMMA":
        formats = [K.GM_B1]
    formats = formats or [K.GM_F16]
    row[L.C_TYPE] = formats[0] | formats[-1] << 3
    row[L.C_AUX] = K.GM_TO_F16 if "F16" in mods else K.GM_TO_F32 if "F32" in mods else K.GM_TO_S32
    row[L.C_AUX] |= K.GM_SATURATE if "SAT" in mods else 0
    how = 0
    result, first = ops[0], ops[1]
    assert isinstance(result, Reg)
    row[L.C_DEST] = _place(result, True)
    rest = ops[2:]
    described = first
    if isinstance(first, Reg):
        how |= K.GM_FROM_REGISTERS | (K.GM_NEGATE_A if first.neg else 0)
        row[L.C_DATA] = _place(first)
        described, rest = rest[0], rest[1:]
    assert isinstance(described, Mem) and described.desc is not None
    for name in described.desc.suffix:
        how |= sum(bit for flag, bit in _FLAGS.items() if flag in name.split("."))
    row[L.C_AUX3 if isinstance(first, Reg) else L.C_DATA] = _place(described.desc)
    accumulator = rest[0]
    assert isinstance(accumulator, Reg)
    row[L.C_DATA2] = -1 if accumulator.index == RZ else _place(accumulator)
    row[L.C_BANK] = -1
    for op in rest[1:]:
        if isinstance(op, Reg) and op.file == "UP":
            row[L.C_BANK], row[L.C_BYPASS] = _place(op), 0xFFFFFFFF if op.inv else 0
        elif isinstance(op, Name):
            how |= K.GM_GROUP if op.text else 0
        elif isinstance(op, Reg):
            row[L.C_TARGET] = _place(op)
        elif isinstance(op, Imm):
            row[L.C_SPAN] = op.bits
    if "SP" in mods:
        how |= K.GM_SPARSE
        row[L.C_SPACE] //= 2
    row[L.C_AUX2] = how


_TEXTURES = {"TEX": K.TX_FETCH, "TXD": K.TX_FETCH, "TLD": K.TX_TEXEL, "TLD4": K.TX_GATHER, "TXQ": K.TX_QUERY,
             "SULD": K.TX_LOAD_SURFACE, "SUST": K.TX_STORE_SURFACE}  # fmt: skip
_SHAPES = {"1D": 1, "2D": 2, "3D": 3, "CUBE": 2}
"""Dimensions of what is fetched from; of a cube: of a face."""
_SIZES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}


def _texture_row(row: Any, instr: Instr) -> str | None:
    """A texture or surface instruction that names its texture in a uniform register. Why it cannot be executed."""
    mods, ops = instr.modifiers, instr.operands
    row[L.C_OP], row[L.C_AUX] = K.X_TEXTURE, _TEXTURES[instr.mnemonic]
    handle = next((o for o in ops if isinstance(o, Reg) and o.file == "UR"), None)
    if handle is None:
        return "a texture that is not named by a uniform register"
    for unsupported in ("SCR", "DC", "AOFFI", "F16", "MS", "PTP", "P", "S8", "S16"):
        if unsupported in mods:
            return f"{instr.mnemonic}.{unsupported}"
    row[L.C_TARGET] = _place(handle)
    registers = [o for o in ops if isinstance(o, Reg) and o.file == "R"]
    names = [o.text for o in ops if isinstance(o, Name)] + list(mods)
    shape = next((n for n in names if n.replace("ARRAY_", "").replace("_ARRAY", "") in _SHAPES), None)
    if shape is None and instr.mnemonic != "TXQ":
        return f"{instr.mnemonic} of an unknown shape"
    row[L.C_AUX3] = shape is not None and "ARRAY" in shape
    row[L.C_WIDTH] = _SHAPES[shape.replace("ARRAY_", "").replace("_ARRAY", "")] if shape is not None else 0
    row[L.C_AUX2] = shape is not None and "CUBE" in shape
    if instr.mnemonic in ("SULD", "SUST"):
        if "BA" not in mods:
            return f"{instr.mnemonic} with a format"
        place = next(o for o in ops if isinstance(o, Mem))
        row[L.C_DATA] = _place(place.base)
        row[L.C_DEST] = _place(registers[-1], instr.mnemonic == "SULD")
        row[L.C_SPACE] = next((_SIZES[m] for m in mods if m in _SIZES), 4)
        row[L.C_BYPASS] = 0 if "TRAP" in mods else 1 if "IGN" in mods else 2
        return None
    row[L.C_DATA2], row[L.C_DEST] = _place(registers[0], True), _place(registers[1], True)
    row[L.C_DATA] = _place(registers[2])
    masks = [o.bits for o in ops if isinstance(o, Imm)]
    row[L.C_BANK] = masks[-1]
    row[L.C_SPAN] = next(("RGBA".index(m) for m in mods if len(m) == 1 and m in "RGBA"), 0)
    if instr.mnemonic == "TXQ" and "TEX_HEADER_DIMENSION" not in names:
        return "TXQ of something else than the size"
    return None


def row_of(row: Any, instr: Instr) -> str | None:
    """An instruction of MNEMONICS. Why it cannot be executed, or None."""
    name, mods, ops = instr.mnemonic, instr.modifiers, instr.operands
    row[L.C_KIND] = K.K_EXTENDED
    row[L.C_FN] = 0
    row[L.C_AUX] = row[L.C_AUX2] = 0
    match name:
        case "UCGABAR_ARV":
            row[L.C_OP] = K.X_CLUSTER_ARRIVE
        case "UCGABAR_WAIT":
            row[L.C_OP] = K.X_CLUSTER_WAIT
        case "UTMACMDFLUSH":
            row[L.C_OP] = K.X_BULK_GROUP
        case "UBLKCP" | "UBLKRED":
            row[L.C_OP] = K.X_BULK
            target, source, size = (o for o in ops[:3])
            assert isinstance(target, Mem) and isinstance(source, Mem) and isinstance(size, Reg)
            row[L.C_DEST], row[L.C_DATA], row[L.C_DATA2] = _place(target.base), _place(source.base), _place(size)
            how = (K.BC_TO_SHARED if mods[0] == "S" else 0) | (K.BC_FROM_SHARED if mods[1] == "S" else 0)
            how |= (K.BC_MULTICAST if "MULTICAST" in mods else 0) | (K.BC_REDUCE if name == "UBLKRED" else 0)
            row[L.C_AUX2] = how
            if name == "UBLKRED":
                row[L.C_AUX] = ATOMICS[mods[2].lower()]
                kind = next((m for m in mods[3:] if m in _BULK_TYPES), "")
                row[L.C_TYPE] = _BULK_TYPES.get(kind, K.T_U32)
                if "FTZ" in mods:
                    row[L.C_TYPE] = K.T_F32_FTZ
        case "TEX" | "TXD" | "TLD" | "TLD4" | "TXQ" | "SULD" | "SUST":
            return _texture_row(row, instr)
        case "UTMALDG" | "UTMASTG" | "UTMAREDG":
            row[L.C_OP] = K.X_TENSOR
            operands, map_ = ops[0], ops[1]
            assert isinstance(operands, Mem) and isinstance(map_, Mem)
            row[L.C_DEST], row[L.C_DATA], row[L.C_DATA2] = _place(operands.base), _place(map_.base), -1
            if len(ops) > 2 and isinstance(ops[2], Reg):
                row[L.C_DATA2] = _place(ops[2])
            row[L.C_WIDTH] = int(next(m for m in mods if m[1:] == "D")[0])
            how = K.BC_TO_SHARED if name == "UTMALDG" else K.BC_FROM_SHARED
            how |= (K.BC_MULTICAST if "MULTICAST" in mods else 0) | (K.BC_IM2COL if "IM2COL" in mods else 0)
            if name == "UTMAREDG":
                how |= K.BC_REDUCE
                row[L.C_AUX] = ATOMICS[next(m for m in mods if m.lower() in ATOMICS).lower()]
            row[L.C_AUX2] = how
        case "HGMMA" | "QGMMA" | "IGMMA" | "BGMMA":
            _matrix_row(row, instr)
        case "WARPGROUP":
            row[L.C_KIND] = K.K_NOP
            if "DEPBAR" in mods:
                count = ops[-1]
                assert isinstance(count, Imm)
                row[L.C_KIND], row[L.C_OP], row[L.C_AUX] = K.K_EXTENDED, K.X_MATRIX_WAIT, count.bits
            elif "ARRIVE" in mods:
                row[L.C_KIND], row[L.C_OP] = K.K_EXTENDED, K.X_GATHER
        case "RPCMOV":
            half, other = (ops[0], ops[1]) if isinstance(ops[0], Name) else (ops[1], ops[0])
            if "32" not in mods or not isinstance(half, Name) or not isinstance(other, Reg):
                return "RPCMOV of 64 bits or of a constant"
            place = 128 * (_RETURN_PC + (half.text == "Rpc.HI"))
            row[L.C_OP] = K.X_RETURN_PC
            row[L.C_DATA], row[L.C_DEST] = _place(other), place
            if isinstance(ops[0], Reg):
                row[L.C_DATA], row[L.C_DEST] = place, _place(other, True)
            row[L.C_UNIFORM] = other.file == "UR"
        case "USETMAXREG":
            if ops and isinstance(ops[0], Reg) and ops[0].file == "UP":
                # There are always registers: a warp's place has room for all that its grid asked for.
                row[L.C_OP], row[L.C_DEST] = K.X_REGISTERS, _place(ops[0], True)
            else:
                row[L.C_KIND] = K.K_NOP
        case _:
            row[L.C_KIND] = K.K_NOP
    return None
