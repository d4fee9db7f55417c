"""Calls of functions, methods, operators and constructors."""

from __future__ import annotations

from functools import cached_property

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.cursor import Abandon
from minicc.frontend.sema import constant
from minicc.frontend.sema.access import closed_constructor
from minicc.frontend.sema.associated import of_class, visible, with_associated
from minicc.frontend.sema.candidates import Candidate, takes
from minicc.frontend.sema.convert import CONVERSION, EXACT, USER, is_derived, is_xvalue, operand_type, promoted, prvalue
from minicc.frontend.sema.copies import assigns, copies_members, copy_constructors, simple, value_type
from minicc.frontend.sema.overloads import Overloads, with_inherited
from minicc.frontend.tokens import Token
from minicc.frontend.types import Record, Type

ARITHMETIC = frozenset(("+", "-", "*", "/", "<", ">", "<=", ">=", "==", "!="))
"""Operators that the language has for two numbers of any kind."""


ASSIGNMENTS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="))


class Calls(Overloads):
    todo: list[ast.Function]
    """Functions whose bodies wait to be parsed."""
    functions: list[ast.Function]
    """Every function with a body, in order of appearance."""
    deducing: int = 0
    """Bodies are being read for the sake of a result's type."""

    def need_body(self, f: ast.Function) -> None:
        """`f` is called: see that its body gets parsed."""
        if f.constexpr and f.body is None:
            f.reader = self.finish
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
                self.fail(
                    f"no matching function for call to object of type '{callee.type}'",
                    ast.start(callee),
                    code="frontend.no-match",
                )
            if isinstance(callee, ast.BoundMember):
                return self._through(callee.type, callee.pointer, args, at, callee.base)
            return self.indirect_call(callee, args, at)
        if callee.name == "operator=" and callee.base is not None and len(args) == 1:
            assigned = self._assignment(callee.base, args[0], at)
            if assigned is not None:
                return assigned
        functions = callee.functions if callee.base is not None else self._declared_before(callee)
        if callee.base is None and not callee.direct and any(map(of_class, args)):
            functions = with_associated(callee.name, functions, args) or visible(callee.functions)
        elif callee.base is None:
            functions = visible(functions or callee.functions)
        if not functions:
            self.undeclared(callee.at)
        chosen = self.resolve(callee.name, functions, args, callee.args, callee.at, callee.base)
        return self.make_call(chosen, args, callee.at, callee.base, callee.direct)

    def _assignment(self, object_: ast.Expr, value: ast.Expr, at: Token) -> ast.Expr | None:
        """`object.operator=(value)` of a class that declares none for its objects: as `=` does it, for a value of a
        class derived from it, too. None where a function of its own is called."""
        t = object_.type.bare
        record = t.record
        if record is None or record.scope is None:
            return None
        own = record.scope.names.get("operator=")
        if assigns(own, t) or (isinstance(own, list) and self.viable(own, [value], None, object_)):
            return None
        if is_derived(value.type.bare, t):
            kind = "move" if is_xvalue(value) or not value.lvalue else "relabel"
            value = value if value.lvalue else ast.Temporary(value.type.bare, at, value, lvalue=True)
            value = ast.Cast(ty.qualified(t, value.type.quals), at, kind, value, lvalue=True)
        elif isinstance(value, ast.Init):
            value = self.temporary(value, t)
        return self.assign(object_, value, at)

    @cached_property
    def places(self) -> dict[int, int]:
        """Of the file's tokens, by their identity."""
        return {id(token): k for k, token in enumerate(self.unit)}

    def _declared_before(self, callee: ast.Overloads) -> list[object]:
        """Of several functions those that were declared where the name stands, which may be in a template or a member
        function that is read later ([temp.dep.candidate]): what is read in its turn knows no others."""
        in_turn = self.tokens is self.turn or len(callee.functions) < 2
        place = None if in_turn else self.places.get(id(callee.at))
        if place is None:
            return callee.functions
        return [f for f in callee.functions if self._known_from(f) <= place]

    def _known_from(self, f: object) -> int:
        """Where names begin to mean a function: of one at namespace scope its first declaration, or the first
        using-directive that brings it; others always do."""
        if not isinstance(f, ast.Function | ast.FunctionTemplate) or f.record is not None:
            return -1
        place = self.places.get(id(f.first), -1)
        scope: ast.Scope | None = self.scope
        while scope is not None and scope is not f.scope:
            directive = scope.directives.get(id(f.scope))
            if directive is not None:
                return max(place, self.places.get(id(directive), -1))
            scope = scope.parent
        return place

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
        found = self.functions_of(e, wanted)
        if len(found) > 1 and target is not None and target.kind == "member":
            found = [f for f in found if f.this_quals == target.count]
        if len(found) != 1:
            self.fail("reference to overloaded function could not be resolved; did you mean to call it?", e.at)
        f = found[0]
        if f.immediate and not self.unevaluated and not (self.function is not None and self.function.immediate):
            what = f"cannot take address of consteval function '{f.name}' outside of an immediate invocation"
            self.fail(what, e.at)
        self.need_body(f)
        if f.type.elem is not None and deduced_type(f.type.elem):
            self.finish_auto(f, e.at)
        if f.this is not None and f.record is not None:
            return ast.FunctionAddress(ty.member_pointer(f.record, f.type, f.this_quals), e.at, f)
        return ast.FunctionAddress(ty.pointer(f.type), e.at, f)

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
            if entity.type.elem is not None and deduced_type(entity.type.elem):
                self.finish_auto(entity, at)
            return self._host_result(entity, at)
        converted = [self.pass_argument(a, p) for a, p in zip(args, chosen.params, strict=False)]
        for index in range(len(converted), len(chosen.params)):
            converted.append(self.pass_argument(self.default_argument(entity, index, at), chosen.params[index]))
        self.need_body(entity)
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
            if entity.constexpr:
                # std::min of constants is one, also in the body of a constexpr function.
                self._finish_callee(entity, bool(converted) and all(map(self.is_constant, converted)))
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
        call = ast.Call(ret if ret.kind == "record" else ret.bare, at, entity, converted, base, virtual=virtual)
        if entity.constexpr:
            fixed = (base is None or self.is_constant(base)) and all(map(self.is_constant, converted))
            self._finish_callee(entity, fixed)
            if entity.immediate and ret.arithmetic:
                self._check_immediate(call, at)
            if ret.arithmetic and fixed:
                return self.fold(call)
        return call

    def _check_immediate(self, call: ast.Call, at: Token) -> None:
        """[expr.const]: outside of consteval functions, such a call is a constant expression."""
        f = self.function
        if f is None or f.constexpr or self.unevaluated or self.pattern or constant.evaluate(call) is not None:
            return
        self.fail(f"call to consteval function '{call.function.name}' is not a constant expression", at)

    def is_constant(self, e: ast.Expr) -> bool:
        """A constant, or something that may have constant parts."""
        if isinstance(e, ast.Temporary | ast.Cast | ast.Member):
            return self.is_constant(e.base if isinstance(e, ast.Member) else e.operand)
        if isinstance(e, ast.Name):
            return e.variable.constexpr and e.variable.init is not None
        return isinstance(e, ast.Number | ast.Zero)

    def _finish_callee(self, f: ast.Function, fixed: bool) -> None:
        """Read the body of a constexpr function that is called, `fixed`: with constants."""
        if fixed or not self.deducing:
            self.finish(f)
        else:
            # It may call the function whose result is being deduced: whoever evaluates the call has it read.
            f.reader = self.finish

    def finish_auto(self, f: ast.Function, at: Token) -> None:
        self.deducing += 1
        try:
            self.finish(f)
        finally:
            self.deducing -= 1
        if f.type.elem is not None and deduced_type(f.type.elem):
            self.unfinished += 1
            self.fail(f"function '{f.name}' with deduced return type cannot be used before it is defined", at)

    def check_callable(self, f: ast.Function, at: Token) -> None:
        caller = self.function
        if f.deleted:
            what = f"constructor of '{f.record}'" if f.constructor else f"function '{f.name}'"
            self.fail(
                f"call to deleted {what}",
                at,
                notes=[self.note("candidate function has been explicitly deleted", f.at)],
            )
        if f.space == "host" and not (f.library or self.unevaluated) and caller is not None and caller.space != "host":
            if f.constexpr:
                self._check_relaxed(f, caller, at)
                return
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

    def _check_relaxed(self, f: ast.Function, caller: ast.Function, at: Token) -> None:
        """Constexpr functions of the host are no device code's, even where a constant is wanted; nvcc takes them in
        default arguments and members' initial values, and warns where the host calls the caller, too."""
        if self.options.relaxed_constexpr or self.unevaluated or self.elsewhere or caller.library or f.immediate:
            return
        kind = "__host__ __device__" if caller.both else "__global__" if caller.space == "global" else "__device__"
        text = (
            f'calling a constexpr __host__ function("{f.name}") from a {kind} function("{caller.name}") is not allowed.'
            " The experimental flag '--expt-relaxed-constexpr' can be used to allow this"
        )
        if caller.both:
            self.warn("20013-D", text, at)
        else:
            note = self.note(f"'{f.name}' declared here", f.at)
            self.fail(text, at, notes=[note], code="frontend.host-call")

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
            return self.bind_list(e, target) if isinstance(e, ast.Init) else self.bind(e, target, "passing")
        if isinstance(e, ast.Init):
            return self.temporary(e, target)
        return self.convert(e, target, "passing")

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

    # -- operators and constructors

    def operator_call(self, op: str, operands: list[ast.Expr], at: Token) -> ast.Expr | None:
        """A user's operator function, where an operand is of class or enumeration type; None if there is none. From
        C++20 on one comparison stands for others ([over.match.oper]): `==` for `!=`, `<=>` for the orders, both for the
        operands the other way round."""
        found = self._operator_call(op, operands, at)
        if op in ASSIGNMENTS and isinstance(found, ast.Call):
            found.assigns = True
        if found is not None or not self.constrains or len(operands) != 2:
            return found
        turned = operands[::-1]
        if op in ("==", "!="):
            equal = self._operator_call("==", operands, at) if op == "!=" else None
            equal = equal or self._operator_call("==", turned, at)
            return self.unary("!", equal, at) if equal is not None and op == "!=" else equal
        if op in ("<", ">", "<=", ">=", "<=>"):
            zero = self.number(0, ty.INT, at)
            order = self._operator_call("<=>", operands, at) if op != "<=>" else None
            if order is not None:
                return self.binary(op, order, zero, at)
            order = self._operator_call("<=>", turned, at)
            return self.binary(op, zero, order, at) if order is not None else None
        return None

    def _operator_call(self, op: str, operands: list[ast.Expr], at: Token) -> ast.Expr | None:
        name = "operator" + op
        first = operands[0]
        record = first.type.record
        if record is not None and record.scope is not None:
            # A class has an assignment of its own, which hides its bases'.
            members = record.scope.names.get(name) if op == "=" else self.find_in(record.scope, name)
            if op == "=" and operands[1].type.bare is first.type.bare and not assigns(members, first.type.bare):
                return None
            if isinstance(members, list) and self.viable(members, operands[1:], None, first):
                chosen = self.resolve(name, members, operands[1:], None, at, first)
                free = self._closer_function(op, chosen, operands, at)
                if free is not None:
                    return self.make_call(free, operands, at)
                self._beside_built_in(op, operands, [EXACT, *chosen.ranks], at)
                return self.make_call(chosen, operands[1:], at, first)
        free = self._free_operator(op, operands, at)
        if free is None:
            return None
        self._beside_built_in(op, operands, free.ranks, at)
        return self.make_call(free, operands, at)

    def _beside_built_in(self, op: str, operands: list[ast.Expr], ranks: list[int], at: Token) -> None:
        """A function for which a number becomes an object is as good as the language's operator, for which the object
        becomes a number: neither is the better one."""
        if len(operands) != 2 or op not in ARITHMETIC or self.library:
            return
        for k, (e, other) in enumerate((operands, operands[::-1])):
            if e.type.kind != "record" or not (other.type.arithmetic or other.type.kind == "enum"):
                continue
            targets = [f.type.elem for f in self.conversions(e.type.bare) if not f.explicit and takes(f, e)]
            if ranks[k] < USER <= ranks[1 - k] and any(t is not None and t.bare.arithmetic for t in targets):
                types = f"'{operands[0].type.bare}' and '{operands[1].type.bare}'"
                what = f"use of overloaded operator '{op}' is ambiguous (with operand types {types})"
                self.fail(what, at, code="frontend.ambiguous")

    def _free_operator(self, op: str, operands: list[ast.Expr], at: Token) -> Candidate | None:
        """The operator function outside of classes that fits best."""
        name = "operator" + op
        functions = [] if op in ("=", "[]", "()", "->") else self._operator_functions(name, operands)
        if not functions or not self.viable(functions, operands, None):
            return None
        return self.resolve(name, functions, operands, None, at)

    def _closer_function(self, op: str, member: Candidate, operands: list[ast.Expr], at: Token) -> Candidate | None:
        """[over.match.oper] ranks members and others together: a function that fits better than the best member."""
        f = member.entity
        if not isinstance(f, ast.Function) or f.record is None or len(member.ranks) != len(operands):
            return None
        self.quiet += 1
        try:
            free = self._free_operator(op, operands, at)
        except Abandon:
            return None
        finally:
            self.quiet -= 1
        if free is None:
            return None
        of = ty.reference(ty.qualified(f.record, f.this_quals & (ty.CONST | ty.VOLATILE)))
        own = EXACT if f.record.bare is operands[0].type.bare else CONVERSION
        both = member.template and free.template
        a = Candidate(free.entity, free.params, free.ranks, free.template and not both)
        b = Candidate(f, (of, *member.params), [own, *member.ranks[:-1]], member.template and not both)
        return free if self._better(a, b) else None

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
        if all(e.type.record is None for e in operands):
            return [f for f in out if _of_enumeration(f, operands)]
        found = self.builtin(name)
        return out + found if isinstance(found, list) else out

    def call_method(self, base: ast.Expr, f: ast.Function, args: list[ast.Expr], at: Token) -> ast.Expr:
        return self.make_call(Candidate(f, f.type.params, []), args, at, base)

    def construct(self, t: Type, args: list[ast.Expr], at: Token, implicit: bool = False) -> ast.Expr:
        """T(args) for a class type; `implicit`: not by a constructor that is explicit ([over.match.copy])."""
        record = t.record
        assert record is not None
        self.require_complete(t, at)
        same = len(args) == 1 and (args[0].type.bare is t.bare or is_derived(args[0].type.bare, t.bare))
        if same and args[0].type.bare is t.bare and not args[0].lvalue:
            return args[0]
        if same and not copy_constructors(t):
            return prvalue(self.convert(args[0], t), at)
        if record.name == "dim3" and record.vector:
            if len(args) > 3:
                self.fail("no matching constructor for initialization of 'dim3'", at)
            if len(args) == 1 and args[0].type.bare is ty.vector("uint3"):
                return self.convert(args[0], t)
            parts: list[tuple[int, ty.Field | None, ast.Expr]] = []
            for i in range(3):
                arg = self.convert(args[i], ty.UINT) if i < len(args) else self.number(1, ty.UINT, at)
                parts.append((4 * i, None, arg))
            return ast.Init(t.bare, at, parts)
        if not args and record.has_default:
            return self.value_initialised(t, at)
        if args and not same and record.inherit_from:
            base = self._inherits_from(record, args)
            if base is not None:
                return self.inherited_construction(t.bare, base, args, at)
        if len(args) == 1 and not same:
            # [over.match.copy], CWG 2327: a function that gives the class itself may be explicit; it comes before
            # constructors that need a conversion of their own.
            f = self.conversion_function(args[0], t.bare, explicit=not implicit)
            if f is not None and f.type.elem is t.bare:
                viable = [] if f.explicit else self.viable(list(record.constructors), args, None)
                if all(c.ranks[0] >= USER for c in viable):
                    return self.call_method(args[0], f, [], at)
        if len(args) == 1 and isinstance(args[0], ast.Init) and not self.viable(list(record.constructors), args, None):
            # T({a, b}): a copy of what the list makes.
            return self.temporary(args[0], t)
        if record.constructors:
            chosen = self.resolve_constructor(t, args, at, implicit)
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
        if self.constrains and not record.vector and not record.closure:
            return self.aggregate(t, args, at)
        self.fail(f"no matching constructor for initialization of '{t}'", at)

    def _inherits_from(self, record: Record, args: list[ast.Expr]) -> Type | None:
        """The base class one of whose constructors makes an object of `args`; None: one of the class's own does, which
        goes before one that it inherits if neither fits better ([over.match.best])."""
        own = self.viable(list(record.constructors), args, None)
        for base in record.inherit_from:
            theirs = self.viable([*with_inherited(base)], args, None)
            if theirs and all(any(self._better(c, d) for c in theirs) for d in own):
                return base
        return None if own else record.inherit_from[0]

    def copied(self, e: ast.Expr, t: Type) -> ast.Expr | None:
        """A new object of class `t` made from the lvalue `e`; None where that is a copy of its bytes."""
        record = t.record
        assert record is not None
        for _, f in ty.destructors(t):
            self.need_body(f)
        if record.moves_only and not is_xvalue(e):
            self.fail(f"call to implicitly-deleted copy constructor of '{t}'", e.at)
        if copy_constructors(t):
            return self.construct(t, [e], e.at)
        if e.type.volatile and not record.closure and not self.library:
            # Nothing copies it but what a conversion of a volatile object leads to, as CUDA's halves have one.
            for f in self.conversions(e.type.bare):
                if f.this_quals & ty.VOLATILE:
                    return self.construct(t, [self.call_method(e, f, [], e.at)], e.at)
            self.fail(f"no matching constructor for initialization of '{t}'", e.at, code="frontend.no-match")
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

    def resolve_constructor(self, t: Type, args: list[ast.Expr], at: Token, implicit: bool = False) -> Candidate:
        record = t.record
        assert record is not None
        constructors: list[object] = [c for c in record.constructors if not (implicit and c.explicit)]
        found = self.viable(constructors, args, None)
        if not found:
            notes = [
                self.note(self._why_not(c, args).replace("function", "constructor"), c.at)
                for c in record.constructors
                if isinstance(c, ast.Function)
            ]
            self.fail(f"no matching constructor for initialization of '{t}'", at, notes=notes, code="frontend.no-match")
        return self.resolve(record.name, constructors, args, None, at)


def _exact(e: ast.Expr) -> bool:
    """The object is of its expression's own class, not of one derived from it."""
    if isinstance(e, ast.Name):
        return e.variable.type.kind == "record"
    if isinstance(e, ast.Member):
        return e.field.type.kind == "record"
    return isinstance(e, ast.Temporary) or not e.lvalue or (e.type.record is not None and e.type.record.final)


def _of_enumeration(f: object, operands: list[ast.Expr]) -> bool:
    """[over.match.oper]: where no operand is of a class, functions for the enumeration that one is of."""
    return not isinstance(f, ast.Function) or any(
        e.type.kind == "enum" and value_type(p) is e.type.bare for e, p in zip(operands, f.type.params, strict=False)
    )


def deduced_type(t: Type) -> bool:
    """A type that a body or an initialiser decides: auto, auto &, const auto & ..."""
    while t.kind in ("reference", "pointer") and t.elem is not None:
        t = t.elem
    return t.bare.kind == "auto"
