"""Integer intrinsics of LLVM, at every width.

A width that the machine has registers for takes what its instructions do. Every other one is said once, of lists of
parts, by what lowering has for all widths: overflow is what a wider result shows, a funnel shifts both operands joined.
"""

from __future__ import annotations

from functools import partial, reduce
from itertools import combinations

from minicc.isel.dag import WIDTH, Node
from minicc.isel.lower.base import Base
from minicc.nvvm import ir


class Integers(Base):
    """Mixin of `Lowering`."""

    # --- numbers of any width, as lists of parts ------------------------------------------------------------------

    def number(self, bits: int, value: int) -> list[Node]:
        return [self.build.const(kind, value >> 64 * i) for i, kind in enumerate(self.legal(ir.int_type(bits)))]

    def operate(self, op: str, bits: int, a: list[Node], b: list[Node]) -> list[Node]:
        return self.integer_binary(op, ir.int_type(bits), a, b)

    def compare_parts(self, pred: str, bits: int, a: list[Node], b: list[Node]) -> Node:
        return self.wide_compare(pred, bits, a, b) if len(a) > 1 else self.compare(pred, bits, a[0], b[0])

    def choose(self, p: Node, a: list[Node], b: list[Node]) -> list[Node]:
        return [self.build.select(x.type, p, x, y) for x, y in zip(a, b, strict=True)]

    def negated(self, bits: int, a: list[Node]) -> list[Node]:
        return self.operate("sub", bits, self.number(bits, 0), a)

    def limits(self, bits: int, signed_: bool) -> tuple[int, int]:
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed_ else (0, (1 << bits) - 1)

    def clamped(self, whole: list[Node], wider: int, bits: int, signed_: bool) -> list[Node]:
        """A signed number of `wider` bits as the nearest one that `bits` hold."""
        for pred, limit in zip(("slt", "sgt"), self.limits(bits, signed_), strict=True):
            edge = self.number(wider, limit)
            whole = self.choose(self.compare_parts(pred, wider, whole, edge), edge, whole)
        return self.extend("zext", whole, wider, bits)

    # --- intrinsics -----------------------------------------------------------------------------------------------

    def int_args(self, inst: ir.Inst, signed_: bool) -> tuple[int, list[Node]]:
        """Operands extended to their register."""
        bits = inst.args[0].type.bits
        extend = self.build.sext if signed_ else self.build.zext
        out = []
        for arg in inst.args:
            if arg.type.bits != bits:
                continue
            node = self.one(arg)
            kind = "i64" if bits > 32 else "i32"
            out.append(extend(node, bits, kind) if bits < WIDTH[kind] else node)
        return bits, out

    def min_max(self, inst: ir.Inst, head: str) -> list[Node]:
        bits = inst.args[0].type.bits
        if bits > 64:
            a, b = self.parts(inst.args[0]), self.parts(inst.args[1])
            return self.choose(self.wide_compare(head[0] + ("lt" if head.endswith("min") else "gt"), bits, a, b), a, b)
        bits, (a1, b1) = self.int_args(inst, head[0] == "s")
        node = self.build.binary(head, a1.type, a1, b1)
        if a1.zb < WIDTH[a1.type] and b1.zb < WIDTH[a1.type]:
            node.zb = max(a1.zb, b1.zb)
        return [self.narrow(node, bits)]

    def narrow(self, node: Node, bits: int) -> Node:
        return self.build.to_pred(node) if bits == 1 else node

    def absolute(self, inst: ir.Inst) -> list[Node]:
        bits = inst.args[0].type.bits
        if bits > 64:
            a = self.parts(inst.args[0])
            return self.choose(self.wide_compare("slt", bits, a, self.number(bits, 0)), self.negated(bits, a), a)
        kind = "i64" if bits > 32 else "i32"
        value = inst.args[0]
        if kind == "i32" and isinstance(value, ir.Inst) and value.op == "sub" and "nsw" in value.flags:
            x, y = (self.build.sext(self.one(arg), bits, kind) for arg in value.args)
            if self.use_counts.get(value) == 1 and not (x.is_const or y.is_const):
                return [self.difference("s", x, y)]
        node = self.build.sext(self.one(value), bits, kind)
        return [self.narrow(self.build.pure(f"abs.{kind}", kind, node), bits)]

    def count_bits(self, inst: ir.Inst, which: str) -> list[Node]:
        """ctpop, ctlz, cttz, bitreverse, bswap."""
        build = self.build
        bits = inst.args[0].type.bits
        if bits > 64:
            return self.count_wide(which, bits, list(self.parts(inst.args[0])))
        kind = "i64" if bits > 32 else "i32"
        full = WIDTH[kind]
        a = self.one(inst.args[0])
        if a.type == "p":
            a = build.zext(a, 1, "i32")
        if which == "ctpop":
            result = self.known(build.pure(f"popc.{kind}", "i32", build.zext(a, bits, kind)), full)
        elif which == "ctlz":
            a = build.binary("shl", kind, a, build.const("i32", full - bits))
            if bits < full:  # a one below stops the count at the width
                a = build.binary("or", kind, a, build.const(kind, 1 << (full - bits - 1)))
            result = self.known(build.pure(f"clz.{kind}", "i32", a), full)
        elif which == "cttz":
            if bits < full:
                a = build.binary("or", kind, a, build.const(kind, 1 << bits))
            ones = build.const(kind, -1)  # below the lowest one: right for zero, too
            below = build.binary("and", kind, build.binary("xor", kind, a, ones), build.binary("add", kind, a, ones))
            result = self.known(build.pure(f"popc.{kind}", "i32", below), full)
        else:
            if which == "bitreverse":
                node = build.pure(f"brev.{kind}", kind, a)
            elif kind == "i32":
                node = build.pure("bswap.i32", "i32", a)
            else:
                low, high = build.trunc(a), build.high(a)
                node = build.pack(build.pure("bswap.i32", "i32", high), build.pure("bswap.i32", "i32", low))
            return [self.narrow(build.binary("lshr", kind, node, build.const("i32", full - bits)), bits)]
        return [self.narrow(result if kind == "i32" else build.zext(result, 32, "i64"), bits)]

    @staticmethod
    def known(node: Node, most: int) -> Node:
        node.zb = most.bit_length()
        node.sb = node.zb + 1
        return node

    def count_wide(self, which: str, bits: int, parts: list[Node]) -> list[Node]:
        build = self.build
        zero = build.const("i64", 0)
        spare = -bits % 64
        if which in ("bitreverse", "bswap"):
            out = []
            for part in parts[::-1]:
                if which == "bitreverse":
                    out.append(build.pure("brev.i64", "i64", part))
                else:
                    low, high = build.trunc(part), build.high(part)
                    out.append(build.pack(*[build.pure("bswap.i32", "i32", half) for half in (high, low)]))
            return self.wide_shift_constant("lshr", out, spare, zero)
        if which == "ctpop":
            parts[-1] = build.zext(parts[-1], 64 - spare, "i64")
            result = build.const("i32", 0)
            for part in parts:
                result = build.binary("add", "i32", result, build.pure("popc.i64", "i32", part))
        else:
            if which == "ctlz":
                parts = self.wide_shift_constant("shl", parts, spare, zero)[::-1]
            end = build.const("i64", 1 << (spare - 1 if which == "ctlz" else 64 - spare) if spare else 0)
            parts[-1] = build.binary("or", "i64", parts[-1], end)  # a one where the width ends stops the count
            result = build.const("i32", bits)
            for position in reversed(range(len(parts))):
                word = build.pure("brev.i64", "i64", parts[position]) if which == "cttz" else parts[position]
                count = build.binary(
                    "add", "i32", build.pure("clz.i64", "i32", word), build.const("i32", 64 * position)
                )
                result = build.select("i32", build.icmp("ne", parts[position], zero), count, result)
        return [build.zext(result, 32, "i64"), *[zero] * (len(parts) - 1)]

    def funnel(self, inst: ir.Inst, left: bool) -> list[Node]:
        bits = inst.type.bits
        if bits > 64:
            return self.funnel_wide(left, bits, *(self.parts(arg) for arg in inst.args))
        return self.funnel_of(left, bits, *(self.one(arg) for arg in inst.args))

    def rotated_product(self, inst: ir.Inst) -> list[Node] | None:
        """x * (k << n) | x * k >> bits - n is a rotation of x * k, which LLVM has taken apart: what hash functions
        do to every word."""
        if inst.type.kind != "int" or inst.type.bits not in (32, 64):
            return None
        bits = inst.type.bits
        for product, shift in (inst.args, inst.args[::-1]):
            if not (isinstance(product, ir.Inst) and isinstance(shift, ir.Inst) and shift.op == "lshr"):
                continue
            whole, amount = shift.args
            if not (isinstance(whole, ir.Inst) and isinstance(amount, ir.ConstInt) and product.op == whole.op == "mul"):
                continue
            (x, more), (y, k) = product.args, whole.args
            if x is y and isinstance(more, ir.ConstInt) and isinstance(k, ir.ConstInt):
                by = bits - amount.value
                if (k.value << by) - more.value & (1 << bits) - 1 == 0:
                    turned = self.one(whole)
                    return self.funnel_of(True, bits, turned, turned, self.build.const(turned.type, by))
        return None

    def funnel_by(self, one: ir.Value, other: ir.Value) -> Node | None:
        """x << n with y >> 32 - n, or with the register's amount at the other shift: a funnel shift, which LLVM leaves
        apart where it does not know that n is less than 32. An amount of 32 leaves the other word, as the two shifts
        do."""
        for high, low in ((one, other), (other, one)):
            if not (isinstance(high, ir.Inst) and isinstance(low, ir.Inst) and (high.op, low.op) == ("shl", "lshr")):
                continue
            (x, up), (y, down) = high.args, low.args
            for op, by, rest in (("shflc.i32", up, down), ("shfrc.i32", down, up)):
                if isinstance(rest, ir.Inst) and rest.op == "sub" and rest.args[1] is by:
                    width = rest.args[0]
                    if isinstance(width, ir.ConstInt) and width.value == 32:
                        return self.build.pure(op, "i32", self.one(x), self.one(y), self.one(by))
        return None

    def funnels(self, inst: ir.Inst) -> Node | None:
        """Two such shifts joined, or among the terms of a sum that ends here: LLVM adds what has no bit in common."""
        if inst.type != ir.int_type(32) or not self.has("shflc.i32"):
            return None
        if inst.op == "or":
            return self.funnel_by(*inst.args)
        if self.continues(inst):
            return None
        rest = dict(enumerate(self.terms(inst)))
        shifts = [n for n, term in rest.items() if isinstance(term, ir.Inst) and term.op in ("shl", "lshr")]
        turned: list[Node] = []
        for one, other in combinations(shifts, 2):
            node = self.funnel_by(rest[one], rest[other]) if one in rest and other in rest else None
            if node is not None:
                turned.append(node)
                del rest[one], rest[other]
        if not turned:
            return None
        return reduce(partial(self.build.binary, "add", "i32"), [*turned, *map(self.one, rest.values())])

    def funnel_of(self, left: bool, bits: int, a: Node, b: Node, c: Node) -> list[Node]:
        """The upper or lower of two numbers of at most 64 bits, shifted together."""
        build = self.build
        if bits == 32 and self.has("shfl.i32"):
            return [build.pure("shfl.i32" if left else "shfr.i32", "i32", a, b, c)]
        kind = a.type
        if kind == "p":
            return [a if left else b]
        if bits == 64 and c.is_const and self.has("shfl.i32"):
            words = [build.high(a), build.trunc(a), build.high(b), build.trunc(b)]
            amount = c.data % 64 if left else -c.data % 64
            if not left and not amount:
                return [b]
            high, middle, low = words[1:] if amount >= 32 else words[:3]
            by = build.const("i32", amount % 32)
            halves = (middle, low), (high, middle)
            return [build.pack(*[build.pure("shfl.i32", "i32", x, y, by) if by.data else x for x, y in halves])]
        if bits == WIDTH[kind]:  # an amount of all bits leaves nothing, here
            amount = build.binary("and", "i32", build.trunc(c), build.const("i32", bits - 1))
            other = build.binary("sub", "i32", build.const("i32", bits), amount)
            shifts = (amount, other) if left else (other, amount)
            high, low = build.binary("shl", kind, a, shifts[0]), build.binary("lshr", kind, b, shifts[1])
            return [build.binary("or", kind, high, low)]
        if bits & (bits - 1) == 0:
            amount = build.binary("and", "i32", build.trunc(c), build.const("i32", bits - 1))
        else:
            amount = build.trunc(build.binary("urem", c.type, build.zext(c, bits, c.type), build.const(c.type, bits)))
        back = build.binary("sub", "i32", build.const("i32", bits - 1), amount)
        one = build.const("i32", 1)
        if left:
            low = build.binary("lshr", kind, build.binary("lshr", kind, build.zext(b, bits, kind), one), back)
            high = build.binary("shl", kind, a, amount)
        else:
            low = build.binary("lshr", kind, build.zext(b, bits, kind), amount)
            high = build.binary("shl", kind, build.binary("shl", kind, a, one), back)
        return [build.binary("or", kind, high, low)]

    def funnel_wide(self, left: bool, bits: int, a: list[Node], b: list[Node], c: list[Node]) -> list[Node]:
        both = 2 * bits
        joined = [*b, *a]
        if bits % 64:
            high = self.operate("shl", both, self.extend("zext", a, bits, both), self.number(both, bits))
            joined = self.operate("or", both, high, self.extend("zext", b, bits, both))
        amount = self.remainder_of_parts(c, bits)
        if not left:
            return self.wide_shift("lshr", both, joined, amount)[: len(a)]
        shifted = self.wide_shift("shl", both, joined, amount)
        if bits % 64 == 0:
            return shifted[len(a) :]
        return self.operate("lshr", both, shifted, self.number(both, bits))[: len(a)]

    def remainder_of_parts(self, parts: list[Node], bits: int) -> Node:
        """A number of `bits` bits modulo `bits`: what the limbs leave, the higher ones times 2**64 modulo `bits`."""
        build = self.build
        by = build.const("i64", bits)
        parts = [*parts[:-1], build.zext(parts[-1], bits - 64 * (len(parts) - 1), "i64")]
        left = build.const("i64", 0)
        for part in reversed(parts):
            left = build.binary("mul", "i64", left, build.const("i64", 2**64 % bits))
            left = build.binary("add", "i64", left, self.operate("urem", 64, [part], [by])[0])
        return build.trunc(self.operate("urem", 64, [left], [by])[0])

    def overflow(self, inst: ir.Inst, op: str, signed_: bool) -> list[Node]:
        """{result, overflowed}"""
        build = self.build
        bits = inst.args[0].type.bits
        full = 64 if bits > 32 else 32
        if bits > full or (op == "mul" and full // 2 < bits < full):
            return self.overflow_wider(inst, op, signed_)
        bits, (x, y) = self.int_args(inst, signed_)
        kind = x.type
        result = build.binary(op, kind, x, y)
        if bits < full:
            clean = (build.sext if signed_ else build.zext)(result, bits, kind)
            return [self.narrow(result, bits), build.icmp("ne", clean, result)]
        if op == "mul":
            high = build.binary("mulhis" if signed_ else "mulhiu", kind, x, y)
            want = build.binary("ashr", kind, result, build.const("i32", full - 1)) if signed_ else build.const(kind, 0)
            return [result, build.icmp("ne", high, want)]
        if not signed_:
            if op == "sub":
                return [result, build.icmp("ult", x, y)]
            if y.is_const and y.data == 1:
                return [result, build.icmp("eq", result, build.const(kind, 0))]
            # The sum is less than either; compared with a constant, the other one need not live on.
            return [result, build.icmp("ult", result, y if y.is_const else x)]
        first = build.binary("xor", kind, x, result)
        second = build.binary("xor", kind, y, result) if op == "add" else build.binary("xor", kind, x, y)
        return [result, build.icmp("slt", build.binary("and", kind, first, second), build.const(kind, 0))]

    def overflow_wider(self, inst: ir.Inst, op: str, signed_: bool) -> list[Node]:
        """Whether a result that is as wide as it can get is the same after its upper bits are gone."""
        bits = inst.args[0].type.bits
        wider, how = 2 * bits if op == "mul" else bits + 1, "sext" if signed_ else "zext"
        whole = self.operate(op, wider, *(self.extend(how, self.parts(arg), bits, wider) for arg in inst.args))
        result = self.extend("zext", whole, wider, bits)
        return [*result, self.compare_parts("ne", wider, self.extend(how, result, bits, wider), whole)]

    def saturating(self, inst: ir.Inst, op: str, signed_: bool) -> list[Node]:
        build = self.build
        bits = inst.args[0].type.bits
        if bits > 64:
            how, wider = "sext" if signed_ else "zext", bits + 2
            x2, y2 = (self.extend(how, self.parts(arg), bits, wider) for arg in inst.args)
            return self.clamped(self.operate(op, wider, x2, y2), wider, bits, signed_)
        bits, (x, y) = self.int_args(inst, signed_)
        kind = x.type
        full = WIDTH[kind]
        if signed_ and bits == 32:
            return [build.pure(f"s{op}sat.i32", "i32", x, y)]
        if not signed_ and op == "sub":
            top = build.binary("umax", kind, x, y)
            return [self.narrow(build.binary("sub", kind, top, y), bits)]
        result = build.binary(op, kind, x, y)
        if bits < full:
            if not signed_:
                return [self.narrow(build.binary("umin", kind, result, build.const(kind, (1 << bits) - 1)), bits)]
            low = build.binary("smin", kind, result, build.const(kind, (1 << (bits - 1)) - 1))
            return [self.narrow(build.binary("smax", kind, low, build.const(kind, -(1 << (bits - 1)))), bits)]
        if not signed_:
            return [build.select(kind, build.icmp("ult", result, x), build.const(kind, -1), result)]
        first = build.binary("xor", kind, x, result)
        second = build.binary("xor", kind, y, result) if op == "add" else build.binary("xor", kind, x, y)
        flag = build.icmp("slt", build.binary("and", kind, first, second), build.const(kind, 0))
        limit = build.binary("xor", kind, build.binary("ashr", kind, x, build.const("i32", full - 1)),
                             build.const(kind, (1 << (full - 1)) - 1))  # fmt: skip
        return [build.select(kind, flag, limit, result)]

    def saturating_shift(self, inst: ir.Inst, signed_: bool) -> list[Node]:
        """sshl.sat and ushl.sat: what does not shift back gives the limit."""
        bits = inst.type.bits
        x, by = (self.parts(arg) for arg in inst.args)
        shifted = self.operate("shl", bits, x, by)
        back = self.operate("ashr" if signed_ else "lshr", bits, shifted, by)
        low, high = (self.number(bits, value) for value in self.limits(bits, signed_))
        if signed_:
            high = self.choose(self.compare_parts("slt", bits, x, self.number(bits, 0)), low, high)
        return self.choose(self.compare_parts("eq", bits, back, x), shifted, high)

    def fixed_point(self, inst: ir.Inst, op: str, signed_: bool, saturates: bool) -> list[Node]:
        """[su]mul.fix, [su]div.fix and their saturating forms; what the scale has no room for is rounded down."""
        bits, scale = inst.type.bits, self.one(inst.args[2]).data
        wider, how = (2 * bits if op == "mul" else bits + scale) + 2, "sext" if signed_ else "zext"
        if op == "div" and wider > 64:
            self.unsupported(f"{op}.fix of i{bits} by 2**{scale}")
        x, y = (self.extend(how, self.parts(arg), bits, wider) for arg in inst.args[:2])
        by = self.number(wider, scale)
        if op == "mul":
            whole = self.operate("ashr", wider, self.operate("mul", wider, x, y), by)
        else:
            above = self.operate("shl", wider, x, by)
            whole = self.operate("sdiv", wider, above, y)
            inexact = self.compare_parts("ne", wider, self.operate("mul", wider, whole, y), above)
            unlike = self.compare_parts("slt", wider, self.operate("xor", wider, above, y), self.number(wider, 0))
            less = self.build.binary("and", "p", inexact, unlike)
            whole = self.operate("sub", wider, whole, self.choose(less, self.number(wider, 1), self.number(wider, 0)))
        return self.clamped(whole, wider, bits, signed_) if saturates else self.extend("zext", whole, wider, bits)

    def three_way(self, inst: ir.Inst, signed_: bool) -> list[Node]:
        """scmp / ucmp: -1, 0, 1."""
        bits = inst.args[0].type.bits
        a, b = self.parts(inst.args[0]), self.parts(inst.args[1])
        s = "s" if signed_ else "u"
        less, more = (self.compare_parts(s + pred, bits, a, b) for pred in ("lt", "gt"))
        result = inst.type.bits
        return self.choose(less, self.number(result, -1), self.extend("zext", [more], 1, result))

    def reduce(self, inst: ir.Inst, op: str) -> list[Node]:
        vector = inst.args[-1]
        element = vector.type.element
        parts = self.parts(vector)
        step = len(parts) // vector.type.count
        result = parts[:step]
        for i in range(1, vector.type.count):
            after = parts[i * step : i * step + step]
            if op in ("smin", "smax", "umin", "umax"):
                pred = op[0] + ("lt" if op.endswith("min") else "gt")
                result = self.choose(self.compare_parts(pred, element.bits, result, after), result, after)
            else:
                result = self.integer_binary(op, element, result, after)
        return result
