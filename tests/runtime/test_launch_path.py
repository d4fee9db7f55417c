"""From a Python call to the doorbell and back, with a stand-in for the SMs that records the grid it gets."""

from __future__ import annotations

import struct

import attrs
import numpy as np
import pytest

import runtime
from minicc.binary import Entry, write_cubin, write_fatbin
from minicc.diagnostics import CompileError
from minicc.sass.program import Function, Line, Param, Program, Relocation, Variable
from runtime.device.grid import Fault, Grid, Outcome
from runtime.device.syscalls import ADDRESSES

EXIT = bytes.fromhex("4d790000000000000000800300ea0f00")


def program() -> Program:
    """_Z4vaddPKfS0_Pfi with everything a module can hold. Its code is never executed here."""
    vadd = Function("_Z4vaddPKfS0_Pfi", EXIT * 3, registers=12, shared=256, min_stack=40, barriers=2, param_bytes=28)
    vadd.params = [Param(0, 0, 8), Param(1, 8, 8), Param(2, 16, 8), Param(3, 24, 4)]
    vadd.lines = [Line(0, "vadd.k", 3), Line(16, "vadd.k", 5)]
    vadd.constant2, vadd.callees, vadd.max_threads = b"jump" * 5, ["vprintf"], (512, 1, 1)
    other = Function("other", EXIT, registers=8)
    other.attributes["CTA_PER_CLUSTER"] = (2, 1, 1)
    table = Variable("table", "constant", 64, 4, bytes(range(64)))
    pointer = Variable("pointer", "global", 8, 8, bytes(8), [Relocation(0, "R_CUDA_G64", "zeros", 4)])
    out = Program("sm_90", [vadd, other], [table, pointer, Variable("zeros", "global", 400, 4)], ["vprintf"])
    out.constant4 = ["zeros", "vprintf", "table", "other"]
    return out


@attrs.define
class Recorder:
    """Stands in for `runtime.device.sm.run`: keeps the grids, and adds as vadd would."""

    grids: list[Grid] = attrs.field(factory=list)
    fault: Fault | None = None
    memory: object = None

    def __call__(self, grid, memory, arch, options):
        self.grids.append(grid)
        self.memory = memory
        if self.fault is not None:
            return Outcome(10, fault=self.fault)
        bank, size = grid.constants[0]
        if size >= 0x210 + 28:
            a, b, c, n = struct.unpack("<QQQi", memory.read(bank + 0x210, 28))
            if n:
                x, y, z = (memory.view(p, 4 * n).view(np.float32) for p in (a, b, c))
                z[:] = x + y
        return Outcome(1980, {"sm__inst_executed.sum": 7.0}, output=b"printed", instructions=7)


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (runtime.LaunchError("launch.argument", ""), "cudaErrorInvalidValue"),
        (runtime.LaunchError("launch.configuration", ""), "cudaErrorInvalidConfiguration"),
        (runtime.LaunchError("device.memory", ""), "cudaErrorMemoryAllocation"),
        (runtime.LaunchError("cuda.call.not_found", ""), "cudaErrorSymbolNotFound"),
        (runtime.DeviceError("", "illegal_address"), "cudaErrorIllegalAddress"),
        (runtime.DeviceError("", "assert"), "cudaErrorAssert"),
        (runtime.DeviceError("", "timeout"), "cudaErrorLaunchTimeout"),
    ],
)
def test_errors_have_cuda_s_names(error, name):
    assert error.cuda == name and error.__notes__ == [name]


@pytest.fixture
def sm() -> Recorder:
    return Recorder()


@pytest.fixture
def gpu(sm) -> runtime.Device:
    return runtime.Device("sm_90", run=sm, memory=1 << 28)


def test_arrays_go_in_and_come_back(gpu, sm):
    kernel = gpu.load(write_cubin(program()))["vadd"]
    a, b = np.arange(1000, dtype=np.float32), np.full(1000, 2, np.float32)
    c, before = np.zeros(1000, np.float32), gpu.gpu.memory.used
    launch = kernel[(4, 2), 250, 512](a, b, c, 1000)
    assert np.array_equal(c, a + 2) and np.array_equal(a, np.arange(1000))
    assert (launch.cycles, launch.output, launch.stats) == (1980, "printed", {"sm__inst_executed.sum": 7.0})
    (grid,) = sm.grids
    assert (grid.grid, grid.block, grid.cluster) == ((4, 2, 1), (250, 1, 1), (1, 1, 1))
    assert (grid.registers, grid.barriers, grid.local) == (12, 2, 48)
    assert grid.shared == 1024 + 256 + 512
    assert grid.shared_window and grid.local_window and grid.name == "_Z4vaddPKfS0_Pfi"
    del launch
    # Only the code and the banks that the first launch placed are still there.
    assert gpu.gpu.memory.used - before < 16384


