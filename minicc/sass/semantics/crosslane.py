"""Instructions that look at other lanes, and values from outside: SHFL VOTE MATCH REDUX ELECT R2UR S2R CS2R."""

from __future__ import annotations

from minicc.sass.instr import Reg
from minicc.sass.semantics.expr import E, active, ballot, const, first, lane, match, reduce
from minicc.sass.semantics.form import Builder, Slot, semantic
from minicc.sass.semantics.tensor import gather


@semantic("SHFL")
def shfl(b: Builder) -> None:
    """Operands P, d, a, lane argument, c (clamp in bits 0..4, segment mask in 8..12). Lanes whose source is out of
    their segment keep their own value and get a false predicate."""
    argument, c = b.integer(3) & 31, b.integer(4)
    clamp, segment = c & 31, c.bits(8, 5)
    me = lane()
    mode = b.one("IDX", "UP", "DOWN", "BFLY")
    low = me & segment
    # Highest lane of the segment that may be read, or for UP the lowest.
    limit = low | (clamp & ~segment)
    if mode == "UP":
        source = me - argument
        inside = source.sge(limit)
    elif mode == "DOWN":
        source = me + argument
        inside = source.sle(limit)
    elif mode == "BFLY":
        source = me ^ argument
        inside = source.sle(limit)
    else:
        source = low | (argument & ~segment)
        inside = source.sle(limit)
    source = inside.select(source, me) & 31
    b.set(0, inside)
    executing = (active().shr(source) & 1).ne(0)
    b.set(1, executing.select(gather(b, 2, source), 0))


@semantic("VOTE", "VOTEU")
def vote(b: Builder) -> None:
    """ALL, ANY, EQ of the executing lanes as a predicate, their ballot as a register; either destination may be
    absent."""
    p = b.pred(len(b.ops) - 1)
    votes = ballot(p)
    mode = b.one("ALL", "ANY", "EQ")
    everyone = votes.eq(active())
    nobody = votes.eq(0)
    result = {"ALL": everyone, "ANY": ~nobody, "EQ": everyone | nobody}[mode]
    for i in range(len(b.ops) - 1):
        op = b.ops[i]
        assert isinstance(op, Reg)
        b.set(i, result if op.file in ("P", "UP") else votes)


@semantic("MATCH")
def match_(b: Builder) -> None:
    """ANY: mask of the executing lanes with the same value. ALL: that mask if it is everyone, else 0, and a
    predicate."""
    has_pred = isinstance(o := b.ops[0], Reg) and o.file == "P"
    at = 1 if has_pred else 0
    same = match(b.integer(at + 1, 64 if b.has("U64") else 32))
    if not b.has("ALL"):
        b.set(at, same)
        return
    everyone = first(same).eq(active())
    b.set(at, everyone.select(active(), const(0)))
    if has_pred:
        b.set(0, everyone)


@semantic("REDUX")
def redux(b: Builder) -> None:
    """Reduction over the executing lanes into a uniform register."""
    name = b.one("OR", "XOR", "SUM", "MIN", "MAX", default="AND")
    op = {"AND": "and", "OR": "or", "XOR": "xor", "SUM": "add"}.get(name) or (
        ("s" if b.has("S32") else "u") + name.lower()
    )
    b.set(0, reduce(op, b.integer(1)))


@semantic("ELECT")
def elect(b: Builder) -> None:
    """One of the executing lanes (the lowest) gets a true predicate; the uniform register gets its number."""
    leader = active().ctz()
    p = b.pred(2) if isinstance(o := b.ops[2], Reg) and o.file in ("P", "UP") else None
    if p is None:
        raise b.fail("mask operand")
    b.set(0, lane().eq(leader) & p)
    b.set(1, leader)


@semantic("R2UR")
def r2ur(b: Builder) -> None:
    """The value of the lowest executing lane; a predicate: is this lane's another? With OR what was true stays true."""
    source = len(b.ops) - 1
    x = b.integer(source)
    b.set(source - 1, first(x))
    if source == 2:
        another = x.ne(first(x))
        b.set(0, b.pred(0) | another if b.has("OR") else another)


def _special(b: Builder, width: int) -> E:
    return b.leaf(Slot("SPECIAL", 1, width))


@semantic("S2R")
def s2r(b: Builder) -> None:
    b.set(0, _special(b, 32))


@semantic("CS2R")
def cs2r(b: Builder) -> None:
    op = b.ops[1]
    zero = isinstance(op, Reg) and op.file == "SR" and op.index == 255
    width = 32 if b.has("32") else 64
    b.set(0, const(0, width) if zero else _special(b, width))


@semantic("S2UR")
def s2ur(b: Builder) -> None:
    b.set(0, first(_special(b, 32)))
