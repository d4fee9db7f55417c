"""Tensor core: matrix fragments, multiply-accumulate, copies by tensor maps. The trees are LLVM's intrinsics by name.

Generations: wmma (sm_70, 72, 75), mma.sync (75, 80, 89), wgmma and TMA (90), narrow mma (120a), tcgen05 (100a)."""

from __future__ import annotations

from minicc.isel.patterns import Row

ROWS: list[Row] = []

# --- wmma: fragments in registers, (types, registers) by shape ----------------------------------------------------

# (shape, fragment, memory type, registers, first SM)
_FRAGMENTS = [
    ("{s16}", "{ab}", "f16", 8, 70),
    ("m16n16k16", "{ab}", "{i8}", 2, 72),
    ("m32n8k16", "a", "{i8}", 4, 72),
    ("m32n8k16", "b", "{i8}", 1, 72),
    ("m8n32k16", "a", "{i8}", 1, 72),
    ("m8n32k16", "b", "{i8}", 4, 72),
    ("m16n16k16", "{ab}", "bf16", 4, 80),
    ("m32n8k16", "a", "bf16", 8, 80),
    ("m32n8k16", "b", "bf16", 2, 80),
    ("m8n32k16", "a", "bf16", 2, 80),
    ("m8n32k16", "b", "bf16", 8, 80),
    ("m16n16k8", "{ab}", "tf32", 4, 80),
    ("m8n8k4", "{ab}", "f64", 1, 80),
    ("m8n8k32", "{arow}", "{i4}", 1, 75),
    ("m8n8k128", "{arow}", "b1", 1, 75),
    ("{s16}", "c", "f16", 4, 70),
    ("{s168}", "c", "f32", 8, 70),
    ("{s16}", "c", "s32", 8, 72),
    ("{s8}", "c", "s32", 2, 75),
    ("m8n8k4", "c", "f64", 2, 80),
]
for _shape, _part, _type, _n, _sm in _FRAGMENTS:
    _to = f"{{$d*{_n}}}" if _n > 1 else "{$d0}"
    _name = _part if _part == "{arow}" else f"{_part}.{{rc}}"
    _which, _order = ("{arow}", "{arow.1}") if _part == "{arow}" else (_part, "{rc}")
    ROWS.append(
        Row(
            f"wmma.{_shape}.load.{_name}.stride.{_type}(p:m, s:ri)",
            f"wmma.load.{_which}.sync.aligned.{_order}.{_shape}{{space}}.{_type} {_to}, [$p], $s",
            "ldg4",
            _sm,
        )
    )
    if _part == "c":
        ROWS.append(
            Row(
                f"wmma.{_shape}.store.d.{{rc}}.stride.{_type}(p:m, a*{_n}, s:ri)",
                f"wmma.store.d.sync.aligned.{{rc}}.{_shape}{{space}}.{_type} [$p], {{$a*{_n}}}, $s",
                "stg",
                _sm,
            )
        )
# (shape, LLVM's suffix, PTX's types, registers of d, a, b, c, first SM)
_WMMA = [
    ("{s16}", "f16.f16{sat}", "f16.f16{sat}", 4, 8, 8, 4, 70),
    ("{s16}", "f16.f32{sat}", "f16.f32{sat}", 4, 8, 8, 8, 70),
    ("{s16}", "f32.f16{sat}", "f32.f16{sat}", 8, 8, 8, 4, 70),
    ("{s16}", "f32.f32{sat}", "f32.f32{sat}", 8, 8, 8, 8, 70),
    ("m16n16k16", "{i8}{sat}", "s32.{i8}.{i8}.s32{sat}", 8, 2, 2, 8, 72),
    ("m32n8k16", "{i8}{sat}", "s32.{i8}.{i8}.s32{sat}", 8, 4, 1, 8, 72),
    ("m8n32k16", "{i8}{sat}", "s32.{i8}.{i8}.s32{sat}", 8, 1, 4, 8, 72),
    ("m16n16k16", "bf16", "f32.bf16.bf16.f32", 8, 4, 4, 8, 80),
    ("m32n8k16", "bf16", "f32.bf16.bf16.f32", 8, 8, 2, 8, 80),
    ("m8n32k16", "bf16", "f32.bf16.bf16.f32", 8, 2, 8, 8, 80),
    ("m16n16k8", "tf32", "f32.tf32.tf32.f32", 8, 4, 4, 8, 80),
    ("m8n8k4", "{dr}f64", "{dr}f64.f64.f64.f64", 2, 1, 1, 2, 80),
    ("m8n8k32", "{i4}{sat}", "s32.{i4}.{i4}.s32{sat}", 2, 1, 1, 2, 75),
]


