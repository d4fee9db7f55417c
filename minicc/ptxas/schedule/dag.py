"""The dependence graph of a straight run of instructions: who must follow whom, and by how many cycles.

Edges: register, predicate, uniform and barrier registers (read after write, write after write, write after read),
memory (by space; accesses off the same base are told apart by offset), and a chain through side effects. Cost is
linear: lists of open accesses are bounded, and an access that overflows one is ordered after all of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from minicc.ptxas.mir import GMMA, TRUE, MInst, V, VMem
from minicc.ptxas.operands import waits_for_grid
from minicc.ptxas.timing import IN_ORDER, Distances, Footprint
from minicc.sass.instr import Mem, Reg

_MOST_OPEN, _MOST_PASSED = 64, 16
_MUCH = 64
"""Instructions between two barriers from which on their issue is what takes time: then the later one comes last. On an
H200 a register-blocked SGEMM takes 4 % less for it, but a tiled one, with a chain of 16 FFMAs there, 4 % more."""
_MATHS = frozenset({"fma", "half", "fp64", "tensor"})
"""What that is about: addresses of accesses after a barrier would only fill registers before it."""
_COLLECTIVE = frozenset({"MOVM", "SHFL", "VOTE", "MATCH", "REDUX"})
"""They see the lanes that are there, which are the same all along a run."""
_ELSEWHERE = frozenset({"global", "const", "param", "local"})
_BYTES = {
    "8": 1, "U8": 1, "S8": 1, "16": 2, "U16": 2, "S16": 2, "64": 8, "S64": 8, "F64": 8, "F32x2": 8, "F16x4": 8,
    "BF16x4": 8, "128": 16, "F32x4": 16, "F16x8": 16, "BF16x8": 16,
}  # fmt: skip
_STACK = 1
"""The register that points at the frame."""
_PARTS = frozenset({"8", "U8", "S8", "16", "U16", "S16"})
MOST_PARTS, _APART = 8, 3
"""Stores of parts of sectors that are issued together, at most; from one to the next in the order as it was, too."""
_ROWS = {"LDSM": 16, "STSM": 16}
"""Bytes of what a lane's address names, whatever of it the lane gets."""


class Node:
    """One instruction. `succs` are (node index, cycles); `height` is the longest path to the end of the run."""

    def __init__(self, succs: list[tuple[int, int]], height: int, preds: int = 0) -> None:
        self.succs, self.height, self.preds = succs, height, preds


class _Place:
    """A memory access: space, address base with its version, byte range."""

    def __init__(self, space: str, base: object, start: int, end: int) -> None:
        self.space, self.base, self.start, self.end = space, base, start, end


class _Versions:
    """How often the registers that addresses of a run are based on have been written."""

    def __init__(self, insts: list[MInst]) -> None:
        self.bases = _bases(insts)
        self.of: dict[object, int] = {}

    def rename(self, inst: MInst) -> None:
        """Registers that addresses are based on have another value behind an instruction that writes them."""
        bases, versions = self.bases, self.of
        for operand in inst.dsts:
            if type(operand) is V:
                if operand.reg.id not in bases:
                    continue
                # A pair used as an address is named by its low part; a new high part makes a new address too.
                for part in range(max(operand.part - 1, 0), operand.part + operand.count):
                    versions[operand.reg.id, part] = versions.get((operand.reg.id, part), 0) + 1
            elif type(operand) is Reg and (operand.file, operand.index) in bases:
                versions[operand.file, operand.index] = versions.get((operand.file, operand.index), 0) + 1


def part_of_local(inst: MInst) -> bool:
    """Whether it stores to local memory what may be part of a sector: a byte or half, under a guard, or to a place that
    each lane has computed. A whole warp's words of one place of the frame are whole sectors."""
    if inst.mnemonic != "STL":
        return False
    if not _PARTS.isdisjoint(inst.modifiers) or inst.guard != TRUE:
        return True
    place = next((operand for operand in inst.srcs if isinstance(operand, VMem | Mem)), None)
    return place is not None and place.base is not None and not _frame(place.base)


