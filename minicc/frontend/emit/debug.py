"""Line tables, and with -G what variables there are, and where: DISubprogram, DILocation, DILocalVariable ..."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING

from minicc.frontend import ast
from minicc.frontend.emit.debug_types import DebugTypes, escape
from minicc.frontend.tokens import Token
from minicc.frontend.types import Type

if TYPE_CHECKING:
    from minicc.frontend.emit.module import Module


class DebugInfo:
    """`scopes` maps a function to its DISubprogram; locations are shared per (line, column, scope)."""

    def __init__(self, module: Module, kind: str) -> None:
        self.module, self.kind = module, kind
        self.unit = ""
        self.empty = ""
        self.files: dict[str, str] = {}
        self.locations: dict[tuple[int, int, str], str] = {}
        self.within: dict[str, str] = {}
        """The file that a scope's lines are of."""
        self.elsewhere: dict[tuple[str, str], str] = {}
        """By scope and file, the scope of what is of that file within it."""
        self.types: DebugTypes = DebugTypes(module)

    @property
    def full(self) -> bool:
        """-G: variables, too."""
        return self.kind == "full"

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
            folder = str(path.parent) if path.is_absolute() else os.getcwd() if self.full else ""
            base = path.name if path.is_absolute() else name
            known = self.files[name] = self.module.node(
                f'!DIFile(filename: "{escape(base)}", directory: "{escape(folder)}")'
            )
        return known

    def subprogram(self, f: ast.Function, symbol: str) -> str:
        name, line, _ = f.at.source.presumed(f.at.start)
        file = self.file(name)
        body = f.body.at if f.body is not None else f.at
        _, scope_line, _ = body.source.presumed(body.start)
        kind = self.types.subroutine(f.type) if self.full else self.empty
        optimised = "" if self.full else " | DISPFlagOptimized"
        return self.scope(
            name,
            f'distinct !DISubprogram(name: "{escape(f.name)}", linkageName: "{escape(symbol)}", scope: {file}, file: {file}, '  # noqa: E501
            f"line: {line}, type: {kind}, scopeLine: {scope_line}, flags: DIFlagPrototyped, "
            f"spFlags: DISPFlagDefinition{optimised}, unit: {self.unit})",
        )

    def scope(self, file: str, text: str) -> str:
        """The node of a scope whose lines are of `file`."""
        node = self.module.node(text)
        self.within[node] = file
        return node

    def block(self, at: Token, scope: str) -> str:
        """A block that declares something, in another or in a function."""
        name, line, column = at.source.presumed(at.start)
        text = f"scope: {scope}, file: {self.file(name)}, line: {line}, column: {column}"
        return self.scope(name, f"distinct !DILexicalBlock({text})")

    def local(self, v: ast.Variable, t: Type, slot: str, scope: str, number: int = 0) -> str:
        """The record that says that a local variable, or parameter `number`, lies at `slot` from here on."""
        file, line, _ = v.at.source.presumed(v.at.start)
        argument = f"arg: {number}, " if number else ""
        implicit = ", flags: DIFlagArtificial | DIFlagObjectPointer" if v.name == "this" else ""
        node = self.module.node(
            f'!DILocalVariable(name: "{escape(v.name)}", {argument}scope: {scope}, '
            f"file: {self.file(file)}, line: {line}, type: {self.types(t)}{implicit})"
        )
        return f"  #dbg_declare(ptr {slot}, {node}, !DIExpression(), {self.location(v.at, scope)})"

    def static(self, v: ast.Variable, symbol: str, scope: str) -> str:
        """The attachment that describes a variable with static storage; `scope`: the function it is local to, or ''."""
        file, line, _ = v.at.source.presumed(v.at.start)
        node = self.module.node(
            f'distinct !DIGlobalVariable(name: "{escape(v.name)}", linkageName: "{escape(symbol)}", '
            f"scope: {scope or self.unit}, file: {self.file(file)}, line: {line}, "
            f"type: {self.types(v.type)}, isLocal: {str(bool(scope)).lower()}, isDefinition: true)"
        )
        return f", !dbg {self.module.node(f'!DIGlobalVariableExpression(var: {node}, expr: !DIExpression())')}"

    def location(self, at: Token, scope: str) -> str:
        file, line, column = at.source.presumed(at.start)
        if self.within.get(scope, file) != file:  # #include or #line within a function
            scope = self.elsewhere.get((scope, file)) or self.elsewhere.setdefault(
                (scope, file),
                self.scope(file, f"!DILexicalBlockFile(scope: {scope}, file: {self.file(file)}, discriminator: 0)"),
            )
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
