"""The pattern database: rows of `minicc.isel.patterns` indexed by the three hash tables.

The tables of a machine are filled head by head ("add" of "add.i32"), when an operation with that head is first looked
up; the patterns of its signature are then specialised to it: axes are bound, the tree is parsed.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from minicc.arch.schema import Arch
from minicc.isel.cover import cost as costs
from minicc.isel.cover.tables import ConstraintTable, CostTable, PatternTable
from minicc.isel.dag import COMMUTATIVE
from minicc.isel.patterns import CATEGORIES, COSTS, Row, cost_of, rows_of
from minicc.isel.patterns.axes import AXES, SINCE
from minicc.isel.patterns.costs import generations, since

# Operand constraint classes: nibble of the operand mask -> (name, what is accepted: 1 register, 2 immediate, 4 address,
# 8 negated predicate). The names in the seed are register_only, register_or_immediate, any_memory_access, ...
REG, IMM, ADDR, NEG = 1, 2, 4, 8
CLASSES: dict[str, tuple[int, int]] = {
    "r": (1, REG),
    "ri": (2, REG | IMM),
    "i": (3, IMM),
    "i5": (4, IMM),
    "i6": (5, IMM),
    "p2": (6, IMM),
    "low": (7, IMM),
    "m": (8, ADDR),
    "n": (9, REG | NEG),
    "s16": (10, IMM),
    "sym": (11, IMM | ADDR),
    "u32": (12, IMM),
    "s31": (13, IMM),
    "high": (14, IMM),
    "i31": (15, IMM),
}
"""r register; ri register or immediate; i any immediate; i5 0..31; i31 0..30; i6 0..63; p2 a power of two; low a mask
2**n - 1; m address; n predicate, possibly negated; s16 -32768..32767; sym symbol; u32 0..2**32-1; s31 an immediate of
64 bits that is a signed 32-bit one; high ~(2**n - 1) of 32 bits."""

_RANGES: dict[int, Any] = {
    4: lambda v: 0 <= v < 32,
    5: lambda v: 0 <= v < 64,
    15: lambda v: 0 <= v < 31,
    6: lambda v: v > 0 and v & (v - 1) == 0,
    7: lambda v: v > 0 and v & (v + 1) == 0,
    10: lambda v: v < 0x8000 or (v & 0xFFFF8000) == 0xFFFF8000,
    12: lambda v: 0 <= v < 1 << 32,
    14: lambda v: v < 1 << 32 and (v ^ 0xFFFFFFFF) & ((v ^ 0xFFFFFFFF) + 1) == 0 and v != 0xFFFFFFFF,
    13: lambda v: v < 1 << 31 or v >= (1 << 64) - (1 << 31),
}
_CODES = {name: code for name, (code, _) in CLASSES.items()} | {"": CLASSES["r"][0]}
_CLASS_NAMES = {code: name for name, (code, _) in CLASSES.items()}


class Tree:
    """Inner node of a pattern: `op` its name, children trees or leaves. `wild`: axes in the name are open."""

    __slots__ = __match_args__ = ("op", "children", "commutative", "wild")

    def __init__(self, op: str, children: tuple[Tree | Leaf, ...], commutative: bool, wild: bool) -> None:
        self.op, self.children, self.commutative, self.wild = op, children, commutative, wild


class Leaf:
    """Operand: `name` in the template; `accept` and `check` from the constraint table. `value` fixes a constant."""

    __slots__ = __match_args__ = ("name", "accept", "check", "value")

    def __init__(self, name: str, accept: int, check: Any = None, value: int | None = None) -> None:
        self.name, self.accept, self.check, self.value = name, accept, check, value


class Pattern:
    """A row, ready to match. `latency`, `throughput` are the entry's two costs, `cost` the final one for an SM."""

    def __init__(
        self,
        row: Row,
        index: int,
        signature: int,
        min_sm: int,
        mask: int,
        constraint: int,
        family: int,
        latency: int,
        throughput: int,
        tree: Tree,
        template: str,
    ) -> None:
        self.row, self.index, self.signature, self.min_sm, self.mask = row, index, signature, min_sm, mask
        self.constraint, self.family, self.latency = constraint, family, latency
        self.throughput, self.tree, self.template = throughput, tree, template
        self.repeats = False
        """An operand stands twice in the tree, below operations whose operands may be swapped."""
        self.across: frozenset[tuple[int, int]] = frozenset()
        """How deep it stands in one operand of the root and in the other (0: it is that operand); empty if it does not
        stand in both, or deeper than 2."""

    @property
    def name(self) -> str:
        return self.row.tree


