"""NVIDIA's machine code on the SM model through the whole launch path: what tests/gpu/binary asks of a real GPU."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile
from minicc.record import evolve
from runtime.device.grid import Hazard
from runtime.errors import DeviceError
from tests.conftest import ROOT, find_tool
from tests.gpu.binary import make_cases


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    if find_tool("ptxas") is None:
        pytest.skip("ptxas is not here")
    folder = tmp_path_factory.mktemp("cases")
    make_cases.main(folder)
    return folder


@pytest.fixture(scope="module")
def gpu():
    return runtime.Device("sm_90", hazards="report")


@pytest.mark.parametrize("image", ["ptxas", "ours", "fatbin"])
@pytest.mark.parametrize("name", ["one", "times3", "xor55", "cluster"])
def test_a_case(gpu, cases, name, image):
    case = json.loads((cases / f"{name}_{image}.json").read_text())
    kernel = gpu.load((cases / case["image"]).read_bytes())[case["kernel"]]
    arguments = []
    for spec in case["args"]:
        if "inout" in spec:
            arguments.append(np.load(cases / spec["inout"]))
        elif "out" in spec:
            arguments.append(np.zeros(spec["out"], np.uint8).view(np.int32))
        else:
            arguments.append(spec["i32"] if "i32" in spec else bytes.fromhex(spec["bytes"]))
    launch = kernel[tuple(case["grid"]), tuple(case["block"]), case.get("shared", 0)](*arguments)
    assert arguments[0].tobytes() == (cases / case["expect"]).read_bytes()
    assert launch.cycles > 0 and not launch.hazards
    if name == "one":
        assert launch.output.startswith("hello 3 ")


def test_variables_live_as_long_as_the_module(gpu, cases):
    module = gpu.load((cases / "ours.bin").read_bytes())
    p, s = np.load(cases / "p.npy"), struct.pack("<if", 7, 2.5)
    module["k_one"][1, 64, 1024](p, 3, s)
    assert module.variable("gcount").read(np.int32)[0] == 64
    assert np.array_equal(module.variable("big").read(np.float64)[:64], p.astype(np.float64))
    module.variable("gcount").write(5)
    module.variable("ctab").write(np.full(16, 100, np.float32))
    q = np.load(cases / "p.npy")
    module["k_one"][1, 64, 1024](q, 3, s)
    assert module.variable("gcount").read(np.int32)[0] == 69
    assert q[5] == pytest.approx(p[5] + 100)


def test_a_fault_on_the_model_names_the_source_line(gpu, cases):
    kernel = gpu.load((cases / "ours.bin").read_bytes())["k_switch"]
    small = gpu.zeros(16, np.int32)
    with pytest.raises(runtime.DeviceError) as caught:
        kernel[1, 32](small, 1).wait()
    assert caught.value.kind == "illegal_address" and caught.value.kernel == "k_switch"
    assert caught.value.file.endswith("kernels.cu")
    assert caught.value.line == 22
    assert kernel[1, 16](small, 1).wait().cycles > 0


def test_early_reads_are_told_beside_the_fault(cases):
    """What was read too soon may be why the address is wrong."""
    device = runtime.Device("sm_90")
    kernel = device.load((cases / "ours.bin").read_bytes())["k_switch"]
    with pytest.raises(runtime.DeviceError):
        kernel[1, 32](device.zeros(16, np.int32), 1).wait()
    completion = next(c for c in device._completions.values() if c.outcome.fault)
    outcome = evolve(completion.outcome, hazards=(Hazard(0x40, 0x50, "R7", 2, 3),))
    message = device.describe(evolve(completion, outcome=outcome)).message
    assert message.splitlines()[1:] == [
        "before that, R7 was read at 0x50, 2 cycle(s) before the value of 0x40 was there (3 times)"
    ]


PTX = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry scale(.param .u64 p, .param .f32 by, .param .u32 n)
{
    .reg .pred %q;
    .reg .f32 %f<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [p];
    ld.param.f32 %f1, [by];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %q, %r5, %r1;
    @%q bra DONE;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.s32 %rd3, %r5, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%rd4], %f2;
DONE:
    ret;
}
"""


