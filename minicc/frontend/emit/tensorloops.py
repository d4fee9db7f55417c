"""How far `#pragma unroll` unrolls loops around `wmma::mma_sync`.

Fragments in arrays, `c[i][j]`, lie in memory as long as the loops stand; LLVM counts a few instructions for each mma,
so that the pragma made a loop over all of K thousands of them, a minute to assemble. A bound on the registers
of all mma together stops where NVIDIA's compiler stops in its samples of GEMMs (512 mma of bf16 with 24 registers each,
2,048 of double with 6); in smaller nests that goes further.
"""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.emit.unrolling import turns
from minicc.frontend.sema import constant

_MOST = 16384
"""Registers of the mma instructions in a loop's body once it is unrolled."""
_PLAIN = 4
"""Of an mma whose fragments are variables."""


def factor(s: ast.Loop) -> int:
    """0 where the loop may be unrolled fully, else how often."""
    number = turns(s)
    once = _count(s.body, {}) if number > 1 else 0
    if number * once <= _MOST:
        return 0
    found = 1
    while found * 2 * once <= _MOST:
        found *= 2
    return found


def _count(node: object, known: dict[ast.Function, int]) -> int:
    """Registers of the mma instructions that a statement runs; `known`: those of functions."""
    if not isinstance(node, ast.Expr | ast.Stmt):
        return 0
    if isinstance(node, ast.BuiltinCall):
        if not isinstance(node.builtin, Builtin) or node.builtin.name != "__wmma_mma":
            return 0
        m, n, k = (constant.evaluate(a) or 16 for a in node.args[:3])
        return int(2 * (m * n // 32) + max(1, m * k // 64) + max(1, k * n // 64))
    total = 0
    if isinstance(node, ast.Call):
        f = node.function
        if f not in known:
            known[f] = 0
            known[f] = _count(f.body, known)
        total = known[f]
        if total and not any(isinstance(a, ast.Deref) for a in map(_object, node.args)):
            total = _PLAIN
    total += sum(_count(part, known) for part in ast.children(node))
    return total * turns(node) if isinstance(node, ast.Loop) else total


def _object(e: ast.Expr) -> ast.Expr:
    """What a reference is bound to."""
    while isinstance(e, ast.AddressOf | ast.Cast):
        e = e.operand
    return e