_TOKEN = re.compile(r"\s*((?:[\w.*]|\{[\w.]+\})+(?::\w+)?|=-?\w+|[(),])")
_LEAF = re.compile(r"[(,]\s*[a-z]\w*(?:\*\d+)?(?::(\w+))?(?=\s*[,)])")
_NAME = re.compile(r"(?<=[(, ])[a-z](?=[:,)])")
_AXIS = re.compile(r"\{(\w+)\}")
_FIELD = re.compile(r"\{(\w+)(?:\.(\d))?\}")
_RESULTS = re.compile(r"\$([a-z]\w*)\*(\d+)")


@cache
def unify(op: str, name: str) -> dict[str, str] | None:
    """Axes of `op` bound such that it reads `name`, the first to their longest words; None if that cannot be."""
    start, brace, rest = op.partition("{")
    if not brace:
        return {} if op == name else None
    if not name.startswith(start):
        return None
    axis, _, rest = rest.partition("}")
    for word in sorted(AXES[axis], key=len, reverse=True):
        if name.startswith(word, len(start)):
            others = unify(rest, name[len(start) + len(word) :])
            if others is not None:
                return {axis: word} | others
    return None


def substitute(text: str, bound: dict[str, str]) -> str:
    """PTX's texts for bound axes in a template or cost class; others are left."""
    if "{" not in text:
        return text

    def field(found: re.Match[str]) -> str:
        word = bound.get(found[1])
        return found[0] if word is None else AXES[found[1]][word][int(found[2] or 0)]

    return _FIELD.sub(field, text)


def root(tree: str) -> str:
    """The operation at the root of a tree."""
    return tree.partition("(")[0]


WORDS = ("p", "i32", "i64", "f32", "f64", "f16", "bf16", "h", "f16x2", "bf16x2", "f32x2", "i16", "load", "store", "mma")
"""Types that stand in the names of operations, and what tells the members of the largest families apart: with the head,
a signature's identity."""
_WORD = {word: code for code, word in enumerate(WORDS, 1)}


def heads(op: str) -> list[str]:
    """Names that the head of a root stands for: one, or as many as the axis in it has texts."""
    head = op.partition(".")[0]
    if "{" not in head:
        return [head]
    found = _AXIS.search(head)
    assert found is not None
    return list(dict.fromkeys(head.replace(found[0], text, 1).partition(".")[0] for text in AXES[found[1]]))


@cache
def _rows_of_heads() -> dict[str, tuple[int, list[Row]]]:
    """Head of an operation -> its number, and the patterns whose root may have it."""
    found: dict[str, tuple[int, list[Row]]] = {}
    named: dict[str, list[str]] = {}
    for row in all_rows():
        op = root(row.tree)
        if op not in named:
            named[op] = heads(op)
        for head in named[op]:
            if head not in found:
                found[head] = len(found) + 1, []
            found[head][1].append(row)
    return found


@cache
def _identity(head: str) -> tuple[int, dict[str, int]] | None:
    """Number of a head and the types that identify: those that no axis of its patterns covers."""
    if head not in _rows_of_heads():
        return None
    number, rows = _rows_of_heads()[head]
    axes = {axis for row in rows if "{" in row.tree for axis in _AXIS.findall(root(row.tree))}
    covered = {word for axis in axes for text in AXES[axis] for word in text.split(".")}
    return number, {word: code for word, code in _WORD.items() if word not in covered}


@cache
def signature(op: str) -> int | None:
    """64-bit IR signature of an operation: its head and the types in its name; None where no pattern has its head. The
    upper half is the identity. The lower half is what the hash sees (it ignores bits 0 to 3 and everything above 31),
    mixed so that probes are short."""
    head, _, rest = op.partition(".")
    found = _identity(head)
    if found is None:
        return None
    identity, words = found
    for word in rest.split("."):
        code = words.get(word)
        if code is not None:
            identity = identity << 4 | code
    return identity << 32 | identity * 0x7B24A0BF & 0xFFFFFFF0


def _signature_as(head: str, op: str) -> int:
    """Signature of a root where it has this head, the first texts in the place of its other axes."""
    rest = op[len(op.partition(".")[0]) :]
    key = signature(head + _AXIS.sub(lambda found: next(iter(AXES[found[1]])), rest) if "{" in rest else head + rest)
    assert key is not None
    return key


def signatures(op: str) -> list[int]:
    """Signatures of a pattern's root: one for each head it stands for."""
    return [_signature_as(head, op) for head in heads(op)]


_LEAVES = 32
"""Where the classes of the operands begin in an operand mask: four bits each."""


