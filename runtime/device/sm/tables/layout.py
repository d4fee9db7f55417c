"""Column numbers of the engine's int64 tables: constants of the compiled code.

Tables (rows x columns):
  CODE  decoded instructions          WS  warps (row = (sm * 4 + sub-core) * 16 + k, hardware slot 4 k + sub-core)
  CT    resident CTAs (sm * MAX_CTAS + c)      SC  sub-cores      SM  streaming multiprocessors
  G     one row of scalars and host addresses  PCC per-instruction counters
Times are SM cycles; BIG means never. Host addresses are int64.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count


def _several(columns: Iterator[int], n: int) -> int:
    """Take n columns; the first one's number."""
    return [next(columns) for _ in range(n)][0]  # noqa: RUF015 - all of them have to be taken


BIG = 1 << 60
SUB_CORES = 4
WARPS_PER_SUB_CORE = 16
WARPS_PER_SM = 64
MAX_CTAS = 32

# ---- CODE -----------------------------------------------------------------------------------------------------------
_c = count()
# The first 32 columns are what an ordinary instruction needs: four lines of the host's caches.
C_FN = next(_c)
"""address of the execute function (0 none)"""
C_OPERANDS = next(_c)
"""host address of its OPERANDS record"""
C_GUARD = next(_c)
"""byte offset of the guard's word in the warp state"""
C_GINV = next(_c)
"""0xffffffff if the guard is negated"""
C_STALL = next(_c)
"""cycles to the next issue of this warp, as the machine takes the stall count and yield bit"""
C_YIELD = next(_c)
C_AFTER = next(_c)
"""by how much that is more than they say: what it leaves is as much later"""
C_HOLD = next(_c)
"""cycles the issue port of the sub-core is held (1 normally)"""
C_PLAIN = next(_c)
"""1: of fixed latency, straight to its registers, with no scoreboard"""
C_WAIT = next(_c)
C_PIPE = next(_c)
C_UNIT = next(_c)
"""pipe | queue << 4"""
C_INTERVAL = next(_c)
C_QUEUE = next(_c)
C_PORTS = next(_c)
"""registers read through the ports, a bit for each place 2 * slot + bank (a register that two slots read is read once);
-1: none"""
C_KEEP = next(_c)
"""places that the reuse cache keeps, a bit each"""
C_READ = _several(_c, 8)
"""the register that a place reads, or -1; they begin at a line, since they are looked at together"""
C_CLINE = next(_c)
"""64-byte line of constant bank 0 or 3 that an operand needs; -1 none"""
C_ROW = _several(_c, 4)
"""byte offsets in the warp state of register rows that it uses, to be fetched ahead"""
C_MISSED = next(_c)
"""whether it stores, or something that it asked for the last time was not in L1; EXIT: 1"""
C_BASE = next(_c)
"""memory instructions whose addresses can be told before they issue (see `ahead`): byte offset of the register with
them (0 none)"""
C_KIND = next(_c)
C_WBAR = next(_c)
C_RBAR = next(_c)
C_QSUB = next(_c)
"""cycles between requests that a sub-core's queue lets go"""
C_QSM = next(_c)
"""cycles of the unit shared by the SM, in sixteenths"""
C_LATENCY = next(_c)
"""issue to first issue of an instruction that waits on the write barrier, unloaded"""
C_RELEASE = next(_c)
"""the same for the read barrier"""
C_ARRIVE = next(_c)
"""issue to value in the register, unloaded, for variable-latency results"""
C_LONG = next(_c)
"""1: its write barrier is tied to L1TEX work (long scoreboard)"""
C_RING = next(_c)
"""1: some DEPBAR counts this barrier"""
C_SPACE = next(_c)
C_WIDTH = next(_c)
C_ACCESS = next(_c)
C_OP = next(_c)
C_TYPE = next(_c)
C_DATA = next(_c)
"""byte offset in the warp state of the first data register"""
C_DATA2 = next(_c)
"""second data operand (CAS: the new value)"""
C_DEST = next(_c)
"""byte offset of the destination's first register (dump row if none)"""
C_BANK = next(_c)
"""constant bank"""
C_BYPASS = next(_c)
"""1: not served by the L1 cache"""
C_STAGED = next(_c)
"""1: some reader may come too early, so results go through the staging buffer"""
C_CLASS = next(_c)
"""producer class (-1: variable latency)"""
C_OVERTAKES = next(_c)
"""whether it overwrites an operand that an earlier instruction may still read (see `C_LATE`)"""
C_SPAN = next(_c)
"""which allocation its addresses were in last"""
C_UNIFORM = next(_c)
"""1: uniform datapath; runs once, with all lanes"""
C_TARGET = next(_c)
"""instruction index of a branch target"""
C_WIDE = next(_c)
"""whether that is a pair; byte offset of a pair of uniform registers to add (0 none); what to add"""
C_UBASE = next(_c)
C_OFFSET = next(_c)
C_RES = next(_c)
"""first row and number of rows in the result table: (word offset, stage row, file)"""
C_NRES = next(_c)
C_SRC = next(_c)
"""first row and number of rows in the source table: (word offset, reader class)"""
C_NSRC = next(_c)
C_LATE = next(_c)
"""cycles in which a later instruction may still overwrite an operand, if there is such a one"""
C_AUX = next(_c)
"""kind-specific"""
C_AUX2 = next(_c)
C_AUX3 = next(_c)
C_PRED = next(_c)
"""control instructions: byte offset of a further predicate that lanes must have (-1 none), and its inversion mask"""
C_PINV = next(_c)
C_FOLLOW = next(_c)
"""the target of the branch by all lanes that comes next in its line of 128 bytes (-1 none)"""
C_COLUMNS = next(_c) + 7 & ~7

