"""Compile LLVM IR with our isel and run it in the PTX interpreter, one thread a row."""

from __future__ import annotations

from minicc import arch, isel, nvvm
from minicc.ptx import model as ptx
from tests.isel.interpret import GLOBAL, Machine

ARCH = arch.get("sm_90")


def compile_ir(ir: str, level: int = 3, **options: object) -> ptx.Module:
    """IR text -> PTX module."""
    text = nvvm.optimise(ir, nvvm.Options(opt_level=level))
    return isel.select(nvvm.read(text), ARCH, isel.Options(opt_level=level, **options))  # type: ignore[arg-type]


def kernel(blocks: str) -> str:
    """IR of a kernel of these blocks, which end in one named `end`."""
    return "define ptx_kernel void @k(ptr %in, ptr %out) {\n" + blocks.strip() + "\nend:\n  ret void\n}"


def run_rows(module: ptx.Module, rows: list[list[int]], words: int) -> list[list[int]]:
    """Each row as thread 0 of a launch of its own."""
    entry = next(f for f in module.functions if f.entry)
    out = []
    for row in rows:
        memory = bytearray(4096)
        memory[: 8 * len(row)] = b"".join(value.to_bytes(8, "little") for value in row)
        place = 2048
        names = [p.name for p in entry.params]
        params = {names[0]: GLOBAL.to_bytes(8, "little"), names[1]: (GLOBAL + place).to_bytes(8, "little")}
        Machine(entry, params, memory, module.variables).run()
        out.append([int.from_bytes(memory[place + 8 * i : place + 8 * i + 8], "little") for i in range(words)])
    return out
