"""Debug locations: !dbg metadata -> .file table and .loc lines, inlining included."""

from __future__ import annotations

import posixpath

from minicc.nvvm import ir
from minicc.ptx import model as ptx


class Locations:
    """Resolves DILocation nodes of one module. `files` maps .file numbers to paths, in order of first use; `strings`
    the names of inlined functions to labels of the string section."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.files: dict[int, str] = {}
        self.numbers: dict[str, int] = {}
        self.strings: dict[str, str] = {}
        self.cache: dict[int, ptx.Loc | None] = {}
        self.scopes: dict[int, object] = {}
        """The scope of each place, by identity."""
        self.labels = 0
        """How many `$L__tmp` labels there are."""

    def __call__(self, ref: object) -> ptx.Loc | None:
        """The .loc of a !dbg attachment; None for line 0 (no place in the source)."""
        if not isinstance(ref, ir.MdRef):
            return self.make(self.module.node(ref))
        if ref.number not in self.cache:
            node = self.module.node(ref)
            made = self.cache[ref.number] = self.make(node)
            if made is not None and node is not None and made.function_name is None:
                self.scopes[id(made)] = node.fields.get("scope")
        return self.cache[ref.number]

    def make(self, node: ir.Node | None) -> ptx.Loc | None:
        if node is None or node.kind != "DILocation":
            return None
        line = int(node.fields.get("line", 0) or 0)
        column = int(node.fields.get("column", 0) or 0)
        scope = self.module.node(node.fields.get("scope"))
        number = self.file(scope)
        if not line or number is None:
            return None
        at = self.module.node(node.fields.get("inlinedAt"))
        if at is None:
            return ptx.Loc(number, line, column)
        outer = self(node.fields.get("inlinedAt"))
        name = self.function(scope)
        if outer is None or name is None:
            return ptx.Loc(number, line, column)
        return ptx.Loc(number, line, column, self.string(name), (outer.file, outer.line, outer.column), outer)

    def file(self, scope: ir.Node | None) -> int | None:
        if scope is None:
            return None
        node = scope if scope.kind == "DIFile" else self.module.node(scope.fields.get("file"))
        if node is None or node.kind != "DIFile":
            return None
        name = str(node.fields.get("filename", ""))
        directory = str(node.fields.get("directory", ""))
        path = name if name.startswith("/") or not directory else posixpath.join(directory, name)
        if path not in self.numbers:
            self.numbers[path] = len(self.numbers) + 1
            self.files[self.numbers[path]] = path
        return self.numbers[path]

    def function(self, scope: ir.Node | None) -> str | None:
        while scope is not None and scope.kind != "DISubprogram":
            scope = self.module.node(scope.fields.get("scope"))
        if scope is None:
            return None
        return str(scope.fields.get("linkageName") or scope.fields.get("name") or "")

    def string(self, name: str) -> str:
        if name not in self.strings:
            self.strings[name] = f"$L__info_string{len(self.strings)}"
        return self.strings[name]

    def sections(self) -> list[str]:
        """The string section that `function_name` labels point into."""
        if not self.strings:
            return []
        lines = [".section .debug_str", "{"]
        for name, label in self.strings.items():
            lines.append(f"{label}:")
            data = ",".join(str(byte) for byte in (*name.encode(), 0))
            lines.append(f".b8 {data}")
        lines.append("}")
        return ["\n".join(lines)]
