"""One launch: limits checked, constant bank 0 filled, the QMD built, and the methods that hand it over."""

from __future__ import annotations

import struct

import attrs

from minicc.arch.schema import Arch
from minicc.binary.mangling import signature
from minicc.numbers import align_up
from runtime.driver.channel import LOCAL_WINDOW, SHARED_WINDOW
from runtime.driver.module import Placed
from runtime.errors import LaunchError
from runtime.hw import bank0, methods, qmd
from runtime.hw.methods import Compute, packet

Dim = tuple[int, int, int]

STACK_LIMIT = 1024
"""Stack bytes a thread gets when the compiler could not bound the kernel's need (cudaLimitStackSize's default)."""
UNKNOWN_STACK = 0xFFFFFFFF
MAX_LOCAL = 512 << 10
"""Bytes of local memory per thread (CUDA programming guide, compute capabilities)."""
MAX_CLUSTER = 16
"""Blocks of a cluster on an H100/H200, the non-portable size included."""
MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_BLOCK_DIM = (1024, 1024, 64)


@attrs.frozen
class Request:
    """A launch as asked for. `dynamic_shared` is bytes beyond the kernel's static shared memory; `cluster` is blocks
    of a cluster in each direction, for a kernel that was compiled without; `stack` is what a thread gets where the
    compiler could not bound its need."""

    grid: Dim
    block: Dim
    dynamic_shared: int = 0
    cluster: Dim | None = None
    stack: int = STACK_LIMIT


def cluster_of(request: Request, placed: Placed) -> Dim:
    """Cluster dimensions fixed at compile time, those of the launch, or (1, 1, 1)."""
    value = placed.function.attributes.get("CTA_PER_CLUSTER")
    if isinstance(value, tuple | list) and len(value) >= 3:
        return (max(int(value[0]), 1), max(int(value[1]), 1), max(int(value[2]), 1))
    return request.cluster or (1, 1, 1)


