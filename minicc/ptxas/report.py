"""What ptxas says about a module: `-v` lines and warnings, in its own words (read off ptxas 13.0)."""

from __future__ import annotations

from minicc.ptxas.mir import MFunction, MModule
from minicc.ptxas.options import Options
from minicc.sass.program import Function


def head(module: MModule) -> list[str]:
    """The line about global memory that comes first."""
    size = sum(v.size for v in module.variables if v.space == "global")
    return [f"ptxas info    : {size} bytes gmem"]


def function_lines(source: MFunction, made: Function, arch: str, milliseconds: float) -> list[str]:
    """The lines about one function. Spill sizes are bytes of the instructions, as ptxas counts them."""
    stores, loads = source.attributes.get("spill_stores", 0), source.attributes.get("spill_loads", 0)
    lines = []
    if made.entry:
        lines.append(f"ptxas info    : Compiling entry function '{made.name}' for '{arch}'")
    lines.append(f"ptxas info    : Function properties for {made.name}")
    lines.append(f"    {made.frame} bytes stack frame, {stores} bytes spill stores, {loads} bytes spill loads")
    if made.entry:
        used = f"ptxas info    : Used {made.registers} registers, used {made.barriers} barriers"
        if made.min_stack:
            used += f", {made.min_stack} bytes cumulative stack size"
        if made.shared:
            used += f", {made.shared} bytes smem"
        lines.append(used)
        lines.append(f"ptxas info    : Compile time = {milliseconds:.3f} ms")
    return lines


def warn(source: MFunction, made: Function, options: Options) -> None:
    """The warnings that were asked for. ptxas has the one of doubles for each line of the PTX."""
    if options.warn_doubles and any(
        inst.ptx is not None and "f64" in inst.ptx.modifiers for block in source.blocks for inst in block.insts
    ):
        options.warn(f"Program is doing double precision computations in function '{made.name}'.")
    stores, loads = source.attributes.get("spill_stores", 0), source.attributes.get("spill_loads", 0)
    if options.warn_lmem and made.frame:
        options.warn(f"Local memory used for function '{made.name}', size of stack frame: {made.frame} bytes")
    if options.warn_spills and (stores or loads):
        options.warn(
            f"Registers are spilled to local memory in function '{made.name}', "
            f"{stores} bytes spill stores, {loads} bytes spill loads"
        )
