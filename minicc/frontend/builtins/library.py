"""The device library, written in the input language (frontend/lib/*.k).

A file is read when a function of it is first called, and a body is parsed and compiled only if it is reached, so that a
kernel that calls none pays nothing. Large files are not even declared as a whole: `Deferred` finds the few lines that
declare one name.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from minicc import texts
from minicc.diagnostics import SourceFile

if TYPE_CHECKING:
    from minicc.diagnostics import Diagnostics
    from minicc.frontend.options import Options
    from minicc.frontend.tokens import Token

# Names that begin so may be found in these files, without a header.
ALWAYS = (
    ("__v", "video"),
    ("atomicAdd", "atomics"),
    ("atomicCAS", "atomics"),
    ("atomicExch", "atomics"),
    ("__dp", "dot"),
    ("__nv_atomic", "nvatomic"),
    ("__cluster", "cluster"),
    ("__threadfence_cluster", "cluster"),
)
FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "lib")
_ITEM = r"(?m)^(?=[A-Za-z_])"
_NAME = r"\b(operator\W+?|\w+)\s*\("
_WORD = r"(?m)^#define WORD (\w+)$"


def source(name: str) -> SourceFile:
    path = os.path.join(FOLDER, f"{name}.k")
    return SourceFile(path, texts.read(path))


class Deferred:
    """Functions that a header offers, declared one name at a time when the name is first looked up.

    The files' text up to the first line that starts with a letter is a prelude (comments, #define). Each later line
    that starts with a letter begins an item: a function, or an invocation of a prelude's macro whose first argument is
    the name of what it defines. Where the first file's prelude defines WORD, the names of the others are written with
    "half" for it.
    """

    def __init__(self, files: list[str]) -> None:
        self.files = files
        self.prelude: list[SourceFile] = []
        self.items: dict[str, list[SourceFile]] = {}
        self.declared: dict[str, list[object]] = {}
        self.ready: object = None
        word = None
        for file in files:
            text = source(file).text
            if word is not None:
                text = text.replace("half", word[1])
            word = word or re.search(_WORD, text)
            first, *items = re.split(_ITEM, text)
            self.prelude.append(SourceFile(f"<{file}>", first))
            for item in items:
                found = re.search(_NAME, item)
                assert found is not None, item
                name = found[1].replace(" ", "")
                if name.isupper():
                    name = item[found.end() :].partition(",")[0].partition(")")[0].strip()
                self.items.setdefault(name, []).append(SourceFile(f"<{file}>", item))

    def tokens(self, name: str, options: Options, diagnostics: Diagnostics) -> list[Token]:
        """The tokens that declare `name`, one of `items`, without an end; given once (then see `declared`)."""
        items = self.items.pop(name)
        from minicc.frontend.preprocessor import Preprocessor

        pre = self.ready
        if not isinstance(pre, Preprocessor):
            pre = self.ready = Preprocessor(options, diagnostics)
            for text in self.prelude:
                pre.run(text)
        pre.out = []
        for item in items:
            pre.run(item)
            pre.out.pop()
        return pre.out
