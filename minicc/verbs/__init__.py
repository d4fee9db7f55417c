"""The verbs of the command line that do more than compile. Only these, of all of minicc, may import runtime."""

from __future__ import annotations

from pathlib import Path

from minicc.diagnostics import fail


def check_runtime() -> None:
    """A `runtime.py` of the user's hides ours: a clear `CompileError` instead of an AttributeError later."""
    import runtime

    found = Path(getattr(runtime, "__file__", None) or "?").resolve()
    if found != Path(__file__).resolve().parent.parent.parent / "runtime" / "__init__.py":
        fail("run.stray-runtime", f"'import runtime' loads {found}, which hides minicc's runtime; rename or move it")
