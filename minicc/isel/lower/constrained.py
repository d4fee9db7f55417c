"""llvm.experimental.constrained.*: operations of programs that may look at the floating-point environment.

The machine has none: rounding is part of an instruction, and no exception is recorded. So each is the operation that it
constrains, where it rounds to the nearest number (or as the environment says, which is that).
"""

from __future__ import annotations

from copy import copy

from minicc.isel.dag import Node
from minicc.isel.lower.base import Base
from minicc.nvvm import ir

_INSTRUCTIONS = frozenset("fadd fsub fmul fdiv frem fptosi fptoui sitofp uitofp fptrunc fpext fcmp fcmps".split())
_NEAREST = ("round.tonearest", "round.dynamic")


class Constrained(Base):
    """Mixin of `Lowering`."""

    def constrained(self, inst: ir.Inst, stem: str) -> list[Node]:
        words = [str(arg.value) for arg in inst.args if isinstance(arg, ir.MetadataValue)]
        rounding = next((word for word in words if word.startswith("round.")), _NEAREST[0])
        if rounding not in _NEAREST:
            self.unsupported(f"'{stem}' with {rounding}")
        plain = copy(inst)
        plain.args = [arg for arg in inst.args if not isinstance(arg, ir.MetadataValue)]
        operation = stem.rpartition(".")[2]
        if operation not in _INSTRUCTIONS:
            return self.intrinsic(plain, f"llvm.{operation}")
        plain.op = operation.replace("fcmps", "fcmp")
        plain.pred = words[0] if plain.op == "fcmp" else ""
        self.instruction(plain)
        return self.values.pop(plain)
