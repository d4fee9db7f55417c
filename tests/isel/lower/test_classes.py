"""Classes of floating numbers: every kind of number, asked for every set of classes."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import isel, ptx
from minicc.nvvm import read
from tests.isel.run_ptx import ARCH, run_rows

HEAD = 'target triple = "nvptx64-nvidia-cuda"\n'
DECLARED = "declare i1 @llvm.is.fpclass.f32(float, i32)\ndeclare i1 @llvm.is.fpclass.f64(double, i32)\n"
SHAPES = {"float": (32, 23), "double": (64, 52)}


def class_of(bits: int, width: int, mantissa: int) -> int:
    """The bit of LLVM's mask."""
    negative, body = bits >> width - 1, bits & (1 << width - 1) - 1
    infinity = (1 << width - 1) - (1 << mantissa)
    if body > infinity:
        return 0x002 if body >> mantissa - 1 & 1 else 0x001
    kind = 0 if body == infinity else 1 if body >> mantissa else 2 if body else 3
    return 4 << kind if negative else 0x200 >> kind


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_set(data: st.DataObject) -> None:
    """At the ends of the classes, and anywhere."""
    type_ = data.draw(st.sampled_from(sorted(SHAPES)))
    width, mantissa = SHAPES[type_]
    mask = data.draw(st.integers(0, 0x3FF) | st.sets(st.sampled_from([3, 4, 8, 16, 0x60, 0x80, 0x100, 0x200])).map(sum))
    text = (
        f"{HEAD}define ptx_kernel void @k(ptr %in, ptr %out) {{\n %x = load {type_}, ptr %in\n"
        f" %c = call i1 @llvm.is.fpclass.f{width}({type_} %x, i32 {mask})\n %z = zext i1 %c to i64\n"
        f" store i64 %z, ptr %out\n ret void\n}}\n{DECLARED}"
    )
    module = isel.select(read(text), ARCH, isel.Options())
    infinity, least = (1 << width - 1) - (1 << mantissa), 1 << mantissa
    bodies = [0, 1, least - 1, least, infinity - 1, infinity, infinity + 1, infinity | least >> 1, (1 << width - 1) - 1]
    values = [body | sign << width - 1 for body in bodies for sign in (0, 1)]
    values.append(data.draw(st.integers(0, (1 << width) - 1)))
    got = run_rows(module, [[value] for value in values], 1)
    assert got == [[int(class_of(value, width, mantissa) & mask != 0)] for value in values]


def test_finite_and_not_zero() -> None:
    """Two comparisons."""
    text = (
        f"{HEAD}define ptx_kernel void @k(ptr %out, double %x) {{\n"
        " %c = call i1 @llvm.is.fpclass.f64(double %x, i32 412)\n %z = zext i1 %c to i32\n"
        f" store i32 %z, ptr %out\n ret void\n}}\n{DECLARED}"
    )
    written = ptx.format(isel.select(read(text), ARCH, isel.Options()))
    assert written.count("setp.") == 2 and "and.b64" not in written
