"""Addresses that differ by a constant share one computation: the others become [first + constant].

LLVM splits constants off an index while the sums are known not to overflow; what its later passes rewrite
(reassociation, shifts of sums) has lost that mark. Here an address is a linear form, base + sum of coefficient * leaf
+ constant in bytes, and a GEP whose form an earlier, dominating one has but for the constant is made from that one.

A sum of 32 bits is taken not to overflow where it is extended with its sign to index memory: for signed arithmetic the
language says so; for an unsigned sum that the source converted to int, A[i] and A[i+1] would have to lie 2**32 elements
apart, in the one object that A points into. nvcc assumes as much. That holds where both are accessed: a sum of 64 bits
whose access may not happen does not say that one of 32 bits does not wrap. Indices that are extended with zeros are
left alone.
Pointers of 32 bits and indices of 64 wrap as the sums do, and need no assumption.

What differs by a multiple of a word that only the launch knows, as the rows of a matrix do, is made one from another,
too: LLVM's straight-line strength reduction does so, in a time that is quadratic, and is left out of long blocks.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator
from functools import cached_property

from minicc.graphs import nesting
from minicc.isel.layout import DataLayout
from minicc.isel.prepare.sink import PURE, users
from minicc.numbers import signed
from minicc.nvvm import ir

_REACH = 1 << 23
"""Offsets of memory instructions are 24-bit signed numbers."""
_MOST_TERMS = 8
_DEPTH = 16
_UNSIGNED = (1 << 32) - 1

Leaf = Hashable
"""A value, or a product of two sums of leaves: a set of the two, each a set of (leaf, coefficient)."""
Form = tuple[dict[Leaf, int], int]
"""Coefficients of the leaves, constant."""
Extended = tuple[frozenset[Leaf], bool]
"""Sums of 32 bits, by their leaves, that are extended in one of 64; whether none of them overflows."""
_SUMS = ("add", "sub", "mul", "shl", "or")


class _Forms:
    """Linear forms of integers, each computed once."""

    def __init__(self) -> None:
        self.known: dict[ir.Value, Form] = {}
        self.products: dict[Leaf, ir.Inst] = {}
        """One that has the value of each product."""

    def of(self, value: ir.Value, depth: int = _DEPTH) -> Form:
        """The form of an integer, modulo 2**bits of its type, with signed coefficients."""
        if isinstance(value, ir.ConstInt):
            return {}, signed(value.value, value.type.bits)
        if isinstance(value, ir.Zero):
            return {}, 0
        found = self.known.get(value)
        if found is None:
            found = self._compute(value, depth) if isinstance(value, ir.Inst) and depth else ({value: 1}, 0)
            if len(found[0]) > _MOST_TERMS:
                found = ({value: 1}, 0)
            self.known[value] = found
        return found

    def extended(self, value: ir.Value, depth: int = _DEPTH) -> Extended:
        """What a sum of 64 bits is extended from."""
        if not isinstance(value, ir.Inst) or not depth or not (value.op in _SUMS or value.op in ("sext", "zext")):
            return frozenset(), True
        if value.op in ("sext", "zext"):
            terms, _ = self.of(value.args[0])
            if value.args[0].type.bits != 32 or (value.op == "zext" and "nneg" not in value.flags):
                return frozenset(), True
            if len(terms) <= 1 and all(count == 1 and _is_word(leaf) for leaf, count in terms.items()):
                return frozenset(), True
            return frozenset({frozenset(terms.items())}), _promised(value.args[0])
        parts = [self.extended(arg, depth - 1) for arg in value.args]
        return frozenset().union(*(sums for sums, _ in parts)), all(exact for _, exact in parts)

    def _compute(self, inst: ir.Inst, depth: int) -> Form:
        op, args, bits = inst.op, inst.args, inst.type.bits
        if op in ("add", "sub") or (op == "or" and "disjoint" in inst.flags):
            return _sum(self.of(args[0], depth - 1), self.of(args[1], depth - 1), -1 if op == "sub" else 1, bits)
        if op == "shl" and isinstance(args[1], ir.ConstInt) and args[1].value < bits:
            return _sum(({}, 0), self.of(args[0], depth - 1), 1 << args[1].value, bits)
        if op == "mul":
            (a, m), (b, n) = self.of(args[0], depth - 1), self.of(args[1], depth - 1)
            leaf = frozenset((frozenset(a.items()), frozenset(b.items())))
            product: dict[Leaf, int] = {leaf: 1} if a and b else {}
            if product and not m and not n:
                self.products.setdefault(leaf, inst)
            return _sum(_sum((product, signed(m * n, bits)), (b, 0), m, bits), (a, 0), n, bits)
        if op == "trunc":
            return _sum(({}, 0), self.of(args[0], depth - 1), 1, bits)
        if (op == "sext" or (op == "zext" and "nneg" in inst.flags)) and args[0].type.bits == 32:
            return self.of(args[0], depth - 1)
        return {inst: 1}, 0


def _is_word(leaf: Leaf) -> bool:
    """Whether a leaf is what was extended, and not the lower word of a longer number."""
    return isinstance(leaf, ir.Value) and leaf.type.bits <= 32


def _promised(value: ir.Value, depth: int = _DEPTH) -> bool:
    """Whether a sum is known not to overflow as a signed one."""
    if not isinstance(value, ir.Inst) or not (value.op in _SUMS or value.op == "trunc"):
        return True
    kept = "nsw" in value.flags or (value.op == "or" and "disjoint" in value.flags)
    return kept and depth > 0 and all(_promised(arg, depth - 1) for arg in value.args)


def _sum(a: Form, b: Form, factor: int, bits: int) -> Form:
    """a + factor * b."""
    terms = dict(a[0])
    for leaf, count in b[0].items():
        total = signed(terms.get(leaf, 0) + factor * count, bits)
        if total:
            terms[leaf] = total
        else:
            terms.pop(leaf, None)
    return terms, signed(a[1] + factor * b[1], bits)


class _Sharing:
    def __init__(self, function: ir.Function, layout: DataLayout) -> None:
        self.function = function
        self.layout = layout
        self.forms = _Forms()
        self.addresses: dict[ir.Inst, tuple[ir.Value, Form]] = {}

    def address(self, gep: ir.Inst) -> tuple[ir.Value, Form] | None:
        """(root, form in bytes) of a GEP over scalar elements; None if it is of another kind."""
        found = self.addresses.get(gep)
        if found is not None:
            return found
        if gep.op != "getelementptr" or len(gep.args) != 2 or gep.source is None or gep.type.kind != "ptr":
            return None
        index = gep.args[1]
        bits = self.layout.pointer(gep.type.space)
        if index.type.kind != "int" or (index.type.bits != bits and not isinstance(index, ir.ConstInt)):
            return None
        size = self.layout.size(gep.source)
        base, first = _symbol(gep.args[0], self.layout)
        self.addresses[gep] = gep, ({}, 0)  # in code that nothing reaches an address may rest on itself
        inner = self.address(base) if isinstance(base, ir.Inst) else None
        root, start = inner if inner is not None else (base, ({}, first))
        found = root, _sum(start, self.forms.of(index), size, bits)
        self.addresses[gep] = found
        return found

    def extended(self, gep: ir.Inst, depth: int = _DEPTH) -> Extended:
        """What the indices of an address are extended from."""
        base, index = gep.args
        sums, exact = self.forms.extended(index)
        if not isinstance(base, ir.Inst) or base not in self.addresses or not depth:
            return sums, exact
        more, too = self.extended(base, depth - 1)
        return sums | more, exact and too

    def alike(self, leader: ir.Inst, inst: ir.Inst) -> bool:
        """Whether two addresses of the same leaves wrap alike, or not at all, or the first is accessed wherever the
        second is computed, so that both lie in one object."""
        (sums, exact), (others, too) = self.extended(leader), self.extended(inst)
        return sums == others or (exact and too) or _accessed(leader, (leader.parent, inst.parent), self.uses)

    @cached_property
    def uses(self) -> dict[ir.Value, list[ir.Inst]]:
        return users(self.function)

    def run(self) -> bool:
        groups: dict[tuple[ir.Value, frozenset[tuple[Leaf, int]]], list[_Member]] = {}
        for block in self.function.blocks:
            for inst in block.insts:
                if inst.op == "getelementptr":
                    found = self.address(inst)
                    if found is not None and found[1][0]:
                        root, (terms, constant) = found
                        groups.setdefault((root, frozenset(terms.items())), []).append((inst, constant))
        shared = [members for members in groups.values() if len(members) > 1 and _different(members)]
        if not shared:
            return False
        order = _Dominance(self.function)
        changed = False
        for members in shared:
            for inst, constant, leaders in order.led(members):
                for leader, at in leaders:
                    if abs(constant - at) < _REACH and self.alike(leader, inst):
                        changed |= _derive(inst, leader, constant - at)
                        break
                else:
                    leaders.append((inst, constant))
        return changed


def _accessed(gep: ir.Inst, homes: Container[ir.Block | None], uses: dict[ir.Value, list[ir.Inst]]) -> bool:
    """Whether a block of these loads or stores there, by inline assembly or not."""
    return any(_accesses(u, gep) and u.parent in homes for u in uses.get(gep, ()))


def _accesses(inst: ir.Inst, gep: ir.Inst) -> bool:
    if isinstance(inst.callee, ir.InlineAsm):
        return inst.callee.text.startswith(("ld.", "st.", "atom.", "red."))
    return inst.op in ("load", "store") and inst.args[-1] is gep


def _symbol(base: ir.Value, layout: DataLayout) -> tuple[ir.Value, int]:
    """A variable and the bytes from its start to a place in it; any other address, and none."""
    if isinstance(base, ir.ConstExpr) and base.op == "getelementptr" and len(base.args) == 2 and base.source:
        start, index = base.args
        if isinstance(start, ir.Global) and isinstance(index, ir.ConstInt):
            return start, layout.size(base.source) * signed(index.value, index.type.bits)
    return base, 0


def _different(members: list[_Member]) -> bool:
    """Whether more than one of them computes its address from anything but another one and a constant."""
    own = [inst for inst, _ in members if not isinstance(inst.args[1], ir.ConstInt)]
    return len(own) > 1


def _derive(inst: ir.Inst, leader: ir.Inst, distance: int) -> bool:
    """Make a GEP from its leader; whether that changed anything."""
    if isinstance(inst.args[1], ir.ConstInt) and inst.args[0] is leader:
        return False
    _keep_sign(leader, inst)
    bits = 64 if not isinstance(leader.args[1], ir.Inst) else leader.args[1].type.bits
    inst.args = [leader, ir.ConstInt(ir.int_type(bits), distance & ((1 << bits) - 1))]
    inst.source = ir.I8
    return True


def _keep_sign(leader: ir.Inst, inst: ir.Inst) -> None:
    """A leader may be computed where its index is negative and its access does not happen: the extension of a number
    that is not negative is made that of any number, unless the derived address was made of it too."""
    own: set[ir.Value] = set()
    _extensions(inst, own)
    for index in leader.args[1:]:
        _extend_signed(index, own)


def _extensions(value: ir.Value, found: set[ir.Value], depth: int = _DEPTH) -> None:
    """Collect the extensions of numbers that are not negative which an address, or an index, is made of."""
    if not isinstance(value, ir.Inst) or not depth:
        return
    if value.op == "zext" and "nneg" in value.flags:
        found.add(value)
    elif value.op in ("getelementptr", "add", "sub", "mul", "shl", "or"):
        for arg in value.args:
            _extensions(arg, found, depth - 1)


def _extend_signed(index: ir.Value, own: set[ir.Value], depth: int = _DEPTH) -> None:
    """Make extensions of numbers that are not negative those of any number, but for `own`."""
    if not isinstance(index, ir.Inst) or not depth or index.type.bits != 64 or index in own:
        return
    if index.op == "zext" and "nneg" in index.flags:
        index.op = "sext"
        index.flags = index.flags - {"nneg"}
    elif index.op in ("add", "sub", "mul", "shl", "or"):
        for arg in index.args:
            _extend_signed(arg, own, depth - 1)


_Member = tuple[ir.Inst, int]
"""What is computed, and how far it is from what the others of its group are."""
_NOWHERE = (1, 0)
"""Where `graphs.nesting` has nodes that cannot be reached."""


class _Dominance:
    """Which instruction dominates which."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.positions: dict[ir.Block, dict[ir.Inst, int]] = {}

    @cached_property
    def nested(self) -> dict[ir.Block, tuple[int, int]]:
        """Of the blocks that can be reached."""
        from minicc.isel.order import dominators

        above = dominators(self.function)
        number = {block: n for n, block in enumerate(above)}
        tree = nesting([n if up is None else number[up] for n, up in enumerate(above.values())])
        return dict(zip(above, tree, strict=True))

    def place(self, inst: ir.Inst) -> tuple[int, int]:
        """What dominates it comes before it, and between them nothing that the former does not dominate."""
        block = inst.parent
        assert block is not None
        found = self.positions.get(block)
        if found is None:
            found = self.positions[block] = {inst: number for number, inst in enumerate(block.insts)}
        return self.nested.get(block, _NOWHERE)[0], found[inst]

    def dominates(self, a: ir.Inst, b: ir.Inst) -> bool:
        """For a before b in `place`, or in one block."""
        assert a.parent is not None and b.parent is not None
        first, last = self.nested.get(a.parent, _NOWHERE)
        return a.parent is b.parent or first <= self.nested.get(b.parent, _NOWHERE)[0] <= last

    def before(self, value: ir.Value, inst: ir.Inst) -> bool:
        """Whether a value is there where an instruction stands."""
        if not isinstance(value, ir.Inst):
            return True
        return self.place(value) < self.place(inst) and self.dominates(value, inst)

    def led(self, members: list[_Member]) -> Iterator[tuple[ir.Inst, int, list[_Member]]]:
        """The members, each behind those that dominate it, and with those of these that have been made leaders: a list
        to which it can be added."""
        leaders: list[_Member] = []
        for inst, constant in sorted(members, key=lambda member: self.place(member[0])):
            while leaders and not self.dominates(leaders[-1][0], inst):
                leaders.pop()
            yield inst, constant, leaders


