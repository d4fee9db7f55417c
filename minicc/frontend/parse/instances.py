"""Instances of templates: their tokens read again, with the parameters bound in a scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.declarations import Declarations
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.names import opaque
from minicc.frontend.parse.specifiers import Specifiers
from minicc.frontend.sema import arithmetic
from minicc.frontend.sema.calls import deduced_type
from minicc.frontend.sema.deduce import (
    Bindings,
    Structural,
    Typed,
    argument_key,
    flatten,
    instance_key,
    is_dependent,
    more_specialised,
    settled,
    unify_arguments,
    unspoken,
)
from minicc.frontend.sema.overloads import fits
from minicc.frontend.tokens import EOF, STRING, Token
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
        return ast.Variable(p.name, t, at, "enumerator", value=arithmetic.wrap(value, t))

    def _parameter_type(self, scope: ast.Scope, p: ast.TemplateParam) -> Type:
        assert p.tokens is not None
        with self.having(tokens=p.tokens, i=0, scope=scope, greater_ends=False):
            specs = self.specifiers()
            assert specs.type is not None
            self.accept("...")
            return self.declarator(specs.type, abstract=True).type.bare

    def template_default(
        self, scope: ast.Scope, param: ast.TemplateParam, bindings: Bindings, params: list[ast.TemplateParam]
    ) -> object:
        assert param.default is not None
        at = param.default[0]
        known = [p for p in params if p.name in bindings]
        tokens = [*param.default, Token(EOF, "", at.source, at.start)]
        with self.having(tokens=tokens, i=0, scope=self.scope, greater_ends=False, nest=self.nest):
            self.scope = self.bind_parameters(scope, known, [bindings[p.name] for p in known], at)
            # A type that depends on the others may fail to exist.
            if param.tokens is not None:
                self._parameter_type(self.scope, param)
            if param.kind == "type":
                return self.type_name()
            if param.kind == "template":
                return self.qualified_template()
            return self.constant_argument(self.conditional_expression())

    def qualified_template(self) -> object:
        found: object = self.lookup(self.take().text)
        while self.accept("::") and isinstance(found, ast.Scope):
            found = self.find_in(found, self.take().text)
        return found

    def stand_in(self, p: ast.TemplateParam) -> object:
        """What the parameter's name means in a pattern."""
        if p.kind == "value":
            t = p.type if p.type is not None and p.type.kind != "auto" else ty.INT
            return ast.Variable(p.name, t, self.token, "stand-in", stand_in=p.marker)
        return p.marker

    # -- functions

    def instantiate(self, template: ast.FunctionTemplate, args: tuple[object, ...]) -> ast.Function | None:
        """Declare the instance for `args`; its body waits until it is called. None: there is no such instance."""
        args = settled(template.params, args)
        key = instance_key(args)
        if key in template.instances:
            return template.instances[key]
        self.count_instance(template.at)
        tokens, parent, params = template.tokens, template.scope, template.params
        outline = self.member_outline(template)
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

    def _read_instance(
        self,
        template: ast.FunctionTemplate,
        tokens: list[Token],
        parent: ast.Scope,
        params: list[ast.TemplateParam],
        args: tuple[object, ...],
    ) -> ast.Function | None:
        with self.having(
            tokens=tokens, i=0, scope=self.scope, function=None, nest=self.nest, library=self.library, extern_c=False,
            greater_ends=False, pattern=0, unevaluated=0, depth=self.depth + 1, quiet=self.quiet + 1,
        ):  # fmt: skip
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
                elif specs.type is None and not self.at("operator"):
                    if not self._is_constructor_outline():
                        raise Abandon
                    d = self.constructor_outline()
                else:
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
            except (Abandon, arithmetic.NotConstant):
                return None
            end, tokens = self.i, self.tokens
        f.template, f.template_args = template, args
        f.scope = template.scope
        f.constructor, f.explicit = template.constructor, template.explicit or "explicit" in specs.words
        if template.record is not None:
            f.record = template.record
            if "static" not in specs.words and not template.static:
                self._add_this(f, template.record, d.this_quals)
        if tokens[end].text in ("{", ":"):
            f.pending = (tokens, end)
        return f

    def constructor_declarator(self, record: Record) -> Declarator:
        """`Name(params)` at the cursor, or `Name<T>::Name(params)`."""
        name = self.identifier()
        while not self.at("("):
            if self.at("<"):
                self.skip_template_arguments()
            else:
                self.expect("::")
                name = self.identifier()
        if name.text not in (record.name.partition("<")[0], record.template_name):
            raise Abandon
        d = Declarator(name, ty.VOID)
        self._function_suffix(d)
        return d

    def need_body(self, f: ast.Function) -> None:
        if f.parsed or f.body is not None:
            return
        if f.template is not None and any(map(is_dependent, flatten(f.template_args))):
            # Named in a pattern: there is no such function.
            return
        if f.pending is None and f.record is not None:
            self.attach_outline(f)
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

    late: list[ast.Function] | None
    """Instances whose bodies could not be read where they were asked for; None at the end of the file."""

    def finish(self, f: ast.Function) -> None:
        if f.template is not None and any(map(is_dependent, flatten(f.template_args))):
            return
        # Whoever asks for a result that the body decides on cannot wait.
        waits = f.type.elem is not None and not deduced_type(f.type.elem)
        done = len(self.diagnostics.items)
        names = dict(f.param_scope.names) if f.param_scope is not None else {}
        super().finish(f)
        of_template = f.template is not None or (f.record is not None and f.record.template is not None)
        if len(self.diagnostics.items) == done or not (waits and of_template and f.pending) or self.late is None:
            return
        first, last = f.pending[0][0], f.pending[0][-1]
        errors = [d.where for d in self.diagnostics.items[done:] if d.severity == "error"]
        inside = (w and w.source is first.source and first.start <= w.start <= last.start for w in errors)
        if errors and all(inside):
            # [temp.point]: the end of the file is a point of instantiation, too, where arguments' types find more.
            del self.diagnostics.items[done:]
            self.functions = [g for g in self.functions if g is not f]
            self.variables = [v for v in self.variables if v.owner is not f]
            self.numbers = Counter({key: number for key, number in self.numbers.items() if key[0] is not f})
            f.body, f.pure_at = None, 0
            if f.param_scope is not None:
                f.param_scope.names = names
            self.late.append(f)

    def need_waiting(self) -> None:
        """At the end of the file: definitions that came after their use."""
        waiting, self.waiting = self.waiting, []
        late, self.late = self.late or [], None
        for f in waiting:
            self.need_body(f)
        for f in late:
            self.finish(f)
        self.waiting = []

    # -- classes, types and variables

    def complete_arguments(self, template: ast.ClassTemplate, args: Sequence[object], at: Token) -> tuple[object, ...]:
        """One argument for each parameter: packs gathered, defaults filled in."""
        bindings: Bindings = {}
        given = list(args)
        out: list[object] = []
        for p in template.params:
            value: object
            if p.pack:
                value, given = tuple(self.scalar_argument(p, v) for v in given), []
                for v in value:
                    self._check_kind(p, v, at)
            elif given:
                value = self.scalar_argument(p, given.pop(0))
                self._check_kind(p, value, at)
            elif p.default is not None:
                value = self.template_default(template.scope, p, bindings, template.params)
            else:
                self.fail(f"too few template arguments for class template '{template.name}'", at)
            bindings[p.name] = value
            out.append(value)
        if given:
            self.fail(f"too many template arguments for class template '{template.name}'", at)
        return tuple(out)

    def _check_kind(self, p: ast.TemplateParam, value: object, at: Token) -> None:
        if not fits(p, value):
            kind = {"type": "template type", "value": "non-type template", "template": "template template"}[p.kind]
            want = {"type": "a type", "value": "an expression", "template": "a class template"}[p.kind]
            self.fail(f"template argument for {kind} parameter must be {want}", at)
        if isinstance(value, float) and p.type is not None and p.type.integral:
            what = f"conversion from 'double' to '{p.type}' is not allowed in a converted constant expression"
            self.fail(what, at)

    def class_instance(self, template: ast.ClassTemplate, args: list[object], at: Token) -> object:
        if isinstance(template, Type) or any(is_dependent(a) for a in args):
            return self._dependent_instance(template, args, at)
        given = settled(template.params, self.complete_arguments(template, args, at))
        key = instance_key(given)
        known = template.instances.get(key)
        if known is not None:
            return known
        self.count_instance(at)
        if template.constraints and not self.apart(lambda: self._constrained(template, given, at)):
            spelled = ", ".join(_spell(a) for a in flatten(given))
            kind = "alias" if template.alias else "variable" if template.variable else "class"
            self.fail(f"constraints not satisfied for {kind} template '{template.name}' [with {spelled}]", at)
        if template.alias or template.variable:
            return self.apart(lambda: self._named_instance(template, given, key, at))
        made = template.instances[key] = self._unread_instance(template, given, at)
        return made

    def apart(self, read: Callable[[], Made]) -> Made:
        """What `read` makes of other tokens, in a scope of their own, outside of all functions and patterns."""
        with self.having(
            tokens=self.tokens, i=0, scope=self.scope, function=None, nest=self.nest, greater_ends=False,
            extern_c=False, pattern=0, unevaluated=0, depth=self.depth + 1,
        ):  # fmt: skip
            return read()

    def _constrained(self, template: ast.ClassTemplate, given: tuple[object, ...], at: Token) -> bool:
        self.scope = self.bind_parameters(template.scope, template.params, given, at)
        return all(map(self.satisfied, template.constraints))

    def _named_instance(
        self, template: ast.ClassTemplate, given: tuple[object, ...], key: tuple[object, ...], at: Token
    ) -> object:
        """The type of an alias; the variable of a variable template or a concept."""
        self.tokens, params, values, parent, _ = self._definition(template, given, argument_key(given), at)
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
            stand_in = Type("value", "?", template=ast.StandInVariable(template, args))
            return ast.Variable("?", ty.INT, at, "stand-in", stand_in=stand_in)
        if isinstance(template, ast.ClassTemplate) and template.alias:
            with self.having(
                tokens=template.tokens, i=0, scope=self.scope, nest=self.nest, greater_ends=False,
                pattern=self.pattern + 1, quiet=self.quiet + 1,
            ):  # fmt: skip
                try:
                    given = self.complete_arguments(template, args, at)
                    self.scope = self.bind_parameters(template.scope, template.params, given, at)
                    return self.type_name()
                except (Abandon, arithmetic.NotConstant):
                    return opaque()
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
        except (Abandon, arithmetic.NotConstant):
            return args
        finally:
            self.quiet -= 1
            self.pattern -= 1

    def _definition(
        self, template: ast.ClassTemplate, given: tuple[object, ...], key: tuple[object, ...], at: Token
    ) -> tuple[list[Token], list[ast.TemplateParam], Sequence[object], ast.Scope, ast.Partial | None]:
        """(tokens, parameters, their values, scope) of the specialisation that `given` selects, or of the template;
        and which partial specialisation that is."""
        special = template.specialised.get(key)
        if special is not None:
            return special, [], (), template.scope, None
        best: tuple[ast.Partial, Bindings] | None = None
        matching: list[ast.Partial] = []
        for partial in template.partials:
            bindings: Bindings = {}
            if not unify_arguments(partial.pattern, given, bindings) or not self._substitutes(
                template, partial, bindings, key, at
            ):
                continue
            matching.append(partial)
            if (
                best is None
                or more_specialised(partial.pattern, best[0].pattern)
                or (self._alike(partial, best[0]) and self.more_constrained(partial, best[0]))
            ):
                best = partial, bindings
        if best is None:
            return template.tokens, template.params, given, template.scope, None
        partial, bindings = best
        if any(other is not partial and self._unordered(partial, other) for other in matching):
            spelled = ", ".join(_spell(a) for a in flatten(given))
            self.fail(f"ambiguous partial specializations of '{template.name}<{spelled}>'", at)
        return partial.tokens, partial.params, [bindings[p.name] for p in partial.params], partial.scope, partial

    def _alike(self, a: ast.Partial, b: ast.Partial) -> bool:
        """Neither is the more specialised by its pattern."""
        return not more_specialised(b.pattern, a.pattern)

    def _unordered(self, a: ast.Partial, b: ast.Partial) -> bool:
        """Neither of two partial specialisations, of which all is known, fits where the other does."""
        if any(map(_unclear, (*a.pattern, *b.pattern))):
            return False
        if a.constraints or b.constraints:
            alike = not more_specialised(a.pattern, b.pattern) and self._alike(a, b)
            return alike and self.as_constrained(a, b)
        return not unify_arguments(a.pattern, b.pattern, {}) and not unify_arguments(b.pattern, a.pattern, {})

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
        with self.having(
            tokens=partial.arguments, i=0, scope=self.scope, nest=self.nest, greater_ends=False,
            pattern=0, unevaluated=0, quiet=self.quiet + 1,
        ):  # fmt: skip
            try:
                values = [bindings[p.name] for p in partial.params]
                self.scope = self.bind_parameters(partial.scope, partial.params, values, at)
                if not all(map(self.satisfied, partial.constraints)):
                    return False
                args = self.template_arguments(template.params)
                return argument_key(self.complete_arguments(template, args, at)) == key
            except (Abandon, arithmetic.NotConstant):
                return False

    def _unread_instance(self, template: ast.ClassTemplate, given: tuple[object, ...], at: Token) -> Type:
        spelled = ", ".join(_spell(a) for a in flatten(given))
        record = Record(_tag(template.tokens), f"{template.name}<{spelled}>")
        record.template_name, record.template_args, record.template = template.name, given, template
        record.depth = self.depth + 1
        made = ty.new_record(record)
        return ty.put_off(made, lambda: self.apart(lambda: self._read_class(template, made, at)))

    def _read_class(self, template: ast.ClassTemplate, made: Type, at: Token) -> bool:
        """Read the class that `made` is, if there is a definition."""
        record = made.record
        assert record is not None and record.reader is not None
        given, self.depth = record.template_args, record.depth
        chosen = self._definition(template, given, argument_key(given), at)
        self.tokens, params, values, parent, record.specialisation = chosen
        outside = self.outlined_template(template) if self.tokens is template.tokens else None
        if outside is not None:
            self.tokens, params, parent = outside
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
        while True:
            if self.at("<"):
                self.skip_template_arguments()
            if not self.accept("::"):
                break
            self.identifier()
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
        self.initialiser(v)
        return v


def _unclear(argument: object) -> bool:
    return isinstance(argument, Type) and unspoken(argument)


def _tag(tokens: list[Token]) -> str:
    return tokens[0].text


def _spell(value: object) -> str:
    return value.name if isinstance(value, ast.ClassTemplate | ast.Function | ast.Variable) else str(value)
