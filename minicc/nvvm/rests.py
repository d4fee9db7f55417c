"""What unrolling leaves over goes four, two and one turn at a time: as many loads under way, and no counter.

LLVM makes eight turns of a loop together, or four, and the up to seven that are left over one by one, each of which
waits for what it loads. Their number is known to be less than eight, so its bits say which turns there are:

    before:  br r == 0 ? exit : L           before:  br r == 0 ? exit : L
    L:       turn; i = i + 1                L:       br r & 4 ? L.many4 : L.over2
             br i == r ? exit : L           L.many4: turn; turn; turn; turn; br L.over2
                                            L.over2: br r & 2 ? L.many2 : L.over1
                                            L.many2: turn; turn; br L.over1
                                            L.over1: br r & 1 ? L.many1 : L.done
                                            L.many1: turn; br L.done
                                            L.done:  br exit

35 loops of 3 to 13 turns with loads: 0.985 of nvcc's cycles to 0.939 on the model, 0.92 of its instructions to 0.79.

Input: a module's text after LLVM's pipeline. The turns and their order are the same, so whatever a turn does may stay.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial

from minicc.nvvm.bodies import bodies
from minicc.nvvm.strides import DEFINED, FROM, NAME, NUMBER, PHI, renamed

_WIDTHS = (4, 2, 1)
_LONGEST = 18
"""Lines of a loop beyond which its own work hides latency."""
_WAITING = 14
"""The same where a turn's loads wait for the stores of the one before (exponentials that are stored: softmax 1.04)."""
_FLOW = 3
"""Lines of a further block that do nothing: label, phi, branch."""
_DIVISION = 20
"""Instructions of the machine for one of a word by a number that only the launch knows."""
_DIVIDES = re.compile(r" = [su](?:div|rem) i\d+ [^,\n]+, %")
_LEFT = re.compile(r"  (%xtraiter[\w.]*) = and (i\d+) [^,\n]+, (3|7)[,\n]")
_NEXT = re.compile(r"\.iter\d*\.next")
"""In the name of such a loop's counter; a function's second has a number."""
_HEAD = re.compile(r"(?P<label>[-\w.$]+):[^\n]*\n(?P<phis>(?:  %[-\w.$]+ = phi [^\n]*\n)+)")
_COUNT = re.compile(r"  (%(?:prol|epil)\.iter\d*\.next[\w.]*) = add (?:nuw )?(?:nsw )?i\d+ (%[\w.]+), 1(?:,.*)?\n")
_END = re.compile(
    r"  (?P<test>%[\w.]+) = icmp (?:samesign )?(?P<kind>eq|ne) i\d+ (?P<next>%[\w.]+), (?P<number>%xtraiter[\w.]*)"
    r"(?:,.*)?\n"
)
_BRANCH = re.compile(r"  br i1 (%[-\w.$]+), label (%[-\w.$]+), label (%[-\w.$]+)[^\n]*$")
_LOAD = re.compile(r" = load [^\n]*?ptr(?: addrspace\((\d+)\))? (%[-\w.$]+)")
_STORE = re.compile(r"  store [^\n]*?, ptr(?: addrspace\((\d+)\))? (%[-\w.$]+|@[^,\n]+)")
_SCOPES = (
    r"(?m)^  (?:tail )?call void @llvm\.experimental\.noalias\.scope\.decl\([^\n]*\n|, !(?:alias\.scope|noalias) !\d+"
)
_TARGET = re.compile(r"label (%[-\w.$]+)")
_STEP = re.compile(r"(?m)^  (%[-\w.$]+) = add ((?:nuw )?(?:nsw )?i\d+) (%[-\w.$]+), (-?\d+)(?=,|$)")


class _Rest:
    """What is left over of an unrolled loop; names with their %."""

    def __init__(
        self,
        number: str,
        exit: str,
        phis: dict[str, tuple[str, str, str]],
        blocks: dict[str, str],
        after: dict[str, str],
    ) -> None:
        self.number = number
        """How many turns there are."""
        self.exit = exit
        self.phis = phis
        """Name -> type, value on entry, value in the next turn."""
        self.blocks = blocks
        """Label -> what the block does: from where the loop begins, without phis, to where it ends, without the
        branch."""
        self.after = after
        """What is used after the loop -> its type."""


