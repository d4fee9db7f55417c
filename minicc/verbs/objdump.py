"""`minicc objdump`: what a cubin, fatbin or host object holds, as cuobjdump and nvdisasm show it.

Reads our files and NVIDIA's. Without an option it prints a cubin as a listing that `minicc as` reads, and the table of
contents of a container.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from minicc.binary.images import Image, code_sections, images_of
from minicc.binary.mangling import signature
from minicc.diagnostics import CompileError, fail
from minicc.output import write
from minicc.record import evolve

if TYPE_CHECKING:
    from minicc.sass.program import Line

USAGE = """Usage: minicc objdump [options] FILE...

FILE is a cubin, a fatbin, a host object or executable with a .nv_fatbin section, or a library of such objects. `-` is
standard input.

  -asm               a listing that `minicc as` assembles to the same bytes (default for a cubin)
  -sass              machine code, as cuobjdump -sass prints it
  -ctrl, --control   with -sass: control codes as text, B--2---:R-:W0:-:S04
  --why              with -sass: what set each stall count and each wait, after the instruction
  --fields           with -sass: all 128 bits, field by field, below the instruction
  -raw               with -sass: without the instruction words
  -g, -gi            with -sass: the source line of each stretch; -gi also the calls that were expanded in place
  -plr, -lrm HOW     with -sass: the registers in use at each instruction; HOW is wide, narrow or count
  -cfg               the control-flow graph of basic blocks, for Graphviz's dot
  -ptx               PTX source
  -elf               section headers, symbols and the content of every section of each cubin
  -symbols           ELF symbol names
  -res-usage         registers, stack, shared and constant memory of each kernel
  -lelf, -lptx, -ltext   list the images, and the functions' code; -xelf NAME,...|all, -xptx, -xtext extract those
                     whose name holds a NAME
  -sort              functions by name
  -hex               bytes of each code section
  -arch sm_XX        only images of this architecture
  -all               of an executable also the relocatable images
  -fun NAME,...      only these functions, by symbol or by their name in the source
  --json             everything asked for as one JSON document
  -h, --help         this text

examples:
  minicc objdump -sass --control vadd.cubin
  minicc objdump -xelf all vadd.fatbin
  minicc objdump vadd.cubin > vadd.sass && minicc as vadd.sass -o again.cubin
