"""Finished machine IR to bytes: virtual registers to numbers, labels to addresses, then `minicc.sass.encode`."""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.mir import MFunction, MInst, MModule, MOperand, V, VConst, VMem
from minicc.ptxas.options import Options
from minicc.sass.instr import Const, Control, Instr, Mem, Name, Operand, Reg, Target
from minicc.sass.program import Function, Line, Program

SIZE = 16
"""Bytes of an instruction."""
_LOOP = Control(stall=0, yield_=True)


def _reg(v: V | Reg) -> Reg:
    if isinstance(v, Reg):
        return v
    fixed = v.reg.fixed
    assert fixed is not None, f"{v.reg!r} has no register"
    return Reg(v.reg.file, fixed + v.part, v.neg, v.abs, v.inv, v.suffix)


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
        from minicc.sass.isa.special import indices

        number = indices().get(operand.text)
        return operand if number is None else Reg("SR", number)
    return operand


def instructions(function: MFunction) -> tuple[list[Instr], dict[str, int], list[MInst]]:
    """(instructions with the ending self-loop, label -> byte offset, the machine IR behind each)."""
    addresses: dict[str, int] = {}
    at = 0
    for block in function.blocks:
        addresses[block.label] = at
        at += SIZE * len(block.insts)
    out: list[Instr] = []
    origin: list[MInst] = []
    for block in function.blocks:
        for inst in block.insts:
            operands = tuple(physical(o, addresses) for o in (*inst.dsts, *inst.srcs))
            out.append(Instr(inst.mnemonic, operands, inst.modifiers, _reg(inst.guard), inst.control, inst.hidden))
            origin.append(inst)
    out.append(Instr("BRA", (Target(address=at),), control=_LOOP))
    return out, addresses, origin


def emit(function: MFunction, module: MModule, arch: Arch, options: Options) -> Function:
    """One kernel as the cubin will hold it."""
    from minicc.ptxas import reuse
    from minicc.sass import encode

    instrs, addresses, origin = instructions(function)
    if arch.core.reuse_cache and options.sched == "list" and options.opt_level > 0:
        instrs = reuse.assign(instrs, {at // SIZE for at in addresses.values()}, arch)
    words = bytearray()
    for n, instr in enumerate(instrs):
        words += encode(instr, arch, n * SIZE).to_bytes(16, "little")
    attributes = dict(function.attributes)
    registers = attributes.pop("registers", 0)
    assert isinstance(registers, int)
    for name in ("spill_stores", "spill_loads"):
        attributes.pop(name, None)
    return Function(
        name=function.name,
        code=bytes(words),
        entry=function.entry,
        registers=registers,
        barriers=function.barriers,
        shared=function.shared,
        shared_align=function.shared_align,
        frame=function.frame,
        min_stack=function.frame,
        params=list(function.params),
        param_bytes=function.param_bytes,
        max_threads=function.max_threads,
        req_threads=function.req_threads,
        min_ctas=function.min_ctas,
        max_registers=function.max_registers,
        callees=list(function.callees),
        lines=_lines(origin, module) if options.lineinfo or options.debug else [],
        constant2=bytes(function.constant2),
        labels={name: at for name, at in addresses.items() if name.startswith("$") and not name.startswith("$L")},
        attributes=attributes,
    )


def _lines(origin: list[MInst], module: MModule) -> list[Line]:
    """Line records where the source place changes. `MInst.loc` is a `ptx.Loc`."""
    out: list[Line] = []
    last: object = None
    for n, inst in enumerate(origin):
        loc = inst.loc
        if loc is None or loc == last:
            continue
        last = loc
        file, line, column = getattr(loc, "file", None), getattr(loc, "line", 0), getattr(loc, "column", 0)
        if file is None or not line:
            continue
        chain: tuple[tuple[str, int, int, str], ...] = ()
        call = getattr(loc, "inlined_at", None)
        if call is not None:
            chain = ((module.files.get(call[0], ""), call[1], call[2], getattr(loc, "function_name", None) or ""),)
        out.append(Line(n * SIZE, module.files.get(file, ""), line, column, chain))
    return out


def program(module: MModule, functions: list[Function], arch: Arch) -> Program:
    """The device module."""
    return Program(
        arch=arch.name,
        functions=functions,
        variables=list(module.variables),
        externs=list(module.externs),
        constant4=list(module.constant4),
        uses_extern_shared=module.uses_extern_shared,
    )
