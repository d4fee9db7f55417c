"""NVIDIA's own libraries as a corpus: `python -m tests.suites.libraries FOLDER [PACKAGE...] [--seconds N] [--seed N]`.

Each PACKAGE (nvidia-cusparse, nvidia-npp, nvidia-nccl-cu13 ...) is downloaded from PyPI into FOLDER, once, and its
sm_90 cubins are taken out of its shared libraries. Then, for N seconds, cubins of FOLDER in random order:

    text     what cuobjdump -sass prints of an instruction, and what we print of its word (of each shape of text, that
             is with registers and numbers left out, the first four)
    word     the word that we encode of the decoded instruction, and the one that was there
    check    what the static checker reports: NVIDIA's code must pass

Needs cuobjdump and, for packages, pip and the network. Prints counts and an example of each fault; status 1 if any.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from minicc.binary import read_cubin
from minicc.diagnostics import CompileError
from minicc.ptxas.control.check import check
from minicc.sass import decode, encode
from minicc.sass.listing import arch_of
from minicc.sass.printer import format as text_of
from tests.conftest import find_tool

CUOBJDUMP = find_tool("cuobjdump") or ""
ARCH = arch_of("sm_90")
LONGEST = 6000
"""Instructions of a function that the checker is asked about."""
SAME_SHAPE = 4
_FIRST = re.compile(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;?\s*/\* 0x([0-9a-f]{16}) \*/")
_SECOND = re.compile(r"\s+/\* 0x([0-9a-f]{16}) \*/")
_NUMBERS = re.compile(r"\b(U?R|U?P|B|SB)\d+\b|0x[0-9a-f]+|\b\d+(\.\d+)?(e[+-]?\d+)?\b")


def fetch(folder: Path, package: str) -> None:
    """The sm_90 cubins of a package, as FOLDER/<library>/*.cubin. The wheel is removed."""
    wheels = folder / package
    if wheels.exists():
        return
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", wheels, package],
        check=True,
    )
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if re.search(r"\.so(\.\d+)*$", name):
                    library = Path(archive.extract(name, wheels))
                    target = folder / library.name.split(".so")[0]
                    target.mkdir(exist_ok=True)
                    subprocess.run([CUOBJDUMP, "-arch", "sm_90", "-xelf", "all", library.resolve()], cwd=target,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # fmt: skip
                    library.unlink()
        wheel.unlink()


def printed(cubin: Path) -> Iterator[tuple[int, str, int]]:
    """(place, text, word) of every instruction, as cuobjdump prints it."""
    with subprocess.Popen([CUOBJDUMP, "-sass", cubin], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pending = None
        for line in process.stdout:
            if found := _FIRST.match(line):
                pending = found.groups()
            elif pending and (rest := _SECOND.match(line)):
                place, text, low = pending
                pending = None
                yield int(place, 16), " ".join(text.rstrip("; ").split()), int(low, 16) | int(rest[1], 16) << 64


def instruction(text: str, word: int, place: int) -> str:
    """What is wrong with our reading of a word, or nothing."""
    try:
        instr = decode(word, ARCH, place)
        ours = " ".join(text_of(instr, ARCH.sass).rstrip("; ").split())
        if ours != text:
            return f"text: {ours}"
        again = encode(instr, ARCH, place)
        return "" if again == word else f"word: {again:032x}"
    except CompileError as error:
        return f"{error}"


def measure(cubins: list[Path], seconds: float) -> int:
    """Print what was found in the cubins that the time allowed; the number of faults."""
    end = time.monotonic() + seconds
    shapes: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    examples: dict[str, str] = {}
    count = checked = files = 0

    def fault(kind: str, example: str) -> None:
        faults[kind] += 1
        examples.setdefault(kind, example)

    for cubin in cubins:
        if time.monotonic() > end:
            break
        files += 1
        for place, text, word in printed(cubin):
            count += 1
            shape = _NUMBERS.sub("#", text)
            shapes[shape] += 1
            if shapes[shape] <= SAME_SHAPE and (wrong := instruction(text, word, place)):
                fault(f"{shape.split()[0]}: {wrong.split(':')[0]}", f"{text} | {wrong} | {word:032x}")
        for function in read_cubin(cubin.read_bytes(), cubin.name).functions:
            if len(function.code) > 16 * LONGEST or time.monotonic() > end:
                continue
            checked += len(function.code) // 16
            for problem in check(function.code, ARCH):
                kind = f"check: {problem.kind} {_NUMBERS.sub('#', problem.text)}"
                fault(kind, f"{problem} | {cubin} {function.name}")
    print(f"{files} cubins: {count} instructions of {len(shapes)} shapes printed, {checked} checked, "
          f"{faults.total()} faults")  # fmt: skip
    for kind, number in faults.most_common():
        print(f"{number:6} {kind}\n       {examples[kind]}")
    return faults.total()


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if not CUOBJDUMP:
        sys.exit("cuobjdump is neither on PATH nor among the wheels of the test extra")
    given.folder.mkdir(exist_ok=True)
    for package in given.packages:
        fetch(given.folder, package)
    cubins = sorted(given.folder.rglob("*.cubin"))
    random.Random(given.seed).shuffle(cubins)
    return 1 if measure(cubins, given.seconds) else 0


if __name__ == "__main__":
    sys.exit(main())
