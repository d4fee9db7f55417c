"""The host object and the stub: what tools see in them, and a program linked with them that really runs."""

from __future__ import annotations

import io
import shutil
import subprocess

import pytest
from elftools.elf.elffile import ELFFile

from minicc.binary import Entry, read_fatbin, stub_c, write_cubin, write_fatbin, write_object
from minicc.sass.program import Function, Param, Program, Variable
from tests.binary.conftest import HERE, output
from tests.binary.test_cubin import EXIT

SIZES = [8, 4, 4, 8, 2, 24]
PTX = """.version 8.0
.target sm_90
.visible .entry kern(.param .u64 a, .param .u32 b, .param .f32 c, .param .f64 d, .param .u16 e,
  .param .align 8 .b8 f[24])
{ ret; }
"""
MAIN = """
#include <stddef.h>
typedef struct { unsigned x, y, z; } d3;
struct s24 { char text[24]; };
unsigned __cudaPushCallConfiguration(d3, d3, size_t, void *);
void kern(void *, int, float, double, short, struct s24);
int main(void) {
    d3 g = {1, 2, 3}, b = {4, 5, 6};
    struct s24 s = {"a struct of 24 bytes"};
    if (!__cudaPushCallConfiguration(g, b, 77, (void *)0x99)) kern((void *)0x1234567890ab, -5, 1.5f, -2.25, 7, s);
    return 0;
}
"""


