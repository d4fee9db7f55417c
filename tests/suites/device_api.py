"""How much of CUDA's device API is there, and does it compute what nvcc's does? `python -m tests.suites.device_api`

The functions that NVIDIA's headers declare for devices (as installed beside nvcc; names and signatures only) are found
by preprocessing a file that includes them. For each that takes and returns numbers, vectors or pointers to such, a
kernel of one call is written: arguments are read from arrays, pointers lead to an element of an array that belongs to
the thread, the result is stored. minicc and nvcc compile the kernels in batches, the SM model runs both images over
random and special values, results are compared bit for bit (NaNs as equal). What is missing, what differs and by how
much, is printed. nvcc's cubins are kept in --cache.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

HEADERS = ("cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuComplex.h")
THREADS = 2048
BATCH = 120
_PRIVATE = re.compile(
    r"_?_?internal|__nv_(?!fp8|cvt)|__nvvm|__nv_drfp|cuda[A-Z]|__cuda|_d[A-Z]|__[iIuUdDfF]Atomic|__[iuUdf]\w*Atomic|"
    r"__[tls]\w*_internal|\w+_impl$|__float_simpl|__h\w+_internal|__(?:signbit|finite|isinf|isnan)l$|__ll\w*Atomic|"
    r"__text_|__surf_|__itex|__isurf|__mm|operator|__assert|__pm|vprintf|printf|__barrier_sync"
)
_WORDS = {"static", "extern", "inline", "__inline__", "__forceinline__", "constexpr", "const", "volatile", "@D"}
NUMBERS: dict[str, Any] = {
    "bool": np.bool_, "char": np.int8, "signed char": np.int8, "unsigned char": np.uint8, "short": np.int16,
    "unsigned short": np.uint16, "int": np.int32, "unsigned int": np.uint32, "unsigned": np.uint32, "long": np.int64,
    "unsigned long": np.uint64, "long long": np.int64, "unsigned long long": np.uint64, "float": np.float32,
    "double": np.float64, "long int": np.int64, "long long int": np.int64, "unsigned long long int": np.uint64,
    "unsigned long int": np.uint64, "short int": np.int16, "unsigned short int": np.uint16, "size_t": np.uint64,
    "__half": np.float16, "__half_raw": np.float16, "__nv_bfloat16": "bfloat16", "__nv_bfloat16_raw": "bfloat16",
    "__nv_fp8_storage_t": np.uint8, "__nv_fp8x2_storage_t": np.uint16, "__nv_fp8x4_storage_t": np.uint32,
    "uint32_t": np.uint32, "uint64_t": np.uint64,
}  # fmt: skip
_VECTOR = re.compile(r"(u?(?:char|short|int|long|longlong)|float|double)([1-4])(_16a|_32a)?$")
PAIRS = {"__half2": "__half", "__half2_raw": "__half", "__nv_bfloat162": "__nv_bfloat16",
         "__nv_bfloat162_raw": "__nv_bfloat16", "cuFloatComplex": "float", "cuDoubleComplex": "double",
         "cuComplex": "float"}  # fmt: skip
CONSTANTS = {
    "__nv_saturation_t": ("__NV_NOSAT", "__NV_SATFINITE"),
    "__nv_fp8_interpretation_t": ("__NV_E4M3", "__NV_E5M2"),
    "enum cudaRoundMode": ("cudaRoundZero", "cudaRoundPosInf"),
}


@attrs.frozen
class Function:
    """`params` and `result` as spelled, without const."""

    name: str
    result: str
    params: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.result} {self.name}({', '.join(self.params)})"


def declared(nvcc: str) -> list[Function]:
    """What the headers declare for devices, at namespace scope, each overload once."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "headers.cu"
        source.write_text("".join(f"#include <{h}>\n" for h in HEADERS))
        out = Path(folder) / "headers.i"
        subprocess.run([nvcc, "-E", "-arch=sm_90", "-D__CUDA_ARCH__=900", str(source), "-o", str(out)], check=True)
        text = out.read_text()
    text = re.sub(r"^#.*$", "", text, flags=re.M).replace("__attribute__((device))", " @D ")
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__declspec\([^)]*\)", " ", text)
    text = re.sub(r'extern "C(?:\+\+)?"\s*', " ", text)
    found: dict[Function, None] = {}
    pattern = (
        r"([^;{}()#]*@D[^;{}()]*?)\b(\w+)\s*\(([^(){};]*)\)\s*(?:noexcept\s*\(\s*true\s*\)|throw\s*\(\))?\s*(?=[;{])"
    )
    for match in re.finditer(pattern, _outside(text)):
        head, name, inside = match[1], match[2], match[3]
        if "template" in head or "operator" in head or _PRIVATE.match(name) or name in ("defined", "if"):
            continue
        result = _plain(head)
        params = tuple(_parameter(p) for p in inside.split(",")) if inside.strip() not in ("", "void") else ()
        found[Function(name, result, params)] = None
    return list(found)


