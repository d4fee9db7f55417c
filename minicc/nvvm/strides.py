"""Loops over a stride that is known at run time go four turns at a time: four loads under way instead of one.

LLVM unrolls a loop by its number of turns. Here that takes a division, which it will not pay for, and NVIDIA's compiler
does. No division is needed: `for (i = start; i < n; i += s)` has four turns before it as long as i < n - 3 s, where
0 <= s and n - 3 s does not wrap. So a loop in the form LLVM leaves it in, one block that ends in its only test,

    before:  br L                       before:  br L
    L:       turn; br i < n ? L : exit  L:       limit = n - 3 s; br (exact and i < limit) ? L.wide1 : L.left0
                                        L.wide1: turn; turn; turn; turn; br i < limit ? L.wide1 : L.rest1
                                        L.rest1: br i < n ? L.left0 : L.done
                                        L.left0: turn; br i < n ? L.left1 : L.done
                                        L.left1: turn; br i < n ? L.left2 : L.done
                                        L.left2: turn; br (not few and i < n) ? L.turn : L.done
                                        L.turn:  turn; br i < n ? L.turn : L.done
                                        L.done:  br exit

where `exact` says that s is small, n >= 0, and n + s in the type where C does not promise that of i, and `few` besides
that i < n held before the first turn (else that turn may have gone over the end of the type), which LLVM mostly knows:
then L.turn goes. What is left, at most three turns, is no loop, so that ptxas loads for all three together, under
guards: rows of 500 to 1,000 elements by blocks of 128 and 256 take 0.79 to 0.92 of the cycles on the model for it
(softmax, layer norms, arg max).

Where the stride is a constant, sixteen loads come before the four, in the same way, as in NVIDIA's code: they have one
address in common. Where a turn has more than two loads, three with such a stride, it is two turns, since each takes
registers for its address (three loads by four turns: blocks of a sparse matrix 1.04 of nvcc's cycles on the model to
0.93, the other loop of 171 kernels 1.00).

Input: a module's text after LLVM's pipeline. Only blocks that load, and store nothing that could be what they load;
linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property

TURNS, FAR = 4, 16
"""Turns of a stride that is known at run time; loads together where it is a constant, as in NVIDIA's code. With four
loads of a float 2,048 threads of an SM have 32 KiB under way."""
_LONGEST = 32
"""Instructions of a loop beyond which its own work hides latency."""
_LOADS = 4
"""Loads of a turn beyond which enough are under way; LLVM's own unrolling makes such turns."""

_ID = r"%[-\w.$]+"
LOOP = re.compile(
    rf"(?P<label>[-\w.$]+):[^\n]*\n(?P<phis>(?:  {_ID} = phi [^\n]*\n)+)(?P<turn>(?:  (?!br )[^\n]*\n)+)"
    rf"  br i1 (?P<test>{_ID}), label (?P<yes>{_ID}), label (?P<no>{_ID})(?P<notes>[^\n]*)"
)
_IN = r"(?:(?! \], \[ ).)+?"
PHI = re.compile(rf"  ({_ID}) = phi (.+?) \[ ({_IN}), ({_ID}) \], \[ ({_IN}), ({_ID}) \](?!, \[)")
"""Of a loop's head with one way in."""
FROM = re.compile(rf", ({_ID}) \]")
_TEST = r"^  {} = icmp (?:samesign )?(\w+) (i32|i64) ([^\s,]+), ([^\s,]+).*\n"
_STEP = rf"^  {{}} = add ((?:nuw )?(?:nsw )?)i\d+ ({_ID}), ({_ID}|\d+)(?![-\w.$])"
NAME = re.compile(_ID)
_LABEL = re.compile(r"\n[-\w.$]+:")
NUMBER = re.compile(r"(%|^)(\d+)(?![-\w.$])", re.M)
DEFINED = re.compile(rf"^  ({_ID}) = ", re.M)
_SHARED = r"atomicrmw \w+ ptr addrspace\(3\) [^\n]* monotonic,"
"""An atomic of shared memory without an order: loads from elsewhere pass it (a digit's histogram 1.42 of nvcc's cycles
to 0.98 on the model)."""
_EFFECT = rf"\b(?:(?!{_SHARED})atomicrmw|cmpxchg|fence|volatile|atomic|invoke|alloca)\b"
_CONSTANT = rf"\bptr noalias [^,%]*\breadonly\b[^,%]*({_ID})"
_PLACE = rf"(?m)^  ({_ID}) = (?:getelementptr [^\n]*?|addrspacecast )ptr[^,%\n]* ({_ID})"
_LOAD = rf" = load [^,\n]*, ptr[^,%\n]* ({_ID})"
_CALLED = r"\bcall [^\n]*?@([\w.$]+)\(|\bcall "
_PURE = r"(?m)^; Function Attrs: (?![^\n]*convergent)(?=[^\n]*memory\(none\))[^\n]*\ndeclare [^\n]*?@([\w.$]+)\("
_NOTE = r"!llvm\.loop (!\d+)"
_NODE = r"(?m)^(!\d+) = (.*)"
_MORE = r'(?m)^(!\d+) = !\{!"minicc\.unroll\.more"\}'
"""The frontend's word, of a loop to where memory says, that its factor is not meant to be the last."""
_REST = r"  br i1 %(?:prol|epil)\.iter\d*\.cmp"
"""The end of what LLVM's unrolling leaves over."""
_LESS = ("slt", "ult", "sle", "ule")
_TURNED = {"sgt": "slt", "ugt": "ult", "sge": "sle", "uge": "ule"}
"""Predicates -> the same with the operands turned."""
_INVERSE = {
    "sge": "slt",
    "uge": "ult",
    "sgt": "sle",
    "ugt": "ule",
    "slt": "sge",
    "ult": "uge",
    "sle": "sgt",
    "ule": "ugt",
}


