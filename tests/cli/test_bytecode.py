"""The file that has the byte code of all modules: it is written, used, and not used when anything has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import minicc

SOURCE = Path(minicc.__file__).parent
KERNEL = "__global__ void k(float *a) { a[threadIdx.x] = 1; }\n"
FOUND = """
import sys
from minicc import bytecode
finder = bytecode.use()
import minicc.numbers
print(finder is not None, len(finder.rows) if finder else 0, getattr(minicc.numbers, "NEW", 0))
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A package of its own, and a kernel."""
    shutil.copytree(SOURCE, tmp_path / "minicc", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "k.cu").write_text(KERNEL)
    return tmp_path


def run(folder: Path, *words: str) -> str:
    """What Python prints with that package."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run([sys.executable, *words], cwd=folder, env=kept, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_used_while_the_sources_are_what_they_were(copy: Path) -> None:
    compile_ = ("-m", "minicc", "-cubin", "-o", "k.cubin", "k.cu")
    run(copy, *compile_)
    first = (copy / "k.cubin").read_bytes()
    used, modules, new = run(copy, "-c", FOUND).split()
    assert (used, new) == ("True", "0") and int(modules) > 250
    (copy / "k.cubin").unlink()
    run(copy, *compile_)
    assert (copy / "k.cubin").read_bytes() == first

    source = copy / "minicc/numbers.py"
    source.write_text(source.read_text() + "NEW = 7\n")
    assert run(copy, "-c", FOUND).split() == ["False", "0", "7"]
    run(copy, *compile_)
    assert run(copy, "-c", FOUND).split() == ["True", modules, "7"]

    (file,) = copy.glob("minicc/__pycache__/*.all")
    file.write_bytes(file.read_bytes()[:100])
    assert run(copy, "-c", FOUND).split() == ["False", "0", "7"]
    run(copy, *compile_)
    assert (copy / "k.cubin").read_bytes() == first


def test_it_is_not_written_where_python_may_write_none(copy: Path) -> None:
    run(copy, "-B", "-m", "minicc", "-cubin", "-o", "k.cubin", "k.cu")
    assert not list(copy.glob("minicc/__pycache__/*"))
