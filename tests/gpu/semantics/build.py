"""Makes the hardware questions: one kernel per instruction form, with inputs and what our semantics answer.

    python -m tests.gpu.semantics.build CASES
    python tests/gpu/run_cubins.py CASES OUT        (on a machine with the GPU; standard library only)
    python -m tests.gpu.semantics.compare CASES OUT

Each kernel gives every thread eight words (R8..R15; P3..P5 are bits 0..2 of R14; UR8..UR13 and UP1..UP5 come from the
warp's first lane), executes one instruction, and stores R4, R5, P1, P2 (or UR4, UR5, UP1, UP2).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from minicc import arch, binary
from minicc.record import evolve
from minicc.sass import program
from minicc.sass.codec import encode
from minicc.sass.instr import Control, Instr, Reg
from runtime.device.sm.execute import abi, codegen
from tests.gpu.semantics import inputs
from tests.runtime.device.sm.execute import forms
from tests.runtime.device.sm.execute.harness import call
from tests.sass.semantics import text as reader

ARCH = arch.get("sm_90")
CONSTANT = 0x3F8CCCCD40490FDB
"""The third kernel parameter, at c[0x0][0x220]."""
BLOCK = 128

PROLOGUE = """
S2R R0, SR_TID.X
S2R R2, SR_CTAID.X
ULDC.64 UR20, c[0x0][0x208]
LDC R18, c[0x0][0x0]
IMAD R0, R2, R18, R0
LDC.64 R2, c[0x0][0x210]
IMAD.WIDE.U32 R2, R0, 0x20, R2
LDG.E.128 R8, desc[UR20][R2.64]
LDG.E.128 R12, desc[UR20][R2.64+0x10]
LDC.64 R16, c[0x0][0x218]
IMAD.WIDE.U32 R16, R0, 0x10, R16
MOV R18, 0x1
LOP3.LUT P0, RZ, RZ, 0x1, RZ, 0xc0, !PT
LOP3.LUT P1, RZ, RZ, 0x1, RZ, 0xc0, !PT
LOP3.LUT P2, RZ, RZ, 0x1, RZ, 0xc0, !PT
LOP3.LUT P6, RZ, RZ, 0x1, RZ, 0xc0, !PT
LOP3.LUT P3, RZ, R14, 0x1, RZ, 0xc0, !PT
LOP3.LUT P4, RZ, R14, 0x2, RZ, 0xc0, !PT
LOP3.LUT P5, RZ, R14, 0x4, RZ, 0xc0, !PT
R2UR UR6, R10
R2UR UR8, R8
R2UR UR9, R9
R2UR UR10, R10
R2UR UR11, R11
R2UR UR12, R12
R2UR UR13, R13
R2UR UR14, R14
ULOP3.LUT UP1, URZ, UR14, 0x1, URZ, 0xc0, !UPT
ULOP3.LUT UP2, URZ, UR14, 0x2, URZ, 0xc0, !UPT
ULOP3.LUT UP3, URZ, UR14, 0x4, URZ, 0xc0, !UPT
ULOP3.LUT UP4, URZ, UR14, 0x8, URZ, 0xc0, !UPT
ULOP3.LUT UP5, URZ, UR14, 0x10, URZ, 0xc0, !UPT
ULOP3.LUT UP0, URZ, URZ, 0x1, URZ, 0xc0, !UPT
ULOP3.LUT UP6, URZ, URZ, 0x1, URZ, 0xc0, !UPT
UMOV UR4, 0x11111111
UMOV UR5, 0x11111111
UMOV UR17, 0x1
MOV R4, 0x11111111
MOV R5, 0x11111111
"""
EPILOGUE = """
SEL R6, R18, RZ, P1
SEL R7, R18, RZ, P2
STG.E.128 desc[UR20][R16.64], R4
EXIT
"""
UNIFORM_EPILOGUE = """
USEL UR16, UR17, URZ, UP1
USEL UR18, UR17, URZ, UP2
IMAD.U32 R4, RZ, RZ, UR4
IMAD.U32 R5, RZ, RZ, UR5
IMAD.U32 R6, RZ, RZ, UR16
IMAD.U32 R7, RZ, RZ, UR18
STG.E.128 desc[UR20][R16.64], R4
EXIT
"""

VARIABLE = frozenset(
    [
        "S2R",
        "LDC",
        "LDG",
        "MUFU",
        "F2I",
        "I2F",
        "F2F",
        "FRND",
        "POPC",
        "FLO",
        "BREV",
        "SHFL",
        "MATCH",
        "REDUX",
        "FCHK",
        "I2I",
    ]
)
"""Mnemonics whose results are waited for on a scoreboard; everything else is given time."""
NOT_ASKED = frozenset(["S2R", "CS2R", "S2UR", "MOVM", "FSWZADD", "IMNMX", "ELECT"])
"""Values from the launch, or forms that ptxas does not emit and the chip may refuse."""
GUARDED = """
@P3 SHFL.IDX P1, R4, R8, 0x3, 0x1f
@P3 SHFL.BFLY P1, R4, R8, 0x1, 0x1f
@P3 SHFL.DOWN P1, R4, R8, R10, R12
@P3 VOTE.ANY R4, P1, P4
@P3 VOTE.ALL P1, P4
@P3 MATCH.ANY R4, R15
@P3 REDUX.SUM UR4, R8
@P3 R2UR UR4, R8
@P3 IADD3 R4, P1, R8, R10, R12
"""


ALIASES = frozenset(("MOV", "IADD", "SHL"))
"""Suffixes that IMAD prints for its simple uses; not fields of the encoding."""


def read(text: str) -> Instr:
    """An instruction, with an optional guard."""
    guard = Reg("P", 7)
    if text.startswith("@"):
        word, _, text = text.partition(" ")
        guard = Reg("P", int(word[-1]), inv="!" in word)
    return evolve(reader.parse(text), guard=guard)


def code(text: str) -> bytes:
    """The kernel around one instruction. Every instruction waits for all scoreboards and takes at least 15 cycles."""
    question = read(text)
    epilogue = UNIFORM_EPILOGUE if writes_uniform(question) else EPILOGUE
    instructions = [read(line) for line in forms.lines(PROLOGUE)]
    instructions += [question, read("NOP"), read("NOP")]
    instructions += [read(line) for line in forms.lines(epilogue)]
    words = []
    for at, instr in enumerate(instructions):
        control = Control(
            stall=15,
            yield_=True,
            wbar=0 if instr.mnemonic in VARIABLE else 7,
            rbar=1 if instr.mnemonic == "STG" else 7,
            wait=0b11,
        )
        modifiers = tuple(m for m in instr.modifiers if instr.mnemonic != "IMAD" or m not in ALIASES)
        word = encode(evolve(instr, control=control, modifiers=modifiers), ARCH, 16 * at)
        words.append(word.to_bytes(16, "little"))
    return b"".join(words)


def writes_uniform(instr: Instr) -> bool:
    first = instr.operands[0]
    return getattr(first, "file", "") in ("UR", "UP") or getattr(first, "text", "") == "UPR"


def cubin(name: str, text: str) -> bytes:
    function = program.Function(name, code(text), registers=32, param_bytes=24)
    function.params = [program.Param(i, 8 * i, 8) for i in range(3)]
    return binary.write_cubin(program.Program("sm_90", [function]))


def answer(text: str, words: Any) -> Any:
    """What our semantics say: uint32[threads, 4]."""
    instr = read(text)
    bound = codegen.bind(instr, ARCH)
    slot = int(bound.operands["const_slot"])
    if slot >= 0:
        bound.operands["imm"][slot] = CONSTANT & ((1 << 8 * int(bound.operands["const_size"])) - 1)
    out = np.zeros((len(words), 4), np.uint32)
    uniform = writes_uniform(instr)
    dst = np.ascontiguousarray(bound.operands["dst"])
    for at in range(0, len(words), 32):
        rows = words[at : at + 32]
        state = abi.new_state()[0]
        for r in range(8):
            state[abi.r_row(8 + r) :][:32] = rows[:, r]
        state[abi.r_row(4) :][:64] = 0x11111111
        for p in range(3):
            state[abi.P + 3 + p] = sum(int(v >> p & 1) << i for i, v in enumerate(rows[:, 6]))
        for u, r in ((6, 2), (8, 0), (9, 1), (10, 2), (11, 3), (12, 4), (13, 5), (14, 6)):
            state[abi.UR + u] = rows[0, r]
        for p in range(5):
            state[abi.UP + 1 + p] = 0xFFFFFFFF if int(rows[0, 6]) >> p & 1 else 0
        state[abi.UR + 4] = state[abi.UR + 5] = 0x11111111
        guard = int(state[abi.P + instr.guard.index])
        mask = ~guard & 0xFFFFFFFF if instr.guard.inv else guard
        if mask:
            call(bound, state, mask, state, dst)
        got = out[at : at + 32]
        if uniform:
            got[:, 0], got[:, 1] = state[abi.UR + 4], state[abi.UR + 5]
            got[:, 2], got[:, 3] = state[abi.UP + 1] & 1, state[abi.UP + 2] & 1
        else:
            got[:, 0], got[:, 1] = state[abi.r_row(4) :][:32], state[abi.r_row(5) :][:32]
            for p in (1, 2):
                got[:, 1 + p] = [int(state[abi.P + p]) >> i & 1 for i in range(32)]
    return out


def kind_of(text: str) -> str:
    """Which inputs an instruction is asked with."""
    mnemonic = text.removeprefix("@P3 ").split()[0].split(".")[0]
    mods = text.removeprefix("@P3 ").split()[0].split(".")[1:]
    if "BF16_V2" in mods or (mnemonic == "MUFU" and "BF16" in mods):
        return "bf16"
    if mnemonic.startswith("H") and mnemonic != "HMMA":
        return "f16"
    if mnemonic in ("DADD", "DMUL", "DFMA", "DSETP"):
        return "f64"
    if mnemonic in ("F2I", "FRND", "F2F"):
        floats = [m for m in mods if m in ("F16", "BF16", "F32", "F64")]
        source = floats[-1] if floats else "F32"
        return source.lower()
    if mnemonic == "MUFU":
        return "f64" if mods[0].endswith("64H") else "f16" if "F16" in mods else "f32"
    if mnemonic in ("F2FP",):
        return "int" if any("UNPACK" in m for m in mods) else "f32"
    if mnemonic.startswith("F") and mnemonic not in ("FLO",):
        return "f32"
    return "int"


def questions() -> list[str]:
    """Texts of all instructions asked."""
    texts = []
    groups = (forms.INTEGER, forms.LOGIC, forms.SINGLE, forms.DOUBLE, forms.CONVERT, forms.HALF, forms.MUFU)
    for group in (*groups, forms.UNIFORM, forms.CROSS, GUARDED):
        texts += forms.lines(group)
    texts = [t.replace("c[0x0][0x210]", "c[0x0][0x220]") for t in texts]
    return [t for t in texts if t.split()[0].split(".")[0] not in NOT_ASKED]


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    data = {kind: inputs.operands(kind) for kind in ("int", "f32", "f64", "f16", "bf16")}
    data["fchk"] = inputs.division_operands()
    for kind, words in data.items():
        (folder / f"{kind}.bin").write_bytes(words.tobytes())
    made = failed = 0
    for number, text in enumerate(questions()):
        name = f"q{number:03d}"
        kind = "fchk" if text.startswith("FCHK") else kind_of(text)
        try:
            (folder / f"{name}.cubin").write_bytes(cubin(name, text))
            answer(text, data[kind][:32])
        except Exception as problem:
            print(f"{text}: {type(problem).__name__}: {problem}", file=sys.stderr)
            failed += 1
            continue
        threads = len(data[kind])
        case = {
            "kernel": name,
            "text": text,
            "grid": [threads // BLOCK, 1, 1],
            "block": [BLOCK, 1, 1],
            "args": [{"in": f"{kind}.bin"}, {"out": 16 * threads}, {"u64": CONSTANT}],
        }
        (folder / f"{name}.json").write_text(json.dumps(case))
        made += 1
    print(f"{made} kernels in {folder}, {failed} could not be made")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
