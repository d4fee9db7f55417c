"""Running one instruction over 32 lanes: by the LLVM function and by the Python reference."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from minicc import arch
from minicc.sass.instr import Instr
from runtime.device.sm.execute import abi, codegen, reference
from tests.sass.semantics.text import parse

ARCH = arch.get("sm_90")
_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p)


def bound(text: str | Instr) -> codegen.Bound:
    """An instruction (text or object), bound; constant operands read 0x3f8ccccd40490fdb."""
    b = codegen.bind(parse(text) if isinstance(text, str) else text, ARCH)
    slot = int(b.operands["const_slot"])
    if slot >= 0:
        b.operands["imm"][slot] = 0x3F8CCCCD40490FDB & ((1 << 8 * int(b.operands["const_size"])) - 1)
    return b


class Machine:
    """A warp state with named access."""

    def __init__(self, seed: int = 0, words: Any = None):
        rng = np.random.default_rng(seed)
        self.state = abi.new_state()[0]
        first, last = abi.r_row(0), abi.r_row(254) + abi.LANES
        self.state[first:last] = rng.integers(0, 1 << 32, 255 * 32, dtype=np.uint32)
        self.state[abi.P : abi.P + 7] = rng.integers(0, 1 << 32, 7, dtype=np.uint32)
        self.state[abi.UP : abi.UP + 7] = rng.integers(0, 2, 7, dtype=np.uint32) * np.uint32(0xFFFFFFFF)
        self.state[abi.UR : abi.UR + 63] = rng.integers(0, 1 << 32, 63, dtype=np.uint32)
        special = abi.SPECIAL_ROW * 32
        self.state[special : special + 128] = rng.integers(0, 1 << 32, 128, dtype=np.uint32)

    def set(self, register: int, values: Any) -> None:
        self.state[abi.r_row(register) : abi.r_row(register) + 32] = np.resize(np.asarray(values, dtype=np.uint32), 32)

    def set64(self, register: int, values: Any) -> None:
        values = np.resize(np.asarray(values, dtype=np.uint64), 32)
        self.set(register, (values & np.uint64(0xFFFFFFFF)).astype(np.uint32))
        self.set(register + 1, (values >> np.uint64(32)).astype(np.uint32))

    def get(self, register: int) -> Any:
        return self.state[abi.r_row(register) : abi.r_row(register) + 32].copy()

    def get64(self, register: int) -> Any:
        return self.get(register).astype(np.uint64) | self.get(register + 1).astype(np.uint64) << np.uint64(32)

    def pred(self, index: int) -> int:
        return int(self.state[abi.P + index])

    def run(self, text: str | Instr, mask: int = 0xFFFFFFFF) -> None:
        """Executes straight into the registers."""
        b = bound(text)
        call(b, self.state, mask, self.state, np.ascontiguousarray(b.operands["dst"]))


def call(b: codegen.Bound, state: Any, mask: int, out: Any, dst: Any, host: codegen.Host | None = None) -> None:
    """One call of the function as compiled for `host` (this one)."""
    assert b.form is not None
    function = _FUNCTION(codegen.compile([b.form], host)[b.form.key])
    record = np.array([b.operands], abi.OPERANDS)
    function(state.ctypes.data, record.ctypes.data, mask, out.ctypes.data, dst.ctypes.data)


def staged(b: codegen.Bound, state: Any, mask: int, host: codegen.Host | None = None) -> list[Any]:
    """Result rows of the compiled function, in the shape of `reference.execute`."""
    out = np.zeros(abi.STAGE_WORDS, np.uint32)
    call(b, state, mask, out, abi.STAGE, host)
    assert b.form is not None
    if b.form.access is not None and b.form.results and b.form.results[0].file == "ADDRESS":
        return [[int(x) for x in out[64 * k : 64 * k + 64].view(np.uint64)] for k in range(len(b.form.results))]
    rows: list[Any] = []
    for k, (file, _) in enumerate(b.results):
        rows.append([int(x) for x in out[32 * k : 32 * k + 32]] if file == "R" else int(out[32 * k]))
    return rows


def expected(b: codegen.Bound, state: Any, mask: int) -> list[Any]:
    """The reference's rows, lanes outside the mask cleared as in a staged call into zeroed memory."""
    rows: list[Any] = []
    files = [f for f, _ in b.results] or ["ADDRESS"] * 2
    for file, row in zip(files, reference.execute(b, state, mask), strict=False):
        if file == "R":
            assert isinstance(row, list)
            rows.append([v if mask >> i & 1 else 0 for i, v in enumerate(row)])
        elif file == "P":
            assert isinstance(row, int)
            rows.append(row & mask)
        else:
            rows.append(row)
    return rows
