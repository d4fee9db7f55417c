"""`minicc run FILE`: compile, launch as the file's `//!` lines say, check, and say where the time went."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from minicc.diagnostics import EXIT_SOURCE, SourceFile, fail
from minicc.options import Request

if TYPE_CHECKING:
    import numpy as np

    from runtime.script import Check, Outcome, Overrides, Script

HELP = """Usage: minicc run FILE [options] [compile options]

FILE is .k or .cu with //! lines that say how to launch it, or .ptx, .cubin, .fatbin with --script.

  --device DEV        sm_90 (the SM model, default) or cuda:0 (a real GPU)
  --script FILE       take the //! lines from FILE
  --kernel NAME       launch this kernel instead of the script's
  --grid X[,Y[,Z]]    grid of every launch          --block X[,Y[,Z]]   block of every launch
  --shared BYTES      dynamic shared memory of every launch
  --set NAME=EXPR     replace a top-level assignment of the script (sizes, arguments)
  --no-timing         run functionally only: faster, no cycles
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

Exit status: 0 all checks hold; 1 a check failed or the input is wrong; 255 ptxas failed.
"""

_VALUES = ("device", "script", "kernel", "grid", "block", "shared", "set", "hazards", "head", "save")
_FLAGS = ("no-timing", "report", "trace-launch", "help")


@attrs.define
class _Arguments:
    values: dict[str, list[str]]
    flags: set[str]
    rest: list[str]

    def last(self, name: str, default: str = "") -> str:
        return self.values.get(name, [default])[-1]


def _arguments(words: list[str]) -> _Arguments:
    out = _Arguments({}, set(), [])
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("--") and name in _FLAGS:
            out.flags.add(name)
        elif word.startswith("--") and name in _VALUES:
            if not equals:
                if at == len(words):
                    fail("cli.missing-value", f"Argument expected after '{word}'")
                value = words[at]
                at += 1
            out.values.setdefault(name, []).append(value)
        else:
            out.rest.append(word)
    return out


def _dims(text: str, option: str) -> tuple[int, ...] | None:
    if not text:
        return None
    parts = text.replace("x", ",").split(",")
    if not 1 <= len(parts) <= 3 or not all(part.isdigit() and int(part) > 0 for part in parts):
        fail("cli.bad-value", f"Value '{text}' is not one to three positive numbers for '--{option}'")
    return tuple(int(part) for part in parts)


def _overrides(arguments: _Arguments) -> Overrides:
    from runtime.script import Overrides

    assign = {}
    for text in arguments.values.get("set", []):
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            fail("cli.bad-value", f"'--set {text}' must read NAME=EXPRESSION")
        assign[name.strip()] = value
    shared = arguments.last("shared")
    if shared and not shared.isdigit():
        fail("cli.bad-value", f"Value '{shared}' is not a number of bytes for '--shared'")
    return Overrides(
        assign=assign,
        grid=_dims(arguments.last("grid"), "grid"),
        block=_dims(arguments.last("block"), "block"),
        shared=int(shared) if shared else None,
        kernel=arguments.last("kernel") or None,
    )


def main(words: list[str]) -> int:
    """The verb. `words` is the command line after `run`."""
    arguments = _arguments(words)
    if "help" in arguments.flags or "-h" in words or not words:
        print(HELP, end="")
        return 0 if words else EXIT_SOURCE
    from minicc.options import parse

    request = parse(arguments.rest)
    if len(request.inputs) != 1:
        fail("cli.one-input", "minicc run takes exactly one file")
    device_name = arguments.last("device", "sm_90")
    on_gpu = device_name.startswith("cuda")
    if "arch" not in request.values and "gencode" not in request.lists and not on_gpu:
        request = parse([*arguments.rest, f"-arch={device_name}"])
    image, name, source = _image(request)
    from minicc.verbs import check_runtime
    from minicc.verbs.cache import warm

    check_runtime()
    script = _script(arguments, source)

    import runtime
    from runtime.script import run

    if not on_gpu:
        warm()
    open_device: Any = runtime.Device  # abstract to a type checker: calling it picks the right kind of device

    device = open_device(
        device_name,
        timing="no-timing" not in arguments.flags,
        hazards=arguments.last("hazards", "report"),
        trace="trace-launch" in arguments.flags,
    )
    module = device.load(image)

    def launch(kernel: str, grid: tuple[int, ...], block: tuple[int, ...], shared: int, args: list[Any]) -> Any:
        return module[kernel][grid, block, shared](*args)

    def store(variable: str, value: np.ndarray) -> None:
        module.variable(variable).write(value)

    outcome = run(script, launch, store, _overrides(arguments))
    if not outcome.launches:
        fail("run.no-launch", f"{name}: the //! lines launch nothing; see minicc run --help")
    if path := arguments.last("save"):
        _save(path, outcome)
    report = {
        "schema": 1,
        "file": name,
        "teaches": script.teaches,
        "device": device.name,
        "ok": outcome.ok,
        "launches": [_launch_json(record) for record in outcome.launches],
        "checks": [attrs.asdict(check) for check in outcome.checks],
    }
    if request.has("json"):
        report["outputs"] = {key: _ends(outcome.variables[key], 4) for key in outcome.outputs}
        print(json.dumps(report, default=_plain))
    else:
        _print(script, outcome, device, arguments, name)
    return 0 if outcome.ok else EXIT_SOURCE


def _save(path: str, outcome: Outcome) -> None:
    import numpy as np

    try:
        np.savez(path, **{name: outcome.variables[name] for name in outcome.outputs})
    except OSError as error:
        fail("driver.cannot-write", f"{path}: {error.strerror or error}")


def _image(request: Request) -> tuple[Any, str, SourceFile]:
    """What to load: compiled here, or the file's own bytes if it is a container."""
    from minicc import driver

    path = Path(request.inputs[0])
    if path.suffix == ".fatbin":
        try:
            return path.read_bytes(), str(path), SourceFile(str(path), "")
        except OSError as error:
            fail("driver.no-input", f"{path}: {error.strerror or error}")
    build = driver.open_input(request.inputs[0], request, lambda d: print(d.render(), file=sys.stderr))
    if build.kind == "cubin":
        return build.data, build.name, build.source
    data = build.fatbin()
    for line in build.info:
        print(line, file=sys.stderr)
    return data, build.name, build.source


