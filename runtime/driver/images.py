"""What can be loaded: cubin, fatbin, PTX text, a host object with a fatbin inside. Picks the image that runs on the
device, or compiles PTX for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from minicc.arch.schema import Arch
from minicc.diagnostics import SourceFile
from minicc.sass.program import Program
from runtime.errors import LaunchError
from runtime.hw.trace import Tracer


def read(source: object) -> tuple[bytes | Program, str]:
    """(image, name) of a path, PTX text, bytes, a `Program`, or what `minicc.compile` returned (what has `fatbin`)."""
    if isinstance(source, Program):
        return source, "program"
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), "image"
    for name in ("fatbin", "cubin"):
        image: Any = getattr(source, name, None)
        image = image() if callable(image) else image
        if isinstance(image, bytes):
            return image, str(getattr(source, "name", "image"))
    if isinstance(source, str) and "\n" in source:
        return source.encode(), "image"  # PTX, as text
    if isinstance(source, str | Path):
        path = Path(source)
        try:
            return path.read_bytes(), str(path)
        except OSError as error:
            raise LaunchError("load.no-file", f"{path}: {error.strerror or error}") from None
    raise LaunchError(
        "load.kind", f"cannot load a {type(source).__name__}; a path, bytes, or a compiled module is expected"
    )


def runs_on(cubin: str, arch: Arch) -> bool:
    """Whether a cubin for `cubin` ("sm_90a") runs on the device: same major version and no later minor; "a" cubins
    on exactly that chip."""
    match = re.fullmatch(r"sm_(\d+)([af]?)", cubin)
    if not match:
        return False
    sm, letter = int(match[1]), match[2]
    return sm == arch.sm if letter == "a" else sm // 10 == arch.sm // 10 and sm <= arch.sm


def jit_target(compute: str, arch: Arch) -> str | None:
    """The architecture to compile PTX of `compute` for, or None if the device is too old for it."""
    match = re.fullmatch(r"(?:compute|sm)_(\d+)([af]?)", compute)
    if not match or int(match[1]) > arch.sm:
        return None
    if match[2] == "a":
        return f"sm_{arch.sm}a" if int(match[1]) == arch.sm else None
    return arch.name


def to_program(image: bytes | Program, name: str, arch: Arch, tracer: Tracer) -> Program:
    """The program to run on `arch`. `CompileError` if the image is damaged or holds nothing for the device."""
    from minicc import binary
    from minicc.binary.images import ELF, FATBIN, images_of

    if isinstance(image, Program):
        _demand(image.arch, arch, name)
        return image
    if image.startswith((ELF, FATBIN)):
        held = images_of(image, name, name)
        if not all(one.embedded for one in held):
            program = binary.read_cubin(image, name)
            _demand(program.arch, arch, name)
            tracer.step("driver", "read cubin", name=name, arch=program.arch, functions=len(program.functions))
            return program
        cubins = [one for one in held if one.kind == "cubin" and runs_on(one.arch, arch)]
        if cubins:
            best = max(cubins, key=lambda one: (one.arch == arch.name, one.arch)).arch
            tracer.step("driver", "take cubin from fatbin", name=name, arch=best, of=len(held))
            return _only([one.data for one in cubins if one.arch == best], f"{name} ({best})", arch, tracer)
        texts = [one for one in held if one.kind == "ptx" and jit_target(one.arch, arch)]
        if texts:
            newest = max(texts, key=lambda one: one.version)
            return jit(newest.data.decode("utf-8", "replace"), f"{name} ({newest.arch})", arch, tracer)
        has = ", ".join(f"{one.kind} {one.arch}" for one in held) or "nothing"
        raise LaunchError("load.no-image", f"{name} holds no code for {arch.name} (it holds {has})")
    text = image.rstrip(b"\0").decode("utf-8", "replace")
    if re.search(r"^\s*\.version\s+\d", text, re.MULTILINE):
        return jit(text, name, arch, tracer)
    hint = "; minicc.compile makes one of a source" if name.endswith((".k", ".cu", ".ll")) else ""
    raise LaunchError("load.format", f"{name} is neither a cubin, a fatbin, a host object nor PTX{hint}")


def _only(cubins: list[bytes], name: str, arch: Arch, tracer: Tracer) -> Program:
    """The one cubin with kernels: a linked program also holds what the device linker made, which may be empty."""
    programs = [to_program(cubin, name, arch, tracer) for cubin in cubins]
    useful = [p for p in programs if any(f.entry for f in p.functions)] or programs[:1]
    if len(useful) > 1:
        kernels = "; ".join(", ".join(f.name for f in p.functions if f.entry) for p in useful)
        raise LaunchError(
            "load.several", f"{name} holds {len(useful)} modules (kernels: {kernels}); extract one with objdump -xelf"
        )
    return useful[0]


def _demand(cubin: str, arch: Arch, name: str) -> None:
    if not runs_on(cubin, arch):
        raise LaunchError("load.arch", f"{name} is code for {cubin}; the device is {arch.name}")


def jit(text: str, name: str, arch: Arch, tracer: Tracer) -> Program:
    """Compile PTX for the device, as the driver of a GPU does for a fatbin without a matching cubin."""
    from minicc import arch as machines
    from minicc import ptx, ptxas
    from minicc.diagnostics import CompileError
    from minicc.ptxas import options

    source = SourceFile(name, text)
    module = ptx.parse(source)
    match = re.search(r"^\s*\.target\s+([\w]+)", text, re.MULTILINE)
    target = jit_target(match[1], arch) if match else None
    if target is None:
        raise LaunchError(
            "load.arch", f"{name} needs {match[1] if match else 'no known target'}; the device is {arch.name}"
        )
    machine = machines.get(target)
    problems = ptx.verify(module, machine)
    if any(d.severity == "error" for d in problems):
        raise CompileError(problems)
    tracer.step("driver", "JIT PTX", name=name, target=target, lines=text.count("\n") + 1)
    return ptxas.assemble(module, machine, options.Options())
