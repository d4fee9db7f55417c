"""What several tests of the backend share: kernels compiled once by nvcc, and the way from PTX to a Program."""

from __future__ import annotations

from pathlib import Path

import pytest

import minicc
from minicc import arch as archs
from minicc import ptx, ptxas
from minicc.analysis.mix import instructions
from minicc.binary import read_cubin
from minicc.diagnostics import SourceFile
from minicc.ptxas import Options
from minicc.sass.program import Program
from tests.conftest import nvcc_makes
from tests.end_to_end.harness import run_script

ARCH = archs.get("sm_90")
SOURCE = Path(__file__).with_name("kernels.cu")


def assemble(text: str, options: Options | None = None) -> Program:
    """Our ptxas, with every verifier on."""
    options = options or Options()
    options.verify = True
    return ptxas.assemble(ptx.parse(SourceFile("kernels.ptx", text)), ARCH, options)


def mnemonics(image: bytes, kernel: str = "f", modifier: str = "") -> list[str]:
    """Of a cubin's kernel, in order; `modifier` stands behind those that have it."""
    code = instructions(read_cubin(image, kernel).functions[0].code, ARCH)
    return [f"{i.mnemonic}.{modifier}" if modifier in i.modifiers else i.mnemonic for i in code]


def checked(folder: Path, source: str, modifier: str = "") -> list[str]:
    """The mnemonics of kernel `f` of a file whose every `expect` holds on the model."""
    path = folder / "f.k"
    path.write_text(source)
    image = minicc.compile(path, arch="sm_90").cubin
    checks = run_script(path, image).checks
    assert len(checks) == source.count("expect(") > 0 and all(check.ok for check in checks)
    return mnemonics(image, modifier=modifier)


@pytest.fixture(scope="session")
def kernels_ptx(tmp_path_factory: pytest.TempPathFactory) -> str:
    """PTX that nvcc makes of kernels.cu."""
    return nvcc_makes(SOURCE, tmp_path_factory.mktemp("nvcc") / "kernels.ptx").decode()


@pytest.fixture(scope="session")
def kernels_cubin(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The cubin that nvcc makes of kernels.cu."""
    return nvcc_makes(SOURCE, tmp_path_factory.mktemp("nvcc") / "kernels.cubin")
