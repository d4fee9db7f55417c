"""Tensor core: matrix fragments and multiply-accumulate. Kernels reach these through inline assembly, which is passed
through; rows for LLVM's own intrinsics follow the same shape."""

from __future__ import annotations

from minicc.isel.patterns import Row

ROWS: list[Row] = []


def _list(letter: str, count: int) -> str:
    return ", ".join(f"{letter}{i}" for i in range(count))


def _vector(letter: str, count: int) -> str:
    return "{" + ", ".join(f"${letter}{i}" for i in range(count)) + "}"


# mma.sync: (suffix, shape and types, registers of d, a, b, c)
_MMA = [
    ("m16n8k16f32f16", "m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 4, 80),
    ("m16n8k16f32bf16", "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2, 4, 80),
    ("m16n8k8f32tf32", "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2, 4, 80),
    ("m16n8k4f32tf32", "m16n8k4.row.col.f32.tf32.tf32.f32", 4, 2, 1, 4, 80),
    ("m16n8k16f16f16", "m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2, 2, 80),
    ("m16n8k8f32f16", "m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1, 4, 75),
    ("m16n8k8f32bf16", "m16n8k8.row.col.f32.bf16.bf16.f32", 4, 2, 1, 4, 80),
    ("m16n8k32s8", "m16n8k32.row.col.s32.s8.s8.s32", 4, 4, 2, 4, 80),
    ("m16n8k32u8", "m16n8k32.row.col.s32.u8.u8.s32", 4, 4, 2, 4, 80),
    ("m16n8k16s8", "m16n8k16.row.col.s32.s8.s8.s32", 4, 2, 1, 4, 80),
    ("m8n8k4f64", "m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1, 2, 80),
]
for _name, _form, _d, _a, _b, _c, _sm in _MMA:
    ROWS.append(
        Row(
            f"mma.{_name}({_list('a', _a)}, {_list('b', _b)}, {_list('c', _c)})",
            f"mma.sync.aligned.{_form} {_vector('d', _d)}, {_vector('a', _a)}, {_vector('b', _b)}, {_vector('c', _c)}",
            "mma",
            _sm,
        )
    )
for _n in (1, 2, 4):
    for _trans, _dot in (("", ""), ("t", ".trans")):
        _to = _vector("d", _n) if _n > 1 else "{$d0}"
        ROWS.append(
            Row(
                f"ldmatrix{_trans}.x{_n}(p:m)",
                f"ldmatrix.sync.aligned.m8n8.x{_n}{_dot}.shared.b16 {_to}, [$p]",
                "ldsm",
                75,
            )
        )
