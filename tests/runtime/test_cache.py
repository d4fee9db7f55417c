"""Where compiled code is kept."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from runtime import cache


def test_the_environment_moves_it(tmp_path, monkeypatch):
    monkeypatch.setenv("MINICC_CACHE_DIR", str(tmp_path / "here"))
    assert cache.root() == tmp_path / "here"


def test_a_place_that_cannot_be_written_is_replaced_for_the_life_of_the_process():
    code = "from runtime import cache; d = cache.directory(); (d / 'x').touch(); print(d)"
    environment = {**os.environ, "MINICC_CACHE_DIR": "/proc/nowhere"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert not os.path.exists(done.stdout.strip())


def test_the_fingerprint_is_of_the_sources(monkeypatch):
    assert cache.fingerprint() == cache.fingerprint() and len(cache.fingerprint()) == 16


@pytest.mark.parametrize("verb", ["info", "clear"])
def test_the_verb(verb, tmp_path, monkeypatch, capsys):
    from minicc import cli

    monkeypatch.setenv("MINICC_CACHE_DIR", str(tmp_path))
    (tmp_path / "kept").write_bytes(b"12345")
    assert cli.main(["cache", verb]) == 0
    assert "1 files" in capsys.readouterr().out
    assert (tmp_path / "kept").exists() == (verb == "info")
