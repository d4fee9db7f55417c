"""The pattern database: rows of `minicc.isel.patterns` indexed by the three hash tables.

Built once per process (a few milliseconds); a pattern's tree and template are parsed when its signature is first looked
up, and final costs are baked per SM from the cost table.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import attrs

from minicc.isel import cost as costs
from minicc.isel.patterns import CATEGORIES, LATENCY_CLASSES, Row, latency_of, rows_of
from minicc.isel.tables import ConstraintTable, CostTable, PatternTable

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
}
"""r register; ri register or immediate; i any immediate; i5 0..31; i6 0..63; p2 a power of two; low a mask 2**n - 1;
m address; n predicate, possibly negated; s16 -32768..32767; sym symbol; u32 0..2**32-1; s31 a 64-bit immediate that is
a signed 32-bit one; high ~(2**n - 1) of 32 bits."""

_RANGES: dict[int, Any] = {
    4: lambda v: 0 <= v < 32,
    5: lambda v: 0 <= v < 64,
    6: lambda v: v > 0 and v & (v - 1) == 0,
    7: lambda v: v > 0 and v & (v + 1) == 0,
    10: lambda v: v < 0x8000 or (v & 0xFFFF8000) == 0xFFFF8000,
    12: lambda v: 0 <= v < 1 << 32,
    14: lambda v: v < 1 << 32 and (v ^ 0xFFFFFFFF) & ((v ^ 0xFFFFFFFF) + 1) == 0 and v != 0xFFFFFFFF,
    13: lambda v: v < 1 << 31 or v >= (1 << 64) - (1 << 31),
}
_CLASS_NAMES = {code: name for name, (code, _) in CLASSES.items()}


@attrs.frozen(eq=False, repr=False)
class Tree:
    """Inner node of a pattern: `op` the signature name ("*" components match anything), children trees or leaves."""

    op: str
    children: tuple[Tree | Leaf, ...]
    commutative: bool
    wild: re.Pattern[str] | None = None


@attrs.frozen(eq=False, repr=False)
class Leaf:
    """Operand: `name` in the template; `accept` and `check` from the constraint table. `value` fixes a constant."""

    name: str
    accept: int
    check: Any = None
    value: int | None = None


@attrs.define(eq=False, repr=False)
class Pattern:
    """A row, ready to match. `latency`, `throughput` are the entry's two costs, `cost` the final one for an SM."""

    row: Row
    index: int
    signature: int
    min_sm: int
    mask: int
    constraint: int
    family: int
    latency: int
    throughput: int
    tree: Tree | None = None
    template: Any = None

    @property
    def name(self) -> str:
        return self.row.tree


_TOKEN = re.compile(r"\s*([\w.*]+(?::\w+)?|=-?\w+|[(),])")
_LEAF = re.compile(r"[(,]\s*([a-z]\w*)(?::(\w+))?(?=\s*[,)])")
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
def _codes() -> tuple[dict[str, int], dict[str, int]]:
    """Numbers of operation heads and of type/space/predicate components, in order of first appearance in the rows."""
    heads: dict[str, int] = {}
    words: dict[str, int] = {}
    for category in CATEGORIES:
        for row in rows_of(category):
            head, _, rest = row.tree.partition("(")[0].partition(".")
            heads.setdefault(head, len(heads) + 1)
            for word in rest.split("."):
                words.setdefault(word, len(words))
    return heads, words


@cache
def signature(op: str) -> int | None:
    """64-bit IR signature of a node's op. The upper half is the identity: head, then up to three words of its suffix.
    The lower half is what the hash sees (it ignores bits 0 to 3 and everything above 31): head << 14, type << 12,
    space or predicate << 9, combined; of the layouts tried this one gives the shortest probes."""
    heads, words = _codes()
    head, _, rest = op.partition(".")
    number = heads.get(head)
    if number is None:
        return None
    identity = number
    codes = []
    for word in rest.split("."):
        code = words.get(word)
        if code is None:
            return None
        codes.append(code)
        identity = identity << 7 | code + 1
    low = number << 14 ^ codes[-1] << 12
    if len(codes) > 1:
        low ^= codes[0] << 9
    return identity << 32 | low


@cache
def _mask(leaves: str) -> int:
    """Operand mask of a tree's operands: four bits per leaf in order of appearance."""
    mask = 0
    for position, found in enumerate(_LEAF.finditer(leaves)):
        kind = found[2] or "r"
        mask |= CLASSES[kind][0] << (4 * position)
    return mask


