"""Covered DAG -> PTX instructions of one function: registers, templates, phis, branches, layout.

Blocks keep LLVM's order. Phis become parallel copies at the end of predecessors: before the branch where no other
successor still needs the old values, else on the fall-through path or in an edge block of their own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from minicc.isel.cover import template
from minicc.isel.cover.cover import Cover, Tile
from minicc.isel.cover.database import substitute
from minicc.isel.dag import WIDTH, BlockDag, Node
from minicc.isel.emit.coalesce import Lives
from minicc.isel.emit.symbols import SymbolMove, share_symbols
from minicc.isel.lower.calls import AsmText, CallTarget
from minicc.isel.lower.lower import Lowering
from minicc.numbers import signed
from minicc.nvvm import ir
from minicc.ptx import model as ptx

if TYPE_CHECKING:
    from minicc.isel.emit.inline import Opened

_PREFIX = {"p": "%p", "i32": "%r", "i64": "%rd", "f32": "%f", "f64": "%fd", "f16": "%rs", "bf16": "%rs", "h": "%rs"} | {
    "i128": "%rq"
}
CLASS = {"%p": "pred", "%rs": "b16", "%r": "b32", "%rd": "b64", "%f": "f32", "%fd": "f64", "%rq": "b128"}
_EXCHANGES = frozenset({"shflsync", "shflsyncp", "vote", "ballot", "matchany", "matchall", "redux"})
_EMPTY = ptx.Symbol("_")


def _transform(function: str, node: Node) -> ptx.Operand:
    """An immediate passed through one of the templates' functions."""
    value = node.data
    match function:
        case "exp2u":
            return ptx.Int(1 << value)
        case "exp2s":
            return ptx.Int(1 << value)
        case "s32":
            return ptx.Int(signed(value, 32))
        case "rest":
            return ptx.Int(32 - value)
        case "bits":
            return ptx.Int(value.bit_length())
        case "fneg":
            width = WIDTH[node.type]
            return ptx.Float(value ^ 1 << (width - 1), 64 if width == 64 else 32)
    raise ValueError(function)


