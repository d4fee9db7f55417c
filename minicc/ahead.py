"""Start-up work done while something else runs: most of a small compile is loading LLVM and importing later stages.

Both tricks need a second core to gain anything, and lose nothing without one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minicc.arch.schema import Arch

LATER = (
    "minicc.nvvm.reader",
    "minicc.ptx",
    "minicc.isel",
    "minicc.isel.patterns.arithmetic",
    "minicc.isel.patterns.bitwise",
    "minicc.isel.patterns.control",
    "minicc.isel.patterns.convert",
    "minicc.isel.patterns.floating",
    "minicc.isel.patterns.memory",
    "minicc.isel.patterns.special",
    "minicc.isel.patterns.tensor",
    "minicc.ptxas",
    "minicc.ptxas.lower",
    "minicc.ptxas.lower.compare",
    "minicc.ptxas.lower.control",
    "minicc.ptxas.lower.float32",
    "minicc.ptxas.lower.integer",
    "minicc.ptxas.lower.logic",
    "minicc.ptxas.lower.memory",
    "minicc.ptxas.lower.params",
    "minicc.ptxas.lower.special",
    "minicc.ptxas.control.reuse",
    "minicc.sass.isa.special",
    "minicc.binary.cubin_write",
)
"""What nearly every compile needs after LLVM."""
OPERATIONS = """
ld.param.i64 ld.param.i32 sreg.i32 mul.i32 add.i32 icmp.sge.i32 brcond. br. ret. cvtato.global.i64 sext.i64.i32 shl.i64
add.i64 mov.i32 ld.global.f32 st.global.f32 fmulc.f32 faddc.f32 fma.f32 shl.i32 and.i32 ld.global.i32 st.global.i32
zext.i64.i32 icmp.eq.i32 icmp.slt.i32 select.i32 xor.i32 or.i32 lshr.i32 sub.i32 ld.shared.f32 st.shared.f32
barsync.i32 fmul.f32 mov.f32
"""
"""What is selected for most often: its patterns are made while there is time, and then the forms of instructions."""
USUAL = """
S2R LDC IMAD ISETP BRA EXIT ULDC LDG STG IADD3 MOV LOP3 FFMA FADD FMUL SHF LEA PRMT SEL FSETP S2UR BSSY BSYNC BAR LDS
STS VIADD PLOP3 MUFU FSEL I2F F2I R2UR UMOV UIADD3 ULEA VIMNMX FMNMX SHFL DADD DMUL DFMA
"""
"""Instructions whose forms are made while there is time, the commonest first."""


def path_of_llvm() -> str:
    """Where the library is that llvmlite brings; without llvmlite a `ModuleNotFoundError`."""
    from importlib.util import find_spec

    package = find_spec("llvmlite")
    if package is None or not package.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'llvmlite'", name="llvmlite")
    return f"{package.submodule_search_locations[0]}/binding/libllvmlite.so"


def load_llvm() -> None:
    """Have the dynamic linker load LLVM (some 25 ms of relocations) in a thread of its own. ctypes keeps the
    interpreter's lock while it loads a library, but not while it calls a function: so the function called is dlopen."""

    def load() -> None:
        import ctypes
        import os

        with suppress(ModuleNotFoundError):  # who needs it meets the same error
            ctypes.CDLL(None).dlopen(path_of_llvm().encode(), os.RTLD_NOW)

    threading.Thread(target=load, daemon=True).start()


@contextmanager
def preparing(arch: Arch) -> Iterator[None]:
    """Import the later stages and make their tables for `arch` while the body runs; LLVM works without the
    interpreter's lock. Waits at the end for what every compile needs, so that no two threads ever import at once what
    the body does not import itself."""
    import sys
    from importlib import import_module

    if LATER[-1] in sys.modules:
        yield
        return
    done = threading.Event()

    def prepare() -> None:
        with suppress(Exception):  # the stage itself meets the same error, where it is reported
            everything()

    def everything() -> None:
        for name in LATER:
            import_module(name)
        database = import_module("minicc.isel.cover.database").of(arch)
        for operation in OPERATIONS.split():
            if done.is_set():
                return
            database.lookup(operation)
        forms_of_mnemonic = import_module("minicc.sass.codec").forms_of_mnemonic
        for mnemonic in USUAL.split():
            if done.is_set():
                return
            forms_of_mnemonic(mnemonic)

    thread = threading.Thread(target=prepare, daemon=True)
    # LLVM's work goes on as soon as a call into it is over: not after the 5 ms for which a thread may keep the lock.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        sys.setswitchinterval(interval)
