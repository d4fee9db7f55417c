"""How far a loop without a pragma is worth unrolling, where LLVM cannot know: loops that end where memory says.

The trip count of `for (i = offset[row]; i < offset[row + 1]; i++)` differs from thread to thread and is short as a rule
(the rows of a sparse matrix, the edges of a node), so much of it is the remainder: by four, as nvcc does, by two where
the body is long, and not at all where it is longer or branches. What chooses values of local variables is no branch,
be it all behind a `continue`, nor is a loop of a few turns.

And loops that share a constant number of things out, `for (i = threadIdx.x; i < 1024; i += 128)`: at most eight turns,
so LLVM would make eight bodies with a way out after each, and no load could pass an earlier one's. Of at most four it
may: each then runs under a guard, as one that is not reached says that the next is not (`ptxas.optimise.ifconvert`).

And constant loops around loops of unknown turns: LLVM writes out the outer one by the size that it has before the inner
ones are unrolled, each copy of them then. As nvcc does, their copies count here.

And constant loops that divide: a division is one instruction to LLVM, and some forty with its long way. Of many turns
four stand together then.
"""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.sema import constant

_MOST_STATEMENTS = 16
_FEW_TURNS = 8
_NEST = 500
"""Instructions, about, up to which a loop around other loops is written out: nvcc's limit, as its code for such loops
of 2 to 128 turns around loops of 1 to 80 operations shows."""
_LOADED = 640
"""Instructions, about, of all turns of a loop to where memory says that stand together. On the model, for rows of 4 to
40 (of 1 to 7) turns: four of 26 to 151 take 0.66 to 0.90 (0.97 to 1.02) of the cycles of nvcc's code, which unrolls
less; two or four of 300 take 0.79 to 1.01 (1.06 to 1.08) of one at a time's, of 600 0.89 to 1.02 (1.04 to 1.12)."""
_PARTIAL, _COPIES = 200, 8
"""Instructions, and turns, up to which LLVM unrolls a loop of unknown turns (`nvvm.optimise`)."""
_DIVISIONS, _TOGETHER = 16, 4
"""Divisions and roots of all turns of a constant loop up to which it is written out: 10 KB of code; the turns of others
that stand together. (A series of 39 terms in doubles, 31 KB: 1.08 of the cycles of four at a time on an H200; three
others 1.01.)"""
_WARP_SIZE = 32
_COMPARES = ("<", "<=", ">", ">=", "!=")
_ROOTS = frozenset({"sqrt", "sqrtf"})


def factor(s: ast.Loop) -> int | None:
    """A factor as in `ast.Loop.unroll`; None leaves the loop to LLVM."""
    test = s.condition
    if s.unroll is not None or s.kind != "for" or not isinstance(test, ast.Binary) or test.op not in _COMPARES:
        return s.unroll
    if _long_nest(s):
        return 1
    if (copies := _long_ways(s)) is not None:
        return copies
    if isinstance(s.step, ast.CompoundAssign):
        return _few_turns(s.step, test, s.body)
    if not _loaded(test.right, 2):
        return None
    if _branches(s.body):
        return 1
    size, _ = _weigh(s.body, {}, None)
    return next((copies for copies in (4, 2) if copies * size <= _LOADED), 1)


def may_go_on(s: ast.Loop) -> bool:
    """Whether ptxas may make more turns together than our factor: memory may say many."""
    return s.unroll is None and not isinstance(s.step, ast.CompoundAssign)


