"""nvcc's part: which stages run, in which order, and which files they leave. No compiling is done here.

A `Build` carries one input through the stages, each at most once and each result kept under the name of the file that
--keep would leave, so that stopping anywhere, keeping everything, or starting from a file in the middle are one path.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from minicc import arch as archs
from minicc import passes, texts
from minicc.diagnostics import CompileError, Diagnostic, SourceFile, fail
from minicc.options import Request, Target
from minicc.passes import Asked

if TYPE_CHECKING:
    from minicc.isel.cover.explain import Explanation
    from minicc.ptx.model import Module
    from minicc.sass.program import Program

T = TypeVar("T")

KINDS = {".k": "k", ".cu": "k", ".ll": "ll", ".ptx": "ptx", ".sass": "sass", ".cubin": "cubin"}
"""Input kinds by suffix. `.opt.ll` is IR that needs no more optimising."""


class Build:
    """One input on its way. `text` or `data` is the input; `kind` where it enters; `stem` names its artifacts."""

    def __init__(
        self,
        request: Request,
        name: str,
        stem: str,
        kind: str,
        source: SourceFile,
        data: bytes = b"",
        report: Callable[[Diagnostic], None] = lambda diagnostic: None,
    ) -> None:
        self.request, self.name, self.stem, self.kind = request, name, stem, kind
        self.source, self.data, self.report = source, data, report
        self.artifacts: dict[str, str | bytes] = {}
        self.dependencies: list[str] = []
        self.signatures: dict[str, str] = {}
        self.times: list[tuple[str, float]] = []
        self.info: list[str] = []
        self.explanation: Explanation | None = None
        """What instruction selection weighed, for --explain."""
        self._memo: dict[tuple[str, str], Any] = {}
        self._asked: dict[str, Asked] = {}

    # Bookkeeping

    def once(self, stage: str, key: str, make: Callable[[], T]) -> T:
        """Run a stage unless it has run for `key` ("compute_90", "sm_90"); keep its result, and its time without that
        of the stages that it ran first."""
        if (stage, key) not in self._memo:
            start, inner = time.perf_counter(), sum(seconds for _, seconds in self.times)
            self._memo[stage, key] = make()
            inner = sum(seconds for _, seconds in self.times) - inner
            self.times.append((f"{stage} {key}".rstrip(), time.perf_counter() - start - inner))
        made: T = self._memo[stage, key]
        return made

    def keep(self, suffix: str, content: str | bytes) -> None:
        self.artifacts[self.stem + suffix] = content

    def tag(self, target: Target) -> str:
        """Part of an artifact's name that tells several -gencode apart; empty when there is one."""
        return f".{target.compute}" if len(self.request.targets) > 1 else ""

    # Stages, in order. Each imports what it needs after the stages before it have run: see `ahead`.

    def ll(self, target: Target) -> str:
        """Frontend: `.k` to LLVM IR, as lowered; to IR that is given, what it calls of the device library."""

        def linked() -> str:
            from minicc import libdevice

            return libdevice.link(self.source.text, self.frontend_options(target), self.nvvm_options(target))

        if self.kind == "ll":
            return self.once("link", target.compute, linked)

        def make() -> str:
            from minicc import frontend

            options = self.frontend_options(target)
            text = frontend.compile(self.source, options)
            for diagnostic in options.diagnostics:
                self.report(diagnostic)
            self.dependencies[:] = options.files_read
            self.signatures = options.signatures
            self.keep(f"{self.tag(target)}.ll", text)
            return text

        return self.once("frontend", target.compute, make)

    def opt_ll(self, target: Target) -> str:
        """LLVM: optimised and prepared for nvptx64."""
        if self.kind == "ll" and self.name.endswith(".opt.ll"):
            return self.source.text

        def make() -> str:
            from contextlib import nullcontext

            from minicc import ahead, nvvm

            ll, options = self.ll(target), self.nvvm_options(target)
            if "div i128" in ll or "rem i128" in ll:
                from minicc import libdevice

                ll = libdevice.divisions(ll, self.frontend_options(target), options)
            nvvm.load()
            early = self.request.stage in ("opt.ll", "ptx")
            with nullcontext() if early else ahead.preparing(archs.get(target.compute)):
                text = nvvm.optimise(ll, options)
            self.info += passes.report(options.asked, "nvvm") if options.asked else []
            self.keep(f"{self.tag(target)}.opt.ll", text)
            return text

        return self.once("nvvm", target.compute, make)

    def nvptx(self, target: Target) -> str:
        """LLVM's own PTX from the same IR, as a peer."""

        def make() -> str:
            from minicc import nvvm

            return nvvm.nvptx(self.ll(target), self.nvvm_options(target))

        return self.once("nvptx", target.compute, make)

    def module(self, target: Target) -> Module:
        """The PTX module: selected from IR, or parsed."""

        def parse() -> Module:
            from minicc import ptx

            return ptx.parse(self.source)

        def make() -> Module:
            text = self.opt_ll(target)
            from minicc import isel, nvvm

            if self.request.has("explain"):
                from minicc.isel.cover.explain import Explanation

                self.explanation = Explanation()
            options = self.isel_options()
            made = isel.select(nvvm.read(text), archs.get(target.compute), options, self.explanation)
            self.info += passes.report(options.asked, "isel") if options.asked else []
            return made

        return self.once("parse", "", parse) if self.kind == "ptx" else self.once("isel", target.compute, make)

    def ptx(self, target: Target) -> str:
        """PTX text."""
        if self.kind == "ptx":
            return self.source.text

        def make() -> str:
            from minicc import ptx

            text = ptx.format(self.module(target))
            self.keep(f"{self.tag(target)}.ptx", text)
            return text

        return self.once("print", target.compute, make)

    def program(self, target: Target, code: str) -> Program:
        """ptxas, or the assembler, or a cubin read."""

        def make() -> Program:
            if self.kind == "sass":
                from minicc import sass

                return sass.assemble(self.source, archs.get(code))
            if self.kind == "cubin":
                from minicc import binary

                return binary.read_cubin(self.data, self.name)
            module = self.module(target)
            from minicc import ptxas

            options = self.ptxas_options(code)
            options.selected = self.kind != "ptx"
            program = ptxas.assemble(module, archs.get(code), options)
            self.info += options.messages
            return program

        return self.once("ptxas", code, make)

    def sass(self, target: Target, code: str) -> str:
        """The listing that `minicc as` reads back."""

        def make() -> str:
            from minicc import sass

            text = sass.disassemble(self.program(target, code))
            self.keep(f"{self.tag(target)}.{code}.sass", text)
            return text

        return self.once("disassemble", code, make)

    def cubin(self, target: Target, code: str) -> bytes:
        """The device ELF."""
        if self.kind == "cubin":
            from minicc.binary import elf_read

            elf_read.read(self.data, self.name)
            return self.data

        def make() -> bytes:
            program = self.program(target, code)
            from minicc import binary

            data = binary.write_cubin(program)
            self.keep(f"{self.tag(target)}.{code}.cubin", data)
            return data

        return self.once("cubin", f"{target.compute} {code}", make)

    def fatbin(self) -> bytes:
        """Every cubin and PTX that -arch, -code and -gencode ask for, in one container."""

        def make() -> bytes:
            from minicc import binary

            entries = []
            for target in self.request.targets:
                for code in target.codes:
                    data = self.cubin(target, code)
                    made_for = self.program(target, code).arch if self.kind == "cubin" else code
                    entries.append(binary.Entry("cubin", made_for, data))
                if target.embed_ptx and self.kind in ("k", "ll", "ptx"):
                    text = texts.as_bytes(self.ptx(target))
                    entries.append(binary.Entry("ptx", target.compute, text, compression=self.compression()))
            data = binary.write_fatbin(entries)
            self.keep(".fatbin", data)
            return data

        return self.once("fatbin", "", make)

    def object(self) -> bytes:
        """The host object: fatbin, registration, launch stubs."""

        def make() -> bytes:
            from minicc import binary

            target = self.request.targets[0]
            program = self.program(target, (target.codes or (target.compute.replace("compute", "sm"),))[0])
            ptx = self.ptx(target) if self.kind in ("k", "ll", "ptx") else None
            data = binary.write_object(self.fatbin(), program, self.stem, ptx)
            self.keep(".stub.c", binary.stub_c(program, self.stem, ptx))
            self.keep(".o", data)
            return data

        return self.once("object", "", make)

    # Options of the stages

    @property
    def contracts(self) -> bool:
        """Whether a * b + c may become one operation; as nvcc has it, not in code to be debugged."""
        return self.request.boolean("fmad", True) and not self.request.has("debug")

    @property
    def debug(self) -> Literal["none", "lineinfo", "full"]:
        """Debug information: "full", "lineinfo" or "none"."""
        return "full" if self.request.has("debug") else "lineinfo" if self.request.has("lineinfo") else "none"

    @property
    def warnings(self) -> Literal["shown", "left out", "errors"]:
        """What warnings of the stages are."""
        if self.request.has("no_warnings"):
            return "left out"
        return "errors" if "all-warnings" in self.request.lists.get("werror", []) else "shown"

    def frontend_options(self, target: Target) -> Any:
        from minicc.frontend.options import Options

        r, fast = self.request, self.request.has("fast_math")
        return Options(
            includes=[*r.lists.get("include", []), *r.lists.get("system_include", [])],
            pre_includes=r.lists.get("pre_include", []),
            defines=r.lists.get("define", []),
            undefines=r.lists.get("undefine", []),
            std=r.values.get("std", "c++17"),
            gnu="std" not in r.values,
            sm=archs.get(target.compute).sm,
            specific=archs.get(target.compute).name.endswith("a"),
            ftz=r.boolean("ftz", fast),
            prec_div=r.boolean("prec_div", not fast),
            prec_sqrt=r.boolean("prec_sqrt", not fast),
            fmad=self.contracts,
            fast_math=fast,
            debug=self.debug,
            opt_level=r.opt_level,
            relaxed_constexpr=r.has("relaxed_constexpr"),
            extended_lambda=r.has("extended_lambda"),
            relocatable=r.boolean("rdc", r.has("device_c")),
            suppressed=self._numbers("diag_suppress"),
            erroneous=self._numbers("diag_error"),
            warnings=self.warnings,
        )

    def _numbers(self, option: str) -> frozenset[str]:
        return frozenset(n for value in self.request.lists.get(option, []) for n in re.findall(r"\d+", value))

    def nvvm_options(self, target: Target) -> Any:
        from minicc.nvvm.options import Options

        r, fast = self.request, self.request.has("fast_math")
        return Options(
            opt_level=r.opt_level,
            sm=archs.get(target.compute).name,
            ptx_version=archs.get(target.compute).ptx_version,
            ftz=r.boolean("ftz", fast),
            fmad=self.contracts,
            debug=self.debug,
            source_name=self.name if self.kind == "ll" else "<llvm-ir>",
            asked=self.asked("nvvm"),
        )

    def asked(self, level: str) -> Asked | None:
        """What the command line asks of the passes of `level`, one object for all of a build; None: nothing."""
        words = self.request.lists.get(f"x{level}")
        if words and level not in self._asked:
            self._asked[level] = passes.parse(words, level)
        return self._asked.get(level)

    def isel_options(self) -> Any:
        from minicc.isel.options import Options

        first = self.request.values.get("isel") == "first-match"
        debug: Literal["full", "none"] = "full" if self.debug == "full" else "none"
        return Options(how="first-match" if first else "cost", debug=debug, asked=self.asked("isel"))

    def ptxas_options(self, code: str) -> Any:
        from minicc.ptxas.options import Options, bound_registers

        r = self.request
        options = Options(opt_level=r.opt_level, lineinfo=r.has("lineinfo") or r.has("debug"))
        if r.has("debug"):
            # Calls stay calls: a debugger steps into them.
            options.inline = "never"
        if "maxreg" in r.values:
            options.max_registers = int(r.values["maxreg"])
        options.warnings = self.warnings
        options.entries = tuple(r.lists.get("entries", ()))
        if words := r.lists.get("xptxas"):
            from minicc.ptxas.words import parse

            parse(words, options)
        bound_registers(options, code)
        options.verbose = options.verbose or r.has("resource_usage")
        return options

    def compression(self) -> str:
        mode = self.request.values.get("compress", "default")
        return {"default": "zstd", "size": "zstd", "balance": "zstd", "speed": "lz4", "none": "none"}[mode]


