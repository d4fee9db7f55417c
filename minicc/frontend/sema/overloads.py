"""Overload resolution over functions, templates and builtins, and what it rests on: deduction, conversion functions."""

from __future__ import annotations

from typing import NoReturn

from minicc.diagnostics import CompileError, Diagnostic
from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.cursor import Abandon
from minicc.frontend.sema import constant
from minicc.frontend.sema.candidates import Candidate, default_count, nearer, object_rank, takes
from minicc.frontend.sema.convert import CONVERSION, ELLIPSIS, USER, element_quals, is_derived, is_xvalue, plain
from minicc.frontend.sema.copies import value_type
from minicc.frontend.sema.deduce import (
    Bindings,
    Structural,
    Typed,
    call_pattern,
    deduce_call,
    instance_key,
    more_qualified,
    more_specialised,
    unify,
    unify_arguments,
)
from minicc.frontend.sema.operators import Operators
from minicc.frontend.tokens import Token
from minicc.frontend.types import Type

MAX_DEPTH = 1024
MAX_INSTANCES = 250_000
"""A GEMM by CuTe has over 50,000: each generic lambda is one for each call."""


def takes_list(t: Type) -> bool:
    """A stand-in for std::initializer_list, or a reference to one."""
    t = t.elem if t.kind == "reference" and t.elem is not None else t
    return t.kind == "spec" and t.name == "initializer_list"


def _elsewhere(params: tuple[Type, ...], first: Type) -> bool:
    """Whether functions with these parameters are passed by at once for a first argument of the plain class: their own
    first is of another one. Thousands of overloads for as many classes are called with each."""
    if not params:
        return False
    t = params[0]
    wanted = (t.elem if t.kind == "reference" and t.elem is not None else t).bare
    return wanted is not first and plain(wanted)


def _qualifiers(t: Type) -> int:
    """How many const and volatile there are on what a pointer or a reference leads to."""
    count = 0
    while t.kind in ("pointer", "reference", "array") and t.elem is not None:
        t = t.elem
        count += (t.quals & (ty.CONST | ty.VOLATILE)).bit_count()
    return count