def local_bytes(request: Request, placed: Placed) -> int:
    """Local memory a thread needs, a multiple of 16. For a kernel that may recurse the compiler states 0, one frame or
    all ones (nvcc 13.0), so whatever calls functions of its own gets what the driver gives."""
    function = placed.function
    unbounded = function.min_stack == UNKNOWN_STACK or any(
        name[:1] == "$" and not name.startswith("$__internal") for name in function.labels
    )
    known = max(0 if function.min_stack == UNKNOWN_STACK else function.min_stack, function.frame)
    return -(-max(known, request.stack if unbounded else 0) // 16) * 16


def check(request: Request, placed: Placed, arch: Arch) -> int:
    """Refuse what the machine cannot run; returns the bytes of shared memory a block takes."""
    limits, function = arch.occupancy, placed.function

    def wrong(why: str, code: str = "launch.configuration") -> None:
        raise LaunchError(code, f"kernel '{signature(function.name).shown}': {why}")

    for axis, value, most in zip("xyz", request.grid, MAX_GRID, strict=True):
        if not 1 <= value <= most:
            wrong(f"grid {axis} is {value}; 1 to {most} is possible")
    for axis, value, most in zip("xyz", request.block, MAX_BLOCK_DIM, strict=True):
        if not 1 <= value <= most:
            wrong(f"block {axis} is {value}; 1 to {most} is possible")
    threads = request.block[0] * request.block[1] * request.block[2]
    if threads > limits.max_threads_per_block:
        wrong(f"a block of {threads} threads; {limits.max_threads_per_block} is the most")
    if function.req_threads and request.block != function.req_threads:
        wrong(f"block {request.block} is not the {function.req_threads} it was compiled for")
    if function.max_threads:
        most = function.max_threads[0] * function.max_threads[1] * function.max_threads[2]
        if threads > most:
            wrong(f"a block of {threads} threads; its launch bounds allow {most}")
    warps = -(-threads // 32)
    unit = limits.register_unit_per_warp
    registers = -(-function.registers * 32 // unit) * unit
    granted = align_up(warps, limits.warp_granularity)
    if registers * granted > limits.registers_per_sm:
        wrong(
            f"{warps} warps with {function.registers} registers a thread need more than one SM has", "launch.resources"
        )
    if function.registers > limits.max_registers_per_thread:
        wrong(f"{function.registers} registers a thread; {limits.max_registers_per_thread} is the most")
    if local_bytes(request, placed) > MAX_LOCAL:
        wrong(f"{local_bytes(request, placed)} bytes of local memory a thread; {MAX_LOCAL} is the most")
    if request.dynamic_shared < 0:
        wrong(f"{request.dynamic_shared} bytes of dynamic shared memory")
    shared = function.shared + request.dynamic_shared
    if shared > limits.shared_per_block_max:
        wrong(f"{shared} bytes of shared memory a block; {limits.shared_per_block_max} is the most")
    cluster = cluster_of(request, placed)
    if request.cluster not in (None, cluster):
        wrong(f"a cluster of {request.cluster} blocks; it was compiled for {cluster}")
    if any(size < 1 for size in cluster):
        wrong(f"a cluster of {cluster} blocks")
    if cluster[0] * cluster[1] * cluster[2] > MAX_CLUSTER:
        wrong(f"a cluster of {cluster} blocks; {MAX_CLUSTER} is the most")
    for axis, blocks, size in zip("xyz", request.grid, cluster, strict=True):
        if blocks % size:
            wrong(f"grid {axis} of {blocks} is not a multiple of its cluster's {size}")
    unit = limits.shared_granularity
    return -(-(arch.abi.shared_reserved + shared) // unit) * unit


def constant_bank0(
    request: Request, placed: Placed, arch: Arch, parameters: bytes, grid_id: int, constants: int = 0
) -> bytes:
    """The contents of constant bank 0; `constants` is the address of bank 3."""
    words = bank0.LaunchWords(
        grid=request.grid,
        block=request.block,
        cluster=cluster_of(request, placed),
        dynamic_shared=request.dynamic_shared,
        stack_base=local_bytes(request, placed),
        shared_window=SHARED_WINDOW,
        local_window=LOCAL_WINDOW,
        grid_id=grid_id,
        constants=constants,
    )
    return bank0.build(arch, words, parameters)


def build_qmd(
    request: Request, placed: Placed, arch: Arch, shared: int, banks: dict[int, tuple[int, int]], launch_id: int
) -> bytes:
    """The V04_00 QMD of a launch. `banks` includes bank 0; addresses are multiples of 64."""
    cluster = cluster_of(request, placed)
    config = -(-shared // 4096) + 1  # the field counts 4 KiB units, plus one
    fields: dict[str, int | str] = {
        "QMD_TYPE": "GRID_CTA",
        "QMD_GROUP_ID": 0x1F,
        "API_VISIBLE_CALL_LIMIT": "NO_CHECK",
        "SAMPLER_INDEX": "INDEPENDENTLY",
        "INVALIDATE_SHADER_CONSTANT_CACHE": 1,
        "INVALIDATE_SHADER_DATA_CACHE": 1,
        "CWD_MEMBAR_TYPE": "L1_SYSMEMBAR",
        "GRID_WIDTH": request.grid[0],
        "GRID_HEIGHT": request.grid[1],
        "GRID_DEPTH": request.grid[2],
        "CTA_THREAD_DIMENSION0": request.block[0],
        "CTA_THREAD_DIMENSION1": request.block[1],
        "CTA_THREAD_DIMENSION2": request.block[2],
        "REGISTER_COUNT": placed.function.registers,
        "BARRIER_COUNT": min(placed.function.barriers, 31),
        "SHARED_MEMORY_SIZE": shared,
        "MIN_SM_CONFIG_SHARED_MEM_SIZE": config,
        "TARGET_SM_CONFIG_SHARED_MEM_SIZE": config,
        "MAX_SM_CONFIG_SHARED_MEM_SIZE": arch.occupancy.shared_per_sm // 4096 + 1,
        "SHADER_LOCAL_MEMORY_LOW_SIZE": local_bytes(request, placed),
        "SASS_VERSION": arch.sm // 10 << 4 | arch.sm % 10,
        "PROGRAM_ADDRESS_LOWER": placed.entry & 0xFFFFFFFF,
        "PROGRAM_ADDRESS_UPPER": placed.entry >> 32,
        "PROGRAM_PREFETCH_ADDR_LOWER_SHIFTED": placed.entry >> 8 & 0xFFFFFFFF,
        "PROGRAM_PREFETCH_ADDR_UPPER_SHIFTED": placed.entry >> 40,
        "PROGRAM_PREFETCH_SIZE": min(placed.size >> 8, 0x1FF),
        "DEBUG_ID_LOWER": launch_id & 0xFFFFFFFF,
        "DEBUG_ID_UPPER": launch_id >> 32,
    }
    if cluster != (1, 1, 1):
        fields |= {"QMD_TYPE": "GRID_GPC_CGA", "GPC_CGA_WIDTH": cluster[0], "GPC_CGA_HEIGHT": cluster[1],
                   "GPC_CGA_DEPTH": cluster[2]}  # fmt: skip
    for number, (address, size) in banks.items():
        fields[f"CONSTANT_BUFFER_VALID[{number}]"] = 1
        fields[f"CONSTANT_BUFFER_INVALIDATE[{number}]"] = 1
        fields[f"CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6[{number}]"] = address >> 6 & 0xFFFFFFFF
        fields[f"CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6[{number}]"] = address >> 38
        fields[f"CONSTANT_BUFFER_SIZE_SHIFTED4[{number}]"] = -(-size // 16)
    return qmd.pack(qmd.V04_00, fields)


def launch_words(data: bytes, address: int) -> list[int]:
    """Methods that launch an inline QMD, which the device keeps at `address` (a multiple of 256)."""
    compute = methods.SUBCHANNEL_COMPUTE
    shifted = address >> 8
    upper = shifted >> 32 | (methods.INLINE_QMD_384 if len(data) == 384 else 0)
    words = struct.unpack(f"<{len(data) // 4}I", data)
    return [
        *packet(compute, Compute.INVALIDATE_SHADER_CACHES_NO_WFI, [methods.INVALIDATE_ALL]),
        *packet(compute, Compute.SET_INLINE_QMD_ADDRESS_A, [upper, shifted & 0xFFFFFFFF, *words]),
    ]