# ---- textures: a record for each handle ------------------------------------------------------------------------------
_c = count()
TX_ADDRESS = next(_c)
"""device address of the first texel"""
TX_FORMAT = next(_c)
"""TF_*"""
TX_WIDTH_BYTES = next(_c)
"""bytes of a channel"""
TX_CHANNELS = next(_c)
TX_SIZE = _several(_c, 3)
"""texels along x, y, z; layers come after the dimensions"""
TX_PITCH = next(_c)
"""bytes from row to row, from slice (or layer) to slice"""
TX_SLICE = next(_c)
TX_MODE = _several(_c, 3)
"""address modes"""
TX_LINEAR = next(_c)
TX_NORMALIZED = next(_c)
"""1: coordinates are"""
TX_NORMALIZED_READ = next(_c)
"""1: integers are read as fractions"""
TX_BORDER = _several(_c, 4)
"""bits"""
TX_COLUMNS = next(_c)

# ---- WS: warps: what an ordinary instruction needs comes first, in four of the host's cache lines ---------------
_c = count()
W_PC = next(_c)
W_ACT = next(_c)
"""lanes of the running group"""
W_STATE = next(_c)
"""host address of the state block"""
W_LAST = next(_c)
"""time of the last issue"""
W_TSTALL = next(_c)
W_TBRANCH = next(_c)
W_TFETCH = next(_c)
W_TSB = next(_c)
W_TBLOCK = next(_c)
W_BLOCKKIND = next(_c)
W_SBLONG = next(_c)
"""1: the scoreboard waited for is a long one"""
W_LINE = next(_c)
"""instruction line fetched last"""
W_PENDING = next(_c)
"""staged results not yet in the registers"""
W_CTA = next(_c)
W_MEMT = next(_c)
"""when all memory work so far is done"""
W_SENT = next(_c)
"""when its last store has left the SM"""
W_SB = _several(_c, 6)
"""scoreboards: when they are clear"""
W_SBL = _several(_c, 6)
"""scoreboards: 1 if the latest release is a long one"""
W_STORED = next(_c)
"""when L2 has taken all stores so far (0: it has not accessed memory)"""
W_NEXT = next(_c)
"""lanes that run next, at their own PC: the group that was left latest"""
W_READY = next(_c)
"""other lanes that could run, at their own PC"""
W_YIELDED = next(_c)
"""those of them that made way"""
W_ALIVE = next(_c)
"""lanes that exist and have not exited; 0 = free slot or finished warp"""
W_LDGSTS = next(_c)
"""when all LDGSTS so far are done"""
W_BLOCKS = next(_c)
"""a bit per convergence barrier that may have lanes blocked"""
W_SWITCH = next(_c)
"""what it takes until the group runs that was chosen in the latest instruction (0: none was)"""
W_WSYNC = next(_c)
"""those that made way at WARPSYNC, and execute it again"""
W_COLLECTIVE = next(_c)
"""those of them whose WARPSYNC is collective"""
W_DRAFTED = next(_c)
"""lanes that run a collective of others, and then go on behind their own"""
W_RETURNED = next(_c)
"""lanes that have done so, and have not run since"""
W_TRIED = next(_c)
"""lanes that have been at WARPSYNC in vain since others of the warp ran"""
W_ATBAR = next(_c)
"""the group that waits at a CTA barrier"""
W_ID = next(_c)
"""warp number in the CTA"""
W_REDUCE = next(_c)
"""result of the last BAR.RED"""
W_TURN = next(_c)
"""lane at which the search for the next group of those begins"""
W_START = next(_c)
W_WAITAT = next(_c)
"""host address of the mbarrier that it waits for (0 none)"""
W_CLUSTER = next(_c)
"""1 + the phase of the cluster barrier at which it arrived (0: did not)"""
W_BULK = next(_c)
"""when its bulk copies out of shared memory so far are done"""
W_MATRIX = next(_c)
"""when its warpgroup matrix instructions so far are done"""
W_MULTIPLIED = next(_c)
"""warpgroup matrix instructions so far"""
W_GATHERED = next(_c)
"""how often it came to WARPGROUP.ARRIVE, and whether it waits there for the other warps of its group"""
W_GATHER = next(_c)
W_GROUPS = next(_c)
"""groups of them committed, and when each of the last eight is done"""
W_GROUP = _several(_c, 8)
W_BB = _several(_c, 16)
"""convergence barriers: lanes blocked at BSYNC"""
W_MASKS = next(_c)
"""groups of `D_B` that were ever in use"""
W_COLUMNS = next(_c) + 7 & ~7