"""

_FLAGS = {
    "asm": "asm", "listing": "asm", "sass": "sass", "dump-sass": "sass", "ptx": "ptx", "dump-ptx": "ptx",
    "elf": "elf", "dump-elf": "elf", "symbols": "symbols", "dump-elf-symbols": "symbols", "res-usage": "usage",
    "dump-resource-usage": "usage", "lelf": "lelf", "list-elf": "lelf", "lptx": "lptx", "list-ptx": "lptx",
    "hex": "hex", "ctrl": "control", "control": "control", "raw": "raw", "json": "json", "ltext": "ltext",
    "list-text": "ltext", "sort": "sort", "sort-functions": "sort", "all": "all", "all-fatbin": "all", "why": "why",
    "fields": "fields", "c": "asm", "print-code": "asm", "g": "lines", "print-line-info": "lines", "gi": "inlined",
    "print-line-info-inline": "inlined", "plr": "ranges", "print-life-ranges": "ranges", "cfg": "graph",
    "output-control-flow-graph": "graph", "bbcfg": "graph", "output-control-flow-graph-with-basic-blocks": "graph",
}  # fmt: skip
_VALUES = {
    "xtext": "xtext", "extract-text": "xtext", "xelf": "xelf", "extract-elf": "xelf", "xptx": "xptx",
    "extract-ptx": "xptx", "arch": "arch", "gpu-architecture": "arch", "fun": "fun", "function": "fun",
    "lrm": "lrm", "life-range-mode": "lrm",
}  # fmt: skip
"""Options behind one dash or two, as the short and long ones of cuobjdump and nvdisasm, to what they ask for."""


@attrs.define
class Request:
    """What was asked for."""

    wants: set[str] = attrs.field(factory=set)
    values: dict[str, str] = attrs.field(factory=dict)
    files: list[str] = attrs.field(factory=list)


def main(argv: Sequence[str]) -> int:
    """Run the verb. Returns 0; errors are `CompileError`."""
    request = _parse(argv)
    if request is None:
        sys.stdout.write(USAGE)
        return 0
    if not request.files:
        fail("cli.input", "no input file (see minicc objdump --help)")
    if (arch := request.values.get("arch")) and not re.fullmatch(r"sm_\d{2,3}[af]?", arch):
        fail("cli.value", f"'-arch {arch}' is no architecture; sm_90, sm_90a ...")
    if (mode := request.values.get("lrm")) not in (None, "wide", "narrow", "count"):
        fail("cli.value", f"'-lrm {mode}' is not wide, narrow or count")
    out: list[str] = []
    documents = []
    for file in request.files:
        images = _numbered(read_images(file, everything="all" in request.wants), request.values.get("arch"))
        if "json" in request.wants:
            if request.values.keys() & {"xelf", "xptx", "xtext"}:
                _extract(images, request.values)
            documents.append({"file": file, "images": [image_json(i, request) for i in images]})
        else:
            out += _show(images, request)
    if documents:
        body: Any = {"schema": "minicc.objdump/1", "files": documents}
        out = [json.dumps(body, indent=1)]
    try:
        sys.stdout.write("".join(f"{line}\n" for line in out))
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()
    return 0


def _parse(argv: Sequence[str]) -> Request | None:
    request = Request()
    words = list(argv)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word in ("-h", "--help"):
            return None
        option = re.sub("^--?", "", name) if word[:1] == "-" and word != "-" else ""
        if not option:
            request.files.append(word)
        elif option in _FLAGS and not equals:
            request.wants.add(_FLAGS[option])
        elif option in _VALUES:
            if not equals and not words:
                fail("cli.value", f"'{word}' needs a value")
            request.values[_VALUES[option]] = value if equals else words.pop(0)
        else:
            import difflib

            near = difflib.get_close_matches(option, [*_FLAGS, *_VALUES], 1)
            hint = f"did you mean '-{near[0]}'?" if near else "see minicc objdump --help"
            fail("cli.option", f"unknown option '{word}' ({hint})")
    return request


def _numbered(images: list[Image], arch: str | None) -> list[Image]:
    """Those of one architecture (a cubin that stands alone is always meant), each with its number in its name."""
    counts = {"cubin": 0, "ptx": 0}
    out = []
    for image in images:
        if image.embedded:
            if arch is not None and image.arch != arch:
                continue
            counts[image.kind] += 1
            number = "" if image.identifier else f".{counts[image.kind]}"
            image = evolve(image, name=f"{image.name}{number}.{image.arch}.{image.kind}")
        out.append(image)
    return out


def read_images(file: str, everything: bool = False) -> list[Image]:
    """The images of a file, in file order."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        fail("cli.input", f"Could not open input file '{file}': {error.strerror}")
    stem = "stdin" if file == "-" else Path(file).stem
    return images_of(data, file, stem, everything)


def _show(images: list[Image], request: Request) -> list[str]:
    wants, values = request.wants, request.values
    out: list[str] = []
    if wants & {"lelf", "lptx"}:
        for k, label, image in _counted(images):
            if image.kind == "member":
                out += _member(image)
            elif f"l{label.lower()}" in wants:
                out.append(f"{label} file {k:4}: {image.name}")
        return out
    if "ltext" in wants:
        number = count(1)
        for image in images:
            out += _member(image) if image.kind == "member" else []
            out += [f"SASS text section {next(number)} : {name}" for name, _ in _texts([image])]
        return out
    if values.keys() & {"xelf", "xptx", "xtext"}:
        return _extract(images, values)
    if "fun" in values:
        _warn_of_unknown(images, values["fun"])
    if "lrm" in values:
        wants = wants | {"ranges"}
    if wants & {"why", "fields"}:
        wants = wants | {"sass", "control"}
    if wants & {"lines", "inlined", "ranges"}:
        wants = wants | {"sass"}
    if not wants - {"control", "all", "sort"} and all(not image.embedded for image in images):
        wants = wants | {"asm"}
    for image in images:
        if image.kind == "member":
            out += _member(image)
            continue
        if image.embedded and "graph" not in wants:
            out += _entry_header(image)
        if image.kind == "ptx":
            if "ptx" in wants:
                out += [image.data.decode("utf-8", "replace").rstrip("\0")]
            continue
        try:
            out += _show_cubin(image, request, wants)
        except CompileError as error:
            # Of a machine without a known encoding; those beside it are shown.
            if len(images) == 1 or any(d.code != "sass.arch" for d in error.diagnostics):
                raise
            sys.stderr.write(f"{error}\n".replace("error:", "warning:", 1))
    return out