def test_banks_variables_and_relocations(gpu, sm):
    module = gpu.load(program())
    kernel = module["vadd"]
    kernel[1, 32](None, None, None, 0).wait()
    (grid,), memory = sm.grids, gpu.gpu.memory
    assert set(grid.constants) == {0, 2, 3, 4}
    assert memory.read(grid.constants[2][0], 20) == b"jump" * 5
    assert memory.read(grid.constants[3][0], 64) == bytes(range(64))
    zeros = module.variable("zeros").address
    slots = struct.unpack("<4Q", memory.read(grid.constants[4][0], 32))
    assert slots[:3] == (zeros, ADDRESSES["vprintf"], grid.constants[3][0])
    assert memory.read(slots[3], 16) == EXIT
    assert struct.unpack("<Q", memory.read(module.variable("pointer").address, 8))[0] == zeros + 4
    assert not module.variable("zeros").read().any()
    module.variable("zeros").write(np.arange(100, dtype=np.int32))
    assert np.array_equal(module.variable("zeros").read(np.int32), np.arange(100))
    for number, (bank, size) in grid.constants.items():
        assert bank % 64 == 0 and size % 16 == 0
        assert number == 0 or memory.check(bank, size) >= 0  # bank 0 was given back with the launch


def test_code_is_uploaded_at_the_first_launch(gpu, sm):
    apart = program()
    apart.constant4 = ["zeros"]  # nothing connects the two kernels
    module = gpu.load(apart)
    assert not module.loaded.placed
    module["other"][2, 1]().wait()
    assert list(module.loaded.placed) == ["other"]
    assert sm.grids[0].cluster == (2, 1, 1)
    entry, memory = sm.grids[0].entry, gpu.gpu.memory
    assert entry % 128 == 0 and memory.read(entry, 16) == EXIT
    assert memory.check(entry, 128 + 4096) >= 0
    first = module.loaded.place("other")
    assert module["other"][2, 1]().wait() and module.loaded.place("other") is first


def test_two_functions_may_refer_to_each_other(gpu):
    a, b = Function("a", EXIT * 2, registers=8), Function("b", EXIT * 2, registers=8)
    a.relocations = [Relocation(0, "R_CUDA_ABS32_LO_32", "b"), Relocation(16, "R_CUDA_ABS32_HI_32", "b")]
    b.relocations = [Relocation(0, "R_CUDA_ABS55_16_34", "a")]
    module = gpu.load(Program("sm_90", [a, b]))
    place, memory = module.loaded.place, gpu.gpu.memory
    code = memory.read(place("a").entry, 32)
    assert memory.find(place("a").entry) == memory.find(place("b").entry)  # one piece: code may jump between them
    target = place("b").entry
    assert struct.unpack_from("<I", code, 4)[0] == target & 0xFFFFFFFF
    assert struct.unpack_from("<I", code, 20)[0] == target >> 32
    word = int.from_bytes(memory.read(target, 16), "little")
    assert (word >> 16 & 0xFF | (word >> 34 & (1 << 47) - 1) << 8) << 2 == place("a").entry


def test_functions_whose_addresses_are_data_are_placed_with_the_kernels(gpu):
    """A table of virtual functions, as nvcc -G has it: whoever loads an address from it calls what is there."""
    kernel, called, other = (Function(name, EXIT * 2, registers=8) for name in ("kernel", "called", "other"))
    table = Variable("table", "global", 16, 8, bytes(16), [Relocation(8, "R_CUDA_64", "called")])
    module = gpu.load(Program("sm_90", [called, kernel, other], [table]))
    place, memory = module.loaded.place, gpu.gpu.memory
    assert memory.find(place("kernel").entry) == memory.find(place("called").entry) == memory.find(place("other").entry)
    assert module.variable("table").read(np.uint64)[1] == place("called").entry


