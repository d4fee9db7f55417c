"""Errors of loading and running kernels. They are `CompileError`s, so that the command line prints them as it prints
every other error; `cuda` is the name that CUDA's runtime has for such an error ("cudaErrorInvalidValue"), which a
traceback shows, too."""

from __future__ import annotations

from minicc.diagnostics import EXIT_SOURCE, CompileError, Diagnostic

_NAMES = {
    "launch.configuration": "InvalidConfiguration", "launch.resources": "LaunchOutOfResources",
    "launch.stream": "InvalidResourceHandle", "event.unrecorded": "InvalidResourceHandle",
    "event.device": "InvalidResourceHandle", "device.name": "InvalidDevice", "cuda.driver": "InsufficientDriver",
    "device.memory": "MemoryAllocation", "load.memory": "MemoryAllocation", "out_of_memory": "MemoryAllocation",
    "load.no-symbol": "SymbolNotFound", "not_found": "SymbolNotFound", "load.no-file": "FileNotFound",
    "load.no-image": "NoKernelImageForDevice", "load.arch": "NoKernelImageForDevice",
    "no_binary_for_gpu": "NoKernelImageForDevice", "load.format": "InvalidKernelImage",
    "invalid_image": "InvalidKernelImage", "invalid_handle": "InvalidResourceHandle",
    "deadlock": "LaunchTimeout", "timeout": "LaunchTimeout", "trap": "LaunchFailure", "launch_failed": "LaunchFailure",
    "stack_overflow": "IllegalAddress", "invalid_launch": "InvalidConfiguration", "dropped": "LaunchFailure",
    "channel": "LaunchFailure", "unknown": "Unknown",
}  # fmt: skip
"""CUDA's names of codes and kinds, where they are not these in other letters (illegal_address) or InvalidValue."""


def _cuda(word: str) -> str:
    camel = "" if "." in word else "".join(part.capitalize() for part in word.split("_"))
    return "cudaError" + (_NAMES.get(word) or camel or "InvalidValue")


class LaunchError(CompileError, ValueError, TypeError):
    """A launch, an argument or a memory request that is wrong; nothing was run."""

    def __init__(self, code: str, message: str) -> None:
        self.code, self.message, self.cuda = code, message, _cuda(code.removeprefix("cuda.call."))
        CompileError.__init__(self, Diagnostic("error", code, message), EXIT_SOURCE)
        self.add_note(self.cuda)

    def __reduce__(self) -> tuple[type[LaunchError], tuple[str, str]]:
        return type(self), (self.code, self.message)


class DeviceError(CompileError, RuntimeError):
    """A kernel ended early. `kind` is the fault ("illegal_address", ...; libcuda's error name on a real GPU); the rest
    is filled in where known: kernel name, block and thread, byte offset in the kernel, source file and line, and what
    the kernel had printed by then."""

    def __init__(
        self,
        message: str,
        kind: str = "unknown",
        kernel: str = "",
        block: tuple[int, int, int] | None = None,
        thread: tuple[int, int, int] | None = None,
        pc: int | None = None,
        file: str = "",
        line: int = 0,
        address: int | None = None,
        output: str = "",
    ) -> None:
        self.message, self.output = message, output
        self.kind, self.kernel, self.block, self.thread = kind, kernel, block, thread
        self.pc, self.file, self.line, self.address = pc, file, line, address
        place = f"{file}:{line}" if file and kind != "assert" else kernel  # an assertion says it itself
        CompileError.__init__(self, Diagnostic("error", f"device.{kind}", message, place=place or None), EXIT_SOURCE)
        self.cuda = _cuda(kind)
        self.add_note(self.cuda)

    def __reduce__(self) -> tuple[type[DeviceError], tuple[object, ...]]:
        place = (self.kernel, self.block, self.thread, self.pc, self.file, self.line, self.address)
        return type(self), (self.message, self.kind, *place, self.output)
