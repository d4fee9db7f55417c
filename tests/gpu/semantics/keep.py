"""Keeps a part of a GPU's answers as a golden file for the tests.

    python -m tests.gpu.semantics.keep CASES OUT tests/runtime/device/sm/execute/data/chip.npz

Three warps of each question: their inputs by kind, and what the chip stored.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

WARPS = (0, 13, 70)
"""Warps kept: two of edge cases, one of random or near values."""


def rows() -> np.ndarray:
    return np.concatenate([np.arange(32 * w, 32 * w + 32) for w in WARPS])


def main() -> int:
    cases, out, target = (Path(a) for a in sys.argv[1:4])
    texts, kinds, answers = [], [], []
    inputs: dict[str, np.ndarray] = {}
    for path in sorted(cases.glob("q*.json")):
        case = json.loads(path.read_text())
        found = out / f"{path.stem}.arg1.bin"
        if not found.exists():
            continue
        kind = Path(case["args"][0]["in"]).stem
        words = np.frombuffer((cases / f"{kind}.bin").read_bytes(), np.uint32).reshape(-1, 8)
        inputs[f"in_{kind}"] = words[rows()]
        texts.append(case["text"])
        kinds.append(kind)
        answers.append(np.frombuffer(found.read_bytes(), np.uint32).reshape(-1, 4)[rows()])
    np.savez_compressed(target, texts=np.array(texts), kinds=np.array(kinds), answers=np.array(answers), **inputs)
    print(f"{len(texts)} instructions, {target.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
