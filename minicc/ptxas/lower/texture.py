"""Texture fetches: tex, tld4. Handles, which surfaces and queries share.

Read off ptxas 13.0's code for sm_90a. A texture is named by a uniform pair: the low word of its handle and, where
sampler and texture are told apart (.target texmode_independent), that of the sampler's; lanes with different handles
take turns. Coordinates lie in consecutive registers, and so does what else a fetch needs. The layer of an array is at
most 65535. Which words stand where, in this order:

    TEX   layer, coordinates                       level (-32: the lowest there is), offsets, depth
    TLD   layer, coordinates                       level, offsets, sample
    TLD4  layer, coordinates                       offsets, depth
    TXD   coordinates, layer | offsets << 16       x and y gradient of each coordinate in turn

A float 1-D texture is a 2-D one with y = 0 (not where samplers are told apart). Of four results the wanted ones are
packed: two in one register pair, the rest in another. The predicate says that some texel was not resident; PTX's, that
all were. Halves are made from floats. Gradients in three dimensions, or with a depth to compare with, are a function of
the driver's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minicc.ptx import model as ptx
from minicc.ptxas.lower import abi, calls, uniform
from minicc.ptxas.lower.builder import STACK, Builder, absolute, imm, inv, number
from minicc.ptxas.lower.flatten import Flat
from minicc.ptxas.lower.same import same
from minicc.ptxas.lower.types import dotted
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V, VMem
from minicc.sass.instr import Imm, Name, Reg

_LAYERS = 0xFFFF
_LOWEST = 0xC2000000
"""-32.0: the level of a fetch that names none."""
_SHAPES = {
    "1d": ("1D", 1, False), "2d": ("2D", 2, False), "3d": ("3D", 3, False), "a1d": ("ARRAY_1D", 1, True),
    "a2d": ("ARRAY_2D", 2, True), "cube": ("CUBE", 3, False), "acube": ("ARRAY_CUBE", 3, True),
    "2dms": ("2D", 2, False), "a2dms": ("ARRAY_2D", 2, True),
}  # fmt: skip
"""Geometry -> printed dimension, coordinates, whether a layer comes first."""
_TEX_OFFSET, _GATHER_OFFSET = (4, 4), (8, 6)
"""Offsets of texels in a word: distance from one to the next, bits of each."""
_ARGUMENT = 4
"""Words from one argument to the next of the driver's function for gradients."""
_OUTGOING = 32
"""Bytes of stack that its arguments may take."""


def items(operand: ptx.Operand) -> list[ptx.Operand]:
    """The elements of a vector, or the operand itself."""
    found = operand.items if isinstance(operand, ptx.Vector) else (operand,)
    return [i for i in found if i is not None]


def place(b: Builder, where: ptx.Operand) -> tuple[list[ptx.Operand], list[ptx.Operand]]:
    """(handles, coordinates) of `[texture{, sampler}, {c...}]`."""
    if not isinstance(where, ptx.Bracket) or len(where.items) < 2:
        b.wrong("Arguments mismatch: a texture or surface and its coordinates")
    *handles, coordinates = where.items
    return handles, items(coordinates)


def each(b: Builder, handles: Sequence[ptx.Operand], use: Callable[[V], None]) -> None:
    """Run `use` with the handles in a uniform pair, once for each value that lanes have."""
    low = [b.val64(handle)[0] for handle in handles]
    if all(same(b, handle) for handle in handles):
        use(uniform.group(b, (*low, ZERO)[:2], side=True))
        return
    own = [b.reg(value) for value in low]
    turn, after = b.label("turn"), b.label("next")
    b.start(turn)
    pair = uniform.group(b, (*own, ZERO)[:2], side=True)
    p: MOperand = TRUE
    for part, value in enumerate(own):
        p = b.setp("ISETP.EQ.U32.AND", value, V(pair.reg, part), p)
    b.jump(after, inv(p))
    use(V(pair.reg, 0, 2))
    b.start(after)
    b.jump(turn, inv(p))


def branches(inst: ptx.Inst) -> bool:
    """Lanes with different handles take turns."""
    return True


def words(b: Builder, values: list[MOperand]) -> V | Reg:
    """Values in consecutive registers."""
    if not values:
        return ZERO
    if len(values) == 1:
        return b.reg(values[0])
    out = b.temp(4 if len(values) == 3 else len(values))
    for k, value in enumerate(values):
        b.move(V(out.reg, k), value)
    return V(out.reg, 0, len(values))


