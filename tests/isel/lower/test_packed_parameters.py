"""Members of packed classes that kernels take by value, read through references that promise more alignment than
there is: a parameter's misaligned word cannot be an operand, so its bytes are read."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import minicc
import runtime
from minicc.diagnostics import SourceFile

_TYPES = {"char": "i1", "short": "<i2", "int": "<i4", "long long": "<i8", "float": "<f4", "double": "<f8"}


@settings(max_examples=10)
@given(st.lists(st.sampled_from(list(_TYPES)), min_size=1, max_size=7), st.integers(0, 99))
def test_references_to_packed_members(members: list[str], seed: int) -> None:
    fields = "".join(f" {t} m{k};" for k, t in enumerate(members))
    getters = "".join(f"__device__ const {t} &g{k}(const P &p) {{ return p.m{k}; }}\n" for k, t in enumerate(members))
    reads = " ".join(f"o[{k}] = g{k}(p);" for k in range(len(members)))
    text = f"#pragma pack(1)\nstruct P {{{fields} }};\n{getters}__global__ void k(P p, double *o) {{ {reads} }}\n"
    made = minicc.compile(SourceFile("t.cu", text), arch="sm_90")
    rng = np.random.default_rng(seed)
    form = [(f"m{k}", _TYPES[t]) for k, t in enumerate(members)]
    values = np.array([tuple(rng.integers(-100, 100, len(members)))], form)
    out = np.zeros(len(members))
    runtime.Device("sm_90", timing=False).load(made)["k"][1, 1](values[0], out)
    assert list(out) == [float(v) for v in values[0]]
