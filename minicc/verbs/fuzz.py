"""`minicc fuzz`: random kernels, compiled in several ways, must give the same words on the SM model."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minicc.diagnostics import EXIT_SOURCE, CompileError, SourceFile, fail
from minicc.options import parse
from minicc.verbs import check_runtime, launching

if TYPE_CHECKING:
    import numpy as np

HELP = """Usage: minicc fuzz [options] [compile options]

Draws random CUDA kernels (loops, switches, structs, pointers, calls, recursion, shared memory, atomics, every type;
some batches over memory, as people write them: slices, local arrays, barriers, votes, aliases; some of C++ without
casts: operands of every type, overloads, lambdas, references, objects that end), compiles each in several ways and
runs them all on the SM model. A kernel that does not give the same words everywhere is made as small as possible,
printed, and left in a file.

  --seconds N        how long (default 60)
  --seed N           where to begin (default: the clock); a run's seed is printed
  --size N           statements of a kernel, about (default 12)
  --against nvcc     compare with nvcc's code for the kernel, not with our own compiled in the simplest way
  --integers         no floating point
  --kind K           only 'scalars', 'memory' or 'language' (that one against nvcc, or the frontend checks itself)
  --save DIR         where a kernel goes that fails (default .)
  --print            print kernels, compile nothing
  --json             what came out as JSON, a line each

Examples:
  minicc fuzz --seconds 300 --against nvcc
  minicc fuzz --print --seconds 1
  minicc fuzz --seed 5 -arch=sm_90a -O2