class Overloads(Operators):
    instances: int = 0
    deduced: dict[tuple[object, ...], tuple[ast.Function | None, object]]
    """What calls of templates came to; kept while nothing more is declared that could change it."""

    # -- overload resolution

    def resolve(
        self,
        name: str,
        functions: list[object],
        args: list[ast.Expr],
        explicit: list[object] | None,
        at: Token,
        base: ast.Expr | None = None,
    ) -> Candidate:
        found = self.viable(functions, args, explicit, base)
        if len(found) == 1:
            return found[0]
        if not found:
            self._no_match(name, functions, args, at, base)
        if len(found) > 1 and all(
            isinstance(c.entity, Builtin) and all(p.kind == "float" for p in c.params) for c in found
        ):
            # C's math functions come in float and double only; with an integer among the arguments <cmath>'s templates
            # promote all to double, and so they do where float and double meet.
            mixed = len({a.type.bare for a in args}) > 1 or any(
                a.type.integral or a.type.bare is ty.LDOUBLE for a in args
            )
            doubles = [c for c in found if all(p is ty.DOUBLE for p in c.params)]
            if mixed and doubles and all(a.type.arithmetic or a.type.kind == "enum" for a in args):
                return doubles[0]
        best = [c for c in found if all(c is d or not self._better(d, c) for d in found)]
        winners = [c for c in best if all(c is d or self._better(c, d) for d in found)]
        if winners:
            return winners[0]
        notes = [self.note("candidate function", c.entity.at) for c in best if isinstance(c.entity, ast.Function)]
        self.fail(f"call to '{name}' is ambiguous", at, notes=notes, code="frontend.ambiguous")

    def viable(
        self, functions: list[object], args: list[ast.Expr], explicit: list[object] | None, base: ast.Expr | None = None
    ) -> list[Candidate]:
        out: list[Candidate] = []
        first = args[0].type.bare if args and plain(args[0].type.bare) else None
        # One that both an enclosing namespace and a using-directive lead to is one candidate.
        for entity in {id(entity): entity for entity in functions}.values():
            if isinstance(entity, ast.FunctionTemplate):
                f = self.deduce(entity, args, explicit)
                if f is None or not takes(f, base):
                    continue
                candidate = self._try(f, f.type.params, len(f.type.params) - default_count(f), f.type.variadic, args)
                if candidate is not None:
                    candidate.template = True
                    candidate.ranks += object_rank(f, base)
                    out.append(candidate)
            elif isinstance(entity, ast.Function) and explicit is None:
                if (first is not None and _elsewhere(entity.type.params, first)) or not takes(entity, base):
                    continue
                f = entity
                candidate = self._try(f, f.type.params, len(f.type.params) - default_count(f), f.type.variadic, args)
                if candidate is not None:
                    candidate.ranks += object_rank(f, base)
                    out.append(candidate)
            elif isinstance(entity, Builtin) and (explicit is None):
                candidate = self._try(entity, entity.params, len(entity.params), entity.variadic, args)
                if candidate is not None:
                    out.append(candidate)
        users = {c.params for c in out if isinstance(c.entity, ast.Function) and not c.template}
        if users:
            # A user's own function of the same signature hides the built-in one.
            out = [c for c in out if not (isinstance(c.entity, Builtin) and c.params in users)]
        return out

    def _try(
        self, entity: ast.Function | Builtin, params: tuple[Type, ...], least: int, variadic: bool, args: list[ast.Expr]
    ) -> Candidate | None:
        if len(args) < least or (len(args) > len(params) and not variadic):
            return None
        ranks: list[int] = []
        for arg, param in zip(args, params, strict=False):
            rank = self.rank(arg, param)
            if rank is None:
                return None
            # Binding an rvalue to const T& is exact, but T& and T tell apart by constness.
            ranks.append(rank)
        ranks += [ELLIPSIS] * (len(args) - len(params))
        return Candidate(entity, params, ranks)

    def _better(self, a: Candidate, b: Candidate) -> bool:
        worse = [x - y for x, y in zip(a.ranks, b.ranks, strict=False)]
        for k, (p, q) in enumerate(zip(a.params, b.params, strict=False)):
            if k < len(worse) and a.ranks[k] == b.ranks[k] == CONVERSION:
                worse[k] = nearer(q, p) - nearer(p, q)
        if any(x > 0 for x in worse):
            return False
        if any(x < 0 for x in worse):
            return True
        fewer = 0
        for p, q in zip(a.params, b.params, strict=False):
            if p.kind == q.kind == "reference" and p.rvalue != q.rvalue:
                fewer += 1 if p.rvalue else -1
            if p.kind == q.kind:
                fewer += _qualifiers(q) - _qualifiers(p)
        if fewer:
            return fewer > 0
        if a.template != b.template:
            return not a.template
        if isinstance(a.entity, Builtin) != isinstance(b.entity, Builtin):
            return not isinstance(a.entity, Builtin)
        if a.template and isinstance(a.entity, ast.Function) and isinstance(b.entity, ast.Function):
            first, second = a.entity.template, b.entity.template
            if first is not None and second is not None and first.pattern is not None and second.pattern is not None:
                a_pattern, b_pattern = call_pattern(first.pattern), call_pattern(second.pattern)
                if not any(isinstance(p, Type) and p.kind == "pack" for p in a_pattern + b_pattern):
                    # What is left to default arguments does not count.
                    least = min(len(a_pattern), len(b_pattern))
                    a_pattern, b_pattern = a_pattern[:least], b_pattern[:least]
                if more_specialised(a_pattern, b_pattern):
                    return True
                if more_specialised(b_pattern, a_pattern):
                    return False
                if unify_arguments(b_pattern, a_pattern, {}) and more_qualified(first.pattern, second.pattern):
                    return True
                if self.more_constrained(first, second):
                    return True
        if isinstance(a.entity, ast.Function) and isinstance(b.entity, ast.Function):
            return a.entity.atoms > b.entity.atoms
        return False

    def most_specialised(self, instances: list[ast.Function]) -> ast.Function | None:
        """Of the instances of several templates for the same types; the first where none is the one."""
        found = [Candidate(f, f.type.params, [], template=True) for f in instances]
        best = [c for c in found if all(c is d or self._better(c, d) for d in found)]
        return instances[found.index((best or found)[0])] if found else None

    def _no_match(
        self, name: str, functions: list[object], args: list[ast.Expr], at: Token, base: ast.Expr | None = None
    ) -> NoReturn:
        for f in functions if base is not None and base.type.const else ():
            if isinstance(f, ast.Function) and not f.this_quals and base is not None and self.viable([f], args, None):
                what = f"'this' argument to member function '{name}' has type '{base.type}', but function is not marked"
                self.fail(f"{what} const", ast.start(base), notes=[self.note(f"'{name}' declared here", f.at)])
        notes: list[Diagnostic] = []
        for entity in functions[:6]:
            if isinstance(entity, ast.Function):
                notes.append(self.note(self._why_not(entity, args), entity.at))
            elif isinstance(entity, ast.FunctionTemplate):
                notes.append(self.note("candidate template ignored: could not match the arguments", entity.at))
        if len(functions) == 1:
            only = functions[0]
            if isinstance(only, Builtin) or (isinstance(only, ast.Function) and only.record is None):
                params = only.params if isinstance(only, Builtin) else only.type.params
                if len(args) == len(params):
                    for arg, param in zip(args, params, strict=True):
                        if self.rank(arg, param if isinstance(param, Type) else ty.INT) is None and isinstance(
                            param, Type
                        ):
                            notes = []
        self.fail(f"no matching function for call to '{name}'", at, notes=notes, code="frontend.no-match")

    def _why_not(self, f: ast.Function, args: list[ast.Expr]) -> str:
        params = f.type.params
        least = len(params) - default_count(f)
        if not least <= len(args) <= len(params):
            want = (
                str(least)
                if least == len(params)
                else f"{'at least ' if len(args) < least else 'at most '}{least if len(args) < least else len(params)}"
            )
            plural = "" if want == "1" else "s"
            were = "was" if len(args) == 1 else "were"
            return f"candidate function not viable: requires {want} argument{plural}, but {len(args)} {were} provided"
        for i, (arg, param) in enumerate(zip(args, params, strict=False)):
            if self.rank(arg, param) is None:
                ordinal = {1: "1st", 2: "2nd", 3: "3rd"}.get(i + 1, f"{i + 1}th")
                what = f"from '{arg.type}' to '{param}' for {ordinal} argument"
                return f"candidate function not viable: no known conversion {what}"
        return "candidate function"

    # -- templates

    def functions_of(self, e: ast.Overloads, wanted: Type | None) -> list[ast.Function]:
        found: list[ast.Function] = []
        for entity in e.functions:
            f = entity
            if isinstance(entity, Builtin):
                f = self.builtin_function(entity, e.at)
            elif isinstance(entity, ast.FunctionTemplate):
                given: list[tuple[Type, bool] | None] | None = None
                if wanted is not None:
                    given = [(t, False) for t in wanted.params]
                f = self.deduce_types(entity, given, e.args)
            elif e.args is not None:
                continue
            if isinstance(f, ast.Function) and (wanted is None or f.type is wanted or len(e.functions) == 1):
                found.append(f)
        if wanted is not None and len(found) > 1:
            found = [f for f in found if f.template is None] or found
        return found

    def deduce(
        self, template: ast.FunctionTemplate, args: list[ast.Expr] | None, explicit: list[object] | None
    ) -> ast.Function | None:
        """The instance of `template` that a call with `args` means, or None. Without `args`: what `explicit` and the
        defaults alone say."""
        given: list[tuple[Type, bool] | None] | None = None
        if args is not None:
            params = template.pattern.params if template.pattern is not None else ()
            wanted = [*params, *[ty.ERROR] * len(args)]
            given = [self._deduces_from(a, p) for a, p in zip(args, wanted, strict=False)]
        return self.deduce_types(template, given, explicit)

    def _deduces_from(self, e: ast.Expr, wanted: Type) -> tuple[Type, bool] | None:
        if e.type.kind == "error" and takes_list(wanted):
            made = self.list_type(e)
            return None if made is None else (made, False)
        if isinstance(e, ast.Overloads):
            found = self.functions_of(e, None) if len(e.functions) == 1 else []
            return (found[0].type, True) if len(found) == 1 else None
        if e.type.kind == "error":
            return None
        # Of an rvalue, a number that is no object has no qualifiers.
        qualified = e.lvalue or e.type.kind == "record" or isinstance(e, ast.Member)
        return e.type if qualified else e.type.bare, e.lvalue and not is_xvalue(e)

    def deduce_types(
        self,
        template: ast.FunctionTemplate,
        given: list[tuple[Type, bool] | None] | None,
        explicit: list[object] | None,
        result: Type | None = None,
    ) -> ast.Function | None:
        """Likewise from the types of arguments alone; `result` is what the function is to return."""
        if self.pattern or given is None:
            return self._deduced(template, given, explicit or [], result)
        key = (template, *given, result, instance_key(explicit or ()))
        known = self.deduced.get(key)
        if known is None:
            unfinished = self.unfinished
            made = self._deduced(template, given, explicit or [], result)
            if unfinished != self.unfinished:
                return made
            # With the arguments, whose identity is in the key.
            known = self.deduced[key] = made, explicit
        return known[0]

    def _deduced(
        self,
        template: ast.FunctionTemplate,
        given: list[tuple[Type, bool] | None] | None,
        explicit: list[object],
        result: Type | None,
    ) -> ast.Function | None:
        bindings: Bindings = {}
        k = 0
        for param in template.params:
            if param.pack:
                if explicit[k:]:
                    bindings[param.name] = tuple(self.scalar_argument(param, value) for value in explicit[k:])
                    k = len(explicit)
                break
            if k >= len(explicit):
                break
            if not fits(param, explicit[k]):
                return None
            bindings[param.name] = self.scalar_argument(param, explicit[k])
            k += 1
        if k < len(explicit):
            return None
        fixed = frozenset(p.name for p in template.params if p.name in bindings and not p.pack)
        if given is not None and not deduce_call(template, given, bindings, fixed):
            return None
        if result is not None and template.pattern is not None and not unify(template.pattern.elem, result, bindings):
            return None
        return self._completed(template, bindings)

    def scalar_argument(self, param: ast.TemplateParam, value: object) -> object:
        """The template argument `value`; where it is an object of a class for a parameter of a scalar type, the number
        that it converts to."""
        t = param.type if param.kind == "value" else None
        if t is None or not t.scalar or not isinstance(value, Structural):
            return value
        self.quiet += 1
        self.unevaluated += 1
        try:
            number = constant.evaluate(self.convert(value.init, t))
        except Abandon:
            number = None
        finally:
            self.quiet -= 1
            self.unevaluated -= 1
        return value if number is None else number

    def _completed(self, template: ast.FunctionTemplate, bindings: Bindings) -> ast.Function | None:
        """The instance for what was deduced, and for the defaults of the other parameters."""
        values: list[object] = []
        for param in template.params:
            if param.name not in bindings:
                if param.pack:
                    bindings[param.name] = ()
                elif param.default is None:
                    return None
                else:
                    self.quiet += 1
                    try:
                        bindings[param.name] = self.template_default(template.scope, param, bindings, template.params)
                    except Abandon:
                        return None
                    finally:
                        self.quiet -= 1
            values.append(bindings[param.name])
        return self.instantiate(template, tuple(values))

    def count_instance(self, at: Token) -> None:
        self.instances += 1
        if self.depth > MAX_DEPTH or self.instances > MAX_INSTANCES:
            raise CompileError(
                [
                    *self.diagnostics.items,
                    Diagnostic(
                        "error",
                        "frontend.template-depth",
                        "recursive template instantiation exceeded the maximum",
                        at.span,
                    ),
                ]
            )

    # -- conversions by constructors and conversion functions

    def converting_constructor(self, e: ast.Expr, target: Type) -> ast.Function | None:
        """A one-argument constructor of `target` that takes `e` by a standard conversion."""
        record = target.record
        if record is None or self.nest_user:
            return None
        self.nest_user = True
        try:
            found = self.viable([c for c in with_inherited(target) if not c.explicit], [e], None)
        finally:
            self.nest_user = False
        for c in found:
            if isinstance(c.entity, ast.Function) and not c.entity.explicit:
                return c.entity
        return None

    def converts_to_class(self, e: ast.Expr, target: Type) -> ast.Function | None:
        """The function that converts an object of one class to another, where no such conversion is under way."""
        return self.conversion_function(e, target) if e.type.record is not None and not self.nest_user else None

    def conversions(self, source: Type) -> list[ast.Function]:
        """The conversion functions of a class and of its bases."""
        record = source.record
        if record is None or record.scope is None:
            return []
        found = [
            f
            for n, fs in record.scope.names.items()
            if n.startswith("operator ") and isinstance(fs, list)
            for f in fs
            if isinstance(f, ast.Function)
        ]
        for base, _ in record.bases:
            found += self.conversions(base)
        return found

    def _conversions_of(self, e: ast.Expr, explicit: bool = False) -> list[ast.Function]:
        """The conversion functions that may be called for an object, those first that need not make it const."""
        of = [f for f in self.conversions(e.type.bare) if f.type.elem is not None and takes(f, e)]
        return sorted((f for f in of if explicit or not f.explicit), key=lambda f: object_rank(f, e))

    def reference_conversion(self, e: ast.Expr, target: Type) -> ast.Function | None:
        """The function of an object of a class that gives what a reference of type `target` may refer to itself
        ([dcl.init.ref])."""
        referred = target.elem
        assert referred is not None
        for f in self._conversions_of(e) if e.type.record is not None and not self.nest_user else ():
            given = f.type.elem
            if given is None or given.kind != "reference" or given.elem is None or given.rvalue < target.rvalue:
                continue
            fits = given.elem.bare is referred.bare or is_derived(given.elem.bare, referred.bare)
            if (
                fits
                and not element_quals(given.elem) & ~element_quals(referred)
                and given.rvalue <= (target.rvalue or referred.const)
            ):
                return f
        return None

    def conversion_function(self, e: ast.Expr, target: Type, explicit: bool = False) -> ast.Function | None:
        """operator T() of an object where T is `target`."""
        source, found = e.type.bare, self._conversions_of(e, explicit)
        target = target.bare
        for f in found:
            if value_type(f.type.elem or target) is target:
                return f
        made = self._conversion_instance(source, target, explicit)
        if made is not None:
            return made
        best: tuple[int, ast.Function] | None = None
        count = 0
        for f in found:
            assert f.type.elem is not None
            given = value_type(f.type.elem)
            # Behind a conversion function comes no other one.
            direct = target.scalar and given.kind != "record"
            rank = self.rank(ast.Zero(given, f.at), target) if direct else None
            if rank is None or rank >= USER:
                continue
            if best is None or rank < best[0]:
                best, count = (rank, f), 1
            elif rank == best[0]:
                count += 1
        return best[1] if best is not None and count == 1 else None

    def _conversion_instance(self, source: Type, target: Type, explicit: bool) -> ast.Function | None:
        """The instance of a class's conversion template that gives exactly `target`."""
        record = source.record
        if record is None or record.scope is None:
            return None
        for name, found in record.scope.names.items():
            for template in found if name.startswith("operator ") and isinstance(found, list) else ():
                if not isinstance(template, ast.FunctionTemplate) or (template.explicit and not explicit):
                    continue
                wanted = template.pattern.elem if template.pattern is not None else None
                bindings: Bindings = {}
                if wanted is None or not unify(wanted, target, bindings):
                    continue
                f = self._completed(template, bindings)
                if f is not None and (explicit or not f.explicit):
                    return f
        for base, _ in record.bases:
            inherited = self._conversion_instance(base, target, explicit)
            if inherited is not None:
                return inherited
        return None


def with_inherited(t: Type) -> list[ast.Function | ast.FunctionTemplate]:
    """The constructors of a class, and those that it has from its bases."""
    if t.record is None:
        return []
    return [*t.record.constructors, *(c for b in t.record.inherit_from for c in with_inherited(b))]


def fits(param: ast.TemplateParam, value: object) -> bool:
    """A template argument is of its parameter's kind."""
    if isinstance(value, Type) and value.kind == "pack":
        value = value.elem
    if param.kind == "type":
        return isinstance(value, Type) and value.kind != "value"
    if param.kind == "template":
        return isinstance(value, ast.ClassTemplate) or (isinstance(value, Type) and value.kind == "spec")
    if param.type is not None and isinstance(value, int):
        # [temp.arg.nontype]: a number becomes no enumerator, nor a scoped enumerator a number.
        given = value.type if isinstance(value, Typed) else ty.INT
        if param.type.kind == "enum" or (given.kind == "enum" and given.scoped and param.type.arithmetic):
            return given.bare is param.type.bare
    return not isinstance(value, ast.ClassTemplate) and (not isinstance(value, Type) or value.kind == "value")
