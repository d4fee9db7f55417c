"""Timelines: the record of a real run, by a process that keeps it."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from minicc import cli
from runtime.profile.meaning import STATES
from runtime.profile.svg import Series, Span, bars, chart, spans
from tests.conftest import SAMPLES

DOT = str(SAMPLES / "dot.k")


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("timeline")
    files = {name: str(folder / name) for name in ("t.json", "t.svg", "states.svg")}
    command = [sys.executable, "-m", "minicc", "prof", DOT, "--json", "--picture", files["states.svg"]]
    files["roof.svg"] = str(folder / "roof.svg")
    command += ["--roofline", files["roof.svg"]]
    for name in ("t.json", "t.svg"):
        command += ["--timeline", files[name]]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {
        "profile": json.loads(done.stdout)["launches"][0],
        "events": json.loads(Path(files["t.json"]).read_text())["traceEvents"],
        "pictures": [Path(files[name]).read_text() for name in ("t.svg", "states.svg", "roof.svg")],
    }


def test_warps_are_covered_without_gaps_or_overlaps(traced):
    lanes: dict[int, list[dict[str, Any]]] = {}
    for event in traced["events"]:
        if event["ph"] == "X" and event["pid"] == 1:
            lanes.setdefault(event["tid"], []).append(event)
    assert len(lanes) == 8  # one block of 256 threads
    for events in lanes.values():
        events.sort(key=lambda e: e["ts"])
        for one, after in itertools.pairwise(events):
            assert one["ts"] + one["dur"] == after["ts"]
        assert events[-1]["name"] == "EXIT"


def test_pipes_take_one_thing_at_a_time(traced):
    """A viewer draws what overlaps in a row as nested."""
    rows: dict[int, list[dict[str, Any]]] = {}
    for event in traced["events"]:
        if event["ph"] == "X" and event["pid"] == 3:
            rows.setdefault(event["tid"], []).append(event)
    assert len(rows) > 4
    for events in rows.values():
        events.sort(key=lambda e: e["ts"])
        for one, after in itertools.pairwise(events):
            assert one["ts"] + one["dur"] <= after["ts"]


def test_issues_are_the_sm_s_share_of_the_instructions(traced):
    issued = [e for e in traced["events"] if e["ph"] == "X" and e["pid"] == 1 and e["name"] not in STATES]
    # 128 blocks on 132 SMs: one block each.
    assert len(issued) * 128 == pytest.approx(traced["profile"]["instructions"], rel=0.02)
    assert all(e["dur"] == 1 and e["args"]["lanes"] <= 32 for e in issued)


def test_memory_accesses_begin_and_end(traced):
    begun = {e["id"]: e for e in traced["events"] if e["ph"] == "b"}
    ended = {e["id"]: e for e in traced["events"] if e["ph"] == "e"}
    assert set(begun) == set(ended) and begun
    loads = [k for k in begun if begun[k]["name"].startswith("LDG")]
    assert all(ended[k]["ts"] - begun[k]["ts"] > 250 for k in loads)  # L2 at least
    flying = [e["args"]["n"] for e in traced["events"] if e["ph"] == "C"]
    assert min(flying) == 0 == flying[-1] and max(flying) > 4


def test_lanes_before_and_after_the_guard(traced):
    out = traced["profile"]["metrics"]
    active = out["smsp__thread_inst_executed_per_inst_executed.ratio"]
    assert out["smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"] <= active <= 32


def test_pictures_are_svg(traced):
    for text in traced["pictures"]:
        assert ET.fromstring(text).tag.endswith("svg")
    series = [Series("a", ((0, 0), (10, 5))), Series("b & <c>", ((0, 1), (10, 3)), dashed=True)]
    for text in (
        chart("t", "x", "y", series),
        bars("t", [("row", [("p", 1.0), ("q", 2.0)]), ("empty", [])]),
        spans("t", [Span("l", 0, 5, "k"), Span("m", 2, 3, "j", "<title>")]),
        spans("nothing", []),
    ):
        assert ET.fromstring(text).tag.endswith("svg")


def test_mistakes_are_named(capsys, tmp_path):
    for words, text in [
        (("--timeline", "t.txt"), "must end in .json or .svg"),
        (("--timeline-sm", "x", "--timeline", "t.json"), "is not a number"),
        (("--device", "cuda:0"), "use ncu"),
        (("--picture", str(tmp_path / "no" / "x.svg")), "No such file"),
    ]:
        assert cli.main(["prof", DOT, *words]) == 1
        assert text in capsys.readouterr().err


def test_a_state_has_the_same_colour_in_all_pictures():
    order = ["a", "b", "c"]
    first = bars("t", [("row", [("c", 1.0), ("a", 2.0)])], order=order)
    second = spans("t", [Span("l", 0, 5, "a"), Span("l", 5, 6, "new"), Span("l", 6, 9, "c")], order=order)
    colours = [
        {name: colour for colour, name in re.findall(r'fill="(#[0-9a-f]+)"></rect>\n<text[^>]*>(\w+)</text>', text)}
        for text in (first, second)
    ]
    assert len(colours[0]) == 2 and colours[0].items() <= colours[1].items()
    assert len(set(colours[1].values())) == 3