def _outside(text: str) -> str:
    """The text without what is in braces, save those that open a namespace or extern "C"."""
    out: list[str] = []
    depth = 0
    for piece in re.split(r"([{}])", text):
        if piece == "{":
            depth += 0 if depth == 0 and not out[-1].split(";")[-1].strip() else 1
            out.append("{" if depth <= 1 else "")
        elif piece == "}":
            depth = max(depth - 1, 0)
            out.append("}" if depth == 0 else "")
        else:
            out.append(piece if depth == 0 else "")
    return "".join(out)


def _plain(text: str) -> str:
    return " ".join(w for w in re.sub(r"([*&])", r" \1 ", text).split() if w not in _WORDS)


def _parameter(text: str) -> str:
    words = _plain(text.partition("=")[0]).replace(" const", "").split()
    if len(words) > 1 and words[-1] not in ("*", "&") and " ".join(words) not in NUMBERS:
        words = words[:-1]
    return " ".join(w for w in words if w not in ("__restrict__", "restrict"))


def dtype(name: str) -> tuple[Any, int] | None:
    """(number type, count) of a value type; None if it is none."""
    if name in NUMBERS:
        return NUMBERS[name], 1
    if name in PAIRS:
        return NUMBERS[PAIRS[name]], 2
    match = _VECTOR.match(name)
    if match:
        base = {"uchar": "unsigned char", "char": "signed char", "ushort": "unsigned short", "uint": "unsigned int",
                "ulong": "unsigned long", "longlong": "long long", "ulonglong": "unsigned long long"}  # fmt: skip
        return NUMBERS[base.get(match[1], match[1])], int(match[2])
    return None


@attrs.frozen
class Probe:
    """A kernel of one call: its text, the types of its arrays (a thread's element each); the first holds results."""

    function: Function
    name: str
    text: str
    arrays: tuple[str, ...]


def probes(functions: Sequence[Function]) -> Iterator[Probe]:
    for number, f in enumerate(functions):
        made = _probe(f, f"probe_{number}")
        if made is not None:
            yield made


def _probe(f: Function, name: str) -> Probe | None:
    arrays, call, variants = [], [], [""]
    result = f.result.replace(" *", "*")
    if result != "void" and dtype(result) is None:
        return None
    for k, p in enumerate(f.params):
        base = p.replace("*", "").replace("&", "").strip()
        if p in CONSTANTS:
            variants = [v + f"@{c}" for v in variants for c in CONSTANTS[p]]
            call.append("@")
            continue
        if dtype(base) is None or p.count("*") > 1:
            return None
        if "_sync" in f.name and k == 0:
            call.append("0xffffffffu")
            continue
        if f.name.startswith("__shfl") and k == 3:
            call.append("16")
            continue
        arrays.append(base)
        element = f"a{len(arrays)}[i]"
        call.append(f"&{element}" if "*" in p else element)
    lines = []
    for v, variant in enumerate(variants):
        words = variant.split("@")[1:]
        given = [words.pop(0) if c == "@" else c for c in call]
        made = f"{f.name}({', '.join(given)})"
        lines.append(f"r[{v} * {THREADS} + i] = {made};" if result != "void" else f"{made}; r[0] = 1;")
    kind = "int" if result == "void" else result
    params = ", ".join([f"{kind} *r", *[f"{a} *a{k + 1}" for k, a in enumerate(arrays)]])
    text = f'extern "C" __global__ void {name}({params}) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; '
    return Probe(f, name, text + " ".join(lines) + " }", (kind, *arrays))


