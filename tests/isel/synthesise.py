"""A function per pattern row: nodes built to fit the row's tree, covered and emitted.

NVIDIA's ptxas judges whether it accepts them (`test_probes.py`); a warp of the SM model executes them
(`test_meaning.py`). Parameters of each: where results go (`LANE` bytes a lane), where operands come from (`LANE` bytes
a lane, eight an operand), memory that addresses point into, `SLOT` bytes for loads of parameters."""

from __future__ import annotations

import re
from typing import Any

import attrs

from minicc.isel.builder import Builder
from minicc.isel.cover.cover import Cover, Tile
from minicc.isel.cover.database import ADDR, AXES, IMM, NEG, REG, Database, Leaf, Tree
from minicc.isel.dag import Node
from minicc.isel.emit.emit import Emitter, demand, mark_uses, number_results
from minicc.isel.lower.calls import CallTarget
from minicc.isel.lower.lower import BlockDag
from minicc.nvvm import ir
from minicc.ptx import model as ptx

LANE = SLOT = 256
OFFSET = 128
"""What is added to every address by the instruction itself."""
_TYPES = ("p", "i32", "i64", "f32", "f64", "f16", "bf16", "h")
_RESULT_P = ("icmp", "fcmp", "isspacep", "vote")
_RESULT_I32 = ("popc", "clz", "bfind", "ballot", "matchany", "matchall", "hi", "trunc", "activemask", "getctarank")
_NONE = re.compile(
    r"(st\d?|stvol|stord|stcs\d?|red|fence|fencesc|bar(sync|count|arrive|warp|rier\w*)|exit|trap\w*|call\w*|nanosleep|pmevent|"
    r"cp\w+|cluster\w+|membar|brkpt|bulk\w*|prefetch\w*|discard|applypriority|sust|stmatrix|tensor|wgmma|tcgen05|griddep|"
    r"setmaxnreg|stackrestore|fenceproxy|fencembarinit|clc\.try|mbar\.(init|inval|copies|expect|complete)|wmma\.\w+\.store|"
    r"mbar\.arrive.*cluster$)(\.|$)"
)
# (operation, leaf) -> type, where it is not the operation's own last type
_LEAVES = [
    (r"barred", "c", "i32"),
    (r"mbar\.(arrive|(test|try)\.wait\.parity)", "[ab]", "i32"),
    (r"(h2e|h2ue)", "a", "i32"),
    (r"ff2ue", "[ab]", "f32"),
    (r"tex|suld|sust", "i", "i32"),
    (r"alloca", "a", "i64"),
    (r"mbar", "b", "i32"),
    (r"tcgen05.*dealloc", "t", "i32"),
    (r"(shl|lshr|ashr)\.i64", "b", "i32"),
    (r"select|barred|vote|ballot|\w+\.p$", "[pq]", "p"),
    (r".*", "m0", "i32"),
    (r"shflsync", "[bc]", "i32"),
    (r"pack\.|lohi|cpasync|bulk|alloca", "[abc]", "i32"),
    (r"packh", "[ab]", "f16"),
    (r"packf", "[ab]", "f32"),
    (r"(dlo|dhi)", "a", "f64"),
    (r"redux.*i32|movimm|getctarank.*i32$", "[am]\\d?", "i32"),
    (r"redux.*f32", "a", "f32"),
    (r"tex.*f32$", r"[al]\d?", "f32"),
    (r"(f2h|f2tf32|ff2|h2e.*f32)", "[ab]", "f32"),
    (r"(e2h|ue2h)", "a", "h"),
    (r"tex|suld|sust|suq|tensor", "t", "i64"),
    (r"(callreg|stackrestore|mbar\.pending|mapa\.i64)", "a", "i64"),
    (r"mbar\.(test|try)\.wait(?!\.parity)", "a", "i64"),
    (r"mapa", "b", "i32"),
    (r"clc\.(canceled|ctaid)|atom\.\w+\.\w+\.i128", r"[ab]\d?", "i64"),
    (r"tcgen05\.cp", "a", "i64"),
    (r"tcgen05\.commit\.mc", "a", "h"),
    (r"(addw|subw)", r"[ab]\d", "i64"),
    (r"wmma.*\.f64", r"[abc]\d", "f64"),
    (r"mma.*f64", r"[abc]\d", "f64"),
    (r"wmma\.\w+\.(mma.*\.f32|mma.*\.(bf16|tf32)|store\.d.*\.f32)$", r"c\d", "f32"),
    (r"wmma\.\w+\.store\.d.*\.f32$", r"a\d", "f32"),
    (r"wmma\.\w+\.mma.*f32\.satfinite", r"c\d", "f32"),
    (r"mma.*(\.f32|\.bf16|\.tf32)$", r"c\d", "f32"),
    (r"(w?mma|stmatrix|ldmatrix)", r".*", "i32"),
]


