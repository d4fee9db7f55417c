"""LLVM, through the C functions of the library that llvmlite brings: those that a compile calls, and no others.

llvmlite's own Python makes a class for each of some forty types and a signature for each of three hundred functions
when it is imported: 18 ms of the 160 that the smallest compile takes. The functions are the same, and what they take
and return as in `llvmlite.binding` of the version that pyproject.toml pins. Modules live in a context of their own, so
that others may use llvmlite's at the same time; who calls this from several threads needs a lock.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CDLL, POINTER, byref, c_bool, c_char_p, c_int, c_size_t, c_void_p, string_at
from functools import cache
from typing import Any

from minicc.ahead import path_of_llvm

_TEXT = POINTER(c_char_p)
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "SetCommandLine": (None, c_char_p, c_char_p),
    "ContextCreate": (c_void_p,),
    "ParseAssembly": (c_void_p, c_void_p, c_char_p, _TEXT),
    "PrintModuleToString": (None, c_void_p, _TEXT),
    "VerifyModule": (c_int, c_void_p, _TEXT),
    "SetTarget": (None, c_void_p, c_char_p),
    "LinkModules": (c_int, c_void_p, c_void_p, _TEXT),
    "GetNamedFunction": (c_void_p, c_void_p, c_char_p),
    "SetLinkage": (None, c_void_p, c_int),
    "DisposeModule": (None, c_void_p),
    "DisposeString": (None, c_char_p),
    "GetTargetFromTriple": (c_void_p, c_char_p, _TEXT),
    "CreateTargetMachine": (
        c_void_p, c_void_p, c_char_p, c_char_p, c_char_p, c_int, c_char_p, c_char_p, c_int, c_int, c_char_p,
    ),
    "CreateTargetMachineData": (c_void_p, c_void_p),
    "CopyStringRepOfTargetData": (None, c_void_p, _TEXT),
    "DisposeTargetData": (None, c_void_p),
    "TargetMachineEmitToMemory": (c_void_p, c_void_p, c_void_p, c_int, _TEXT),
    "GetBufferStart": (c_void_p, c_void_p),
    "GetBufferSize": (c_size_t, c_void_p),
    "DisposeMemoryBuffer": (None, c_void_p),
    "CreatePipelineTuningOptions": (c_void_p,),
    "PTOSetLoopVectorization": (None, c_void_p, c_bool),
    "DisposePipelineTuningOptions": (None, c_void_p),
    "CreatePassBuilder": (c_void_p, c_void_p, c_void_p),
    "DisposePassBuilder": (None, c_void_p),
    "CreateNewModulePassManager": (c_void_p,),
    "buildPerModuleDefaultPipeline": (c_void_p, c_void_p, c_int),
    "RunNewModulePassManager": (None, c_void_p, c_void_p, c_void_p),
    "DisposeNewModulePassManger": (None, c_void_p),
}  # fmt: skip
"""Function, without LLVMPY_ -> what it returns, then what it takes; others take a pass manager and return nothing."""
_EXTERNAL, _INTERNAL = 0, 8
"""Linkage, as llvm-c/Core.h numbers it."""


@cache
def _library() -> CDLL:
    library = CDLL(path_of_llvm())
    for what in ("AllTargetInfos", "AllTargets", "AllTargetMCs", "AllAsmPrinters"):
        getattr(library, f"LLVMPY_Initialize{what}")()
    return library


@cache
def _function(name: str) -> Any:
    found = getattr(_library(), f"LLVMPY_{name}")
    found.restype, *found.argtypes = _SIGNATURES.get(name, (None, c_void_p))
    return found


@cache
def _context() -> int:
    made: int = _function("ContextCreate")()
    return made


def _told(call: Callable[[Any], Any]) -> tuple[Any, str]:
    """What a function returns, and the text that it leaves where it is told to, which belongs to us."""
    text = c_char_p()
    returned, found = call(byref(text)), text.value
    if found is None:
        return returned, ""
    _function("DisposeString")(text)
    return returned, found.decode()


def set_option(name: str, value: object) -> None:
    """One of LLVM's options of the command line, which belong to the process."""
    _function("SetCommandLine")(b"", f"-{name}={value}".encode())