def _regroup(function: ir.Function, layout: DataLayout) -> bool:
    """base + i + j, where base + j is known or is made later in the block, as base + j + i, if nothing else asks for
    base + i. Whether anything changed."""
    uses = users(function)
    known: dict[tuple[ir.Value, ir.Value, int], list[ir.Inst]] = {}
    places = {}
    for block in function.blocks:
        for place, inst in enumerate(block.insts):
            if inst.op == "getelementptr" and len(inst.args) == 2 and inst.source and inst.type.kind == "ptr":
                places[inst] = place
                known.setdefault((inst.args[0], inst.args[1], layout.size(inst.source)), []).append(inst)
    order = _Dominance(function)
    changed = False
    for inst in places:
        inner, index = inst.args
        if not isinstance(inner, ir.Inst) or inner not in places or len(uses[inner]) > 1:
            continue
        if isinstance(index, ir.ConstInt) or isinstance(inner.args[1], ir.ConstInt):
            continue
        assert inst.source is not None and inst.parent is not None
        for sum_ in known.get((inner.args[0], index, layout.size(inst.source)), ()):
            if sum_ is not inst and order.dominates(sum_, inst):
                if sum_.parent is inst.parent and places[sum_] > places[inst]:  # what it takes is known here
                    inst.parent.insts.remove(sum_)
                    inst.parent.insts.insert(inst.parent.insts.index(inst), sum_)
                    places[sum_] = places[inst]
                inst.args, inst.source = [sum_, inner.args[1]], inner.source
                inst.flags = sum_.flags = frozenset()
                changed = True
                break
    return changed