def _texts(images: list[Image]) -> list[tuple[str, bytes]]:
    """The code of each function, by the name of the file that -xtext makes of it: cuobjdump's, which calls a fatbin
    that does not say its source "x"."""
    out = []
    for image in images:
        if image.kind == "cubin":
            known = bool(image.identifier) or not image.embedded
            stem = image.name.removesuffix(f".{image.arch}.cubin") if known else "x"
            out += [(f"{stem}-{name}.{image.arch}.elf.bin", code) for name, code in code_sections(image)]
    return out


def _warn_of_unknown(images: list[Image], names: str) -> None:
    known = {name for image in images if image.kind == "cubin" for name, _ in code_sections(image)}
    for name in names.split(","):
        if not any(name in (symbol, signature(symbol).base) for symbol in known):
            held = ", ".join(sorted(known)) or "none"
            sys.stderr.write(f"minicc: warning: no function is called {name}; there are: {held}\n")


def _counted(images: list[Image]) -> Iterator[tuple[int, str, Image]]:
    """Each image with its number among those of its kind, and the kind's name."""
    counts = {"ELF": 0, "PTX": 0, "member": 0}
    for image in images:
        label = {"ptx": "PTX", "cubin": "ELF"}.get(image.kind, image.kind)
        counts[label] += 1
        yield counts[label], label, image


def _extract(images: list[Image], values: dict[str, str]) -> list[str]:
    out = []
    for option, label in (("xelf", "ELF"), ("xptx", "PTX")):
        pattern = values.get(option)
        if pattern not in (None, "all") and not any(
            _named(image, pattern) for _, of, image in _counted(images) if of == label
        ):
            fail("objdump.extract", f"no {label} file whose name holds '{pattern}'")
    for k, label, image in _counted(images):
        if label == "member":
            out += _member(image)
            continue
        if not _named(image, values.get("xelf" if label == "ELF" else "xptx")):
            continue
        safe = image.name.replace("/", "_").replace("\\", "_").replace("\0", "_")
        write(safe, image.data.rstrip(b"\0") if label == "PTX" else image.data)
        what, more = f"{label} file", ""
        if label == "PTX":
            what, more = f"{what} and ptxas options", f" -arch={image.arch} {image.options}"
        out.append(f"Extracting {what} {k:4}: {safe}{more}")
    if pattern := values.get("xtext"):
        parts, texts = [""] if pattern == "all" else pattern.split(","), list(enumerate(_texts(images), 1))
        wanted = [(k, text) for k, text in texts if any(part in text[0] for part in parts)]
        if not wanted and pattern != "all":
            fail("objdump.extract", f"no code of a function whose name holds '{pattern}'")
        for k, (name, code) in wanted:
            write(name.replace("/", "_"), code)
            out.append(f"Extracting SASS text section {k} : {name}")
    return out


def _named(image: Image, pattern: str | None) -> bool:
    """Whether the image's name holds one of the names in `pattern`."""
    return pattern is not None and (pattern == "all" or any(part in image.name for part in pattern.split(",")))


def _member(image: Image) -> list[str]:
    """What stands before the images of a library's object."""
    return ["", f"member {image.name}:"]


def _entry_header(image: Image) -> list[str]:
    kind = "elf" if image.kind == "cubin" else "ptx"
    out = ["", f"Fatbin {kind} code:", "================", f"arch = {image.arch}"]
    out += [f"code version = [{image.version[0]},{image.version[1]}]", "host = linux", "compile_size = 64bit"]
    if image.compressed:
        out.append("compressed")
    if image.identifier:
        out.append(f"identifier = {image.identifier}")
    if image.kind == "ptx":
        out.append(f"ptxasOptions = {image.options}")
    return out


