"""LLVM (`llvm`): verify, optimise, prepare for code generation; and LLVM's own NVPTX backend as a peer.

The middle-end passes that a GPU needs most (address-space inference, straight-line strength reduction, load/store
vectorisation, argument and atomics lowering) are part of LLVM's *code generation* pipeline and have no API. The
pipeline is therefore run by `emit_assembly` with the command-line option `-stop-after=<last IR pass>`; it then prints a
MIR file whose first YAML document is the prepared IR, indented by two columns. That option is global to the process, so
it is set and reset under a lock. `-nvptx-short-ptr` (32-bit pointers to shared, constant and local memory, as nvcc has)
is a global too: it is set once per change, before the target machine exists.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from minicc import passes
from minicc.diagnostics import SourceFile, Span, fail
from minicc.nvvm import llvm
from minicc.nvvm.bodies import CASTS, GLOBAL, unquoted
from minicc.nvvm.options import Options
from minicc.record import NamedTuple

TRIPLE = "nvptx64-nvidia-cuda"
_LAST_PASS = {0: "stack-protector"}
"""Last IR pass that LLVM runs before its own instruction selection: codegenprepare exists from -O1 on."""

_SLSR_WORDS = (" = add ", " = sub ", " = mul ", " = getelementptr ")
_SLSR_LIMIT = 256
"""Straight-line strength reduction compares every candidate of a block with those before it: with 600 additions in a
block (an unrolled SHA-256) it takes 0.25 s, more than all other passes together, and finds nothing there; so does
n-ary reassociation soon after it, in a sixth of that time. Beyond this many candidates in one block the pipeline is run
in two halves, around the two and the value numbering between them (a cheaper one follows). The second half no longer
knows that shared memory is apart from the global one, and joins fewer loads of 64 turns than it may: where there is
some, the whole pipeline takes twice as much. (Addresses that differ by a multiple of a word are made one from another
in selection, in any block: minicc.isel.prepare.addresses.)"""

_UNROLLING = {
    "unroll-threshold": 700,
    "unroll-partial-threshold": 200,
    "scev-cheap-expansion-budget": 6,
    "unroll-max-upperbound": 0,
    "unroll-max-iteration-count-to-analyze": 64,
}
"""Loads in flight hide latency, and a warp has registers for them: LLVM's limits for NVPTX (300, 75) stop at four turns
of a short loop where NVIDIA's tools make sixteen. (Theirs is some 500, a product and its sum counted as one. With 500
sgemm_float4 takes 1.37 of the cycles; with 1000 only odd_even_sort has other code, five times as much in the same
time.) The budget lets strides of a power of two be unrolled, and no division; a loop of at most eight turns is unrolled
like any other; of one of 64 at most it is reckoned what becomes constant in each (LLVM's limit of ten leaves a loop of
ciphers' rounds, whose sums and keys do, at four turns: XTEA 1.34 of nvcc's instructions, 0.94 so; MD5's 64 steps with
their conditions 1.66 of its cycles, 0.89 so). Cycles on the model over nvcc's, 24 samples and 26 kernels of
tests/bench: 1.02 before, 0.98 after."""

_USUAL = {name: str(value) for name, value in _UNROLLING.items()} | {
    "enable-nontrivial-unswitch": "false",
    "unroll-max-count": str((1 << 32) - 1),
}
"""What options are that are changed for a while."""

_EXPANDED = 4096
"""Bytes from which memset and memcpy of a constant size are loops (`minicc.nvvm.blocks`; memmove by LLVM, of one byte a
turn). Below, selection unrolls them with the widest accesses that the alignment allows, as nvcc does."""

_ROUNDS = 3
"""Times that functions of constants are looked for: a loop that is unrolled for one has others in its body."""

_lock = threading.RLock()
_state: dict[str, Any] = {"ready": False, "short": False, "registered": False, "machines": {}}


def load() -> None:
    """Have LLVM there, with our options."""
    if _state["ready"]:
        return
    # A divergent diamond costs a warp both sides and the branches, so more is worth speculating than on a CPU.
    # 8 makes collatz's loop body straight (28,516 to 22,545 cycles on the model) and changes no other sample.
    llvm.set_option("two-entry-phi-node-folding-threshold", 8)
    # Conditions that a few more instructions each make ready are joined to one branch (pathfinder executes 13 %
    # fewer instructions, hotspot 9 %), as nvcc joins them: `v < x || (v == x && j < i)` takes four.
    llvm.set_option("bonus-inst-threshold", 6)
    # It joins products and sums before selection sees them, and not as nvcc does (minicc.isel.prepare.contract).
    llvm.set_option("disable-nvptx-ir-peephole", "true")
    # A pointer for each access takes two registers and an addition a turn; IMAD.WIDE makes the address in one.
    llvm.set_option("disable-lsr", "true")
    # It would copy what stands before a call into both ways that lead there, barriers of a warp as well.
    llvm.set_option("callsite-splitting-duplication-threshold", 0)
    llvm.set_option("mem-intrinsic-expand-size", _EXPANDED)
    # What a load reads is looked for behind so many of the block's instructions, not 100: a round of a hash whose
    # state is in shared memory has more (BLAKE2b: 268 loads to 91, nvcc's 85).
    llvm.set_option("memdep-block-scan-limit", 500)
    for name, value in _UNROLLING.items():
        llvm.set_option(name, value)
    _state["ready"] = True


def _machine(options: Options) -> llvm.Machine:
    load()
    cpu = f"sm_{options.sm}" if isinstance(options.sm, int) else options.sm
    key = (cpu, options.ptx_version, options.opt_level, options.short_pointers)
    if options.short_pointers != _state["short"]:
        llvm.set_option("nvptx-short-ptr", "true" if options.short_pointers else "false")
        _state["short"] = options.short_pointers
    machines: dict[object, llvm.Machine] = _state["machines"]
    if key not in machines:
        machines[key] = llvm.Machine(TRIPLE, cpu, "+ptx{}{}".format(*options.ptx_version), options.opt_level)
    return machines[key]


def _parse(ir: str, machine: llvm.Machine, options: Options) -> llvm.Module:
    try:
        module = llvm.Module(_with_layout(ir, machine.layout), TRIPLE)
        module.verify()
    except RuntimeError as error:
        _report(str(error), ir, options)
    return module


def _with_layout(ir: str, layout: str) -> str:
    """The text with our data layout, on the same number of lines. It must be there when LLVM parses: alignments that
    are not written are filled in then."""
    line = f'target datalayout = "{layout}"'
    start = ir.find("target datalayout")
    if start < 0:
        return f"{line} {ir}"
    end = ir.find('"', ir.find('"', start) + 1) + 1
    return ir[:start] + line + ir[end:]


def _report(text: str, ir: str, options: Options) -> None:
    """Turn "LLVM IR parsing error\n<string>:3:7: error: ..." into a diagnostic with a caret."""
    found = re.search(r"<string>:(\d+):(\d+): error: (.*)", text)
    if not found:
        fail("nvvm.verify", " ".join(text.split()), place=options.source_name)
    source = SourceFile(options.source_name, ir)
    offset = sum(len(line) for line in ir.splitlines(keepends=True)[: int(found[1]) - 1]) + int(found[2]) - 1
    fail("nvvm.parse", found[3], Span(source, offset, offset + 1))


_LIBRARY = r" call [^\n(]*@(__minicc_\w+)\("
"""A call of a function of the device library."""


def _early(module: llvm.Module, machine: llvm.Machine, ir: str, options: Options) -> llvm.Module:
    """The module with what is to be known before LLVM's pipeline, which tidies the blocks before it knows values. Where
    an `else if` ends, blocks are then merged that would have told two values apart, and a branch on floats with three
    ways to its end stays a branch."""
    spaces = "addrspace(3)" in ir
    # Which functions only compute is known from here on: of two calls with the same arguments one goes before either is
    # inlined (a logarithm that three conditions ask for).
    first = ["SROA", "PostOrderFunctionAttrs"]
    if spaces:
        called = re.findall(_LIBRARY, ir)
        if len(set(called)) < len(called):
            first.append("NewGVN")  # the pipeline's own pass for it would come too late
        first += ["AlwaysInliner", "SROA"]
    module.run(machine, *first)
    if " = freeze " in ir and " = shl " in ir:
        from minicc.nvvm import powers

        if powers.possible(ir) and (shifted := powers.shifted(text := str(module))) != text:
            module = _parse(shifted, machine, options)
    if spaces:
        # Pointers among a kernel's parameters are global, but LLVM says so in code generation only. Told now, it
        # knows that stores through them change nothing in shared memory (dwt2d: a third of its stores there go).
        _register(machine)
        aggregates = " byval(" in ir
        if aggregates:
            module = _parse(re.sub(_AGGREGATE, _plain, str(module)), machine, options)
        _emit(machine, module, start_before="nvptx-lower-args", stop_after="infer-address-spaces")
        if aggregates:
            module = _parse(re.sub(_PLAIN, _aggregate, str(module)), machine, options)
    return module


_AGGREGATE = r"(?m)^define ptx_kernel ([^\n]* byval\([^\n]*)$"
_PLAIN = r"(?m)^define ([^\n]* \"byval\"=[^\n]*)$"
"""Heads of kernels with aggregate parameters, and of what they are while address spaces are found: a function of plain
pointers. The pass runs again in code generation, and would take its own access to such a parameter for an escape."""


def _plain(head: re.Match[str]) -> str:
    return "define " + re.sub(r" byval\(([^()]*)\)", r' "byval"="\1"', head[1])


def _aggregate(head: re.Match[str]) -> str:
    return "define ptx_kernel " + re.sub(r' "byval"="([^"]*)"', r" byval(\1)", head[1])


def _again(machine: llvm.Machine, ir: str, options: Options, changed: dict[str, str], names: set[str]) -> str:
    """The functions `names` as the middle end makes them, from the start, with some of LLVM's options changed, in a
    module whose other kernels are not optimised."""
    ir = re.sub(_KERNEL, lambda head: head[0] if head[2] in names else f"{head[1]} noinline optnone{head[3]}", ir)
    module = _parse(ir, machine, options)
    with _changed(changed):
        if options.asked is None or "early" not in options.asked.disable:
            module = _early(module, machine, ir, options)
        module.run(machine)
        return str(module)


_KERNEL = rf"(?m)^(define ptx_kernel [^\n]*?@({GLOBAL})\([^\n]*\))( #\d+[^\n]*\{{)$"
"""The head of a kernel with attributes."""
_UNSWITCHED = {"enable-nontrivial-unswitch": "true"}
_LONGER, _FEWER_TURNS, _LEFT = 4, 2, 2.5
"""How many times as long a kernel may become where tests leave its loops, and by loops of fewer turns together (loops
around them are unrolled, too, where these have become short); by the latter also where turns with a condition would go
one by one."""


def _apart(text: str) -> list[tuple[set[str], dict[str, str]]]:
    """Kernels that gain by options of their own, and these."""
    from minicc.nvvm import nests, pairs, turned
    from minicc.nvvm.flags import in_loops

    flagged, nested = in_loops(text), nests.kernels(text)
    paired = pairs.kernels(text) - flagged - nested
    four = {"unroll-max-count": str(nests.TURNS)}
    longer = {"unroll-max-count": str(pairs.TURNS), "unroll-partial-threshold": str(pairs.LONGEST)}
    groups = [(flagged - nested, _UNSWITCHED), (nested - flagged, four), (flagged & nested, _UNSWITCHED | four)]
    groups.append((paired, longer))
    groups.append((turned.kernels(text) - flagged - nested - paired, {"unroll-threshold": str(turned.LIMIT)}))
    return [(names, options) for names, options in groups if names]


def _tuned(machine: llvm.Machine, ir: str, options: Options, text: str) -> str:
    """The module of which `text` is what the middle end made, with functions by options of their own."""
    gone: set[str] = set()
    unrolled: dict[str, str] = {}
    if " = alloca " in text:
        from minicc.nvvm import arrays
        from minicc.nvvm.functions import replaced

        if kept := arrays.kept(text):
            unrolled = {"unroll-threshold": str(arrays.UNROLLED)}
            longer = _again(machine, ir, options, unrolled, set(kept))
            gone = arrays.gone(longer, kept)
            text = (gone and replaced(text, longer, gone)) or text
    for names, changed in _apart(text):
        from minicc.nvvm import rests, turned
        from minicc.nvvm.functions import replaced

        left = rests.left(text) if ".iter" in text else set[str]()
        for some, more in ((names & gone, unrolled | changed), (names - gone, changed)):
            if some:
                other = _again(machine, ir, options, more, some)
                limits: list[tuple[set[str], float]] = [(some, _LONGER)]
                if "unroll-threshold" in changed:
                    limits = [(some, turned.LONGER)]
                elif not changed.keys() & _UNSWITCHED:
                    limits = [(some - left, _FEWER_TURNS), (some & left, _LEFT)]
                for part, most in limits:
                    if part:
                        text = replaced(text, other, part, most) or text
    return text


@contextlib.contextmanager
def _changed(options: dict[str, str]) -> Iterator[None]:
    """Some of LLVM's options changed for a while."""
    for name, value in options.items():
        llvm.set_option(name, value)
    try:
        yield
    finally:
        for name in options:
            llvm.set_option(name, _USUAL[name])


