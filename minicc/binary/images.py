"""The images, cubins and PTX texts, that a cubin, a fatbin or a host object with device code holds."""

from __future__ import annotations

import struct
from pathlib import Path

import attrs

from minicc.binary import archive, elf, elf_read, fatbin
from minicc.binary.cubin_read import arch_of
from minicc.diagnostics import fail

ELF, FATBIN = b"\x7fELF", struct.pack("<I", fatbin.MAGIC)
"""How files begin that may hold device code: objects, programs and cubins; fatbins."""


@attrs.define
class Image:
    """One cubin or PTX text of an input. `embedded`: it came out of a fatbin; its name lacks number, architecture and
    kind (`_numbered`). `identifier`: the source file that a fatbin says it is of. Of kind `member`: no image, but the
    name of the object of a library whose images follow."""

    kind: str
    arch: str
    data: bytes
    name: str
    version: tuple[int, int] = (1, 8)
    compressed: bool = False
    options: str = ""
    identifier: str = ""
    embedded: bool = True


def images_of(data: bytes, file: str, stem: str, everything: bool = False) -> list[Image]:
    """The images in `data`, relocatable ones of an object that has others only for `everything`; `CompileError` if it
    is nothing we know."""
    if data.startswith(FATBIN):
        return _fatbins(data, file, stem)
    if data.startswith(archive.MAGIC):
        return _of_archive(data, file, stem, everything)
    if not data.startswith(ELF):
        fail("objdump.format", "neither a cubin, a fatbin nor an object or a library with one", place=file)
    image = elf_read.read(data, file)
    if image.machine == elf.EM_CUDA:
        arch = arch_of(image)
        return [Image("cubin", arch, data, f"{stem}.{arch}.cubin", embedded=False)]
    found = _of_object(image, file, stem, everything)
    if not found:
        fail("objdump.format", "this object holds no device code (.nv_fatbin)", place=file)
    return found


def _of_archive(data: bytes, file: str, stem: str, everything: bool) -> list[Image]:
    """The images of a library's objects, each object's behind an image that is only its name."""
    found: list[Image] = []
    for name, body in archive.members(data, file):
        place = f"{Path(file).resolve()}:{name}"
        found.append(Image("member", "", b"", place, embedded=False))
        if body.startswith(ELF):
            found += _of_object(elf_read.read(body, place), place, stem, everything)
    if all(image.kind == "member" for image in found):
        fail("objdump.format", "this library holds no device code (.nv_fatbin)", place=file)
    return found


def _of_object(image: elf_read.Elf, file: str, stem: str, everything: bool) -> list[Image]:
    found: list[Image] = []
    for name in (".nv_fatbin", "__nv_relfatbin"):
        for section in image.sections:
            if section.name == name and (everything or not found or name == ".nv_fatbin"):
                found += _fatbins(bytes(section.data.bytes(0, len(section.data), section.name)), file, stem)
    return found


def _fatbins(data: bytes, file: str, stem: str) -> list[Image]:
    images: list[Image] = []
    for entry in fatbin.read_fatbin(data, file):
        real = entry.arch.replace("compute_", "sm_")
        name = Path(entry.name.strip()).stem.replace(" ", "-") or stem
        version = entry.version or ((1, 8) if entry.kind == "cubin" else (0, 0))
        compressed = entry.compression != "none"
        images.append(Image(entry.kind, real, entry.data, name, version, compressed, entry.options, entry.name))
    return images


def code_sections(image: Image) -> list[tuple[str, bytes]]:
    """(function name, bytes with padding) of each .text section, in file order."""
    view = elf_read.read(image.data, image.name)
    return [
        (s.name.removeprefix(".text."), bytes(s.data.bytes(0, len(s.data), s.name)))
        for s in view.sections
        if s.name.startswith(".text.")
    ]