def _vectors(d: int, a: int, b: int, c: int) -> tuple[str, str]:
    """(operands of the tree, of the template)"""

    def regs(letter: str, count: int) -> str:
        return f"{{${letter}*{count}}}" if count > 1 else "{$" + letter + "0}"

    return f"a*{a}, b*{b}, c*{c}", ", ".join(regs(*pair) for pair in (("d", d), ("a", a), ("b", b), ("c", c)))


for _shape, _suffix, _types, _d, _a, _b, _c, _sm in _WMMA:
    _tree, _regs = _vectors(_d, _a, _b, _c)
    _lay = "row.col" if "i4" in _suffix else "{lay}"
    ROWS.append(
        Row(
            f"wmma.{_shape}.mma.{_lay}.{_suffix}({_tree})",
            f"wmma.mma.sync.aligned.{_lay}.{_shape}.{_types} {_regs}",
            "wmma",
            _sm,
        )
    )
_tree, _regs = _vectors(2, 1, 1, 2)
ROWS.append(
    Row(
        f"wmma.m8n8k128.mma.{{bop}}.popc.row.col.b1({_tree})",
        f"wmma.mma.{{bop}}.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {_regs}",
        "wmma",
        75,
    )
)

# --- mma.sync -----------------------------------------------------------------------------------------------------

