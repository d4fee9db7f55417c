"""The command line of `minicc`, in nvcc's spellings: one table, read by the parser, --help and shell completion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from minicc import arch, texts
from minicc.diagnostics import fail
from minicc.record import NamedTuple

Kind = Literal["flag", "value", "list", "bool", "glued"]
"""flag: no value. value: the last one given counts. list: comma-separated, adds up. bool: true or false.
glued: a letter that the value may follow at once (-DX, -Ipath, -O3); adds up."""


class Option(NamedTuple):
    """One option. `names` without dashes: one dash and two are the same, as nvcc takes them."""

    dest: str
    names: tuple[str, ...]
    kind: Kind
    help: str
    metavar: str = ""


OPTIONS: tuple[Option, ...] = (
    Option("output", ("o", "output-file"), "value", "Write the result to FILE.", "FILE"),
    Option("ptx", ("ptx",), "flag", "Compile the inputs to .ptx."),
    Option("cubin", ("cubin",), "flag", "Compile the inputs to .cubin."),
    Option("fatbin", ("fatbin",), "flag", "Compile the inputs to .fatbin. The default."),
    Option("object", ("c", "compile"), "flag", "Compile each input to a host object with the fatbin embedded."),
    Option("preprocess", ("E", "preprocess"), "flag", "Preprocess only, to standard output or -o."),
    Option("emit", ("emit",), "value", "Stop after one more stage: ll, opt.ll, nvptx (LLVM's own PTX), sass.", "STAGE"),
    Option("arch", ("arch", "gpu-architecture"), "value", "Architecture: sm_90, sm_90a, compute_90, native, all ...",
           "ARCH"),
    Option("code", ("code", "gpu-code"), "list", "Code to embed: sm_90, compute_90.", "CODE"),
    Option("gencode", ("gencode", "generate-code"), "glued", "One of several: arch=compute_90,code=sm_90.", "SPEC"),
    Option("include", ("I", "include-path"), "glued", "Add a directory to the include path.", "DIR"),
    Option("system_include", ("isystem", "system-include"), "list", "The same, searched after those of -I.", "DIR"),
    Option("pre_include", ("include", "pre-include"), "list", "Include FILE before the source.", "FILE"),
    Option("define", ("D", "define-macro"), "glued", "Define a macro.", "NAME[=VALUE]"),
    Option("undefine", ("U", "undefine-macro"), "glued", "Undefine a macro.", "NAME"),
    Option("std", ("std",), "value", "Language: c++11, c++14, c++17 (default), c++20.", "STD"),
    Option("relaxed_constexpr", ("expt-relaxed-constexpr",), "flag",
           "Let device code call constexpr functions of the host."),
    Option("extended_lambda", ("extended-lambda", "expt-extended-lambda"), "flag",
           "Let lambdas say that they are for devices."),
    Option("language", ("x",), "value", "Input language; only cu.", "LANG"),
    Option("opt", ("O", "optimize"), "glued", "Optimisation level of device code, 0 to 3 (default 3).", "N"),
    Option("debug", ("G", "device-debug"), "flag", "Full debug information; turns optimisation off."),
    Option("lineinfo", ("lineinfo", "generate-line-info"), "flag", "Line tables, without changing the code."),
    Option("maxreg", ("maxrregcount",), "value", "At most N registers a thread.", "N"),
    Option("entries", ("e", "entries"), "list", "Code for these kernels alone, by their mangled names.", "NAME,..."),
    Option("xptxas", ("Xptxas", "ptxas-options"), "list", "Options for ptxas: -v, -O2, --sched=serial ...", "OPTS"),
    Option("xnvvm", ("Xnvvm",), "list", "Passes of the LLVM stage: --dump-after=P, --disable=P ...", "OPTS"),
    Option("xisel", ("Xisel",), "list", "The same for instruction selection.", "OPTS"),
    Option("resource_usage", ("resource-usage", "res-usage"), "flag", "Print registers, stack and shared memory."),
    Option("fast_math", ("use_fast_math",), "flag", "-ftz=true -prec-div=false -prec-sqrt=false -fmad=true."),
    Option("fmad", ("fmad",), "bool", "Contract a*b+c into fma (default true)."),
    Option("ftz", ("ftz",), "bool", "Flush float denormals to zero (default false)."),
    Option("prec_div", ("prec-div",), "bool", "IEEE float division and reciprocal (default true)."),
    Option("prec_sqrt", ("prec-sqrt",), "bool", "IEEE float square root (default true)."),
    Option("isel", ("isel",), "value", "Instruction selection: cost (default) or first-match.", "HOW"),
    Option("compress", ("compress-mode",), "value", "PTX in the fatbin: default, size, speed, none.", "MODE"),
    Option("keep", ("keep", "save-temps"), "flag", "Leave the files of every stage."),
    Option("keep_dir", ("keep-dir",), "value", "Where --keep leaves them.", "DIR"),
    Option("depend_only", ("M", "generate-dependencies", "MM", "generate-nonsystem-dependencies"), "flag",
           "Write a make rule to standard output or -o, and nothing else."),
    Option("depend", ("MD", "generate-dependencies-with-compile", "MMD",
                      "generate-nonsystem-dependencies-with-compile"), "flag", "Also write a make rule, to .d."),
    Option("depend_file", ("MF", "dependency-output"), "value", "Name of the file that -M and -MD write.", "FILE"),
    Option("depend_target", ("MT", "dependency-target-name"), "value", "Target of that rule.", "NAME"),
    Option("depend_empty", ("MP", "generate-dependency-targets"), "flag", "With an empty rule for each included file."),
    Option("odir", ("odir", "output-directory"), "value", "Where results go that -o does not name.", "DIR"),
    Option("options_file", ("optf", "options-file"), "list", "Read more of the command line from FILE.", "FILE"),
    Option("dryrun", ("dryrun",), "flag", "Print the stages, run none."),
    Option("verbose", ("v", "verbose"), "flag", "Print the stages as they run, with their time."),
    Option("no_warnings", ("w", "disable-warnings"), "flag", "No warnings."),
    Option("werror", ("Werror",), "list", "Make warnings of KIND errors: all-warnings.", "KIND"),
    Option("explain", ("explain",), "flag", "Print what instruction selection weighed for each PTX instruction."),
    Option("json", ("json",), "flag", "Diagnostics and reports as JSON."),
    Option("device_c", ("dc", "device-c"), "flag", "As -c; separate compilation needs a linker, which minicc is not."),
    Option("rdc", ("rdc", "relocatable-device-code"), "bool", "true makes -c the same as -dc."),
    Option("diag_suppress", ("diag-suppress", "Xcudafe", "cudafe-options"), "list",
           "No warnings of these numbers, as nvcc prints them.", "NUMBER"),
    Option("diag_error", ("diag-error",), "list", "Warnings of these numbers are errors.", "NUMBER"),
    Option("host_value", ("Xcompiler", "compiler-options", "Xlinker", "linker-options", "Xarchive", "archive-options",
                          "Xfatbin", "fatbin-options", "Xnvlink", "nvlink-options",
                          "ccbin", "compiler-bindir", "cudart", "default-stream", "time",
                          "diag-warn", "split-compile", "split-compile-extended", "Ofast-compile", "Ofc",
                          "optimization-info", "opt-info", "ftemplate-depth", "ftemplate-backtrace-limit",
                          "jump-table-density", "jtd", "frandom-seed", "fdevice-time-trace", "archiver-binary", "arbin",
                          "cudadevrt", "target-directory", "target-dir", "libdevice-directory", "ldir",
                          "host-linker-script", "hls", "run-args", "input-drive-prefix", "idp",
                          "dependency-drive-prefix", "ddp", "drive-prefix", "dp"), "list",
           "Taken for nvcc's sake; nothing here depends on it.", "VALUE"),
    Option("host_number", ("t", "threads"), "glued", "The same.", "NUMBER"),
    Option("host_path", ("L", "library-path"), "glued", "The same.", "DIR"),
    Option("host_flag", ("g", "debug", "pg", "profile", "restrict", "Wno-deprecated-gpu-targets",
                         "Wno-deprecated-declarations", "Wreorder", "extra-device-vectorization", "no-compress",
                         "compress-all", "allow-unsupported-compiler", "no-align-double", "objdir-as-tempdir",
                         "objtemp", "use-local-env", "force-cl-env-setup", "no-exceptions", "noeh",
                         "no-host-device-initializer-list", "nohdinitlist", "no-host-device-move-forward",
                         "nohdmoveforward", "dont-use-profile", "noprof", "Wdefault-stream-launch",
                         "Wmissing-launch-bounds", "Wext-lambda-captures-this", "qpp-config",
                         "compile-as-tools-patch", "astoolspatch", "display-error-number", "err-no",
                         "no-display-error-number", "no-err-no", "augment-host-linker-script", "aug-hls", "jobserver",
                         "no-device-link", "nodlink"), "flag", "The same."),
    Option("host_bool", ("static-global-template-stub", "device-entity-has-hidden-visibility", "brief-diagnostics",
                         "brief-diag"), "bool", "The same."),
    Option("forward", ("forward-unknown-to-host-compiler", "forward-unknown-to-host-linker", "forward-unknown-opts"),
           "flag", "Options that minicc does not know are no errors: they are for the host's compiler."),
    Option("host_library", ("l", "library"), "glued", "No library is linked with here; beside -c it says nothing.",
           "NAME"),
    Option("shared", ("shared",), "flag", "No shared library is made here; beside -c it says nothing."),
    Option("dopt", ("dopt",), "value", "on: with -G, optimised code and line tables only.", "on"),
    Option("list_arch", ("list-gpu-arch", "arch-ls"), "flag", "Print the virtual architectures."),
    Option("list_code", ("list-gpu-code", "code-ls"), "flag", "Print the machines that code can be made for."),
    Option("no_linker", ("device-link", "dlink", "dlink-time-opt", "dlto", "lto", "gen-opt-lto", "ltoir",
                         "relocatable-link", "r", "relocatable-ptx", "reloc-ptx", "extensible-whole-program", "ewp",
                         "device-w", "dw", "lib", "link", "run"), "flag",
           "Not in minicc, which links neither device nor host code."),
    Option("not_here", ("optix-ir", "cuda", "clean-targets", "clean", "fdevice-syntax-only", "source-in-ptx",
                        "src-in-ptx", "keep-device-functions"), "flag", "Of nvcc, not in minicc."),
    Option("not_here_value", ("sanitize",), "list", "The same.", "NAME"),
    Option("not_here_bool", ("device-stack-protector",), "bool", "The same."),
    Option("m64", ("m64",), "flag", "64-bit; the only kind there is."),
    Option("machine", ("machine", "m"), "value", "The same: 64.", "64"),
    Option("help", ("h", "help"), "flag", "This text."),
    Option("version", ("V", "version"), "flag", "The version."),
)  # fmt: skip

_BY_NAME = {name: option for option in OPTIONS for name in option.names}
_GLUED = {name: option for option in OPTIONS if option.kind == "glued" for name in option.names if len(name) == 1}
_OWN = frozenset((
    "output", "ptx", "cubin", "fatbin", "object", "preprocess", "emit", "arch", "code", "gencode", "keep",
    "keep_dir", "depend_only", "depend", "depend_file", "depend_target", "depend_empty", "odir", "options_file",
    "dryrun", "verbose", "explain", "json", "device_c", "rdc", "host_value", "host_number", "host_library",
    "host_path", "host_flag", "forward", "shared", "m64", "help", "version",
))  # fmt: skip
"""Options of one step: what to make, where, and what to say about it."""


class Target(NamedTuple):
    """One -gencode: PTX for `compute` ("compute_90"), real code for each of `codes`; `embed_ptx` keeps the PTX."""

    compute: str
    codes: tuple[str, ...]
    embed_ptx: bool


class Request:
    """A parsed command line. `given` holds the last value of each option by its dest."""

    def __init__(self) -> None:
        self.inputs: list[str] = []
        self.flags: set[str] = set()
        self.values: dict[str, str] = {}
        self.lists: dict[str, list[str]] = {}
        self.shared: list[str] = []
        """The words of all options that say how to compile, not what to make of which file: every stage takes them."""
        self.targets: list[Target] = []
        self.replaced: list[str] = []
        """Options that were given again with another value."""

    def has(self, dest: str) -> bool:
        return dest in self.flags

    def boolean(self, dest: str, default: bool) -> bool:
        return self.values[dest] == "true" if dest in self.values else default

    @property
    def opt_level(self) -> int:
        """0..3: -O, then -Xptxas does not count here; -G means 0."""
        if self.has("debug"):
            return 0
        given = self.lists.get("opt", [])
        return min(int(given[-1]), 3) if given else 3

    @property
    def stage(self) -> str:
        """What to make: preprocess, ll, opt.ll, nvptx, ptx, sass, cubin, fatbin or object."""
        if "emit" in self.values:
            return self.values["emit"]
        for dest in ("preprocess", "ptx", "cubin", "object", "device_c"):
            if self.has(dest):
                return "object" if dest == "device_c" else dest
        return "fatbin"

    @property
    def links(self) -> bool:
        """Whether nvcc would link a program: nothing else is asked for."""
        return self.stage == "fatbin" and not (self.has("fatbin") or self.has("depend_only") or "emit" in self.values)


def parse(argv: Sequence[str], verb: str = "", own: Sequence[str] = ()) -> Request:
    """Read a command line. Every mistake is a `CompileError` that names the argument and what was expected. `own` are
    the options that `verb` has read already, for what an unknown one may have meant."""
    request = Request()
    words = list(argv)
    unknown = ""
    files = at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "-" or not word.startswith("-"):
            request.inputs.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        option = _BY_NAME.get(name)
        if option is None or (option.kind == "glued" and len(name) == 1 and equals and name != "O"):
            letter = word[1:2]
            if word[1:2] != "-" and letter in _GLUED:
                option, equals, value = _GLUED[letter], "=", word[2:]
            else:
                unknown = unknown or word
                continue
        if option.kind == "flag":
            if equals:
                fail("cli.unexpected-value", f"Option '{word.partition('=')[0]}' takes no value")
            request.flags.add(option.dest)
            request.shared += [word] * (option.dest not in _OWN)
            continue
        if not equals:
            if at < len(words):
                value = words[at]
                at += 1
            else:
                fail("cli.missing-value", f"Argument expected after '{word}'")
        if option.dest == "options_file":
            files += 1
            words[at:at] = _options_in(value, files)
        _keep(request, option, value)
        if option.dest not in _OWN:
            request.shared += [word] if equals else [word, value]
    if unknown and not request.has("forward"):
        name = unknown.lstrip("-").partition("=")[0]
        fail("cli.unknown-option", f"Unknown option '{unknown}'{_suggest(name, verb, own)}")
    _check(request)
    return request


MOST_FILES = 100
"""-optf may name files that name files; that many are read."""


def _options_in(names: str, count: int) -> list[str]:
    """The words of option files, in the shell's quoting."""
    import shlex

    out: list[str] = []
    for name in _split(names):
        try:
            if count > MOST_FILES:
                fail("cli.option-files", f"{name}: more than {MOST_FILES} option files; do they name each other?")
            out += shlex.split(texts.read(name), comments=True)
        except OSError as error:
            fail("cli.option-file", f"{name}: {error.strerror or error}")
        except ValueError as error:
            fail("cli.option-file", f"{name}: {error}")
    return out


