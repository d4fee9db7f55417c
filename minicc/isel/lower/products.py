"""Products of integers and what is made of them: the forms that the machine has one instruction for."""

from __future__ import annotations

from minicc.isel.dag import Node
from minicc.isel.lower.base import Base
from minicc.nvvm import ir


class Products(Base):
    """Mixin of `Lowering`. Each method answers None where the instruction is something else."""

    def constant_last(self, inst: ir.Inst) -> Node | None:
        """(x * k + c) + y as (x * k + y) + c, likewise of a difference: with two constants in one `mad`, ptxas would
        move one of them to a register. Only if nothing else uses that sum."""
        for value, other, first in (inst.args[0], inst.args[1], True), (inst.args[1], inst.args[0], False):
            if not isinstance(value, ir.Inst) or value.op != "add" or isinstance(other, ir.ConstInt):
                continue
            product, constant = value.args
            if not (isinstance(product, ir.Inst) and product.op == "mul" and isinstance(constant, ir.ConstInt)):
                continue
            if not isinstance(product.args[1], ir.ConstInt) or self.use_counts[value] + self.use_counts[product] > 2:
                continue
            if value.parent is not inst.parent or product.parent is not inst.parent or not 1 < inst.type.bits <= 64:
                continue
            op = inst.op
            terms = (self.one(product), self.one(other))
            whole = self.build.binary(op, terms[0].type, *(terms if first else terms[::-1]))
            return self.build.binary("add" if first else op, whole.type, whole, self.one(constant))
        return None

    def product_of_sum(self, inst: ir.Inst) -> Node | None:
        """x * (y + 1) as x * y + x, one `mad`, if nothing else asks for the sum."""
        for x, value in (inst.args, inst.args[::-1]):
            if inst.type != ir.int_type(32) or not isinstance(value, ir.Inst) or value.op != "add" or x is value:
                continue
            y, one = value.args
            if self.use_counts[value] == 1 and isinstance(one, ir.ConstInt) and one.value == 1:
                factor = self.one(x)
                return self.build.binary("add", "i32", self.build.binary("mul", "i32", factor, self.one(y)), factor)
        return None

    def mixed_product(self, inst: ir.Inst) -> Node | None:
        """A product of two words, one extended with its sign, the other with zeros, as it is not negative: of two with
        signs, which is one instruction."""
        if inst.type != ir.int_type(64):
            return None
        for one, other in (inst.args, inst.args[::-1]):
            x, y = self.one(one), self.one(other)
            if x.op != "sext.i64.i32" or y.op != "zext.i64.i32":
                continue
            if y.zb < 32 or (isinstance(other, ir.Inst) and other.op == "zext" and "nneg" in other.flags):
                return self._signed_product(x, y)
        return None

    def _signed_product(self, x: Node, y: Node) -> Node:
        """The product of words that are not negative where they are extended with zeros."""
        if {x.op, y.op} == {"sext.i64.i32", "zext.i64.i32"}:
            x, y = (self.build.pure("sext.i64.i32", "i64", one.args[0]) for one in (x, y))
        return self.build.binary("mul", "i64", x, y)

    def wide_product(self, inst: ir.Inst) -> Node | None:
        """The extension of a product of words that does not overflow, and that nothing else asks for, as the product of
        the extended words: one instruction makes both, and a sum with it. Where that is multiplied once more, the
        factors must be one again."""
        product = inst.args[0]
        if not isinstance(product, ir.Inst) or product.op not in ("mul", "shl") or self.use_counts[product] > 1:
            return None
        if inst.type != ir.int_type(64) or product.type != ir.int_type(32) or product.parent is not inst.parent:
            return None
        signed = inst.op == "sext" or "nuw" not in product.flags
        if signed and not ("nsw" in product.flags and (inst.op == "sext" or "nneg" in inst.flags)):
            return None
        x, y = product.args
        by_constant = isinstance(y, ir.ConstInt)
        if product.op == "shl" and not by_constant:
            return None
        alone = by_constant and [user.op for user in self.users.get(inst, [])] == ["getelementptr"]
        if self._scaled(inst) and not alone:
            return None
        extend = self.build.sext if signed else self.build.zext
        first = extend(self.one(x), 32, "i64")
        if product.op == "shl":
            return self.build.binary("shl", "i64", first, self.one(y))
        last = extend(self.one(y), 32, "i64")
        return self._signed_product(first, last) if signed else self.build.binary("mul", "i64", first, last)

    def wide_negative(self, inst: ir.Inst) -> Node | None:
        """The extension of -x, which does not overflow and only addresses ask for, as the negative of the extension:
        addresses multiply it by the size of what they point to, negative or not."""
        negative = inst.args[0]
        if not isinstance(negative, ir.Inst) or negative.op != "sub" or "nsw" not in negative.flags:
            return None
        zero, value = negative.args
        if not (isinstance(zero, ir.ConstInt) and zero.value == 0) or inst.op != "sext" or inst.type.bits != 64:
            return None
        if any(user.op != "getelementptr" for user in self.users.get(inst, ())) or negative.type.bits != 32:
            return None
        return self.build.binary("sub", "i64", self.build.const("i64", 0), self.build.sext(self.one(value), 32, "i64"))

    def _scaled(self, value: ir.Value, depth: int = 4) -> bool:
        """Whether a number, or a sum with it, is multiplied: by the size of what an address points to, or otherwise."""
        for user in self.users.get(value, ()):
            if user.op == "getelementptr":
                if len(user.args) > 2 or user.source is None or self.layout.size(user.source) > 1:
                    return True
            elif user.op in ("mul", "shl", "trunc") or (
                user.op in ("add", "sub") and (not depth or self._scaled(user, depth - 1))
            ):
                return True
        return False