# ---- DIV: diverged warps --------------------------------------------------------------------------------------------
_c = count()
D_B = _several(_c, 16 * 32)
"""convergence barriers: participants, in disjoint groups (see `converge`); only the first `W_MASKS` mean anything"""
D_COLUMNS = next(_c)

# ---- CT: resident CTAs ----------------------------------------------------------------------------------------------
_c = count()
T_ACTIVE = next(_c)
T_LINEAR = next(_c)
T_X = next(_c)
T_Y = next(_c)
T_Z = next(_c)
T_LIVE = next(_c)
"""warps that have not exited"""
T_SHARED = next(_c)
"""host address of its shared memory"""
T_SM = next(_c)
T_FIRST = next(_c)
"""the hardware slot of its first warp"""
T_TURN = next(_c)
"""how many sub-cores on that warp begins"""
T_STORED = next(_c)
"""the same of all its warps that have ended"""
T_FINISH = next(_c)
T_BEGIN = next(_c)
"""when the first CTA of a run comes here"""
T_USED = next(_c)
"""1: a CTA of this run has been here"""
T_GRID = next(_c)
"""where several grids share the machine: its grid, what it has of the SM's shared memory, registers of a warp, warps"""
T_OFFSET = next(_c)
T_BYTES = next(_c)
T_REGISTERS = next(_c)
T_WARPS = next(_c)
T_BAR = _several(_c, 16)
"""threads arrived at barrier b"""
T_BARN = _several(_c, 16)
"""threads expected (0: all warps that live)"""
T_BARW = _several(_c, 16)
"""bit per warp: blocked at barrier b"""
T_RPOP = _several(_c, 16)
T_RAND = _several(_c, 16)
T_ROR = _several(_c, 16)
T_RANK = next(_c)
"""its place in the cluster"""
T_MATES = _several(_c, 16)
"""rows of the cluster's CTAs, by rank"""
T_ARRIVED = next(_c)
"""threads arrived at the cluster's barrier, and how often it was complete (kept by rank 0)"""
T_PHASE = next(_c)
T_OPEN = next(_c)
"""when those may go on who wait for the latest phase"""
T_COLUMNS = next(_c)

