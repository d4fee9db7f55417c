"""What the ptxas stage can be told, and the words of `-Xptxas` that tell it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from minicc import passes
from minicc.diagnostics import EXIT_PTXAS, fail


class Options:
    """Options of one `assemble`. `messages` and `seconds` are filled by it."""

    def __init__(
        self,
        opt_level: int = 3,
        max_registers: int | None = None,
        sched: Literal["list", "serial"] = "list",
        ra: Literal["linear", "spill-all"] = "linear",
        inline: Literal["auto", "never"] = "auto",
        fmad: bool = True,
        verbose: bool = False,
        warnings: Literal["shown", "left out", "errors"] = "shown",
        warn_spills: bool = False,
        warn_lmem: bool = False,
        warn_doubles: bool = False,
        lineinfo: bool = False,
        debug: bool = False,
        disable: frozenset[str] = frozenset(),
        dump_after: frozenset[str] = frozenset(),
        stop_after: str | None = None,
        time_passes: bool = False,
        verify: bool = False,
        selected: bool = False,
        entries: tuple[str, ...] = (),
        caches: dict[str, str] | None = None,
        max_threads: tuple[int, ...] = (),
        min_ctas: int | None = None,
        override: bool = False,
        messages: list[str] | None = None,
        dumps: list[tuple[str, str, str]] | None = None,
        seconds: dict[str, float] | None = None,
    ) -> None:
        self.opt_level = opt_level
        self.max_registers = max_registers
        """-maxrregcount; None leaves the limit to the launch bounds and the architecture."""
        self.sched = sched
        """"serial" is the trivially right twin: program order, full stalls, every result waited for at once."""
        self.ra = ra
        """"spill-all" keeps every value in local memory between instructions."""
        self.inline = inline
        """"never" makes every call of a device function a real one; "auto" expands most in place."""
        self.fmad = fmad
        """Fuse mul and add that name no rounding mode."""
        self.verbose, self.warnings, self.warn_spills, self.warn_lmem = verbose, warnings, warn_spills, warn_lmem
        self.warn_doubles, self.lineinfo, self.debug = warn_doubles, lineinfo, debug
        self.disable = disable
        """Names of passes to leave out (only those that are optional)."""
        self.dump_after = dump_after
        """Names of passes ("all" for each) after which the machine IR is appended to `dumps`."""
        self.stop_after, self.time_passes = stop_after, time_passes
        self.verify = verify
        """Check the machine IR after every pass and the finished code with the static checker."""
        self.selected = selected
        """The PTX is what our instruction selection made: only the user's instructions in it (inline assembly) are
        checked, unless lowering fails."""
        self.entries = entries
        """Names of the kernels that are compiled; () for all."""
        self.caches: dict[str, str] = {} if caches is None else caches
        """Cache operators by "def-load", "force-load", "def-store", "force-store"."""
        self.max_threads, self.min_ctas, self.override = max_threads, min_ctas, override
        """.maxntid and .minnctapersm of kernels that have none, or of all if they `override`."""
        self.messages: list[str] = [] if messages is None else messages
        """ptxas -v lines and warnings, in ptxas's wording."""
        self.dumps: list[tuple[str, str, str]] = [] if dumps is None else dumps
        """(pass, function, text)."""
        self.seconds: dict[str, float] = {} if seconds is None else seconds
        """Processor time per pass, if `time_passes`."""

    def warn(self, text: str) -> None:
        """Say it, as `warnings` has it; `CompileError` where warnings are errors."""
        if self.warnings == "errors":
            fail("ptxas.warning", text, exit_status=EXIT_PTXAS)
        if self.warnings == "shown":
            self.messages.append(f"ptxas warning : {text}")


LEAST_REGISTERS, MOST_REGISTERS = 24, 255
"""What -maxrregcount and .maxnreg may ask for (ptxas 13.0.88 on sm_90)."""


CACHES = {"load": frozenset({"ca", "cg", "cs", "lu", "cv"}), "store": frozenset({"wb", "cg", "cs", "wt"})}
"""Cache operators."""


