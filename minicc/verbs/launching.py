"""What the verbs that launch kernels have in common: their command line, what to load, the script, and the launches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from minicc import texts
from minicc.diagnostics import SourceFile, fail
from minicc.options import Request
from minicc.output import report, say

if TYPE_CHECKING:
    import numpy as np

    from runtime.script import Outcome, Overrides, Script

VALUES = (
    "device", "script", "kernel", "grid", "block", "shared", "set", "hazards", "cycle-limit", "runaway-limit", "sample",
    "cores", "stack"
)  # fmt: skip
"""Options with a value that every launching verb takes."""
HELP = """\
  --device DEV        a model: sm_90 (default), or that of -arch (sm_80, sm_86, sm_89){devices}
  --script FILE       take the //! lines from FILE
  --kernel NAME       launch this kernel instead of the script's
  --grid X[,Y[,Z]]    grid of every launch          --block X[,Y[,Z]]   block of every launch
  --shared BYTES      dynamic shared memory of every launch
  --cycle-limit N     stop a kernel after N cycles (default two seconds of the device; 0: never)
  --runaway-limit N   stop a kernel after N warp instructions in which no block ended (default 1e9, or 1e8 for
                      each warp that the machine holds, if that is less; 0: never)
  --sample N          of a big grid, simulate N stretches of ten waves with timing, the rest without; cycles are then an
                      estimate, printed with its error
  --stack BYTES       stack of a thread where recursion leaves its need open (default 1024; cudaLimitStackSize)
  --cores N           simulate in N threads (default 1): the same cycles and results
  --set NAME=EXPR     replace a top-level assignment of the script (sizes, arguments)
"""


@attrs.define
class Arguments:
    """A verb's command line: its own options with their values, its flags, and what the compiler is to read."""

    values: dict[str, list[str]]
    flags: set[str]
    rest: list[str]
    own: tuple[str, ...] = ()
    """All options that the verb knows."""

    def last(self, name: str, default: str = "") -> str:
        """The value given last."""
        return self.values.get(name, [default])[-1]

    def number(self, name: str, default: int) -> int:
        """The value given last, as a number that is not negative."""
        text = self.last(name)
        if text and not text.isdigit():
            fail("cli.bad-value", f"Value '{text}' is not a number for '--{name}'")
        return int(text) if text else default


def arguments(
    words: Sequence[str], values: Sequence[str], flags: Sequence[str], short: dict[str, str] | None = None
) -> Arguments:
    """Sort a command line. `values` and `flags` are the long options that the verb knows, `short` one-letter names of
    some; all others are left."""
    out = Arguments({}, set(), [], (*values, *flags))
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if short and word[1:] in short:
            word = f"--{short[word[1:]]}"
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("--") and name in flags:
            out.flags.add(name)
        elif word.startswith("--") and name in values:
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


def _overrides(arguments: Arguments) -> Overrides:
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


@attrs.define
class Session:
    """A script that was run on a device."""

    name: str
    script: Script
    outcome: Outcome
    device: Any
    module: Any
    request: Request
    footprints: list[int]
    """Bytes of the arrays that each launch was given, one given twice counted once."""


def perform(arguments: Arguments, verb: str, extra: Sequence[str] = (), **device_options: Any) -> Session:
    """Compile or open the one input, and launch what its script says. `extra` are compile options of the verb's own;
    `device_options` go to `runtime.Device`."""
    from minicc.arch import NAMES
    from minicc.options import parse

    rest = [*arguments.rest, *extra]
    request = parse(rest, verb, arguments.own)
    if len(request.inputs) != 1:
        fail("cli.one-input", f"minicc {verb} takes exactly one file")
    if "output" in request.values:
        fail("cli.no-output", f"minicc {verb} makes nothing for -o; see minicc {verb} --help for what it can write")
    asked = request.values.get("arch", "")
    device_name = arguments.last("device", asked if asked in NAMES else "sm_90")
    on_gpu = device_name.startswith("cuda")
    if not on_gpu and device_name not in NAMES:
        fail("cli.device", f"no device '{device_name}': {', '.join(NAMES)} are models; cuda:0, cuda:1 ... GPUs")
    if "arch" not in request.values and "gencode" not in request.lists and not on_gpu:
        request = parse([*rest, f"-arch={device_name}"])
    image, name, source = _image(request)
    from minicc.verbs import check_runtime

    check_runtime()
    script = _script(arguments, source)
    if "device" not in arguments.values:
        device_name = _able(image, name, device_name)

    import runtime
    from runtime.script import run

    for word in ("cycle-limit", "runaway-limit", "sample", "cores", "stack"):
        if not on_gpu and word in arguments.values:
            device_options[word.replace("-", "_")] = arguments.number(word, 0)
    if not on_gpu and sys.stderr.isatty():
        device_options["progress"] = _progress()
    device_options["hazards"] = arguments.last("hazards", "report")
    device = runtime.Device(device_name, **device_options)
    module = device.load(image)

    footprints: list[int] = []

    streams = _Streams(device)

    def launch(
        kernel: str, grid: tuple[int, ...], block: tuple[int, ...], shared: int, args: list[Any], stream: int = 0
    ) -> Any:
        footprints.append(sum({id(a): a.nbytes for a in args if getattr(a, "ndim", 0)}.values()))
        if stream:
            return streams.launch(module[kernel], (grid, block, shared), args, stream)
        return module[kernel][grid, block, shared](*args)

    def store(variable: str, value: np.ndarray) -> None:
        module.variable(variable).write(value)

    try:
        outcome = run(script, launch, store, _overrides(arguments), streams.wait)
    except runtime.DeviceError as error:
        print(error.output, end="", flush=True)
        raise
    if not outcome.launches:
        fail("run.no-launch", f"{name}: the //! lines launch nothing; see minicc run --help")
    return Session(name, script, outcome, device, module, request, footprints)