class _Work:
    """A module on its way. `ir` is the text that came in, `text` what the module is now; None if nobody printed it."""

    def __init__(self, machine: llvm.Machine, ir: str, options: Options) -> None:
        self.machine, self.ir, self.options = machine, ir, options
        self.module = _parse(ir, machine, options)
        if '%"' in ir:  # our passes read lines, in which names are words
            self.ir = unquoted(str(self.module))
            self.module = _parse(self.ir, machine, options)
        self._text: str | None = None
        self.prepared: str | None = None

    @property
    def text(self) -> str:
        """The module as LLVM prints it."""
        if self._text is None:
            self._text = str(self.module)
        return self._text

    def changed(self) -> None:
        """The module is another one now."""
        self._text = None

    def become(self, text: str) -> None:
        """Go on with another text."""
        self.module, self._text = _parse(text, self.machine, self.options), text

    def passes(self, *names: str) -> None:
        """Run some of LLVM's passes."""
        self.module.run(self.machine, *names)
        self.changed()


def _early_pass(w: _Work) -> None:
    w.module = _early(w.module, w.machine, w.ir, w.options)
    w.changed()


def _middle(w: _Work) -> None:
    w.module.run(w.machine)
    w.changed()


def _tune(w: _Work) -> None:
    if " phi " in w.text:
        tuned = _tuned(w.machine, w.ir, w.options, w.text)
        if tuned != w.text:
            w.become(tuned)