SPECIAL = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    np.inf,
    -np.inf,
    np.nan,
    1e-40,
    -1e-40,
    3.4e38,
    1e-310,
    65504.0,
    448.0,
    464.0,
)


def values(kind: Any, count: int, seed: int) -> Any:
    """`count` numbers: special ones, logarithmically spread ones, small ones; integers of all sizes."""
    rng = np.random.default_rng(seed)
    if isinstance(kind, str) or np.dtype(kind).kind == "f":
        small = isinstance(kind, str) or np.dtype(kind).itemsize < 8
        spread = {2: 8, 4: 30, 8: 200}[2 if isinstance(kind, str) else np.dtype(kind).itemsize]
        out = rng.choice([-1, 1], count) * 2 ** rng.uniform(-spread, spread, count)
        out[count // 2 :] = rng.uniform(-6, 6, count - count // 2)
        out[count * 7 // 8 :] = rng.choice(SPECIAL, count - count * 7 // 8)
        with np.errstate(over="ignore"):
            if isinstance(kind, str):
                return (out.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
            return out.astype(np.float32 if small else np.float64).astype(kind)
    if np.dtype(kind).kind == "b":
        return rng.integers(0, 2, count).astype(np.bool_)
    bits = np.dtype(kind).itemsize * 8
    raw = rng.integers(0, 1 << 63, count, dtype=np.uint64) << np.uint64(1) | rng.integers(0, 2, count, dtype=np.uint64)
    raw >>= rng.integers(0, 64, count).astype(np.uint64)
    raw[::5] = rng.integers(0, 40, len(raw[::5]))
    raw[1::7] = np.uint64(0) - raw[1::7]
    return (raw & np.uint64((1 << bits) - 1)).astype(np.dtype(f"u{bits // 8}")).view(kind)


def compile_ours(text: str) -> tuple[bytes | None, dict[int, str]]:
    """(cubin, {line: message}): one of them is empty."""
    import minicc
    from minicc.diagnostics import CompileError, SourceFile

    try:
        return minicc.compile(SourceFile("probes.k", text), options="-w").cubin, {}
    except CompileError as error:
        out: dict[int, str] = {}
        for d in error.diagnostics:
            if d.severity == "error":
                line = text.count("\n", 0, d.where.start) if d.where and d.where.source.text == text else -1
                out.setdefault(line, d.message)
        return None, out or {-1: str(error)}


def compile_theirs(nvcc: str, text: str, cache: Path) -> tuple[bytes | None, dict[int, str]]:
    kept = cache / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.cubin"
    if kept.exists():
        return kept.read_bytes(), {}
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "probes.cu", Path(folder) / "probes.cubin"
        source.write_text(text)
        command = [nvcc, "-cubin", "-arch=sm_90", "-w", "-o", str(out), str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            shutil.copy(out, kept)
            return out.read_bytes(), {}
        found = re.findall(r"probes\.cu\((\d+)\): error: (.*)", done.stderr)
        return None, {int(n) - 1: message for n, message in found} or {-1: done.stderr}


def compiled(batch: list[Probe], build: Any) -> tuple[bytes | None, list[Probe], dict[Probe, str]]:
    """(image, the probes in it, why the others are not)."""
    head = "".join(f"#include <{h}>\n" for h in HEADERS)
    left, failed = list(batch), dict[Probe, str]()
    while left:
        image, errors = build(head + "\n".join(p.text for p in left))
        if image is not None:
            return image, left, failed
        bad = [k - len(HEADERS) for k in errors if k >= len(HEADERS)]
        if not bad:
            if len(left) == 1:
                failed[left[0]] = next(iter(errors.values()))
                return None, [], failed
            # No place is known: try halves, and keep those of the first half that stand alone.
            good: list[Probe] = []
            for half in (left[: len(left) // 2], left[len(left) // 2 :]):
                _, kept, lost = compiled(half, build)
                good += kept
                failed |= lost
            left = good
            continue
        for k in bad:
            failed[left[k]] = errors[k + len(HEADERS)]
        left = [p for k, p in enumerate(left) if k not in bad]
    return None, [], failed


def run(image: bytes, probe: Probe) -> list[Any] | str:
    """The arrays after a launch, or what went wrong."""
    import runtime

    device = runtime.Device("sm_90", timing=False, hazards="off", memory=1 << 28, instruction_limit=4_000_000)
    buffers = []
    for k, kind in enumerate(probe.arrays):
        found = dtype(kind)
        assert found is not None
        count = THREADS * (4 if k == 0 else 1)
        data = (
            values(found[0], count * _stride(kind), k) if k else np.zeros(count * _stride(kind), _plain_type(found[0]))
        )
        buffers.append(device.buffer(data))
    try:
        device.load(image)[probe.name][(THREADS // 128,), (128,)](*buffers).wait()
    except Exception as error:  # any failure of the model is a result here
        return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"
    return [b.numpy() for b in buffers]


def _plain_type(kind: Any) -> Any:
    return np.uint16 if isinstance(kind, str) else kind


def _stride(kind: str) -> int:
    """Numbers an element takes."""
    found = dtype(kind)
    assert found is not None
    return found[1]


def apart(kind: str, a: Any, b: Any) -> tuple[int, float, str]:
    """(how many elements differ, by how many ulps at most; an example)."""
    found = dtype(kind)
    assert found is not None
    if isinstance(found[0], str):
        a, b = ((v.astype(np.uint32) << 16).view(np.float32) for v in (a, b))
    same = a == b
    if a.dtype.kind == "f":
        bits = f"i{a.dtype.itemsize}"
        same = (a.view(bits) == b.view(bits)) | (np.isnan(a) & np.isnan(b))
    at = np.flatnonzero(~same)
    if not len(at):
        return 0, 0.0, ""
    k = int(at[0])
    if a.dtype.kind != "f":
        return len(at), float("inf"), f"[{k}] {a[k]} / {b[k]}"
    x, y = (v[at].view(f"i{a.dtype.itemsize}").astype(object) for v in (a, b))
    low = -(1 << 8 * a.dtype.itemsize - 1)
    steps = [abs((p if p >= 0 else low - p) - (q if q >= 0 else low - q)) for p, q in zip(x, y, strict=True)]
    k = int(np.argmax(steps))
    shift = 1 << 16 if isinstance(found[0], str) else 1
    return len(at), max(steps) / shift, f"[{at[k]}] {a[at[k]]!r} / {b[at[k]]!r}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--match", default="", help="only functions whose name this regular expression finds")
    parser.add_argument("--list", action="store_true", help="print the functions and stop")
    parser.add_argument("--compile", action="store_true", help="compile only")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "minicc-nvcc-cubins")
    options = parser.parse_args(arguments)
    options.cache.mkdir(parents=True, exist_ok=True)
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        print("nvcc is not installed")
        return 2
    functions = [f for f in declared(nvcc) if re.search(options.match, f.name)]
    work = list(probes(functions))
    asked = {p.function for p in work}
    if options.list:
        for f in functions:
            print("+" if f in asked else "-", f)
        return 0
    print(f"{len(functions)} functions, {len(work)} probes")
    count: Counter[str] = Counter()
    for at in range(0, len(work), BATCH):
        batch = work[at : at + BATCH]
        ours, _, failed = compiled(batch, compile_ours)
        theirs, there, _ = compiled(batch, lambda text: compile_theirs(nvcc, text, options.cache))
        for probe in there:
            if probe in failed:
                count["missing"] += 1
                print(f"missing  {probe.function}: {failed[probe]}", flush=True)
                continue
            if options.compile or ours is None or theirs is None:
                count["compiles"] += 1
                continue
            a, b = run(theirs, probe), run(ours, probe)
            if isinstance(a, str) or isinstance(b, str):
                verdict = "fails" if isinstance(a, list) else "not run"
                count[verdict] += 1
                print(f"{verdict:8} {probe.function}: {b if isinstance(b, str) else a}", flush=True)
                continue
            worst = max((apart(k, x, y) for k, x, y in zip(probe.arrays, a, b, strict=True)), key=lambda w: w[1])
            verdict = "equal" if not worst[0] else "ulps" if worst[1] <= 8 else "DIFFERS"
            count[verdict] += 1
            if worst[0]:
                print(f"{verdict:8} {probe.function}: {worst[0]} by {worst[1]:g} ulp, {worst[2]}", flush=True)
    print(dict(count))
    return 0


if __name__ == "__main__":
    sys.exit(main())
