"""Local arrays that would be registers if the loops around them were written out: their indices are constants then.

LLVM's limit for unrolling knows nothing of that. So where functions still have local variables after its pipeline, the
pipeline is run again with a larger limit, and kept if there are fewer loads and stores then (unrolling makes more of
them, unless an array goes with it) or a function has no array any more. Inverting 4 x 4 matrices with pivots took 1.44
of the cycles of nvcc's code on an H200 without, and takes 0.99. An array with an index that comes from memory, from a
call or from the launch stays one in any case: for such alone the pipeline is not run again (a third of LLVM's time for
HeCBench's bonds, whose arrays are tables of a calendar).

Input: a module's text after LLVM's pipeline, in which a loop goes back to a block further up.
"""

from __future__ import annotations

import re

from minicc.nvvm.bodies import NAME, bodies, fresh, places

UNROLLED = 8000
"""The larger limit, in LLVM's instructions."""
SHORT, LONGER = 6000, 4
"""A function of more lines than this may be so many times as long at most: sines and powers that are inlined in its
loops are written out with them, and code has caches, too."""
FOLDED = 4
"""What is written out may fold to a fraction like this."""
_LABEL = re.compile(r"^([-\w.$]+):", re.M)
_END = re.compile(r"^  (%\S+) = icmp [a-z ]+ i\d+ [^,\n]+, (-?\d+)\n  br i1 \1, label %(\S+), label %([^\s,]+)", re.M)
"""A block ends with a compare with a constant."""
_JUMP = re.compile(r"label %([-\w.$]+)")
_COUNTER = re.compile(r"^  (%\S+) = phi i\d+ (\[.*)$", re.M)
_FROM = re.compile(r"\[ (%\S+), ")
_GROWN = re.compile(r"^  (%\S+) = add [^\n,]*(%[^\s,]+), (-?\d+)$", re.M)


_HALF = re.compile(r"^  store (half|bfloat) ([^\n,]+), (?=ptr )", re.M)


def as_words(ir: str) -> str:
    """A module's text with its halves stored as integers: LLVM makes no register of a local array of halves that is
    read by wider floats (eight halves written, one float4 read)."""
    names = fresh(ir, "stored")
    return _HALF.sub(lambda s: f"  %{(n := next(names))} = bitcast {s[1]} {s[2]} to i16\n  store i16 %{n}, ", ir)


_RECKONED = re.compile(
    r"(?:phi|select|getelementptr|[sz]ext|trunc|freeze|[if]cmp|bitcast|addrspacecast|and|or|xor|shl|[al]shr|add|sub|mul|"
    r"[us]div|[us]rem|call [^@\n]*@llvm\.(?:[us]m(?:in|ax)|abs|fsh[lr])\.\w+)(?![-\w])"
)
"""What is a constant where its operands are: what indices and addresses are made by."""
_BESIDE = re.compile(rf"(?<=^select i1 ){NAME}|, {NAME} \](?=$|, )")
"""What says which operand it is: the condition of a selection, the blocks that a phi's operands come from."""
_POINTER = re.compile(rf"\bptr (?:addrspace\(\d+\) )?({NAME})")
_ELEMENTS = re.compile(r"alloca \[(\d+) x ")


def kept(text: str) -> dict[str, str]:
    """The functions of a module's text that have local arrays which may go, and a loop of a constant number of
    turns."""
    return {
        name: body
        for name, _, body in bodies(text)
        if " = alloca " in body and _counted(body) and _written_out(body) <= _tried(body) and _may_go(body)
    }


def gone(text: str, before: dict[str, str]) -> set[str]:
    """Those of such functions that have fewer loads and stores in another text of the module, or no array any more, and
    are not too long there. Fewer arrays alone say little: HeCBench's rsbench lost three of six, for three times its
    code."""
    after = {name: body for name, _, body in bodies(text) if name in before}
    return {
        name
        for name, body in after.items()
        if (" = alloca " not in body or _accesses(body) < _accesses(before[name]))
        and body.count("\n") <= max(SHORT, LONGER * before[name].count("\n"))
    }


def _counted(body: str) -> bool:
    """Whether a loop seems to end at a constant."""
    place = {label[1]: label.start() for label in _LABEL.finditer(body)}
    return any(place.get(end[k], end.end()) < end.end() for end in _END.finditer(body) for k in (3, 4))


def _tried(body: str) -> int:
    """Lines of what LLVM is asked for at most; what they fold to may be kept."""
    return max(FOLDED * SHORT, LONGER * body.count("\n"))


