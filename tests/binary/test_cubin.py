"""cubins: what we read of ptxas's, what NVIDIA's tools read of ours, and that the two agree."""

from __future__ import annotations

import inspect
import io
import re
import sys
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from hypothesis import given
from hypothesis import strategies as st

from minicc import arch, ptx, ptxas
from minicc.binary import read_cubin, write_cubin
from minicc.binary.scan import NOP
from minicc.diagnostics import CompileError, SourceFile
from minicc.ptxas.options import Options
from minicc.sass.program import Function, Line, Param, Program, Relocation, Variable
from minicc.verbs import objdump
from tests.binary.conftest import HERE, damaged, output
from tests.conftest import PTXAS, needs_ptxas

EXIT = bytes.fromhex("4d790000000000000000800300ea0f00")
SHFL = bytes.fromhex("897f05000000200c001f0e0000e22e00")
NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,12}", fullmatch=True)


def _code(count: int) -> bytes:
    return SHFL * (count - 1) + EXIT


@st.composite
def programs(draw) -> Program:
    """Programs that ptxas could make: unique names, parameters in order, references that exist."""
    names = draw(st.lists(NAMES, unique=True, min_size=1, max_size=9))
    externs = draw(st.lists(st.sampled_from(["vprintf", "malloc", "free", "__assertfail"]), unique=True))
    names = [n for n in names if n not in externs] or ["k"]
    cut = draw(st.integers(1, len(names)))
    program = Program(draw(st.sampled_from(["sm_90", "sm_90a"])), externs=externs)
    for name in names[cut:]:
        space = draw(st.sampled_from(["global", "constant"]))
        size = draw(st.integers(1, 64))
        filled = space == "constant" or draw(st.booleans())
        init = draw(st.binary(min_size=size, max_size=size)) if filled else None
        program.variables.append(Variable(name, space, size, draw(st.sampled_from([1, 4, 8, 16])), init))
    for name in names[:cut]:
        count = draw(st.integers(1, 40))
        f = Function(name, _code(count), registers=draw(st.integers(1, 255)), barriers=draw(st.integers(0, 16)))
        f.shared = draw(st.integers(0, 40000))
        f.frame = draw(st.integers(0, 4096)) * 8
        f.min_stack = f.frame
        at = 0
        for i, size in enumerate(draw(st.lists(st.sampled_from([1, 2, 4, 8, 12, 64]), max_size=12))):
            align = size if size in (1, 2, 4, 8) else 4
            at = -(-at // align) * align
            f.params.append(Param(i, at, size))
            at += size
        f.param_bytes = at
        f.callees = draw(st.lists(st.sampled_from(externs), unique=True)) if externs else []
        bounds = st.none() | st.tuples(st.integers(1, 1024), st.just(1), st.just(1))
        f.max_threads = draw(bounds)
        offsets = sorted(draw(st.sets(st.integers(0, count - 1), max_size=5)))
        for offset in offsets:
            place = st.tuples(st.sampled_from(["a.k", "dir/b.k"]), st.integers(1, 500), st.just(0), NAMES)
            chain = tuple(draw(st.lists(place, max_size=3)))
            f.lines.append(
                Line(16 * offset, draw(st.sampled_from(["a.k", "dir/b.k"])), draw(st.integers(1, 900)), 0, chain)
            )
        f.constant2 = draw(st.binary(max_size=4)) * 4
        program.functions.append(f)
    program.constant4 = draw(st.lists(st.sampled_from(names), max_size=4)) + externs
    for v in program.variables:
        if v.init is not None and v.size >= 16 and v.space == "global":
            v.relocations = [Relocation(8, "R_CUDA_64", draw(st.sampled_from(names)), draw(st.integers(0, 64)))]
    return program


def _comparable(program: Program) -> Program:
    """Without what reading adds: derived attributes, the raw line table, placements."""
    program.debug_line = None
    program.uses_extern_shared = False
    for f in program.functions:
        f.attributes = {}
        f.shared_align = 16 if not f.shared else f.shared_align
    program.variables = sorted(program.variables, key=lambda v: v.name)
    for v in program.variables:
        v.offset, v.align = None, 1
    return program


@given(programs())
def test_what_is_written_is_read_back(program):
    data = write_cubin(program)
    assert data == write_cubin(program)
    assert _comparable(read_cubin(data, "x")) == _comparable(program)


@given(programs())
def test_an_independent_reader_agrees(program):
    elf = ELFFile(io.BytesIO(write_cubin(program)))
    assert elf["e_machine"] == "EM_CUDA" and elf["e_shstrndx"] == 1
    symbols = {s.name: s for s in elf.get_section_by_name(".symtab").iter_symbols()}
    for f in program.functions:
        text = elf.get_section_by_name(f".text.{f.name}")
        assert text.data().startswith(f.code)
        assert text["sh_size"] % 128 == 0 and text["sh_size"] >= len(f.code) + 128
        assert text["sh_offset"] % 128 == 0
        assert {text.data()[i : i + 16] for i in range(len(f.code), text["sh_size"], 16)} == {NOP}
        assert symbols[f.name]["st_size"] == text["sh_size"] and symbols[f.name]["st_other"]["local"] is not None
        bank = elf.get_section_by_name(f".nv.constant0.{f.name}")
        assert bank["sh_size"] == 0x210 + f.param_bytes
    cuinfo = elf["e_flags"] >> 24
    assert elf.get_section(cuinfo).name == ".note.nv.cuinfo"
    assert elf["e_flags"] >> 8 & 0xFFFF == 90
    loads = [s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"]
    for f in program.functions:
        text = elf.get_section_by_name(f".text.{f.name}")
        assert any(s["p_offset"] <= text["sh_offset"] and s["p_flags"] & 1
                   and text["sh_offset"] + text["sh_size"] <= s["p_offset"] + s["p_filesz"] for s in loads)  # fmt: skip


@given(programs())
def test_pyelftools_reads_our_line_table(program):
    elf = ELFFile(io.BytesIO(write_cubin(program)))
    table = elf.get_section_by_name(".debug_line")
    kernels = [f for f in program.functions if f.lines]
    assert (table is not None) == bool(kernels)
    if table is None:
        return
    from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo
    from elftools.dwarf.structs import DWARFStructs

    names = list(inspect.signature(DWARFInfo).parameters)
    given_sections = {n: None for n in names if n != "config"}
    data = table.data()
    given_sections["debug_line_sec"] = DebugSectionDescriptor(io.BytesIO(data), ".debug_line", 0, len(data), 0)
    info = DWARFInfo(config=DwarfConfig(True, "x64", 8), **given_sections)
    program_ = info._parse_line_program_at_offset(0, DWARFStructs(True, 32, 8))
    sequences, rows = [], {}
    for entry in program_.get_entries():
        if entry.state is None:
            continue
        if entry.state.end_sequence:
            sequences.append(rows)
            rows = {}
        else:
            rows[entry.state.address] = (entry.state.file, entry.state.line)
    assert len(sequences) == len(kernels)
    files = program_["file_entry"]
    for rows, f in zip(sequences, kernels, strict=True):
        for line in f.lines:
            file, number = rows[line.offset]
            assert number == line.line
            assert files[file - 1].name.decode() == line.file.rpartition("/")[2]


@given(programs(), st.data())
def test_damaged_files_give_errors(program, data):
    """Cutting or flipping bits never gives anything but a program or a CompileError."""
    good = write_cubin(program)
    for _ in range(8):
        try:
            read_cubin(damaged(good, data), "bad.cubin")
        except CompileError as error:
            assert "bad.cubin: byte 0x" in str(error)


def test_every_truncation_gives_an_error(reference_cubin):
    data = reference_cubin.read_bytes()
    for size in range(0, len(data), 97):
        with pytest.raises(CompileError, match="byte 0x"):
            read_cubin(data[:size], "cut")


def test_reading_ptxas_files(reference_cubin):
    program = read_cubin(reference_cubin.read_bytes(), str(reference_cubin))
    assert program.arch == ("sm_90a" if "sm_90a" in reference_cubin.name else "sm_90")
    one, switch, cluster = program.function("k_one"), program.function("k_switch"), program.function("_Z9k_clusterPi")
    assert [(p.offset, p.size) for p in one.params] == [(0, 8), (8, 4), (12, 8)]
    assert 1000 <= one.shared <= 1008 and one.barriers == 1
    assert one.callees == ["vprintf"] and program.externs == ["vprintf"]
    assert list(one.labels) == ["$k_one$_Z6helperfi"]
    assert switch.max_threads == (128, 1, 1) and len(switch.constant2) > 0
    assert cluster.attributes["CTA_PER_CLUSTER"] == (2, 1, 1)
    assert program.uses_extern_shared
    variables = {v.name: v for v in program.variables}
    assert variables["ctab"].space == "constant" and variables["ctab"].size == 64
    assert variables["ctab"].init[:8] == bytes.fromhex("0000803f00000040")
    assert variables["gcount"].init is None and variables["big"].size == 800
    assert [(r.symbol, r.addend) for r in variables["gptr"].relocations] == [("ginit", 4)]
    assert "vprintf" in program.constant4 and "big" in program.constant4
    if "lineinfo" in reference_cubin.name:
        assert {line.line for line in one.lines} >= {13, 14, 15, 16, 17, 19}
        inlined = [line for line in one.lines if line.inlined_at]
        assert any(line.line == 10 and line.inlined_at[0][3] == "_Z2sqf" for line in inlined)


@needs_ptxas
def test_the_target_of_the_ptx_is_in_the_file(tmp_path: Path) -> None:
    """PTX of an older target: the note says so, as NVIDIA's does, and the listing's head prints it."""
    text = ".version 6.0\n.target sm_52\n.address_size 64\n.visible .entry k() { ret; }\n"
    (tmp_path / "k.ptx").write_text(text)
    output(PTXAS, "-arch=sm_90", tmp_path / "k.ptx", "-o", tmp_path / "k.cubin")
    theirs = read_cubin((tmp_path / "k.cubin").read_bytes(), "k.cubin")
    program = ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), arch.get("sm_90"), Options())
    (tmp_path / "ours.cubin").write_bytes(write_cubin(program))
    assert theirs.virtual == program.virtual == read_cubin((tmp_path / "ours.cubin").read_bytes(), "k").virtual == 52
    for name in ("k.cubin", "ours.cubin"):
        assert "EF_CUDA_VIRTUAL_SM(EF_CUDA_SM52)" in output(
            sys.executable, "-m", "minicc", "objdump", "-sass", tmp_path / name
        )


