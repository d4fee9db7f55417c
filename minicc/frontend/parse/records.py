"""struct, class, union and enum: names, bodies, bases, enumerators."""

from __future__ import annotations

from collections.abc import Callable

from minicc.diagnostics import SourceFile
from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.members import Members
from minicc.frontend.parse.specifiers import Specifiers
from minicc.frontend.sema import arithmetic, virtuals
from minicc.frontend.sema.access import Section
from minicc.frontend.sema.layout import Layout
from minicc.frontend.sema.wellformed import takes_nothing, undefaultable
from minicc.frontend.tokens import EOF, IDENT, STRING, Token
from minicc.frontend.types import VTABLE_POINTER, Field, Record, Type


class Records(Members):
    packing: dict[SourceFile, bool]
    """Whether a source says anywhere that something is packed."""

    def tagged(self, specs: Specifiers) -> Type:
        tag = self.take()
        if tag.text == "enum":
            return self._enum(specs, tag) if self.peek().text != "::" else self.simple_type()
        align = 0
        self.attributes()
        while self.token.text in ("__align__", "alignas", "__attribute__", "__device_builtin__"):
            holder = Specifiers(tag)
            self._specifier(holder, self.token)
            align = max(align, holder.align)
            self.attributes()
        if self.token.kind == IDENT and self.peek().text == "::":
            return self._qualified_tag(specs, tag, align)
        return self._named_tag(specs, tag, align)

    def _qualified_tag(self, specs: Specifiers, tag: Token, align: int) -> Type:
        """`struct Outer::Inner`: a definition, in Outer's scope, or a type that is known."""
        last = self.i
        while self.tokens[last + 1].text == "::" and self.tokens[last + 2].kind == IDENT:
            last += 2
        if self.tokens[last + 1].text not in ("{", ":", "final"):
            return self.simple_type()
        outer = self.scope
        try:
            while self.i < last:
                name = self.identifier()
                found = self.lookup_qualifier(name) if self.scope is outer else self.find_in(self.scope, name.text)
                inner = found.record.scope if isinstance(found, Type) and found.record is not None else found
                if not isinstance(inner, ast.Scope):
                    self.fail(f"'{name.text}' is not a class, namespace, or enumeration", name)
                self.scope = inner
                self.expect("::")
            return self._named_tag(specs, tag, align)
        finally:
            self.scope = outer

    def _named_tag(self, specs: Specifiers, tag: Token, align: int) -> Type:
        name = self.identifier() if self.token.kind == IDENT else None
        specs.defined = self.at("{") or self.at(":") or self.at(";")
        defining = self.at("{") or self.at(":") or self.at("final")
        if name is None:
            if not defining:
                self.fail(f"declaration of anonymous {tag.text} must be a definition", tag)
            return self._body(self._new_record(tag, ""), tag, align)
        if not defining:
            known = self.scope.tags.get(name.text, self.scope.names.get(name.text))
            found = known if self.at(";") else self.lookup_tag(name.text)
            if found is None and self.scope.parent is None:
                found = self.builtin(name.text)  # `struct float4;`
            if isinstance(found, ast.ClassTemplate):
                return self.type_entity(self.template_id(found, name), name)
            if isinstance(found, Type):
                return found
            made = self._new_record(tag, name.text)
            self.scope.names[name.text] = made
            owner = self.scope.record
            return self.declared_class(made, name) if owner is not None and owner.template is not None else made
        found = self.scope.names.get(name.text)
        if isinstance(found, Type) and found.record is not None and not found.record.complete:
            made = found
            if type(found.record) is ty.UnreadRecord:
                self._give_scope(ty.begin_reading(made), made, name.text)
            # `class A; struct A {`: the definition's word says how its members begin.
            found.record.tag = tag.text
        elif isinstance(found, Type):
            self.fail(f"redefinition of '{name.text}'", name, code="frontend.redefinition")
        else:
            made = self._new_record(tag, name.text)
            self.scope.names[name.text] = made
        if self.scope.record is not None and self._in_template(self.scope.record):
            return self._later(made, name, align)
        inner = made.record.scope if made.record is not None else None
        try:
            return self._body(made, name, align)
        except Abandon:
            if self.quiet and inner is not None:
                # It may be read again.
                ty.begin_reading(made).scope = inner
                inner.names = {name.text: made}
            raise

    def _later(self, made: Type, name: Token, align: int) -> Type:
        """The class at the cursor, a member of a template's instance, which is read when it is needed."""
        start = self.i
        while not self.at("{") and self.token.kind != EOF:
            self.i += 1
        self.skip_balanced()
        scope, inner = self.scope, made.record.scope if made.record is not None else None
        tokens = [*self.tokens[start : self.i], Token(EOF, "", name.source, name.start)]

        def begin() -> bool:
            ty.begin_reading(made).scope = inner
            self.tokens, self.scope = tokens, scope
            return True

        return self.put_off_body(made, name, align, begin)

    def put_off_body(self, made: Type, name: Token, align: int, begin: Callable[[], bool]) -> Type:
        """`made`, whose body is read when it is needed: `begin` goes before it, and says whether there is one."""
        inner = made.record.scope if made.record is not None else None

        def read() -> bool:
            if not begin():
                return False
            try:
                self._body(made, name, align)
            except Abandon:
                if self.quiet and inner is not None:
                    inner.names = {name.text: made}
                    ty.put_off(made, reader)
                raise
            return True

        def reader() -> bool:
            return self.apart(read)

        return ty.put_off(made, reader)

    def _new_record(self, tag: Token, name: str) -> Type:
        record = Record(tag.text, name or f"(unnamed {tag.text})")
        record.owner = self.function
        made = ty.new_record(record)
        self._give_scope(record, made, name)
        return made

    def _give_scope(self, record: Record, made: Type, name: str) -> None:
        record.scope = ast.Scope("record", self.scope, name=name, record=record, record_type=made)
        if name:
            record.scope.names[name] = made

    def _body(self, made: Type, at: Token, align: int) -> Type:
        record = made.record
        assert record is not None and record.scope is not None
        record.final = self.accept("final") is not None
        outer, function = self.scope, self.function
        self.scope = record.scope
        pending: list[ast.Function] = []
        layout = Layout(record, align, self._packing(at))
        bases = self._bases(record, at) if self.accept(":") else []
        self.expect("{")
        if bases or self._declares_virtual():
            self._place_bases(record, layout, bases)
        self.enter(at)
        section = Section(record, at)
        while not self.at("}"):
            if self.token.kind == EOF:
                self.fail("expected '}'", self.token, code="frontend.syntax")
            if self.token.text in ("public", "private", "protected") and self.peek().text == ":":
                section.switch(self.take().text)
                self.i += 1
                continue
            self._member(made, layout, pending)
        section.note()
        self.nest -= 1
        self.expect("}")
        if self.at("__attribute__"):
            layout.forced = max(layout.forced, self.gnu_alignment())
        self.function = function
        virtuals.build(record)
        if record.constructors and not any(map(takes_nothing, record.constructors)):
            # `using Base::Base;` brings the default constructor, too, as nvcc has it.
            record.has_default = record.has_default or any(not undefaultable(t) for t in record.inherit_from)
        if record.tables and (not record.constructors or record.has_default):
            self._default_constructor(made, at)
        layout.finish(made)
        for f in pending:
            if f.comparing:
                self.write_comparison(f, made)
        self.scope = outer
        for f in record.virtuals:
            self.need_body(f)
        # Bodies in our own headers wait until they are called, as those of templates do.
        if not at.source.name.startswith("<"):
            self.todo += [f for f in pending if f.space != "host" and not self._in_template(record)]
            # The host's own are walked for launches.
            host = [f for f in pending if f.space == "host" and not self.library and not f.constexpr]
            if not self._in_template(record):
                self.todo += host
            else:
                self.host_members += [f for f in host if _launches(f, record)]
        return made

    def _packing(self, at: Token) -> int:
        """The largest alignment that members of the class at the cursor have: `#pragma pack`, or 1 where an attribute
        before the name or behind the brace says so; 0 without such."""
        pack = 0
        for source, start, value in self.options.packs:
            if source is at.source and start < at.start:
                pack = value
        if at.source not in self.packing:
            self.packing[at.source] = "packed" in at.source.text
        if self.packing[at.source]:
            saved, k = self.i, self.i - 1
            while self.tokens[k].text not in (";", "}", "{") and k > 0:
                k -= 1
                if self.tokens[k].text in ("struct", "class", "union"):
                    break
            while not self.at("{") and self.token.kind != EOF:
                self.i += 1
            begin = self.i
            self.skip_balanced()
            end, self.i = self.i, saved
            after = self.tokens[end : end + 6]
            if any(t.text.strip("_") == "packed" for t in self.tokens[k:begin]) or (
                after[0].text == "__attribute__" and any(t.text.strip("_") == "packed" for t in after)
            ):
                pack = 1
        return pack

    def _bases(self, record: Record, at: Token) -> list[Type]:
        """The base classes after the colon."""
        out: list[Type] = []
        while True:
            self._base(record, at, out)
            if not self.accept(","):
                return out

    def _base(self, record: Record, at: Token, out: list[Type]) -> None:
        """One specifier of a base class, or of a pack of them."""
        access = "private" if record.tag == "class" else "public"
        while self.token.text in ("public", "private", "protected", "virtual"):
            access = self.take().text
            if access == "virtual":
                self.fail("virtual base classes are not supported in device code", self.tokens[self.i - 1])
        before, first, start = len(out), self.token, self.i
        end = self.expansion_end(angles=True) if self.has_packs else None
        if end is not None:
            out += [self._one_base() for _ in self.expansions(self.i, end)]
            self.i += 1
        else:
            out.append(self._one_base())
        twice = next((t for k, t in enumerate(out[before:], before) if t in out[:k]), None)
        if twice is not None:
            self.fail(f"base class '{twice}' specified more than once as a direct base class", first)
        if not self.library and any(t.kind == IDENT and self.is_parameter(t.text) for t in self.tokens[start : self.i]):
            record.dependent_bases.update(out[before:])
        if access != "public" and not at.source.name.startswith("<"):
            record.closed_bases |= dict.fromkeys(out[before:], access)

    def _one_base(self) -> Type:
        at = self.token
        t = self.simple_type().bare
        if t.record is None or not t.record.complete:
            self.fail(f"base class has incomplete type '{t}'", at)
        if t.record.tag == "union":
            self.fail("unions cannot be base classes", at)
        if t.record.final:
            self.fail(f"base '{t}' is marked 'final'", at)
        return t

    def _declares_virtual(self) -> bool:
        """The body at the cursor declares a virtual function."""
        depth, k, tokens = 1, self.i, self.tokens
        while depth and tokens[k].kind != EOF:
            text = tokens[k].text
            if text == "virtual" and depth == 1:
                return True
            if text in ("{", "}") and tokens[k].kind is not STRING:
                depth += 1 if text == "{" else -1
            k += 1
        return False

    def _place_bases(self, record: Record, layout: Layout, bases: list[Type]) -> None:
        """Base classes come first, each where the ABI puts it: one with a virtual table before the others; without
        such, a class with virtual functions begins with the pointer to its own."""
        shared = next((t for t in bases if t.record is not None and t.record.tables), None)
        pointer: list[Field] = []
        if shared is None and self._declares_virtual():
            layout.add(VTABLE_POINTER, ty.pointer(ty.VOID), 0, -1, None)
            pointer = [record.fields.pop()]
        where = {id(shared): layout.add_base(shared)} if shared is not None else {}
        for t in bases:
            assert t.record is not None
            offset = where.get(id(t))
            if offset is None:
                offset = layout.add_base(t)
            record.bases.append((t, offset))
            record.lacking = record.lacking or t.record.lacking
            record.fields += [f.moved(offset) for f in t.record.fields]
        record.fields += pointer
        record.inherited = len(record.fields)

    def _enum(self, specs: Specifiers, tag: Token) -> Type:
        scoped = self.accept("class") is not None or self.accept("struct") is not None
        self.attributes()
        name = self.identifier() if self.token.kind == IDENT else None
        underlying: Type | None = ty.INT if scoped else None
        if self.accept(":"):
            inner = self.specifiers().type
            assert inner is not None
            underlying = inner.bare
            if not underlying.integral:
                self.fail(f"non-integral type '{underlying}' is an invalid underlying type", tag)
        if not self.at("{"):
            if name is None:
                self.fail("expected identifier or '{'", self.token, code="frontend.syntax")
            found = self.lookup(name.text)
            if isinstance(found, Type) and underlying in (None, ty.INT) and not self.at(";"):
                return found
            if underlying is None:
                self.fail(f"ISO C++ forbids forward references to 'enum' types ('{name.text}')", name)
        specs.defined = True
        made = Type(
            "enum",
            name.text if name else "(unnamed enum)",
            4,
            4,
            True,
            llvm="i32",
            elem=underlying or ty.INT,
            scoped=scoped,
            template=self.scope,
        )
        if name is not None:
            old = self.scope.names.get(name.text)
            if isinstance(old, Type) and old.kind == "enum" and not any(isinstance(k, tuple) for k in old.cache):
                made = old
            else:
                self.declare(name.text, made, name)
        if underlying is not None:
            self._set_underlying(made, underlying)
            made.cache["fixed"] = underlying
        if not self.at("{"):
            return made
        outer = self.scope
        if scoped:
            self.scope = ast.Scope(outer.kind, outer)
        try:
            self._enumerators(made, underlying)
        finally:
            self.scope = outer
        return made

    def _enumerators(self, made: Type, underlying: Type | None) -> None:
        """`{ a, b = 3 }`, declared in this scope."""
        self.expect("{")
        value = -1
        entries: list[tuple[Token, int, ast.Variable]] = []
        while not self.at("}"):
            name = self.identifier()
            self.attributes()
            at = name
            if self.accept("="):
                e = self.conditional_expression()
                at = ast.start(e)
                value = self.constant_integer(e, "expression is not an integral constant expression")
            else:
                value += 1
            if underlying is not None and arithmetic.wrap(value, underlying) != value:
                what = f"enumerator value {value} is not representable in the underlying type '{underlying}'"
                self.fail(what, at)
            v = ast.Variable(
                name.text,
                underlying or (ty.INT if -(1 << 31) <= value < 1 << 31 else ty.LONG),
                name,
                "enumerator",
                value=value,
            )
            self.declare(name.text, v, name)
            entries.append((name, value, v))
            made.cache["enumerator", name.text] = Type("value", name.text, count=value)
            if not self.accept(","):
                break
        self.expect("}")
        if underlying is None:
            low = min((v for _, v, _ in entries), default=0)
            high = max((v for _, v, _ in entries), default=0)
            # As GCC's ABI has it: unsigned int where nothing is negative.
            if low >= 0:
                underlying = ty.UINT if high < 1 << 32 else ty.ULONG
                # [conv.prom]: to the first of int, unsigned, long, unsigned long that has all its values.
                if high < 1 << 31 or 1 << 32 <= high < 1 << 63:
                    made.cache["promoted"] = ty.INT if high < 1 << 31 else ty.LONG
            else:
                underlying = ty.INT if low >= -(1 << 31) and high < 1 << 31 else ty.LONG
            self._set_underlying(made, underlying)
        for _, value, v in entries:
            v.type = made
            v.value = value

    def _set_underlying(self, made: Type, underlying: Type) -> None:
        for each in [made, *(v for k, v in made.cache.items() if isinstance(k, tuple) and k[0] == "cv")]:
            each.elem, each.size, each.align = underlying, underlying.size, underlying.align
            each.signed, each.llvm = underlying.signed, underlying.llvm


def _launches(f: ast.Function, record: Record) -> bool:
    """The body that waits holds `<<<`, or may call a member template that does."""
    tokens = f.pending[0] if f.pending is not None else []
    inner = record.scope.names.values() if record.scope is not None else ()
    if any(isinstance(x, list) and any(isinstance(g, ast.FunctionTemplate) for g in x) for x in inner):
        return True
    return any(t.text == "<<" and tokens[k + 1].text == "<" for k, t in enumerate(tokens[:-1]))
