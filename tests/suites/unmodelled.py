"""Which instructions of foreign machine code the SM model cannot execute: `tests/suites/unmodelled.py PATH...`.

PATH is a cubin, or a folder in which cubins are looked for. Every instruction is decoded and bound as the model does it
at a launch. Printed, most frequent first: mnemonic with modifiers, how often, in how many files, and why not. The exit
status is 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from minicc import sass
from minicc.arch import NAMES
from minicc.arch import get as get_arch
from minicc.binary import read_cubin
from minicc.diagnostics import CompileError
from runtime.device.sm.code import decode


def cubins(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.rglob("*.cubin")) if path.is_dir() else [path]


def unmodelled(data: bytes) -> tuple[int, Counter[tuple[str, str]]]:
    """(instructions, how often each (opcode with modifiers, reason) that is not modelled occurs) of a cubin for
    a machine that has a model."""
    image = read_cubin(data, "cubin")
    if image.arch not in NAMES:
        return 0, Counter()
    arch = get_arch(image.arch)
    out: Counter[tuple[str, str]] = Counter()
    total = 0
    for kernel in image.functions:
        for at in range(0, len(kernel.code) - 15, 16):
            total += 1
            try:
                instr = sass.decode(int.from_bytes(kernel.code[at : at + 16], "little"), arch, at)
            except CompileError as error:
                out["(not decoded)", str(error)] += 1
                continue
            reason = decode.unmodelled(instr, arch)
            if reason is not None:
                out[".".join((instr.mnemonic, *instr.modifiers)), reason] += 1
    return total, out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    instructions = files = 0
    count: Counter[tuple[str, str]] = Counter()
    where: Counter[tuple[str, str]] = Counter()
    for path in cubins(parser.parse_args().paths):
        total, found = unmodelled(path.read_bytes())
        instructions, files = instructions + total, files + 1
        count.update(found)
        where.update(found.keys())
    for (name, reason), n in count.most_common():
        print(f"{n:7} in {where[name, reason]:4} files  {name:48} {reason}")
    print(f"{sum(count.values())} of {instructions} instructions in {files} files are not modelled")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
