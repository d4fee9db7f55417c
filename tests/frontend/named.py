"""What nvcc 13.0 names the kernels of the files in constructs/ and launches/, so that tests need not ask it.

`python -m tests.frontend.named` asks for those of files that have changed, and writes named.json.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from pathlib import Path

from tests.conftest import nvcc_makes
from tests.suites.results import unnamed

RECORD = Path(__file__).with_name("named.json")
FOLDERS = ("constructs", "launches")
FLAGS = {"constructs": ("--extended-lambda", "--expt-relaxed-constexpr"), "launches": ("--extended-lambda",)}
_KNOWN: dict[str, dict[str, list[str]]] = json.loads(RECORD.read_text()) if RECORD.exists() else {}


def standard(path: Path) -> str:
    """What a file says it is written for."""
    text = path.read_text()
    return text.split("std=")[1].split()[0] if text.startswith("// std=") else "c++17"


def names(path: Path) -> list[str]:
    """Sorted; of a file that is not recorded as it is now nvcc is asked (or the test skipped, where there is none)."""
    std = "c++20" if path.parent.name == "launches" else standard(path)
    digest = hashlib.sha256(std.encode() + path.read_bytes()).hexdigest()[:16]
    known = _KNOWN.setdefault(f"{path.parent.name}/{path.name}", {})
    if digest not in known:
        with tempfile.TemporaryDirectory() as folder:
            made = nvcc_makes(path, Path(folder) / "a.ptx", f"-std={std}", "-w", *FLAGS[path.parent.name]).decode()
        known.clear()
        known[digest] = sorted(unnamed(name) for name in re.findall(r"\.entry\s+([\w$]+)", made))
    return known[digest]


def main() -> None:
    for folder in FOLDERS:
        for path in sorted((Path(__file__).parent / folder).glob("*.cu")):
            names(path)
    lines = (f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(_KNOWN.items()))
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
