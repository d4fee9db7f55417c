"""The static checker: silent on NVIDIA's code and on ours, loud when a control code is damaged."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import arch as machines
from minicc import sass
from minicc.arch import Arch
from minicc.binary import read_cubin
from minicc.ptxas import Options, emit, pipeline
from minicc.ptxas.control.check import check
from minicc.ptxas.control.why import explain
from minicc.ptxas.mir import MModule
from minicc.record import evolve
from minicc.sass.instr import Control
from tests.ptxas.conftest import ARCH, assemble
from tests.ptxas.programs import Generator

FIELD = 105
SMALL = ("reduce", "branches", "doubles", "warps")


def controls(code: bytes) -> list[Control]:
    words = (int.from_bytes(code[i : i + 16], "little") for i in range(0, len(code), 16))
    return [Control.unpack(w >> FIELD & (1 << 21) - 1) for w in words]


def damage(code: bytes, at: int, **change: int) -> bytes:
    """`code` with some control fields of instruction `at` changed."""
    word = int.from_bytes(code[16 * at : 16 * at + 16], "little")
    old = Control.unpack(word >> FIELD & (1 << 21) - 1)
    fields = {
        "stall": old.stall,
        "yield_": old.yield_,
        "wbar": old.wbar,
        "rbar": old.rbar,
        "wait": old.wait,
        "reuse": 0,
    }
    new = Control(**{**fields, **change})  # type: ignore[arg-type]
    word = word & ~(((1 << 21) - 1) << FIELD) | new.pack() << FIELD
    return code[: 16 * at] + word.to_bytes(16, "little") + code[16 * at + 16 :]


def test_nvidias_code_passes(kernels_cubin: bytes) -> None:
    functions = read_cubin(kernels_cubin, "kernels.cubin").functions
    assert len(functions) >= 5
    for function in functions:
        assert [str(p) for p in check(function.code, ARCH)] == [], function.name


def found(*lines: str, arch: Arch = ARCH) -> list[str]:
    """Kinds of problem in instructions written `controls | text`: stall, yield, barriers set (w, r), waits by bits."""
    code = b""
    for line in (*lines, "s5 | EXIT"):
        fields, _, text = line.partition(" | ")
        named = {word[0]: int(word[1:]) for word in fields.split()}
        control = Control(
            stall=named.get("s", 1), wbar=named.get("w", 7), rbar=named.get("r", 7), wait=named.get("b", 0),
            yield_=bool(named.get("y", 0)),
        )  # fmt: skip
        instr = evolve(sass.parse(text), control=control)
        code += sass.encode(instr, arch, len(code)).to_bytes(16, "little")
    return [p.kind for p in check(code, arch)]


def test_no_code_has_no_problem() -> None:
    assert check(b"", ARCH) == []


def test_a_barrier_reads_its_number_late() -> None:
    """Without a read barrier an H200 took the number that was written after it (an illegal instruction)."""
    barrier, next_number = "BAR.SYNC.DEFER_BLOCKING R2, 0x80", "IADD3 R2, R2, 0x1, RZ"
    assert found(f"s6 | {barrier}", f"s5 | {next_number}") == ["late"]
    assert found(f"r0 s6 | {barrier}", f"b1 s5 | {next_number}") == []
    assert found("s6 | BAR.SYNC.DEFER_BLOCKING 0x2, 0x80", f"s5 | {next_number}") == []


def test_no_lane_runs_under_a_guard_and_its_opposite() -> None:
    """NPP loads under @P0 what it moves under @!P0, without a wait."""
    load, move = "w0 r1 | @P0 LDG.E R4, desc[UR4][R2.64]", "s1 | @!P0 MOV R4, R8"
    assert found(load, move) == []
    assert found(load, "s1 | @!P0 MOV R2, R8") == [], "nor is what it reads late"
    assert found(load, "s1 | @P0 MOV R4, R8") == ["wait"]
    assert found(load, "s1 | @!P1 MOV R4, R8") == ["wait"]
    compare = ("s11 | ISETP.NE.AND P0, PT, R9, RZ, PT", "s4 | NOP")
    assert found(load, *compare, move) == ["wait"], "the guard is another by then"
    assert found(*compare, load, move) == []
    assert found("s1 | @P0 IADD3 R4, R5, R6, RZ", "s1 | @!P0 IADD3 R7, R4, R6, RZ") == []
    assert found("s1 | @P0 IADD3 R4, R5, R6, RZ", "s1 | @P0 IADD3 R7, R4, R6, RZ") == ["raw"]


def test_what_nvidias_libraries_leave_out_is_no_problem() -> None:
    atom = "ATOM.E.MAX.64.STRONG.GPU P2, RZ, desc[UR36][R12.64+0xb8], R4"
    assert found(f"r1 s2 | {atom}", "b2 s5 | @P2 BRA 0x20") == [], "the address alone says so"
    assert found(f"r1 s2 | {atom}", "s5 | @P2 BRA 0x20") == ["wait"]
    compare = "s2 | UISETP.GE.U32.AND UP0, UPT, UR4, UR10, UPT"
    assert found(compare, "s1 | UP2UR UR51, UPR, URZ, 0x4") == []
    assert found(compare, "s1 | UP2UR UR51, UPR, URZ, 0x1") == ["raw"]
    load = "s1 | ULDC UR6, c[0x3][UR4+0x4]"
    assert found(load, "s1 | ULDC UR4, c[0x3][UR4]") == []
    assert found(load, "s1 | UMOV UR4, 0x1") == [], "right on an H200, too"
    assert found("s1 | UIADD3 UR6, UR4, 0x1, URZ", "s1 | UMOV UR4, 0x1") == ["war"]
    # cuSPARSELt: no stall and yield is a pause, long enough for a scoreboard.
    assert found("s0 w1 y1 | S2R R4, SR_TID.X", "b2 s4 | IADD3 R5, R4, 0x1, RZ") == []
    assert found("s1 w1 | S2R R4, SR_TID.X", "b2 s4 | IADD3 R5, R4, 0x1, RZ") == ["setup"]
    wide = "IMAD.WIDE R4, R8, 0x4, R10"
    assert found(f"s3 | {wide}", "s1 | R2UR UR4, R4") == []
    assert found(f"s2 | {wide}", "s1 | R2UR UR4, R4") == found(f"s4 | {wide}", "s1 | R2UR UR4, R5") == ["raw"]
    assert found("s4 | SHF.L.U32 R4, R8, R9, RZ", "w0 | MATCH.ANY R5, R4") == []
    assert found("s3 | SHF.L.U32 R4, R8, R9, RZ", "w0 | MATCH.ANY R5, R4") == ["raw"]


def test_a_bulk_copy_out_of_shared_memory_names_one_register() -> None:
    assert found("s1 | UBLKCP.G.S [UR4], [UR7], UR9") == []
    assert found("s1 | UBLKCP.S.G [UR4], [UR7], UR9") == ["align"], "a global address takes two"


def test_accumulators_are_left_alone_from_arrive_on() -> None:
    """An H200 writes them when another warp of the group has begun, whatever this one has come to."""
    arrive, end = "s6 | WARPGROUP.ARRIVE", "s6 | WARPGROUP.DEPBAR.LE gsb0, 0x0"
    for first in ("R24, gdesc[UR8], RZ, !UPT", "R24, gdesc[UR8], R24"):
        multiply = f"s4 | HGMMA.64x64x16.F32 {first}, gsb0"
        assert found(arrive, multiply, end) == []
        assert found("s11 | MOV R30, RZ", arrive, multiply, end) == []
        assert found(arrive, "s6 | MOV R60, RZ", multiply, end) == []
        assert found(arrive, "s11 | MOV R30, RZ", multiply, end) == ["group"]
        assert found(arrive, "s6 | MOV R60, R30", multiply, end) == ["group"]
        assert found(arrive, multiply, end, "s6 | MOV R60, R30", arrive, multiply, end) == []


def test_accumulators_begin_where_nvidia_puts_them() -> None:
    for first, problems in (188, []), (186, ["align"]):
        multiply = f"s4 | HGMMA.64x128x16.F32 R{first}, gdesc[UR8], RZ, !UPT, gsb0"
        assert found("s6 | WARPGROUP.ARRIVE", multiply, "s6 | WARPGROUP.DEPBAR.LE gsb0, 0x0") == problems


def test_a_clusters_barrier_keeps_nvccs_distances() -> None:
    barrier = ("s8 | CGAERRBAR", "s6 | UCGABAR_ARV", "s1 | UCGABAR_WAIT", "s4 | CCTL.IVALL", "w0 | LD.E R4, [R2]")
    assert found(*barrier) == []
    for at, short in ((0, "s6"), (1, "s1"), (3, "s1")):
        lines = list(barrier)
        lines[at] = short + lines[at][2:]
        assert found(*lines) == ["control"], lines[at]
    assert found("s1 | CCTL.IVALL", "s1 r0 | SYNCS.ARRIVE.TRANS64 RZ, [UR5], R6") == []


def test_texture_fetches_answer_in_order() -> None:
    """nvcc's code counts them: the first of three is there when two are left."""
    fetches = [
        f"{fields} s2 | TLD.LZ RZ, R{r}, R2, UR4, 0x0, 1D, 0x1" for fields, r in (("", 8), ("w5", 9), ("w5", 10))
    ]
    use = [f"s4 | FADD R{r}, R{r}, R{r}" for r in (8, 9, 10)]
    assert found(*fetches, "s4 | DEPBAR.LE SB5, 0x1", use[0], use[1]) == []
    assert found(*fetches, "s4 | DEPBAR.LE SB5, 0x1", use[2]) == ["wait"]
    assert found(*fetches, "s4 | DEPBAR.LE SB5, 0x2", use[0]) == ["wait"], (
        "one of three scoreboards' counts is not there"
    )
    assert found(*fetches, "s4 | DEPBAR.LE SB0, 0x0, {5}", *use) == []
    assert found(*fetches, "b32 s4 | NOP", *use) == []
    surface = ["s4 | SHF.L.U32 R2, R3, 0x4, RZ", "w5 s2 | SULD.D.BA.2D.STRONG.SM.TRAP R8, [R2], UR6, 0x0"]
    assert found(*surface, fetches[1], "s4 | DEPBAR.LE SB5, 0x1", use[0]) == []
    assert found(*surface, fetches[1], "s4 | DEPBAR.LE SB5, 0x1", use[1]) == ["wait"]
    load = "w5 s2 | LDG.E R8, desc[UR4][R2.64]"
    assert found(load, *fetches[1:], "s4 | DEPBAR.LE SB5, 0x1", use[0]) == ["wait"], "loads come when they come"
    assert found(load, *fetches[1:], "s4 | DEPBAR.LE SB5, 0x0", use[0]) == []