def open_input(name: str, request: Request, report: Callable[[Diagnostic], None]) -> Build:
    """Read one input file, or standard input for "-" (taken as `.k`); an unreadable file is a `CompileError`."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(name, "rb") as file:
                data = file.read()
    except OSError as error:
        fail("driver.no-input", f"{name}: {error.strerror or error}")
    stem, suffix = texts.stem_and_suffix(name)
    kind = "k" if name == "-" or request.values.get("language") == "cu" else KINDS.get(suffix, "")
    if not kind:
        kind, data = _contained(data, name, stem, request)
    if not kind:
        known = f"{' '.join(KINDS)}, and by their content fatbins, objects and programs with device code"
        fail("driver.unknown-input", f"{name}: neither its suffix nor its content says what it is; known: {known}")
    try:
        # Sources in other encodings have them in comments and strings: passed through byte by byte, as by nvcc.
        text = "" if kind == "cubin" else texts.source(data, "surrogateescape" if kind == "k" else "strict")
        if kind == "k" and "\0" in text:
            raise UnicodeDecodeError("utf-8", data, (at := data.index(b"\0")), at + 1, "")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        fail("driver.encoding", "not UTF-8 text", place=f"{name}:{line}:{column}")
    stem = "stdin" if name == "-" else stem.removesuffix(".opt")
    shown = "<stdin>" if name == "-" else name
    return Build(request, name, stem, kind, SourceFile(shown, text), data, report)


def _contained(data: bytes, name: str, stem: str, request: Request) -> tuple[str, bytes]:
    """(kind, content) of what a container holds for the architecture asked for: its cubin, else the newest PTX; the
    PTX where that is what is to be made. No kind if it is none."""
    from minicc.binary.images import ELF, FATBIN, code_sections, images_of

    if not data.startswith((ELF, FATBIN)):
        return "", data
    wanted = [code for target in request.targets for code in target.codes]
    images = images_of(data, name, stem)
    texts = [image for image in images if image.kind == "ptx"]
    codes = [image for image in images if image.kind == "cubin" and image.arch in wanted]
    codes = [image for image in codes if code_sections(image)] or codes[:1]  # a linker leaves an empty one
    if codes and not (texts and request.stage == "ptx"):
        if len(codes) > 1:
            many = f"{name} holds {len(codes)} cubins for {' '.join(wanted)}"
            fail("driver.several-images", f"{many}; minicc objdump -xelf extracts one")
        return "cubin", codes[0].data
    if texts:
        return "ptx", max(texts, key=lambda image: image.version).data.rstrip(b"\0")
    held = ", ".join(dict.fromkeys(image.arch for image in images)) or "nothing"
    fail("driver.no-image", f"{name} holds no code for {' '.join(wanted)} (it holds {held}); see -arch")


ORDER = ("preprocess", "ll", "opt.ll", "nvptx", "ptx", "sass", "cubin", "fatbin", "object")
_ENTERS = {"k": 0, "ll": 2, "ptx": 4, "sass": 5, "cubin": 5}
SUFFIX = {"ll": ".ll", "opt.ll": ".opt.ll", "nvptx": ".nvptx.ptx", "ptx": ".ptx", "sass": ".sass", "cubin": ".cubin",
          "fatbin": ".fatbin", "object": ".o"}  # fmt: skip


def run(build: Build) -> str | bytes:
    """Carry a build to the stage that its request names; returns that stage's result."""
    request, stage = build.request, build.request.stage
    target = request.targets[0]
    if ORDER.index(stage) < _ENTERS[build.kind]:
        fail("driver.too-late", f"{build.name}: a .{build.kind} file cannot be turned back into {stage}")
    if stage in ("ll", "opt.ll", "nvptx", "ptx") and len(request.targets) > 1:
        fail("driver.several-targets", f"one virtual architecture at a time for {stage}; -gencode names several")
    if stage in ("sass", "cubin") and sum(len(t.codes) for t in request.targets) != 1:
        codes = " ".join(code for t in request.targets for code in t.codes) or "none"
        fail("driver.several-targets", f"{stage} holds code of exactly one architecture; asked for: {codes}")
    if stage == "preprocess":
        return preprocessed(build)
    if stage in ("sass", "cubin"):
        target = next(t for t in request.targets if t.codes)
        code = target.codes[0]
        result: str | bytes = build.sass(target, code) if stage == "sass" else build.cubin(target, code)
    elif stage == "fatbin":
        result = build.fatbin()
    elif stage == "object":
        result = build.object()
    else:
        steps = {"ll": build.ll, "opt.ll": build.opt_ll, "nvptx": build.nvptx, "ptx": build.ptx}
        result = steps[stage](target)
    if request.has("keep") and build.kind in ("k", "ll") and ORDER.index(stage) > ORDER.index("ptx"):
        for t in request.targets:
            build.ptx(t)
    if request.has("keep") and build.kind != "cubin" and stage in ("cubin", "fatbin", "object"):
        for t in request.targets:
            for code in t.codes:
                build.sass(t, code)
        if stage == "fatbin":
            build.object()
    return result


