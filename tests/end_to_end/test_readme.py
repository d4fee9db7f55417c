"""README.md shows what its commands print, but for times; its kernel is the sample's, and its Python runs."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests import pages

TEXT = (pages.ROOT / "README.md").read_text()
SHELL = "".join(re.findall(r"^    \$ .*\n(?:    .*\n|\n(?=    ))*", TEXT, re.MULTILINE))


def _plain(line: str) -> str:
    """Without times and rates, columns closed up."""
    return re.sub(r"[\d.]+ (?=ms$|s \(|M warp)", "", " ".join(line.split()))


def test_the_commands_print_what_is_shown() -> None:
    shown = 0
    with pages.folder():
        for line in SHELL.splitlines():
            if line.startswith("    $ "):
                command = line[6:]
                done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
                text = done.stderr + done.stdout
                printed = [_plain(line) for line in (text.splitlines() if command[:3] != "ls " else [text])]
            elif line.strip() != "...":
                shown += 1
                assert _plain(line) in printed, f"{command}\nprints\n" + "\n".join(printed)
    assert shown > 20


def test_the_kernel_is_the_sample_s() -> None:
    (kernel,) = re.findall(r"^```c\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    sample = (pages.ROOT / "samples/vadd.k").read_text()
    assert all(line in sample for line in kernel.splitlines())


def test_the_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    with pages.folder():
        exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("[2. 2. 2. 2.] ")
