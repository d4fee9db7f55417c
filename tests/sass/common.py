"""What the tests of the machine code share: the recorded words, and NVIDIA's tools where they are installed."""

from __future__ import annotations

import gzip
import re
import struct
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from minicc.arch import Arch
from minicc.sass.listing import arch_of
from tests.conftest import find_tool


class Vector(NamedTuple):
    """One recorded word and its text."""

    arch: str
    word: int
    address: int
    text: str


@cache
def vectors() -> tuple[Vector, ...]:
    """All recorded words; see data/README.md."""
    lines = gzip.decompress((Path(__file__).parent / "data/vectors.tsv.gz").read_bytes()).decode().splitlines()
    out = []
    for line in lines:
        arch, high, low, address, text = line.split("\t")
        out.append(Vector(arch, int(high, 16) << 64 | int(low, 16), int(address, 16), text))
    return tuple(out)


@cache
def machine(name: str) -> Arch:
    """The architecture, or a stand-in with its encoding."""
    return arch_of(name)


def squeeze(text: str) -> str:
    """Runs of blanks to one."""
    return re.sub(" +", " ", text)


def need(name: str) -> str:
    """The tool's path; skips the test if it is not installed."""
    path = find_tool(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


NOP = 0x000FC000_00000000_00000000_00007918


def nvdisasm(words: list[int], arch: str, folder: Path) -> list[str | None]:
    """What nvdisasm prints for each word, at address 16 * index; None where it refuses. It prints nothing where it
    refuses one word, but names all of them: these are NOPs in the second try."""
    path, refused = folder / "words.bin", set[int]()
    while True:
        tried = [NOP if k in refused else w for k, w in enumerate(words)]
        path.write_bytes(b"".join(struct.pack("<QQ", w & (1 << 64) - 1, w >> 64) for w in tried))
        command = [need("nvdisasm"), "-b", arch, "-hex", "-ndf", str(path)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if run.returncode == 0:
            break
        named = {int(at, 16) // 16 for at in re.findall(r"at address (0x[0-9a-f]+)", run.stderr)}
        assert named - refused, run.stderr
        refused |= named
    texts: list[str | None] = [None] * len(words)
    for match in re.finditer(r"/\*([0-9a-f]{4,})\*/\s+(.*?;)\s*/\* 0x", run.stdout, re.S):
        texts[int(match[1], 16) // 16] = match[2]
    return [None if k in refused else text for k, text in enumerate(texts)]
