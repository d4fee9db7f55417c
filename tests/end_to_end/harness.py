"""Run a kernel file's script against any image of it, on the SM model."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import minicc
import runtime
from minicc.diagnostics import SourceFile
from runtime import script


@cache
def compiled(path: Path, options: str = "") -> minicc.Compiled:
    """The file compiled for sm_90, once per set of options."""
    return minicc.compile(path, arch="sm_90", options=options)


def run_script(path: Path, image: Any, machine: str = "sm_90", **options: Any) -> script.Outcome:
    """Launch what the `//!` lines of `path` say, with the kernels of `image`; each launch's result has its hazards."""
    device = runtime.Device(machine, **{"hazards": "report", **options})
    module = device.load(image)
    parsed = script.parse(SourceFile(str(path), path.read_text()))
    return script.run(
        parsed,
        lambda kernel, grid, block, shared, args: module[kernel][grid, block, shared](*args),
        lambda name, value: module.variable(name).write(value),
    )
