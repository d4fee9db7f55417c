"""LLVM by the C functions of llvmlite's library: those that the middle end needs.

llvmlite's own binding declares everything there is, and importing it is an eighth of what a small compile executes.
The version of llvmlite is pinned, so it is known what its functions take. Calls are made under the lock of `optimise`,
and where llvmlite's binding is in the process, too, under its lock as well (`lock`). Failures are `RuntimeError`s in
LLVM's words.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_size_t, c_void_p
from functools import cache, cached_property
from typing import Any

from minicc.ahead import llvm_library

_TEXT = POINTER(c_char_p)
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "AddAlwaysInlinerPass": (None, (c_void_p,)),
    "AddInstCombinePass": (None, (c_void_p,)),
    "AddLoopUnrollPass": (None, (c_void_p,)),
    "AddNewGVNPass": (None, (c_void_p,)),
    "AddPostOrderFunctionAttrsPass": (None, (c_void_p,)),
    "AddSROAPass": (None, (c_void_p,)),
    "AddSimplifyCFGPass": (None, (c_void_p,)),
    "ContextCreate": (c_void_p, ()),
    "CopyStringRepOfTargetData": (None, (c_void_p, _TEXT)),
    "CreateNewModulePassManager": (c_void_p, ()),
    "CreatePassBuilder": (c_void_p, (c_void_p, c_void_p)),
    "CreatePipelineTuningOptions": (c_void_p, ()),
    "CreateTargetMachine": (
        c_void_p,
        (c_void_p, c_char_p, c_char_p, c_char_p, c_int, c_char_p, c_char_p, c_int, c_int, c_char_p),
    ),
    "CreateTargetMachineData": (c_void_p, (c_void_p,)),
    "DisposeMemoryBuffer": (None, (c_void_p,)),
    "DisposeModule": (None, (c_void_p,)),
    "DisposeNewModulePassManger": (None, (c_void_p,)),  # sic
    "DisposePassBuilder": (None, (c_void_p,)),
    "DisposePipelineTuningOptions": (None, (c_void_p,)),
    "DisposeString": (None, (c_char_p,)),
    "DisposeTargetData": (None, (c_void_p,)),
    "GetBufferSize": (c_size_t, (c_void_p,)),
    "GetBufferStart": (c_void_p, (c_void_p,)),
    "GetNamedFunction": (c_void_p, (c_void_p, c_char_p)),
    "GetTargetFromTriple": (c_void_p, (c_char_p, _TEXT)),
    "InitializeAllAsmPrinters": (None, ()),
    "InitializeAllTargetInfos": (None, ()),
    "InitializeAllTargetMCs": (None, ()),
    "InitializeAllTargets": (None, ()),
    "LinkModules": (c_int, (c_void_p, c_void_p, _TEXT)),
    "ParseAssembly": (c_void_p, (c_void_p, c_char_p, _TEXT)),
    "PrintModuleToString": (None, (c_void_p, _TEXT)),
    "RunNewModulePassManager": (None, (c_void_p, c_void_p, c_void_p)),
    "SetCommandLine": (None, (c_char_p, c_char_p)),
    "SetLinkage": (None, (c_void_p, c_int)),
    "SetTarget": (None, (c_void_p, c_char_p)),
    "TargetMachineEmitToMemory": (c_void_p, (c_void_p, c_void_p, c_int, _TEXT)),
    "VerifyModule": (c_bool, (c_void_p, _TEXT)),
    "buildPerModuleDefaultPipeline": (c_void_p, (c_void_p, c_int)),
}
"""Result and arguments of each function, without LLVMPY_ and, of a pass, module_ before its name."""
PASSES = {
    "always-inline": "AlwaysInlinerPass",
    "function-attrs": "PostOrderFunctionAttrsPass",
    "instcombine": "InstCombinePass",
    "loop-unroll": "LoopUnrollPass",
    "newgvn": "NewGVNPass",
    "simplifycfg": "SimplifyCFGPass",
    "sroa": "SROAPass",
}
"""The passes that `Builder.passes` knows, as LLVM spells them."""
_LINKAGES = {"external": 0, "internal": 8}


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(llvm_library())


@cache
def _function(name: str) -> Callable[..., Any]:
    prefix = "LLVMPY_module_" if name.startswith("Add") else "LLVMPY_"
    found = _library()[prefix + name]
    found.restype, found.argtypes = _FUNCTIONS[name]
    return found


def _call(name: str, *arguments: object) -> Any:
    return _function(name)(*arguments)


def _said(name: str, *arguments: object) -> tuple[Any, str]:
    """What a function returns whose last argument is a place for a text, and that text."""
    text = c_char_p()
    result = _call(name, *arguments, byref(text))
    if not text:
        return result, ""
    said = text.value or b""
    _call("DisposeString", text)
    return result, said.decode()


@cache
def _context() -> int:
    return int(_call("ContextCreate"))


def lock() -> AbstractContextManager[object]:
    """That of llvmlite's binding, if somebody has imported it."""
    ffi = sys.modules.get("llvmlite.binding.ffi")
    return nullcontext() if ffi is None else ffi.lib._lock


