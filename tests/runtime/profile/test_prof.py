"""`minicc prof`: counters against what Nsight Compute counted on an H200, identities of any profile, layouts."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from functools import cache

import pytest

from minicc import cli
from runtime.profile import metrics, ncu_csv
from runtime.profile.calculator import occupancy_curves
from runtime.profile.decoupled import absorbed
from runtime.profile.facts import Facts, gather
from runtime.profile.little import chain, little
from runtime.profile.meaning import STATES
from runtime.profile.report import plain
from runtime.profile.rules import findings
from runtime.profile.sections import SECTIONS, SETS
from runtime.profile.source import by_line
from runtime.profile.stack import blame
from tests.conftest import SAMPLES
from tests.end_to_end.harness import compiled, run_script
from tests.gpu.test_recorded import DATA

EXACT = (
    "bitonic", "blackscholes", "conv1d", "daxpy", "dot", "histogram", "montecarlo", "nbody", "saxpy", "scan",
    "sgemm_naive", "sgemm_regblock", "sgemm_tiled", "sha256", "softmax", "spmv_merge", "spmv_vector", "stencil2d",
    "transpose_naive", "transpose_tiled", "vadd",
)  # fmt: skip
ORDERED = ("collatz", "mandelbrot", "spmv_scalar")
"""Kernels whose warps diverge in loops: the order in which parted lanes run decides how many instructions there are."""


@cache
def profiled(sample: str) -> tuple[Facts, ...]:
    path = SAMPLES / f"{sample}.k"
    outcome = run_script(path, compiled(path, "-lineinfo"))
    assert outcome.ok
    return tuple(gather(record.result) for record in outcome.launches)


def recorded(variant: str) -> dict[str, dict[int, dict[str, float]]]:
    found: dict[str, dict[int, dict[str, float]]] = {}
    for row in csv.reader(io.StringIO((DATA / f"ncu_{variant}.csv").read_text())):
        if len(row) > 15 and row[1].isdigit():
            launch = found.setdefault(row[0], {}).setdefault(int(row[1]), {})
            launch[row[13]] = float(row[15].replace(",", ""))
    return found


@pytest.mark.parametrize("variant", ["ours", "nvcc"])
@pytest.mark.parametrize("sample", [*EXACT, *ORDERED])
def test_instructions_and_sectors_are_what_ncu_counted_on_an_h200(sample, variant):
    outcome = run_script(SAMPLES / f"{sample}.k", (DATA / variant / f"{sample}.cubin").read_bytes())
    chip = recorded(variant)[sample]
    assert len(chip) == len(outcome.launches)
    for number, record in enumerate(outcome.launches):
        ours, theirs = metrics.values(gather(record.result)), chip[number]
        name = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
        assert ours.get(name, 0.0) == theirs[name]
        count = ours["smsp__inst_executed.sum"]
        if sample in EXACT:
            assert count == theirs["smsp__inst_executed.sum"]
        else:
            assert count == pytest.approx(theirs["smsp__inst_executed.sum"], rel=0.01)


@pytest.mark.parametrize("sample", ["spmv_merge", "sgemm_tiled", "softmax"])
def test_identities_of_the_counters(sample):
    for f in profiled(sample):
        out = metrics.values(f)
        states = dict(f.states())
        assert states["selected"] == 1.0
        latency = metrics.number(out, "smsp__average_warp_latency_per_inst_issued.ratio")
        assert sum(states.values()) == pytest.approx(latency)
        # Little's law of the scheduler: active warps = issue rate x latency; drain and launch gaps leave a little.
        warps = metrics.number(out, "smsp__warps_active.avg.per_cycle_active")
        issue = metrics.number(out, "smsp__issue_active.avg.per_cycle_active")
        assert warps == pytest.approx(issue * latency, rel=0.03)
        eligible = metrics.number(out, "smsp__warps_eligible.avg.per_cycle_active")
        assert eligible == pytest.approx(issue * (1 + states.get("not_selected", 0.0)))
        assert sum(row.executed for row in f.instructions) == out["smsp__inst_executed.sum"]
        opcodes = sum(v for name, v in out.items() if name.startswith("sass__inst_executed_per_opcode."))
        assert opcodes == out["smsp__inst_executed.sum"]
        shares = [v for name, v in out.items() if name.startswith("smsp__warp_issue_stalled_")]
        assert sum(shares) == pytest.approx(100.0)
        for name, value in out.items():
            if "pct_of_peak" in name:
                assert 0 <= value <= 100.0001, name


def test_lines_and_instructions_add_up_to_the_same():
    for f in profiled("sgemm_tiled"):
        places = by_line(f)
        assert sum(place.samples for place in places) == sum(row.samples for row in f.instructions)
        assert sum(place.samples for place in places) == sum(f.outcome.stalls.values())
        assert {place.line for place in places} <= set(range(40))
        assert any("as[ty][tx]" in place.text for place in places)


def test_blame_moves_cycles_but_keeps_their_sum():
    for f in profiled("spmv_merge"):
        booked = blame(f)
        assert sum(sum(s.values()) for s in booked.values()) == pytest.approx(sum(f.outcome.stalls.values()))
        long = {o: s["long_scoreboard"] for o, s in booked.items() if s.get("long_scoreboard")}
        worst = max(long, key=long.__getitem__)
        row = next(row for row in f.instructions if row.offset == worst)
        assert row.mnemonic == "LDG"


def test_the_dependent_loads_of_spmv_are_found():
    (f,) = profiled("spmv_merge")
    found = chain(f)
    assert found.depth == 2  # column index, then the vector's element
    rows = {row.offset: row for row in f.instructions}
    assert [rows[o].line for o in found.path] == [51, 51]
    (vadd,) = profiled("vadd")
    assert chain(vadd).depth == 1
    assert chain(vadd).parallel == 2


def test_littles_law_of_the_spmv_document():
    """Seed 000, section 4.3: 4,800 GB/s, 300 ns, 132 SMs, 128 bytes a warp, 64 warps."""
    alone = little(4800e9, 300e-9, 132, 128, 64)
    assert alone.needed == pytest.approx(1_440_000)
    assert round(alone.warps, 1) == 85.2
    assert round(100 * alone.share, 1) == 75.1
    dependent = little(4800e9, 300e-9, 132, 64, 64)
    assert round(dependent.warps, 1) == 170.5
    assert round(100 * dependent.share, 1) == 37.5


@pytest.mark.parametrize(
    ("cpi", "long", "speedup"), [(11.03, 4.23, 1.62), (11.29, 4.25, 1.60), (10.33, 3.41, 1.49), (10.88, 3.96, 1.57)]
)
def test_decoupling_as_the_spmv_document_has_it(cpi, long, speedup):
    """Seed 000, section 7.4."""
    assert round(absorbed(cpi, long), 2) == speedup


def test_every_metric_has_a_meaning_and_no_section_names_an_unknown_one():
    for sample in ("sgemm_tiled", "spmv_merge", "daxpy", "montecarlo"):
        for f in profiled(sample):
            for name in metrics.values(f):
                assert metrics.meaning(name) is not None, name
    for section in SECTIONS:
        for _, name in section.rows:
            assert metrics.meaning(name) is not None, name
    assert set(STATES) >= set(profiled("vadd")[0].outcome.stalls)


def test_the_roofline_stays_under_its_roof():
    (f,) = profiled("daxpy")
    done = metrics.flops(f)
    assert done["fp64"] == 2 * 262144  # an FMA for each element
    out = metrics.values(f)
    assert 0 < out["model__roof_fp64.pct_of_roof"] <= 100


def test_csv_has_the_columns_of_ncu():
    (f,) = profiled("vadd")
    name = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    rows = list(csv.reader(io.StringIO(ncu_csv.chosen([f], [name], True))))
    chip = next(
        row
        for row in csv.reader(io.StringIO((DATA / "ncu_nvcc.csv").read_text()))
        if row[0] == "vadd" and row[13] == name
    )
    assert len(rows[1]) == len(chip) - 1
    for column in ("Kernel Name", "Block Size", "Grid Size", "CC", "Section Name", "Metric Name", "Metric Unit"):
        at = rows[0].index(column)
        assert rows[1][at] == chip[at + 1], column
    assert rows[1][-1] == chip[-1]
    raw = list(csv.reader(io.StringIO(ncu_csv.raw([f], True))))
    assert len({len(row) for row in raw}) == 1
    kernel, *table = ncu_csv.source(f).splitlines()
    assert kernel == f'"Kernel Name","{f.demangled}"'
    source = list(csv.DictReader(table))
    assert [row["Source"] for row in source] == [row.text for row in f.instructions]
    assert sum(int(row["stall_selected"]) for row in source) == f.outcome.instructions
    assert {row["Avg. Threads Executed"] for row in source} == {"32"}
    load = next(row for row in source if row["Source"].startswith("LDG"))
    assert (load["Address Space"], load["Access Operation"], load["Access Size"]) == ("Global", "Load", "32")
    assert load["L2 Theoretical Sectors Global Ideal"] == load["L2 Theoretical Sectors Global"] != "0"
    details = list(csv.reader(io.StringIO(ncu_csv.details([f], SECTIONS, False))))
    assert len({len(row) for row in details}) == 1


def test_findings_name_the_place():
    (f,) = profiled("transpose_naive")
    texts = {finding.rule: finding.text for finding in findings(f, metrics.values(f))}
    assert "STG" in texts["UncoalescedAccess"]
    (f,) = profiled("vadd")
    assert "UncoalescedAccess" not in {finding.rule for finding in findings(f, metrics.values(f))}


def test_energy_is_the_sum_of_its_events():
    from runtime.profile import energy

    (f,) = profiled("sgemm_tiled")
    out = metrics.values(f)
    parts = energy.parts(f, out)
    sums = energy.by_component(parts)
    assert sum(p.middle for p in sums.values()) == pytest.approx(sum(p.middle for p in parts))
    counts = {part.event: part.count for part in parts}
    ffma = out["sass__inst_executed_per_opcode.FFMA"]
    assert counts["register_read"] >= 3 * ffma
    assert counts["shared_sram"] == out["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"]
    # Seed 003: 85 to 160 pJ for one writeback.
    e = energy.figures.FIGURES[f.arch.energy]
    names = energy.figures.WRITEBACK
    assert (sum(getattr(e, n).low for n in names), sum(getattr(e, n).high for n in names)) == (85, 160)


@pytest.mark.parametrize("sample", ["sgemm_tiled", "sgemm_regblock", "vadd"])
def test_the_occupancy_calculator_agrees_with_the_launch(sample):
    for f in profiled(sample):
        lines = [line for line in occupancy_curves(f, {}) if "<- this launch" in line]
        assert len(lines) == 3
        theory = metrics.values(f)["sm__maximum_warps_avg_per_active_cycle"]
        for line in lines:
            assert int(line.split()[1]) == theory


def test_json_is_json():
    (f,) = profiled("vadd")
    again = json.loads(json.dumps(plain(f)))
    assert again["metrics"]["smsp__inst_executed.sum"] == again["instructions"]
    assert len(again["per_pc"]) == len(f.instructions)


def run(capsys, *words: str) -> tuple[int, str, str]:
    status = cli.main(["prof", *words])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_command(capsys):
    vadd = str(SAMPLES / "vadd.k")
    status, out, _ = run(capsys, vadd)
    assert status == 0
    for section in SECTIONS:
        assert (f"Section: {section.title}\n" in out) == section.basic
    status, out, _ = run(capsys, vadd, "--section", "regex:Cpi|Floor", "--section=LittlesLaw")
    assert status == 0 and "Gap to the floor" in out and "85 %" not in out.splitlines()[0]
    status, out, _ = run(capsys, vadd, "--page", "source")
    assert "c[i] = a[i] + b[i];" in out and "FADD" in out
    status, out, _ = run(capsys, vadd, "--metrics", "sm__cycles_active.avg,regex:^launch__block_dim", "--csv")
    assert status == 0 and out.count("\n") == 5
    status, out, _ = run(capsys, vadd, "--json")
    assert json.loads(out)["launches"][0]["grid"] == [4096, 1, 1]


def test_ncu_s_sets_and_what_it_says_of_how_to_measure(capsys, tmp_path):
    vadd = [str(SAMPLES / "vadd.k"), "--set", "n=1024"]
    how = ["--target-processes", "all", "-f", "--clock-control=none", "--apply-rules", "no"]
    for name, sections in SETS.items():
        log = tmp_path / name
        status, out, _ = run(capsys, *vadd, *how, "--set", name, "--section", "Occupancy", "--log-file", str(log))
        assert status == 0 and not out
        titles = re.findall(r"^Section: (.*)$", log.read_text(), re.MULTILINE)
        assert sorted(titles) == sorted(s.title for s in SECTIONS if s.name in {*sections, "Occupancy"})
    known = [section.name for section in SECTIONS]
    assert all(name in known for sections in SETS.values() for name in sections)


def test_mistakes_are_named(capsys):
    vadd = str(SAMPLES / "vadd.k")
    for words, text in [
        ((vadd, "--section", "Ocupancy"), "did you mean 'Occupancy'"),
        ((vadd, "--metrics", "sm__cycles_activ.avg"), "did you mean"),
        ((vadd, "--page", "x"), "is not details, raw or source"),
        ((vadd, "--launch-skip", "9"), "no launch is left"),
        ((vadd, "--section", "regex:("), "no regular expression"),
        (("--explain", "nothing_of_the_kind"), "no metric"),
        ((vadd, vadd), "exactly one file"),
    ]:
        status, out, err = run(capsys, *words)
        assert status == 1 and text in err and not out, words


def test_explanations(capsys):
    for word in (
        "long_scoreboard",
        "Occupancy",
        "Achieved Occupancy",
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    ):
        status, out, _ = run(capsys, "--explain", word)
        assert status == 0 and len(out) > 60


def test_operand_delivery_of_a_matrix_instruction():
    """Seed 003, "Energy per Operand Delivery": 4 + 4 + 8 registers read, 8 written, 612 pJ with the routing."""
    from minicc.arch.energy import FIGURES

    e = FIGURES["7nm"]
    assert (4 + 4 + 8) * e.tensor_read.middle + 8 * e.tensor_write.middle + e.tensor_routing.middle == 612


def test_the_page_is_complete_and_well_formed(capsys, tmp_path):
    from html.parser import HTMLParser

    path = tmp_path / "p.html"
    status, _, _ = run(capsys, str(SAMPLES / "scan.k"), "--html", str(path), "--section", "Occupancy")
    assert status == 0
    open_tags: list[str] = []
    seen: dict[str, int] = {}

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            seen[tag] = seen.get(tag, 0) + 1
            if tag not in ("meta", "rect", "line", "circle", "polyline"):
                open_tags.append(tag)

        def handle_endtag(self, tag):
            if tag not in ("rect", "line", "circle", "polyline"):
                assert open_tags.pop() == tag

    text = path.read_text()
    Reader().feed(text)
    assert open_tags == []
    assert seen["h2"] == 3 and seen["svg"] == 6  # three launches, two pictures each
    for f in profiled("scan"):
        assert f.demangled.replace("<", "&lt;") in text
    assert "SHFL" in text and "Energy" in text and "CPI" in text


def test_names_that_follow_from_others():
    """ncu's rules for names: over units, over time, by operation, and one sum for SMs and sub-cores."""
    (f,) = profiled("sgemm_tiled")
    base = metrics.values(f)
    n, seconds = f.arch.sm_count, f.microseconds / 1e6
    shared = [base[name] for name in base if name.startswith("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_")]
    want = {
        "dram__bytes.sum": base["dram__bytes_read.sum"] + base["dram__bytes_write.sum"],
        "dram__bytes.sum.per_second": (base["dram__bytes_read.sum"] + base["dram__bytes_write.sum"]) / seconds,
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": sum(shared),
        "l1tex__t_sectors.avg": base["l1tex__t_sectors.sum"] / n,
        "sm__sass_thread_inst_executed_op_ffma_pred_on.sum": base["model__flops_fp32.sum"] / 2,
        "sm__sass_thread_inst_executed_op_dadd_pred_on.sum": 0.0,
        "smsp__inst_executed.avg.per_cycle_active": base["smsp__issue_active.avg.per_cycle_active"],
        "sm__cycles_elapsed.avg.per_second": base["smsp__cycles_elapsed.avg.per_second"],
        "sm__cycles_active.sum": base["sm__cycles_active.avg"] * n,
        "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed": 100
        * base["smsp__cycles_active.avg"]
        / f.outcome.cycles,
        "smsp__average_inst_executed_per_warp.ratio": base["smsp__inst_executed.sum"]
        / base["smsp__warps_launched.sum"],
        "smsp__warps_launched.sum": math.prod(f.grid) * math.prod(f.block) / 32,
        "sm__inst_executed.sum.per_cycle_elapsed": base["smsp__inst_executed.sum"] / f.outcome.cycles,
    }
    found = metrics.values(f, want)
    for name, value in want.items():
        assert found[name] == pytest.approx(value, rel=1e-6), name
        assert metrics.meaning(name) is not None
    for name in (
        "lts__t_bytes.avg",
        "sm__inst_executed_pipe_none.sum",
        "sm__sass_thread_inst_executed_op_int_pred_on.sum",
    ):
        assert metrics.meaning(name) is None and name not in metrics.values(f, [name])
