"""The machine IR verifier: run between passes in tests, it names the pass, the instruction, the source line, the
rule."""

from __future__ import annotations

from collections.abc import Callable

from minicc.ptxas.cfg import ends, falls_through, is_plain, target_of
from minicc.ptxas.dump import inst_text
from minicc.ptxas.mir import MFunction, MInst, V, VMem, VReg, step_of
from minicc.ptxas.operands import reads, writes


class VerifyError(AssertionError):
    """The machine IR breaks a rule. `rule` is its name."""

    def __init__(self, after: str, function: str, inst: MInst | None, rule: str, detail: str) -> None:
        self.rule = rule
        where = "" if inst is None else f" at `{inst_text(inst)}`"
        line = getattr(inst.loc, "line", None) if inst is not None else None
        source = f" (source line {line})" if line else ""
        super().__init__(f"after pass {after}, in {function}{where}{source}: {rule}: {detail}")


def verify(function: MFunction, after: str, *, allocated: bool = False) -> None:
    """Raise `VerifyError` at the first broken rule. `allocated`: every register must have a number."""

    def bad(inst: MInst | None, rule: str, detail: str) -> None:
        raise VerifyError(after, function.name, inst, rule, detail)

    labels = [b.label for b in function.blocks]
    known = set(labels)
    if len(known) != len(labels):
        bad(None, "unique-labels", "two blocks share a label")
    ids = {r.id: r for r in function.vregs}
    for at, block in enumerate(function.blocks):
        for succ in block.succs:
            if succ not in known:
                bad(None, "known-successor", f"{block.label} -> {succ}")
        falls = falls_through(block)
        if falls and at + 1 == len(labels):
            bad(block.insts[-1] if block.insts else None, "ends", "control runs off the end of the function")
        expected = {labels[at + 1]} if falls and at + 1 < len(labels) else set()
        for n, inst in enumerate(block.insts):
            if inst.mnemonic == "BRA":
                target = target_of(inst)
                if target is None or target not in known:
                    bad(inst, "known-target", str(target))
                    continue
                expected.add(target)
            if inst.mnemonic == "BSSY" and target_of(inst) not in known:
                bad(inst, "known-target", str(target_of(inst)))
            if ends(inst) and is_plain(inst) and n != len(block.insts) - 1:
                bad(inst, "terminator-last", "an unguarded jump inside a block")
            if inst.mnemonic == "BRA" and n < len(block.insts) - 2:
                bad(inst, "branch-at-end", "only the last two instructions of a block may branch")
            _operands(inst, ids, allocated, bad)
        if block.insts and block.insts[-1].mnemonic in ("BRX", "BRXU", "JMX"):
            expected |= set(block.succs)
        if expected != set(block.succs):
            bad(
                block.insts[-1] if block.insts else None,
                "successors",
                f"{block.label} says {sorted(block.succs)}, code goes to {sorted(expected)}",
            )


def _operands(
    inst: MInst, ids: dict[int, VReg], allocated: bool, bad: Callable[[MInst | None, str, str], None]
) -> None:
    for operand in (*reads(inst), *writes(inst)):
        if not isinstance(operand, V):
            continue
        reg = operand.reg
        if ids.get(reg.id) is not reg:
            bad(inst, "own-register", f"{reg!r} is not a register of this function")
        if operand.part < 0 or operand.count < 1 or operand.part + operand.count > reg.width:
            bad(inst, "part-in-range", f"{operand}")
        if operand.count in (2, 4) and operand.part % operand.count:
            bad(inst, "aligned-part", f"{operand}")
        if allocated and reg.fixed is None:
            bad(inst, "allocated", f"{reg!r} has no number")
        if reg.fixed is not None and reg.file == "R" and reg.fixed % step_of(reg.width):
            bad(inst, "aligned-register", f"{reg!r} is R{reg.fixed}")
    guard = inst.guard
    if guard.file not in ("P", "UP"):
        bad(inst, "guard-is-predicate", str(guard))
    for source in inst.srcs:
        if isinstance(source, VMem):
            bases = ("R", "UR") if inst.mnemonic[0] == "U" or inst.mnemonic == "SYNCS" else ("R",)
            for part, files in ((source.base, bases), (source.ureg, ("UR",)), (source.desc, ("UR",))):
                if part is not None and part.file not in files:
                    bad(inst, "address-file", f"{part}")
