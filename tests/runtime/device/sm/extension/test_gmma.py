"""Warpgroup matrix instructions in nvcc's code give the words that an H200 gave.

`data/gmma_vectors.npz`: tiles of 8 rows and 8 columns measured on an H200 (driver 580.159.04, 2026-11-20), for each
form A[tile, row, k], B[tile, column, k], C and D[tile, row, column], S the metadata fields of a sparse A. Here each
tile is a block that runs the form with N = 8; the rows are put at eight places among the 64. Layouts of larger N, of
transposed and swizzled operands are held to numpy."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile
from tests.conftest import nvcc_makes

DATA: Any = np.load(Path(__file__).parents[3] / "data" / "gmma_vectors.npz")
NAMES = sorted({name.rsplit("/", 1)[0] for name in DATA.files})
Array = npt.NDArray[Any]

HEAD = r"""
typedef unsigned u32;
typedef unsigned long long u64;
__device__ u64 describe(u32 a, u32 lbo, u32 sbo, u64 swizzle) {
  return (u64)(a >> 4 & 0x3fff) | (u64)(lbo >> 4) << 16 | (u64)(sbo >> 4) << 32 | swizzle << 62;
}
// image: A in cores of 8 rows x 16 bytes (2 along k), then B; c, d: a register after the other, of each thread
#define KERNEL(name, text, registers)                                                                        \
  extern "C" __global__ void name(const uint4 *image, const u32 *a, const u32 *meta, const u32 *c, u32 *d) { \
    __shared__ __align__(1024) uint4 s[192];                                                                 \
    for (int k = threadIdx.x; k < 192; k += 128) s[k] = image[192 * blockIdx.x + k];                         \
    a += 512 * blockIdx.x + threadIdx.x; meta += 128 * blockIdx.x + threadIdx.x;                             \
    c += 512 * blockIdx.x + threadIdx.x; d += 512 * blockIdx.x + threadIdx.x;                                \
    u32 r0 = c[0], r1 = c[128], r2 = c[256], r3 = c[384], at = (u32)__cvta_generic_to_shared(s);             \
    u64 x = describe(at, 128, 256, 0), y = describe(at + 2048, 128, 256, 0);                                 \
    asm volatile("fence.proxy.async;" ::: "memory");                                                         \
    __syncthreads();                                                                                         \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                  \
    asm volatile(text : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)                                               \
                 : "l"(x), "l"(y), "r"(a[0]), "r"(a[128]), "r"(a[256]), "r"(a[384]), "r"(meta[0])            \
                 : "memory");                                                                                \
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");          \
    d[0] = r0; d[128] = r1; d[256] = r2; d[384] = r3;                                                        \
  }
