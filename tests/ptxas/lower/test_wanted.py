"""The long way of a division or a root is not taken for results that a condition keeps out."""

from __future__ import annotations

import numpy as np
import pytest

import minicc
from minicc.diagnostics import SourceFile
from runtime import Device

SOURCE = """extern "C" __global__ void masked(T *out, const T *a, const T *b, int bound)
{
    int i = threadIdx.x;
    T x = a[i], y = b[i];
    T q = y != 0 ? EXPRESSION : T(7);
    out[i] = i < bound ? q + x : x;
}
"""


@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("expression", ["x / y * 3", "1 / y", "sqrt(y)"])
def test_zeros_that_a_condition_keeps_out(kind: str, expression: str) -> None:
    """A warp with such zeros executes at most a branch more; values that take the long way are right."""
    source = SOURCE.replace("EXPRESSION", expression).replace("T(", f"{kind}(").replace("T ", f"{kind} ")
    kernel = Device("sm_90").load(minicc.compile(SourceFile("k.cu", source), arch="sm_90").cubin)["masked"]
    dtype = np.dtype(kind if kind == "double" else "f4").type
    plain = np.arange(1, 33).astype(dtype)
    zeros, tiny = plain.copy(), plain.copy()
    zeros[::3] = 0
    tiny[::5] = np.finfo(dtype).tiny / 8
    executed = []
    for a, b in ((plain, plain), (plain[::-1].copy(), zeros), (plain, tiny), (zeros, tiny)):
        out = np.zeros(32, dtype)
        result = kernel[1, 32](out, a, b, 30)
        executed.append(result.stats["smsp__inst_executed.sum"])
        with np.errstate(all="ignore"):
            made = {"x": a / b * dtype(3), "1": 1 / b, "s": np.sqrt(b)}[expression[0]]
            q = np.where(b != 0, made, dtype(7))
        assert out.tobytes() == np.where(np.arange(32) < 30, q + a, a).tobytes()
    assert executed[0] <= executed[1] <= executed[0] + 1 < executed[2]


PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .f32 x, .param .f32 y, .param .u32 n)
{
    .reg .pred %p<4>; .reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out]; ld.param.f32 %f1, [x]; ld.param.f32 %f2, [y]; ld.param.u32 %r1, [n];
    setp.ne.u32 %p1, %r1, 0; setp.ne.u32 %p2, %r1, 1;
    BODY
    st.global.f32 [%rd1], %f5;
    ret;
}
"""
DIVIDED = "div.rn.f32 %f3, %f1, %f2;"


@pytest.mark.parametrize(
    ("body", "under"),
    [
        (DIVIDED + "selp.f32 %f5, %f3, %f1, %p1;", ("%p1", True)),
        (DIVIDED + "neg.f32 %f4, %f3; selp.f32 %f5, %f1, %f4, %p2;", ("%p2", False)),
        (DIVIDED + "selp.f32 %f4, %f3, %f1, %p1; selp.f32 %f5, %f4, %f1, %p2;", ("%p1", True)),
        (DIVIDED + "selp.f32 %f4, %f3, %f1, %p1; selp.f32 %f6, %f3, %f1, %p2; add.f32 %f5, %f4, %f6;", None),
        (DIVIDED + "selp.f32 %f5, %f3, %f3, %p1;", None),
        (DIVIDED + "selp.f32 %f4, %f3, %f1, %p1; add.f32 %f5, %f3, %f4;", None),
        (DIVIDED + "mov.b32 %r2, %f3; shfl.sync.idx.b32 %r3, %r2, 0, 31, -1; selp.b32 %f5, %r3, %r1, %p1;", None),
        (DIVIDED + "setp.lt.u32 %p3, %r1, 5; selp.f32 %f5, %f3, %f1, %p3;", None),
        ("setp.lt.u32 %p1, %r1, 5;" + DIVIDED + "selp.f32 %f5, %f3, %f1, %p1;", None),
        ("L:" + DIVIDED + "selp.f32 %f5, %f3, %f1, %p1; @%p2 bra L;", None),
        ("@%p2 " + DIVIDED + "selp.f32 %f5, %f3, %f1, %p1;", None),
    ],
)
def test_where_a_result_counts(body: str, under: tuple[str, bool] | None) -> None:
    from minicc.ptx import parse
    from minicc.ptxas.lower.flatten import Flat
    from minicc.ptxas.lower.wanted import conditions

    flat = Flat()
    flat.statements = [
        s
        for s in parse(SourceFile("k.ptx", PTX.replace("BODY", body))).functions[0].body
        if type(s).__name__ in ("Inst", "Label")
    ]
    assert conditions(flat).get("%f3") == under
