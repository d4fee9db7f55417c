"""Random kernels of one warp whose lanes leave: break, continue and return, at which no mask is computed.

A lane reads the mask of each exchange from memory, where the interpreter has put the lanes that come to it together:
nothing but the compiler's own synchronisation brings the lanes together, as a ballot does in `divergence`, whose
operations and conditions these are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from random import Random

import numpy as np

from tests.end_to_end.divergence import FUNCTION, LANES, Leaf, Warp, Words, condition, leaf, mask


class Lanes(Warp):
    """A warp with a constant word of each lane, the masks it read, and who has left the loop it is in."""

    def __init__(self, given: Words, x: Words) -> None:
        super().__init__(LANES, x, np.zeros(32, np.uint32))
        self.given, self.left = given, np.zeros(32, bool)
        self.masks: list[list[np.uint32]] = [[] for _ in LANES]


Choice = tuple[str, Callable[[Lanes], Words]]


def choice(rnd: Random) -> Choice:
    """Something that lanes may differ in, more often of what is known at the start."""
    bit = rnd.randrange(32)
    return condition(rnd) if rnd.random() < 0.3 else (f"w >> {bit} & 1", lambda w: w.given >> bit & 1 != 0)


class Draws(Random):
    """Chooses; of most programs each exchange is another function, so that none may be taken for one elsewhere."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.once = self.random() < 0.7
        self.drawn = {"called", "deep", "ways"}

    def operation(self) -> Leaf:
        """One that calls what none before it called, if that is asked."""
        while True:
            drawn = leaf(self)
            called = set(re.findall(r"__\w*sync\w*|called|deep|ways", drawn.text))
            if not self.once or not called & self.drawn:
                self.drawn |= called
                return drawn


class Operations:
    """Some operations of the lanes that are together."""

    def __init__(self, rnd: Draws) -> None:
        self.body = [rnd.operation() for _ in range(rnd.choice([1, 1, 1, 2]))]
        self.asks = any("$" in part.text for part in self.body)

    def source(self, names: Iterator[int]) -> list[str]:
        """One mask for all of them."""
        read = ["m = masks[at++ * 32 + lane];"] if self.asks else []
        return read + [line for part in self.body for line in part.source("m", names)]

    def run(self, w: Lanes, on: Words) -> Words:
        """Notes the mask."""
        for lane in np.flatnonzero(on & self.asks):
            w.masks[lane].append(mask(on))
        for part in self.body:
            part.run(w, on)
        return on


class Leave:
    """Some lanes go."""

    def __init__(self, rnd: Draws, loop: bool) -> None:
        self.how = rnd.choice(["break", "continue", "return"] if loop else ["return"])
        self.text, self.of = choice(rnd)

    def source(self, names: Iterator[int]) -> list[str]:
        """break, continue or return."""
        out = "out[lane] = r ^ x; " if self.how == "return" else ""
        return [f"if ({self.text}) {{ {out}{self.how}; }}"]

    def run(self, w: Lanes, on: Words) -> Words:
        """The others stay."""
        gone = on & self.of(w)
        if self.how == "return":
            w.live = w.live & ~gone
        elif self.how == "break":
            w.left = w.left | gone
        return on & ~gone


class Branch:
    """Some go one way, the others another, or none."""

    def __init__(self, rnd: Draws, depth: int, loop: bool) -> None:
        self.text, self.of = choice(rnd)
        self.then = Sequence(rnd, depth - 1, loop)
        self.other = Sequence(rnd, depth - 1, loop) if rnd.random() < 0.5 else None

    def source(self, names: Iterator[int]) -> list[str]:
        """if and else."""
        other = ["} else {", *self.other.source(names)] if self.other else []
        return [f"if ({self.text}) {{", *self.then.source(names), *other, "}"]

    def run(self, w: Lanes, on: Words) -> Words:
        """Those who stay in either."""
        taken = self.of(w)
        stay = self.then.run(w, on & taken)
        return stay | (self.other.run(w, on & ~taken) if self.other else on & ~taken)


class Loop:
    """Up to three turns, by a bound of each lane."""

    def __init__(self, rnd: Draws, depth: int) -> None:
        self.shift, self.most = rnd.randrange(28), rnd.choice([1, 3])
        self.body = Sequence(rnd, depth - 1, loop=True)

    def source(self, names: Iterator[int]) -> list[str]:
        """for."""
        j = f"j{next(names)}"
        head = f"for (unsigned {j} = 0; {j} < (w >> {self.shift} & {self.most}); {j}++) {{"
        return [head, *self.body.source(names), "}"]

    def run(self, w: Lanes, on: Words) -> Words:
        """All leave it but those who return."""
        for turn in range(self.most):
            self.body.run(w, on & w.live & ~w.left & (turn < (w.given >> self.shift & self.most)))
        w.left = w.left & ~on
        return on & w.live


class Sequence:
    """Statements one after the other."""

    def __init__(self, rnd: Draws, depth: int, loop: bool = False) -> None:
        kinds: list[Callable[[], Operations | Leave | Branch | Loop]] = [lambda: Operations(rnd)] * 4
        kinds += [lambda: Leave(rnd, loop)] if loop or rnd.random() < 0.3 else []
        if depth:
            kinds += [lambda: Branch(rnd, depth, loop)] * 2 + [lambda: Loop(rnd, depth)] * 2
        self.body = [rnd.choice(kinds)() for _ in range(rnd.randint(1, 4))]

    def source(self, names: Iterator[int]) -> list[str]:
        """Their lines."""
        return [line for statement in self.body for line in statement.source(names)]

    def run(self, w: Lanes, on: Words) -> Words:
        """Who comes to the end."""
        for statement in self.body:
            on = statement.run(w, on) if on.any() else on
        return on


class Program:
    """A kernel of one warp."""

    def __init__(self, seed: int, depth: int = 3, draws: type[Draws] = Draws) -> None:
        self.rnd = draws(seed)
        self.body = Sequence(self.rnd, depth)
        self.first: list[Leaf] = []
        """What all lanes do before."""

    def source(self, name: str) -> str:
        """The kernel, and what it calls."""
        lines = [
            f'extern "C" __global__ void {name}(const unsigned *in, const unsigned *masks, unsigned *out) {{',
            "__shared__ unsigned s[32], e[32]; unsigned t = threadIdx.x, lane = t, at = 0, m;",
            "unsigned w = in[lane], x = in[32 + lane], r = x ^ t; s[t] = 0; __syncwarp();",
        ]
        return "\n".join(
            [
                "" if self.rnd.once else FUNCTION,
                *lines,
                *(leaf.text for leaf in self.first),
                *self.body.source(count()),
                "out[lane] = r ^ x; }\n",
            ]
        )

    def run(self) -> tuple[Words, Words, Words]:
        """Words for `in`, the masks by turn and lane, and what it leaves in `out`."""
        data, masks, w = self.trace(Lanes)
        return data, masks, w.r ^ w.x

    def trace(self, kind: type[Lanes]) -> tuple[Words, Words, Lanes]:
        """Words for `in`, the masks by turn and lane, and the lanes at the end."""
        data = np.array([self.rnd.getrandbits(32) for _ in range(64)], np.uint32)
        if self.rnd.random() < 0.3:
            data[:32] = data[:4].repeat(8)
        w = kind(data[:32], data[32:])
        for first in self.first:
            first.run(w, w.live)
        self.body.run(w, w.live)
        masks = np.zeros((1 + max(map(len, w.masks)), 32), np.uint32)
        for lane, read in enumerate(w.masks):
            masks[: len(read), lane] = read
        return data, masks, w
