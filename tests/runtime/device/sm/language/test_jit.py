"""The engine is compiled as a draft first, and in full when drafts have run for a while."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys

SCRIPT = """
import json, sys
import numpy as np
import minicc, runtime
from runtime.device.sm.language import jit

gpu = runtime.Device("sm_90")
scan = gpu.load(minicc.compile(sys.argv[1], arch="sm_90"))["vadd"]

def run(patience):
    jit.PATIENCE = patience
    a = np.arange(5000, dtype=np.float32)
    c = np.zeros(5000, np.float32)
    launch = scan[20, 256](a, a, c, 5000)
    assert np.array_equal(c, a + a)
    kept = sorted(p.name for p in jit.cache_directory().glob("timed*"))
    return launch.cycles, launch.stats, kept, [str(h) for h in launch.hazards]

print(json.dumps([run(patience) for patience in json.loads(sys.argv[2])]))
"""


def answers(patience: str, cache: str) -> list[list[object]]:
    environment = {**os.environ, "MINICC_CACHE_DIR": cache}
    words = [sys.executable, "-c", SCRIPT, "samples/vadd.k", patience]
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_drafts_say_what_the_full_machine_says_and_are_replaced(tmp_path):
    (draft,) = answers("[60]", str(tmp_path))
    assert draft[2] == ["timed.draft.o", "timed.draft.seconds"]
    # What drafts took is known to the next process.
    full, again = answers("[0, 60]", str(tmp_path))
    assert full[2] == again[2] == [*draft[2], "timed.o"]
    assert draft[:2] == full[:2] == again[:2] and draft[3] == full[3] == []


def test_a_full_disk_costs_only_time(tmp_path):
    """What cannot be kept is compiled in each process."""
    words = [sys.executable, "-m", "minicc", "run", "samples/vadd.k", "--set", "n=64"]
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 8; exec {shlex.join(words)}"],
        capture_output=True,
        text=True,
        env={**os.environ, "MINICC_CACHE_DIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert "check c: ok" in done.stdout
    assert not list(tmp_path.rglob("timed*.o"))
