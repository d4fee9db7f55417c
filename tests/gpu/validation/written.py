"""The eleventh unseen set: 65 kernels in the manner of real programs, written for it, with arguments as they have.

    python -m tests.gpu.validation.written FOLDER

Compiles `sources/*.cu` with nvcc and with minicc to FOLDER/nvcc_*.cubin, FOLDER/ours_*.cubin and writes the plans of
72 launches, in three parts of each, as `tests.gpu.errors` wants them.
"""

from __future__ import annotations

import json
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent / "sources"
PARTS = 3
Argument = Any
"""A buffer, an i32, an f32, or a scalar as in `programs`."""


def f(count: int, low: float = 0.0, high: float = 1.0, seed: int = 1, dtype: str = "<f4") -> dict[str, Any]:
    return {"dtype": dtype, "count": count, "uniform": [low, high], "seed": seed}


def i(count: int, low: int, high: int, seed: int = 1, dtype: str = "<i4") -> dict[str, Any]:
    return {"dtype": dtype, "count": count, "integers": [low, high], "seed": seed}


def u8(count: int, low: int = 0, high: int = 256, seed: int = 1) -> dict[str, Any]:
    return i(count, low, high, seed, "|u1")


def z(count: int, dtype: str = "<f4", value: int = 0) -> dict[str, Any]:
    return {"dtype": dtype, "count": count, "value": value}


def ramp(count: int, step: int = 1, dtype: str = "<i4") -> dict[str, Any]:
    return {"dtype": dtype, "count": count, "ramp": [0, step]}


def lst(values: list[int]) -> dict[str, Any]:
    return {"dtype": "<i4", "count": len(values), "list": values}


