"""The machine IR between lowering and emission: SASS instructions over virtual registers.

An instruction is what `minicc.sass` prints, with `V` (a virtual register, or part of one) where a `Reg` will be.
Operands stand in printed order, destinations first. Lowering makes blocks of these; allocation replaces every `V`;
scheduling fills in `control`; emission encodes. Virtual registers are not SSA: a 64-bit value is one `VReg` of width 2
whose halves are defined separately, and predicated writes are partial definitions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from minicc.ptx.model import Inst
from minicc.record import Record
from minicc.sass.instr import PT, RZ, USUAL, Const, Control, Imm, Instr, Mem, Name, Reg, Target
from minicc.sass.program import Param, Variable

if TYPE_CHECKING:
    from minicc.ptxas.cfg import Cfg
    from minicc.ptxas.liveness import Access


Part = tuple[int, int]
"""A 32-bit part of a virtual register: (its id, which)."""
RegFile = Literal["R", "UR", "P", "UP", "B"]
MemoryKind = Literal["", "load", "store", "atomic", "fence", "barrier"]
ZERO, TRUE, FALSE = Reg("R", RZ), Reg("P", PT), Reg("P", PT, inv=True)
"""Operands that are always the same: the register that reads as zero, the predicate that is true, and its inverse."""


class VReg:
    """A virtual register of `width` consecutive 32-bit registers (1, 2, 3 or 4; aligned to 1, 2, 4, 4; more only for
    matrices), or of predicates/barriers (width 1). `hint` names the PTX register it came from, for dumps."""

    def __init__(
        self,
        id: int,
        file: RegFile,
        width: int = 1,
        hint: str = "",
        fixed: int | None = None,
        spillable: bool = True,
        whole: bool = False,
        align: int = 8,
    ) -> None:
        self.id, self.file, self.width, self.hint = id, file, width, hint
        self.parts: tuple[Part, ...] = tuple([(id, number) for number in range(width)])
        self.fixed = fixed
        """Physical index if it must be a certain register (call ABI, R1)."""
        self.spillable = spillable
        self.whole = whole
        """A guarded write is a complete one: who reads it does so under the same condition, if in another predicate."""
        self.align = align
        """Of a group wider than a quad: its number is a multiple of this. (16x8x16 products of doubles want 16: with A
        at R24 an H200 calls them illegal.)"""

    def __repr__(self) -> str:
        return f"{self.file.lower()}{self.id}" + (f":{self.width}" if self.width > 1 else "")


def step_of(width: int) -> int:
    """A group of so many general registers begins at a multiple of this (of more than four see `VReg.align`)."""
    return 4 if width > 2 else width


class V(Record):
    """A use or definition of `count` registers of `reg` from `part` on, with the source modifiers of `sass.Reg`."""

    __match_args__ = ("reg", "part", "count", "neg", "abs", "inv", "suffix")
    __slots__ = (*__match_args__, "parts")

    def __init__(
        self,
        reg: VReg,
        part: int = 0,
        count: int = 1,
        neg: bool = False,
        abs: bool = False,
        inv: bool = False,
        suffix: tuple[str, ...] = (),
    ) -> None:
        self.reg, self.part, self.count, self.neg, self.abs, self.inv = reg, part, count, neg, abs, inv
        self.suffix = suffix
        self.parts: tuple[Part, ...] = reg.parts[part : part + count]
        """What it names."""

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is V
            and self.reg is other.reg
            and self.part == other.part
            and self.count == other.count
            and self.neg == other.neg
            and self.abs == other.abs
            and self.inv == other.inv
            and self.suffix == other.suffix
        )

    def __hash__(self) -> int:
        return hash((self.reg, self.part, self.count, self.neg, self.inv))

    @property
    def file(self) -> RegFile:
        """As `Reg.file`."""
        return self.reg.file

    @property
    def plain(self) -> bool:
        """Whether it is read as it is, whatever its sign, and all of it."""
        return not (self.neg or self.abs or self.inv or self.suffix)


class VMem(Record):
    """An address operand over virtual registers; see `sass.Mem`."""

    __slots__ = __match_args__ = ("base", "offset", "ureg", "desc")

    def __init__(
        self, base: V | Reg | None, offset: int = 0, ureg: V | Reg | None = None, desc: V | Reg | None = None
    ) -> None:
        self.base, self.offset, self.ureg, self.desc = base, offset, ureg, desc


class VConst(Record):
    """LDC's c[bank][base + offset] with a virtual index register."""

    __slots__ = __match_args__ = ("bank", "offset", "base")

    def __init__(self, bank: int, offset: int, base: V | Reg | None = None) -> None:
        self.bank, self.offset, self.base = bank, offset, base