def _sums(function: ir.Function) -> bool:
    """Sums of words that differ by a constant, one from another: what accesses by inline assembly go by, and as much
    as an address has no overflow to ask about. Whether anything changed."""
    forms = _Forms()
    groups: dict[frozenset[tuple[Leaf, int]], list[_Member]] = {}
    for inst in function.instructions():
        if inst.op == "add" and inst.type.bits == 32 and not isinstance(inst.args[1], ir.ConstInt):
            terms, constant = forms.of(inst)
            if len(terms) > 1:
                groups.setdefault(frozenset(terms.items()), []).append((inst, constant))
    several = [members for members in groups.values() if len({constant for _, constant in members}) > 1]
    order = _Dominance(function) if several else None
    for members in several:
        assert order is not None
        for inst, constant, leaders in order.led(members):
            if leaders:
                leader, at = leaders[0]
                inst.args = [leader, ir.ConstInt(inst.type, constant - at & _UNSIGNED)]
                inst.flags = frozenset()
            else:
                leaders.append((inst, constant))
    return bool(several)


_Places = dict[tuple[ir.Value, int], ir.Inst]
"""(base, bytes of an element) -> the GEP that takes an index there."""


def _strided(function: ir.Function, layout: DataLayout) -> bool:
    """Addresses whose indices differ by a multiple of one word, as those of rows do whose width the launch knows, are
    made one from another, by the multiple, where nothing else asks for the index: the first is accessed, or neither
    sum wraps. Whether anything changed."""
    uses, forms, dominance = users(function), _Forms(), _Dominance(function)
    changed = False
    gone: set[ir.Inst] = set()
    for block in function.blocks:
        indices: dict[ir.Inst, _Places] = {}
        order: dict[ir.Inst, int] = {}
        for inst in block.insts:
            if inst.op == "getelementptr" and len(inst.args) == 2 and inst.source and inst.type.kind == "ptr":
                index, space = inst.args[1], inst.type.space
                if space != _CONSTANT and isinstance(index, ir.Inst) and index.type.bits == layout.pointer(space):
                    indices.setdefault(index, {}).setdefault((inst.args[0], layout.size(inst.source)), inst)
                    order[inst] = len(order)
        steps: dict[tuple[ir.Value, int, int], list[tuple[ir.Inst, ir.Inst]]] = {}
        known = [*indices]
        for number in reversed(range(len(known))):  # the last first: sums are made of sums
            index, places = known[number], indices[known[number]]
            total = _total(index)
            if not isinstance(total, ir.Inst) or len(uses[index]) != len(places):
                continue
            if total is not index and {*uses[total]} - gone - {index}:
                continue
            for before in reversed(known[max(number - _MOST_BEFORE, 0) : number]):
                earlier = indices[before]
                if not all(place in earlier and order[earlier[place]] < order[gep] for place, gep in places.items()):
                    continue
                (_, exact), (_, too) = forms.extended(before), forms.extended(index)
                if not (exact and too) and not all(_accessed(earlier[place], (block,), uses) for place in places):
                    continue
                terms, constant = _sum(forms.of(index), forms.of(before), -1, index.type.bits)
                if len(terms) == 1 and not constant:
                    ((word, factor),) = terms.items()
                    word = forms.products.get(word, word)
                    if isinstance(word, ir.Value) and dominance.before(word, index):
                        steps.setdefault((word, factor, index.type.bits), []).append((index, before))
                        gone |= {index, total}
                        break
        for (word, factor, bits), pairs in steps.items():
            if factor == 1 or len(pairs) > 1:
                _step(block, word, factor, bits, [(indices[index], indices[before]) for index, before in pairs])
                changed = True
    return changed