# ---- SC: sub-cores --------------------------------------------------------------------------------------------------
_c = count()
S_NEXT = next(_c)
S_LASTWARP = next(_c)
S_YIELDED = next(_c)
S_PORT = next(_c)
"""when the issue port is free"""
S_BANK0 = next(_c)
S_BANK1 = next(_c)
S_LATEST = next(_c)
"""time of the latest issue"""
S_OLDEST = next(_c)
"""the places from that of the SM's oldest CTA on downwards, a bit each (0: that is the highest)"""
S_CACHE = _several(_c, 8)
"""reuse cache, place 2 * slot + bank: warp * 256 + register, or -1"""
S_PIPE = _several(_c, 8)
"""when pipe p takes its next instruction; FMA: either half, BOTH: both, HEAVY: that half (pipe 0: always)"""
S_ROOM = _several(_c, 4)
"""when queue q has room for a request (queue 0: always)"""
S_LITE = next(_c)
"""when the other half of the FMA pipe takes its next"""
S_LSUN = next(_c)
"""the place of its queue to the load/store unit (`S_LSU`) that is taken next"""
S_LSULAST = next(_c)
S_XUN = next(_c)
S_UNIT = _several(_c, 16)
"""what each of its warps will need next (C_UNIT)"""
S_PC = _several(_c, 16)
"""its W_PC, here before the warp's row comes"""
S_LOWEST = _several(_c, 16)
"""of a place, the lowest one with a warp of the same CTA"""
S_XU = _several(_c, 2)
S_ADU = _several(_c, 4)
S_ADUN = next(_c)
INDEXED = 4
S_INDEXED = _several(_c, INDEXED)
"""until when each of the places for LDC's whose lanes name several places is taken, and which is the next"""
S_INDEXEDN = next(_c)
S_LSU = _several(_c, 16)
S_ADULAST = next(_c)
S_CONSTANT = next(_c)
"""until when a constant line is on its way to it, for operands"""
ULINES = 4
S_ULINE = _several(_c, 2 * ULINES)
"""the constant lines that ULDC with an index had last (plus one), each with its time, and which is the next to go"""
S_ULINES = next(_c)

S_L0N = next(_c)
"""lines brought into the L0 instruction cache"""
S_STORE = _several(_c, 2)
"""its latest store: when the unit takes it, and where its lines are held, a bit each"""
S_LINE = next(_c)
"""the line (plus one) that it stored to last"""
S_TURN = next(_c)
"""how often that was another than before"""
S_READ = next(_c)
"""when it reads the operands of its latest load"""
S_TURNED = next(_c)
"""until when it fetches behind the branch taken last, in sixteenths of a cycle"""
S_COLUMNS = next(_c) + 7 & ~7

