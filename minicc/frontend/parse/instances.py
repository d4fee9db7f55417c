"""Instances of templates: their tokens read again, with the parameters bound in a scope."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TypeVar

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.declarations import Declarations
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.names import opaque
from minicc.frontend.parse.specifiers import SPACES, Specifiers
from minicc.frontend.sema import constant
from minicc.frontend.sema.deduce import (
    Bindings,
    Structural,
    Typed,
    argument_key,
    flatten,
    instance_key,
    is_dependent,
    more_specialised,
    pattern_key,
    settled,
    unify_arguments,
)
from minicc.frontend.sema.overloads import fits
from minicc.frontend.tokens import EOF, IDENT, STRING, Token
from minicc.frontend.types import Record, Type

Made = TypeVar("Made")


class Instances(Declarations):
    waiting: list[ast.Function]
    """Called functions whose definition was not seen yet."""

    def closed(self, start: int, end: int) -> list[Token]:
        """A list of tokens of its own, with an end."""
        last = self.tokens[end - 1]
        return [*self.tokens[start:end], Token(EOF, "", last.source, last.start)]

    def skip_declaration(self) -> None:
        """Past a function or class declaration: its `;` or its body."""
        initialisers = False
        while self.token.kind != EOF:
            text = self.token.text
            if self.token.kind is not STRING:
                if text == ";":
                    self.i += 1
                    return
                if text == "{" and initialisers and self.tokens[self.i - 1].text not in (")", "}", "..."):
                    # member{value}
                    self.skip_balanced()
                    continue
                if text == "{":
                    self.skip_balanced()
                    return
                if text == ":" and self.tokens[self.i - 1].text in (")", "noexcept"):
                    initialisers = True
                if text in ("(", "["):
                    self.skip_balanced()
                    continue
            self.i += 1

    # -- binding parameters

    def bind_parameters(
        self, parent: ast.Scope, params: Sequence[ast.TemplateParam], args: Sequence[object], at: Token
    ) -> ast.Scope:
        """A scope in which the parameters mean the arguments."""
        scope = ast.Scope("template", parent)
        for p, value in zip(params, args, strict=False):
            scope.names[p.name] = self._bound(scope, p, value, at)
        return scope

    def _bound(self, scope: ast.Scope, p: ast.TemplateParam, value: object, at: Token) -> object:
        if isinstance(value, tuple):
            return tuple(self._bound(scope, p, v, at) for v in value)
        inner = value.elem if isinstance(value, Type) and value.kind == "pack" else value
        if isinstance(inner, Type) and inner.kind == "value" and isinstance(value, Type):
            return ast.Variable(value.name, p.type or ty.INT, at, "stand-in", stand_in=value)
        if isinstance(value, ast.Function):
            return [value]
        if isinstance(value, ast.Variable) and (p.type is None or p.type.kind != "reference"):
            # Its address.
            named = self.use_variable(value, at)
            return self.decay(named) if named.type.kind == "array" else self.address_of(named, at)
        if isinstance(value, Structural):
            t = ty.qualified(value.type, ty.CONST)
            return ast.Variable(p.name, t, at, "host", init=value.init, constexpr=True)
        if not isinstance(value, int | float):
            return value
        t = p.type or ty.INT
        if p.tokens is not None:
            t = self._parameter_type(scope, p)
        if isinstance(value, Typed):
            t = value.type
        if not (t.arithmetic or t.kind in ("enum", "pointer", "nullptr", "member")):
            t = ty.INT if -(1 << 31) <= value < 1 << 31 else ty.LONG
        return ast.Variable(p.name, t, at, "enumerator", value=constant.wrap(value, t))

    def _parameter_type(self, scope: ast.Scope, p: ast.TemplateParam) -> Type:
        assert p.tokens is not None
        saved = self.tokens, self.i, self.scope, self.greater_ends
        self.tokens, self.i, self.scope, self.greater_ends = p.tokens, 0, scope, False
        try:
            specs = self.specifiers()
            assert specs.type is not None
            self.accept("...")
            return self.declarator(specs.type, abstract=True).type.bare
        finally:
            self.tokens, self.i, self.scope, self.greater_ends = saved

    def template_default(
        self, scope: ast.Scope, param: ast.TemplateParam, bindings: Bindings, params: list[ast.TemplateParam]
    ) -> object:
        assert param.default is not None
        at = param.default[0]
        known = [p for p in params if p.name in bindings]
        saved = self.tokens, self.i, self.scope, self.greater_ends, self.nest
        try:
            self.scope = self.bind_parameters(scope, known, [bindings[p.name] for p in known], at)
            # A type that depends on the others may fail to exist.
            if param.tokens is not None:
                self._parameter_type(self.scope, param)
            self.tokens, self.i = [*param.default, Token(EOF, "", at.source, at.start)], 0
            self.greater_ends = False
            if param.kind == "type":
                return self.type_name()
            if param.kind == "template":
                return self.qualified_template()
            return self._constant_argument(self.conditional_expression())
        finally:
            self.tokens, self.i, self.scope, self.greater_ends, self.nest = saved

    def qualified_template(self) -> object:
        found: object = self.lookup(self.take().text)
        while self.accept("::") and isinstance(found, ast.Scope):
            found = self.find_in(found, self.take().text)
        return found

    # -- functions

    def instantiate(self, template: ast.FunctionTemplate, args: tuple[object, ...]) -> ast.Function | None:
        """Declare the instance for `args`; its body waits until it is called. None: there is no such instance."""
        args = settled(template.params, args)
        key = instance_key(args)
        if key in template.instances:
            return template.instances[key]
        self.count_instance(template.at)
        tokens, parent, params = template.tokens, template.scope, template.params
        outline = self._member_outline(template)
        declared = template.declared
        if outline is not None:
            declared = tokens, params
            tokens, parent, params = outline
        f = self._read_instance(template, tokens, parent, params, args)
        if f is not None and declared is not None and template.required < len(f.params):
            first = self._read_instance(template, declared[0], template.scope, declared[1], args)
            f.defaults = first.defaults if first is not None else f.defaults
        if f is not None or not self.pattern:
            template.instances[key] = f
        return f

    def _member_outline(
        self, template: ast.FunctionTemplate
    ) -> tuple[list[Token], ast.Scope, list[ast.TemplateParam]] | None:
        """The definition outside of its class of a member template of a class template."""
        record = template.record.record if template.record is not None else None
        if record is None or not isinstance(record.template, ast.ClassTemplate) or record.scope is None:
            return None
        if any(t.text == "{" for t in template.tokens):
            return None
        found = [
            (o.tokens, self.bind_parameters(record.scope, o.params, record.template_args, template.at), o.inner)
            for o in record.template.outlines
            if o.inner is not None and not o.nested and o.name == template.name and len(o.inner) == len(template.params)
        ]
        if len(found) > 1 and template.pattern is not None:
            key = [pattern_key(p) for p in template.pattern.params]
            found = [o for o in found if self._outline_key(*o) == key] or found
        return found[0] if found else None

    def _outline_key(self, tokens: list[Token], scope: ast.Scope, params: list[ast.TemplateParam]) -> list[str]:
        """Of a member template's definition outside of its class, what its parameters are."""
        saved = self.tokens, self.i, self.scope
        self.tokens, self.i, self.scope = tokens, 0, scope
        try:
            d, _, _ = self.template_pattern(params)
        finally:
            self.tokens, self.i, self.scope = saved
        return [pattern_key(p) for p in d.type.params] if d is not None else []

    def _read_instance(
        self,
        template: ast.FunctionTemplate,
        tokens: list[Token],
        parent: ast.Scope,
        params: list[ast.TemplateParam],
        args: tuple[object, ...],
    ) -> ast.Function | None:
        saved = self.tokens, self.i, self.scope, self.function, self.nest, self.library, self.extern_c
        state = self.greater_ends, self.pattern, self.unevaluated
        self.tokens, self.i, self.function, self.extern_c = tokens, 0, None, False
        self.greater_ends, self.pattern, self.unevaluated = False, 0, 0
        self.quiet += 1
        try:
            self.scope = self.bind_parameters(parent, params, args, template.at)
            if not all(map(self.satisfied, template.constraints)):
                raise Abandon
            specs = self.specifiers(need_type=False)
            if template.constructor:
                record = template.record.record if template.record is not None else None
                if record is None:
                    raise Abandon
                d = self.constructor_declarator(record)
            else:
                if specs.type is None and not self.at("operator"):
                    raise Abandon
                d = self.declarator(specs.type) if specs.type is not None else self.conversion_declarator()
            if d.params is None or d.type.kind != "function":
                raise Abandon
            if d.constraint is not None:
                self.scope = d.param_scope or self.scope
                if not self.satisfied(d.constraint):
                    raise Abandon
            f = self.make_function(specs, d)
            for p in f.params:
                if p.type.kind == "void":
                    raise Abandon
        except (Abandon, constant.NotConstant):
            return None
        finally:
            self.quiet -= 1
            end, tokens = self.i, self.tokens
            self.tokens, self.i, self.scope, self.function, self.nest, self.library, self.extern_c = saved
            self.greater_ends, self.pattern, self.unevaluated = state
        f.template, f.template_args = template, args
        f.scope = template.scope
        f.constructor, f.explicit = template.constructor, template.explicit
        if template.record is not None:
            f.record = template.record
            if "static" not in specs.words and not template.static:
                self._add_this(f, template.record, d.this_quals)
        if tokens[end].text in ("{", ":"):
            f.pending = (tokens, end)
        return f

    def conversion_declarator(self) -> Declarator:
        """`operator type()` at the cursor."""
        name = self.operator_name()
        d = Declarator(name, self.conversion_type or ty.INT)
        self._function_suffix(d)
        return d

    def constructor_declarator(self, record: Record) -> Declarator:
        """`Name(params)` at the cursor."""
        if self.token.text not in (record.name.partition("<")[0], record.template_name):
            raise Abandon
        d = Declarator(self.take(), ty.VOID)
        if self.at("<"):
            self.skip_template_arguments()
        if not self.at("("):
            raise Abandon
        self._function_suffix(d)
        return d

    def defines_member(self, params: list[ast.TemplateParam], start: int, name: Token, d: Declarator | None) -> bool:
        """`template <class U> void Class::f(U) { ... }`: the tokens from `start` to the cursor are the definition of a
        member template that `Class`, no template, declares."""
        tokens = self.closed(start, self.i)
        at = begin = next((k for k, t in enumerate(tokens) if t.start == name.start and t.source is name.source), 0)
        while begin > 1 and tokens[begin - 1].text == "::" and tokens[begin - 2].kind == IDENT:
            begin -= 2
        entity: object = None
        for token in tokens[begin : at - 1 : 2]:
            inner = entity.record.scope if isinstance(entity, Type) and entity.record is not None else entity
            entity = self.find_in(inner, token.text) if isinstance(inner, ast.Scope) else self.lookup(token.text)
        if not isinstance(entity, Type) or entity.record is None or entity.record.scope is None:
            return False
        record, names = entity.record, entity.record.scope.names
        if name.text == "operator ":
            declared = [f for n, fs in names.items() if n.startswith("operator ") and isinstance(fs, list) for f in fs]
        else:
            found = names.get(name.text)
            declared = record.constructors if name.text == record.name else found if isinstance(found, list) else []
        open_ = [
            f
            for f in declared
            if isinstance(f, ast.FunctionTemplate)
            and len(f.params) == len(params)
            and not any(t.text == "{" for t in f.tokens)
        ]
        if d is not None:
            key = [pattern_key(p) for p in d.type.params]
            open_ = [f for f in open_ if f.pattern and [pattern_key(p) for p in f.pattern.params] == key] or open_
        if not open_:
            return False
        chosen = open_[0]
        for old, new in zip(chosen.params, params, strict=True):
            new.default = new.default or old.default
        before = copy.copy(chosen)
        chosen.declared = chosen.tokens, chosen.params
        chosen.params, chosen.tokens = params, tokens[:begin] + tokens[at:]
        self._complete_instances(before, chosen)
        return True

    def _complete_instances(self, declared: ast.FunctionTemplate, defined: ast.FunctionTemplate) -> None:
        """Instances that were made from a declaration get the definition that follows it."""
        known = declared.instances
        defined.instances = {}
        for key, f in known.items():
            if f is None or f.body is not None or f.pending is not None:
                if f is not None:
                    defined.instances[key] = f
                continue
            made = self.instantiate(defined, f.template_args)
            if made is not None:
                f.params, f.param_scope, f.pending, f.template = made.params, made.param_scope, made.pending, defined
                f.noinline, f.forceinline, f.bounds = made.noinline, made.forceinline, made.bounds
                if f.space == "host":
                    f.space = made.space
                for p in f.params:
                    p.owner = f
            defined.instances[key] = f

    def finish(self, f: ast.Function) -> None:
        if f.template is None or not any(map(is_dependent, flatten(f.template_args))):
            super().finish(f)

    def need_body(self, f: ast.Function) -> None:
        if f.parsed or f.body is not None:
            return
        if f.template is not None and any(map(is_dependent, flatten(f.template_args))):
            # Named in a pattern: there is no such function.
            return
        if f.pending is None and f.record is not None:
            self._attach_outline(f)
        if f.pending is None:
            if f.template is not None or (
                f.record is not None and f.record.record and self._in_template(f.record.record)
            ):
                self.waiting.append(f)
            return
        super().need_body(f)
        ends = f.record.record.destructor if f.constructor and f.record is not None and f.record.record else None
        if ends is not None:
            # What is made is ended; a definition outside of the class has to be found.
            self.need_body(ends)

    def need_waiting(self) -> None:
        """At the end of the file: definitions that came after their use."""
        waiting, self.waiting = self.waiting, []
        for f in waiting:
            self.need_body(f)
        self.waiting = []

    def _attach_outline(self, f: ast.Function) -> None:
        """Find the definition of a class template's member outside of the class."""
        record = f.record.record if f.record is not None else None
        if record is None or record.scope is None or record.scope.parent is None:
            return
        own = record.template if isinstance(record.template, ast.ClassTemplate) else None
        around = own.scope if own is not None else record.scope.parent
        outer = around.record
        outlines = [o for o in own.outlines if o.inner is None and not o.nested] if own is not None else []
        if outer is not None and isinstance(outer.template, ast.ClassTemplate):
            # Members of a member class; of a member template, behind both templates' parameters.
            inner = own.name if own is not None else record.name
            outlines += [o for o in outer.template.outlines if o.nested == inner and (o.inner is None) is (own is None)]
        for o in outlines:
            special = f.constructor or f.name.startswith("~")
            converts = f.name.startswith("operator ")
            wanted = (own.name if own is not None else record.name) if special else f.name
            if o.name != ("operator " if converts else wanted):
                continue
            saved = self.tokens, self.i, self.scope, self.function, self.nest, self.greater_ends
            self.tokens, self.i, self.function, self.greater_ends = o.tokens, 0, None, False
            self.quiet += 1
            try:
                params, args, parent = o.params, record.template_args, record.scope
                if o.nested and outer is not None:
                    args = outer.template_args
                if o.inner is not None:
                    parent = self.bind_parameters(parent, o.params, args, f.at)
                    params, args = o.inner, record.template_args
                scope = self.scope = self.bind_parameters(parent, params, args, f.at)
                if converts:
                    specs = Specifiers(self.token)
                    while not self.at("operator"):
                        if self.token.text in SPACES:
                            specs.spaces.add(SPACES[self.token.text])
                        self.i += 1
                    d = self.conversion_declarator()
                else:
                    specs = self.specifiers(need_type=False)
                    if (specs.type is None) != special:
                        continue
                    d = self.declarator(specs.type) if specs.type is not None else self.constructor_outline()
                if d.params is None or d.type.params != f.type.params or d.this_quals != f.this_quals:
                    continue
                if converts and d.type.elem is not f.type.elem:
                    continue
                if special and d.name is not None and d.name.text.startswith("~") == f.constructor:
                    continue
                f.params, f.param_scope, f.pending = d.params, d.param_scope, (self.tokens, self.i)
                if d.param_scope is not None:
                    d.param_scope.parent = scope
                for p in f.params:
                    p.owner = f
                if "device" in specs.spaces:
                    f.space = "device"
                return
            except Abandon:
                continue
            finally:
                self.quiet -= 1
                self.tokens, self.i, self.scope, self.function, self.nest, self.greater_ends = saved

    # -- classes, types and variables

    def complete_arguments(self, template: ast.ClassTemplate, args: Sequence[object], at: Token) -> tuple[object, ...]:
        """One argument for each parameter: packs gathered, defaults filled in."""
        bindings: Bindings = {}
        given = list(args)
        out: list[object] = []
        for p in template.params:
            value: object
            if p.pack:
                value, given = tuple(given), []
                for v in value:
                    self._check_kind(template, p, v, at)
            elif given:
                value = given.pop(0)
                self._check_kind(template, p, value, at)
            elif p.default is not None:
                value = self.template_default(template.scope, p, bindings, template.params)
            else:
                self.fail(f"too few template arguments for class template '{template.name}'", at)
            bindings[p.name] = value
            out.append(value)
        if given:
            self.fail(f"too many template arguments for class template '{template.name}'", at)
        return tuple(out)

    def _check_kind(self, template: ast.ClassTemplate, p: ast.TemplateParam, value: object, at: Token) -> None:
        if not fits(p, value):
            kind = "type" if p.kind == "type" else "non-type" if p.kind == "value" else "template template"
            want = {"type": "a type", "value": "an expression", "template": "a class template"}[p.kind]
            self.fail(f"template argument for template {kind} parameter must be {want}", at)

    def class_instance(self, template: ast.ClassTemplate, args: list[object], at: Token) -> object:
        if isinstance(template, Type) or any(is_dependent(a) for a in args):
            return self._dependent_instance(template, args, at)
        given = settled(template.params, self.complete_arguments(template, args, at))
        key = instance_key(given)
        known = template.instances.get(key)
        if known is not None:
            return known
        self.count_instance(at)
        if template.alias or template.variable:
            return self.apart(lambda: self._named_instance(template, given, key, at))
        if template.constraints and not self.apart(lambda: self._constrained(template, given, at)):
            spelled = ", ".join(_spell(a) for a in flatten(given))
            self.fail(f"constraints not satisfied for class template '{template.name}' [with {spelled}]", at)
        made = template.instances[key] = self._unread_instance(template, given, at)
        return made

    def apart(self, read: Callable[[], Made]) -> Made:
        """What `read` makes of other tokens, in a scope of their own, outside of all functions and patterns."""
        saved = self.tokens, self.i, self.scope, self.function, self.nest, self.greater_ends, self.extern_c
        state = self.pattern, self.unevaluated
        self.i, self.function = 0, None
        self.greater_ends, self.extern_c, self.pattern, self.unevaluated = False, False, 0, 0
        try:
            return read()
        finally:
            self.tokens, self.i, self.scope, self.function, self.nest, self.greater_ends, self.extern_c = saved
            self.pattern, self.unevaluated = state

    def _constrained(self, template: ast.ClassTemplate, given: tuple[object, ...], at: Token) -> bool:
        self.scope = self.bind_parameters(template.scope, template.params, given, at)
        return all(map(self.satisfied, template.constraints))

    def _named_instance(
        self, template: ast.ClassTemplate, given: tuple[object, ...], key: tuple[object, ...], at: Token
    ) -> object:
        """The type of an alias; the variable of a variable template or a concept."""
        self.tokens, params, values, parent = self._definition(template, given, argument_key(given), at)
        self.scope = self.bind_parameters(parent, params, values, at)
        if template.concept:
            v = ast.Variable(template.name, ty.BOOL, at, "enumerator", value=int(self.satisfied(self.tokens)))
            template.instances[key] = v
            return v
        if template.alias:
            template.instances[key] = made = self.type_name()
            return made
        try:
            return self._variable_instance(template, key)
        except Abandon:
            template.instances.pop(key, None)
            raise

    def _dependent_instance(self, template: ast.ClassTemplate | Type, args: list[object], at: Token) -> object:
        """What stands in for an instance whose arguments depend on parameters."""
        if isinstance(template, ast.ClassTemplate) and template.variable:
            return ast.Variable("?", ty.INT, at, "stand-in", stand_in=Type("value", "?"))
        if isinstance(template, ast.ClassTemplate) and template.alias:
            saved = self.tokens, self.i, self.scope, self.nest, self.greater_ends
            self.tokens, self.i, self.greater_ends = template.tokens, 0, False
            self.pattern += 1
            self.quiet += 1
            try:
                given = self.complete_arguments(template, args, at)
                self.scope = self.bind_parameters(template.scope, template.params, given, at)
                return self.type_name()
            except (Abandon, constant.NotConstant):
                return opaque()
            finally:
                self.quiet -= 1
                self.pattern -= 1
                self.tokens, self.i, self.scope, self.nest, self.greater_ends = saved
        if isinstance(template, ast.ClassTemplate) and len(args) < len(template.params):
            args = self.with_defaults(template, args, at)
        name = template.name
        made = Type("spec", name, template=template if isinstance(template, ast.ClassTemplate) else template.template)
        made.count = template.count if isinstance(template, Type) else 0
        made.params = tuple(args)  # type: ignore[arg-type]
        return made

    def with_defaults(self, template: ast.ClassTemplate, args: list[object], at: Token) -> list[object]:
        """Arguments that depend on parameters, and the default ones, as far as they can be read."""
        if any(p.pack or p.default is None for p in template.params[len(args) :]):
            return args
        self.pattern += 1
        self.quiet += 1
        try:
            return list(self.complete_arguments(template, args, at))
        except (Abandon, constant.NotConstant):
            return args
        finally:
            self.quiet -= 1
            self.pattern -= 1

    def _definition(
        self, template: ast.ClassTemplate, given: tuple[object, ...], key: tuple[object, ...], at: Token
    ) -> tuple[list[Token], list[ast.TemplateParam], Sequence[object], ast.Scope]:
        """(tokens, parameters, their values, scope) of the specialisation that `given` selects, or of the template."""
        special = template.specialised.get(key)
        if special is not None:
            return special, [], (), template.scope
        best: tuple[ast.Partial, Bindings] | None = None
        for partial in template.partials:
            bindings: Bindings = {}
            if not unify_arguments(partial.pattern, given, bindings) or not self._substitutes(
                template, partial, bindings, key, at
            ):
                continue
            if (
                best is None
                or more_specialised(partial.pattern, best[0].pattern)
                or (len(partial.constraints) > len(best[0].constraints) and self._alike(partial, best[0]))
            ):
                best = partial, bindings
        if best is None:
            return template.tokens, template.params, given, template.scope
        partial, bindings = best
        return partial.tokens, partial.params, [bindings[p.name] for p in partial.params], partial.scope

    def _alike(self, a: ast.Partial, b: ast.Partial) -> bool:
        """Neither is the more specialised by its pattern."""
        return not more_specialised(b.pattern, a.pattern)

    def _substitutes(
        self,
        template: ast.ClassTemplate,
        partial: ast.Partial,
        bindings: Bindings,
        key: tuple[object, ...],
        at: Token,
    ) -> bool:
        """With the parameters bound, the specialisation's arguments exist and are those given."""
        for p in partial.params:
            if p.pack:
                bindings.setdefault(p.name, ())
        if any(p.name not in bindings for p in partial.params):
            return False
        saved = self.tokens, self.i, self.scope, self.nest, self.greater_ends, self.pattern, self.unevaluated
        self.tokens, self.i, self.greater_ends, self.pattern, self.unevaluated = partial.arguments, 0, False, 0, 0
        self.quiet += 1
        try:
            self.scope = self.bind_parameters(
                partial.scope, partial.params, [bindings[p.name] for p in partial.params], at
            )
            if not all(map(self.satisfied, partial.constraints)):
                return False
            args = self.template_arguments(template.params)
            return argument_key(self.complete_arguments(template, args, at)) == key
        except (Abandon, constant.NotConstant):
            return False
        finally:
            self.quiet -= 1
            self.tokens, self.i, self.scope, self.nest, self.greater_ends, self.pattern, self.unevaluated = saved

    def _unread_instance(self, template: ast.ClassTemplate, given: tuple[object, ...], at: Token) -> Type:
        spelled = ", ".join(_spell(a) for a in flatten(given))
        record = Record(_tag(template.tokens), f"{template.name}<{spelled}>")
        record.template_name, record.template_args, record.template = template.name, given, template
        made = ty.new_record(record)
        return ty.put_off(made, lambda: self.apart(lambda: self._read_class(template, made, at)))

    def _read_class(self, template: ast.ClassTemplate, made: Type, at: Token) -> bool:
        """Read the class that `made` is, if there is a definition."""
        record = made.record
        assert record is not None and record.reader is not None
        given = record.template_args
        self.tokens, params, values, parent = self._definition(template, given, argument_key(given), at)
        scope = self.scope = self.bind_parameters(parent, params, values, at)
        tag = self.take()
        align = 0
        while self.token.text in ("__align__", "alignas", "__attribute__", "__device__") or self.at("["):
            if self.at("["):
                self.skip_balanced()
                continue
            holder = Specifiers(tag)
            self._specifier(holder, self.token)
            align = max(align, holder.align)
        self.identifier()
        while self.accept("::"):
            self.identifier()
        if self.at("<"):
            self.skip_template_arguments()
        if self.at(";"):
            return False
        reader = record.reader
        record.tag = _tag(self.tokens)
        ty.begin_reading(made)
        record.scope = ast.Scope("record", scope, name=template.name, record=record, record_type=made)
        try:
            self._body(made, template.at, align)
        except Abandon:
            if self.quiet:
                # Whoever asks next learns why.
                ty.put_off(made, reader)
            raise
        return True

    def _variable_instance(self, template: ast.ClassTemplate, key: tuple[object, ...]) -> ast.Variable:
        specs = self.specifiers()
        assert specs.type is not None
        d = self.declarator(specs.type)
        v = ast.Variable(template.name, d.type, template.at, "host", scope=template.scope)
        v.constexpr = "constexpr" in specs.words
        v.internal = True
        if "device" in specs.spaces or "constant" in specs.spaces:
            v.storage = "constant" if "constant" in specs.spaces else "device"
        if v.constexpr:
            v.type = ty.qualified(v.type, ty.CONST)
        template.instances[key] = v
        self._initialiser(v)
        return v


def _tag(tokens: list[Token]) -> str:
    return tokens[0].text


def _spell(value: object) -> str:
    return value.name if isinstance(value, ast.ClassTemplate | ast.Function | ast.Variable) else str(value)
