"""Instructions that nvcc itself seldom writes: ours are those that NVIDIA's ptxas chooses for the same PTX, but for
registers; and the records of a kernel that a driver or a tool reads."""

from __future__ import annotations

import re
from pathlib import Path

from minicc import arch, binary, ptx, ptxas
from minicc.diagnostics import SourceFile
from minicc.ptxas.options import Options
from minicc.sass import decode, format
from tests.conftest import nvidia_assembles

SM = arch.get("sm_90a")
HEAD = """.version 9.0
.target sm_90a
.address_size 64
.extern .shared .align 128 .b8 sm[];
.visible .entry k(.param .u64 out, .param .u64 handle, .param .u32 n)
{
 .reg .pred %p<8>; .reg .b16 %h<32>; .reg .b32 %r<96>; .reg .f32 %f<64>; .reg .b64 %rd<32>; .reg .b128 %q<4>;
 ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [handle]; mov.u32 %r0, %tid.x;
 ld.global.v4.u32 {%r5,%r6,%r7,%r8}, [%rd0+16]; ld.global.v4.u32 {%r9,%r10,%r11,%r12}, [%rd0+32];
 ld.global.v4.f32 {%f5,%f6,%f7,%f8}, [%rd0+48]; ld.global.v2.u64 {%rd5,%rd6}, [%rd0+64]; mov.b128 %q1, {%rd5,%rd6};
"""
FOUR = "st.global.v4.f32 [%rd0], {%f1,%f2,%f3,%f4};"
WORDS = "st.global.v4.u32 [%rd0], {%r1,%r2,%r3,%r4};"
CASES = [
    f"tex.1d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{%f5}}]; {FOUR}",
    f"tex.1d.v4.f32.s32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{%r5}}]; {FOUR}",
    f"tex.2d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{%f5,%f6}}]; {FOUR}",
    f"tex.2d.v4.s32.s32 {{%r1,%r2,%r3,%r4}}, [%rd1, {{%r5,%r6}}]; {WORDS}",
    f"tex.3d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{%f5,%f6,%f7,%f7}}]; {FOUR}",
    f"tex.a1d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{%r5,%f6}}]; {FOUR}",
    f"tex.a2d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{%r5,%f6,%f7,%f7}}]; {FOUR}",
    f"tex.cube.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{%f5,%f6,%f7,%f7}}]; {FOUR}",
    f"tex.level.2d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{%f5,%f6}}], %f7; {FOUR}",
    f"tex.level.2d.v4.f32.s32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{%r5,%r6}}], %r7; {FOUR}",
    f"tex.grad.2d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{%f5,%f6}}], {{%f7,%f8}}, {{%f5,%f8}}; {FOUR}",
    "tex.2d.v4.f32.f32 {%f1,_,%f3,_}, [%rd1, {%f5,%f6}]; st.global.f32 [%rd0], %f1; st.global.f32 [%rd0+4], %f3;",
    f"tex.2d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{%f5,%f6}}], {{1,2}}; {FOUR}",
    f"tld4.g.2d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [%rd1, {{%f5,%f6}}]; {FOUR}",
    "txq.height.b32 %r1, [%rd1]; st.global.u32 [%rd0], %r1;",
    "suq.width.b32 %r1, [%rd1]; st.global.u32 [%rd0], %r1;",
    "suld.b.1d.b32.trap {%r1}, [%rd1, {%r5}]; st.global.u32 [%rd0], %r1;",
    "suld.b.2d.v2.b32.zero {%r1,%r2}, [%rd1, {%r5,%r6}]; st.global.v2.u32 [%rd0], {%r1,%r2};",
    "suld.b.a2d.v2.b16.clamp {%h1,%h2}, [%rd1, {%r5,%r6,%r7,%r8}]; st.global.v2.u16 [%rd0], {%h1,%h2};",
    "suld.b.3d.b64.trap {%rd2}, [%rd1, {%r5,%r6,%r7,%r8}]; st.global.u64 [%rd0], %rd2;",
    "sust.b.2d.b32.trap [%rd1, {%r5,%r6}], {%r9};",
    "sust.b.1d.v4.b32.clamp [%rd1, {%r5}], {%r9,%r10,%r11,%r12};",
    "sured.b.add.2d.u64.trap [%rd1, {%r5,%r6}], %rd5;",
    f"multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {{%f1,%f2,%f3,%f4}}, [%rd0]; {FOUR}",
    "multimem.ld_reduce.relaxed.gpu.global.min.s64 %rd3, [%rd0]; st.global.u64 [%rd0], %rd3;",
    "multimem.red.release.gpu.global.add.v4.bf16x2 [%rd0], {%r5,%r6,%r7,%r8};",
    "multimem.st.relaxed.sys.global.v4.f32 [%rd0], {%f5,%f6,%f7,%f8};",
    "atom.global.exch.b128 %q2, [%rd0], %q1; st.global.b128 [%rd0+32], %q2;",
    "atom.shared.cas.b128 %q2, [%r5], %q1, %q1; st.global.b128 [%rd0+32], %q2;",
    "ld.shared::cluster.u32 %r1, [%r5]; st.shared::cluster.u32 [%r6], %r1;",
    "atom.shared::cluster.min.s32 %r1, [%r5], %r6; st.global.u32 [%rd0], %r1;",
    "fma.rn.oob.f16x2 %r1, %r5, %r6, %r7; st.global.u32 [%rd0], %r1;",
    "cvt.pack.sat.s4.s32.b32 %r1, %r5, %r6, %r7; st.global.u32 [%rd0], %r1;",
    "griddepcontrol.wait; griddepcontrol.launch_dependents;",
]
SPECIAL = re.compile(
    r"(TEX|TLD|TLD4|TXD|TXQ|SULD|SUST|SURED|LDGMC|REDG|ATOM|ATOMG|ATOMS|LD|ST|I2IP|HFMA2|ACQBULK|PREEXIT|S2R SR_SW)\b"
)