def _total(index: ir.Inst) -> ir.Value:
    """What an index was before it was made as wide as a pointer."""
    return index.args[0] if index.op in ("sext", "trunc") else index


_CONSTANT = 4
"""Address space whose addresses stay apart: of sums that threads have alike NVIDIA's ptxas makes `ULDC c[3][UR]`, and
where the tables are too many for the nearest cache a warp waits for each (dedispersion over 256 channels on an H200:
seven to nine times as long)."""
_MOST_BEFORE = 8
"""Indices of a block that are looked at for one that another is made from."""


def _step(block: ir.Block, word: ir.Value, factor: int, bits: int, pairs: list[tuple[_Places, _Places]]) -> None:
    """Make addresses of `bits` from others of the block, a multiple of a word further on."""
    first = min((block.insts.index(gep) for places, _ in pairs for gep in places.values()))
    made, step = [], word
    if word.type.bits > bits:
        made.append(step := ir.Inst(ir.int_type(bits), "trunc", [step]))
    if factor != 1:
        made.append(
            step := ir.Inst(step.type, "mul", [step, ir.ConstInt(step.type, factor & (1 << step.type.bits) - 1)])
        )
    if step.type.bits < bits:
        made.append(step := ir.Inst(ir.int_type(bits), "sext", [step]))
    for inst in made:
        inst.parent = block
    block.insts[first:first] = made
    for places, before in pairs:
        for place, gep in places.items():
            _keep_sign(before[place], gep)
            gep.args, gep.flags = [before[place], step], frozenset()