def preprocessed(build: Build) -> str:
    """The source after preprocessing; what it read is in `build.dependencies`."""
    from minicc import frontend

    if build.kind != "k":
        return build.source.text
    options = build.frontend_options(build.request.targets[0])
    text = frontend.preprocess(build.source, options)
    build.dependencies[:] = options.files_read
    return text


def plan(build: Build) -> Iterator[str]:
    """The stages as commands that a user could type, for --dryrun and -v. The result of the last is what the command
    line asks for."""
    import shlex

    request, stage, stem = build.request, build.request.stage, build.stem
    last = ORDER.index(stage)
    result = output_name(build)

    def command(what: str, made: str, have: str) -> str:
        return shlex.join(["minicc", *what.split(), *request.shared, "-o", made, have])

    if stage == "preprocess":
        yield command("-E", result, build.name)
    for target in request.targets:
        tag = build.tag(target)
        have = build.name
        chain = [("ll", f"{stem}{tag}.ll", "--emit=ll"), ("opt.ll", f"{stem}{tag}.opt.ll", "--emit=opt.ll"),
                 ("ptx", f"{stem}{tag}.ptx", "-ptx")]  # fmt: skip
        for name, made, how in chain:
            if name == stage:
                made = result
            if _ENTERS[build.kind] <= ORDER.index(name) <= last and not (name == "opt.ll" and have.endswith(".opt.ll")):
                yield command(f"-arch={target.compute} {how}", made, have)
                have = made
        if stage == "nvptx":
            yield command(f"-arch={target.compute} --emit=nvptx", result, have)
        for code in target.codes if last >= ORDER.index("sass") and build.kind != "cubin" else ():
            made, how = (result, f"--emit={stage}") if stage == "sass" else (f"{stem}{tag}.{code}.cubin", "-cubin")
            yield command(f"-arch={code} {how}", result if stage == "cubin" else made, have)
    if stage in ("fatbin", "object"):  # (one file each, so from the source again)
        yield command(" ".join(_asked_for(request)) + (" -c" if stage == "object" else " -fatbin"), result, build.name)