def lines(code: bytes) -> list[str]:
    found = []
    for at in range(0, len(code), 16):
        line = format(decode(int.from_bytes(code[at : at + 16], "little"), SM))
        if SPECIAL.match(line) and "-RZ, RZ" not in line:
            found.append(re.sub(r"\b(UR|R|UP|P)\d+\b", r"\1", line).replace("desc[UR]", "").replace(".64]", "]"))
    return sorted(found)


def test_the_instructions_that_nvidia_chooses(tmp_path: Path) -> None:
    wrong = []
    for case in CASES:
        source = f"{HEAD} {case} ret; }}\n"
        theirs = binary.read_cubin(nvidia_assembles(source, tmp_path, "sm_90a"), "k.cubin").functions[0].code
        ours = ptxas.assemble(ptx.parse(SourceFile("k.ptx", source)), SM, Options()).functions[0].code
        if (a := lines(ours)) != (b := lines(theirs)):
            wrong.append((case, a, b))
    assert not wrong


def records(directives: str, body: str = "") -> dict[str, object]:
    source = f".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {directives}\n{{ {body} ret; }}\n"
    return ptxas.assemble(ptx.parse(SourceFile("k.ptx", source)), SM, Options()).functions[0].attributes


def test_cluster_directives_are_recorded() -> None:
    assert records(".reqnctapercluster 2, 2")["CTA_PER_CLUSTER"] == (2, 2, 1)
    assert records(".explicitcluster")["EXPLICIT_CLUSTER"]
    assert tuple(records(".maxclusterrank 4")["MAX_CLUSTER_RANK"]) == (4,)  # type: ignore[call-overload]
    assert records(".reqntid 64 .reqnctapercluster 2 .blocksareclusters")["BLOCKS_ARE_CLUSTERS"]


def test_mbarrier_instructions_are_recorded() -> None:
    body = (
        ".shared .b64 bar[2]; .reg .b64 %rd<3>; .reg .pred %p; .reg .b32 %r<3>; mov.u32 %r1, bar;"
        "mbarrier.init.shared::cta.b64 [%r1+8], 1; mbarrier.arrive.shared::cta.b64 %rd1, [%r1+8];"
        "mbarrier.try_wait.parity.shared::cta.b64 %p, [%r1+8], 0; mbarrier.inval.shared::cta.b64 [%r1+8];"
    )
    found = records("", body)
    words = found["MBARRIER_INSTR_OFFSETS"]
    assert isinstance(words, tuple)
    assert found["NUM_MBARRIERS"] == 1
    assert [w & 0xFF for w in words[3::4]] == [0, 1, 10, 8]


def test_parameters_are_aligned_by_their_place_in_the_bank() -> None:
    """Parameters begin at 0x210, which is no multiple of 64."""
    source = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u32 n)
{ .reg .b64 %rd<3>; mov.u64 %rd1, map; cvta.param.u64 %rd2, %rd1; prefetch.tensormap [%rd2]; ret; }
"""
    function = ptxas.assemble(ptx.parse(SourceFile("k.ptx", source)), SM, Options()).functions[0]
    assert [(p.offset, p.size) for p in function.params] == [(0x30, 128), (0xB0, 4)]


def test_shared_addresses_carry_the_rank_in_a_cluster() -> None:
    """Bulk copies and mbarriers of a cluster name shared memory by the block's rank in bits 24 and up."""
    source = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p) {CLUSTER}
{ .shared .b32 s[4]; .reg .b64 %rd<3>; .reg .b32 %r<3>; ld.param.u64 %rd1, [p]; mov.u32 %r1, s;
 st.global.u32 [%rd1], %r1; ret; }
"""
    for cluster, expected in (("", False), (".reqnctapercluster 2", True)):
        text = source.replace("{CLUSTER}", cluster)
        code = ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), SM, Options()).functions[0].code
        found = [format(decode(int.from_bytes(code[k : k + 16], "little"), SM)) for k in range(0, len(code), 16)]
        assert any("SR_CgaCtaId" in line for line in found) == expected