The kernels are a strategy of Hypothesis, for tests of your own: python -m pydoc minicc.fuzz
"""
THREADS = 64
SIMPLE = "-O0 --isel=first-match -Xptxas --sched=serial -Xptxas --ra=spill-all"
WAYS = ("-O1", "-O0", "-G", "-maxrregcount=24", "--isel=first-match", "-Xptxas --sched=serial", "-Xptxas -O1")
"""Ways to compile: each kernel is compiled by default, and in one of these."""
KINDS = ("scalars", "memory", "language")
_VALUES = ("seconds", "seed", "size", "against", "save", "kind")
_FLAGS = ("help", "integers", "print")
_BATCH = 20
_STACK = 128 << 10
"""Bytes a thread: functions call themselves up to 31 times, and all of their registers may lie in memory."""


def main(words: list[str]) -> int:
    """The verb. Returns 1 if a kernel differs."""
    arguments = launching.arguments(words, _VALUES, _FLAGS)
    if "help" in arguments.flags or "-h" in words:
        print(HELP, end="")
        return 0
    against = arguments.last("against", "twins")
    if against not in ("twins", "nvcc") or (against == "nvcc" and shutil.which("nvcc") is None):
        fail("fuzz.against", f"Nothing to compare with: '{against}' (twins, or nvcc where it is installed)")
    if arguments.last("kind", KINDS[0]) not in KINDS:
        fail("fuzz.kind", f"No kind of kernels is '{arguments.last('kind')}' ({', '.join(KINDS)})")
    request = parse(arguments.rest, "fuzz", arguments.own)
    if request.inputs:
        fail("fuzz.input", f"minicc fuzz makes its kernels itself; what is '{arguments.rest[-1]}'?")
    if not Path(arguments.last("save", ".")).is_dir():
        fail("cli.bad-value", f"'--save {arguments.last('save')}' is no folder")
    check_runtime()
    seed = arguments.number("seed", int(time.time()))
    end = time.monotonic() + arguments.number("seconds", 60)
    runner = Runner(against == "nvcc", " ".join(arguments.rest))
    as_json = request.has("json")
    print(json.dumps({"schema": 1, "seed": seed}) if as_json else f"seed {seed}", flush=True)
    while time.monotonic() < end:
        found = _batch(runner, seed, end, arguments)
        if found is not None:
            path = Path(arguments.last("save", ".")) / f"fuzz_{seed}.cu"
            path.write_text(found.text)
            told = {"schema": 1, "agree": False, "seed": seed, "file": str(path), "why": str(found)}
            print(json.dumps(told) if as_json else f"{found.text}\n{found}\n{path}: seed {seed}")
            return EXIT_SOURCE
        seed += 1
    told = {"schema": 1, "agree": True, "kernels": runner.kernels, "images": runner.runs}
    print(json.dumps(told) if as_json else f"{runner.kernels} kernels, {runner.runs} images: all agree")
    return 0


Left = Any
"""Words by thread, or a list of buffers."""


class Difference(AssertionError):
    """A kernel that ways to compile do not agree on."""

    def __init__(self, text: str, what: str) -> None:
        super().__init__(what)
        self.text = text


class Runner:
    """Compiles kernels and runs them."""

    def __init__(self, nvcc: bool, options: str) -> None:
        self.nvcc = nvcc
        self.options = f"-w -fmad=false {options}"
        self.kernels = self.runs = 0
        self.inputs = inputs()

    def check(self, text: str, way: str) -> None:
        """Raises `Difference`."""
        self.kernels += 1
        wanted = self.run(text, "nvcc" if self.nvcc else SIMPLE)
        for options in ("", way):
            got = self.run(text, options)
            if what := _told(got, wanted):
                raise Difference(text, f"compiled with '{self.options} {options}', {what}")

    def run(self, text: str, options: str) -> Left:
        """What an image of the kernel leaves. A stall that is too short counts as a difference."""
        import numpy as np

        import runtime
        from minicc.fuzz import memory
        from minicc.fuzz.kernels import NAME, OUTPUTS

        self.runs += 1
        try:
            image = self.theirs(text) if options == "nvcc" else self.ours(text, options)
            result: Left = np.zeros((THREADS, OUTPUTS), np.uint64)
            device = runtime.Device("sm_90", hazards="report", cycle_limit=20_000_000, stack=_STACK)
            if text.startswith("// {"):
                result, launch = memory.launch(text, device, lambda: device.load(image)[NAME])
            else:
                launch = device.load(image)[NAME][1, THREADS](self.inputs, result)
        except (CompileError, runtime.LaunchError) as error:
            raise Difference(text, f"'{options}': {error}") from error
        if launch.hazards and options != "nvcc":
            raise Difference(text, f"'{options}': {launch.hazards[0]}")
        return result

    def ours(self, text: str, options: str) -> bytes:
        import minicc

        return minicc.compile(SourceFile("kernel.cu", text), arch="sm_90", options=f"{self.options} {options}").cubin

    @staticmethod
    def theirs(text: str) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            source, image = Path(folder) / "kernel.cu", Path(folder) / "kernel.cubin"
            source.write_text(text)
            command = ["nvcc", "-arch=sm_90", "-cubin", "-w", "-fmad=false", str(source), "-o", str(image)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise Difference(text, f"nvcc: {done.stderr or done.stdout}")
            return image.read_bytes()


def _told(got: Left, wanted: Left) -> str:
    """The first difference; "" if there is none."""
    for number, (a, b) in enumerate(zip(got, wanted, strict=True)):
        where = (a.reshape(len(a), -1).view("u1") != b.reshape(len(b), -1).view("u1")).any(-1)
        if not where.any():
            continue
        at = int(where.nonzero()[0][0])
        if isinstance(got, list):
            return f"element {at} of buffer {number} is {a[at]}, not {b[at]}"
        return f"thread {number} has {a[at]:#x} in word {at}, not {b[at]:#x}"
    return ""


def inputs() -> np.ndarray[Any, Any]:
    """A row of words for each thread: any, small, nearly all ones, one bit."""
    import numpy as np

    from minicc.fuzz.kernels import INPUTS

    rnd = random.Random(1)
    kinds = (lambda: rnd.getrandbits(32), lambda: rnd.getrandbits(5), lambda: 2**32 - 1 - rnd.getrandbits(4),
             lambda: 1 << rnd.randrange(32))  # fmt: skip
    return np.array([[rnd.choice(kinds)() for _ in range(INPUTS)] for _ in range(THREADS)], np.uint32)


def _batch(runner: Runner, seed: int, end: float, arguments: launching.Arguments) -> Difference | None:
    """Some kernels from one seed; the smallest that differs, if any does."""
    import hypothesis

    from minicc.fuzz import kernels, language, memory

    rnd = random.Random(seed)
    rooms: dict[str, Any] = {"scalars": kernels, "memory": memory, "language": language}
    room = rooms[arguments.last("kind", rnd.choice(KINDS))]
    quiet = list(hypothesis.HealthCheck)
    way = rnd.choice(WAYS)
    floats = False if "integers" in arguments.flags else None

    failed: dict[str, Difference] = {}

    @hypothesis.seed(seed)
    @hypothesis.settings(max_examples=_BATCH, deadline=None, database=None, suppress_health_check=quiet)
    @hypothesis.given(room.kernels(floats=floats, size=arguments.number("size", 12)))
    def all_agree(text: str) -> None:
        if "print" in arguments.flags:
            print(text)
        elif text in failed:
            raise failed[text]  # when time is over, too: what failed once is asked for again at the end
        elif time.monotonic() < end:
            try:
                runner.check(text, way)
            except Difference as found:
                failed[text] = found
                raise

    try:
        all_agree()
    except Difference as found:
        return found
    return None
