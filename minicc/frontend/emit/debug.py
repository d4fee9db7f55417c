"""Line tables and, with -G, nothing more yet: DISubprogram and DILocation metadata."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import attrs

from minicc.frontend import ast
from minicc.frontend.tokens import Token

if TYPE_CHECKING:
    from minicc.frontend.emit.module import Module


@attrs.define(eq=False, repr=False)
class DebugInfo:
    """`scopes` maps a function to its DISubprogram; locations are shared per (line, column, scope)."""

    module: Module
    kind: str
    unit: str = ""
    empty: str = ""
    files: dict[str, str] = attrs.field(factory=dict)
    locations: dict[tuple[int, int, str], str] = attrs.field(factory=dict)

    def start(self, name: str) -> None:
        file = self.file(name)
        kind = "DebugDirectivesOnly" if self.kind == "lineinfo" else "FullDebug"
        self.unit = self.module.node(
            f'distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: {file}, producer: "minicc", '
            f"isOptimized: {'true' if self.kind == 'lineinfo' else 'false'}, runtimeVersion: 0, emissionKind: {kind})"
        )
        types = self.module.node("!{}")
        self.empty = self.module.node(f"!DISubroutineType(types: {types})")

    def file(self, name: str) -> str:
        known = self.files.get(name)
        if known is None:
            path = PurePath(name)
            folder = str(path.parent) if path.is_absolute() else ""
            base = path.name if path.is_absolute() else name
            known = self.files[name] = self.module.node(
                f'!DIFile(filename: "{_escape(base)}", directory: "{_escape(folder)}")'
            )
        return known

    def subprogram(self, f: ast.Function, symbol: str) -> str:
        line, _ = f.at.source.position(f.at.start)
        file = self.file(f.at.source.name)
        body = f.body.at if f.body is not None else f.at
        scope_line, _ = body.source.position(body.start)
        return self.module.node(
            f'distinct !DISubprogram(name: "{_escape(f.name)}", linkageName: "{_escape(symbol)}", scope: {file}, file: {file}, '  # noqa: E501
            f"line: {line}, type: {self.empty}, scopeLine: {scope_line}, flags: DIFlagPrototyped, "
            f"spFlags: DISPFlagDefinition{' | DISPFlagOptimized' if self.kind == 'lineinfo' else ''}, unit: {self.unit})"  # noqa: E501
        )

    def location(self, at: Token, scope: str) -> str:
        line, column = at.source.position(at.start)
        key = (line, column, scope)
        known = self.locations.get(key)
        if known is None:
            known = self.locations[key] = self.module.node(
                f"!DILocation(line: {line}, column: {column}, scope: {scope})"
            )
        return known

    def finish(self) -> list[str]:
        version = self.module.node('!{i32 2, !"Debug Info Version", i32 3}')
        dwarf = self.module.node('!{i32 2, !"Dwarf Version", i32 2}')
        return [f"!llvm.dbg.cu = !{{{self.unit}}}", f"!llvm.module.flags = !{{{dwarf}, {version}}}", ""]


def _escape(text: str) -> str:
    return "".join(
        c
        if c.isprintable() and c not in '"\\' and ord(c) < 128
        else "".join(f"\\{b:02X}" for b in c.encode("utf-8", "surrogateescape"))
        for c in text
    )
