"""Code addresses that stand for functions which the driver, not the program, provides.

The driver puts them wherever a relocation or a slot of constant bank 4 names the symbol; the SM model recognises a call
to one of them and does the work itself.
"""

from __future__ import annotations

ADDRESSES = {
    "vprintf": 0x7E0000000010,
    "__assertfail": 0x7E0000000020,
    "malloc": 0x7E0000000030,
    "free": 0x7E0000000040,
}
NOWHERE = 0x7E0000001000
"""Where functions are that are not provided: who jumps there ends in a fault."""
GRAPHS = "cudaGraph"
"""How names of functions begin with which device code changes the graph that it is in. A program that has them can be
loaded; only who calls one fails."""
