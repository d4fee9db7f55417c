"""Random kernels whose warps part and meet, with operations of a warp on the lanes that are together.

A program is a tree of statements; each has its CUDA source, in which a mask names the lanes that execute it, and its
meaning: what it does to the lanes of a warp in numpy, where `on` says which execute it. Every lane has a word `r` and a
word `x`; words in shared memory are added to, and read behind barriers of the CTA only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from random import Random

import numpy as np

THREADS, CTAS = 64, 2
LANES = np.arange(32, dtype=np.uint32)
FUNCTION = """__device__ __noinline__ unsigned called(unsigned m, unsigned r, unsigned x) {
    r ^= __ballot_sync(m, r & 2) * 3;
    if (__popc(x) & 1) r += 7;
    return r + __shfl_sync(m, x, __ffs(m) - 1);
}
template <int N> __device__ __noinline__ unsigned deep(unsigned r, unsigned times) {
    return times ? deep<N - 1>(r * 3, times - 1) + times : r;
}
template <> __device__ __noinline__ unsigned deep<0>(unsigned r, unsigned times) { return r; }
__device__ __noinline__ unsigned even(unsigned x) { return x / 3; }
__device__ __noinline__ unsigned odd(unsigned x) { return x * 7 + 1; }
__device__ unsigned (*const ways[])(unsigned) = {even, odd};
"""

Words = np.ndarray
"""One for each lane: uint32, or bool."""


class Warp:
    """The state of a warp's lanes, the shared words, and which lanes have not ended."""

    def __init__(self, t: Words, x: Words, shared: Words) -> None:
        self.t, self.x, self.r, self.shared = t, x.copy(), x ^ t, shared
        self.live = t == t


def mask(on: Words) -> np.uint32:
    """The bits of some lanes."""
    return np.bitwise_or.reduce(np.where(on, np.uint32(1) << LANES, np.uint32(0)))


def last(on: Words) -> int:
    """The highest of some lanes."""
    return int(np.flatnonzero(on)[-1])


def ones(words: Words) -> Words:
    """How many bits of each word are set."""
    return np.array([int(word).bit_count() for word in words], np.uint32)


Meaning = Callable[[Warp, Words], None]
Condition = tuple[str, Callable[[Warp], Words]]


def condition(rnd: Random) -> Condition:
    """Something that lanes may differ in."""
    bits, least, lane = rnd.choice([1, 2, 3, 5, 7, 0x55, 0xF0F0, 1 << 30]), rnd.getrandbits(32), rnd.randint(1, 31)
    return rnd.choice(
        [
            (f"x & {bits}u", lambda w: w.x & np.uint32(bits) != 0),
            (f"r & {bits}u", lambda w: w.r & np.uint32(bits) != 0),
            (f"(r ^ x) % {lane}u == 0", lambda w: (w.r ^ w.x) % np.uint32(lane) == 0),
            (f"lane < {lane}", lambda w: lane > LANES),
            (f"lane & {lane}", lambda w: LANES & lane != 0),
            (f"x > {least}u", lambda w: w.x > least),
        ]
    )


class Leaf:
    """One operation, `$` where its mask stands."""

    def __init__(self, text: str, run: Meaning) -> None:
        self.text, self.run = text, run

    def source(self, lanes: str, names: Iterator[int]) -> list[str]:
        """Its line."""
        return [self.text.replace("$", lanes)]


def _assign(of: Callable[[Warp, Words], Words]) -> Meaning:
    """r becomes what `of` says."""

    def run(w: Warp, on: Words) -> None:
        w.r[on] = of(w, on)[on]

    return run


def _reduction(name: str) -> Callable[[Words], np.uint32]:
    kinds = {"add": np.add, "xor": np.bitwise_xor, "or": np.bitwise_or, "and": np.bitwise_and}
    return {**kinds, "min": np.minimum, "max": np.maximum}[name].reduce


def _called(w: Warp, on: Words) -> Words:
    r = w.r ^ mask(on & (w.r & 2 != 0))[None] * 3
    return r + np.where(ones(w.x) & 1, np.uint32(7), np.uint32(0)) + w.x[np.argmax(on)]


