"""Pipe balance: integer work moves from the ALU pipe to the FMA pipe where that is idle.

    MOV d, s             IMAD.MOV.U32 d, RZ, RZ, s
    IADD3 d, a, b, RZ    IMAD.IADD d, a, 0x1, b        (VIADD with an immediate)
    SHF.L.U32 d, a, n    IMAD.SHL.U32 d, a, 1 << n, RZ
    LEA d, a, b, n       IMAD d, a, 1 << n, b
    IADD3.X d, a, b, p   IMAD.X d, a, 0x1, b, p

(nvdisasm's words; each is an IMAD). Both pipes take a warp instruction every two cycles, and a scheduler issues one a
cycle, so code of one pipe alone runs at half rate. A result that crosses to the other pipe comes a cycle later:
instructions next to their producer or consumer on the ALU go last. Runs on physical registers, after copies have been
coalesced.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.mir import FALSE, ZERO, MFunction, MInst, MOperand, Part, V
from minicc.ptxas.operands import parts_read, parts_written
from minicc.ptxas.options import Options
from minicc.ptxas.timing import timing
from minicc.sass.codec import has
from minicc.sass.instr import Const, Imm, Reg

_NEXT = 3
"""Instructions that count as near."""
_SHARE = 0.75
"""Of the issue cycles of a block, what the ALU may fill before work is moved off it."""

Form = tuple[str, tuple[str, ...], tuple[MOperand, ...]]


def other_form(inst: MInst) -> Form | None:
    """(mnemonic, modifiers, sources) of the same instruction on the FMA pipe."""
    if len(inst.dsts) != 1 or inst.hidden:
        return None
    s = inst.srcs
    if inst.mnemonic == "MOV" and not inst.modifiers and len(s) == 1:
        if _general(s[0]) or isinstance(s[0], Imm | Const):
            return "IMAD", ("U32",), (ZERO, ZERO, s[0])
    elif inst.mnemonic == "IADD3" and not inst.modifiers and len(s) == 3 and s[2] == ZERO:
        a, b = s[0], s[1]
        if isinstance(b, Imm) and _general(a):
            return "VIADD", (), (a, b)
        if _general(a) and _general(b, minus=True):
            return "IMAD", (), (a, Imm(1), b)
        if _general(b) and _general(a, minus=True):
            return "IMAD", (), (b, Imm(1), a)
    elif inst.mnemonic == "IADD3" and inst.modifiers == ("X",) and s[2] == ZERO and s[4] == FALSE:
        a, b = (s[0], s[1]) if _general(s[0]) else (s[1], s[0])
        if _general(a) and _general(b, bits=True):
            return "IMAD", ("X",), (ZERO, ZERO, a, s[3]) if b == ZERO else (a, Imm(1), b, s[3])
    elif inst.mnemonic == "SHF" and inst.modifiers == ("L", "U32") and len(s) == 3:
        if _general(s[0]) and isinstance(s[1], Imm) and 0 < s[1].bits < 32 and s[2] == ZERO:
            return "IMAD", ("U32",), (s[0], Imm(1 << s[1].bits), ZERO)
    elif inst.mnemonic == "LEA" and not inst.modifiers and len(s) == 3 and isinstance(s[2], Imm) and _general(s[0]):
        return ("IMAD", (), (s[0], Imm(1 << s[2].bits), s[1])) if _general(s[1], minus=True) and s[2].bits else None
    return None


def _general(operand: MOperand, minus: bool = False, bits: bool = False) -> bool:
    """A general register; with a minus sign, or its bits the other way, where the slot takes that."""
    if not isinstance(operand, V | Reg):
        return False
    file = operand.file
    signs = operand.abs or operand.suffix or (operand.inv and not bits) or (operand.neg and not minus)
    return file == "R" and not signs


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Move instructions of every block until neither pipe is the fuller one."""
    if arch.pipes["alu"].interval < 2:
        return
    for block in function.blocks:
        _block(block.insts, arch)


def _block(insts: list[MInst], arch: Arch) -> None:
    pipes = [timing(i.mnemonic, i.modifiers).pipe for i in insts]
    alu = 2 * pipes.count("alu")
    heavy = 2 * pipes.count("fmaheavy") + 4 * pipes.count("fmawide")
    either = 2 * pipes.count("fma") + 4 * pipes.count("half")
    least = _SHARE * len(insts)
    if alu <= least:
        return
    found = [
        (i, form)
        for i, inst in enumerate(insts)
        if pipes[i] == "alu" and (form := other_form(inst)) is not None and has(*form[:2], arch.sass)
    ]
    if not found:
        return
    penalty = _penalties(insts, pipes, {i for i, _ in found})
    for i, (mnemonic, modifiers, sources) in sorted(found, key=lambda item: (penalty[item[0]], item[0])):
        if alu <= max(least, heavy + 2, (heavy + either) // 2):
            return
        alu -= 2
        heavy += 2
        inst = insts[i]
        inst.mnemonic, inst.modifiers, inst.srcs = mnemonic, modifiers, sources


def _penalties(insts: list[MInst], pipes: list[str], asked: set[int]) -> dict[int, int]:
    """How many near neighbours on the ALU each of `asked` gets its sources from or gives its result to."""
    written: dict[Part, int] = {}
    out = dict.fromkeys(asked, 0)
    given: set[int] = set()
    for i, inst in enumerate(insts):
        for part in parts_read(inst):
            maker = written.get(part, -99)
            if i - maker > _NEXT:
                continue
            if i in asked and pipes[maker] == "alu":
                out[i] += 1
            if maker in asked and pipes[i] == "alu" and maker not in given:
                given.add(maker)
                out[maker] += 1
        for part in parts_written(inst):
            written[part] = i
    return out