def _layer(b: Builder, item: ptx.Operand) -> MOperand:
    return b.new("VIMNMX.U32", b.reg(b.val(item)), imm(_LAYERS), TRUE)


def _cube(b: Builder, coordinates: list[MOperand]) -> list[MOperand]:
    """A direction, scaled until its largest part is 1."""
    x, y, z = (b.reg(c) for c in coordinates)
    most, largest, scale = b.temp(), b.temp(), b.temp()
    b.emit("FMNMX", (most,), (absolute(x), absolute(y), inv(TRUE)))
    b.emit("FMNMX", (largest,), (most, absolute(z), inv(TRUE)))
    b.emit("MUFU.RCP", (scale,), (largest,))
    return [b.new("FMUL", c, scale) for c in (x, y, z)]


def _offsets(b: Builder, given: list[ptx.Operand], layout: tuple[int, int]) -> MOperand:
    """Offsets of texels in one word."""
    step, size = layout
    known = [b.constant(i) for i in given]
    mask = (1 << size) - 1
    if all(k is not None for k in known):
        return imm(sum((k & mask) << step * n for n, k in enumerate(known) if k is not None))
    out = b.logic(b.val(given[0]), imm(mask), 0xC0)
    for n, item in enumerate(given[1:], 1):
        moved = b.new("SHF.L.U32", b.reg(b.val(item)), imm(step * n), ZERO)
        out = b.logic(moved, imm(mask << step * n), 0xEA, out)  # (moved & mask) | out
    return out


