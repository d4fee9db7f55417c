"""The Python API with the habits of CuPy and numba: views of buffers, ways to write a launch, what can be loaded."""

from __future__ import annotations

import copy
import math
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minicc
import runtime
from tests.conftest import SAMPLES


@pytest.fixture(scope="module")
def gpu():
    return runtime.Device()


@pytest.fixture(scope="module")
def compiled():
    return minicc.compile(SAMPLES / "vadd.k")


@st.composite
def parts(draw):
    """(shape, key): some key for an array of that shape."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    index, edge = st.integers(-5, 5), st.none() | st.integers(-5, 5)
    one = index | st.builds(slice, edge, edge, st.none() | st.just(2))
    return tuple(shape), tuple(draw(st.lists(one, max_size=len(shape))))


@given(part=parts())
def test_a_part_is_numpy_s_where_it_is_contiguous(gpu, part):
    shape, key = part
    host = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    buffer = gpu.buffer(host)
    try:
        want = host[key]
    except IndexError:
        with pytest.raises(IndexError):
            buffer[key]
        return
    try:
        got = buffer[key]
    except runtime.LaunchError:
        strided = any(isinstance(k, slice) and k.step == 2 for k in key)
        assert strided or not np.asarray(want).flags.c_contiguous or 0 in np.shape(want)
        return
    assert got.shape == np.shape(want)
    assert np.array_equal(got.numpy(), want)
    host[key] = 77
    buffer[key] = 77
    assert np.array_equal(buffer.numpy(), host)


def test_a_view_keeps_the_memory_and_goes_to_kernels(gpu, compiled):
    n = 256
    a = gpu.buffer(np.arange(4 * n, dtype=np.float32))
    out = gpu.zeros((2, n))
    gpu.load(compiled)["vadd"][1, n](a[n : 2 * n], a[2 * n : 3 * n], out[1], n)
    view = out[1]
    del out, a
    assert np.array_equal(view.numpy(), np.arange(n, 2 * n) + np.arange(2 * n, 3 * n))
    assert view.reshape(16, -1)[15, 15].item() == view.get()[255]
    whole = gpu.zeros(4)
    part = whole[1:3]
    part.free()
    part.fill(2)
    assert whole.copy_to_host().tolist() == [0, 2, 2, 0]
    whole.free()
    assert not part.alive


def test_launches_as_cupy_and_numba_write_them(gpu, compiled):
    n = 512
    kernel, stream = gpu.load(compiled)["vadd"], gpu.stream()
    a = np.random.default_rng(0).random(n, np.float32)
    for launch in (
        lambda c: kernel[2, 256, 0, stream](a, a, c, n),
        lambda c: kernel[2, 256, stream](a, a, c, n),
        lambda c: kernel[2, 256, stream, 0](a, a, c, n),
        lambda c: kernel((2,), (256,), (a, a, c, n)),
        lambda c: kernel((2, 1), (256,), (a, a, c, n), shared_mem=64, stream=stream),
    ):
        c = np.zeros(n, np.float32)
        launch(c)
        assert np.array_equal(c, a + a)
    with pytest.raises(runtime.LaunchError, match="needs a launch shape"):
        kernel(a, a, c, n)


class Tensor:
    """As PyTorch's on the CPU: numpy sees its memory."""

    def __init__(self, data):
        self.data = data

    def __array__(self, dtype=None, copy=None):
        return self.data

    def __dlpack__(self):
        raise AssertionError("not asked for")


