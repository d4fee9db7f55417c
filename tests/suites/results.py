"""Do minicc's and NVIDIA's compilers agree on what kernels compute? `python -m tests.suites.results PATH... [flags]`

Each .cu file (compiled by minicc and by nvcc) and each .ptx file (by both ptxas) below PATH: every kernel runs on the
SM model, functionally, as either compiler made it, from the same made-up memory (`inputs.py`), in the launch shapes of
SHAPES. All buffers, module variables and printed text are compared bit for bit. A kernel counts as

    agrees        equal bits wherever NVIDIA's code runs through and writes something
    contraction   equal bits with -fmad=false: which product joins a sum in an fma is each compiler's choice
    library       calls a math function whose last bits are not specified; floats differ by less than LIBRARY
    order         one thread alone computes the same: threads race, or work together otherwise; printed, to be looked at
    DIFFERS       none of these: a miscompile, or use of uninitialised memory; printed, to be looked at
    OURS-FAULTS   NVIDIA's code runs through, ours does not
    missing       nvcc's cubin has the kernel, ours does not
    races         NVIDIA's code gives different results in another order of warps, or from its ptxas -O0
    not run       NVIDIA's code faults, runs too long or writes nothing in all shapes

Options after `--` go to both compilers (`-- -G`, `-- -use_fast_math`). nvcc's cubins are kept in --cache.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from minicc.record import evolve
from tests.suites import inputs

LIBRARY = 2e-3
"""Relative to the larger value: what a few ulps of expf may become in the sums around it."""
INSTRUCTIONS = 4_000_000
DYNAMIC = 32 << 10
_EXACT = """fma fmaf sqrt sqrtf round roundf rint trunc fmod fmodf remainder remquo ldexp ldexpf frexp frexpf modf modff
nextafter lround llround lrint llrint fdim fdimf scalbn scalbnf ilogb logb"""
EXACT = frozenset(_EXACT.split())


@attrs.frozen
class Shape:
    """A launch: blocks, threads, the value of integer parameters, bytes of each buffer."""

    grid: tuple[int, int]
    block: tuple[int, int]
    integer: int
    size: int


SHAPES = (
    Shape((3, 1), (64, 1), 16, 1 << 20),
    Shape((2, 2), (16, 16), 64, 1 << 20),
    Shape((1, 1), (32, 1), 5, 1 << 20),
    Shape((2, 1), (256, 1), 256, 1 << 20),
    Shape((1, 1), (128, 1), 64, 80 << 20),
)
ENOUGH = 2
"""Shapes in which a kernel has to run."""


@attrs.define
class Run:
    """What one launch left: memory by buffer, or the fault that ended it."""

    fault: str = ""
    shapes: list[inputs.Layout] = attrs.field(factory=list)
    names: list[str] = attrs.field(factory=list)
    """Of the buffers: the variable's, or a number."""
    before: list[inputs.Bytes] = attrs.field(factory=list)
    after: list[inputs.Bytes] = attrs.field(factory=list)
    output: str = ""

    @property
    def idle(self) -> bool:
        return not self.output and all(np.array_equal(a, b) for a, b in zip(self.before, self.after, strict=True))


@attrs.frozen
class Kernel:
    """A kernel to compare: parameters, inexact library functions that it calls, its name in NVIDIA's image."""

    symbol: str
    params: tuple[Any, ...]
    library: tuple[str, ...] = ()
    theirs: str = ""