def bound_registers(options: Options, arch: str) -> None:
    """Make -maxrregcount what ptxas makes of it, with its warnings."""
    asked = options.max_registers
    if asked is None:
        return
    for name, value in (("minnctapersm", options.min_ctas), ("maxntid", options.max_threads)):
        if value:
            options.warn(f"Conflicting options -maxrregcount and -{name} specified, ignoring -{name} option")
    options.max_threads, options.min_ctas = (), None
    if not 0 <= asked <= MOST_REGISTERS:
        options.warn(f"Too big maxrregcount value specified {asked}, will be ignored")
        options.max_registers = None
    elif asked < LEAST_REGISTERS:
        options.warn(
            f"For profile {arch} adjusting per thread register count of {asked} to lower bound of {LEAST_REGISTERS}"
        )
        options.max_registers = LEAST_REGISTERS


WORDS = """-v -O N -maxrregcount=N -maxntid=N -minnctapersm=N -override-directive-values -e=KERNEL -dlcm=CACHE
-dscm=CACHE -flcm=CACHE -fscm=CACHE -warn-spills -warn-lmem-usage -warn-double-usage -lineinfo -g -w -Werror
--fmad=false -optf=FILE --sched=list|serial --ra=linear|spill-all --inline=auto|never --disable=P+Q --stop-after=P
--dump-after=P+Q|all --time-passes --verify-passes"""
"""What `parse` knows, for people."""
_FLAGS = frozenset("""annotate astoolspatch c compile-as-tools-patch compile-only compiler-annotations
disable-optimizer-constants disable-optimizer-consts dont-merge-basicblocks ewp extensible-whole-program
g-tensor-memory-access-check g-tmem-access-check gno-tensor-memory-access-check gno-tmem-access-check
legacy-bar-warp-wide-behavior make-errors-visible-at-exit no-bb-merge opt-fp-atomics optimize-float-atomics
preserve-relocs ret-end return-at-end sp-bounds-check suppress-async-bulk-multicast-advisory-warning
suppress-debug-info suppress-double-demote-warning suppress-sparse-mma-advisory-info
suppress-stack-size-warning""".split())  # fmt: skip
_VALUES = {
    **dict.fromkeys(("allow-expensive-optimizations", "position-independent-code", "pic"), ("true", "false")),
    **dict.fromkeys(("Ofast-compile", "Ofc"), ("0", "min", "mid", "max")),
    **dict.fromkeys(("device-stack-protector",), ("false",)),
    **dict.fromkeys(("arch", "gpu-name", "device-function-maxrregcount", "func-maxrregcount", "split-compile"), ()),
}
"""Options of ptxas, without a value and with one of some or any, that are taken for its sake; nothing here depends on
them."""
_CACHES = {
    name: f"{how}-{kind}"
    for how, short in (("def", "d"), ("force", "f"))
    for kind in CACHES
    for name in (f"{how}-{kind}-cache", f"{short}{kind[0]}cm")
}
_LEFT_OUT = {
    "sanitize": "Code is not instrumented here (the SM model has --check)",
    **dict.fromkeys(("ias", "input-as-string"), "PTX comes from files"),
    **dict.fromkeys(
        ("o", "output-file", "h", "help", "V", "version", "list-version", "version-ls"), "Say it to minicc itself:"
    ),
}
"""Options of ptxas that are refused, and why."""


def _bad(word: str, why: str = "") -> None:
    known = "" if why else f"; there are {', '.join(WORDS.split()).replace('-O, N', '-O N')}"
    fail("ptxas.option", f"{why or 'Unknown option'} '{word}'{known}", exit_status=EXIT_PTXAS)


def _number(word: str, value: str) -> int:
    try:
        return int(value, 0)
    except ValueError:
        _bad(word, "Value is not a number in option")
        raise AssertionError from None


def _words(word: str, names: str) -> list[str]:
    """What files of options say."""
    out = []
    for name in names.split(","):
        try:
            out += Path(name).read_text(encoding="utf-8").split()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "no text"
            _bad(word, f"Could not open options file '{name}' ({reason}) of option")
    return out


