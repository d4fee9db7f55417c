"""Do our ptxas and NVIDIA's agree on what a PTX file computes? `tests/suites/ptx_results.py FILE.ptx...`

Each kernel whose parameters are pointers and numbers runs on the SM model, as NVIDIA's ptxas compiled it and as ours
did, with the same made-up inputs: large buffers of floats, or of small integers, for pointers, small numbers for
scalars. Neither fuses mul and add, since which of two products joins a sum is each compiler's choice. Where NVIDIA's
code faults on such input the kernel is left out. Differences are printed; a kernel with races (as many have where
--threads is not what they were written for) may differ rightly.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from minicc import arch, binary, ptx, ptxas
from minicc.diagnostics import CompileError, SourceFile
from minicc.ptx import model
from minicc.ptxas.options import Options

BYTES = 1 << 22
BLOCKS = 3
SCALARS = {
    "u8": np.uint8, "s8": np.int8, "b8": np.uint8, "u16": np.uint16, "s16": np.int16, "b16": np.uint16,
    "u32": np.uint32, "s32": np.int32, "b32": np.uint32, "f32": np.float32, "f64": np.float64,
    "u64": np.uint64, "s64": np.int64, "b64": np.uint64,
}  # fmt: skip


def buffer(kind: str, seed: int) -> np.ndarray[Any, Any]:
    """BYTES of inputs: "int" small integers, "f32" and "f64" floats between 0.5 and 2."""
    rng = np.random.default_rng(seed)
    if kind == "int":
        return rng.integers(0, 12, BYTES // 4).astype(np.int32)
    return rng.uniform(0.5, 2, BYTES // (4 if kind == "f32" else 8)).astype(
        kind.replace("f32", "f4").replace("f64", "f8")
    )


def arguments(function: model.Function, kind: str, text: str) -> list[Any] | None:
    """Made-up arguments; None if a parameter is an aggregate."""
    out: list[Any] = []
    for k, param in enumerate(function.params):
        if param.dims:
            return None
        name = re.escape(param.name)
        pointer = param.type.endswith("64") and param.type != "f64"
        if pointer and re.search(rf"ld\.param\.[us b]*64\s+(%rd\d+), \[{name}\]", text):
            out.append(buffer(kind, k))
        else:
            out.append(SCALARS[param.type](1.25 if param.type[0] == "f" else (16, 8, 3, 5)[k % 4]))
    return out


def plain_names(text: str) -> str:
    """Kernels get names that are no C++ ones, so that nothing is known of their parameters' types."""
    for k, name in enumerate(dict.fromkeys(re.findall(r"\.entry\s+([\w$]+)\s*\(", text))):
        text = re.sub(rf"(?<![\w$]){re.escape(name)}(?![\w$])", f"kernel_{k}", text)
    return text


def kernel_text(text: str, name: str) -> str:
    at = text.find(f".entry {name}(")
    end = text.find(".entry ", at + 1)
    return text[at : end if end > 0 else len(text)]


def compare(file: Path, theirs: bytes, ours: bytes, parsed: model.Module, text: str, threads: int) -> Counter[str]:
    import runtime

    found: Counter[str] = Counter()
    make: Any = runtime.Device
    for function in parsed.functions:
        if not function.entry or function.body is None:
            continue
        own = kernel_text(text, function.name)
        floats = "f64" if own.count(".f64") > own.count(".f32") else "f32"
        for kind in ("int", floats):
            given = arguments(function, kind, own)
            if given is None:
                found["aggregate parameter"] += 1
                break
            results: list[list[bytes] | str] = []
            for image in (theirs, ours):
                copies = [a.copy() if isinstance(a, np.ndarray) else a for a in given]
                try:
                    device = make("sm_90", timing=False)
                    loaded = device.load(image)
                    loaded[function.name][(BLOCKS,), (threads,), 4096](*copies)
                    results.append([a.tobytes() for a in copies if isinstance(a, np.ndarray)])
                except Exception as error:  # any failure of the model is a result here
                    results.append(f"{type(error).__name__}: {str(error).splitlines()[0][:120]}")
                if isinstance(results[0], str):
                    break
            if isinstance(results[0], str):
                found["faults"] += 1
            elif isinstance(results[1], str):
                found["DIFFERS"] += 1
                print(f"{file.name}: {function.name} ({kind}): {results[1]}")
            elif results[0] != results[1]:
                found["DIFFERS"] += 1
                where = [
                    (k, sum(x != y for x, y in zip(a, b, strict=True)))
                    for k, (a, b) in enumerate(zip(results[0], results[1], strict=True))
                    if a != b
                ]
                print(f"{file.name}: {function.name} ({kind}): buffers differ (buffer, bytes): {where}")
            else:
                found["agrees"] += 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--threads", type=int, default=64)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for file in options.files:
        if not options.one:
            command = [sys.executable, __file__, "--one", "--threads", str(options.threads), str(file)]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
            except subprocess.TimeoutExpired:
                total["timeout"] += 1
                continue
            for line in done.stdout.splitlines():
                if line.startswith("#"):
                    name, _, count = line[1:].rpartition(" ")
                    total[name] += int(count)
                else:
                    print(line, flush=True)
            if done.returncode:
                total["crashed"] += 1
                print(f"{file.name}: {done.stderr.strip().splitlines()[-1:]}")
            continue
        text = plain_names(file.read_text())
        parsed = ptx.parse(SourceFile(str(file), text))
        try:
            ours = binary.write_cubin(ptxas.assemble(parsed, arch.get("sm_90"), Options(fmad=False)))
        except CompileError as error:
            print(f"{file.name}: {str(error).splitlines()[0]}")
            return 0
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "theirs.cubin"
            renamed = Path(folder) / "renamed.ptx"
            renamed.write_text(text)
            command = [shutil.which("ptxas") or "ptxas", "-arch=sm_90", "-fmad=false", str(renamed), "-o", str(out)]
            if subprocess.run(command, capture_output=True).returncode:
                print("#rejected by ptxas 1")
                return 0
            theirs = out.read_bytes()
        for name, count in compare(file, theirs, ours, parsed, text, options.threads).items():
            print(f"#{name} {count}")
    if not options.one:
        print(dict(total))
    return 0


if __name__ == "__main__":
    sys.exit(main())
