"""Grids that share a machine: one set of tables in which each grid has its own rows of code, and its own scalars.

`Together` is opened by the compute engine when several grids could run at once. A grid comes at a time; `run` goes on
until one is done (or a fault ends it), which is when the next one of its stream may come. Time is that of the machine,
from its first grid on; caches are cold at the beginning, and what a grid finds of those before it is there.
"""

from __future__ import annotations

import time
from typing import Any

import attrs
import numpy as np

from minicc.arch import Arch
from runtime.device import cwd
from runtime.device.grid import Fault, Grid, Options, Outcome
from runtime.device.memory import DeviceMemory
from runtime.device.sm import engine
from runtime.device.sm.code.decode import Decoded, decode, moved
from runtime.device.sm.language import jit
from runtime.device.sm.machines import extension
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import addresses
from runtime.device.sm.tables.workspace import Workspace, borrowed

LINE = 8
"""Instructions of a line of the instruction caches: where a grid's code may begin."""


def shareable(grid: Grid, memory: DeviceMemory, arch: Arch, options: Options) -> bool:
    """Whether a grid can share a machine: one with timing, all of it, that needs nothing of the extension."""
    if not options.timing or options.sample or grid.cluster != (1, 1, 1) or cwd.invalid(grid, arch) is not None:
        return False
    if not grid.code[0] <= grid.entry < grid.code[0] + grid.code[1]:
        return False
    code = decode(memory.read(*grid.code), grid.entry - grid.code[0], arch, options.hazards != "off")
    return not code.extended and not engine.allocates(code, engine.banks_of(grid, memory))


@attrs.define(eq=False)
class _Member:
    """A grid: its number (no other one has it meanwhile), the run that describes it, its rows of CODE, when it came,
    and what decides who goes first."""

    number: int
    run: engine.Run
    rows: tuple[int, int]
    at: int
    turn: tuple[int, int]
    began: float = attrs.field(factory=time.perf_counter)


Ended = tuple[int, Outcome, int, int]
"""A grid that is done: its number, what came of it, when it came and was done."""


