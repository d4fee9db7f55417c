"""nvcc's spellings, and what is said of wrong ones."""

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicc.diagnostics import CompileError
from minicc.options import OPTIONS, parse


@pytest.mark.parametrize(
    "words", ["-arch=sm_90 a.k", "-arch sm_90 a.k", "--gpu-architecture=sm_90 a.k", "--arch sm_90 a.k"]
)
def test_the_four_ways_to_give_a_value(words):
    request = parse(words.split())
    assert request.inputs == ["a.k"]
    assert [(t.compute, t.codes, t.embed_ptx) for t in request.targets] == [("compute_90", ("sm_90",), True)]


def test_glued_and_separate_letters():
    request = parse(["-DX=1", "-D", "Y", "-Iinc", "-I", "more", "-O2", "a.k"])
    assert request.lists["define"] == ["X=1", "Y"]
    assert request.lists["include"] == ["inc", "more"]
    assert request.opt_level == 2


def test_gencode_collects_by_virtual_architecture():
    request = parse(
        ["-gencode", "arch=compute_90,code=[sm_90,compute_90]", "-gencode=arch=compute_90a,code=sm_90a", "a.k"]
    )
    assert [(t.compute, t.codes, t.embed_ptx) for t in request.targets] == [
        ("compute_90", ("sm_90",), True),
        ("compute_90a", ("sm_90a",), False),
    ]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("-nonsense a.k", "Unknown option '-nonsense'"),
        ("-cubim a.k", "did you mean '-cubin'"),
        ("-arch=sm_1 a.k", "'sm_1' is not defined"),
        ("-Ofast a.k", "'fast' is not defined for option 'optimize'"),
        ("-fmad=maybe a.k", "'maybe' is not defined"),
        ("-o", "Argument expected"),
        ("-ptx=yes a.k", "takes no value"),
        ("-maxrregcount=x a.k", "not a number of registers"),
        ("-dlink a.o", "links neither device nor host code"),
        ("--sanitize memcheck a.k", "Option '--sanitize' of nvcc: it is not in minicc"),
        ("--machine=32 a.k", "'32' is not defined"),
        ("-code=sm_90 a.k", "'-code' requires '-arch'"),
        ("-cubin -MF a.d a.k", "'-MF' requires one of '-M'"),
        ("-arch= a.k", "'' is not defined"),
        ("-arch=sm_90 -code=sm_90 a.k", "'sm_90') must be a virtual architecture"),
        ("-diag-suppress=abc a.k", "'abc' is not a number"),
        ("-Werror=some a.k", "'some' is not defined for option 'Werror'"),
        ("-shared a.k", "'-shared' of nvcc"),
        ("-o prog a.k -L/lib -lcudart", "'-l' of nvcc: minicc links neither"),
        ("-Wall -cubin a.k", "Unknown option '-Wall'"),
        ("-tx a.k", "'x' is not a number for '-threads'"),
        ("-arch=all -code=sm_90 a.k", "'-code' cannot be given with '-arch=all'"),
        ("-maxrregcount=\N{SUPERSCRIPT TWO} a.k", "not a number of registers"),
    ],
)
def test_wrong_words_are_named(words, part):
    with pytest.raises(CompileError) as caught:
        parse(words.split())
    assert part in caught.value.diagnostics[0].message
    assert caught.value.exit_status == 1


@given(st.lists(st.text(min_size=1, max_size=12), max_size=6))
def test_any_words_parse_or_are_refused(words):
    try:
        request = parse(words)
    except CompileError as error:
        assert error.diagnostics
    else:
        assert request.targets


def test_every_option_of_nvcc_is_known(oracle):
    """By both of its names; those that minicc does not have are named as such."""
    text = subprocess.run([oracle("nvcc"), "--help"], capture_output=True, text=True, check=True).stdout
    heads = [line for line in text.splitlines() if re.match(r"--\w", line)]
    names = {name for line in heads for name in re.findall(r"(?:^|\()-{1,2}([A-Za-z][\w-]*)", line)}
    known = {name for option in OPTIONS for name in option.names}
    assert len(names) > 150
    assert names <= known


def test_optimised_debugging_is_line_tables():
    request = parse(["-G", "-dopt=on", "a.k"])
    assert (request.has("debug"), request.has("lineinfo"), request.opt_level) == (False, True, 3)


@pytest.mark.parametrize("words", ["-Wall -forward-unknown-to-host-compiler -fopenmp", "-forward-unknown-opts -fPIC"])
def test_what_is_for_the_host_s_compiler_is_no_error(words):
    """CMake gives the option with each compile."""
    assert parse([*words.split(), "-c", "-shared", "a.k"]).inputs == ["a.k"]


def test_no_spelling_belongs_to_two_options():
    names = [name for option in OPTIONS for name in option.names]
    assert len(names) == len(set(names))


def test_all_machines():
    last = ("compute_90", ("sm_90",), True)
    others = [(f"compute_{n}", (f"sm_{n}",), False) for n in (80, 86, 89)]
    assert parse(["-arch=all", "a.k"]).targets == [*others, last]
    assert parse(["-arch=all-major", "a.k"]).targets == [others[0], last]


def test_a_value_given_again_is_noted():
    request = parse(["-arch=sm_90", "-o", "x", "-arch=sm_90a", "-o=x", "-t4", "a.k"])
    assert (request.replaced, request.values["arch"]) == (["gpu-architecture"], "sm_90a")


def test_a_verb_s_own_options_are_meant_first():
    with pytest.raises(CompileError, match="did you mean '--section'"):
        parse(["--sectin", "a.k"], "prof", ("section",))
    with pytest.raises(CompileError, match="see minicc prof --help"):
        parse(["--zzzzzz", "a.k"], "prof", ("section",))
