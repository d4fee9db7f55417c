"""Integers wider than 64 bits, as lists of i64 limbs, least significant first. Division is LLVM's (it expands it),
but for powers of two."""

from __future__ import annotations

from minicc.isel.dag import WIDTH, Node
from minicc.isel.lower.integers import Integers
from minicc.numbers import signed


class Wide(Integers):
    """Mixin of `Lowering`. The bits above the type's width in the top limb are unspecified."""

    def wide_binary(self, op: str, bits: int, a: list[Node], b: list[Node]) -> list[Node]:
        build = self.build
        match op:
            case "and" | "or" | "xor":
                return [build.binary(op, "i64", x, y) for x, y in zip(a, b, strict=True)]
            case "add" | "sub":
                return self.wide_add(op, a, b)
            case "mul":
                return self.wide_multiply(a, b)
            case "shl" | "lshr" | "ashr":
                return self.wide_shift(op, bits, a, b[0])
        if all(node.is_const for node in b):
            divisor = sum(node.data << 64 * i for i, node in enumerate(b)) & (1 << bits) - 1
            number = signed(divisor, bits) if op[0] == "s" else divisor
            if number and abs(number) & (abs(number) - 1) == 0:
                return self.wide_by_power(op, bits, a, abs(number).bit_length() - 1, number < 0)
        self.unsupported(f"'{op}' of i{bits}")

    def wide_by_power(self, op: str, bits: int, a: list[Node], power: int, negative: bool) -> list[Node]:
        """A quotient by 2**power or its negative, or the remainder, which LLVM leaves to selection."""

        def shifted(how: str, parts: list[Node], by: int) -> list[Node]:
            return self.wide_shift(how, bits, parts, self.build.const("i64", by)) if by else parts

        rounded = a
        if op[0] == "s" and power:  # a negative number is rounded up
            rounded = self.wide_add("add", a, shifted("lshr", shifted("ashr", a, bits - 1), bits - power))
        quotient = shifted("ashr" if op[0] == "s" else "lshr", rounded, power)
        if op.endswith("rem"):
            return self.wide_add("sub", a, shifted("shl", quotient, power))
        return self.wide_add("sub", self.number(bits, 0), quotient) if negative else quotient

    def wide_add(self, op: str, a: list[Node], b: list[Node]) -> list[Node]:
        """A chain of carries; beyond four words, carries by comparison: sum < addend, difference > minuend."""
        build = self.build
        chain = f"{op}w.x{len(a)}"
        if self.has(chain) and not any(node.is_const and node.data == 0 for node in (a[0], b[0])):
            node = build.raw(chain, "", (*a, *b))
            return [build.raw("res.i64", "i64", (node,), i) for i in range(len(a))]
        out: list[Node] = []
        carry: Node | None = None
        for x, y in zip(a, b, strict=True):
            total = build.binary(op, "i64", x, y)
            overflow = build.icmp("ult", total, x) if op == "add" else build.icmp("ult", x, y)
            if carry is not None:
                one = build.zext(carry, 1, "i64")
                after = build.binary(op, "i64", total, one)
                more = build.icmp("ult", after, total) if op == "add" else build.icmp("ult", total, one)
                overflow = build.binary("or", "p", overflow, more)
                total = after
            out.append(total)
            carry = overflow
        return out

    def wide_multiply(self, a: list[Node], b: list[Node]) -> list[Node]:
        build = self.build
        if len(a) == 2 and _is_extended(a) and _is_extended(b):
            return [build.binary(head, "i64", a[0], b[0]) for head in ("mul", "mulhis")]
        if len(a) == 2:
            high = build.binary("mulhiu", "i64", a[0], b[0])
            for x, y in ((a[0], b[1]), (a[1], b[0])):
                high = build.binary("add", "i64", build.binary("mul", "i64", x, y), high)
            return [build.binary("mul", "i64", a[0], b[0]), high]
        out = [build.const("i64", 0)] * len(a)
        for i, x in enumerate(a):
            row = [build.const("i64", 0)] * len(a)
            for j, y in enumerate(b):
                if i + j < len(a):
                    row[i + j] = build.binary("mul", "i64", x, y)
            out = self.wide_add("add", out, row)
            row = [build.const("i64", 0)] * len(a)
            for j, y in enumerate(b):
                if i + j + 1 < len(a):
                    row[i + j + 1] = build.binary("mulhiu", "i64", x, y)
            out = self.wide_add("add", out, row)
        return out

    def wide_shift(self, op: str, bits: int, a: list[Node], amount: Node) -> list[Node]:
        build = self.build
        count = len(a)
        top = bits - 64 * (count - 1)
        a = list(a)
        if op == "lshr":
            a[-1] = build.zext(a[-1], top, "i64")
        elif op == "ashr":
            a[-1] = build.sext(a[-1], top, "i64")
        zero = build.const("i64", 0)
        fill = build.binary("ashr", "i64", a[-1], build.const("i32", 63)) if op == "ashr" else zero
        if amount.is_const:
            return self.wide_shift_constant(op, a, amount.data, fill)
        low = build.trunc(amount)
        # A barrel shifter: whole limbs by selects, then the rest within limbs.
        step = 6
        result = a
        while (1 << step) < 64 * count:
            flag = build.icmp(
                "ne", build.binary("and", "i32", low, build.const("i32", 1 << step)), build.const("i32", 0)
            )
            moved = self.wide_shift_constant(op, result, 1 << step, fill)
            result = [build.select("i64", flag, x, y) for x, y in zip(moved, result, strict=True)]
            step += 1
        inner = build.binary("and", "i32", low, build.const("i32", 63))
        back = build.binary("sub", "i32", build.const("i32", 63), inner)
        out = []
        one = build.const("i32", 1)
        for i in range(count):
            if op == "shl":
                part = build.binary("shl", "i64", result[i], inner)
                if i:
                    spill = build.binary("lshr", "i64", build.binary("lshr", "i64", result[i - 1], one), back)
                    part = build.binary("or", "i64", part, spill)
            else:
                last = i == count - 1
                part = build.binary("ashr" if last and op == "ashr" else "lshr", "i64", result[i], inner)
                if not last:
                    spill = build.binary("shl", "i64", build.binary("shl", "i64", result[i + 1], one), back)
                    part = build.binary("or", "i64", part, spill)
            out.append(part)
        return out

    def wide_shift_constant(self, op: str, a: list[Node], amount: int, fill: Node) -> list[Node]:
        build = self.build
        count = len(a)
        limbs, inner = divmod(amount, 64)
        zero = build.const("i64", 0)

        def limb(i: int) -> Node:
            if 0 <= i < count:
                return a[i]
            return zero if op == "shl" else fill

        out = []
        for i in range(count):
            if op == "shl":
                here, other = limb(i - limbs), limb(i - limbs - 1)
            else:
                here, other = limb(i + limbs), limb(i + limbs + 1)
            if inner == 0:
                out.append(here)
                continue
            there = build.const("i32", 64 - inner)
            by = build.const("i32", inner)
            if op == "shl":
                part = build.binary(
                    "or", "i64", build.binary("shl", "i64", here, by), build.binary("lshr", "i64", other, there)
                )
            else:
                part = build.binary(
                    "or", "i64", build.binary("lshr", "i64", here, by), build.binary("shl", "i64", other, there)
                )
            out.append(part)
        return out

    def wide_compare(self, pred: str, bits: int, a: list[Node], b: list[Node]) -> Node:
        build = self.build
        top = bits - 64 * (len(a) - 1)
        extend = build.sext if pred[0] == "s" else build.zext
        a = [*a[:-1], extend(a[-1], top, "i64")]
        b = [*b[:-1], extend(b[-1], top, "i64")]
        if pred in ("eq", "ne"):
            difference = build.binary("xor", "i64", a[0], b[0])
            for x, y in zip(a[1:], b[1:], strict=True):
                difference = build.binary("or", "i64", difference, build.binary("xor", "i64", x, y))
            return build.icmp(pred, difference, build.const("i64", 0))
        strict = pred[:-1] + "t"
        low = build.icmp("u" + pred[1:], a[0], b[0])
        for position, (x, y) in enumerate(zip(a[1:], b[1:], strict=True)):
            last = position == len(a) - 2
            less = build.icmp(strict if last else "u" + strict[1:], x, y)
            low = build.binary("or", "p", less, build.binary("and", "p", build.icmp("eq", x, y), low))
        return low

    # --- and floating numbers -------------------------------------------------------------------------------------

    def wide_to_float(self, signed_: bool, bits: int, parts: list[Node], kind: str) -> Node:
        """The uppermost bits, and a one below them if any bit follows; then one rounding, and a power of two."""
        build = self.build
        count = len(parts)
        full, zero = 64 * count, build.const("i64", 0)
        parts = self.extend("sext" if signed_ else "zext", parts, bits, full) if bits < full else parts
        negative = build.icmp("slt", parts[-1], zero) if signed_ else build.const("p", 0)
        if signed_:
            opposite = self.wide_add("sub", [zero] * count, parts)
            parts = self.choose(negative, opposite, parts)
        wide = "f64" if kind == "f64" else "f32"
        if kind == "f16":  # half has no number above 2**16
            most = build.const("i64", 1 << 17)
            above = self.any_of(parts[1:])
            word = build.select("i64", build.icmp("ne", above, zero), most, build.binary("umin", "i64", parts[0], most))
            result = build.pure("uitofp.f16.i64", "f16", word)
        else:
            places = self.count_wide("ctlz", full, list(parts))[0]
            parts = self.wide_shift("shl", full, parts, build.trunc(places))
            kept = 24 if kind == "bf16" else 64  # what single precision holds exactly is rounded once, after that
            lost = list(parts[:-1])
            if kept < 64:
                lost.append(build.binary("shl", "i64", parts[-1], build.const("i32", kept)))
            top = build.binary("lshr", "i64", parts[-1], build.const("i32", 64 - kept))
            some = build.icmp("ne", self.any_of(lost), zero)
            top = build.binary("or", "i64", top, build.zext(some, 1, "i64"))
            exponent = build.binary("sub", "i32", build.const("i32", full - kept), build.trunc(places))
            result = build.pure(
                f"fmul.{wide}", wide, build.pure(f"uitofp.{wide}.i64", wide, top), self.power(wide, exponent)
            )
        if signed_:
            opposite_sign = self.half("fneg", result) if kind == "f16" else build.pure(f"fneg.{wide}", wide, result)
            result = build.select(result.type, negative, opposite_sign, result)
        return self.float_to(result, kind)

    def any_of(self, words: list[Node]) -> Node:
        result = words[0]
        for word in words[1:]:
            result = self.build.binary("or", "i64", result, word)
        return result

    def power(self, kind: str, exponent: Node) -> Node:
        """2 ** exponent (or the largest power there is) from an exponent that is that of a normal number."""
        build = self.build
        bias, mantissa = (127, 23) if kind == "f32" else (1023, 52)
        exponent = build.binary("smin", "i32", exponent, build.const("i32", bias))
        exponent = build.binary("add", "i32", exponent, build.const("i32", bias))
        if kind == "f32":
            return build.bitcast(build.binary("shl", "i32", exponent, build.const("i32", mantissa)), kind)
        high = build.binary("shl", "i32", exponent, build.const("i32", mantissa - 32))
        return build.bitcast(build.pack(build.const("i32", 0), high), kind)

    def float_to_wide(self, signed_: bool, bits: int, a: Node) -> list[Node]:
        """Word by word from the uppermost: what a word takes is subtracted exactly."""
        build = self.build
        kind = a.type
        count = -(-bits // 64)
        rest = build.pure(f"fabs.{kind}", kind, a) if signed_ else a
        words = [build.const("i64", 0)] * count
        for i in range(min(count - 1, 1 if kind == "f32" else 15), -1, -1):
            down, up = (power_bits(kind, sign * 64 * i) for sign in (-1, 1))
            whole = build.pure(f"ftrunc.{kind}", kind, build.pure(f"fmul.{kind}", kind, rest, build.const(kind, down)))
            words[i] = build.pure(f"fptoui.i64.{kind}", "i64", whole)
            minus = build.pure(f"fneg.{kind}", kind, whole)
            rest = build.pure(f"fma.{kind}", kind, minus, build.const(kind, up), rest)
        if not signed_:
            return words
        negative = build.pure(f"fcmp.olt.{kind}", "p", a, build.const(kind, 0))
        opposite = self.wide_add("sub", [build.const("i64", 0)] * count, words)
        return self.choose(negative, opposite, words)


def power_bits(kind: str, exponent: int, negative: bool = False) -> int:
    """The bits of 2 ** exponent; of infinity beyond what the type holds."""
    bias, mantissa = (127, 23) if kind == "f32" else (1023, 52)
    return min(exponent + bias, 2 * bias + 1) << mantissa | negative << WIDTH[kind] - 1


def _is_extended(limbs: list[Node]) -> bool:
    """Whether the upper of two limbs is the sign of the lower one."""
    low, high = limbs
    if low.is_const:
        return high.is_const and high.data == (low.data >> 63) * ((1 << 64) - 1)
    return high.op == "ashr.i64" and high.args[0] is low and high.args[1].is_const and high.args[1].data == 63