def split(text: str) -> str:
    """The module's text with such loops taken apart."""
    return "\n}\n".join([_function(f) if _NEXT.search(f) else f for f in text.split("\n}\n")])


def left(text: str) -> set[str]:
    """The functions in which such a loop of several blocks stays: ptxas makes no turns of it together either."""
    rows = ((name, body.split("\n\n")) for name, _, body in bodies(split(text)))
    return {name for name, blocks in rows if any(_NEXT.search(b) and not _COUNT.search(b) for b in blocks)}


def _function(text: str) -> str:
    """A function, and what stands before it, with such loops taken apart."""
    head, define, body = text.rpartition("\ndefine ")
    if '%"' in body or ".over1" in body:
        return text
    first, *pieces = NUMBER.sub(r"\1_\2", body).split("\n\n")  # numbers would have to stay in order
    blocks = {f"%{piece.partition(':')[0]}": piece for piece in pieces}
    whole = "\n\n".join([first, *pieces])
    left = {name: (kind, int(most)) for name, kind, most in _LEFT.findall(whole)}
    uses = Counter(NAME.findall(whole))
    found = {label: rest for label in blocks if (rest := _taken_apart(label, blocks, left, uses))}
    if not found:
        return text
    gone = {block for rest in found.values() for block in rest.blocks}
    ends = {[*rest.blocks][-1]: f", {label}.done ]" for label, rest in found.items()}
    out = [first]
    for label, block in blocks.items():
        if label in found:
            out.append(_made(label, found[label], left[found[label].number]))
        elif label not in gone:
            out.append(FROM.sub(lambda end: ends.get(end[1], end[0]), block))
    return head + define + "\n\n".join(out)


def _taken_apart(
    label: str, blocks: dict[str, str], left: dict[str, tuple[str, int]], uses: Counter[str]
) -> _Rest | None:
    """The rest of an unrolled loop that begins there, if it loads and is short."""
    head = _HEAD.match(blocks[label]) if _NEXT.search(blocks[label]) else None
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for line in head["phis"].splitlines() if head else ():
        if (phi := PHI.match(line)) is None:
            return None
        name, kind, one, before, other, behind = phi.groups()
        found[name] = kind, {before: one, behind: other}
    latch = next((at for _, ways in found.values() for at, value in ways.items() if _NEXT.search(value)), "")
    nodes = _nodes(label, latch, blocks)
    if head is None or nodes is None:
        return None
    text = "\n".join(blocks[node] for node in nodes)
    count, end, branch = _COUNT.search(text), _END.search(text), _BRANCH.search(blocks[latch])
    if not count or not end or not branch or " = load " not in text:
        return None
    passed = _passed(text)
    lines = text.count("\n") - _FLOW * (len(nodes) - 1) + _DIVISION * len(_DIVIDES.findall(text))
    lines -= text.count(" = select ")  # they hide nothing: what is chosen has been loaded
    if lines > (_LONGEST if passed else _WAITING):
        return None
    if len(nodes) > 1 and not passed:
        return None  # the registers of more turns cost warps and gain nothing (an im2col 1.15)
    exit_, back = branch.groups()[1:] if end["kind"] == "eq" else branch.groups()[:0:-1]
    if (branch[1], end["next"], back) != (end["test"], count[1], label) or end["number"] not in left:
        return None
    phis = {
        name: (kind, next(value for at, value in ways.items() if at != latch), ways[latch])
        for name, (kind, ways) in found.items()
    }
    if phis.pop(count[2], ("",))[1:] != ("0", count[1]):
        return None
    own = Counter(NAME.findall(text))
    after = {name for name in DEFINED.findall(text) if uses[name] > own[name]}
    kinds = {next_: kind for kind, _, next_ in phis.values()} | {name: kind for name, (kind, _, _) in phis.items()}
    if not after <= kinds.keys() or count[1] in after:
        return None
    bodies = {node: blocks[node].partition("\n")[2] + "\n" for node in nodes}
    bodies[label] = blocks[label][head.end() :] + "\n"
    bodies[latch] = bodies[latch][: bodies[latch].rindex("  br i1 ")]
    bodies = {node: body.replace(count[0], "").replace(end[0], "") for node, body in bodies.items()}
    if ".noalias.scope.decl(" in text:  # what a function that was inlined promised of its pointers, for one turn
        bodies = {node: re.sub(_SCOPES, "", body) for node, body in bodies.items()}
    return _Rest(end["number"], exit_, phis, bodies, {name: kinds[name] for name in sorted(after)})