# ---- SM -------------------------------------------------------------------------------------------------------------
_c = count()
M_LSU = next(_c)
"""when the shared load/store unit takes its next request, in sixteenths of a cycle"""
M_ADU = next(_c)
M_BAR = next(_c)
M_READ = next(_c)
"""when it can read the operands of another memory instruction, in sixteenths"""
M_FRESH = next(_c)
"""tells what its L1 holds from what it held before"""
M_LIVE = next(_c)
"""resident CTAs"""
M_FIRST = next(_c)
M_ACTIVE = next(_c)
"""cycles with at least one resident warp"""
M_SINCE = next(_c)
M_UNTIL = next(_c)
"""when the last resident CTA so far has gone"""
M_WARPCYCLES = next(_c)
M_WARPS = next(_c)
M_LINE = next(_c)
"""the instruction line that was asked for last, beyond L1, and when it comes"""
M_LINETIME = next(_c)
M_AHEAD = next(_c)
"""the last instruction line that was brought to L1 for those in front of it, and when it comes"""
M_COMES = next(_c)
M_CAME = next(_c)
"""when those before came that were brought before it"""
M_BATCH = next(_c)
"""the instruction line that came last from beyond L1.5, and when"""
M_BATCHTIME = next(_c)
M_CODEPORT = next(_c)
"""until when it is given what it asked for of the code that its GPC has, in sixteenths of a cycle"""
M_CODELINE = next(_c)
"""how long each line is: its share of what all busy SMs of the GPC are given"""
M_CLOCK = next(_c)
M_EVENTS = next(_c)
"""bulk copies and remote arrivals whose mbarriers do not know yet"""
M_WAKE = next(_c)
"""0, or when another SM wants this one to look again"""
M_TMA = next(_c)
"""when its copy engine is free"""
M_MAP = next(_c)
"""the tensor map that it used last"""
M_TENSOR = _several(_c, 4)
"""when the tensor core of each sub-core has done its warpgroup instructions"""
PARAMETER_LINES, CONST_LINES, OTHER_LINES = 256, 1024, 64
CONSTANT_LINES = PARAMETER_LINES + CONST_LINES + 2 * OTHER_LINES
"""Lines of 64 bytes of constants that are looked at: of bank 0, then of bank 3, then of bank 2 (what the compiler put
there) and 4 (addresses of variables); behind them the same lines for LDC."""
CONSTANT_WORDS = CONSTANT_LINES // 64
SHARED_LINE = 2 * CONSTANT_LINES
"""A line that never comes: what touches things that SMs share has it for a helper (see `threads`)."""
M_CONST = _several(_c, 2 * CONSTANT_WORDS + 1)
"""which constant lines are there, a bit each"""
CONSTANT_SETS = 8
CONSTANT_WAYS = 4
"""Of each of the two constant caches of an SM: 2 KB."""
M_CONSTSET = _several(_c, 2 * CONSTANT_SETS * (CONSTANT_WAYS + 1))
"""what the two hold: of a set, how many lines have come, then those that came last, in a ring"""
M_LAUNCH = next(_c)
"""when its latest CTA began"""
M_ROOMS = next(_c)
"""which of the places for lines under way is the next, and when each is free"""
ROOM = 512
M_ROOM = _several(_c, ROOM)
M_CONSTANTS = next(_c)
"""when its first constants came"""
M_ASKING = next(_c)
"""of a GPC (in the row of its first SM), how many of its SMs have asked for constants"""
M_SENTS = next(_c)
"""which of the places for packets on their way is the next, and when each is free"""
M_SENT = _several(_c, ROOM)
M_ARRIVED = next(_c)
"""when L2 took the latest of them"""
STORES, NOTED = 64, 6
M_STORE = _several(_c, NOTED * STORES)
"""lines that were stored to last, by number, `NOTED` words each: line (plus one), sectors (above them its bytes, and
which store brought it), until when more can join, when L2 took them, when they leave, the last store to it (see
`stores.late`)"""
M_DRAINED = next(_c)
"""when the last of them is gone"""
M_HELD = next(_c)
"""how many of them it holds"""
M_STORED = next(_c)
"""how many stores of lines have joined none before"""
M_GONE = next(_c)
"""how many of those it has let go of"""
M_LEAVES = _several(_c, 32)
"""when the last lines that it held leave"""
M_LEAVE = next(_c)
"""how many did"""
M_FULL = next(_c)
"""`M_STORED` when it last had no room for another line"""
M_LET = next(_c)
"""how many it had let go of before those that it had no room for last"""
M_COMING = next(_c)
"""when all that loads have asked for is in L1"""
M_HOLDS = next(_c)
"""until when it holds the others, without another store"""
M_SIDE = next(_c)
"""the half of L2 that it asks"""
M_GROUP = next(_c)
"""which of the groups of SMs it is of that ask that half from one GPC"""
M_TPC = next(_c)
"""the TPC that it is of"""
M_QUARTER = next(_c)
"""which quarter of its half of L2 it is nearer to"""
M_GPC = next(_c)
"""the first SM of its GPC"""
M_CONSTANTFAR = next(_c)
"""what lines of constants take longer to it from there than to another"""
M_CODE = next(_c)
"""when the first instructions of the kernel are there (0: no CTA came yet)"""
M_SLOTS = next(_c)
"""where several grids share the machine: hardware slots that are taken, a bit each, and registers of each sub-core"""
M_REGISTERS = _several(_c, 4)
M_SHARED = next(_c)
"""how much of its memory is shared memory; CTAs that the grid which has just come brought"""
M_CAME = next(_c)
M_COLUMNS = next(_c)

