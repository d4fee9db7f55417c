"""Run images of the samples on a GPU and record what came out: `python -m tests.gpu.record_samples IMAGES OUT`.

IMAGES holds a folder per variant (ours, nvcc, ...) of `<sample>.cubin`; kernels of the benches and the end-to-end tests
will do, too. For each, the kernel file's own `//!` script is run in a process of its own. OUT/samples.json records
device, driver and date, and for each image the hash of the cubin, of every input and output array, the checks with
their errors, and the time of each launch (median of several). Tests hold the SM model to these hashes.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import subprocess
import sys
from pathlib import Path

from tests.gpu.seen import seen

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = [ROOT / folder for folder in ("samples", "tests/bench/kernels", "tests/end_to_end/kernels")]
"""Where the `.k` of an image, and with it its script, is looked for."""


def _one(image: Path, repeats: int) -> dict[str, object]:
    """What one image of one sample did, as JSON-able data."""
    import numpy as np

    import runtime
    from minicc.diagnostics import CompileError, SourceFile
    from runtime import script

    path = next(path for folder in SOURCES if (path := folder / f"{image.stem}.k").exists())
    parsed = script.parse(SourceFile(path.name, path.read_text()))
    inputs: dict[str, str] = {}
    try:
        device = runtime.Device("cuda:0")
        module = device.load(image.read_bytes())
        times: list[list[float]] = []
        for repeat in range(repeats):
            row: list[float] = []

            def launch(kernel, grid, block, shared, args, row=row, first=repeat == 0):  # type: ignore[no-untyped-def]
                if first:
                    for i, arg in enumerate(args):
                        if isinstance(arg, np.ndarray):
                            inputs[f"{kernel} {i} {len(row)}"] = _hash(arg)
                result = module[kernel][grid, block, shared](*args)
                row.append(result.milliseconds)
                return result

            outcome = script.run(parsed, launch, lambda name, value: module.variable(name).write(value))
            times.append(row)
    except CompileError as error:
        return {"error": str(error)}
    return {
        "cubin": _hash_bytes(image.read_bytes()),
        "inputs": inputs,
        "outputs": {name: _hash(outcome.variables[name]) for name in outcome.outputs},
        "checks": [
            {
                "name": c.name,
                "ok": c.ok,
                "worst": c.worst,
                "worst_ulp": c.worst_ulp,
                "bound": c.bound,
                "free": c.free_order,
            }
            for c in outcome.checks
        ],
        "milliseconds": [statistics.median(column) for column in zip(*times, strict=True)],
    }


def run_once(image: Path) -> int:
    """The launches that the image's script asks for, checked; returns how many."""
    result = _one(image, 1)
    if "error" in result or not all(check["ok"] for check in result["checks"]):  # type: ignore[attr-defined]
        print(f"{image}: {result.get('error') or result['checks']}", file=sys.stderr)
    return len(result.get("milliseconds", []))  # type: ignore[arg-type]


def _hash(array) -> str:  # type: ignore[no-untyped-def]
    import numpy as np

    return _hash_bytes(np.ascontiguousarray(array).tobytes())


def _hash_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def main() -> None:
    if sys.argv[1] == "--one":
        print(json.dumps(_one(Path(sys.argv[2]), int(sys.argv[3]))))
        return
    images, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    results: dict[str, dict[str, object]] = {}
    record = {
        "schema": 1,
        **seen(),
        "command": "python -m tests.gpu.record_samples",
        "samples": results,
    }
    for folder in sorted(p for p in images.iterdir() if p.is_dir()):
        for image in sorted(folder.glob("*.cubin")):
            command = [sys.executable, "-m", "tests.gpu.record_samples", "--one", str(image), "7"]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
                text = done.stdout.strip().splitlines()
                result = json.loads(text[-1]) if done.returncode == 0 and text else {"error": done.stderr[-400:]}
            except subprocess.TimeoutExpired:
                result = {"error": "timeout"}
            results.setdefault(image.stem, {})[folder.name] = result
            state = "ERROR " + result["error"] if "error" in result else [c["ok"] for c in result["checks"]]
            print(f"{folder.name:8} {image.stem:18} {state}", flush=True)
            # After every image, so that a run that is cut short leaves what it has.
            (out / "samples.json").write_text(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