def _few_turns(step: ast.CompoundAssign, test: ast.Binary, body: ast.Stmt) -> int | None:
    """Four for `i < constant; i += constant` of at most eight turns from zero, all of at most four. One that starts
    at a constant, or where loops around it say, is left alone: LLVM knows its turns, and makes it straight."""
    bound, stride = constant.evaluate(test.right), constant.evaluate(step.right)
    if step.op != "+" or test.op not in ("<", "<=") or not isinstance(bound, int) or not isinstance(stride, int):
        return None
    start = _start(test)
    if start is None or _of_counters(start, 4):
        return None
    turns = -(-bound // stride) if stride > 1 else 0
    if not 2 < turns <= 8 or _size(body) > _MOST_STATEMENTS:
        return None
    return min(turns, 4)


def _of_counters(e: ast.Expr, depth: int) -> bool:
    """Whether an expression is made of constants and of variables that begin at such: counters of loops."""
    if constant.evaluate(e) is not None:
        return True
    if (variable := _counted(e)) is not None:
        return depth > 0 and isinstance(variable.init, ast.Expr) and _of_counters(variable.init, depth - 1)
    return isinstance(e, ast.Binary | ast.Cast) and all(
        isinstance(part, ast.Expr) and _of_counters(part, depth) for part in ast.children(e)
    )


def _size(s: ast.Stmt) -> int:
    """Statements; a loop or a switch counts as too many."""
    if isinstance(s, ast.Block):
        return sum(_size(x) for x in s.items)
    if isinstance(s, ast.If):
        return 1 + _size(s.then) + (_size(s.other) if s.other is not None else 0)
    return _MOST_STATEMENTS + 1 if isinstance(s, ast.Loop | ast.Switch) else 1


def _loaded(e: ast.Expr, depth: int) -> bool:
    """Whether a bound comes out of memory: read here, or by the initialiser of the variable that is named."""
    while isinstance(e, ast.Cast):
        e = e.operand
    if isinstance(e, ast.Deref):
        return True
    if isinstance(e, ast.Binary):
        return _loaded(e.left, depth) or _loaded(e.right, depth)
    if isinstance(e, ast.Name) and depth:
        init = e.variable.init
        return isinstance(init, ast.Expr) and _loaded(init, depth - 1)
    return False


def _start(test: ast.Binary) -> ast.Expr | None:
    """Where the variable that is compared begins."""
    counter, _ = _compared(test.left)
    init = counter.init if counter is not None else None
    return init if isinstance(init, ast.Expr) else None


def _long_nest(s: ast.Loop) -> bool:
    """Whether a constant loop around loops of unknown turns is long once it is written out. Local arrays that its
    counter selects from become registers by it: such a loop is left alone."""
    number = turns(s)
    if number == 1:
        return False
    assert isinstance(s.condition, ast.Binary)
    counter = _counted(s.condition.left)
    size, around = _weigh(s.body, {}, counter)
    return around and number * size > _NEST and not _selects(s.body, counter)


def _weigh(
    node: ast.Expr | ast.Stmt | ast.Variable, known: dict[ast.Function, tuple[int, bool]], counter: ast.Variable | None
) -> tuple[int, bool]:
    """(about the instructions of a node, whether there is a loop of unknown turns in it); `known`: of functions;
    `counter`: that of the loop around, of which a turn count may be made (`j < 7 - i`): it is known in each copy."""
    if isinstance(node, ast.Variable):
        return _weigh(node.init, known, counter) if isinstance(node.init, ast.Expr) else (0, False)
    if isinstance(node, ast.If) and _asks_for_constant(node.condition):
        return _weigh(node.other, known, counter) if node.other is not None else (0, False)
    size, around = _COST.get(type(node), 0), False
    if isinstance(node, ast.Call) and isinstance(node.function.body, ast.Stmt):
        if node.function not in known:
            known[node.function] = 0, False
            known[node.function] = _weigh(node.function.body, known, None)
        size, around = known[node.function]
    for part in ast.children(node):
        more, loops = _weigh(part, known, counter)
        size, around = size + more, around or loops
    if isinstance(node, ast.Loop):
        number = turns(node)
        if number > 1:
            return (size * number if size * number <= 2 * _NEST else size), around
        if counter is not None and _triangular(node, counter):
            return size, around
        counted = node.kind == "for" and isinstance(node.condition, ast.Binary)
        copies = node.unroll or (min(_COPIES, _PARTIAL // max(size, 1)) if counted and not around else 0)
        return size * (1 if node.unroll == 1 else copies + 1), True
    return size, around


def _long_ways(s: ast.Loop) -> int | None:
    """How many turns of a constant loop stand together if it divides more often than it may be written out for."""
    number = turns(s)
    divisions = _divisions(s.body, {}) if number > _TOGETHER else 0
    if number * divisions <= _DIVISIONS:
        return None
    assert isinstance(s.condition, ast.Binary)
    if _selects(s.body, _compared(s.condition.left)[0]):
        return None
    return max(min(_TOGETHER, _DIVISIONS // divisions), 1)


def _divisions(node: ast.Expr | ast.Stmt | ast.Variable, known: dict[ast.Function, int]) -> int:
    """Divisions by unknown numbers and roots of a node, with the turns of constant loops; `known`: of functions."""
    if isinstance(node, ast.Variable):
        return _divisions(node.init, known) if isinstance(node.init, ast.Expr) else 0
    if isinstance(node, ast.If) and _asks_for_constant(node.condition):
        return _divisions(node.other, known) if node.other is not None else 0
    found = 0
    if isinstance(node, ast.Call) and isinstance(node.function.body, ast.Stmt):
        if node.function not in known:
            known[node.function] = 0
            known[node.function] = _divisions(node.function.body, known)
        found = known[node.function]
    elif isinstance(node, ast.Binary | ast.CompoundAssign) and node.op in ("/", "%"):
        found = int(constant.evaluate(node.right) is None)
    elif isinstance(node, ast.BuiltinCall):
        found = int(isinstance(node.builtin, Builtin) and node.builtin.name in _ROOTS)
    found += sum(_divisions(part, known) for part in ast.children(node))
    return found * turns(node) if isinstance(node, ast.Loop) else found


def _asks_for_constant(e: ast.Expr) -> bool:
    """Whether it is `__builtin_constant_p(...)`: what is done then is done in the place of what is weighed."""
    while isinstance(e, ast.Cast):
        e = e.operand
    return (
        isinstance(e, ast.BuiltinCall) and isinstance(e.builtin, Builtin) and e.builtin.name == "__builtin_constant_p"
    )


def _triangular(s: ast.Loop, counter: ast.Variable) -> bool:
    """Whether a counting loop's ends are made of constants and the counter of the loop around."""
    test = s.condition
    if s.kind != "for" or not isinstance(test, ast.Binary) or test.op not in _COMPARES:
        return False
    ends = [end for end in (_start(test), test.right) if end is not None]
    return len(ends) == 2 and all(_made_of(end, counter) for end in ends)


def _made_of(e: ast.Expr, counter: ast.Variable) -> bool:
    if constant.evaluate(e) is not None or _counted(e) is counter:
        return True
    return isinstance(e, ast.Binary | ast.Cast) and all(
        isinstance(part, ast.Expr) and _made_of(part, counter) for part in ast.children(e)
    )


_COST: dict[type, int] = {
    **dict.fromkeys((ast.Binary, ast.Logical, ast.Unary, ast.Step, ast.Assign, ast.BuiltinCall), 1),
    **dict.fromkeys((ast.Deref, ast.CompoundAssign, ast.Conditional, ast.If), 2),
}
"""LLVM's instructions for a node; address arithmetic and a load for a subscript."""


def _counted(e: ast.Expr) -> ast.Variable | None:
    """The variable that an expression names."""
    while isinstance(e, ast.Cast):
        e = e.operand
    return e.variable if isinstance(e, ast.Name) else None


def _compared(e: ast.Expr) -> tuple[ast.Variable | None, int]:
    """The variable of an expression that is one plus a constant, and that."""
    while isinstance(e, ast.Cast):
        e = e.operand
    if isinstance(e, ast.Binary) and e.op in ("+", "-"):
        more = constant.evaluate(e.right)
        variable, known = _compared(e.left)
        return (variable, known + (more if e.op == "+" else -more)) if isinstance(more, int) else (None, 0)
    return _counted(e), 0


def _selects(node: ast.Expr | ast.Stmt | ast.Variable, counter: ast.Variable | None) -> bool:
    """Whether an element of a local array is chosen by the counter."""
    if isinstance(node, ast.Variable):
        return isinstance(node.init, ast.Expr) and _selects(node.init, counter)
    if isinstance(node, ast.Deref):
        named = _named(node)
        if counter in named and any(v.storage == "local" and v.type.kind == "array" for v in named):
            return True
    return any(_selects(part, counter) for part in ast.children(node))


def _named(e: ast.Expr | ast.Stmt | ast.Variable) -> set[ast.Variable]:
    if isinstance(e, ast.Variable):
        return set()
    own = {e.variable} if isinstance(e, ast.Name) else set()
    return own.union(*map(_named, ast.children(e)))


def turns(s: ast.Loop) -> int:
    """Of `for (i = constant; i < constant; i += constant)`; 1 of others."""
    test, step = s.condition, s.step
    if s.kind != "for" or not isinstance(test, ast.Binary) or test.op not in ("<", "<="):
        return 1
    counter, more = _compared(test.left)
    init = _start(test)
    start = constant.evaluate(init) if init is not None else None
    bound = _value(test.right)
    stride: object = 1
    if isinstance(step, ast.CompoundAssign):
        stride = _value(step.right) if step.op == "+" else None
    elif isinstance(step, ast.Assign):
        total = step.right
        if not isinstance(total, ast.Binary) or total.op != "+" or _counted(total.left) is not counter:
            return 1
        stride = _value(total.right)
    elif not isinstance(step, ast.Step):
        return 1
    if not (isinstance(start, int) and isinstance(bound, int) and isinstance(stride, int) and stride > 0):
        return 1
    return max(1, -(-(bound - more + (test.op == "<=") - start) // stride))


def _value(e: ast.Expr) -> int | float | None:
    """The value of a constant, to which `warpSize` belongs on a device."""
    if isinstance(e, ast.Name) and e.variable.symbol == "warpsize":
        return _WARP_SIZE
    found = constant.evaluate(e)
    if found is None and isinstance(e, ast.Cast):
        return _value(e.operand)
    if found is None and isinstance(e, ast.Binary) and e.op in ("*", "/"):
        left, right = _value(e.left), _value(e.right)
        if isinstance(left, int) and isinstance(right, int) and right:
            return left * right if e.op == "*" else left // right
    return found


def _branches(s: ast.Stmt) -> bool:
    if isinstance(s, ast.Block):
        items = s.items
        after = next((k for k, x in enumerate(items) if _passes(x)), len(items))
        return any(map(_branches, items[:after])) or not all(map(_chooses, items[after + 1 :]))
    if isinstance(s, ast.Loop):
        return not 1 < turns(s) <= _FEW_TURNS or _branches(s.body)
    if isinstance(s, ast.If):
        return not (_chooses(s.then) and (s.other is None or _chooses(s.other)))
    return isinstance(s, ast.Switch)


def _passes(s: ast.Stmt) -> bool:
    """Whether it is `if (...) continue;`: what follows it is what is done otherwise."""
    if not isinstance(s, ast.If) or s.other is not None:
        return False
    then = s.then.items[0] if isinstance(s.then, ast.Block) and len(s.then.items) == 1 else s.then
    return isinstance(then, ast.Jump) and then.kind == "continue"


def _chooses(s: ast.Stmt) -> bool:
    """Whether it does nothing but set local variables, by what runs under a guard as well."""
    if isinstance(s, ast.Block):
        return all(_chooses(x) for x in s.items)
    if isinstance(s, ast.If):
        return not _branches(s)
    if isinstance(s, ast.DeclStmt):
        return all(isinstance(v.init, ast.Expr) and _straight(v.init) for v in s.variables)
    return isinstance(s, ast.ExprStmt) and _straight(s.value)


def _reads(e: ast.Expr) -> bool:
    """Whether it is a load that names its cache: `__ldg(x + i)`."""
    return isinstance(e, ast.BuiltinCall) and isinstance(e.builtin, Builtin) and e.builtin.name.startswith("__ld")


def _straight(e: ast.Expr) -> bool:
    """Whether an expression stores nothing, passes no address on, and does not divide, which has a slow way."""
    if isinstance(e, ast.AddressOf | ast.IndirectCall) or getattr(e, "op", "") in ("/", "%"):
        return False
    target = e.operand if isinstance(e, ast.Step) else getattr(e, "left", None)
    if isinstance(e, ast.Assign | ast.CompoundAssign | ast.Step) and not isinstance(target, ast.Name):
        return False
    if isinstance(e, ast.Call | ast.BuiltinCall) and not _reads(e):
        return all(a.type.kind in ("bool", "int", "float") and _straight(a) for a in e.args)
    return all(_straight(part) for part in ast.children(e) if isinstance(part, ast.Expr))
