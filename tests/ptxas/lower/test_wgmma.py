"""Warpgroup multiplies: the model gives what NVIDIA's code of the same PTX gives, and what arithmetic says; groups end
where they must; registers under way are left alone; nvdisasm prints what was meant."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from minicc import arch, binary, ptx, ptxas
from minicc.diagnostics import CompileError, SourceFile
from minicc.ptxas.control.check import check
from minicc.ptxas.options import Options
from minicc.sass import decode
from tests.conftest import nvidia_assembles

SM = arch.get("sm_90a")
FENCE = "wgmma.fence.sync.aligned;"
COMMIT = "wgmma.commit_group.sync.aligned;"
WAIT = "wgmma.wait_group.sync.aligned 0;"
END = f"{COMMIT} {WAIT}"
A = "{%r240,%r241,%r242,%r243}"
TEMPLATE = """.version 8.7
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 sm[];
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
 .reg .pred %p<8>; .reg .b32 %r<300>; .reg .b64 %rd<32>; .reg .b32 %f<300>;
 ld.param.u64 %rd0, [in]; ld.param.u64 %rd10, [out]; ld.param.u32 %r250, [n];
 mov.u32 %r251, %tid.x; mul.wide.u32 %rd3, %r251, 16; add.s64 %rd1, %rd0, %rd3;
 mov.u32 %r252, sm; shl.b32 %r253, %r251, 4; add.u32 %r254, %r252, %r253; mov.u32 %r255, 0;
C: ld.global.v4.b32 {%r256,%r257,%r258,%r259}, [%rd1]; st.shared.v4.b32 [%r254], {%r256,%r257,%r258,%r259};
 add.s64 %rd1, %rd1, 2048; add.u32 %r254, %r254, 2048; add.u32 %r255, %r255, 1; setp.lt.u32 %p1, %r255, 16; @%p1 bra C;
 mul.wide.u32 %rd3, %r251, 512; add.s64 %rd1, %rd0, %rd3; add.s64 %rd10, %rd10, %rd3;
 ld.global.v4.b32 {%r240,%r241,%r242,%r243}, [%rd1+64]; setp.ne.u32 %p1, %r250, 0;
 fence.proxy.async; bar.sync 0;
 and.b32 %r260, %r252, 0x3ffff; shr.u32 %r260, %r260, 4; cvt.u64.u32 %rd4, %r260;
 or.b64 %rd4, %rd4, 0x0000001000080000; add.s64 %rd5, %rd4, 512;
