"""What the ptxas stage can be told (`words` has how)."""

from __future__ import annotations

from typing import Literal

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


__all__ = ["CACHES", "LEAST_REGISTERS", "MOST_REGISTERS", "Options", "bound_registers"]
