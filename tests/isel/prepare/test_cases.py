"""Switches that only choose a value, or are a few tests in a row: random ones mean what their table says."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import isel, nvvm, ptx
from tests.isel.run_ptx import ARCH, run_rows

HEAD = (
    'target triple = "nvptx64-nvidia-cuda"\ndefine ptx_kernel void @kernel(ptr %in, ptr %out) {\nentry:\n'
    " %r = load i64, ptr %in, align 8\n %x = trunc i64 %r to i32\n"
)
TAIL = " store i64 %v, ptr %out, align 8\n br label %done\ndone:\n ret void\n}\n"


def kernel(bits: int, table: dict[int, int], other: int | None) -> str:
    """out[0] = table[in[0]], `other` for numbers that are not in it; where that is None, out[0] stays 0 for those."""
    results = sorted(set(table.values()))
    cases = " ".join(f"i{bits} {value}, label %to{results.index(result)}" for value, result in table.items())
    blocks = "".join(f"to{n}:\n br label %join\n" for n in range(len(results)))
    inputs = [f"[{result}, %to{n}]" for n, result in enumerate(results)]
    if other is not None:
        inputs.append(f"[{other}, %entry]")
    default = "join" if other is not None else "done"
    switch = f" switch i{bits} %x, label %{default} [ {cases} ]\n{blocks}"
    return f"{HEAD.replace('i32', f'i{bits}')}{switch}join:\n %v = phi i64 {', '.join(inputs)}\n{TAIL}"


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


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_cases_that_compute_little_are_chosen_too(data: st.DataObject) -> None:
    """Each case adds a number of its own to the input; what all do with it follows, for them alone."""
    values = data.draw(st.lists(st.integers(0, 40), min_size=2, max_size=5, unique=True))
    cases = " ".join(f"i32 {value}, label %to{n}" for n, value in enumerate(values))
    blocks = "".join(f"to{n}:\n %v{n} = add i64 %r, {n + 1}\n br label %join\n" for n in range(len(values)))
    inputs = ", ".join(f"[%v{n}, %to{n}]" for n in range(len(values)))
    text = f"{HEAD} switch i32 %x, label %done [ {cases} ]\n{blocks}join:\n %v = phi i64 {inputs}\n{TAIL}"
    module = isel.select(nvvm.read(text), ARCH, isel.Options())
    assert ptx.format(module).count("bra") == 1
    found = run_rows(module, [[value] for value in range(42)], 1)
    assert [row[0] for row in found] == [v + values.index(v) + 1 if v in values else 0 for v in range(42)]


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_short_bodies_are_tested_one_after_the_other(data: st.DataObject) -> None:
    """No body jumps past another, so that each can run under a guard."""
    values = data.draw(st.lists(st.integers(0, 40), min_size=2, max_size=4, unique=True))
    cases = " ".join(f"i32 {value}, label %to{n}" for n, value in enumerate(values))
    blocks = "".join(f"to{n}:\n store i64 {n + 1}, ptr %out, align 8\n br label %done\n" for n in range(len(values)))
    text = f"{HEAD} switch i32 %x, label %done [ {cases} ]\n{blocks}done:\n ret void\n}}\n"
    module = isel.select(nvvm.read(text), ARCH, isel.Options())
    branches = [line for line in ptx.format(module).splitlines() if "bra" in line]
    assert len(branches) == len(values) and all("@" in line for line in branches)
    found = run_rows(module, [[value] for value in range(42)], 1)
    assert [row[0] for row in found] == [values.index(v) + 1 if v in values else 0 for v in range(42)]
