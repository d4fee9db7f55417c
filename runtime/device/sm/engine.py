"""Running one grid on the SM model: set up the tables, run the compiled machine, say what happened."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import attrs
import numpy as np

from minicc.arch import Arch
from minicc.record import evolve
from runtime.device import cwd, syscalls
from runtime.device.grid import Dim, Fault, Finding, Grid, Hazard, Options, Outcome
from runtime.device.memory import BASE, DeviceMemory
from runtime.device.sm import sample
from runtime.device.sm.code.decode import Decoded, decode, usable
from runtime.device.sm.code.prove import register_name
from runtime.device.sm.counters import counters, per_pc, stalls
from runtime.device.sm.execute import abi
from runtime.device.sm.language import jit
from runtime.device.sm.language.raw import reciprocal
from runtime.device.sm.machines import threads
from runtime.device.sm.output import assertion, printed
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import addresses
from runtime.device.sm.tables.workspace import SCRATCH_BYTES, Workspace, aligned, borrowed

QUANTUM, CLUSTER_QUANTUM = 1024, 128
"""Cycles an SM runs alone: some L2 round trips; in a launch of clusters, whose CTAs talk to each other directly, where
SMs wait for each other's compare-and-swap, and where grids share them, less than that takes."""
QUANTA_A_CALL, TURNS_A_CALL = 16, 256
"""How much is simulated between two looks at the world."""
HEAP_BYTES = 8 << 20
"""Size of the heap of device code, as the driver's default."""
PRINT_BYTES = 1 << 20
"""Size of the printf buffer, as the driver's default; what does not fit is lost."""


@cache
def _l2_parameters(arch: Arch) -> Any:
    from runtime.device.sm.memory import l2

    m = arch.memory
    MP = np.zeros(l2.MP_COUNT, np.int64)
    MP[l2.MP_NEAR] = m.l2_latency_near - m.l1_latency
    MP[l2.MP_FAR] = m.l2_latency_far - m.l1_latency
    MP[l2.MP_DRAM] = m.dram_latency - m.l1_latency
    if m.l2_ways > l2.L2_WAYS:
        raise ValueError(f"an L2 of {m.l2_ways} ways is not modelled")
    MP[l2.MP_L2_SETS] = m.l2_bytes // m.l2_partitions // m.l1_line // m.l2_ways
    MP[l2.MP_SLACK] = m.store_slack
    MP[l2.MP_SLICES], MP[l2.MP_CHANNELS] = m.l2_slices, m.dram_channels
    rows = l2.resources(arch.sm_count, m.l2_slices, m.dram_channels)
    MP[l2.MP_AT_DOWN], MP[l2.MP_AT_SLICE], MP[l2.MP_AT_CHANNEL] = rows[:3]
    MP[l2.MP_AT_LATE], MP[l2.MP_AT_CONSTANTS], MP[l2.MP_AT_INDEXED] = rows[3:6]
    MP[l2.MP_ROOM] = min(m.lines_under_way, L.ROOM)

    def units(cycles: float) -> int:
        return max(1, round(16 * cycles))

    MP[l2.MP_ASK] = units(m.port_read)
    MP[l2.MP_SEND_SECTOR : l2.MP_SEND_ASK + 1] = list(map(units, m.port_write))
    MP[l2.MP_RECEIVE] = units(m.sector / m.port_bandwidth)
    MP[l2.MP_RECEIVE_LINE] = units(m.port_line)
    MP[l2.MP_READ], MP[l2.MP_READ_SECTOR] = map(units, m.slice_read)
    MP[l2.MP_FILL], MP[l2.MP_FILL_SECTOR] = map(units, m.slice_fill)
    MP[l2.MP_WRITE], MP[l2.MP_WRITE_SECTOR], MP[l2.MP_WRITE_PARTS], MP[l2.MP_WRITE_PART] = map(units, m.slice_write)
    MP[l2.MP_WRITE_AGAIN], MP[l2.MP_WRITE_BYTE] = map(units, m.slice_again)
    MP[l2.MP_DRAM_LINE] = m.dram_line
    MP[l2.MP_ATOM_LINE : l2.MP_ATOM_PASS + 1] = list(map(units, m.slice_atomic))
    MP[l2.MP_SENT] = min(m.packets_under_way, L.ROOM)
    MP[l2.MP_PARTS] = m.l2_parts
    MP[l2.MP_DRAM_ATOM] = units(m.dram_piece)
    MP[l2.MP_DRAM_ROW] = units(m.dram_row)
    MP[l2.MP_DRAM_CYCLE] = m.dram_cycle
    MP[l2.MP_DRAM] -= m.dram_spread + 32
    MP[l2.MP_DRAM_FAR] = 2 * m.dram_spread
    MP[l2.MP_REFRESH], MP[l2.MP_REFRESHED] = m.dram_refresh
    MP[l2.MP_GROUPS] = m.l2_slices >> 4
    MP[l2.MP_QUARTER] = m.l2_quarter
    for divisor, over in (
        (l2.MP_L2_SETS, l2.MP_L2_OVER),
        (l2.MP_CHANNELS, l2.MP_CHANNELS_OVER),
        (l2.MP_REFRESH, l2.MP_REFRESH_OVER),
        (l2.MP_GROUPS, l2.MP_GROUPS_OVER),
    ):
        MP[over] = reciprocal(int(MP[divisor]))
    return MP