class Emitter:
    """State of one function's emission."""

    def __init__(self, lowering: Lowering, cover: Cover, number: int, locs: Any) -> None:
        self.lowering = lowering
        self.cover = cover
        self.number = number
        self.locs = locs
        self.counts = dict.fromkeys(CLASS, 0)
        self.out: list[ptx.Statement] = []
        self.stack: list[list[ptx.Statement]] = []
        self.block_constants: dict[Any, ptx.Reg] = {}
        self.symbol_moves: dict[Any, list[SymbolMove]] = {}
        """Of each symbol that is needed in a register: register, block, statements, move."""
        self.on_edges: set[Any] = set()
        """Symbols that were moved on one way out of a block: not every block below has passed there."""
        self.leaving = False
        self.opened: Opened | None = None
        """What inline assembly has declared so far."""
        self.at = ir.Block("")
        """The block that is being emitted."""
        self.labels: dict[Any, str] = {}
        self.used_labels: set[str] = set()
        self.edges: list[tuple[str, BlockDag, ir.Block]] = []
        self.loc: ptx.Loc | None = None
        self.explained: list[tuple[ptx.Inst, Node | str, str]] = []
        """With `--explain`: instruction, the node it covers or the operation that it was looked up as, and what it is
        for if no node asked for it."""
        self.purpose = ""
        self.label_node: str = ""
        self.phis: dict[ir.Block, list[tuple[ir.Inst, list[Node]]]] = {d.block: d.phis for d in lowering.blocks}
        self.lives = Lives(lowering.blocks, lowering)
        self.held: dict[ptx.Reg, Node] = {}
        """What registers of phis were given before the last branch: where it is not taken they need not be given it
        again."""
        self.scoped = "scoped" in lowering.arch.features
        self.ordered = "ordered" in lowering.arch.features
        self.exchanging: list[int] = []
        """Blocks in which the threads of a warp exchange values, by index."""
        self.spread: set[str] = set()
        """Variables whose address is kept in a register."""

    # --- registers and operands ---------------------------------------------------------------------------------

    def register(self, kind: str) -> ptx.Reg:
        prefix = _PREFIX[kind]
        self.counts[prefix] += 1
        return ptx.Reg(f"{prefix}{self.counts[prefix]}")

    def result(self, node: Node, index: int = 0) -> ptx.Reg:
        """Register of a node's value, made at first mention."""
        if not node.regs:
            node.regs = (self.register(node.type),)
        reg: ptx.Reg = node.regs[index]
        return reg

    def literal(self, node: Node) -> ptx.Operand:
        """A constant as PTX writes it."""
        if node.type in ("f32", "f64"):
            return ptx.Float(node.data, 32 if node.type == "f32" else 64)
        if node.type in ("f16", "bf16", "p"):
            return ptx.Int(node.data)
        return ptx.Int(signed(node.data, WIDTH[node.type]))

    def symbol(self, node: Node) -> ptx.Symbol:
        name, offset = node.data
        return ptx.Symbol(self.depot_name if name == "%depot" else name, offset)

    @property
    def depot_name(self) -> str:
        return f"__local_depot{self.number}"

    def reg(self, node: Node) -> ptx.Reg:
        """The node in a register; constants and symbols are moved there once per block."""
        if node.is_const or node.head == "sym":
            key = (node.type, node.data)
            found = self.block_constants.get(key)
            if found is None:
                self.purpose = "an address in a register" if node.head == "sym" else "a constant in a register"
                moves = self.symbol_moves.setdefault(key, []) if node.head == "sym" else []
                found = moves[0][0] if moves else self.register(node.type)
                self.block_constants[key] = found
                self.move(found, node)
                moves.append((found, self.at, self.out, self.out[-1]))
                if self.leaving:
                    self.on_edges.add(key)
            return found
        return self.result(node)

    def move(self, to: ptx.Reg, node: Node) -> None:
        """to = node, through the mov pattern of its type."""
        head = "movsym" if node.head == "sym" else "movimm" if node.type == "p" and node.is_const else "mov"
        pattern = self.cover.database.lookup(f"{head}.{node.type}")[0]
        source = self.symbol(node) if node.head == "sym" else self.literal(node) if node.is_const else self.result(node)
        for step in template.parse(pattern.template):
            self.emitted(f"{head}.{node.type}", self.inst(step.opcode, step.modifiers, (to, source)))

    def emitted(self, op: str, inst: ptx.Inst) -> None:
        """Explain an instruction that no node asked for: it was looked up as `op`."""
        if self.cover.explain:
            self.explained.append((inst, op, self.purpose))

    def inst(
        self, opcode: str, modifiers: tuple[str, ...], operands: tuple[ptx.Operand, ...], guard: ptx.Reg | None = None
    ) -> ptx.Inst:
        made = ptx.Inst(opcode, modifiers, operands, guard, self.loc)
        self.out.append(made)
        return made

    # --- tiles --------------------------------------------------------------------------------------------------

    def tile(self, tile: Tile) -> None:
        """Instructions of a tile's template."""
        node = tile.node
        temporaries: dict[str, ptx.Reg] = {}
        before, first = len(self.out), len(self.explained)
        for step in template.parse(tile.pattern.template):
            operands = tuple([self.operand(spec, tile, temporaries) for spec in step.operands])
            guard = None
            if step.guard is not None:
                operand = self.operand(("operand", step.guard[1:], ""), tile, temporaries)
                assert isinstance(operand, ptx.Reg)
                guard = operand
            opcode, modifiers = step.opcode, step.modifiers
            if step.dynamic:
                opcode, *words = self.spell(step.dynamic, tile).split(".")
                modifiers = tuple(words)
            if opcode == "call":
                operands = self.call_operands(node, operands)
                if node.data.prototype is not None:
                    self.out.append(node.data.prototype)
            self.inst(opcode, modifiers, operands, guard)
        if self.cover.explain:
            known = {id(inst) for inst, _, _ in self.explained[first:]}
            made = [i for i in self.out[before:] if isinstance(i, ptx.Inst) and id(i) not in known]
            self.explained += [(inst, node, "") for inst in made]

    def spell(self, name: str, tile: Tile) -> str:
        """An instruction's dotted name with its placeholders filled in."""
        name = name.replace("{z}", ".ftz" if self.lowering.ftz else "")
        if "{" in name:
            name = substitute(name, tile.wild)
        if "{sem}.{scope}" in name and not self.ordered:
            # Before sm_70 atomics are relaxed, before sm_60 they are the device's.
            name = name.replace("{sem}.{scope}", tile.node.data[1] if self.scoped else "")
        if "{" in name:
            data = tile.node.data
            name = name.replace("{space}", data) if isinstance(data, str) else name.replace("{sem}", data[0])
            if "{scope}" in name:
                name = name.replace("{scope}", data[1])
        return name.replace("{z}", ".ftz" if self.lowering.ftz else "").replace("..", ".")

    def operand(self, spec: tuple[str, ...], tile: Tile, temporaries: dict[str, ptx.Reg]) -> ptx.Operand:
        match spec[0]:
            case "operand":
                kind, node = tile.operands[spec[1]][:2]
                if spec[2]:
                    return _transform(spec[2], node)
                if kind == "imm":
                    return self.literal(node)
                if kind == "address":
                    return self.symbol(node) if node.head == "sym" else self.reg(node)
                if kind == "not":
                    return ptx.Reg(self.reg(node).name, neg=True)
                return self.reg(node)
            case "result":
                return self.results(tile.node, int(spec[1]))
            case "address":
                _, node, *rest = tile.operands[spec[1]]
                offset = rest[0] if rest else 0
                if node.head == "sym" and node.data[0] in self.spread:
                    name, base = node.data
                    return ptx.Address(self.reg(self.lowering.build.symbol(node.type, name)), base + offset)
                if node.head == "sym":
                    name, base = node.data
                    return ptx.Address(ptx.Symbol(self.depot_name if name == "%depot" else name), base + offset)
                return ptx.Address(self.reg(node), offset)
            case "bracket":
                return ptx.Bracket(tuple(self.operand(o, tile, temporaries) for o in template.operands(spec[1])))
            case "vector":
                parts = [p.strip() for p in spec[1].split(",")]
                return ptx.Vector(tuple(self.operand(template._operand(p), tile, temporaries) for p in parts))
            case "pair":
                first, second = (self.operand(template._operand(p), tile, temporaries) for p in spec[1:])
                return ptx.Pair(first, second)
            case "temp":
                if spec[1] not in temporaries:
                    temporaries[spec[1]] = self.register(spec[2])
                return temporaries[spec[1]]
            case "int":
                return ptx.Int(int(spec[1], 0))
            case "float":
                return ptx.Float(int(spec[1][2:], 16), 32 if spec[1][1] == "f" else 64)
            case "special":
                return ptx.Special(spec[1])
            case "data":
                data = tile.node.data
                return data if isinstance(data, CallTarget) else ptx.Special(data)  # type: ignore[return-value]
            case "label":
                return ptx.Symbol(self.label_node)
        return ptx.Symbol(spec[1])

    def results(self, node: Node, index: int) -> ptx.Operand:
        """Destination `index`; results nobody reads still need a register."""
        if node.type:
            return self.result(node)
        reg = node.regs[index]
        return reg if reg is not None else _EMPTY

    def call_operands(self, node: Node, operands: tuple[ptx.Operand, ...]) -> tuple[ptx.Operand, ...]:
        data = node.data
        assert isinstance(data, CallTarget)
        out: list[ptx.Operand] = []
        if data.results:
            out.append(ptx.Tuple(tuple(ptx.Symbol(n) for n in data.results)))
        out.append(ptx.Symbol(data.name) if data.name is not None else operands[1])
        if data.params or data.name is None:
            out.append(ptx.Tuple(tuple(ptx.Symbol(n) for n in data.params)))
        if data.prototype is not None:
            out.append(ptx.Symbol(data.prototype.name))
        return tuple(out)

    # --- blocks -------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Emit all blocks; labels nobody branches to are dropped."""
        for group in self.lives.coalesce():
            shared = next((node.regs for node in group if node.regs), ()) or (self.register(group[0].type),)
            for node in group:
                node.regs = shared
                if node.head == "res":
                    maker, place = node.args[0], node.data
                    maker.regs = (*maker.regs[:place], *shared, *maker.regs[place + 1 :])
        blocks = self.lowering.blocks
        rolled = self.rolled(blocks)
        self.exchanging = [dag.block.index for dag in blocks if any(node.head in _EXCHANGES for node in dag.nodes)]
        for index, dag in enumerate(blocks):
            self.labels[dag.block] = f"$L__BB{self.number}_{index}"
        for index, dag in enumerate(blocks):
            self.out.append(ptx.Label(self.labels[dag.block]))
            if dag.block in rolled:
                self.out.append(ptx.Pragma("nounroll"))
            self.block(dag, blocks[index + 1].block if index + 1 < len(blocks) else None)
        self.held = {}
        while self.edges:
            label, dag, target = self.edges.pop(0)
            self.out.append(ptx.Label(label))
            self.block_constants = {}
            self.at, self.leaving = dag.block, True
            self.copies(dag, target)
            self.branch(self.labels[target])
        several = [moves for key, moves in self.symbol_moves.items() if len(moves) > 1 and key not in self.on_edges]
        if several:
            share_symbols(self.lowering.function, self.out, self.labels, several)
        self.out = [s for s in self.out if not isinstance(s, ptx.Label) or s.name in self.used_labels]

    def rolled(self, blocks: list[BlockDag]) -> set[ir.Block]:
        """Headers of loops that LLVM has unrolled, or was told not to: ptxas must not unroll them again."""
        found: set[ir.Block] = set()
        place = {dag.block: n for n, dag in enumerate(blocks)}
        for n, dag in enumerate(blocks):
            for header in (after for after in dag.block.successors if place[after] <= n):
                if _in_turns(dag.block) and _waits_for_stores(blocks[place[header] : n + 1]):
                    found.add(header)
            reference = dag.block.terminator.metadata.get("llvm.loop")
            if reference is None:
                continue
            module = self.lowering.module
            loop = module.node(reference)
            if loop is not None and any(_disables(module.node(item)) for item in loop.items[1:]):
                found.update(after for after in dag.block.successors if after.index <= dag.block.index)
        return found

    def block(self, dag: BlockDag, following: ir.Block | None) -> None:
        self.block_constants = {}
        self.at = dag.block
        if self.held:
            made = {reg for node in dag.nodes for reg in (*node.regs, *(node.place.regs if node.place else ()))}
            self.held = {reg: value for reg, value in self.held.items() if reg not in made}
        for node in dag.nodes:
            if node is dag.terminator:
                continue
            if node.place is not None:
                self.locate(node)
                assert node.place.tile is not None
                self.tile(node.place.tile)
            elif node.head in ("scope", "endscope") or (node.head == "asm" and node.demanded):
                self.locate(node)
                self.structural(node)
        terminator = dag.terminator
        assert terminator is not None
        self.locate(terminator)
        self.leaving = True
        self.terminate(dag, terminator, following)
        self.leaving = False

    def locate(self, node: Node) -> None:
        """A node without a place has that of what stands before it, as the printed `.loc` says."""
        if node.loc is not None:
            self.loc = self.locs(node.loc)

    def structural(self, node: Node) -> None:
        if node.head == "scope":
            scope = ptx.Scope(list(node.data))
            self.out.append(scope)
            self.stack.append(self.out)
            self.out = scope.body
        elif node.head == "endscope":
            self.out = self.stack.pop()
        else:
            self.assembly(node)

    # --- control flow -------------------------------------------------------------------------------------------

    def branch(self, label: str) -> None:
        self.used_labels.add(label)
        pattern = self.cover.database.lookup("br.")[0]
        step = template.parse(pattern.template)[0]
        self.purpose = "what follows is elsewhere"
        self.emitted("br.", self.inst(step.opcode, step.modifiers, (ptx.Symbol(label),)))

    def terminate(self, dag: BlockDag, node: Node, following: ir.Block | None) -> None:
        match node.head:
            case "br":
                self.jump(dag, node.data[0], following)
            case "brcond":
                falls = self.conditional(dag, node, following)
                if falls and following is not None and self.lowering.preds[following] == [dag.block]:
                    return
            case "switch":
                from minicc.isel.emit.switches import Switch

                self.held = {}
                Switch(self, dag, node, following).run()
            case _:
                assert node.tile is not None
                self.tile(node.tile)
        self.held = {}

    def jump(self, dag: BlockDag, target: ir.Block, following: ir.Block | None) -> None:
        self.copies(dag, target)
        if target is not following:
            self.branch(self.labels[target])

    def conditional(self, dag: BlockDag, node: Node, following: ir.Block | None) -> bool:
        """`@p bra taken` then fall through (or jump). Copies of the taken edge go before the branch if the other side
        does not need the old values; otherwise the edges are exchanged, or the taken edge gets a block. Of two jumps
        the one back is taken: NVIDIA's ptxas makes a loop's body twice where its last instruction is `bra.uni`. But a
        loop of exchanges within a warp is left by the conditional jump if what follows is outside: where threads part
        on the way back, it makes each exchange a second time, for a warp that is not together.
        Returns whether control falls through."""
        then, other = node.data
        negate = False
        assert node.tile is not None
        tile: Tile = node.tile
        kind, pred = tile.operands["p"][:2]
        condition = None if pred.is_const else self.reg(pred)
        if then is following or (other is not following and other.index <= dag.block.index < then.index):
            then, other, negate = other, then, True
        free = not self.has_copies(dag, other)
        left = free and other is following and self.exchanges(then, dag.block)
        if left or (free and self.has_copies(dag, then) and not self.may_hoist(dag, condition, then, [other])):
            then, other, negate = other, then, not negate
        if condition is None:
            self.jump(dag, then if bool(pred.data) != negate else other, following)
            return False
        label = self.labels[then]
        if self.has_copies(dag, then):
            if self.may_hoist(dag, condition, then, [other]):
                self.copies(dag, then)
                self.held.update((self.result(to), value) for to, value in self.inputs(dag, then))
            else:
                label = f"{self.labels[dag.block]}_edge{len(self.edges)}_{self.labels[then].rpartition('_')[2]}"
                self.edges.append((label, dag, then))
        self.used_labels.add(label)
        guard = ptx.Reg(condition.name, neg=negate != (kind == "not"))
        step = template.parse(tile.pattern.template)[0]
        made = self.inst(step.opcode, step.modifiers, (ptx.Symbol(label),), guard)
        if self.cover.explain:
            self.explained.append((made, node, ""))
        self.jump(dag, other, following)
        self.held.update((self.result(to), value) for to, value in self.inputs(dag, other))
        return other is following

    def exchanges(self, header: ir.Block, latch: ir.Block) -> bool:
        """Whether a jump back makes a loop, of several blocks, in which the threads of a warp exchange values."""
        return header.index < latch.index and any(header.index <= at <= latch.index for at in self.exchanging)

    # --- phis ---------------------------------------------------------------------------------------------------

    def inputs(self, dag: BlockDag, target: ir.Block) -> list[tuple[Node, Node]]:
        """(phi node, value) of an edge."""
        found = []
        for inst, nodes in self.phis[target]:
            position = inst.blocks.index(dag.block)
            if not isinstance(inst.args[position], ir.Undef):
                parts = self.lowering.input_parts(inst, position)
                found += [(node, value) for node, value in zip(nodes, parts, strict=True) if node.demanded]
        return found

    def incoming(self, dag: BlockDag, target: ir.Block) -> list[tuple[Node, Node]]:
        """(phi node, value) of the moves on an edge, without those that move nothing."""
        return [
            (node, value)
            for node, value in self.inputs(dag, target)
            if (value.is_const or value.head == "sym" or self.result(node) != self.result(value))
            and self.held.get(self.result(node)) is not value
        ]

    def has_copies(self, dag: BlockDag, target: ir.Block) -> bool:
        return bool(self.incoming(dag, target))

    def copies(self, dag: BlockDag, target: ir.Block) -> None:
        """The moves of an edge."""
        self.purpose = f"a phi of {self.labels[target]}, where control comes from {self.labels[dag.block]}"
        self.parallel([(self.result(to), value) for to, value in self.incoming(dag, target)])

    def parallel(self, moves: list[tuple[ptx.Reg, Node]]) -> None:
        """A parallel copy as a sequence: a register is written when nothing still reads it; cycles go through a
        temporary."""
        constants = [(to, value) for to, value in moves if value.is_const or value.head == "sym"]
        types = {to: value.type for to, value in moves}
        pending = {
            to: self.result(value)
            for to, value in moves
            if not (value.is_const or value.head == "sym") and to != self.result(value)
        }
        read: dict[ptx.Reg, int] = {}
        for source in pending.values():
            read[source] = read.get(source, 0) + 1
        ready = [to for to in pending if not read.get(to)]
        while pending:
            if not ready:
                to = next(iter(pending))
                saved = self.register(types[to])
                self.move_register(saved, to, types[to])
                for other, source in pending.items():
                    if source == to:
                        pending[other] = saved
                read[to] = 0
                ready.append(to)
                continue
            to = ready.pop(0)
            source = pending.pop(to)
            self.move_register(to, source, types[to])
            if source in read:
                read[source] -= 1
                if read[source] == 0 and source in pending:
                    ready.append(source)
        for to, value in constants:
            self.move(to, value)

    def move_register(self, to: ptx.Reg, source: ptx.Reg, kind: str) -> None:
        step = template.parse(self.cover.database.lookup(f"mov.{kind}")[0].template)[0]
        self.emitted(f"mov.{kind}", self.inst(step.opcode, step.modifiers, (to, source)))

    def may_hoist(self, dag: BlockDag, condition: ptx.Reg | None, then: ir.Block, others: list[ir.Block]) -> bool:
        """Whether the copies of dag -> then may run before the branch: their destinations hold nothing that the other
        sides need, and are not the branch's own condition."""
        if then in others:
            return False
        # Inputs of the other sides' phis, those that share their phi's register (and need no move) included.
        sources = {
            self.result(v) for other in others for _, v in self.inputs(dag, other) if not v.is_const and v.head != "sym"
        }
        for node, _ in self.incoming(dag, then):
            reg = self.result(node)
            if reg == condition or reg in sources or any(self.lives.alive_into(node, other) for other in others):
                return False
        return True

    # --- inline assembly ----------------------------------------------------------------------------------------

    def assembly(self, node: Node) -> None:
        """The text with its operands, parsed as PTX and spliced in; registers it declares get fresh names."""
        from minicc.isel.emit.inline import Opened, splice

        data = node.data
        assert isinstance(data, AsmText)
        self.opened = self.opened or Opened(self.register)
        results: list[ptx.Operand] = [node.regs[i] if i < len(node.regs) and node.regs[i] is not None
                                      else self.register({"i16": "h"}.get(kind, kind))
                                      for i, kind in enumerate(data.results)]  # fmt: skip
        inputs: list[ptx.Operand] = []
        tied: list[tuple[ptx.Reg, Node]] = []
        for kind, arg in zip(data.inputs, node.args, strict=True):
            if kind == "imm":
                inputs.append(self.symbol(arg) if arg.head == "sym" else self.literal(arg))
            elif kind[0] == "=":
                target = results[int(kind[1:])]
                assert isinstance(target, ptx.Reg)
                inputs.append(target)
                tied.append((target, arg))
            else:
                inputs.append(self.reg(arg))
        self.parallel(tied)
        body = splice(data.text, [*results, *inputs], self.lowering, self.fresh_suffix(), self.opened)
        for statement in body:
            if isinstance(statement, ptx.Inst):
                statement.loc = self.loc
            self.out.append(statement)

    def fresh_suffix(self) -> str:
        self.lowering.asm_count += 1
        return f"_{self.number}_{self.lowering.asm_count}"

    def declarations(self) -> list[tuple[str, int, str]]:
        """Register ranges, in the order nvcc declares them."""
        return [(prefix, count + 1, CLASS[prefix]) for prefix, count in self.counts.items() if count]


