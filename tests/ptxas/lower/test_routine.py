"""Long paths that several places share: right for every operand, in divergent code too, and once in the code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import minicc
import runtime
from minicc import arch, binary, sass
from minicc.analysis.mix import instructions
from minicc.binary import read_cubin
from minicc.diagnostics import SourceFile
from tests.ptxas.lower import harness

N = 512
HARD = [0.0, -0.0, 1.0, 3.0, float("inf"), float("-inf"), float("nan")]
EXTREME = {
    "float": [1e-45, -1e-40, 1.2e-38, 3.4e38, 1e-25, 1e25],
    "double": [5e-324, -2.5e-310, 2.2e-308, 1.7e308, 1e-200, 1e200],
}
QUOTIENTS = """\
__global__ void f(const double *a, const double *b, double *out)
{
    int i = threadIdx.x;
    double x = a[i], y = b[i], q = x / y, r = 1 / x;
    if (i % 3 == 0)
        r = y / x;
    out[3 * i] = q;
    out[3 * i + 1] = r;
    out[3 * i + 2] = i % 5 ? x / (y + 1) : x;
}
"""
SINGLE = QUOTIENTS.replace("double", "float")
DIVISIONS = """\
__global__ void f(const long long *a, const long long *b, long long *out)
{
    int i = threadIdx.x;
    long long x = a[i], y = b[i];
    out[3 * i] = x / y;
    out[3 * i + 1] = i % 3 ? x % y : (unsigned long long)x / (unsigned long long)y;
    out[3 * i + 2] = (unsigned long long)x % (unsigned long long)y;
}
"""


def image(folder: Path, source: str, options: str = "") -> bytes:
    path = folder / "f.k"
    path.write_text(source)
    return minicc.compile(path, arch="sm_90", options=options).cubin


def launched(cubin: bytes, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    device = runtime.Device("sm_90")
    out = np.zeros(3 * N, a.dtype)
    device.load(cubin)["f"][1, N](a, b, out)
    return out.reshape(N, 3)


@pytest.mark.parametrize("options", ["", "-maxrregcount=24", "-Xptxas --sched=serial", "-Xptxas --ra=spill-all"])
@pytest.mark.parametrize("kind", EXTREME)
def test_quotients(tmp_path: Path, kind: str, options: str) -> None:
    random = np.random.default_rng(1)
    hard = HARD + EXTREME[kind]
    type_ = np.float32 if kind == "float" else np.float64
    a = np.concatenate([np.repeat(hard, len(hard)), random.standard_normal(N)])[:N].astype(type_)
    b = np.concatenate([np.tile(hard, len(hard)), random.standard_normal(N)])[:N].astype(type_)
    i = np.arange(N)
    with np.errstate(all="ignore"):
        want = [a / b, np.where(i % 3 == 0, b / a, 1 / a), np.where(i % 5 != 0, a / (b + 1), a)]
    got = launched(image(tmp_path, SINGLE if kind == "float" else QUOTIENTS, options), a, b)
    np.testing.assert_array_equal(got, np.stack(want, 1))


@pytest.mark.parametrize("options", ["", "-maxrregcount=24", "-Xptxas --sched=serial", "-Xptxas --ra=spill-all"])
def test_divisions(tmp_path: Path, options: str) -> None:
    random = np.random.default_rng(2)
    bits = random.integers(1, 63, 2 * N)
    values = random.integers(0, 1 << 62, 2 * N) >> (62 - bits)
    a, b = (values * random.choice([-1, 1], 2 * N))[:N], (values * random.choice([-1, 1], 2 * N))[N:]
    b[b == 0] = 7
    ua, ub = a.view(np.uint64), b.view(np.uint64)
    quotient = np.array(
        [abs(int(x)) // abs(int(y)) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(a, b, strict=True)]
    )
    other = np.where(np.arange(N) % 3 != 0, a - quotient * b, (ua // ub).view(np.int64))
    got = launched(image(tmp_path, DIVISIONS, options), a, b)
    np.testing.assert_array_equal(got, np.stack([quotient, other, (ua % ub).view(np.int64)], 1))


@pytest.mark.parametrize(("source", "routines"), [(QUOTIENTS, 1), (SINGLE, 1), (DIVISIONS, 3)])
def test_once(tmp_path: Path, source: str, routines: int) -> None:
    """One routine (x % y is made of x / y), called from each place; it keeps to its registers, and the
    checker finds nothing."""
    function = read_cubin(image(tmp_path, source), "f").functions[0]
    code = [i.mnemonic for i in instructions(function.code, arch.get("sm_90"))]
    assert code.count("CALL") >= 3
    assert code.count("RET") == routines
    assert "STL" not in code
    assert function.frame == 0
    assert function.registers <= 40


def test_special_operands_take_no_turns(tmp_path: Path) -> None:
    """Zero, infinite and NaN operands leave the long division before its loop of 55 turns."""
    compiled, counts = image(tmp_path, QUOTIENTS), []
    for x in (1e-310, float("nan")):
        result = runtime.Device("sm_90").load(compiled)["f"][1, 32](np.full(32, x), np.full(32, 1e-309), np.zeros(96))
        counts.append(result.stats["smsp__inst_executed.sum"])
    assert counts[1] < 0.2 * counts[0]


def test_a_routine_with_a_frame_leaves_what_alloca_took() -> None:
    """One that has no registers for all its values stores them, below what the kernel took at run time."""
    words = ", ".join(f"%r{k}" for k in range(2, 6))
    text = f""".version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {{
.reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .f64 %g<5>;
ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 32; add.u64 %rd0, %rd0, %rd1;
add.u32 %r1, %r0, 9; alloca.u64 %rd2, 48, 16; st.local.v4.u32 [%rd2], {{%r0, %r1, %r1, %r0}};
st.local.v4.u32 [%rd2+16], {{%r1, %r0, %r1, %r0}}; st.local.v4.u32 [%rd2+32], {{%r0, %r0, %r1, %r1}};
cvt.rn.f64.u32 %g0, %r1; mul.f64 %g0, %g0, 0d0000100000000000; cvt.rn.f64.u32 %g1, %r0;
div.rn.f64 %g2, %g0, %g1; div.rn.f64 %g3, %g1, %g0; add.f64 %g2, %g2, %g3; st.global.f64 [%rd0], %g2;
ld.local.v4.u32 {{{words}}}, [%rd2]; st.global.v2.u32 [%rd0+8], {{%r2, %r3}};
ld.local.v4.u32 {{{words}}}, [%rd2+16]; st.global.v2.u32 [%rd0+16], {{%r2, %r3}};
ld.local.v4.u32 {{{words}}}, [%rd2+32]; st.global.v2.u32 [%rd0+24], {{%r4, %r5}}; ret; }}
"""
    out = np.zeros((32, 8), np.uint32)
    image = binary.write_cubin(harness.assemble(text, ra="spill-all"))
    harness.device().load(image)["k"][1, 32](out)
    for t in range(32):
        assert out[t, 2:].tolist() == [t, t + 9, t + 9, t, t + 9, t + 9]


def test_one_division_whose_small_operands_llvm_divides_itself() -> None:
    """Its long way is called; nothing of it is done before a loop, and no second short form stands beside LLVM's."""
    source = """
__global__ void f(const unsigned long *x, unsigned long *out, unsigned long by, unsigned long n) {
    for (unsigned long i = threadIdx.x; i < n; i += blockDim.x) out[i] = x[i] / by;
}
"""
    image = minicc.compile(SourceFile("f.k", source)).cubin
    code = [
        sass.format(i) for f in read_cubin(image, "f").functions for i in sass.decode_all(f.code, arch.get("sm_90"))
    ]
    text = "\n".join(code)
    assert text.count("I2F.U32.RP") == 1 and text.count("CALL.REL") == 1
    assert text.count("I2F.U64.RP") == 1 and text.index("I2F.U64.RP") > text.index("STG")
    x = np.array([5, 2**40 + 3, 2**64 - 1, 7, 2**33], np.uint64)
    for by in (3, 2**35 + 1, 2**64 - 1):
        out = np.zeros(5, np.uint64)
        runtime.Device("sm_90").load(image)["f"][1, 32](x, out, np.uint64(by), np.uint64(5))
        assert np.array_equal(out, x // np.uint64(by))
