"""Words of PTX that the parser and the verifier must know: special registers, state spaces, types, directives."""

from __future__ import annotations

from minicc.ptx.model import Linkage, Space

_XYZ = ("tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid")

SPECIAL: dict[str, str] = {
    **{f"%{name}.{axis}": "u32" for name in _XYZ for axis in "xyzw"},
    **{f"%{name}": "v4.u32" for name in _XYZ},
    **dict.fromkeys(("%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid32"), "u32"),
    "%gridid": "u64",
    "%is_explicit_cluster": "pred",
    **dict.fromkeys(("%cluster_ctarank", "%cluster_nctarank"), "u32"),
    **{f"%lanemask_{kind}": "b32" for kind in ("eq", "le", "lt", "ge", "gt")},
    **dict.fromkeys(("%clock", "%clock_hi"), "u32"),
    "%clock64": "u64",
    **{f"%pm{i}": "u32" for i in range(8)},
    **{f"%pm{i}_64": "u64" for i in range(8)},
    **{f"%envreg{i}": "b32" for i in range(32)},
    "%globaltimer": "u64",
    **dict.fromkeys(("%globaltimer_lo", "%globaltimer_hi"), "u32"),
    **dict.fromkeys(("%reserved_smem_offset_begin", "%reserved_smem_offset_end"), "b32"),
    **dict.fromkeys(("%reserved_smem_offset_cap", "%reserved_smem_offset_0", "%reserved_smem_offset_1"), "b32"),
    **dict.fromkeys(("%total_smem_size", "%aggr_smem_size", "%dynamic_smem_size"), "u32"),
    "%current_graph_exec": "u64",
}
"""Special register -> its type (PTX ISA, "Special Registers")."""

SIZES: dict[str, int] = {
    **{f"{k}{n}": n // 8 for k in "usb" for n in (8, 16, 32, 64)},
    "b128": 16, "f16": 2, "f16x2": 4, "bf16": 2, "bf16x2": 4, "tf32": 4, "f32": 4, "f64": 8,
    "e4m3x2": 2, "e5m2x2": 2, "f32x2": 8, "texref": 8, "samplerref": 8, "surfref": 8,
}  # fmt: skip
"""Bytes of a value of a type; `pred` has no size."""

TYPES = frozenset(SIZES) | {"pred", "s4", "u4", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "e8m0"}

SPACES: dict[str, Space] = {s: s for s in ("reg", "sreg", "const", "global", "local", "param", "shared", "tex")}

VECTORS = {"v2": 2, "v4": 4, "v8": 8}

LINKAGE: dict[str, Linkage] = {f".{word}": word for word in ("extern", "visible", "weak", "common")}

PERFORMANCE = frozenset(
    {
        "maxntid", "reqntid", "minnctapersm", "maxnctapersm", "maxnreg", "noreturn", "reqnctapercluster",
        "explicitcluster", "maxclusterrank", "blocksareclusters", "abi_preserve", "abi_preserve_control",
    }
)  # fmt: skip
"""Directives between a function's header and its body."""
OF_FUNCTIONS = frozenset({"noreturn", "abi_preserve", "abi_preserve_control"})
"""Those that a function that is no kernel may have, too."""
THREE = frozenset({"maxntid", "reqntid", "reqnctapercluster"})
"""Those with one value to a dimension."""

TARGET_OPTIONS = frozenset({"texmode_unified", "texmode_independent", "debug"})