def _steps(function: ir.Function) -> bool:
    """Sums and products of a block that differ by a multiple of a word, one from another: (i + 1) * w is i * w + w. Of
    32 bits where nothing else asks for what they were made of. Whether anything changed."""
    blocks = [block for block in function.blocks if sum(map(_product, block.insts)) > 1]
    forms, uses = _Forms(), users(function) if blocks else {}
    gone: set[ir.Inst] = set()
    for block in blocks:
        groups: dict[str, dict[tuple[object, ir.Value], list[_Member]]] = {"add": {}, "mul": {}}
        for inst in block.insts:
            if (
                inst.op not in groups
                or inst.type.bits not in _STEPPED[inst.op]
                or isinstance(inst.args[1], ir.ConstInt)
            ):
                continue
            terms, constant = forms.of(inst)
            if not any(isinstance(leaf, frozenset) for leaf in terms):
                continue
            words = {leaf for leaf in terms if isinstance(leaf, ir.Value)} | {*inst.args}
            for word in words:
                if word.type is inst.type and forms.of(word) == ({word: 1}, 0):
                    rest = frozenset((leaf, factor) for leaf, factor in terms.items() if leaf is not word), constant
                    groups[inst.op].setdefault((rest, word), []).append((inst, terms.get(word, 0)))
        for found in groups.values():  # sums first: what they were made of may be asked for no more
            for (_, word), members in found.items():
                leaders: list[_Member] = []
                for inst, factor in members:
                    far = inst.type.bits == 64
                    wanted = inst not in gone and {*uses.get(inst, ())} - gone
                    if leaders and wanted and (far or _alone(inst, word, uses, gone)):
                        leader, at = leaders[-1 if far else 0]
                        if at != factor:
                            _add_multiple(inst, leader, word, factor - at)
                            gone.add(inst)
                    leaders.append((inst, factor))
    return bool(gone)