def test_arrays_of_other_libraries(gpu, compiled):
    a, c = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    vadd = gpu.load(compiled)["vadd"]
    vadd[1, 128](Tensor(a), Tensor(a), Tensor(c), 100)
    assert np.array_equal(c, 2 * a)
    with pytest.raises(runtime.LaunchError, match="array of float64"):
        vadd[1, 128](Tensor(a.astype(float)), a, c, 100)

    class OnGpu:
        __cuda_array_interface__ = {"shape": (100,), "typestr": "<f4", "data": (1 << 40, False), "version": 3}

    with pytest.raises(runtime.LaunchError, match="argument 1 is on a GPU"):
        vadd[1, 128](a, OnGpu(), c, 100)
    OnGpu.__cuda_array_interface__["strides"] = (8,)
    with pytest.raises(runtime.LaunchError, match="not contiguous"):
        vadd[1, 128](a, OnGpu(), c, 100)


def test_every_form_of_a_module_loads(gpu, compiled):
    for source in (compiled, compiled.cubin, compiled.fatbin, compiled.ptx, compiled.ptx.encode()):
        assert gpu.load(source).kernels == ["_Z4vaddPKfS0_Pfi"]


def test_variables_as_arrays(gpu):
    text = "__device__ float g[4] = {1, 2, 3, 4}; __global__ void k(float *a) { a[0] = g[3]; }"
    variable = gpu.load(minicc.compile(minicc.SourceFile("v.k", text))).variable("g")
    assert variable.numpy(np.float32).tolist() == [1, 2, 3, 4]
    variable.write(np.array([5, 6, 7, 8], np.float32))
    assert variable.numpy(np.float32, (2, 2)).tolist() == [[5, 6], [7, 8]]


def test_a_copy_has_memory_of_its_own(gpu):
    whole = gpu.buffer(np.arange(4, dtype=np.int32))
    other = copy.copy(whole)
    whole.fill(9)
    whole.free()
    assert other.numpy().tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("shape", [-1, (2, -3), "x", 1.5])
def test_what_is_no_shape_is_refused(gpu, shape):
    with pytest.raises(runtime.LaunchError, match="is not the shape of an array"):
        gpu.empty(shape)


TEMPLATES = """template <typename T> __global__ void put(T *p, T v) { *p = v; }
template __global__ void put<int>(int *, int);
template __global__ void put<float>(float *, float);"""


def test_an_instance_of_a_template_by_its_name(gpu):
    module = gpu.load(minicc.compile(minicc.SourceFile("put.cu", TEMPLATES)))
    at, into = np.zeros(1, np.int32), np.zeros(1, np.float32)
    module["put<int>"][1, 1](at, 3)
    module.get_function("put<float>")[1, 1](into, 3)  # a whole number is converted: the parameter is known as float
    assert (at[0], into[0]) == (3, 3.0)
    with pytest.raises(runtime.LaunchError, match="could be any of: put<int>, put<float>"):
        module["put"]
    with pytest.raises(runtime.LaunchError, match="32-bit integers is expected"):
        module["put<int>"][1, 1](into, 3)


