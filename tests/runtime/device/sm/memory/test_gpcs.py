"""How far SMs are from their GPC's constants, and rows of words stored by several warps, as an H200 has them."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minicc.arch
from runtime.device import cwd
from tests.gpu import programs
from tests.gpu.accuracy_page import DATA
from tests.gpu.micro.plan_adds import add_programs
from tests.gpu.micro.plan_gpcs import gpc_programs
from tests.gpu.micro.plan_packed import packed_programs
from tests.gpu.micro.plan_steps import step_programs

ARCH = minicc.arch.get("sm_90")


def run(tmp_path: Path, plan: list[Any], image: str, name: str, *labels: str) -> tuple[list[Any], dict[str, Any]]:
    (tmp_path / f"micro_{image}.cubin").write_bytes(lzma.decompress((DATA / f"micro/{image}.cubin.xz").read_bytes()))
    program = next(p for p in plan if p["name"] == name)
    launches = [launch for launch in program["launches"] if launch["label"] in labels]
    return programs.on_model({**program, "launches": launches}, tmp_path, hazards="off", memory=1 << 29)


def test_a_tpc_has_its_place_in_its_gpc() -> None:
    """H200: chains of LDC's that miss take each SM a time of its own, the same for both of a TPC, in six GPCs alike."""
    far = {tpc: cycles for _, _, tpc, *_, cycles in cwd.neighbours(132, ARCH)}
    assert far[62] == 0  # SMs 124 and 125
    assert [far[k] for k in (0, 8, 16, 24, 62, 63, 64, 65)] == [far[k] for k in (1, 9, 17, 25, 32, 39, 46, 53)]
    assert sorted(set(far.values())) == [-5, -4, 0, 5, 9, 13]


def test_lines_for_ldc_come_later_to_some_sms(tmp_path: Path) -> None:
    """H200: LDC's of 32 lines that miss take 2,470 cycles at the nearest SMs, 3,040 at the farthest, 2,696 in the mean,
    whether one SM asks or all do."""
    _, saved = run(tmp_path, gpc_programs(), "gpcs", "gpcs all", "32 places 1 warps own 0")
    took = saved["t4"][saved["t4"] > 0].astype(np.float64) / 64
    assert len(took) == 132
    assert [took.min(), took.mean(), took.max()] == pytest.approx([2470, 2696, 3043], rel=0.03)


@pytest.mark.parametrize("rows", ["16/16", "16/17", "24/24"])
def test_rows_of_several_warps_are_sent_word_by_word(tmp_path: Path, rows: str) -> None:
    """H200: threads that store rows of 16 and 24 words, word after word, send each sector as often as they name it; the
    model joined one in seven where a warp's store was of more than 16 lines."""
    (result,), _ = run(tmp_path, step_programs(), "steps", "results", f"{rows} 264x256")
    took, sectors = {"16/16": (30604, 1600859), "16/17": (29713, 1601496), "24/24": (47114, 2412412)}[rows]
    assert result.cycles == pytest.approx(took, rel=0.08)
    assert result.stats["lts__t_sectors_op_write.sum"] == pytest.approx(sectors, rel=0.05)


def test_warps_leave_a_barrier_one_after_the_other_and_their_loads_overlap(tmp_path: Path) -> None:
    """H200: 32 warps that load and meet at two barriers, 64 times over: 19,190 cycles; 22,450 when each arrival took
    its barrier two cycles and all left at once."""
    (result,), _ = run(tmp_path, step_programs(), "steps", "exchange", "0 mode 5 1x1024")
    assert result.cycles == pytest.approx(19190, rel=0.12)


def test_answers_of_one_sm_come_at_its_ports_rate(tmp_path: Path) -> None:
    """H200: 256 threads of one SM add to 16 words each and wait: 9,457 cycles, 16,800 at three cycles a packet."""
    (result,), _ = run(tmp_path, add_programs(), "adds", "adds", "asks_f32 2+2 8x2 mixed 1 1048576 1x256 pause 0")
    assert result.cycles == pytest.approx(9457, rel=0.2)


def test_scattered_words_of_lines_that_follow_each_other_find_their_rows_open(tmp_path: Path) -> None:
    """H200: a word of each of 270,336 lines: 13,833 cycles; 24,000 where each line that L2 has no place for as a part
    turns its channel around."""
    (result,), _ = run(tmp_path, packed_programs(), "packed", "packed", "4 128 1/4 1056x256 *1/34603008 32")
    assert result.cycles < 18500