def _program() -> Program:
    kernel = Function("kern", EXIT, registers=8, max_threads=(128, 2, 1))
    at = 0
    for i, size in enumerate(SIZES):
        align = min(size, 8)
        at = -(-at // align) * align
        kernel.params.append(Param(i, at, size))
        at += size
    kernel.param_bytes = at
    table = Variable("table", "constant", 64, 4, bytes(64))
    counter, hidden = Variable("counter", "global", 4, 4), Variable("$str", "global", 4, 1, b"abc\0")
    return Program("sm_90", [kernel], [table, counter, hidden])


def _fatbin() -> bytes:
    cubin = Entry("cubin", "sm_90", write_cubin(_program()))
    return write_fatbin([cubin, Entry("ptx", "compute_90", PTX.encode(), "zstd")])


def test_sections_and_symbols():
    fatbin = _fatbin()
    elf = ELFFile(io.BytesIO(write_object(fatbin, _program(), "x", PTX)))
    assert (elf["e_machine"], elf["e_type"]) == ("EM_X86_64", "ET_REL")
    assert elf.get_section_by_name(".nv_fatbin").data()[: len(fatbin)] == fatbin
    assert elf.get_section_by_name(".nv_fatbin")["sh_addralign"] == 8
    assert elf.get_section_by_name(".nvFatBinSegment")["sh_size"] == 24
    assert elf.get_section_by_name("__nv_module_id").data() == b"__NV_MODULE_ID\0"
    assert elf.get_section_by_name(".init_array")["sh_size"] == 8
    kernel = elf.get_section_by_name(".symtab").get_symbol_by_name("kern")[0]
    assert kernel["st_other"]["visibility"] == "STV_HIDDEN" and kernel["st_info"]["bind"] == "STB_GLOBAL"


def test_it_is_deterministic():
    assert write_object(_fatbin(), _program(), "x", PTX) == write_object(_fatbin(), _program(), "x", PTX)


def test_cuobjdump_lists_it(oracle, tmp_path):
    path = tmp_path / "x.o"
    path.write_bytes(write_object(_fatbin(), _program(), "x", PTX))
    assert "sm_90.cubin" in output(oracle("cuobjdump"), "-lelf", path)
    assert "sm_90.ptx" in output(oracle("cuobjdump"), "-lptx", path)


@pytest.mark.parametrize("how", ["object", "stub"])
def test_a_linked_program_registers_and_launches(tmp_path, how):
    """With a stand-in for libcudart that prints: every argument arrives, whatever register class carries it."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is not here")
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "x.fatbin").write_bytes(_fatbin())
    (tmp_path / "x.o").write_bytes(write_object(_fatbin(), _program(), "x", PTX))
    (tmp_path / "stub.c").write_text(stub_c(_program(), "x", PTX))
    subprocess.run(
        [gcc, "-Wall", "-Werror", "-Wno-builtin-declaration-mismatch", "-Wno-error=unused", "main.c",
         "x.o" if how == "object" else "stub.c", "-x", "c", "-w", str(HERE / "fake_cudart.c"), "-o", "x"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    assert output(tmp_path / "x").splitlines() == [
        "fatbin 466243b1 1 ba55ed50",
        "function kern 256",
        "variable table 64 1",
        "variable counter 4 0",
        "end",
        "launch 1 2 3 4 5 6 77 0x99: 1234567890ab -5 1.5 -2.25 7 a struct of 24 bytes",
        "unregister",
    ]


def test_the_real_runtime_takes_it(tmp_path):
    """Linked with libcudart: registration passes, and a launch gets as far as the machine allows."""
    from pathlib import Path

    gcc, root = shutil.which("gcc"), Path("/usr/local/cuda/lib64")
    if gcc is None or not (root / "libcudart.so").exists():
        pytest.skip("gcc or libcudart is not here")
    (tmp_path / "main.c").write_text(
        MAIN.replace("(void *)0x99", "0")  # a driver reads what a stream points to
        .replace("return 0;", "int e = cudaGetLastError(); puts(cudaGetErrorName(e)); return 0;", 1)
        .replace(
            "#include",
            "#include <stdio.h>\nint cudaGetLastError(void); const char *cudaGetErrorName(int);\n#include",
            1,
        )
    )
    (tmp_path / "x.o").write_bytes(write_object(_fatbin(), _program(), "x", PTX))
    command = [gcc, "main.c", "x.o", "-o", "x", f"-L{root}", "-lcudart", f"-Wl,-rpath,{root}"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert output(tmp_path / "x").strip() in ("cudaErrorInsufficientDriver", "cudaErrorNoDevice", "cudaSuccess")


def test_reading_a_linked_programs_section_back():
    assert [e.kind for e in read_fatbin(_fatbin() + bytes(8))] == ["cubin", "ptx"]


VECTORS = """
#include <stdio.h>
#include <stddef.h>
typedef struct { unsigned x, y, z; } d3;
typedef struct { float x, y; } float2;
typedef struct { float x, y, z; } float3;
typedef struct { float x, y, z, w; } float4;
typedef struct { int a, b, c; } S;
unsigned __cudaPushCallConfiguration(d3, d3, size_t, void *);
void _Z4kernf6float26float36float41Sd(float, float2, float3, float4, S, double);
unsigned __cudaPopCallConfiguration(d3 *g, d3 *b, size_t *s, void **q) { return 0; }
void **__cudaRegisterFatBinary(void *w) { return 0; }
void __cudaRegisterFatBinaryEnd(void **h) {}
void __cudaUnregisterFatBinary(void **h) {}
void __cudaRegisterFunction(void **h, const char *a, char *b, const char *n, int l, void *c, void *d, void *e, void *f,
                            int *w) {}
int cudaLaunchKernel(const void *f, d3 g, d3 b, void **a, size_t s, void *q) {
    float *v = a[1], *w = a[2], *x = a[3];
    int *y = a[4];
    printf("%g %g %g %g %g %g %g %g %g %g %d %d %d %g\\n", *(float *)a[0], v[0], v[1], w[0], w[1], w[2], x[0], x[1],
           x[2], x[3], y[0], y[1], y[2], *(double *)a[5]);
    return 0;
}
int main(void) {
    float2 v = {2, 3}; float3 w = {4, 5, 6}; float4 x = {7, 8, 9, 10}; S y = {11, 12, 13};
    _Z4kernf6float26float36float41Sd(1, v, w, x, y, 14);
    return 0;
}
"""


@pytest.mark.parametrize("how", ["object", "stub"])
def test_vectors_and_structs_by_value(tmp_path, how):
    """Kinds come from the mangled name alone: floats, vectors of floats and a struct each arrive."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is not here")
    kernel = Function("_Z4kernf6float26float36float41Sd", EXIT, registers=8)
    for i, (offset, size) in enumerate([(0, 4), (8, 8), (16, 12), (32, 16), (48, 12), (64, 8)]):
        kernel.params.append(Param(i, offset, size))
    program = Program("sm_90", [kernel])
    fatbin = write_fatbin([Entry("cubin", "sm_90", write_cubin(program))])
    (tmp_path / "x.fatbin").write_bytes(fatbin)
    (tmp_path / "x.o").write_bytes(write_object(fatbin, program, "x"))
    (tmp_path / "stub.c").write_text(stub_c(program, "x"))
    (tmp_path / "main.c").write_text(VECTORS)
    part = "x.o" if how == "object" else "stub.c"
    subprocess.run([gcc, "-w", "main.c", part, "-o", "x"], cwd=tmp_path, check=True, capture_output=True)
    assert output(tmp_path / "x").strip() == "1 2 3 4 5 6 7 8 9 10 11 12 13 14"
