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

from minicc.nvvm.strides import DEFINED, FROM, LOOP, NAME, NUMBER, PHI, renamed

_WIDTHS = (4, 2, 1)
_LONGEST = 28
"""Lines of a block beyond which its own work hides latency."""
_LEFT = re.compile(r"  (%xtraiter[\w.]*) = and (i\d+) [^,\n]+, (3|7)[,\n]")
_COUNT = re.compile(r"  (%(?:prol|epil)\.iter\.next[\w.]*) = add (?:nuw )?(?:nsw )?i\d+ (%[\w.]+), 1(?:,.*)?\n")
_END = r"  {test} = icmp (?:samesign )?(eq|ne) i\d+ {next}, (%xtraiter[\w.]*)(?:,.*)?\n"


def split(text: str) -> str:
    """The module's text with such loops taken apart."""
    return "\n}\n".join([_function(f) if ".iter.next" in f else f for f in text.split("\n}\n")])


def _function(text: str) -> str:
    """A function, and what stands before it, with such loops taken apart."""
    head, define, body = text.rpartition("\ndefine ")
    if '%"' in body or ".over1" in body:
        return text
    blocks = NUMBER.sub(r"\1_\2", body).split("\n\n")  # numbers would have to stay in order
    whole = "\n\n".join(blocks)
    left = {name: (kind, int(most)) for name, kind, most in _LEFT.findall(whole)}
    uses = Counter(NAME.findall(whole))
    made = {place: new for place, block in enumerate(blocks) if (new := _taken_apart(block, left, uses))}
    ends = {label: f", {label}.done ]" for label, _ in made.values()}
    for place, block in enumerate(blocks):
        blocks[place] = made[place][1] if place in made else FROM.sub(lambda end: ends.get(end[1], end[0]), block)
    return head + define + "\n\n".join(blocks) if made else text


def _taken_apart(block: str, left: dict[str, tuple[str, int]], uses: Counter[str]) -> tuple[str, str] | None:
    """The label of what is left over of an unrolled loop with loads, and the blocks that take its place."""
    short = " = load " in block and ".iter.next" in block and block.count("\n") <= _LONGEST
    loop = LOOP.fullmatch(block) if short else None
    count = loop and _COUNT.search(loop["turn"])
    if loop is None or not count:
        return None
    label, turn = "%" + loop["label"], loop["turn"]
    end = re.search(_END.format(test=re.escape(loop["test"]), next=re.escape(count[1])), turn)
    phis = {}
    for line in loop["phis"].splitlines():
        if (phi := PHI.match(line)) is None:
            return None
        name, kind, one, _, other, latch = phi.groups()
        phis[name] = (kind, one, other) if latch == label else (kind, other, one)
    if not end or end[2] not in left or phis.pop(count[2], ("",))[1:] != ("0", count[1]):
        return None
    exit_, back = (loop["yes"], loop["no"]) if end[1] == "eq" else (loop["no"], loop["yes"])
    own = Counter(NAME.findall(block))
    after = sorted({name for name in DEFINED.findall(block) if uses[name] > own[name]})
    if back != label or {count[1], count[2], loop["test"]} & {*after}:
        return None
    turn = turn.replace(count[0], "").replace(end[0], "")
    kinds = {name: kind for name, (kind, _, _) in phis.items()} | {next_: kind for kind, _, next_ in phis.values()}
    if not kinds.keys() >= {*after}:
        return None
    return label, _blocks(label, exit_, phis, turn, left[end[2]], end[2], {name: kinds[name] for name in after})


def _blocks(
    label: str,
    exit_: str,
    phis: dict[str, tuple[str, str, str]],
    turn: str,
    left: tuple[str, int],
    number: str,
    after: dict[str, str],
) -> str:
    """The blocks: `phis` are name -> (type, value on entry, value in the next turn), `left` the type of `number` and
    the most it can be, `after` the types of what is used after the loop."""
    form, most = left
    made = DEFINED.findall(turn)
    following = {next_: name for name, (_, _, next_) in phis.items() if next_ not in phis}
    lasting = {name: f"{name}.last" for name in after if name in phis}
    """What a value was before the last turn is used after the loop."""
    now = {name: first for name, (_, first, _) in phis.items()}
    now |= dict.fromkeys(lasting.values(), "poison")
    kinds = {name: kind for name, (kind, _, _) in phis.items()} | {lasting[name]: after[name] for name in lasting}
    text, at = f"{label[1:]}:\n", label
    for width in (w for w in _WIDTHS if w <= most):
        many, over = f"{label}.many{width}", f"{label}.over{width // 2}" if width > 1 else f"{label}.done"
        turns, then = "", now
        for n in range(width):
            names = then | {name: f"{name}.left{width}.{n}" for name in made}
            turns += renamed(turn, names)
            old, then = then, {name: names.get(next_, next_) for name, (_, _, next_) in phis.items()}
            then |= {last: old[name] for name, last in lasting.items()}
        text += f"""  {at}.bit = and {form} {number}, {width}
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
            f"  {new} = phi {kinds[name]} [ {now[name]}, {at} ], [ {then[name]}, {many} ]\n"
            for name, new in met.items()
        )
        now, at = met, over
    return f"{text}  br label {exit_}"
