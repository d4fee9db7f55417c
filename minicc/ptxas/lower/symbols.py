"""Where every name of a module lives: globals, constants, shared and local variables, and their addresses.

Globals are reached through a table of 64-bit addresses in constant bank 4 that the driver fills (slot i of
`MModule.constant4` is c[0x4][8*i]); `.const` variables have offsets in bank 3; static `.shared` variables begin after
the bytes that belong to the system; `.local` variables are offsets from R1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from minicc.arch import Arch
from minicc.diagnostics import EXIT_PTXAS, Span, fail
from minicc.numbers import align_up, bits_of, float_of
from minicc.ptx import model as ptx
from minicc.ptx.names import SIZES
from minicc.ptxas.mir import ZERO, MInst, MModule, MOperand, V, VConst
from minicc.sass.instr import Imm, Name
from minicc.sass.program import CONSTANT_BANK, Relocation, Variable

if TYPE_CHECKING:
    from minicc.ptxas.lower.builder import Builder, Pair
    from minicc.ptxas.lower.callgraph import Calls
    from minicc.ptxas.lower.flatten import Flat

REFERENCES = {"texref": 0x20000000, "samplerref": 0x40000000, "surfref": 0x80000000}
"""Types that name a texture, a sampler, a surface -> the high word of such a handle."""
MAX_LOCAL = 1 << 24
"""Bytes of local memory a thread may have (512 KiB in hardware; the driver reports what does not fit)."""


def size_of(variable: ptx.Variable) -> int:
    """Bytes of a variable; an extern array without a size has none."""
    size = SIZES.get(variable.type, 0) * (variable.vector or 1)
    for dim in variable.dims:
        if dim is None:
            if variable.init is not None and isinstance(variable.init, list):
                dim = len(variable.init)
            else:
                return 0
        size *= dim
    return size


def align_of(variable: ptx.Variable) -> int:
    return variable.align or SIZES.get(variable.type, 1) * (variable.vector or 1)


class Symbols:
    """Names of one module. `shared_base` is where static shared data begins."""

    def __init__(self, module: MModule, arch: Arch, calls: Calls) -> None:
        self.module, self.arch, self.calls = module, arch, calls
        self.globals: dict[str, ptx.Variable] = {}
        self.constants: dict[str, int] = {}
        """.const name -> offset in bank 3."""
        self.constant_size = 0
        self.functions: set[str] = set()
        self.shared: dict[str, int] = {}
        """.shared name -> shared address, of the function in hand."""
        self.entries: set[str] = set()
        self.references: dict[str, str] = {}
        """Textures, samplers and surfaces that the module names -> their type."""
        self.independent = False
        """Whether textures and samplers are told apart (.target texmode_independent)."""
        self.routines: dict[str, Any] = {}
        """The shared routines (`lower.routine`) that the module has calls of, by name."""
        self.module_shared: list[ptx.Variable] = []
        self.shared_size = 0
        self.shared_align = 16
        self.clusters = False
        """Whether the kernel in hand knows of clusters: then shared addresses carry the rank of their block."""

    def slot(self, name: str) -> int:
        """Byte offset in bank 4 of the address of a global or function."""
        table = self.module.constant4
        if name not in table:
            table.append(name)
        return 8 * table.index(name)

    def place_shared(self, name: str, flats: list[Flat]) -> None:
        """Lay out the shared variables that a kernel and its device functions declare or use; extern arrays begin after
        them."""
        base = self.arch.abi.shared_reserved
        self.clusters = any(_knows_clusters(s) for flat in flats for s in flat.statements)
        at = 0
        self.shared = {}
        self.shared_align = 16
        used: set[str] = set()
        if self.module_shared:
            for flat in flats:
                used |= _names_used(flat)
        extern: list[ptx.Variable] = []
        own = [v for flat in flats for v in flat.shared]
        for variable in (*(v for v in self.module_shared if v.name in used), *own):
            align = align_of(variable)
            self.shared_align = max(self.shared_align, align)
            if variable.linkage == "extern":
                extern.append(variable)
                continue
            at = align_up(at, align)
            self.shared[variable.name] = base + at
            at += size_of(variable)
        self.shared_size = at
        limit = self.arch.static_shared
        if at > limit:
            text = f"Entry function '{name}' uses too much shared data ({at:#x} bytes, {limit:#x} max)"
            fail("ptxas.shared", text, exit_status=EXIT_PTXAS)
        for variable in extern:
            self.module.uses_extern_shared = True
            self.shared[variable.name] = base + align_up(at, align_of(variable))
        if extern:
            self.shared_size = align_up(at, max(align_of(v) for v in extern)) if at else 0


def _knows_clusters(statement: ptx.Inst | ptx.Label) -> bool:
    return isinstance(statement, ptx.Inst) and (
        statement.opcode == "mapa" or any("cluster" in m for m in statement.modifiers)
    )


def _names_used(flat: Flat) -> set[str]:
    used: set[str] = set()

    def visit(item: object) -> None:
        if isinstance(item, ptx.Symbol):
            used.add(item.name)
        elif isinstance(item, ptx.Address):
            visit(item.base)
        elif isinstance(item, ptx.Vector | ptx.Tuple | ptx.Bracket):
            for inner in item.items:
                visit(inner)

    for statement in flat.statements:
        if isinstance(statement, ptx.Inst):
            for operand in statement.operands:
                visit(operand)
    return used


def collect(source: ptx.Module, module: MModule, arch: Arch, calls: Calls) -> Symbols:
    """Lay out a module's variables."""
    symbols = Symbols(module, arch, calls)
    symbols.independent = module.independent = "texmode_independent" in source.target_options
    _place_constants(source, symbols)
    for variable in source.variables:
        if variable.space == "shared":
            symbols.module_shared.append(variable)
        elif variable.space == "const":
            made = _data(variable, "constant", symbols)
            made.offset = symbols.constants[variable.name]
            module.variables.append(made)
            symbols.globals[variable.name] = variable
        elif variable.type in REFERENCES:
            if variable.init is not None:
                fail("ptxas.texture", "Feature not supported: initial values of textures, samplers and surfaces",
                     variable.where, exit_status=EXIT_PTXAS)  # fmt: skip
            symbols.references[variable.name] = variable.type
        elif variable.space == "global":
            symbols.globals[variable.name] = variable
            if variable.linkage != "extern":
                module.variables.append(_data(variable, "global", symbols))
        else:
            fail(
                "ptxas.space",
                f"Feature not supported: .{variable.space} variable at module scope",
                variable.where,
                exit_status=EXIT_PTXAS,
            )
    for function in source.functions:
        symbols.functions.add(function.name)
        if function.entry:
            symbols.entries.add(function.name)
    return symbols


