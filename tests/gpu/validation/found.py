"""Launches of kernels that nobody here has looked at, with made-up arguments: a blind set.

    python -m tests.gpu.validation.found CUBINS FOLDER

CUBINS holds `nvcc_<program>.cubin` and `ours_<program>.cubin` of others' programs (HeCBench's files that compile by
themselves). Of each program up to two kernels are taken whose parameters are pointers and numbers: a pointer gets four
megabytes of values of its type, a number something that suits how many there are. Grid, block and numbers are drawn by
a hash of the kernel's name; what the model says faults, does nothing or takes long is drawn again, a few times. What is
left is what the model and a GPU can both run, and is written to FOLDER/nvcc.json, FOLDER/ours.json in parts that end
with the process if a GPU disagrees.

`half(name)` splits the programs: "open" ones may be looked at while the model gets better; "closed" ones are only
counted, at the end.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.gpu import programs
from tests.gpu.compare import CYCLES
from tests.gpu.validation.plan import kernels

BYTES = 4 << 20
POINTERS: dict[str, dict[str, Any]] = {
    "float": {"dtype": "<f4", "uniform": [0.5, 1.5]},
    "float2": {"dtype": "<f4", "uniform": [0.5, 1.5]},
    "float3": {"dtype": "<f4", "uniform": [0.5, 1.5]},
    "float4": {"dtype": "<f4", "uniform": [0.5, 1.5]},
    "double": {"dtype": "<f8", "uniform": [0.5, 1.5]},
    "__half": {"dtype": "<f2", "uniform": [0.5, 1.5]},
    "__half2": {"dtype": "<f2", "uniform": [0.5, 1.5]},
    "int": {"dtype": "<i4", "integers": [0, 1000]},
    "int4": {"dtype": "<i4", "integers": [0, 1000]},
    "int2": {"dtype": "<i4", "integers": [0, 1000]},
    "unsigned int": {"dtype": "<u4", "integers": [0, 1000]},
    "long": {"dtype": "<i8", "integers": [0, 1000]},
    "long long": {"dtype": "<i8", "integers": [0, 1000]},
    "unsigned long": {"dtype": "<u8", "integers": [0, 1000]},
    "unsigned long long": {"dtype": "<u8", "integers": [0, 1000]},
    "short": {"dtype": "<i2", "integers": [0, 1000]},
    "unsigned short": {"dtype": "<u2", "integers": [0, 1000]},
    "char": {"dtype": "<u1", "integers": [0, 100]},
    "signed char": {"dtype": "<u1", "integers": [0, 100]},
    "unsigned char": {"dtype": "<u1", "integers": [0, 200]},
    "uchar4": {"dtype": "<u1", "integers": [0, 200]},
    "bool": {"dtype": "<u1", "integers": [0, 2]},
}
NUMBERS = {
    "int": "i32",
    "unsigned int": "u32",
    "long": "i64",
    "unsigned long": "u64",
    "long long": "i64",
    "unsigned long long": "u64",
}
REALS = {"float": "f32", "double": "f64"}
SIZES = ((1 << 18, 1 << 16, 1 << 20, 1000), (512, 1024, 256, 100), (64, 128, 32, 256), (32, 16, 64, 8))
"""Integers of a kernel with one, two, three or more of them."""
BLOCKS = (256, 128, 512, 256, 64, 1024, 192, 256)
GRIDS = (528, 1024, 264, 1500, 132, 4096, 64, 300)
TRIES = 6
LEAST, MOST = 3800, 400_000
"""Cycles of a launch that is worth measuring."""


def half(name: str) -> str:
    """Which half of the set a program belongs to."""
    return "closed" if hashlib.sha256(name.split("/")[1].encode()).digest()[0] & 1 else "open"


def number(*words: Any) -> int:
    return int.from_bytes(hashlib.sha256(repr(words).encode()).digest()[:4], "little")


def parameters(text: str) -> list[str] | None:
    """The types of a demangled kernel's parameters, or None if one of them is not known here."""
    found = re.search(r"\(([^()]*)\)$", text)
    if found is None:
        return None
    types = [t.strip() for t in found[1].split(",")] if found[1].strip() else []
    out = []
    for t in types:
        bare = re.sub(r"\b(const|volatile|__restrict__)\b|\[.*\]", "", t).replace(" &", "").strip()
        base = bare.rstrip("* ").strip()
        if bare.endswith("**") or bare.endswith("* *"):
            return None
        if bare.endswith("*"):
            if base not in POINTERS:
                return None
        elif base not in NUMBERS and base not in REALS and base != "bool":
            return None
        out.append(base + "*" if bare.endswith("*") else base)
    return out