GMMA = frozenset({"HGMMA", "QGMMA", "IGMMA", "BGMMA"})
"""Warpgroup multiplies, which read and write registers long after they have issued (see `lower.warpgroup`)."""
RETURN_POINT = Name("return point")
"""As a source: the place right after the next CALL, which its return address is to name."""
WAY_BACK = Name("way to the return point")
"""As a source: how many bytes it is from the LEPC before to that place."""
AFTER_COLLECTIVE = Name("after the collective")
"""As a source: the place right after the next ENDCOLLECTIVE."""


_OUTSIDE = "size "


def size_of_outside(symbol: str) -> Name:
    """As a source: a 32-bit number that the driver puts into the instruction."""
    return Name(_OUTSIDE + symbol)


def outside(operand: object) -> str | None:
    """The symbol that such a source names."""
    return operand.text[len(_OUTSIDE) :] if isinstance(operand, Name) and operand.text.startswith(_OUTSIDE) else None


def function_label(name: str) -> str:
    """How a CALL names its target until addresses are known. No label of PTX has a blank."""
    return f"function {name}"


MOperand = V | VMem | VConst | Reg | Imm | Const | Mem | Target | Name


class MInst:
    """One machine instruction. `dsts` then `srcs` are the printed operands. `guard` is a predicate source.
    `loc` is (file index, line, column) plus the inlining chain as `ptx.Loc` holds it; `ptx` the instruction it came
    from."""

    __match_args__ = (
        "mnemonic",
        "modifiers",
        "dsts",
        "srcs",
        "guard",
        "loc",
        "ptx",
        "side_effect",
        "memory",
        "space",
        "control",
        "hidden",
        "implicit_reads",
        "implicit_writes",
    )
    __slots__ = (*__match_args__, "reading", "writing", "named", "touched")

    def __init__(
        self,
        mnemonic: str,
        modifiers: tuple[str, ...] = (),
        dsts: tuple[MOperand, ...] = (),
        srcs: tuple[MOperand, ...] = (),
        guard: V | Reg = TRUE,
        loc: object | None = None,
        ptx: Inst | None = None,
        side_effect: bool = False,
        memory: MemoryKind = "",
        space: str = "",
        control: Control = USUAL,
        hidden: tuple[tuple[str, int], ...] = (),
        implicit_reads: tuple[V, ...] = (),
        implicit_writes: tuple[V, ...] = (),
    ) -> None:
        self.mnemonic, self.modifiers, self.dsts, self.srcs, self.guard = mnemonic, modifiers, dsts, srcs, guard
        self.loc, self.ptx = loc, ptx
        self.side_effect = side_effect
        """Never removed, never duplicated, keeps its order among its kind (memory, barriers, votes)."""
        self.memory, self.space, self.control, self.hidden = memory, space, control, hidden
        self.implicit_reads = implicit_reads
        """Registers (virtual, with `fixed` set) that a CALL reads without printing them: its arguments."""
        self.implicit_writes = implicit_writes
        """Registers that a CALL may change: results and everything the callee need not preserve."""
        self.reading: tuple[object, object, object, tuple[V | Reg, ...]] | None = None
        self.writing: tuple[object, object, tuple[V | Reg, ...]] | None = None
        """What `operands.reads` and `operands.writes` found, after the fields they found it in: every pass asks."""
        self.named: tuple[object, tuple[Part, ...]] | None = None
        """What `operands.parts_read` made of the registers read, after these."""
        self.touched: tuple[object, object, Access] | None = None
        """What `liveness` made of the registers read and written, after these."""


class Block:
    """Basic block. Control falls through to the next block of `MFunction.blocks` unless the last instruction is an
    unguarded branch or EXIT. `succs` are labels, in no order; kept by whoever edits control flow."""

    def __init__(
        self, label: str, insts: list[MInst] | None = None, succs: list[str] | None = None, loop_depth: int = 0
    ) -> None:
        self.label = label
        self.insts: list[MInst] = [] if insts is None else insts
        self.succs: list[str] = [] if succs is None else succs
        self.loop_depth = loop_depth

    @property
    def weight(self) -> int:
        """How often it runs, as a guess: eight times for each of up to five loops around it."""
        return 1 << 3 * min(self.loop_depth, 5)