class _Loop:
    """A block that is a loop, taken apart; names with their %."""

    def __init__(
        self,
        label: str,
        exit: str,
        phis: dict[str, tuple[str, str, str]],
        turn: str,
        less: str,
        type: str,
        index: str,
        bound: str,
        stepped: str,
        stride: str,
        ends: bool,
        notes: str,
        after: set[str],
    ) -> None:
        self.label, self.exit = label, exit
        self.phis = phis
        """Name -> type, value on entry, value in the next turn."""
        self.turn = turn
        """What a turn does, the test and the branch apart."""
        self.less = less
        """One of _LESS: how the index is compared with the bound for another turn."""
        self.type = type
        self.index = index
        """The index of the next turn, which the bound ends."""
        self.bound = bound
        self.stepped = stepped
        """The phi that becomes it."""
        self.stride = stride
        self.ends = ends
        """The index does not pass the end of its type."""
        self.notes = notes
        """What follows the branch: metadata."""
        self.after = after
        """Values that are used after the loop."""

    @property
    def widths(self) -> tuple[int, ...]:
        """How many turns are made together, the most first."""
        loads = self.turn.count(" = load ")
        known = self.stride.isdigit()  # the loads have one address in common, and need no registers for more
        if known and loads <= 2 and " atomicrmw " not in self.turn:
            return (FAR // loads, TURNS)
        return (TURNS,) if loads <= (3 if known else 2) else (2,)


def freed(text: str) -> str:
    """The module's text without LLVM's word that a loop to where memory says is not to be unrolled again: ptxas makes
    more turns together, as NVIDIA's does (rows of ten entries 1.07 to 0.99 of nvcc's cycles on the model)."""
    for more in re.findall(_MORE, text):
        notes = re.compile(rf"^(!\d+) = distinct !\{{[^\n]*{more}\b", re.M).findall(text)
        ends = re.compile(rf"^(  br i1 [^\n]*), !llvm\.loop (?:{'|'.join(notes)})$", re.M)
        text = ends.sub(lambda end: end[0] if re.match(_REST, end[0]) else end[1], text)
    return text


def widen(text: str) -> str | None:
    """The module's text with several turns of such loops at a time; None if it has none."""
    module = _Module(text)
    result = "\n}\n".join([_function(piece, module) for piece in text.split("\n}\n")])
    return None if result == text else result


class _Module:
    """What is to be known of a module, read from its text once, if anything asks."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def pure(self) -> set[str]:
        """Functions that only compute."""
        return set(re.findall(_PURE, self.text))

    @cached_property
    def nodes(self) -> dict[str, str]:
        """Metadata: number with its ! -> what it says."""
        return dict(re.findall(_NODE, self.text))


def _function(text: str, module: _Module) -> str:
    """A function of the module, and what stands before it, with its loops widened."""
    if not any(_short_loop(block) for block in text.split("\n\n")):
        return text
    head, define, body = text.rpartition("\ndefine ")
    if '%"' in body or ".wide" in body or not _LABEL.match(body, body.find("\n")):
        return text
    blocks = NUMBER.sub(r"\1_\2", body).split("\n\n")  # numbers would have to stay in order
    whole = "\n\n".join(blocks)
    uses = Counter(NAME.findall(whole))
    constants = _Constants(whole)
    loops = {
        place: loop
        for place, block in enumerate(blocks)
        if _short_loop(block)
        and (" store " not in block or constants.are_all_of(block))
        and (loop := _taken_apart(block, module, uses))
    }
    ends = {loop.label: f", {loop.label}.done ]" for loop in loops.values()}
    for place, block in enumerate(blocks):
        loop = loops.get(place)
        blocks[place] = _widened(loop) if loop else FROM.sub(lambda end: ends.get(end[1], end[0]), block)
    return head + define + "\n\n".join(blocks) if loops else text


def _short_loop(block: str) -> bool:
    """Whether a block, as LLVM prints it, is short and ends in a branch to itself."""
    label = block[: block.find(":")]
    last = block[block.rfind("\n") :] + ","
    return f" label %{label}," in last and " = load " in block and block.count("\n") <= _LONGEST


class _Constants:
    """What a function only reads."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.parameters = re.findall(_CONSTANT, function[: function.find("\n")])

    @cached_property
    def bases(self) -> dict[str, str]:
        """Address -> what it is reckoned from."""
        return dict(re.findall(_PLACE, self.function)) if self.parameters else {}

    def are_all_of(self, block: str) -> bool:
        """Whether all that a block loads is one word of what the function only reads, so that stores are not waited
        for.

        Four turns of more words take over 32 registers: reaction_gray_scott, half the blocks at once, 1.32 of the
        time."""
        return block.count(" = load ") <= 1 and all(
            self._base(name) in self.parameters for name in re.findall(_LOAD, block)
        )

    def _base(self, name: str) -> str:
        while name in self.bases:
            name = self.bases[name]
        return name


def _taken_apart(block: str, module: _Module, uses: Counter[str]) -> _Loop | None:
    """The loop, if it is one of those that are widened. `uses` counts each name in the function."""
    match = LOOP.fullmatch(block)
    if match is None:
        return None
    label, turn, yes, no = "%" + match["label"], match["turn"], match["yes"], match["no"]
    if label not in (yes, no) or yes == no or not 0 < turn.count(" = load ") <= _LOADS:
        return None
    if (
        re.search(_EFFECT, turn)
        or not module.pure.issuperset(re.findall(_CALLED, turn))
        or _unrolled(match["notes"], module)
    ):
        return None
    compare = re.search(_TEST.format(re.escape(match["test"])), turn, re.M)
    if compare is None or uses[match["test"]] != 2:
        return None
    predicate, form, index, bound = compare.groups()
    predicate = predicate if yes == label else _INVERSE.get(predicate, "")
    inside = set(DEFINED.findall(block))
    if bound in inside:
        predicate, index, bound = _TURNED.get(predicate, ""), bound, index
    step = re.search(_STEP.format(re.escape(index)), turn, re.M)
    if predicate not in _LESS or bound in inside or step is None:
        return None
    phis = {}
    for line in match["phis"].splitlines():
        phi = PHI.match(line)
        if phi is None:
            return None
        name, kind, first, _, following, latch = phi.groups()
        phis[name] = (kind, first, following) if latch == label else (kind, following, first)
    own = Counter(NAME.findall(block))
    after = {name for name in inside if uses[name] > own[name]}
    old, stride = (step[2], step[3]) if step[2] in phis else (step[3], step[2])
    ends = ("nuw" if predicate[0] == "u" else "nsw") in step[1]
    if old not in phis or phis[old][2] != index or stride in inside:
        return None
    if not after <= phis.keys() | {following for _, _, following in phis.values()}:
        return None
    turn = turn.replace(compare[0], "")
    exit_ = no if yes == label else yes
    return _Loop(label, exit_, phis, turn, predicate, form, index, bound, old, stride, ends, match["notes"], after)


def _unrolled(notes: str, module: _Module) -> bool:
    """Whether the loop's metadata says anything about unrolling."""
    loop = re.search(_NOTE, notes)
    items = re.findall(r"!\d+", module.nodes.get(loop[1], "")) if loop else []
    return any('!"llvm.loop.unroll' in module.nodes.get(item, "") for item in items)


def renamed(text: str, names: dict[str, str]) -> str:
    return NAME.sub(lambda name: names.get(name[0], name[0]), text)


def _room(loop: _Loop) -> str:
    """Lines that say whether neither the limit nor, before it reaches the bound, the index passes the end of its type:
    an index without such a promise of C goes on from there."""
    form, least = loop.type, -(1 << int(loop.type[1:]) - 1)
    if loop.less[0] == "u":
        if loop.ends:
            return f"  {{0}}.room = icmp ule {form} {{0}}.ahead, {loop.bound}\n"
        back = f"  {{0}}.back = sub {form} 0, {{0}}.ahead\n  {{0}}.end = sub {form} {{0}}.back, {loop.stride}\n"
        return f"{back}  {{0}}.room = icmp ult {form} {{0}}.limit, {{0}}.end\n"
    if loop.ends:
        return f"  {{0}}.room = icmp sgt {form} {loop.bound}, -1\n"
    end = f"  {{0}}.end = sub {form} {least}, {loop.stride}\n"
    return f"{end}  {{0}}.room = icmp ult {form} {loop.bound}, {{0}}.end\n"


def _widened(loop: _Loop) -> str:
    """The blocks that take the loop's place."""
    label, form, less, kept = loop.label, loop.type, loop.less, sorted(loop.after)
    kinds = {value: kind for phi, (kind, _, following) in loop.phis.items() for value in (phi, following)}
    made = DEFINED.findall(loop.turn)

    def turns(values: dict[str, str], suffix: str, number: int) -> tuple[str, dict[str, str], dict[str, str]]:
        """So many turns' text, what each name stands for at the end of the last, and the phis after it."""
        text = ""
        for turn in range(number):
            names = values | {value: f"{value}.{turn}{suffix}" for value in made}
            text += renamed(loop.turn, names)
            values = {phi: names.get(value, value) for phi, (_, _, value) in loop.phis.items()}
        return text, names, values

    def phis(suffix: str, *ways: tuple[str, dict[str, str]]) -> str:
        """Phis of the block that these ways lead to: where from, and what each phi of the loop is then."""
        return "".join(
            f"  {phi}{suffix} = phi {kind} {', '.join(f'[ {values[phi]}, {block} ]' for block, values in ways)}\n"
            for phi, (kind, _, _) in loop.phis.items()
        )

    room = _room(loop)
    at, values = label, {phi: first for phi, (_, first, _) in loop.phis.items()}
    text = f"""{label[1:]}:
  {label}.begun = icmp {less} {form} {values[loop.stepped]}, {loop.bound}
"""
    ways_out = []
    for level, width in enumerate(loop.widths, 1):
        last_level = level == len(loop.widths)
        wide, rest = f".wide{level}", f"{label}.rest{level}"
        fewer = f"{label}.left0" if last_level else f"{label}.fewer{level}"
        many, names, after = turns({phi: phi + wide for phi in loop.phis}, wide, width)
        text += f"""  {at}.ahead = mul {form} {loop.stride}, {width - 1}
  {at}.limit = sub {form} {loop.bound}, {at}.ahead
  {at}.small = icmp ult {form} {loop.stride}, {1 << int(form[1:]) - 5}
{room.format(at)}  {at}.fits = icmp {less} {form} {values[loop.stepped]}, {at}.limit
  {at}.exact = and i1 {at}.small, {at}.room
  {at}.far = and i1 {at}.exact, {at}.fits
  br i1 {at}.far, label {label}{wide}, label {fewer}
{label[1:]}{wide}:
{phis(wide, (at, values), (f"{label}{wide}", after))}{many}\
  {at}.more = icmp {less} {form} {names[loop.index]}, {at}.limit
  br i1 {at}.more, label {label}{wide}, label {rest}
{rest[1:]}:
  {at}.left = icmp {less} {form} {names[loop.index]}, {loop.bound}
  br i1 {at}.left, label {fewer}, label {label}.done
"""
        ways_out.append((rest, names))
        ways = [(at, values), (rest, after)]
        if not last_level:
            text += f"{fewer[1:]}:\n{phis(f'.fewer{level}', *ways)}"
            at, values = fewer, {phi: f"{phi}.fewer{level}" for phi in loop.phis}
    text += f"{label[1:]}.left0:\n{phis('.left0', *ways)}"
    now = {phi: f"{phi}.left0" for phi in loop.phis}
    for turn in range(loop.widths[-1] - 1):
        here, last = f"{label}.left{turn}", turn + 2 == loop.widths[-1]
        one, names, now = turns(now, f".left{turn}", 1)
        ways_out.append((here, names))
        text += f"""{one}  {here}.more = icmp {less} {form} {names[loop.index]}, {loop.bound}
"""
        if not last:
            text += f"""  br i1 {here}.more, label {label}.left{turn + 1}, label {label}.done
{label[1:]}.left{turn + 1}:
"""
    text += f"""  {label}.few = and i1 {at}.exact, {label}.begun
  {label}.inexact = xor i1 {label}.few, true
  {label}.loops = and i1 {label}.inexact, {here}.more
  br i1 {label}.loops, label {label}.turn, label {label}.done
"""
    single, names, after = turns({phi: f"{phi}.turn" for phi in loop.phis}, ".turn", 1)
    ways = [(here, now)]
    ways_out.append((f"{label}.turn", names))
    ends = "".join(
        f"  {value} = phi {kinds[value]} {', '.join(f'[ {names[value]}, {block} ]' for block, names in ways_out)}\n"
        for value in kept
    )
    return f"""{text}{label[1:]}.turn:
{phis(".turn", *ways, (f"{label}.turn", after))}{single}\
  {label}.again = icmp {less} {form} {names[loop.index]}, {loop.bound}
  br i1 {label}.again, label {label}.turn, label {label}.done{loop.notes}
{label[1:]}.done:
{ends}  br label {loop.exit}"""