def _arrays(w: _Work) -> None:
    if " = alloca " in w.text:
        from minicc.nvvm import arrays

        words = arrays.as_words(w.text)
        if words != w.text:
            w.become(words)
            w.passes("SROA", "InstCombine")


def _few(w: _Work) -> None:
    if " = alloca [" in w.text:
        from minicc.nvvm import few

        if (single := few.chosen(w.text)) != w.text:
            w.become(single)
            w.passes("SROA", "InstCombine", "SimplifyCFG")


def _approx(w: _Work) -> None:
    if ".approx" in w.ir:
        from minicc.nvvm.approx import fold

        for _ in range(_ROUNDS):
            folded = fold(w.text)
            if folded is None:
                break
            w.become(folded)
            with _changed({"unroll-max-count": "1"}):  # turns that are made together already would be multiplied
                _middle(w)


def _cases(w: _Work) -> None:
    if " switch " in w.text:
        from minicc.nvvm.cases import complete

        if (changed := complete(w.text)) is not None:
            w.become(changed)
            w.passes("LoopUnroll", "InstCombine", "SimplifyCFG")


def _barriers(w: _Work) -> None:
    if " phi " in w.text and (".barrier." in w.text or " asm " in w.text):
        from minicc.nvvm import barriers

        if marked := barriers.marked(w.text):
            w.become(marked)
            with _changed({"unroll-threshold": "1", "unroll-partial-threshold": "1"}):
                w.passes("LoopUnroll")
            w.become(barriers.restored(str(w.module)))
            w.passes("InstCombine", "SimplifyCFG")