COMMANDS = [("cuobjdump", "-sass"), ("cuobjdump", "-res-usage"), ("nvdisasm", "-c"), ("nvdisasm", "-c", "-gi")]


@needs_ptxas
def test_hidden_parameters_have_no_record(tmp_path: Path) -> None:
    """The others are numbered without them, in NVIDIA's cubin as in ours."""
    text = (
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u32 a, .hidden .param .align 64 .b8 b[128], "
    )
    text += ".param .u64 c, .hidden .param .u32 d) { ret; }\n"
    (tmp_path / "k.ptx").write_text(text)
    output(PTXAS, "-arch=sm_90", "-o", tmp_path / "k.cubin", tmp_path / "k.ptx")
    ours = write_cubin(ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), arch.get("sm_90"), Options()))
    found = [read_cubin(c, "k").functions[0] for c in ((tmp_path / "k.cubin").read_bytes(), ours)]
    assert found[0].params == found[1].params and [p[::2] for p in found[1].params] == [(0, 4), (1, 8)]
    assert found[0].param_bytes == found[1].param_bytes > 128
    assert all(f.attributes["KPARAM_INFO_V2"] for f in found)
    assert (
        ptx.parse(SourceFile("k.ptx", ptx.format(ptx.parse(SourceFile("k.ptx", text))))).functions[0].params[1].linkage
    )


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_tools_print_the_same_of_ours(reference_cubin, oracle, tmp_path, command):
    """What NVIDIA's tools print of a cubin that we read and wrote anew, against the original: the same lines (functions
    may come in another order)."""
    ours = tmp_path / reference_cubin.name
    ours.write_bytes(write_cubin(read_cubin(reference_cubin.read_bytes(), "x")))
    tool, *options = command
    want = output(oracle(tool), *options, reference_cubin).replace(str(reference_cubin), "FILE")
    got = output(oracle(tool), *options, ours).replace(str(ours), "FILE")
    if "-res-usage" in options:  # sections, and so the words of a line, may come in another order too
        got, want = ("\n".join(" ".join(sorted(line.split())) for line in text.splitlines()) for text in (got, want))
    assert sorted(got.splitlines()) == sorted(want.splitlines())


