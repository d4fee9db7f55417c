"""Kernels of several streams share the SMs: results, who goes first and where, what an H200 does."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import minicc
import runtime
from tests.conftest import ROOT

SOURCE = Path(__file__).with_name("together.k")


@pytest.fixture(scope="module")
def image():
    return minicc.compile(str(SOURCE), arch="sm_90")


class Spins:
    """Launches of `spin`, each in a stream of its own; `rows` of each: launch, CTA, SM, begin, end."""

    def __init__(self, image, *launches, priorities=()):
        self.device = runtime.Device("sm_90")
        kernel = self.device.load(image)["spin"]
        priorities = [*priorities, *[0] * len(launches)]
        buffers = [self.device.zeros(8 * grid, np.int64) for grid, *_ in launches]
        streams = [self.device.stream(priorities[k]) for k in range(len(launches))]
        self.done = []
        for k, (grid, block, shared, base, step) in enumerate(launches):
            shape = kernel[grid, block, shared, streams[k]]
            self.done.append(shape(buffers[k], np.int64(k), np.int64(base), np.int64(step)))
        self.device.synchronize()
        self.rows = [buffer.numpy().reshape(-1, 8) for buffer in buffers]

    def begins(self, k):
        return self.rows[k][:, 3]

    def ends(self, k):
        return self.rows[k][:, 4]

    def at_once(self, k):
        """The most CTAs of a launch that an SM had at one time."""
        most = 0
        for sm in set(self.rows[k][:, 2].tolist()):
            own = self.rows[k][self.rows[k][:, 2] == sm]
            most = max(most, *(int(((own[:, 3] <= t) & (own[:, 4] > t)).sum()) for t in own[:, 3]))
        return most


def test_small_kernels_go_to_different_sms_and_overlap(image):
    run = Spins(image, (10, 32, 0, 3000, 0), (10, 32, 0, 3000, 0))
    assert not set(run.rows[0][:, 2].tolist()) & set(run.rows[1][:, 2].tolist())
    assert run.begins(1).max() < run.ends(0).min()


def test_a_later_kernel_begins_where_an_earlier_one_leaves_room(image):
    run = Spins(image, (132, 1024, 0, 2000, 40), (264, 512, 0, 500, 0), (264, 1024, 0, 500, 0))
    first, second, third = (run.rows[k] for k in range(3))
    assert (np.bincount(first[:, 2], minlength=132) == 1).all()
    # The second one has the other half of each SM at once, the third begins when the second has begun and leaves.
    assert second[:, 3].max() < first[:, 4].min()
    assert third[:, 3].min() >= second[:, 4].min()
    assert third[:, 3].min() >= second[:, 3].max()


def test_priorities(image):
    spins = [(264, 1024, 0, 1000, 0)] * 3
    run = Spins(image, *spins)
    assert run.begins(1).min() > run.ends(0).min() and run.begins(2).min() > run.ends(1).min()
    run = Spins(image, (528, 1024, 0, 1000, 0), *spins[1:], priorities=(0, 0, -5))
    assert run.begins(2).min() > run.ends(0).min()  # it does not take what is running from anybody
    assert run.begins(2).max() < np.sort(run.begins(0))[-100]
    assert run.begins(0).max() < run.begins(1).min() + 1000


def test_shared_memory_is_split_when_an_sm_is_idle(image):
    """H200: a kernel without shared memory leaves the SM as a cache; one that needs 64 KB waits until it is idle."""
    run = Spins(image, (132, 128, 0, 2000, 0), (132, 128, 65536, 1000, 0))
    assert run.begins(1).min() > run.ends(0).min()
    run = Spins(image, (132, 128, 65536, 2000, 0), (132, 128, 0, 1000, 0))
    assert run.begins(1).max() < run.ends(0).min()
    run = Spins(image, (264, 128, 65536, 2000, 0), (264, 128, 65536, 1000, 0))
    assert run.at_once(0) == 2 and run.at_once(1) in (1, 2)


PAIRS = ("none_then_64K", "64K_then_none", "64K_64K", "8K_64K", "full", "96_160", "behind")


@pytest.mark.parametrize("name", PAIRS)
def test_kernels_wait_for_each_other_as_on_an_h200(image, name):
    """Who waits for whom, and for how long after the first CTA that was in the way has ended; with shorter CTAs."""
    entry = json.loads((ROOT / "tests/gpu/data/together.json").read_text())[name]
    launches = [(grid, block, shared, base // 20, step) for _, grid, block, shared, _, base, step in entry["launches"]]
    run = Spins(image, *launches)
    for chip in entry["rounds"]:
        for later in range(1, len(launches)):
            for earlier in range(later):
                waits = chip[later]["begin"][0] > chip[earlier]["end"][0]
                gap = int(run.begins(later).min() - run.ends(earlier).min())
                if waits and name != "behind" and chip[later]["begin"][0] - chip[earlier]["end"][0] < 1000:
                    # The timer counts in steps of 63 cycles; the last stores of a CTA hold its place longer here.
                    assert abs(gap - (chip[later]["begin"][0] - chip[earlier]["end"][0])) < 220
                if name != "full":  # where the host was late: the first was done before the second came
                    assert (gap > 0) == waits, (later, earlier)


def test_registers_and_slots_are_not_given_twice(image):
    seed = 7
    order = random.Random(seed)
    shapes = [(order.randint(1, 400), 32 * order.randint(1, 32), 0, order.randint(100, 900), 0) for _ in range(6)]
    run = Spins(image, *shapes)
    everything = np.concatenate(
        [np.column_stack([r, np.full(len(r), shapes[k][1] // 32)]) for k, r in enumerate(run.rows)]
    )
    for sm in range(132):
        own = everything[everything[:, 2] == sm]
        for t in own[:, 3]:
            there = (own[:, 3] <= t) & (own[:, 4] > t)
            assert own[there, -1].sum() <= 64 and there.sum() <= 32
    assert [r[:, 1].tolist() for r in run.rows] == [list(range(grid)) for grid, *_ in shapes]


def work(image, streams, seed):
    """Some kernels of all sorts over so many streams, in an order of their own; their results, and cycles by events."""
    device = runtime.Device("sm_90", hazards="report")
    module, lanes = device.load(image), [device.stream() for _ in range(streams)]
    order, results = random.Random(seed), []
    inputs = np.random.default_rng(seed).random(1 << 14, np.float32)
    x, launches = device.buffer(inputs), []
    jobs = [order.choice(("sums", "lengths", "say")) for _ in range(12)]
    outs = [device.zeros(1 << 14, np.float32 if job == "sums" else np.int32) for job in jobs]
    for k, (job, out) in enumerate(zip(jobs, outs, strict=True)):
        stream, blocks = lanes[order.randrange(streams)], order.randint(1, 100)
        if job == "sums":
            launches.append(module[job][blocks, 128, 0, stream](x, out, np.int32(blocks * 128 - 5)))
        elif job == "lengths":
            launches.append(module[job][blocks, 96, 0, stream](out, np.int32(blocks * 96)))
        else:
            launches.append(module[job][blocks, 64, 0, stream](np.int32(k)))
        results.append((job, blocks, out))
    device.synchronize()
    facts = [(one.stats["smsp__inst_executed.sum"], one.output.count("\n"), one.hazards) for one in launches]
    return (
        [(job, blocks, out.numpy().tobytes()) for job, blocks, out in results],
        facts,
        [one.cycles for one in launches],
    )


@pytest.mark.parametrize("seed", (1, 2))
def test_results_do_not_depend_on_who_runs_beside_whom(image, seed):
    together = work(image, 4, seed)
    assert together == work(image, 4, seed)
    order = work(image, 1, seed)
    # One stream draws other numbers of blocks: compare what each job of the same shape left.
    alone = {(job, blocks): data for job, blocks, data in order[0]}
    for job, blocks, data in together[0]:
        if (job, blocks) in alone:
            assert alone[job, blocks] == data
    for (job, blocks, data), (_, lines, hazards) in zip(together[0], together[1], strict=True):
        assert lines == (blocks if job == "say" else 0) and not hazards
        if job == "lengths":
            steps = [collatz(i) for i in range(blocks * 96 + 4)]
            want = [sum(last(steps, i)) for i in range(blocks * 96)]
            assert np.frombuffer(data, np.int32)[: blocks * 96].tolist() == want


def collatz(i):
    n, k = i + 1, 0
    while n > 1:
        n, k = (3 * n + 1 if n & 1 else n // 2), k + 1
    return k


def last(steps, i):
    """What `lengths` adds: elements i & 3 and (i + 1) & 3 of four that were stored from i on."""
    stored = {(i + k) & 3: steps[i + k] for k in range(4)}
    return stored[i & 3], stored[(i + 1) & 3]


def test_one_kernel_waits_for_another(image):
    device = runtime.Device("sm_90")
    module, one, two = device.load(image), device.stream(), device.stream()
    flag, out = device.zeros(1, np.int32), device.zeros(32, np.int32)
    module["wait_for"][1, 32, 0, one](flag, out)
    module["set"][1, 1, 0, two](flag, np.int32(5))
    device.synchronize()
    assert out.numpy().tolist() == list(range(5, 37))


def test_a_fault_ends_one_kernel_and_leaves_the_others(image):
    device = runtime.Device("sm_90")
    module, one, two = device.load(image), device.stream(), device.stream()
    x, out = device.buffer(np.ones(1280, np.float32)), device.zeros(10, np.float32)
    bad = module["wild"][40, 64, 0, one](out)
    good = module["sums"][10, 128, 0, two](x, out, np.int32(1280))
    good.wait()
    with pytest.raises(runtime.DeviceError, match="illegal address"):
        bad.wait()
    assert (out.numpy() == 128).all()


def test_events_order_kernels_of_different_streams(image):
    run = runtime.Device("sm_90")
    kernel, one, two = run.load(image)["spin"], run.stream(), run.stream()
    rows = [run.zeros(8 * 132, np.int64) for _ in range(3)]
    begin = run.event().record(one)
    first = kernel[132, 64, 0, one](rows[0], np.int64(0), np.int64(2000), np.int64(0))
    beside = kernel[132, 64, 0, two](rows[1], np.int64(1), np.int64(3000), np.int64(0))
    done = run.event().record(one)
    two.wait(done)
    last = kernel[132, 64, 0, two](rows[2], np.int64(2), np.int64(100), np.int64(0))
    end = run.event().record(two)
    run.synchronize()
    r = [row.numpy().reshape(-1, 8) for row in rows]
    assert r[1][:, 3].min() < r[0][:, 4].min()
    assert end.elapsed(begin) * 1.98e6 >= max(first.cycles, beside.cycles) + last.cycles
