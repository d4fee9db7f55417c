"""Who calls whom in a module, which calls are expanded in place, which functions have an address, and which may tell
their callers what other threads wrote.

A call is real if its target is recursive, or large and called from several places, or has too many calls in one another
to expand; all others are expanded. A function whose address is taken gets a number: its "address" is 8 * number, an
offset into a table in constant bank 2 that every kernel with an indirect call has, of where in its code the function
is. (So does NVIDIA's ptxas 13.0: no code address ever stands in memory, and nothing needs relocating.)
"""

from __future__ import annotations

from collections.abc import Iterator

from minicc.graphs import components, cycles
from minicc.ptx import model as ptx
from minicc.ptxas.lower.flatten import callee

LARGE = 400
"""Statements (after expansion of its own calls) from which on a function called twice is not expanded."""
_COPIES = 1000
"""Statements in all copies of a function but one, at most: thirty of what reduces large angles were half a kernel."""
DEEP = 64
"""Calls that are expanded in one another, at most."""

_STRONG = frozenset({"volatile", "relaxed", "acquire", "mmio"})


class Calls:
    """`bodies` by name and alias; `expanded`: those of them whose calls are expanded in place; `pointers`: functions
    with an address, numbered from 1; `observing`: those that read, or may call what reads, what other
    threads have written meanwhile."""

    def __init__(self, bodies: dict[str, ptx.Function]) -> None:
        self.bodies = bodies
        self.expanded: dict[str, ptx.Function] = {}
        self.pointers: list[str] = []
        self.observing: set[str] = set()

    def pointer(self, name: str) -> int:
        """The value of a function's address."""
        return 8 * (1 + self.pointers.index(self.bodies[name].name))


def analyse(module: ptx.Module, *, expand: bool = True) -> Calls:
    """Look at a whole module. `expand=False` makes every call of a function with a body a real one, but those of
    variadic ones."""
    out = Calls({f.name: f for f in module.functions if f.body is not None and not f.entry})
    for alias in module.order:
        if isinstance(alias, ptx.Alias) and alias.target in out.bodies:
            out.bodies[alias.name] = out.bodies[alias.target]
    if not out.bodies:
        return out
    sites: dict[str, int] = {}
    edges: dict[str, list[str]] = {}
    sizes: dict[str, int] = {}
    taken: dict[str, None] = {}
    for function in module.functions:
        if function.body is None:
            continue
        called: list[str] = []
        size = 0
        for inst in _instructions(function.body):
            size += 1
            direct = callee(inst) if inst.opcode == "call" else None
            if inst.opcode == "atom" or (inst.opcode == "ld" and not _STRONG.isdisjoint(inst.modifiers)):
                out.observing.add(function.name)
            if direct is not None:
                if direct in out.bodies:
                    called.append(out.bodies[direct].name)
            else:
                if inst.opcode == "call":
                    out.observing.add(function.name)
                for operand in inst.operands:
                    if isinstance(operand, ptx.Symbol) and operand.name in out.bodies:
                        taken[out.bodies[operand.name].name] = None
        edges[function.name], sizes[function.name] = called, size
        for name in called:
            sites[name] = sites.get(name, 0) + 1
    while more := {n for n, called in edges.items() if not out.observing.isdisjoint(called)} - out.observing:
        out.observing |= more
    for variable in module.variables:
        for symbol in symbols_of(variable.init):
            if symbol in out.bodies:
                taken[out.bodies[symbol].name] = None
    out.pointers = list(taken)
    order, recursive = bottom_up({name: edges[name] for name in (f.name for f in out.bodies.values())})
    total: dict[str, int] = {}
    depth: dict[str, int] = {}
    chosen: set[str] = set()
    for name in order:
        inner = [c for c in edges[name] if c in chosen]
        total[name] = sizes[name] + sum(total[c] for c in inner)
        depth[name] = 1 + max((depth[c] for c in inner), default=0)
        copies = sites.get(name, 0) - 1
        few = copies <= 0 or (total[name] <= LARGE and copies * total[name] <= _COPIES)
        # Only a call says how many arguments of a variadic function there are.
        variadic = any(not all(p.dims) for p in out.bodies[name].params)
        if name not in recursive and (variadic or (expand and few and depth[name] <= DEEP)):
            chosen.add(name)
    out.expanded = {name: f for name, f in out.bodies.items() if f.name in chosen}
    return out


def _instructions(body: list[ptx.Statement]) -> Iterator[ptx.Inst]:
    stack = [iter(body)]
    while stack:
        for item in stack[-1]:
            if type(item) is ptx.Inst:
                yield item
            elif isinstance(item, ptx.Scope):
                stack.append(iter(item.body))
                break
        else:
            stack.pop()


def symbols_of(init: object) -> Iterator[str]:
    """The names in an initial value."""
    if isinstance(init, list):
        for item in init:
            yield from symbols_of(item)
    elif isinstance(init, ptx.Symbol):
        yield init.name


def bottom_up(edges: dict[str, list[str]]) -> tuple[list[str], set[str]]:
    """(callees before callers, functions that may call themselves)."""
    names = list(edges)
    number = {name: n for n, name in enumerate(names)}
    succs = [[number[other] for other in edges[name]] for name in names]
    order = [names[n] for group in components(succs) for n in group]
    return order, {names[n] for n in cycles(succs)}


__all__ = ["Calls", "analyse", "symbols_of"]