def _asked_for(request: Request) -> list[str]:
    """The architectures of a command line, as options."""
    out = []
    for target in request.targets:
        codes = ",".join((*target.codes, *((target.compute,) if target.embed_ptx else ())))
        out.append(f"-gencode=arch={target.compute},code=[{codes}]")
    return out


def output_name(build: Build) -> str:
    """Where the result goes: -o, else beside us (or in -odir) under the input's name; "-" is standard output."""
    request = build.request
    stage = request.stage
    if given := request.values.get("output"):
        return given
    if stage == "preprocess" or (build.name == "-" and stage in ("ll", "opt.ll", "ptx", "nvptx", "sass")):
        return "-"
    return os.path.join(request.values.get("odir", ""), build.stem + SUFFIX[stage])


def dependency_rule(build: Build, output: str) -> str:
    """A make rule: output depends on the source and every file it includes. With -MP also an empty rule for each of
    those, so that one that is gone stops no build."""
    included = [name.replace(" ", "\\ ") for name in build.dependencies if name != build.name]
    target = build.request.values.get("depend_target", output.replace(" ", "\\ "))
    rule = f"{target} : " + " \\\n    ".join([build.name.replace(" ", "\\ "), *included]) + "\n"
    return rule + "".join(f"\n{name}:\n" for name in included if build.request.has("depend_empty"))


