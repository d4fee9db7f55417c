"""What the scheduler takes to be live, and what it may put where."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import arch
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.liveness import analyse
from minicc.ptxas.mir import Block, MFunction, MInst, V, VMem
from minicc.ptxas.operands import Components
from minicc.ptxas.options import Options
from minicc.ptxas.registers.intervals import bits_of
from minicc.ptxas.schedule.dag import Node, build
from minicc.ptxas.schedule.order import Order
from minicc.ptxas.schedule.pressure import Pressure, Values
from minicc.ptxas.schedule.schedule import Aim, Graphs, behind
from minicc.ptxas.timing import Distances, footprint
from minicc.sass.instr import Imm, Name, Reg
from tests.ptxas.conftest import checked
from tests.ptxas.programs import Generator


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 30), step=st.integers(1, 9))
def test_behind_a_run_is_what_would_be_live_if_a_block_ended_there(seed: int, step: int) -> None:
    function = Generator(seed, 80).f
    components = Components(function)
    live = analyse(function, Cfg.of(function))
    runs = [[(i, min(i + step, len(b.insts))) for i in range(0, len(b.insts), step)] for b in function.blocks]
    found = [behind(live, n, row, components) for n, row in enumerate(runs)]
    split: list[Block] = []
    for block, row in zip(function.blocks, runs, strict=True):
        parts = [Block(f"{block.label}.{n}" if n else block.label, block.insts[s:e]) for n, (s, e) in enumerate(row)]
        for part, following in pairwise(parts):
            part.succs = [following.label]
        if parts:
            parts[-1].succs = block.succs
        split += parts or [block]
    function.blocks = split
    right = analyse(function, Cfg.of(function)).live_out
    wanted = [{components.start[r] + p for r, mask in out.items() for p in bits_of(mask)} for out in right]
    flat = [live for row, block in zip(found, runs, strict=True) for live in (row if block else [set()])]
    # Guarded writes are complete or not by what else the block has.
    assert len(flat) == len(wanted)
    for have, want in zip(flat, wanted, strict=True):
        assert have <= want


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 30), data=st.data())
def test_how_many_will_be_live_is_foreseen(seed: int, data: st.DataObject) -> None:
    function = Generator(seed, 40).f
    components = Components(function)
    insts = max((b.insts for b in function.blocks), key=len)
    prints = [footprint(i, components) for i in insts]
    general = {components.start[r.id] + p for r in function.vregs if r.file == "R" for p in range(r.width)}
    after = {key for key in general if key % 3 == 0}
    values = Values(prints, after, general)
    nodes = build(insts, prints, Distances(arch.get("sm_90a")))
    preds = [{a for a, node in enumerate(nodes) for b, _ in node.succs if b == i} for i in range(len(nodes))]
    pressure = Pressure(values, 1000, foresee=True)
    left = list(range(len(insts)))
    while left:
        follow = Pressure(values, 1000)
        for i in (i for i in range(len(insts)) if i not in left):
            follow.take(i)
        levels = [follow.live]
        for i in left:
            follow.take(i)
            levels.append(follow.live)
        for n, i in enumerate(left[1:], 1):
            pressure.target = max(levels[: n + 1]) + pressure.change[i]
            assert pressure.fits(i)
            pressure.target -= 1
            assert not pressure.fits(i) or pressure.change[i] <= 0
        taken = data.draw(st.sampled_from([i for i in left if not preds[i] & set(left)]))
        pressure.take(taken)
        left.remove(taken)


def edges(function: MFunction, insts: list[MInst]) -> set[tuple[int, int]]:
    components = Components(function)
    nodes = build(insts, [footprint(i, components) for i in insts], Distances(arch.get("sm_90a")))
    return {(a, b) for a, node in enumerate(nodes) for b, _ in node.succs}


def load(function: MFunction, name: str, space: str) -> MInst:
    return MInst(name, (), (V(function.new("R")),), (VMem(None, 0),), memory="load", space=space)


def test_collectives_wait_for_no_others() -> None:
    f = MFunction("f", True)
    code = [
        MInst("SHFL", ("BFLY",), (Reg("P", 7), V(f.new("R"))), (V(f.new("R")), Imm(k), Imm(31)), side_effect=True)
        for k in (1, 2, 4)
    ]
    assert not edges(f, code)


def test_loads_from_memory_pass_waits_for_shared_memory() -> None:
    f = MFunction("f", True)
    wait = MInst("WARPGROUP", ("DEPBAR", "LE"), (), (Name("gsb0"), Imm(0)))
    wait.side_effect, wait.memory, wait.space = True, "barrier", "shared"
    barrier = MInst("BAR", ("SYNC",), (), (Imm(0),), side_effect=True, memory="barrier")
    store = MInst("STS", (), (), (VMem(V(f.new("R")), 0), V(f.new("R"))), memory="store", space="shared")
    store.side_effect = True
    code = [store, wait, load(f, "LDG", "global"), load(f, "LDS", "shared"), barrier, load(f, "LDG", "global")]
    found = edges(f, code)
    assert {(0, 1), (1, 3), (4, 5), (2, 4), (3, 4)} <= found and (1, 2) not in found


def test_loads_of_constants_pass_barriers_and_fences() -> None:
    f = MFunction("f", True)
    constant, other = load(f, "LDG", "global"), load(f, "LDG", "global")
    constant.modifiers = ("E", "CONSTANT")
    barrier = MInst("BAR", ("SYNC",), (), (Imm(0),), side_effect=True, memory="barrier")
    fence = MInst("MEMBAR", ("SC",), side_effect=True, memory="fence")
    for between in (barrier, fence):
        assert edges(f, [between, constant]) == edges(f, [constant, between]) == set()
        assert edges(f, [between, other]) == edges(f, [other, between]) == {(0, 1)}
    # But what the kernel before stores is there when it has been waited for.
    assert edges(f, [MInst("ACQBULK", side_effect=True, memory="barrier"), constant]) == {(0, 1)}


def test_loads_leave_room_for_what_lives_before_their_use() -> None:
    """A hundred values live together before sixty loads are wanted, which are more urgent: a few of these go first, as
    many as there is room for."""
    f = MFunction("f", True)
    zero = Reg("R", 255)
    near = [load(f, "LDS", "shared") for _ in range(100)]
    far = [load(f, "LDG", "global") for _ in range(60)]
    code = list(near)

    def total(loads: list[MInst], steps: int) -> None:
        so_far: V | Reg = zero
        for inst in loads:
            for _ in range(steps):
                made = V(f.new("R"))
                code.append(MInst("FADD", (), (made,), (so_far, inst.dsts[0])))
                so_far = made
        code.append(MInst("STS", (), (), (VMem(None, 0), so_far), memory="store", space="shared"))

    total(near[::-1], 1)
    code += far
    total(far, 8)
    f.blocks = [Block("entry", code)]
    outcome = Graphs(f, arch.get("sm_90a"), Options()).schedule(Aim(120))
    assert outcome.most <= 120
    assert f.blocks[0].insts.index(far[5]) < 120


def test_predicates_that_only_pass_do_not_count() -> None:
    """Eight masks wait for the end of the kernel meanwhile: they will be spilled, and the order is as it was."""

    def outcome(through: int) -> int:
        f = MFunction("f", True)
        word = [V(f.new("R")) for _ in range(4)]
        true, zero = Reg("P", 7), Reg("R", 255)
        held = [V(f.new("P")) for _ in range(through)]
        first = [MInst("ISETP", ("LT", "AND"), (p, true), (word[0], Imm(k), true)) for k, p in enumerate(held)]
        middle, total = [], V(f.new("R"))
        for k in range(24):
            low, mask, chosen, more = V(f.new("P")), V(f.new("P")), V(f.new("R")), V(f.new("R"))
            middle.append(MInst("ISETP", ("LT", "U32", "AND"), (low, true), (word[1], Imm(k), true)))
            middle.append(MInst("ISETP", ("LT", "AND", "EX"), (mask, true), (word[2], zero, true, low)))
            middle.append(MInst("SEL", (), (chosen,), (word[3], Imm(k), mask)))
            middle.append(MInst("FADD", (), (more,), (total, chosen)))
            total = more
        last = [MInst("STS", (), (), (VMem(None, 4 * k), total), p, memory="store") for k, p in enumerate(held)]
        f.blocks = [Block("entry", first, ["body"]), Block("body", middle, ["end"]), Block("end", last)]
        f.blocks[1].loop_depth = 1
        return Graphs(f, arch.get("sm_90a"), Options()).schedule(Aim(120)).cycles // 10

    assert abs(outcome(8) - outcome(0)) <= 12


def test_where_registers_and_predicates_are_short_lives_end() -> None:
    """Fifty guarded loads, each pair wanted under a compare that is made again: what frees a pair needs a predicate
    first, and still no more pairs are under way than there is room for."""
    f = MFunction("f", True)
    word, base, true, total = V(f.new("R")), f.new("R", 2), Reg("P", 7), V(f.new("R"))
    code = [MInst("MOV", (), (total,), (Imm(0),))]
    for k in range(25):
        first, second, a, b = V(f.new("P")), V(f.new("P")), V(f.new("R")), V(f.new("R"))
        code.append(MInst("ISETP", ("LT", "AND"), (first, true), (word, Imm(k), true)))
        for n, made in enumerate((a, b)):
            place = VMem(V(base, 0, 2), 8 * k + 4 * n)
            code.append(MInst("LDG", ("E",), (made,), (place,), first, memory="load", space="global"))
        code.append(MInst("ISETP", ("LT", "AND"), (second, true), (word, Imm(k), true)))
        f.renewed[code[-1]] = code[-3:-1]
        code.append(MInst("FFMA", (), (total,), (a, b, total), second))
    code.append(MInst("STG", ("E",), (), (VMem(V(base, 0, 2), 0), total), memory="store", space="global"))
    f.blocks = [Block("entry", code)]
    assert Graphs(f, arch.get("sm_90a"), Options()).schedule(Aim(20)).most <= 24


def test_compares_for_stores_do_not_keep_loads_waiting() -> None:
    """Six guarded loads from an address that is itself loaded, and six stores of theirs under compares of what is there
    from the start: all loads are under way before the first store's compare."""
    f = MFunction("f", True)
    word, base, true = V(f.new("R")), f.new("R", 2), Reg("P", 7)
    first = MInst("LDG", ("E",), (V(f.new("R")),), (VMem(V(base, 0, 2), 0),), memory="load", space="global")
    code, loads, late = [first], [], []
    for k in range(6):
        masked, stored, made, chosen = V(f.new("P")), V(f.new("P")), V(f.new("R")), V(f.new("R"))
        late.append(MInst("ISETP", ("LT", "AND"), (stored, true), (word, Imm(k), true)))
        code += [MInst("ISETP", ("LT", "AND"), (masked, true), (first.dsts[0], Imm(k), true)), late[-1]]
        place = VMem(V(base, 0, 2), 4 * k)
        loads.append(MInst("LDG", ("E",), (made,), (place,), masked, memory="load", space="global"))
        code += [loads[-1], MInst("SEL", (), (chosen,), (made, word, masked))]
        code.append(MInst("STG", ("E",), (), (place, chosen), stored, memory="store", space="global"))
    stores = [inst for inst in code if inst.memory == "store"]
    f.blocks = [Block("entry", [inst for inst in code if inst not in stores] + stores)]
    Graphs(f, arch.get("sm_90a"), Options()).schedule(Aim(120))
    order = f.blocks[0].insts
    assert max(map(order.index, loads)) < min(map(order.index, late))


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 30))
def test_with_registers_the_clock_waits_for_pipes(seed: int) -> None:
    """An order takes no less than its fullest pipe, and holds each instruction once, after what it needs."""
    function = Generator(seed, 80).f
    machine = arch.get("sm_90a")
    insts = max((b.insts for b in function.blocks), key=len)
    prints = [footprint(i, Components(function)) for i in insts]
    nodes = build(insts, prints, Distances(machine))
    order, cycles, _ = Order(nodes, prints, machine).made()
    place = {i: at for at, i in enumerate(order)}
    assert sorted(order) == list(range(len(insts)))
    assert all(place[i] < place[succ] for i, node in enumerate(nodes) for succ, _ in node.succs)
    pipes = [p.timing.pipe for p in prints]
    assert cycles > max((machine.pipes[p].interval * (pipes.count(p) - 1) for p in pipes), default=-1)


