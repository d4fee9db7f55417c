"""The members of a class: data and its layout, functions, constructors and destructors, friends, using-declarations."""

from __future__ import annotations

from copy import copy

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.comparisons import COMPARING, Comparisons
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.signatures import Signatures
from minicc.frontend.parse.specifiers import Specifiers
from minicc.frontend.sema import constant, virtuals
from minicc.frontend.sema.access import closed_base
from minicc.frontend.sema.copies import assigns
from minicc.frontend.sema.layout import Layout
from minicc.frontend.sema.wellformed import operator_fault
from minicc.frontend.tokens import EOF, IDENT, PUNCT, STRING, Token
from minicc.frontend.types import CONST, VOLATILE, Field, Record, Type


class Members(Comparisons):
    host_members: list[ast.Function]
    """Host members of class template instances, which wait for a call."""
    signatures: Signatures

    def _default_constructor(self, made: Type, at: Token) -> None:
        """A class with a virtual table has a constructor, if only to set the pointer to it."""
        record = made.record
        assert record is not None
        f = ast.Function(record.template_name or record.name, ty.function(ty.VOID, []), at, scope=record.scope)
        f.record, f.constructor, f.library, f.constexpr = made, True, self.library, True
        f.defaulted = True
        f.param_scope = ast.Scope("function", record.scope)
        self._add_this(f, made, 0)
        f.pending = ([Token(PUNCT, t, at.source, at.start) for t in "{}"] + [Token(EOF, "", at.source, at.start)], 0)
        record.constructors.append(f)
        record.has_default = False

    def _member(self, made: Type, layout: Layout, pending: list[ast.Function]) -> None:
        """One member. Functions of the host that cannot be read are stepped over."""
        start, scope, nest = self.i, self.scope, self.nest
        fields, before = len(layout.record.fields), copy(layout)
        self.quiet += 1
        try:
            self._member_declaration(made, layout, pending)
            return
        except Abandon:
            pass
        finally:
            self.quiet -= 1
        self.i, self.scope, self.nest = start, scope, nest
        # Of `int a, b` without a semicolon `a` was declared.
        layout.record.forget(fields)
        layout.restore(before)
        if not self.skip_host_member(made, pending):
            self._member_declaration(made, layout, pending)

    def _befriend(self, record: Record) -> None:
        """Keep the words of the friend declaration at the cursor, if it is one."""
        k, words = self.i, set()
        while self.tokens[k].text not in (";", "{") and self.tokens[k].kind != EOF:
            words.add(self.tokens[k].text)
            if self.tokens[k].text == "operator":
                end = next((n for n in range(k + 2, min(k + 5, len(self.tokens))) if self.tokens[n].text == "("), k + 2)
                words.add("".join(token.text for token in self.tokens[k:end]))
            k += 1
        if "friend" in words:
            # (`friend T;`: whatever class the parameter stands for.)
            meant = [self.lookup(w) for w in words] if record.template is not None else []
            record.friends |= words | {t.record.name for t in meant if isinstance(t, Type) and t.record is not None}

    def skip_host_member(self, made: Type, pending: list[ast.Function]) -> bool:
        """Step over a member function that is the host's business, whose body waits; False if it is not."""
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
            if record.owner is not None and not self.library:
                self.fail("templates cannot be declared inside of a local class", token)
            self._befriend(record)
            self.template_declaration(made)
            return
        autos = self.take_autos()
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
                self._member_function(made, specs, self.conversion_declarator(), pending)
                return
            self._no_type()
        assert specs.type is not None
        if self.at("operator") and self.peek().kind == IDENT and self.peek().text not in ("new", "delete", "co_await"):
            self.fail("conversion function cannot have a return type", specs.at)
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
        if self.at("}") and not self.quiet:
            # What is meant is plain: the class goes on to be one.
            self.report("frontend.syntax", "expected ';' at end of declaration list", self.previous_end())
            return
        self.expect(";", "at end of declaration list")

    def _in_template(self, record: Record) -> bool:
        """An instance of a class template, or a class in one."""
        scope: ast.Scope | None = record.scope
        while scope is not None and scope.record is not None:
            if scope.record.template is not None:
                return True
            scope = scope.around
        return False

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
        self.scope, self.befriending = outer, inner.record
        try:
            f = self.function_declarator(specs, d)
        finally:
            self.scope, self.befriending = inner, None
        if self.at("=") and self.peek().text == "default" and f.params and f.name in COMPARING:
            self.i += 2
            self.expect(";")
            self.default_comparison(f, pending)
        elif self.at("{"):
            self.member_body(f, d, pending)
        else:
            self.expect(";", "at end of declaration list")

    def _using_member(self, made: Type) -> None:
        """`using Base::name;`, `using Base::Base;` and aliases."""
        record = made.record
        assert record is not None
        if self.peek().text in ("namespace", "enum") or self.peek(2).text == "=":
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
            record.inherit_from.append(entity)
            return
        assert record.scope is not None
        owner = self.qualifier.record_type if self.qualifier is not None else None
        if owner is not None and owner.record is not None and all(ty.base_offset(t, owner.bare) is None for t in bases):
            what = f"using declaration refers into '{owner.bare}::', which is not a base class of '{record.name}'"
            self.fail(what, name)
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
        if "static" in specs.words and record.owner is not None and name and not self.library:
            self.fail(f"static data member '{name}' not allowed in local {record.tag} '{record.name}'", at)
        if specs.words & {"extern", "register"}:
            self.fail("storage class specified for a member declaration", at)
        if "static" in specs.words:
            if specs.spaces - {"host"}:
                self.fail("memory qualifier on data member is not allowed", at)
            v = ast.Variable(name, d.type, at, "member", constexpr="constexpr" in specs.words, scope=self.scope)
            if "constexpr" in specs.words:
                v.type = ty.qualified(v.type, ty.CONST)
            if self.at("=") or self.at("{"):
                self._static_value(v, record)
            elif record.template is not None:
                self.declared_datum(v, record)
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
            if width < 0 or (width == 0 and name):
                how = f"negative width ({width})" if width < 0 else "zero width"
                self.fail(f"{'bit-field ' + repr(name) if name else 'anonymous bit-field'} has {how}", at)
            if width > d.type.bits:
                self.fail(
                    f"width of bit-field '{name}' ({width} bits) exceeds the width of its type ({d.type.bits} bits)", at
                )
        if d.type.kind == "void" or not ty.is_complete(d.type):
            self.fail(f"field has incomplete type '{d.type}'", at)
        if record.tag == "union" and d.type.kind == "reference":
            self.fail(f"union member '{name}' has reference type '{d.type}'", at)
        if name and record.declares(name):
            self.fail(f"duplicate member '{name}'", at)
        if record.tag == "union" and self.token.text in ("=", "{") and any(f.default for f in record.fields):
            self.fail("initializing multiple members of union", at)
        default: tuple[list[Token], ast.Scope] | None = None
        if self.at("=") or self.at("{"):
            self.accept("=")
            start = self.i
            self._skip_default_member()
            default = (self.tokens[start : self.i], self.scope)
        if "mutable" in specs.words and d.type.quals & CONST:
            self.fail("'mutable' and 'const' cannot be mixed", at)
        if "mutable" in specs.words and d.type.kind == "reference":
            self.fail("'mutable' cannot be applied to references", at)
        align = max(specs.align, d.align)
        if not ("no_unique_address" in specs.words and layout.add_shared(name, d.type, align, default)):
            layout.add(name, d.type, align, width, default)
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
                self.read_static_value(v)

            ast.UnreadVariable.put_off(v, lambda v: self.apart(lambda: later(v)))
            return
        self.i = start
        self.read_static_value(v)

    def read_static_value(self, v: ast.Variable) -> None:
        self.accept("=")
        e = self.braced_list() if self.at("{") else self.assignment()
        if v.type.bare.kind == "auto":
            v.type = ty.qualified(self.decay(e).type.bare, v.type.quals)
        v.init = self.initialise(v.type, e, v.at)
        v.type = v.init.type if v.type.kind == "array" else v.type
        v.value = constant.evaluate(v.init) if v.type.const else None

    def _skip_default_member(self) -> None:
        while not self.at(";") and not self.at(",") and self.token.kind != EOF:
            if self.token.text in ("(", "{", "[") and self.token.kind is not STRING:
                self.skip_balanced()
            else:
                self.i += 1

    def default_member(self, field: Field, at: Token) -> ast.Expr | None:
        """A member's own initialiser, or None."""
        if field.default is None:
            return None
        tokens, scope = field.default
        tokens = [*tokens, Token(EOF, "", at.source, at.start)]
        with self.having(tokens=tokens, i=0, scope=scope, elsewhere=self.elsewhere + 1):
            e = self.braced_list() if self.at("{") else self.assignment()
            return self.initialise(field.type, e, at)

    def _member_function(self, made: Type, specs: Specifiers, d: Declarator, pending: list[ast.Function]) -> None:
        assert d.name is not None
        if d.name.text == "operator=":
            self._note_special(made, d.type, "=")
        if self.at("=") and self.peek().text == "default":
            # What the compiler does by itself.
            self.i += 2
            self.expect(";")
            if d.name.text != "operator=" and d.name.text not in COMPARING:
                self._not_special(self.tokens[self.i - 2])
            if d.name.text not in COMPARING or not d.params:
                return
            f = self.make_function(specs, d)
            f.record, f.scope = made, self.scope
            self._add_this(f, made, d.this_quals)
            self._add_overload(self.scope, d.name.text, f, d.name)
            self.default_comparison(f, pending)
            return
        f = self.make_function(specs, d)
        if f.space == "global":
            self.fail(f"kernel function '{d.name.text}' must be a free function", d.name)
        f.record = made
        if d.constraint is not None and not self._keeps(f, d):
            self.member_body(f, d, [])
            return
        f.explicit = "explicit" in specs.words
        # [class.free]: what makes and frees objects has none.
        static = "static" in specs.words or f.name.startswith(("operator new", "operator delete"))
        if static and (d.this_quals or "virtual" in specs.words):
            self.fail(f"static member function '{f.name}' cannot be virtual, nor have a qualifier", d.name)
        if not static:
            self._add_this(f, made, d.this_quals)
            self._virtual(f, specs, d)
        f.scope = self.scope
        self.check_operator(f)
        if f.name == "operator=" and assigns([f], made) and self.peek().text != "delete" and made.record is not None:
            made.record.provided = True
        self._add_overload(self.scope, d.name.text, f, d.name)
        self.member_body(f, d, pending)

    def _keeps(self, f: ast.Function, d: Declarator) -> bool:
        """Whether a member function with a requires-clause is one."""
        assert d.constraint is not None
        f.atoms = frozenset(self.atoms([d.constraint], {}))
        saved, self.scope = self.scope, d.param_scope or self.scope
        try:
            return self.satisfied(d.constraint)
        finally:
            self.scope = saved

    def check_operator(self, f: ast.Function) -> None:
        fault = operator_fault(f) if f.name.startswith("operator") and not self.library else None
        if fault is not None:
            self.fail(fault, f.at)

    def _virtual(self, f: ast.Function, specs: Specifiers, d: Declarator) -> None:
        """Virtual by its declaration, or by what it overrides."""
        record = f.record.record if f.record is not None else None
        assert record is not None
        base = virtuals.overridden(record, f) if record.bases else None
        if base is not None and base.final:
            self.fail(f"declaration of '{f.name}' overrides a 'final' function", f.at)
        if d.override and base is None:
            self.fail(f"'{f.name}' marked 'override' but does not override any member functions", f.at)
        if record.tag == "union" and "virtual" in specs.words:
            self.fail("unions cannot have virtual functions", f.at)
        if "virtual" not in specs.words and base is None:
            if d.final:
                self.fail("only virtual member functions can be marked 'final'", f.at)
            return
        if (
            base is not None
            and base.type.elem is not f.type.elem
            and not self._covariant(base.type.elem, f.type.elem, f.at)
        ):
            self.fail(
                f"virtual function '{f.name}' has a different return type ('{f.type.elem}') than the function it"
                f" overrides (which has return type '{base.type.elem}')",
                f.at,
            )
        f.virtual, f.final = True, d.final
        f.pure = self.at("=") and self.peek().text == "0"
        record.virtuals.append(f)

    def _covariant(self, base: Type | None, own: Type | None, at: Token) -> bool:
        """A class in place of one of its bases."""
        if base is None or own is None or base.elem is None or own.elem is None or base.kind != own.kind:
            return False
        offset = ty.base_offset(own.elem.bare, base.elem.bare)
        if offset is not None and base.elem.record is not None and own.elem.record is not None:
            access = closed_base(own.elem.record, base.elem.record, self.scope, self.function)
            if access is not None:
                what = f"'{base.elem.bare}' is a {access} base class of '{own.elem.bare}'"
                self.fail(f"invalid covariant return for virtual function: {what}", at)
        return offset is not None

    def _add_this(self, f: ast.Function, made: Type, quals: int) -> None:
        f.this_quals = quals
        f.this = ast.Variable("this", ty.pointer(ty.qualified(made, quals & (CONST | VOLATILE))), f.at, "param")

    def member_body(self, f: ast.Function, d: Declarator, pending: list[ast.Function]) -> None:
        """A body is read after the class is complete; `= default` and `= delete` here."""
        f.param_scope = d.param_scope
        if self.accept("="):
            word = self.take().text
            if word not in ("default", "delete") and not f.pure:
                self.fail("initializer on function does not look like a pure-specifier", f.at)
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
        if d.this_quals:
            self.fail("a constructor cannot have a qualifier", name)
        if "virtual" in specs.words:
            self.fail("constructor cannot be declared 'virtual'", name)
        if "static" in specs.words:
            self.fail("constructor cannot be declared 'static'", name)
        self._check_copy(made, d)
        self._note_special(made, d.type, "")
        if self.at("=") and self.peek().text == "default":
            if d.constraint is None and not d.params:
                if "default" in record.special:
                    self.report("frontend.redefinition", "constructor cannot be redeclared", name)
                record.special.add("default")
            self.i += 2
            self.expect(";")
            record.has_default = record.has_default or not d.params
            record.copied_alone = record.copied_alone or bool(d.params)
            return
        if self.at("=") and self.peek().text == "delete" and not d.params:
            record.has_default = False
        f = self.make_function(specs, d)
        f.record, f.constructor, f.scope = made, True, self.scope
        f.explicit = "explicit" in specs.words
        self._add_this(f, made, 0)
        others = [g for g in record.constructors if isinstance(g, ast.Function) and g.record is made]
        if any(g.type.params == f.type.params and g.atoms == f.atoms for g in others):
            self.report("frontend.redefinition", "constructor cannot be redeclared", name)
        record.constructors.append(f)
        self.member_body(f, d, pending)

    def _check_copy(self, made: Type, d: Declarator) -> None:
        """A constructor that takes its own class does so by reference; no other but that of nothing is defaulted."""
        first = d.type.params[0] if d.params else None
        if first is not None and first.bare is made.bare and all(value is not None for value in d.defaults[1:]):
            at = d.params[0].at if d.params else d.name
            self.fail("copy constructor must pass its first argument by reference", at or self.token)
        value = first.elem if first is not None and first.kind == "reference" else first
        if self.at("=") and self.peek().text == "default" and value is not None and value.bare is not made.bare:
            self._not_special(self.peek())

    def _not_special(self, at: Token) -> None:
        also = " and comparison operators" if self.constrains else ""
        self.fail(f"only special member functions{also} may be defaulted", at)

    def _note_special(self, made: Type, function: Type, mark: str) -> None:
        """Whether a constructor, or an operator= (`mark` \"=\"), of these parameters copies or moves."""
        first = function.params[0] if len(function.params) == 1 else None
        value = first.elem if first is not None and first.kind == "reference" else first
        if first is not None and value is not None and value.bare is made and made.record is not None:
            made.record.special.add(("move" if first.rvalue else "copy") + mark)

    def _destructor(self, made: Type, specs: Specifiers, pending: list[ast.Function]) -> None:
        record = made.record
        assert record is not None
        self.i += 1
        name = self.identifier()
        d = Declarator(Token(IDENT, "~" + name.text, name.source, name.start), ty.VOID)
        self._function_suffix(d)
        if d.this_quals or d.params:
            self.fail(f"a destructor cannot have {'parameters' if d.params else 'a qualifier'}", name)
        if self.initialised_class(made, name) is not made.bare:
            self.fail("expected the class name after '~' to name the enclosing class", name)
        if record.scope is not None and f"~{name.text}" in record.scope.names and d.constraint is None:
            self.fail("destructor cannot be redeclared", name)
        f = self.make_function(specs, d)
        f.record, f.scope = made, self.scope
        self._add_this(f, made, 0)
        self._virtual(f, specs, d)
        theirs = (base.record.destructor for base, _ in record.bases if base.record is not None)
        if any(g is not None and g.final for g in theirs):
            self.fail(f"declaration of '{f.name}' overrides a 'final' function", name)
        if record.scope is not None:
            record.scope.names[f.name] = [f]
        if self.at("=") and self.peek().text in ("default", "0"):
            self.i += 2
            self.expect(";")
            f.pure = False
            return
        record.provided = record.provided or self.peek().text != "delete"
        if f.space == "device" or f.constexpr or (self.at("=") and self.peek().text == "delete"):
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
                        and other.atoms == f.atoms
                    ):
                        if other.record is not None and f.record is not None and other.record.bare is not f.record.bare:
                            # Brought in by a using-declaration, and hidden.
                            found[found.index(other)] = f
                            return
                        self.fail(f"class member cannot be redeclared: '{name}'", at)
            self.signatures.append(found, f)
        elif found is None:
            scope.names[name] = [f]
        else:
            self.fail(f"redefinition of '{name}' as different kind of symbol", at, code="frontend.redefinition")
