"""Descriptors of warpgroup multiplies are computed in uniform registers."""

from __future__ import annotations

from collections import Counter

import numpy as np

from minicc import sass
from minicc.binary import read_cubin
from tests.ptxas.lower.test_wgmma import END, FENCE, SM, TEMPLATE, multiply, ours, run

_STEPS = 6


def _source() -> str:
    """Multiplies whose descriptors are one address plus constants."""
    body = FENCE
    for k in range(_STEPS):
        body += f"add.s32 %r{270 + k}, %r260, {2 * k}; cvt.u64.u32 %rd{12 + k}, %r{270 + k};"
        body += f"or.b64 %rd{20 + k}, %rd{12 + k}, 0x0000001000080000;"
        body += multiply("m64n64k16", "f32.f16.f16", 32, f"%rd{20 + k}")
    loads = " ".join(f"ld.global.b32 %f{i}, [%rd1+{4 * i}];" for i in range(32))
    stores = " ".join(f"st.global.b32 [%rd10+{4 * i}], %f{i};" for i in range(32))
    once = TEMPLATE.replace("and.b32 %r260, %r252", "and.b32 %r290, %r252").replace(
        "%r260, %r260, 4", "%r260, %r290, 4"
    )
    return once.replace("LOADS", loads).replace("BODY", body + END).replace("STORES", stores)


def test_one_address_moves_and_the_rest_is_added() -> None:
    """The same results, with an R2UR for the address that all have in common instead of four for each multiply."""
    source = _source()
    plain, lifted = ours(source, disable=frozenset({"lift"})), ours(source)
    few, many = (
        Counter(i.mnemonic for i in sass.decode_all(read_cubin(image, "k").functions[0].code, SM))
        for image in (lifted, plain)
    )
    assert many["R2UR"] >= 3 * _STEPS > 3 >= few["R2UR"] and few["UIADD3"] >= _STEPS - 1
    assert sum(few.values()) <= sum(many.values())
    given = (np.random.default_rng(6).standard_normal(65536) * 0.7).astype(np.float16)
    assert np.array_equal(run(lifted, given), run(plain, given))


def test_what_lanes_need_stays() -> None:
    """The sums are stored, too: nothing is gained by making them twice."""
    source = _source()
    for k in range(_STEPS):
        source = source.replace(" ret;", f" st.global.b32 [%rd10+{256 + 4 * k}], %r{270 + k};\n ret;", 1)
    counts = Counter(i.mnemonic for i in sass.decode_all(read_cubin(ours(source), "k").functions[0].code, SM))
    assert counts["UIADD3"] == 0


def test_what_changes_meanwhile_is_taken_again() -> None:
    """An address that is counted up between the multiplies, and one that is read before and after."""
    source = _source()
    for k in range(1, _STEPS):
        source = source.replace(f"add.s32 %r{270 + k}, %r260", f"add.s32 %r281, %r281, 1; add.s32 %r{270 + k}, %r281")
    source = source.replace("add.s32 %r270", "mov.u32 %r281, %r260; add.s32 %r270")
    given = (np.random.default_rng(7).standard_normal(65536) * 0.7).astype(np.float16)
    assert np.array_equal(run(ours(source), given), run(ours(source, disable=frozenset({"lift"})), given))
