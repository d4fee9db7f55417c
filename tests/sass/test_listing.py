"""Whole programs: listings and dumps of compiled kernels reassemble to the same bytes; dumps are cuobjdump's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from minicc import sass
from minicc.binary import read_cubin, write_cubin, write_fatbin
from minicc.binary.fatbin import Entry
from minicc.diagnostics import CompileError
from minicc.sass.program import Function, Program
from minicc.verbs import as_, objdump
from tests.sass.common import machine, need

KERNELS = r"""
__constant__ float table[16];
__device__ int counter;
struct Pair { double a; long long b; };

extern "C" __global__ void scale(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * table[i & 15] + sqrtf(x[i]) / (x[i] + 1.0f);
}

extern "C" __global__ void reduce(float *x, int n) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (!t) { x[0] = s[0] / n; atomicAdd(&counter, 1); }
    if (__any_sync(~0u, x[t] > 1.0f)) x[t] = __shfl_xor_sync(~0u, x[t], 3);
}

extern "C" __global__ void choose(Pair *p, unsigned long long *q, int n) {
    switch (n) {
    case 1: p->a = sin(p->a); break;
    case 2: p->b /= 7; break;
    case 3: q[1] = q[0] % q[2]; break;
    case 4: q[2] = __popcll(q[1]); break;
    case 5: p->a = fma(p->a, p->a, 1e-3); break;
    case 6: q[3] = atomicMax(q, 5ull); break;
    }
}
"""


@pytest.fixture(scope="module", params=["sm_90", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100", "sm_120"])
def cubin(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernels compiled by NVIDIA's compiler."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "k.cu").write_text(KERNELS)
    target = folder / f"{request.param}.cubin"
    run = subprocess.run(
        [need("nvcc"), "-cubin", f"-arch={request.param}", "-lineinfo", "-o", str(target), str(folder / "k.cu")],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    if run.returncode:
        pytest.skip(f"nvcc cannot compile here: {run.stderr[:200]}")
    return target


def test_dump_is_cuobjdumps(cubin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    theirs = subprocess.run([need("cuobjdump"), "-sass", str(cubin)], capture_output=True, text=True, timeout=60).stdout
    assert objdump.main(["-sass", str(cubin)]) == 0
    assert capsys.readouterr().out.split("\n") == theirs.split("\n")


def test_listing_reassembles(cubin: Path) -> None:
    program = read_cubin(cubin.read_bytes(), cubin.name)
    text = sass.disassemble(program)
    again = sass.assemble(text, machine(program.arch))
    assert [f.code for f in again.functions] == [f.code for f in program.functions]
    assert again == program
    assert sass.disassemble(again) == text
    assert text.count(".word") <= 2


def test_dump_reassembles(cubin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = read_cubin(cubin.read_bytes(), cubin.name)
    objdump.main(["-sass", str(cubin)])
    again = sass.assemble(capsys.readouterr().out, machine(program.arch))
    assert {f.name: f.code for f in again.functions} == {f.name: f.code for f in program.functions}


HAND = """
.target sm_90
.function add_one, entry
    .param 0, offset 0x0, size 8
    .param 1, offset 0x8, size 4
    S2R R0, SR_TID.X ;
    ULDC.64 UR4, c[0x0][0x208] ;
    LDC R2, c[0x0][0x218] ;
    ISETP.GE.AND P0, PT, R0, R2, PT ;
    @P0 EXIT ;
    LDC.64 R4, c[0x0][0x210] ;
    IMAD.WIDE R4, R0, 4, R4 ;
    LDG.E R6, desc[UR4][R4.64] ;
    FADD R6, R6, 1.0 ;
    STG.E desc[UR4][R4.64], R6 ;
    EXIT ;
.L_stop:
    BRA `(.L_stop) ;
"""


def test_written_by_hand(tmp_path: Path) -> None:
    """Control codes, registers and parameter size are filled in; the cubin is one."""
    program = sass.assemble(HAND, machine("sm_90"))
    function = program.functions[0]
    assert function.registers == 8
    assert function.param_bytes == 12
    assert len(function.code) == 12 * 16
    instrs = sass.decode_all(function.code, machine("sm_90"))
    assert instrs[-1].operands[-1] == sass.Target(11 * 16)
    assert instrs[0].control.wbar == 0
    assert all(i.control.wait == 3 and i.control.stall == 15 for i in instrs)
    source = tmp_path / "hand.sass"
    source.write_text(HAND)
    assert as_.main([str(source)]) == 0
    back = read_cubin((tmp_path / "hand.cubin").read_bytes(), "hand.cubin")
    assert back.functions[0].code == function.code


def test_unknown_machines_are_named_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "k.sass").write_text(".target sm_7\n")
    with pytest.raises(CompileError, match=r"k\.sass:1:9: error: no instruction encoding is known for 'sm_7'"):
        as_.main([str(tmp_path / "k.sass")])
    old = bytearray(write_cubin(Program("sm_90", [Function("k", bytes.fromhex("4d790000000000000000800300ea0f00"))])))
    old[49] = 75  # e_flags
    (tmp_path / "k.cubin").write_bytes(old)
    for options in (["-sass"], ["--json", "-sass"], []):
        with pytest.raises(CompileError, match=r"k\.sm_75\.cubin: error: no instruction encoding"):
            objdump.main([*options, str(tmp_path / "k.cubin")])


def test_edited_dump_takes_the_new_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = sass.assemble(HAND, machine("sm_90"))
    path = tmp_path / "k.cubin"
    path.write_bytes(write_cubin(program))
    objdump.main(["-sass", str(path)])
    text = capsys.readouterr().out
    assert "FADD R6, R6, 1 ;" in text
    again = sass.assemble(text.replace("FADD R6, R6, 1 ;", "FADD R6, R6, 2 ;"), machine("sm_90"))
    changed = [
        k
        for k in range(12)
        if again.functions[0].code[16 * k : 16 * k + 16] != program.functions[0].code[16 * k : 16 * k + 16]
    ]
    assert changed == [8]
    before, after = (sass.decode_all(p.functions[0].code, machine("sm_90"))[8] for p in (program, again))
    assert before.control == after.control


def test_containers(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_cubin(sass.assemble(HAND, machine("sm_90")))
    entries = [Entry("cubin", "sm_90", data), Entry("ptx", "compute_90", b".version 8.0\n.target sm_90\n", "zstd")]
    (tmp_path / "k.fatbin").write_bytes(write_fatbin(entries))
    monkeypatch.chdir(tmp_path)
    objdump.main(["-lelf", "-lptx", "k.fatbin"])
    listed = capsys.readouterr().out
    assert "ELF file    1: k.1.sm_90.cubin" in listed
    assert "PTX file    1: k.1.sm_90.ptx" in listed
    objdump.main(["-xelf", "all", "k.fatbin"])
    assert (tmp_path / "k.1.sm_90.cubin").read_bytes() == data
    objdump.main(["-ptx", "k.fatbin"])
    assert ".target sm_90" in capsys.readouterr().out
    objdump.main(["--json", "-sass", "k.fatbin"])
    document = json.loads(capsys.readouterr().out)
    code = document["files"][0]["images"][0]["functions"][0]["instructions"]
    assert code[0]["mnemonic"] == "S2R"
    assert code[0]["control"]["write_barrier"] == 0
    objdump.main(["-res-usage", "-elf", "-symbols", "-hex", "--control", "k.fatbin"])
    out = capsys.readouterr().out
    assert "REG:8" in out
    assert ".symtab" in out
