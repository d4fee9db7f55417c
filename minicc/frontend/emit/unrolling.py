"""How far a loop without a pragma is worth unrolling, where LLVM cannot know: loops that end where memory says.

The trip count of `for (i = offset[row]; i < offset[row + 1]; i++)` differs from thread to thread and is short as a rule
(the rows of a sparse matrix, the edges of a node), so much of it is the remainder: by four, as nvcc does, and not at
all where the body branches. What chooses values of local variables is no branch, nor is a loop of a few turns.

And loops that share a constant number of things out, `for (i = threadIdx.x; i < 1024; i += 128)`: at most eight turns,
so LLVM would make eight bodies with a way out after each, and no load could pass an earlier one's.
"""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend.sema import constant

_MOST_STATEMENTS = 16
_FEW_TURNS = 8
_COMPARES = ("<", "<=", ">", ">=", "!=")


def factor(s: ast.Loop) -> int | None:
    """A factor as in `ast.Loop.unroll`; None leaves the loop to LLVM."""
    test = s.condition
    if s.unroll is not None or s.kind != "for" or not isinstance(test, ast.Binary) or test.op not in _COMPARES:
        return s.unroll
    if isinstance(s.step, ast.CompoundAssign):
        return _few_turns(s.step, test, s.body)
    if not _loaded(test.right, 2):
        return None
    return 1 if _branches(s.body) else 4


def _few_turns(step: ast.CompoundAssign, test: ast.Binary, body: ast.Stmt) -> int | None:
    """Four for `i < constant; i += constant` of at most eight turns from zero, two for at most four. One that starts
    at a constant is left alone: LLVM knows its turns, and makes it straight."""
    bound, stride = constant.evaluate(test.right), constant.evaluate(step.right)
    if step.op != "+" or test.op not in ("<", "<=") or not isinstance(bound, int) or not isinstance(stride, int):
        return None
    start = _start(test)
    if start is None or constant.evaluate(start) is not None:
        return None
    turns = -(-bound // stride) if stride > 1 else 0
    if not 2 < turns <= 8 or _size(body) > _MOST_STATEMENTS:
        return None
    return 4 if turns > 4 else 2


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
    counter = test.left
    while isinstance(counter, ast.Cast):
        counter = counter.operand
    init = counter.variable.init if isinstance(counter, ast.Name) else None
    return init if isinstance(init, ast.Expr) else None


def turns(s: ast.Loop) -> int:
    """Of `for (i = constant; i < constant; i += constant)`; 1 of others."""
    test, step = s.condition, s.step
    if s.kind != "for" or not isinstance(test, ast.Binary) or test.op not in ("<", "<="):
        return 1
    init = _start(test)
    start = constant.evaluate(init) if init is not None else None
    bound = constant.evaluate(test.right)
    stride: object = 1
    if isinstance(step, ast.CompoundAssign):
        stride = constant.evaluate(step.right) if step.op == "+" else None
    elif not isinstance(step, ast.Step):
        return 1
    if not (isinstance(start, int) and isinstance(bound, int) and isinstance(stride, int) and stride > 0):
        return 1
    return max(1, -(-(bound + (test.op == "<=") - start) // stride))


def _branches(s: ast.Stmt) -> bool:
    if isinstance(s, ast.Block):
        return any(_branches(x) for x in s.items)
    if isinstance(s, ast.Loop):
        return not 1 < turns(s) <= _FEW_TURNS or _branches(s.body)
    if isinstance(s, ast.If):
        return not (_chooses(s.then) and (s.other is None or _chooses(s.other)))
    return isinstance(s, ast.Switch)


def _chooses(s: ast.Stmt) -> bool:
    """Whether it does nothing but set local variables, by what runs under a guard as well."""
    if isinstance(s, ast.Block):
        return all(_chooses(x) for x in s.items)
    if isinstance(s, ast.If):
        return not _branches(s)
    if isinstance(s, ast.DeclStmt):
        return all(isinstance(v.init, ast.Expr) and _straight(v.init) for v in s.variables)
    return isinstance(s, ast.ExprStmt) and _straight(s.value)


def _straight(e: ast.Expr) -> bool:
    """Whether an expression stores nothing, passes no address on, and does not divide, which has a slow way."""
    if isinstance(e, ast.AddressOf | ast.IndirectCall) or getattr(e, "op", "") in ("/", "%"):
        return False
    target = e.operand if isinstance(e, ast.Step) else getattr(e, "left", None)
    if isinstance(e, ast.Assign | ast.CompoundAssign | ast.Step) and not isinstance(target, ast.Name):
        return False
    if isinstance(e, ast.Call | ast.BuiltinCall):
        return all(a.type.kind in ("bool", "int", "float") and _straight(a) for a in e.args)
    return all(_straight(part) for part in ast.children(e) if isinstance(part, ast.Expr))