class MFunction:
    """One kernel or device function. `frame` is bytes of local memory used by PTX .local variables (spills are added
    by the allocator); `shared` static bytes; `next_id` numbers new virtual registers."""

    def __init__(
        self,
        name: str,
        entry: bool,
        is_routine: bool = False,
        max_registers: int | None = None,
        max_threads: tuple[int, int, int] | None = None,
        req_threads: tuple[int, int, int] | None = None,
    ) -> None:
        self.name, self.entry = name, entry
        self.is_routine = is_routine
        """Whether it is one: it saves no registers."""
        self.max_registers, self.max_threads, self.req_threads = max_registers, max_threads, req_threads
        self.blocks: list[Block] = []
        self.cfg: Cfg | None = None
        """The graph of the blocks as it was last made (`Cfg.of`)."""
        self.definitions: Any = None
        """What `ssa` last found of its definitions, beside what it was found of."""
        self.vregs: list[VReg] = []
        self.frame = 0
        self.stack_align = 16
        """Of the stack pointer, in bytes: what local variables of the kernel and of all that it calls ask for."""
        self.shared = 0
        self.shared_align = 16
        self.barriers = 0
        self.collectives = False
        """Whether it has any (WARPSYNC.COLLECTIVE)."""
        self.callees: list[str] = []
        """Functions of the driver that it calls."""
        self.headers: list[str] = []
        """Textures, samplers and surfaces whose numbers stand behind the parameters, in this order."""
        self.calls: list[str] = []
        """Functions of the module that it calls by name; `indirect`: it calls through a pointer."""
        self.routines: list[str] = []
        """Shared routines that it calls (see `lower.routine`)."""
        self.indirect = False
        self.incoming = 0
        """Bytes of arguments and results that lie under the caller's stack pointer (see `lower.abi`)."""
        self.params: list[Param] = []
        self.param_bytes = 0
        self.min_ctas: int | None = None
        self.reconfigures = True
        """Whether setmaxnreg counts: it is known how many registers a launch gives."""
        self.constant2: bytearray = bytearray()
        self.attributes: dict[str, object] = {}
        self.broadcasts: set[MInst] = set()
        """Loads that seem to read one word for the whole warp, where the scheduler has looked for them."""
        self.renewed: dict[MInst, list[MInst]] = {}
        """Compares that are made again, and the loads that they had better come after."""
        self.ahead: set[MInst] = set()
        """Loads for the next round of their loop (see `ahead`)."""
        self.splitting: set[MInst] = set()
        """Branches at which lanes may part."""
        self.rolled: set[str] = set()
        """Labels of loops that must not be unrolled."""
        self.uncoupled: frozenset[str] = frozenset()
        """`Latency.uncoupled` of the machine that it is for (set by `native`)."""
        self.crowded = False
        """Whether spills are chosen over the whole function first (see `crowd`)."""
        self.short = False
        """Whether some run of it would do with more registers than there are."""
        self.budget: int | None = None
        """Registers that `fit` has settled on, if fewer than the limit."""
        self.trial: Any = None
        """Of the order that `fit` has settled on, what it is with registers, if that has been tried."""
        self.converted = False
        """Whether bodies of branches run under guards now."""
        self.colouring: Any = None
        """From allocation for `banks`: the live ranges, and the registers that may have any number."""
        self.places: Any = None
        """With debug sections: `dwarf.Places`."""
        self.prints: dict[MInst, Any] = {}
        """Footprints (`timing`) of the finished instructions, where the last scheduling has made them."""

    def new(self, file: RegFile, width: int = 1, hint: str = "") -> VReg:
        """A fresh virtual register."""
        reg = VReg(len(self.vregs), file, width, hint)
        self.vregs.append(reg)
        return reg


class MModule:
    """A lowered PTX module. `device` holds the device functions that are part of each kernel's code (kernels may share
    them), `pointers` the functions that have an address, in the order of their numbers. `variables` have their offsets;
    `constant4` lists the symbols of bank 4 in slot order; `externs` the functions that the driver provides; `files` the
    .file table of `loc`."""

    def __init__(self, pointers: list[str], files: dict[int, str], strings: dict[str, str]) -> None:
        self.pointers, self.files = pointers, files
        self.strings = strings
        """Names of inlined functions by label."""
        self.functions: list[MFunction] = []
        self.device: dict[str, list[MFunction]] = {}
        self.variables: list[Variable] = []
        self.constant4: list[str] = []
        self.externs: list[str] = []
        self.uses_extern_shared = False
        self.references: dict[str, str] = {}
        """Textures, samplers and surfaces in use -> their type; sizes that the driver knows -> "size"."""
        self.independent = False
        """Whether samplers are told apart from textures."""
        self.debug: list[str] = []
        """The text of the debug sections; `debug_names` are the symbols that they name."""
        self.debug_names: frozenset[str] = frozenset()


__all__ = [
    "AFTER_COLLECTIVE", "GMMA", "RETURN_POINT", "WAY_BACK", "Block", "Control", "Instr", "MFunction", "MInst",
    "MModule", "MOperand", "Part", "V", "VConst", "VMem", "VReg", "function_label", "outside", "size_of_outside",
]  # fmt: skip
