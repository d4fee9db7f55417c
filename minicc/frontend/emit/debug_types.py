"""Types as debug metadata: DIBasicType, DIDerivedType, DICompositeType."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minicc.frontend import types as ty
from minicc.frontend.types import VTABLE_POINTER, Type
from minicc.texts import as_bytes

if TYPE_CHECKING:
    from minicc.frontend.emit.module import Module


class DebugTypes:
    """`known` maps a type to its node; a class has its number before its members do, since they may point to it."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.known: dict[int, str] = {}
        self.kept: list[Type] = []
        """So that no other type gets the identity of a known one."""

    def __call__(self, t: Type | None) -> str:
        """The node of a type; null is void."""
        if t is None or (t.kind == "void" and not t.quals):
            return "null"
        if id(t) not in self.known:
            self.kept.append(t)
            made = self._qualified(t) if t.quals and t.kind != "array" else self._bare(t)
            self.known[id(t)] = made
        return self.known[id(t)]

    def subroutine(self, t: Type) -> str:
        types = ", ".join(map(self, (t.elem, *t.params)))
        return self.module.node(f"!DISubroutineType(types: {self.module.node(f'!{{{types}}}')})")

    def _qualified(self, t: Type) -> str:
        made = self(t.bare)
        for quality, tag in ((ty.CONST, "const"), (ty.VOLATILE, "volatile")):
            if t.quals & quality:
                made = self.module.node(f"!DIDerivedType(tag: DW_TAG_{tag}_type, baseType: {made})")
        return made

    def _bare(self, t: Type) -> str:
        node = self.module.node
        if t.kind in ("pointer", "reference"):
            tag = "pointer" if t.kind == "pointer" else "reference"
            return node(f"!DIDerivedType(tag: DW_TAG_{tag}_type, baseType: {self(t.elem)}, size: 64)")
        if t.kind == "function":
            return self.subroutine(t)
        if t.kind == "array":
            return self._array(t)
        if t.kind == "enum":
            return self._enumeration(t)
        if t.kind == "record":
            return self._record(t)
        name, encoding = escape(str(t)), "unsigned"
        if t.kind == "float":
            encoding = "float"
        elif t.kind == "bool":
            encoding = "boolean"
        elif t.kind == "int":
            encoding = ("signed" if t.signed else "unsigned") + ("_char" if t.size == 1 else "")
        return node(f'!DIBasicType(name: "{name}", size: {t.bits}, encoding: DW_ATE_{encoding})')

    def _array(self, t: Type) -> str:
        node, elem = self.module.node, t
        counts: list[str] = []
        while elem.kind == "array" and elem.elem is not None:
            counts.append(node(f"!DISubrange(count: {max(elem.count, 0)})"))
            elem = elem.elem
        bounds = node(f"!{{{', '.join(counts)}}}")
        kind = "!DICompositeType(tag: DW_TAG_array_type"
        return node(f"{kind}, baseType: {self(elem)}, size: {t.bits}, elements: {bounds})")

    def _enumeration(self, t: Type) -> str:
        node = self.module.node
        values = [v for k, v in t.bare.cache.items() if isinstance(k, tuple) and k[0] == "enumerator"]
        unsigned = "" if t.signed else ", isUnsigned: true"
        names = [node(f'!DIEnumerator(name: "{escape(v.name)}", value: {v.count}{unsigned})') for v in values]
        kind = f'!DICompositeType(tag: DW_TAG_enumeration_type, name: "{escape(t.name)}"'
        return node(
            f"{kind}, baseType: {self(t.elem)}, size: {t.bits}, elements: {node('!{' + ', '.join(names) + '}')})"
        )

    def _record(self, t: Type) -> str:
        node, record = self.module.node, t.record
        assert record is not None
        own = self.known[id(t)] = node("")
        members = [
            node(f"!DIDerivedType(tag: DW_TAG_inheritance, scope: {own}, baseType: {self(base)}, offset: {8 * offset})")
            for base, offset in record.bases
        ]
        for field in record.fields[record.inherited :]:
            if field.name == VTABLE_POINTER:
                continue
            at, size, extra = 8 * field.offset, field.type.bits, ""
            if field.bit_width:
                at, size = at + field.bit_offset, field.bit_width
                extra = f", flags: DIFlagBitField, extraData: i64 {8 * field.offset}"
            members.append(
                node(
                    f'!DIDerivedType(tag: DW_TAG_member, name: "{escape(field.name)}", scope: {own}, '
                    f"baseType: {self(field.type)}, size: {size}, offset: {at}{extra})"
                )
            )
        tag = "union" if record.tag == "union" else "structure"
        elements = node(f"!{{{', '.join(members)}}}")
        name = "" if record.name.startswith("(") else escape(record.name)
        self.module.metadata[int(own[1:])] = (
            f'distinct !DICompositeType(tag: DW_TAG_{tag}_type, name: "{name}", size: {t.bits}, elements: {elements})'
        )
        return own


def escape(text: str) -> str:
    """Text within the quotes of LLVM IR."""
    return "".join(
        c if c.isprintable() and c not in '"\\' and ord(c) < 128 else "".join(f"\\{b:02X}" for b in as_bytes(c))
        for c in text
    )