def test_products_of_doubles_answer_in_order() -> None:
    """cuSOLVER's triangular solves count them, and write what they have read."""
    first, second = (f"w5 s2 | DMMA.8x8x4 R{r}, R20, R22, R{r}" for r in (4, 8))
    assert found(first, second, "s4 | DEPBAR.LE SB5, 0x1", "s4 | FADD R4, R4, R4") == []
    assert found(first, second, "s4 | DEPBAR.LE SB5, 0x1", "s4 | FADD R8, R8, R8") == ["wait"]
    overwrite = "s4 | MOV R20, RZ"
    assert found(first, "s4 | DEPBAR.LE SB5, 0x0", overwrite) == []
    assert found(first, second, "s4 | DEPBAR.LE SB5, 0x1", overwrite) == ["late"]


def test_a_later_sum_of_doubles_tells_of_the_one_it_overwrites() -> None:
    """In NVIDIA's exp for sm_80, where a scoreboard announces them, only the guarded one of two has one."""
    old = machines.get("sm_80")
    plain, guarded, use = "s4 | DFMA R4, R8, R10, R12", "w0 s4 | @P0 DFMA R4, R14, R16, R18", "s4 | FADD R4, R4, R4"
    assert found(plain, guarded, f"b1 {use}", arch=old) == []
    assert found(plain, guarded, f"b2 {use}", arch=old) == ["wait", "wait"]
    load = "s4 | LDG.E R4, [R2.64]"
    assert found(load, guarded, f"b1 {use}", arch=old) == ["wait", "wait"], "a load comes when it comes"


