"""Which results may be wanted before they are there.

For every instruction, every path of control flow from it is followed until its results are certainly in place: for
fixed latencies by adding up stall counts, for variable ones until its scoreboard is waited on. If no instruction on
the way reads (or, for variable latencies, writes) a result, the instruction is proven and its results can go straight
to the registers; otherwise it is staged, and the engine decides read by read. Both give the same values. The same for
operands that are read late: an instruction is staged if they can be overwritten before that.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from minicc import sass
from minicc.arch import Arch
from minicc.sass.instr import PT, RZ, URZ, Instr
from runtime.device.sm.execute import abi, codegen
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L

Table = npt.NDArray[np.int64]
_WALK_LIMIT = 3000
"""Instructions followed for one variable-latency result before it is staged without proof."""
_ZERO = {"R": RZ, "UR": URZ, "P": PT, "UP": PT}


def word(file: str, index: int) -> int:
    """Word offset of a register in the warp state: its identity in the tables."""
    match file:
        case "R":
            return abi.r_row(index)
        case "UR":
            return abi.ur_word(index)
        case "P":
            return abi.p_word(index)
        case _:
            return abi.up_word(index)


def register_name(offset: int) -> str:
    """Inverse of `word`."""
    if offset >= abi.R_ROW * abi.LANES:
        return f"R{offset // abi.LANES - abi.R_ROW}"
    if offset >= abi.UR:
        return f"UR{offset - abi.UR}"
    if offset >= abi.UP:
        return f"UP{offset - abi.UP}"
    return f"P{offset - abi.P}"


@attrs.frozen
class Facts:
    """Registers read (word, reader class) and written (word, stage row, file code, producer class)."""

    reads: tuple[tuple[int, str], ...]
    writes: tuple[tuple[int, int, int, str], ...]
    variable: bool

    @classmethod
    def of(cls, effects: sass.Effects, bound: codegen.Bound) -> Facts:
        """From the instruction's declared effects and its bound result rows."""
        reads: list[tuple[int, str]] = []
        wide = effects.pipe == "fmawide"
        for read in effects.reads:
            if read.file not in _ZERO:
                continue
            for k in range(read.count):
                if read.index != _ZERO[read.file]:
                    # The high word of the 64-bit addend of IMAD.WIDE and IMAD.HI is read late.
                    late = wide and read.slot == 2 and k == 1
                    reads.append((word(read.file, read.index + k), "wide_hi" if late else read.cls))
        classes = {(w.file, w.index + k): w.cls for w in effects.writes for k in range(w.count)}
        for w in effects.writes:
            if w.cls == "wide" and w.count == 2:
                classes[w.file, w.index] = "wide_lo"
        rows: list[tuple[str, int]] = list(bound.results)
        if bound.transfer is not None and bound.transfer.dest is not None:
            file, first, count = bound.transfer.dest
            rows = [(file, first + k) for k in range(count)]
        writes: list[tuple[int, int, int, str]] = []
        for k, (file, index) in enumerate(rows):
            if index >= _ZERO[file]:  # RZ, and what would come after it in a pair
                continue
            code = {"R": 0, "P": 1}.get(file, 2)
            writes.append((word(file, index), k, code, classes.get((file, index), "alu")))
        if bound.key is None:
            # Barrier moves and the like write straight away.
            writes = []
        return cls(tuple(reads), tuple(writes), effects.variable)


class Flow:
    """Successors of each instruction: (index, taken) pairs; None for places that are not known."""

    def __init__(self, code: Table, instrs: list[Instr | None]) -> None:
        self.count = len(instrs)
        self.successors: list[list[tuple[int | None, bool]]] = []
        for i, instr in enumerate(instrs):
            after: list[tuple[int | None, bool]] = []
            if instr is not None:
                kind = int(code[i, L.C_KIND])
                guarded = instr.guard.index != PT or instr.guard.inv or int(code[i, L.C_PRED]) >= 0
                stop = False
                if kind in (K.K_BRA, K.K_BRA_DIV):
                    after.append((self._inside(int(code[i, L.C_TARGET])), True))
                    stop = not guarded and kind == K.K_BRA and int(code[i, L.C_PRED]) < 0
                elif kind == K.K_CALL:
                    known = int(code[i, L.C_DATA]) < 0
                    after.append((self._inside(int(code[i, L.C_TARGET])) if known else None, True))
                elif kind == K.K_WARPSYNC and int(code[i, L.C_TARGET]) >= 0:
                    after.append((self._inside(int(code[i, L.C_TARGET])), True))
                elif kind == K.K_BRA_REG:
                    after.append((None, True))
                    stop = not guarded
                elif kind == K.K_EXIT:
                    stop = not guarded
                elif kind == K.K_BSYNC:
                    # Other lanes may run in between; the own path goes on after a branch latency.
                    after.append((self._inside(i + 1), True))
                    stop = True
                if not stop and i + 1 < self.count:
                    after.append((i + 1, False))
            self.successors.append(after)

    def _inside(self, target: int) -> int | None:
        """The place, or None for one outside of the code: damaged images have those."""
        return target if 0 <= target < self.count else None


