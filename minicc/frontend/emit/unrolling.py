"""How far a loop without a pragma is worth unrolling, where LLVM cannot know: loops that end where memory says.

The trip count of `for (i = offset[row]; i < offset[row + 1]; i++)` differs from thread to thread and is short as a rule
(the rows of a sparse matrix, the edges of a node), so much of it is the remainder: by four, as nvcc does, and not at
all where the body branches.
"""

from __future__ import annotations

from minicc.frontend import ast

_COMPARES = ("<", "<=", ">", ">=", "!=")


def factor(s: ast.Loop) -> int | None:
    """A factor as in `ast.Loop.unroll`; None leaves the loop to LLVM."""
    test = s.condition
    if s.unroll is not None or s.kind != "for" or not isinstance(test, ast.Binary) or test.op not in _COMPARES:
        return s.unroll
    if isinstance(s.step, ast.CompoundAssign) or not _loaded(test.right, 2):
        return None
    return 1 if _branches(s.body) else 4


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


def _branches(s: ast.Stmt) -> bool:
    if isinstance(s, ast.Block):
        return any(_branches(x) for x in s.items)
    return isinstance(s, ast.If | ast.Loop | ast.Switch)