class Compiled:
    """What `minicc.compile` returns: the fatbin, and each stage's text on the way (empty where a stage did not run).
    `artifacts` holds all of them by the file name that --keep would give; `signatures` what the names of extern "C"
    kernels would be in C++, which tells `runtime` the types of their parameters."""

    def __init__(self, build: Build, fatbin: bytes) -> None:
        self.name, self.fatbin, self.artifacts, self.info = build.name, fatbin, build.artifacts, tuple(build.info)
        self.signatures = build.signatures

    def __repr__(self) -> str:
        return f"<Compiled {self.name}: {', '.join(self.artifacts)}>"

    def _find(self, suffix: str) -> Any:
        return next((value for name, value in self.artifacts.items() if name.endswith(suffix)), "")

    @property
    def ll(self) -> str:
        """LLVM IR as lowered."""
        return next((str(v) for k, v in self.artifacts.items() if k.endswith(".ll") and not k.endswith(".opt.ll")), "")

    @property
    def opt_ll(self) -> str:
        """LLVM IR, optimised and prepared."""
        return str(self._find(".opt.ll"))

    @property
    def ptx(self) -> str:
        """PTX text."""
        return str(self._find(".ptx"))

    @property
    def sass(self) -> str:
        """Machine code as text."""
        from minicc import binary, sass

        return sass.disassemble(binary.read_cubin(self.cubin, self.name))

    @property
    def cubin(self) -> bytes:
        """The device ELF of the (first) real architecture."""
        return bytes(self._find(".cubin") or b"")


