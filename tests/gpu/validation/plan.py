"""Launches of public suites' kernels, for validation: none of them was ever used to set a parameter of the model.

    python -m tests.gpu.validation.plan SUITES FOLDER

SUITES holds checkouts of `sgrauerg+polybenchGpu` and `yuhc+gpu-rodinia`. Their files are compiled where they lie, by
nvcc and by minicc, to FOLDER/nvcc_*.cubin and FOLDER/ours_*.cubin, and FOLDER/nvcc.json, FOLDER/ours.json say
what to launch on which data: the shapes that the suites' own host code uses, on smaller problems with made-up inputs.
Nothing of the suites is kept; only what was measured is (names, shapes, counters).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent.parent
PREFIX = """#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/time.h>
#define cudaThreadSynchronize cudaDeviceSynchronize"""
"""What host code of that age expects of its compiler, before each file."""
PREFIXES = {
    "bfs": "#define MAX_THREADS_PER_BLOCK 512\nstruct Node { int starting; int no_of_edges; };",
    "bfs2": "#define MAX_THREADS_PER_BLOCK 512",
    "huffman hist": "#define deviceOverlap asyncEngineCount",
    "cfd": "#define checkCudaErrors(x) x\n#define getLastCudaError(x)\nstruct StopWatchInterface;\n"
    "void sdkCreateTimer(StopWatchInterface**); void sdkStartTimer(StopWatchInterface**); "
    "void sdkStopTimer(StopWatchInterface**); float sdkGetAverageTimerValue(StopWatchInterface**);",
    "doitgen": "double rtclock();",
    "gaussian": "#define deviceOverlap asyncEngineCount\n#define clockRate warpSize",
}


def floats(count: int, low: float = 0.0, high: float = 1.0, seed: int = 1) -> dict[str, Any]:
    return {"dtype": "<f4", "count": count, "uniform": [low, high], "seed": seed}


def ints(count: int, low: int, high: int, seed: int = 1) -> dict[str, Any]:
    return {"dtype": "<i4", "count": count, "integers": [low, high], "seed": seed}


def up(a: int, b: int) -> int:
    return (a + b - 1) // b


def square(n: int, names: str) -> dict[str, Any]:
    return {name: floats(n * n, 0.5, 1.5, ord(name[0])) for name in names.split()}


def vectors(n: int, names: str) -> dict[str, Any]:
    return {name: floats(n, 0.5, 1.5, ord(name[0])) for name in names.split()}


