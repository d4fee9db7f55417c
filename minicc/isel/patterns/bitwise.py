"""Bitwise: boolean operations on registers and predicates, shifts, fields, bit counts, byte permutation."""

from __future__ import annotations

import operator
from collections.abc import Callable

from minicc.isel.patterns import Row
from minicc.isel.patterns.special import BITWISE

ROWS: list[Row] = []
for _t, _b, _cost in (("i32", "b32", "alu"), ("i64", "b64", "alu2")):
    _u, _s = _b.replace("b", "u"), _b.replace("b", "s")
    ROWS.append(Row(f"xor.{_t}(a, =-1)", f"not.{_b} $d, $a", _cost))
    ROWS += [Row(f"{_op}.{_t}(a, b:ri)", f"{_op}.{_b} $d, $a, $b", _cost) for _op in ("and", "or", "xor")]
    _shift = "alu" if _t == "i32" else "alu3"
    ROWS += [
        Row(f"shl.{_t}(a:ri, b:ri)", f"shl.{_b} $d, $a, $b", _shift),
        Row(f"lshr.{_t}(a:ri, b:ri)", f"shr.{_u} $d, $a, $b", _shift),
        Row(f"ashr.{_t}(a:ri, b:ri)", f"shr.{_s} $d, $a, $b", _shift),
    ]

# Predicates.
ROWS += [Row(f"{_op}.p(a, b)", f"{_op}.pred $d, $a, $b", "alu") for _op in ("and", "or", "xor")]
ROWS.append(Row("xor.p(a, =1)", "not.pred $d, $a", "alu"))

# Three-input logic. The immediate is the truth table of a = 0xF0, b = 0xCC, c = 0xAA.
_A, _B, _C = 0xF0, 0xCC, 0xAA
_LOGIC: dict[str, Callable[[int, int], int]] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
ROWS += [
    Row("and.i32(xor.i32(a, =-1), b)", "lop3.b32 $d, $a, $b, $b, 0x0c", "alu", 50),
    Row("or.i32(xor.i32(a, =-1), b)", "lop3.b32 $d, $a, $b, $b, 0xcf", "alu", 50),
]
for _outer, _f in _LOGIC.items():
    for _inner, _g in _LOGIC.items():
        _table = _f(_g(_A, _B), _C)
        _not = _f(_g(~_A & 0xFF, _B), _C)
        ROWS += [
            Row(f"{_outer}.i32({_inner}.i32(a, b:ri), c:ri)", f"lop3.b32 $d, $a, $b, $c, {_table:#04x}", "alu", 50),
            # with the first operand of the inner operation complemented: ~a is xor with -1
            Row(
                f"{_outer}.i32({_inner}.i32(xor.i32(a, =-1), b), c)",
                f"lop3.b32 $d, $a, $b, $c, {_not:#04x}",
                "alu",
                50,
            ),
        ]
for _inner, _g in _LOGIC.items():
    _table = _g(_A, _B) & ~_C
    _tree = f"and.i32({_inner}.i32(a, b:ri), xor.i32(c, =-1))"
    ROWS.append(Row(_tree, f"lop3.b32 $d, $a, $b, $c, {_table:#04x}", "alu", 50))
# both inputs of the outer one computed, one operand shared: (a & b) | (~a & c) and the majority's relatives
for _g1 in _LOGIC:
    for _g2 in _LOGIC:
        for _outer, _f in _LOGIC.items():
            if _g1 <= _g2 and (_outer != _g1 or _outer != _g2):
                _table = _f(_LOGIC[_g1](_A, _B), _LOGIC[_g2](_A, _C))
                ROWS.append(
                    Row(
                        f"{_outer}.i32({_g1}.i32(a, b), {_g2}.i32(a, c))",
                        f"lop3.b32 $d, $a, $b, $c, {_table:#04x}",
                        "alu",
                        50,
                    )
                )
_MAJORITY = "lop3.b32 $d, $a, $b, $c, 0xe8"
_CHOICE = "lop3.b32 $d, $a, $b, $c, 0xca"
ROWS += [
    # sel(a; b, c) and majority as sha-like code has them
    Row("xor.i32(and.i32(xor.i32(b, c), a), c)", _CHOICE, "alu", 50),
    Row("or.i32(and.i32(a, b), and.i32(xor.i32(a, =-1), c))", _CHOICE, "alu", 50),
    Row("xor.i32(and.i32(a, b), and.i32(xor.i32(a, =-1), c))", _CHOICE, "alu", 50),
    Row("xor.i32(xor.i32(and.i32(a, b), and.i32(a, c)), and.i32(b, c))", _MAJORITY, "alu", 50),
    Row("or.i32(and.i32(or.i32(a, b), c), and.i32(a, b))", _MAJORITY, "alu", 50, "dup"),
    Row("xor.i32(and.i32(xor.i32(b, c), a), and.i32(b, c))", _MAJORITY, "alu", 50),
    Row("or.i32(and.i32(xor.i32(b, c), a), and.i32(b, c))", _MAJORITY, "alu", 50),
]

# Rotations and funnel shifts.
ROWS.append(Row("{orx}.i32(shl.i32(a, b:i5), lshr.i32(a, c:i5))", "shf.l.wrap.b32 $d, $a, $a, $b", "alu", 32, "rot"))
ROWS += [
    Row("or.i32(shl.i32(a, b:i5), lshr.i32(c, e:i5))", "shf.l.wrap.b32 $d, $c, $a, $b", "alu", 32, "rot"),
    Row("shfl.i32(a:ri, b:ri, c:ri)", "shf.l.wrap.b32 $d, $b, $a, $c", "alu", 32),
    Row("shfr.i32(a:ri, b:ri, c:ri)", "shf.r.wrap.b32 $d, $b, $a, $c", "alu", 32),
    Row("shflc.i32(a:ri, b:ri, c:ri)", "shf.l.clamp.b32 $d, $b, $a, $c", "alu", 32),
    Row("shfrc.i32(a:ri, b:ri, c:ri)", "shf.r.clamp.b32 $d, $b, $a, $c", "alu", 32),
    Row("trunc.i32.i64(lshr.i64(pack.i64(a, b), c:i5))", "shf.r.wrap.b32 $d, $a, $b, $c", "alu", 32),
]

# Bit fields.
ROWS += [
    Row("and.i32(lshr.i32(a, b:i5), c:low)", "bfe.u32 $d, $a, $b, $c:bits", "field"),
    Row("or.i32(and.i32(a, b:high), and.i32(c, e:low))", "bfi.b32 $d, $c, $a, 0, $e:bits", "field", 20, "comp"),
    Row("sext8.i32(lshr.i32(a, b:i5))", "bfe.s32 $d, $a, $b, 8", "field"),
    Row("sext16.i32(lshr.i32(a, b:i5))", "bfe.s32 $d, $a, $b, 16", "field"),
    Row("ashr.i32(shl.i32(a, b:i5), b:i5)", "bfe.s32 $d, $a, 0, $b:rest", "alu"),
]
ROWS += BITWISE