@cache
def operand_mask(tree: str) -> int:
    """Operand mask: the type the operation works on in bits 28 to 31, above it the class of each operand in order of
    appearance. The bits below are what the hash sees, mixed from the others."""
    op, _, leaves = tree.partition("(")
    exact = _WORD.get(op.rpartition(".")[2], 0)
    if leaves:
        for position, kind in enumerate(_LEAF.findall("(" + leaves)):
            exact |= _CODES[kind] << (4 + 4 * position)
    return exact << 28 | exact * 0x127047 & 0xFFFFFF0


def operands(mask: int) -> list[str]:
    """Constraint class of each operand of a mask."""
    return [_CLASS_NAMES[mask >> at & 15] for at in range(_LEAVES, mask.bit_length(), 4)]


def constraint_data(mask: int) -> int:
    """What each operand accepts, and the type, in the places of the mask; the number of operands in the low bits."""
    names = operands(mask)
    accepted = sum(CLASSES[name][1] << (_LEAVES + 4 * place) for place, name in enumerate(names))
    return mask & 0xF0000000 | accepted | len(names)


@cache
def all_rows() -> tuple[Row, ...]:
    """Every pattern, those of one category after the other."""
    return tuple(row for category in CATEGORIES for row in rows_of(category))


class Database:
    """The tables for one machine, and the patterns behind them.

    The primary table holds one record per IR signature: it names the first of its patterns in `rows`, where patterns of
    one signature are neighbours, how many there are, and the least of their costs and SMs."""

    def __init__(self, sm: int, feature: str = "", without: Row | None = None, everything: bool = False) -> None:
        self.sm = sm
        self.feature = feature
        self.without = without
        self.rows: list[Row] = []
        self.primary = PatternTable()
        self.secondary = ConstraintTable()
        self.tertiary = CostTable()
        self.names = list(COSTS)
        self.families = {name: index for index, name in enumerate(self.names)}
        self.masks: list[int] = []
        self._heads: set[str] = set()
        self._found: dict[str, list[Pattern]] = {}
        self._cost_of: dict[int, costs.Cost] = {}
        if everything:
            self.primary.bulk(self._records(*_rows_of_heads()))
            for mask in sorted(set(self.masks)):
                self.secondary.insert(mask, constraint_data(mask))
            for name in COSTS:
                for generation in generations(name):
                    self._bake(name, generation)

    def _records(self, *names: str) -> list[tuple[int, ...]]:
        """The primary table's records for some heads, whose patterns are added to `rows`."""
        self._heads.update(names)
        groups: dict[int, list[Row]] = {}
        for head in names:
            for row in _rows_of_heads()[head][1]:
                if row is not self.without:
                    groups.setdefault(_signature_as(head, root(row.tree)), []).append(row)
        records: list[tuple[int, ...]] = []
        for key, rows in groups.items():
            first = len(self.rows)
            self.rows += rows
            own = [operand_mask(row.tree) for row in rows]
            self.masks += own
            least = min([row.sm for row in rows])
            name = rows[0].cost
            if "{" in name:
                name = substitute(name, _firsts(rows[0].tree))
            latency, throughput = cost_of(name, self.sm)
            records.append((key, first, throughput, latency, least, len(rows), self.families[name], own[0]))
        return records

    def _load(self, head: str) -> None:
        """Fill the tables with what they need for one head."""
        first = len(self.masks)
        for record in self._records(head):
            self.primary.insert(*record)
        for mask in set(self.masks[first:]):
            self.secondary.insert(mask, constraint_data(mask))

    def _bake(self, name: str, sm: int) -> int:
        """Key of a class' record for a machine; the record is made if it is not there yet."""
        key = CostTable.key(self.families[name], since(name, sm))
        if self.tertiary.lookup(key) is None:
            latency, throughput = cost_of(name, sm)
            self.tertiary.insert(key, costs.combine(latency, throughput), since(name, sm))
        return key

    def cost(self, pattern: Pattern) -> costs.Cost:
        """Final cost of a pattern, from the cost table."""
        found = self._cost_of.get(pattern.family)
        if found is None:
            key = self._bake(self.names[pattern.family], self.sm)
            found = self._cost_of[pattern.family] = self.tertiary.lookup(key) or costs.INFINITY
        return found

    def lookup(self, op: str) -> list[Pattern]:
        """Patterns whose root is `op` and that this machine has, in the database's order."""
        found = self._found.get(op)
        if found is None:
            found = self._found[op] = self._lookup(op)
        return found

    def simple(self, op: str) -> Pattern:
        """The first pattern of the operation alone, not of a tree of several."""
        return next(p for p in self.lookup(op) if all(isinstance(c, Leaf) for c in p.tree.children))

    def has(self, row: Row) -> bool:
        """Whether the machine has the instruction: architecture-specific ones belong to one family of SMs."""
        if "a" in row.flags.split():
            return self.feature != "" and self.sm // 10 == row.sm // 10 and self.sm >= row.sm
        return row.sm <= self.sm

    def _lookup(self, op: str) -> list[Pattern]:
        key = signature(op)
        if key is None:
            return []
        head = op.partition(".")[0]
        if head not in self._heads:
            self._load(head)
        out = []
        type_ = _WORD.get(op.rpartition(".")[2], 0)
        for sig, first, _, _, min_sm, count, _, _ in self.primary.lookup(key):
            if min_sm > self.sm:
                continue
            for index in range(first, first + count):
                row = self.rows[index]
                bound = unify(root(row.tree), op)
                if bound is None or not self.has(row):
                    continue
                if any(SINCE.get(pair, 0) > self.sm for pair in bound.items()):
                    continue
                data = self.secondary.get(self.masks[index]) or 0
                if data >> 28 & 15 not in (0, type_):
                    continue
                out.append(self._pattern(row, index, sig, data, bound))
        return out

    def _pattern(self, row: Row, index: int, sig: int, data: int, bound: dict[str, str]) -> Pattern:
        name = substitute(row.cost, bound)
        latency, throughput = cost_of(name, self.sm)
        template = _RESULTS.sub(_listed, substitute(row.template, bound))
        mask, family = self.masks[index], self.families[name]
        tree = _parse_tree(row.tree, mask, data, bound)
        pattern = Pattern(row, index, sig, row.sm, mask, data, family, latency, throughput, tree, template)
        names = _NAME.findall(row.tree)
        pattern.repeats = len(names) > len(set(names)) and "{" not in row.tree
        if pattern.repeats and len(tree.children) == 2:
            first, second = (_depths(child) for child in tree.children)
            pairs = frozenset((m, n) for name, m in first for other, n in second if name == other)
            pattern.across = pairs if all(max(pair) <= 2 for pair in pairs) else frozenset()
        return pattern


