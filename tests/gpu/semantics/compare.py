"""Compares what the GPU answered with our semantics as they are now.

    python -m tests.gpu.semantics.compare CASES OUT [--show N] [TEXT ...]

Answers are computed anew, so that a corrected rule can be checked without another run. Exit status 1 if a word differs.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from tests.gpu.semantics.build import answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--show", type=int, default=4, help="differences printed per instruction")
    parser.add_argument("texts", nargs="*", help="only instructions that start with one of these")
    options = parser.parse_args()
    equal = wrong = missing = 0
    for path in sorted(options.cases.glob("q*.json")):
        case = json.loads(path.read_text())
        text: str = case["text"]
        if options.texts and not text.startswith(tuple(options.texts)):
            continue
        found = options.out / f"{path.stem}.arg1.bin"
        if not found.exists():
            print(f"{text}: no answer")
            missing += 1
            continue
        got = np.frombuffer(found.read_bytes(), np.uint32).reshape(-1, 4)
        words = np.frombuffer((options.cases / case["args"][0]["in"]).read_bytes(), np.uint32).reshape(-1, 8)
        want = answer(text, words)
        differ = np.argwhere(got != want)
        if not len(differ):
            equal += 1
            continue
        wrong += 1
        print(f"{text}: {len(differ)} words differ")
        for thread, word in differ[:: max(1, len(differ) // max(1, options.show))][: options.show]:
            name = ("R4", "R5", "P1", "P2")[word]
            operands = " ".join(f"{w:08x}" for w in words[thread, :7])
            print(f"    {name}: chip {got[thread, word]:08x}  ours {want[thread, word]:08x}  R8.. {operands}")
    print(f"{equal} equal, {wrong} differ, {missing} without an answer")
    return int(bool(wrong or missing))


if __name__ == "__main__":
    raise SystemExit(main())
