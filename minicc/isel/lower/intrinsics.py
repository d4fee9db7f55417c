"""llvm.* and llvm.nvvm.* intrinsics -> DAG nodes. Most are rows of a table: name -> node head."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from minicc.isel.dag import WIDTH, Node
from minicc.isel.lower.classes import by_order
from minicc.isel.lower.constrained import Constrained
from minicc.isel.lower.halves import HALVES, is_packed
from minicc.isel.lower.integers import Integers
from minicc.isel.lower.intrinsic_table import EXTREMES, IGNORED, NVVM, OVERLOADED, SREG_BITS
from minicc.isel.lower.vectors import VECTORS, Vectors
from minicc.isel.lower.wide import power_bits
from minicc.numbers import align_at
from minicc.nvvm import ir


class Intrinsics(Vectors, Constrained):
    """Mixin of `Lowering`."""

    use_counts: dict[ir.Value, int]

    def intrinsic(self, inst: ir.Inst, name: str) -> list[Node]:
        base = name[5:]
        if base.startswith("nvvm.read.ptx.sreg."):
            return [self.special_register(inst, base[19:])]
        if base == "nvvm.is_explicit_cluster":
            return [self.special_register(inst, base[5:])]
        if base.startswith("nvvm."):
            return self.nvvm_intrinsic(inst, base[5:])
        stem = _stem(base)
        if stem in IGNORED:
            return [n for arg in inst.args[:1] for n in self.parts(arg)] if inst.type is not ir.VOID else []
        if stem == "tanh" and inst.flags.isdisjoint(("afn", "fast")):
            self.unsupported(f"intrinsic '{name}' that is not approximate")
        if stem.startswith("experimental.constrained."):
            return self.constrained(inst, stem)
        moves = VECTORS.get(stem)
        if moves is not None:
            return moves(self, inst)
        shape = inst.type.elements[0] if inst.type.kind == "struct" else inst.type
        if shape.kind == "vector" and stem not in ("masked.load", "masked.store") and not stem.startswith("vector."):
            return self.packed_call(inst, stem) or self.elementwise_call(inst, name)
        head = OVERLOADED.get(stem)
        if head is not None:
            args = [self.one(arg) for arg in inst.args if arg.type is not ir.METADATA]
            if args[0].type in ("f16", "bf16"):
                return [self.half(head, *args)]
            return [self.build.pure(f"{head}.{args[0].type}", args[0].type, *args)]
        handler = _SPECIAL.get(stem)
        if handler is not None:
            return handler(self, inst)
        self.unsupported(f"intrinsic '{name}'")

    def packed_call(self, inst: ir.Inst, stem: str) -> list[Node] | None:
        """An intrinsic on pairs of halves, if there is an operation for them."""
        head = "fma" if stem in ("fma", "fmuladd") and self.options.fmad | (stem == "fma") else OVERLOADED.get(stem)
        head = head or EXTREMES.get(stem)
        if head == "fma" and inst.type.element.kind == "float":
            return self.single_pairs(head, [self.parts(arg) for arg in inst.args])
        if head is None or not is_packed(inst.type):
            return None
        return self.packed(head, HALVES[inst.type.element.kind], [self.parts(arg) for arg in inst.args])

    def elementwise_call(self, inst: ir.Inst, name: str) -> list[Node]:
        """A vector intrinsic one element at a time; a struct of vectors has the first result of all elements first."""
        fields = inst.type.elements if inst.type.kind == "struct" else (inst.type,)
        count = fields[0].count
        single = ir.struct_type(tuple(f.element for f in fields)) if inst.type.kind == "struct" else fields[0].element
        out: list[list[Node]] = [[] for _ in fields]
        for i in range(count):
            args: list[ir.Value] = []
            for arg in inst.args:
                if arg.type.kind == "vector":
                    step = len(self.parts(arg)) // count
                    value = ir.Value(arg.type.element)
                    self.values[value] = self.parts(arg)[i * step : i * step + step]
                    arg = value
                args.append(arg)
            one = copy(inst)
            one.type, one.args = single, args
            parts = self.intrinsic(one, name)
            for field, found in zip(fields, out, strict=True):
                taken = len(self.legal(field.element))
                found += parts[:taken]
                parts = parts[taken:]
        return [node for found in out for node in found]

    def special_register(self, inst: ir.Inst, name: str) -> Node:
        kind = self.legal(inst.type)[0]
        register = "%" + name
        volatile = name in ("clock", "clock64", "globaltimer", "globaltimer.lo", "clock.hi") or name.startswith("pm")
        register = {"%globaltimer.lo": "%globaltimer_lo", "%clock.hi": "%clock_hi"}.get(register, register)
        register = register.replace("%lanemask.", "%lanemask_").replace("cluster.ctaid", "cluster_ctaid")
        register = register.replace("cluster.nctaid", "cluster_nctaid").replace("cluster.nctarank", "cluster_nctarank")
        register = register.replace("cluster.ctarank", "cluster_ctarank")
        if volatile:
            return self.build.raw(f"sreg.{kind}", kind, (), register, root=True)
        node = self.build.pure(f"sreg.{kind}", kind, data=register)
        node.zb = min(node.zb, SREG_BITS.get(name, 32))
        node.sb = min(node.sb, node.zb + 1)
        return node

    def nvvm_intrinsic(self, inst: ir.Inst, name: str) -> list[Node]:
        row = NVVM.get(name)
        if row is not None and not any(is_packed(arg.type) for arg in inst.args):
            op, effect = row
            kinds = self.legal(inst.type)
            if len(kinds) <= 1 and not is_packed(inst.type) and not op.endswith(".h"):
                args = tuple(node for arg in inst.args for node in self.parts(arg))
                if op.startswith(("fptosi", "fptoui")):
                    return self.float_to_int(op[:6], args[0], inst.type.bits)
                if not effect:
                    return [self.build.pure(op, kinds[0], *args)]
                return [self.build.raw(op, kinds[0], args, root=True)] if kinds else self.effect(op, args)
        for prefix, handler in _NVVM_PREFIX:
            if name.startswith(prefix):
                return handler(self, inst, name)
        found = self.named(inst, name)
        if found is not None:
            return found
        self.unsupported(f"intrinsic 'llvm.nvvm.{name}'")

    def effect(self, op: str, args: tuple[Node, ...]) -> list[Node]:
        self.build.raw(op, "", args, root=True)
        return []

    # --- floating -----------------------------------------------------------------------------------------------

    def to_nearest_integer(self, inst: ir.Inst, half_away: bool) -> list[Node]:
        """lrint (to even) and lround (half away from zero)."""
        build = self.build
        a = self.one(inst.args[0])
        if a.type in ("f16", "bf16"):
            a = self.float_to(a, "f32")
        kind = self.legal(inst.type)[0]
        if half_away:
            return [build.pure(f"fptosi.{kind}.{a.type}", kind, self.round_one(a))]
        return [build.pure(f"f2i.s.rn.{kind}.{a.type}", kind, a)]

    def reduce_float(self, inst: ir.Inst, head: str) -> list[Node]:
        """vector.reduce of floats: sums and products in order, from the start value."""
        parts = list(self.parts(inst.args[-1]))
        result = self.one(inst.args[0]) if len(inst.args) > 1 else parts.pop(0)
        for part in parts:
            kind = part.type
            if head.endswith("nan"):
                result = self.not_a_number(head, result, part)
            elif kind in ("f16", "bf16"):
                result = self.half(head, result, part)
            else:
                result = self.build.pure(f"{head}.{kind}", kind, result, part)
        return [result]

    def muladd(self, inst: ir.Inst) -> list[Node]:
        args = tuple(self.one(arg) for arg in inst.args)
        kind = args[0].type
        if not self.options.fmad and "fmuladd" in getattr(inst.callee, "name", ""):
            if kind in ("f16", "bf16"):
                return [self.half("fadd", self.half("fmul", *args[:2]), args[2])]
            return [self.build.pure(f"fadd.{kind}", kind, self.build.pure(f"fmul.{kind}", kind, *args[:2]), args[2])]
        return [self.half("fma", *args) if kind in ("f16", "bf16") else self.build.pure(f"fma.{kind}", kind, *args)]

    def square_root(self, inst: ir.Inst) -> list[Node]:
        a = self.one(inst.args[0])
        if a.type in ("f16", "bf16"):
            return [self.float_to(self.build.pure("fsqrt.f32", "f32", self.float_to(a, "f32")), a.type)]
        approximate = a.type == "f32" and ({"afn", "fast"} & inst.flags or not self.options.prec_sqrt)
        return [self.build.pure(f"fsqrt{'approx' if approximate else ''}.{a.type}", a.type, a)]

    def copysign(self, inst: ir.Inst) -> list[Node]:
        a, b = self.one(inst.args[0]), self.one(inst.args[1])
        if b.type != a.type:
            b = self.float_to(b, a.type)
        if a.type in ("f16", "bf16"):
            build = self.build
            size = build.binary("and", "i32", build.bitcast(a, "i32"), build.const("i32", 0x7FFF))
            sign = build.binary("and", "i32", build.bitcast(b, "i32"), build.const("i32", 0x8000))
            return [build.bitcast(build.binary("or", "i32", size, sign), a.type)]
        build = self.build
        if b.head == "fneg":  # of NaN the machine's has no sign, but the one that LLVM turned round has
            kind, b = {"f32": "i32", "f64": "i64"}[a.type], b.args[0]
            top = 1 << WIDTH[kind] - 1
            size = build.binary("and", kind, build.bitcast(a, kind), build.const(kind, top - 1))
            sign = build.binary("xor", kind, build.bitcast(b, kind), build.const(kind, -1))
            sign = build.binary("and", kind, sign, build.const(kind, top))
            return [build.bitcast(build.binary("or", kind, size, sign), a.type)]
        return [build.pure(f"copysign.{a.type}", a.type, b, a)]

    def rounding(self, inst: ir.Inst) -> list[Node]:
        return self.in_single(inst, lambda a: [self.round_one(a)])

    def round_one(self, a: Node) -> Node:
        """llvm.round: half away from zero = trunc(x + copysign(0.5, x)) where |x| is small, else x."""
        build = self.build
        kind = a.type
        half, big = (0x3F000000, 0x4B000000) if kind == "f32" else (0x3FE0000000000000, 0x4330000000000000)
        magnitude = build.pure(f"fabs.{kind}", kind, a)
        moved = build.pure(f"fadd.{kind}", kind, a, build.pure(f"copysign.{kind}", kind, a, build.const(kind, half)))
        result = build.pure(f"ftrunc.{kind}", kind, moved)
        small = build.pure(f"fcmp.olt.{kind}", "p", magnitude, build.const(kind, half))
        result = build.select(kind, small, build.pure(f"ftrunc.{kind}", kind, a), result)
        return build.select(kind, build.pure(f"fcmp.ogt.{kind}", "p", magnitude, build.const(kind, big)), a, result)

    def in_single(self, inst: ir.Inst, method: Callable[[Node], list[Node]]) -> list[Node]:
        """A method for f32 and f64; halves are converted, and so is what is one of its results."""
        a = self.one(inst.args[0])
        if a.type in ("f32", "f64"):
            return method(a)
        kind = a.type
        return [self.float_to(x, kind) if x.type == "f32" else x for x in method(self.float_to(a, "f32"))]

    def canonical(self, inst: ir.Inst) -> list[Node]:
        return self.in_single(inst, lambda a: [self.build.pure(f"fmul.{a.type}", a.type, a, self.power_of(a.type, 0))])

    def power_of(self, kind: str, exponent: int) -> Node:
        return self.build.const(kind, power_bits(kind, exponent))

    def scaled(self, inst: ir.Inst) -> list[Node]:
        """ldexp: powers beyond those of normal numbers are taken in three steps, of which only the last may round."""
        build = self.build
        exponent, bits = self.parts(inst.args[1]), inst.args[1].type.bits
        by = (self.clamped(exponent, bits, 32, True) if bits > 32 else self.extend("sext", exponent, bits, 32))[0]

        def scale(a: Node) -> list[Node]:
            kind, left = a.type, by
            top, digits = (127, 24) if kind == "f32" else (1023, 53)
            for pred, limit, step in (("sgt", top, top), ("slt", 1 - top, 1 - top + digits)):
                for _ in range(2):
                    more = build.icmp(pred, left, build.const("i32", limit))
                    a = build.select(kind, more, build.pure(f"fmul.{kind}", kind, a, self.power_of(kind, step)), a)
                    left = build.select("i32", more, build.binary("sub", "i32", left, build.const("i32", step)), left)
            left = build.binary("smax", "i32", left, build.const("i32", 1 - top))
            return [build.pure(f"fmul.{kind}", kind, a, self.power(kind, left))]

        return self.in_single(inst, scale)

    def fraction_and_exponent(self, inst: ir.Inst) -> list[Node]:
        """frexp: of 0, infinities and NaN the exponent is 0."""
        build = self.build

        def split(a: Node) -> list[Node]:
            kind = a.type
            bias, mantissa, word = (127, 23, "i32") if kind == "f32" else (1023, 52, "i64")
            size = build.pure(f"fabs.{kind}", kind, a)
            tiny = build.pure(f"fcmp.olt.{kind}", "p", size, self.power_of(kind, 1 - bias))
            normal = build.pure(f"fmul.{kind}", kind, a, self.power_of(kind, mantissa + 1))
            bits = build.bitcast(build.select(kind, tiny, normal, a), word)
            field = build.binary("lshr", word, bits, build.const("i32", mantissa))
            field = build.binary("and", "i32", build.trunc(field), build.const("i32", 2 * bias + 1))
            less = build.select("i32", tiny, build.const("i32", bias + mantissa), build.const("i32", bias - 1))
            rest = build.binary("and", word, bits, build.const(word, ~((2 * bias + 1) << mantissa)))
            half = build.bitcast(build.binary("or", word, rest, build.const(word, power_bits(kind, -1))), kind)
            some = build.pure(f"fcmp.one.{kind}", "p", a, build.const(kind, 0))
            finite = build.pure(f"fcmp.olt.{kind}", "p", size, self.power_of(kind, bias + 1))
            some = build.binary("and", "p", some, finite)
            places = build.select("i32", some, build.binary("sub", "i32", field, less), build.const("i32", 0))
            exponent = self.extend("sext", [places], 32, inst.type.elements[1].bits)
            return [build.select(kind, some, half, a), *exponent]

        return self.in_single(inst, split)

    def integer_and_fraction(self, inst: ir.Inst) -> list[Node]:
        """modf: both have the number's sign; of an infinity the fraction is 0."""
        build = self.build

        def split(a: Node) -> list[Node]:
            kind = a.type
            whole = build.pure(f"ftrunc.{kind}", kind, a)
            rest = build.pure(f"fsub.{kind}", kind, a, whole)
            endless = build.pure(
                f"fcmp.oeq.{kind}", "p", build.pure(f"fabs.{kind}", kind, a), self.power_of(kind, 1024)
            )
            rest = build.select(kind, endless, build.const(kind, 0), rest)
            return [build.pure(f"copysign.{kind}", kind, a, rest), whole]

        return self.in_single(inst, split)

    def extreme(self, inst: ir.Inst, head: str) -> list[Node]:
        """minimum and maximum: NaN if one is; where the machine does not have it, as the sum of both is."""
        a, b = (self.one(arg) for arg in inst.args)
        return [self.not_a_number(head, a, b)]

    def not_a_number(self, head: str, a: Node, b: Node) -> Node:
        kind, build = a.type, self.build
        if kind in ("f16", "bf16"):
            return self.half(head, a, b)
        if self.has(f"{head}.{kind}"):
            return build.pure(f"{head}.{kind}", kind, a, b)
        some = build.pure(f"fcmp.uno.{kind}", "p", a, b)
        least = build.pure(f"{head.removesuffix('nan')}.{kind}", kind, a, b)
        return build.select(kind, some, build.pure(f"fadd.{kind}", kind, a, b), least)

    def classify(self, inst: ir.Inst) -> list[Node]:
        """llvm.is.fpclass by comparisons, or by integer tests on the bits."""
        build = self.build
        a = self.one(inst.args[0])
        mask = self.one(inst.args[1]).data
        number = self.float_to(a, "f32") if a.type in ("f16", "bf16") else a
        infinity = {"f64": 0x7FF << 52}.get(number.type, 0x7F800000)
        known = self.classify_simple(number, mask, infinity)
        if known is None:
            known = self.classify_simple(number, mask ^ 0x3FF, infinity)
            known = None if known is None else build.invert(known)
        if known is not None:
            return [known]
        a = a if a.type == "f16" else number  # half's small numbers are none of single precision's
        kind = "i64" if a.type == "f64" else "i32"
        full, mantissa = {"f16": (16, 10), "f32": (32, 23), "f64": (64, 52)}[a.type]
        bits = build.sext(build.bitcast(a, kind), full, kind)
        inf = build.const(kind, ((1 << (full - 1 - mantissa)) - 1) << mantissa)
        if mask in (0x108, 0x100, 0x2F7, 0x2FF):  # normal, positive normal, and not: one unsigned range
            low = build.const(kind, 1 << mantissa)
            body = build.binary("and", kind, bits, build.const(kind, (1 << (full - 1)) - 1))
            value = bits if mask in (0x100, 0x2FF) else body  # a negative one is far above
            test = "ult" if mask < 0x200 else "uge"
            return [build.icmp(test, build.binary("sub", kind, value, low), build.const(kind, inf.data - low.data))]
        if a.type == "f64" or (a.type == "f32" and a is self.one(inst.args[0]) and not self.ftz):
            found = by_order(build, a, mask)
            if found is not None:
                return [found]
        quiet = build.const(kind, inf.data | 1 << (mantissa - 1))
        body = build.binary("and", kind, bits, build.const(kind, (1 << (full - 1)) - 1))
        negative = build.icmp("slt", bits, build.const(kind, 0))
        positive = build.invert(negative)
        tiny = build.const(kind, 1 << mantissa)
        zero = build.icmp("eq", body, build.const(kind, 0))
        subnormal = build.binary("and", "p", build.icmp("ult", body, tiny), build.invert(zero))
        normal = build.binary("and", "p", build.icmp("uge", body, tiny), build.icmp("ult", body, inf))
        infinite = build.icmp("eq", body, inf)
        tests = [
            (0x001, build.binary("and", "p", build.icmp("ugt", body, inf), build.icmp("ult", body, quiet))),
            (0x002, build.icmp("uge", body, quiet)),
            (0x004, build.binary("and", "p", infinite, negative)),
            (0x008, build.binary("and", "p", normal, negative)),
            (0x010, build.binary("and", "p", subnormal, negative)),
            (0x020, build.binary("and", "p", zero, negative)),
            (0x040, build.binary("and", "p", zero, positive)),
            (0x080, build.binary("and", "p", subnormal, positive)),
            (0x100, build.binary("and", "p", normal, positive)),
            (0x200, build.binary("and", "p", infinite, positive)),
        ]
        result = build.const("p", 0)
        for bit, flag in tests:
            if mask & bit:
                result = flag if result.is_const and not result.data else build.binary("or", "p", result, flag)
        return [result]

    def classify_simple(self, a: Node, mask: int, inf: int) -> Node | None:
        """Classes that one floating comparison decides."""
        build = self.build
        kind = a.type
        if mask == 0x003:
            return build.pure(f"fcmp.uno.{kind}", "p", a, a)
        if mask == 0x204:
            return build.pure(f"fcmp.oeq.{kind}", "p", build.pure(f"fabs.{kind}", kind, a), build.const(kind, inf))
        if mask == 0x1F8:
            return build.pure(f"fcmp.olt.{kind}", "p", build.pure(f"fabs.{kind}", kind, a), build.const(kind, inf))
        if mask == 0x200:
            return build.pure(f"fcmp.oeq.{kind}", "p", a, build.const(kind, inf))
        if mask == 0x004:
            return build.pure(f"fcmp.oeq.{kind}", "p", a, build.const(kind, inf | 1 << (WIDTH[kind] - 1)))
        return None

    def saturating_convert(self, inst: ir.Inst, op: str) -> list[Node]:
        """fptosi.sat / fptoui.sat: PTX conversions saturate; NaN gives 0 here."""
        build = self.build
        a = self.one(inst.args[0])
        if a.type in ("f16", "bf16"):
            a = self.float_to(a, "f32")
        bits = inst.type.bits
        kind = "i32" if bits <= 32 else "i64"
        zero = self.number(bits, 0)
        nan = build.pure(f"fcmp.uno.{a.type}", "p", a, a)
        if bits > 64:
            low, high = self.limits(bits, op == "fptosi")
            whole = self.float_to_wide(op == "fptosi", bits, a)
            lowest = power_bits(a.type, bits - 1, True) if low else 0
            for pred, edge, value in (("oge", power_bits(a.type, high.bit_length()), high), ("ole", lowest, low)):
                outside = build.pure(f"fcmp.{pred}.{a.type}", "p", a, build.const(a.type, edge))
                whole = self.choose(outside, self.number(bits, value), whole)
            return self.choose(nan, zero, whole)
        node = build.pure(f"{op}.{kind}.{a.type}", kind, a)
        if bits < WIDTH[kind]:
            if op == "fptosi":
                limit = 1 << (bits - 1)
                node = build.binary("smin", kind, node, build.const(kind, limit - 1))
                node = build.binary("smax", kind, node, build.const(kind, -limit))
            else:
                node = build.binary("umin", kind, node, build.const(kind, (1 << bits) - 1))
        return self.choose(nan, zero, [self.narrow(node, bits)])

    def from_half(self, inst: ir.Inst) -> list[Node]:
        return [self.float_to(self.build.bitcast(self.one(inst.args[0]), "f16"), self.legal(inst.type)[0])]

    def to_half(self, inst: ir.Inst) -> list[Node]:
        return [self.build.bitcast(self.float_to(self.one(inst.args[0]), "f16"), "i32")]

    # --- memory -------------------------------------------------------------------------------------------------

    def block_copy(self, inst: ir.Inst, move: bool = False) -> list[Node]:
        """memcpy and memmove of a constant size, unrolled: of a memmove all loads before all stores, of a memcpy those
        of each `_COPIED` bytes. LLVM turns the others (and the large ones) into loops before this."""
        size = self.one(inst.args[2])
        if not size.is_const:
            self.unsupported("memcpy of a size that is not constant")
        given = inst.attributes["args"]
        to, source = self.one(inst.args[0]), self.one(inst.args[1])
        align = min(given[0].get("align", 1), given[1].get("align", 1))
        head = "ldvol" if self.one(inst.args[3]).data else "ld"
        step = size.data if move else _COPIED
        for at in range(0, size.data, step):
            type_ = _bytes_type(min(step, size.data - at), align)
            some = self.load(head, self.space(inst.args[1].type), type_, self.offset(source, at), align)
            self.store("st" + head[2:], self.space(inst.args[0].type), type_, some, self.offset(to, at), align)
        return []

    def block_move(self, inst: ir.Inst) -> list[Node]:
        return self.block_copy(inst, move=True)

    def masked_load(self, inst: ir.Inst) -> list[Node]:
        """A constant mask, as the load vectoriser makes it. If the alignment covers the whole vector, it is loaded
        whole: it lies in one sector then, so what the mask excludes can be read too."""
        pointer, mask, other = inst.args[-3:]
        given = inst.attributes["args"][len(inst.args) - 3]
        flags = self.constant_mask(mask)
        vector = inst.type
        element = vector.element
        size = self.layout.bits(element) // 8
        align = int(given.get("align", 1))
        address = self.one(pointer)
        space = self.space(pointer.type)
        head = "ldnc" if space == "global" and "invariant.load" in inst.metadata else "ld"
        kept = self.parts(other)
        step = len(kept) // vector.count
        if align >= size * vector.count:
            loaded = self.load(head, space, vector, address, align)
            return [n for i, flag in enumerate(flags) for n in (loaded if flag else kept)[i * step : i * step + step]]
        out: list[Node] = []
        for i, flag in enumerate(flags):
            if flag:
                where = self.offset(address, i * size)
                out += self.load(head, space, element, where, align_at(align, i * size))
            else:
                out += kept[i * step : i * step + step]
        return out

    def masked_store(self, inst: ir.Inst) -> list[Node]:
        value, pointer, mask = inst.args[0], inst.args[1], inst.args[-1]
        flags = self.constant_mask(mask)
        element = value.type.element
        size = self.layout.bits(element) // 8
        align = int(inst.attributes["args"][1].get("align", 1))
        parts = self.parts(value)
        step = len(parts) // value.type.count
        for i, flag in enumerate(flags):
            if flag:
                where = self.offset(self.one(pointer), i * size)
                some = parts[i * step : i * step + step]
                self.store("st", self.space(pointer.type), element, some, where, align_at(align, i * size))
        return []

    def constant_mask(self, mask: ir.Value) -> list[bool]:
        parts = self.parts(mask)
        if not all(p.is_const for p in parts):
            self.unsupported("a masked access whose mask is not constant")
        return [bool(p.data) for p in parts]

    def block_set(self, inst: ir.Inst) -> list[Node]:
        build = self.build
        size = self.one(inst.args[2])
        if not size.is_const:
            self.unsupported("memset of a size that is not constant")
        align = inst.attributes["args"][0].get("align", 1)
        type_ = _bytes_type(size.data, align)
        byte = build.zext(self.one(inst.args[1]), 8, "i32")
        word = build.binary("mul", "i32", byte, build.const("i32", 0x01010101))
        parts = []
        for leaf, _ in self.leaves(type_):
            parts.append(build.pack(word, word) if leaf.bits == 64 else word)
        self.store("st", self.space(inst.args[0].type), type_, parts, self.one(inst.args[0]), align)
        return []

    def pointer_mask(self, inst: ir.Inst) -> list[Node]:
        a, mask = self.one(inst.args[0]), self.one(inst.args[1])
        mask = self.build.trunc(mask) if a.type == "i32" else self.build.sext(mask, inst.args[1].type.bits, "i64")
        return [self.build.binary("and", a.type, a, mask)]

    def stack_save(self, inst: ir.Inst) -> list[Node]:
        """llvm.stacksave: what stackrestore takes; nobody looks into it."""
        node = self.build.raw("stacksave.i64", "i64", root=True)
        return [self.build.trunc(node) if self.legal(inst.type)[0] == "i32" else node]

    def stack_restore(self, inst: ir.Inst) -> list[Node]:
        node = self.build.zext(self.one(inst.args[0]), WIDTH[self.one(inst.args[0]).type], "i64")
        return self.effect("stackrestore.i64", (node,))

    def trap(self, inst: ir.Inst) -> list[Node]:
        return self.effect("trapcall.", ())

    def unwrap(self, inst: ir.Inst, name: str) -> list[Node]:
        """llvm.nvvm.internal.addrspace.wrap of a byval argument: its address in the parameter space."""
        node = self.one(inst.args[0])
        return [node.args[0] if node.head == "cvta" else self.address_cast(node, 0, 101)]

    def scoped_atomic(self, inst: ir.Inst, name: str) -> list[Node]:
        """atomic.add.gen.i.cta and its like: relaxed, at the scope named."""
        _, op, _, kind, scope = name.split(".")[:5]
        pointer, *values = (self.one(arg) for arg in inst.args)
        op = "fadd" if op == "add" and kind == "f" else op
        space = self.space(inst.args[0].type)
        return [self.build.raw(f"atom.{op}.{space}.{values[0].type}", values[0].type, (pointer, *values),
                               ("relaxed", scope), root=True)]  # fmt: skip

    def uniform_load(self, inst: ir.Inst, name: str) -> list[Node]:
        """ldu.global.i and its like: a load that all threads make of one place."""
        align = self.one(inst.args[1]).data
        return self.load("ldu", "global", inst.type, self.one(inst.args[0]), align)

    def dot_of_two(self, inst: ir.Inst, name: str) -> list[Node]:
        """idp2a.s.u and its like: two 16-bit numbers by the two low or high bytes of a word."""
        a, b, high, c = (self.one(arg) for arg in inst.args)
        half = "hi" if high.data else "lo"
        return [self.build.pure(f"dp2a.{half}.{name[6]}{name[8]}.i32", "i32", a, b, c)]

    def is_space(self, inst: ir.Inst, name: str) -> list[Node]:
        space = "cluster" if name.endswith("cluster") else name.partition(".")[2]
        return [self.build.pure(f"isspacep.{space}.i64", "p", self.one(inst.args[0]))]