class Machine:
    """A target machine; it lives as long as the process."""

    def __init__(self, triple: str, cpu: str, features: str, level: int) -> None:
        self.level = level
        target = _function("GetTargetFromTriple")(triple.encode(), byref(c_char_p()))
        words = (triple.encode(), cpu.encode(), features.encode())
        self.pointer: int = _function("CreateTargetMachine")(
            target, *words, level, b"default", b"jitdefault", 0, 0, b""
        )

    @property
    def layout(self) -> str:
        """Its data layout."""
        data = _function("CreateTargetMachineData")(self.pointer)
        _, text = _told(lambda out: _function("CopyStringRepOfTargetData")(data, out))
        _function("DisposeTargetData")(data)
        return text

    def assembly(self, module: Module) -> str:
        """What code generation writes for the module (which it changes)."""
        buffer, error = _told(lambda out: _function("TargetMachineEmitToMemory")(self.pointer, module.pointer, 0, out))
        if buffer is None:
            raise RuntimeError(error)
        text = string_at(_function("GetBufferStart")(buffer), _function("GetBufferSize")(buffer))
        _function("DisposeMemoryBuffer")(buffer)
        return text.decode()


class Module:
    """A module, as LLVM reads it from text; what it cannot read is a `RuntimeError` with LLVM's words."""

    def __init__(self, text: str, triple: str) -> None:
        self.pointer: int | None
        self.pointer, error = _told(lambda out: _function("ParseAssembly")(_context(), text.encode(), out))
        if self.pointer is None:
            raise RuntimeError(error)
        _function("SetTarget")(self.pointer, triple.encode())

    def __del__(self) -> None:
        if self.pointer:
            _function("DisposeModule")(self.pointer)

    def __str__(self) -> str:
        return _told(lambda out: _function("PrintModuleToString")(self.pointer, out))[1]

    def verify(self) -> None:
        """That something in it is wrong is a `RuntimeError` with LLVM's words."""
        wrong, text = _told(lambda out: _function("VerifyModule")(self.pointer, out))
        if wrong:
            raise RuntimeError(text)

    def run(self, machine: Machine, *names: str) -> None:
        """Run passes, by the names of llvmlite's functions for them, or LLVM's middle end if there are none.

        Each run has a builder of its own: llvmlite leaves in it what calls objects that end with the run. Loops are not
        made loops of vectors: four bytes at once would be four operations here, and a loop for fewer turns beside
        theirs."""
        tuning = _function("CreatePipelineTuningOptions")()
        _function("PTOSetLoopVectorization")(tuning, False)
        builder = _function("CreatePassBuilder")(machine.pointer, tuning)
        if names:
            manager = _function("CreateNewModulePassManager")()
            for name in names:
                _function(f"module_Add{name}Pass")(manager)
        else:
            manager = _function("buildPerModuleDefaultPipeline")(builder, machine.level)
        _function("RunNewModulePassManager")(manager, self.pointer, builder)
        _function("DisposeNewModulePassManger")(manager)
        _function("DisposePassBuilder")(builder)
        _function("DisposePipelineTuningOptions")(tuning)

    def link(self, other: Module, names: list[str]) -> None:
        """Take the functions `names` of the other module, which is gone with that."""
        for name in names:
            _function("SetLinkage")(_function("GetNamedFunction")(other.pointer, name.encode()), _EXTERNAL)
        pointer, other.pointer = other.pointer, None
        wrong, text = _told(lambda out: _function("LinkModules")(self.pointer, pointer, out))
        if wrong:
            raise RuntimeError(text)
        for name in names:
            _function("SetLinkage")(_function("GetNamedFunction")(self.pointer, name.encode()), _INTERNAL)
