"""Passes by name at every level: left out, stopped after, printed, timed, verified; the results stay the same."""

from __future__ import annotations

import os

import numpy as np
import pytest

import minicc
import runtime
from minicc import isel, nvvm, passes, ptxas
from minicc.diagnostics import CompileError, SourceFile
from minicc.isel import pipeline, verify
from minicc.nvvm.optimise import PASSES as OF_LLVM
from minicc.ptxas.pipeline import PASSES as OF_PTXAS
from minicc.ptxas.words import WORDS, parse

LEVELS = {"nvvm": OF_LLVM, "isel": pipeline.PASSES, "ptxas": OF_PTXAS}
OPTIONAL = [(level, p.name) for level, found in LEVELS.items() for p in found if p.optional]
TEXT = """
struct P { float v[4]; int key; };
__global__ void k(const P *in, float *out, const int *flags, int n)
{
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i % n].v[threadIdx.x & 3];
    __syncthreads();
    float sum = 0, held[4];
    for (int j = 0; j < 4; j++) held[j] = tile[(threadIdx.x + j) % 64] * in[i % n].v[j];
    for (int j = 0; j < n; j++) {
        if (flags[j % 4] < 0) continue;
        switch (in[j].key % 5) {
        case 0: sum += held[j & 3] * tile[j % 64]; break;
        case 1: sum -= tile[(j * 7) % 64] / (1 + j / n); break;
        case 3: sum = fmaxf(sum, held[1] + j); break;
        default: sum = sum * 0.5f + j % n;
        }
        __syncthreads();
    }
    atomicAdd(&out[n], 1.0f);
    out[i] = sum + held[2];
}
"""
N = 37


def result(options: str) -> np.ndarray:
    compiled = minicc.compile(SourceFile("k.cu", TEXT), options=f"-fmad=false {options}")
    record = np.zeros(N, np.dtype([("v", "f4", 4), ("key", "i4")]))
    record["v"], record["key"] = np.random.default_rng(1).random((N, 4)), np.arange(N)
    out = np.zeros(129, np.float32)
    gpu = runtime.Device(timing=False)
    gpu.load(compiled)["k"][1, 64](record.view(np.uint8), out, np.array([1, -1, 3, 4], np.int32), N)
    return out


@pytest.fixture(scope="module")
def wanted() -> np.ndarray:
    return result("-O0 --isel=first-match -Xptxas --sched=serial,--ra=spill-all")


@pytest.mark.parametrize(("level", "name"), OPTIONAL)
def test_without_a_pass_the_results_are_the_same(level, name, wanted):
    assert np.array_equal(result(f"-X{level} --disable={name}"), wanted)


@pytest.mark.parametrize(("level", "name"), [one for one in OPTIONAL if one[0] != "ptxas"])
def test_code_of_what_is_stopped_after_a_pass_is_right(level, name, wanted):
    assert np.array_equal(result(f"-X{level} --stop-after={name},--verify-passes"), wanted)


@pytest.mark.parametrize("level", LEVELS)
def test_every_pass_is_printed_and_timed(level):
    info = minicc.compile(SourceFile("k.cu", TEXT), options=f"-X{level} --dump-after=all,--time-passes").info
    for p in LEVELS[level]:
        assert any(
            line.startswith(f"// {'module' if level == 'nvvm' else '_Z1k'}") and f": after {p.name}\n" in line
            for line in info
        )
        assert any(line.startswith(level) and f" {p.name} " in line for line in info), p.name


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("words", "said"),
    [("--disable=none-such", "there are: "), ("--stop-after=none-such", "there are: "), ("--none", "nknown option"),
     ("--stop-after", "Missing value"), ("--disable={0}", "cannot be disabled")],
)  # fmt: skip
def test_wrong_words(level, words, said):
    kept = next(p.name for p in LEVELS[level] if not p.optional)
    with pytest.raises(CompileError, match=said):
        minicc.compile(SourceFile("k.cu", TEXT), options=f"-X{level} {words.format(kept)}")


def test_samples_keep_the_rules_of_each_level(sample):
    minicc.compile(sample, options="-lineinfo -Xnvvm --verify-passes -Xisel --verify-passes -Xptxas --verify-passes")


def broken(module: nvvm.Module) -> None:
    """The second instruction of the longest block takes the last one's value."""
    block = max((b for f in module.functions.values() for b in f.blocks), key=lambda b: len(b.insts))
    late = next(i for i in reversed(block.insts) if i.name and i.op != "phi")
    early = next(i for i in block.insts if i.args and "dbg" in i.metadata and i.op not in ("phi", "call"))
    early.args[0] = late


def test_a_broken_rule_names_pass_instruction_line_and_rule(monkeypatch):
    def spoil(work: pipeline.Work) -> None:
        broken(work.lowering.module)

    spoiled = [p._replace(run=spoil) if p.name == "sink" else p for p in pipeline.PASSES]
    monkeypatch.setattr(pipeline, "PASSES", tuple(spoiled))
    with pytest.raises(verify.VerifyError, match=r"after pass sink, in _Z1k.* at `.*` \(source line \d+\): \w+"):
        minicc.compile(SourceFile("k.cu", TEXT), options="-lineinfo -Xisel --verify-passes")


def test_words_are_read_at_every_level_alike():
    asked, options = passes.Asked(), ptxas.Options()
    for control in (asked, options):
        for name, value in (("disable", "a+b"), ("dump-after", "c"), ("stop-after", "d"), ("verify-passes", "")):
            assert passes.word(control, name, lambda value=value: value)
        assert (control.disable, control.dump_after, control.stop_after, control.verify) == (
            {"a", "b"},
            {"c"},
            "d",
            True,
        )
    assert isel.Options().asked is None and nvvm.Options().asked is None


def test_an_unknown_word_of_ptxas_is_told_what_there_is():
    """Every word of the list is one."""
    with pytest.raises(CompileError, match="there are -v, -O N, "):
        parse(["--none"], ptxas.Options())
    for word in WORDS.replace("-O N", "-O=2").replace("CACHE", "cg").replace("FILE", os.devnull).split():
        name, equals, values = word.partition("=")
        for value in values.replace("N", "7").split("|"):
            parse([f"{name}{equals}{value}"], ptxas.Options())
