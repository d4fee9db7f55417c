"""The answers of docs/labs.md, on the model: ratios, with room for a model that knows more."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from minicc import arch as archs
from minicc import sass
from minicc.analysis.banks import banks
from minicc.binary import read_cubin, write_cubin
from tests import pages
from tests.conftest import SAMPLES
from tests.end_to_end.harness import compiled, run_script

LABS = SAMPLES / "labs"
PAGE = SAMPLES.parent / "docs/labs.md"
CYCLES, EXECUTED, THREADS = "gpc__cycles_elapsed.max", "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"


@cache
def launches(name: str, options: str = "") -> list[Any]:
    """The statistics of the launches of a lab whose checks hold."""
    lab = LABS / f"{name}.k"
    outcome = run_script(lab, compiled(lab, options).fatbin)
    assert all(check.ok for check in outcome.checks)
    return [launch.result for launch in outcome.launches]


def column(name: str, metric: str) -> list[float]:
    return [launch.stats[metric] for launch in launches(name)]


def test_the_page_has_every_lab_and_every_lab_is_there() -> None:
    named = set(re.findall(r"\(\.\./samples/(labs/\w+\.k)\)", PAGE.read_text()))
    assert named == {f"labs/{path.name}" for path in LABS.glob("*.k")}


def test_every_command_of_the_page_runs() -> None:
    blocks = re.findall(r"^```\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    commands = "".join(blocks).splitlines()
    assert len(commands) > 15
    for k, command in enumerate(commands):
        if "run broken" in command:
            commands[k] = f"! {command}"  # its check fails, as the lab says
    script = "".join(f"$ {command}{'' if '>' in command else ' > out'}\n" for command in commands)
    pages.refresh(f"```\n{script}```\n")


def test_coalescing() -> None:
    sectors = [a / b for a, b in zip(column("coalescing", SECTORS), column("coalescing", REQUESTS), strict=True)]
    assert sectors == [4, 32, 16, 4]
    near, apart, structures, planes = column("coalescing", CYCLES)
    assert apart > 1.5 * near
    assert structures > 1.15 * planes


def test_bank_conflicts() -> None:
    plain, padded, swizzled = column("banks", CONFLICTS)
    assert plain == 31 * 64 * 32  # 64 blocks read 32 columns each
    assert padded == swizzled == 0
    cycles = column("banks", CYCLES)
    assert cycles[0] > 1.1 * max(cycles[1:])


def test_occupancy() -> None:
    eight, two, one, ahead = column("occupancy", CYCLES)
    assert one == pytest.approx(2 * two, rel=0.15)
    assert two > 3 * eight
    assert ahead == pytest.approx(eight, rel=0.3)


def test_divergence() -> None:
    parted, together, slowest, agreed = (
        a / b for a, b in zip(column("divergence", THREADS), column("divergence", EXECUTED), strict=True)
    )
    assert parted < 18 and together > 31
    executed = column("divergence", EXECUTED)
    assert executed[0] > 1.7 * executed[1]
    assert executed[3] > 2 * executed[2]
    assert slowest > 31 and agreed < 16


def rewritten(cubin: bytes, pattern: str, new: str) -> bytes:
    """The cubin with its listing changed, as `objdump | sed` and `as` do it."""
    listing = re.sub(pattern, new, sass.disassemble(read_cubin(cubin, "lab")))
    return write_cubin(sass.assemble(listing, archs.get("sm_90")))


def test_stall_counts() -> None:
    (right,) = launches("stalls")
    (serial,) = launches("stalls", "-Xptxas --sched=serial")
    assert not right.hazards
    assert serial.stats[CYCLES] > 1.2 * right.stats[CYCLES]
    lab = LABS / "stalls.k"
    broken = run_script(lab, rewritten(compiled(lab).cubin, r":S04\](.*FFMA)", r":S03]\1"))
    assert not any(check.ok for check in broken.checks)
    assert any(hazard.register.startswith("R") for hazard in broken.launches[0].result.hazards)


def test_the_reuse_cache() -> None:
    kernel = SAMPLES / "sgemm_regblock.k"
    with_flags = compiled(kernel).cubin
    without = rewritten(with_flags, r"\.reuse", "")
    extra = [
        banks(read_cubin(image, "lab").functions[0].code, archs.get("sm_90")).extra for image in (with_flags, without)
    ]
    assert extra[1] > 2 * extra[0]
    assert ".reuse" in sass.disassemble(read_cubin(with_flags, "lab"))


def test_the_roofline() -> None:
    one, sixteen, _, many, most = column("roofline", CYCLES)
    assert sixteen < 1.1 * one
    assert most == pytest.approx(2 * many, rel=0.2)
    assert many > 1.6 * one
