"""The selection DAG: what LLVM IR becomes before patterns cover it.

Nodes have legal types only: p (predicate), i32, i64, f16, bf16, f32, f64. Narrower integers live in i32, i33..i63 in
i64, with unspecified upper bits; wider ones are lists of i64 limbs. A node's `op` is its whole signature name,
"add.i32", "ld.global.f32", "icmp.slt.i64". Pure nodes are hash-consed within an extended basic block. Creation order
is program order; loads and side effects keep it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from minicc.numbers import signed
from minicc.nvvm import ir

WIDTH = {"p": 1, "h": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
COMMUTATIVE = frozenset(
    [
        "add",
        "mul",
        "and",
        "or",
        "xor",
        "fadd",
        "faddc",
        "fmul",
        "fmulc",
        "umin",
        "umax",
        "smin",
        "smax",
        "fmin",
        "fmax",
        "fminnan",
        "fmaxnan",
        "mulhis",
        "mulhiu",
    ]
)


@cache
def _head(op: str) -> str:
    """The operation without its types: "add"."""
    return op.partition(".")[0]


class Node:
    """One value or effect.

    head:  the op without its types
    type:  result type, "" for none
    data:  constant value, symbol name, label, special register ... by op
    zb:    the value is below 2**zb (integers)
    sb:    the value is the sign extension of its low sb bits (integers)
    """

    __slots__ = (
        "args",
        "block",
        "cost",
        "data",
        "demanded",
        "head",
        "index",
        "is_const",
        "loc",
        "op",
        "place",
        "regs",
        "root",
        "sb",
        "tile",
        "type",
        "uses",
        "weighed",
        "zb",
    )

    def __init__(self, op: str, type_: str, args: tuple[Node, ...], data: Any, index: int, block: int) -> None:
        self.op = op
        self.head = head = _head(op)
        self.is_const = head == "const"
        self.type = type_
        self.args = args
        self.data = data
        self.index = index
        self.block = block
        self.loc: Any = None
        self.root = False
        self.zb = self.sb = WIDTH.get(type_, 0)
        self.uses = 0
        self.demanded = False
        self.tile: Any = None
        self.cost: Any = None
        self.place: Node | None = None
        self.regs: tuple[Any, ...] = ()
        self.weighed: Any = None

    def __repr__(self) -> str:
        data = "" if self.data is None else f" {self.data!r}"
        return f"%{self.index} = {self.op}{data}({', '.join('%' + str(a.index) for a in self.args)})"

    def rename(self, op: str, type_: str) -> None:
        """Change operation and type."""
        self.op = op
        self.head = _head(op)
        self.type = type_


_MASK = {"p": 1, "i32": 0xFFFFFFFF, "i64": (1 << 64) - 1}


class BlockDag:
    """What one IR block became. `terminator` is a root node, `copies` maps successor blocks to phi moves."""

    def __init__(self, block: ir.Block) -> None:
        self.block = block
        self.nodes: list[Node] = []
        self.phis: list[tuple[ir.Inst, list[Node]]] = []
        self.terminator: Node | None = None


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
        if type_ in _MASK:
            value &= _MASK[type_]
        key = (type_, value)
        node = self.constants.get(key)
        if node is None:
            node = self.constants[key] = Node(f"const.{type_}", type_, (), value, -1, -1)
            node.zb = value.bit_length()
            node.sb = min(
                node.sb, (value if value >> (node.sb - 1) == 0 else ~value & _MASK.get(type_, 0)).bit_length() + 1
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
                folded = _fold(head, WIDTH[type_], a.data, b.data)
                if folded is not None:
                    return self.const(type_, folded)
            simple = self._identity(head, type_, a, b)
            if simple is not None:
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
        known = _KNOWN.get(head)
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
                if (of := _negated(term)) is not None:
                    return self.binary("sub", "i64", other, of)
            return None
        if (shift := _shifted(a)) is None or shift.args[1].data != 32 or b.zb > 32:
            return None
        upper = _negated(self.trunc(shift.args[0]))
        return upper and self.binary("sub", "i64", self.const("i64", 0), self.pack(self.trunc(b), upper))

    def _identity(self, head: str, type_: str, a: Node, b: Node) -> Node | None:
        value = b.data
        full = _MASK[type_]
        if head in ("add", "sub", "or", "xor", "shl", "lshr", "ashr") and value == 0:
            return a
        if head == "add" and a.op == f"sym.{type_}":
            return self.symbol(type_, a.data[0], a.data[1] + signed(value, WIDTH[type_]))
        if head == "add" and type_ == "i64" and _negated(a) is not None:
            return self.binary("sub", type_, b, a.args[1])
        if head in ("add", "sub") and a.head == "add" and a.args[1].is_const:
            total = a.args[1].data + (value if head == "add" else -value)
            return self.binary("add", type_, a.args[0], self.const(type_, total))
        if head == "sub" and type_ != "p":
            return self.binary("add", type_, a, self.const(type_, -value))
        if head == "and":
            if value == 0:
                return b
            if value & full == full or ((1 << a.zb) - 1) & ~value == 0:
                return a
            if a.head == "and" and a.args[1].is_const:
                return self.binary("and", type_, a.args[0], self.const(type_, a.args[1].data & value))
            if a.op == "lshr.i64" and a.args[1].is_const and (field := self._field(a, value)) is not None:
                return field
            if a.op == "prmt.i32":
                from minicc.isel.lower.bytes import masked

                return masked(self, a, value)
        if head == "or" and value == full:
            return b
        if head == "mul":
            if value == 0:
                return b
            if value == 1:
                return a
            if value & (value - 1) == 0:
                return self.binary("shl", type_, a, self.const("i32", value.bit_length() - 1))
        if head == "xor" and type_ == "p" and a.op == "xor.p" and a.args[1].is_const:
            return a.args[0]
        if head == "ashr" and a.head == "shl" and a.args[1] is b and WIDTH[type_] - value in (8, 16):
            return self.sext(a.args[0], WIDTH[type_] - value, type_)
        if head == "ashr" and value == 24 and a.op == "shl.i32" and a.args[1].is_const and a.args[1].data in (8, 16):
            byte = self.binary("lshr", type_, a.args[0], self.const("i32", 24 - a.args[1].data))
            return self.sext(byte, 8, type_)
        if head == "umin" and a.op == "smax.i32" and a.args[1].is_const and a.args[1].data == 0 and value >> 31 == 0:
            return self.binary("smax", type_, self.binary("smin", type_, a.args[0], b), a.args[1])
        if head == "shl" and value >= 16 and a.op == "sext16.i32":
            return self.binary(head, type_, a.args[0], b)  # the sign is shifted out
        if head == "shl" and a.head in ("lshr", "ashr") and a.args[1] is b:
            return self.binary("and", type_, a.args[0], self.const(type_, -1 << value))
        if head in ("shl", "lshr") and a.head == head and a.args[1].is_const:
            total = a.args[1].data + value
            if total < WIDTH[type_]:
                return self.binary(head, type_, a.args[0], self.const("i32", total))
            return self.const(type_, 0)
        if head == "shl" and type_ == "i64" and value < 32 and (kept := self._upper_kept(a, value)) is not a:
            return self.binary(head, type_, kept, b)
        return None

    def _upper_kept(self, a: Node, lost: int) -> Node:
        """`a`, whose `lost` upper bits do not matter: a mask of the upper half without them (LLVM takes them away)
        needs no instruction with them."""
        if a.op == "or.i64":
            low, high = (self._upper_kept(arg, lost) for arg in a.args)
            return a if low is a.args[0] and high is a.args[1] else self.binary("or", "i64", low, high)
        if a.op == "and.i64" and a.args[1].is_const and a.args[1].data == (1 << 64 - lost) - (1 << 32):
            return self.binary("and", "i64", a.args[0], self.const("i64", -1 << 32))
        return a

    def _field(self, shifted: Node, mask: int) -> Node | None:
        """Bits that lie in one word of two are taken from that one."""
        a, shift = shifted.args
        at, end = shift.data, shift.data + mask.bit_length()
        if end > 32 and (at < 32 or end > 64):
            return None
        word = self.trunc(a) if end <= 32 else self.high(a)
        bits = self.binary("lshr", "i32", word, self.const("i32", at % 32))
        return self.zext(self.binary("and", "i32", bits, self.const("i32", mask)), 32, "i64")

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
            kept = ((1 << 32) - 1) << a.args[1].data & _MASK["i64"]
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


SWAP = {"eq": "eq", "ne": "ne", "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle"} | {
    "ult": "ugt",
    "ugt": "ult",
    "ule": "uge",
    "uge": "ule",
}
INVERT = {"eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt"} | {
    "ult": "uge",
    "uge": "ult",
    "ugt": "ule",
    "ule": "ugt",
}
FINVERT = {"oeq": "une", "une": "oeq", "one": "ueq", "ueq": "one", "olt": "uge", "uge": "olt", "ogt": "ule"} | {
    "ule": "ogt",
    "ole": "ugt",
    "ugt": "ole",
    "oge": "ult",
    "ult": "oge",
    "ord": "uno",
    "uno": "ord",
}

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


def _moves_bits(a: Node) -> bool:
    """A shift of a word by whole bytes, or what a mask leaves of one."""
    if a.op == "and.i32":
        a = a.args[0]
    return a.op in ("shl.i32", "lshr.i32") and a.args[1].is_const and a.args[1].data % 8 == 0


_SIGNS = {f"{op}.{kind}": bits for kind in ("f16", "bf16") for op, bits in
          (("fneg", ("xor", 0x8000)), ("fabs", ("and", 0x7FFF)))}  # fmt: skip


def _is_half(a: Node) -> bool:
    """The bits of a half that is in a register of its own."""
    if a.op not in ("bitcast.i32.f16", "bitcast.i32.bf16", "zext16.i32.h"):
        return False
    inner = a.args[0]
    return inner.head != "res" or inner.args[0].head != "unpackh"


def _shifted(a: Node) -> Node | None:
    """The node if it is a shift to the left by a constant."""
    return a if a.op == "shl.i64" and a.args[1].is_const else None


def _negated(a: Node) -> Node | None:
    """x, if the node is -x."""
    return a.args[1] if a.head == "sub" and a.args[0].is_const and not a.args[0].data else None


def _tests_bits(a: Node) -> bool:
    """(x & y) == 0 or != 0: a by-product of the machine's bitwise operation, if nothing is joined with it."""
    if a.op not in ("icmp.eq.i32", "icmp.ne.i32"):
        return False
    tested, zero = a.args
    return tested.head == "and" and zero.is_const and not zero.data


