"""The byte code of the modules that compiles import, in one file beside Python's own.

A compile imports some 320 modules of ours, and to look for each, read it and make its code objects is a third of the
smallest one's time. Python's files have one module each; this one has all, each stage's together, so that a name which
a hundred of them have is made once: 25 ms of 170 less. A compile that finds no such file, or imports much that is not
in it, writes it, where Python would write its own; it is used if every source file is what it was, by size and time of
change.
"""

from __future__ import annotations

import marshal
import mmap
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType

_MISSING = 16
"""Modules that are not in the file for which it is written again."""
_ROOT = os.path.dirname(__file__)
_FILE = f"{__spec__.cached}.all"

_Row = tuple[str, int, int, bool, str, int]
"""Source file, its size, when it was changed, whether it is a package; the stage, and which of its modules it is."""


class Finder:
    """What the file has, for Python to import. Stages are offsets behind `start`, and sizes."""

    def __init__(self, file: memoryview, start: int, stages: dict[str, tuple[int, int]], rows: dict[str, _Row]) -> None:
        self.file, self.start, self.stages, self.rows = file, start, stages, rows
        self.codes: dict[str, list[CodeType]] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As `importlib.abc.MetaPathFinder` has it."""
        row = self.rows.get(name)
        if row is None:
            return None
        spec = ModuleSpec(name, _Loader(name, row[0], self), origin=row[0], is_package=row[3])
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(row[0]))
        return spec

    def code(self, name: str) -> CodeType:
        """That of a module."""
        *_, stage, at = self.rows[name]
        if stage not in self.codes:
            offset, size = self.stages[stage]
            self.codes[stage] = marshal.loads(self.file[self.start + offset : self.start + offset + size])
        return self.codes[stage][at]


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, finder: Finder) -> None:
        super().__init__(name, path)
        self.finder = finder

    def get_code(self, fullname: str) -> CodeType:
        return self.finder.code(fullname)


def _key() -> tuple[str, str, int]:
    """What code hangs on beside its source."""
    return sys.version, _ROOT, sys.flags.optimize


def use() -> Finder | None:
    """Import from the file from now on, if there is one that is as the sources are."""
    with suppress(OSError, ValueError, EOFError, TypeError):
        with open(_FILE, "rb") as opened:
            file = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
        start = 8 + int.from_bytes(file[:8])
        key, stages, rows = marshal.loads(file[8:start])
        if key == _key() and all(_as_it_was(row) for row in rows.values()):
            finder = Finder(file, start, stages, rows)
            sys.meta_path.insert(0, finder)
            return finder
    return None


def _as_it_was(row: _Row) -> bool:
    now = os.stat(row[0])
    return now.st_size == row[1] and now.st_mtime_ns == row[2]


def keep(finder: Finder | None) -> None:
    """Write what has been imported, and what was there, where that is worth it and Python may write byte code."""
    known = finder.rows if finder else {}
    loaders = {
        name: module.__loader__
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] == "minicc" and name not in known and type(module.__loader__) is SourceFileLoader
    }
    if len(loaders) < _MISSING or sys.dont_write_bytecode:
        return
    if finder:
        loaders |= {name: _Loader(name, row[0], finder) for name, row in known.items()}
    rows: dict[str, _Row] = {}
    codes: dict[str, list[CodeType]] = {}
    draft = f"{_FILE}.{os.getpid()}"
    with suppress(Exception):  # the compile is done; without the file the next one takes longer
        for name, loader in loaders.items():
            assert isinstance(loader, SourceFileLoader)
            stage = ".".join(name.split(".")[:2])
            of_stage = codes.setdefault(stage, [])
            # Asked before the code, which is newer then, if anything.
            now = os.stat(loader.path)
            rows[name] = loader.path, now.st_size, now.st_mtime_ns, loader.is_package(name), stage, len(of_stage)
            code = loader.get_code(name)
            assert code is not None
            of_stage.append(code)
        written = [marshal.dumps(of_stage) for of_stage in codes.values()]
        ends = [sum(map(len, written[: i + 1])) for i in range(len(written))]
        stages = {stage: (end - len(data), len(data)) for stage, end, data in zip(codes, ends, written, strict=True)}
        head = marshal.dumps((_key(), stages, rows))
        with open(draft, "wb") as file:
            file.writelines([len(head).to_bytes(8), head, *written])
        os.replace(draft, _FILE)