def test_choosing_an_image(gpu, tmp_path):
    cubin = write_cubin(program())
    path = tmp_path / "x.fatbin"
    path.write_bytes(write_fatbin([Entry("cubin", "sm_80", b"\x7fELF" + bytes(60)), Entry("cubin", "sm_90", cubin)]))
    for source in (cubin, program(), path, str(path), path.read_bytes()):
        assert gpu.load(source).kernels == ["_Z4vaddPKfS0_Pfi", "other"]

    class Compiled:
        fatbin = path.read_bytes()

    assert "vadd" in gpu.load(Compiled())
    with pytest.raises(CompileError, match="holds no code for sm_90"):
        gpu.load(write_fatbin([Entry("cubin", "sm_80", cubin)]))
    with pytest.raises(CompileError, match="neither a cubin"):
        gpu.load(b"hello")
    with pytest.raises(CompileError, match="cannot load"):
        gpu.load(3)
    with pytest.raises(CompileError, match="No such file"):
        gpu.load(tmp_path / "none")


def test_buffers_keep_data_on_the_device(gpu):
    kernel = gpu.load(program())["vadd"]
    a = gpu.buffer(np.arange(8, dtype=np.float32).reshape(2, 4))
    c = gpu.empty((2, 4))
    kernel[1, 32](a, a, c, 8)
    assert np.array_equal(c.numpy(), 2 * np.arange(8).reshape(2, 4))
    assert np.array_equal(np.from_dlpack(c), c.numpy()) and np.asarray(a).shape == (2, 4)
    a.write(np.ones((2, 4)))
    assert a.numpy().sum() == 8
    big = np.random.default_rng(1).integers(0, 255, 9 << 20, dtype=np.uint8)  # more than the staging window
    assert np.array_equal(gpu.buffer(big).numpy(), big)
    before = gpu.gpu.memory.used
    del a, c
    assert gpu.gpu.memory.used == before - 64
    with pytest.raises(runtime.LaunchError, match="out of device memory"):
        gpu.empty(1 << 30)


def test_streams_and_events(gpu, sm):
    kernel = gpu.load(program())["vadd"]
    a, c = gpu.buffer(np.ones(4, np.float32)), gpu.zeros(4)
    one, two = gpu.stream(), gpu.stream()
    start = gpu.event().record(one)
    kernel[1, 32, 0, one](a, a, c, 4)
    done = gpu.event().record(one)
    two.wait(done)
    kernel[1, 32, 0, two](c, c, a, 4)
    end = gpu.event().record(two)
    gpu.synchronize()
    assert done.done and end.done and np.array_equal(a.numpy(), np.full(4, 4.0))
    assert end.elapsed(start) == pytest.approx(2e-3)  # 2 x 1980 cycles at 1980 MHz


def test_a_channel_waits_for_another(gpu):
    """An acquire before its release: the host engine sets the channel aside and comes back to it."""
    from runtime.driver.channel import open_channel, semaphore_words
    from runtime.hw import methods
    from runtime.hw.methods import SemOp

    first, second = open_channel(gpu.gpu), open_channel(gpu.gpu)
    semaphore = gpu.gpu.memory.allocate(16)
    gpu.gpu.memory.fill(semaphore, 0, 16)
    acquire = SemOp.ACQ_STRICT_GEQ | methods.SEM_PAYLOAD_64BIT
    value = first.submit(semaphore_words(semaphore, 5, acquire))
    assert first.completed < value
    with pytest.raises(RuntimeError, match="never recorded"):
        first.wait(value)
    second.submit(semaphore_words(semaphore, 5, SemOp.RELEASE | methods.SEM_PAYLOAD_64BIT))
    first.wait(value)
    assert first.completed == value


def test_the_ring_and_the_pushbuffer_wrap(gpu, sm):
    kernel = gpu.load(program())["vadd"]
    a = gpu.zeros(4)
    for _ in range(2600):
        kernel[1, 32](a, a, a, 0)
    gpu.synchronize()
    assert len(sm.grids) == 2600