_LAST_TURN = r"(niter\d*\.ncmp|exitcond\d*)(\.\w+)*?\.\d+(\.|$)"
"""LLVM's names for a loop's test in the last of several turns."""


def _in_turns(latch: ir.Block) -> bool:
    """Whether LLVM has made several turns at a time of the loop whose last block this is: it counts the copies."""
    test = latch.terminator.args[0] if latch.terminator.args else None
    return isinstance(test, ir.Inst) and re.match(_LAST_TURN, test.name) is not None


def _waits_for_stores(loop: list[BlockDag]) -> bool:
    """Whether the loads of a loop's turn wait for the stores of the one before: still more turns are only more code (of
    NVIDIA's ptxas' 2.5 times as much, in no less time)."""
    insts = [inst for dag in loop for inst in dag.block.insts]
    stores = any(inst.op in ("store", "atomicrmw", "cmpxchg") for inst in insts)
    return stores and not any("invariant.load" in inst.metadata for inst in insts)


def _disables(node: ir.Node | None) -> bool:
    return node is not None and node.items[:1] == ["llvm.loop.unroll.disable"]


Inputs = dict[Node, list[Node]]
"""Phi -> what it gets on the ways that can be taken."""


def phi_inputs(blocks: list[BlockDag], lowering: Lowering) -> Inputs:
    """Of all phis of a function."""
    sources: Inputs = {}
    for dag in blocks:
        for inst, nodes in dag.phis:
            for index in range(len(inst.args)):
                if inst.blocks[index] in lowering.reachable:
                    for node, part in zip(nodes, lowering.input_parts(inst, index), strict=True):
                        sources.setdefault(node, []).append(part)
    return sources


