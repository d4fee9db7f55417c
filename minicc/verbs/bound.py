"""`minicc bound FILE`: what a kernel's code can reach at most, without running it."""

from __future__ import annotations

import json
from typing import Any

import attrs

from minicc.diagnostics import EXIT_SOURCE, fail
from minicc.output import report
from minicc.verbs import launching
from minicc.verbs.launching import Arguments

HELP = """Usage: minicc bound FILE [options] [compile options]
       minicc bound --machine gf110|gk104 [--blocking N] [--load LDS|LDS.64|LDS.128] [options]

FILE (.k, .cu, .ll, .ptx, .sass, .cubin, .fatbin, a program) is compiled if need be and its machine code looked at, not
run. For each loop: the cycles that issue slots, pipes, register reads, the load/store unit and memory need for one
iteration, if no latency shows and nothing conflicts; the tightest bounds it, and with it the share of the arithmetic
peak that it can reach.

  --kernel NAME       only this kernel
  --block N           threads of a block, for occupancy (default 256)
  --shared BYTES      dynamic shared memory of a block
  --all               loops that contain others, too

With --machine, the bound of a register-blocked SGEMM on an older machine (minicc/arch/classic), as in the project's
document on Fermi and Kepler:

  --blocking N        registers of C in a row and a column (default: the largest that fits)
  --load NAME         how operands come from shared memory (default LDS.64)
  --threads N         threads of an SM (default: what the registers allow)
  --throughput X      thread instructions a cycle of FFMA and loads mixed, instead of simulating them

  --json              as JSON

Examples:
  minicc bound samples/sgemm_regblock.k
  minicc bound --machine gf110
  minicc bound --machine gk104 --load LDS.128
"""

_VALUES = ("kernel", "block", "shared", "machine", "blocking", "load", "threads", "throughput")
_FLAGS = ("help", "all")


def main(words: list[str]) -> int:
    """The verb. `words` is the command line after `bound`."""
    arguments = launching.arguments(words, _VALUES, _FLAGS)
    if "help" in arguments.flags or "-h" in words or not words:
        print(HELP, end="")
        return 0 if words else EXIT_SOURCE
    if arguments.last("machine"):
        return _sgemm(arguments)
    return _kernels(arguments)


def _sgemm(arguments: Arguments) -> int:
    from minicc.verbs import check_runtime

    check_runtime()
    from minicc.arch import classic
    from runtime.classic import experiments
    from runtime.profile.units import table

    machine = classic.get(arguments.last("machine"))
    load = arguments.last("load", "LDS.64")
    if load not in experiments.WIDTHS:
        fail("cli.bad-value", f"Value '{load}' is not one of {', '.join(experiments.WIDTHS)} for '--load'")
    try:
        throughput = float(arguments.last("throughput", "0"))
    except ValueError:
        fail("cli.bad-value", f"Value '{arguments.last('throughput')}' is not a number for '--throughput'")
    threads = arguments.number("threads", 0)
    if not 0 <= threads <= machine.threads_per_sm:
        fail("cli.bad-value", f"{machine.name} holds at most {machine.threads_per_sm} threads")
    blocking = arguments.number("blocking", 0) or experiments.largest_blocking(machine.name, load, threads)
    if blocking > 32 or blocking < 1:
        fail("cli.bad-value", "--blocking is 1 to 32")
    found = experiments.bound(machine.name, blocking, load, threads, throughput=throughput)
    data = {
        **{k: v for k, v in attrs.asdict(found, recurse=False).items() if k != "machine"},
        "machine": machine.name,
        "ffma_share": found.ffma_share,
        "sm_bound": found.sm_bound,
        "memory_bound": found.memory_bound,
        "bound": found.bound,
        "registers": found.registers(),
        "shared": found.shared,
        "fits": found.fits(),
    }
    if "--json" in arguments.rest:
        print(json.dumps({"schema": 1, **data}))
        return 0
    how = "as given" if throughput else "simulated"
    gflops = found.bound * found.peak_gflops
    rows: list[tuple[str, ...]] = [
        ("registers of a thread", f"{found.registers()} of {machine.registers_per_thread}"),
        ("threads of an SM", str(found.threads)),
        ("shared memory of an SM", f"{found.shared} of {machine.shared_per_sm} bytes"),
        ("FFMA among the instructions", f"{100 * found.ffma_share:.1f} %"),
        (f"throughput of the mix ({how})", f"{found.throughput:.1f} of {machine.peak:g} thread instructions a cycle"),
        ("bound by instructions", f"{100 * found.sm_bound:.1f} % of the peak"),
        ("bound by global memory", f"{100 * found.memory_bound:.1f} % of the peak"),
        ("bound", f"{100 * found.bound:.1f} % of {found.peak_gflops:,.0f} GFLOPS = {gflops:,.0f} GFLOPS"),
    ]
    if not found.fits():
        rows.append(("", "this configuration does not fit the machine"))
    title = f"SGEMM on {machine.title}: {blocking}x{blocking} registers, {load}"
    print("\n".join(table(title, rows, "ll")).rstrip())
    return 0


