"""Execute functions: from decoded instructions to addresses of machine code.

`bind(instr, arch)` makes the operand record and names the form; `compile(forms)` gives the address of each form's
function (see `abi` for how to call it), from the object cache where it can. Cold, a form costs a few milliseconds of
LLVM."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np

from minicc.arch import Arch
from minicc.record import evolve
from minicc.sass import semantics
from minicc.sass.instr import Const, Imm, Instr, Reg
from minicc.sass.semantics import Access, Form, Slot, Unsupported
from runtime.device.sm.execute import abi, codegen_cache, codegen_llvm

Register = tuple[str, int]
"""(file "R"/"P"/"UR"/"UP", number)."""


@attrs.frozen
class Transfer:
    """What a memory instruction moves, in register numbers (see `Access` for the words).

    `dest`, `data`, `compare`: (file, first register, count) or None; RZ is register 255. `predicate`: predicate number
    written (the success flag), or -1. `guard`: (predicate number, negated) of LDGSTS, or None. `op`: lower-case
    "load" "store" "atom" "red" "ldgsts" "ldsm" "stsm" "sync" (an mbarrier, see `extended`); `atomic` and `type`
    lower-case ("add", "u32", "f16x2", "f32.ftz"). `strong` when a scope asks for no L1 hit
    (STRONG, MMIO)."""

    space: str
    op: str
    width: int
    signed: bool
    dest: tuple[str, int, int] | None
    data: tuple[str, int, int] | None
    compare: tuple[str, int, int] | None
    predicate: int
    guard: tuple[int, bool] | None
    atomic: str
    type: str
    bank: int
    strong: int
    matrices: int
    transposed: bool
    zero_fill: bool


_OPS = {"load": "load", "store": "store", "atomic": "atom", "reduce": "red", "copy": "ldgsts", "matrix_load": "ldsm",
        "matrix_store": "stsm", "sync": "sync"}  # fmt: skip


def _strong(modifiers: Sequence[str]) -> int:
    """1 for an access whose scope is more than its SM or that goes by L1, 2 if that is the system."""
    strong = "BYPASS" in modifiers or ("STRONG" in modifiers and "SM" not in modifiers)
    return 2 if "MMIO" in modifiers or (strong and "SYS" in modifiers) else int(strong)


def _transfer(access: Access, instr: Instr) -> Transfer:
    def registers(i: int, bytes_: int) -> tuple[str, int, int] | None:
        if i < 0:
            return None
        op = instr.operands[i]
        assert isinstance(op, Reg), op
        return op.file, op.index, max(1, bytes_ // 4)

    guard = None
    if access.guard >= 0:
        op = instr.operands[access.guard]
        assert isinstance(op, Reg)
        guard = op.index, op.inv
    predicate = -1
    if access.predicate >= 0:
        op = instr.operands[access.predicate]
        assert isinstance(op, Reg)
        predicate = -1 if op.index == 7 else op.index
    size = 4 * access.matrices if access.matrices else access.width
    return Transfer(
        access.space,
        _OPS[access.op],
        access.width,
        access.signed,
        registers(access.dest, size),
        registers(access.data, size),
        registers(access.compare, size),
        predicate,
        guard,
        access.atomic.lower(),
        access.type.lower(),
        access.bank,
        _strong(instr.modifiers),
        access.matrices,
        access.transposed,
        access.zero_fill,
    )


@attrs.frozen(eq=False)
class Bound:
    """An instruction ready to execute.

    `key` and `form` are None for instructions that the engine carries out itself (`semantics.CONTROL`). `operands`
    is an `abi.OPERANDS` record (numpy void). `results[k]` is the register of result row k; for a memory instruction
    `results` is empty; the execute function makes addresses. `sources` are all registers read by the function, widths
    expanded; data registers of memory instructions are in `transfer`. `special` is the number of the special
    register to put into the SPECIAL rows, or -1."""

    key: str | None
    form: Form | None
    operands: Any
    results: tuple[Register, ...] = ()
    sources: tuple[Register, ...] = ()
    special: int = -1
    access: Access | None = None
    transfer: Transfer | None = None


def _register(op: Any, part: str) -> Reg | None:
    if isinstance(op, Reg):
        return op
    found = getattr(op, part, None) if part in ("base", "ureg", "desc") else None
    return found if isinstance(found, Reg) else None


def _read_word(slot: Slot, reg: Reg) -> int:
    index = reg.index
    if slot.kind == "R":
        return abi.r_row(index) + slot.row * abi.LANES
    if slot.kind == "U":
        return abi.UR + index + slot.row
    return abi.word(reg.file, index)


def immediate(op: Any, slot: Slot) -> int:
    """Value of an immediate (or Mem/Const offset) in a slot of that width, modulo 2^64."""
    if slot.part == "offset":
        return _place(op) if isinstance(op, Const) else int(op.offset) & (1 << 64) - 1
    assert isinstance(op, Imm)
    if op.kind == "f64hi":
        return (op.bits & 0xFFFFFFFF) << 32 if slot.width == 64 else op.bits & 0xFFFFFFFF
    bits = op.bits & 0xFFFFFFFF
    if slot.width == 64 and bits >> 31 and op.kind == "int":
        return bits | 0xFFFFFFFF << 32
    return bits


def _place(op: Const) -> int:
    """Of a constant in its bank, or what is added to a register, modulo 2^64. Without one, what is printed as a
    negative offset is in the upper half of the 64 KiB; with one it is negative: on an H200 c[0x0][R0+-0x7e8c] is 0 for
    a small R0, which NVIDIA's ptxas 13.0 makes of such parameters."""
    return op.offset & (0xFFFF if op.base is None and op.ureg is None else (1 << 64) - 1)


