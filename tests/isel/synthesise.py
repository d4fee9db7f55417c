"""A function per pattern row: nodes built to fit the row's tree, covered and emitted, for NVIDIA's ptxas to judge."""

from __future__ import annotations

import re
from typing import Any

from minicc.isel.calls import CallTarget
from minicc.isel.cover import Cover
from minicc.isel.dag import Builder, Node
from minicc.isel.database import ADDR, AXES, IMM, NEG, REG, Database, Leaf, Tree
from minicc.isel.emit import Emitter, demand, mark_uses, number_results
from minicc.isel.lower import BlockDag
from minicc.nvvm import ir
from minicc.ptx import model as ptx

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
    """Type of a leaf under `op`."""
    for where, leaf, kind in _LEAVES:
        if re.match(where, op) and re.fullmatch(leaf, name):
            return kind
    if op.startswith(("st", "atom", "red")) and not op.startswith(("stackr", "stmat")):
        return held(memory_type(op))
    words = [held(w) for w in op.split(".")[1:]]
    return words[-1] if words and words[-1] in _TYPES else "i32"


def build(row_pattern: Any, op: str, database: Database, arch: Any, number: int) -> ptx.Function | None:
    """The function, or None where the row cannot stand alone (calls, branches)."""
    tree = row_pattern.tree
    template = row_pattern.template
    builder = Builder()
    fake = Fake(arch)
    leaves: dict[str, Node] = {}

    def leaf(item: Leaf, op: str, position: int) -> Node:
        if item.value is not None:
            kind = argument_type(op, "=")
            return builder.const(kind, item.value)
        if item.name in leaves:
            return leaves[item.name]
        kind = argument_type(op, item.name)
        if item.accept & ADDR and item.accept & IMM:
            node = builder.symbol("i64" if ".i32" not in op.replace("i64.i32", "") else "i32", "buffer")
        elif item.accept & ADDR and re.match(r"tcgen05\.(shift|cp)", op):  # addresses of tensor memory have 32 bits
            node = builder.raw("ld.param.i32", "i32", (builder.symbol("i64", "f_param_0"),))
        elif item.accept & ADDR:
            node = builder.raw("ld.param.i64", "i64", (builder.symbol("i64", "f_param_0"),))
        elif item.accept == IMM:
            first = 0 if op.startswith("mma.sp") else 24 if op.startswith("setmaxnreg") else 7
            guesses = [g for g in (first, 8, 16, 1, 3, 0xFFFFF000) if item.check is None or item.check(g)]
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
            if kind == "p":  # of a kind that no pattern joins to its user
                raw = builder.raw("ld.param.i64", "i64", (builder.symbol("i64", "f_param_1", 8 * len(leaves)),))
                raw = builder.raw("isspacep.global.i64", "p", (raw,))
            elif kind == "h":
                raw = builder.raw("trunc16.h.i32", "h", (raw,))
            node = raw
        leaves[item.name] = node
        return node

    def inner(item: Tree, op: str) -> Node:
        args = []
        for position, child in enumerate(item.children):
            if isinstance(child, Tree):
                args.append(inner(child, plain(child.op)))
            else:
                args.append(leaf(child, op, position))
        return builder.raw(op, result_type(op), tuple(args))

    root = inner(tree, op)
    head = root.head
    if head in ("br", "brcond", "brtable", "ret"):
        return None
    if "$data" in template:
        if head == "sreg":
            root.data = {"i32": "%tid.x", "i64": "%clock64", "p": "%is_explicit_cluster"}[root.type]
        elif head == "call":
            root.data = CallTarget("callee", (), ())
        else:
            return None
    if "{sem}" in template:
        root.data = ("relaxed", "gpu")
    if "{space}" in template:
        root.data = ".shared"
    count = len(set(re.findall(r"\$d\d+", template)))
    if op.startswith("wmma") and op.endswith("f64") and count == 1:
        root.type = "f64"
    if count and not (count == 1 and root.type and "|" not in template):
        kinds = result_kinds(op, template, count, root.type)
        root.type = ""
        for i, kind in enumerate(kinds):
            _store(builder, builder.raw(f"res.{kind}", kind, (root,), i))
    root.root = True
    build.leaves, build.single = leaves, root.type != ""  # type: ignore[attr-defined]
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


def _store(builder: Builder, node: Node) -> None:
    """Keep a result alive."""
    target = builder.raw("ld.param.i64", "i64", (builder.symbol("i64", "f_param_0"),))
    if node.type == "p":
        node = builder.raw("select.i32", "i32", (node, builder.const("i32", 1), builder.const("i32", 0)))
    if node.type == "h":
        node = builder.raw("zext16.i32.h", "i32", (node,))
    builder.raw(f"st.gen.{node.type}", "", (target, node), root=True)


build.ftz = False  # type: ignore[attr-defined]