def _depths(tree: Tree | Leaf, depth: int = 0) -> set[tuple[str, int]]:
    """Operands of a tree, each with its depth."""
    if isinstance(tree, Leaf):
        return {(tree.name, depth)} if tree.name else set()
    return {found for child in tree.children for found in _depths(child, depth + 1)}


def _listed(found: re.Match[str]) -> str:
    """$d*3 -> $d0, $d1, $d2"""
    return ", ".join(f"${found[1]}{i}" for i in range(int(found[2])))


def _firsts(tree: str) -> dict[str, str]:
    return {name: next(iter(AXES[name])) for name in _AXIS.findall(root(tree))}


@cache
def database(sm: int, feature: str = "") -> Database:
    """The database of one machine."""
    return Database(sm, feature)


def of(arch: Arch) -> Database:
    """The database of a described machine."""
    return database(arch.sm, arch.feature)


def _parse_tree(text: str, mask: int, constraint: int, bound: dict[str, str]) -> Tree:
    tokens = _TOKEN.findall(text)
    at = 0
    position = 0

    def leaves(token: str) -> list[Tree | Leaf]:
        nonlocal position
        name, _, several = token.partition(":")[0].partition("*")
        code = mask >> (_LEAVES + 4 * position) & 15
        accept = constraint >> (_LEAVES + 4 * position) & 15
        position += 1
        names = [f"{name}{i}" for i in range(int(several))] if several else [name]
        return [Leaf(one, accept, _RANGES.get(code)) for one in names]

    def item() -> list[Tree | Leaf]:
        nonlocal at
        token = tokens[at]
        at += 1
        if token[0] == "=":
            return [Leaf("", IMM, None, int(token[1:], 0))]
        if "." not in token:
            return leaves(token)
        children: list[Tree | Leaf] = []
        if at < len(tokens) and tokens[at] == "(":
            at += 1
            while tokens[at] != ")":
                children += item()
                if tokens[at] == ",":
                    at += 1
            at += 1
        op = _AXIS.sub(lambda found: bound.get(found[1], found[0]), token)
        swap = op.partition(".")[0] in COMMUTATIVE and len(children) == 2 and any(isinstance(c, Tree) for c in children)
        return [Tree(op, tuple(children), swap, "{" in op)]

    tree = item()[0]
    assert isinstance(tree, Tree)
    return tree
