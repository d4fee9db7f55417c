"""`minicc patterns` and --explain: counts, searches, what was weighed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minicc import cli
from minicc.isel.patterns import CATEGORIES, rows_of

VADD = Path(__file__).parents[2] / "samples" / "vadd.k"


def test_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    """850 patterns, split as the document has it; special is a view of the others."""
    assert cli.main(["patterns", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    split = report["counts"]["category"]
    assert report["patterns"] == 850 == sum(len(rows_of(name)) for name in CATEGORIES)
    assert split == report["document"]["category"]
    assert sum(report["counts"]["width"].values()) == 850 and report["counts"]["sm"]["all"] == 850
    assert [table["slots"] for table in report["tables"]] == [512, 256, 128]
    loads = {table["table"]: table["load"] for table in report["tables"]}
    assert 0.7 < loads["primary"] < 0.8 and 0.5 < loads["secondary"] < 0.75 and 1.9 < loads["tertiary"] < 2.2


@pytest.mark.parametrize("name", ["sm_50", "sm_75", "sm_90", "sm_100a"])
def test_statistics_of_a_machine(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With -arch only what the machine has is counted, as with words."""
    assert cli.main(["patterns", "-arch", name, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    for category, count in report["counts"]["category"].items():
        cli.main(["patterns", "-arch", name, "--json", "--category", category])
        assert len(json.loads(capsys.readouterr().out)["patterns"]) == count
    assert report["patterns"] == report["counts"]["sm"]["all"] == sum(report["counts"]["width"].values()) < 850


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["patterns"]) == 0
    assert "arithmetic        180       180" in capsys.readouterr().out
    assert cli.main(["patterns", "lop3", "0xe8"]) == 0
    assert "class alu" in capsys.readouterr().out


def test_search(capsys: pytest.CaptureFixture[str]) -> None:
    """Words, the candidates of an operation, what a machine lacks."""

    def found(*words: str) -> list[dict[str, object]]:
        cli.main(["patterns", "--json", *words])
        rows: list[dict[str, object]] = json.loads(capsys.readouterr().out)["patterns"]
        return rows

    assert len(found("--category", "special")) == 50
    assert {row["template"] for row in found("--op", "icmp.slt.i32")} == {"setp.{icc}.{icc.1}32 $d, $a, $b"}
    assert found("redux", "-arch", "sm_80") and not found("redux", "-arch", "sm_75")
    assert not found("tcgen05", "-arch", "sm_100") and found("tcgen05", "-arch", "sm_100a")
    assert all(row["width"] == "64" for row in found("--width", "64"))
    cheap, dear = found("fadd{c}.f64(a, b)", "-arch", "sm_90"), found("fadd{c}.f64(a, b)", "-arch", "sm_86")
    assert cheap[0]["cost"] < dear[0]["cost"]  # type: ignore[operator]


def test_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """Every record lies where probing from its key's hash finds it; the counts are those of the statistics."""
    from minicc.isel.cover.tables import hash_key

    assert cli.main(["patterns", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    for counted in report["tables"]:
        name = counted["table"]
        assert cli.main(["patterns", "--table", name, "--json"]) == 0
        records = json.loads(capsys.readouterr().out)["records"]
        assert len(records) == counted["used"] and len({record["key"] for record in records}) == len(records)
        slots = {record["slot"] for record in records}
        for record in records:
            home = hash_key(record["key"], counted["slots"])
            if name == "tertiary":
                assert record["slot"] == home and record["cost"] == record["mantissa"] * 2.0 ** record["exponent"]
                continue
            passed = [(home + step) % counted["slots"] for step in range(record["probe"])]
            assert record["home"] == home and passed[-1] == record["slot"] and slots.issuperset(passed)
        if name != "tertiary":
            assert sum(record["patterns"] for record in records) >= report["patterns"]
    assert cli.main(["patterns", "--table", "primary", "add.i64"]) == 0
    assert "add.i64(a, b)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--category", "none"], "is no category"),
        (["--width", "7"], "is no width; there are 8, 16"),
        (["--table", "4"], "is no table; there are primary, secondary and tertiary"),
        (["--op", "add"], "there are add.i32, add.i64"),
        (["--op", "none.i32"], "no pattern covers"),
        (["--op"], "Argument expected"),
        (["--nonsense"], "Unknown option"),
        (["-arch", "sm_1"], "not defined"),
    ],
)
def test_mistakes(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["patterns", *words]) == 1
    assert message in capsys.readouterr().err