_DEBUG = (
    ".debug_abbrev",
    ".debug_info",
    ".debug_line",
    ".debug_loc",
    ".debug_mac",
    ".debug_pub",
    ".debug_str",
    ".nv_debug",
)


def _without_debug(text):
    """Lines but those of sections that are left as words here."""
    names = re.findall(r"^ +[0-9a-f]+ .* (\.\S+)$", text, re.MULTILINE)
    kept, skipping = [], False
    for line in text.splitlines():
        if (found := re.match(r"(?:\.section\s+)?(\.\S+)", line)) and found[1] in names:
            skipping = found[1].removeprefix(".rela").removeprefix(".rel").startswith(_DEBUG)
        if not skipping and line:
            kept.append(line)
    return kept


def test_elf_text_is_cuobjdump_s(reference_cubin, oracle, capsys):
    """Every line that cuobjdump -elf prints; of debug information the call frames only."""
    assert objdump.main(["-elf", str(reference_cubin)]) == 0
    ours, theirs = capsys.readouterr().out, output(oracle("cuobjdump"), "-elf", reference_cubin)
    if any(f" {name}" in theirs for name in _DEBUG):
        assert _without_debug(ours) == _without_debug(theirs)
    else:
        assert ours == theirs


def test_symbols_are_cuobjdump_s(reference_cubin, oracle, capsys):
    assert objdump.main(["-symbols", str(reference_cubin)]) == 0
    ours, theirs = capsys.readouterr().out, output(oracle("cuobjdump"), "-symbols", reference_cubin)
    assert ours.split("\n\n") == theirs.split("\n\n")