def polybench() -> list[tuple[str, str, dict[str, int], dict[str, Any], list[Any]]]:
    """(name, file, sizes, buffers, launches); a launch is kernel, grid, block and arguments, in which a string is a
    buffer, an int an i32, a float an f32."""
    wide = [32, 8]

    def tiles(x: int, y: int) -> list[int]:
        return [up(x, 32), up(y, 8)]

    n, m = 1024, 512
    rows: list[Any] = []

    def add(name: str, file: str, sizes: dict[str, int], buffers: dict[str, Any], launches: list[Any]) -> None:
        rows.append((name, f"sgrauerg+polybenchGpu/CUDA/{file}", sizes, buffers, launches))

    add(
        "2dconv",
        "2DCONV/2DConvolution.cu",
        {"NI": n, "NJ": n},
        square(n, "A B"),
        [("convolution2D_kernel", tiles(n, n), wide, [n, n, "A", "B"])],
    )
    s = {"NI": 256, "NJ": 256, "NK": 256, "NL": 256}
    add(
        "2mm",
        "2MM/2mm.cu",
        s,
        square(256, "t A B C D"),
        [
            ("mm2_kernel1", tiles(256, 256), wide, [256] * 4 + [1.5, 0.5, "t", "A", "B"]),
            ("mm2_kernel2", tiles(256, 256), wide, [256] * 4 + [1.5, 0.5, "t", "C", "D"]),
        ],
    )
    s = {"NI": 8, "NJ": 256, "NK": 512}
    add(
        "3dconv",
        "3DCONV/3DConvolution.cu",
        s,
        {k: floats(8 * 256 * 512, seed=ord(k)) for k in "AB"},
        [("convolution3D_kernel", tiles(512, 256), wide, [8, 256, 512, "A", "B", 4])],
    )
    s = dict.fromkeys(("NI", "NJ", "NK", "NL", "NM"), 160)
    add(
        "3mm",
        "3MM/3mm.cu",
        s,
        square(160, "A B C D E F G"),
        [
            ("mm3_kernel1", tiles(160, 160), wide, [160] * 5 + ["A", "B", "E"]),
            ("mm3_kernel2", tiles(160, 160), wide, [160] * 5 + ["C", "D", "F"]),
        ],
    )
    add(
        "adi",
        "ADI/adi.cu",
        {"N": m, "TSTEPS": 1},
        square(m, "A B X"),
        [
            ("adi_kernel1", [2], [256], [m, "A", "B", "X"]),
            ("adi_kernel2", [2], [256], [m, "A", "B", "X"]),
            ("adi_kernel3", [2], [256], [m, "A", "B", "X"]),
            ("adi_kernel4", [2], [256], [m, "A", "B", "X", 7]),
            ("adi_kernel6", [2], [256], [m, "A", "B", "X", 7]),
        ],
    )
    add(
        "atax",
        "ATAX/atax.cu",
        {"NX": n, "NY": n},
        square(n, "A") | vectors(n, "x t y"),
        [
            ("atax_kernel1", [up(n, 32), 1], wide, [n, n, "A", "x", "t"]),
            ("atax_kernel2", [up(n, 32), 1], wide, [n, n, "A", "y", "t"]),
        ],
    )
    add(
        "bicg",
        "BICG/bicg.cu",
        {"NX": n, "NY": n},
        square(n, "A") | vectors(n, "r s p q"),
        [
            ("bicg_kernel1", [up(n, 256)], [256], [n, n, "A", "r", "s"]),
            ("bicg_kernel2", [up(n, 256)], [256], [n, n, "A", "p", "q"]),
        ],
    )
    b = {"d": floats(256 * 256), "m": floats(256, seed=2), "s": floats(256, 0.5, 1.0, 3), "y": floats(256 * 256)}
    add(
        "corr",
        "CORR/correlation.cu",
        {"M": 256, "N": 256},
        b,
        [
            ("mean_kernel", [1], [256], [256, 256, "m", "d"]),
            ("std_kernel", [1], [256], [256, 256, "m", "s", "d"]),
            ("reduce_kernel", tiles(256, 256), wide, [256, 256, "m", "s", "d"]),
            ("corr_kernel", [1], [256], [256, 256, "y", "d"]),
        ],
    )
    b = {"d": floats(2048 * 192), "m": floats(2048, seed=2), "y": floats(2048 * 2048)}
    add(
        "covar",
        "COVAR/covariance.cu",
        {"M": 2048, "N": 96},
        b,
        [
            ("mean_kernel", [8], [256], [2048, 96, "m", "d"]),
            ("reduce_kernel", tiles(2048, 96), wide, [2048, 96, "m", "d"]),
        ],
    )
    b = {"s": floats(128 * 128 * 4), "A": floats(128 * 128 * 4, seed=2), "C": floats(128 * 128, seed=3)}
    add(
        "doitgen",
        "DOITGEN/doitgen.cu",
        {"NR": 4, "NQ": 128, "NP": 128},
        b,
        [
            ("doitgen_kernel1", tiles(128, 128), wide, ["s", "A", "C", 1]),
            ("doitgen_kernel2", tiles(128, 128), wide, ["s", "A", "C", 1]),
        ],
    )
    b = {"f": floats(512)} | {k: floats((n + 1) * (n + 1), seed=ord(k)) for k in "xyz"}
    add(
        "fdtd2d",
        "FDTD-2D/fdtd2d.cu",
        {"NX": n, "NY": n, "TMAX": 500},
        b,
        [
            ("fdtd_step1_kernel", tiles(n, n), wide, [n, n, "f", "x", "y", "z", 3]),
            ("fdtd_step2_kernel", tiles(n, n), wide, [n, n, "x", "y", "z", 3]),
            ("fdtd_step3_kernel", tiles(n, n), wide, [n, n, "x", "y", "z", 3]),
        ],
    )
    add(
        "gemm",
        "GEMM/gemm.cu",
        {"NI": 384, "NJ": 256, "NK": 128},
        square(384, "A B C"),
        [("gemm_kernel", tiles(256, 384), wide, [384, 256, 128, 1.5, 0.5, "A", "B", "C"])],
    )
    add(
        "gemver",
        "GEMVER/gemver.cu",
        {"N": n},
        square(n, "A") | vectors(n, "v1 v2 u1 u2 x y z w"),
        [
            ("gemver_kernel1", tiles(n, n), wide, [n, 1.5, 0.5, "A", "v1", "v2", "u1", "u2"]),
            ("gemver_kernel2", [4], [256], [n, 1.5, 0.5, "A", "x", "y", "z"]),
            ("gemver_kernel3", [4], [256], [n, 1.5, 0.5, "A", "x", "w"]),
        ],
    )
    add(
        "gesummv",
        "GESUMMV/gesummv.cu",
        {"N": n},
        square(n, "A B") | vectors(n, "t x y"),
        [("gesummv_kernel", [4], [256], [n, 1.5, 0.5, "A", "B", "t", "x", "y"])],
    )
    add(
        "gramschmidt",
        "GRAMSCHM/gramschmidt.cu",
        {"NI": m, "NJ": m},
        square(m, "a r q"),
        [(f"gramschmidt_kernel{k}", [1 if k == 1 else 2], [256], [m, m, "a", "r", "q", 5]) for k in (1, 2, 3)],
    )
    add(
        "jacobi1d",
        "JACOBI1D/jacobi1D.cu",
        {"N": 262144, "TSTEPS": 10},
        vectors(262144, "A B"),
        [
            ("runJacobiCUDA_kernel1", [1024], [256], [262144, "A", "B"]),
            ("runJacobiCUDA_kernel2", [1024], [256], [262144, "A", "B"]),
        ],
    )
    add(
        "jacobi2d",
        "JACOBI2D/jacobi2D.cu",
        {"N": n, "TSTEPS": 10},
        square(n, "A B"),
        [
            ("runJacobiCUDA_kernel1", tiles(n, n), wide, [n, "A", "B"]),
            ("runJacobiCUDA_kernel2", tiles(n, n), wide, [n, "A", "B"]),
        ],
    )
    add(
        "lu",
        "LU/lu.cu",
        {"N": n},
        square(n, "A"),
        [
            ("lu_kernel1", [4], [256], [n, "A", 5]),
            ("lu_kernel2", tiles(n - 6, n - 6), wide, [n, "A", 5]),
            ("lu_kernel2", tiles(400, 400), wide, [n, "A", 623]),
        ],
    )
    add(
        "mvt",
        "MVT/mvt.cu",
        {"N": 2048},
        square(2048, "a") | vectors(2048, "x1 x2 y1 y2"),
        [("mvt_kernel1", [64], wide, [2048, "a", "x1", "y1"]), ("mvt_kernel2", [64], wide, [2048, "a", "x2", "y2"])],
    )
    add(
        "syr2k",
        "SYR2K/syr2k.cu",
        {"NI": 192, "NJ": 192},
        square(192, "a b c"),
        [("syr2k_kernel", tiles(192, 192), wide, [192, 192, 1.5, 0.5, "a", "b", "c"])],
    )
    add(
        "syrk",
        "SYRK/syrk.cu",
        {"NI": 256, "NJ": 128},
        square(256, "a c"),
        [("syrk_kernel", tiles(256, 256), wide, [256, 128, 1.5, 0.5, "a", "c"])],
    )
    return rows