def _suggest(name: str, verb: str, own: Sequence[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, [*own, *_BY_NAME], n=1, cutoff=0.7)
    dashes = "--" if close and close[0] in own else "-"
    return f"; did you mean '{dashes}{close[0]}'?" if close else f"; see minicc {f'{verb} ' if verb else ''}--help"


def _keep(request: Request, option: Option, value: str) -> None:
    if option.kind == "bool" and value not in ("true", "false"):
        fail("cli.bad-value", f"Value '{value}' is not defined for option '{option.names[0]}'; use true or false")
    if option.kind == "list":
        request.lists.setdefault(option.dest, []).extend(_split(value))
    elif option.kind == "glued":
        request.lists.setdefault(option.dest, []).append(value)
    else:
        if request.values.get(option.dest, value) != value:
            request.replaced.append(option.names[-1])
        request.values[option.dest] = value


def _split(value: str) -> list[str]:
    """Split at commas outside [ ] and " "."""
    return [part for part in re.findall(r'(?:\[[^\]]*\]|"[^"]*"|[^,])+', value) if part]


_EMIT = ("ll", "opt.ll", "nvptx", "ptx", "sass", "cubin", "fatbin", "object")
_WERROR = ("all-warnings", "cross-execution-space-call", "default-stream-launch", "deprecated-declarations",
           "ext-lambda-captures-this", "missing-launch-bounds", "reorder")  # fmt: skip
"""What nvcc takes there; only the first says something here."""
_STD = ("c++03", "c++11", "c++14", "c++17", "c++20")


def _check(request: Request) -> None:
    for kind in request.lists.get("werror", []):
        if kind not in _WERROR:
            fail(
                "cli.bad-value", f"Value '{kind}' is not defined for option 'Werror'; use one of: {', '.join(_WERROR)}"
            )
    for number in request.lists.get("host_number", []):
        if not number.isdecimal():
            fail("cli.bad-value", f"Value '{number}' is not a number for '-threads'")
    for level in request.lists.get("opt", []):
        if not (level.isascii() and level.isdigit()):
            fail("cli.bad-value", f"Value '{level}' is not defined for option 'optimize'; use 0 to 3")
    choices = {"emit": _EMIT, "std": _STD, "language": ("cu",), "isel": ("cost", "first-match"),
               "machine": ("64",), "dopt": ("on",),
               "compress": ("default", "size", "speed", "none", "balance")}  # fmt: skip
    for dest, allowed in choices.items():
        value = request.values.get(dest)
        if value is not None and value not in allowed:
            option = next(o for o in OPTIONS if o.dest == dest)
            fail("cli.bad-value", f"Value '{value}' is not defined for option '{option.names[0]}'; use one of: "
                 + ", ".join(allowed))  # fmt: skip
    for dest in ("no_linker", "not_here", "not_here_value", "not_here_bool"):
        if dest in request.flags or dest in request.lists or request.boolean(dest, False):
            option = next(o for o in OPTIONS if o.dest == dest)
            spelled = next((w for w in request.shared if w.lstrip("-").partition("=")[0] in option.names), "")
            why = "minicc links neither device nor host code" if dest == "no_linker" else "it is not in minicc"
            fail("cli.unsupported", f"Option '{spelled.partition('=')[0]}' of nvcc: {why}")
    if request.links:
        linking = "shared" if request.has("shared") else "l" if request.lists.get("host_library") else ""
        if linking:
            fail("cli.unsupported", f"Option '-{linking}' of nvcc: minicc links neither device nor host code")
    if "dopt" in request.values and request.has("debug"):
        request.flags.remove("debug")
        request.flags.add("lineinfo")
    if not request.values.get("maxreg", "1").isdecimal():
        fail("cli.bad-value", f"Value '{request.values['maxreg']}' is not a number of registers for '-maxrregcount'")
    for number in request.lists.get("diag_suppress", []) + request.lists.get("diag_error", []):
        if not number.startswith("-") and not number.isdecimal():
            fail("cli.bad-value", f"Value '{number}' is not a number of a warning")
    if "depend_file" in request.values and not (request.has("depend") or request.has("depend_only")):
        fail("cli.missing", "Option '-MF' requires one of '-M', '-MM', '-MD' or '-MMD'")
    if "code" in request.lists and "arch" not in request.values:
        fail("cli.missing", "Option '-code' requires '-arch'")
    request.targets = _targets(request)


def _targets(request: Request) -> list[Target]:
    targets: dict[str, Target] = {}

    def add(compute: str, codes: list[str]) -> None:
        real = tuple(code for code in codes if not code.startswith("compute_"))
        for code in (*codes, compute):
            arch.get(code)
        for code in codes:
            if _number(code) < _number(compute):
                fail("cli.incompatible", f"Code '{code}' is older than the virtual architecture '{compute}'")
        old = targets.get(compute, Target(compute, (), False))
        targets[compute] = Target(
            compute, tuple(dict.fromkeys(old.codes + real)), old.embed_ptx or len(real) < len(codes)
        )

    for spec in request.lists.get("gencode", []):
        fields = dict(part.partition("=")[::2] for part in _split(spec))
        codes = _split(fields.get("code", "").strip('[]"'))
        if not fields.get("arch", "").startswith("compute_") or not codes or fields.keys() - {"arch", "code"}:
            fail("cli.bad-value", f"Option '-gencode {spec}' must read arch=compute_XX,code=sm_XX")
        add(fields["arch"], codes)
    name = request.values.get("arch")
    if name in ("all", "all-major"):
        if "code" in request.lists:
            fail("cli.incompatible", f"Option '-code' cannot be given with '-arch={name}'")
        # Not those that run on one chip only; of each major version the first, or all; PTX of the last.
        reals = [real for real in arch.NAMES if real[-1].isdigit()]
        if name == "all-major":
            reals = [real for n, real in enumerate(reals) if not n or real[:-1] != reals[n - 1][:-1]]
        for real in reals:
            compute = real.replace("sm_", "compute_")
            add(compute, [real, compute] if real == reals[-1] else [real])
        return list(targets.values())
    if name == "native":
        name = "sm_90"
    if name is not None or not targets:
        name = "sm_90" if name is None else name
        compute = "compute_" + name.partition("_")[2]
        if "code" in request.lists and name != compute:
            fail("cli.incompatible", f"Value of -arch option ('{name}') must be a virtual architecture beside '-code'")
        codes = request.lists.get("code") or ([compute] if name == compute else [name, compute])
        add(compute, codes)
    return list(targets.values())


def _number(name: str) -> int:
    return int(re.sub(r"\D", "", name))


def describe(verbs: dict[str, str]) -> str:
    """The text of --help: usage, verbs, options, examples, exit statuses."""
    import textwrap

    lines = [
        "minicc: CUDA-style kernels to real Hopper machine code, and a machine to run it on",
        "",
        "Usage:  minicc [options] FILE...          compile (.k .cu .ll .ptx .sass .cubin .fatbin .o, - is stdin)",
        "        minicc VERB [options] ...         one of:",
        *(f"          {verb:12}{text}" for verb, text in verbs.items()),
        "",
        "Options (one dash or two, as nvcc takes them):",
    ]
    for option in OPTIONS:
        spelled = ", ".join("-" + name for name in option.names)
        value = {"flag": "", "bool": "=true|false", "list": f" {option.metavar},...", "glued": f" {option.metavar}",
                 "value": f" {option.metavar}"}[option.kind]  # fmt: skip
        *above, head = textwrap.wrap(f"  {spelled}{value}", 118, subsequent_indent="  ", break_on_hyphens=False)
        lines += above
        lines += [f"{head:44}{option.help}"] if len(head) < 43 else [head, f"{'':44}{option.help}"]
    lines += [
        "",
        "Examples:",
        "  minicc vadd.k -arch=sm_90 --keep       vadd.fatbin, and the file of every stage beside it",
        "  minicc -cubin -lineinfo -o v.cubin vadd.k",
        "  minicc -Xptxas -v -cubin vadd.k        registers, stack, shared memory",
        "  minicc run vadd.k                      compile and run on the SM model, check the result",
        "  minicc objdump -sass vadd.fatbin       machine code as nvdisasm prints it",
        "",
        "NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS in the environment stand before and after the command line.",
        "Exit status: 0 success; 1 errors in what was given; 255 errors in the ptxas stage; 70 a fault of minicc.",
    ]
    return "\n".join(lines) + "\n"