VARIABLES = [
    "",
    "__constant__ int c[19] = {1};",
    "__device__ int g[7];",
    "__device__ int g[7] = {1}; __constant__ int c[3];",
    "__managed__ int g[7];",
]


@pytest.mark.parametrize("variables", VARIABLES)
def test_resources_and_symbols_are_cuobjdump_s(oracle, tmp_path, capsys, variables):
    path, source = tmp_path / "x.cubin", tmp_path / "x.cu"
    used = " + ".join(["0", *(f"{name}[i]" for name in "cg" if f"int {name}[" in variables)])
    kernel = "__shared__ int s[64]; s[i] = i; __syncthreads(); p[i] = s[63 - i]"
    switch = "switch (p[i]) { " + "".join(f"case {n}: {{ p[{n}] = {n * n}; break; }} " for n in range(9))
    source.write_text(f"{variables}\n__global__ void k(int *p, int i) {{ {kernel} + {used}; {switch} }} }}\n")
    output(oracle("nvcc"), "-arch=sm_90", "-cubin", source, "-o", path)
    for option in ("-res-usage", "-symbols"):
        assert objdump.main([option, str(path)]) == 0
        ours, theirs = capsys.readouterr().out, output(oracle("cuobjdump"), option, path)
        assert ours.rstrip() == theirs.rstrip()


