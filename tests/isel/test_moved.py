"""Bytes that are loaded to be stored again, or to be words, stay in words."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import isel, ptx
from minicc.nvvm import read
from tests.isel.run_ptx import ARCH, run_rows

HEAD = 'target triple = "nvptx64-nvidia-cuda"\ndefine ptx_kernel void @k(ptr %in, ptr %out) {\n'
LOADS = (
    " %a = load <4 x i8>, ptr %in, align 4\n %q = getelementptr i32, ptr %in, i64 1\n"
    " %b = load <4 x i8>, ptr %q, align 4\n"
)
TAKEN = "".join(f" %{v}{i} = extractelement <4 x i8> %{v}, i32 {i}\n" for v in "ab" for i in range(4))
WORDS = st.integers(0, (1 << 64) - 1)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), word=WORDS)
def test_moved_bytes(data: st.DataObject, word: int) -> None:
    """Any four of eight, in a vector, or put together by shifts: no byte has a register of its own."""
    places = data.draw(st.lists(st.integers(0, 7), min_size=4, max_size=4))
    names = [f"%{'ab'[place // 4]}{place % 4}" for place in places]
    how = data.draw(st.sampled_from(["shuffle", "insert", "or"]))
    if how == "shuffle":
        mask = ", ".join(f"i32 {place}" for place in places)
        body = f" %w = shufflevector <4 x i8> %a, <4 x i8> %b, <4 x i32> <{mask}>\n"
    elif how == "insert":
        body, before = TAKEN, "undef"
        for i, name in enumerate(names):
            body += f" %v{i} = insertelement <4 x i8> {before}, i8 {name}, i32 {i}\n"
            before = f"%v{i}"
        body += " %w = bitcast <4 x i8> %v3 to i32\n"
    else:
        body, before = TAKEN + " %z0 = zext i8 %s to i32\n".replace("%s", names[0]), "%z0"
        for i, name in [*enumerate(names)][1:]:
            body += (
                f" %z{i} = zext i8 {name} to i32\n %s{i} = shl i32 %z{i}, {8 * i}\n %o{i} = or i32 {before}, %s{i}\n"
            )
            before = f"%o{i}"
        body += " %w = or i32 %o3, 0\n"
    type_ = "<4 x i8>" if how == "shuffle" else "i32"
    text = f"{HEAD}{LOADS}{body} store {type_} %w, ptr %out, align 4\n ret void\n}}\n"
    module = isel.select(read(text), ARCH, isel.Options())
    written = ptx.format(module)
    assert ".u8" not in written and (how == "or" or written.count("prmt") <= (places != [0, 1, 2, 3]))
    assert "prmt" not in written or places != [0, 1, 2, 3]
    wanted = sum((word >> 8 * place & 255) << 8 * i for i, place in enumerate(places))
    assert run_rows(module, [[word]], 1)[0][0] & 0xFFFFFFFF == wanted


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(word=WORDS)
def test_bytes_that_are_numbers(word: int) -> None:
    """They are loaded as bytes."""
    text = (
        f"{HEAD}{LOADS}{TAKEN} %x = add i8 %a0, %b3\n %v = insertelement <4 x i8> %a, i8 %x, i32 0\n"
        " store <4 x i8> %v, ptr %out, align 4\n ret void\n}\n"
    )
    module = isel.select(read(text), ARCH, isel.Options())
    assert "v4.u8" in ptx.format(module)
    wanted = word & 0xFFFFFF00 | (word + (word >> 56)) & 255
    assert run_rows(module, [[word]], 1)[0][0] & 0xFFFFFFFF == wanted