def draw(name: str, kernel: str, types: list[str], code: str, attempt: int) -> dict[str, Any]:
    """A launch of a kernel. `code` is its disassembly."""
    seed = number(name, kernel)
    whole = sum(t in NUMBERS for t in types)
    size = SIZES[min(max(whole, 1), 4) - 1][(seed + attempt) % 4]
    flat = ("SR_TID.Y" not in code) and ("SR_CTAID.Y" not in code)
    block = BLOCKS[(seed >> 4) % 8 if attempt < 4 else 0]
    grid = GRIDS[((seed >> 8) + attempt) % 8]
    shape: list[int] = [block]
    if "SR_TID.Y" in code:
        shape = [32, max(block // 32, 1)] if seed >> 12 & 1 else [16, max(block // 16, 1)]
    cells = [grid]
    if not flat and "SR_CTAID.Y" in code:
        across = 1 << (seed >> 13) % 4 + 2
        cells = [across, max(grid // across, 1)]
    if "SR_CTAID.Z" in code:
        cells = [*[*cells, 1][:2], 2]
    args: list[Any] = []
    buffers: dict[str, Any] = {}
    for n, t in enumerate(types):
        if t.endswith("*"):
            spec = POINTERS[t[:-1]]
            width = int(spec["dtype"][-1])
            buffers[f"b{n}"] = {**spec, "count": BYTES // width, "seed": n + 1}
            args.append(f"b{n}")
        elif t in NUMBERS:
            args.append({NUMBERS[t]: size})
        elif t == "bool":
            args.append({"bytes": "01"})
        else:
            args.append({REALS[t]: 0.75})
    label = f"{kernel[:40]} {cells} {shape}"
    launch = {"label": label, "kernel": kernel, "grid": cells, "block": shape, "args": args}
    return {"name": name, "image": "", "buffers": buffers, "launches": [launch]}


def runs(program: dict[str, Any], folder: Path) -> float:
    """Cycles on the model, or 0 if it faults."""
    import runtime

    try:
        results, _ = programs.on_model(
            program, folder, hazards="off", memory=1 << 28, cycle_limit=1_000_000, instruction_limit=4_000_000
        )
    except (runtime.DeviceError, ValueError, KeyError, OverflowError):
        return 0
    return float(results[0].cycles)


def disassembly(image: Path) -> dict[str, str]:
    """Text of each kernel of a cubin."""
    done = subprocess.run(
        [sys.executable, "-m", "minicc", "objdump", "-sass", "-raw", str(image)], capture_output=True, text=True
    )
    parts = re.split(r"Function : ([\w$.]+)", done.stdout)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def main() -> None:
    cubins, folder = Path(sys.argv[1]), Path(sys.argv[2])
    budget = float(sys.argv[3]) if len(sys.argv) > 3 else 600
    folder.mkdir(parents=True, exist_ok=True)
    plans: dict[str, list[Any]] = {"nvcc": [], "ours": []}
    began = time.monotonic()
    images = sorted(cubins.glob("nvcc_*.cubin"), key=lambda p: hashlib.sha256(p.name.encode()).digest())
    for image in images:
        if time.monotonic() - began > budget:
            break
        other = cubins / image.name.replace("nvcc_", "ours_")
        if not other.exists():
            continue
        both = [k for k in kernels(image) if k in kernels(other)]
        texts = subprocess.run(["c++filt"], input="\n".join(both), capture_output=True, text=True).stdout.splitlines()
        candidates = [(k, parameters(t)) for k, t in zip(both, texts, strict=True)]
        candidates = [(k, p) for k, p in candidates if p is not None and any(t.endswith("*") for t in p)]
        candidates.sort(key=lambda c: number(image.name, c[0]))
        code = disassembly(image)
        taken = 0
        for kernel, types in candidates[:4]:
            if taken == 2:
                break
            for attempt in range(TRIES):
                program = draw(f"hec/{image.stem[5:]}", kernel, types or [], code.get(kernel, ""), attempt)
                cycles = [runs({**program, "image": i.name}, cubins) for i in (image, other)]
                if all(LEAST < c < MOST for c in cycles):
                    for variant, file in (("nvcc", image), ("ours", other)):
                        shutil.copy(file, folder)
                        plans[variant].append({**program, "image": file.name})
                    taken += 1
                    print(f"{program['name']} {program['launches'][0]['label']} {cycles}", flush=True)
                    break
        for variant, rows in plans.items():
            (folder / f"{variant}.json").write_text(json.dumps(rows))
    print({v: len(rows) for v, rows in plans.items()}, CYCLES)


if __name__ == "__main__":
    main()