LOADS
BODY
STORES
 ret;
}
"""


def multiply(shape: str, types: str, count: int, a: str = "%rd4", tail: str = "1,1,1,0,0", first: int = 0) -> str:
    """One wgmma; `types` may begin with `.sp`."""
    sparse = ".sp" if types.startswith(".sp") else ""
    registers = ",".join(f"%f{first + k}" for k in range(count))
    return f"wgmma.mma_async{sparse}.sync.aligned.{shape}.{types.removeprefix('.sp.')} {{{registers}}},{a},%rd5,{tail};"


HALF = multiply("m64n64k16", "f32.f16.f16", 32)
FROM_A = multiply("m64n64k16", "f32.f16.f16", 32, A, "1,-1,1,1")
SECOND = multiply("m64n64k16", "f32.f16.f16", 32, first=32)
ONE_LEFT = f"{COMMIT} wgmma.wait_group.sync.aligned 1;"
WIDE = [
    multiply("m64n128k16", "f32.f16.f16", 64, tail="0,1,1,0,0" if n > 1 else "1,1,1,0,0", first=64 * n)
    for n in range(4)
]
"""Two sums of 64 registers that last, and two more at once: they are more than a thread has."""
FOLD = "".join(f"add.f32 %f{k}, %f{k}, %f{k + 1};" for k in range(254, 127, -1))
SCALE = "".join(f"fma.rn.f32 %f{k}, %f{k}, 0f3F000000, %f128;" for k in range(128))
ZEROS = "".join(f"mov.b32 %f{k}, 0f3F800000;" for k in range(128, 256))
GROWN = "".join(multiply("m64n128k16", "f32.f16.f16", 64, first=64 * n) for n in (2, 3))
LESS = multiply("m64n128k16", "f32.f16.f16", 64, tail="0,-1,1,0,0", first=192)
PRODUCTS = "".join(f"mul.f32 %f{k}, %f{k}, %f{k + 128};" for k in range(128))
LOOP = "sub.u32 %r250, %r250, 1; setp.ne.u32 %p2, %r250, 0; @%p2 bra L;"
FORMS = {
    **{f"n{n}": (n // 2, f"{FENCE}{multiply(f'm64n{n}k16', 'f32.f16.f16', n // 2)}{END}") for n in (8, 24, 128, 256)},
    "bf16": (32, FENCE + multiply("m64n64k16", "f32.bf16.bf16", 32) * 3 + END),
    "f16": (16, FENCE + multiply("m64n64k16", "f16.f16.f16", 16) + END),
    "tf32": (32, FENCE + multiply("m64n64k8", "f32.tf32.tf32", 32, tail="1,-1,1") + END),
    "fp8": (32, FENCE + multiply("m64n64k32", "f32.e4m3.e5m2", 32, tail="%p1,1,1") + END),
    "s8": (32, FENCE + multiply("m64n64k32", "s32.s8.u8.satfinite", 32, tail="1") + END),
    "b1": (32, FENCE + multiply("m64n64k256", "s32.b1.b1.and.popc", 32, tail="1") + END),
    "from_a": (32, FENCE + FROM_A + END),
    "from_a_often": (32, FENCE + (FROM_A + "add.s64 %rd5,%rd5,2;") * 17 + END),
    "from_a_fp8": (32, FENCE + multiply("m64n64k32", "f32.e4m3.e4m3", 32, A, "%p1,1,1") + END),
    "turned": (32, FENCE + multiply("m64n64k16", "f32.f16.f16", 32, tail="1,1,-1,1,1") + END),
    "from_zero": (32, FENCE + multiply("m64n64k16", "f32.f16.f16", 32, tail="0,1,1,0,0") + HALF + END),
    "sp16": (32, FENCE + multiply("m64n64k32", ".sp.f32.f16.f16", 32, tail="%r240,0,1,1,1,0,0") + END),
    "spbf": (32, FENCE + multiply("m64n64k32", ".sp.f32.bf16.bf16", 32, A, "%r250,1,1,1,1,0") + END),
    "sp8": (32, FENCE + multiply("m64n64k64", ".sp.f32.e4m3.e4m3", 32, tail="%r240,0,1,1,1") + END),
    "sps8": (32, FENCE + multiply("m64n64k64", ".sp.s32.u8.s8", 32, A, "%r240,0,1") + END),
    "empty_group": (32, FENCE + HALF + COMMIT + ONE_LEFT),
    "two": (
        64,
        f"{FENCE}{HALF}{COMMIT} L: {FENCE}{SECOND}{ONE_LEFT} add.f32 %f0,%f0,%f1;"
        f"{FENCE}{HALF}{ONE_LEFT} mul.f32 %f33,%f33,%f34; {LOOP} {WAIT}",
    ),
    "loop": (32, f"{FENCE} L: {HALF} {LOOP} {END}"),
    "four": (128, f"L: {FENCE}{WIDE[2]}{WIDE[3]}{END}{FOLD}{SCALE}{FENCE}{WIDE[0]}{WIDE[1]}{END}{LOOP}"),
    "four_last": (128, f"{FENCE}{WIDE[0]}{WIDE[1]}{END}{FENCE}{WIDE[2]}{LESS}{END} @%p1 bra L; {FOLD}L: {PRODUCTS}"),
    "four_grow": (128, f"{ZEROS} L: {FENCE}{WIDE[0]}{WIDE[1]}{END}{FENCE}{GROWN}{END}{LOOP}{PRODUCTS}"),
    "four_at_once": (128, f"{ZEROS} L: {FENCE}{WIDE[0]}{WIDE[1]}{GROWN}{END}{LOOP}{PRODUCTS}"),
    "four_in_turn": (128, f"{ZEROS} L: {FENCE}{GROWN}{WIDE[0]}{WIDE[1]}{GROWN}{COMMIT}{LOOP}{WAIT}{PRODUCTS}"),
    "skipped": (32, f"{FENCE} @%p1 bra L; {HALF} L: {END}"),
    "read_early": (32, f"{FENCE}{HALF}{COMMIT} add.f32 %f3,%f3,%f3; {WAIT}"),
    "a_changes": (32, f"{FENCE} L: {FROM_A}{END} add.u32 %r240,%r240,%r250; {FENCE}{FROM_A}{COMMIT} {LOOP} {WAIT}"),
}  # fmt: skip


def text(name: str) -> str:
    count, body = FORMS[name]
    loads = " ".join(f"ld.global.b32 %f{i}, [%rd1+{4 * i}];" for i in range(count))
    stores = " ".join(f"st.global.b32 [%rd10+{4 * i}], %f{i};" for i in range(count))
    return TEMPLATE.replace("LOADS", loads).replace("BODY", body).replace("STORES", stores)


def ours(source: str, **options: object) -> bytes:
    chosen = Options()
    for key, value in options.items():
        setattr(chosen, key, value)
    return binary.write_cubin(ptxas.assemble(ptx.parse(SourceFile("k.ptx", source)), SM, chosen))


def run(image: bytes, given: np.ndarray, count: int = 3) -> np.ndarray:  # type: ignore[type-arg]
    import runtime

    out = np.zeros(128 * 128, np.uint32)
    kernel = runtime.Device("sm_90", timing=False).load(image)["k"]
    kernel[1, 128, 65536](given, out, np.uint32(count))
    return out.reshape(128, 128)


@pytest.mark.parametrize("name", FORMS)
def test_as_nvidia_compiles_it(name: str, tmp_path: Path) -> None:
    given = (np.random.default_rng(5).standard_normal(65536) * 0.7).astype(np.float16)
    source = text(name)
    assert np.array_equal(run(ours(source), given), run(nvidia_assembles(source, tmp_path, "sm_90a"), given))


@pytest.mark.parametrize("name", ["n8", "n256", "from_zero", "two", "loop"])
def test_ones(name: str) -> None:
    """Ones everywhere: each product of depth 16 adds 16."""
    expected = {"n8": 1 + 16, "n256": 1 + 16, "from_zero": 32, "loop": 1 + 48}
    given = np.ones(65536, np.float16)
    given.view(np.float32)[16384:] = 1.0  # what the accumulators begin with lies behind what is multiplied
    source = text(name).replace("add.s64 %rd1, %rd0, %rd3; add.s64 %rd10", "add.s64 %rd1, %rd0, 65536; add.s64 %rd10")
    out = run(ours(source), given).view(np.float32)[:, : FORMS[name][0]]
    if name in expected:
        assert (out == expected[name]).all()
    else:
        # %f2: one product ahead of the loop, one a round; %f34: one a round
        assert (out[:, 2] == 1 + 16 * 4).all()
        assert (out[:, 34] == 1 + 16 * 3).all()


@pytest.mark.parametrize("twin", [{"opt_level": 0}, {"sched": "serial"}, {"ra": "spill-all"}])
def test_the_twins_agree(twin: dict[str, object]) -> None:
    given = (np.random.default_rng(9).standard_normal(65536) * 0.5).astype(np.float16)
    source = text("two")
    assert np.array_equal(run(ours(source), given), run(ours(source, **twin), given))


def test_groups_end_once_and_waits_wait_for_no_scoreboard() -> None:
    image = binary.read_cubin(ours(text("skipped")), "k")
    words = image.functions[0].code
    found = [decode(int.from_bytes(words[k : k + 16], "little"), SM) for k in range(0, len(words), 16)]
    multiplies = [i for i in found if i.mnemonic == "HGMMA"]
    assert [i.modifiers[0] for i in multiplies] == ["64x64x16", "64x8x16"]
    assert all(str(i.operands[-1]).count("gsb0") for i in multiplies)
    assert all(i.control.wait == 0 for i in found if i.mnemonic == "WARPGROUP" and "DEPBAR" in i.modifiers)


def test_registers_under_way_are_left_alone() -> None:
    """Between a multiply and its wait nothing writes the accumulator or A."""
    words = binary.read_cubin(ours(text("a_changes")), "k").functions[0].code
    found = [decode(int.from_bytes(words[k : k + 16], "little"), SM) for k in range(0, len(words), 16)]
    busy: set[int] = set()
    for inst in found:
        if inst.mnemonic == "HGMMA":
            d, a = inst.operands[0], inst.operands[1]
            busy |= {d.index + k for k in range(32)} | {a.index + k for k in range(4)}  # type: ignore[union-attr]
        elif inst.mnemonic == "WARPGROUP" and "DEPBAR" in inst.modifiers:
            busy.clear()
        elif inst.operands and busy and inst.mnemonic not in ("STG", "BRA", "WARPGROUP"):
            first = inst.operands[0]
            assert getattr(first, "file", "") != "R" or first.index not in busy, inst  # type: ignore[union-attr]


def test_an_accumulator_that_begins_at_zero_lives_from_there_on() -> None:
    """Two of 128 registers, each begun anew in every round: they have one place."""
    one = [multiply("m64n256k16", "f32.f16.f16", 128, tail=f"{k},1,1,0,0") for k in (0, 1)]
    two = [multiply("m64n256k16", "f32.f16.f16", 128, tail=f"{k},1,1,0,0", first=128) for k in (0, 1)]
    stores = [" ".join(f"st.global.b32 [%rd10+{4 * i}], %f{i + n};" for i in range(128)) for n in (0, 128)]
    body = f"L: {FENCE} {' '.join(one)} {END} {stores[0]} {FENCE} {' '.join(two)} {END} {stores[1]} {LOOP}"
    source = TEMPLATE.replace("LOADS", "").replace("BODY", body).replace("STORES", "")
    assert binary.read_cubin(ours(source), "k").functions[0].registers < 180


def test_an_accumulator_is_the_multiplys_from_arrive_on() -> None:
    """Loads behind the fence want registers where 128 accumulators that begin at zero leave few others."""
    zero = multiply("m64n256k16", "f32.f16.f16", 128, tail="0,1,1,0,0")
    held = range(128, 184)
    fetch = " ".join(
        f"ld.global.b32 %r{140 + i}, [%rd1+{8 * i}]; mul.wide.u32 %rd{11 + i % 8}, %r{140 + i}, 4;"
        f" add.s64 %rd{11 + i % 8}, %rd{11 + i % 8}, %rd0; ld.global.b32 %r{180 + i}, [%rd{11 + i % 8}+{4 * i}];"
        for i in range(40)
    )
    loads = " ".join(f"ld.global.b32 %f{i}, [%rd1+{4 * i}];" for i in held)
    keep = " ".join(f"st.global.b32 [%rd10+{4 * i}], %f{i};" for i in range(64))
    keep += " ".join(f" st.global.b32 [%rd10+{256 + 4 * i}], %r{180 + i};" for i in range(40))
    stores = " ".join(f"st.global.b32 [%rd10+{4 * i}], %f{i};" for i in held)
    body = f"L: {FENCE} {fetch} {zero} {END} {keep} {LOOP}"
    source = TEMPLATE.replace("LOADS", loads).replace("BODY", body).replace("STORES", stores)
    assert [str(p) for p in check(binary.read_cubin(ours(source), "k").functions[0].code, SM)] == []


def test_an_accumulator_of_the_wrong_size_is_an_error() -> None:
    with pytest.raises(CompileError, match="accumulator of 32"):
        ours(text("bf16").replace("m64n64k16", "m64n64k16").replace("%f30,%f31}", "%f30}"))


REGIONS = """.version 8.7
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) .maxntid 384, 1, 1 .minnctapersm 1
{ .reg .pred %p<2>; .reg .b32 %r<260>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x;
 setp.lt.u32 %p1, %r0, 128; @%p1 bra PRODUCER;
 setmaxnreg.inc.sync.aligned.u32 240;
 LOADS
 bar.sync 1, 256;
 STORES
 ret;
PRODUCER: setmaxnreg.dec.sync.aligned.u32 40;
 mad.wide.u32 %rd2, %r0, 4, %rd1; st.global.u32 [%rd2], %r0; ret; }
