# ruff: noqa: E501
"""A function per pattern row: nodes built to fit the row's tree, covered and emitted, for NVIDIA's ptxas to judge."""

from __future__ import annotations

from typing import Any

from minicc.isel.calls import CallTarget
from minicc.isel.cover import Cover
from minicc.isel.dag import Builder, Node
from minicc.isel.database import ADDR, IMM, NEG, REG, Database, Leaf, Tree, _parse_tree
from minicc.isel.emit import Emitter, demand, mark_uses, number_results
from minicc.isel.lower import BlockDag
from minicc.nvvm import ir
from minicc.ptx import model as ptx

_TYPES = ("p", "i32", "i64", "f32", "f64", "f16", "bf16", "h")
_RESULT_P = ("icmp", "fcmp", "isspacep", "voteall", "voteany", "voteuni", "barand", "baror")
_RESULT_I32 = (
    "popc",
    "clz",
    "bfind",
    "bfindshift",
    "ballot",
    "matchany",
    "matchall",
    "barpopc",
    "hi",
    "trunc",
    "activemask",
)
_NONE = ("st", "red", "fence", "bar", "exit", "trap", "call", "nanosleep", "cp", "cluster", "membar", "brkpt")
_COUNT = {"ld2": 2, "ld4": 4, "ldnc2": 2, "ldnc4": 4, "ldvol2": 2, "ldvol4": 4, "mma": 4, "ldmatrix": 1, "ldmatrixt": 1}


class Fake:
    """What the emitter needs of a `Lowering`."""

    def __init__(self, arch: Any) -> None:
        self.blocks: list[BlockDag] = []
        self.reachable: set[ir.Block] = set()
        self.ftz = build.ftz
        self.asm_count = 0
        self.arch = arch

    def parts(self, value: ir.Value) -> list[Node]:
        return []


def memory_type(op: str) -> str:
    last = op.rpartition(".")[2]
    return {"u8": "i32", "u16": "i32", "i16": "i32", "f16x2": "i32", "bf16x2": "i32"}.get(last, last)


def result_type(op: str) -> str:
    head, _, rest = op.partition(".")
    if head in ("st", "st2", "st4") or head.startswith(("stvol", "strlx", "strel")) or (head.startswith(_NONE) and head not in (
        "barpopc", "barand", "baror") and not head.startswith("redux")):  # fmt: skip
        return ""
    if head.startswith(_RESULT_P) or rest == "p" or head in ("barand", "baror"):
        return "p"
    if head in _RESULT_I32:
        return "i32"
    if head.startswith(("ld", "atom")):
        return memory_type(op)
    if head in ("mma", "ldmatrix", "ldmatrixt"):
        return "i32"
    words = rest.split(".")
    if words[-1].endswith("x2"):
        return "i32"
    if head in ("cvta", "cvtato"):
        return "i64"
    return words[0] if words[0] in _TYPES else words[-1]


def argument_type(op: str, position: int, template: str, name: str) -> str:
    """Type of a leaf under `op`."""
    head, _, rest = op.partition(".")
    words = [w for w in rest.split(".") if w]
    if head in ("shl", "lshr", "ashr") and position == 1:
        return "i32"
    if (head == "select" and position == 0) or name in ("p", "q"):
        return "p"
    if name.startswith("m0"):
        return "i32"
    if head in ("shflsyncidx", "shflsyncup", "shflsyncdown", "shflsyncbfly") and name in ("b", "c"):
        return "i32"
    if head.startswith("shflsyncp") and name in ("b", "c"):
        return "i32"
    if head in ("pack", "lohi"):
        return "i32"
    if head == "packh":
        return "f16"
    if head in ("dlo", "dhi"):
        return "f64"
    if head.startswith("redux"):
        return "i32"
    if head == "movimm":
        return "i32"
    if head.startswith(("st", "atom", "red")):
        return memory_type(op)
    if head == "mma":
        shapes = {"f32f16": ("i32", "i32", "f32"), "f32bf16": ("i32", "i32", "f32"), "f32tf32": ("i32", "i32", "f32"),
                  "f64": ("f64", "f64", "f64")}  # fmt: skip
        found = next((v for k, v in shapes.items() if rest.endswith(k)), ("i32", "i32", "i32"))
        return found["abc".index(name[0])]
    if head == "callreg":
        return "i64"
    return words[-1] if words and words[-1] in _TYPES else "i32"


