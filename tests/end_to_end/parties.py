"""Random kernels of one warp whose lanes form groups by themselves, in the branches, loops and exits of `lanes`.

Groups of lanes that hold equal words (a match, a loop over the words that are there, which lanes leave when it is their
turn), those that happen to be together (__activemask, coalesced_threads, parts of these by label) and tiles of the
whole warp. Who is together is not said by CUDA: of such groups only what is the same however the lanes are divided
counts, sums in memory and the numbers of tickets.
"""

from __future__ import annotations

from random import Random

import numpy as np

from tests.end_to_end.divergence import LANES, Leaf, Warp, Words
from tests.end_to_end.lanes import Draws, Lanes, Program

KEYS = 8
HEAD = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
"""
SUMS, TICKETS, NUMBERS = 0, 32, 64
"""Where in `sums` the sums by group are, how many tickets were given for each key, the sum of their numbers."""


class Party(Lanes):
    """Lanes, and the words that all of them add to (`shared`)."""

    def __init__(self, given: Words, x: Words) -> None:
        super().__init__(given, x)
        self.shared = np.zeros(96, np.uint32)


def _sums(on: Words, keys: Words, words: Words) -> Words:
    """For each lane the sum of the words of those with its key."""
    return np.array([words[on & (keys == key)].sum(dtype=np.uint32) for key in keys], np.uint32)


def party(rnd: Random) -> Leaf:
    """An operation of groups."""
    shift, some, k = rnd.randrange(28), rnd.choice([1, 3, 7]), rnd.randrange(32)
    sleep = rnd.choice(["", "", f"__nanosleep({rnd.choice([0, 20, 100])}); "])
    key = f"(r >> {shift}) & {some}"

    def keys(w: Warp) -> Words:
        return w.r >> shift & some

    def unique(w: Warp, on: Words) -> None:
        w.r[on] += _sums(on, keys(w), w.x)[on]

    def turns(w: Warp, on: Words) -> None:
        mine, got = keys(w), np.zeros(32, np.uint32)
        last = np.array([int(np.flatnonzero(on & (mine == own))[-1]) if (on & (mine == own)).any() else 0
                         for own in mine])  # fmt: skip
        for j in range(some + 1):
            got = np.where(j <= mine, got * 3 + w.x[last] + np.uint32(j), got)
        w.r[on] ^= got[on].astype(np.uint32)

    def tickets(w: Warp, on: Words) -> None:
        np.add.at(w.shared, TICKETS + keys(w)[on], np.uint32(1))

    def total(w: Warp, on: Words) -> None:
        np.add.at(w.shared, np.full(on.sum(), k), w.x[on])

    def labelled(w: Warp, on: Words) -> None:
        np.add.at(w.shared, keys(w)[on], w.x[on])

    def elected(w: Warp, on: Words) -> None:
        np.add.at(w.shared, np.full(on.sum(), k), np.uint32(1))

    own = f"unsigned k = {key}, p = __match_any_sync($, k), got = 0;"
    also = f"unsigned k = {key}, p = __match_any_sync(__activemask(), k), first = __ffs(p) - 1, n = 0;"
    found = "__shfl_sync(todo, k, __ffs(todo) - 1)"
    every = found.replace("(todo,", "($,")
    number = "n = __shfl_sync(p, n, first) + __popc(p & ((1u << lane) - 1));"
    together = "auto g = cg::coalesced_threads();"
    sum_of_g = "unsigned n = cg::reduce(g, x, cg::plus<unsigned>()); if (!g.thread_rank())"
    return rnd.choice([
        Leaf(
            f"{{ unsigned k = {key}, todo = $, got = 0; while (todo) {{ unsigned of = {every}, same = __ballot_sync($, "
            f"k == of); {sleep}if (k == of) got = __reduce_add_sync(same, x); todo &= ~same; }} r += got; }}",
            unique,
        ),
        Leaf(
            f"{{ unsigned k = {key}, todo = $, got; for (;;) {{ unsigned of = {found}, same = __ballot_sync(todo, "
            f"k == of); {sleep}if (k == of) {{ got = __reduce_add_sync(same, x); break; }} todo &= ~same; }} "
            "r += got; }",
            unique,
        ),
        Leaf(
            f"{{ {own} for (unsigned left = p; left; left &= left - 1) {{ {sleep}got += __shfl_sync(p, x, "
            "__ffs(left) - 1); } r += got; }",
            unique,
        ),
        Leaf(
            f"{{ {own} for (unsigned j = 0; j <= k; j++) {{ {sleep}got = got * 3 + __shfl_sync(p, x + j, "
            "31 - __clz(p)); } r ^= got; }",
            turns,
        ),
        Leaf(
            f"{{ {also} if (lane == first) n = "
            f"atomicAdd(&sums[{TICKETS} + k], __popc(p)); {sleep}{number} atomicAdd(&sums[{NUMBERS} + k], n); }}",
            tickets,
        ),
        Leaf(f"{{ {together} {sleep}{sum_of_g} atomicAdd(&sums[{k}], n); }}", total),
        Leaf(
            f"{{ {together} unsigned n = 0; for (unsigned j = 0; j < g.size(); j++) {{ {sleep}n += g.shfl(x, j); }} "
            f"g.sync(); if (!g.thread_rank()) atomicAdd(&sums[{k}], n); }}",
            total,
        ),
        Leaf(
            f"{{ unsigned k = {key}; auto g = cg::labeled_partition(cg::coalesced_threads(), k); {sleep}{sum_of_g} "
            "atomicAdd(&sums[k], n); }",
            labelled,
        ),
        Leaf(
            f"{{ {together} auto h = cg::binary_partition(g, {key}); {sleep}if (!h.thread_rank()) "
            f"atomicAdd(&sums[{k}], h.size()); }}",
            elected,
        ),
    ])  # fmt: skip


def tiled(rnd: Random) -> Leaf:
    """An operation of tiles, of the whole warp."""
    size, shift, some = rnd.choice([2, 4, 8, 16, 32]), rnd.randrange(28), rnd.choice([1, 3])
    sleep = rnd.choice(["", "__nanosleep(20); "])

    def run(w: Warp, on: Words) -> None:
        first = LANES & ~np.uint32(size - 1)
        for j in range(some):
            within = j < (w.x[first] >> shift & some)
            sums = w.r.reshape(-1, size).sum(1, dtype=np.uint32).repeat(size)
            odd = (w.r & 1).reshape(-1, size).any(1).repeat(size)
            got = np.where(odd, sums, w.r[LANES ^ np.uint32(1)] + np.uint32(j))
            w.r[within] = (w.r * np.uint32(3) + got)[within]

    return Leaf(
        f"{{ auto tile = cg::tiled_partition<{size}>(cg::this_thread_block()); unsigned n = tile.shfl(x, 0) >> {shift} "
        f"& {some}; for (unsigned j = 0; j < n; j++) {{ {sleep}unsigned got = tile.any(r & 1) ? cg::reduce(tile, r, "
        "cg::plus<unsigned>()) : tile.shfl_xor(r, 1) + j; r = r * 3 + got; } }",
        run,
    )


class Parties(Draws):
    """Half of the operations are groups'."""

    def operation(self) -> Leaf:
        """One of either kind."""
        return party(self) if self.random() < 0.5 else super().operation()


class Gathering(Program):
    """A kernel of one warp."""

    def __init__(self, seed: int, depth: int = 3) -> None:
        super().__init__(seed, depth, Parties)
        self.first = [tiled(self.rnd) for _ in range(self.rnd.choice([0, 1, 2]))]

    def source(self, name: str) -> str:
        """The kernel, and what it calls."""
        text = super().source(name).replace("unsigned *out)", "unsigned *sums, unsigned *out)")
        # What a lane adds to a shared word is added to a sum, which can be looked at.
        text = text.replace("__shared__ unsigned s[32], e[32];", "__shared__ unsigned e[32]; unsigned *s = sums;")
        return HEAD + text.replace("s[t] = 0; ", "")

    def play(self) -> tuple[Words, Words, Words, Words]:
        """Words for `in`, the masks by turn and lane, and what it leaves in `sums` and in `out`."""
        data, masks, w = self.trace(Party)
        tickets = w.shared[TICKETS : TICKETS + KEYS]
        w.shared[NUMBERS : NUMBERS + KEYS] = tickets * (tickets - np.uint32(1)) // np.uint32(2)
        return data, masks, w.shared, w.r ^ w.x