# (LLVM's name after "mma.", PTX's after "mma.sync.aligned.", registers of d, a, b, c, first SM, flags)
_MMA = [
    ("m8n8k4.{lay}.f16.f16", "m8n8k4.{lay}.f16.f16.f16.f16", 4, 2, 2, 4, 70, ""),
    ("m8n8k4.{lay}.f32.f16", "m8n8k4.{lay}.f32.f16.f16.f16", 8, 2, 2, 4, 70, ""),
    ("m8n8k4.{lay}.f32.f32", "m8n8k4.{lay}.f32.f16.f16.f32", 8, 2, 2, 8, 70, ""),
    ("m16n8k8.row.col.f16.f16", "m16n8k8.row.col.f16.f16.f16.f16", 2, 2, 1, 2, 75, ""),
    ("m16n8k8.row.col.f32.f32", "m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1, 4, 75, ""),
    ("m16n8k16.row.col.f16.f16", "m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2, 2, 80, ""),
    ("m16n8k16.row.col.f32.f32", "m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 4, 80, ""),
    ("m16n8k8.row.col.bf16", "m16n8k8.row.col.f32.bf16.bf16.f32", 4, 2, 1, 4, 80, ""),
    ("m16n8k16.row.col.bf16", "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2, 4, 80, ""),
    ("m16n8k4.row.col.tf32", "m16n8k4.row.col.f32.tf32.tf32.f32", 4, 2, 1, 4, 80, ""),
    ("m16n8k8.row.col.tf32", "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2, 4, 80, ""),
    ("m8n8k4.row.col.f64", "m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1, 2, 80, ""),
    ("m16n8k4.row.col.f64", "m16n8k4.row.col.f64.f64.f64.f64", 4, 2, 1, 4, 90, ""),
    ("m16n8k8.row.col.f64", "m16n8k8.row.col.f64.f64.f64.f64", 4, 4, 2, 4, 90, ""),
    ("m16n8k16.row.col.f64", "m16n8k16.row.col.f64.f64.f64.f64", 4, 8, 4, 4, 90, ""),
    ("m8n8k16.row.col{sat}.{ii8}", "m8n8k16.row.col{sat}.s32.{ii8}.s32", 2, 1, 1, 2, 75, ""),
    ("m16n8k16.row.col{sat}.{ii8}", "m16n8k16.row.col{sat}.s32.{ii8}.s32", 4, 2, 1, 4, 80, ""),
    ("m16n8k32.row.col{sat}.{ii8}", "m16n8k32.row.col{sat}.s32.{ii8}.s32", 4, 4, 2, 4, 80, ""),
    ("m8n8k32.row.col{sat}.{ii4}", "m8n8k32.row.col{sat}.s32.{ii4}.s32", 2, 1, 1, 2, 75, ""),
    ("m16n8k32.row.col{sat}.{ii4}", "m16n8k32.row.col{sat}.s32.{ii4}.s32", 4, 2, 1, 4, 80, ""),
    ("m16n8k64.row.col{sat}.{ii4}", "m16n8k64.row.col{sat}.s32.{ii4}.s32", 4, 4, 2, 4, 80, ""),
    ("{bop}.popc.m8n8k128.row.col.b1", "m8n8k128.row.col.s32.b1.b1.s32.{bop}.popc", 2, 1, 1, 2, 75, ""),
    ("{bop}.popc.m16n8k128.row.col.b1", "m16n8k128.row.col.s32.b1.b1.s32.{bop}.popc", 4, 2, 1, 4, 80, ""),
    ("{bop}.popc.m16n8k256.row.col.b1", "m16n8k256.row.col.s32.b1.b1.s32.{bop}.popc", 4, 4, 2, 4, 80, ""),
    ("m16n8k16.row.col.f16.{ee8}.f16", "m16n8k16.row.col.f16.{ee8}.f16", 2, 2, 1, 2, 89, ""),
    ("m16n8k16.row.col.f32.{ee8}.f32", "m16n8k16.row.col.f32.{ee8}.f32", 4, 2, 1, 4, 89, ""),
    ("m16n8k32.row.col.f16.{ee8}.f16", "m16n8k32.row.col.f16.{ee8}.f16", 2, 4, 2, 2, 89, ""),
    ("m16n8k32.row.col.f32.{ee8}.f32", "m16n8k32.row.col.f32.{ee8}.f32", 4, 4, 2, 4, 89, ""),
    (
        "m16n8k32.row.col.kind.f8f6f4.f16.{et}.{et2}.f16",
        "m16n8k32.row.col.kind::f8f6f4.f16.{et}.{et2}.f16",
        2,
        4,
        2,
        2,
        120,
        "a",
    ),
    (
        "m16n8k32.row.col.kind.f8f6f4.f32.{et}.{et2}.f32",
        "m16n8k32.row.col.kind::f8f6f4.f32.{et}.{et2}.f32",
        4,
        4,
        2,
        4,
        120,
        "a",
    ),
]
for _name, _form, _d, _a, _b, _c, _sm, _flags in _MMA:
    _tree, _regs = _vectors(_d, _a, _b, _c)
    ROWS.append(Row(f"mma.{_name}({_tree})", f"mma.sync.aligned.{_form} {_regs}", "mma", _sm, _flags))

# Sparse A: (LLVM's name after "mma.sp", PTX's, registers of d, a, b, c, first SM)
_SPARSE = [
    ("m16n8k16.row.col.f16.f16", "m16n8k16.row.col.f16.f16.f16.f16", 2, 2, 2, 2, 80),
    ("m16n8k16.row.col.f32.f32", "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 2, 4, 80),
    ("m16n8k32.row.col.f16.f16", "m16n8k32.row.col.f16.f16.f16.f16", 2, 4, 4, 2, 80),
    ("m16n8k32.row.col.f32.f32", "m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4, 4, 80),
    ("m16n8k16.row.col.bf16", "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 2, 4, 80),
    ("m16n8k32.row.col.bf16", "m16n8k32.row.col.f32.bf16.bf16.f32", 4, 4, 4, 4, 80),
    ("m16n8k8.row.col.tf32", "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 2, 4, 80),
    ("m16n8k16.row.col.tf32", "m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4, 4, 80),
    ("m16n8k32.row.col{sat}.{ii8}", "m16n8k32.row.col{sat}.s32.{ii8}.s32", 4, 2, 2, 4, 80),
    ("m16n8k64.row.col{sat}.{ii8}", "m16n8k64.row.col{sat}.s32.{ii8}.s32", 4, 4, 4, 4, 80),
    ("m16n8k64.row.col{sat}.{ii4}", "m16n8k64.row.col{sat}.s32.{ii4}.s32", 4, 2, 2, 4, 80),
    ("m16n8k128.row.col{sat}.{ii4}", "m16n8k128.row.col{sat}.s32.{ii4}.s32", 4, 4, 4, 4, 80),
    ("m16n8k64.row.col.f32.{ee8}.f32", "m16n8k64.row.col.f32.{ee8}.f32", 4, 4, 4, 4, 89),
]
for _name, _form, _d, _a, _b, _c, _sm in _SPARSE:
    _tree, _regs = _vectors(_d, _a, _b, _c)
    ROWS.append(
        Row(
            f"mma.sp{{om}}.{_name}({_tree}, m0, s:i)", f"mma.sp{{om}}.sync.aligned.{_form} {_regs}, $m0, $s", "mma", _sm
        )
    )

# --- fragments from and to shared memory ---------------------------------------------------------------------------

for _n in (1, 2, 4):
    _to = f"{{$d*{_n}}}" if _n > 1 else "{$d0}"
    _from = f"{{$a*{_n}}}" if _n > 1 else "{$a0}"
    ROWS += [
        Row(
            f"ldmatrix.sync.aligned.m8n8.x{_n}{{trans}}.b16(p:m)",
            f"ldmatrix.sync.aligned.m8n8.x{_n}{{trans}}{{space}}.b16 {_to}, [$p]",
            "ldsm",
            75,
        ),
        Row(
            f"stmatrix.sync.aligned.m8n8.x{_n}{{trans}}.b16(p:m, a*{_n})",
            f"stmatrix.sync.aligned.m8n8.x{_n}{{trans}}{{space}}.b16 [$p], {_from}",
            "ldsm",
            90,
        ),
        Row(
            f"stmatrix.sync.aligned.m16n8.x{_n}.trans.b8(p:m, a*{_n})",
            f"stmatrix.sync.aligned.m16n8.x{_n}.trans{{space}}.b8 [$p], {_from}",
            "ldsm",
            100,
            "a",
        ),
    ]
ROWS += [
    Row(
        "ldmatrix.sync.aligned.m16n16.x1.trans.{b8}(p:m)",
        "ldmatrix.sync.aligned.m16n16.x1.trans{space}.{b8} {$d*2}, [$p]",
        "ldsm",
        100,
        "a",
    ),
    Row(
        "ldmatrix.sync.aligned.m16n16.x2.trans.{b8}(p:m)",
        "ldmatrix.sync.aligned.m16n16.x2.trans{space}.{b8} {$d*4}, [$p]",
        "ldsm",
        100,
        "a",
    ),
]

# --- copies by tensor maps (TMA) -----------------------------------------------------------------------------------

for _n in range(1, 6):
    _at = f"{{$a*{_n}}}" if _n > 1 else "{$a0}"
    _dim = f"{_n}d"
    ROWS += [
        Row(
            f"tensor.g2s.tile.{_dim}(p:m, q:m, t, a*{_n})",
            f"cp.async.bulk.tensor.{_dim}.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            f" [$p], [$t, {_at}], [$q]",
            "tma",
            90,
        ),
        Row(
            f"tensor.s2g.tile.{_dim}(p:m, t, a*{_n})",
            f"cp.async.bulk.tensor.{_dim}.global.shared::cta.tile.bulk_group [$t, {_at}], [$p]",
            "tma",
            90,
        ),
        Row(
            f"tensor.reduce.{{red8}}.tile.{_dim}(p:m, t, a*{_n})",
            f"cp.reduce.async.bulk.tensor.{_dim}.global.shared::cta.{{red8}}.tile.bulk_group [$t, {_at}], [$p]",
            "tma",
            90,
        ),
        Row(
            f"tensor.prefetch.tile.{_dim}(t, a*{_n})",
            f"cp.async.bulk.prefetch.tensor.{_dim}.L2.global.tile [$t, {_at}]",
            "tma",
            90,
        ),
    ]

# --- warpgroup products (sm_90a): the products themselves are inline PTX; their order is an intrinsic ----------------

ROWS += [
    Row("wgmma.fence.sync.aligned", "wgmma.fence.sync.aligned", "wgmma", 90, "a"),
    Row("wgmma.commit_group.sync.aligned", "wgmma.commit_group.sync.aligned", "wgmma", 90, "a"),
    Row("wgmma.wait_group.sync.aligned(a:i)", "wgmma.wait_group.sync.aligned $a", "wgmma", 90, "a"),
]

# --- tensor memory (sm_100a) ----------------------------------------------------------------------------------------

ROWS += [
    Row(
        "tcgen05.alloc{cshared}.{cg}(p:m, a:ri)",
        "tcgen05.alloc.{cg}.sync.aligned{cshared}.b32 [$p], $a",
        "tcgen",
        100,
        "a",
    ),
    Row("tcgen05.dealloc.{cg}(t, a:ri)", "tcgen05.dealloc.{cg}.sync.aligned.b32 $t, $a", "tcgen", 100, "a"),
    Row("tcgen05.relinq.alloc.permit.{cg}", "tcgen05.relinquish_alloc_permit.{cg}.sync.aligned", "tcgen", 100, "a"),
    Row(
        "tcgen05.commit{tshared}.{cg}(p:m)",
        "tcgen05.commit.{cg}.mbarrier::arrive::one{tshared}.b64 [$p]",
        "tcgen",
        100,
        "a",
    ),
    Row(
        "tcgen05.commit.mc{tshared}.{cg}(p:m, a)",
        "tcgen05.commit.{cg}.mbarrier::arrive::one{tshared}.multicast::cluster.b64 [$p], $a",
        "tcgen",
        100,
        "a",
    ),
    Row("tcgen05.wait.{ldst}", "tcgen05.wait::{ldst}.sync.aligned", "tcgen", 100, "a"),
    Row("tcgen05.fence.{before}.thread.sync", "tcgen05.fence::{before}_thread_sync", "tcgen", 100, "a"),
    Row("tcgen05.shift.down.{cg}(p:m)", "tcgen05.shift.{cg}.down [$p]", "tcgen", 100, "a"),
    Row("tcgen05.cp.{tcp}{tfmt}.{cg}(p:m, a)", "tcgen05.cp.{cg}.{tcp}{tfmt} [$p], $a", "tcgen", 100, "a"),
]
