"""`minicc run FILE`: compile, launch as the file's `//!` lines say, check, and say where the time went."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import attrs

from minicc.diagnostics import EXIT_SOURCE
from minicc.output import write
from minicc.verbs import launching
from minicc.verbs.launching import Arguments

if TYPE_CHECKING:
    import numpy as np

    from runtime.script import Check, Outcome, Script

HELP = f"""Usage: minicc run FILE [options] [compile options]

FILE is .k or .cu with //! lines that say how to launch it, or .ptx, .cubin, .fatbin, an object or a program with
device code with --script.
See minicc run --script-help for what those lines may say. Kernels are compiled with -lineinfo.

{launching.HELP.format(devices=" or cuda:0 (a real GPU)")}  --no-timing         run functionally only: faster, no cycles
  --check             look for races in shared memory, reads of what nobody wrote, barriers that only a part of
                      a warp comes to (without timing; a finding fails the run)
  --hazards HOW       report (default), hardware, off: what a read before its time does
  --report            the whole profile of each launch
  --trace-launch      every step from the call to the doorbell and back
  --save FILE.npz     keep every array that a launch was given, as it is at the end
  --head N            elements shown of each result (default 4)
  --json              all of it as JSON

Examples:
  minicc run samples/vadd.k
  minicc run samples/sgemm_tiled.k --set n=64 --report
  minicc run samples/vadd.k --device cuda:0

Exit status: 0 all checks hold; 1 a check failed, --check found something or the input is wrong; 255 ptxas failed.
"""

_VALUES = (*launching.VALUES, "head", "save")
_FLAGS = ("check", "no-timing", "report", "trace-launch", "help", "script-help")


def main(words: list[str]) -> int:
    """The verb. `words` is the command line after `run`."""
    arguments = launching.arguments(words, _VALUES, _FLAGS)
    if "help" in arguments.flags or "-h" in words or not words:
        print(HELP, end="")
        return 0 if words else EXIT_SOURCE
    if "script-help" in arguments.flags:
        from runtime import script_help

        print(script_help.text(), end="")
        return 0
    head = arguments.number("head", 4)
    options: dict[str, Any] = {"check": True} if "check" in arguments.flags else {}
    session = launching.perform(
        arguments, "run", ["-lineinfo"], timing="no-timing" not in arguments.flags,
        trace="trace-launch" in arguments.flags, **options,
    )  # fmt: skip
    ok = session.outcome.ok and not any(record.result.findings for record in session.outcome.launches)
    name, script, outcome, device = session.name, session.script, session.outcome, session.device
    if path := arguments.last("save"):
        _save(path, outcome)
    report = {
        "schema": 1,
        "file": name,
        "teaches": script.teaches,
        "device": device.name,
        "ok": ok,
        "launches": [_launch_json(record) for record in outcome.launches],
        "checks": [attrs.asdict(check) for check in outcome.checks],
    }
    if session.request.has("json"):
        report["outputs"] = {key: _ends(outcome.variables[key], 4) for key in outcome.outputs}
        print(json.dumps(report, default=_plain))
    else:
        _print(script, outcome, device, arguments, name, head)
    return 0 if ok else EXIT_SOURCE


def _save(path: str, outcome: Outcome) -> None:
    import io

    import numpy as np

    data = io.BytesIO()
    np.savez(data, **{name: outcome.variables[name] for name in outcome.outputs})
    write(path if path.endswith(".npz") else f"{path}.npz", data.getvalue())


def _launch_json(record: Any) -> dict[str, Any]:
    result = record.result
    sampled = getattr(getattr(result, "outcome", None), "sampled", None)
    return {
        "kernel": record.kernel,
        "grid": record.grid,
        "block": record.block,
        "shared": record.shared,
        "stream": record.stream,
        "cycles": result.cycles,
        "simulation_seconds": getattr(getattr(result, "outcome", None), "seconds", None),
        "stats": result.stats,
        "output": result.output,
        "findings": [attrs.asdict(finding) | {"text": finding.text} for finding in result.findings],
        "sampled": None if sampled is None else attrs.asdict(sampled),
    }


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)


def _ends(array: np.ndarray, n: int) -> dict[str, Any]:
    flat = array.reshape(-1)
    return {"dtype": str(flat.dtype), "shape": array.shape, "head": flat[:n].tolist(),
            "tail": flat[max(flat.size - n, 0) :].tolist()}  # fmt: skip


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _check_line(check: Check) -> str:
    distance = "" if check.worst_ulp is None else f", worst {check.worst:.3g} ({check.worst_ulp:.3g} ulp)"
    bound = "exact" if check.bound == "exact" else f"within {check.bound}"
    if check.ok:
        return f"ok: {check.count} elements {bound}{distance}"
    return (
        f"FAILED: element {check.where} is {_number(check.got)}, expected {_number(check.want)} ({bound}{distance}"
        f"{'' if check.worst_ulp is not None else f', {check.worst:.0f} differ'})"
    )


def _print(script: Script, outcome: Outcome, device: Any, arguments: Arguments, name: str, head: int) -> None:
    print(f"{name}: {script.teaches}" if script.teaches else name)
    for record in outcome.launches:
        shape = ", ".join("x".join(map(str, dims)) for dims in (record.grid, record.block))
        shared = f", {record.shared}" if record.shared else ""
        shared += f", stream {record.stream}" if record.stream else ""
        print(f"\n{record.kernel}<<<{shape}{shared}>>> on {device.name}")
        if record.result.output:
            print(record.result.output, end="" if record.result.output.endswith("\n") else "\n")
        print(record.result.report() if "report" in arguments.flags else record.result.summary())
        if "trace-launch" in arguments.flags:
            print(record.result.trace)
        for finding in record.result.findings:
            print(f"check: {finding.text}")
    print()
    for key in outcome.outputs:
        ends = _ends(outcome.variables[key], head)
        numbers = [", ".join(_number(v) for v in ends[end]) for end in ("head", "tail")]
        shape = "x".join(map(str, ends["shape"]))
        print(f"  {key:10} {ends['dtype']}[{shape}]  {numbers[0]} ... {numbers[1]}")
    for check in outcome.checks:
        print(f"  check {check.name}: {_check_line(check)}")