def test_tensor_generations(capsys: pytest.CaptureFixture[str]) -> None:
    """Latency falls and formats come, and each format is one that a pattern of that SM takes."""
    from minicc.arch import tensor
    from minicc.isel.cover.database import all_rows
    from minicc.isel.cover.statistics import texts

    assert cli.main(["patterns", "--tensor"]) == 0
    assert "tcgen05.mma" in capsys.readouterr().out
    latencies = [g.latency for g in tensor.GENERATIONS]
    assert latencies == sorted(latencies, reverse=True) and tensor.of(60) is None
    assert tensor.of(86) is tensor.of(80) and tensor.of(103) is tensor.of(100)
    for generation in tensor.GENERATIONS:
        if generation.sm == 100:
            continue  # its products are inline PTX; `test_probes.py` has what surrounds them
        rows = [row for row in all_rows() if row.sm <= generation.sm and "mma" in row.template]
        spelled = " ".join(text.partition(" ")[0] for row in rows for text in texts(row))
        assert all(f".{kind}" in spelled for kind in generation.formats), generation.sm


def test_nothing_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["patterns", "nosuchthing"]) == 1
    assert "0 patterns" in capsys.readouterr().out


def test_explain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each instruction with its candidates; the costs are pairs and decimals of one value."""
    out = str(tmp_path / "v.ptx")
    assert cli.main([str(VADD), "-ptx", "--explain", "-lineinfo", "-o", out]) == 0
    text = capsys.readouterr().out
    assert "mad.lo.s32 %r" in text and "least cost, by" in text and "(line " in text
    assert cli.main([str(VADD), "-ptx", "--explain", "--json", "-o", out]) == 0
    choices = json.loads(capsys.readouterr().out)["explain"]
    assert all(sum(c["chosen"] for c in choice["candidates"]) == 1 for choice in choices)
    body = Path(out).read_text().partition("{")[2]
    assert [choice["ptx"] for choice in choices] == [
        " ".join(line.rstrip(";").split()) for line in body.split("\n") if line.endswith(";") and ".reg" not in line
    ]
    for choice in choices:
        for c in choice["candidates"]:
            assert c["cost"] == c["mantissa"] * 2.0 ** c["exponent"]
            assert not c["chosen"] or c["cost"] == min(other["cost"] for other in choice["candidates"])


def test_explain_the_first_and_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--isel=first-match is not said to have weighed; PTX has nothing to explain."""
    out = str(tmp_path / "v.ptx")
    assert cli.main([str(VADD), "-ptx", "--explain", "--json", "--isel=first-match", "-o", out]) == 0
    choices = json.loads(capsys.readouterr().out)["explain"]
    assert {choice["why"] for choice in choices} == {"the first that fits; none after it is tried"}
    assert all(len(choice["candidates"]) == 1 and choice["candidates"][0]["chosen"] for choice in choices)
    assert cli.main([out, "-cubin", "--explain", "-o", str(tmp_path / "v.cubin")]) == 0
    assert capsys.readouterr().out.startswith("Nothing was selected")


SEVERAL = """
__device__ int table[4];
__global__ void k(int *p, int n)
{
    int a = 0, b = 1;
    for (int i = 0; i < n; i++) { int t = a; a = b; b = t + p[i]; }
    switch (n) { case 1: a = p[0]; break; case 5: a = p[b]; break; case 90: p[2] = table[a]; return; case 7: p[3] = 9; }
    asm("add.u32 %0, %0, 5;" : "+r"(a));
    p[4] = a;
}
"""


def test_all_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Moves of phis, comparisons of switches, constants and inline assembly, too."""
    source, out = tmp_path / "k.cu", tmp_path / "k.ptx"
    source.write_text(SEVERAL)
    assert cli.main([str(source), "-ptx", "--explain", "--json", "-o", str(out)]) == 0
    choices = json.loads(capsys.readouterr().out)["explain"]
    body = out.read_text().partition(")\n{")[2]
    lines = [" ".join(line.strip().rstrip(";").split()) for line in body.split("\n") if line.endswith(";")]
    assert [choice["ptx"] for choice in choices] == [line for line in lines if not line.startswith((".", "//"))]
    why = " ".join(choice["why"] for choice in choices)
    assert all(word in why for word in ("a phi of", "a switch of 4 cases", "inline assembly", "what follows"))
    assert all(choice["candidates"] or choice["node"] == "asm" for choice in choices)
