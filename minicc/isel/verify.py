"""The rules of the IR that the passes of selection change in place: checked between them in tests, and by
-Xisel --verify-passes. A broken one names the pass, the function, the instruction, the source line and the rule."""

from __future__ import annotations

from typing import NoReturn

from minicc import graphs
from minicc.isel.dump import instruction, value
from minicc.isel.order import edges
from minicc.nvvm import ir

TERMINATORS = frozenset(("br", "switch", "ret", "unreachable", "indirectbr"))
_SAME = frozenset("add sub mul sdiv udiv srem urem shl lshr ashr and or xor fadd fsub fmul fdiv frem icmp fcmp".split())
"""Operations whose operands are of one type."""


class VerifyError(AssertionError):
    """The IR breaks a rule. `rule` is its name."""

    def __init__(
        self, module: ir.Module, after: str, function: str, inst: ir.Inst | None, rule: str, what: str
    ) -> None:
        self.rule = rule
        where = "" if inst is None else f" at `{instruction(inst)}`"
        node = None if inst is None else module.node(inst.metadata.get("dbg"))
        line = None if node is None else node.fields.get("line")
        source = f" (source line {line})" if line else ""
        super().__init__(f"after pass {after}, in {function}{where}{source}: {rule}: {what}")


def verify(module: ir.Module, function: ir.Function, after: str) -> None:
    """Raise `VerifyError` at the first broken rule."""

    _Checker(module, function, after).run()


class _Checker:
    def __init__(self, module: ir.Module, function: ir.Function, after: str) -> None:
        self.module, self.function, self.after = module, function, after
        self.number = {block: n for n, block in enumerate(function.blocks)}
        self.places: dict[ir.Value, tuple[int, int]] = {}
        """Block and position of each instruction."""

    def bad(self, inst: ir.Inst | None, rule: str, what: str) -> NoReturn:
        raise VerifyError(self.module, self.after, self.function.name, inst, rule, what)

    def run(self) -> None:
        for n, block in enumerate(self.function.blocks):
            if not block.insts or block.insts[-1].op not in TERMINATORS:
                self.bad(block.insts[-1] if block.insts else None, "terminator-last", f"{block.name} ends in no jump")
            for k, inst in enumerate(block.insts):
                self.place(inst, n, k)
        succs, self.preds = edges(self.function)
        order = graphs.postorder(succs)
        self.idom = graphs.dominators(order, self.preds)
        for n in order:
            for inst in self.function.blocks[n].insts:
                self.operands(inst, n)

    def place(self, inst: ir.Inst, n: int, k: int) -> None:
        block = self.function.blocks[n]
        if inst in self.places:
            self.bad(inst, "one-place", "an instruction stands twice")
        self.places[inst] = (n, k)
        if inst.parent is not block:
            self.bad(inst, "parent", f"it stands in {block.name}, and says another block")
        if inst.op in TERMINATORS and inst is not block.insts[-1]:
            self.bad(inst, "terminator-last", "a jump inside a block")
        if inst.op == "phi" and k and block.insts[k - 1].op != "phi":
            self.bad(inst, "phis-first", "a phi behind another instruction")
        if any(target not in self.number for target in inst.blocks):
            self.bad(inst, "known-block", "it names a block of no function")

    def operands(self, inst: ir.Inst, n: int) -> None:
        if inst.op == "phi" and {self.number[b] for b in inst.blocks} != set(self.preds[n]):
            self.bad(inst, "phi-ways", "its ways in are not the block's")
        if inst.op in _SAME and inst.args[0].type is not inst.args[1].type:
            self.bad(inst, "same-types", f"{inst.args[0].type} and {inst.args[1].type}")
        for k, arg in enumerate(inst.args):
            if not isinstance(arg, ir.Inst):
                continue
            if arg not in self.places:
                self.bad(inst, "known-value", f"{value(arg)} stands nowhere")
            at, index = self.places[arg]
            use, last = (self.number[inst.blocks[k]], 1 << 30) if inst.op == "phi" else self.places[inst]
            if self.idom[use] < 0:
                continue
            if not (index < last if at == use else graphs.dominates(self.idom, at, use)):
                self.bad(inst, "defined-before", f"{value(arg)} is not made on every way here")