@cache
def initialise() -> None:
    """Let LLVM know its targets."""
    for name in ("TargetInfos", "Targets", "TargetMCs", "AsmPrinters"):
        _call(f"InitializeAll{name}")


def set_option(option: str) -> None:
    """Set one of LLVM's options, for the whole process: "-name=value"."""
    _call("SetCommandLine", b"", option.encode())


class Module:
    """A module of LLVM IR. `Module(text)` parses it; `str` prints it."""

    def __init__(self, text: str) -> None:
        self.pointer, error = _said("ParseAssembly", _context(), text.encode())
        if error:
            raise RuntimeError(f"LLVM IR parsing error\n{error}")

    def __del__(self) -> None:
        if self.pointer:
            _call("DisposeModule", self.pointer)

    def __str__(self) -> str:
        return _said("PrintModuleToString", self.pointer)[1]

    def set_triple(self, triple: str) -> None:
        """Say which target it is for."""
        _call("SetTarget", self.pointer, triple.encode())

    def verify(self) -> None:
        """Raises what is wrong with it."""
        wrong, text = _said("VerifyModule", self.pointer)
        if wrong:
            raise RuntimeError(text)

    def set_linkage(self, function: str, linkage: str) -> None:
        """Make a function "external" or "internal"."""
        _call("SetLinkage", _call("GetNamedFunction", self.pointer, function.encode()), _LINKAGES[linkage])

    def link_in(self, other: Module) -> None:
        """Take in what is in another module, which is gone then."""
        wrong, text = _said("LinkModules", self.pointer, other.pointer)
        other.pointer = None
        if wrong:
            raise RuntimeError(text)


class Machine:
    """Code generation for a processor, at a level of optimisation. It stays as long as the process."""

    def __init__(self, triple: str, cpu: str, features: str, level: int) -> None:
        target, error = _said("GetTargetFromTriple", triple.encode())
        if not target:
            raise RuntimeError(error)
        words = (triple.encode(), cpu.encode(), features.encode(), level, b"default", b"jitdefault", 0, 0, b"")
        self.pointer = _call("CreateTargetMachine", target, *words)

    @cached_property
    def data_layout(self) -> str:
        """Sizes and alignments, as a module states them."""
        data = _call("CreateTargetMachineData", self.pointer)
        layout = _said("CopyStringRepOfTargetData", data)[1]
        _call("DisposeTargetData", data)
        return layout

    def emit_assembly(self, module: Module) -> str:
        """What code generation writes."""
        buffer, error = _said("TargetMachineEmitToMemory", self.pointer, module.pointer, 0)
        if not buffer:
            raise RuntimeError(error)
        data = ctypes.string_at(_call("GetBufferStart", buffer), _call("GetBufferSize", buffer))
        _call("DisposeMemoryBuffer", buffer)
        return data.decode()


class Builder:
    """Runs LLVM's passes, for a machine, at a level of optimisation."""

    def __init__(self, machine: Machine, level: int) -> None:
        self.level = level
        self.tuning = _call("CreatePipelineTuningOptions")
        self.pointer = _call("CreatePassBuilder", machine.pointer, self.tuning)

    def __del__(self) -> None:
        _call("DisposePassBuilder", self.pointer)
        _call("DisposePipelineTuningOptions", self.tuning)

    def pipeline(self, module: Module) -> None:
        """LLVM's usual passes."""
        self._run(_call("buildPerModuleDefaultPipeline", self.pointer, self.level), module)

    def passes(self, module: Module, *names: str) -> None:
        """Some passes, by name (see `PASSES`)."""
        manager = _call("CreateNewModulePassManager")
        for name in names:
            _call(f"Add{PASSES[name]}", manager)
        self._run(manager, module)

    def _run(self, manager: int, module: Module) -> None:
        _call("RunNewModulePassManager", manager, module.pointer, self.pointer)
        _call("DisposeNewModulePassManger", manager)