class _Streams:
    """Launches in streams: arrays are on the device until all are done."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.streams: dict[int, Any] = {}
        self.arrays: dict[int, tuple[np.ndarray, Any]] = {}
        """Arrays and their buffers, by id of the array."""

    def launch(self, kernel: Any, shape: tuple[Any, ...], args: list[Any], stream: int) -> Any:
        """Start a kernel; `stream` is a number of the script's."""
        if stream not in self.streams:
            self.streams[stream] = self.device.stream()
        for a in args:
            if getattr(a, "ndim", 0) and id(a) not in self.arrays:
                self.arrays[id(a)] = a, self.device.buffer(a, self.streams[stream])
        given = [self.arrays[id(a)][1] if getattr(a, "ndim", 0) else a for a in args]
        return kernel[(*shape, self.streams[stream])](*given)

    def wait(self) -> None:
        """Wait for all, and bring the arrays back."""
        self.device.synchronize()
        for array, buffer in self.arrays.values():
            if array.flags.writeable:
                array[...] = buffer.numpy()
        self.arrays.clear()


def _progress(patience: float = 1.0) -> Callable[[str, int, int, int], None]:
    """Says on standard error how far a long grid is, once a second; the line goes when the grid is done."""
    shown = [time.monotonic(), 0.0]

    def tell(name: str, done: int, total: int, cycle: int) -> None:
        now = time.monotonic()
        if done >= total:
            if shown[1]:
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            shown[:] = [now, 0.0]
        elif now - shown[0] > patience:
            shown[:] = [now, 1.0]
            print(f"\r\x1b[K{name}: {done} of {total} blocks, cycle {cycle}", end="", file=sys.stderr, flush=True)

    return tell


def _image(request: Request) -> tuple[Any, str, SourceFile]:
    """What to load: compiled here, or the file's own bytes if it is a container."""
    from minicc import driver
    from minicc.binary.images import ELF, FATBIN

    path, as_json = Path(request.inputs[0]), request.has("json")
    if path.suffix not in driver.KINDS and path.is_file() and (data := path.read_bytes()).startswith((ELF, FATBIN)):
        return data, str(path), SourceFile(str(path), "")  # the device picks what runs on it
    build = driver.open_input(request.inputs[0], request, lambda d: report([d], as_json))
    if build.kind == "cubin":
        return build.data, build.name, build.source
    compiled = driver.Compiled(build, build.fatbin())
    say(as_json, "info", build.info)
    return compiled, build.name, build.source


def _able(image: Any, name: str, device_name: str) -> str:
    """The device, or the model of the machine that a cubin is for where that device cannot run it."""
    from minicc.arch import NAMES, get
    from minicc.binary import elf, elf_read
    from minicc.binary.cubin_read import arch_of
    from runtime.driver.images import runs_on

    if isinstance(image, bytes) and image[:4] == b"\x7fELF":
        read = elf_read.read(image, name)
        if read.machine == elf.EM_CUDA and not runs_on(machine := arch_of(read), get(device_name)) and machine in NAMES:
            return machine
    return device_name


def _script(arguments: Arguments, source: SourceFile) -> Script:
    from runtime.script import parse

    if given := arguments.last("script"):
        try:
            source = SourceFile(given, texts.read(given))
        except OSError as error:
            fail("driver.no-input", f"{given}: {error.strerror or error}")
    script = parse(source)
    if not script.body:
        some = "write some, or " if source.text else ""
        fail("run.no-script", f"{source.name}: no //! lines say how to launch it; {some}give --script FILE with them")
    return script