def test_stores_go_while_the_next_counts_are_made() -> None:
    """POPC takes the XU eight cycles: sixteen of them, and a store of each, take turns."""
    f = MFunction("f", True)
    base, code = V(f.new("R", 2), 0, 2), []
    for k in range(16):
        count = V(f.new("R"))
        code.append(MInst("POPC", (), (count,), (V(f.new("R")),)))
        code.append(MInst("STG", ("E",), (), (VMem(base, 4 * k), count), memory="store", space="global"))
    prints = [footprint(i, Components(f)) for i in code]
    order = Order(build(code, prints, Distances(arch.get("sm_90a"))), prints, arch.get("sm_90a")).made()[0]
    assert order.index(1) < order.index(10)


def test_no_barrier_fills_the_cycle_that_a_load_waits_for_its_pipe() -> None:
    """A store is issued, and a cycle later the load and the barrier could be: the warp would be held for six."""
    f = MFunction("f", True)
    stored = MInst("STS", (), (), (VMem(V(f.new("R")), 0), V(f.new("R"))), memory="store", space="shared")
    barrier = MInst("BAR", ("SYNC",), (), (Imm(0),), side_effect=True, memory="barrier")
    prints = [footprint(i, Components(f)) for i in (stored, barrier, load(f, "LDG", "global"))]
    nodes = [Node([(1, 1), (2, 1)], 201), Node([], 6, preds=1), Node([], 200, preds=1)]
    assert Order(nodes, prints, arch.get("sm_90a")).made()[0] == [0, 2, 1]