def _product(inst: ir.Inst) -> bool:
    """Whether it multiplies by what is no constant."""
    return inst.op == "mul" and not isinstance(inst.args[1], ir.ConstInt)


def _alone(inst: ir.Inst, word: ir.Value, uses: dict[ir.Value, list[ir.Inst]], gone: set[ir.Inst]) -> bool:
    """Whether an operand other than `word` is computed for this instruction alone."""
    parts = [arg for arg in inst.args if arg is not word and isinstance(arg, ir.Inst) and arg.op in PURE]
    return any({*uses[part]} - gone <= {inst} for part in parts)


_STEPPED = {"add": (32,), "mul": (32, 64)}
"""Bits of what may be made from another one: sums of 64 are addresses."""


def _add_multiple(inst: ir.Inst, leader: ir.Inst, word: ir.Value, factor: int) -> None:
    """Make a product from another one."""
    block, step = inst.parent, word
    if abs(factor) != 1:
        step = made = ir.Inst(word.type, "mul", [word, ir.ConstInt(word.type, factor & (1 << word.type.bits) - 1)])
        assert block is not None
        made.parent = block
        block.insts.insert(block.insts.index(inst), made)
    inst.op, inst.args, inst.flags = "sub" if factor == -1 else "add", [leader, step], frozenset()


def share(function: ir.Function, layout: DataLayout) -> None:
    """Rewrite in place; what only the old computations used is removed."""
    changed = [
        _Sharing(function, layout).run(),
        _strided(function, layout),
        _regroup(function, layout),
        _sums(function),
    ]
    if any(changed):
        _sweep(function)
    if _steps(function):
        _sweep(function)


def _sweep(function: ir.Function) -> None:
    """Remove arithmetic that nothing uses."""
    uses: dict[ir.Value, int] = {}
    for inst in function.instructions():
        for arg in inst.args:
            uses[arg] = uses.get(arg, 0) + 1
    dead = [i for i in function.instructions() if i.op in PURE and not uses.get(i)]
    gone: set[ir.Inst] = set()
    while dead:
        inst = dead.pop()
        gone.add(inst)
        for arg in inst.args:
            uses[arg] -= 1
            if not uses[arg] and isinstance(arg, ir.Inst) and arg.op in PURE:
                dead.append(arg)
    if gone:
        for block in function.blocks:
            block.insts = [inst for inst in block.insts if inst not in gone]
