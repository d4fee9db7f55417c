"""Programs that are wrong, one fault each (wrong.txt): the first error names the line, in clang's words, with a caret;
nothing is written. nvcc 13 refuses each of them on the same line (a missing ';' it names on the line behind)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from minicc import cli

TEXT = (Path(__file__).parent / "wrong.txt").read_text()
CASES = re.findall(r"^=== (\d+): (.*)\n((?:(?!===).*\n)+)", TEXT, re.M)


@pytest.mark.parametrize(("line", "message", "source"), CASES, ids=[f"{k}-{c[1][:40]}" for k, c in enumerate(CASES)])
def test_the_first_error(tmp_path, capsys, line, message, source):
    path, out = tmp_path / "w.cu", tmp_path / "w.ptx"
    path.write_text(source)
    std = ["-std=c++20"] if source.startswith("// c++20") else []
    assert cli.main(["-ptx", "-arch=sm_90", *std, "-o", str(out), str(path)]) == 1
    errors = [text for text in capsys.readouterr().err.splitlines() if text]
    first = next(k for k, text in enumerate(errors) if "error:" in text)
    assert errors[first].startswith(f"{path}:{line}:")
    assert message in errors[first]
    assert any(text.lstrip().startswith("^") for text in errors[first + 1 : first + 4])
    assert not out.exists()


def test_all_were_read():
    assert len(CASES) == TEXT.count("===") > 50
