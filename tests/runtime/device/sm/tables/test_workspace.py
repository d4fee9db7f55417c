"""Tables are kept between launches, and a launch finds what it would find with tables of its own."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from minicc.arch.machine import Machine
from minicc.record import evolve
from runtime.device import sm
from runtime.device.grid import Outcome
from runtime.device.sm.tables import workspace
from tests.runtime.device.sm import kit
from tests.runtime.device.sm.kit import HEAD, Bench, assemble, i, tail

STREAM = [
    i("S2R R5, SR_CTAID.X", 2, wbar=1),
    i("NOP", 2, wait=2),
    i("IMAD.WIDE.U32 R2, R5, 0x1000, R2", 6),
    *[i(f"LDG.E R{8 + k}, desc[UR4][R2.64+{512 * k:#x}]", 2, wbar=k % 6) for k in range(8)],
    i("NOP", 15, wait=63),
    i("IADD3 R4, R8, R15, RZ", 8),
]
"""Eight loads a warp, each of other lines."""


def _same(a: Outcome, b: Outcome) -> bool:
    ignored: dict[str, Any] = {"seconds": 0.0}
    return evolve(a, **ignored) == evolve(b, **ignored)


@pytest.mark.parametrize("kibibytes", [64, 60 * 1024])
def test_a_launch_does_not_see_the_one_before(monkeypatch: pytest.MonkeyPatch, kibibytes: int) -> None:
    """With an L2 that is too small (lines are replaced all the time) and with one that holds everything."""
    machine = Machine(kit.ARCH.core, evolve(kit.ARCH.memory, l2_bytes=kibibytes << 10))
    small = kit.ARCH._replace(machine=lambda: machine)
    monkeypatch.setattr(kit, "ARCH", small)
    asked: list[tuple[Any, ...]] = []

    def record(*arguments: Any) -> Outcome:
        asked.append(arguments)
        return real(*arguments)

    real = sm.run
    monkeypatch.setattr(sm, "run", record)
    monkeypatch.setattr(workspace, "_free", [])
    bench = Bench()
    data = bench.buffer(np.zeros(1 << 19, np.uint32))
    code = assemble([*HEAD, *STREAM, *tail()])
    first = bench.run(code, 400, 128, struct.pack("<Q", data), hazards="off")
    assert first.fault is None and first.cycles > 1000
    kept = workspace._free[:]
    assert len(kept) == 1 and kept[0].epoch > 1
    # Others in between: other registers, other shared memory, no timing.
    other, _ = bench.words([i("MOV R4, 0x7", 8)], registers=200, shared=8192)
    assert (other == 7).all()
    bench.run(code, 40, 64, struct.pack("<Q", data), timing=False)
    assert _same(real(*asked[0]), first)
    assert workspace._free == kept
    workspace._free.clear()
    assert _same(real(*asked[0]), first)


def test_numbers_run_out() -> None:
    """After many runs new tables are taken."""
    space = workspace.Workspace(epoch=workspace.EPOCHS)
    space.array("L1", (4, 48))[:] = 5
    space.finish(1000, 0)
    assert space.epoch == 1 and not space.array("L1", (4, 48)).any()
    space = workspace.Workspace()
    table = space.array("L2", (8, 48))
    table[:] = 9
    space.finish(1 << 20, 123)
    assert space.epoch == 2 and space.stamp >= 1 << 20
    assert (space.array("L2", (4, 48)) == 9).all()


def test_small_tables_share_a_mapping() -> None:
    """Each begins at a line of the host's caches, with zeros, and none overlaps another, also when one grows."""
    space = workspace.Workspace()
    sizes = [5, 1, 64, 700_000, 900_000, 5, 1_500_000, 64]
    names = ["a", "b", "c", "d", "d", "e", "a", "f"]
    for number, (name, size) in enumerate(zip(names, sizes, strict=True)):
        table = space.array(name, (size,), np.uint8)
        assert table.ctypes.data % 64 == 0 and not table.any()
        table[:] = number + 1
    last = {name: (number + 1, size) for number, (name, size) in enumerate(zip(names, sizes, strict=True))}
    for name, (value, size) in last.items():
        assert (space.array(name, (size,), np.uint8) == value).all()
