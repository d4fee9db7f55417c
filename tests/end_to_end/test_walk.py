"""docs/walk.md and the other pages that show commands: what they show is what the commands print."""

from __future__ import annotations

import re

import pytest

from tests import pages

DOCS = pages.ROOT / "docs"


@pytest.mark.parametrize("name", ["walk.md", "classic.md", "prof.md"])
def test_the_page_shows_what_its_commands_print(name: str) -> None:
    shown = (DOCS / name).read_text()
    assert pages.refresh(shown) == shown, f"python -m tests.pages docs/{name} renews it"


def test_the_diagram_is_of_what_the_walk_shows() -> None:
    page = (DOCS / "walk.md").read_text()
    diagram, walk = page.split("## 1.", 1)
    labels = [line[15:].strip() for line in diagram.splitlines() if re.match(r"    (frontend|PTX|bits)  ", line)]
    assert len(labels) == 3
    assert all(label in re.sub(r"\s+", " ", walk) for label in labels)


def test_an_output_that_is_not_so_is_renewed() -> None:
    page = "Text.\n\n```\n$ echo one\ntwo\n```\n\n```\n>>> 1 + 1\n3\n```\n\n```python\n>>> 4\n```\n"
    assert pages.refresh(page) == page.replace("two", "one").replace("3", "2")


def test_a_command_that_fails_is_named() -> None:
    with pytest.raises(RuntimeError, match="\\$ false: exit status 1"):
        pages.refresh("```\n$ false\n```\n")
