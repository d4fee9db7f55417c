"""A loaded program: variables and constant banks are placed at load, a kernel's code at its first launch."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from minicc.arch.schema import Arch
from minicc.binary.cubin_write import split_addend
from minicc.binary.scan import pad
from minicc.numbers import align_up
from minicc.sass.program import CONSTANT_BANK, Function, Program, Variable
from runtime.device.memory import OutOfMemory
from runtime.device.syscalls import ADDRESSES, GRAPHS, NOWHERE
from runtime.driver import relocate
from runtime.errors import LaunchError
from runtime.hw.trace import Tracer

PREFETCH_ROOM = 4096
"""Bytes mapped after code: instruction fetch runs ahead of the program counter."""
CONSTANT_ALIGN = 256
MAX_PARAMETER_BYTES = 32764
"""Of a kernel on sm_70 and later (CUDA programming guide)."""


@attrs.frozen
class Placed:
    """A kernel or device function on the device."""

    function: Function
    entry: int
    size: int
    constant2: tuple[int, int] | None


class LoadedModule:
    """One program on one device. `allocate` finds memory, `upload` copies bytes to an address,
    `clear` zeroes a range."""

    def __init__(
        self,
        program: Program,
        arch: Arch,
        allocate: Callable[[int, int], int],
        upload: Callable[[int, bytes], None],
        clear: Callable[[int, int], None],
        tracer: Tracer,
    ) -> None:
        self.program, self.arch, self.tracer = program, arch, tracer
        self._allocate, self._upload, self._clear = allocate, upload, clear
        self.addresses: dict[str, int] = {}
        """Variable -> device address."""
        self.placed: dict[str, Placed] = {}
        self.bank3: tuple[int, int] | None = None
        self.bank4: tuple[int, int] | None = None
        for f in program.functions:
            size = f.parameter_size
            if size > MAX_PARAMETER_BYTES:
                raise LaunchError(
                    "load.parameters",
                    f"kernel '{f.name}' has {size} bytes of parameters; {MAX_PARAMETER_BYTES} at most",
                )
        for name in program.externs:
            if name not in ADDRESSES and not name.startswith(GRAPHS):
                raise LaunchError("load.extern", f"the program calls '{name}', which this driver does not provide")
        sizes = [name for name, kind in program.references.items() if kind == "size"]
        for name in (*sizes, *(name for f in program.functions for name in f.headers)):
            raise LaunchError(
                "load.reference", f"the program names '{name}', which this driver does not provide; use handles"
            )
        try:
            self._place_variables()
        except OutOfMemory as error:
            raise LaunchError("load.memory", f"cannot load the module: {error}") from None

    def _bank(self, size: int) -> tuple[int, int]:
        """Room for a constant bank: the QMD gives sizes in units of 16 bytes."""
        size = max(align_up(size, 16), 16)
        address = self._allocate(size, CONSTANT_ALIGN)
        self._upload(address, bytes(size))
        return address, size

    def _place_variables(self) -> None:
        variables = self.program.variables
        constants = [v for v in variables if v.space == "constant"]
        offsets: dict[str, int] = {}
        end = 0
        for v in sorted(constants, key=lambda v: (v.offset is None, v.offset or 0)):
            at = v.offset if v.offset is not None else align_up(end, max(v.align, 1))
            offsets[v.name], end = at, max(end, at + v.size)
        if end > CONSTANT_BANK:
            raise LaunchError("load.constant", f"constant bank 3 needs {end} bytes; {CONSTANT_BANK} is the most")
        if constants:
            self.bank3 = self._bank(end)
            self.tracer.step("driver", "constant bank 3", address=self.bank3[0], bytes=end)
        for v in constants:
            assert self.bank3 is not None
            self.addresses[v.name] = self.bank3[0] + offsets[v.name]
        for v in variables:
            if v.space != "constant":
                self.addresses[v.name] = self._allocate(max(v.size, 1), max(v.align, 16))
                self.tracer.step("driver", "place variable", name=v.name, address=self.addresses[v.name], bytes=v.size)
        for v in variables:
            if v.init is None and not v.relocations:
                self._clear(self.addresses[v.name], v.size)
            else:
                self._upload(self.addresses[v.name], self._initial(v))

    def _initial(self, variable: Variable) -> bytes:
        data = bytearray(variable.init or b"")
        data += bytes(variable.size - len(data))
        for r in variable.relocations:
            value = self.resolve(r.symbol) + r.addend
            relocate.apply(data, r.offset, r.kind, value, f"variable '{variable.name}'")
        return bytes(data)

    def resolve(self, symbol: str) -> int:
        """The address of a variable, a driver function, or (placing it) a function of the program."""
        if symbol in self.addresses:
            return self.addresses[symbol]
        if symbol in self.placed:
            return self.placed[symbol].entry
        if any(f.name == symbol for f in self.program.functions):
            return self.place(symbol).entry
        for f in self.program.functions:
            if symbol in f.labels:
                return self.place(f.name).entry + f.labels[symbol]
        if symbol in ADDRESSES:
            return ADDRESSES[symbol]
        if symbol.startswith(GRAPHS):
            return NOWHERE
        raise LaunchError("load.symbol", f"nothing defines the symbol '{symbol}'")

    def _tables(self) -> None:
        """Constant bank 4: the addresses that code fetches with c[0x4][8 * slot]."""
        slots = self.program.constant4
        if self.bank4 is not None or not slots:
            return
        self.bank4 = self._bank(8 * len(slots))
        data = bytearray(8 * len(slots))
        for i, slot in enumerate(slots):
            if slot:
                name, addend = split_addend(slot)
                data[8 * i : 8 * i + 8] = (self.resolve(name) + addend & (1 << 64) - 1).to_bytes(8, "little")
        self._upload(self.bank4[0], bytes(data))
        self.tracer.step("driver", "constant bank 4", address=self.bank4[0], slots=len(slots))

    def place(self, name: str) -> Placed:
        """Upload a function's code, with relocations applied, unless it is there already. Functions that refer to each
        other go into one piece of memory, in program order: code jumps only within what is mapped around its entry."""
        if name in self.placed:
            return self.placed[name]
        try:
            self._place(self._group(name))
        except OutOfMemory as error:
            raise LaunchError("load.memory", f"cannot place the code of '{name}': {error}") from None
        return self.placed[name]

    def _group(self, name: str) -> list[Function]:
        """The function and all that are connected with it: by relocations, or by having an address in bank 4 or in a
        variable."""
        functions = {f.name: f for f in self.program.functions}
        owner = {label: f.name for f in self.program.functions for label in f.labels} | {n: n for n in functions}
        links: dict[str, set[str]] = {n: set() for n in functions}

        def join(one: str, other: str) -> None:
            links[one].add(other)
            links[other].add(one)

        for f in self.program.functions:
            for r in f.relocations:
                if r.symbol in owner:
                    join(f.name, owner[r.symbol])
        named = [split_addend(slot)[0] for slot in self.program.constant4]
        named += [r.symbol for variable in self.program.variables for r in variable.relocations]
        pointed = [owner[name] for name in named if name in owner]
        if pointed:  # any kernel may fetch such an address
            for n in functions:
                join(n, pointed[0])
        found, queue = {name}, [name]
        while queue:
            for other in links[queue.pop()] - found:
                found.add(other)
                queue.append(other)
        return [f for f in self.program.functions if f.name in found]

    def _place(self, group: list[Function]) -> None:
        codes = [bytearray(pad(f.code, self.arch.abi.text_padding)) for f in group]
        base = self._allocate(sum(map(len, codes)) + PREFETCH_ROOM, 128)
        entry = base
        for function, code in zip(group, codes, strict=True):
            bank = None
            if function.constant2:
                bank = self._bank(len(function.constant2))
                self._upload(bank[0], function.constant2)
            # All are known before relocations are resolved.
            self.placed[function.name] = Placed(function, entry, len(code), bank)
            entry += len(code)
        for function, code in zip(group, codes, strict=True):
            for r in function.relocations:
                relocate.apply(code, r.offset, r.kind, self.resolve(r.symbol) + r.addend, f"code of '{function.name}'")
        self._upload(base, b"".join(codes) + pad(b"", PREFETCH_ROOM))
        self._tables()
        names = ",".join(f.name for f in group)
        self.tracer.step("driver", "upload code (first launch)", kernel=names, address=base, bytes=sum(map(len, codes)))

    def banks(self, placed: Placed) -> dict[int, tuple[int, int]]:
        """Constant banks other than 0 that a kernel can read: number -> (address, bytes)."""
        found = {2: placed.constant2, 3: self.bank3, 4: self.bank4}
        return {number: bank for number, bank in found.items() if bank is not None}
