"""sm_80, sm_86, sm_89: real code by NVIDIA's tools, right on the model; no chip of these was at hand.

What a chip would say is stood in for by NVIDIA's own code for these machines: it is run on the model and held to the
tables of latencies that ours was scheduled with."""

from __future__ import annotations

import re
import subprocess
from functools import cache

import pytest
from elftools.elf.elffile import ELFFile

import minicc
from minicc import arch as archs
from minicc import cli
from minicc.binary import read_cubin
from minicc.diagnostics import CompileError
from minicc.ptxas.control.check import check
from minicc.sass import decode
from tests.conftest import ROOT, SAMPLES, by_turns, nvcc_makes, nvidia_assembles
from tests.end_to_end.harness import run_script

MACHINES = ("sm_80", "sm_86", "sm_89")
KERNELS = ROOT / "tests" / "end_to_end" / "kernels"
BENCH = ROOT / "tests" / "bench" / "kernels"
PATHS = [
    *(SAMPLES / f"{name}.k" for name in ("vadd", "softmax", "histogram", "sgemm_tiled", "scan", "spmv_merge")),
    *(BENCH / f"{name}.k" for name in ("matmul_f64", "pcg_fill", "bfs_step", "int8_dot", "lu_tile")),
    *(
        KERNELS / f"{name}.k"
        for name in (
            "prints",
            "atomics",
            "warps",
            "wmma",
            "polymorphs",
            "simd",
            "spaces",
            "copies",
            "phases",
            "pipelines",
        )
    ),
]
CASES = [(path, machine) for n, path in enumerate(PATHS) for machine in by_turns(MACHINES, n, len(MACHINES))]
"""In CI each kernel is for one of them."""
LATER = frozenset({"VIADD", "VIMNMX", "VIADDMNMX", "REDG", "CGAERRBAR", "ELECT", "STAS", "SYNCS"})


@cache
def compiled(path, machine):
    return minicc.compile(path, arch=machine)


@pytest.mark.parametrize(("path", "machine"), CASES, ids=lambda x: getattr(x, "stem", x))
def test_code_is_right_on_the_model(path, machine):
    """The script's expectations hold, nothing is read too early, and the static checker is silent."""
    cubin = compiled(path, machine).cubin
    for function in read_cubin(cubin, path.name).functions:
        assert check(function.code, archs.get(machine)) == []
    outcome = run_script(path, cubin, machine)
    assert outcome.launches and [c for c in outcome.checks if not c.ok] == []
    assert [launch.result.hazards for launch in outcome.launches if launch.result.hazards] == []


def test_nvidia_prints_what_we_print(oracle, tmp_path, capsys):
    for path, machine in CASES:
        file = tmp_path / f"{path.stem}.cubin"
        file.write_bytes(compiled(path, machine).cubin)
        theirs = subprocess.run([oracle("cuobjdump"), "-sass", file], capture_output=True, text=True, check=True)
        assert cli.main(["objdump", "-sass", str(file)]) == 0
        assert capsys.readouterr().out == theirs.stdout


def test_nvidia_s_code_is_right_on_the_model(tmp_path):
    """From our PTX: what their code counts on, the tables give (a longer distance in them would be a wrong result)."""
    for path, machine in CASES:
        if path.parent == KERNELS:
            continue
        cubin = nvidia_assembles(compiled(path, machine).ptx, tmp_path, machine)
        for function in read_cubin(cubin, path.name).functions:
            assert check(function.code, archs.get(machine)) == [], path.stem
        outcome = run_script(path, cubin, machine)
        assert outcome.launches and [c for c in outcome.checks if not c.ok] == [], path.stem


def test_nothing_of_later_machines_is_left():
    seen = set()
    for path, machine in CASES:
        for function in read_cubin(compiled(path, machine).cubin, path.name).functions:
            words = [function.code[at : at + 16] for at in range(0, len(function.code), 16)]
            arch = archs.get(machine)
            seen |= {decode(int.from_bytes(w, "little"), arch, 16 * n).mnemonic for n, w in enumerate(words)}
    assert {"IADD3", "IMNMX", "I2F", "RED", "WARPSYNC"} <= seen and not seen & LATER