def _front_parameters(arch: Arch) -> tuple[Any, int, int]:
    """FP, and the words of the sets of L1 and L1.5."""
    from runtime.device.sm.memory import front

    c = arch.core
    FP = np.zeros(front.FP_COUNT, np.int64)
    FP[front.FP_L0] = c.l0_icache // c.icache_line
    FP[front.FP_L1] = max(c.l1_icache // c.icache_line // front.WAYS, 1)
    FP[front.FP_L15] = max(c.l15_icache // c.icache_line // front.WAYS, 1)
    FP[front.FP_JUMP_L1 : front.FP_JUMP_DRAM + 1] = c.icache_jump
    FP[front.FP_NEXT_L15] = c.icache_next
    FP[front.FP_BATCH], FP[front.FP_AHEAD] = c.icache_batch
    FP[front.FP_ASKED] = c.icache_asked
    FP[front.FP_PREWARMED] = c.icache_prewarmed // c.icache_line
    return FP, front.SET * int(FP[front.FP_L1]), front.SET * int(FP[front.FP_L15])


def allocates(decoded: Decoded, banks: dict[int, bytes]) -> bool:
    """Whether code can call malloc."""
    address = syscalls.ADDRESSES["malloc"]
    named = any(address.to_bytes(8, "little") in data for data in banks.values())
    return named or bool((decoded.code[:, L.C_TARGET] == address).any())


def banks_of(grid: Grid, memory: DeviceMemory) -> dict[int, bytes]:
    """The constants of a grid."""
    return {bank: memory.read(a, n) for bank, (a, n) in grid.constants.items() if n}


def last_instruction(options: Options, done: int, warps: int) -> int:
    """How many warp instructions may have been executed when the next CTA ends, `done` being so now, in a machine that
    holds so many warps (0: any)."""
    limit = options.runaway(warps)
    return min((n for n in (options.instruction_limit, done + limit if limit else 0) if n), default=0)


def _cta_interval(arch: Arch, warps: int) -> float:
    """Cycles at least between two CTAs of so many warps that begin on an SM."""
    least, warp, most = arch.core.cta_interval
    return max(least + warp * warps, most * warps)


@attrs.define(eq=False)
class Run:
    """The tables of one grid (see `layout`)."""

    grid: Grid
    memory: DeviceMemory
    arch: Arch
    options: Options
    residency: cwd.Residency
    decoded: Decoded
    sms: int
    space: Workspace
    g: Any = None
    tables: dict[str, Any] = attrs.field(factory=dict)
    keep: list[Any] = attrs.field(factory=list)
    out: Any = None
    record: Any = None
    """Issues of one SM, in a process that records them."""

    def swaps(self) -> bool:
        """Whether its code compares and swaps in memory that SMs share."""
        code = self.decoded.code
        swaps = (code[:, L.C_ACCESS] == K.A_ATOM) & (code[:, L.C_OP] == K.OP_CAS)
        return bool((swaps & (code[:, L.C_SPACE] != K.SPACE_SHARED)).any())

    def prepare(self) -> None:
        """Make everything for a grid that has the machine to itself."""
        self.prepare_own("")
        self.prepare_machine(self.residency.ctas)
        resident, warps = self.residency.ctas, self.residency.warps_per_cta
        grid, g, ct = self.grid, self.g, self.tables["CT"]
        g[L.G_SLOTS] = min(self.sms * resident, int(g[L.G_TOTAL]))
        shared = self.space.array("shared", (max(self.sms * resident * int(g[L.G_SHAREDSTRIDE]), 64),), np.uint8)
        g[L.G_SHARED] = shared.ctypes.data
        sm, slot = np.divmod(np.arange(self.sms * resident), resident)
        # The oldest CTAs go first (an H200 runs four CTAs of dependent arithmetic one after another).
        ct[:, L.T_SM], ct[:, L.T_FIRST] = sm, (resident - 1 - slot) * warps
        # The first few of an SM come faster than it can begin them for long.
        core = self.arch.core
        interval, together = _cta_interval(self.arch, warps), core.cta_interval[2] / 2 * warps
        ct[:, L.T_BEGIN] = np.minimum(slot, 2) * together + np.maximum(slot - 2, 0) * interval + sm * core.cta_rate
        ct[:, L.T_SHARED] = shared.ctypes.data + np.arange(self.sms * resident) * g[L.G_SHAREDSTRIDE]
        cx, cy, cz = grid.cluster
        g[L.G_CLUSTER], g[L.G_CLUSTERX], g[L.G_CLUSTERY], g[L.G_CLUSTERZ] = cx * cy * cz, cx, cy, cz
        if self.decoded.extended or g[L.G_CLUSTER] > 1 or g[L.G_HEAP]:
            self.prepare_extension()
        if self.options.check and not self.options.timing:
            from runtime.device.sm import findings

            findings.prepare(self)

    def prepare_own(self, name: str) -> None:
        """What belongs to the grid: its code, constants, registers and local memory, and its scalars; `name` tells its
        tables from those of other grids of the machine."""
        grid, memory, arch = self.grid, self.memory, self.arch
        rows = self.sms * L.WARPS_PER_SM
        warps = self.residency.warps_per_cta
        banks = banks_of(grid, memory)
        heap = allocates(self.decoded, banks)
        if heap and not memory.heap:
            # Before the table of allocations is made.
            memory.heap = memory.allocate(HEAP_BYTES)
        self.tables["CODE"], operands = self.decoded.instance(banks, grid.code[0], grid.registers)
        self.tables["PCC"] = aligned((self.decoded.count, L.P_COLUMNS), np.int64)
        # An odd number of cache lines from one state to the next, so that warps do not share cache sets; room for the
        # widest operand beyond the last register. With USETMAXREG code gets registers that the kernel did not ask for.
        registers = max(grid.registers, self.decoded.registers, 8)
        stride = (abi.state_words(min(registers, 255) + 4) // 16 | 1) * 16
        state = self.space.array(f"state{name}", (rows, stride), np.uint32)
        local = aligned((max(rows * 32 * grid.local, 64),), np.uint8)
        self.out = np.zeros(PRINT_BYTES, np.uint8)
        constant_data = {bank: np.frombuffer(data, np.uint8) for bank, data in banks.items()}
        self.keep += [operands, state, local, constant_data]

        self.g = self.tables["G"] = g = aligned((L.G_COLUMNS,), np.int64)
        g[L.G_STATE], g[L.G_STATEBYTES] = state.ctypes.data, 4 * stride
        g[L.G_SHAREDSTRIDE], g[L.G_SHAREDSIZE] = (grid.shared + 255) // 256 * 256, grid.shared
        g[L.G_LOCAL], g[L.G_LOCALSIZE] = local.ctypes.data, grid.local
        top = arch.abi.stack_base
        bank0 = banks.get(0, b"")
        g[L.G_LOCALTOP] = int.from_bytes(bank0[top : top + 4], "little") if len(bank0) >= top + 4 else grid.local
        g[L.G_NINSTR], g[L.G_CODEVA] = self.decoded.count, grid.code[0]
        g[L.G_GX], g[L.G_GY], g[L.G_GZ] = grid.grid
        g[L.G_BX], g[L.G_BY], g[L.G_BZ] = grid.block
        g[L.G_THREADS] = grid.block[0] * grid.block[1] * grid.block[2]
        g[L.G_WARPS] = warps
        g[L.G_TOTAL] = grid.grid[0] * grid.grid[1] * grid.grid[2]
        g[L.G_ENTRY] = (grid.entry - grid.code[0]) // 16
        g[L.G_OUT], g[L.G_OUTCAP] = self.out.ctypes.data, PRINT_BYTES
        for bank, array in constant_data.items():
            g[L.G_CBANK + bank], g[L.G_CSIZE + bank] = array.ctypes.data, array.size
        g[L.G_CTAINTERVAL] = _cta_interval(arch, warps)
        if heap:
            g[L.G_HEAP], g[L.G_HEAPSIZE] = memory.heap, HEAP_BYTES

    def prepare_machine(self, resident: int) -> None:
        """What all grids of a machine share, with so many rows for the CTAs of an SM."""
        memory, arch, options = self.memory, self.arch, self.options
        rows = self.sms * L.WARPS_PER_SM
        t, g, timed = self.tables, self.g, options.timing
        t["WS"] = self.space.array("WS", (rows, L.W_COLUMNS))
        t["WS"][:, L.W_ALIVE] = 0
        t["LPC"] = self.space.array("LPC", (rows, 64))
        t["DIV"] = self.space.array("DIV", (rows, L.D_COLUMNS))
        t["CT"] = self.space.cleared("CT", (self.sms * resident, L.T_COLUMNS))
        t["WAKE"] = self.space.array("WAKE", (rows,))
        t["WAKE"][:] = L.BIG
        t["NEXT"] = np.full(self.sms, L.BIG, np.int64)
        t["SC"] = self.space.cleared("SC", (self.sms * L.SUB_CORES, L.S_COLUMNS))
        t["SC"][:, L.S_LASTWARP] = t["SC"][:, L.S_YIELDED] = -1
        t["SC"][:, L.S_CACHE : L.S_CACHE + 8] = -1
        t["SM"] = self.space.cleared("SM", (self.sms, L.M_COLUMNS))
        lines = self.decoded.count // 8 + 2
        t["IC0"] = self.space.cleared("IC0", (self.sms * L.SUB_CORES if timed else 1, lines))
        t["FP"], sets, more_sets = _front_parameters(arch)
        t["IC1"] = self.space.cleared("IC1", (self.sms if timed else 1, sets))
        t["IC2"] = self.space.cleared("IC2", (self.sms if timed else 1, more_sets + lines // 64 + 1))

        scratch = aligned((SCRATCH_BYTES,), np.uint8)
        zero = np.zeros(64, np.uint8)
        stage = abi.STAGE.copy()
        self.keep += [scratch, zero, stage]
        g[L.G_CTAS], g[L.G_SMS] = resident, self.sms
        g[L.G_MEM], g[L.G_MEMBASE], g[L.G_MEMSIZE] = memory.bytes.ctypes.data, BASE, memory.size
        g[L.G_LIMITS] = memory.limits.ctypes.data
        spans = np.array([(a - BASE, a - BASE + n) for a, n in memory.allocations] or [(0, 0)], np.int64)
        self.keep.append(spans)
        g[L.G_SPANS], g[L.G_NSPANS] = spans.ctypes.data, len(spans)
        g[L.G_SHAREDWIN], g[L.G_LOCALWIN] = self.grid.shared_window, self.grid.local_window
        g[L.G_INSTRLIMIT], g[L.G_CYCLELIMIT] = options.instruction_limit, options.cycle_limit
        g[L.G_BYTES] = options.count_bytes
        g[L.G_TIMING], g[L.G_HAZARDS] = timed, options.hazards != "off"
        g[L.G_SCRATCH], g[L.G_STAGE], g[L.G_ZERO] = scratch.ctypes.data, stage.ctypes.data, zero.ctypes.data
        g[L.G_PRINTF], g[L.G_ASSERT] = syscalls.ADDRESSES["vprintf"], syscalls.ADDRESSES["__assertfail"]
        g[L.G_MALLOC], g[L.G_FREE] = syscalls.ADDRESSES["malloc"], syscalls.ADDRESSES["free"]
        g[L.G_RETIRE] = round(16 * arch.core.cta_retire)
        g[L.G_CTALAUNCH], g[L.G_BRANCH] = arch.core.cta_launch, arch.core.branch_latency
        g[L.G_SMRATE], g[L.G_SMWARP] = round(16 * arch.core.cta_rate), round(8 * arch.core.cta_interval[2])
        g[L.G_FLUSH] = arch.core.grid_flush
        g[L.G_FLUSHFAR] = arch.core.grid_flush + arch.memory.l2_latency_far - arch.memory.l2_latency_near
        g[L.G_SMSTART] = arch.core.sm_start + round(self.grid.prefetch / arch.core.code_prefetch) if timed else 0
        g[L.G_CODEFAR] = arch.core.code_far if timed else 0
        (g[L.G_IMC], g[L.G_IMCLDC]), g[L.G_MEMBAR] = arch.memory.constant_miss, arch.memory.fence
        (g[L.G_IMCCOLD], g[L.G_IMCDRAM]), g[L.G_IMCFIRST] = arch.memory.constant_cold, arch.memory.constant_first
        g[L.G_DRAIN] = arch.memory.store_drain
        g[L.G_IMCPORT] = round(16 * arch.memory.constant_port)
        g[L.G_IMCFILL] = round(16 * arch.memory.constant_fill)
        g[L.G_UNTIL], g[L.G_CLUSTER] = L.BIG, 1
        g[L.G_QUANTUM] = CLUSTER_QUANTUM if self.grid.cluster != (1, 1, 1) or self.swaps() else QUANTUM
        if timed and jit.RECORDING:
            from runtime.device.sm.core import observe

            self.record = observe.prepare(g)
        if timed:
            self._prepare_timing()
        else:
            # What `warming` works on belongs to a timed machine.
            t["L2"], t["MP"], t["X"] = np.zeros((1, 1), np.uint32), np.zeros(1, np.int64), np.zeros(8192, np.int64)

    def prepare_extension(self) -> None:
        """What the extension needs: its address, room for events and for a copy under way."""
        from runtime.device.sm.extension import bulk, mbarrier

        g, arch = self.g, self.arch
        g[L.G_EXTENSION] = jit.extension_address()
        events = self.space.array("events", (self.sms, mbarrier.EVENTS * mbarrier.EVENT // 8))
        lines = self.space.array("lines", (bulk.LINES, 2))
        work = self.space.array("work", (1 << 20,), np.uint8)
        told, mates = np.zeros(64, np.int64), np.zeros(16, np.int64)
        self.keep += [events, lines, told, mates, work]
        g[L.G_MATES] = mates.ctypes.data
        if self.memory.textures is not None:
            records = np.ascontiguousarray(self.memory.textures.records)
            self.keep.append(records)
            g[L.G_TEXTURES], g[L.G_NTEXTURES] = records.ctypes.data, len(records)
        g[L.G_EVENTS] = events.ctypes.data
        g[L.G_LINES], g[L.G_TOLD], g[L.G_WORK] = lines.ctypes.data, told.ctypes.data, work.ctypes.data
        m = arch.memory
        g[L.G_REMOTE], g[L.G_REMOTEBAR], g[L.G_TMASTART] = m.cluster_latency, m.cluster_barrier, m.bulk_start
        g[L.G_TMAMAP] = m.bulk_map
        if g[L.G_CLUSTER] > 1:
            g[L.G_SLOTS] = self.sms * self.residency.ctas
            g[L.G_GPCS] = m.gpcs

    def _prepare_timing(self) -> None:
        from runtime.device.sm.core import hazard
        from runtime.device.sm.memory import l1, l2

        grid, arch, t = self.grid, self.arch, self.tables
        rows = self.sms * L.WARPS_PER_SM
        m = arch.memory
        lines = max((m.l1_bytes - cwd.shared_configuration(grid, arch)) // m.l1_line, 64)
        self.g[L.G_L1SETS] = sets = lines // l1.WAYS
        self.g[L.G_L1OVER] = reciprocal(sets)
        t["L1"] = self.space.array("L1", (self.sms, sets * l1.SET), np.uint32)
        resources = l2.resources(arch.sm_count, m.l2_slices, m.dram_channels)[-1]
        t["BW"] = self.space.array("BW", (resources, L.BUCKET_ROW), np.uint16)
        t["QUEUE"] = self.space.cleared("QUEUE", (resources, 4))
        t["BK"] = self.space.array("BK", (l2.BK_ROWS, L.BUCKET_ROW))
        t["BANK"] = self.space.array("BANK", (m.dram_channels * l2.BANKS, L.BANK_ROW), np.uint32)
        t["MP"] = aligned((l2.MP_COUNT,), np.int64)
        t["MP"][:] = _l2_parameters(arch)
        t["MP"][l2.MP_EPOCH], t["MP"][l2.MP_STAMP] = self.space.epoch << 48, self.space.stamp
        t["SM"][:, L.M_FRESH] = self.g[L.G_L1STAMP] = self.space.stamp + 1
        places = cwd.neighbours(int(self.g[L.G_TOTAL]), arch)[: self.sms]
        t["SM"][:, [L.M_SIDE, L.M_GROUP, L.M_TPC, L.M_QUARTER, L.M_GPC, L.M_CONSTANTFAR]] = places
        # What the SMs of a GPC share is with the first of them.
        gpcs = t["SM"][:, L.M_GPC].copy()
        t["SM"][:, L.M_GPC] = np.argmax(gpcs == gpcs[:, None], axis=1)
        # SMs answer for themselves when they are run apart, so each has its share of what brings code to its GPC.
        busy = gpcs[: int(self.g[L.G_TOTAL])]
        t["SM"][:, L.M_CODELINE] = np.round(16 * arch.core.icache_port * np.sum(gpcs[:, None] == busy, axis=1))
        t["L2"] = self.space.array("L2", (m.l2_partitions, int(t["MP"][l2.MP_L2_SETS]) * l2.L2_SET), np.uint32)
        for way in range(m.l2_ways, l2.L2_WAYS):
            # Ways that there are not: never found, never the least recently used.
            t["L2"][:, way :: l2.L2_SET] = t["L2"][:, 16 + way :: l2.L2_SET] = l2.LAST
        t["CONST"] = self.space.array("CONST", (self.sms, L.N_COLUMNS))
        t["X"] = self.space.cleared("X", (8192,))
        t["RES"], t["SRC"], t["RAW"] = self.decoded.res, self.decoded.src, self.decoded.raw
        t["PEND"] = self.space.array("PEND", (rows * hazard.DEPTH, 4))
        pending = self.space.array("staged", (rows * hazard.DEPTH * hazard.BUFFER,), np.uint8)
        self.g[L.G_PENDBUF] = pending.ctypes.data
        t["HAZ"] = self.space.array("HAZ", (L.HAZARD_ROWS, 6))
        t["SBR"] = self.space.array("SBR", (rows, L.RING_FIRST + 6 * L.RING))
        t["SBR"][:, : L.RING_FIRST] = 0

    def run(self) -> int:
        """1 done, 2 deadlock, negative: minus the fault. All of the grid is simulated, however large it is."""
        name, turns = ("timed", QUANTA_A_CALL) if self.options.timing else ("untimed", TURNS_A_CALL)
        with threads.helpers(self) as look:
            tables = addresses(self.tables)
            self.g[L.G_TABLES] = tables.ctypes.data
            return self._run(name, turns, tables.ctypes.data, look)

    def _run(self, name: str, turns: int, where: int, look: Callable[[], None]) -> int:
        g, tell = self.g, self.options.progress
        done, most, warps = -1, turns, self.warps()
        turns = most if self.options.timing else 1
        while True:
            if int(g[L.G_DONE]) != done:
                done, turns = int(g[L.G_DONE]), min(2 * turns, most)
                g[L.G_INSTRLIMIT] = last_instruction(self.options, int(g[L.G_INSTR]), warps)
            elif not self.options.timing:
                turns = 1  # They are long. An interrupt of the user's is seen between two calls.
            if g[L.G_EXTENSION]:
                g[L.G_EXTENSION] = jit.extension_address()
            look()
            result = jit.go_on(name, turns, where)
            if tell is not None:
                tell(self.grid.name, int(g[L.G_DONE]), int(g[L.G_TOTAL]), int(g[L.G_NOW]))
            if result:
                return int(result)

    def warps(self) -> int:
        """How many warps the machine holds at most."""
        return min(self.sms * self.residency.ctas, int(self.g[L.G_TOTAL])) * self.residency.warps_per_cta

    # ---- what came of it

    def thread_of(self, warp: int, lane: int) -> tuple[Dim, Dim]:
        """(block, thread) of a lane."""
        row = self.tables["WS"][warp]
        cta = self.tables["CT"][row[L.W_CTA]]
        number = int(row[L.W_ID]) * 32 + lane
        bx, by, _ = self.grid.block
        return (
            (int(cta[L.T_X]), int(cta[L.T_Y]), int(cta[L.T_Z])),
            (number % bx, number // bx % by, number // (bx * by)),
        )

    def _access(self, index: int) -> tuple[int, str, int]:
        """The space that an instruction accesses, its name, and bytes. Warpgroup multiplies read rows of 16 bytes in
        shared memory, textures and surfaces have no space: their columns of the table say other things."""
        row = self.tables["CODE"][index]
        space, width = int(row[L.C_SPACE]), int(row[L.C_WIDTH])
        if row[L.C_KIND] == K.K_EXTENDED and row[L.C_OP] == K.X_MATRIX:
            space, width = K.SPACE_SHARED, 16
        elif row[L.C_KIND] == K.K_EXTENDED and row[L.C_OP] == K.X_TEXTURE:
            return -1, "surface", space
        return space, ("global", "shared", "local", "generic", "constant")[space], width

    def fault(self, result: int) -> Fault:
        """Describe why the run ended early."""
        g = self.g
        warp, lane, pc = int(g[L.G_FWARP]), int(g[L.G_FLANE]), int(g[L.G_FPC])
        entry = self.grid.entry - self.grid.code[0]
        if result == 2:
            return self._deadlock(entry)
        kind = K.FAULTS[-result - 1]
        if kind == "timeout" and self.options.timing:
            warp, lane, pc = self._stuck()
        block, thread = self.thread_of(warp, lane)
        address: int | None = None
        what = f"{kind.replace('_', ' ')}"
        if kind in ("illegal_address", "misaligned_address", "stack_overflow"):
            address = int(g[L.G_FADDR]) & (1 << 64) - 1
            space, name, width = self._access(pc // 16)
            what = f"{kind.replace('_', ' ')}: {width}-byte {name} access at 0x{address:x}"
            near = self.memory.nearest(address) if space in (0, 3) else None
            if near is not None and kind == "illegal_address":
                over = address - near[0] - near[1]
                if 0 <= over < 1 << 20:
                    what += f", {over} bytes past the end of an allocation of {near[1]} bytes"
            elif space == 2 and kind == "illegal_address":
                what += (
                    f", outside of a thread's {self.grid.local} bytes (--stack N, stack: for recursion that is deeper)"
                )
            elif kind == "illegal_address" and space in (0, 3) and address < 1 << 16:
                what += ", which a null pointer leads to"
        elif kind == "illegal_instruction":
            index = pc // 16
            reason = self.decoded.errors.get(index) or self._refusal(index, int(g[L.G_FADDR]))
            what = f"illegal instruction: {reason}"
        elif kind == "timeout":
            limit, spent, cycles = self.options.instruction_limit, int(g[L.G_INSTR]), int(g[L.G_CYCLELIMIT])
            if limit and spent > limit:
                what = f"the kernel did not end within the limit of {limit} warp instructions (instruction_limit)"
            elif g[L.G_INSTRLIMIT] and spent > g[L.G_INSTRLIMIT]:
                what = (
                    f"no block ended in the last {self.options.runaway(self.warps())} warp instructions, "
                    f"{int(g[L.G_DONE])} of {int(g[L.G_TOTAL])} had before: an endless loop? (--runaway-limit N, "
                    "runaway_limit; 0: none)"
                )
            else:
                what = (
                    f"the kernel did not end within the limit of {cycles} cycles; it has run {spent} warp "
                    "instructions: an endless loop? (--cycle-limit N, cycle_limit; 0: none)"
                )
        elif kind == "assert":
            message, file, line, function = assertion(self.memory, self.printed())
            what = f"{file}:{line}: {function}: Assertion `{message}` failed"
        elif kind == "trap":
            what = "trap instruction"
        where = f"{self.grid.name or 'kernel'}, block {block}, thread {thread}, pc 0x{pc - entry:x}"
        return Fault(kind, f"{what} ({where})", pc - entry, block, thread, address)

    def _refusal(self, index: int, operand: int) -> str:
        """Why an instruction that there is was not executed."""
        if index < self.decoded.count and self.decoded.beyond(self.grid.registers)[index]:
            last, registers = int(self.decoded.highest[index]) - 1, self.grid.registers
            return f"R{last}, where {registers} registers a thread let code name R0 to R{usable(registers) - 1}"
        row = self.tables["CODE"][index] if index < self.decoded.count else np.zeros(L.C_COLUMNS, np.int64)
        if row[L.C_KIND] == K.K_WARPSYNC:
            return "a lane that is not in its mask"
        if row[L.C_KIND] == K.K_EXTENDED and row[L.C_OP] == K.X_TEXTURE:
            return f"no texture or surface has the handle 0x{operand:x}"
        if row[L.C_KIND] == K.K_EXTENDED and row[L.C_OP] == K.X_TENSOR:
            at = f"0x{operand & (1 << 64) - 1:x}"
            return f"the tensor map at {at} is of another rank or kind, or the box is not at a multiple of 16 bytes"
        return "jump to a place that holds no code"

    def _stuck(self) -> tuple[int, int, int]:
        """The first warp that is alive, its first lane, and the offset of the instruction that they are at."""
        rows = np.nonzero(self.tables["WS"][:, L.W_ALIVE])[0]
        warp = int(rows[0]) if rows.size else 0
        row = self.tables["WS"][warp]
        lanes = int(row[L.W_ALIVE])
        lane = (lanes & -lanes).bit_length() - 1 if lanes else 0
        if row[L.W_ACT]:
            return warp, lane, int(row[L.W_PC]) * 16
        if row[L.W_WSYNC] >> lane & 1:
            return warp, lane, int(self.tables["LPC"][warp, lane]) * 16
        return warp, lane, int(row[L.W_PC] if row[L.W_ATBAR] else self.tables["LPC"][warp, lane]) * 16 - 16

    def _deadlock(self, entry: int) -> Fault:
        warp, lane, pc = self._stuck()
        row, alive = self.tables["WS"][warp], np.count_nonzero(self.tables["WS"][:, L.W_ALIVE])
        waiting = "CTA barrier" if row[L.W_ATBAR] else "WARPSYNC" if row[L.W_WSYNC] else "convergence barrier"
        if row[L.W_ACT]:
            waiting = "scoreboard that nothing clears"
        if row[L.W_WAITAT]:
            waiting = "mbarrier whose phase does not end"
        elif row[L.W_GATHER]:
            waiting = "WARPGROUP.ARRIVE that other warps of its group do not come to"
        elif row[L.W_CLUSTER] < 0:
            waiting = "cluster barrier"
        block, thread = self.thread_of(warp, lane)
        text = (
            f"deadlock: {alive} warps can never go on; warp {int(row[L.W_ID])} of block {block} waits at a "
            f"{waiting} ({self.grid.name or 'kernel'}, pc 0x{pc - entry:x})"
        )
        return Fault("deadlock", text, pc - entry, block, thread)

    def printed(self) -> bytes:
        """The used part of the printf buffer."""
        return bytes(self.out[: int(self.g[L.G_OUTLEN])].tobytes())

    def findings(self) -> tuple[Finding, ...] | None:
        """What a checked run found."""
        if not self.options.check:
            return None
        from runtime.device.sm import findings

        return findings.found(self)

    def hazards(self) -> tuple[Hazard, ...]:
        """What came too early, by producer and consumer."""
        if self.options.hazards != "report" or not self.options.timing:
            return ()
        entry = self.grid.entry - self.grid.code[0]
        rows = self.tables["HAZ"][: int(self.g[L.G_NHAZ])].tolist()
        return tuple(
            Hazard(16 * p - entry, 16 * c - entry, register_name(w), min(early, 1 << 30), n, K.HAZARDS[kind])
            for p, c, w, early, n, kind in sorted(rows)
        )


def run(grid: Grid, memory: DeviceMemory, arch: Arch, options: Options) -> Outcome:
    """Run a grid to its end or its fault. Device memory holds what it wrote; nothing else is changed."""
    began = time.perf_counter()
    jit.ready("timed" if options.timing else "untimed")
    problem = cwd.invalid(grid, arch)
    if problem is None and not grid.code[0] <= grid.entry < grid.code[0] + grid.code[1]:
        problem = "the entry point lies outside the code"
    if problem is not None:
        return Outcome(0, fault=Fault("invalid_launch", f"invalid launch of {grid.name or 'kernel'}: {problem}"))
    residency = cwd.of_grid(grid, arch)
    data = memory.read(*grid.code)
    entry = grid.entry - grid.code[0]
    hazards = options.timing and options.hazards != "off"
    decoded = decode(data, entry, arch, hazards)
    total = grid.grid[0] * grid.grid[1] * grid.grid[2]
    with borrowed() as space:
        sms = min(arch.sm_count, total) if grid.cluster == (1, 1, 1) else arch.sm_count
        machine = Run(grid, memory, arch, options, residency, decoded, sms, space)
        try:
            machine.prepare()
        except (MemoryError, OSError) as error:
            what = f"{sms * L.WARPS_PER_SM * 32} threads with {grid.local} bytes of local memory each: {error}"
            return Outcome(
                0, fault=Fault("invalid_launch", f"{grid.name or 'kernel'}: no memory on the host for {what}")
            )
        estimate = None
        parts = [(0, total)]
        if options.timing and options.sample and grid.cluster == (1, 1, 1):
            parts = sample.stretches(total, sms * residency.ctas, options.sample)
        if len(parts) == 1 and parts[0][1] == total:
            ended, result = machine, machine.run()
        else:
            jit.ready("untimed")
            with borrowed() as other_space:
                plain = evolve(options, timing=False)
                other = Run(grid, memory, arch, plain, residency, decoded, sms, other_space)
                other.prepare()
                ended, result, estimate = sample.run(machine, other, parts, arch.core.grid_overhead)
                other_space.finish(0, 0)
        g = machine.g
        fault = ended.fault(result) if result != 1 else None
        end = max(int(g[L.G_NOW]), int(g[L.G_LASTEND]))
        space.finish(end, int(g[L.G_L1STAMP]))
        cycles = 0
        if options.timing:
            end = int(g[L.G_LASTEND]) if fault is None else int(g[L.G_NOW])
            cycles = end + arch.core.grid_overhead
            if estimate is not None and fault is None:
                cycles = estimate.cycles
        return evolve(
            outcome(machine, cycles, fault, time.perf_counter() - began),
            issues=None if machine.record is None else machine.record[: int(g[L.G_WATCHN])],
            sampled=estimate if fault is None else None,
        )


def outcome(run: Run, cycles: int, fault: Fault | None, seconds: float) -> Outcome:
    """What came of a grid, from the tables of its run."""
    table, timing = run.tables["PCC"], run.options.timing
    entry = run.grid.entry - run.grid.code[0]
    buffer = run.printed()
    return Outcome(
        cycles=cycles,
        counters=counters(
            table, run.tables["SM"], run.decoded, run.grid, run.arch, run.residency, max(cycles, 1), timing
        ),
        stalls=stalls(table) if timing else {},
        per_pc={pc - entry: row for pc, row in per_pc(table).items()},
        fault=fault,
        hazards=run.hazards(),
        findings=run.findings(),
        output=printed(run.memory, buffer) if buffer else b"",
        seconds=seconds,
        instructions=int(table[:, K.R_SELECTED].sum()),
        entry=entry,
    )
