"""Make the image of all pieces, and tests/gpu/data/diverged.json of what an H200 did with them:

    python -m tests.gpu.diverged.record FOLDER            pieces.cubin and names.json
    python tests/gpu/diverged/run.py FOLDER/pieces.cubin COUNT OUT      (on the GPU's machine)
    python -m tests.gpu.diverged.record FOLDER OUT        the record

Of each piece: the error that it ended with, and its groups (`pieces.Group`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from tests.gpu.diverged.pieces import Piece, groups, image
from tests.gpu.diverged.table import others, parts, random, turns

SEEDS = 300
RECORD = Path(__file__).resolve().parents[1] / "data" / "diverged.json"


def pieces() -> dict[str, Piece]:
    """All of them by name."""
    return dict([*parts(), *turns(), *others()]) | {f"random {seed}": random(seed) for seed in range(SEEDS)}


def make(folder: Path) -> None:
    """Their image, whose kernels are numbered as the names."""
    folder.mkdir(parents=True, exist_ok=True)
    found = pieces()
    (folder / "pieces.cubin").write_bytes(image(found.values()))
    (folder / "names.json").write_text(json.dumps(list(found)))


def record(names: list[str], lines: list[str]) -> None:
    """Add what a run left to the record."""
    old = json.loads(RECORD.read_text()) if RECORD.exists() else {"pieces": {}}
    for line in lines:
        one = json.loads(line)
        notes = groups(np.frombuffer(bytes.fromhex(one["notes"]), np.uint32))
        old["pieces"][names[one["piece"]]] = [one["error"], notes]
        old |= {key: one[key] for key in ("device", "driver", "date")}
    head = ",\n".join(f"{json.dumps(key)}: {json.dumps(old[key])}" for key in ("device", "driver", "date"))
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(old['pieces'][name])}" for name in sorted(old["pieces"]))
    RECORD.write_text(f'{{\n{head},\n"pieces": {{\n{rows}\n}}}}\n')


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    if len(sys.argv) > 2:
        record(json.loads((folder / "names.json").read_text()), Path(sys.argv[2]).read_text().splitlines())
    else:
        make(folder)
