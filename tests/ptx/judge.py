"""NVIDIA's ptxas as the judge of many lines of PTX at once."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.conftest import PTXAS


def refused_by_nvidia(
    lines: list[str], folder: Path, module: Callable[[list[str]], str], start: int, height: int = 1, *options: str
) -> set[int]:
    """Which of the lines ptxas has an error for; it names many at a time, not all. `module` makes a text of some, of
    which the first is in line `start` + 1 at the earliest and each takes `height` lines; `options` are ptxas's."""
    left, bad = list(enumerate(lines)), set[int]()
    while left:
        (folder / "k.ptx").write_text(module([line for _, line in left]))
        command = [PTXAS, "-arch=sm_90a", *options, "k.ptx", "-o", "k.cubin"]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        found = {(int(n) - start) // height for n in re.findall(r"line (\d+); (?:error|fatal)", result.stderr)}
        if not found:
            assert result.returncode == 0, result.stderr
            break
        bad |= {left[n][0] for n in found}
        left = [item for n, item in enumerate(left) if n not in found]
    return bad