def demand(blocks: list[BlockDag], inputs: Inputs) -> None:
    """Mark the nodes that must be in a register: operands of what is emitted, from effects backwards, phis included.
    Each is then placed: emitted where it was created, or where the load inside its tile was."""
    from minicc.isel.cover.cover import leaf_nodes

    work = [node for dag in blocks for node in dag.nodes if node.root]
    while work:
        node = work.pop()
        if node.demanded or node.is_const or node.head == "sym":
            continue
        node.demanded = True
        if node.head == "phi":
            work += inputs.get(node, [])
            continue
        if node.head in ("res", "asm", "switch"):
            work += node.args
        tile = node.tile
        if tile is not None:
            work += leaf_nodes(tile)
            place = node
            for inner in tile.inner:
                if inner.op.startswith("ld"):
                    place = inner
            place.place = node


def mark_uses(blocks: list[BlockDag], inputs: Inputs) -> None:
    """Count the users of every node that is reachable from an effect."""
    work = [node for dag in blocks for node in dag.nodes if node.root]
    seen: set[int] = set()
    while work:
        node = work.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for arg in node.args:
            arg.uses += 1
            work.append(arg)
        for part in inputs.get(node, ()):
            part.uses += 2  # a phi's input is needed in a register at the end of its block
            work.append(part)


def number_results(blocks: list[BlockDag], emitter: Emitter) -> None:
    """Give registers to the results of nodes with several."""
    for dag in blocks:
        for node in dag.nodes:
            if node.head != "res":
                continue
            parent = node.args[0]
            index = node.data
            slots = list(parent.regs)
            while len(slots) <= index:
                slots.append(None)
            slots[index] = emitter.register(node.type)
            node.regs = (slots[index],)
            parent.regs = tuple(slots)


__all__ = ["Emitter", "Inputs", "demand", "mark_uses", "number_results", "phi_inputs"]