def compile(
    source: str | os.PathLike[str] | SourceFile, arch: str = "sm_90", options: str | list[str] = ""
) -> Compiled:
    """Compile a file (a path), or a text given as `SourceFile`, for one architecture.

    `options` are nvcc's, as a list or as one string: `compile("k.k", options="-lineinfo -use_fast_math")`.
    Errors are `CompileError`s that carry every diagnostic."""
    import shlex

    from minicc.options import parse

    words = shlex.split(options) if isinstance(options, str) else list(options)
    request = parse([*words, f"-arch={arch}"])
    seen: list[Diagnostic] = []
    if isinstance(source, SourceFile):
        stem, suffix = texts.stem_and_suffix(source.name)
        build = Build(request, source.name, stem, KINDS.get(suffix, "k"), source, report=seen.append)
    elif "\n" in os.fspath(source):
        fail("driver.no-input", "that is a text, not a path; give a text as minicc.SourceFile('name.cu', text)")
    else:
        build = open_input(os.fspath(source), request, seen.append)
    fatbin = build.fatbin()
    target = request.targets[0]
    if build.kind in ("k", "ll"):
        build.ptx(target)
    for code in target.codes:
        build.artifacts.setdefault(f"{build.stem}.{code}.cubin", build.cubin(target, code))
    return Compiled(build, fatbin)


__all__ = ["Build", "CompileError", "Compiled", "compile", "dependency_rule", "open_input", "plan", "run"]