VARIABLES = (ptx.Variable("buffer", "shared", "b8", 16, (64,)), ptx.Variable("table", "const", "b8", 16, (64,)))
"""What probes name; kernels that are run have larger ones."""
FRAME = ptx.Variable("frame", "local", "b8", 16, (SLOT,))

# What an address points into, where the operation does not name it: (operation, operand, space). `window` is shared
# memory by a generic address.
_SPACES = [
    (r"(mbar|cluster|clc|ldmatrix|stmatrix|wmma)(?!.*(shared|space))", "[pq]", "window"),
    (r"(ldmatrix|stmatrix|wmma|mbar|clc|cpasync|bulk\.(g2s|s2c)|tensor\.(g2s|s2g|reduce))", "p", "shared"),
    (r"(tensor\.g2s|bulk\.(g2s|s2c|s2g)|clc)", "[bq]", "shared"),
    (r"tcgen05\.(alloc|commit).*shared", "p", "shared"),
    (r"tcgen05\.(shift|cp)", "p", "tensor"),
]


def space(op: str, name: str) -> str:
    """State space that an address leaf points into."""
    if re.match(r"bulk\.(g2s)", op) and name == "q":
        return "global"
    if op.startswith("bulk.s2g") and name == "p":
        return "global"
    for where, leaf, kind in _SPACES:
        if re.match(where, op) and re.fullmatch(leaf, name):
            return kind
    return next((word for word in op.split(".") if word in ("shared", "local", "const", "param", "global")), "gen")


@attrs.define(eq=False)
class Probe:
    """A pattern's own tree, selected."""

    op: str
    tree: Tree
    function: ptx.Function
    leaves: dict[str, Node]
    kinds: tuple[str, ...]
    """Types of the results, each stored at a place of its own."""
    wins: bool
    """Whether the pattern is the one that is selected."""


@attrs.define
class Around:
    """What the emitter needs of a `Lowering`."""

    arch: Any
    ftz: bool = False
    blocks: list[BlockDag] = attrs.field(factory=list)
    reachable: set[ir.Block] = attrs.field(factory=set)
    asm_count: int = 0

    def parts(self, value: ir.Value) -> list[Node]:
        return []


