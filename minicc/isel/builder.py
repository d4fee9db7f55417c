"""Makes nodes of the selection DAG: folds constants, keeps known bits, shares equal pure nodes."""

from __future__ import annotations

from typing import Any

from minicc.isel.dag import COMMUTATIVE, MASK, SWAP, WIDTH, Node
from minicc.isel.identities import IDENTITIES, negated
from minicc.isel.known import KNOWN, fold
from minicc.numbers import signed


class Builder:
    """Makes nodes: folds constants, keeps known bits, shares equal pure nodes."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.block = 0
        self.loc: Any = None
        self.shared: dict[Any, Node] = {}
        self.constants: dict[Any, Node] = {}
        self.words: dict[Node, Node] = {}
        """Predicates that were made from a word which is 0 or 1."""

    def raw(self, op: str, type_: str, args: tuple[Node, ...] = (), data: Any = None, root: bool = False) -> Node:
        """A node that is never shared: effects, loads, phis."""
        node = Node(op, type_, args, data, len(self.nodes), self.block)
        node.loc = self.loc
        node.root = root
        self.nodes.append(node)
        return node

    def pure(self, op: str, type_: str, *args: Node, data: Any = None) -> Node:
        """A node without effects; an equal one made before is reused."""
        key = (op, data, *[id(a) for a in args])
        node = self.shared.get(key)
        if node is None:
            node = self.shared[key] = self.raw(op, type_, args, data)
        return node

    def const(self, type_: str, value: int) -> Node:
        """Integer constant, or floating constant by its bits."""
        if type_ in MASK:
            value &= MASK[type_]
        key = (type_, value)
        node = self.constants.get(key)
        if node is None:
            node = self.constants[key] = Node(f"const.{type_}", type_, (), value, -1, -1)
            node.zb = value.bit_length()
            node.sb = min(
                node.sb, (value if value >> (node.sb - 1) == 0 else ~value & MASK.get(type_, 0)).bit_length() + 1
            )
        return node

    def symbol(self, type_: str, name: str, offset: int = 0) -> Node:
        """Address of a variable, parameter or function."""
        key = ("sym", type_, name, offset)
        node = self.constants.get(key)
        if node is None:
            node = self.constants[key] = Node(f"sym.{type_}", type_, (), (name, offset), -1, -1)
        return node

    # --- integer arithmetic -------------------------------------------------------------------------------------

    def binary(self, head: str, type_: str, a: Node, b: Node) -> Node:
        """Integer or predicate operation with folding. Shift amounts have the type i32."""
        if a.is_const and not b.is_const and head in COMMUTATIVE:
            a, b = b, a
        if b.is_const:
            if a.is_const:
                folded = fold(head, WIDTH[type_], a.data, b.data)
                if folded is not None:
                    return self.const(type_, folded)
            identity = IDENTITIES.get(head)
            if identity is not None and (simple := identity(self, type_, a, b)) is not None:
                return simple
        elif head == "add" and type_ == "i32" and "sym.i32" in (a.op, b.op) and (near := self._near(a, b)) is not None:
            return near
        elif head == "add" and type_ == "i32" and (difference := self._sign(a, b) or self._sign(b, a)) is not None:
            return difference
        elif head in ("or", "add", "xor") and (joined := self._join(type_, a, b)) is not None:
            return joined
        elif head in ("add", "sub") and type_ == "i64" and (difference := self._less_pair(head, a, b)) is not None:
            return difference
        elif type_ == "i64" and head == "mul" and (inner := _shifted(a) or _shifted(b)) is not None:
            # The product of two extended words is one instruction, if the shift comes after it.
            other = b if _shifted(a) else a
            if inner.args[0].head in ("sext", "zext") and other.head == inner.args[0].head:
                return self.binary("shl", "i64", self.binary("mul", "i64", inner.args[0], other), inner.args[1])
        elif type_ == "p" and _tests_bits(a):
            a, b = b, a  # selection joins the first comparison with the operation, and the other one costs nothing
        elif a is b:
            if head in ("and", "or"):
                return a
            if head in ("xor", "sub"):
                return self.const(type_, 0)
        node = self.pure(f"{head}.{type_}", type_, a, b)
        known = KNOWN.get(head)
        if known is not None and type_ != "p":
            zb, sb = known(a, b, WIDTH[type_])
            node.zb = min(node.zb, zb)
            node.sb = min(node.sb, sb, node.zb + 1)
        return node

    def _sign(self, minus: Node, plus: Node) -> Node | None:
        """(p ? -1 : 0) + (q ? 1 : 0), as LLVM has the sign of a number, is a difference: a copy less for ptxas."""
        for node, number in (minus, 0xFFFFFFFF), (plus, 1):
            if node.op != "select.i32" or [arg.data if arg.is_const else None for arg in node.args[1:]] != [number, 0]:
                return None
        return self.binary("sub", "i32", plus, self.select("i32", minus.args[0], self.const("i32", 1), minus.args[2]))

    def _near(self, a: Node, b: Node) -> Node | None:
        """An index plus a place within a variable, as the index plus the variable, plus a constant that addresses of
        memory take, and that other places have, too."""
        index, place = (a, b) if b.op == "sym.i32" else (b, a)
        name, offset = place.data
        if not offset or index.head == "sym":
            return None
        start = self.binary("add", "i32", index, self.symbol("i32", name))
        return self.binary("add", "i32", start, self.const("i32", offset))

    def _join(self, type_: str, a: Node, b: Node) -> Node | None:
        """What two masks leave of one number is what both leave together; x | y << 32 with x below 2**32 is a pair of
        registers; x | y << 16 of the bits of two halves is a pair of them, of two numbers made halves one conversion;
        other words of bytes of others are permuted."""
        if a.head == b.head == "and" and a.args[0] is b.args[0] and a.args[1].is_const and b.args[1].is_const:
            one, other = a.args[1].data, b.args[1].data
            if not one & other:
                return self.binary("and", type_, a.args[0], self.const(type_, one | other))
        if type_ == "i32":
            if not (_moves_bits(a) or _moves_bits(b)):
                return None
            low, high = (b, a) if a.op == "shl.i32" else (a, b)
            if _is_half(low) and high.op == "shl.i32":
                upper, by = high.args
                if _is_half(upper) and by.is_const and by.data == 16:
                    return self.pure("packh.i32", "i32", low.args[0], upper.args[0])
            from minicc.isel.lower.bytes import permuted

            return permuted(self, a, b)
        if type_ != "i64":
            return None
        if a.op == "shl.i64":
            a, b = b, a
        if b.op == "shl.i64" and b.args[1].is_const and b.args[1].data == 32 and a.zb <= 32:
            return self.pack(self.trunc(a), self.trunc(b.args[0]))
        return None

    def _less_pair(self, head: str, a: Node, b: Node) -> Node | None:
        """(-y << 32) - x, as LLVM negates the pair x | y << 32, is that pair negated, and y + -x a difference."""
        if head == "add":
            for term, other in (a, b), (b, a):
                if (of := negated(term)) is not None:
                    return self.binary("sub", "i64", other, of)
            return None
        if (shift := _shifted(a)) is None or shift.args[1].data != 32 or b.zb > 32:
            return None
        upper = negated(self.trunc(shift.args[0]))
        return upper and self.binary("sub", "i64", self.const("i64", 0), self.pack(self.trunc(b), upper))

    def invert(self, a: Node) -> Node:
        """Logical not of a predicate; comparisons are inverted in place of it when nothing else needs them."""
        if a.is_const:
            return self.const("p", 1 - a.data)
        if a.op == "xor.p" and a.args[1].is_const:
            return a.args[0]
        return self.pure("xor.p", "p", a, self.const("p", 1))

    def zext(self, a: Node, bits: int, to: str) -> Node:
        """The low `bits` of an integer (or a predicate), zero-extended to `to`."""
        if a.is_const:
            return self.const(to, a.data & ((1 << bits) - 1))
        if a.type == "p":
            word = self.word(a)
            return self.zext(word, 32, to) if word else self.select(to, a, self.const(to, 1), self.const(to, 0))
        if a.type == to:
            a = self.low_bits(a, bits)
            return self.binary("and", to, a, self.const(to, (1 << bits) - 1)) if bits < WIDTH[to] else a
        if to == "i32":
            return self.zext(self.trunc(a), bits, "i32")
        low = self.zext(a, bits, "i32")
        node = self.pure("zext.i64.i32", "i64", low)
        node.zb, node.sb = low.zb, min(64, low.zb + 1)
        return node

    def sext(self, a: Node, bits: int, to: str) -> Node:
        """The low `bits` of an integer (or a predicate), sign-extended to `to`."""
        if a.is_const:
            return self.const(to, signed(a.data, bits))
        if a.type == "p":
            return self.select(to, a, self.const(to, -1), self.const(to, 0))
        if a.type == to:
            if a.sb <= bits:
                return a
            a = self.low_bits(a, bits)
            if a.head == "lshr" and a.args[1].is_const and a.args[1].data + bits == WIDTH[to]:
                return self.binary("ashr", to, *a.args)
            if bits == 32:
                return self.sext(self.trunc(a), 32, to)
            if bits in (8, 16):
                node = self.pure(f"sext{bits}.{to}", to, a)
            else:
                amount = self.const("i32", WIDTH[to] - bits)
                node = self.binary("ashr", to, self.binary("shl", to, a, amount), amount)
            node.sb = min(node.sb, bits)
            return node
        if to == "i32":
            return self.sext(self.trunc(a), bits, "i32")
        low = self.sext(a, bits, "i32")
        if low.zb < 32:
            return self.zext(low, 32, "i64")
        node = self.pure("sext.i64.i32", "i64", low)
        node.sb = low.sb
        return node

    def trunc(self, a: Node) -> Node:
        """i64 -> i32."""
        if a.type == "i32":
            return a
        if a.is_const:
            return self.const("i32", a.data)
        if a.op in ("zext.i64.i32", "sext.i64.i32"):
            return a.args[0]
        if a.op == "pack.i64":
            return a.args[0]
        if a.op in ("sext8.i64", "sext16.i64"):
            return self.sext(self.trunc(a.args[0]), 8 if a.op == "sext8.i64" else 16, "i32")
        if a.op == "lshr.i64" and a.args[1].is_const and a.args[0].op == "and.i64" and a.args[0].args[1].is_const:
            kept = ((1 << 32) - 1) << a.args[1].data & MASK["i64"]
            if a.args[0].args[1].data & kept == kept:  # the mask is for bits that go anyway
                return self.trunc(self.binary("lshr", "i64", a.args[0].args[0], a.args[1]))
        if (a.op in ("and.i64", "or.i64", "xor.i64") and a.args[1].is_const) or (
            a.op in ("add.i64", "sub.i64", "mul.i64", "and.i64", "or.i64", "xor.i64")
            and all(x.is_const or x.op in ("zext.i64.i32", "sext.i64.i32") for x in a.args)
        ):
            return self.binary(a.head, "i32", self.trunc(a.args[0]), self.trunc(a.args[1]))
        if a.op in ("lshr.i64", "ashr.i64") and a.args[1].is_const and a.args[1].data > 32:
            return self.binary(a.head, "i32", self.high(a.args[0]), self.const("i32", a.args[1].data - 32))
        node = self.pure("trunc.i32.i64", "i32", a)
        node.zb = min(32, a.zb)
        node.sb = min(32, a.sb) if a.sb <= 32 else 32
        return node

    def low_bits(self, a: Node, bits: int) -> Node:
        """A word whose low `bits` are the same: of a shifted 64-bit value, the half that has them."""
        inner = a.args[0] if a.op == "trunc.i32.i64" else a
        if inner.op == "lshr.i64" and inner is not a and inner.args[1].is_const and inner.args[1].data + bits <= 32:
            return self.binary("lshr", "i32", self.trunc(inner.args[0]), inner.args[1])
        return a

    def to_pred(self, a: Node) -> Node:
        """Bit 0 of an i32 as a predicate."""
        if a.type == "p":
            return a
        if a.is_const:
            return self.const("p", a.data & 1)
        low = self.binary("and", a.type, a, self.const(a.type, 1))
        return self.icmp("ne", low, self.const(a.type, 0))

    def select(self, type_: str, p: Node, a: Node, b: Node) -> Node:
        if p.is_const:
            return a if p.data else b
        if a is b:
            return a
        if p.op == "xor.p" and p.args[1].is_const:
            p, a, b = p.args[0], b, a
        if type_ == "p":
            if a.is_const and b.is_const:
                return p if a.data else self.invert(p)
            if a.is_const:
                return self.binary("or", "p", p, b) if a.data else self.binary("and", "p", self.invert(p), b)
            if b.is_const:
                return self.binary("or", "p", self.invert(p), a) if b.data else self.binary("and", "p", p, a)
            left, right = self.binary("and", "p", p, a), self.binary("and", "p", self.invert(p), b)
            return self.binary("or", "p", left, right)
        node = self.pure(f"select.{type_}", type_, p, a, b)
        node.zb, node.sb = max(a.zb, b.zb), max(a.sb, b.sb)
        return node

    def flag(self, a: Node) -> Node:
        """A number that is 0 or 1, as a predicate."""
        node = self.icmp("ne", a, self.const(a.type, 0))
        if a.type == "i32" and a in node.args:  # not of what was a predicate before, maybe in a block above this one
            self.words[node] = a
        return node

    def word(self, p: Node, depth: int = 4) -> Node | None:
        """A predicate as an i32 that is 0 or 1, if it was one, or was made of such in up to `depth` steps."""
        if p.op in ("and.p", "or.p", "xor.p") and depth:
            a, b = (self.const("i32", x.data) if x.is_const else self.word(x, depth - 1) for x in p.args)
            return a and b and self.binary(p.head, "i32", a, b)
        return self.words.get(p)

    def icmp(self, pred: str, a: Node, b: Node) -> Node:
        """Compare i32, i64 or predicates."""
        if a.is_const and b.is_const:
            return self.const("p", int(_COMPARE[pred](a.data, b.data, WIDTH[a.type])))
        if a.is_const:
            a, b, pred = b, a, SWAP[pred]
        if a is b:
            return self.const("p", int(pred in ("eq", "ule", "uge", "sle", "sge")))
        if a.type == "p":
            return self._icmp_pred(pred, a, b)
        if b.is_const and b.data == 0 and pred in ("ult", "uge"):
            return self.const("p", int(pred == "uge"))
        if b.is_const and b.data == 0 and pred in ("ne", "eq") and a.head == "select":
            p, x, y = a.args
            if x.is_const and y.is_const and (x.data == 0) != (y.data == 0):
                return p if (x.data != 0) == (pred == "ne") else self.invert(p)
        return self.pure(f"icmp.{pred}.{a.type}", "p", a, b)

    def _icmp_pred(self, pred: str, a: Node, b: Node) -> Node:
        if pred == "ne":
            return self.binary("xor", "p", a, b)
        if pred == "eq":
            return self.invert(self.binary("xor", "p", a, b))
        # As 1-bit numbers: unsigned true > false, signed true (-1) < false.
        less = {"ult": (a, b), "ugt": (b, a), "slt": (b, a), "sgt": (a, b)}
        if pred in less:
            x, y = less[pred]
            return self.binary("and", "p", self.invert(x), y)
        opposite = {"uge": "ult", "ule": "ugt", "sge": "slt", "sle": "sgt"}[pred]
        return self.invert(self._icmp_pred(opposite, a, b))

    # --- 64-bit and halves --------------------------------------------------------------------------------------

    def pack(self, low: Node, high: Node) -> Node:
        """i64 from two i32."""
        if low.is_const and high.is_const:
            return self.const("i64", low.data | high.data << 32)
        if low.op == "trunc.i32.i64" and high.op == "hi.i32.i64" and low.args[0] is high.args[0]:
            return low.args[0]
        if high.is_const and high.data == 0:
            return self.zext(low, 32, "i64")
        return self.pure("pack.i64", "i64", low, high)

    def high(self, a: Node) -> Node:
        """Upper i32 of an i64."""
        if a.is_const:
            return self.const("i32", a.data >> 32)
        if a.op == "pack.i64":
            return a.args[1]
        if a.op == "zext.i64.i32":
            return self.const("i32", 0)
        if a.op == "shl.i64" and a.args[1].is_const and a.args[1].data >= 32:
            return self.binary("shl", "i32", self.trunc(a.args[0]), self.const("i32", a.args[1].data - 32))
        return self.pure("hi.i32.i64", "i32", a)

    def bitcast(self, a: Node, to: str) -> Node:
        """Reinterpret among types of one width."""
        if a.type == to:
            return a
        if a.is_const:
            return self.const(to, a.data)
        if a.type == "h":
            return self.bitcast(self.pure("zext16.i32.h", "i32", a), to)
        if a.op == f"bitcast.{a.type}.{to}":
            return a.args[0]
        if "i32" not in (a.type, to) and WIDTH[to] == 16:  # of one kind of half to the other
            return self.bitcast(self.bitcast(a, "i32"), to)
        if to == "i32" and a.op in _SIGNS:  # a bit of a register, and nothing is known of the bits above a half
            head, mask = _SIGNS[a.op]
            return self.binary(head, "i32", self.bitcast(a.args[0], "i32"), self.const("i32", mask))
        node = self.pure(f"bitcast.{to}.{a.type}", to, a)
        if to == "i32" and WIDTH[a.type] == 16:
            node.zb = 16
        return node


_COMPARE: dict[str, Any] = {
    "eq": lambda a, b, w: a == b,
    "ne": lambda a, b, w: a != b,
    "ult": lambda a, b, w: a < b,
    "ule": lambda a, b, w: a <= b,
    "ugt": lambda a, b, w: a > b,
    "uge": lambda a, b, w: a >= b,
    "slt": lambda a, b, w: signed(a, w) < signed(b, w),
    "sle": lambda a, b, w: signed(a, w) <= signed(b, w),
    "sgt": lambda a, b, w: signed(a, w) > signed(b, w),
    "sge": lambda a, b, w: signed(a, w) >= signed(b, w),
}


_SIGNS = {f"{op}.{kind}": bits for kind in ("f16", "bf16") for op, bits in
          (("fneg", ("xor", 0x8000)), ("fabs", ("and", 0x7FFF)))}  # fmt: skip


def _moves_bits(a: Node) -> bool:
    """A shift of a word by whole bytes, or what a mask leaves of one."""
    if a.op == "and.i32":
        a = a.args[0]
    return a.op in ("shl.i32", "lshr.i32") and a.args[1].is_const and a.args[1].data % 8 == 0


def _is_half(a: Node) -> bool:
    """The bits of a half that is in a register of its own."""
    if a.op not in ("bitcast.i32.f16", "bitcast.i32.bf16", "zext16.i32.h"):
        return False
    inner = a.args[0]
    return inner.head != "res" or inner.args[0].head != "unpackh"


def _shifted(a: Node) -> Node | None:
    """The node if it is a shift to the left by a constant."""
    return a if a.op == "shl.i64" and a.args[1].is_const else None


def _tests_bits(a: Node) -> bool:
    """(x & y) == 0 or != 0: a by-product of the machine's bitwise operation, if nothing is joined with it."""
    if a.op not in ("icmp.eq.i32", "icmp.ne.i32"):
        return False
    tested, zero = a.args
    return tested.head == "and" and zero.is_const and not zero.data