"""


def kernel_name(name: str) -> str:
    return re.sub(r"\W", "_", name)


def text_of(name: str) -> str:
    """The instruction of a form, with N = 8."""
    parts = name.split(".")
    sparse = parts[1] == "sp"
    shape, out, a, b = parts[2:6] if sparse else parts[1:5]
    rest = parts[6:] if sparse else parts[5:]
    depth = shape.split("k")[1]
    half = out == "f16"
    d = "{%0, %1}" if half else "{%0, %1, %2, %3}"
    first = "{%6, %7, %8, %9}" if "regA" in rest else "%4"
    extra = ""
    if out in ("f16", "f32"):
        extra = f", {-1 if 'negA' in rest or 'negAB' in rest else 1}, {-1 if 'negB' in rest or 'negAB' in rest else 1}"
        if a in ("f16", "bf16"):
            extra += ", 0" if "regA" in rest else ", 0, 0"
    kind = f"m64n8k{depth}.{out}.{a}.{b}"
    tail = ".and.popc" if a == "b1" else ".satfinite" if "sat" in rest else ""
    if sparse:
        selector = next(r[3:] for r in rest if r.startswith("sel"))
        return f"wgmma.mma_async.sp.sync.aligned.{kind}{tail} {d}, {first}, %5, %10, {selector}, 1{extra};"
    return f"wgmma.mma_async.sync.aligned.{kind}{tail} {d}, {first}, %5, 1{extra};"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("gmma")
    source = folder / "gmma.cu"
    kernels = "".join(f'KERNEL({kernel_name(n)}, "{text_of(n)}", 4)\n' for n in NAMES)
    source.write_text(HEAD + kernels + LAYOUTS)
    return runtime.Device("sm_90", timing=False).load(nvcc_makes(source, folder / "gmma.cubin", arch="sm_90a"))


def cores(matrix: Array) -> Array:
    """bytes[..., row, k] in cores of 8 rows x 16 bytes: (row / 8, k / 16, row % 8, k % 16)."""
    *many, rows, k = matrix.shape
    return matrix.reshape(*many, rows // 8, 8, k // 16, 16).swapaxes(-3, -2).reshape(*many, -1)


def metadata(fields: Array, width: int, selector: int) -> Array:
    """The metadata register of each of 128 threads from fields[row of 64, compressed k]."""
    out = np.zeros(128, np.uint32)
    for row in range(64):
        g, h = row % 8, row % 16 // 8
        count = fields.shape[1]
        for j in range(count):
            if width == 16:
                lane, bit = 4 * g + (selector if count == 8 else 2 * selector + j // 8), 16 * h + 2 * (j % 8)
            elif width == 32:
                lane, bit = 4 * g + (selector if count == 4 else 2 * selector + j // 4), 16 * h + 4 * (j % 4)
            else:
                lane, bit = 4 * g + h + 2 * (j // 16), 2 * (j % 16)
            out[row // 16 * 32 + lane] |= np.uint32(int(fields[row, j]) << bit)
    return out


@pytest.mark.parametrize("name", NAMES)
def test_measured_tiles(module: Any, name: str) -> None:
    a, b, c, d = (DATA[f"{name}/{part}"] for part in "ABCD")
    tiles = len(a)
    half = c.dtype == np.uint16
    width = 8 * a.dtype.itemsize
    # Row r of the tile at row 8 r + (r + tile) % 8 of the 64; other rows are zero.
    rows = 8 * np.arange(8) + (np.arange(8) + np.arange(tiles)[:, None]) % 8
    a64 = np.zeros((tiles, 64, a.shape[2]), a.dtype)
    c64 = np.zeros((tiles, 64, 8), c.dtype)
    np.put_along_axis(a64, rows[..., None], a, 1)
    np.put_along_axis(c64, rows[..., None], c, 1)
    bytes_a = a64.view(np.uint8).reshape(tiles, 64, -1)
    bytes_b = np.ascontiguousarray(b).view(np.uint8).reshape(tiles, 8, -1)
    image = np.zeros((tiles, 3072), np.uint8)
    image[:, :2048] = cores(bytes_a)
    flat = cores(bytes_b)
    image[:, 2048 : 2048 + flat.shape[1]] = flat
    # A's registers: word g of a row's 8 is in register 2 (g / 4) + (row % 16) / 8 of lane 4 (row % 8) + g % 4.
    words = bytes_a.view(np.uint32)
    registers = np.zeros((tiles, 4, 128), np.uint32)
    out_lanes = np.zeros((64, 8), np.int64)
    out_registers = np.zeros((64, 8), np.int64)
    for row in range(64):
        for g in range(8):
            lane = row // 16 * 32 + 4 * (row % 8)
            registers[:, 2 * (g // 4) + row % 16 // 8, lane + g % 4] = words[:, row, g]
            out_lanes[row, g] = lane + g // 2
            out_registers[row, g] = row % 16 // 8 if half else 2 * (row % 16 // 8) + g % 2
    meta = np.zeros((tiles, 128), np.uint32)
    if ".sp." in name:
        fields = np.zeros((tiles, 64, a.shape[2]), np.uint8)
        np.put_along_axis(fields, rows[..., None], DATA[f"{name}/S"], 1)
        for tile in range(tiles):
            meta[tile] = metadata(fields[tile], width, int(name[-1]))
    given = np.zeros((tiles, 4, 128), np.uint32)
    if half:
        packed = c64[:, :, ::2].astype(np.uint32) | c64[:, :, 1::2].astype(np.uint32) << 16
        given[:, out_registers[:, ::2], out_lanes[:, ::2]] = packed
    else:
        given[:, out_registers, out_lanes] = c64
    out = np.zeros_like(given)
    module[kernel_name(name)][tiles, 128](image.view(np.uint32), registers, meta, given, out)
    if half:
        packed = out[:, out_registers[:, ::2], out_lanes[:, ::2]]
        got = np.stack([packed & 0xFFFF, packed >> 16], -1).reshape(tiles, 64, 8)
    else:
        got = out[:, out_registers, out_lanes]
    got = np.take_along_axis(got, rows[..., None], 1)
    assert np.array_equal(got, d), [(hex(x), hex(y)) for x, y in zip(got[got != d], d[got != d], strict=True)][:4]


LAYOUTS = r"""
#define REP8(f, n) f(n) f(n+1) f(n+2) f(n+3) f(n+4) f(n+5) f(n+6) f(n+7)
// 64 x 64 x 16 with operands given by whole descriptors and transpositions, into 32 registers
#define LAYOUT(name, ta, tb)                                                                                          \
  extern "C" __global__ void name(const uint4 *image, u64 x, u64 y, float *d) {                                       \
    extern __shared__ __align__(1024) uint4 s[];                                                                      \
    for (int k = threadIdx.x; k < 2048; k += 128) s[k] = image[k];                                                    \
    u32 at = (u32)__cvta_generic_to_shared(s);                                                                        \
    float r[32];                                                                                                      \
    x += at >> 4 & 0x3fff; y += at >> 4 & 0x3fff;                                                                     \
    asm volatile("fence.proxy.async;" ::: "memory");                                                                  \
    __syncthreads();                                                                                                  \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                           \
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13," \
                 "%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 0, 1, 1, " ta   \
                 ", " tb ";"                                                                                          \
                 : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]), "=f"(r[6]), "=f"(r[7]),    \
                   "=f"(r[8]), "=f"(r[9]), "=f"(r[10]), "=f"(r[11]), "=f"(r[12]), "=f"(r[13]), "=f"(r[14]),           \
                   "=f"(r[15]), "=f"(r[16]), "=f"(r[17]), "=f"(r[18]), "=f"(r[19]), "=f"(r[20]), "=f"(r[21]),         \
                   "=f"(r[22]), "=f"(r[23]), "=f"(r[24]), "=f"(r[25]), "=f"(r[26]), "=f"(r[27]), "=f"(r[28]),         \
                   "=f"(r[29]), "=f"(r[30]), "=f"(r[31])                                                              \
                 : "l"(x), "l"(y)                                                                                     \
                 : "memory");                                                                                         \
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");                   \
    for (int k = 0; k < 32; k++) d[128 * k + threadIdx.x] = r[k];                                                     \
  }