class Leaves:
    """Operands of a pattern as nodes: words of the lane, addresses, constants."""

    def __init__(self, builder: Builder, flags: str) -> None:
        self.builder = builder
        self.flags = flags
        self.nodes: dict[str, Node] = {}
        lane = builder.raw("zext.i64.i32", "i64", (builder.raw("sreg.i32", "i32"),))
        lane.args[0].data = "%tid.x"
        self.at = builder.raw("mul.i64", "i64", (lane, builder.const("i64", LANE)))
        self.words = self.add(self.parameter(1), self.at)

    def parameter(self, number: int) -> Node:
        return self.builder.raw("ld.param.i64", "i64", (self.builder.symbol("i64", f"f_param_{number}"),))

    def add(self, a: Node, b: Node) -> Node:
        return self.builder.raw("add.i64", "i64", (a, b))

    def word(self, kind: str) -> Node:
        """The next word of the lane, of a type."""
        place = self.builder.const("i64", 8 * len(self.nodes))
        stored = {"p": "i64", "h": "i32"}.get(kind, kind)
        found = self.builder.raw(f"ld.global.{stored}", stored, (self.add(self.words, place),))
        if kind == "p":  # of a kind that no pattern joins to its user: whether it is 0
            inside = self.builder.raw("cvta.shared.i64", "i64", (self.builder.symbol("i64", "buffer"),))
            return self.builder.raw("isspacep.shared.i64", "p", (self.add(inside, found),))
        return self.builder.raw("trunc16.h.i32", "h", (found,)) if kind == "h" else found

    def address(self, where: str, store: bool) -> Node:
        """A place in memory: the lane's word says which."""
        builder = self.builder
        more = builder.const("i64", OFFSET)
        if where == "param":
            return self.add(builder.symbol("i64", "result" if store else "f_param_3"), more)
        if where == "tensor":  # 32 bits
            return self.word("i32")
        if where in ("gen", "global"):
            base = self.parameter(2)
        else:
            base = builder.symbol("i64", {"local": "frame", "const": "table"}.get(where, "buffer"))
        found = self.add(self.add(base, self.word("i64")), more)
        return builder.raw("cvta.shared.i64", "i64", (found,)) if where == "window" else found

    def constant(self, item: Leaf, op: str, kind: str) -> Node:
        first = 0 if re.match(r"mma\.sp|cpwait|bulkwait|wgmma", op) else 24 if op.startswith("setmaxnreg") else 7
        guesses = [g for g in (first, 8, 16, 1, 3, 0xFFFFF000) if item.check is None or item.check(g)]
        taken = [n.data for n in self.nodes.values() if n.is_const]
        if self.flags == "rot" and taken:
            guesses = [32 - taken[0]]
        if self.flags == "comp" and taken:
            guesses = [taken[0] ^ 0xFFFFFFFF]
        return self.builder.const(kind, guesses[0])

    def leaf(self, item: Leaf, op: str) -> Node:
        if item.value is not None:
            return self.builder.const(argument_type(op, "="), item.value)
        if item.name not in self.nodes:
            kind = argument_type(op, item.name)
            if item.accept & ADDR and item.accept & IMM:
                name = "f_param_3" if op.startswith("cvta.param") else "frame" if "funcparam" in op else "buffer"
                node = self.builder.symbol("i64" if ".i32" not in op.replace("i64.i32", "") else "i32", name)
            elif item.accept & ADDR:
                node = self.address(space(op, item.name), op.startswith("st"))
            elif item.accept == IMM:
                node = self.constant(item, op, kind)
            else:
                assert item.accept & (REG | NEG)
                node = self.word(kind)
            self.nodes[item.name] = node
        return self.nodes[item.name]

    def tree(self, item: Tree, op: str) -> Node:
        args = [self.tree(c, plain(c.op)) if isinstance(c, Tree) else self.leaf(c, op) for c in item.children]
        return self.builder.raw(op, result_type(op), tuple(args))

    def store(self, node: Node, place: int) -> None:
        """Keep a result."""
        builder = self.builder
        if node.type == "p":
            node = builder.raw("select.i32", "i32", (node, builder.const("i32", 1), builder.const("i32", 0)))
        if node.type == "h":
            node = builder.raw("zext16.i32.h", "i32", (node,))
        target = self.add(self.add(self.parameter(0), self.at), builder.const("i64", 8 * place))
        builder.raw(f"st.global.{node.type}", "", (target, node), root=True)


def memory_type(op: str) -> str:
    last = op.rpartition(".")[2]
    return {"u8": "i32", "u16": "i32", "i16": "i32"}.get(last, last)


def held(kind: str) -> str:
    """Pairs live in one register."""
    return {"f16x2": "i32", "bf16x2": "i32", "f32x2": "i64"}.get(kind, kind)


def result_type(op: str) -> str:
    head, _, rest = op.partition(".")
    if _NONE.match(op):
        return ""
    if head.startswith(_RESULT_P) or rest.endswith(".p") or rest == "p":
        return "p"
    if head in _RESULT_I32 or ".popc" in rest:
        return "i32"
    if (head.startswith("ld") and head != "ldmatrix") or head == "atom":
        return held(memory_type(op))
    if head in ("mma", "wmma", "ldmatrix", "suld", "suq"):
        return "i32"
    words = [w for w in rest.split(".") if held(w) in _TYPES]
    if head in ("cvta", "cvtato"):
        return "i64"
    return held(words[0]) if words else "i32"


def argument_type(op: str, name: str) -> str:
    """Type of a leaf under `op`; after a bar a name says which of several trees it is of."""
    name = name.partition("|")[0]
    for where, leaf, kind in _LEAVES:
        if re.match(where, op) and re.fullmatch(leaf, name):
            return kind
    if op.startswith(("st", "atom", "red")) and not op.startswith(("stackr", "stmat")):
        return held(memory_type(op))
    words = [held(w) for w in op.split(".")[1:]]
    return words[-1] if words and words[-1] in _TYPES else "i32"