def _fold(head: str, width: int, a: int, b: int) -> int | None:
    """Fold two constants; None where the operation is not one that folds (or is undefined)."""
    match head:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "and":
            return a & b
        case "or":
            return a | b
        case "xor":
            return a ^ b
        case "shl":
            return a << b if b < width else 0
        case "lshr":
            return a >> b if b < width else 0
        case "ashr":
            return signed(a, width) >> min(b, width - 1)
        case _:
            return None


def _known_and(a: Node, b: Node, w: int) -> tuple[int, int]:
    return min(a.zb, b.zb), max(a.sb, b.sb)


def _known_or(a: Node, b: Node, w: int) -> tuple[int, int]:
    return max(a.zb, b.zb), max(a.sb, b.sb)


def _known_add(a: Node, b: Node, w: int) -> tuple[int, int]:
    return max(a.zb, b.zb) + 1, max(a.sb, b.sb) + 1


def _known_sub(a: Node, b: Node, w: int) -> tuple[int, int]:
    return w, max(a.sb, b.sb) + 1


def _known_mul(a: Node, b: Node, w: int) -> tuple[int, int]:
    return a.zb + b.zb, a.sb + b.sb


def _known_shl(a: Node, b: Node, w: int) -> tuple[int, int]:
    return (a.zb + b.data, a.sb + b.data) if b.is_const else (w, w)


