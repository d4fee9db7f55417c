"""Runs device functions on this machine: the same IR, retargeted, through LLVM's JIT."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import llvmlite.binding as llvm

from minicc.diagnostics import Diagnostics, SourceFile
from minicc.frontend.emit.driver import emit
from minicc.frontend.options import Options
from minicc.frontend.parser import parse
from minicc.frontend.preprocessor import Preprocessor

STAND_INS = {"llvm.nvvm.ex2.approx.ftz.f32": "llvm.exp2.f32", "llvm.nvvm.lg2.approx.ftz.f": "llvm.log2.f32"}
"""What the special-function unit computes, by the C library: good enough where the result is only a first guess."""


@functools.cache
def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(opt=1)


def host_ir(text: str, **options: Any) -> str:
    source = SourceFile("test.k", text)
    opts = Options(**options)
    diagnostics = Diagnostics()
    tokens = Preprocessor(opts, diagnostics).run(source)
    ir = emit(parse(tokens, opts, diagnostics), source, opts, host=True)
    return functools.reduce(lambda text, name: text.replace(name, STAND_INS[name]), STAND_INS, ir)


class Compiled:
    """Device functions (extern "C") of a source as callables. A function without optimisation: what we emitted is what runs."""  # noqa: E501

    def __init__(self, text: str, optimise: bool = False, **options: Any) -> None:
        module = llvm.parse_assembly(host_ir(text, **options))
        module.verify()
        if optimise:
            passes = llvm.create_pass_builder(_machine(), llvm.create_pipeline_tuning_options(speed_level=2))
            passes.getModulePassManager().run(module, passes)
        self.engine = llvm.create_mcjit_compiler(module, _fresh_machine())
        self.engine.finalize_object()

    def function(self, name: str, result: Any, *params: Any) -> Any:
        made = ctypes.CFUNCTYPE(result, *params)(self.engine.get_function_address(name))
        made.engine = self.engine  # the code lives as long as the callable
        return made


def _fresh_machine() -> Any:
    _machine()
    return llvm.Target.from_default_triple().create_target_machine(opt=1)