def _whole(w: _Work) -> None:
    if " asm " in w.text:
        from minicc.nvvm.whole import joined

        if (whole := joined(w.text)) != w.text:
            w.become(whole)
            w.passes("InstCombine")


def _strides(w: _Work) -> None:
    if " phi " in w.text:
        from minicc.nvvm.strides import freed, widen

        free = freed(w.text)
        wide = widen(free) or free
        if wide != w.text:
            w.become(wide)


def _rests(w: _Work) -> None:
    if ".iter" in w.text:
        from minicc.nvvm.rests import split

        if (parts := split(w.text)) != w.text:
            w.become(parts)


def _blocks(w: _Work) -> None:
    if "@llvm.mem" in w.text:
        from minicc.nvvm.blocks import by_words

        if (looped := by_words(w.text, _EXPANDED)) != w.text:
            w.become(looped)
            w.passes("InstCombine", "SimplifyCFG")


def _aligned(w: _Work) -> None:
    if any(cast in w.text for cast in CASTS):
        from minicc.nvvm.aligned import marked

        if (known := marked(w.text)) != w.text:
            w.become(known)


def _prepare(w: _Work) -> None:
    if w.options.opt_level and _longest_chain(w.text) > _SLSR_LIMIT * (2 if "addrspace(3)" in w.text else 1):
        _register(w.machine)
        _emit(w.machine, w.module, stop_before="slsr")  # the module itself is what the passes so far made of it
        limits = {"start_after": "nary-reassociate", "stop_after": "codegenprepare"}
    else:
        limits = {"stop_after": _LAST_PASS.get(w.options.opt_level, "codegenprepare")}
    w.prepared = _prepared(_emit(w.machine, w.module, **limits))