def _frame(base: V | Reg) -> bool:
    """Whether it is the stack pointer."""
    return base.reg.fixed == _STACK if isinstance(base, V) else base.index == _STACK


def local_parts(insts: list[MInst]) -> Iterator[tuple[int, object, int]]:
    """Each store of part of a sector to local memory: its index, what it is based on, its offset."""
    versions = _Versions(insts)
    for i, inst in enumerate(insts):
        if part_of_local(inst):
            place = _places(inst, versions.of)[0]
            yield i, place.base, place.start
        versions.rename(inst)


def _places(inst: MInst, versions: dict[object, int]) -> list[_Place]:
    """What an instruction accesses; of a copy (LDGSTS) what it stores to and what it loads."""
    out: list[_Place] = []
    for operand in (*inst.srcs, *inst.dsts):
        if isinstance(operand, VMem | Mem):
            names: list[object] = []
            for part in (operand.base, operand.ureg):
                if isinstance(part, V):
                    name: object = (part.reg.id, part.part)
                elif isinstance(part, Reg):
                    name = (part.file, part.index)
                else:
                    name = None
                names.append((name, versions.get(name, 0)))
            size = _ROWS.get(inst.mnemonic, 0) or next((_BYTES[m] for m in inst.modifiers if m in _BYTES), 4)
            space = "global" if out else inst.space
            out.append(_Place(space, tuple(names), operand.offset, operand.offset + size))
    return out or [_Place(inst.space, None, 0, 1 << 40)]


def _bases(insts: list[MInst]) -> set[object]:
    """What the memory accesses are based on: ids of virtual registers, (file, index) of physical ones."""
    found: set[object] = set()
    for inst in insts:
        for operand in (*inst.srcs, *inst.dsts) if inst.memory else ():
            if isinstance(operand, VMem | Mem):
                for part in (operand.base, operand.ureg):
                    if part is not None:
                        found.add(part.reg.id if isinstance(part, V) else (part.file, part.index))
    return found


def _apart(a: _Place, b: _Place) -> bool:
    """Whether two accesses can never touch the same byte."""
    if a.space != b.space:
        return a.space not in ("", "generic") and b.space not in ("", "generic")
    return a.base is not None and a.base == b.base and (a.end <= b.start or b.end <= a.start)


def _columns(multiply: MInst) -> int:
    """N of a warpgroup multiply of 64 rows."""
    return next((int(m.split("x")[1]) for m in multiply.modifiers if m.startswith("64x")), 8)