class Together:
    """A machine for several grids."""

    def __init__(self, memory: DeviceMemory, arch: Arch, options: Options) -> None:
        jit.ready("timed")
        self.memory, self.arch, self.options = memory, arch, options
        self._borrowed = borrowed()
        self.space: Workspace = self._borrowed.__enter__()
        self.members: dict[int, _Member] = {}
        self.coming: list[_Member] = []
        """Those whose time has not come."""
        self.tables: dict[str, Any] = {}
        self.g: Any = None
        self.rows, self.order = np.zeros((0, L.G_OWN), np.int64), np.zeros(0, np.int64)
        self.places: dict[int, tuple[int, int]] = {}
        """First row and number of rows that the code of the grids of a number has."""
        self.codes: dict[int, tuple[Decoded, int, int]] = {}
        """Code that came, with the first rows of its results and sources."""
        self.keep: list[Any] = []
        self.where: Any = None
        self.came = self.now = self.free = 0

    def close(self) -> None:
        """Give the tables back."""
        if self.g is not None:
            self.space.finish(max(int(self.g[L.G_NOW]), self.now), int(self.g[L.G_L1STAMP]))
        self._borrowed.__exit__(None, None, None)

    # ---- grids come

    def add(self, grid: Grid, at: int, priority: int) -> int:
        """A grid comes at a time; its number. Those of higher priority (a lower number) go first."""
        decoded = decode(
            self.memory.read(*grid.code), grid.entry - grid.code[0], self.arch, self.options.hazards != "off"
        )
        residency, sms = cwd.of_grid(grid, self.arch), self.arch.sm_count
        run = engine.Run(grid, self.memory, self.arch, self.options, residency, decoded, sms, self.space)
        number = next(k for k in range(len(self.members) + 1) if k not in self.members)
        run.prepare_own(f" {number}")
        if self.g is None:
            self._open(run)
        first = self._merge(run, number)
        self.came += 1
        # Grids of two channels do not begin at once.
        self.free = at = max(at, self.now, self.free)
        self.free += self.arch.core.grid_spacing
        member = _Member(number, run, (first, first + decoded.count), at, (priority, self.came))
        self.members[number] = member
        g = run.g
        g[L.G_GRID], g[L.G_LOW], g[L.G_ARRIVED] = number, first, member.at
        g[L.G_NINSTR] += first
        g[L.G_ENTRY] += first
        g[L.G_CODEVA] -= 16 * first
        unit = self.arch.occupancy.register_unit_per_warp
        g[L.G_CONFIGURATION] = cwd.shared_configuration(grid, self.arch)
        g[L.G_DEMAND] = g[L.G_CONFIGURATION] if grid.shared > self.arch.abi.shared_reserved else 0
        g[L.G_REGISTERS] = max(-(-grid.registers * 32 // unit) * unit, unit)
        if number >= len(self.rows):
            self.rows = np.vstack([self.rows, np.zeros((16, L.G_OWN), np.int64)])
            self.order = np.concatenate([self.order, np.zeros(16, np.int64)])
            self.g[L.G_GRIDS], self.g[L.G_ORDER] = self.rows.ctypes.data, self.order.ctypes.data
        self._own(number)[:] = g[: L.G_OWN]
        self.coming.append(member)
        self.coming.sort(key=lambda one: (one.at, one.turn))
        return number

    def _merge(self, run: engine.Run, number: int) -> int:
        """Put the code of a run among that of the others; its first row."""
        t, decoded = self.tables, run.decoded
        first, room = self.places.get(number, (0, 0))
        if room <= decoded.count:
            first = self._end()
            room = -(-(decoded.count + 1) // LINE) * LINE
            self.places[number] = first, room
            if self._end() > len(t["CODE"]):
                self._grow(2 * self._end())
        if id(decoded) not in self.codes:
            self.codes[id(decoded)] = decoded, len(t["RES"]), len(t["SRC"])
            t["RES"], t["SRC"] = np.vstack([t["RES"], decoded.res]), np.vstack([t["SRC"], decoded.src])
        code = run.tables["CODE"]
        moved(code, decoded.count, first, *self.codes[id(decoded)][1:])
        t["CODE"][first : first + decoded.count] = code
        t["IC0"][:, first // LINE : (first + room) // LINE] = 0
        return first

    def _end(self) -> int:
        return max((first + room for first, room in self.places.values()), default=0)

    def _open(self, run: engine.Run) -> None:
        """Make the tables that all share."""
        run.prepare_machine(self.arch.occupancy.max_blocks)
        self.tables = dict(run.tables)
        self.tables["G"] = self.g = run.g.copy()
        self.keep += run.keep
        self.tables["CODE"] = np.zeros((0, L.C_COLUMNS), np.int64)
        self.tables["PCC"] = np.zeros((0, L.P_COLUMNS), np.int64)
        self.tables["RES"], self.tables["SRC"] = run.decoded.res[:0], run.decoded.src[:0]
        o = self.arch.occupancy
        shared = self.space.array("shared", (self.arch.sm_count * o.shared_per_sm,), np.uint8)
        self.keep.append(shared)
        self.g[L.G_SHARED], self.g[L.G_SHAREDSM] = shared.ctypes.data, o.shared_per_sm
        self.g[L.G_FILE] = o.registers_per_sm // self.arch.sub_cores
        # Short, so that one SM does not take what many have room for.
        self.g[L.G_QUANTUM] = engine.CLUSTER_QUANTUM
        self.g[L.G_EXTENSION], self.g[L.G_STARTED] = jit.extension_address(), 1
        self.tables["CT"][:, L.T_SM] = np.arange(len(self.tables["CT"])) // o.max_blocks

    def _grow(self, rows: int) -> None:
        """Make room for so many instructions."""
        t = self.tables
        for name in ("CODE", "PCC"):
            t[name] = np.vstack([t[name], np.zeros((rows - len(t[name]), t[name].shape[1]), np.int64)])
        lines = rows // LINE + 2
        sets = t["IC2"].shape[1] - 1 - (t["IC0"].shape[1] // 64)
        for name, width in (("IC0", lines), ("IC2", sets + lines // 64 + 1)):
            more = np.zeros((len(t[name]), width - t[name].shape[1]), np.int64)
            t[name] = np.ascontiguousarray(np.hstack([t[name], more]))

    # ---- they run

    def run(self) -> list[Ended]:
        """Go on until at least one grid is done."""
        ended: list[Ended] = []
        while self.members and not ended:
            self._arrivals()
            self.g[L.G_UNTIL] = self.coming[0].at if self.coming else L.BIG
            self.g[L.G_CYCLELIMIT] = self._cycle_limit()
            where = self._where()
            warps = sum(member.run.warps() for member in self.members.values())
            self.g[L.G_INSTRLIMIT] = engine.last_instruction(self.options, int(self.g[L.G_INSTR]), warps)
            self.g[L.G_EXTENSION] = jit.extension_address()
            result = jit.go_on("timed", engine.QUANTA_A_CALL, where.ctypes.data)
            self.now = max(self.now, int(self.g[L.G_NOW]))
            if result == 2 and self.coming:
                self.now = max(self.now, self.coming[0].at)
            elif result == 2 or result < 0:
                ended.append(self._stop(int(result)))
            ended += self._done()
        return ended

    def _where(self) -> Any:
        where = addresses(self.tables)
        self.g[L.G_TABLES] = where.ctypes.data
        self.where = where
        return where

    def _arrivals(self) -> None:
        """Those whose time has come take their places."""
        while self.coming and self.coming[0].at <= max(self.now, int(self.g[L.G_NOW])):
            member = self.coming.pop(0)
            waiting = [*self.order[: int(self.g[L.G_WAITING])].tolist(), member.number]
            waiting.sort(key=lambda number: self.members[number].turn)
            self.order[: len(waiting)] = waiting
            self.g[L.G_WAITING] = len(waiting)
            sms = self.tables["SM"]
            # What L1 has may be old.
            self.g[L.G_L1STAMP] += 1
            sms[:, L.M_FRESH] = self.g[L.G_L1STAMP]
            extension.extend(K.X_PLACE, -1, 0, 0, member.at, self._where().ctypes.data)

    def _own(self, number: int) -> Any:
        """The scalars of a grid as they are now."""
        return self.g[: L.G_OWN] if self.g[L.G_GRID] == number else self.rows[number]

    def _cycle_limit(self) -> int:
        limit = self.options.cycle_limit
        return limit + min(member.at for member in self.members.values()) if limit else 0

    def _done(self) -> list[Ended]:
        """Those of which all CTAs have ended."""
        if not self.g[L.G_FINISHED]:
            return []
        self.g[L.G_FINISHED] = 0
        return [
            self._outcome(member, None)
            for member in list(self.members.values())
            if self._own(member.number)[L.G_DONE] == self._own(member.number)[L.G_TOTAL]
        ]

    def _outcome(self, member: _Member, fault: Fault | None) -> Ended:
        del self.members[member.number]
        run, own = member.run, self._own(member.number)
        first, last = member.rows
        counters = self.tables["PCC"][first:last].copy()
        self.tables["PCC"][first:last] = 0
        end = int(own[L.G_LASTEND]) if fault is None else max(self.now, member.at)
        run.g[: L.G_OWN] = own
        run.tables["PCC"] = counters
        run.tables["SM"] = self._activity(counters, end - member.at, int(own[L.G_TOTAL]))
        run.tables["HAZ"] = self._hazards(member)
        run.g[L.G_NHAZ] = len(run.tables["HAZ"])
        cycles = end - member.at + self.arch.core.grid_overhead
        outcome = engine.outcome(run, cycles, fault, time.perf_counter() - member.began)
        return member.number, outcome, member.at, member.at + cycles

    def _activity(self, counters: Any, cycles: int, ctas: int) -> Any:
        """What SMs count of a grid: its own warps' cycles, and the time that it was there, on an SM a CTA."""
        table = np.zeros((self.arch.sm_count, L.M_COLUMNS), np.int64)
        table[:ctas, L.M_ACTIVE] = cycles
        table[0, L.M_WARPCYCLES] = counters[:, K.R_ALL].sum()
        return table

    def _hazards(self, member: _Member) -> Any:
        table = self.tables["HAZ"][: int(self.g[L.G_NHAZ])]
        first, last = member.rows
        own = table[(table[:, 0] >= first) & (table[:, 0] < last)].copy()
        own[:, :2] -= first
        return own

    def _stop(self, result: int) -> Ended:
        """End a grid with a fault: the one whose warp ran, or of those that can never go on the first."""
        ws, ct, g = self.tables["WS"], self.tables["CT"], self.g
        owners = np.where(ws[:, L.W_ALIVE] != 0, ct[ws[:, L.W_CTA], L.T_GRID], -1)
        if result == 2:
            number = min((int(n) for n in np.unique(owners) if n in self.members), default=min(self.members))
        elif -result == K.F_TIMEOUT:
            number = min(self.members, key=lambda n: self.members[n].at)
        else:
            number = int(ct[ws[int(g[L.G_FWARP]), L.W_CTA], L.T_GRID])
        member = self.members[number]
        first = member.rows[0]
        view = ws.copy()
        view[owners != number, L.W_ALIVE] = 0
        view[:, L.W_PC] -= first
        run = member.run
        run.tables |= {"WS": view, "CT": ct, "LPC": self.tables["LPC"] - first}
        run.g[L.G_OWN :] = g[L.G_OWN :]
        run.g[: L.G_OWN] = self._own(number)
        run.g[L.G_FPC] -= 16 * first
        fault = run.fault(result)
        self._evict(number, owners)
        return self._outcome(member, fault)

    def _evict(self, number: int, owners: Any) -> None:
        """The warps of a grid are gone, and others have their places."""
        ws, ct, t = self.tables["WS"], self.tables["CT"], self.tables
        ws[owners == number, L.W_ALIVE] = 0
        t["WAKE"][owners == number] = L.BIG
        rows = np.nonzero((ct[:, L.T_ACTIVE] != 0) & (ct[:, L.T_GRID] == number))[0]
        waiting = [n for n in self.order[: int(self.g[L.G_WAITING])].tolist() if n != number]
        self.order[: len(waiting)] = waiting
        self.g[L.G_WAITING] = len(waiting)
        where = self._where().ctypes.data
        now = max(self.now, int(self.g[L.G_NOW]))
        ct[rows, L.T_ACTIVE] = 0
        for c in rows.tolist():
            m = int(ct[c, L.T_SM])
            t["SM"][m, L.M_LIVE] -= 1
            extension.extend(K.X_PLACE, c, 0, 0, now, where)
            if t["NEXT"][m] > now:
                t["NEXT"][m] = now