def _script(arguments: _Arguments, source: SourceFile) -> Script:
    from runtime.script import parse

    if given := arguments.last("script"):
        try:
            source = SourceFile(given, Path(given).read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            fail("driver.no-input", f"{given}: {error}")
    script = parse(source)
    if not script.body:
        fail("run.no-script", f"{source.name}: no //! lines say how to launch it; write some, or give --script")
    return script


def _launch_json(record: Any) -> dict[str, Any]:
    result = record.result
    return {
        "kernel": record.kernel,
        "grid": record.grid,
        "block": record.block,
        "shared": record.shared,
        "cycles": result.cycles,
        "simulation_seconds": getattr(getattr(result, "outcome", None), "seconds", None),
        "stats": result.stats,
        "output": result.output,
    }


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)


def _ends(array: np.ndarray, n: int) -> dict[str, Any]:
    flat = array.reshape(-1)
    return {"dtype": str(flat.dtype), "shape": array.shape, "head": flat[:n].tolist(), "tail": flat[-n:].tolist()}


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


def _print(script: Script, outcome: Outcome, device: Any, arguments: _Arguments, name: str) -> None:
    print(f"{name}: {script.teaches}" if script.teaches else name)
    for record in outcome.launches:
        shape = ", ".join("x".join(map(str, dims)) for dims in (record.grid, record.block))
        shared = f", {record.shared}" if record.shared else ""
        print(f"\n{record.kernel}<<<{shape}{shared}>>> on {device.name}")
        if record.result.output:
            print(record.result.output, end="" if record.result.output.endswith("\n") else "\n")
        print(record.result.report() if "report" in arguments.flags else record.result.summary())
        if "trace-launch" in arguments.flags:
            print(record.result.trace)
    head = int(arguments.last("head", "4"))
    print()
    for key in outcome.outputs:
        ends = _ends(outcome.variables[key], head)
        numbers = [", ".join(_number(v) for v in ends[end]) for end in ("head", "tail")]
        shape = "x".join(map(str, ends["shape"]))
        print(f"  {key:10} {ends['dtype']}[{shape}]  {numbers[0]} ... {numbers[1]}")
    for check in outcome.checks:
        print(f"  check {check.name}: {_check_line(check)}")