def test_threads_may_use_a_device_together(gpu, compiled):
    kernel, n, sums = gpu.load(compiled)["vadd"], 256, []

    def work(value):
        a, c = np.full(n, value, np.float32), np.zeros(n, np.float32)
        for _ in range(4):
            kernel[1, n](a, a, c, n)
        sums.append(bool((c == 2 * value).all()))

    threads = [threading.Thread(target=work, args=(value,)) for value in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == [True] * 8


@pytest.mark.parametrize(
    ("options", "why"),
    [({"name": "sm_75"}, "are models"), ({"cores": "two"}, "cores 'two'"), ({"cycle_limit": -1}, "cycle_limit -1")],
)
def test_options_of_a_device_are_checked(options, why):
    with pytest.raises(runtime.LaunchError, match=why):
        runtime.Device(**options)


def test_time_between_events_that_were_recorded(gpu):
    first = gpu.event().record()
    assert gpu.event().record().elapsed(first) >= 0
    with pytest.raises(runtime.LaunchError, match="not both recorded"):
        gpu.event().elapsed(first)


@given(st.sampled_from(["u1", "i2", "f4", "f8", "V3", "c16"]), st.sampled_from(["u1", "i4", "f8", "V3"]), st.data())
def test_the_same_memory_as_another_type(gpu, old, new, data):
    """As numpy has it, or refused as there."""
    shape = data.draw(st.lists(st.integers(1, 12), max_size=3).map(tuple))
    size = math.prod(shape) * np.dtype(old).itemsize
    host = np.frombuffer(bytes(k % 251 for k in range(size)), old).reshape(shape)
    buffer = gpu.buffer(host)
    try:
        want = host.view(new)
    except (ValueError, TypeError):
        with pytest.raises(runtime.LaunchError, match="cannot be seen as"):
            buffer.view(new)
        return
    seen = buffer.view(new)
    assert (seen.shape, seen.dtype, seen.nbytes, seen.address) == (want.shape, want.dtype, want.nbytes, buffer.address)
    assert seen.numpy().tobytes() == want.tobytes()


FAULTS = """__global__ void null(int *a) { *a = 1; }
__global__ void endless(volatile int *a) {
    a[1] = 1;
    while (a[0] == 0)
        ; }"""


def test_what_is_said_of_faults(gpu):
    module = gpu.load(minicc.compile(minicc.SourceFile("faults.cu", FAULTS), options="-lineinfo"))
    with pytest.raises(runtime.DeviceError, match=r"faults.cu:1: error: illegal address.* a null pointer leads to"):
        module["null"][1, 1](None).wait()
    for options in ({"cycle_limit": 50_000}, {"timing": False, "instruction_limit": 10_000}):
        module = runtime.Device(**options).load(
            minicc.compile(minicc.SourceFile("faults.cu", FAULTS), options="-lineinfo")
        )
        with pytest.raises(runtime.DeviceError, match=r"faults\.cu:4: error: the kernel did not end") as caught:
            module["endless"][2, 64](np.zeros(2, np.int32))
        assert caught.value.pc > 0 and caught.value.line == 4  # where it turns, not where it began


def test_a_read_only_array(gpu, compiled):
    """Is no error unless it is written; an input is not copied back."""
    vadd, n = gpu.load(compiled)["vadd"], 64
    one = np.broadcast_to(np.float32(1), (n,))
    out = np.zeros(n, np.float32)
    vadd[1, n](one, one, out, n)
    assert (out == 2).all()
    with pytest.raises(runtime.LaunchError, match=r"kernel 'vadd\(const float \*, .*float32\[64\].* is read-only"):
        vadd[1, n](one, one, one, n)
    vadd[1, n](one, one, one, 0)


def test_a_source_is_no_image_and_no_path(gpu):
    with pytest.raises(minicc.CompileError, match=r"minicc\.SourceFile"):
        minicc.compile(TEMPLATES)
    with pytest.raises(minicc.CompileError, match=r"minicc\.compile makes one"):
        gpu.load(SAMPLES / "vadd.k")


def test_what_no_variable_event_or_device_can_be(gpu):
    text = "__device__ int g; __global__ void k() { g = 1; }"
    word = gpu.load(minicc.compile(minicc.SourceFile("k.cu", text))).variable("g")
    word.write(-(1 << 31))
    for wrong in (1 << 32, -(1 << 31) - 1, "x", [None]):
        with pytest.raises(runtime.LaunchError, match="variable 'g'"):
            word.write(wrong)
    assert word.read(np.int32)[0] == -(1 << 31)
    other = runtime.Device().event().record()
    for wrong in ("x", None, other):
        with pytest.raises(runtime.LaunchError, match="is no event of"):
            gpu.event().record().elapsed(wrong)
        with pytest.raises(runtime.LaunchError, match="is no event of"):
            gpu.stream().wait(wrong)
    with pytest.raises(runtime.LaunchError, match="is no priority"):
        gpu.stream(priority="high")
    for memory in (100, 1 << 20):
        with pytest.raises(runtime.LaunchError, match="out of device memory"):
            runtime.Device(memory=memory)
