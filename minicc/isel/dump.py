"""What instruction selection has in hand, as text, for people: IR after a pass over it, expressions, PTX."""

from __future__ import annotations

from collections.abc import Iterable

from minicc.isel.dag import BlockDag, Node
from minicc.nvvm import ir
from minicc.ptx import model


def function(function: ir.Function) -> str:
    """The function's blocks and instructions, much as LLVM prints them."""
    return "\n".join(line for block in function.blocks for line in (f"{block.name}:", *map(_indented, block.insts)))


def _indented(inst: ir.Inst) -> str:
    return f"  {instruction(inst)}"


def instruction(inst: ir.Inst) -> str:
    """One instruction."""
    head = "" if str(inst.type) == "void" else f"%{inst.name} = "
    if inst.op == "phi":
        ways = (f"[ {value(a)}, %{b.name} ]" for a, b in zip(inst.args, inst.blocks, strict=True))
        return f"{head}phi {inst.type} {', '.join(ways)}"
    words = [inst.op, *sorted(inst.flags), inst.pred, "" if inst.callee is None else value(inst.callee)]
    operands = [f"{arg.type} {value(arg)}" for arg in inst.args]
    operands += [f"%{block.name}" for block in inst.blocks]
    text = f"{head}{' '.join(filter(None, words))} {', '.join(operands)}".rstrip()
    return f"{text} to {inst.type}" if inst.op in _CASTS else text


_CASTS = frozenset(
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast addrspacecast".split()
)


def value(operand: ir.Value) -> str:
    """An operand, short."""
    match operand:
        case ir.ConstInt():
            return str(operand.value)
        case ir.ConstFloat():
            return f"0x{operand.bits:X}"
        case ir.Global():
            return f"@{operand.name}"
        case ir.Inst() | ir.Argument():
            return f"%{operand.name}"
        case ir.ConstExpr():
            return f"{operand.op} ({', '.join(map(value, operand.args))})"
    return {"Zero": "zeroinitializer", "Undef": "undef"}.get(type(operand).__name__, f"<{type(operand).__name__}>")


def dag(blocks: Iterable[BlockDag]) -> str:
    """The nodes of each block."""
    return "\n".join(line for one in blocks for line in (f"{one.block.name}:", *map(_node, one.nodes)))


def _node(node: Node) -> str:
    return f"  %{node.index} = {node.op}{_data(node.data)}({', '.join(map(_operand, node.args))})"


def _operand(node: Node) -> str:
    """A node as an operand: constants and symbols, which have no number, by what they are."""
    return f"%{node.index}" if node.index >= 0 else f"{node.op}{_data(node.data)}"


def _data(data: object) -> str:
    if isinstance(data, ir.Block):
        return f" {data.name}"
    if isinstance(data, tuple):
        return "".join(map(_data, data))
    return "" if data is None else f" {data}"


def ptx(body: list[model.Statement]) -> str:
    """Statements of PTX."""
    from minicc.ptx.printer import statements

    return statements(body)