def up(a: int, b: int) -> int:
    return -(-a // b)


def u32(value: int) -> dict[str, int]:
    return {"u32": value}


def size(w: int, h: int) -> dict[str, str]:
    return {"bytes": struct.pack("<ii", w, h).hex()}


def programs() -> list[dict[str, Any]]:
    """A program for each launch."""
    out: list[dict[str, Any]] = []

    def run(
        file: str, kernel: str, grid: Any, block: Any, args: list[Argument], shared: int = 0, tag: str = ""
    ) -> None:
        buffers: dict[str, Any] = {}
        places: list[Any] = []
        for k, x in enumerate(args):
            if isinstance(x, dict) and "dtype" in x:
                buffers[f"b{k}"] = x
                places.append(f"b{k}")
            else:
                places.append({"i32": x} if isinstance(x, int) else {"f32": x} if isinstance(x, float) else x)
        grid, block = ([x] if isinstance(x, int) else x for x in (grid, block))
        launch = {"label": f"{kernel}{tag} {grid} {block}", "kernel": kernel, "grid": grid, "block": block}
        launches = [{**launch, "shared": shared, "args": places}]
        name = f"eleven/{file}/{kernel}{tag}"
        out.append({"name": name, "image": f"{file}.cubin", "buffers": buffers, "launches": launches})

    # image
    w, h = 1280, 720
    run(
        "image",
        "yuv420_to_rgb",
        [40, 90],
        [32, 8],
        [u8(w * h, 16, 235, 1), u8(w * h // 4, 16, 240, 2), u8(w * h // 4, 16, 240, 3), z(w * h, "<u4"), w, h],
    )
    run("image", "sobel_magnitude", [32, 64], [32, 4], [f(1024 * 1024), z(1024 * 1024), size(1024, 1024)])
    run("image", "sobel_magnitude", [20, 30], [32, 8], [f(640 * 480), z(640 * 480), size(640, 480)], tag=" vga")
    run("image", "median3x3", [40, 60], [16, 8], [u8(640 * 480), z(640 * 480, "|u1"), 640, 480])
    run("image", "bilinear_resize", [40, 100], [32, 8], [f(1920 * 1080), z(1280 * 800), 1920, 1080, 1280, 800])
    run("image", "integral_rows", [480], [256], [u8(640 * 480), z(640 * 480, "<u4"), 640, 480])
    run("image", "dct8x8_quant", [16, 64], [8, 8], [f(1024 * 512, 0, 255), z(1024 * 512, "<i2"), f(64, 1, 40, 2), 1024])
    run(
        "image",
        "histogram_equalize",
        [264],
        [256],
        [u8(w * h), z(w * h, "|u1"), ramp(256, 3600, "<u4"), w * h, 255 / (w * h)],
    )
    run("image", "guided_box", [10, 12], [128], [f(1280 * 720), z(1280 * 720), z(1280 * 720), 1280, 720, 8])
    # llm
    t, d = 64, 2048
    run(
        "llm",
        "rmsnorm_residual",
        [t],
        [256],
        [f(t * d, -1, 1, 1, "<f2"), f(t * d, -1, 1, 2, "<f2"), f(d, 0.5, 1.5, 3, "<f2"), z(t * d, "<f2"), d, 1e-5],
    )
    run(
        "llm",
        "rmsnorm_residual",
        [512],
        [256],
        [
            f(512 * 1024, -1, 1, 1, "<f2"),
            f(512 * 1024, -1, 1, 2, "<f2"),
            f(1024, 0.5, 1.5, 3, "<f2"),
            z(512 * 1024, "<f2"),
            1024,
            1e-5,
        ],
        tag=" prefill",
    )
    run(
        "llm",
        "gemv_q4",
        [512],
        [128],
        [
            i(2048 * 2048 // 8, -(2**31), 2**31 - 1, 1, "<i4"),
            f(2048 * 64, 0.01, 0.1, 2, "<f2"),
            f(2048, -1, 1, 3),
            z(2048),
            2048,
            2048,
        ],
    )
    run(
        "llm",
        "gemv_bf16",
        [1024],
        [128],
        [i(1024 * 1024, 0x3C00, 0x4000, 1, "<i2"), i(1024, 0x3C00, 0x4000, 2, "<i2"), z(1024), 1024],
    )
    run(
        "llm",
        "decode_attention",
        [16, 4],
        [128],
        [
            f(64 * 64, -1, 1, 1),
            f(64 * 384 * 64, -1, 1, 2, "<f2"),
            f(64 * 384 * 64, -1, 1, 3, "<f2"),
            z(64 * 64),
            16,
            384,
            0.125,
        ],
        shared=384 * 4,
    )
    run(
        "llm",
        "rope_qk",
        [128],
        [256],
        [f(128 * 16 * 64, -1, 1, 1), f(128 * 4 * 64, -1, 1, 2), ramp(128), 16, 4, 64, 10000.0],
    )
    run("llm", "softmax_topk", [32], [256], [f(32 * 8192, -5, 5), z(128), z(128, "<i4"), 8192])
    run("llm", "moe_count", [32], [256], [i(8192, 0, 64), z(64, "<i4"), z(8192, "<i4"), 8192, 64], shared=256)
    run(
        "llm",
        "embed_add",
        [512],
        [192],
        [i(512, 0, 5000), f(5000 * 768, -1, 1, 2), f(256 * 768, -1, 1, 3), z(512 * 768), 192, 256],
    )
    # physics
    run("physics", "lbm_d2q9", [4, 256], [128], [f(9 * 512 * 256, 0.05, 0.15), z(9 * 512 * 256), 512, 256, 1.2])
    run(
        "physics",
        "lbm_d2q9",
        [2, 128],
        [64],
        [f(9 * 128 * 128, 0.05, 0.15), z(9 * 128 * 128), 128, 128, 0.9],
        tag=" small",
    )
    run("physics", "heat3d", [4, 16], [32, 8], [f(128 * 128 * 48), z(128 * 128 * 48), 128, 128, 48, 0.1])
    rnd = random.Random(5)
    cells = [0]
    for _ in range(12**3):
        cells.append(cells[-1] + rnd.randint(8, 40))
    run(
        "physics",
        "lennard_jones_cells",
        [12**3],
        [64],
        [f(4 * cells[-1], 0, 12, 1), lst(cells), z(4 * cells[-1]), 12, 1.2],
    )
    run("physics", "nbody_tiles", [64], [128], [f(4 * 8192, -1, 1), z(4 * 8192), 2048])
    run(
        "physics",
        "pic_deposit",
        [up(100000, 256)],
        [256],
        [f(200000, 0, 255.9), f(100000, 0.5, 1, 2), z(256 * 256), 100000, 256, 256],
    )
    run(
        "physics",
        "thomas_batch",
        [32],
        [128],
        [
            f(4096 * 64, 0.1, 0.3, 1),
            f(4096 * 64, 2, 3, 2),
            f(4096 * 64, 0.1, 0.3, 3),
            f(4096 * 64, 0, 1, 4),
            z(4096 * 64),
            64,
            4096,
        ],
    )
    run(
        "physics",
        "fdtd_ez",
        [32, 64],
        [32, 16],
        [
            f(1025 * 1025, 0, 1, 1, "<f8"),
            f(1025 * 1025, 0, 1, 2, "<f8"),
            f(1025 * 1025, 0, 1, 3, "<f8"),
            u8(1025 * 1025, 0, 16),
            1024,
            1024,
        ],
    )
    n = 20000
    run(
        "physics",
        "sph_density",
        [up(n, 128)],
        [128],
        [f(4 * n, 0, 1), i(n * 32, 0, n, 2), i(n, 12, 33, 3), z(n), n, n, 0.05],
    )
    # data
    run(
        "data",
        "filter_compact",
        [1954],
        [256],
        [i(500000, 0, 1000), ramp(500000), z(500000, "<i4"), z(1, "<i4"), 500000, 200, 400],
    )
    run(
        "data",
        "filter_compact",
        [64],
        [512],
        [i(32768, 0, 1000), ramp(32768), z(32768, "<i4"), z(1, "<i4"), 32768, 100, 900],
        tag=" dense",
    )
    run("data", "hash_build", [196], [256], [i(50000, 0, 2**30, 1, "<u4"), z(131072, "<u4"), 50000, u32(131071)])
    run(
        "data",
        "hash_probe",
        [782],
        [256],
        [i(200000, 0, 2**20, 1, "<u4"), i(262144, 0, 3, 2, "<u4"), z(200000, "<u4"), 200000, u32(262143)],
    )
    run(
        "data",
        "group_by_sum",
        [132],
        [256],
        [i(400000, 0, 500), f(400000, 0, 1, 2), z(500), z(500, "<i4"), 400000, 500],
        shared=4000,
    )
    run("data", "binary_join", [391], [256], [i(100000, 0, 300000), ramp(100000, 3), z(100000, "<i4"), 100000, 100000])
    run("data", "radix_histogram", [98], [256], [i(400000, 0, 2**31 - 1, 1, "<u4"), z(256 * 98, "<u4"), 400000, 8])
    run("data", "utf8_check", [1024], [256], [u8(262144), z(1, "<i4"), 262144])
    run("data", "utf8_check", [2048], [128], [u8(262144, 32, 127), z(1, "<i4"), 262144], tag=" ascii")
    run("data", "base64_encode", [512], [256], [u8(3 * 131072), z(131072, "<u4"), 131072])
    run(
        "data",
        "edit_distance",
        [200],
        [128],
        [u8(200 * 128, 97, 101, 1), u8(200 * 128, 97, 101, 2), z(200, "<i4"), 128],
        shared=3 * 129 * 4,
    )
    run(
        "data", "crc32_blocks", [32], [128], [u8(4096 * 256), z(4096, "<u4"), i(256, 0, 2**31 - 1, 3, "<u4"), 4096, 256]
    )
    run("data", "chacha20", [256], [128], [z(32768 * 16, "<u4"), i(8, 0, 2**31 - 1, 1, "<u4"), u32(9), 32768])
    run("data", "bloom_insert", [391], [256], [i(100000, 0, 2**60, 1, "<i8"), z(65536, "<u4"), 100000, u32(65536)])
    # linear
    rows, ptr = 8192, [0]
    for _ in range(rows):
        ptr.append(ptr[-1] + min(200, int(rnd.paretovariate(1.3) * 8)))
    run(
        "linear",
        "csr_spmv_warp",
        [rows // 8],
        [256],
        [lst(ptr), i(ptr[-1], 0, rows, 2), f(ptr[-1], -1, 1, 3), f(rows, 0, 1, 4), z(rows), rows],
    )
    run(
        "linear",
        "ell_spmv",
        [128],
        [128],
        [
            i(16384 * 12, -2000, 16384, 1),
            f(16384 * 12, 0, 1, 2, "<f8"),
            f(16384, 0, 1, 3, "<f8"),
            z(16384, "<f8"),
            16384,
            12,
        ],
    )
    run(
        "linear",
        "gemm_tiled64",
        [8, 8],
        [256],
        [f(512 * 256, -1, 1, 1), f(256 * 512, -1, 1, 2), z(512 * 512), 512, 512, 256],
    )
    run(
        "linear",
        "gemm_tiled64",
        [16, 16],
        [256],
        [f(1024 * 128, -1, 1, 1), f(128 * 1024, -1, 1, 2), z(1024 * 1024), 1024, 1024, 128],
        tag=" wide",
    )
    run(
        "linear",
        "wmma_gemm",
        [8, 8],
        [128],
        [f(512 * 512, -1, 1, 1, "<f2"), f(512 * 512, -1, 1, 2, "<f2"), z(512 * 512), 512, 512, 512],
    )
    run(
        "linear",
        "batched_cholesky",
        [160],
        [128],
        [{"dtype": "<f4", "count": 160 * 32 * 32, "uniform": [0.5, 1.5], "seed": 3}, 32, 160],
        shared=4096,
    )
    run(
        "linear",
        "conjugate_update",
        [264],
        [256],
        [
            f(500000, 0, 1, 1),
            f(500000, 0, 1, 2),
            f(500000, 0, 1, 3),
            f(500000, 0, 1, 4),
            f(1, 1, 2, 5),
            f(1, 1, 2, 6),
            z(1),
            500000,
        ],
    )
    run("linear", "gram_schmidt_dots", [100], [256], [f(100 * 10000, -1, 1, 1), f(10000, -1, 1, 2), z(100), 10000])
    run("linear", "fft_radix4_pass", [256], [256], [f(2 * 262144, -1, 1), z(2 * 262144), 262144, 16])
    run("linear", "fft_radix4_pass", [64], [128], [f(2 * 32768, -1, 1), z(2 * 32768), 32768, 1], tag=" first")
    run("linear", "trsm_lower", [16], [128], [f(64 * 64, 1, 2, 1, "<f8"), f(64 * 2048, -1, 1, 2, "<f8"), 64, 2048])
    # misc
    v, gp = 30000, [0]
    for _ in range(v):
        gp.append(gp[-1] + min(300, int(rnd.paretovariate(1.4) * 3)))
    fr = rnd.sample(range(v), 3000)
    run(
        "misc",
        "bfs_push",
        [up(3000, 128)],
        [128],
        [lst(gp), i(gp[-1], 0, v, 2), z(v, "<i4", -1), lst(fr), z(v, "<i4"), z(1, "<i4"), 3000, 2],
    )
    run(
        "misc",
        "pagerank_pull",
        [up(v, 256)],
        [256],
        [lst(gp), i(gp[-1], 0, v, 3), f(v, 0, 1, 4), i(v, 1, 20, 5), z(v), v, 0.85],
    )
    run("misc", "union_find_hook", [up(40000, 256)], [256], [i(80000, 0, 30000, 1), ramp(30000), 40000])
    run(
        "misc",
        "triangle_count",
        [up(20000, 256)],
        [256],
        [ramp(4001, 16), ramp(64016, 3), i(40000, 0, 4000, 2), z(1, "<u8"), 20000],
    )
    run("misc", "asian_option", [128], [128], [z(16384), 16384, 64, 100.0, 100.0, 0.0001, 0.01, u32(1234)])
    run(
        "misc",
        "binomial_tree",
        [200],
        [256],
        [f(200, 80, 120, 1), f(200, 80, 120, 2), z(200), 200, 1.01, 0.51, 0.999],
        shared=1024,
    )
    run(
        "misc",
        "black_scholes_greeks",
        [391],
        [256],
        [
            f(100000, 80, 120, 1),
            f(100000, 80, 120, 2),
            f(100000, 0.2, 2, 3),
            z(100000),
            z(100000),
            z(100000),
            100000,
            0.02,
            0.3,
        ],
    )
    off = [0]
    for _ in range(4096):
        off.append(off[-1] + rnd.randint(30, 60))
    run(
        "misc",
        "smith_waterman",
        [64],
        [64],
        [u8(32, 65, 69, 1), u8(off[-1], 65, 69, 2), lst(off), z(4096, "<i4"), 32, 4096],
    )
    run("misc", "kmer_count", [up(200000, 256)], [256], [u8(200016, 65, 85, 1), z(4**9, "<u4"), 200000, 9])
    run(
        "misc",
        "ray_spheres",
        [20, 60],
        [16, 4],
        [f(4 * 24, -1.5, 1.5, 1) | {"uniform": [0.2, 1.5]}, z(320 * 240, "<u4"), 320, 240, 24],
    )
    run("misc", "game_of_life", [32, 128], [32, 8], [u8(1024 * 1024, 0, 2), z(1024 * 1024, "|u1"), 1024, 1024])
    run(
        "misc",
        "adam_step",
        [1954],
        [256],
        [
            f(500000, -1, 1, 1),
            f(500000, -1, 1, 2),
            f(500000, -1, 1, 3),
            f(500000, 0, 1, 4),
            500000,
            1e-3,
            0.9,
            0.999,
            0.1,
            0.001,
        ],
    )
    run(
        "misc",
        "conv_depthwise",
        [2, 7, 96],
        [32, 8],
        [f(96 * 56 * 56, -1, 1, 1), f(96 * 9, -1, 1, 2), z(96 * 56 * 56), 96, 56, 56],
    )
    run("misc", "batchnorm_stats", [64], [512], [f(8 * 64 * 784, -1, 1), z(64), z(64), 8, 64, 784])
    run(
        "misc",
        "kmeans_assign",
        [up(50000, 256)],
        [256],
        [f(50000 * 8, -1, 1, 1), f(16 * 8, -1, 1, 2), z(50000, "<i4"), 50000, 8, 16],
        shared=512,
    )
    run("misc", "bitonic_block", [128], [512], [i(131072, 0, 2**31 - 1, 1, "<u4"), 131072])
    run(
        "misc",
        "viterbi_step",
        [48],
        [64],
        [
            f(64 * 64, -3, 0, 1),
            f(64 * 16, -3, 0, 2),
            i(48 * 32, 0, 16, 3),
            z(48 * 64),
            z(48 * 32 * 64, "|u1"),
            64,
            16,
            32,
        ],
    )
    run("misc", "mandel_smooth", [16, 64], [32, 8], [z(512 * 512), 512, 512, -2.0, -1.25, 0.005, 200])
    run(
        "misc",
        "lstm_cell",
        [up(256 * 512, 256)],
        [256],
        [f(256 * 2048, -3, 3), f(256 * 512, -1, 1, 2), z(256 * 512), 512, 256],
    )
    run("misc", "haar_wavelet", [8, 512], [64], [f(512 * 1024), z(512 * 512), z(512 * 512), 512, 512])
    return out


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    compilers = {"nvcc": ["nvcc"], "ours": [sys.executable, "-m", "minicc", "-w"]}
    for variant, command in compilers.items():
        for source in SOURCES.glob("*.cu"):
            out = folder / f"{variant}_{source.stem}.cubin"
            subprocess.run([*command, "-arch=sm_90", "-cubin", str(source), "-o", str(out)], check=True)
        every = [{**p, "image": f"{variant}_{p['image']}"} for p in programs()]
        for k in range(PARTS):
            (folder / f"{variant}_{k:02d}.json").write_text(json.dumps(every[k::PARTS]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