def build(row_pattern: Any, database: Database, arch: Any, number: int) -> ptx.Function | None:
    """The function, or None where the row cannot stand alone (calls, branches)."""
    tree = row_pattern.tree or _parse_tree(row_pattern)
    template = row_pattern.row.template
    builder = Builder()
    fake = Fake(arch)
    leaves: dict[str, Node] = {}

    def leaf(item: Leaf, op: str, position: int) -> Node:
        if item.value is not None:
            kind = argument_type(op, position, template, "")
            return builder.const(kind, item.value)
        if item.name in leaves:
            return leaves[item.name]
        kind = argument_type(op, position, template, item.name)
        if item.accept & ADDR and item.accept & IMM:
            node = builder.symbol("i64" if ".i32" not in op.replace("i64.i32", "") else "i32", "buffer")
        elif item.accept & ADDR:
            node = builder.raw("ld.param.i64", "i64", (builder.symbol("i64", "f_param_0"),))
        elif item.accept == IMM:
            guesses = [g for g in (7, 8, 16, 1, 3, 0xFFFFFF00) if item.check is None or item.check(g)]
            taken = [n.data for n in leaves.values() if n.is_const]
            if row_pattern.row.flags == "rot" and taken:
                guesses = [32 - taken[0]]
            if row_pattern.row.flags == "comp" and taken:
                guesses = [taken[0] ^ 0xFFFFFFFF]
            node = builder.const(kind, guesses[0])
        else:
            assert item.accept & (REG | NEG)
            source = {"p": "u8", "h": "u16"}.get(kind, kind)
            raw = builder.raw(f"ld.param.{source}", {"u8": "i32", "u16": "i32"}.get(source, source),
                              (builder.symbol("i64", "f_param_1", 8 * len(leaves)),))  # fmt: skip
            if kind == "p":
                raw = builder.raw("icmp.ne.i32", "p", (raw, builder.const("i32", 0)))
            elif kind == "h":
                raw = builder.raw("trunc16.h.i32", "h", (raw,))
            node = raw
        leaves[item.name] = node
        return node

    def inner(item: Tree, op: str) -> Node:
        args = []
        for position, child in enumerate(item.children):
            if isinstance(child, Tree):
                child_op = child.op.replace("*", "olt" if child.op.startswith("fcmp") else "slt")
                args.append(inner(child, child_op))
            else:
                args.append(leaf(child, op, position))
        return builder.raw(op, result_type(op), tuple(args))

    root = inner(tree, tree.op)
    head = root.head
    if head in ("br", "brcond", "ret"):
        return None
    if "$data" in template:
        if head == "sreg":
            root.data = "%tid.x" if root.type == "i32" else "%clock64"
        elif head == "call":
            root.data = CallTarget("callee", (), ())
        else:
            return None
    if "{sem}" in template:
        root.data = ("relaxed", "gpu")
    words = [
        w.split(".")[0]
        for w in template.replace("[", " ").replace("{", " ").replace(",", " ").replace("|", " ").split()
    ]
    count = len({w for w in words if w.startswith("$d") and w.strip("$d};]").isdigit()})
    if count:
        kind = root.type or "i32"
        if head.startswith("ldmatrix"):
            kind = "i32"
        if head == "mma":
            kind = "f32" if template.split(".row.col.")[1].startswith("f32") else "f64" if "f64" in template else "i32"
        second = {"shflsyncp": "p", "matchall": "p"}
        root.type = ""
        for i in range(count):
            this = "p" if i == 1 and any(head.startswith(k) for k in second) else kind
            result = builder.raw(f"res.{this}", this, (root,), i)
            _store(builder, result)
    root.root = True
    if root.type:
        _store(builder, root)
    block = ir.Block("entry", [ir.Inst(ir.VOID, "ret", [])])
    dag = BlockDag(block, builder.nodes[:])
    builder.raw("ret.", "", root=True)
    dag.terminator = builder.nodes[-1]
    dag.nodes.append(dag.terminator)
    fake.blocks = [dag]
    cover = Cover(database)
    mark_uses(fake.blocks, fake)  # type: ignore[arg-type]
    missing = cover.run(dag.nodes)
    assert missing is None, missing
    winner = root.tile.pattern if root.tile else None
    # Emit the row itself, whether or not it won.
    for pattern in database.lookup(root.op):
        if pattern.row is row_pattern.row and cover.matcher.match(pattern, root):
            from minicc.isel.cover import Tile

            root.tile = Tile(pattern, root, cover.matcher.bound, cover.matcher.inner, cover.matcher.wild)
            break
    else:
        raise AssertionError(f"the row's own tree does not match it: {row_pattern.row.tree}")
    demand(fake.blocks, fake)  # type: ignore[arg-type]
    emitter = Emitter(fake, cover, number, lambda ref: None)  # type: ignore[arg-type]
    number_results(fake.blocks, emitter)
    emitter.run()
    made = ptx.Function(f"f{number}", False, linkage="visible")
    made.params = [ptx.Variable("f_param_0", "param", "b64"), ptx.Variable("f_param_1", "param", "b8", 8, (128,))]
    made.body = emitter.out
    made.reg_ranges = emitter.declarations()
    build.winner = winner is not None and winner.row is row_pattern.row  # type: ignore[attr-defined]
    return made


def _store(builder: Builder, node: Node) -> None:
    """Keep a result alive."""
    target = builder.raw("ld.param.i64", "i64", (builder.symbol("i64", "f_param_0"),))
    if node.type == "p":
        node = builder.raw("select.i32", "i32", (node, builder.const("i32", 1), builder.const("i32", 0)))
    if node.type == "h":
        node = builder.raw("zext16.i32.h", "i32", (node,))
    builder.raw(f"st.gen.{node.type}", "", (target, node), root=True)


build.ftz = False  # type: ignore[attr-defined]