def _show_cubin(image: Image, request: Request, wants: set[str]) -> list[str]:
    out: list[str] = []
    if "asm" in wants:
        from minicc.binary import read_cubin
        from minicc.sass import disassemble

        program = read_cubin(image.data, image.name)
        program.functions = [f for f in program.functions if _chosen(f.name, request)]
        out += [disassemble(program, image.name).rstrip("\n")]
    if "elf" in wants:
        out += _elf(image)
    if "usage" in wants:
        out += _usage(image, request)
    if "sass" in wants:
        out += _sass(image, request, wants)
    if "graph" in wants:
        out += _graph(image, request)
    if "symbols" in wants:
        out += _symbols(image)
    if "hex" in wants and "sass" not in wants:
        from minicc.binary.elf_text import words

        for name, code in code_sections(image):
            out += ["", f".text.{name}", *words(code)]
    return out


def _chosen(name: str, request: Request) -> bool:
    """By its symbol or its name in the source."""
    return "fun" not in request.values or bool({name, signature(name).base} & {*request.values["fun"].split(",")})


def _header_flags(image: Image) -> str:
    from minicc.binary import elf_read
    from minicc.binary.cubin_read import virtual_of

    base = "".join(ch for ch in image.arch if ch.isdigit())
    virtual = virtual_of(elf_read.read(image.data, image.name)) or base
    extra = "EF_CUDA_ACCELERATORS " if image.arch.endswith("a") else ""
    return f'\t.headerflags\t@"{extra}EF_CUDA_SM{base} EF_CUDA_VIRTUAL_SM(EF_CUDA_SM{virtual})"'


def _graph(image: Image, request: Request) -> list[str]:
    from minicc.sass import dump
    from minicc.sass.listing import arch_of
    from minicc.verbs import nvdisasm

    arch = arch_of(image.arch, place=image.name)
    chosen = [(name, code) for name, code in code_sections(image) if _chosen(name, request)]
    return list(nvdisasm.graph([(name, list(dump.lines_of(code, arch))) for name, code in chosen], arch))


def _sass(image: Image, request: Request, wants: set[str]) -> list[str]:
    from minicc.sass import dump
    from minicc.sass.listing import arch_of

    arch = arch_of(image.arch, place=image.name)
    sections = [(name, list(dump.lines_of(code, arch))) for name, code in code_sections(image)]
    places: dict[str, list[Line]] = {}
    if wants & {"lines", "inlined"}:
        from minicc.binary import read_cubin

        places = {f.name: f.lines for f in read_cubin(image.data, image.name).functions}
    if wants & {"lines", "inlined", "ranges"}:
        from minicc.verbs import nvdisasm
    if "sort" in request.wants:
        sections.sort(key=lambda section: section[0])
    hex_column = dump.column(line for _, lines in sections for line in lines)
    out = ["", f"\tcode for {image.arch}"]
    flags = _header_flags(image)
    if "fun" not in request.values:
        out += [f"\t.target\t{image.arch}", ""]
    for name, lines in sections:
        if not _chosen(name, request):
            continue
        out += [f"\t\tFunction : {name}", flags]
        more = wants & {"why", "fields"}
        words, control = not wants & {"why", "fields", "ranges", "raw"}, bool(more) or "control" in wants
        text = dump.section_text(lines, hex_column, words=words, control=control)
        text = _reasons(text, lines, arch) if "why" in more else text
        if "ranges" in wants:
            text = nvdisasm.life_ranges(text, lines, arch, request.values.get("lrm", "wide"))
        elif wants & {"lines", "inlined"}:
            text = nvdisasm.source_lines(text, lines, places.get(name, ()), "inlined" in wants)
        out += _fields(text, lines, arch) if "fields" in more and len(text) == len(lines) else text
        out += ["\t\t..........", "", ""]
    return out


def _reasons(text: list[str], lines: list[Any], arch: Any) -> list[str]:
    """Each line with what its control codes are there for."""
    from minicc.ptxas.control.why import explain

    code = b"".join(line.word.to_bytes(16, "little") for line in lines)
    try:
        found = explain(code, arch)
    except CompileError:  # a word that is no instruction
        return text
    width = max((len(line) for line in text), default=0) + 2
    return [f"{line:<{width}}{why.text()}".rstrip() for line, why in zip(text, found, strict=True)]


