"""Where errors of PTX point: at the name that is not known, at the target that is too new."""

from __future__ import annotations

import pytest

from minicc import arch, ptx
from minicc.diagnostics import SourceFile
from minicc.ptx.verify import verify

TEXT = """.version {version}
.target sm_90
.address_size 64
.visible .entry f()
{{
    .reg .b32 %r<3>;
    {line}
    ret;
}}
"""


@pytest.mark.parametrize(
    ("line", "marked", "message"),
    [
        ("mov.b32 %r1, <%r10>;", "%r10", "Unknown symbol"),
        ("mov.b32 <%r9>, %r1;", "%r9", "Unknown symbol"),
        ("@<%p> mov.b32 %r1, %r2;", "%p", "Unknown symbol"),
        ("ld.shared.b32 %r1, [<%r>+4];", "%r", "Unknown symbol"),
        ("bra <L>;", "L", "Unknown symbol"),
        ("<foo.b32 %nothing, L;>", "foo.b32 %nothing, L;", "Not a name of any known instruction: 'foo'"),
    ],
)
def test_an_unknown_name_is_marked(line: str, marked: str, message: str) -> None:
    source = SourceFile("t.ptx", TEXT.format(version="8.0", line=line.replace("<", "").replace(">", "")))
    found = verify(ptx.parse(source), arch.get("sm_90"))
    assert len(found) == 1 and message in found[0].message and found[0].where is not None
    assert source.text[found[0].where.start : found[0].where.end] == marked
    assert source.position(found[0].where.start) == (7, 5 + line.index("<"))


def test_a_target_that_is_too_new_is_marked() -> None:
    found = verify(ptx.parse(SourceFile("t.ptx", TEXT.format(version="7.0", line=""))), arch.get("sm_90"))
    assert [str(d.where) for d in found] == ["t.ptx:2:9"]