def parse(words: list[str], options: Options) -> None:
    """Apply `-Xptxas` words ("-v", "-O1", "--sched=serial", "-maxrregcount=32", "--dump-after=regalloc"). A word may
    come with its value glued on by `=` or as the next word, and several in one, parted by blanks (a shell's quotes). An
    unknown word is a `CompileError`."""
    queue = [part for word in words for part in word.split()]
    while queue:
        word = queue.pop(0)
        name, has_value, value = word.partition("=")
        name = name.lstrip("-")
        if not word.startswith("-"):
            _bad(word)

        def take(word: str = word, glued: str = has_value, value: str = value) -> str:
            if glued:
                return value
            if not queue:
                _bad(word, "Missing value of option")
            return queue.pop(0)

        if name in ("v", "verbose"):
            options.verbose = True
        elif name in ("O", "opt-level"):
            options.opt_level = _number(word, take())
        elif name[:1] == "O" and name[1:].isascii() and name[1:].isdigit():
            options.opt_level = int(name[1:])
        elif name in ("maxrregcount", "r"):
            asked = take()
            limits = {"archmin": LEAST_REGISTERS, "archmax": MOST_REGISTERS}
            options.max_registers = limits[asked] if asked in limits else _number(word, asked)
        elif name in ("warn-spills", "warn-spilling", "warn-on-spills"):
            options.warn_spills = True
        elif name in ("warn-lmem-usage", "warn-on-local-memory-usage"):
            options.warn_lmem = True
        elif name in ("warn-double-usage", "warn-on-double-precision-use"):
            options.warn_doubles = True
        elif name in ("lineinfo", "generate-line-info"):
            options.lineinfo = True
        elif name in ("g", "device-debug"):
            options.debug = True
        elif name == "sched":
            choice = take()
            if choice not in ("list", "serial"):
                _bad(word, "Value must be list or serial in option")
            options.sched = "serial" if choice == "serial" else "list"
        elif name == "ra":
            choice = take()
            if choice not in ("linear", "graph", "spill-all"):
                _bad(word, "Value must be linear or spill-all in option")
            options.ra = "spill-all" if choice == "spill-all" else "linear"
        elif name == "inline":
            choice = take()
            if choice not in ("auto", "never"):
                _bad(word, "Value must be auto or never in option")
            options.inline = "never" if choice == "never" else "auto"
        elif passes.word(options, name, take):
            pass
        elif name in ("w", "disable-warnings"):
            options.warnings = "left out"
        elif name in ("Werror", "warning-as-error"):
            options.warnings = "errors"
        elif name in ("e", "entry"):
            options.entries += tuple(take().split(","))
        elif name == "maxntid":
            values = tuple(_number(word, part) for part in take().split(","))
            if len(values) > 3:
                options.warn("Too many values specified for option '-maxntid', option will be ignored")
            else:
                options.max_threads = values if all(values) else ()
        elif name == "minnctapersm":
            options.min_ctas = _number(word, take()) or None
        elif name == "override-directive-values" and not has_value:
            options.override = True
        elif name in ("optf", "options-file"):
            queue[:0] = _words(word, take())
        elif name in ("register-usage-level", "regUsageLevel"):
            if not 0 <= (level := _number(word, take())) <= 10:
                options.warn(
                    f"Value of RegUsageLevel ({level}) is out of valid range {{0..10}}, option will be ignored"
                )
        elif name in _CACHES:
            asked, kind = take(), _CACHES[name].rpartition("-")[2]
            if asked not in CACHES[kind]:
                how = "default" if _CACHES[name].startswith("def") else "force"
                _bad(word, f"Invalid {how} cache modifier on {kind} specified: '{asked}' for option")
            options.caches[_CACHES[name]] = asked
        elif name in _LEFT_OUT:
            _bad(word, _LEFT_OUT[name])
        elif name in _FLAGS and not has_value:
            pass
        elif name in ("m", "machine", "m64"):
            if name != "m64" and take() != "64":
                _bad(word, "Value must be 64 in option")
        elif name in _VALUES:
            if (choice := take()) not in (known := _VALUES[name] or (choice,)):
                _bad(word, f"'{choice}' is none of {', '.join(known)} for option")
        elif name == "fmad":
            choice = take()
            if choice not in ("true", "false"):
                _bad(word, "Value must be true or false in option")
            options.fmad = choice == "true"
        else:
            _bad(word)


__all__ = ["Options", "parse"]
