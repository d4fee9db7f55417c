#!/usr/bin/env python3
"""Judge the outputs of the latency cases: `python check_results.py OUT`. Standard library only.

Prints a line a case; exit status 1 if any is not as it must be: every thread right at the table's distance, and some
thread wrong one cycle below it.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import BLOCK, CASES, GRID


def check(folder: Path) -> int:
    """0 if all is well."""
    bad = 0
    for case in CASES:
        line = f"{case.name:18}"
        for kind in ("ok", "short"):
            path = folder / f"{case.name}.{kind}.arg0.bin"
            if not path.exists():
                line += f"  {kind}: missing"
                bad += 1
                continue
            words = struct.unpack(f"<{GRID * BLOCK}I", path.read_bytes()[: 4 * GRID * BLOCK])
            right = sum(w == case.right for w in words)
            good = right == len(words) if kind == "ok" else right < len(words)
            other = next((w for w in words if w != case.right), None)
            line += f"  {kind}: {'as it must be' if good else 'WRONG'} ({right}/{len(words)} right"
            line += f", else {other:#x})" if other is not None else ")"
            bad += not good
        print(line)
    print(f"{len(CASES)} cases, {bad} not as they must be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(check(Path(sys.argv[1])))