def test_uniform_registers_are_made_of_products_a_cycle_sooner_before_hopper() -> None:
    """As kernels of cuDNN for sm_86 and of NCCL for sm_80 do."""
    copied, uniform = "s4 | IMAD.MOV.U32 R70, RZ, RZ, R76", "w0 s2 | R2UR UR19, R70"
    assert found(copied, uniform, arch=machines.get("sm_86")) == []
    assert found(copied, uniform) == ["raw"]


@pytest.mark.parametrize(
    "words", [{}, {"sched": "serial"}, {"ra": "spill-all"}, {"opt_level": 0}, {"max_registers": 24}]
)
def test_our_code_passes(kernels_ptx: str, words: dict[str, object]) -> None:
    for function in assemble(kernels_ptx, Options(**words)).functions:  # type: ignore[arg-type]
        assert [str(p) for p in check(function.code, ARCH)] == [], function.name


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 30), size=st.integers(1, 120), limit=st.sampled_from([None, 20]))
def test_random_code_passes(seed: int, size: int, limit: int | None) -> None:
    """The scheduler asks `ptxas.timing`, the checker the instructions' own declarations: two sources."""
    function = Generator(seed, size).f
    options = Options(max_registers=limit)
    pipeline.run(function, ARCH, options)
    module = MModule([], {}, {})
    module.functions.append(function)
    made = emit.emit(function, module, ARCH, options)
    assert [str(p) for p in check(made.code, ARCH)] == []


