"""Special operations: special registers, warp communication, video and permute instructions, dot products, clocks."""

from __future__ import annotations

from minicc.isel.patterns import Row

ROWS: list[Row] = [
    Row("sreg.i32", "mov.u32 $d, $data", "sreg"),
    Row("sreg.i64", "mov.u64 $d, $data", "sreg"),
    Row("activemask.i32", "activemask.b32 $d", "vote", 30),
    Row("prmt.i32(a:ri, b:ri, c:ri)", "prmt.b32 $d, $a, $b, $c", "alu"),
    Row("sads.i32(a, b:ri, c:ri)", "sad.s32 $d, $a, $b, $c", "alu3"),
    Row("sadu.i32(a, b:ri, c:ri)", "sad.u32 $d, $a, $b, $c", "alu3"),
    Row("dp4ass.i32(a:ri, b:ri, c:ri)", "dp4a.s32.s32 $d, $a, $b, $c", "imad", 61),
    Row("dp4auu.i32(a:ri, b:ri, c:ri)", "dp4a.u32.u32 $d, $a, $b, $c", "imad", 61),
    Row("dp4aus.i32(a:ri, b:ri, c:ri)", "dp4a.u32.s32 $d, $a, $b, $c", "imad", 61),
    Row("dp4asu.i32(a:ri, b:ri, c:ri)", "dp4a.s32.u32 $d, $a, $b, $c", "imad", 61),
    Row("dp2ass.i32(a:ri, b:ri, c:ri)", "dp2a.lo.s32.s32 $d, $a, $b, $c", "imad", 61),
    Row("dp2auu.i32(a:ri, b:ri, c:ri)", "dp2a.lo.u32.u32 $d, $a, $b, $c", "imad", 61),
    Row("bfindshift.i32(a)", "bfind.shiftamt.u32 $d, $a", "xu"),
    Row("fns.i32(a:ri, b:ri, c:ri)", "fns.b32 $d, $a, $b, $c", "alu6", 30),
    Row("szext.i32(a:ri, b:ri)", "szext.wrap.s32 $d, $a, $b", "alu2", 70),
]
for _mode, _name in (("idx", "idx"), ("up", "up"), ("down", "down"), ("bfly", "bfly")):
    for _t, _b in (("i32", "b32"), ("f32", "b32")):
        ROWS += [
            Row(
                f"shflsync{_mode}.{_t}(m0:ri, a, b:ri, c:ri)", f"shfl.sync.{_name}.b32 $d, $a, $b, $c, $m0", "shfl", 30
            ),
            Row(
                f"shflsyncp{_mode}.{_t}(m0:ri, a, b:ri, c:ri)",
                f"shfl.sync.{_name}.b32 $d0|$d1, $a, $b, $c, $m0",
                "shfl",
                30,
            ),
        ]
for _op in ("all", "any", "uni"):
    ROWS.append(Row(f"vote{_op}.p(m0:ri, p:n)", f"vote.sync.{_op}.pred $d, $p, $m0", "vote", 30))
ROWS.append(Row("ballot.i32(m0:ri, p:n)", "vote.sync.ballot.b32 $d, $p, $m0", "vote", 30))
for _t in ("i32", "i64"):
    _b = _t.replace("i", "b")
    ROWS += [
        Row(f"matchany.{_t}(m0:ri, a:ri)", f"match.any.sync.{_b} $d, $a, $m0", "match", 70),
        Row(f"matchall.{_t}(m0:ri, a:ri)", f"match.all.sync.{_b} $d0|$d1, $a, $m0", "match", 70),
    ]
for _op, _t in (
    ("add", "s32"),
    ("min", "s32"),
    ("max", "s32"),
    ("umin", "u32"),
    ("umax", "u32"),
    ("and", "b32"),
    ("or", "b32"),
    ("xor", "b32"),
):
    ROWS.append(Row(f"redux{_op}.i32(a, m0:ri)", f"redux.sync.{_op.removeprefix('u')}.{_t} $d, $a, $m0", "redux", 80))
