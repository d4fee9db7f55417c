"""Switches that only choose a value: random ones mean what their table says, and no thread branches."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import isel, nvvm, ptx
from tests.isel.run_ptx import ARCH, run_rows


def kernel(bits: int, table: dict[int, int], other: int | None) -> str:
    """out[0] = table[in[0]], `other` for numbers that are not in it; where that is None, out[0] stays 0 for those."""
    results = sorted(set(table.values()))
    cases = " ".join(f"i{bits} {value}, label %to{results.index(result)}" for value, result in table.items())
    blocks = "".join(f"to{n}:\n br label %join\n" for n in range(len(results)))
    inputs = [f"[{result}, %to{n}]" for n, result in enumerate(results)]
    if other is not None:
        inputs.append(f"[{other}, %entry]")
    default = "join" if other is not None else "done"
    return (
        'target triple = "nvptx64-nvidia-cuda"\ndefine ptx_kernel void @kernel(ptr %in, ptr %out) {\nentry:\n'
        f" %r = load i64, ptr %in, align 8\n %x = trunc i64 %r to i{bits}\n"
        f" switch i{bits} %x, label %{default} [ {cases} ]\n{blocks}join:\n %v = phi i64 {', '.join(inputs)}\n"
        " store i64 %v, ptr %out, align 8\n br label %done\ndone:\n ret void\n}\n"
    )


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_means_its_table(data: st.DataObject) -> None:
    bits = data.draw(st.sampled_from([8, 16, 32]))
    values = st.one_of(st.integers(0, 40), st.integers(0, (1 << bits) - 1))
    table = data.draw(st.dictionaries(values, st.integers(0, 4), min_size=2, max_size=10))
    other = data.draw(st.one_of(st.none(), st.integers(0, 5)))
    asked = [*table, *(v + 1 for v in table), *(v - 1 for v in table), 0, (1 << bits) - 1]
    asked = [value % (1 << bits) for value in asked][:24]
    module = isel.select(nvvm.read(kernel(bits, table, other)), ARCH, isel.Options())
    if other is not None:
        assert "bra" not in ptx.format(module)
    found = run_rows(module, [[value] for value in asked], 1)
    assert [row[0] for row in found] == [table.get(value, other or 0) for value in asked]