def rodinia() -> list[tuple[str, str, dict[str, int], dict[str, Any], list[Any]]]:
    """As `polybench`."""
    rows: list[Any] = []
    n = 1024

    def add(name: str, file: str, buffers: dict[str, Any], launches: list[Any]) -> None:
        rows.append((name, f"yuhc+gpu-rodinia/cuda/{file}", {}, buffers, launches))

    tail = [0.5, 0.1, 0.1, 0.3, 0.001, 0.001]
    b = {"p": floats(512 * 512), "t": floats(512 * 512, 300, 340, 2), "u": floats(512 * 512)}
    add(
        "hotspot",
        "hotspot/hotspot.cu",
        b,
        [("calculate_temp", [43, 43], [16, 16], [2, "p", "t", "u", 512, 512, 2, 2, *tail])],
    )
    b = {"w": ints(100000 * 21, 0, 10), "s": ints(100000, 0, 10, 2), "r": ints(100000, 0, 1)}
    add(
        "pathfinder",
        "pathfinder/pathfinder.cu",
        b,
        [("dynproc_kernel", [up(100000, 216)], [256], [20, "w", "s", "r", 100000, 21, 0, 20])],
    )
    b = {"r": ints(1025 * 1025, -4, 5), "m": ints(1025 * 1025, -50, 50, 2)}
    add(
        "nw",
        "nw/needle_kernel.cu",
        b,
        [
            ("needle_cuda_shared_1", [48], [16], ["r", "m", 1025, 10, 48, 64]),
            ("needle_cuda_shared_2", [60], [16], ["r", "m", 1025, 10, 60, 64]),
        ],
    )
    add(
        "lud",
        "lud/cuda/lud_kernel.cu",
        {"m": floats(512 * 512, 1, 2)},
        [
            ("lud_diagonal", [1], [16], ["m", 512, 64]),
            ("lud_perimeter", [27], [32], ["m", 512, 64]),
            ("lud_internal", [27, 27], [16, 16], ["m", 512, 64]),
        ],
    )
    hidden, inputs = 16, 16384
    b = {
        "i": floats(inputs + 1),
        "o": floats(hidden + 1),
        "w": floats((inputs + 1) * (hidden + 1)),
        "h": floats(inputs * hidden // 16 + 64),
        "d": floats(hidden + 1),
        "v": floats((inputs + 1) * (hidden + 1)),
    }
    add(
        "backprop",
        "backprop/backprop_cuda_kernel.cu",
        b,
        [
            ("bpnn_layerforward_CUDA", [1, inputs // 16], [16, 16], ["i", "o", "w", "h", inputs, hidden]),
            ("bpnn_adjust_weights_cuda", [1, inputs // 16], [16, 16], ["d", hidden, "i", inputs, "w", "v"]),
        ],
    )
    b = {k: floats(512 * 512 + 16384, 0.1, 1, ord(k)) for k in "ewnsJC"}
    images = [f"{k}+32768" for k in "ewnsJC"]  # it reads a row before and a row behind
    add(
        "srad_v2",
        "srad/srad_v2/srad_kernel.cu",
        b,
        [
            ("srad_cuda_1", [32, 32], [16, 16], [*images, 512, 512, 0.05]),
            ("srad_cuda_2", [32, 32], [16, 16], [*images, 512, 512, 0.5, 0.05]),
        ],
    )
    nodes = 65536
    b = {
        "g": {"dtype": "<i8", "count": nodes, "ramp": [6 << 32, 6]},
        "e": ints(6 * nodes, 0, nodes),
        "k": {"bytes": nodes, "value": 1},
        "u": {"bytes": nodes},
        "v": {"dtype": "<i1", "count": nodes, "integers": [0, 2]},
        "c": ints(nodes, 0, 9),
        "o": {"bytes": 64},
    }
    add("bfs", "bfs/kernel.cu", b, [("Kernel", [128], [512], ["g", "e", "k", "u", "v", "c", nodes])])
    add("bfs2", "bfs/kernel2.cu", b, [("Kernel2", [128], [512], ["v", "v", "u", "o", nodes])])
    b = {k: floats(512 * 512 * 8, 300, 340, ord(k)) for k in "pto"}
    add(
        "hotspot3d",
        "hotspot3D/opt1.cu",
        b,
        [("hotspotOpt1", [8, 128], [64, 4], ["p", "t", "o", 0.1, 512, 512, 8, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.4])],
    )
    b = {"l": floats(2 * 262144, 0, 90), "d": floats(262144)}
    add("nn", "nn/nn_cuda.cu", b, [("euclid", [1024], [256], ["l", "d", 262144, 30.0, 90.0])])
    b = {"m": floats(n * n), "a": floats(n * n, 1, 2, 2), "b": floats(n)}
    add(
        "gaussian",
        "gaussian/gaussian.cu",
        b,
        [("Fan1", [2], [512], ["m", "a", n, 3]), ("Fan2", [256, 256], [4, 4], ["m", "a", "b", n, n - 3, 3])],
    )
    b = {"b": {"dtype": "<u1", "count": 1 << 20, "integers": [0, 256]}, "h": {"bytes": 1024}}
    add("huffman hist", "huffman/hist.cu", b, [("histo_kernel", [264], [256], ["b", {"i64": 1 << 20}, "h"])])
    nelr = 97152
    b = {
        "v": floats(nelr * 5, 1, 2),
        "a": floats(nelr, 1, 2),
        "s": floats(nelr),
        "o": floats(nelr * 5, 1, 2),
        "f": floats(nelr * 5),
    }
    add(
        "cfd",
        "cfd/euler3d.cu",
        b | {"e": ints(nelr * 4, 0, nelr), "n": floats(nelr * 12)},
        [
            ("cuda_compute_step_factor", [up(nelr, 192)], [192], [nelr, "v", "a", "s"]),
            ("cuda_time_step", [up(nelr, 192)], [192], [1, nelr, "o", "v", "s", "f"]),
            ("cuda_compute_flux", [up(nelr, 192)], [192], [nelr, "e", "n", "v", "f"]),
        ],
    )
    b = {
        "i": ints(1024 * 1024, 0, 256),
        "o": ints(1024 * 1024, 0, 1),
        "s": {"dtype": "<u1", "count": 3 << 20, "integers": [0, 256]},
        "r": ints(1 << 20, 0, 1),
        "g": ints(1 << 20, 0, 1),
        "b": ints(1 << 20, 0, 1),
    }
    add(
        "dwt2d",
        "dwt2d/dwt_cuda/fdwt53.cu",
        b,
        [("_ZN8dwt_cuda12fdwt53KernelILi128ELi8EEEvPKiPiiii", [8, 16], [128], ["i", "o", 1024, 1024, 8])],
    )
    return rows


def kernels(image: Path) -> list[str]:
    """The kernels of a cubin, by their sections."""
    return sorted({m.decode() for m in re.findall(rb"\.text\.([\w$.]+)\0", image.read_bytes())})


def argument(value: Any) -> Any:
    if isinstance(value, str | dict):
        return value
    return {"i32": value} if isinstance(value, int) else {"f32": value}


def compile_image(command: list[str], image: Path) -> str | None:
    """What went wrong, if anything."""
    done = subprocess.run([*command, "-o", str(image)], capture_output=True, text=True)
    return None if done.returncode == 0 and image.exists() else (done.stderr or done.stdout).strip()[-300:]


def main() -> None:
    suites, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for header in ("helper_cuda.h", "helper_timer.h"):
        (folder / header).write_text("")
    plans: dict[str, list[Any]] = {"nvcc": [], "ours": []}
    for suite, table in (("polybench", polybench()), ("rodinia", rodinia())):
        for name, file, sizes, buffers, rows in table:
            source = suites / file
            defines = [f"#define {k} {v}" for k, v in sizes.items()] + (
                ["#define N 1"] if sizes and "N" not in sizes else []
            )
            wrapper = folder / f"{name.replace(' ', '_')}.cu"
            wrapper.write_text("\n".join([PREFIX, PREFIXES.get(name, ""), *defines, f'#include "{source}"', ""]))
            common = ["-arch=sm_90", "-cubin", "-w", f"-I{folder}", f"-I{source.parent}", str(wrapper)]
            for variant, command in (("nvcc", ["nvcc", *common]), ("ours", [sys.executable, "-m", "minicc", *common])):
                image = folder / f"{variant}_{name.replace(' ', '_')}.cubin"
                error = compile_image(command, image)
                if error:
                    print(f"{variant} {name}: {error}")
                    continue
                known = kernels(image)
                launches = []
                for kernel, grid, block, args in rows:
                    full = next(
                        (
                            k
                            for k in known
                            if k == kernel
                            or re.match(rf"(_Z)?(\d+)?{kernel}(?![a-z0-9])|_Z\d+{kernel}(?=[PifmlS]|$)", k)
                        ),
                        None,
                    )
                    if full is None:
                        print(f"{variant} {name}: no {kernel} in {known}")
                        continue
                    launches.append(
                        {
                            "label": f"{kernel} {grid} {block}",
                            "kernel": full,
                            "grid": grid,
                            "block": block,
                            "args": [argument(a) for a in args],
                        }
                    )
                plans[variant].append(
                    {"name": f"{suite}/{name}", "image": image.name, "buffers": buffers, "launches": launches}
                )
    for variant, programs in plans.items():
        (folder / f"{variant}.json").write_text(json.dumps(programs))
        print(variant, len(programs), sum(len(p["launches"]) for p in programs))


if __name__ == "__main__":
    main()