def _passed(text: str) -> bool:
    """Whether loads of later turns can go before a turn's stores: these are to memory from which nothing is loaded, or
    to one place there, and the turn has loaded it (a sort, which exchanges two, 0.88 of nvcc's cycles to 0.96)."""
    loads, stores = ({(place[1], place[2]) for place in kind.finditer(text)} for kind in (_LOAD, _STORE))
    near = {store for store in stores if store[0] is None or any(store[0] == space for space, _ in loads)}
    return len(near) <= 1 and near <= loads


def _nodes(label: str, latch: str, blocks: dict[str, str]) -> list[str] | None:
    """The blocks of a loop, from where it begins to where it ends, if nothing else leads out of it."""
    inside, todo = {label}, [label]
    while todo:
        node = todo.pop()
        after = {*_TARGET.findall(blocks.get(node, ""))}
        if not after or len(inside) > _LONGEST or (node != latch and label in after):
            return None
        more = after - inside if node != latch else set()
        inside |= more
        todo += more
    if latch not in inside:
        return None
    return [label, *(node for node in blocks if node in inside - {label, latch}), *([latch] if latch != label else [])]


def _stepped(phis: dict[str, tuple[str, str, str]], n: int, step: re.Match[str]) -> str:
    """What counts turns, counted in turn `n` from the first one: the constants of addresses come to one."""
    made, kind, value, more = step.groups()
    total, most = int(more) * (n + 1), 1 << int(kind[kind.rindex("i") + 1 :]) - 1
    if value not in phis or phis[value][2] != made or not 0 < total < most:
        return step[0]
    return f"  {made} = add {kind} {value}.first, {total}"


def _made(label: str, rest: _Rest, left: tuple[str, int]) -> str:
    """The blocks that take the loop's place; `left` is the type of the number of turns, and how many there may be."""
    (form, most), phis, after = left, rest.phis, rest.after
    made = [*DEFINED.findall("\n".join(rest.blocks.values())), *rest.blocks]
    following = {next_: name for name, (_, _, next_) in phis.items() if next_ not in phis}
    lasting = {name: f"{name}.last" for name in after if name in phis}
    """What a value was before the last turn is used after the loop."""
    now = {name: first for name, (_, first, _) in phis.items()}
    now |= dict.fromkeys(lasting.values(), "poison")
    kinds = {name: kind for name, (kind, _, _) in phis.items()} | {lasting[name]: after[name] for name in lasting}
    text, at = f"{label[1:]}:\n", label
    for width in (w for w in _WIDTHS if w <= most):
        many, over = f"{label}.many{width}", f"{label}.over{width // 2}" if width > 1 else f"{label}.done"
        turns, then, place = "", now, many
        first = {f"{name}.first": value for name, value in now.items()}
        for n in range(width):
            names = then | {name: f"{name}.left{width}.{n}" for name in made} | {label: place}
            for block, body in rest.blocks.items():
                counted = _STEP.sub(partial(_stepped, phis, n), body) if n else body
                turns += (f"{names[block][1:]}:\n" if block != label else "") + renamed(counted, names | first)
            place = names[[*rest.blocks][-1]]
            old, then = then, {name: names.get(next_, next_) for name, (_, _, next_) in phis.items()}
            then |= {last: old[name] for name, last in lasting.items()}
        text += f"""  {at}.bit = and {form} {rest.number}, {width}
  {at}.none = icmp eq {form} {at}.bit, 0
  br i1 {at}.none, label {over}, label {many}
{many[1:]}:
{turns}  br label {over}
{over[1:]}:
"""
        if width > 1:
            met = {name: f"{name}.left{width}" for name in kinds}
        else:
            met = {following.get(name, lasting.get(name, name)): name for name in after}
        text += "".join(
            f"  {new} = phi {kinds[name]} [ {now[name]}, {at} ], [ {then[name]}, {place} ]\n"
            for name, new in met.items()
        )
        now, at = met, over
    return f"{text}  br label {rest.exit}"