# ---- CONST: constants of an SM; what earlier runs left there is less than the stamp of this one (see `workspace`) ---
_c = count()
N_COMES = _several(_c, 2 * CONSTANT_LINES)
"""when each line comes, on top of the stamp, 64 times (less: neither there nor asked for); with it, whether it was
asked for when the SM began, and by which sub-cores"""
N_ASKED = _several(_c, 2 * CONSTANT_LINES)
"""when it was asked for"""
N_UNTIL = _several(_c, 2 * CONSTANT_LINES)
"""when it loses its place"""
N_GPC = _several(_c, CONSTANT_LINES // 4)
"""of the first SM of a GPC: when 256 bytes of constants come to the GPC's cache, on top of the stamp"""
N_L2 = _several(_c, CONSTANT_LINES // 4)
"""of the first SM of all: when they come to L2"""
N_COLUMNS = next(_c)

# ---- G: scalars. Those of the grid whose warp runs come first: where several share the machine, each has a row of them
# (see `share`). ------------------------------------------------------------------------------------------------------
_c = count()
G_GRID = next(_c)
"""its number"""
G_LOW = next(_c)
"""its first row of CODE, and the one behind its last"""
G_NINSTR = next(_c)
G_ENTRY = next(_c)
G_CODEVA = next(_c)
"""device address that row 0 of CODE would have"""
G_GX = next(_c)
G_GY = next(_c)
G_GZ = next(_c)
G_BX = next(_c)
G_BY = next(_c)
G_BZ = next(_c)
G_THREADS = next(_c)
G_WARPS = next(_c)
"""warps a CTA"""
G_REGISTERS = next(_c)
"""registers that a warp takes of its sub-core"""
G_STATE = next(_c)
"""host address and bytes of the warps' states"""
G_STATEBYTES = next(_c)
G_SHAREDSTRIDE = next(_c)
G_SHAREDSIZE = next(_c)
G_LOCAL = next(_c)
G_LOCALSIZE = next(_c)
G_LOCALTOP = next(_c)
G_CBANK = _several(_c, 32)
"""host addresses of constant banks (0 none)"""
G_CSIZE = _several(_c, 32)
G_OUT = next(_c)
"""host address, length, capacity of the printf buffer"""
G_OUTLEN = next(_c)
G_OUTCAP = next(_c)
G_PRINTED = next(_c)
"""when the next call of printf has its turn"""
G_CONFIGURATION = next(_c)
"""bytes that the driver wants as shared memory of each SM, and of an SM that others have set up"""
G_DEMAND = next(_c)
G_CTAINTERVAL = next(_c)
"""cycles at least between two CTAs that begin on an SM"""
G_FIRSTCTA = next(_c)
"""the first CTA of the stretch that is simulated (see `sample`)"""
G_NEXTCTA = next(_c)
G_TOTAL = next(_c)
G_DONE = next(_c)
G_LASTEND = next(_c)
"""when the last CTA ended"""
G_ARRIVED = next(_c)
"""when the grid came"""
G_OWN = next(_c)
"""how many these are"""

G_GRIDS = next(_c)
"""0, or host address of the rows of grids that share the machine; host address of the numbers of those that have CTAs
which have not begun, in the order in which they are served, and how many they are"""
G_ORDER = next(_c)
G_WAITING = next(_c)
G_FILE = next(_c)
"""registers of a sub-core, bytes of shared memory of an SM"""
G_SHAREDSM = next(_c)
G_FINISHED = next(_c)
"""grids that are done since the host looked last"""
G_UNTIL = next(_c)
"""when the host wants to look again (the next grid comes)"""
G_MEM = next(_c)
G_MEMBASE = next(_c)
G_MEMSIZE = next(_c)
G_LIMITS = next(_c)
G_SPANS = next(_c)
"""host address of the allocations (first offset, end) in ascending order"""
G_NSPANS = next(_c)
G_SHARED = next(_c)
G_SHAREDWIN = next(_c)
G_LOCALWIN = next(_c)
G_CTAS = next(_c)
"""rows of CT for each SM"""
G_SMS = next(_c)
G_FPC = next(_c)
G_FWARP = next(_c)
G_FLANE = next(_c)
G_FADDR = next(_c)
G_INSTR = next(_c)
"""warp instructions issued"""
G_INSTRLIMIT = next(_c)
G_TIMING = next(_c)
G_HAZARDS = next(_c)
G_NHAZ = next(_c)
G_SCRATCH = next(_c)
"""host address of 32 u64 lane addresses, then 32 host addresses"""
G_STAGE = next(_c)
"""host address of the stage table [0, 32, 64, ...]"""
G_PENDBUF = next(_c)
"""host address of the staging buffers"""
G_ZERO = next(_c)
"""host address of a page of zeros"""
G_PRINTF = next(_c)
G_ASSERT = next(_c)
G_MALLOC = next(_c)
G_FREE = next(_c)
G_L1SETS = next(_c)
G_L1OVER = next(_c)
"""its reciprocal (see `raw.over`)"""
G_L1STAMP = next(_c)
"""the latest `M_FRESH`"""
G_CTALAUNCH = next(_c)
"""cycles from a free place to the first issue of the next CTA's warps"""
G_DRAIN = next(_c)
"""cycles from when a warp's last store has left the SM until the warp's place is free"""
G_RETIRE = next(_c)
"""sixteenths of a cycle for which the distributor is busy with the end of a CTA"""
G_SMSTART = next(_c)
"""cycles from the first CTA's arrival at an SM to its first issue"""
G_SMRATE = next(_c)
"""sixteenths of a cycle from the first CTA of an SM to that of the next, and to each warp of the two that follow it"""
G_SMWARP = next(_c)
G_FLUSH = next(_c)
G_FLUSHFAR = next(_c)
"""cycles from the end of the last CTA that accessed memory, near or far, to that of the grid"""
G_CODEFAR = next(_c)
"""how much later SMs begin that ask the half of L2 which does not have the kernel's code"""
G_BRANCH = next(_c)
G_IMC = next(_c)
G_IMCLDC = next(_c)
G_IMCCOLD = next(_c)
G_IMCDRAM = next(_c)
G_IMCFIRST = next(_c)
G_IMCPORT = next(_c)
G_IMCFILL = next(_c)
G_MEMBAR = next(_c)
G_CYCLELIMIT = next(_c)
G_NOW = next(_c)
G_SLOTS = next(_c)
"""CTA slots in all"""
G_TURN = next(_c)
G_WATCH = next(_c)
"""SM whose issues are recorded (see `observe`), from when and until when, where to, and how many there are"""
G_WATCHFROM = next(_c)
G_WATCHEND = next(_c)
G_WATCHBUF = next(_c)
G_WATCHN = next(_c)
G_STUCK = next(_c)
"""CTA slots in a row in which nothing could run, without timing"""
G_EXTENSION = next(_c)
"""address of the extension's machine code (0: not needed), and of the list of tables (see `table`)"""
G_TABLES = next(_c)
G_CLUSTER = next(_c)
"""CTAs of a cluster, and along x, y, z"""
G_CLUSTERX = next(_c)
G_CLUSTERY = next(_c)
G_CLUSTERZ = next(_c)
G_GPCS = next(_c)
G_MATES = next(_c)
"""in a launch of clusters: host address of the shared memories of the cluster that the running warp is in"""
G_RANK = next(_c)
"""rank in its cluster of the CTA whose memory instruction is under way"""
G_SAME = next(_c)
"""lanes of that instruction that have the address of the lane before them (if not all are one width apart)"""
G_QUANTUM = next(_c)
"""cycles that an SM runs alone"""
G_HELPERS = next(_c)
"""threads that run SMs ahead (see `threads`); in a helper's own scalars 1: up to what SMs share"""
G_AHEAD = next(_c)
G_PARKED = next(_c)
"""whether an SM that was run ahead has come to that"""
G_NAP = next(_c)
"""address of sched_yield"""
G_EVENTS = next(_c)
"""host addresses of the events of each SM, of the lines of the bulk copy under way, of the mbarriers that it tells"""
G_LINES = next(_c)
G_TOLD = next(_c)
G_NLINE = next(_c)
G_NTOLD = next(_c)
G_XDONE = next(_c)
"""when what the extension did is done, and when its operands have been read"""
G_XREAD = next(_c)
G_XAFTER = next(_c)
"""before when the warp does not go on behind it"""
G_REMOTE = next(_c)
"""latency of another SM's shared memory; of a cluster barrier; of a bulk copy on top of its lines"""
G_REMOTEBAR = next(_c)
G_TMASTART = next(_c)
G_TMAMAP = next(_c)
G_TEXTURES = next(_c)
"""host address of the textures' records, and how many there are"""
G_NTEXTURES = next(_c)
G_HEAP = next(_c)
"""device address and bytes of the heap of malloc"""
G_HEAPSIZE = next(_c)
G_WORK = next(_c)
"""host address of room for the operands of a matrix instruction"""
G_STARTED = next(_c)
"""whether the first CTAs have been placed"""
G_BEGINS = next(_c)
"""0, or host address of the times at which the CTAs of the stretch began, in the order in which they were placed"""
G_WARMING = next(_c)
"""not 0: what runs without timing leaves its lines in L2 (see `warming`); counts its accesses"""
G_CHECK = next(_c)
"""not 0: what runs without timing is checked (see `checking`); how many findings there are"""
G_FOUND = next(_c)
G_RESERVED = next(_c)
"""bytes at the beginning of a CTA's shared memory that are the system's"""
G_BYTES = next(_c)
"""whether `P_BYTES` is counted"""
G_KNOWN = next(_c)
"""0, or host address of a byte for each of device memory: whether anything was written there"""
G_COLUMNS = next(_c)

# ---- PCC: counters of each instruction ------------------------------------------------------------------------------
P_THREADS = 0
"""thread instructions (guard true)"""
P_ACTIVE = 1
"""thread instructions (lanes of the running group, whatever the guard); behind it the reasons (`kinds.R_*`)"""
P_SECTORS = 21
P_L1HIT = 22
P_WAVEFRONTS = 23
P_CONFLICTS = 24
P_L2 = 25
"""sectors asked of L2"""
P_L2HIT = 26
P_DRAM = 27
"""sectors from DRAM"""
P_DIVERGED = 28
"""branches after which the lanes that ran are at two places"""
P_LINES = 29
P_REQUESTS = 30
P_WRITTEN = 31
"""sectors to DRAM that it made go there"""
P_ASKED = 32
"""sectors (of reductions: packets) that L1 asked L2 for"""
P_IDEAL = 33
"""sectors that its requests would touch if their lanes' bytes were next to each other"""
P_BYTES = 34
"""bytes that its requests name, one that several lanes of one name counted once"""
P_COLUMNS = 40

BUCKETS = 4096
"""Time buckets of a resource (see `l2`)."""
BUCKET_ROW = BUCKETS + 64
"""Words from one resource to the next: those of one time do not all meet in a few sets of the host's caches."""
BANK_ROW = 64 + 16
"""The same for the buckets of a DRAM bank."""
RING, RING_FIRST = 16, 8
"""SBR, a row for each warp: how many requests each scoreboard has had; behind them the ends of the last of each."""
HAZARD_ROWS = 4096
"""Hazards that a run can tell apart."""

# ---- Checked runs (see `machines.checking`) -------------------------------------------------------------------------
V_CLOCK = 0
"""CHECK, a row for each CTA slot: the times of all warps that a warp knows of, 32 for each warp"""
V_BARRIER = 32 * 32
"""those of the warps that have come to a CTA barrier, 32 for each of 16"""
V_SYNC = V_BARRIER + 16 * 32
"""those of the warps that synchronised by an atomic or an mbarrier"""
V_WAITING = V_SYNC + 32
"""the warps that wait at each CTA barrier, as bits"""
V_CTA = V_WAITING + 16
"""number of the CTA that they are of, from 1 on"""
V_COLUMNS = V_CTA + 1

H_WRITER, H_OTHER, H_BYTES, H_READER = 0, 1, 2, 3
"""SHADOW, a row for each word of shared memory: the last to write it; the last of another warp; the number of the CTA,
from 1 on, and which bytes it has written, times 16; the last read by each warp"""
H_COLUMNS = H_READER + 32

F_KIND, F_INSTR, F_OTHER, F_COUNT, F_BLOCK, F_THREAD, F_OTHERTHREAD, F_ADDRESS = range(8)
"""FOUND, a row for each finding: kind, instruction, that of the earlier access, how often; of the first time the CTA of
the grid, the threads of it, and the address"""
F_COLUMNS = 8
FINDINGS = 64
"""Findings that a run can tell apart."""
