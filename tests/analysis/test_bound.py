"""Upper bounds: never above what the model reaches, and the SGEMM configurations of the project's document."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minicc
from minicc import arch, binary, cli, sass
from minicc.analysis.bound import bounds
from minicc.analysis.dataflow import Dataflow
from minicc.diagnostics import SourceFile
from minicc.sass.instr import PT
from runtime.profile.facts import gather
from tests.conftest import SAMPLES
from tests.end_to_end.harness import compiled, run_script

SM90 = arch.get("sm_90")


def kernel(sample: str):
    program = binary.read_cubin(compiled(SAMPLES / f"{sample}.k").cubin, sample)
    return next(f for f in program.functions if f.entry)


@pytest.mark.parametrize("sample", ["sgemm_regblock", "sgemm_tiled", "nbody", "stencil2d", "mandelbrot"])
def test_a_bound_is_never_beaten(sample):
    """Instructions of the innermost loops, times their bound, take no longer than the model says the kernel took."""
    path = SAMPLES / f"{sample}.k"
    outcome = run_script(path, compiled(path))
    facts = gather(outcome.launches[0].result)
    executed = {row.offset: row.executed for row in facts.instructions}
    found = bounds(kernel(sample).code, SM90)
    inner = [a for a in found if not any(b is not a and a.first <= b.first and b.last <= a.last for b in found)]
    least = 0.0
    for one in inner:
        times = min(executed[offset] for offset in range(one.first, one.last + 1, 16))
        used = min(SM90.sm_count, facts.grid[0] * facts.grid[1] * facts.grid[2])
        least += times * one.tightest[1] / (used * SM90.sub_cores)
    assert 0 < least <= facts.outcome.cycles


CHAINS = """
__global__ void chains(float *out, float a, int n)
{
    float s[8];
    for (int k = 0; k < 8; k++)
        s[k] = threadIdx.x + k;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            s[k] = %s;
    float sum = 0.0f;
    for (int k = 0; k < 8; k++)
        sum += s[k];
    out[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize("step", ["s[k] * a + s[k]", "s[k] * s[(k + 1) % 8] + s[(k + 2) % 8]", "s[k] + a"])
def test_a_bound_is_reached_where_nothing_is_in_the_way(step, tmp_path):
    """Eight warps a scheduler of independent arithmetic come within a sixth of the bound, and not below it."""
    import minicc
    import runtime

    path = tmp_path / "chains.k"
    path.write_text(CHAINS % step)
    image = minicc.compile(path, arch="sm_90")
    threads, n = 1024, 4000
    launch = runtime.Device().load(image)["chains"][1, threads](np.zeros(threads, np.float32), np.float32(1.0), n)
    facts = gather(launch)
    executed = {row.offset: row.executed for row in facts.instructions}
    program = binary.read_cubin(image.cubin, "chains")
    one = max(bounds(program.functions[0].code, SM90), key=lambda found: executed[found.first])
    least = executed[one.first] * one.tightest[1] / SM90.sub_cores
    active = facts.get("sm__cycles_active.avg") * SM90.sm_count
    assert 1.0 <= active / least < 7 / 6


def test_the_main_loop_of_sgemm():
    one = max(bounds(kernel("sgemm_regblock").code, SM90), key=lambda found: found.flops.get("fp32", 0.0))
    assert one.opcodes["FFMA"] == 512
    assert 0.8 < one.peak_share(SM90)["fp32"] < 0.95
    assert one.tightest[1] >= one.cycles["pipe fma"] >= 512


def test_straight_code_is_one_stretch():
    (one,) = bounds(kernel("vadd").code, SM90)
    assert one.first == 0 and one.opcodes["FADD"] == 1 and one.global_bytes == 3 * 128


def run(capsys, *words: str) -> tuple[int, str, str]:
    status = cli.main(["bound", *words])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize(("machine", "load", "x", "share"), [
    ("gf110", "LDS.64", "30.8", "82.5"), ("gk104", "LDS.64", "122.4", "54.6"), ("gk104", "LDS.128", "119.9", "57.6"),
])  # fmt: skip
def test_sgemm_on_older_machines(machine, load, x, share, capsys):
    status, out, _ = run(capsys, "--machine", machine, "--load", load, "--throughput", x)
    assert status == 0 and "6x6 registers" in out
    assert f"{share} % of the peak" in out


def test_json_and_mistakes(capsys):
    status, out, _ = run(capsys, str(SAMPLES / "sgemm_tiled.k"), "--json")
    assert status == 0 and json.loads(out)["kernels"][0]["loops"]
    for words, text in [
        ((str(SAMPLES / "vadd.k"), "--kernel", "nothing"), "no kernel 'nothing'"),
        (("--machine", "gt200"), "no machine 'gt200'"),
        (("--machine", "gf110", "--load", "LDS.256"), "not one of"),
        (("--machine", "gf110", "--throughput", "x"), "not a number"),
        (("nowhere.k",), "nowhere.k"),
    ]:
        status, _, err = run(capsys, *words)
        assert status == 1 and text in err, words


# ---- dataflow --------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=1, max_size=12))
@settings(deadline=None, max_examples=60)
def test_definitions_of_straight_code(rows):
    """The last certain write and every guarded one after it."""
    instrs = [sass.parse(f"{'@P0 ' if guarded else ''}IADD3 R{d}, R{s}, 0x1, RZ", "sm_90") for d, s, guarded in rows]
    flow = Dataflow(instrs, SM90)
    for i, (_, source, _) in enumerate(rows):
        expected = []
        for k in range(i - 1, -1, -1):
            if rows[k][0] == source:
                expected.append(k)
                if not rows[k][2]:
                    break
        assert flow.definitions(i, "R", source) == sorted(expected)


@pytest.mark.parametrize("sample", ["spmv_merge", "sgemm_regblock", "bitonic"])
def test_live_registers_against_definitions(sample):
    """A register that reaches a reader is live all the way; never more are live than the kernel has."""
    function = kernel(sample)
    code = function.code
    instrs = [sass.decode(int.from_bytes(code[i : i + 16], "little"), SM90, i) for i in range(0, len(code), 16)]
    flow = Dataflow(instrs, SM90)
    live = flow.live()
    assert max(live) <= function.registers
    for i, effect in enumerate(flow.effect):
        wanted = {(a.index + k) for a in effect.reads if a.file == "R" for k in range(a.count)}
        assert live[i] >= len(wanted)


def test_live_registers_of_straight_code():
    texts = ["IADD3 R1, R0, 0x1, RZ", "IADD3 R2, R0, R1, RZ", "@P0 IADD3 R2, R1, 0x1, RZ", "IADD3 R3, R2, R2, RZ"]
    flow = Dataflow([sass.parse(text, "sm_90") for text in texts], SM90)
    assert flow.live() == [1, 2, 2, 1]


def test_definitions_around_a_loop_against_paths():
    """On a sample with loops: every definition reaches its reader along a path of the graph that has no certain write
    of the register in between (networkx is the oracle)."""
    import networkx

    code = kernel("spmv_scalar").code
    instrs = [sass.decode(int.from_bytes(code[i : i + 16], "little"), SM90, i) for i in range(0, len(code), 16)]
    flow = Dataflow(instrs, SM90)
    graph = networkx.DiGraph((b, i) for i, before in enumerate(flow.before) for b in before)
    checked = 0
    for i, effect in enumerate(flow.effect):
        for access in effect.reads:
            if access.file != "R":
                continue
            certain = {
                k
                for k, e in enumerate(flow.effect)
                if instrs[k].guard.index == PT
                and any(w.file == "R" and w.index <= access.index < w.index + w.count for w in e.writes)
            }
            writers = {
                k
                for k, e in enumerate(flow.effect)
                if any(w.file == "R" and w.index <= access.index < w.index + w.count for w in e.writes)
            }
            expected = set()
            for k in writers:
                cut = graph.copy()
                cut.remove_edges_from([e for c in certain for e in graph.out_edges(c) if c != k])
                targets = list(cut.successors(k)) if k in cut else []
                if any(s == i or (s in cut and i in cut and networkx.has_path(cut, s, i)) for s in targets):
                    expected.add(k)
            assert set(flow.definitions(i, "R", access.index)) == expected
            checked += 1
    assert checked > 40


def test_code_of_a_machine_without_a_description_is_an_error(tmp_path, capsys):
    data = bytearray(minicc.compile(SourceFile("k.k", "__global__ void k() {}")).cubin)
    assert data[49] == 90  # of e_flags, the SM's number
    data[49] = 100
    (tmp_path / "k.cubin").write_bytes(data)
    assert cli.main(["bound", str(tmp_path / "k.cubin")]) == 1
    assert "k.cubin: code for sm_100, of which no machine is described" in capsys.readouterr().err