@pytest.mark.parametrize("form", ["text", "fatbin", "too new"])
def test_ptx_is_compiled_at_load(gpu, form):
    """PTX text, and a fatbin without a cubin for the device."""
    from minicc.binary import Entry, write_fatbin
    from minicc.diagnostics import CompileError

    if form == "too new":
        with pytest.raises(CompileError, match="sm_100; the device is sm_90"):
            gpu.load(PTX.replace("sm_90", "sm_100").encode())
        with pytest.raises(CompileError, match="image:11:"):
            gpu.load(PTX.replace("ld.param.u64 %rd1", "ld.param.u64 %nope").encode())
        return
    other = Entry("cubin", "sm_80", b"\x7fELF" + bytes(60))
    image = PTX.encode() if form == "text" else write_fatbin([other, Entry("ptx", "compute_90", PTX.encode(), "zstd")])
    kernel = gpu.load(image)["scale"]
    assert [(p.offset, p.size) for p in kernel.parameters] == [(0, 8), (8, 4), (12, 4)]
    a = np.arange(1000, dtype=np.float32)
    launch = kernel[4, 256](a, 2.5, 1000)
    assert np.array_equal(a, np.arange(1000, dtype=np.float32) * np.float32(2.5)) and not launch.hazards


@pytest.mark.parametrize("timing", [True, False])
def test_progress_of_a_long_grid(cases, timing):
    told = []
    device = runtime.Device("sm_90", timing=timing, progress=lambda *seen: told.append(seen))
    kernel = device.load((cases / "ours.bin").read_bytes())["k_switch"]
    kernel[20000, 64](device.zeros(20000 * 64, np.int32), 1).wait()
    assert len(told) > 1
    assert {name for name, *_ in told} == {"k_switch"} and {total for *_, total, _ in told} == {20000}
    done = [seen[1] for seen in told]
    assert done == sorted(done) and done[0] < done[-1] == 20000
    assert not timing or told[-1][3] > told[0][3] > 0


def test_a_program_that_sets_conditions_of_graphs_can_be_loaded():
    gpu = runtime.Device("sm_90")
    module = gpu.load(ROOT / "tests/runtime/data/graph.ptx")
    out = gpu.zeros(1, np.int32)
    module["good"][1, 1](out)
    assert out.item() == 7
    with pytest.raises(runtime.DeviceError, match="a place that holds no code"):
        module["sets"][1, 1](np.uint64(5)).wait()


def test_stack_of_a_kernel_that_recurses() -> None:
    """What the compiler cannot bound gets 1,024 bytes a thread (cudaLimitStackSize), or what the device was told."""
    text = """__device__ __noinline__ int sum(int n, const int *p) {
        int a[16];
        for (int i = 0; i < 16; i++) a[i] = p[(n * i) & 31];
        int below = n ? sum(n - 1, p) : 0;
        return below + a[n & 15];
    }
    extern "C" __global__ void k(int *out, const int *p) { *out = sum(40, p); }"""
    image = minicc.compile(SourceFile("k.cu", text), arch="sm_90").cubin
    numbers = np.arange(32, dtype=np.int32) ** 2
    out = np.zeros(1, np.int32)
    with pytest.raises(DeviceError, match="local access"):
        runtime.Device("sm_90").load(image)["k"][1, 1](out, numbers)
    runtime.Device("sm_90", stack=16 << 10).load(image)["k"][1, 1](out, numbers)
    assert out[0] == sum(int(numbers[n * (n & 15) & 31]) for n in range(41))


def test_parameters_of_extern_c_kernels_have_their_types():
    text = 'extern "C" __global__ void k(float a, float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= a; }'
    kernel = runtime.Device(timing=False).load(minicc.compile(SourceFile("k.cu", text)))["k"]
    x = np.ones(32, np.float32)
    kernel[1, 32](3, x, 16)
    assert x.tolist() == [3.0] * 16 + [1.0] * 16
    for wrong, said in (((3, x.astype(float), 16), "array of float64"), ((3, x, 1.5), "1.5 is a float")):
        with pytest.raises(runtime.LaunchError, match=said):
            kernel[1, 32](*wrong)