def _place_constants(source: ptx.Module, symbols: Symbols) -> None:
    at = 0
    for variable in source.variables:
        if variable.space != "const":
            continue
        symbols.constants[variable.name] = at = align_up(at, align_of(variable))
        symbols.constant_size = at = at + size_of(variable)
        if at > CONSTANT_BANK:
            fail(
                "ptxas.constants",
                f"File uses too much global constant data ({at:#x} bytes, {CONSTANT_BANK:#x} max)",
                variable.where,
                exit_status=EXIT_PTXAS,
            )


def _data(variable: ptx.Variable, space: str, symbols: Symbols) -> Variable:
    size = size_of(variable)
    made = Variable(variable.name, space, size, align_of(variable))  # type: ignore[arg-type]
    if variable.init is not None:
        data = bytearray(size)
        element = SIZES.get(variable.type, 1)
        _fill(variable, variable.init, data, 0, size, element, made.relocations, symbols)
        made.init = bytes(data)
    return made


def _fill(
    variable: ptx.Variable,
    init: object,
    data: bytearray,
    at: int,
    room: int,
    element: int,
    relocations: list[Relocation],
    symbols: Symbols,
) -> int:
    """Write an initialiser at `at`; returns the offset after it. Nested lists fill equal sub-arrays."""
    if isinstance(init, list):
        end = at + room
        for item in init:
            if isinstance(item, list):
                inner = room // _outer(variable, room, element)
                _fill(variable, item, data, at, inner, element, relocations, symbols)
                at += inner
            else:
                at = _fill(variable, item, data, at, element, element, relocations, symbols)
        if at > end:
            _bad(variable.where, f"too many initialisers for '{variable.name}'")
        return end
    if at + element > len(data):
        _bad(variable.where, f"too many initialisers for '{variable.name}'")
    if isinstance(init, ptx.Int):
        data[at : at + element] = (init.value & (1 << 8 * element) - 1).to_bytes(element, "little")
    elif isinstance(init, ptx.Float):
        data[at : at + element] = _float_bytes(init, element)
    elif isinstance(init, ptx.Symbol):
        kind = {8: "R_CUDA_G64", 4: "R_CUDA_G32"}.get(element)
        shift = 0
        if init.mask is not None:
            shift = (init.mask & -init.mask).bit_length() - 1
            kind = f"R_CUDA_G8_{shift}" if element == 1 else None
        if kind is None:
            _bad(variable.where, f"the address of '{init.name}' does not fit in an element of '{variable.name}'")
        else:
            known: int | None = None
            if init.name in symbols.calls.bodies:
                known = symbols.calls.pointer(init.name)
            elif not init.generic:
                known = symbols.constants.get(init.name)  # its place in the bank
            if known is not None:
                value = (known + init.offset) >> shift
                data[at : at + element] = (value & (1 << 8 * element) - 1).to_bytes(element, "little")
            else:
                relocations.append(Relocation(at, kind, init.name, init.offset))
    else:
        _bad(variable.where, f"initialiser of '{variable.name}' is not supported")
    return at + element