class Pass(NamedTuple):
    """One pass. `level` is the least -O that runs it."""

    name: str
    run: Callable[[_Work], None]
    level: int
    optional: bool = True


PASSES = (
    Pass("early", _early_pass, 1),
    Pass("middle", _middle, 0, optional=False),
    Pass("tune", _tune, 2),
    Pass("few", _few, 2),
    Pass("cases", _cases, 2),
    Pass("arrays", _arrays, 2),
    Pass("approx", _approx, 1),
    Pass("barriers", _barriers, 2),
    Pass("whole", _whole, 1),
    Pass("strides", _strides, 2),
    Pass("rests", _rests, 2),
    Pass("blocks", _blocks, 1),
    Pass("aligned", _aligned, 1),
    Pass("prepare", _prepare, 0, optional=False),
)
"""LLVM's middle end and what stands around it, in order; `prepare` is the part of code generation that works on IR."""


def _run_passes(work: _Work, chosen: tuple[Pass, ...]) -> None:
    options = work.options
    if options.asked is not None:
        passes.check(options.asked, PASSES, "nvvm")

    def verify(after: str) -> None:
        try:
            work.module.verify()
        except RuntimeError as error:
            fail("nvvm.verify", f"after pass '{after}': {' '.join(str(error).split())}", place=options.source_name)

    def show() -> str:
        return work.prepared or work.text

    steps = [(p, partial(p.run, work)) for p in chosen if options.opt_level >= p.level]
    passes.run(steps, options.asked, "module", show, verify)


def _prepared(mir: str) -> str:
    """The IR of a MIR file: its first document, without the indentation."""
    end = mir.find("\n...\n")
    lines = mir[: end if end >= 0 else len(mir)].split("\n")[1:]
    return "\n".join([line[2:] for line in lines]) + "\n"


def optimise(ir: str, options: Options) -> str:
    """Optimised IR, prepared for instruction selection. Invalid IR is a `CompileError` that points into the text."""
    with _lock, _unheard() if "llvm.loop.unroll" in ir else contextlib.nullcontext():
        work = _Work(_machine(options), ir, options)
        _run_passes(work, PASSES)
        assert work.prepared is not None
        return work.prepared


def link(ir: str, library: str, options: Options, names: list[str]) -> str:
    """The text of a module together with the functions `names` of another one."""
    with _lock:
        machine = _machine(options)
        module, other = _parse(ir, machine, options), _parse(library, machine, options)
        module.link(other, names)
        return str(module)


@contextlib.contextmanager
def _unheard() -> Iterator[None]:
    """LLVM writes to the standard error file that a loop was not unrolled though the source asked for it, which nvcc
    does not say; what else is written meanwhile goes there afterwards."""
    sys.stderr.flush()
    kept, caught = os.dup(2), os.memfd_create("llvm")
    os.dup2(caught, 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
        with os.fdopen(caught, "rb") as file:
            file.seek(0)
            for line in file:
                if b": loop not unrolled: " not in line:
                    os.write(2, line)


def _register(machine: llvm.Machine) -> None:
    """LLVM knows a pass by name only once a pipeline has made it."""
    if not _state["registered"]:
        _emit(machine, llvm.Module("", TRIPLE), stop_after="codegenprepare")
        _state["registered"] = True


def _emit(machine: llvm.Machine, module: llvm.Module, **limits: str) -> str:
    """A MIR file: what the code generation pipeline makes of the module within limits such as `stop_after`."""
    names = {name.replace("_", "-"): value for name, value in limits.items()}
    for name, value in names.items():
        llvm.set_option(name, value)
    try:
        return machine.assembly(module)
    finally:
        for name in names:
            llvm.set_option(name, "")


def _longest_chain(ir: str) -> int:
    """The most additions, multiplications and address computations that one basic block holds."""
    blocks = re.split(r"\n(?:define |[-\w.$\"]+:)", ir)
    return max(sum(block.count(word) for word in _SLSR_WORDS) for block in blocks)


def nvptx(ir: str, options: Options) -> str:
    """PTX as LLVM's NVPTX backend writes it from the same input: the peer that ours is compared with."""
    with _lock:
        work = _Work(_machine(options), ir, options)
        _run_passes(work, PASSES[:-1])
        llvm.set_option("disable-nvptx-ir-peephole", "false")
        try:
            return work.machine.assembly(work.module)
        finally:
            llvm.set_option("disable-nvptx-ir-peephole", "true")