class _Fetch:
    """A tex or tld4 taken apart; `more` holds the operands that stand between the place and the offsets."""

    def __init__(self, b: Builder, inst: ptx.Inst, between: int) -> None:
        self.b, self.mods = b, inst.modifiers
        d, where, *more = inst.operands
        self.d, self.resident = (d.first, d.second) if isinstance(d, ptx.Pair) else (d, None)
        self.handles, given = place(b, where)
        if (len(self.handles) == 2) != b.symbols.independent:
            b.wrong("Instruction violates the texture mode of .target: sampler")
        self.shape = next(m for m in self.mods if m in _SHAPES)
        self.dimension, self.count, layered = _SHAPES[self.shape]
        self.dtype, self.ctype = self.mods[-2], self.mods[-1]
        self.sample = given.pop(0) if self.shape.endswith("ms") else None
        self.layer = given.pop(0) if layered else None
        self.given = given[: self.count]
        if len(self.given) != self.count:
            b.wrong("Arguments mismatch: coordinates")
        self.between = more[:between]
        rest = more[between:]
        self.offsets = items(rest.pop(0))[: self.count] if rest and isinstance(rest[0], ptx.Vector) else None
        self.depth = rest.pop(0) if rest else None

    def coordinates(self) -> list[MOperand]:
        """Without the layer."""
        found = [self.b.val(i, "f32" if self.ctype == "f32" else "b32") for i in self.given]
        if "CUBE" in self.dimension:
            return _cube(self.b, found)
        if self.dimension == "1D" and self.ctype == "f32" and not self.b.symbols.independent:
            self.dimension = "2D"
            found.append(ZERO)
        return found

    def lead(self) -> list[MOperand]:
        """The layer, if there is one."""
        return [] if self.layer is None else [_layer(self.b, self.layer)]

    def emit(self, op: str, coordinates: list[MOperand], extra: list[MOperand]) -> None:
        """The instruction `op` (which `extra` and what else there is give their modifiers), once for each handle."""
        b = self.b
        place, beside = words(b, coordinates), words(b, extra)

        def use(pair: V) -> None:
            def one(second: MOperand, first: MOperand, mask: int) -> None:
                srcs = (place, beside, pair, Imm(0, "uint"), Name(self.dimension), Imm(mask, "uint"))
                absent = TRUE if self.resident is None else b.pred()
                b.emit(op, (absent, second, first), srcs, memory="load", space="texture", side=True)
                if self.resident is not None:
                    both = (inv(absent), TRUE, TRUE, number(0x80), number(0))
                    b.emit("PLOP3.LUT", (b.dst_pred(self.resident), TRUE), both)

            self._fetched(one)

        each(b, self.handles, use)

    def _fetched(self, emit: Callable[[MOperand, MOperand, int], None]) -> None:
        """Give `emit` the two result groups and the mask; hand the results out."""
        b = self.b
        outs = self.d.items if isinstance(self.d, ptx.Vector) else (self.d,)
        half = self.dtype in ("f16", "f16x2")
        if len(outs) != (2 if self.dtype == "f16x2" else 4):
            b.wrong("Arguments mismatch: results")
        named = [o is not None and not isinstance(o, ptx.Symbol) for o in outs]
        wanted = [k for k in range(4) if named[k // 2 if self.dtype == "f16x2" else k]]
        if not wanted:
            if self.resident is None:
                return
            wanted = [0]
        first = b.temp(min(2, len(wanted)))
        second: MOperand = b.temp(len(wanted) - 2) if len(wanted) > 2 else ZERO
        emit(second, first, sum(1 << k for k in wanted))
        parts: dict[int, MOperand] = {
            k: V(first.reg, n) if n < 2 else V(second.reg, n - 2)  # type: ignore[union-attr]
            for n, k in enumerate(wanted)
        }
        for k, out in enumerate(outs):
            if out is None or not named[k]:
                continue
            if not half:
                b.move(b.dst(out), parts[k])
                continue
            low, high = (parts[2 * k], parts[2 * k + 1]) if self.dtype == "f16x2" else (parts[k], ZERO)
            b.emit("F2FP.F16.F32.PACK_AB", (b.dst(out),), (high, low))

    @property
    def aoffi(self) -> str:
        return "" if self.offsets is None else "AOFFI"

    def offset(self, layout: tuple[int, int] = _TEX_OFFSET) -> list[MOperand]:
        """The word of offsets, if there are any."""
        return [] if self.offsets is None else [_offsets(self.b, self.offsets, layout)]

    def compared(self) -> list[MOperand]:
        """The depth, if there is one."""
        return [] if self.depth is None else [self.b.val(self.depth, "f32")]


def tex(b: Builder, inst: ptx.Inst) -> None:
    """tex{.base,.level,.grad}.GEOMETRY.vN.DTYPE.CTYPE d{|p}, [texture{, sampler}, {c}]{, level | gradients}{, offsets}
    {, depth}"""
    gradients, leveled = "grad" in inst.modifiers, "level" in inst.modifiers
    fetch = _Fetch(b, inst, 2 if gradients else 1 if leveled else 0)
    if gradients:
        _gradients(b, fetch)
        return
    compare = "" if fetch.depth is None else "DC"
    level = [b.val(o, "b32") for o in fetch.between]
    coordinates = fetch.coordinates()
    integers = fetch.ctype != "f32"
    if integers and b.symbols.independent and fetch.dimension != "1D" and fetch.sample is None and not leveled:
        # Through the sampler, with the address mode that it says.
        coordinates = [b.new("I2FP.F32.S32", b.reg(c)) for c in coordinates]
        integers = False
    if not integers:
        op = dotted("TEX.LL", fetch.aoffi, compare)
        extra = [*(level or [imm(_LOWEST)]), *fetch.offset(), *fetch.compared()]
    else:
        op = dotted("TLD.LL" if leveled else "TLD.LZ", fetch.aoffi, "MS" if fetch.sample is not None else "",
                    "CL" if leveled else "")  # fmt: skip
        extra = [*level, *fetch.offset(), *([b.val(fetch.sample)] if fetch.sample is not None else [])]
    fetch.emit(op, [*fetch.lead(), *coordinates], extra)


def tld4(b: Builder, inst: ptx.Inst) -> None:
    """tld4.COMPONENT.GEOMETRY.v4.DTYPE.f32 d{|p}, [texture{, sampler}, {c}]{, offsets}{, depth}"""
    fetch = _Fetch(b, inst, 0)
    component = next(m for m in inst.modifiers if m in ("r", "g", "b", "a"))
    op = dotted("TLD4", component.upper(), fetch.aoffi, "" if fetch.depth is None else "DC")
    coordinates = fetch.coordinates()
    fetch.emit(op, [*fetch.lead(), *coordinates], [*fetch.offset(_GATHER_OFFSET), *fetch.compared()])


def _provided(mods: tuple[str, ...], depth: bool) -> bool:
    """Is a fetch with gradients a function of the driver's?"""
    return depth or any(shape in mods for shape in ("3d", "cube", "acube"))


def outgoing(flat: Flat) -> int:
    """Bytes at the bottom of the frame for the arguments of the driver's function for gradients."""
    for inst in flat.statements:
        if isinstance(inst, ptx.Inst) and inst.opcode == "tex" and "grad" in inst.modifiers:
            depth = len(inst.operands) > 4 and not isinstance(inst.operands[-1], ptx.Vector)
            if _provided(inst.modifiers, depth):
                return _OUTGOING
    return 0


def _gradients(b: Builder, fetch: _Fetch) -> None:
    if _provided(fetch.mods, fetch.depth is not None):
        _call_driver(b, fetch)
        return
    over_x, over_y = ([b.val(i, "f32") for i in items(g)] for g in fetch.between)
    coordinates = fetch.coordinates()
    pairs = [v for pair in zip(over_x, over_y, strict=True) for v in pair]
    if fetch.dimension == "2D":
        pairs += [ZERO] * (4 - len(pairs))  # of a 1-D one
    last = fetch.lead()
    if fetch.offsets is not None:
        moved = b.new("SHF.L.U32", b.reg(fetch.offset()[0]), imm(16), ZERO)
        last = [b.logic(moved, imm(0xFFF0000), 0xEA, last[0] if last else ZERO)]  # (moved & mask) | layer
    fetch.emit(dotted("TXD", fetch.aoffi), [*coordinates, *last], pairs)


def _call_driver(b: Builder, fetch: _Fetch) -> None:
    """__cuda_syscall_tex_grad_...: handles, depth, coordinates, gradients and offsets, each of the latter from a
    multiple of four words on; it gives the residency and four results."""
    if b.flat.takes_memory:
        b.unsupported("alloca and such gradients in one function")
    kind = "f16" if fetch.dtype == "f16x2" else fetch.dtype
    parts = (
        ("__cuda_syscall_tex_grad", True), ("pred", fetch.resident is not None), (fetch.shape, True), ("v4", True),
        (kind, True), (fetch.ctype, True), ("offset", fetch.offsets is not None),
        ("depth_compare", fetch.depth is not None), ("texmode_independent", b.symbols.independent),
    )  # fmt: skip
    name = "_".join(part for part, there in parts if there)
    type_ = "f32" if fetch.ctype == "f32" else "b32"
    given = [*([b.val(fetch.layer)] if fetch.layer is not None else []), *(b.val(i, type_) for i in fetch.given)]
    values = [word for handle in fetch.handles for word in b.val64(handle)] + fetch.compared()
    groups = [given, *([b.val(i, "f32") for i in items(g)] for g in fetch.between)]
    if fetch.offsets is not None:
        groups.append([b.val(i) for i in fetch.offsets])
    passed = list(enumerate(values))
    at = -(-len(values) // _ARGUMENT) * _ARGUMENT
    for group in groups:
        passed += enumerate(group, at)
        at += _ARGUMENT
    reads: list[V] = []
    for word, value in passed:
        if word < abi.COUNT:
            register = abi.put(b, word, value, STACK)
            assert register is not None
            reads.append(register)
        else:
            where = VMem(STACK, 4 * (word - abi.COUNT))
            b.emit("STL", (), (where, b.reg(value)), memory="store", space="local")
    made = calls.provided(b, name)
    made.implicit_reads = (*reads, abi.return_address(b))
    made.implicit_writes = abi.clobbers(b)
    resident, *results = (abi.pinned(b, "R", abi.FIRST + k) for k in range(5))
    if fetch.resident is not None:
        b.emit("ISETP.NE.U32.AND", (b.dst_pred(fetch.resident), TRUE), (resident, ZERO, TRUE))
    outs = fetch.d.items if isinstance(fetch.d, ptx.Vector) else (fetch.d,)
    for k, out in enumerate(outs):
        if out is None or isinstance(out, ptx.Symbol):
            continue
        if fetch.dtype == "f16":
            b.emit("PRMT", (b.dst(out),), (results[k // 2], imm(0x7632 if k % 2 else 0x7610), ZERO))
        else:
            b.move(b.dst(out), results[k])


LOWER = {"tex": tex, "tld4": tld4}