def test_predicates_are_not_spilled_for_bits_that_are_tested_one_by_one(tmp_path: Path) -> None:
    """Each of 32 bits says where a tree is left; all could be tested at once, but predicates are seven."""
    source = """
//! b = randint(0, 1 << 31, 128, u32)
//! left = randint(-16, 16, 32, i32)
//! right = randint(-16, 16, 32, i32)
//! o = zeros(32, i32)
//! f[1, 32](b, left, right, o, 4)
//! node = zeros(32, i32)
//! out = zeros(32, i32)
//! for w in range(4):
//!     for k in range(32):
//!         node = where((b[arange(32) * 4 + w] >> k & 1) > 0, right[node], left[node])
//!         out = where(node <= 0, out * 3 - node, out)
//!         node = where(node <= 0, 1, node)
//! expect(o, out)
__global__ void f(const unsigned *bits, const int *left, const int *right, int *o, int words) {
    int i = threadIdx.x, node = 0, out = 0;
    for (int w = 0; w < words; w++) {
        unsigned b = bits[i * words + w];
        for (int k = 0; k < 32; k++) {
            node = (b >> k & 1) ? right[node] : left[node];
            if (node <= 0) { out = out * 3 - node; node = 1; }
        }
    }
    o[i] = out;
}
"""
    code = checked(tmp_path, source)
    assert code.count("LDG") >= 33 and code.count("LOP3") <= 34