def bind(instr: Instr, arch: Arch) -> Bound:
    """The instruction's form and operand record. Raises `Unsupported` if there are no semantics."""
    record = np.zeros((), abi.OPERANDS)
    record["const_slot"] = -1
    if instr.mnemonic in semantics.CONTROL:
        return Bound(None, None, record[()])
    form = semantics.lookup(instr, arch)
    src, imm, dst = record["src"], record["imm"], record["dst"]
    sources: list[Register] = []
    special = -1
    at_src = at_imm = 0
    for slot in form.slots:
        op = instr.operands[slot.operand] if slot.operand >= 0 else None
        if slot.kind == "K":
            if isinstance(op, Const) and slot.part != "offset":
                record["const_slot"], record["const_bank"] = at_imm, op.bank
                record["const_offset"], record["const_size"] = _place(op), slot.width // 8
            else:
                imm[at_imm] = immediate(op, slot)
            at_imm += 1
        elif slot.kind == "SPECIAL":
            assert isinstance(op, Reg)
            special = op.index
        elif slot.kind in ("PR", "UPR"):
            sources.append(("P" if slot.kind == "PR" else "UP", int(slot.part)))
        else:
            reg = _register(op, slot.part)
            assert reg is not None
            src[at_src] = _read_word(slot, reg)
            at_src += 1
            for row in range(max(1, slot.width // 32)):
                sources.append((reg.file, reg.index + slot.row + row))
    results: list[Register] = []
    for k, (file, index) in enumerate(_result_registers(form, instr)):
        dst[k] = abi.word(file, index, write=True)
        results.append((file, index))
    access = form.access
    if access is not None and access.space == "constant":
        op = next(o for o in instr.operands if isinstance(o, Const))
        access = evolve(access, bank=op.bank)
    transfer = _transfer(access, instr) if access else None
    return Bound(form.key, form, record[()], tuple(results), tuple(sources), special, access, transfer)


def _result_registers(form: Form, instr: Instr) -> list[Register]:
    out: list[Register] = []
    for result in form.results:
        if result.file == "ADDRESS":
            continue
        op = instr.operands[result.operand]
        base = op.index if isinstance(op, Reg) else 0  # "PR" of R2P: the predicates from 0 on
        for r in range(form.rounds):
            out.append((result.file, base + result.row + form.stride * r))
    return out


# ---- machine code


class Host:
    """LLVM's side: one target machine and one JIT engine, shared by all forms of the process.

    `without` leaves out features of this CPU by the beginnings of their LLVM names: code as an older host would run it.
    """

    def __init__(self, without: tuple[str, ...] = ()) -> None:
        import llvmlite
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.llvm = llvm
        self.cpu = llvm.get_host_cpu_name()
        features = llvm.get_host_cpu_features()
        for name in features:
            features[name] = features[name] and not name.startswith(without)
        if without:
            self.cpu = "generic"
        self.features = features.flatten()
        self.wide = bool(features.get("avx512f") and features.get("avx512vl") and features.get("avx512bw"))
        self.description = "|".join((llvmlite.__version__, str(llvm.get_default_triple()), self.cpu, self.features))
        target = llvm.Target.from_default_triple()
        self.machine = target.create_target_machine(
            cpu=self.cpu, features=self.features, opt=2, reloc="default", codemodel="jitdefault"
        )
        self.engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self.machine)
        self.addresses: dict[str, int] = {}

    def assemble(self, text: str) -> bytes:
        module = self.llvm.parse_assembly(text)
        return bytes(self.machine.emit_object(module))


_LOCK = threading.Lock()
_HOST: Host | None = None


def compile(forms: Iterable[Form], host: Host | None = None) -> dict[str, int]:
    """Addresses by form key. Forms that were compiled before, in this process or a former one, cost next to nothing."""
    global _HOST
    wanted = {f.key: f for f in forms}
    with _LOCK:
        if _HOST is None:
            _HOST = Host()
        machine = host or _HOST
        names: dict[str, str] = {}
        for key, form in wanted.items():
            if key in machine.addresses:
                continue
            stem = codegen_cache.name_of(key, machine.description)
            data = codegen_cache.load(stem)
            if data is None:
                data = machine.assemble(codegen_llvm.lower(form, f"f{stem}", machine.wide))
                codegen_cache.store(stem, data)
            machine.engine.add_object_file(machine.llvm.object_file.ObjectFileRef.from_data(data))
            names[key] = f"f{stem}"
        if names:
            machine.engine.finalize_object()
            for key, name in names.items():
                address = machine.engine.get_function_address(name)
                assert address, key
                machine.addresses[key] = address
        return {key: machine.addresses[key] for key in wanted}


__all__ = ["Bound", "Host", "Unsupported", "bind", "compile", "immediate"]
