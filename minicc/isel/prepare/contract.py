"""Sums of products become multiply-adds; a product that several additions use is made again in each of them.

A product that two to four additions of its block use, and nothing else, becomes as many multiply-adds and goes away:
one instruction less, and the same roundings as in nvcc's code. It decides so, from the last addition to the first,
where an addition that has become a multiply-add no longer counts as one (found from its PTX). Products of one use are
joined here as the patterns would join them, only sooner; saturated sums and differences are left to those.
"""

from __future__ import annotations

from minicc.isel.dag import Node
from minicc.isel.lower.base import Base
from minicc.nvvm import ir

MOST = 4
"""Additions beyond which the factors would be kept in registers for too long."""


def repeated_products(users: dict[ir.Value, list[ir.Inst]]) -> dict[ir.Inst, int]:
    """Addition -> which of its operands is a product that it makes for itself."""
    products: dict[ir.Value, list[ir.Value]] = {
        value: list(found) for value, found in users.items() if _fuses(value, "fmul")
    }
    if not any(1 < len(found) <= MOST for found in products.values()):
        return {}
    chosen: dict[ir.Inst, int] = {}
    additions = {user: None for value in products for user in users[value] if _fuses(user, "fadd")}
    places = {inst: at for block in {i.parent: None for i in additions} if block for at, inst in enumerate(block.insts)}
    for inst in sorted(additions, key=places.__getitem__, reverse=True):
        for position, value in enumerate(inst.args):
            assert isinstance(value, ir.Value)
            left = products.get(value)
            if left is None or not _contracted(value, left):
                continue
            if len(left) > 1:
                chosen[inst] = position
            for operand in inst.args:  # the addition is none any more; of the product's uses this one is gone
                rest = products.get(operand)
                if rest is not None:
                    rest.remove(inst)
                    if operand is not value or inst.args[0] is inst.args[1]:
                        rest.append(value)  # a user that is no addition
            break
    return chosen


def _fuses(value: ir.Value, op: str) -> bool:
    return (
        isinstance(value, ir.Inst)
        and value.op == op
        and value.type.kind in ("float", "double")
        and not value.flags.isdisjoint(("contract", "fast"))
    )


def _contracted(product: ir.Value, users: list[ir.Value]) -> bool:
    """Whether all its users are additions in its own block."""
    if len(users) > MOST or not isinstance(product, ir.Inst):
        return False
    return all(isinstance(u, ir.Inst) and _fuses(u, "fadd") and u.parent is product.parent for u in users)


def sums(users: dict[ir.Value, list[ir.Inst]]) -> tuple[dict[ir.Inst, int], set[ir.Value]]:
    """(addition -> which of its operands is a product that it makes, products that are made nowhere else)."""
    chosen = repeated_products(users)
    absorbed: set[ir.Value] = set()
    for product, found in users.items():
        if len(found) != 1 or not _fuses(product, "fmul"):
            continue
        user = found[0]
        assert isinstance(product, ir.Inst)
        if user.parent is not product.parent or user in chosen or not _fuses(user, "fadd"):
            continue
        above = users.get(user, ())
        if len(above) == 1 and above[0].op == "call":
            continue  # it may saturate
        chosen[user] = 0 if user.args[0] is product else 1
        absorbed.add(product)
    return chosen, absorbed


class Contract(Base):
    """Mixin of `Lowering`."""

    sums: dict[ir.Inst, int]

    def contracted(self, inst: ir.Inst) -> Node | None:
        """The multiply-add of an addition, if one of its operands is a product that it makes."""
        position = self.sums.get(inst)
        if position is None:
            return None
        product = inst.args[position]
        assert isinstance(product, ir.Inst)
        first, second = map(self.one, product.args)
        if first.is_const:
            first, second = second, first
        other = self.one(inst.args[1 - position])
        return self.build.pure(f"fma.{other.type}", other.type, first, second, other)