@pytest.mark.parametrize("machine", MACHINES)
def test_container_is_theirs(machine, tmp_path):
    """Sections, the register count in .text's sh_info and the machine's number are where ptxas has them."""
    ours = tmp_path / "ours.cubin"
    image = compiled(SAMPLES / "vadd.k", machine)
    ours.write_bytes(image.cubin)
    nvidia_assembles(image.ptx, tmp_path, machine)
    found = []
    for file in (ours, tmp_path / "k.cubin"):
        with file.open("rb") as stream:
            elf = ELFFile(stream)
            text = next(s for s in elf.iter_sections() if s.name.startswith(".text."))
            names = [s.name for s in elf.iter_sections() if "debug_frame" not in s.name]
            found.append((names, elf["e_flags"] & 0xFFFFFF, text["sh_info"] >> 24))
    assert found[0] == found[1]


def test_what_a_machine_lacks_is_named_with_its_place(tmp_path, capsys):
    source = tmp_path / "k.cu"
    source.write_text("""__global__ void k(unsigned long long *p) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], 32;" :: "r"(0));
}
""")
    assert cli.main([str(source), "-cubin", "-arch=sm_80", "-o", str(tmp_path / "k.cubin")]) == 255
    assert "'mbarrier.expect_tx.relaxed.cta.shared.b64' requires .target sm_90" in capsys.readouterr().err
    assert not (tmp_path / "k.cubin").exists()
    text = compiled(SAMPLES / "vadd.k", "sm_80").ptx.replace("%tid.x", "%cluster_ctarank")
    with pytest.raises(CompileError, match=r"requires \.target sm_90 or higher"):
        minicc.compile(_written(tmp_path / "k.ptx", text), arch="sm_80")


def test_mbarriers_are_two_words(tmp_path):
    """Our code, NVIDIA's from the same PTX and nvcc's give what SYNCS gives on sm_90."""
    path = KERNELS / "phases.k"
    image = compiled(path, "sm_80")
    theirs = nvcc_makes(path, tmp_path / "n.cubin", arch="sm_80")
    images = (image.cubin, nvidia_assembles(image.ptx, tmp_path, "sm_80"), theirs)
    expected = run_script(path, compiled(path, "sm_90").cubin, "sm_90").variables["out"]
    assert expected.any()
    for cubin in images:
        assert (run_script(path, cubin, "sm_80").variables["out"] == expected).all()


@pytest.mark.parametrize("name", ["fp8", "fp6", "bfloats"])
def test_narrow_floats_are_converted_in_software(name, tmp_path):
    """These machines convert floats to bfloats, and nothing else: nvcc's header says what comes out."""
    path = KERNELS / f"{name}.k"
    images = (compiled(path, "sm_80").cubin, nvcc_makes(path, tmp_path / "n.cubin", arch="sm_80"))
    found = [run_script(path, image, "sm_80").variables for image in images]
    assert found[0]["o"].any() and (found[0]["o"] == found[1]["o"]).all()


PACK = """.version 8.0
.target {}
.address_size 64
.visible .entry k(.param .u64 p)
{{
    .reg .b64 %a; .reg .b32 %r<4>;
    ld.param.u64 %a, [p];
    ld.global.v2.u32 {{%r0, %r1}}, [%a];
    cvt.pack.sat.s8.s32.b32 %r2, %r0, %r1, 0;
    st.global.u32 [%a], %r2;
    ret;
}}
"""


@pytest.mark.parametrize("machine", MACHINES)
def test_packed_integers_saturate(machine, tmp_path, oracle):
    """The bit for it is the other way round before sm_90."""
    (tmp_path / "k.ptx").write_text(PACK.format(machine))
    image = tmp_path / "k.cubin"
    image.write_bytes(minicc.compile(tmp_path / "k.ptx", arch=machine).cubin)
    printed = subprocess.run([oracle("cuobjdump"), "-sass", image], capture_output=True, text=True, check=True).stdout
    assert "I2IP.S8.S32.SAT" in printed