def class_index(arch: Arch) -> tuple[dict[str, int], dict[str, int]]:
    """Numbers of producer classes and, behind them, of reader classes."""
    producers = {name: k for k, name in enumerate(arch.latency.raw)}
    readers: dict[str, int] = {}
    for row in arch.latency.raw.values():
        for name in row:
            readers.setdefault(name, len(producers) + len(readers))
    return producers, readers


def need(arch: Arch, producer: str, reader: str) -> int:
    """Minimum distance; for a pair that was not measured, the largest of the producer's row."""
    row = arch.latency.raw.get(producer)
    if row is None:
        return 0
    if reader == "wide_hi" and reader not in row:
        return row.get("fma", 4) - 2
    distance = row.get(reader, max(row.values())) - arch.latency.late_read.get(reader, 0)
    if producer == "wide_lo" and reader in arch.latency.late_read:
        # `raw` gives these readers the high half's distance.
        distance -= 2
    return distance


def tables(facts: list[Facts | None], code: Table, arch: Arch) -> tuple[Table, Table, Table]:
    """RES, SRC and RAW tables (see `hazard`); fills C_RES, C_NRES, C_SRC, C_NSRC, C_CLASS."""
    producers, readers = class_index(arch)
    # One more reader: a class that no row knows.
    unknown = len(producers) + len(readers)
    raw = np.zeros((len(producers) + 1, unknown + 2), np.int64)
    for name, p in producers.items():
        for other, r in readers.items():
            raw[p, r] = need(arch, name, other)
        raw[p, unknown] = max(arch.latency.raw[name].values())
        raw[p, -1] = raw[p].max()
        for other, q in producers.items():
            raw[p, q] = arch.latency.waw.get(name, {}).get(other, 1)
    res: list[tuple[int, int, int, int]] = []
    src: list[tuple[int, int]] = []
    for i, fact in enumerate(facts):
        if fact is None:
            continue
        code[i, L.C_RES], code[i, L.C_NRES] = len(res), len(fact.writes)
        res.extend((*w[:3], -1 if fact.variable else producers.get(w[3], -1)) for w in fact.writes)
        code[i, L.C_SRC], code[i, L.C_NSRC] = len(src), len(fact.reads)
        src.extend((w, readers.get(name, unknown)) for w, name in fact.reads)
        fixed = [w[3] for w in fact.writes if w[3] in producers]
        code[i, L.C_CLASS] = -1
        if fact.writes and not fact.variable and fixed:
            # Results of two files (a register and a predicate) go by the slower one.
            code[i, L.C_CLASS] = producers[max(fixed, key=lambda name: max(arch.latency.raw[name].values()))]
    return (
        np.array(res or [(0, 0, 0, -1)], np.int64).reshape(-1, 4),
        np.array(src or [(0, 0)], np.int64).reshape(-1, 2),
        raw,
    )


def prove(facts: list[Facts | None], code: Table, flow: Flow, arch: Arch) -> None:
    """Set C_STAGED of every instruction that is not proven, or whose operands a later one may still overwrite."""
    longest = {name: max(row.values()) for name, row in arch.latency.raw.items()}
    stall: Any = code[:, L.C_STALL].tolist()
    waits: Any = code[:, L.C_WAIT].tolist()
    for i in np.nonzero(code[:, L.C_KIND] == K.K_DEPBAR)[0].tolist():
        if code[i, L.C_AUX3] > 0:
            waits[i] |= int(code[i, L.C_AUX3])
    reads = [dict(f.reads) if f is not None else {} for f in facts]
    for i, fact in enumerate(facts):
        if fact is None or not fact.writes:
            continue
        if int(code[i, L.C_UNIFORM]) and int(code[i, L.C_KIND]) == K.K_MEM:
            continue
        if fact.variable:
            proven = _variable(i, fact, facts, code, flow, reads, stall, waits)
        else:
            proven = _fixed(i, fact, facts, flow, reads, stall, longest, arch)
        if not proven or _late(i, fact, facts, code, flow, stall, arch):
            code[i, L.C_STAGED] = 1