def test_cuobjdump_elf_accepts_ours(reference_cubin, oracle, tmp_path):
    ours = tmp_path / "ours.cubin"
    ours.write_bytes(write_cubin(read_cubin(reference_cubin.read_bytes(), "x")))
    want = output(oracle("cuobjdump"), "-elf", reference_cubin)
    got = output(oracle("cuobjdump"), "-elf", ours)
    assert "toolkit=13.0" in got

    def records(text: str) -> list[str]:
        """Attribute names in order, by section; symbol numbers differ."""
        return sorted(line.strip() for line in text.splitlines() if "Attribute:" in line)

    assert records(got) == records(want)


@given(program=programs())
def test_nvdisasm_accepts_any_program(program, tmp_path_factory):
    from tests.conftest import find_tool

    tool = find_tool("cuobjdump")
    if tool is None:
        pytest.skip("cuobjdump is not here")
    path = tmp_path_factory.mktemp("any") / "x.cubin"
    path.write_bytes(write_cubin(program))
    usage = output(tool, "-res-usage", path)
    for f in program.functions:
        line = usage.split(f"Function {f.name}:\n")[1].splitlines()[0]
        assert f"REG:{f.registers} STACK:{f.min_stack} " in line
        assert f"CONSTANT[0]:{0x210 + f.param_bytes}" in line


def test_impossible_programs_are_refused():
    with pytest.raises(CompileError, match="defined twice"):
        write_cubin(Program("sm_90", [Function("k", EXIT), Function("k", EXIT)]))
    with pytest.raises(CompileError, match="not defined here"):
        write_cubin(Program("sm_90", [Function("k", EXIT)], constant4=["nothing"]))
    with pytest.raises(CompileError, match="whole instructions"):
        write_cubin(Program("sm_90", [Function("k", EXIT[:8])]))
    with pytest.raises(CompileError, match="overlap"):
        two = [Variable("a", "constant", 8, 4, bytes(8), offset=0), Variable("b", "constant", 8, 4, bytes(8), offset=4)]
        write_cubin(Program("sm_90", [Function("k", EXIT)], two))
    with pytest.raises(CompileError, match="not an ELF"):
        read_cubin(b"hello" * 40, "x")


OTHERS = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_100", "sm_120", "sm_90 -rdc=true", "sm_90 -G"]


@pytest.mark.parametrize("options", OTHERS)
def test_reading_other_kinds_of_cubin(oracle, tmp_path, options, capsys):
    """Older and newer machines, relocatable and debug files: every resource, and of files without debug information
    every section, against what cuobjdump prints of them."""
    path, source = tmp_path / "x.cubin", tmp_path / "x.cu"
    text = (HERE / "kernels.cu").read_text()
    source.write_text(
        text if "sm_90" in options or "sm_1" in options else text.replace("__cluster_dims__(2, 1, 1)", "")
    )
    arch, *rest = options.split()
    output(oracle("nvcc"), f"-arch={arch}", "-cubin", *rest, source, "-o", path)
    program = read_cubin(path.read_bytes(), "x")
    assert program.arch == arch
    one = program.function("k_one")
    base = {"sm_7": 0x160, "sm_8": 0x160, "sm_9": 0x210, "sm_1": 0x380}[arch[:4]]
    assert one.attributes["PARAM_BASE"] == base and [p.size for p in one.params] == [8, 4, 8]
    assert 1000 <= one.shared <= 1008 and one.barriers == 1 and "vprintf" in program.externs
    assert program.function("k_switch").max_threads == (128, 1, 1)
    variables = {v.name.rpartition("_")[2] if "rdc" in options else v.name: v for v in program.variables}
    assert variables["ctab"].init[:8] == bytes.fromhex("0000803f00000040") and variables["big"].size == 800
    usage = output(oracle("cuobjdump"), "-res-usage", path)
    for f in program.functions:
        if not f.entry:  # cuobjdump shows zeros for device functions
            continue
        line = usage.split(f" Function {f.name}:\n")[1].splitlines()[0]
        assert f"REG:{f.registers} STACK:{f.min_stack} " in line
    assert objdump.main(["-elf", str(path)]) == 0
    ours, theirs = capsys.readouterr().out, output(oracle("cuobjdump"), "-elf", path)
    if "-G" in options:
        ours, theirs = _without_debug(ours), _without_debug(theirs)
    assert ours == theirs