def _kernels(arguments: Arguments) -> int:
    from minicc import arch as archs
    from minicc import driver
    from minicc.analysis.bound import bounds, peak
    from minicc.analysis.occupancy import occupancy
    from minicc.options import parse

    request = parse([*arguments.rest, "-lineinfo"], "bound", arguments.own)
    if len(request.inputs) != 1:
        fail("cli.one-input", "minicc bound takes exactly one file")
    build = driver.open_input(request.inputs[0], request, lambda d: report([d], request.has("json")))
    target = request.targets[0]
    program = build.program(target, (target.codes or (target.compute.replace("compute", "sm"),))[0])
    if program.arch not in archs.NAMES:
        known = ", ".join(archs.NAMES)
        fail(
            "bound.arch", f"{build.name}: code for {program.arch}, of which no machine is described; there are {known}"
        )
    arch = archs.get(program.arch)
    wanted = arguments.last("kernel")
    functions = [f for f in program.functions if f.entry and wanted in f.name]
    if not functions:
        names = ", ".join(f.name for f in program.functions if f.entry)
        fail("bound.no-kernel", f"{build.name} has no kernel" + (f" '{wanted}'; it has {names}" if names else ""))
    block, most = arguments.number("block", 256), arch.occupancy.max_threads_per_block
    if not 1 <= block <= most:
        fail("cli.bad-value", f"--block is 1 to {most}")
    documents: list[dict[str, Any]] = []
    lines: list[str] = []
    for function in functions:
        found = bounds(function.code, arch)
        if "all" not in arguments.flags:
            inner = [a for a in found if not any(b is not a and a.first <= b.first and b.last <= a.last for b in found)]
            found = inner
        here = occupancy(arch, function.registers, function.shared + arguments.number("shared", 0), block)
        documents.append(
            {
                "kernel": function.name,
                "registers": function.registers,
                "occupancy": attrs.asdict(here),
                "loops": [{**attrs.asdict(one), "bound": one.tightest, "peak": one.peak_share(arch)} for one in found],
            }
        )
        lines += _text(function, found, here, arch, peak(arch))
    if request.has("json"):
        print(json.dumps({"schema": 1, "file": build.name, "arch": arch.name, "kernels": documents}))
    else:
        print("\n".join(lines).rstrip())
    return 0


def _text(function: Any, found: list[Any], here: Any, arch: Any, peak: dict[str, float]) -> list[str]:
    from minicc.verbs import check_runtime

    check_runtime()
    from runtime.profile.facts import line_at
    from runtime.profile.units import table

    lines_ = sorted(function.lines, key=lambda line: line.offset)
    head = f"{function.name}: {function.registers} registers, {here.warps} warps an SM ({here.limiter} limit them)"
    out = [head, "=" * len(head), ""]
    for one in found:
        places = [line_at(lines_, at) for at in range(one.first, one.last + 1, 16)]
        numbers = [line for _, line in places if line]
        where = f"0x{one.first:04x}-0x{one.last:04x}"
        if numbers:
            file = next(f for f, line in places if line).rsplit("/", 1)[-1]
            where += f", {file}:{min(numbers)}-{max(numbers)}"
        name, cycles = one.tightest
        rows: list[tuple[str, ...]] = [("resource", "cycles", "of the bound")]
        for resource, value in sorted(one.cycles.items(), key=lambda item: (-item[1], item[0])):
            rows.append((resource, f"{value:.1f}", f"{100 * value / cycles:.0f} %"))
        opcodes = ", ".join(f"{n} {op}" for op, n in list(one.opcodes.items())[:6])
        notes = [f"{one.count} instructions: {opcodes}", f"bound by {name}: {cycles:.0f} cycles of a sub-core a warp"]
        for precision, share in one.peak_share(arch).items():
            done = one.flops[precision]
            notes.append(
                f"{precision}: at most {100 * share:.1f} % of the peak ({done / cycles:.1f} of {peak[precision]:.0f} "
                "operations a cycle)"
            )
            if one.global_bytes:
                notes.append(f"{done / one.global_bytes:.2f} operations for each byte that it names in global memory")
        warps = here.warps / arch.sub_cores
        notes.append(
            f"stall counts alone take {one.alone} cycles: {one.warps:.1f} warps of a scheduler hide them, "
            f"it has {warps:g}"
        )
        whole = one.first == 0 and "EXIT" in one.opcodes
        title = f"{'All of the code' if whole else 'Loop'}, {where}"
        out += table(title, rows, "lrr", head=True, note="\n".join(notes))
    return out
