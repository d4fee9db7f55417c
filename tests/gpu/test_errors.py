"""The table of errors, from made-up measurements."""

from __future__ import annotations

import json

import pytest

from tests.gpu import errors

PLAN = [
    {"name": "a", "launches": [{"label": "x"}, {"label": "y"}]},
    {"name": "b", "launches": [{"label": "z", "repeat": 2}]},
]


def row(cycles: float, executed: float = 100) -> dict[str, float]:
    return {errors.CYCLES: cycles, errors.EXECUTED: executed}


def test_rounds_go_through_a_program_before_the_next():
    rows = [row(1), row(10), row(3), row(30), row(2), row(20), *(row(c) for c in (7, 8, 9, 6, 5, 4))]
    found = errors.medians(PLAN, rows, 3)
    assert {k: v[errors.CYCLES] for k, v in found.items()} == {"a/x": 2, "a/y": 20, "b/z": 6}
    assert set(errors.medians(PLAN, rows[:7], 3)) == {"a/x", "a/y"}


def test_who_is_left_out_and_why():
    model = {"a": row(90), "b": "Fault: illegal address", "c": row(5), "d": row(50, 104)}
    pairs, out = errors.table(model, {"a": row(100), "b": row(1), "d": row(50)})
    assert pairs == {"a": (100, 90)}
    assert out["b"] == "Fault: illegal address" and out["c"] == "not measured" and "104" in out["d"]
    assert errors.summary([(100, 90), (100, 130)]) == (
        "2 launches: 20.0 % off (median 20.0, 90 % below 30.0), mean error +10.0 %"
    )


def test_a_folder_from_plans_to_a_record(tmp_path, capsys, monkeypatch):
    (tmp_path / "ours_00.json").write_text(json.dumps(PLAN[:1]))
    (tmp_path / "model.json").write_text(json.dumps({"ours": {"a/x": row(95), "a/y": row(10)}}))
    head = '"ID","gpc__cycles_elapsed.max","smsp__inst_executed.sum"\n"","cycle","inst"\n'
    (tmp_path / "ncu_ours_00.csv").write_text(head + '"0","100","100"\n"1","10","100"\n')
    errors.count(tmp_path, tmp_path, 1, tmp_path / "record.json")
    assert capsys.readouterr().out.startswith("ours: 2 launches: 2.5 % off")
    record = json.loads((tmp_path / "record.json").read_text())["ours"]
    assert record["a/x"]["h200"][errors.CYCLES] == 100
    assert record["a/x"]["first"][errors.CYCLES] == pytest.approx(95)