GENERIC = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %a, %s;
    ld.param.u64 %a, [p];
    mbarrier.arrive.b64 %s, [%a+8];
    st.u64 [%a], %s;
    mbarrier.arrive_drop.b64 %s, [%a+8];
    st.u64 [%a+16], %s;
    ret;
}
"""


def test_uniform_addresses_print_without_registers(tmp_path, oracle, capsys):
    """Of [RZ.64+UR4] nvdisasm prints [UR4] for these machines, and arrivals at generic addresses are ATOMs."""
    nvidia_assembles(GENERIC, tmp_path, "sm_80")
    file = tmp_path / "k.cubin"
    theirs = subprocess.run([oracle("cuobjdump"), "-sass", file], capture_output=True, text=True, check=True).stdout
    assert "ATOM.E.ARRIVE.64.STRONG.SM PT, R2, [UR" in theirs
    assert "ATOM.E.POPC.INC.32.STRONG.SM PT, RZ, [UR" in theirs
    assert cli.main(["objdump", "-sass", str(file)]) == 0
    assert capsys.readouterr().out == theirs


@pytest.mark.parametrize(
    "line",
    ["setp.lt.bf16 %p, %h, %h", "min.relu.s32 %r, %r, %r", "max.u16x2 %r, %r, %r", "ld.relaxed.cluster.u32 %r, [%a]",
     "cvt.rn.f16x2.e4m3x2 %r, %h", "mbarrier.arrive.b64 %a, [%a], %r", "set.lt.u32.bf16 %r, %h, %h",
     "tanh.approx.bf16 %h, %h"],
)  # fmt: skip
def test_what_later_machines_have_is_refused(line, tmp_path):
    text = ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
    text += f".reg .pred %p; .reg .b16 %h; .reg .b32 %r; .reg .b64 %a;\n{line};\nret;\n}}\n"
    with pytest.raises(CompileError, match=r"requires \.target sm_(89|90) or higher"):
        minicc.compile(_written(tmp_path / "k.ptx", text), arch="sm_80")


def _written(path, text):
    path.write_text(text)
    return path


def test_the_device_follows_the_architecture(capsys):
    assert cli.main(["run", str(SAMPLES / "vadd.k"), "--set", "n=1000", "-arch=sm_86"]) == 0
    assert "A6000 (model)" in capsys.readouterr().out


def test_a_cubin_runs_on_the_model_of_its_machine(tmp_path, capsys):
    cubin = tmp_path / "vadd.cubin"
    cubin.write_bytes(compiled(SAMPLES / "vadd.k", "sm_80").cubin)
    run = ["run", str(cubin), "--script", str(SAMPLES / "vadd.k"), "--set", "n=1000"]
    assert cli.main(run) == 0 and "A100 (model)" in capsys.readouterr().out
    assert cli.main([*run, "--device", "sm_90"]) == 1 and "code for sm_80" in capsys.readouterr().err


def test_products_of_four_bits_and_single_ones(tmp_path, capsys):
    """These machines have them (IMMA of S4 and U4, BMMA.XOR), and both compilers use them."""
    path = KERNELS / "wmma4.k"
    ours = compiled(path, "sm_80")
    images = ours.cubin, nvidia_assembles(ours.ptx, tmp_path, "sm_80")
    printed = []
    for n, image in enumerate(images):
        (tmp_path / f"{n}.cubin").write_bytes(image)
        assert cli.main(["objdump", "-sass", str(tmp_path / f"{n}.cubin")]) == 0
        printed.append(set(re.findall(r"[IB]MMA\S+", capsys.readouterr().out)))
    assert printed[0] == printed[1] and {"IMMA.8832.S4.S4", "IMMA.8832.U4.U4"} < printed[0]
    found = [run_script(path, image, "sm_80").variables["d"] for image in images]
    assert found[0].any() and (found[0] == found[1]).all()


RARE = {
    "tanh.approx.f16 %h1, %h2;": "MUFU.TANH.F16",
    "ex2.approx.f16 %h1, %h2;": "MUFU.EX2.F16",
    "ld.mmio.relaxed.sys.global.b16 %h1, [%d1];": "LDG.E.U16.MMIO.SYS",
    "st.mmio.relaxed.sys.b16 [%d1], %h2;": "ST.E.U16.MMIO.SYS",
}


@pytest.mark.parametrize("line", RARE)
def test_rare_instructions_are_those_of_nvidia(line, tmp_path):
    """The names are of the words that NVIDIA's ptxas writes for sm_80, and ours are the same words."""
    text = f""".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)
{{ .reg .b16 %h<3>; .reg .b32 %r; .reg .b64 %d<2>; ld.param.u64 %d1, [p]; mov.u32 %r, %tid.x;
mad.wide.u32 %d1, %r, 2, %d1; ld.global.b16 %h2, [%d1]; mov.b16 %h1, 0; {line} st.global.b16 [%d1], %h1; ret; }}"""
    arch, found = archs.get("sm_80"), []
    ours = compiled(_written(tmp_path / "o.ptx", text), "sm_80").cubin
    for image in (ours, nvidia_assembles(text, tmp_path, "sm_80")):
        code = read_cubin(image, "k").functions[0].code
        words = [int.from_bytes(code[at : at + 16], "little") for at in range(0, len(code), 16)]
        names = [".".join((inst.mnemonic, *inst.modifiers)) for inst in (decode(w, arch) for w in words)]
        found.append({name: w >> 72 & 0x7FFFF for name, w in zip(names, words, strict=True)})
    assert RARE[line] in found[0] and found[0][RARE[line]] == found[1].get(RARE[line])