def build(
    row_pattern: Any, op: str, database: Database, arch: Any, number: int, ftz: bool = False, tree: Tree | None = None
) -> Probe | None:
    """The function, or None where the row cannot stand alone (branches). With a tree, which the row's is the top of,
    patterns are chosen by least cost; otherwise the row is what is emitted."""
    template = row_pattern.template
    builder = Builder()
    around = Around(arch, ftz)
    leaves = Leaves(builder, row_pattern.row.flags)
    root = leaves.tree(tree or row_pattern.tree, op)
    head = root.head
    if head in ("br", "brcond", "brtable", "ret", "callreg"):
        return None
    if head == "sreg":
        root.data = {"i32": "%tid.x", "i64": "%clock64", "p": "%is_explicit_cluster"}[root.type]
    elif head == "call":
        root.data = CallTarget("callee", (), ())
    if "{sem}" in template:
        root.data = ("relaxed", "gpu")
    if "{space}" in template:
        root.data = ".shared" if ".load" in op or ".store" in op or "matrix" in op else ""
    count = len(set(re.findall(r"\$d\d+", template)))
    if op.startswith("wmma") and op.endswith("f64") and count == 1:
        root.type = "f64"
    kinds: list[str] = [root.type] if root.type else []
    root.root = True
    if count and not (count == 1 and root.type and "|" not in template):
        kinds = result_kinds(op, template, count, root.type)
        root.type = ""
        for i, kind in enumerate(kinds):
            leaves.store(builder.raw(f"res.{kind}", kind, (root,), i), i)
    elif root.type:
        leaves.store(root, 0)
    block = ir.Block("entry")
    block.insts.append(ir.Inst(ir.VOID, "ret", []))
    dag = BlockDag(block)
    dag.nodes = builder.nodes[:]
    builder.raw("ret.", "", root=True)
    dag.terminator = builder.nodes[-1]
    dag.nodes.append(dag.terminator)
    around.blocks = [dag]
    cover = Cover(database)
    mark_uses(around.blocks, {})
    missing = cover.run(dag.nodes)
    assert missing is None, missing
    winner = root.tile.pattern if root.tile else None
    for pattern in () if tree else database.lookup(root.op):  # the row itself, whether or not it won
        if pattern.row is row_pattern.row and cover.matcher.match(pattern, root):
            root.tile = Tile(pattern, root, cover.matcher.bound, cover.matcher.inner, cover.matcher.wild)
            break
    else:
        assert tree, f"the row's own tree does not match it: {row_pattern.row.tree}"
    demand(around.blocks, {})
    emitter = Emitter(around, cover, number, lambda ref: None)  # type: ignore[arg-type]
    number_results(around.blocks, emitter)
    emitter.run()
    made = ptx.Function(f"f{number}", False, linkage="visible")
    made.params = [ptx.Variable(f"f_param_{i}", "param", "b64") for i in range(3)]
    made.params.append(ptx.Variable("f_param_3", "param", "b8", 16, (SLOT,)))
    if "param" in op.split(".") and op.startswith("st"):
        made.returns = [ptx.Variable("result", "param", "b8", 16, (SLOT,))]
    uses_frame = any(node.head == "sym" and node.data[0] == FRAME.name for node in builder.constants.values())
    made.body = [*([FRAME] if uses_frame else []), *emitter.out]
    made.reg_ranges = emitter.declarations()
    wins = winner is not None and winner.row is row_pattern.row
    return Probe(op, tree or row_pattern.tree, made, leaves.nodes, tuple(kinds), wins)


def plain(op: str) -> str:
    """An operation with the first text of each axis."""
    return re.sub(r"\{(\w+)\}", lambda found: next(iter(AXES[found[1]])), op)


def result_kinds(op: str, template: str, count: int, kind: str) -> list[str]:
    """Types of several results."""
    if "|" in template:
        return [kind or "i32", "p"] if not op.startswith("shflsyncp") else [op.rpartition(".")[2], "p"]
    if op.startswith("unpackh"):
        return ["f16"] * count
    if op.startswith("tex"):
        return ["f32" if "v4.f32" in template else "i32"] * count
    if op.startswith(("addw", "subw")) or "i128" in op:
        return ["i64"] * count
    if op.startswith(("mma", "wmma")):
        types = template.partition(" ")[0].split(".")
        if op.startswith("wmma") and ".load" in op:
            return [{"f32": "f32", "f64": "f64"}.get(types[-1], "i32")] * count
        kinds = [t for t in types if t in ("f16", "f32", "s32", "f64")]
        return [{"f32": "f32", "f64": "f64"}.get(kinds[0], "i32")] * count
    return [held(kind) or "i32"] * count
