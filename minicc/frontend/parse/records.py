"""struct, class, union and enum: members, layout, member functions, constructors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import attrs

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.constraints import Constraints
from minicc.frontend.parse.declarators import Declarator, Specifiers
from minicc.frontend.sema import constant, virtuals
from minicc.frontend.sema.access import Section
from minicc.frontend.sema.layout import Layout
from minicc.frontend.tokens import EOF, IDENT, PUNCT, STRING, Token
from minicc.frontend.types import CONST, VOLATILE, VTABLE_POINTER, Field, Record, Type

Made = TypeVar("Made")


class Records(Constraints):
    anonymous: int = 0
    library: bool = False
    """Reading our own library: host rules do not apply."""
    host_members: list[ast.Function]
    """Host members of class template instances, which wait for a call."""

    def tagged(self, specs: Specifiers) -> Type:
        tag = self.take()
        if tag.text == "enum":
            return self._enum(specs, tag)
        align = 0
        while self.token.text in ("__align__", "alignas", "__attribute__", "__device_builtin__"):
            holder = Specifiers(tag)
            self._specifier(holder, self.token)
            align = max(align, holder.align)
        name = self.identifier() if self.token.kind == IDENT else None
        specs.defined = self.at("{") or self.at(":") or self.at(";")
        defining = self.at("{") or self.at(":") or self.at("final")
        if name is None:
            if not defining:
                self.fail(f"declaration of anonymous {tag.text} must be a definition", tag)
            self.anonymous += 1
            return self._body(self._new_record(tag, ""), tag, align)
        if not defining:
            found = self.scope.names.get(name.text) if self.at(";") else self.lookup(name.text)
            if isinstance(found, ast.ClassTemplate):
                return self.type_entity(self.template_id(found, name), name)
            if isinstance(found, Type):
                return found
            made = self._new_record(tag, name.text)
            self.scope.names[name.text] = made
            return made
        found = self.scope.names.get(name.text)
        if isinstance(found, Type) and found.record is not None and not found.record.complete:
            made = found
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

        def read() -> bool:
            record = ty.begin_reading(made)
            record.scope = inner
            self.tokens, self.scope = tokens, scope
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
        scope = ast.Scope("record", self.scope, name=name, record=record, record_type=made)
        record.scope = scope
        if name:
            scope.names[name] = made
        return made

    def _body(self, made: Type, at: Token, align: int) -> Type:
        record = made.record
        assert record is not None and record.scope is not None
        record.final = self.accept("final") is not None
        outer, function = self.scope, self.function
        self.scope = record.scope
        pending: list[ast.Function] = []
        layout = Layout(record, align, self._packing(at))
        bases = self._bases() if self.accept(":") else []
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
        self.function = function
        virtuals.build(record)
        if record.tables and (not record.constructors or record.has_default):
            self._default_constructor(made, at)
        layout.finish(made)
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
        if "packed" in at.source.text:
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

    def _in_template(self, record: Record) -> bool:
        """An instance of a class template, or a class in one."""
        scope: ast.Scope | None = record.scope
        while scope is not None and scope.record is not None:
            if scope.record.template is not None:
                return True
            scope = scope.parent
        return False

    def _bases(self) -> list[Type]:
        """The base classes after the colon."""
        out: list[Type] = []
        while True:
            while self.token.text in ("public", "private", "protected", "virtual"):
                if self.take().text == "virtual":
                    self.fail("virtual base classes are not supported in device code", self.tokens[self.i - 1])
            end = self.expansion_end(angles=True) if self.has_packs else None
            if end is not None:
                out += [self._one_base() for _ in self.expansions(self.i, end)]
                self.i += 1
            else:
                out.append(self._one_base())
            if not self.accept(","):
                return out

    def _one_base(self) -> Type:
        at = self.token
        t = self.simple_type().bare
        if t.record is None or not t.record.complete:
            self.fail(f"base class has incomplete type '{t}'", at)
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
            record.fields += [attrs.evolve(f, offset=f.offset + offset) for f in t.record.fields]
        record.fields += pointer
        record.inherited = len(record.fields)

    def _default_constructor(self, made: Type, at: Token) -> None:
        """A class with a virtual table has a constructor, if only to set the pointer to it."""
        record = made.record
        assert record is not None
        f = ast.Function(record.template_name or record.name, ty.function(ty.VOID, []), at, scope=record.scope)
        f.record, f.constructor, f.library = made, True, self.library
        f.param_scope = ast.Scope("function", record.scope)
        self._add_this(f, made, 0)
        f.pending = ([Token(PUNCT, t, at.source, at.start) for t in "{}"] + [Token(EOF, "", at.source, at.start)], 0)
        record.constructors.append(f)
        record.has_default = False

    def _member(self, made: Type, layout: Layout, pending: list[ast.Function]) -> None:
        """One member. Functions of the host that cannot be read are stepped over."""
        start, scope, nest, length = self.i, self.scope, self.nest, len(self.tokens)
        self.quiet += 1
        try:
            self._member_declaration(made, layout, pending)
            return
        except Abandon:
            pass
        finally:
            self.quiet -= 1
        self.i, self.scope, self.nest = start, scope, nest
        del length
        if not self.skip_host_member():
            self._member_declaration(made, layout, pending)

    def _befriend(self, record: Record) -> None:
        """Keep the words of the friend declaration at the cursor, if it is one."""
        k, words = self.i, set()
        while self.tokens[k].text not in (";", "{") and self.tokens[k].kind != EOF:
            words.add(self.tokens[k].text)
            k += 1
        if "friend" in words:
            record.friends |= words

    def skip_host_member(self) -> bool:
        """Step over a member function that is the host's business; False if it is not."""
        return False

    def _member_declaration(self, made: Type, layout: Layout, pending: list[ast.Function]) -> None:
        record = made.record
        assert record is not None
        token = self.token
        if self.accept(";"):
            return
        if token.text == "static_assert":
            self.static_assert()
            return
        if token.text == "using":
            self._using_member(made)
            return
        if token.text == "typedef":
            self.declaration()
            return
        if token.text == "template":
            self._befriend(record)
            self.member_template(made)
            return
        autos = self.take_autos() if self.constrains else []
        if autos:
            self.abbreviated(autos, made)
            return
        if token.text == "friend":
            self._befriend(record)
            self.i += 1
            if self.token.text in ("class", "struct"):
                self.recover()
                return
            self._friend(pending)
            return
        start = self.i
        specs = self.specifiers(need_type=False)
        if "friend" in specs.words:
            self.i = start
            self._befriend(record)
            specs = self.specifiers()
            self._friend(pending, specs)
            return
        if self.at("~"):
            self._destructor(made, specs, pending)
            return
        if specs.type is None:
            if self._is_constructor_name():
                self._constructor(made, specs, pending)
                return
            if self.at("operator"):
                name = self.operator_name()
                d = Declarator(name, self.conversion_type or ty.INT)
                self._function_suffix(d)
                self._member_function(made, specs, d, pending)
                return
            self._no_type()
        assert specs.type is not None
        if self.accept(";"):
            if specs.type.record is not None and specs.defined and specs.type.record.name.startswith("(unnamed"):
                layout.add("", specs.type, 0, -1, None)
            return
        while True:
            d = self.declarator(specs.type, abstract=self.at(":"))
            if d.type.kind == "function" and d.params is not None:
                self._member_function(made, specs, d, pending)
                return
            self._data_member(made, specs, d, layout)
            if not self.accept(","):
                break
        self.expect(";", "at end of declaration list")

    def _friend(self, pending: list[ast.Function], specs: Specifiers | None = None) -> None:
        """A friend function lives in the enclosing namespace; its body is read when the class is complete."""
        specs = specs or self.specifiers()
        assert specs.type is not None
        if self.accept(";"):
            return
        d = self.declarator(specs.type)
        inner, outer = self.scope, self.scope
        while outer.kind == "record" and outer.parent is not None:
            outer = outer.parent
        self.scope = outer
        try:
            f = self.function_declarator(specs, d)
        finally:
            self.scope = inner
        if self.at("{"):
            self.member_body(f, d, pending)
        else:
            self.expect(";", "at end of declaration list")

    def function_declarator(self, specs: Specifiers, d: Declarator) -> ast.Function:
        raise NotImplementedError

    def _using_member(self, made: Type) -> None:
        """`using Base::name;`, `using Base::Base;` and aliases."""
        record = made.record
        assert record is not None
        if self.peek().text == "namespace" or self.peek(2).text == "=":
            self.declaration()
            return
        self.i += 1
        self.accept("typename")
        end = self.expansion_end() if self.has_packs else None
        if end is not None:
            for _ in self.expansions(self.i, end):
                self._used_member(record, *self.qualified())
            self.i += 1
        else:
            self._used_member(record, *self.qualified())
        self.expect(";", "after using declaration")

    def _used_member(self, record: Record, entity: object, name: Token) -> None:
        bases = [t for t, _ in record.bases]
        if isinstance(entity, Type) and entity in bases and entity.record is not None:
            record.inherit_from = entity
            return
        assert record.scope is not None
        found = record.scope.names.get(name.text)
        if isinstance(found, list) and isinstance(entity, list):
            found += [f for f in entity if f not in found]
        elif isinstance(entity, Field):
            record.hidden[name.text] = "public"
        else:
            record.scope.names[name.text] = list(entity) if isinstance(entity, list) else entity

    def _data_member(self, made: Type, specs: Specifiers, d: Declarator, layout: Layout) -> None:
        record = made.record
        assert record is not None and record.scope is not None
        name = d.name.text if d.name is not None else ""
        at = d.name or specs.at
        if "static" in specs.words:
            v = ast.Variable(name, d.type, at, "member", constexpr="constexpr" in specs.words, scope=self.scope)
            if "constexpr" in specs.words:
                v.type = ty.qualified(v.type, ty.CONST)
            if self.at("=") or self.at("{"):
                self._static_value(v, record)
            record.scope.names[name] = v
            return
        if d.type.kind == "auto":
            self.check_arguments(d.type, at)
            self.fail("'auto' not allowed in non-static struct member", at)
        width = -1
        if self.accept(":"):
            width = self.constant_integer(
                self.conditional_expression(), "expression is not an integral constant expression"
            )
            if not (d.type.integral or d.type.kind == "enum"):
                self.fail(f"bit-field '{name}' has non-integral type '{d.type}'", at)
            if width > d.type.bits:
                self.fail(
                    f"width of bit-field '{name}' ({width} bits) exceeds the width of its type ({d.type.bits} bits)", at
                )
        if d.type.kind == "void" or not ty.is_complete(d.type):
            self.fail(f"field has incomplete type '{d.type}'", at)
        if name and any(f.name == name for f in record.fields[record.inherited :]):
            self.fail(f"duplicate member '{name}'", at)
        default: tuple[list[Token], ast.Scope] | None = None
        if self.at("=") or self.at("{"):
            self.accept("=")
            start = self.i
            self._skip_default_member()
            default = (self.tokens[start : self.i], self.scope)
        layout.add(name, d.type, specs.align, width, default)
        if "mutable" in specs.words:
            record.fields[-1].mutable = True

    def _static_value(self, v: ast.Variable, record: Record) -> None:
        """The initial value of a static member at the cursor; in an instance of a template it waits until it is needed,
        unless the type depends on it."""
        start = self.i
        self._skip_default_member()
        if self._in_template(record) and self.at(";") and (v.type.bare.kind != "auto" and v.type.count >= 0):
            tokens, scope = [*self.tokens[start : self.i], Token(EOF, "", v.at.source, v.at.start)], self.scope

            def later(v: ast.Variable) -> None:
                self.tokens, self.scope = tokens, scope
                self._read_static_value(v)

            ast.UnreadVariable.put_off(v, lambda v: self.apart(lambda: later(v)))
            return
        self.i = start
        self._read_static_value(v)

    def _read_static_value(self, v: ast.Variable) -> None:
        self.accept("=")
        e = self.braced_list() if self.at("{") else self.assignment()
        if v.type.bare.kind == "auto":
            v.type = ty.qualified(self.decay(e).type.bare, v.type.quals)
        v.init = self.initialise(v.type, e, v.at)
        v.type = v.init.type if v.type.kind == "array" else v.type
        v.value = constant.evaluate(v.init)

    def apart(self, read: Callable[[], Made]) -> Made:
        raise NotImplementedError

    def _skip_default_member(self) -> None:
        while not self.at(";") and not self.at(",") and self.token.kind != EOF:
            if self.token.text in ("(", "{", "[") and self.token.kind is not STRING:
                self.skip_balanced()
            else:
                self.i += 1

    def default_member(self, t: Type, field: Field, at: Token) -> ast.Expr | None:
        if field.default is None:
            return None
        tokens, scope = field.default
        saved = self.tokens, self.i, self.scope
        self.tokens, self.i, self.scope = [*tokens, Token(EOF, "", at.source, at.start)], 0, scope
        try:
            e = self.braced_list() if self.at("{") else self.assignment()
            return self.initialise(field.type, e, at)
        finally:
            self.tokens, self.i, self.scope = saved

    def _member_function(self, made: Type, specs: Specifiers, d: Declarator, pending: list[ast.Function]) -> None:
        assert d.name is not None
        if self.at("=") and self.peek().text == "default":
            # What the compiler does by itself.
            self.i += 2
            self.expect(";")
            if d.name.text == "operator==" and d.params:
                self._equality(made, specs, d, pending)
            return
        f = self.make_function(specs, d)
        f.record = made
        if d.constraint is not None and not self._keeps(f, d):
            self.member_body(f, d, [])
            return
        f.explicit = "explicit" in specs.words
        if "static" not in specs.words:
            self._add_this(f, made, d.this_quals)
            self._virtual(f, specs, d)
        f.scope = self.scope
        self._add_overload(self.scope, d.name.text, f, d.name)
        self.member_body(f, d, pending)

    def _equality(self, made: Type, specs: Specifiers, d: Declarator, pending: list[ast.Function]) -> None:
        """`operator==(const T &) const = default;`: member by member, the bases' among them."""
        assert d.name is not None and d.params is not None and made.record is not None and d.param_scope is not None
        other = d.params[0]
        other.name = other.name or "other#"
        d.param_scope.names[other.name] = other
        f = self.make_function(specs, d)
        f.record, f.scope, f.param_scope = made, self.scope, d.param_scope
        self._add_this(f, made, d.this_quals)
        self._add_overload(self.scope, d.name.text, f, d.name)
        words = ["{", "return", "true"]
        for field in made.record.fields:
            words += ["&&", "this", "->", field.name, "==", other.name, ".", field.name]
        tokens = [
            Token(IDENT if w[0].isalpha() or w[0] == "_" else PUNCT, w, f.at.source, f.at.start, True)
            for w in [*words, ";", "}"]
        ]
        f.pending = ([*tokens, Token(EOF, "", f.at.source, f.at.start)], 0)
        pending.append(f)

    def _keeps(self, f: ast.Function, d: Declarator) -> bool:
        """Whether a member function with a requires-clause is one; it goes before one of that signature without."""
        f.constrained = True
        f.this_quals = d.this_quals
        assert d.constraint is not None
        saved, self.scope = self.scope, d.param_scope or self.scope
        try:
            if not self.satisfied(d.constraint):
                return False
        finally:
            self.scope = saved
        found = self.scope.names.get(f.name)
        if isinstance(found, list):
            found[:] = [
                g
                for g in found
                if not isinstance(g, ast.Function)
                or g.constrained
                or g.type.params != f.type.params
                or g.this_quals != f.this_quals
            ]
        return True

    def abbreviated(self, autos: list[ast.TemplateParam], made: Type | None) -> None:
        raise NotImplementedError

    def _virtual(self, f: ast.Function, specs: Specifiers, d: Declarator) -> None:
        """Virtual by its declaration, or by what it overrides."""
        record = f.record.record if f.record is not None else None
        assert record is not None
        base = virtuals.overridden(record, f) if record.bases else None
        if base is not None and base.final:
            self.fail(f"declaration of '{f.name}' overrides a 'final' function", f.at)
        if d.override and base is None:
            self.fail(f"'{f.name}' marked 'override' but does not override any member functions", f.at)
        if "virtual" not in specs.words and base is None:
            return
        if base is not None and base.type.elem is not f.type.elem and not self._covariant(base.type.elem, f.type.elem):
            self.fail(
                f"virtual function '{f.name}' has a different return type ('{f.type.elem}') than the function it"
                f" overrides (which has return type '{base.type.elem}')",
                f.at,
            )
        f.virtual, f.final = True, d.final
        f.pure = self.at("=") and self.peek().text == "0"
        record.virtuals.append(f)

    def _covariant(self, base: Type | None, own: Type | None) -> bool:
        """A class in place of one of its bases, which begins where it does."""
        if base is None or own is None or base.elem is None or own.elem is None or base.kind != own.kind:
            return False
        return ty.base_offset(own.elem.bare, base.elem.bare) == 0

    def _add_this(self, f: ast.Function, made: Type, quals: int) -> None:
        f.this_quals = quals
        f.this = ast.Variable("this", ty.pointer(ty.qualified(made, quals & (CONST | VOLATILE))), f.at, "param")

    def member_body(self, f: ast.Function, d: Declarator, pending: list[ast.Function]) -> None:
        """A body is read after the class is complete; `= default` and `= delete` here."""
        f.param_scope = d.param_scope
        if self.accept("="):
            word = self.take().text
            f.deleted = word == "delete"
            f.body = ast.Block(f.at) if word != "delete" and not f.pure else None
            self.expect(";")
            return
        if self.at("{") or self.at(":"):
            start = self.i
            self._skip_function_body()
            f.pending = ([*self.tokens[start : self.i], Token(EOF, "", f.at.source, self.tokens[self.i - 1].start)], 0)
            pending.append(f)
            return
        self.expect(";", "at end of declaration list")

    def _skip_function_body(self) -> None:
        if self.at(":"):
            # A constructor's member initialisers.
            self.i += 1
            while self.token.kind != EOF:
                while self.token.text not in ("(", "{") and self.token.kind != EOF:
                    if self.at("<"):
                        self.skip_template_arguments()
                    else:
                        self.i += 1
                self.skip_balanced()
                self.accept("...")
                if not self.accept(","):
                    break
        if not self.at("{"):
            self.fail("expected '{'", self.token, code="frontend.syntax")
        self.skip_balanced()

    def _constructor(self, made: Type, specs: Specifiers, pending: list[ast.Function]) -> None:
        record = made.record
        assert record is not None
        name = self.take()
        if self.at("<"):  # C++17 lets them have their class's arguments.
            self.skip_template_arguments()
        d = Declarator(name, ty.VOID)
        self._function_suffix(d)
        if self.at("=") and self.peek().text == "default":
            self.i += 2
            self.expect(";")
            record.has_default = record.has_default or not d.params
            return
        if self.at("=") and self.peek().text == "delete" and not d.params:
            record.has_default = False
        f = self.make_function(specs, d)
        f.record, f.constructor, f.scope = made, True, self.scope
        f.explicit = "explicit" in specs.words
        self._add_this(f, made, 0)
        record.constructors.append(f)
        self.member_body(f, d, pending)

    def _destructor(self, made: Type, specs: Specifiers, pending: list[ast.Function]) -> None:
        record = made.record
        assert record is not None
        self.i += 1
        name = self.identifier()
        d = Declarator(Token(IDENT, "~" + name.text, name.source, name.start), ty.VOID)
        self._function_suffix(d)
        f = self.make_function(specs, d)
        f.record, f.scope = made, self.scope
        self._add_this(f, made, 0)
        self._virtual(f, specs, d)
        if record.scope is not None:
            record.scope.names[f.name] = [f]
        if self.at("=") and self.peek().text in ("default", "0"):
            self.i += 2
            self.expect(";")
            f.pure = False
            return
        if f.space == "device":
            record.destructor = f
        self.member_body(f, d, pending)

    def _add_overload(self, scope: ast.Scope, name: str, f: object, at: Token) -> None:
        found = scope.names.get(name)
        if isinstance(found, list):
            if isinstance(f, ast.Function):
                for other in found:
                    if (
                        isinstance(other, ast.Function)
                        and other.type.params == f.type.params
                        and other.this_quals == f.this_quals
                    ):
                        if other.constrained:
                            return
                        if other.record is not None and f.record is not None and other.record.bare is not f.record.bare:
                            # Brought in by a using-declaration, and hidden.
                            found[found.index(other)] = f
                            return
                        self.fail(f"class member cannot be redeclared: '{name}'", at)
            found.append(f)
        elif found is None:
            scope.names[name] = [f]
        else:
            self.fail(f"redefinition of '{name}' as different kind of symbol", at, code="frontend.redefinition")

    # -- enums

    def _enum(self, specs: Specifiers, tag: Token) -> Type:
        scoped = self.accept("class") is not None or self.accept("struct") is not None
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
        if not self.at("{"):
            return made
        self._enumerators(made, underlying, scoped)
        return made

    def _enumerators(self, made: Type, underlying: Type | None, scoped: bool) -> None:
        self.expect("{")
        value = -1
        entries: list[tuple[Token, int, ast.Variable]] = []
        while not self.at("}"):
            name = self.identifier()
            while self.at("[") and self.peek().text == "[":
                self.skip_balanced()
            if self.accept("="):
                e = self.conditional_expression()
                value = self.constant_integer(e, "expression is not an integral constant expression")
            else:
                value += 1
            v = ast.Variable(
                name.text,
                underlying or (ty.INT if -(1 << 31) <= value < 1 << 31 else ty.LONG),
                name,
                "enumerator",
                value=value,
            )
            if not scoped:
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

    # -- from the declaration parser

    def make_function(self, specs: Specifiers, d: Declarator) -> ast.Function:
        raise NotImplementedError

    def declaration(self) -> list[ast.Variable]:
        raise NotImplementedError

    def static_assert(self) -> None:
        raise NotImplementedError

    def template_declaration(self, member_of: Type | None = None) -> None:
        raise NotImplementedError

    def member_template(self, made: Type) -> None:
        raise NotImplementedError


def _launches(f: ast.Function, record: Record) -> bool:
    """The body that waits holds `<<<`, or may call a member template that does."""
    tokens = f.pending[0] if f.pending is not None else []
    inner = record.scope.names.values() if record.scope is not None else ()
    if any(isinstance(x, list) and any(isinstance(g, ast.FunctionTemplate) for g in x) for x in inner):
        return True
    return any(t.text == "<<" and tokens[k + 1].text == "<" for k, t in enumerate(tokens[:-1]))
