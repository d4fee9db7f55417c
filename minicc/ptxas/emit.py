"""Finished machine IR to bytes: virtual registers to numbers, labels to addresses, then `minicc.sass.encode`."""

from __future__ import annotations

from functools import cache
from typing import NoReturn

from minicc.arch.schema import Arch
from minicc.diagnostics import EXIT_PTXAS, CompileError, fail
from minicc.ptx import model as ptx
from minicc.ptxas.lines import line_records
from minicc.ptxas.lower.callgraph import bottom_up
from minicc.ptxas.mir import (
    AFTER_COLLECTIVE,
    RETURN_POINT,
    WAY_BACK,
    Block,
    MFunction,
    MInst,
    MModule,
    MOperand,
    V,
    VConst,
    VMem,
    function_label,
    outside,
)
from minicc.ptxas.options import Options
from minicc.sass.codec import has
from minicc.sass.instr import Const, Control, Imm, Instr, Mem, Name, Operand, Reg, Target
from minicc.sass.program import DebugSection, Function, Program, Relocation

SIZE = 16
"""Bytes of an instruction."""
DYNAMIC = 1024
"""Bytes of stack for alloca and recursion, at the least: what the driver gives where no bound is known."""
_LOOP = Control(stall=0, yield_=True)
_COLLECTIVE = (AFTER_COLLECTIVE,)


_named = cache(Reg)


def _reg(v: V | Reg) -> Reg:
    if isinstance(v, Reg):
        return v
    fixed = v.reg.fixed
    assert fixed is not None, f"{v.reg!r} has no register"
    return _named(v.reg.file, fixed + v.part, v.neg, v.abs, v.inv, v.suffix)


def physical(operand: MOperand, addresses: dict[str, int]) -> Operand:
    """The operand as the encoder takes it."""
    if isinstance(operand, V):
        return _reg(operand)
    if isinstance(operand, VMem):
        return Mem(
            None if operand.base is None else _reg(operand.base),
            operand.offset,
            None if operand.ureg is None else _reg(operand.ureg),
            None if operand.desc is None else _reg(operand.desc),
        )
    if isinstance(operand, VConst):
        return Const(operand.bank, operand.offset, base=None if operand.base is None else _reg(operand.base))
    if isinstance(operand, Target) and operand.label is not None:
        return Target(address=addresses[operand.label])
    if isinstance(operand, Name):
        if outside(operand) is not None:
            return Imm(0)
        from minicc.sass.isa.special import indices

        number = indices().get(operand.text)
        return operand if number is None else Reg("SR", number)
    return operand


def _way_back(block: Block, number: int) -> int:
    """Bytes from the LEPC before an instruction to what follows the CALL behind it."""
    call = next(n for n in range(number, len(block.insts)) if block.insts[n].mnemonic == "CALL")
    lepc = next(n for n in range(number, -1, -1) if block.insts[n].mnemonic == "LEPC")
    return SIZE * (call + 1 - lepc)


def instructions(functions: list[MFunction]) -> tuple[list[Instr], list[dict[str, int]], list[MInst]]:
    """A kernel and the device functions in its code: (instructions with the ending self-loop, label -> byte offset of
    each function, the machine IR behind each instruction)."""
    tables: list[dict[str, int]] = []
    entries: dict[str, int] = {}
    at = 0
    for function in functions:
        entries[function_label(function.name)] = at
        addresses: dict[str, int] = {}
        for block in function.blocks:
            addresses[block.label] = at
            at += SIZE * len(block.insts)
        tables.append(addresses)
    out: list[Instr] = []
    origin: list[MInst] = []
    for function, addresses in zip(functions, tables, strict=True):
        known = addresses | entries if function.calls or function.routines else addresses
        calls = bool(function.calls or function.callees or function.indirect or function.routines)
        for block in function.blocks:
            for number, inst in enumerate(block.insts):
                operands = tuple(physical(o, known) for o in (*inst.dsts, *inst.srcs))
                if calls and RETURN_POINT in operands:
                    call = next(n for n in range(number, len(block.insts)) if block.insts[n].mnemonic == "CALL")
                    back = addresses[block.label] + SIZE * (call + 1)
                    place = Target(address=back) if inst.mnemonic == "LEPC" else Imm(back)
                    operands = tuple(place if o == RETURN_POINT else o for o in operands)
                if calls and WAY_BACK in operands:
                    way = Imm(_way_back(block, number))
                    operands = tuple(way if o == WAY_BACK else o for o in operands)
                if operands[-1:] == _COLLECTIVE:
                    end = next(n for n in range(number, len(block.insts)) if block.insts[n].mnemonic == "ENDCOLLECTIVE")
                    operands = (*operands[:-1], Target(address=addresses[block.label] + SIZE * (end + 1)))
                out.append(Instr(inst.mnemonic, operands, inst.modifiers, _reg(inst.guard), inst.control, inst.hidden))
                origin.append(inst)
    out.append(Instr("BRA", (Target(address=at),), control=_LOOP))
    return out, tables, origin


