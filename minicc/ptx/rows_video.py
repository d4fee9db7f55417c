"""Rows of `isa` for video instructions. Source: PTX ISA 9.0, "Video Instructions"; ptxas 13.0 was asked where it is
silent."""

from __future__ import annotations

from collections.abc import Iterator

_COMPARE = "(eq/ne/lt/le/gt/ge)"
_THREE = "T:u32,s32 S:u32,s32 U:u32,s32"


def rows() -> Iterator[str]:
    """All of them, in the notation of `isa`."""
    for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        yield from _scalar(name, f"sat? {_THREE}")
    for name in ("vshl", "vshr"):
        yield from _scalar(name, "sat? T:u32,s32 S:u32,s32 U:u32 (clamp/wrap)")
    yield from _scalar("vset", f"T:u32,s32 S:u32,s32 {_COMPARE}")
    for signs in ("y:u32 y:u32", "-y:u32 -y:u32"):  # either the product is negated, or the addend
        yield f"vmad | {_THREE} sat? po? (shr7/shr15)? | d:u32 {signs} a:u32"
        yield f"vmad | {_THREE} sat? (shr7/shr15)? | d:u32 {signs} -a:u32"
    for signs in ("-y:u32 y:u32", "y:u32 -y:u32"):
        yield f"vmad | {_THREE} sat? (shr7/shr15)? | d:u32 {signs} a:u32"
    for lanes in "24":
        operands = f"d{lanes}:u32 y{lanes}:u32 y{lanes}:u32 g:u32"
        for name in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
            yield f"{name}{lanes} | {_THREE} (sat/add)? | {operands}"
        yield f"vset{lanes} | T:u32,s32 S:u32,s32 {_COMPARE} add? | {operands}"


def _scalar(name: str, modifiers: str) -> Iterator[str]:
    yield f"{name} | {modifiers} | d:u32 y:u32 y:u32"
    yield f"{name} | {modifiers} | d1:u32 y:u32 y:u32 a:u32"
    yield f"{name} | {modifiers} (add/min/max) | d:u32 y:u32 y:u32 a:u32"