def test_a_fault_names_the_place_and_leaves_the_device_usable(gpu, sm):
    kernel = gpu.load(program())["vadd"]
    a = gpu.zeros(4)
    sm.fault = Fault("illegal_address", "4-byte access at 0x10", 0x20, (1, 2, 0), (3, 0, 0), 0x10)
    launch = kernel[4, 32](a, a, a, 4)  # asynchronous: nothing is raised yet
    with pytest.raises(runtime.DeviceError) as caught:
        gpu.synchronize()
    error = caught.value
    assert (error.kind, error.block, error.thread, error.pc) == ("illegal_address", (1, 2, 0), (3, 0, 0), 0x20)
    assert (error.file, error.line, error.kernel, error.address) == ("vadd.k", 5, "_Z4vaddPKfS0_Pfi", 0x10)
    assert "vadd.k:5" in str(error) and "4-byte access" in str(error)
    with pytest.raises(runtime.DeviceError):
        _ = launch.cycles
    sm.fault = None
    c = np.zeros(4, np.float32)
    kernel[1, 32](np.ones(4, np.float32), np.ones(4, np.float32), c, 4)
    assert c.tolist() == [2, 2, 2, 2]
    gpu.synchronize()
    sm.fault = Fault("trap", "trap")
    with pytest.raises(runtime.DeviceError, match="trap"):
        kernel[1, 32](c, c, c, 4)


def test_work_behind_a_fault_is_dropped(gpu, sm):
    kernel = gpu.load(program())["vadd"]
    a = gpu.zeros(4)
    sm.fault = Fault("trap", "first")
    first = kernel[1, 32](a, a, a, 4)
    sm.fault = None
    with pytest.raises(runtime.DeviceError, match="first"):
        kernel[1, 32](a, a, a, 4)
    with pytest.raises(runtime.DeviceError, match="first"):
        first.wait()
    assert kernel[1, 32](a, a, a, 4).cycles == 1980


@pytest.mark.parametrize(
    ("grid", "block", "shared", "match"),
    [
        (0, 32, 0, "grid x is 0"),
        ((1, 70000), 32, 0, "grid y"),
        (1, 1025, 0, "block x"),
        (1, (1, 1, 65), 0, "block z"),
        (1, (32, 33), 0, "1056 threads"),
        (1, 513, 0, "launch bounds allow 512"),
        (1, 32, 232448, "shared memory"),
        (1, 32, -1, "not a number of bytes"),
        ("a", 32, 0, "not one to three integers"),
        ((1, 1, 1, 1), 32, 0, "not one to three integers"),
    ],
)
def test_impossible_shapes_are_refused(gpu, sm, grid, block, shared, match):
    kernel = gpu.load(program())["vadd"]
    a = gpu.zeros(4)
    with pytest.raises(runtime.LaunchError, match=match):
        kernel[grid, block, shared](a, a, a, 4)
    assert not sm.grids


def test_clusters_divide_the_grid(gpu):
    with pytest.raises(runtime.LaunchError, match="multiple of its cluster"):
        gpu.load(program())["other"][3, 1]()


def test_names(gpu):
    twins = Program("sm_90", [Function(n, EXIT) for n in ("_Z1kPf", "_Z1kPi", "_ZN2ns3fooEv")])
    module = gpu.load(twins)
    assert module["_Z1kPf"].name == "_Z1kPf" and module["foo"].name == "_ZN2ns3fooEv"
    with pytest.raises(runtime.LaunchError, match="could be any of: _Z1kPf, _Z1kPi"):
        module["k"]
    with pytest.raises(runtime.LaunchError, match="no kernel 'nope'"):
        module["nope"]
    with pytest.raises(CompileError, match="does not provide"):
        gpu.load(Program("sm_90", [Function("k", EXIT)], externs=["cudaMystery"]))


def test_the_trace_shows_every_step(sm):
    lines = []
    gpu = runtime.Device("sm_90", run=sm, memory=1 << 28, trace=lines.append)
    kernel = gpu.load(write_cubin(program()))["vadd"]
    a = gpu.zeros(4)
    launch = kernel[2, 32](a, a, a, 4)
    wanted = ["read cubin", "upload code (first launch)", "constant bank 0", "build QMD V04_00", "write methods",
              "GPFIFO entry", "GP_PUT", "ring doorbell", "fetch GPFIFO entry", "SET_INLINE_QMD_ADDRESS_A",
              "LOAD_INLINE_QMD_DATA", "QMD V04_00", "grid done", "semaphore release"]  # fmt: skip
    text, at = "\n".join(lines), 0
    for step in wanted:
        at = text.index(step, at)
    assert "GRID_WIDTH=2" in text and launch.trace and "ring doorbell" in launch.trace
    launch.wait()