def _fields(text: list[str], lines: list[Any], arch: Any) -> list[str]:
    """Each line, and the fields of its word below it."""
    from minicc.sass import anatomy

    out = []
    for head, line in zip(text, lines, strict=True):
        fields = anatomy.table(line.word, arch, line.address) if line.instr else []
        out += [head, *(f"            {field}" for field in fields)]
    return out


def _elf(image: Image) -> list[str]:
    from minicc.binary import elf_read
    from minicc.binary.cubin_read import toolkit_of
    from minicc.binary.elf_text import elf_text

    view = elf_read.read(image.data, image.name)
    kit = toolkit_of(view)
    kind = {1: "ET_REL", 2: "ET_EXEC", 3: "ET_DYN"}.get(view.type, str(view.type))
    toolkit = f", toolkit={kit[0]}.{kit[1]}" if kit else ""
    sm = image.arch.removeprefix("sm_")
    return elf_text(view, f"64-bit ELF: type={kind}, ABI={view.abi}, sm={sm}{toolkit}, flags={view.flags:#x}")


def _symbols(image: Image) -> list[str]:
    from minicc.binary import elf_read
    from minicc.binary.elf_text import SECTION, nature

    view = elf_read.read(image.data, image.name)
    symbols = [s for s in view.symbols[1:] if s.type != SECTION]
    return ["", "symbols:", *(f"{nature(s):<67}{' ' if s.section else 'U'}  {s.name}" for s in symbols)]


def usage_of(image: Image) -> dict[str, Any]:
    """Resource usage as cuobjdump -res-usage counts it, banks in the sections' order: {"common": {...}, "functions":
    {name: {...}}}. Device functions have their own figures, where cuobjdump prints zeros."""
    from minicc.binary import elf_read, read_cubin

    view = elf_read.read(image.data, image.name)
    program = read_cubin(image.data, image.name)
    sizes = {s.name: s.size for s in view.sections}
    common = {"GLOBAL": sum(sizes.get(name, 0) for name in (".nv.global", ".nv.global.init"))}
    banks: dict[str, dict[str, int]] = {"": common}
    for section in view.sections:
        if found := re.fullmatch(r"\.nv\.constant(\d+)\.?(.*)", section.name):
            banks.setdefault(found[2], {})[f"CONSTANT[{found[1]}]"] = section.size
    functions = {}
    for f in program.functions:
        row = {
            "REG": f.registers,
            "STACK": f.min_stack if f.entry else f.frame,
            "SHARED": sizes.get(f".nv.shared.{f.name}", 0),
            "LOCAL": 0,
        }
        functions[f.name] = row | banks.get(f.name, {}) | {"TEXTURE": 0, "SURFACE": 0, "SAMPLER": 0}
    return {"common": common, "functions": functions}


def _usage(image: Image, request: Request) -> list[str]:
    usage = usage_of(image)
    out = [
        "",
        "Resource usage:",
        " Common:",
        "  " + " ".join(f"{k}:{v}" for k, v in usage["common"].items()),
    ]
    for name, row in usage["functions"].items():
        if not _chosen(name, request):
            continue
        out += [f" Function {name}:", "  " + " ".join(f"{k}:{v}" for k, v in row.items())]
    return out


def image_json(image: Image, request: Request) -> dict[str, Any]:
    """One image as JSON; code only if -sass (or nothing) was asked for."""
    out: dict[str, Any] = {"kind": image.kind, "arch": image.arch, "name": image.name, "size": len(image.data)}
    if image.kind == "member":
        return out
    if image.kind == "ptx":
        if "ptx" in request.wants:
            out["ptx"] = image.data.decode("utf-8", "replace").rstrip("\0")
        return out
    from minicc.sass import dump
    from minicc.sass.listing import arch_of

    out["resource_usage"] = usage_of(image)
    if request.wants - {"json", "control", "raw"} and "sass" not in request.wants:
        return out
    arch = arch_of(image.arch, place=image.name)
    out["functions"] = [
        {"name": name, "instructions": [dump.instruction_json(line) for line in dump.lines_of(code, arch)]}
        for name, code in code_sections(image)
        if _chosen(name, request)
    ]
    return out