LAYOUT(layout_00, "0", "0")
LAYOUT(layout_01, "0", "1")
LAYOUT(layout_10, "1", "0")
LAYOUT(layout_11, "1", "1")
"""


def place(index: Array, k: Array, swizzle: int, lbo: int, sbo: int, transposed: bool, start: int) -> Array:
    """Byte offset of element (row of A or column of B, k) of 16 bits, from the measured rule of the descriptors."""
    width = (16, 128, 64, 32)[swizzle]
    if not transposed:
        byte = 2 * k
        a = start + index % 8 * width + index // 8 * sbo + byte // width * lbo + byte % width
    elif swizzle:
        byte = 2 * index
        a = start + k % 8 * width + k // 8 * sbo + byte // width * lbo + byte % width
    else:
        byte = 2 * index
        a = start + k % 8 * 16 + k // 8 * lbo + byte // 16 * sbo + byte % 16
    return a ^ ((a >> 7) & (0, 7, 3, 1)[swizzle]) << 4


@pytest.mark.parametrize("swizzle", [0, 1, 2, 3])
@pytest.mark.parametrize("transposed", ["00", "01", "10", "11"])
def test_layouts(module: Any, swizzle: int, transposed: str) -> None:
    rng = np.random.default_rng(swizzle)
    a, b = (rng.integers(-8, 9, (64, 16)).astype(np.float16) for _ in range(2))
    image = np.zeros(32768, np.uint8)
    halves = image.view(np.float16)
    words = []
    for matrix, turned, start in ((a, transposed[0] == "1", 0), (b, transposed[1] == "1", 16384)):
        lbo, sbo = (2048, 256) if swizzle == 0 else (4096, 1024 if turned else 8 * (0, 128, 64, 32)[swizzle])
        if turned and swizzle == 0:
            lbo, sbo = 2048, 128
        index, k = np.mgrid[:64, :16]
        halves[place(index, k, swizzle, lbo, sbo, turned, start) // 2] = matrix
        words.append(start >> 4 | lbo >> 4 << 16 | sbo >> 4 << 32 | swizzle << 62)
    out = np.zeros((32, 128), np.float32)
    module[f"layout_{transposed}"][1, 128, 32768](image.view(np.uint32), *words, out)
    thread, register = np.mgrid[:128, :32]
    row = 16 * (thread // 32) + thread % 32 // 4 + 8 * (register // 2 % 2)
    column = 2 * (thread % 4) + register % 2 + 8 * (register // 4)
    assert np.array_equal(out.T, (a.astype(np.float32) @ b.astype(np.float32).T)[row, column])


def test_an_operand_outside_of_shared_memory_is_named() -> None:
    """What a multiply's columns of the table of code say is no space."""
    text = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x) {
.reg .f32 %f<4>; .reg .b64 %at, %d;
ld.param.u64 %at, [x]; mov.b64 %d, 0x4000400040; wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d, %d, 0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; st.global.f32 [%at], %f0; ret; }
"""
    image = minicc.compile(SourceFile("k.ptx", text), arch="sm_90a").cubin
    with pytest.raises(runtime.DeviceError, match="illegal address: 16-byte shared access at 0x"):
        runtime.Device().load(image)["k"][1, 128](np.zeros(4, np.float32))
