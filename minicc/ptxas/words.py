"""The words of `-Xptxas`: NVIDIA's ptxas's own, and what this one knows besides."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NoReturn

from minicc import passes
from minicc.diagnostics import EXIT_PTXAS, fail
from minicc.ptxas.options import CACHES, LEAST_REGISTERS, MOST_REGISTERS, Options

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
"""Options without a value that are taken for ptxas's sake; nothing here depends on them."""
_SWITCHES: dict[str, tuple[str, object]] = {
    **dict.fromkeys(("v", "verbose"), ("verbose", True)),
    **dict.fromkeys(("warn-spills", "warn-spilling", "warn-on-spills"), ("warn_spills", True)),
    **dict.fromkeys(("warn-lmem-usage", "warn-on-local-memory-usage"), ("warn_lmem", True)),
    **dict.fromkeys(("warn-double-usage", "warn-on-double-precision-use"), ("warn_doubles", True)),
    **dict.fromkeys(("lineinfo", "generate-line-info"), ("lineinfo", True)),
    **dict.fromkeys(("g", "device-debug"), ("debug", True)),
    **dict.fromkeys(("w", "disable-warnings"), ("warnings", "left out")),
    **dict.fromkeys(("Werror", "warning-as-error"), ("warnings", "errors")),
    "override-directive-values": ("override", True),
}
"""Options without a value: what they set to what."""
_CHOICES: dict[str, tuple[str, dict[str, object]]] = {
    "sched": ("sched", {"list": "list", "serial": "serial"}),
    "ra": ("ra", {"linear": "linear", "spill-all": "spill-all", "graph": "linear"}),
    "inline": ("inline", {"auto": "auto", "never": "never"}),
    "fmad": ("fmad", {"true": True, "false": False}),
    **dict.fromkeys(("m", "machine"), ("", {"64": 64})),
    **dict.fromkeys(
        ("allow-expensive-optimizations", "position-independent-code", "pic"), ("", {"true": True, "false": False})
    ),
    **dict.fromkeys(("Ofast-compile", "Ofc"), ("", {"0": 0, "min": 1, "mid": 2, "max": 3})),
    "device-stack-protector": ("", {"false": False}),
}
"""Options whose value is one of a few words: what they set to what; "" is nothing."""
_ANY = ("arch", "gpu-name", "device-function-maxrregcount", "func-maxrregcount", "split-compile")
"""Options whose value does not matter here."""
_LEFT_OUT = {
    "sanitize": "Code is not instrumented here (the SM model has --check)",
    **dict.fromkeys(("ias", "input-as-string"), "PTX comes from files"),
    **dict.fromkeys(
        ("o", "output-file", "h", "help", "V", "version", "list-version", "version-ls"), "Say it to minicc itself:"
    ),
}
"""Options of ptxas that are refused, and why."""


def _bad(word: str, why: str = "") -> NoReturn:
    known = "" if why else f"; there are {', '.join(WORDS.split()).replace('-O, N', '-O N')}"
    fail("ptxas.option", f"{why or 'Unknown option'} '{word}'{known}", exit_status=EXIT_PTXAS)


def _number(word: str, value: str) -> int:
    try:
        return int(value, 0)
    except ValueError:
        _bad(word, "Value is not a number in option")


def _words(word: str, names: str) -> list[str]:
    """What files of options say."""
    out = []
    for name in names.split(","):
        try:
            with open(name, encoding="utf-8") as file:
                out += file.read().split()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "no text"
            _bad(word, f"Could not open options file '{name}' ({reason}) of option")
    return out


def _level(options: Options, word: str, value: str) -> None:
    options.opt_level = _number(word, value)


def _registers(options: Options, word: str, value: str) -> None:
    limits = {"archmin": LEAST_REGISTERS, "archmax": MOST_REGISTERS}
    options.max_registers = limits[value] if value in limits else _number(word, value)


def _entries(options: Options, word: str, value: str) -> None:
    options.entries += tuple(value.split(","))


def _threads(options: Options, word: str, value: str) -> None:
    values = tuple(_number(word, part) for part in value.split(","))
    if len(values) > 3:
        options.warn("Too many values specified for option '-maxntid', option will be ignored")
    else:
        options.max_threads = values if all(values) else ()


def _ctas(options: Options, word: str, value: str) -> None:
    options.min_ctas = _number(word, value) or None


def _usage(options: Options, word: str, value: str) -> None:
    if not 0 <= (level := _number(word, value)) <= 10:
        options.warn(f"Value of RegUsageLevel ({level}) is out of valid range {{0..10}}, option will be ignored")


def _cache(how: str, kind: str, options: Options, word: str, value: str) -> None:
    if value not in CACHES[kind]:
        spelled = "default" if how == "def" else how
        _bad(word, f"Invalid {spelled} cache modifier on {kind} specified: '{value}' for option")
    options.caches[f"{how}-{kind}"] = value


_VALUED: dict[str, Callable[[Options, str, str], None]] = {
    **dict.fromkeys(("O", "opt-level"), _level),
    **dict.fromkeys(("maxrregcount", "r"), _registers),
    **dict.fromkeys(("e", "entry"), _entries),
    "maxntid": _threads,
    "minnctapersm": _ctas,
    **dict.fromkeys(("register-usage-level", "regUsageLevel"), _usage),
    **{
        name: partial(_cache, how, kind)
        for how in ("def", "force")
        for kind in CACHES
        for name in (f"{how}-{kind}-cache", f"{how[0]}{kind[0]}cm")
    },
}
"""Options with a value: (options, the whole word, the value)."""


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

        if name in _SWITCHES:
            setattr(options, *_SWITCHES[name])
        elif name in _CHOICES:
            field, known = _CHOICES[name]
            if (chosen := take()) not in known:
                _bad(word, f"Value must be {' or '.join(known)} in option")
            if field:
                setattr(options, field, known[chosen])
        elif name in _VALUED:
            _VALUED[name](options, word, take())
        elif name[:1] == "O" and name[1:].isascii() and name[1:].isdigit():
            options.opt_level = int(name[1:])
        elif name in ("optf", "options-file"):
            queue[:0] = _words(word, take())
        elif name in _LEFT_OUT:
            _bad(word, _LEFT_OUT[name])
        elif name in _ANY:
            take()
        elif not (passes.word(options, name, take) or name == "m64" or (name in _FLAGS and not has_value)):
            _bad(word)


__all__ = ["WORDS", "parse"]
