"""The verbs of the command line that do more than compile. Only these, of all of minicc, may import runtime."""

from __future__ import annotations

from minicc.diagnostics import fail

VERBS = {
    "run": "compile, launch and check a kernel, on the SM model or on a GPU",
    "prof": "profile a kernel on the SM model, as Nsight Compute does on a GPU",
    "bound": "what a kernel's code can reach at most, without running it",
    "classic": "experiments on older machines, simulated from their descriptions",
    "fuzz": "random kernels, compiled in several ways, must agree",
    "patterns": "browse, search and count the pattern database of instruction selection",
    "objdump": "show what a cubin, fatbin or object holds, as cuobjdump and nvdisasm do",
    "as": "assemble what objdump prints",
    "cache": "info, clear, warm: what is kept between runs",
    "completion": "bash, zsh, fish: a completion script",
}


def check_runtime() -> None:
    """A `runtime.py` of the user's hides ours: a clear `CompileError` instead of an AttributeError later."""
    from pathlib import Path

    import runtime

    found = Path(getattr(runtime, "__file__", None) or "?").resolve()
    if found != Path(__file__).resolve().parent.parent.parent / "runtime" / "__init__.py":
        fail("run.stray-runtime", f"'import runtime' loads {found}, which hides minicc's runtime; rename or move it")
