"""Make tests/gpu/data/together.json of what together.cu left: python -m tests.gpu.together.record OUT JSON.

Of each experiment and round: what was launched, and of each launch the cycles (of 1,980 MHz, from the global timer's 32
ns) from the first begin of any CTA to the first and last begin and end of its own, and on how many SMs it was.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

CYCLES = 1.98
"""Of a nanosecond."""
LAUNCH, _, SM, CLOCK, _, BEGIN, END, WAITED = range(8)


def summary(rows: Any, count: int) -> list[dict[str, Any]]:
    """Of each of `count` launches: see above."""
    origin, out = rows[:, BEGIN].min(), []
    for launch in range(count):
        own = rows[rows[:, LAUNCH] == launch]
        begins, ends = ((own[:, k] - origin) * CYCLES for k in (BEGIN, END))
        one = {"begin": [begins.min(), begins.max()], "end": [ends.min(), ends.max()]}
        if own[:, WAITED].any():
            waited = own[:, WAITED] - own[:, CLOCK] + begins
            one["waited"] = [waited.min(), waited.max()]
        out.append({key: [round(x) for x in pair] for key, pair in one.items()} | {"sms": len(np.unique(own[:, SM]))})
    return out


def main(source: Path, target: Path) -> None:
    rows = np.fromfile(f"{source}.bin", np.int64).reshape(-1, 8)
    experiments: dict[str, Any] = {}
    for one in json.loads(Path(f"{source}.json").read_text()):
        part = rows[one["first"] : one["first"] + one["rows"]].copy()
        # Some experiments leave launches out.
        part[:, LAUNCH] = np.unique(part[:, LAUNCH], return_inverse=True)[1]
        entry = experiments.setdefault(one["name"], {"launches": one["launches"], "rounds": []})
        entry["rounds"].append(summary(part, len(one["launches"])))
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in experiments.items()]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