def constraint_data(mask: int) -> int:
    """What each operand accepts, four bits each, and the operand count in the top byte."""
    data = 0
    count = 0
    while mask >> (4 * count):
        data |= CLASSES[_CLASS_NAMES[mask >> (4 * count) & 15]][1] << (4 * count)
        count += 1
    return data | count << 56


class Database:
    """The tables, and the patterns behind them."""

    def __init__(self, sm: int) -> None:
        self.sm = sm
        self.rows: list[Row] = [row for category in CATEGORIES for row in rows_of(category)]
        self.primary = PatternTable()
        self.secondary = ConstraintTable()
        self.tertiary = CostTable()
        families = {name: index for index, name in enumerate(LATENCY_CLASSES)}
        records: list[tuple[int, ...]] = []
        masks: set[int] = {0}
        timing = {name: latency_of(name, sm) for name in LATENCY_CLASSES}
        for index, row in enumerate(self.rows):
            op = row.tree.partition("(")[0]
            key = signature(op)
            assert key is not None
            mask = _mask(row.tree[len(op) :])
            masks.add(mask)
            latency, throughput = timing[row.cost]
            records.append((key, index, throughput, latency, row.sm, 0, families.get(row.cost, 0), mask))
        self.primary.bulk(records)
        for mask in sorted(masks):
            self.secondary.insert(mask, constraint_data(mask))
        for name in dict.fromkeys(row.cost for row in self.rows):
            self._bake(name, families)
        self._found: dict[str, list[Pattern]] = {}
        self._cost_of: dict[int, costs.Cost] = {}

    def _bake(self, name: str, families: dict[str, int]) -> None:
        key = CostTable.key(families[name], self.sm)
        if self.tertiary.lookup(key) is None:
            latency, throughput = latency_of(name, self.sm)
            self.tertiary.insert(key, costs.combine(latency, throughput), self.sm)

    def cost(self, pattern: Pattern) -> costs.Cost:
        """Final cost of a pattern, from the cost table."""
        found = self._cost_of.get(pattern.family)
        if found is None:
            found = self.tertiary.lookup(CostTable.key(pattern.family, self.sm)) or costs.INFINITY
            self._cost_of[pattern.family] = found
        return found

    def lookup(self, op: str) -> list[Pattern]:
        """Patterns whose root is `op` and that this SM has, in the database's order."""
        found = self._found.get(op)
        if found is None:
            found = self._found[op] = self._lookup(op)
        return found

    def _lookup(self, op: str) -> list[Pattern]:
        key = signature(op)
        if key is None:
            return []
        out = []
        for sig, index, throughput, latency, min_sm, _flags, family, mask in self.primary.lookup(key):
            if min_sm > self.sm or self.rows[index].tree.partition("(")[0] != op:
                continue
            data = self.secondary.get(mask) or 0
            pattern = Pattern(self.rows[index], index, sig, min_sm, mask, data, family, latency, throughput)
            pattern.tree = _parse_tree(pattern)
            out.append(pattern)
        return out


@cache
def database(sm: int) -> Database:
    """The database of one SM."""
    return Database(sm)


def _parse_tree(pattern: Pattern) -> Tree:
    tokens = _TOKEN.findall(pattern.row.tree)
    at = 0
    position = 0

    def item() -> Tree | Leaf:
        nonlocal at, position
        token = tokens[at]
        at += 1
        if token[0] == "=":
            return Leaf("", IMM, None, int(token[1:], 0))
        if "." not in token:
            name = token.partition(":")[0]
            code = pattern.mask >> (4 * position) & 15
            accept = pattern.constraint >> (4 * position) & 15
            position += 1
            return Leaf(name, accept, _RANGES.get(code))
        children: list[Tree | Leaf] = []
        if at < len(tokens) and tokens[at] == "(":
            at += 1
            while tokens[at] != ")":
                children.append(item())
                if tokens[at] == ",":
                    at += 1
            at += 1
        wild = re.compile(re.escape(token).replace(r"\*", r"([a-z]\w*)") + r"\Z") if "*" in token else None
        head = token.partition(".")[0]
        swap = head in COMMUTATIVE and len(children) == 2 and any(isinstance(c, Tree) for c in children)
        return Tree(token, tuple(children), swap, wild)

    tree = item()
    assert isinstance(tree, Tree)
    return tree