def _late(
    i: int, fact: Facts, facts: list[Facts | None], code: Table, flow: Flow, stall: list[int], arch: Arch
) -> bool:
    """Whether UMOV or the like can overwrite what instruction i of the uniform datapath reads. C_LATE, C_OVERTAKES."""
    words = {word: arch.latency.war[reader] for word, reader in fact.reads if reader in arch.latency.war}
    limit = max((cycles for row in words.values() for cycles in row.values()), default=1)
    work = [(j, stall[i]) for j, _ in flow.successors[i]] if words else []
    found = False
    while work:
        j, distance = work.pop()
        if j is None or distance >= limit:
            continue
        other = facts[j]
        for w in other.writes if other is not None and code[j, L.C_KIND] == K.K_EXEC else ():
            late = words[w[0]].get(w[3], 1) if w[0] in words else 1
            if distance < late:
                code[i, L.C_LATE] = late
                code[j, L.C_OVERTAKES] = 1
                found = True
        work += [(k, distance + stall[j]) for k, _ in flow.successors[j]]
    return found


def _step(stall: int, taken: bool, arch_branch: int) -> int:
    return max(stall, arch_branch) if taken else stall


def _fixed(
    i: int,
    fact: Facts,
    facts: list[Facts | None],
    flow: Flow,
    reads: list[dict[int, str]],
    stall: list[int],
    longest: dict[str, int],
    arch: Arch,
) -> bool:
    limit = max(longest.get(w[3], 0) for w in fact.writes)
    branch = arch.core.branch_latency
    words = {w[0]: w[3] for w in fact.writes}
    best: dict[int, int] = {}
    work = [(j, _step(stall[i], taken, branch)) for j, taken in flow.successors[i]]
    while work:
        j, distance = work.pop()
        if distance >= limit:
            continue
        if j is None:
            return False
        if best.get(j, limit) <= distance:
            continue
        best[j] = distance
        wanted = reads[j]
        for w, producer in words.items():
            reader = wanted.get(w)
            if reader is not None and distance < need(arch, producer, reader):
                return False
        other = facts[j]
        for word_, _, _, younger in other.writes if other is not None else ():
            if word_ in words and distance < arch.latency.waw.get(words[word_], {}).get(younger, 1):
                return False
        for k, taken in flow.successors[j]:
            work.append((k, distance + _step(stall[j], taken, branch)))
    return True


def _variable(
    i: int,
    fact: Facts,
    facts: list[Facts | None],
    code: Table,
    flow: Flow,
    reads: list[dict[int, str]],
    stall: list[int],
    waits: list[int],
) -> bool:
    words = {w[0] for w in fact.writes}
    barrier = int(code[i, L.C_WBAR])
    queue, space = int(code[i, L.C_QUEUE]), int(code[i, L.C_SPACE])
    seen: set[tuple[int, int, bool]] = set()
    # Without a barrier of its own, it may be covered by that of a later request to the same unit, which is in order.
    work = [(j, barrier, stall[i] >= 2) for j, _ in flow.successors[i]]
    while work:
        j, b, visible = work.pop()
        if j is None:
            return False
        if (j, b, visible) in seen:
            continue
        seen.add((j, b, visible))
        if len(seen) > _WALK_LIMIT:
            return False
        if b < 6 and waits[j] >> b & 1 and visible:
            continue
        other = facts[j]
        if other is not None:
            if not words.isdisjoint(reads[j]):
                return False
            if any(w[0] in words for w in other.writes):
                return False
        same = int(code[j, L.C_QUEUE]) == queue and int(code[j, L.C_SPACE]) == space != K.SPACE_GLOBAL
        if b == 7 and same and int(code[j, L.C_WBAR]) < 6:
            b = int(code[j, L.C_WBAR])
            for k, _ in flow.successors[j]:
                work.append((k, b, stall[j] >= 2))
            continue
        for k, _ in flow.successors[j]:
            work.append((k, b, True))
    return True
