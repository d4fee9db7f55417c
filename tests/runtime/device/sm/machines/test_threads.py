"""SMs in several threads: who simulates them changes nothing."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minicc import cli
from minicc.record import evolve
from runtime.device.grid import Outcome
from runtime.device.sm.language import jit
from runtime.device.sm.machines import threads
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import addresses
from tests.conftest import SAMPLES
from tests.runtime.device.sm.kit import HEAD, Bench, Line, assemble, i, tail

MANY, CTAS = 3, 300


def settle(text: str) -> Line:
    return i(text, 15, yield_=True)


LOOP = [
    settle("MOV R6, 0x100"),
    settle("IADD3 R6, R6, -0x1, RZ"),
    settle("ISETP.NE.AND P0, PT, R6, RZ, PT"),
    i("@P0 BRA 0x60", 5),
]
"""Some 256 turns of which nobody else hears, behind HEAD."""


@pytest.fixture
def by_turns(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Helpers that do all that they can after each window, whatever the host's cores have to do: what they issued."""
    issued = {"helped": 0}
    own: list[dict[str, Any]] = []
    make, go_on = threads._own, jit.go_on

    def made(run: Any) -> dict[str, Any]:
        if own and own[0]["WS"] is not run.tables["WS"]:
            own.clear()
        own.append(make(run))
        return own[-1]

    def turn(machine: str, turns: int, tables: int) -> int:
        result = go_on(machine, 1, tables)
        for helper in own if machine == "timed" else []:
            before = helper["G"][L.G_INSTR]
            jit.call("timed", 0, addresses(helper).ctypes.data)
            issued["helped"] += int(helper["G"][L.G_INSTR] - before)
        return result

    monkeypatch.setattr(threads, "PATIENCE", 0)
    monkeypatch.setattr(threads, "_own", made)
    monkeypatch.setattr(threads, "_help", lambda *_: None)
    monkeypatch.setattr(jit, "go_on", turn)
    return issued


def launches(capsys: pytest.CaptureFixture[str], sample: str, cores: int, *options: str) -> list[dict[str, Any]]:
    """What `minicc run` says of a sample's launches, but for the time that they took."""
    assert cli.main(["run", str(SAMPLES / f"{sample}.k"), "--json", f"--cores={cores}", *options]) in (0, None)
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["launches"]
    for launch in found:
        del launch["simulation_seconds"]
    return found


@pytest.mark.parametrize("sample", ["mandelbrot", "scan", "histogram", "spmv_scalar", "collatz"])
def test_helpers_change_nothing(capsys: pytest.CaptureFixture[str], by_turns: dict[str, int], sample: str) -> None:
    alone = launches(capsys, sample, 1)
    assert by_turns["helped"] == 0
    assert launches(capsys, sample, 2) == alone
    issued = sum(launch["stats"]["smsp__inst_executed.sum"] for launch in alone)
    # In compute-bound kernels an SM seldom comes to what others share.
    assert by_turns["helped"] > issued * (0.5 if sample in ("mandelbrot", "collatz") else 0.005)


@pytest.mark.parametrize("sample", ["nbody", "bitonic", "dot"])
def test_threads_change_nothing(capsys: pytest.CaptureFixture[str], sample: str) -> None:
    assert launches(capsys, sample, MANY) == launches(capsys, sample, 1)


def outcome(lines: list[Line], cores: int, **options: Any) -> tuple[Any, Outcome]:
    """Run HEAD + lines + tail() of many CTAs; the words, and what came of it, but for the time that it took."""
    bench = Bench()
    out = bench.buffer(np.zeros(128, np.uint32))
    code = assemble([*HEAD, *lines, *tail()])
    done = bench.run(code, CTAS, 128, struct.pack("<Q", out), cores=cores, shared=1024, **options)
    return bench.array(out, np.uint32, 128), evolve(done, seconds=0.0)


def test_hazards_are_counted_whoever_finds_them(by_turns: dict[str, int]) -> None:
    lines = [*LOOP, i("MOV R5, 0x7"), i("IMAD R4, R5, 0x2, RZ", 8)]
    words, alone = outcome(lines, 1)
    assert sum(h.count for h in alone.hazards) == CTAS * 4
    again, helped = outcome(lines, MANY)
    assert by_turns["helped"] and helped == alone and (words == again).all()


@pytest.mark.parametrize(
    "lines",
    [
        [settle("MOV R7, 0x100000"), i("LDS R4, [R7]", 2, wbar=0)],
        [settle("MOV R7, 0x3"), i("STS [R7], R7", 2, rbar=0)],
        [i("BPT.TRAP 0x1", 5)],
    ],
    ids=["address", "alignment", "trap"],
)
def test_a_fault_is_that_of_one_thread(by_turns: dict[str, int], lines: list[Line]) -> None:
    """Half of the CTAs run into it, behind a loop; which one is told does not depend on who was there first."""
    chosen = [
        i("S2R R8, SR_CTAID.X", 2, wbar=1),
        i("NOP", 2, wait=2),
        settle("LOP3.LUT P1, RZ, R8, 0x1, RZ, 0xc0, !PT"),
    ]
    guarded = [(f"@P1 {text}", control) if "MOV" not in text else (text, control) for text, control in lines]
    _, alone = outcome([*LOOP, *chosen, *guarded], 1)
    _, helped = outcome([*LOOP, *chosen, *guarded], MANY)
    assert by_turns["helped"] and alone.fault is not None
    assert helped.fault == alone.fault and helped.cycles == alone.cycles


def limits(**options: Any) -> Callable[[int], Outcome]:
    return lambda cores: outcome([i("BRA 0x50", 5)], cores, **options)[1]


@pytest.mark.parametrize("run", [limits(cycle_limit=20000), limits(runaway_limit=100000)], ids=["cycles", "runaway"])
def test_what_does_not_end_is_ended(run: Callable[[int], Outcome]) -> None:
    for cores in (1, 2):
        fault = run(cores).fault
        assert fault is not None and fault.kind == "timeout"