def _lacking(error: CompileError, instr: Instr, source: ptx.Inst | None, arch: Arch) -> NoReturn:
    """An instruction that the machine does not have is named as the PTX that asked for it."""
    if source is None or has(instr.mnemonic, instr.modifiers, arch.sass):
        raise error
    name = ".".join((instr.mnemonic, *instr.modifiers))
    message = f"Feature not supported: instruction '{source.name}' has no machine code for {arch.name} ({name})"
    fail("ptxas.unsupported", message, source.where, exit_status=EXIT_PTXAS)


def emit(function: MFunction, module: MModule, arch: Arch, options: Options) -> Function:
    """One kernel as the cubin will hold it."""
    from minicc.ptxas.control import reuse
    from minicc.sass import encode

    if module.debug:
        from minicc.ptxas import dwarf

    device = module.device.get(function.name, [])
    instrs, tables, origin = instructions([function, *device])
    if arch.reuse_cache and options.sched == "list" and options.opt_level > 0:
        instrs = reuse.assign(instrs, origin, {at // SIZE for table in tables for at in table.values()}, arch)
    words = bytearray()
    for n, instr in enumerate(instrs):
        try:
            words += encode(instr, arch, n * SIZE).to_bytes(16, "little")
        except CompileError as error:
            _lacking(error, instr, origin[n].ptx if n < len(origin) else None, arch)
    attributes = dict(function.attributes)
    for name in ("registers", "spill_stores", "spill_loads", "DYNAMIC_STACK"):
        attributes.pop(name, None)
    told = any(inst.mnemonic in ("SYNCS", "ARRIVES") or "SP" in inst.modifiers for inst in origin)
    if told and "syncs" in arch.features:
        from minicc.ptxas import records

        attributes.update(records.mbarriers(instrs, origin, SIZE))
        attributes["SPARSE_MMA_MASK"] = records.sparse(origin)
    if attributes.get("REG_RECONFIG"):
        attributes["MAXREG_COUNT"] = _registers(function)
    entries = {f.name: table[f.blocks[0].label] for f, table in zip(device, tables[1:], strict=True)}
    labels = {f"${function.name}${name}": at for name, at in entries.items()}
    frame, unbounded = function.frame, False
    if device:
        depth, unbounded = stack_depths([function, *device], module.pointers)
        frame = depth[function.name]
        attributes["LOCAL_FRAMES"] = {f"${function.name}${f.name}": depth[f.name] for f in device}
    unbounded = unbounded or any(f.attributes.get("DYNAMIC_STACK") for f in (function, *device))
    min_stack = frame + (DYNAMIC if unbounded else 0)
    constant2 = bytes(function.constant2)
    if any(f.indirect for f in (function, *device)):
        # Slot 0 is what a null pointer finds.
        slots = [1, *(entries.get(name, 1) for name in module.pointers)]
        constant2 = b"".join(slot.to_bytes(8, "little") for slot in slots)
    return Function(
        name=function.name,
        code=bytes(words),
        entry=function.entry,
        registers=max(_registers(f) for f in (function, *device)),
        barriers=function.barriers,
        shared=function.shared,
        shared_align=function.shared_align,
        frame=frame,
        min_stack=min_stack,
        params=list(function.params),
        param_bytes=function.param_bytes,
        max_threads=function.max_threads,
        req_threads=function.req_threads,
        min_ctas=function.min_ctas,
        max_registers=function.max_registers,
        relocations=[
            Relocation(n * SIZE, "R_CUDA_ABS32_32", symbol)
            for n, inst in enumerate(origin)
            for operand in inst.srcs
            if type(operand) is Name and (symbol := outside(operand)) is not None
        ],
        callees=list(function.callees),
        headers=list(function.headers),
        lines=line_records(origin, module) if options.lineinfo or options.debug else [],
        debug=dwarf.located([function, *device], origin) if module.debug else {},
        frames=dwarf.frames([function, *device], instrs) if module.debug else [],
        constant2=constant2,
        labels=labels,
        attributes=attributes,
    )


def _registers(function: MFunction) -> int:
    count = function.attributes.get("registers", 0)
    assert isinstance(count, int)
    return count


def stack_depths(functions: list[MFunction], pointers: list[str]) -> tuple[dict[str, int], bool]:
    """Bytes of stack that each function needs, its callees included, and whether one may call itself: then that is what
    the way in takes, with each function once, and there is no bound."""
    known = {f.name: f for f in functions}
    called = {f.name: dict.fromkeys([*f.calls, *(pointers if f.indirect else ())]) for f in functions}
    edges = {name: [c for c in inner if c in known] for name, inner in called.items()}
    order, recursive = bottom_up(edges)
    depth: dict[str, int] = {}
    for name in order:
        depth[name] = known[name].frame + max((depth.get(c, 0) for c in edges[name]), default=0)
    return depth, bool(recursive)


def program(module: MModule, functions: list[Function], arch: Arch) -> Program:
    """The device module."""
    debug: dict[str, DebugSection] = {}
    if module.debug and functions:
        from minicc.ptxas import dwarf

        debug = dwarf.sections(module.debug, functions, [v.name for v in module.variables])
    return Program(
        arch=arch.name,
        functions=functions,
        variables=list(module.variables),
        externs=list(module.externs),
        constant4=list(module.constant4),
        uses_extern_shared=module.uses_extern_shared,
        references=dict(module.references),
        independent=module.independent,
        debug=debug,
    )