def _known_lshr(a: Node, b: Node, w: int) -> tuple[int, int]:
    return (max(0, a.zb - b.data), w) if b.is_const else (a.zb, w)


def _known_ashr(a: Node, b: Node, w: int) -> tuple[int, int]:
    if a.zb < w:
        return (max(0, a.zb - b.data), w) if b.is_const else (a.zb, w)
    return (w, max(1, a.sb - b.data)) if b.is_const else (w, a.sb)


def _known_udiv(a: Node, b: Node, w: int) -> tuple[int, int]:
    return a.zb, w


def _known_urem(a: Node, b: Node, w: int) -> tuple[int, int]:
    return min(a.zb, b.zb), w


_KNOWN = {
    "and": _known_and,
    "or": _known_or,
    "xor": _known_or,
    "add": _known_add,
    "sub": _known_sub,
    "mul": _known_mul,
    "shl": _known_shl,
    "lshr": _known_lshr,
    "ashr": _known_ashr,
    "udiv": _known_udiv,
    "urem": _known_urem,
}


def legal(type_: ir.Type, pointer_bits: dict[int, int]) -> list[str]:
    """Legal types of the parts that a value of an IR type is made of, in order."""
    match type_.kind:
        case "int":
            if type_.bits == 1:
                return ["p"]
            if type_.bits <= 32:
                return ["i32"]
            return ["i64"] * ((type_.bits + 63) // 64)
        case "ptr":
            return ["i32" if pointer_bits.get(type_.space, 64) == 32 else "i64"]
        case "float":
            return ["f32"]
        case "double":
            return ["f64"]
        case "half":
            return ["f16"]
        case "bfloat":
            return ["bf16"]
        case "array" | "vector":
            return legal(type_.element, pointer_bits) * type_.count
        case "struct":
            return [part for field in type_.elements for part in legal(field, pointer_bits)]
        case _:
            return []
