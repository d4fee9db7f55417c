"""Of two sides that meet again the short one comes first, whatever the condition; one that divides is never short."""

from __future__ import annotations

import pytest

from minicc.isel.order import layout
from minicc.nvvm import read
from tests.isel.run_ptx import kernel

LONG = "%l0 = xor i64 %x, 5\n  %l1 = mul i64 %l0, %x\n  %l = add i64 %l1, 77"
BODY = """entry:
  %x = load i64, ptr %in
  %c = icmp sgt i64 %x, 9
  br i1 %c, label %{yes}, label %{no}
long:
  {long}
  br label %join
short:
  {short}
  br label %join
join:
  %r = phi i64 [ %l, %long ], [ %s, %short ]
  store i64 %r, ptr %out
  br label %end"""


@pytest.mark.parametrize(("yes", "no"), [("long", "short"), ("short", "long")])
@pytest.mark.parametrize(
    ("short", "first"),
    [("%s = add i64 %x, 1", "short"), ("%s = udiv i64 %x, 7", None), (LONG.replace("%l", "%s"), None)],
)
def test_short_side(yes: str, no: str, short: str, first: str | None) -> None:
    blocks = layout(read(kernel(BODY.format(yes=yes, no=no, long=LONG, short=short))).functions["k"])
    assert blocks[1].name == (first or yes)
