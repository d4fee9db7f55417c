"""A power of two that both terms of a sum have is multiplied once."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import isel, ptx
from minicc.nvvm import read
from tests.isel.run_ptx import ARCH, run_rows

WORDS = st.integers(0, (1 << 64) - 1)
LOADS = "".join(
    f" %p{n} = getelementptr i64, ptr %in, i64 {k}\n %{n} = load i64, ptr %p{n}\n %{n}w = trunc i64 %{n} to i32\n"
    for k, n in enumerate("xyz")
)


def extended(name: str, of: str, bits: int) -> str:
    """A sum of 32 or 64 bits as one of 64."""
    return f" %{name} = sext i32 {of} to i64\n" if bits == 32 else f" %{name} = add i64 {of}, 0\n"


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), rows=st.lists(st.lists(WORDS, min_size=3, max_size=3), min_size=1, max_size=4))
def test_means_the_sum(data: st.DataObject, rows: list[list[int]]) -> None:
    """Terms of each form, in either order, with one power of two or two, of words and of 64 bits; some asked for again.
    What does not overflow is marked so, and multiplied further as an address is."""
    bits, mask = data.draw(st.sampled_from([(32, "w"), (64, "")]))
    powers = [data.draw(st.integers(0, 4)), data.draw(st.integers(0, 4))]
    powers[1] = data.draw(st.sampled_from(powers))
    marked = bits == 32 and data.draw(st.booleans())
    flag = "nsw " if marked else ""
    products = [data.draw(st.booleans()), data.draw(st.booleans())]
    lines, terms = "", []
    for n, value, power, product in zip("ab", "xy", powers, products, strict=True):
        lines += f" %s{n} = shl {flag}i{bits} %{value}{mask}, {power}\n"
        if product:
            factors = data.draw(st.permutations([f"%s{n}", f"%z{mask}"]))
            lines += f" %m{n} = mul {flag}i{bits} {factors[0]}, {factors[1]}\n"
        terms.append(f"%m{n}" if product else f"%s{n}")
    again = data.draw(st.sampled_from(["%sa", "%sb", *terms, "%sum"]))
    lines += f" %sum = add {flag}i{bits} {', '.join(data.draw(st.permutations(terms)))}\n"
    text = (
        f'target triple = "nvptx64-nvidia-cuda"\ndefine ptx_kernel void @k(ptr %in, ptr %out) {{\n{LOADS}{lines}'
        f"{extended('e', '%sum', bits)}{extended('g', again, bits)} %f = mul i64 %e, 4\n store i64 %f, ptr %out\n"
        " %q = getelementptr i64, ptr %out, i64 1\n store i64 %g, ptr %q\n ret void\n}\n"
    )
    if marked:
        rows = [[word % 4000 for word in row] for row in rows]
    module = isel.select(read(text), ARCH, isel.Options(opt_level=3))
    got = run_rows(module, rows, 2)
    for (x, y, z), (total, other) in zip(rows, got, strict=True):
        values: dict[str, int] = {}
        for n, value, power in zip("ab", (x, y), powers, strict=True):
            values[f"%s{n}"] = value << power
            values[f"%m{n}"] = (value << power) * z
        values["%sum"] = values[terms[0]] + values[terms[1]]
        signed = {name: (v + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) for name, v in values.items()}
        assert (total, other) == (signed["%sum"] * 4 % (1 << 64), signed[again] % (1 << 64))


def test_every_second_pixel() -> None:
    """No shift is left: it is part of the address."""
    text = (
        'target triple = "nvptx64-nvidia-cuda"\ndefine ptx_kernel void @k(ptr %in, i32 %x, i32 %y, i32 %width) {\n'
        " %a = shl nsw i32 %x, 1\n %b = shl nsw i32 %y, 1\n %m = mul nsw i32 %b, %width\n %s = add nsw i32 %a, %m\n"
        " %e = sext i32 %s to i64\n %p = getelementptr float, ptr %in, i64 %e\n store float 0.0, ptr %p\n ret void\n}\n"
    )
    written = ptx.format(isel.select(read(text), ARCH, isel.Options(opt_level=3)))
    assert "shl" not in written and ", 8;" in written and "mad.lo" in written