class _Graph:
    """The edges of a run that is read in order: `registers`, `effects` and `memory` of each instruction, then
    the `versions` behind it."""

    def __init__(self, insts: list[MInst], prints: list[Footprint], distances: Distances, arrays: bool) -> None:
        self.insts, self.prints, self.distances, self.arrays = insts, prints, distances, arrays
        self.edges: list[dict[int, int]] = [{} for _ in insts]
        """Of each instruction: who must follow it, by how many cycles."""
        self.writers: dict[int, list[tuple[int, str]]] = {}
        self.readers: dict[int, list[tuple[int, str]]] = {}
        self.last = {key: i for i, print_ in enumerate(prints) for key, _ in print_.writes}
        """Where each register is written last: who reads it after that is in nobody's way."""
        self.loads: list[tuple[int, _Place]] = []
        self.stores: list[tuple[int, _Place]] = []
        self.passed: dict[int, list[tuple[int, _Place]]] = {}
        """The loads that a store was the first to follow: another store, apart from it, may touch what they load."""
        self.fence, self.shared_fence, self.chain = -1, -1, -1
        self.earlier = -1
        """Where the kernel waits for an earlier one."""
        self.constants: list[int] = []
        """Loads of constants: those before that wait pass beside it, as they were written to."""
        self.multiplies: list[int] = []
        """Warpgroup multiplies that nothing has waited for: one takes the tensor cores half a cycle for each column."""
        self.versions = _Versions(insts)
        self.parts: list[int] = []
        """The last stores of parts of sectors that stand together."""

    def edge(self, a: int, b: int, cycles: int) -> None:
        row = self.edges[a]
        if row.get(b, -1) < cycles:
            row[b] = cycles

    def registers(self, i: int) -> None:
        """What it reads is written before, what it writes has been read and written before."""
        edges, prints, writers, readers = self.edges, self.prints, self.writers, self.readers
        raw, print_ = self.distances.raw, prints[i]
        for key, reader in print_.reads:
            for w, producer in writers.get(key, ()):
                before = prints[w].timing
                cycles = before.expect if before.arrival else raw(producer, reader)
                row = edges[w]
                if row.get(i, -1) < cycles:
                    row[i] = cycles
            if self.last.get(key, -1) > i:
                if key in readers:
                    readers[key].append((i, reader))
                else:
                    readers[key] = [(i, reader)]
        for key, producer in print_.writes:
            for w, first in writers.get(key, ()):
                before = prints[w].timing
                self.edge(w, i, before.expect if before.arrival else self.distances.waw(first, producer))
            for r, reader in readers.pop(key, ()):
                if r != i:
                    self.edge(r, i, self.distances.war(reader, producer))
            if print_.guarded and key in writers:
                writers[key].append((i, producer))
            else:
                writers[key] = [(i, producer)]

    def part(self, i: int) -> None:
        """The first of stores that stand together waits for what the others store, so that they are issued together."""
        if not self.parts or i > self.parts[-1] + _APART or len(self.parts) == MOST_PARTS:
            self.parts = []
        self.parts.append(i)
        first = self.parts[0]
        for key, reader in self.prints[i].reads if first < i else ():
            for w, producer in self.writers.get(key, ()):
                if w < first:
                    before = self.prints[w].timing
                    self.edge(w, first, before.expect if before.arrival else self.distances.raw(producer, reader))

    def effects(self, i: int, inst: MInst) -> None:
        """Side effects stay in order."""
        if part_of_local(inst):
            if not self.arrays:
                return
            self.part(i)
        if (inst.side_effect and inst.mnemonic not in _COLLECTIVE) or inst.memory in ("fence", "barrier"):
            if self.chain >= 0:
                self.edge(self.chain, i, 1)
            self.chain = i
        if inst.mnemonic in GMMA:
            self.multiplies.append(i)

    def memory(self, i: int, inst: MInst) -> None:
        if inst.memory == "load" and "CONSTANT" in inst.modifiers:
            # What a kernel loads as constant nobody stores to, but for the kernel before it (griddepcontrol.wait): no
            # other fence or barrier has anything to do with it.
            if self.earlier >= 0:
                self.edge(self.earlier, i, 1)
            self.constants.append(i)
            return
        if self.fence >= 0:
            self.edge(self.fence, i, 1)
        if self.shared_fence > self.fence and inst.space not in _ELSEWHERE:
            self.edge(self.shared_fence, i, 1)
        if inst.memory == "barrier" and inst.space == "shared":
            self._shared_barrier(i, inst)
        elif inst.memory in ("fence", "barrier"):
            self._fence(i, inst)
        else:
            self._access(i, inst)

    def _shared_barrier(self, i: int, inst: MInst) -> None:
        """What it waits for goes into shared memory or registers: loads from elsewhere may pass it."""
        for other, place in (*self.loads, *self.stores):
            if place.space not in _ELSEWHERE:
                self.edge(other, i, 1)
        self.shared_fence = i
        if "DEPBAR" in inst.modifiers:
            work = 0
            for other in reversed(self.multiplies):
                work += _columns(self.insts[other]) // 2
                self.edge(other, i, work)
            self.multiplies = []

    def _fence(self, i: int, inst: MInst) -> None:
        """Everything before it comes before it."""
        for other, place in self.loads:
            # It waits for what is read from shared memory (see `scoreboard`); a NOP does not, a warp's accesses come in
            # order, nor does BAR for LDS.
            ordered = inst.mnemonic == "NOP" or (inst.mnemonic == "BAR" and self.insts[other].mnemonic in IN_ORDER)
            expect = 1 if ordered else self.prints[other].timing.expect
            self.edge(other, i, expect if place.space in ("shared", "generic", "") else 1)
        for other, _ in self.stores:
            self.edge(other, i, 1)
        self.loads, self.stores = [], []
        if inst.memory == "barrier" and i - self.fence > _MUCH:
            # Arithmetic that could follow it hides the latency of those loads if it does not.
            for other in range(self.fence + 1, i):
                if self.prints[other].timing.pipe in _MATHS:
                    self.edge(other, i, 1)
        self.fence = i
        if waits_for_grid(inst):
            for other in self.constants:
                self.edge(other, i, 1)
            self.earlier = i

    def _access(self, i: int, inst: MInst) -> None:
        """A load comes after the stores that may touch what it loads, a store after the loads and stores, too."""
        where, *loaded = _places(inst, self.versions.of)
        for other, place in self.stores:
            earlier = self.passed.get(other, []) if inst.memory != "load" else []
            if not _apart(where, place) or len(earlier) > _MOST_PASSED:
                self.edge(other, i, 1)
            else:
                for read, source in earlier:
                    if not _apart(where, source):
                        self.edge(read, i, 1)
            if any(not _apart(source, place) for source in loaded):
                self.edge(other, i, 1)
        if inst.memory == "load":
            self.loads.append((i, where))
            # Loads alone are compared with nothing.
            return
        kept = []
        for other, place in self.loads:
            if _apart(where, place):
                kept.append((other, place))
            else:
                self.edge(other, i, 1)
                self.passed.setdefault(i, []).append((other, place))
        self.loads = kept + [(i, source) for source in loaded]
        self.stores.append((i, where))
        if len(self.loads) + len(self.stores) > _MOST_OPEN:
            for other, _ in (*self.loads, *self.stores):
                if other != i:
                    self.edge(other, i, 1)
            self.loads, self.stores, self.fence = [], [], i

    def renew(self, renewed: dict[MInst, list[MInst]]) -> None:
        """Compares that are made again come when the loads that are named there do."""
        where_is = {inst: i for i, inst in enumerate(self.insts)}
        for i, inst in enumerate(self.insts):
            for load in renewed.get(inst, ()):
                at = where_is.get(load, i)
                if at < i:
                    self.edge(at, i, max(1, self.prints[at].timing.expect))

    def nodes(self, end: Footprint | None, ahead: Collection[MInst]) -> list[Node]:
        """The graph, with the longest path from each instruction to the end."""
        tails: dict[int, int] = {}
        for key, reader in end.reads if end is not None else ():
            for w, producer in self.writers.get(key, ()):
                before = self.prints[w].timing
                cycles = before.expect if before.variable else self.distances.raw(producer, reader)
                tails[w] = max(tails.get(w, 0), cycles)
        nodes: list[Node] = []
        heights = [0] * len(self.insts)
        for i in range(len(self.insts) - 1, -1, -1):
            print_ = self.prints[i]
            height = max(print_.timing.stall, tails.get(i, 0))
            if ahead and self.insts[i] in ahead:
                height = max(height, print_.timing.expect)
            for succ, cycles in self.edges[i].items():
                if heights[succ] + cycles > height:
                    height = heights[succ] + cycles
            heights[i] = height
            nodes.append(Node(list(self.edges[i].items()), height))
        nodes.reverse()
        for row in self.edges:
            for succ in row:
                nodes[succ].preds += 1
        return nodes


def build(
    insts: list[MInst],
    prints: list[Footprint],
    distances: Distances,
    end: Footprint | None = None,
    renewed: dict[MInst, list[MInst]] | None = None,
    ahead: Collection[MInst] = (),
    arrays: bool = True,
) -> list[Node]:
    """The graph of `insts`; heights included. `end` is the branch that follows the run, if one does: what it reads
    is needed in time. A compare in `renewed` comes when the loads that are named there do;
    those in `ahead` are wanted as long after the run as they take. Without `arrays` stores of parts of sectors to
    local memory have no order but that of the places that they store to."""
    graph = _Graph(insts, prints, distances, arrays)
    for i, inst in enumerate(insts):
        graph.registers(i)
        graph.effects(i, inst)
        if inst.memory:
            graph.memory(i, inst)
        if graph.versions.bases:
            graph.versions.rename(inst)
    if renewed:
        graph.renew(renewed)
    return graph.nodes(end, ahead)