_COPIED = 128
"""Bytes of a memcpy that are under way together: 32 registers."""


def _bytes_type(size: int, align: int) -> ir.Type:
    """A packed struct of the widest integers the alignment allows."""
    unit = min(align & -align if align else 1, 8)
    fields = [ir.int_type(unit * 8)] * (size // unit)
    rest = size % unit
    while rest:
        step = 1 << (rest.bit_length() - 1)
        fields.append(ir.int_type(step * 8))
        rest -= step
    return ir.struct_type(tuple(fields), True)


def _stem(name: str) -> str:
    """Name without its type suffixes: "umin.i32" -> "umin", "uadd.with.overflow.i32" -> "uadd.with.overflow"."""
    parts = name.split(".")
    while len(parts) > 1 and _TYPE_SUFFIX(parts[-1]):
        parts.pop()
    return ".".join(parts)


def _TYPE_SUFFIX(part: str) -> bool:
    body = part.lstrip("v0123456789") if part[:1] == "v" else part
    return (body[:1] in ("i", "f", "p") and body[1:].isdigit()) or body == "bf16"


_Handler = Callable[[Any, ir.Inst], list[Node]]


def _partial(method: Callable[..., list[Node]], *rest: object) -> _Handler:
    return lambda self, inst: method(self, inst, *rest)


_SPECIAL: dict[str, _Handler] = {
    "abs": Integers.absolute,
    "fma": Intrinsics.muladd,
    "fmuladd": Intrinsics.muladd,
    "sqrt": Intrinsics.square_root,
    "copysign": Intrinsics.copysign,
    "round": Intrinsics.rounding,
    "is.fpclass": Intrinsics.classify,
    "canonicalize": Intrinsics.canonical,
    "ldexp": Intrinsics.scaled,
    "frexp": Intrinsics.fraction_and_exponent,
    "modf": Intrinsics.integer_and_fraction,
    **{stem: _partial(Intrinsics.extreme, head) for stem, head in EXTREMES.items()},
    "memcpy": Intrinsics.block_copy,
    "memcpy.inline": Intrinsics.block_copy,
    "memmove": Intrinsics.block_move,
    "memset": Intrinsics.block_set,
    "memset.inline": Intrinsics.block_set,
    "masked.load": Intrinsics.masked_load,
    "masked.store": Intrinsics.masked_store,
    "ptrmask": Intrinsics.pointer_mask,
    "stacksave": Intrinsics.stack_save,
    "stackrestore": Intrinsics.stack_restore,
    "trap": Intrinsics.trap,
    "ubsantrap": Intrinsics.trap,
    "readcyclecounter": lambda self, inst: [self.special_register(inst, "clock64")],
    "readsteadycounter": lambda self, inst: [self.special_register(inst, "globaltimer")],
    "get.rounding": lambda self, inst: [self.build.const("i32", 1)],
    "experimental.widenable.condition": lambda self, inst: [self.build.const("p", 1)],
    "convert.from.fp16": Intrinsics.from_half,
    "convert.to.fp16": Intrinsics.to_half,
    "debugtrap": lambda self, inst: self.effect("brkpt.", ()),
    "fshl": _partial(Integers.funnel, True),
    "fshr": _partial(Integers.funnel, False),
    "scmp": _partial(Integers.three_way, True),
    "ucmp": _partial(Integers.three_way, False),
    "fptosi.sat": _partial(Intrinsics.saturating_convert, "fptosi"),
    "fptoui.sat": _partial(Intrinsics.saturating_convert, "fptoui"),
    **{op: _partial(Integers.min_max, op) for op in ("umin", "umax", "smin", "smax")},
    **{op: _partial(Integers.count_bits, op) for op in ("ctpop", "ctlz", "cttz", "bitreverse", "bswap")},
    **{f"{s}{op}.with.overflow": _partial(Integers.overflow, op, s == "s")
       for s in "su" for op in ("add", "sub", "mul")},
    **{f"{s}{op}.sat": _partial(Integers.saturating, op, s == "s") for s in "su" for op in ("add", "sub")},
    **{f"{s}{op}.fix{sat}": _partial(Integers.fixed_point, op, s == "s", bool(sat))
       for s in "su" for op in ("mul", "div") for sat in ("", ".sat")},
    "ushl.sat": _partial(Integers.saturating_shift, False),
    "sshl.sat": _partial(Integers.saturating_shift, True),
    **{op: _partial(Intrinsics.to_nearest_integer, "round" in op) for op in ("lrint", "llrint", "lround", "llround")},
    **{f"vector.reduce.{op}": _partial(Intrinsics.reduce_float, head)
       for op, head in (("fadd", "fadd"), ("fmul", "fmul"), ("fmin", "fmin"), ("fmax", "fmax"),
                        ("fminimum", "fminnan"), ("fmaximum", "fmaxnan"))},
    **{f"vector.reduce.{op}": _partial(Integers.reduce, op)
       for op in ("add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax")},
}  # fmt: skip

_NVVM_PREFIX: list[tuple[str, Callable[..., list[Node]]]] = [
    ("internal.addrspace.wrap", Intrinsics.unwrap),
    ("isspacep.", Intrinsics.is_space),
    ("atomic.", Intrinsics.scoped_atomic),
    ("ldu.global.", Intrinsics.uniform_load),
    ("idp2a.", Intrinsics.dot_of_two),
]
