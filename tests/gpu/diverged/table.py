"""The pieces: lanes that come to a WARPSYNC in three parts, and random ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

from tests.gpu.diverged.pieces import Piece

X, Y, Z = 0x0000000F, 0x00000FF0, 0xFFFFF000
"""Three parts of a warp, which come in this order: of a branch the fewer lanes go first."""
KINDS = ("", ".EXCLUSIVE", ".COLLECTIVE")


def _wanted(own: int, others: tuple[int, int]) -> list[int]:
    return [own | sum(part) for part in ((), others[:1], others[1:], others)]


def _sync(kind: str, at: str) -> list[str]:
    if kind == ".COLLECTIVE":
        return [f"{at}: WARPSYNC.COLLECTIVE R5, C{at}", "note 31", "ENDCOLLECTIVE", f"C{at}: note 30"]
    return [f"{at}: WARPSYNC{kind} R5", "note 30"]


def parts() -> Iterator[tuple[str, Piece]]:
    """X, Y and Z come to one WARPSYNC, with all masks; to three; X before the others; all at once."""
    for kind, masks in product(KINDS, product(_wanted(X, (Y, Z)), _wanted(Y, (X, Z)), _wanted(Z, (X, Y)))):
        set_masks = [
            f"LOP3.LUT R7, R6, {Y:#x}, RZ, 0xc0, !PT", "ISETP.NE.U32.AND P1, PT, R7, RZ, PT", f"MOV R5, {masks[2]:#x}",
            f"@P0 MOV R5, {masks[0]:#x}", f"@P1 MOV R5, {masks[1]:#x}",
        ]  # fmt: skip
        name = "/".join(f"{m:x}" for m in masks)
        three = ["@P0 BRA W", "note 10", "@P1 BRA W", "note 20"]
        yield f"one{kind} {name}", (X, [*set_masks, *three, *_sync(kind, "W")])
        yield f"two{kind} {name}", (X, [*set_masks, *three[:2], *_sync(kind, "W")])
        yield f"all{kind} {name}", (X, [*set_masks, *_sync(kind, "W")])
        apart = ["@P0 BRA W", "note 10", "@P1 BRA V", "note 20", *_sync(kind, "U"), "EXIT", *_sync(kind, "V"), "EXIT"]
        yield f"three{kind} {name}", (X, [*set_masks, *apart, *_sync(kind, "W")])


def _chosen(lanes: int) -> list[str]:
    """P1 is whether it is one of the lanes."""
    return [f"LOP3.LUT R7, R6, {lanes:#x}, RZ, 0xc0, !PT", "ISETP.NE.U32.AND P1, PT, R7, RZ, PT"]


FOURS = [
    (0xFF, 0xFF00, 0xFF0000),
    (0xFF000000, 0xFF0000, 0xFF00),
    (0xFF00, 0xFF, 0xFF000000),
    (0x11111111, 0x22222222, 0x44444444),
    (0x88888888, 0x22222222, 0x11111111),
    (0xF, 0x3F0, 0xFFC00),
    (0x1, 0x90000006, 0x6FF00008),
    (0x00010001, 0x24924924, 0x49244912),
]
"""Three parts of a warp that branches lead away, beside the rest."""


def turns() -> Iterator[tuple[str, Piece]]:
    """Four parts that yield to each other; of which one waits at a WARPSYNC or a BSYNC."""
    for (n, four), what in product(enumerate(FOURS), ("YIELD", "WARPSYNC.ALL", "BSYNC B0", "NANOSLEEP 0x0")):
        for who in range(4 if what != "YIELD" else 1):
            lines = ["BSSY B0, END"] if what == "BSYNC B0" else []
            for k, part in enumerate(four):
                lines += [*_chosen(part), f"@P1 BRA W{k}"]
            lines.append("BRA W3")
            for k in range(4):
                lines.append(f"W{k}: NOP")
                for turn in range(4):
                    own = turn == 1 and k == who
                    lines += [f"note {10 * k + turn + 1}", what if own else "YIELD"]
                    if own and what == "BSYNC B0":
                        break
                lines.append("BRA END")
            yield f"turns {what.replace(' ', '_')} {n} {who}", (0, [*lines, "END: note 50"])


def _collective(mask: str, start: str, end: str, inside: int, behind: int, stall: int = 15) -> list[str]:
    first = f"{start}WARPSYNC.COLLECTIVE{mask} {end}"
    return [first, f"note {inside}", f"ENDCOLLECTIVE ~{stall}", f"{end}: note {behind}"]


def others() -> Iterator[tuple[str, Piece]]:
    """WARPSYNC.ALL, stall counts, collectives of all beside those of a full mask, guards, lanes outside of the mask."""
    come = ["@P0 BRA W", "note 10", "@P1 BRA W", "note 20"]
    y = [*_chosen(Y), "MOV R5, 0xffffffff"]
    for stall in (1, 2, 5, 6, 8, 10, 11, 12, 13, 15):
        end = _collective(" R5,", "W: ", "C", 31, 30, stall)
        yield f"end-stall {stall}", (X, [*y, *come, *end])
        yield f"end-alone {stall}", (X, [*y, "note 10", *end])
        for name, sync, before in (("all", "WARPSYNC.ALL", []), ("mask", "WARPSYNC R5", y)):
            yield f"{name}-stall {stall}", (X, [*y, *come, f"W: {sync} ~{stall}", "note 30"])
            yield f"{name}-alone {stall}", (X, [*before, "note 10", f"W: {sync} ~{stall}", "note 30"])
        sync = f"W: BSYNC B0 ~{stall}"
        lines = ["BSSY B0, E", "@P0 BRA W", "note 10", "YIELD", "note 11", sync, "E: note 30"]
        yield f"sync-stall {stall}", (X, [*y, *lines])
    masks = {"full": " R5,", "all": ".ALL"}
    for first, second in (("full", "all"), ("all", "full")):
        here, there = _collective(masks[second], "", "C", 11, 12), _collective(masks[first], "W: ", "D", 31, 30)
        yield f"{first} and {second}", (X, [*y, "@P0 BRA W", "note 10", *here, "EXIT", *there])
    for kind, groups in product(KINDS[:2], (1, 2, 4, 8, 16, 32)):
        # Lanes k, k + groups, ... have a mask of their own.
        spaced = sum(1 << k for k in range(0, 32, groups))
        which = [f"LOP3.LUT R7, R0, {groups - 1:#x}, RZ, 0xc0, !PT", f"MOV R5, {spaced:#x}", "SHF.L.U32 R5, R5, R7, RZ"]
        turn = ["BSSY B0, E{}", f"WARPSYNC{kind} R5", "NOP", "BSYNC B0"]
        looks = [line.format(n) for n in range(4) for line in [*turn, "E{}: NOP"]]
        yield f"masks{kind} {groups}", (0, [*which, "note 1", *looks, "note 2"])
    for kind in KINDS[:2]:
        sync = f"@P1 WARPSYNC{kind} R5"
        yield f"guarded{kind}", (X, [*y, "MOV R5, 0xff0", sync, "note 30"])
        yield f"guarded other{kind}", (X, [*y, "MOV R5, 0xfff", "@P0 BRA W", "note 10", f"W: {sync}", "note 30"])
        yield f"strangers{kind}", (X, [*y, "MOV R5, 0xf", f"W: WARPSYNC{kind} R5", "note 30"])


class Writer:
    """A random piece."""

    def __init__(self, seed: int) -> None:
        self.rnd = Random(seed)
        self.lines: list[str] = []
        self.names = 0
        self.noted = 0
        self.barrier = 0
        self.kinds = self.rnd.choice([KINDS[:1], KINDS[1:2], KINDS, KINDS[:2]])
        self.mask = self.some()
        self.body(3, 0)

    def some(self) -> int:
        """Lanes."""
        rnd = self.rnd
        return rnd.choice([rnd.getrandbits(32), (1 << rnd.randint(1, 31)) - 1, 0xFF << 8 * rnd.randrange(4),
                           0x01010101 * rnd.randint(1, 254), 1 << rnd.randrange(32)])  # fmt: skip

    def label(self) -> str:
        self.names += 1
        return f"L{self.names}"

    def note(self) -> None:
        self.noted += 1
        self.lines.append(f"note {self.noted}")

    def choose(self, lanes: int) -> None:
        """P1 is whether it is one of the lanes."""
        self.lines += _chosen(lanes)

    def sync(self) -> None:
        """Lanes of two or three masks, most of which name those that have them."""
        rnd = self.rnd
        first, kind = self.some(), rnd.choice(self.kinds)
        masks = [0xFFFFFFFF & ~first, first] if rnd.random() < 0.7 else [self.some() | ~first & 0xFFFFFFFF, 0xFFFFFFFF]
        if rnd.random() < 0.3:
            masks = [0xFFFFFFFF] * 2
        self.choose(first)
        self.lines += [f"MOV R5, {masks[0]:#x}", f"@P1 MOV R5, {masks[1]:#x}"]
        self.lines += ["LOP3.LUT R5, R5, R6, RZ, 0xfc, !PT"]
        if kind == ".COLLECTIVE":
            out = self.label()
            self.lines.append(f"WARPSYNC.COLLECTIVE R5, {out}")
            self.note()
            self.lines += ["ENDCOLLECTIVE", f"{out}: NOP"]
        else:
            self.lines.append(f"WARPSYNC{kind} R5")

    def branch(self, depth: int, loop: int) -> None:
        rnd, other, end = self.rnd, self.label(), self.label()
        around = rnd.random() < 0.6 and self.barrier < 6
        barrier = self.barrier
        if around:
            self.barrier += 1
            self.lines.append(f"BSSY B{barrier}, {end}")
        self.choose(self.some())
        self.lines.append(f"@P1 BRA {other}")
        self.body(depth - 1, loop)
        sync = self.label()
        self.lines += [f"BRA {sync}", f"{other}: NOP"]
        if rnd.random() < 0.6:
            self.body(depth - 1, loop)
        self.lines.append(f"{sync}: " + (f"BSYNC B{barrier}" if around else "NOP"))
        self.lines.append(f"{end}: NOP")
        self.barrier = barrier

    def loop(self, depth: int, loop: int) -> None:
        """Up to three turns."""
        rnd, top, end, count = self.rnd, self.label(), self.label(), f"R{20 + loop}"
        around = rnd.random() < 0.6 and self.barrier < 6
        barrier = self.barrier
        self.lines.append(f"MOV {count}, 0x1")
        for _ in range(2):
            self.choose(self.some())
            self.lines.append(f"@P1 IADD3 {count}, {count}, 0x1, RZ")
        if around:
            self.barrier += 1
            self.lines.append(f"BSSY B{barrier}, {end}")
        self.lines.append(f"{top}: NOP")
        self.body(depth - 1, loop + 1)
        self.lines += [f"IADD3 {count}, {count}, -0x1, RZ", f"ISETP.NE.AND P1, PT, {count}, RZ, PT", f"@P1 BRA {top}"]
        self.lines += [f"BSYNC B{barrier}"] if around else []
        self.lines.append(f"{end}: NOP")
        self.barrier = barrier

    def ending(self) -> None:
        self.choose(self.some() & self.some())
        self.lines.append("@P1 EXIT")

    def body(self, depth: int, loop: int) -> None:
        rnd = self.rnd
        for _ in range(rnd.randint(1, 3)):
            self.note()
            kinds = [self.sync] * 3 + [lambda: self.lines.append("YIELD")] * 2
            kinds += [self.ending] if rnd.random() < 0.2 else []
            if depth:
                kinds += [lambda: self.branch(depth, loop)] * 3
                kinds += [lambda: self.loop(depth, loop)] * (2 if loop < 2 else 0)
            rnd.choice(kinds)()
        self.note()


def random(seed: int) -> Piece:
    """A piece of branches and loops with WARPSYNCs."""
    writer = Writer(seed)
    return writer.mask, writer.lines