def test_every_tight_stall_counts(kernels_ptx: str) -> None:
    """Of the stalls above the least, most are there for a reason the checker can name."""
    named = total = 0
    for function in assemble(kernels_ptx).functions:
        if function.name not in SMALL:
            continue
        for at, control in enumerate(controls(function.code)):
            if 2 < control.stall < 12 and control.stall != 5:
                total += 1
                named += bool(check(damage(function.code, at, stall=control.stall - 1), ARCH))
    assert total > 20
    assert named / total > 0.9


def test_most_waits_count(kernels_ptx: str) -> None:
    """The rest are waits for a read that a later read barrier of the same queue announces as well."""
    named = total = 0
    for function in assemble(kernels_ptx).functions:
        if function.name not in SMALL:
            continue
        for at, control in enumerate(controls(function.code)):
            if control.wait:
                total += 1
                named += bool(check(damage(function.code, at, wait=0), ARCH))
    assert total > 20
    assert named / total > 0.85


def test_why_names_its_reasons(kernels_ptx: str) -> None:
    """Nearly every stall and wait of ours has a reason that can be told."""
    told = total = 0
    for function in assemble(kernels_ptx).functions:
        reasons = explain(function.code, ARCH)
        for control, reason in zip(controls(function.code)[:-1], reasons, strict=False):
            if control.stall > 1 or control.wait:
                total += 1
                told += "nothing here" not in reason.text() and bool(reason.text())
    assert total > 100
    assert told / total > 0.95


def test_bad_fields(kernels_ptx: str) -> None:
    code = assemble(kernels_ptx).functions[0].code
    assert {p.kind for p in check(damage(code, 0, stall=0, yield_=False), ARCH)} >= {"control"}
    assert {p.kind for p in check(damage(code, 0, wbar=6), ARCH)} >= {"control"}


def test_damage_shows() -> None:
    """What `tests.bench.faults` counts: the model runs damaged code as damaged, and the checker names it."""
    from tests.bench import faults

    name, program, kernel = faults.programs([])[0]
    function = program.function(kernel.symbol)
    right, code = faults.run(program, kernel), function.code
    assert not isinstance(right, str), name
    altered = caught = 0
    for kind, at, change in faults.faults(code, random.Random(1)):
        if kind != "stall" or altered == 2:
            continue
        function.code = damage(code, at, **change)
        if faults.run(program, kernel) != right:
            altered += 1
            caught += bool(check(function.code, ARCH))
    assert altered and caught == altered
