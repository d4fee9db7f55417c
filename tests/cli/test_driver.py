"""The command as a user types it: artifacts, stages as inputs, exit statuses, nothing half-written."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys

import pytest

from minicc import CompileError, cli, driver, output
from minicc.verbs import VERBS
from tests.conftest import SAMPLES

VADD = str(SAMPLES / "vadd.k")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_keep_leaves_the_file_of_every_stage(tmp_path):
    assert cli.main([VADD, "-arch=sm_90", "--keep"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "vadd.fatbin", "vadd.ll", "vadd.o", "vadd.opt.ll", "vadd.ptx", "vadd.sm_90.cubin", "vadd.sm_90.sass",
        "vadd.stub.c",
    ]  # fmt: skip


def test_every_stage_s_file_is_an_input_and_gives_the_same_code(tmp_path):
    assert cli.main([VADD, "-arch=sm_90", "--keep"]) == 0
    want = (tmp_path / "vadd.sm_90.cubin").read_bytes()
    for name in ("vadd.ll", "vadd.opt.ll", "vadd.ptx", "vadd.sm_90.sass", "vadd.sm_90.cubin"):
        assert cli.main(["-cubin", "-arch=sm_90", "-o", "again.cubin", name]) == 0
        assert (tmp_path / "again.cubin").read_bytes() == want, name


@pytest.mark.parametrize(
    "options",
    ["-cubin", "-c", "-fatbin", "-cubin -lineinfo -use_fast_math -D N=3", "-G -cubin", "-maxrregcount=24 -cubin",
     "-Xptxas --sched=serial --emit=sass", "--emit=opt.ll -O0", "-E",
     "-fatbin -gencode arch=compute_90,code=[sm_90,compute_90] -gencode=arch=compute_90a,code=sm_90a"],
)  # fmt: skip
def test_the_dry_run_s_commands_make_the_same_file(tmp_path, capsys, options):
    assert cli.main([VADD, *options.split(), "-o", "at_once"]) == 0
    before = set(tmp_path.iterdir())
    assert cli.main([VADD, *options.split(), "-o", "in_steps", "--dryrun"]) == 0
    assert set(tmp_path.iterdir()) == before
    for line in capsys.readouterr().err.splitlines():
        assert cli.main(shlex.split(line.removeprefix("#$ minicc "))) == 0, line
    assert (tmp_path / "in_steps").read_bytes() == (tmp_path / "at_once").read_bytes()


@pytest.mark.parametrize(
    ("name", "text", "status", "part"),
    [
        ("a.k", "__global__ void k(int *a) { a[0] = b; }", 1, "a.k:1:36: error: use of undeclared identifier 'b'"),
        ("a.k", "__global__ void k(", 1, "error:"),
        ("a.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { foo.bar; }", 255, "a.ptx:4:14: error:"),
        (
            "a.ptx",
            ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {} // \u00e9",
            255,
            "a.ptx:4:18: error:",
        ),
        ("a.ll", "define void @f( {", 1, "error:"),
        ("a.ll", "; 1\n; \udce9", 1, "a.ll:2:3: error: not UTF-8"),
        ("a.sass", "FADD R0, R1\n", 1, "a.sass:1:"),
        ("a.sass", ".target sm_7\n", 1, "a.sass:1:1: error: no instruction encoding"),
        ("a.cubin", "not an ELF", 1, "byte 0x0"),
        ("a.xyz", "", 1, "neither its suffix nor its content"),
    ],
)
def test_errors_name_the_place_and_leave_nothing(tmp_path, capsys, name, text, status, part):
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert cli.main(["-fatbin", "-o", "out.fatbin", name]) == status
    assert part in capsys.readouterr().err
    assert not (tmp_path / "out.fatbin").exists()


@pytest.mark.parametrize("name", ["v\udce4.k", 'a "b" \\c.k', "ü ö.k", "a\nb.k"])
def test_any_name_of_a_file(name, tmp_path):
    """Also one that is not UTF-8, in the line table too."""
    (tmp_path / name).write_text("__global__ void k(int *a) { *a = 1; }")
    assert cli.main(["-c", "-lineinfo", name]) == 0
    assert cli.main(["-G", "-cubin", name]) == 0


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
@pytest.mark.parametrize("name", [b"v\xc3\xa4.k", b"v\xe4.k"])
def test_names_are_printed_in_any_locale(name, locale, tmp_path):
    shutil.copy(VADD, os.path.join(os.fsencode(tmp_path), name))
    env = {**os.environ, "LC_ALL": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": ""}
    for words in (
        ["run", "--set", "n=64"],
        ["prof", "--set", "n=64", "--page", "source"],
        ["bound"],
        ["-ptx", "-lineinfo"],
    ):
        command = [sys.executable, "-m", "minicc", words[0], name, *words[1:]]
        done = subprocess.run(command, capture_output=True, env=env, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    quoted = b"".join(b"\\%03o" % byte if byte > 126 else bytes([byte]) for byte in name)
    assert (b'.file\t1 "' + quoted) in next(tmp_path.glob("*.ptx")).read_bytes()


def test_a_missing_input_and_an_unwritable_output(capsys):
    assert cli.main(["nothere.k"]) == 1
    assert "nothere.k: No such file or directory" in capsys.readouterr().err
    assert cli.main([VADD, "-o", "no/such/folder/x.fatbin"]) == 1
    assert "no/such/folder/x.fatbin" in capsys.readouterr().err


def test_an_internal_error_exits_70_and_says_how_to_report_it(monkeypatch, capsys):
    monkeypatch.setattr(driver, "run", lambda build: 1 / 0)
    assert cli.main([VADD]) == 70
    assert "Please report it" in capsys.readouterr().err


def test_a_package_that_is_not_installed_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert cli.main(["-fatbin", "-o", "out.fatbin", VADD]) == 1
    said = capsys.readouterr().err
    assert "'zstandard' is not installed" in said and "report" not in said
    assert not os.path.exists("out.fatbin")


def test_json_diagnostics(tmp_path, capsys):
    import json

    (tmp_path / "a.k").write_text("__global__ void k(int *a) { a[0] = b; }")
    assert cli.main(["--json", "a.k"]) == 1
    found = json.loads(capsys.readouterr().err)
    assert found["diagnostics"][0]["line"] == 1 and found["diagnostics"][0]["column"] == 36


def test_make_rule_names_the_includes(tmp_path):
    (tmp_path / "inc.h").write_text("#define VALUE 3\n")
    (tmp_path / "a.k").write_text('#include "inc.h"\n__global__ void k(int *a) { a[0] = VALUE; }\n')
    assert cli.main(["-cubin", "-MD", "a.k"]) == 0
    rule = (tmp_path / "a.d").read_text()
    assert rule.startswith("a.cubin :") and "a.k" in rule and "inc.h" in rule
    assert cli.main(["-MM", "-MF", "only.d", "a.k"]) == 0
    assert (tmp_path / "only.d").read_text() == rule.replace("a.cubin", "a.o")
    assert cli.main(["-cubin", "-MD", "-MP", "a.k"]) == 0
    assert (tmp_path / "a.d").read_text() == f"{rule}\ninc.h:\n"


def test_standard_input_and_output():
    command = [sys.executable, "-m", "minicc", "-ptx", "-o", "-", "-"]
    with open(VADD, "rb") as source:
        done = subprocess.run(command, stdin=source, capture_output=True, text=True)
    assert done.returncode == 0 and ".visible .entry _Z4vaddPKfS0_Pfi" in done.stdout


def test_two_gencodes_give_two_cubins_and_one_ptx(tmp_path):
    from minicc import binary

    words = ["-gencode", "arch=compute_90,code=sm_90", "-gencode", "arch=compute_90a,code=[sm_90a,compute_90a]"]
    assert cli.main([VADD, *words]) == 0
    entries = binary.read_fatbin((tmp_path / "vadd.fatbin").read_bytes())
    assert sorted(entry.kind for entry in entries) == ["cubin", "cubin", "ptx"]


def test_a_stray_runtime_py_is_named(tmp_path):
    (tmp_path / "runtime.py").write_text("x = 1\n")
    done = subprocess.run([sys.executable, "-m", "minicc", "run", VADD], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert "hides minicc's runtime" in done.stderr and "runtime.py" in done.stderr and "Traceback" not in done.stderr


def test_run_prints_the_check_and_json_has_it(capsys):
    import json

    assert cli.main(["run", VADD, "--set", "n=1000"]) == 0
    shown = capsys.readouterr().out
    assert "check c: ok: 1000 elements exact" in shown and "cycles" in shown
    assert cli.main(["run", VADD, "--set", "n=1000", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] and report["launches"][0]["grid"] == [4] and report["outputs"]["c"]["shape"] == [1000]


def test_run_fails_when_a_check_fails(tmp_path, capsys):
    text = (SAMPLES / "vadd.k").read_text().replace("a[i] + b[i]", "a[i] - b[i]")
    (tmp_path / "wrong.k").write_text(text)
    assert cli.main(["run", "wrong.k", "--set", "n=1000"]) == 1
    assert "FAILED: element 0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", VADD, "--set", "m=1"], "the script sets no 'm'"),
        (["run", VADD, "--device", "gpu"], "no device 'gpu'"),
        (["fuzz", "--count", "0"], "Unknown option '--count'"),
        (["fuzz", "x.cu"], "what is 'x.cu'?"),
        (["-cubin", "wrong.cubin"], "wrong.cubin: byte 0x0"),
        (["run", VADD, "--head", "x"], "'x' is not a number for '--head'"),
        (["run", "wrong.cubin"], "give --script FILE"),
        (["prof", VADD, "-o", "report"], "makes nothing for -o"),
        (["prof", VADD, "--picture", "x.png"], "must end in .svg"),
        (["bound", VADD, "--block", "0"], "--block is 1 to 1024"),
        ([VADD, "-o", "x"], "no program is linked here"),
        ([VADD, "-o", ""], "could not be opened"),
        (["wide.cu"], "wide.cu:1:4: error: not UTF-8 text"),
        (["prof", VADD, "--set", "most"], "or name a set: none, basic"),
        (["run", VADD, "--set", "full"], "must read NAME=EXPRESSION"),
        (["prof", VADD, "--section", "Zz"], "--list-sections"),
        (["classic", "figure4", "--csv"], "Unknown option '--csv'"),
        (["fuzz", "--save", "none/none"], "is no folder"),
        (["cache", "info", "more"], "what is 'more'?"),
        (["objdum", "x"], "did you mean 'minicc objdump'?"),
        (["objdump", "--dump-sas", "x"], "did you mean '-dump-sass'?"),
    ],
)
def test_words_that_mean_nothing_are_errors(words, said, tmp_path, capsys):
    (tmp_path / "wrong.cubin").write_text("no cubin")
    (tmp_path / "wide.cu").write_text("__global__ void k() {}", "utf-16")
    assert cli.main(words) == 1
    assert said in capsys.readouterr().err


def test_the_compile_path_imports_nothing_heavy():
    code = (
        "import sys; from minicc import cli; "
        f"assert cli.main(['-cubin', '-o', 'a.cubin', {VADD!r}]) == 0; "
        "print([m for m in ('attr', 'llvmlite', 'networkx', 'numpy', 'numba', 'rich', 'pathlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_names_the_options(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert "maxrregcount" in text and "objdump" in text


def test_help_and_version(capsys):
    assert cli.main(["--help"]) == 0
    assert "Exit status" in capsys.readouterr().out
    assert cli.main(["--version"]) == 0
    assert cli.main([]) == 1


@pytest.mark.parametrize(
    "words",
    ["vadd.k -o new", "as vadd.sass -o new", "objdump -xelf all vadd.fatbin", "-cubin --keep --keep-dir new vadd.k",
     "-c -MD -MF new vadd.k"],
)  # fmt: skip
def test_a_full_disk_leaves_nothing_half_written(tmp_path, words):
    (tmp_path / "vadd.k").write_text((SAMPLES / "vadd.k").read_text())
    assert cli.main(["vadd.k"]) == 0
    assert cli.main(["vadd.k", "--emit=sass"]) == 0
    (tmp_path / "keep").mkdir()
    before = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    command = f"ulimit -f 0; exec {shlex.join([sys.executable, '-m', 'minicc', *words.split()])} 2>&1 | cat"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "error:" in done.stdout
    assert "Traceback" not in done.stdout
    assert {path.name: path.stat().st_size for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("line", ['k["a", 1]()', "k[1, None]()", "k[1, 1, 1e400]()", "k[(1, 2, 3, 4), 1]()"])
def test_a_launch_line_that_is_no_shape(tmp_path, capsys, line):
    (tmp_path / "a.k").write_text(f"//! {line}\n__global__ void k() {{}}\n")
    assert cli.main(["run", "a.k"]) == 1
    assert "error:" in capsys.readouterr().err


def test_files_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.bin"
    old = os.umask(0o027)
    try:
        output.write(str(path), b"first, longer")
        assert path.stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(old)
    output.write(str(path), "second")
    assert path.read_bytes() == b"second"
    with pytest.raises(CompileError, match=r"no/out\.bin"):
        output.write(str(tmp_path / "no" / "out.bin"), b"")
    with pytest.raises(CompileError):
        output.write(str(tmp_path), b"")
    output.write(os.devnull, b"device")
    assert [each.name for each in tmp_path.iterdir()] == ["out.bin"]
    assert path.read_bytes() == b"second"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_help(verb, capsys):
    for words in ([verb, "--help"], ["help", verb]):
        assert cli.main(words) == 0
        assert f"minicc {verb}" in capsys.readouterr().out.split("\n")[0]


def test_the_language_of_scripts_is_explained(capsys):
    assert cli.main(["run", "--script-help"]) == 0
    assert "arange(stop, dtype=i64)" in capsys.readouterr().out
    assert cli.main(["help"]) == 0
    assert "Usage:  minicc [options] FILE" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [["patterns"], ["patterns", "mad"], ["patterns", "--tensor"], ["patterns", "--table", "tertiary"], ["cache"],
     ["bound", VADD], ["run", VADD, "--set", "n=64"], ["prof", VADD, "--set", "n=64"], ["classic", "table2"]],
)  # fmt: skip
def test_documents_say_their_schema(words, capsys):
    assert cli.main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == 1


def test_as_says_its_errors_as_json(tmp_path, capsys):
    (tmp_path / "wrong.sass").write_text(".function k, entry\n  NONE ;\n")
    assert cli.main(["as", "wrong.sass", "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().err)["diagnostics"]
    assert found["line"] == 2


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (["-cubin", VADD, "-Xptxas", "-v"], "info"),
        (["-cubin", VADD, "-Xisel", "--time-passes"], "info"),
        (["-cubin", VADD, "-v"], "times"),
        (["-cubin", VADD, "--dryrun"], "plan"),
        (["-cubin", "unused.cu"], "diagnostics"),
        (["bound", "nothing.k"], "diagnostics"),
        (["run", "unused.cu"], "diagnostics"),
        (["-cubin", "broken.ll"], "diagnostics"),
        (["prof", "--list-sections"], "sections"),
        (["prof", "--query-metrics"], "metrics"),
        (["fuzz", "--seconds", "0"], "agree"),
    ],
)
def test_what_is_said_is_json_where_it_is_asked_for(words, key, tmp_path, capsys):
    (tmp_path / "unused.cu").write_text("__global__ void k() { int unused; }\n")
    (tmp_path / "broken.ll").write_text("define void @k( {\n")
    cli.main([*words, "--json"])
    said = capsys.readouterr()
    found = [json.loads(line) for line in (said.out + said.err).splitlines()]
    assert any(key in one for one in found) and all(one["schema"] == 1 for one in found)
    for one in found:
        assert all(d.get("file", "broken.ll") in ("broken.ll", "unused.cu") for d in one.get("diagnostics", ()))


def test_an_internal_error_is_json_where_it_is_asked_for(monkeypatch, capsys):
    monkeypatch.setattr(driver, "run", lambda build: 1 // 0)
    assert cli.main([VADD, "--json"]) == 70
    (found,) = json.loads(capsys.readouterr().err)["diagnostics"]
    assert found["code"] == "internal" and "ZeroDivisionError" in found["message"]


def test_blanks_in_names_of_a_make_rule(tmp_path):
    (tmp_path / "a b.cu").write_text("__global__ void k() {}\n")
    assert cli.main(["-cubin", "-MD", "a b.cu"]) == 0
    assert (tmp_path / "a b.d").read_text() == "a\\ b.cubin : a\\ b.cu\n"


def test_extraction_is_done_for_json_too(tmp_path, capsys):
    assert cli.main([VADD, "-fatbin", "-o", "v.fatbin"]) == 0
    assert cli.main(["objdump", "--json", "-xelf", "all", "v.fatbin"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] and list(tmp_path.glob("*.cubin"))


def test_containers_are_inputs(tmp_path, capsys):
    """A fatbin and an object of the same kernel: the machine code for the architecture, the PTX where it is asked for,
    the PTX compiled where there is no code."""
    assert cli.main([VADD, "--keep"]) == 0
    for name in ("vadd.fatbin", "vadd.o"):
        assert cli.main(["-cubin", name, "-o", "again.cubin"]) == 0
        assert (tmp_path / "again.cubin").read_bytes() == (tmp_path / "vadd.sm_90.cubin").read_bytes()
        assert cli.main(["-ptx", name, "-o", "again.ptx"]) == 0
        assert (tmp_path / "again.ptx").read_text() == (tmp_path / "vadd.ptx").read_text()
        assert cli.main(["-cubin", "-arch=sm_90a", name, "-o", "again.cubin"]) == 0
        assert cli.main(["bound", name]) == 0
        assert cli.main(["run", name, "--script", VADD, "--set", "n=64"]) == 0
    assert "check c: ok" in capsys.readouterr().out
    assert cli.main([VADD, "-gencode=arch=compute_90,code=sm_90", "-o", "code.fatbin"]) == 0
    assert cli.main(["-cubin", "-arch=sm_90a", "code.fatbin"]) == 1
    assert "holds no code for sm_90a (it holds sm_90)" in capsys.readouterr().err


def test_options_of_the_environment_stand_around_those_given(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NVCC_PREPEND_FLAGS", "-cubin -o 'first one.cubin'")
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-arch=sm_90a")
    assert cli.main([VADD, "-arch=sm_90"]) == 0
    assert cli.main(["objdump", "-sass", "first one.cubin"]) == 0
    assert "code for sm_90a" in capsys.readouterr().out
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "'open")
    assert cli.main([VADD]) == 1
    assert "NVCC_APPEND_FLAGS: No closing quotation" in capsys.readouterr().err
