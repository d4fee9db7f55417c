"""Intrinsics that move the elements of vectors: as lists of parts, most of them take no instruction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from minicc.isel.dag import Node
from minicc.isel.lower.integers import Integers
from minicc.nvvm import ir

Element = list[Node]
"""The parts of one element."""


class Vectors(Integers):
    """Mixin of `Lowering`."""

    def elements(self, value: ir.Value) -> list[Element]:
        """A vector's elements, each as its parts."""
        parts = self.parts(value)
        step = len(parts) // value.type.count
        return [parts[at : at + step] for at in range(0, len(parts), step)]

    def flags(self, value: ir.Value) -> list[Node]:
        """For each element, whether it is not zero."""
        bits = value.type.element.bits
        if bits == 1:
            return self.parts(value)
        return [self.compare_parts("ne", bits, element, self.number(bits, 0)) for element in self.elements(value)]

    def constant_of(self, value: ir.Value, what: str) -> int:
        node = self.one(value)
        if not node.is_const:
            self.unsupported(f"{what} that is not constant")
        return int(node.data)

    # --- elements at other places ---------------------------------------------------------------------------------

    def reversed_elements(self, inst: ir.Inst) -> list[Node]:
        return _flat(reversed(self.elements(inst.args[0])))

    def extracted(self, inst: ir.Inst) -> list[Node]:
        first = self.constant_of(inst.args[1], "vector.extract at a place")
        return _flat(self.elements(inst.args[0])[first : first + inst.type.count])

    def inserted(self, inst: ir.Inst) -> list[Node]:
        whole, some = self.elements(inst.args[0]), self.elements(inst.args[1])
        first = self.constant_of(inst.args[2], "vector.insert at a place")
        whole[first : first + len(some)] = some
        return _flat(whole)

    def spliced(self, inst: ir.Inst, left: bool) -> list[Node]:
        """As many elements of both vectors in a row: from a place on, or from so many before the second."""
        count = inst.type.count
        places = self.constant_of(inst.args[2], "vector.splice by a number")
        first = places if left else count - places
        return _flat((self.elements(inst.args[0]) + self.elements(inst.args[1]))[first : first + count])

    def interleaved(self, inst: ir.Inst) -> list[Node]:
        return _flat(chain.from_iterable(zip(*(self.elements(arg) for arg in inst.args), strict=True)))

    def deinterleaved(self, inst: ir.Inst) -> list[Node]:
        """A struct of vectors: of n, the k-th has every n-th element from the k-th on."""
        found, fields = self.elements(inst.args[0]), len(inst.type.elements)
        return [node for k in range(fields) for node in _flat(found[k::fields])]

    def steps(self, inst: ir.Inst) -> list[Node]:
        return _flat(self.number(inst.type.element.bits, k) for k in range(inst.type.count))

    # --- elements that are looked at ------------------------------------------------------------------------------

    def leading_zeros(self, inst: ir.Inst) -> list[Node]:
        """experimental.cttz.elts: the place of the first element that is not zero, or how many there are."""
        flags = self.flags(inst.args[0])
        found = self.number(inst.type.bits, len(flags))
        for place in reversed(range(len(flags))):
            found = self.choose(flags[place], self.number(inst.type.bits, place), found)
        return found

    def active_lanes(self, inst: ir.Inst) -> list[Node]:
        """get.active.lane.mask(a, n): whether a + i < n, without a carry; n - a, at least 0, is compared."""
        bits = inst.args[0].type.bits
        first, count = (self.parts(arg) for arg in inst.args)
        left = self.operate("sub", bits, count, first)
        left = self.choose(self.compare_parts("ult", bits, first, count), left, self.number(bits, 0))
        return [self.compare_parts("ugt", bits, left, self.number(bits, k)) for k in range(inst.type.count)]

    def vector_length(self, inst: ir.Inst) -> list[Node]:
        """experimental.get.vector.length: elements of the next turn, of a count that is left."""
        bits, most = inst.args[0].type.bits, self.constant_of(inst.args[1], "a vector length")
        left, limit = self.parts(inst.args[0]), self.number(bits, most)
        some = self.choose(self.compare_parts("ult", bits, left, limit), left, limit)
        return [self.build.zext(some[0], min(bits, 32), "i32")]

    def sums_of_parts(self, inst: ir.Inst) -> list[Node]:
        """vector.partial.reduce.add: the second vector's elements are added to those of the first in turn."""
        sums = self.elements(inst.args[0])
        for k, element in enumerate(self.elements(inst.args[1])):
            place = k % len(sums)
            sums[place] = self.operate("add", inst.type.element.bits, sums[place], element)
        return _flat(sums)

    def compressed(self, inst: ir.Inst) -> list[Node]:
        """experimental.vector.compress: elements whose flag is set, one after the other, over the third vector's."""
        build = self.build
        out = self.elements(inst.args[2])
        place = build.const("i32", 0)
        for k, (element, flag) in enumerate(zip(self.elements(inst.args[0]), self.flags(inst.args[1]), strict=True)):
            for at in range(k + 1):
                here = build.binary("and", "p", flag, build.icmp("eq", place, build.const("i32", at)))
                out[at] = self.choose(here, element, out[at])
            place = build.binary("add", "i32", place, build.zext(flag, 1, "i32"))
        return _flat(out)

    def matched(self, inst: ir.Inst) -> list[Node]:
        """experimental.vector.match: which elements the second vector has, where the mask has their place."""
        build, bits = self.build, inst.args[0].type.element.bits
        out = []
        for element, flag in zip(self.elements(inst.args[0]), self.flags(inst.args[2]), strict=True):
            some = build.const("p", 0)
            for other in self.elements(inst.args[1]):
                some = build.binary("or", "p", some, self.compare_parts("eq", bits, element, other))
            out.append(build.binary("and", "p", some, flag))
        return out


def _flat(elements: Iterable[Element]) -> list[Node]:
    return [node for element in elements for node in element]


VECTORS: dict[str, Callable[[Any, ir.Inst], list[Node]]] = {
    "vector.reverse": Vectors.reversed_elements,
    "vector.extract": Vectors.extracted,
    "vector.insert": Vectors.inserted,
    "vector.splice.left": lambda self, inst: Vectors.spliced(self, inst, True),
    "vector.splice.right": lambda self, inst: Vectors.spliced(self, inst, False),
    **{f"vector.interleave{count}": Vectors.interleaved for count in range(2, 9)},
    **{f"vector.deinterleave{count}": Vectors.deinterleaved for count in range(2, 9)},
    "stepvector": Vectors.steps,
    "experimental.cttz.elts": Vectors.leading_zeros,
    "get.active.lane.mask": Vectors.active_lanes,
    "experimental.get.vector.length": Vectors.vector_length,
    "vector.partial.reduce.add": Vectors.sums_of_parts,
    "experimental.vector.compress": Vectors.compressed,
    "experimental.vector.match": Vectors.matched,
}
"""Name without types -> what its parts are."""