def _outer(variable: ptx.Variable, room: int, element: int) -> int:
    """How many sub-arrays a list of `room` bytes holds."""
    sizes = [d or 0 for d in variable.dims] + ([variable.vector] if variable.vector else [])
    total = element
    for size in reversed(sizes):
        total *= max(size, 1)
        if total == room:
            return max(size, 1)
    return 1


def _float_bytes(value: ptx.Float, element: int) -> bytes:
    if value.width == 8 * element:
        return value.bits.to_bytes(element, "little")
    return bits_of(float_of(value.bits, value.width), 8 * element).to_bytes(element, "little")


def _bad(where: Span | None, message: str) -> NoReturn:
    fail("ptxas.initialiser", message, where, exit_status=EXIT_PTXAS)


def _rank(b: Builder) -> V:
    """Bits 24 and up of the addresses of this block's shared memory, in a cluster: its rank."""
    if b.rank is None:
        number, b.rank = b.fn.new("R", 1, "rank"), b.fn.new("R", 1, "rank")
        b.entry_insts.append(MInst("S2R", (), (V(number),), (Name("SR_CgaCtaId"),)))
        b.entry_insts.append(MInst("SHF", ("L", "U32"), (V(b.rank),), (V(number), Imm(24), ZERO)))
    return V(b.rank)


def _header(b: Builder, name: str, kind: str) -> V:
    """The number of a texture, sampler or surface: a word behind the parameters, which the driver fills."""
    if not b.fn.entry:
        b.unsupported("a texture, sampler or surface by name in a function that is called")
    b.symbols.module.references[name] = kind
    if name not in b.fn.headers:
        b.fn.headers.append(name)
    out = b.temp()
    at = b.arch.abi.param_base + align_up(b.fn.param_bytes, 4) + 4 * b.fn.headers.index(name)
    b.emit("LDC", (out,), (VConst(0, at),))
    return out


def address(b: Builder, symbol: ptx.Symbol) -> Pair:
    """The address of a name in its own space, as (low, high)."""
    from minicc.ptxas.lower.builder import STACK, imm

    name, offset = symbol.name, symbol.offset
    if (shared := b.symbols.shared.get(name)) is not None:
        if b.symbols.clusters:
            return b.new("IADD3", _rank(b), imm(shared + offset), ZERO), ZERO
        return imm(shared + offset), ZERO
    if (kind := b.symbols.references.get(name)) is not None:
        return _header(b, name, kind), imm(REFERENCES[kind])
    if (local := b.local_offsets.get(name)) is not None:
        if local + offset == 0:
            out: MOperand = b.temp()
            b.move(out, STACK)
        else:
            out = b.temp()
            b.emit("IADD3", (out,), (STACK, imm(local + offset), ZERO))
        return out, ZERO
    if (constant := b.symbols.constants.get(name)) is not None:
        return imm(constant + offset), ZERO
    if name in b.symbols.calls.bodies:
        return imm(b.symbols.calls.pointer(name)), ZERO
    if name in b.symbols.globals or name in b.symbols.functions:
        pair = b.temp(2)
        b.emit("LDC.64", (pair,), (VConst(4, b.symbols.slot(name)),))
        low, high = V(pair.reg, 0), V(pair.reg, 1)
        if offset:
            total = b.temp(2)
            b.add64(total, (low, high), (imm(offset), imm(offset >> 32)))
            return V(total.reg, 0), V(total.reg, 1)
        return low, high
    if name in b.entry_params:
        value = b.arch.abi.param_base + b.entry_params[name] + offset
        return imm(value), ZERO
    b.wrong(f"Unknown symbol '{name}'")
