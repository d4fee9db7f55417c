"""llvm.nvvm.* intrinsics whose operation in the DAG is their own name: matrices, tensor copies, textures.

The patterns' trees spell the names (`patterns/tensor.py`); here operands are brought into registers, in the order that
the trees have, and results out of them.
"""

from __future__ import annotations

import re

from minicc.isel.dag import Node
from minicc.isel.lower.base import Base
from minicc.isel.lower.halves import HALVES, is_packed
from minicc.isel.lower.intrinsic_table import NVVM
from minicc.nvvm import ir

DOTTED = {0: "", 1: ".global", 3: ".shared", 4: ".const", 5: ".local", 7: ".shared::cluster", 101: ".param"}
_OVERLOAD = r"(\.p\d+)+$"
_SHAPE = r"m(\d+)n(\d+)k(\d+)"
_PREFIX = {
    "cp.async.bulk.tensor.": "tensor.",
    "cp.async.bulk.global.to.shared.cluster": "bulk.g2s",
    "cp.async.bulk.shared.cta.to.global": "bulk.s2g",
    "cp.async.bulk.shared.cta.to.cluster": "bulk.s2c",
    "cp.async.bulk.prefetch.L2": "bulk.prefetch",
    "clusterlaunchcontrol.query_cancel.is_canceled": "clc.canceled.p",
    "clusterlaunchcontrol.query_cancel.get_first_ctaid.": "clc.ctaid.",
}


class Named(Base):
    """Mixin of `Lowering`."""

    def named(self, inst: ir.Inst, name: str) -> list[Node] | None:
        """Lower an intrinsic by its name after "llvm.nvvm."; None where no machine has a pattern for it."""
        from minicc.isel.cover.database import of, signature

        op = re.sub(_OVERLOAD, "", name)
        args = list(inst.args)
        for prefix, short in _PREFIX.items():
            if op.startswith(prefix):
                op = short + op[len(prefix) :]
                args = self.chosen(op, args)
                break
        if op.startswith("clc.ctaid."):
            op += ".i32"
        stride: Node | None = None
        if op.startswith("wmma.") and (".load." in op or ".store." in op) and ".stride" not in op:
            op, stride = self.implied_stride(op)
        known = NVVM.get(op)
        effect = True
        if known is not None:
            op, effect = known
        elif signature(op) is None:
            return None
        if not of(self.arch).lookup(op):
            self.unsupported(f"intrinsic 'llvm.nvvm.{name}' on {self.arch.name}")
        nodes = [node for arg in args for node in self.registers(op, arg)]
        if stride is not None:
            nodes.append(stride)
        space = next((DOTTED.get(arg.type.space, "") for arg in args if arg.type.kind == "ptr"), None)
        return self.results_of(inst, op, tuple(nodes), space, effect)

    def registers(self, op: str, arg: ir.Value) -> list[Node]:
        """Operands as the patterns take them: pairs of halves in one register, 16-bit integers in one of their own."""
        build = self.build
        if is_packed(arg.type):
            return self.pairs(self.parts(arg))
        if arg.type.kind == "int" and arg.type.bits == 16 and op.startswith(("e2h.", "ue2h.", "tcgen05.commit.mc")):
            node = self.parts(arg)[0]
            return [build.pure("trunc16.h.i32", "h", node)]
        return self.parts(arg)

    def results_of(
        self, inst: ir.Inst, op: str, args: tuple[Node, ...], data: str | None, effect: bool = True
    ) -> list[Node]:
        """The node, and its results as the parts of the intrinsic's type."""
        build = self.build
        if inst.type is ir.VOID:
            build.raw(op, "", args, data, root=True)
            return []
        fields = list(inst.type.elements) if inst.type.kind == "struct" else [inst.type]
        kinds: list[str] = []
        for field in fields:
            kinds += ["i32"] * (field.count // 2) if is_packed(field) else self.legal(field)
        if op.endswith(".h"):
            wide = build.pure("zext16.i32.h", "i32", build.pure(op, "h", *args))
            wide.zb = 16
            values = [wide]
        elif len(kinds) == 1:
            values = [build.raw(op, kinds[0], args, data, root=True) if effect else build.pure(op, kinds[0], *args)]
        else:
            node = build.raw(op, "", args, data, root=effect)
            values = [build.raw(f"res.{kind}", kind, (node,), i) for i, kind in enumerate(kinds)]
        out: list[Node] = []
        for field in fields:
            if is_packed(field):
                for _ in range(field.count // 2):
                    out += self.unpair(values.pop(0), HALVES[field.element.kind])
            else:
                for _ in self.legal(field):
                    out.append(values.pop(0))
        return out

    def chosen(self, op: str, args: list[ir.Value]) -> list[ir.Value]:
        """Operands of a bulk copy in the order of its tree. Flags say whether multicast and cache hint are used."""
        if op.startswith("clc."):
            return args
        while args and args[-1].type.kind == "int" and args[-1].type.bits == 32 and op.startswith("tensor."):
            if not isinstance(args[-2], ir.ConstInt) or args[-2].type.bits != 1:
                break
            args = args[:-1]  # the choice of CTA group
        flags = [arg for arg in args if arg.type.kind == "int" and arg.type.bits == 1]
        if any(self.one(flag).data for flag in flags):
            self.unsupported(f"'{op}' with multicast or a cache hint")
        args = args[: len(args) - 2 * len(flags)] if flags else args
        if op.startswith(("tensor.g2s", "tensor.s2g", "tensor.reduce", "tensor.prefetch")):
            return args
        if op in ("bulk.g2s", "bulk.s2c"):
            to, barrier, source, size = args
            return [to, source, size, barrier]
        return args

    def implied_stride(self, op: str) -> tuple[str, Node]:
        """A fragment without a stride is packed: the leading dimension is the matrix' own."""
        found = re.search(_SHAPE, op)
        assert found is not None
        m, n, k = map(int, found.groups())
        words = op.split(".")
        part, row = words[3], words[4] == "row"
        rows, columns = {"a": (m, k), "b": (k, n)}.get(part, (m, n))
        words.insert(5, "stride")
        return ".".join(words), self.build.const("i32", columns if row else rows)