def _deep(w: Warp, on: Words) -> Words:
    r, times = w.r.copy(), w.x & 3
    for left in (3, 2, 1):
        r = np.where(times >= left, r * 3, r)
    return r + times * (times + 1) // 2


def _matches(on: Words, keys: Words) -> Words:
    return np.array([mask(on & (keys == key)) for key in keys], np.uint32)


def leaf(rnd: Random) -> Leaf:
    """An operation of the lanes that are together, or of each for itself."""
    k, op = rnd.randint(0, 9), rnd.choice(["add", "xor", "or", "and", "min", "max"])
    text, of = condition(rnd)
    every, some = rnd.random() < 0.5, rnd.choice([1, 3, 7])

    def mix(w: Warp, on: Words) -> None:
        w.x[on] = (w.x * np.uint32(0x9E3779B1) + w.r)[on]

    def add(w: Warp, on: Words) -> None:
        np.add.at(w.shared, (w.r[on] >> k) & 31, np.uint32(k + 1))

    def nothing(w: Warp, on: Words) -> None:
        pass

    def vote(w: Warp, on: Words) -> Words:
        held = of(w)[on].all() if every else of(w)[on].any()
        return w.r + np.uint32(k if held else 0)

    def all_match(w: Warp, on: Words) -> Words:
        keys = w.x >> (k + 22)
        return w.r + (mask(on) + np.uint32(1) if (keys[on] == keys[on][0]).all() else np.uint32(0))

    way, other = rnd.choice([("xor", LANES ^ some), ("up", LANES - np.uint32(some)), ("down", LANES + np.uint32(some))])

    def neighbour(w: Warp, on: Words, at: Words) -> Words:
        return w.r + np.where(on[at & 31] & (at < 32), w.r[at & 31], np.uint32(0))

    name = "all" if every else "any"
    written = {"xor": f"lane ^ {some}", "up": f"lane - {some}", "down": f"lane + {some}"}[way]
    there = f"o = {written}, there = o < 32 && ($ >> o & 1)"
    return rnd.choice([
        Leaf("r = r * 31 + __shfl_sync($, r, __ffs($) - 1);", _assign(lambda w, on: w.r * 31 + w.r[np.argmax(on)])),
        Leaf(f"r ^= __shfl_sync($, x, 31 - __clz($)) + {k};", _assign(lambda w, on: w.r ^ (w.x[[last(on)]] + k))),
        Leaf(
            f"{{ unsigned {there}, y = __shfl_{way}_sync($, r, {some}); if (there) r += y; }}",
            _assign(lambda w, on: neighbour(w, on, other)),
        ),
        Leaf(
            f"{{ unsigned {there}; e[t] = r; __syncwarp($); if (there) r += e[t - lane + o]; __syncwarp($); }}",
            _assign(lambda w, on: neighbour(w, on, other)),
        ),
        Leaf(f"r += __ballot_sync($, {text});", _assign(lambda w, on: w.r + mask(on & of(w)))),
        Leaf(
            f"r = r * 3 + __reduce_{op}_sync($, r >> {k});",
            _assign(lambda w, on: w.r * 3 + _reduction(op)((w.r >> k)[on]).astype(np.uint32)),
        ),
        Leaf(
            f"r = r * 5 + __match_any_sync($, (r >> {k}) & {some});",
            _assign(lambda w, on: w.r * 5 + _matches(on, w.r >> k & some)),
        ),
        Leaf(f"if (__{name}_sync($, {text})) r += {k};", _assign(vote)),
        Leaf(f"{{ int p; r += __match_all_sync($, x >> {k + 22}, &p) + p; }}", _assign(all_match)),
        Leaf(f"atomicAdd(&s[(r >> {k}) & 31], {k + 1}u);", add),
        Leaf("r = called($, r, x);", _assign(_called)),
        Leaf("r = deep<3>(r, x & 3);", _assign(_deep)),
        Leaf("r = ways[x & 1](r);", _assign(lambda w, on: np.where(w.x & 1, w.r * 7 + 1, w.r // 3))),
        Leaf("x = x * 0x9e3779b1u + r;", mix),
        Leaf("__syncwarp($);", nothing),
        Leaf(f"__nanosleep({5 * k});", nothing),
    ])  # fmt: skip


class Block:
    """Statements one after the other."""

    def __init__(self, rnd: Random, depth: int) -> None:
        kinds: list[Callable[[], Leaf | Sides | Fork | Rounds | Cases]] = [lambda: leaf(rnd)] * 5 + [lambda: Sides(rnd)]
        if depth:
            kinds += [lambda: Fork(rnd, depth)] * 2 + [lambda: Rounds(rnd, depth), lambda: Cases(rnd, depth)]
        self.body = [rnd.choice(kinds)() for _ in range(rnd.randint(1, 3))]

    def source(self, lanes: str, names: Iterator[int]) -> list[str]:
        """Their lines."""
        return [line for statement in self.body for line in statement.source(lanes, names)]

    def run(self, w: Warp, on: Words) -> None:
        """What they do, to those lanes if there are any."""
        for statement in self.body if on.any() else ():
            statement.run(w, on)


class Sides:
    """An exchange to which lanes come at two places."""

    def __init__(self, rnd: Random) -> None:
        self.text, self.of = condition(rnd)
        self.shift = rnd.randint(0, 28)
        self.asked, self.answer = rnd.choice([
            ("__shfl_sync($, V, __ffs($) - 1)", lambda on, v: v[np.argmax(on)]),
            ("__ballot_sync($, V & 1)", lambda on, v: mask(on & (v & 1 != 0))),
            ("__any_sync($, (V & 31) == 0)", lambda on, v: np.uint32((v[on] & 31 == 0).any())),
            ("__match_any_sync($, V & 3)", lambda on, v: _matches(on, v & 3)),
            ("__match_any_sync($, (V & 3) * 0x100000001ull)", lambda on, v: _matches(on, v & 3)),
            ("__reduce_xor_sync($, V)", lambda on, v: np.bitwise_xor.reduce(v[on])),
        ])  # fmt: skip

    def source(self, lanes: str, names: Iterator[int]) -> list[str]:
        """if and else, the whole mask in both."""
        asked = self.asked.replace("$", lanes)
        return [
            f"if ({self.text}) r ^= {asked.replace('V', f'(r >> {self.shift})')};",
            f"else r += {asked.replace('V', f'(x >> {self.shift})')}; __syncwarp({lanes});",
        ]

    def run(self, w: Warp, on: Words) -> None:
        """One exchange of both."""
        taken = self.of(w)
        got = self.answer(on, np.where(taken, w.r, w.x) >> np.uint32(self.shift))
        w.r[on] = np.where(taken, w.r ^ got, w.r + got)[on]


class Fork:
    """Some go one way, the others another, or wait."""

    def __init__(self, rnd: Random, depth: int) -> None:
        self.text, self.of = condition(rnd)
        self.then = Block(rnd, depth - 1)
        self.other = Block(rnd, depth - 1) if rnd.random() < 0.7 else None

    def source(self, lanes: str, names: Iterator[int]) -> list[str]:
        """if and else."""
        n = next(names)
        lines = [f"{{ bool c{n} = {self.text}; unsigned m{n} = __ballot_sync({lanes}, c{n}); if (c{n}) {{"]
        lines += self.then.source(f"m{n}", names)
        if self.other:
            lines += [f"}} else {{ unsigned e{n} = {lanes} & ~m{n};", *self.other.source(f"e{n}", names)]
        return [*lines, f"}} __syncwarp({lanes}); }}"]

    def run(self, w: Warp, on: Words) -> None:
        """Both."""
        taken = self.of(w)
        self.then.run(w, on & taken)
        if self.other:
            self.other.run(w, on & ~taken)


class Rounds:
    """A loop that each lane leaves at its time."""

    def __init__(self, rnd: Random, depth: int) -> None:
        self.shift, self.body = rnd.randint(0, 9), Block(rnd, depth - 1)
        self.skips, self.rest = condition(rnd), Block(rnd, depth - 1) if rnd.random() < 0.4 else None

    def source(self, lanes: str, names: Iterator[int]) -> list[str]:
        """for, break and continue."""
        n = next(names)
        lines = [
            f"{{ unsigned a{n} = {lanes}, n{n} = (r >> {self.shift}) & 3; for (unsigned j{n} = 0;; j{n}++) {{",
            f"bool g{n} = j{n} < n{n}; unsigned b{n} = __ballot_sync(a{n}, g{n}); if (!g{n}) break; a{n} = b{n};",
            *self.body.source(f"a{n}", names),
        ]
        if self.rest:
            lines += [f"bool c{n} = {self.skips[0]}; unsigned d{n} = __ballot_sync(a{n}, !c{n}); if (c{n}) continue;"]
            lines += self.rest.source(f"d{n}", names)
        return [*lines, f"}} __syncwarp({lanes}); }}"]

    def run(self, w: Warp, on: Words) -> None:
        """As often as each lane said at the beginning."""
        times = w.r >> self.shift & 3
        for done in range(3):
            self.body.run(w, on & (times > done))
            if self.rest:
                self.rest.run(w, on & (times > done) & ~self.skips[1](w))


class Cases:
    """A switch; lanes that go the same way know each other by a match."""

    def __init__(self, rnd: Random, depth: int) -> None:
        self.shift, self.bodies = rnd.randint(0, 20), [Block(rnd, depth - 1) for _ in range(3)]

    def source(self, lanes: str, names: Iterator[int]) -> list[str]:
        """Three cases, and a default that does little."""
        n = next(names)
        lines = [
            f"{{ unsigned w{n} = (x >> {self.shift}) & 3, m{n} = __match_any_sync({lanes}, w{n}); switch (w{n}) {{"
        ]
        for k, body in enumerate(self.bodies):
            lines += [f"case {k}: {{", *body.source(f"m{n}", names), "} break;"]
        return [*lines, f"default: r += 5; }} __syncwarp({lanes}); }}"]

    def run(self, w: Warp, on: Words) -> None:
        """Each lane its case."""
        way = w.x >> self.shift & 3
        for k, body in enumerate(self.bodies):
            body.run(w, on & (way == k))
        w.r[on & (way == 3)] += np.uint32(5)


class Program:
    """A kernel of `THREADS` in each of `CTAS`: blocks of statements with barriers of the CTA between them."""

    def __init__(self, rnd: Random, depth: int = 3) -> None:
        self.parts = [
            (Block(rnd, depth), condition(rnd), condition(rnd), rnd.random() < 0.3) for _ in range(rnd.randint(1, 3))
        ]

    def source(self, name: str) -> str:
        """The kernel; `FUNCTION` has to stand before it."""
        names = count()
        lines = [
            f'extern "C" __global__ void {name}(const unsigned *in, unsigned *out) {{',
            f"__shared__ unsigned s[32], e[{THREADS}];",
            f"unsigned t = threadIdx.x, lane = t & 31, i = blockIdx.x * {THREADS} + t, x = in[i], r = x ^ t;",
            "unsigned live = 0xffffffffu;",
            "if (t < 32) s[t] = 0;",
            "__syncthreads();",
        ]
        for body, (text, _), (ends, _), some_end in self.parts:
            lines += body.source("live", names)
            if some_end:
                lines += [f"{{ bool c = {ends}; live = __ballot_sync(live, !c); if (c) {{ out[i] = r; return; }} }}"]
            lines += ["__syncthreads(); r += s[(t * 7) & 31];", f"r += __syncthreads_count({text});"]
        return "\n".join([*lines, "out[i] = r ^ x; }\n"])

    def run(self, data: Words) -> Words:
        """What it leaves in `out`."""
        out = []
        for cta in data.reshape(-1, THREADS):
            shared = np.zeros(32, np.uint32)
            warps = [Warp(LANES + np.uint32(at), cta[at : at + 32], shared) for at in range(0, THREADS, 32)]
            for body, (_, of), (_, ends), some_end in self.parts:
                for w in warps:
                    body.run(w, w.live)
                    if some_end:
                        w.live = w.live & ~ends(w)
                for w in warps:
                    w.r[w.live] += shared[w.t * 7 & 31][w.live]
                total = np.uint32(sum((of(w) & w.live).sum() for w in warps))
                for w in warps:
                    w.r[w.live] += total
            out += [np.where(w.live, w.r ^ w.x, w.r) for w in warps]
        return np.concatenate(out)