"""


def test_setmaxnreg_divides_the_registers() -> None:
    """Code behind setmaxnreg.inc may use more registers than the launch gives, the other side fewer."""
    many = range(1, 201)
    source = REGIONS.replace("LOADS", " ".join(f"ld.global.u32 %r{k}, [%rd1+{4 * k}];" for k in many))
    source = source.replace("STORES", " ".join(f"st.global.u32 [%rd1+{4 * k}], %r{201 - k};" for k in many))
    function = binary.read_cubin(ours(source), "k").functions[0]
    assert function.registers == 168
    found = [decode(int.from_bytes(function.code[k : k + 16], "little"), SM) for k in range(0, len(function.code), 16)]
    assert not any(i.mnemonic in ("STL", "LDL") for i in found)
    numbers = [int(n) for i in found for n in re.findall(r"Reg\(file='R', index=(\d+)", str(i.operands)) if n != "255"]
    assert 168 <= max(numbers) < 240


@pytest.mark.parametrize(
    ("bounds", "counts"),
    [(".maxntid 384, 1, 1 .minnctapersm 1", True), (".maxnreg 168", True), (".maxntid 384, 1, 1", False), ("", False)],
)
def test_setmaxnreg_counts_where_a_launch_s_registers_are_known(bounds: str, counts: bool) -> None:
    """As NVIDIA's ptxas 13.0 has it, which says so (C7508)."""
    source = REGIONS.replace(".maxntid 384, 1, 1 .minnctapersm 1", bounds).replace("LOADS", "").replace("STORES", "")
    code = binary.read_cubin(ours(source), "k").functions[0].code
    found = {decode(int.from_bytes(code[k : k + 16], "little"), SM).mnemonic for k in range(0, len(code), 16)}
    assert ("USETMAXREG" in found) == counts
