"""A loaded program: variables and constant banks are placed at load, a kernel's code at its first launch."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from minicc.arch.schema import Arch
from minicc.binary.cubin_write import split_addend
from minicc.binary.scan import pad
from minicc.diagnostics import fail
from minicc.sass.program import Function, Program, Variable
from runtime.device.memory import OutOfMemory
from runtime.device.syscalls import ADDRESSES
from runtime.driver import relocate
from runtime.errors import LaunchError
from runtime.hw.trace import Tracer

PREFETCH_ROOM = 4096
"""Bytes mapped after code: instruction fetch runs ahead of the program counter."""
CONSTANT_ALIGN = 256


@attrs.frozen
class Placed:
    """A kernel or device function on the device."""

    function: Function
    entry: int
    size: int
    constant2: tuple[int, int] | None


class LoadedModule:
    """One program on one device. `allocate`, `free` and `upload` move memory; `upload` copies bytes to an address."""

    def __init__(
        self,
        program: Program,
        arch: Arch,
        allocate: Callable[[int, int], int],
        free: Callable[[int], None],
        upload: Callable[[int, bytes], None],
        tracer: Tracer,
    ) -> None:
        self.program, self.arch, self.tracer = program, arch, tracer
        self._allocate, self._free, self._upload = allocate, free, upload
        self._owned: list[int] = []
        self.addresses: dict[str, int] = {}
        """Variable -> device address."""
        self.placed: dict[str, Placed] = {}
        self.bank3: tuple[int, int] | None = None
        self.bank4: tuple[int, int] | None = None
        for name in program.externs:
            if name not in ADDRESSES:
                fail("load.extern", f"the program calls '{name}', which this driver does not provide")
        try:
            self._place_variables()
        except OutOfMemory as error:
            raise LaunchError("load.memory", f"cannot load the module: {error}") from None

    def _reserve(self, size: int, align: int) -> int:
        address = self._allocate(size, align)
        self._owned.append(address)
        return address

    def _bank(self, size: int) -> tuple[int, int]:
        """Room for a constant bank: the QMD gives sizes in units of 16 bytes."""
        size = max(-(-size // 16) * 16, 16)
        address = self._reserve(size, CONSTANT_ALIGN)
        self._upload(address, bytes(size))
        return address, size

    def _place_variables(self) -> None:
        variables = self.program.variables
        constants = [v for v in variables if v.space == "constant"]
        offsets: dict[str, int] = {}
        end = 0
        for v in sorted(constants, key=lambda v: (v.offset is None, v.offset or 0)):
            at = v.offset if v.offset is not None else -(-end // max(v.align, 1)) * max(v.align, 1)
            offsets[v.name], end = at, max(end, at + v.size)
        if end > 1 << 16:
            fail("load.constant", f"constant bank 3 needs {end} bytes; 65536 is the most")
        if constants:
            self.bank3 = self._bank(end)
            self.tracer.step("driver", "constant bank 3", address=self.bank3[0], bytes=end)
        for v in constants:
            assert self.bank3 is not None
            self.addresses[v.name] = self.bank3[0] + offsets[v.name]
        for v in variables:
            if v.space != "constant":
                self.addresses[v.name] = self._reserve(max(v.size, 1), max(v.align, 16))
                self.tracer.step("driver", "place variable", name=v.name, address=self.addresses[v.name], bytes=v.size)
        for v in variables:
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
        fail("load.symbol", f"nothing defines the symbol '{symbol}'")

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
        """Upload a function's code, with relocations applied, unless it is there already."""
        if name in self.placed:
            return self.placed[name]
        function = self.program.function(name)
        try:
            return self._place(function)
        except OutOfMemory as error:
            raise LaunchError("load.memory", f"cannot place the code of '{name}': {error}") from None

    def _place(self, function: Function) -> Placed:
        name = function.name
        code = bytearray(pad(function.code, self.arch.abi.text_padding))
        entry = self._reserve(len(code) + PREFETCH_ROOM, 128)
        bank = None
        if function.constant2:
            bank = self._bank(len(function.constant2))
            self._upload(bank[0], function.constant2)
        # Known before relocations are resolved, so that functions may refer to each other.
        self.placed[name] = Placed(function, entry, len(code), bank)
        for r in function.relocations:
            relocate.apply(code, r.offset, r.kind, self.resolve(r.symbol) + r.addend, f"code of '{name}'")
        room = pad(b"", PREFETCH_ROOM)
        self._upload(entry, bytes(code) + room)
        self._tables()
        self.tracer.step("driver", "upload code (first launch)", kernel=name, address=entry, bytes=len(code))
        return self.placed[name]

    def banks(self, placed: Placed) -> dict[int, tuple[int, int]]:
        """Constant banks other than 0 that a kernel can read: number -> (address, bytes)."""
        found = {2: placed.constant2, 3: self.bank3, 4: self.bank4}
        return {number: bank for number, bank in found.items() if bank is not None}

    def unload(self) -> None:
        """Free everything on the device."""
        for address in self._owned:
            self._free(address)
        self._owned.clear()
        self.placed.clear()
