"""Integer division by a constant: multiplications and shifts instead (Granlund and Montgomery; Hacker's Delight 10)."""

from __future__ import annotations

from minicc.isel.dag import WIDTH, Node
from minicc.isel.lower.base import Base
from minicc.numbers import signed
from minicc.nvvm import ir


class Divide(Base):
    """Mixin of `Lowering`. Operands fill their register; the divisor is neither 0 nor, unsigned, a power of two."""

    use_counts: dict[ir.Value, int]

    def divide_constant(self, op: str, a: Node, divisor: int) -> Node:
        """udiv, urem, sdiv or srem of a value by a constant, as `divisor` bits of the value's type."""
        build, kind = self.build, a.type
        if op in ("udiv", "urem"):
            quotient = self.unsigned_quotient(a, divisor)
        else:
            number = signed(divisor, WIDTH[kind])
            if op == "srem" and number & (number - 1) == 0 and a.zb == WIDTH[kind] and number != 1:
                # (where the quotient is asked for, too, LLVM has made a product and a difference of the remainder)
                whole = build.binary("and", kind, self.biased(a, number), build.const(kind, -number))
                return build.binary("sub", kind, a, whole)
            quotient = self.signed_quotient(a, abs(number))
            if number < 0 and op == "sdiv":
                quotient = build.binary("sub", kind, build.const(kind, 0), quotient)
            divisor = abs(number)
        if op in ("udiv", "sdiv"):
            return quotient
        rest = build.binary("add", kind, build.binary("mul", kind, quotient, build.const(kind, -divisor)), a)
        if op == "urem":
            rest.zb = min(rest.zb, divisor.bit_length())
        return rest

    def remainder_is(self, rest: ir.Value, number: int) -> Node | None:
        """Whether a remainder by a constant that nothing else uses is `number`; of signed ones, only 0 is asked for."""
        if not isinstance(rest, ir.Inst) or rest.op not in ("urem", "srem") or self.use_counts.get(rest) != 1:
            return None
        value, divisor = rest.args
        bits = self.layout.bits(rest.type)
        if not isinstance(divisor, ir.ConstInt) or divisor.value == 0 or bits < 32 or self.options.opt_level == 0:
            return None
        if number and (rest.op == "srem" or number >= divisor.value & (1 << bits) - 1):
            return None
        a = self.one(value)
        return self.divisible(rest.op, a, divisor.value, number) if bits == WIDTH[a.type] and not a.is_const else None

    def divisible(self, op: str, a: Node, divisor: int, rest: int) -> Node | None:
        """Whether the remainder of a division by a constant is `rest`, without the division: modulo 2**width, the
        inverse of the divisor's odd part takes exactly the multiples to small numbers (Hacker's Delight 10-17). What is
        below `rest` wraps to multiples that are too large. None where a mask of bits says it."""
        build, kind = self.build, a.type
        width = WIDTH[kind]
        number = divisor if op == "urem" else abs(signed(divisor, width))
        even = (number & -number).bit_length() - 1
        odd = number >> even
        if odd == 1:
            return None
        inverse = pow(odd, -1, 1 << width)
        product = build.binary("mul", kind, a, build.const(kind, inverse))
        if op == "urem":
            product = build.binary("add", kind, product, build.const(kind, -rest * inverse))
            limit = ((1 << width) - 1 - rest) // number
        else:
            most = ((1 << (width - 1)) - 1) // odd & -(1 << even)
            product = build.binary("add", kind, product, build.const(kind, most))
            limit = 2 * most >> even
        if even:
            low = build.binary("lshr", kind, product, build.const("i32", even))
            high = build.binary("shl", kind, product, build.const("i32", width - even))
            product = build.binary("or", kind, high, low)
        return build.icmp("ule", product, build.const(kind, limit))

    def unsigned_quotient(self, a: Node, divisor: int) -> Node:
        """floor(a / divisor): the high half of a product with 2**(width + shift) / divisor, rounded up. The rounding
        does not show while its excess, times the largest dividend, stays below one part."""
        build, kind = self.build, a.type
        width = WIDTH[kind]
        for shift in range(divisor.bit_length()):
            factor = -(-(1 << (width + shift)) // divisor)
            excess = factor * divisor - (1 << (width + shift))
            if factor >> width == 0 and excess << a.zb <= 1 << (width + shift):
                high = build.binary("mulhiu", kind, a, build.const(kind, factor))
                return self.bounded(build.binary("lshr", kind, high, build.const("i32", shift)), a, divisor)
        even = (divisor & -divisor).bit_length() - 1
        if even:
            half = build.binary("lshr", kind, a, build.const("i32", even))
            return self.unsigned_quotient(half, divisor >> even)
        # The factor needs one bit more than there is: (a + high) / 2 without overflow.
        shift = (divisor - 1).bit_length()
        factor = ((1 << width) * ((1 << shift) - divisor)) // divisor + 1
        high = build.binary("mulhiu", kind, a, build.const(kind, factor))
        rest = build.binary("lshr", kind, build.binary("sub", kind, a, high), build.const("i32", 1))
        total = build.binary("add", kind, rest, high)
        return self.bounded(build.binary("lshr", kind, total, build.const("i32", shift - 1)), a, divisor)

    @staticmethod
    def bounded(node: Node, a: Node, divisor: int) -> Node:
        node.zb = min(node.zb, max(((1 << a.zb) // divisor).bit_length(), 1))
        node.sb = min(node.sb, node.zb + 1)
        return node

    def signed_quotient(self, a: Node, divisor: int) -> Node:
        """a / divisor, to zero, for a positive divisor (2**(width - 1) stands for the most negative number's size)."""
        build, kind = self.build, a.type
        width = WIDTH[kind]
        if divisor == 1:
            return a
        if a.zb < width:
            if divisor & (divisor - 1) == 0:
                return build.binary("lshr", kind, a, build.const("i32", divisor.bit_length() - 1))
            return self.unsigned_quotient(a, divisor)
        top = build.const("i32", width - 1)
        if divisor & (divisor - 1) == 0:
            return build.binary("ashr", kind, self.biased(a, divisor), build.const("i32", divisor.bit_length() - 1))
        shift = 1
        while True:
            # Smallest shift whose factor, rounded up, is exact enough for all dividends.
            factor = (1 << (width - 1 + shift)) // divisor + 1
            if factor * divisor - (1 << (width - 1 + shift)) <= 1 << shift:
                break
            shift += 1
        shift -= 1  # the high half has shifted by one more than the width less one
        high = build.binary("mulhis", kind, a, build.const(kind, factor))
        if factor >> (width - 1):
            high = build.binary("add", kind, high, a)
        sign = build.binary("lshr", kind, high, top)  # the dividend's, too; the machine adds this one for nothing
        if shift > 0:
            high = build.binary("ashr", kind, high, build.const("i32", shift))
        return build.binary("add", kind, high, sign)

    def biased(self, a: Node, divisor: int) -> Node:
        """a, plus divisor - 1 where it is negative: shifted or masked, it rounds to zero."""
        build, kind = self.build, a.type
        width = WIDTH[kind]
        bits = divisor.bit_length() - 1
        sign = a if bits == 1 else build.binary("ashr", kind, a, build.const("i32", width - 1))
        return build.binary("add", kind, a, build.binary("lshr", kind, sign, build.const("i32", width - bits)))