def _leb(number: int) -> bytes:
    low, high = number & 127, number >> 7
    done = high == (-1 if number < 0 else 0) and (number >= 0 or low & 64)
    return bytes([low]) if done else bytes([low | 128]) + _leb(high)


REGISTER = _leb(5 << 24 | 29)
CALL_FRAMES = b"".join(
    [
        *(b"\7" + _leb(kind << 24 | 3) for kind in range(20) if kind != 12),  # undefined
        *(b"\x08" + _leb(kind << 24 | 77) for kind in (0, 2, 5, 9, 11)),  # same_value
        *(bytes([code]) + REGISTER + _leb(67) for code in (0x05, 0x0C)),  # offset_extended, def_cfa
        *(bytes([code]) + REGISTER for code in (0x06, 0x0D)),  # restore_extended, def_cfa_register
        b"\x09" + REGISTER + _leb(9 << 24 | 4) + b"\x0e" + _leb(67),  # register, def_cfa_offset
        b"\x87" + _leb(67) + b"\xc7\x57",  # offset, restore, advance_loc
        b"\2\x43\3\x43\1\4\x43\0\1\0\x0a\x0b" + b"\x11" + REGISTER + _leb(-67),
    ]
)


def test_call_frames_are_cuobjdump_s(oracle, tmp_path, capsys):
    """Instructions that ptxas seldom writes, in the place of those that it wrote."""
    path, source = tmp_path / "x.cubin", tmp_path / "x.cu"
    source.write_text("__global__ void k(int *p) { *p = 1; }")
    output(oracle("nvcc"), "-arch=sm_90", "-G", "-cubin", source, "-o", path)
    data = bytearray(path.read_bytes())
    start = data.index(b"\x0c" + _leb(5 << 24 | 1) + b"\0")
    end = start - 29 + 12 + int.from_bytes(data[start - 25 : start - 17], "little")  # the header: 4, 8 of length, 17
    assert len(CALL_FRAMES) < end - start
    data[start:end] = CALL_FRAMES.ljust(end - start, b"\0")
    path.write_bytes(data)
    assert objdump.main(["-elf", str(path)]) == 0
    ours, theirs = capsys.readouterr().out, output(oracle("cuobjdump"), "-elf", path)
    theirs = [line for line in _without_debug(theirs) if not line.startswith("Unexpected location")]  # kinds 0 to 4
    assert ours.count("DW_CFA_undefined") >= 19 and _without_debug(ours) == theirs


@pytest.mark.parametrize(("flags", "arch"), [(0x005A055A, "sm_90"), (0x005A0D5A, "sm_90a"), (0x00500550, "sm_80")])
def test_older_toolkits_say_the_machine_elsewhere(flags, arch):
    """ABI version 7 (CUDA 12 and older): SM in the low byte of e_flags, 0x800 = "a"."""
    data = bytearray(write_cubin(Program("sm_90", [Function("k", EXIT, registers=8)])))
    data[7], data[8] = 0x33, 7
    data[48:52] = flags.to_bytes(4, "little")
    assert read_cubin(bytes(data), "old").arch == arch
