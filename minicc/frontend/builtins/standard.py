"""The C++ library's part that device code uses: headers of our own, read when one of their names is first looked up.

Of what only the host uses, `host.h` declares the containers that launches take their types from; streams stay unknown.
"""

from __future__ import annotations

import functools
import os
import re

from minicc import texts
from minicc.diagnostics import SourceFile

FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "include", "std")
_FILES = ("traits", "limits", "utility", "functional", "array", "tuple", "complex", "device_ptr", "concepts", "compare",
          "optional", "span", "bit", "integers", "algorithms", "sequences", "iterators", "initializer_list", "numbers",
          "numeric", "variant", "memory", "expected", "bitset", "mdspan", "ratio",
          "chrono", "random", "host")  # fmt: skip
_DECLARED = (
    r"^(?:template <[^{;]*?> )?(?:inline |constexpr |__device__ |const )*"
    r"(?:struct|enum class|enum|using|bool|size_t|concept|nullopt_t|__ignore_t|__policy|namespace(?! std)) (\w+)"
    r"|^typedef .*?(\w+);"
    r"|^(?:template <.*?> )?__host__ (?:__device__ )?(?:constexpr )?.*?\b(operator\W+?|(?!decltype\b)\w+)\("
)
HIDDEN = frozenset(("min", "max", "abs", "exp", "log", "sqrt"))
"""Names that a using directive for std does not bring in: device code means CUDA's own by them."""


FOR_STD = frozenset(_FILES) - {"random"}
"""Of Thrust's random numbers std has nothing: there the host's names stand."""


@functools.cache
def names() -> dict[str, tuple[str, ...]]:
    """Name to the files that declare it."""
    out: dict[str, tuple[str, ...]] = {}
    for file in _FILES:
        for match in re.finditer(_DECLARED, source(file).text, re.M):
            name = match[1] or match[2] or match[3]
            if file not in out.get(name, ()):
                out[name] = (*out.get(name, ()), file)
    return out


NEEDS: dict[str, tuple[str, ...]] = {
    "limits": (), "traits": (), "utility": ("traits", "limits"), "functional": ("traits",), "array": (),
    "concepts": ("traits",),
    "compare": ("traits", "utility"),
    "tuple": ("traits", "utility", "array"), "complex": (), "device_ptr": (), "runtime": (), "texture": (),
    "driver": (), "c_types": (),
    "optional": ("traits",), "span": ("traits", "array"), "bit": (), "integers": ("traits", "bit"),
    "algorithms": ("functional", "iterators"), "sequences": ("functional", "utility"),
    "iterators": ("traits", "utility"), "numbers": (), "numeric": ("traits",), "variant": ("traits",),
    "memory": (), "expected": (),
    "bitset": ("bit",), "mdspan": ("traits", "utility", "array"),
    "ratio": ("traits",), "chrono": ("traits", "limits", "ratio"), "random": (),
    "host": ("utility", "device_ptr", "initializer_list"), "initializer_list": (),
}  # fmt: skip


def source(file: str) -> SourceFile:
    path = os.path.join(FOLDER, f"{file}.h")
    return SourceFile(path, texts.read(path))