def test_a_qmd_releases_its_own_semaphore(gpu, sm):
    """Methods written by hand: an inline QMD whose completion semaphore the compute engine releases."""
    from runtime.hw import methods, qmd
    from runtime.hw.methods import Compute, packet

    memory = gpu.gpu.memory
    code, bank, done = memory.allocate(256), memory.allocate(0x240), memory.allocate(16)
    data = qmd.pack(
        qmd.V04_00,
        {"QMD_TYPE": "GRID_CTA", "GRID_WIDTH": 3, "GRID_HEIGHT": 1, "GRID_DEPTH": 1, "CTA_THREAD_DIMENSION0": 64,
         "CTA_THREAD_DIMENSION1": 1, "CTA_THREAD_DIMENSION2": 1, "PROGRAM_ADDRESS_LOWER": code & 0xFFFFFFFF,
         "PROGRAM_ADDRESS_UPPER": code >> 32, "CONSTANT_BUFFER_VALID[0]": 1,
         "CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6[0]": bank >> 6 & 0xFFFFFFFF,
         "CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6[0]": bank >> 38, "CONSTANT_BUFFER_SIZE_SHIFTED4[0]": 1,
         "RELEASE_ENABLE[0]": 1, "RELEASE_SEMAPHORE0_ADDR_LOWER": done & 0xFFFFFFFF,
         "RELEASE_SEMAPHORE0_ADDR_UPPER": done >> 32, "RELEASE_SEMAPHORE0_PAYLOAD_LOWER": 77},
    )  # fmt: skip
    channel = gpu._default.channel
    address = memory.allocate(512)
    words = struct.unpack("<96I", data)
    upper = (address >> 40) | methods.INLINE_QMD_384
    channel.wait(
        channel.submit(packet(1, Compute.SET_INLINE_QMD_ADDRESS_A, [upper, address >> 8 & 0xFFFFFFFF, *words]))
    )
    assert sm.grids[0].grid == (3, 1, 1) and sm.grids[0].entry == code
    assert struct.unpack("<Q", memory.read(done, 8))[0] == 77


def test_a_broken_pushbuffer_stops_only_its_channel(gpu, sm):
    from runtime.driver.channel import ChannelError, open_channel
    from runtime.hw.methods import Copy, packet

    channel = open_channel(gpu.gpu)
    for words in ([0xC0000000], packet(7, 0x300, [1]), packet(1, 0, [0x1234]),
                  [*packet(4, Copy.LINE_LENGTH_IN, [64]), *packet(4, Copy.LAUNCH_DMA, [0x182])]):  # fmt: skip
        value = channel.submit(words)
        with pytest.raises(ChannelError):
            channel.wait(value)
        channel.wait(channel.submit([]))
    gpu.synchronize()


def test_zeroing_and_hostile_sizes(gpu):
    dirty = gpu.buffer(np.full(1 << 20, 7, np.uint8))
    dirty.free()
    assert not gpu.zeros(1 << 20, np.uint8).numpy().any()
    from runtime.hw import methods
    from runtime.hw.methods import Copy, packet

    target, channel = gpu.zeros(16, np.uint16), gpu._default.channel
    flags = methods.DMA_NON_PIPELINED | methods.DMA_SRC_PITCH | methods.DMA_DST_PITCH | methods.DMA_REMAP
    words = [
        *packet(4, Copy.SET_REMAP_CONST_A, [0x1234]),
        *packet(4, Copy.SET_REMAP_COMPONENTS, [4 | 1 << 16]),
        *packet(4, Copy.OFFSET_OUT_UPPER, [target.address >> 32, target.address & 0xFFFFFFFF]),
        *packet(4, Copy.LINE_LENGTH_IN, [9]),
        *packet(4, Copy.LAUNCH_DMA, [flags]),
    ]
    channel.wait(channel.submit(words))
    assert target.numpy().tolist() == [0x1234] * 9 + [0] * 7
    with pytest.raises(runtime.LaunchError, match="out of device memory"):
        gpu.load(Program("sm_90", [Function("k", EXIT)], [Variable("huge", "global", 1 << 60, 8)]))
    with pytest.raises(CompileError, match="bytes of parameters"):
        gpu.load(Program("sm_90", [Function("k", EXIT, params=[Param(0, 0, 1 << 31)])]))
    with pytest.raises(CompileError, match="65536 is the most"):
        gpu.load(Program("sm_90", [Function("k", EXIT)], [Variable("c", "constant", 1 << 40, 8)]))
