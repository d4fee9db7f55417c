"""Static libraries as `ar` writes them: the members' names and bytes.

A file begins with `!<arch>` and a newline. Each member has a header of 60 bytes (name, date, two owners, mode, size,
all text padded with blanks, and a mark), then its bytes, then one more if they are odd in number. A name ends in `/`;
`/` and a number is an offset into the member called `//`; `/` and `/SYM64/` are indices of symbols. BSD's `#1/` and a
number say that the name stands before the bytes, so many of them. Source: the System V and BSD layouts of ar(5).
"""

from __future__ import annotations

from minicc.binary.data import Data

MAGIC = b"!<arch>\n"
_HEADER = 60
_MARK = b"`\n"


def members(data: bytes, name: str) -> list[tuple[str, bytes]]:
    """(name, bytes) of each member that is a file, in order; `CompileError` with the byte offset for anything else."""
    view = Data.of(data, name)
    at, names = len(MAGIC), b""
    found: list[tuple[str, bytes]] = []
    while at < len(view):
        head = view.bytes(at, _HEADER, "member's header")
        size = _number(view, at + 48, head[48:58])
        if head[58:] != _MARK:
            view.bad(at + 58, "no mark ends the member's header")
        body = view.bytes(at + _HEADER, size, "member")
        label = head[:16].rstrip()
        if label == b"//":
            names = body
        elif label not in (b"/", b"/SYM64/"):
            if label.startswith(b"#1/"):
                length = _number(view, at + 3, label[3:])
                label, body = body[:length].rstrip(b"\0"), body[length:]
            elif label.startswith(b"/"):
                label = names[_number(view, at + 1, label[1:]) :].partition(b"\n")[0]
            found.append((label.removesuffix(b"/").decode("utf-8", "backslashreplace"), body))
        at += _HEADER + size + size % 2
    return found


def _number(view: Data, at: int, text: bytes) -> int:
    digits = text.strip()
    if not digits.isdigit():
        view.bad(at, "a number is expected in the member's header")
    return int(digits)