def _written_out(body: str) -> int:
    """About how many lines there would be, before anything folds. LLVM's limit is one loop's: where a loop is written
    out, the loops in it, which ended at its index, are loops of known numbers of turns then (sorting 128 elements by
    insertion, 50,258 lines and 14 s). Those are taken for loops of as many turns as the one around them. What LLVM
    wrote out in part has several turns in one already."""
    place = {label[1]: label.start() for label in _LABEL.finditer(body)}
    loops: dict[int, int] = {}
    """Of each loop where it begins and ends."""
    for jump in _JUMP.finditer(body):
        start = place.get(jump[1], len(body))
        if start < jump.start():
            loops[start] = max(jump.end(), loops.get(start, 0))
    ends = [(end.start(), abs(int(end[2])), [place.get(end[k], 0) for k in (3, 4)]) for end in _END.finditer(body)]
    grown = {name: (counter, int(step)) for name, counter, step in _GROWN.findall(body)}
    total = body.count("\n")
    around: list[tuple[int, int, int]] = []
    """(end, turns, copies) of the loops around, outer ones first."""
    for start, end in sorted(loops.items()):
        while around and around[-1][0] <= start:
            around.pop()
        _, outer, copies = around[-1] if around else (0, 1, 1)
        own = [t for at, t, to in ends if start <= at < end and any(not start < place_ < end for place_ in to)]
        turns, lines = max(own, default=0), body.count("\n", start, end)
        turns = turns if turns > 1 else outer
        times = max(turns // _together(body[start : body.find("\n\n", start)], grown), 1)
        if times * lines > FOLDED * UNROLLED:  # more than LLVM writes out
            turns = times = 1
        total += copies * (times - 1) * lines
        around.append((end, turns, copies * times))
    return total


def _together(head: str, grown: dict[str, tuple[str, int]]) -> int:
    """How many turns of the source one of a loop makes: what the counters at its head grow by; `grown` has what each
    sum with a constant is made of."""
    steps = [
        abs(grown[last][1])
        for name, values in _COUNTER.findall(head)
        for last in _FROM.findall(values)
        if last in grown and grown[last][0] == name
    ]
    return max(min(steps, default=1), 1)


def _may_go(body: str) -> bool:
    """Whether loops index some local array, none with what only the launch or memory knows, and it is no longer than
    what is written out."""
    places_ = places(body.split("\n"))[1]
    made = {name: what for name, (_, what) in places_.items()}
    operands = {name: re.findall(NAME, _operands(what)) for name, what in made.items()}
    users: dict[str, list[str]] = {}
    for name, names in operands.items():
        for used in names:
            users.setdefault(used, []).append(name)
    arrays: dict[str, set[str]] = {}
    """Pointers -> the local arrays that they may point into."""
    todo = [(name, name) for name, what in made.items() if what.startswith("alloca ")]
    while todo:
        array, pointer = todo.pop()
        if array not in arrays.setdefault(pointer, set()):
            arrays[pointer].add(array)
            todo += [(array, user) for user in users.get(pointer, ()) if _points(made[user], pointer)]
    unknown: set[str] = set()

    def spread(work: list[str]) -> None:
        while work:
            if (name := work.pop()) not in unknown and name not in arrays:
                unknown.add(name)
                work += users.get(name, ())

    spread([*(users.keys() - made.keys())])
    spread([name for name, what in made.items() if not _RECKONED.match(what) and not _reads(what, arrays)])
    for phis in _heads(places_, operands):
        tests = [u for v in {*phis}.union(*[operands[p] for p in phis]) for u in users.get(v, ()) if "icmp" in made[u]]
        if tests and unknown.issuperset(tests):
            spread(phis)
    going, staying = set[str](), set[str]()
    for pointer, into in arrays.items():
        indices = set(operands[pointer]) - arrays.keys()
        (staying if indices & unknown else going).update(into if indices or made[pointer].startswith("phi ") else ())
    elements = {array: _ELEMENTS.match(made[array]) for array in going - staying}
    return any(found is None or int(found[1]) <= UNROLLED for found in elements.values())


def _operands(what: str) -> str:
    """Without the condition of a selection and the blocks that a phi's operands come from."""
    return _BESIDE.sub("", what) if what.startswith(("select ", "phi ")) else what


def _heads(made: dict[str, tuple[int, str]], operands: dict[str, list[str]]) -> list[list[str]]:
    """The phis of each block that a loop goes back to: one is made of what stands further down."""
    groups: list[list[str]] = []
    last = -1
    for name, (place, what) in made.items():
        if what.startswith("phi "):
            if place != last + 1:
                groups.append([])
            groups[-1].append(name)
            last = place
    return [g for g in groups if any(made[v][0] > made[p][0] for p in g for v in operands[p] if v in made)]


def _points(what: str, pointer: str) -> bool:
    """Whether a value made so points to where `pointer` does, or near it."""
    if what.startswith("getelementptr "):
        base = _POINTER.search(what)
        return base is not None and base[1] == pointer
    return what.startswith(("phi ptr", "select i1", "addrspacecast ", "freeze ptr"))


def _reads(what: str, arrays: dict[str, set[str]]) -> bool:
    """Whether a value is loaded from a local array."""
    base = _POINTER.search(what) if what.startswith("load ") else None
    return base is not None and base[1] in arrays


def _accesses(body: str) -> int:
    return body.count(" = load ") + body.count("\n  store ")
