"""mma.m8n8k4 of halves, which only sm_70 multiplies in its tensor cores: lanes exchange rows and columns, and multiply.

Four products in a warp, one to each eight lanes g..g+3, g+16..g+19 (g = 0, 4, 8, 12). With rows of A and columns of B
each lane holds one of them, four halves along k; given the other way about, four lanes transpose a four by four block.
Sums are in the order of the routines that ptxas 13.0 calls: for halves by pairs of products, with C between them; for
f32 one product after another from zero, then C. PTX ISA, "Matrix Fragments for mma.m8n8k4".
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, imm, neg
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V
from minicc.sass.instr import Name

Words = list[MOperand]


def multiply(b: Builder, inst: ptx.Inst) -> None:
    """mma.sync.aligned.m8n8k4.alayout.blayout.dtype.f16.f16.ctype d, a, b, c"""
    layouts = [m for m in inst.modifiers if m in ("row", "col")]
    types = [m for m in inst.modifiers if m in ("f16", "f32")]
    if len(layouts) != 2 or len(types) != 4 or types[1:3] != ["f16", "f16"] or types[0] == "f16" != types[3]:
        b.unsupported()
    d, *sources = inst.operands
    lane = b.temp()
    b.emit("S2R", (lane,), (Name("SR_LANEID"),))
    left, right, third = (_words(b, item) for item in sources)
    if len(left) != 2 or len(right) != 2 or len(third) != (4 if types[3] == "f16" else 8):
        b.wrong("Arguments mismatch for instruction 'mma'")
    if layouts[0] == "col":
        left = _transposed(b, lane, left)
    if layouts[1] == "row":
        right = _transposed(b, lane, right)
    results = (_halves if types[0] == "f16" else _floats)(b, lane, left, right, third)
    targets = d.items if isinstance(d, ptx.Vector) else (d,)
    if len(targets) != len(results):
        b.wrong("Arguments mismatch for instruction 'mma'")
    for target, value in zip(targets, results, strict=True):
        if target is not None:
            b.move(b.dst(target), value)


def _words(b: Builder, item: ptx.Operand) -> Words:
    items = item.items if isinstance(item, ptx.Vector) else (item,)
    return [b.reg(b.val(i)) for i in items if i is not None]


def _from(b: Builder, value: MOperand, lane: MOperand) -> V:
    """The value that another lane has."""
    out = b.temp()
    b.emit("SHFL.IDX", (TRUE, out), (b.reg(value), lane, imm(0x1F)), side=True)
    return out


def _float(b: Builder, word: MOperand, half: int) -> V:
    out, value = b.temp(), b.reg(word)
    if isinstance(value, V):
        value = V(value.reg, value.part, suffix=(f"H{half}_H{half}",))
    b.emit("HADD2.F32", (out,), (neg(ZERO), value))
    return out


def _unpacked(b: Builder, words: Words) -> list[V]:
    return [_float(b, word, half) for word in words for half in (0, 1)]


def _transposed(b: Builder, lane: V, words: Words) -> Words:
    """Lane r of four gets half r of each of them."""
    first = b.logic(lane, imm(0x1C), 0xC0)
    upper = b.setp("ISETP.NE.U32.AND", b.logic(lane, imm(2), 0xC0), ZERO)
    odd = b.logic(lane, imm(1), 0xC0)
    selector = b.new("IADD3", b.new("IMAD", odd, imm(0x2222), ZERO), imm(0x5410), ZERO)
    halves: Words = []
    for k in range(4):
        source = b.new("IADD3", first, imm(k), ZERO)
        low, high = (_from(b, word, source) for word in words)
        halves.append(b.sel(high, low, upper))
    return [b.new("PRMT", halves[k], selector, halves[k + 1]) for k in (0, 2)]


def _columns(b: Builder, lane: V, words: Words, numbers: list[int], more: MOperand = ZERO) -> list[list[V]]:
    """Columns of B, unpacked: column j is lane j's of the low four, or of the high four sixteen lanes on."""
    first = b.new("IADD3", b.logic(lane, imm(0xC), 0xC0), more, ZERO)
    out = []
    for j in numbers:
        source = b.new("IADD3", first, imm(j % 4 + 16 * (j // 4)), ZERO)
        out.append(_unpacked(b, [_from(b, word, source) for word in words]))
    return out


def _halves(b: Builder, lane: V, left: Words, right: Words, third: Words) -> Words:
    """A lane's own row of eight."""
    row = _unpacked(b, left)
    columns = _columns(b, lane, right, list(range(8)))
    sums: list[V] = []
    for start, column in zip(_unpacked(b, third), columns, strict=True):
        one, other = (b.new("FFMA", row[k + 1], column[k + 1], b.new("FMUL", row[k], column[k])) for k in (0, 2))
        sums.append(b.new("FADD", b.new("FADD", start, one), other))
    return [b.new("F2FP.F16.F32.PACK_AB", sums[k + 1], sums[k]) for k in range(0, 8, 2)]


def _floats(b: Builder, lane: V, left: Words, right: Words, third: Words) -> Words:
    """Element i of lane l is in row (l & 1) + (i & 2), column (i & 4) + (l & 2) + (i & 1)."""
    first = b.new("IADD3", b.logic(lane, imm(0x1C), 0xC0), b.logic(lane, imm(1), 0xC0), ZERO)
    sources = [first, b.new("IADD3", first, imm(2), ZERO)]
    rows = [_unpacked(b, [_from(b, word, source) for word in left]) for source in sources]
    pair = b.logic(lane, imm(2), 0xC0)
    columns = dict(zip((0, 1, 4, 5), _columns(b, lane, right, [0, 1, 4, 5], pair), strict=True))
    starts: Words = third
    if len(third) == 4:  # halves: a lane has a row
        upper = b.setp("ISETP.NE.U32.AND", pair, ZERO)
        starts = [ZERO] * 8
        for n, source in enumerate(sources):
            words = [_from(b, word, source) for word in third]
            for side in (0, 1):
                word = b.sel(words[2 * side + 1], words[2 * side], upper)
                for half in (0, 1):
                    starts[4 * side + 2 * n + half] = _float(b, word, half)
    results: Words = []
    for i in range(8):
        row, column = rows[i >> 1 & 1], columns[(i & 4) + (i & 1)]
        total: MOperand = ZERO
        for k in range(4):
            total = b.new("FFMA", row[k], column[k], total)
        results.append(b.new("FADD", total, starts[i]))
    return results
