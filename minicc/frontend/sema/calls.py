"""Calls: overload resolution over functions, templates and builtins; template argument deduction; user operators."""

from __future__ import annotations

from typing import NoReturn

from minicc.diagnostics import CompileError, Diagnostic
from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.cursor import Abandon
from minicc.frontend.sema.access import closed_constructor
from minicc.frontend.sema.associated import of_class, with_associated
from minicc.frontend.sema.candidates import Candidate, default_count, object_rank, takes
from minicc.frontend.sema.convert import CONVERSION, ELLIPSIS, USER, is_derived, is_xvalue, operand_type, promoted
from minicc.frontend.sema.copies import assigns, copies_members, copy_constructors, simple, value_type
from minicc.frontend.sema.deduce import Bindings, Typed, call_pattern, deduce_call, dependent, more_specialised, unify
from minicc.frontend.sema.operators import Operators
from minicc.frontend.tokens import Token
from minicc.frontend.types import Type

MAX_INSTANCES = 2000


class Calls(Operators):
    todo: list[ast.Function]
    """Functions whose bodies wait to be parsed."""
    functions: list[ast.Function]
    """Every function with a body, in order of appearance."""
    instances: int = 0
    deducing: int = 0
    """Bodies are being read for the sake of a result's type."""

    # -- to be provided by the declaration parser

    def instantiate(self, template: ast.FunctionTemplate, args: tuple[object, ...]) -> ast.Function | None:
        raise NotImplementedError

    def default_argument(self, f: ast.Function, index: int, at: Token) -> ast.Expr:
        raise NotImplementedError

    def template_default(
        self, scope: ast.Scope, param: ast.TemplateParam, bindings: Bindings, params: list[ast.TemplateParam]
    ) -> object:
        raise NotImplementedError

    def need_body(self, f: ast.Function) -> None:
        """`f` is called: see that its body gets parsed."""
        if f.pending is not None and not f.parsed:
            f.parsed = True
            self.todo.append(f)

    # -- calls

    def call(self, callee: ast.Expr, args: list[ast.Expr], at: Token) -> ast.Expr:
        if not isinstance(callee, ast.Overloads):
            if callee.type.kind == "record":
                found = self.operator_call("()", [callee, *args], at)
                if found is None:
                    found = self._call_converted(callee, args, at)
                if found is not None:
                    return found
            if isinstance(callee, ast.BoundMember):
                return self._through(callee.type, callee.pointer, args, at, callee.base)
            return self.indirect_call(callee, args, at)
        functions = callee.functions
        if callee.base is None and not callee.direct and any(map(of_class, args)):
            functions = with_associated(callee.name, functions, args)
        if not functions:
            self.undeclared(callee.at)
        chosen = self.resolve(callee.name, functions, args, callee.args, callee.at, callee.base)
        return self.make_call(chosen, args, callee.at, callee.base, callee.direct)

    def _call_converted(self, callee: ast.Expr, args: list[ast.Expr], at: Token) -> ast.Expr | None:
        """A class that converts to a pointer to function."""
        for f in self.conversions(callee.type.bare):
            t = f.type.elem
            if t is not None and t.kind == "pointer" and t.elem is not None and t.elem.kind == "function":
                return self.indirect_call(self.call_method(callee, f, [], at), args, at)
        return None

    def indirect_call(self, callee: ast.Expr, args: list[ast.Expr], at: Token) -> ast.Expr:
        """A call through a pointer to function."""
        t = callee.type.bare
        if t.kind == "function":
            callee = self.decay(callee)
            t = callee.type
        if t.kind != "pointer" or t.elem is None or t.elem.kind != "function":
            self.fail(f"called object type '{callee.type}' is not a function or function pointer", at)
        if isinstance(callee, ast.FunctionAddress):
            f = callee.function
            return self.make_call(Candidate(f, f.type.params, []), self._counted(args, f.type, at), callee.at)
        return self._through(t.elem, callee, args, at)

    def _through(
        self, function: Type, callee: ast.Expr, args: list[ast.Expr], at: Token, this: ast.Expr | None = None
    ) -> ast.Expr:
        converted = [
            self.pass_argument(a, p) for a, p in zip(self._counted(args, function, at), function.params, strict=False)
        ]
        ret = function.elem
        assert ret is not None
        if ret.kind == "reference":
            assert ret.elem is not None
            return ast.IndirectCall(ret.elem, at, callee, converted, this, lvalue=True)
        return ast.IndirectCall(ret.bare, at, callee, converted, this)

    def _counted(self, args: list[ast.Expr], t: Type, at: Token) -> list[ast.Expr]:
        want = len(t.params)
        if len(args) != want:
            few = "few" if len(args) < want else "many"
            self.fail(f"too {few} arguments to function call, expected {want}, have {len(args)}", at)
        return args

    def function_value(self, e: ast.Overloads, target: Type | None) -> ast.Expr:
        """A function's name as a pointer: of type `target`, where several functions bear the name."""
        wanted = None
        if target is not None and target.elem is not None and target.elem.kind == "function":
            wanted = target.elem
        found = self._functions_of(e, wanted)
        if len(found) != 1:
            self.fail("reference to overloaded function could not be resolved; did you mean to call it?", e.at)
        f = found[0]
        self.need_body(f)
        if f.type.elem is not None and deduced_type(f.type.elem):
            self.finish_auto(f, e.at)
        if f.this is not None and f.record is not None:
            return ast.FunctionAddress(
                ty.member_pointer(f.record, f.type, f.this_quals & (ty.CONST | ty.VOLATILE)), e.at, f
            )
        return ast.FunctionAddress(ty.pointer(f.type), e.at, f)

    def _functions_of(self, e: ast.Overloads, wanted: Type | None) -> list[ast.Function]:
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

    def builtin_function(self, builtin: Builtin, at: Token) -> ast.Function | None:
        """A function that calls a built-in one, to point at."""
        return None

    def undeclared(self, name: Token) -> None:
        raise NotImplementedError

    def make_call(
        self, chosen: Candidate, args: list[ast.Expr], at: Token, base: ast.Expr | None = None, direct: bool = False
    ) -> ast.Expr:
        """A call of what was chosen; `direct`: even of a virtual function."""
        entity = chosen.entity
        if isinstance(entity, Builtin) and entity.how == "same-type":
            return self.builtin_call(entity, args, at)
        if isinstance(entity, Builtin):
            converted = [self.pass_argument(a, p) for a, p in zip(args, chosen.params, strict=False)]
            converted += [self.vararg(a) for a in args[len(chosen.params) :]]
            return self.builtin_call(entity, converted, at)
        self.check_callable(entity, at)
        if entity.space == "host" and self._runs_on_both() and not (entity.constexpr or entity.library):
            return self._host_result(entity, at)
        converted = [self.pass_argument(a, p) for a, p in zip(args, chosen.params, strict=False)]
        for index in range(len(converted), len(chosen.params)):
            converted.append(self.pass_argument(self.default_argument(entity, index, at), chosen.params[index]))
        self.need_body(entity)
        if entity is self.function:
            entity.calls_self = True
        ret = entity.type.elem
        assert ret is not None
        if deduced_type(ret):
            self.finish_auto(entity, at)
            ret = entity.type.elem
            assert ret is not None
        virtual = False
        if entity.record is not None and entity.this is not None:
            if base is None:
                self.fail("call to non-static member function without an object argument", at)
            virtual = entity.virtual and not direct and not entity.final and not _exact(base)
            if base.type.bare is not entity.record and is_derived(base.type.bare, entity.record):
                if not base.lvalue:
                    base = ast.Temporary(base.type, base.at, base, lvalue=True)
                base = ast.Cast(ty.qualified(entity.record, base.type.quals), base.at, "relabel", base, lvalue=True)
        else:
            base = None
        if ret.kind == "reference":
            assert ret.elem is not None
            if entity.constexpr and (not self.deducing or (converted and all(map(self.is_constant, converted)))):
                # std::min of constants is one, also in the body of a constexpr function.
                self.finish(entity)
            made: ast.Expr = ast.Call(ret.elem, at, entity, converted, base, lvalue=True, virtual=virtual)
            if (
                entity.constexpr
                and base is not None
                and self.is_constant(base)
                and all(map(self.is_constant, converted))
            ):
                self.finish(entity)
                return self.fold_host(made, base)
            return made
        call = ast.Call(ret.bare, at, entity, converted, base, virtual=virtual)
        if entity.constexpr:
            fixed = (base is None or self.is_constant(base)) and all(map(self.is_constant, converted))
            # What only tells its type now is read later: it may call the function whose result is being deduced.
            if fixed or not self.deducing:
                self.finish(entity)
            if ret.arithmetic and fixed:
                return self.fold(call)
        return call

    def is_constant(self, e: ast.Expr) -> bool:
        """A constant, or something that may have constant parts."""
        if isinstance(e, ast.Temporary | ast.Cast | ast.Member):
            return self.is_constant(e.base if isinstance(e, ast.Member) else e.operand)
        if isinstance(e, ast.Name):
            return e.variable.constexpr and e.variable.init is not None
        return isinstance(e, ast.Number | ast.Zero)

    def finish(self, f: ast.Function) -> None:
        """Parse the body of `f` now."""
        raise NotImplementedError

    def finish_auto(self, f: ast.Function, at: Token) -> None:
        self.deducing += 1
        try:
            self.finish(f)
        finally:
            self.deducing -= 1
        if f.type.elem is not None and deduced_type(f.type.elem):
            self.fail(f"function '{f.name}' with deduced return type cannot be used before it is defined", at)

    def check_callable(self, f: ast.Function, at: Token) -> None:
        caller = self.function
        if f.deleted:
            self.fail(
                f"call to deleted function '{f.name}'",
                at,
                notes=[self.note("candidate function has been explicitly deleted", f.at)],
            )
        if f.space == "host" and not f.constexpr and not f.library and caller is not None and caller.space != "host":
            if caller.both:
                self.warn(
                    "20014-D", "calling a __host__ function from a __host__ __device__ function is not allowed", at
                )
                return
            kind = "__global__" if caller is not None and caller.space == "global" else "__device__"
            name = caller.name if caller is not None else "?"
            self.fail(
                f"reference to __host__ function '{f.name}' in {kind} function '{name}'", at,
                notes=[self.note(f"'{f.name}' declared here", f.at)], code="frontend.host-call",
            )  # fmt: skip
        if f.space == "global":
            self.fail(
                f"reference to __global__ function '{f.name}' in __device__ code; launching from the device is not supported",  # noqa: E501
                at,
            )

    def _runs_on_both(self) -> bool:
        return self.function is not None and self.function.both

    def _host_result(self, f: ast.Function, at: Token) -> ast.Expr:
        """What a call of the host's function gives on the device: nothing happens, and its value is anybody's."""
        ret = f.type.elem
        assert ret is not None
        if ret.kind == "void":
            return ast.Cast(ty.VOID, at, "void", self.number(0, ty.INT, at))
        if ret.kind == "reference":
            assert ret.elem is not None
            return self.dereference(ast.Zero(ty.pointer(ret.elem), at), at)
        return ast.Zero(ret.bare, at)

    def pass_argument(self, e: ast.Expr, target: Type) -> ast.Expr:
        if target.kind == "reference":
            return self.bind(
                self.temporary(e, target.elem.bare) if isinstance(e, ast.Init) and target.elem else e, target, "passing"
            )
        if isinstance(e, ast.Init):
            return self.temporary(e, target)
        return self.convert(e, target, "passing")

    def temporary(self, e: ast.Init, target: Type) -> ast.Expr:
        raise NotImplementedError

    def vararg(self, e: ast.Expr) -> ast.Expr:
        """Default argument promotions."""
        e = self.decay(e)
        if e.type.kind == "float":
            return self.cast(e, ty.DOUBLE)
        if e.type.kind in ("int", "bool", "enum"):
            return self.cast(e, promoted(operand_type(e)))
        if e.type.kind not in ("pointer", "nullptr"):
            self.fail(f"cannot pass object of type '{e.type}' through variadic function", e.at)
        return e

    def builtin_call(self, builtin: Builtin, args: list[ast.Expr], at: Token) -> ast.Expr:
        raise NotImplementedError

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
            self._no_match(name, functions, args, at)
        if len(found) > 1 and all(
            isinstance(c.entity, Builtin) and all(p.kind == "float" for p in c.params) for c in found
        ):
            # C's math functions come in float and double only; with an integer among the arguments <cmath>'s templates
            # promote all to double, and so they do where float and double meet.
            mixed = len({a.type.bare for a in args}) > 1 or any(a.type.integral for a in args)
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
                if not takes(entity, base):
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
        if any(x > y for x, y in zip(a.ranks, b.ranks, strict=False)):
            return False
        if any(x < y for x, y in zip(a.ranks, b.ranks, strict=False)):
            return True
        fewer = 0
        for p, q in zip(a.params, b.params, strict=False):
            if p.kind == q.kind == "reference" and p.elem is not None and q.elem is not None:
                if p.rvalue != q.rvalue:
                    fewer += 1 if p.rvalue else -1
                fewer += (q.elem.quals & 3).bit_count() - (p.elem.quals & 3).bit_count()
            elif p.kind == q.kind == "pointer" and p.elem is not None and q.elem is not None:
                fewer += (q.elem.quals & 3).bit_count() - (p.elem.quals & 3).bit_count()
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
                if (first.constraints or second.constraints) and not more_specialised(b_pattern, a_pattern):
                    return self.more_constrained(first, second)
        return False

    def more_constrained(self, a: ast.FunctionTemplate, b: ast.FunctionTemplate) -> bool:
        raise NotImplementedError

    def _no_match(self, name: str, functions: list[object], args: list[ast.Expr], at: Token) -> NoReturn:
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
                return f"candidate function not viable: no known conversion from '{arg.type}' to '{param}' for {ordinal} argument"  # noqa: E501
        return "candidate function"

    # -- templates

    def deduce(
        self, template: ast.FunctionTemplate, args: list[ast.Expr] | None, explicit: list[object] | None
    ) -> ast.Function | None:
        """The instance of `template` that a call with `args` means, or None. Without `args`: what `explicit` and the
        defaults alone say."""
        given: list[tuple[Type, bool] | None] | None = None
        if args is not None:
            given = [self._deduces_from(a) for a in args]
        return self.deduce_types(template, given, explicit)

    def _deduces_from(self, e: ast.Expr) -> tuple[Type, bool] | None:
        if isinstance(e, ast.Overloads):
            found = self._functions_of(e, None) if len(e.functions) == 1 else []
            return (found[0].type, True) if len(found) == 1 else None
        return None if e.type.kind == "error" else (e.type, e.lvalue and not is_xvalue(e))

    def deduce_types(
        self,
        template: ast.FunctionTemplate,
        given: list[tuple[Type, bool] | None] | None,
        explicit: list[object] | None,
        result: Type | None = None,
    ) -> ast.Function | None:
        """Likewise from the types of arguments alone; `result` is what the function is to return."""
        bindings: Bindings = {}
        explicit = explicit or []
        k = 0
        for param in template.params:
            if param.pack:
                if explicit[k:]:
                    bindings[param.name] = tuple(explicit[k:])
                    k = len(explicit)
                break
            if k >= len(explicit):
                break
            if not fits(param, explicit[k]):
                return None
            bindings[param.name] = explicit[k]
            k += 1
        if k < len(explicit):
            return None
        fixed = frozenset(p.name for p in template.params if p.name in bindings and not p.pack)
        if given is not None and not deduce_call(template, given, bindings, fixed):
            return None
        if result is not None and template.pattern is not None and not unify(template.pattern.elem, result, bindings):
            return None
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
        if self.instances > MAX_INSTANCES:
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

    # -- operators and constructors

    def operator_call(self, op: str, operands: list[ast.Expr], at: Token) -> ast.Expr | None:
        name = "operator" + op
        first = operands[0]
        record = first.type.record
        if record is not None and record.scope is not None:
            # A class has an assignment of its own, which hides its bases'.
            members = record.scope.names.get(name) if op == "=" else self.find_in(record.scope, name)
            if op == "=" and operands[1].type.bare is first.type.bare and not assigns(members, first.type.bare):
                return None
            if isinstance(members, list):
                found = self.viable(members, operands[1:], None, first)
                if found:
                    chosen = self.resolve(name, members, operands[1:], None, at, first)
                    return self.make_call(chosen, operands[1:], at, first)
        if op in ("=", "[]", "()", "->"):
            return None
        functions = self._operator_functions(name, operands)
        if not functions or not self.viable(functions, operands, None):
            if (
                op == "!="
                and self.options.std in ("c++20", "c++23")
                and any(e.type.record is not None for e in operands)
            ):
                # Rewritten: not equal is the opposite of equal.
                equal = self.operator_call("==", operands, at)
                return None if equal is None else self.unary("!", equal, at)
            return None
        chosen = self.resolve(name, functions, operands, None, at)
        return self.make_call(chosen, operands, at)

    def _operator_functions(self, name: str, operands: list[ast.Expr]) -> list[object]:
        out: list[object] = []
        scope: ast.Scope | None = self.scope
        while scope is not None:
            found = scope.names.get(name)
            if scope.using:
                found = self.with_used(scope, name, found)
            if isinstance(found, list):
                out += [f for f in found if f not in out and not (isinstance(f, ast.Function) and f.record is not None)]
            scope = scope.parent
        # Argument-dependent lookup: friends, and the namespace that a class lives in.
        out = with_associated(name, out, operands)
        # The operators of our own headers are on classes; an enumeration has the language's.
        found = self.builtin(name) if any(e.type.record is not None for e in operands) else None
        return out + found if isinstance(found, list) else out

    def converting_constructor(self, e: ast.Expr, target: Type) -> ast.Function | None:
        record = target.record
        if record is None or self.nest_user:
            return None
        self.nest_user = True
        try:
            found = self.viable([c for c in record.constructors if not getattr(c, "explicit", False)], [e], None)
        finally:
            self.nest_user = False
        for c in found:
            if isinstance(c.entity, ast.Function):
                return c.entity
        return None

    def converts_to_class(self, source: Type, target: Type) -> ast.Function | None:
        return self.conversion_function(source, target) if source.record is not None and not self.nest_user else None

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

    def conversion_function(self, source: Type, target: Type, explicit: bool = False) -> ast.Function | None:
        found = [f for f in self.conversions(source) if f.type.elem is not None and (explicit or not f.explicit)]
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
                bindings: dict[str, object] = {}
                if wanted is None or not unify(wanted, target, bindings):
                    continue
                if all(p.name in bindings for p in template.params):
                    f = self.instantiate(template, tuple(bindings[p.name] for p in template.params))
                    if f is not None:
                        return f
        for base, _ in record.bases:
            inherited = self._conversion_instance(base, target, explicit)
            if inherited is not None:
                return inherited
        return None

    def call_method(self, base: ast.Expr, f: ast.Function, args: list[ast.Expr], at: Token) -> ast.Expr:
        return self.make_call(Candidate(f, f.type.params, []), args, at, base)

    def construct(self, t: Type, args: list[ast.Expr], at: Token) -> ast.Expr:
        """T(args) for a class type."""
        record = t.record
        assert record is not None
        self.require_complete(t, at)
        same = len(args) == 1 and (args[0].type.bare is t.bare or is_derived(args[0].type.bare, t.bare))
        if same and args[0].type.bare is t.bare and not args[0].lvalue:
            return args[0]
        if same and not copy_constructors(t):
            return self.convert(args[0], t)
        if record.name == "dim3" and record.vector:
            if len(args) > 3:
                self.fail("no matching constructor for initialization of 'dim3'", at)
            parts: list[tuple[int, ty.Field | None, ast.Expr]] = []
            for i in range(3):
                arg = self.convert(args[i], ty.UINT) if i < len(args) else self.number(1, ty.UINT, at)
                parts.append((4 * i, None, arg))
            return ast.Init(t.bare, at, parts)
        if not args and record.has_default:
            return self.value_initialised(t, at)
        inherited = record.inherit_from
        if inherited is not None and args and not self.viable(list(record.constructors), args, None):
            offset = ty.base_offset(t.bare, inherited) or 0
            return ast.Init(
                t.bare, at, [(offset, None, self.construct(inherited, args, at)), *self.member_defaults(t, at)]
            )
        if len(args) == 1 and not same:
            # [over.match.copy], CWG 2327: a function that gives the class itself may be explicit; it comes before
            # constructors that need a conversion of their own.
            f = self.conversion_function(args[0].type.bare, t.bare, explicit=True)
            if f is not None and f.type.elem is t.bare:
                viable = [] if f.explicit else self.viable(list(record.constructors), args, None)
                if all(c.ranks[0] >= USER for c in viable):
                    return self.call_method(args[0], f, [], at)
        if len(args) == 1 and isinstance(args[0], ast.Init) and not self.viable(list(record.constructors), args, None):
            # T({a, b}): a copy of what the list makes.
            return self.temporary(args[0], t)
        if record.constructors:
            chosen = self.resolve_constructor(t, args, at)
            entity = chosen.entity
            assert isinstance(entity, ast.Function)
            self.check_callable(entity, at)
            if entity.space == "host" and self._runs_on_both() and not (entity.constexpr or entity.library):
                return ast.Zero(t.bare, at)
            access = closed_constructor(record, entity, self.scope, self.function)
            if access is not None:
                self.fail(f"calling a {access} constructor of class '{t}'", at, code="frontend.access")
            converted = [self.pass_argument(a, p) for a, p in zip(args, chosen.params, strict=False)]
            for index in range(len(converted), len(chosen.params)):
                converted.append(self.pass_argument(self.default_argument(entity, index, at), chosen.params[index]))
            self.need_body(entity)
            if entity.constexpr and record.complete:
                self.finish(entity)
            return ast.Construct(t.bare, at, entity, converted)
        if not args:
            return self.value_initialised(t, at)
        self.fail(f"no matching constructor for initialization of '{t}'", at)

    def copied(self, e: ast.Expr, t: Type) -> ast.Expr | None:
        record = t.record
        assert record is not None
        if copy_constructors(t):
            return self.construct(t, [e], e.at)
        if record.tag == "union" or e.type.bare is not t or not copies_members(t):
            return None
        if not simple(e):
            declared, name = self.named(e)
            made = self.copied(name, t)
            return made and ast.StatementExpression(t, e.at, ast.Block(e.at, [declared]), made)
        parts: list[tuple[int, ty.Field | None, ast.Expr]] = []
        for base, offset in record.bases:
            kind = "move" if is_xvalue(e) else "relabel"
            part = ast.Cast(ty.qualified(base, e.type.quals), e.at, kind, e, lvalue=True)
            parts.append((offset, None, self.convert(part, base)))
        for field in record.fields[record.inherited :]:
            if field.name or not field.bit_width:
                at = ast.Member(ty.qualified(field.type, e.type.quals), e.at, e, field, lvalue=True)
                whole = field.type.kind in ("array", "reference")
                parts.append(
                    (field.offset, field if field.bit_width else None, at if whole else self.convert(at, field.type))
                )
        return ast.Init(t, e.at, parts)

    def member_defaults(self, t: Type, at: Token) -> list[tuple[int, ty.Field | None, ast.Expr]]:
        """What the members of a class itself are by default."""
        raise NotImplementedError

    def value_initialised(self, t: Type, at: Token) -> ast.Expr:
        """T() of a class without a default constructor of its own."""
        raise NotImplementedError

    def resolve_constructor(self, t: Type, args: list[ast.Expr], at: Token) -> Candidate:
        record = t.record
        assert record is not None
        found = self.viable(list(record.constructors), args, None)
        if not found:
            notes = [
                self.note(self._why_not(c, args).replace("function", "constructor"), c.at)
                for c in record.constructors
                if isinstance(c, ast.Function)
            ]
            self.fail(f"no matching constructor for initialization of '{t}'", at, notes=notes, code="frontend.no-match")
        return self.resolve(record.name, list(record.constructors), args, None, at)


def _exact(e: ast.Expr) -> bool:
    """The object is of its expression's own class, not of one derived from it."""
    if isinstance(e, ast.Name):
        return e.variable.type.kind == "record"
    if isinstance(e, ast.Member):
        return e.field.type.kind == "record"
    return isinstance(e, ast.Temporary) or not e.lvalue or (e.type.record is not None and e.type.record.final)


def deduced_type(t: Type) -> bool:
    """A return type that the body decides: auto, auto &, const auto & ..."""
    while t.kind in ("reference", "pointer") and t.elem is not None:
        t = t.elem
    return t.bare.kind == "auto"


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


__all__ = ["CONVERSION", "Calls", "Candidate", "dependent"]