def launch(image: bytes, kernel: Kernel, variables: dict[str, Any], shape: Shape, **options: Any) -> Run:
    """One launch on a fresh device, whose buffers lie where they lie for every image."""
    import runtime

    settings = {"timing": False, "hazards": "off", "instruction_limit": INSTRUCTIONS, "memory": 4 << 30}
    device: Any = runtime.Device("sm_90", **{**settings, **options})
    run = Run()
    buffers: list[tuple[int, int]] = []

    def buffer(target: Any, k: int, depth: int = 0) -> int:
        from minicc.frontend import types

        if target is None or not target.size or target.kind in ("function", "error") or depth > inputs.DEPTH:
            target = types.CHAR
        form = inputs.layout(target)
        address = int(device.allocate(shape.size))
        at = len(buffers)
        buffers.append((address, shape.size // form.size * form.size))
        run.shapes.append(form)
        run.names.append(str(at))
        piece = inputs.fill(form, min(shape.size, 1 << 20), at, lambda t, j: buffer(t, j, depth + 1))[: shape.size]
        device.view(address, shape.size)[: len(piece)] = piece
        return address

    arguments = [inputs.argument(inputs.layout(t), shape.integer, buffer) for t in kernel.params]
    # What variables point to lies where it lies for every image, though one may leave a variable out.
    filled = {n: inputs.fill(inputs.layout(t), t.size, len(n), buffer) for n, t in variables.items()}
    try:
        module = device.load(image)
        for name, t in variables.items():
            try:
                variable = module.variable(name)
            except Exception:
                continue
            form, data = inputs.layout(t), filled[name][: variable.size]
            device.view(variable.address, variable.size)[: len(data)] = data
            buffers.append((variable.address, variable.size // form.size * form.size))
            run.shapes.append(form)
            run.names.append(name)
        run.before = [device.view(a, n).copy() for a, n in buffers]
        function = module._kernel(kernel.theirs if kernel.theirs in module.kernels else kernel.symbol)
        run.output = function[shape.grid, shape.block, DYNAMIC](*arguments).wait().output
        device.synchronize()
    except Exception as error:  # any failure of the model is a result here
        run.fault = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:160]}"
    run.after = [device.view(a, n).copy() for a, n in buffers]
    return run


def differences(a: Run, b: Run) -> tuple[str, float]:
    """(what differs, the largest relative difference of floats; infinite if something else differs too)."""
    text: list[str] = []
    worst = 0.0
    if a.output != b.output:
        return f"printed {a.output[:60]!r} / {b.output[:60]!r}", float("inf")
    others = dict(zip(b.names, b.after, strict=True))
    for index, form, x in zip(a.names, a.shapes, a.after, strict=True):
        y = others.get(index)
        if y is None or np.array_equal(x, y):  # a variable that one compiler left out is not used
            continue
        p, q = (v.reshape(-1, form.size) for v in (x, y))
        for slot in form.slots:
            u, v = (np.ascontiguousarray(w[:, slot.offset : slot.offset + slot.size]) for w in (p, q))
            rows = np.flatnonzero((u != v).any(axis=1))
            if not len(rows):
                continue
            u, v = u[rows], v[rows]
            if slot.kind in ("float", "half", "bfloat16"):
                s, t = (_floats(w, slot) for w in (u, v))
                with np.errstate(all="ignore"):
                    apart = np.abs(s - t) / np.maximum(np.maximum(np.abs(s), np.abs(t)), 1e-30)
                    apart = np.where(np.isnan(s) & np.isnan(t), 0, np.nan_to_num(apart, nan=np.inf))
                k = int(np.argmax(apart))
                worst = max(worst, float(apart[k]))
                shown = f"{s[k]:g} / {t[k]:g}"
            else:
                k, worst = 0, float("inf")
                shown = f"{u[0].tobytes().hex()} / {v[0].tobytes().hex()}"
            text.append(f"buffer {index}+{slot.offset} [{rows[k]}] {shown} ({len(rows)} {slot.kind}s)")
    return "; ".join(text[:3]), worst


def _floats(raw: Any, slot: inputs.Slot) -> Any:
    if slot.kind == "bfloat16":
        return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64).reshape(-1)
    kind = {2: np.float16, 4: np.float32, 8: np.float64}[slot.size]
    return raw.view(kind).astype(np.float64).reshape(-1)


@attrs.define
class Pair:
    """Two images of one translation unit, and a third by NVIDIA's ptxas -O0 if it was asked for."""

    theirs: bytes
    ours: bytes
    kernels: list[Kernel]
    variables: dict[str, Any]
    missing: list[str] = attrs.field(factory=list)
    unoptimised: bytes | None = None


def judge(kernel: Kernel, pair: Pair, plain: Callable[[], Pair | None]) -> tuple[str, str]:
    """(verdict, what differs). `plain` compiles once more, with -fmad=false."""
    ran, verdict, detail = 0, "not run", ""
    for shape in SHAPES:
        if ran >= ENOUGH:
            break
        theirs = launch(pair.theirs, kernel, pair.variables, shape)
        if theirs.fault or theirs.idle:
            continue
        ours = launch(pair.ours, kernel, pair.variables, shape)
        if not ours.fault and not differences(theirs, ours)[0]:
            ran += 1
            verdict = "agrees" if verdict in ("not run", "races") else verdict
            continue
        found, what = explain(kernel, pair, plain(), shape, theirs, ours)
        if found == "races":
            verdict = found if verdict == "not run" else verdict
            continue
        ran += 1
        if found in ("order", "DIFFERS", "OURS-FAULTS"):
            return found, f"{shape.grid} {shape.block}: {what} {','.join(kernel.library)}"
        verdict, detail = found, what
    return verdict, detail


def explain(kernel: Kernel, pair: Pair, plain: Pair | None, shape: Shape, theirs: Run, ours: Run) -> tuple[str, str]:
    """(verdict, what differs) of two runs that are not the same."""

    def again(image: bytes, timing: bool = False) -> Run:
        return launch(image, kernel, pair.variables, shape, timing=timing)

    pair = plain or pair
    if (
        differences(theirs, again(pair.theirs, True))[0]
        and differences(*(again(pair.theirs, t) for t in (False, True)))[0]
    ):
        return "races", "another order of warps gives other results"
    reference = again(pair.theirs)
    if pair.unoptimised and differences(reference, again(pair.unoptimised))[0]:
        return "races", "NVIDIA's ptxas -O0 gives other results"
    if ours.fault:
        return "OURS-FAULTS", ours.fault
    what, worst = differences(reference, again(pair.ours))
    if not what:
        return "contraction", differences(theirs, ours)[0]
    if kernel.library and worst < LIBRARY:
        return "library", f"{','.join(kernel.library)}: {worst:.1e}"
    alone = evolve(shape, grid=(1, 1), block=(1, 1))
    first, second = (launch(image, kernel, pair.variables, alone) for image in (pair.theirs, pair.ours))
    same = not first.fault and not first.idle and not second.fault and not differences(first, second)[0]
    return ("order" if same else "DIFFERS"), what


# -- .cu ---------------------------------------------------------------------------------------------------------------


def nvcc(source: Path, flags: Sequence[str], cache: Path) -> bytes | None:
    key = hashlib.sha256("\0".join([*flags, str(source), source.read_text(errors="replace")]).encode()).hexdigest()[:24]
    out = cache / f"{key}.cubin"
    if not out.exists():
        partial = out.with_suffix(".partial.cubin")
        command = ["nvcc", "-cubin", "-arch=sm_90", "-w", "-o", str(partial), *flags, str(source)]
        if subprocess.run(command, capture_output=True).returncode:
            out.write_bytes(b"")
        else:
            partial.rename(out)
    return out.read_bytes() or None


def from_cu(path: Path, flags: Sequence[str], cache: Path) -> Pair | str:
    """The pair, or why there is none."""
    theirs = nvcc(path, flags, cache)
    if theirs is None:
        return "rejected by nvcc"
    from minicc import binary
    from minicc.diagnostics import CompileError
    from minicc.driver import open_input
    from minicc.frontend import _guarded, mangle, types
    from minicc.frontend.emit.driver import emit
    from minicc.frontend.parser import parse
    from minicc.frontend.preprocessor import Preprocessor
    from minicc.frontend.sema.convert import element_quals
    from minicc.options import parse as parse_options

    try:
        build = open_input(str(path), parse_options(["-cubin", "-arch=sm_90", "-w", *flags]), lambda d: None)
        options = build.frontend_options(build.request.targets[0])
        with _guarded(build.source, options) as diagnostics:
            parsed = parse(Preprocessor(options, diagnostics).run(build.source), options, diagnostics)
            emit(parsed, build.source, options)
        ours = build.cubin(build.request.targets[0], "sm_90")
    except CompileError as error:
        return f"does not compile: {str(error).splitlines()[0]}"
    here = {mangle.function(f): f for f in parsed.functions if f.space == "global"}
    names = [f.name for f in binary.read_cubin(theirs, "nvcc").functions if f.entry]
    known = {id(f): f for f in parsed.functions}
    kernels = []
    for n in names:
        f = here.get(unnamed(n))
        if f is not None:
            kernels.append(Kernel(unnamed(n), tuple(p.type for p in f.params), _library(f, known), n))
    placed = [v for v in parsed.variables if v.storage in ("device", "constant") and v.type.size]
    # What is const is no input: its initialiser may have become part of the code.
    variables = {mangle.variable(v): v.type for v in placed if not element_quals(v.type) & types.CONST}
    return Pair(theirs, ours, kernels, variables, [n for n in names if unnamed(n) not in here])


def unnamed(symbol: str) -> str:
    """A symbol in which nvcc's name for an unnamed namespace, which holds a hash of the file, is the Itanium ABI's."""
    found = re.search(r"(\d+)_GLOBAL__N__", symbol)
    if found is None:
        return symbol
    start = found.end(1)
    return symbol[: found.start()] + "12_GLOBAL__N_1" + unnamed(symbol[start + int(found[1]) :])


def _library(kernel: Any, known: dict[int, Any]) -> tuple[str, ...]:
    """Inexact math functions that the kernel reaches."""
    from minicc.frontend.emit.driver import _callees

    out, work, seen = set(), [kernel], {id(kernel)}
    while work:
        f = work.pop()
        if f.library and not f.name.startswith("__") and f.name not in EXACT and "/lib/" in f.at.span.source.name:
            out.add(f.name)
            continue
        for k in _callees(f):
            if k in known and k not in seen:
                seen.add(k)
                work.append(known[k])
    return tuple(sorted(out))


# -- .ptx --------------------------------------------------------------------------------------------------------------


def from_ptx(path: Path, flags: Sequence[str], cache: Path) -> Pair | str:
    """Our ptxas beside NVIDIA's. Neither fuses mul and add."""
    from minicc import arch, binary, ptx, ptxas
    from minicc.diagnostics import CompileError, SourceFile
    from minicc.ptxas.options import Options

    text = path.read_text()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "theirs.cubin"
        machine = "sm_90a" if re.search(r"\.target\s+sm_90a", text) else "sm_90"
        command = ["ptxas", f"-arch={machine}", "-fmad=false", *flags, str(path), "-o", str(out)]
        if subprocess.run(command, capture_output=True).returncode:
            return "rejected by ptxas"
        theirs = out.read_bytes()
    try:
        parsed = ptx.parse(SourceFile(str(path), text))
        ours = binary.write_cubin(ptxas.assemble(parsed, arch.get(machine), Options(fmad=False)))
    except CompileError as error:
        return f"does not compile: {str(error).splitlines()[0]}"
    return Pair(theirs, ours, ptx_kernels(parsed, text), {})


def ptx_kernels(parsed: Any, text: str) -> list[Kernel]:
    """The kernels of a PTX module without aggregate parameters."""
    kernels = []
    for f in parsed.functions:
        if f.entry and f.body is not None and not any(p.dims for p in f.params):
            at = text.find(f".entry {f.name}(")
            own = text[at : text.find(".entry ", at + 1)]
            kernels.append(Kernel(f.name, tuple(_ptx_type(p, own) for p in f.params)))
    return kernels


def _ptx_type(param: Any, text: str) -> Any:
    from minicc.frontend import types

    if re.search(rf"ld\.param\.[us b]*64\s+%rd\d+, \[{re.escape(param.name)}\]", text):
        return types.pointer(types.DOUBLE if text.count(".f64") > text.count(".f32") else types.FLOAT)
    if param.type[0] == "f":
        return types.DOUBLE if param.type == "f64" else types.FLOAT
    return {1: types.UCHAR, 2: types.USHORT, 4: types.UINT, 8: types.ULLONG}[int(param.type[1:]) // 8]


# -- all ---------------------------------------------------------------------------------------------------------------


def one(path: Path, flags: Sequence[str], cache: Path) -> list[tuple[str, str, str]]:
    """(kernel, verdict, detail) for each kernel of a file."""
    make = from_cu if path.suffix == ".cu" else from_ptx
    pair = make(path, flags, cache)
    if isinstance(pair, str):
        return [("", pair.partition(":")[0], pair)]
    made: list[Pair | None] = []

    def plain() -> Pair | None:
        if not made:
            again = make(path, [*flags, "-fmad=false"], cache) if path.suffix == ".cu" else None
            if isinstance(again, Pair):
                again.unoptimised = nvcc(path, [*flags, "-fmad=false", "-Xptxas", "-O0"], cache)
            made.append(again if isinstance(again, Pair) else None)
        return made[0]

    out = [(name, "missing", "") for name in pair.missing]
    for kernel in pair.kernels:
        out.append((kernel.symbol, *judge(kernel, pair, plain)))
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("-I", dest="includes", action="append", default=[])
    parser.add_argument("--match", default="", help="only files whose path holds this")
    parser.add_argument("--timeout", type=float, default=240, help="seconds a file")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "minicc-nvcc-cubins")
    parser.add_argument("--every", type=int, default=1, help="take one file of so many")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    words = list(sys.argv[1:] if arguments is None else arguments)
    at = words.index("--") if "--" in words else len(words)
    options, extra = parser.parse_args(words[:at]), words[at + 1 :]
    options.cache.mkdir(parents=True, exist_ok=True)
    if options.one:
        json.dump(one(options.paths[0], extra, options.cache), sys.stdout)
        return 0
    if not shutil.which("nvcc"):
        print("nvcc is not installed")
        return 2
    work: list[tuple[Path, list[str]]] = []
    for root in options.paths:
        folder = root if root.is_dir() else root.parent
        found = sorted([*root.rglob("*.cu"), *root.rglob("*.ptx")]) if root.is_dir() else [root]
        for path in [p for p in found if options.match in str(p)][:: options.every]:
            above = [p for p in path.parents if p == folder or folder in p.parents]
            given = [*[f"-I{p}" for p in above], *[f"-I{i}" for i in options.includes]]
            work.append((path, [*(given if path.suffix == ".cu" else []), *extra]))

    def process(job: tuple[Path, list[str]]) -> tuple[Path, list[Any]]:
        path, flags = job
        command = [sys.executable, "-m", "tests.suites.results", "--one", "--cache", str(options.cache), str(path)]
        try:
            done = subprocess.run([*command, "--", *flags], capture_output=True, text=True, timeout=options.timeout)
        except subprocess.TimeoutExpired:
            return path, [("", "timeout", "")]
        if done.returncode:
            return path, [("", "CRASH", (done.stderr.strip().splitlines() or ["?"])[-1])]
        return path, json.loads(done.stdout)

    total: Counter[str] = Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for path, rows in pool.map(process, work):
            for kernel, verdict, detail in rows:
                total[verdict] += 1
                if verdict not in ("agrees", "not run", "races", "rejected by nvcc"):
                    print(f"{verdict:12} {path} {kernel} {detail}".rstrip(), flush=True)
    print(dict(total.most_common()))
    ran = sum(total[v] for v in ("agrees", "contraction", "library", "order", "DIFFERS", "OURS-FAULTS"))
    good = total["agrees"] + total["contraction"] + total["library"]
    print(f"{good} of {ran} kernels agree ({100 * good / max(ran, 1):.1f} %), {total['agrees']} of them bit for bit")
    return 0


if __name__ == "__main__":
    sys.exit(main())
