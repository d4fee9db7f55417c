"""Built-in functions to instructions: one handler per `e:` name of the table."""

from __future__ import annotations

from collections.abc import Callable

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.emit import layout
from minicc.frontend.emit.layout import float_bits, number, value_type
from minicc.frontend.emit.module import ALONE
from minicc.frontend.emit.values import Values
from minicc.frontend.literals import round_to_single
from minicc.frontend.sema import constant
from minicc.frontend.types import Type
from minicc.numbers import align_at, align_up

Handler = Callable[[Values, ast.BuiltinCall, list[str], list[str]], str]
_HANDLERS: dict[str, Handler] = {}
_SHUFFLE_CLAMP = {"up": 0, "down": 31, "idx": 31, "bfly": 31}


def _handler(f: Handler) -> Handler:
    _HANDLERS[f.__name__.lstrip("_")] = f
    return f


def emit(v: Values, builtin: Builtin, e: ast.BuiltinCall) -> str:
    """A call with a scalar or void result."""
    if builtin.how == "i":
        args = [(value_type(a.type), v.value(a)) for a in e.args]
        name = builtin.data.replace("{z}", v.ftz)
        if name.startswith("llvm.nvvm.mulhi.") and (v.module.host or builtin.ret.size == 4):
            # 32 bits as plain instructions: to LLVM an intrinsic is a value of its own, and the product of 64 bits
            # that holds it falls in two (2 * (hi << 32 | lo), Argon2).
            return _high_product(v, builtin.ret, args)
        return v.intrinsic(name, value_type(builtin.ret), args)
    if builtin.how == "same-type":
        if e.type.aggregate or (len(e.args) > 1 and e.args[1].type.aggregate):
            emit_aggregate(v, builtin, e, "", 0)
            return ""
        return _hinted(v, builtin.data, e)
    words = builtin.data.split(":")
    name = words[0]
    if name == "printf":
        return _printf(v, e)
    operands = [v.value(a) for a in e.args]
    v.at(e.at)
    return _HANDLERS[name](v, e, operands, words[1:])


def emit_aggregate(v: Values, builtin: Builtin, e: ast.BuiltinCall, target: str, align: int) -> None:
    """make_float4 and hinted loads of vectors."""
    if builtin.how == "same-type":
        _hinted_vector(v, builtin.data, e, target, align)
        return
    values = [v.value(a) for a in e.args]
    record = builtin.ret.record
    assert record is not None
    for field, operand in zip(record.fields, values, strict=True):
        v.store(field.type, operand, v.offset(target, field.offset), align_at(align, field.offset))


def _f(v: Values, name: str, *args: str) -> str:
    return v.intrinsic(name, "float", [("float", a) for a in args])


# -- barriers and warp operations


@_handler
def _barrier(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.intrinsic("llvm.nvvm.barrier.cta.sync.aligned.all", "void", [("i32", "0")])


@_handler
def _barrier_id(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.intrinsic("llvm.nvvm.barrier.cta.sync.all", "void", [("i32", a[0])])


@_handler
def _barrier_count(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.intrinsic("llvm.nvvm.barrier.cta.sync.count", "void", [("i32", a[0]), ("i32", a[1])])


@_handler
def _barrier_reduce(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    predicate = v.make(f"icmp ne i32 {a[0]}, 0")
    result = "i32" if d[0] == "popc" else "i1"
    made = v.intrinsic(f"llvm.nvvm.barrier.cta.red.{d[0]}.aligned.all", result, [("i32", "0"), ("i1", predicate)])
    return made if result == "i32" else v.make(f"zext i1 {made} to i32")


@_handler
def _syncwarp(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.intrinsic("llvm.nvvm.bar.warp.sync", "void", [("i32", "-1")])


@_handler
def _vote(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    predicate = v.make(f"icmp ne i32 {a[1]}, 0")
    result = "i32" if d[0] == "ballot" else "i1"
    made = v.intrinsic(f"llvm.nvvm.vote.{d[0]}.sync", result, [("i32", a[0]), ("i1", predicate)])
    return made if result == "i32" else v.make(f"zext i1 {made} to i32")


@_handler
def _shuffle(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    mode = d[0]
    clamp = _SHUFFLE_CLAMP[mode]
    if len(a) > 3:
        if a[3].lstrip("-").isdigit():
            control = str(((32 - int(a[3])) << 8) | clamp)
        else:
            rest = v.make(f"sub i32 32, {a[3]}")
            high = v.make(f"shl i32 {rest}, 8")
            control = v.make(f"or i32 {high}, {clamp}") if clamp else high
    else:
        control = str(clamp)

    def one(operand: str, llvm: str) -> str:
        suffix = "f32" if llvm == "float" else "i32"
        return v.intrinsic(
            f"llvm.nvvm.shfl.sync.{mode}.{suffix}",
            llvm,
            [("i32", a[0]), (llvm, operand), ("i32", a[2]), ("i32", control)],
        )

    t = e.type
    if t.size == 4:
        return one(a[1], t.llvm)
    bits = a[1] if t.kind != "float" else v.make(f"bitcast double {a[1]} to i64")
    low = one(v.make(f"trunc i64 {bits} to i32"), "i32")
    shifted = v.make(f"lshr i64 {bits}, 32")
    high = one(v.make(f"trunc i64 {shifted} to i32"), "i32")
    low64, high64 = v.make(f"zext i32 {low} to i64"), v.make(f"zext i32 {high} to i64")
    up = v.make(f"shl nuw i64 {high64}, 32")
    both = v.make(f"or disjoint i64 {up}, {low64}")
    return both if t.kind != "float" else v.make(f"bitcast i64 {both} to double")


def _bits(v: Values, operand: str, t: Type) -> tuple[str, str]:
    if t.kind != "float":
        return t.llvm, operand
    llvm = f"i{t.bits}"
    return llvm, v.make(f"bitcast {t.llvm} {operand} to {llvm}")


@_handler
def _match_any(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    llvm, operand = _bits(v, a[1], e.args[1].type)
    return v.intrinsic(f"llvm.nvvm.match.any.sync.{llvm}", "i32", [("i32", a[0]), (llvm, operand)])


@_handler
def _match_all(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    llvm, operand = _bits(v, a[1], e.args[1].type)
    pair = v.intrinsic(f"llvm.nvvm.match.all.sync.{llvm}p", "{ i32, i1 }", [("i32", a[0]), (llvm, operand)])
    same = v.make(f"extractvalue {{ i32, i1 }} {pair}, 1")
    wide = v.make(f"zext i1 {same} to i32")
    v.emit(f"store i32 {wide}, ptr {a[2]}, align 4")
    return v.make(f"extractvalue {{ i32, i1 }} {pair}, 0")


@_handler
def _redux(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    op = d[1] if e.type.signed else d[0]
    return v.intrinsic(f"llvm.nvvm.redux.sync.{op}", "i32", [("i32", a[1]), ("i32", a[0])])


@_handler
def _trap(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.intrinsic("llvm.trap", "void", [])


@_handler
def _breakpoint(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.intrinsic("llvm.debugtrap", "void", [])


@_handler
def _nothing(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return ""


@_handler
def _unreachable(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    v.emit("unreachable")
    v.dead = True
    return ""


@_handler
def _clock(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    value = v.intrinsic("llvm.nvvm.read.ptx.sreg.clock", "i32", [])
    return v.make(f"sext i32 {value} to i64")


@_handler
def _clock64(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.intrinsic("llvm.nvvm.read.ptx.sreg.clock64", "i64", [])


@_handler
def _globaltimer(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.intrinsic("llvm.nvvm.read.ptx.sreg.globaltimer", "i64", [])


# -- integers


def _high_product(v: Values, t: Type, args: list[tuple[str, str]]) -> str:
    """The upper half of a product in plain IR."""
    extend, wide = "sext" if t.signed else "zext", f"i{2 * t.bits}"
    a, b = (v.make(f"{extend} {llvm} {x} to {wide}") for llvm, x in args)
    product = v.make(f"mul {wide} {a}, {b}")
    return v.make(f"trunc {wide} {v.make(f'lshr {wide} {product}, {t.bits}')} to {t.llvm}")


@_handler
def _popcll(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    wide = v.intrinsic("llvm.ctpop.i64", "i64", [("i64", a[0])])
    return v.make(f"trunc i64 {wide} to i32")


def _count_zeros(v: Values, e: ast.BuiltinCall, operand: str, which: str, defined: bool) -> str:
    llvm = e.args[0].type.llvm
    v.module.declare(f"llvm.{which}.{llvm}", f"{llvm} ({llvm}, i1 immarg)")
    made = v.make(f"call {llvm} @llvm.{which}.{llvm}({llvm} {operand}, i1 {'false' if defined else 'true'})")
    return made if llvm == "i32" else v.make(f"trunc {llvm} {made} to i32")


@_handler
def _clz(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return _count_zeros(v, e, a[0], "ctlz", True)


@_handler
def _ctz(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return _count_zeros(v, e, a[0], "cttz", True)


@_handler
def _ffs(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    llvm = e.args[0].type.llvm
    zeros = _count_zeros(v, e, a[0], "cttz", False)  # 0 is selected apart: no branch around the count
    position = v.make(f"add nuw nsw i32 {zeros}, 1")
    none = v.make(f"icmp eq {llvm} {a[0]}, 0")
    return v.make(f"select i1 {none}, i32 0, i32 {position}")


@_handler
def _funnel(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    # __funnelshift_*(lo, hi, shift); LLVM takes (hi, lo, shift), its nvvm.*.clamp (hi, lo, shift) too.
    return v.intrinsic(f"llvm.{d[0]}.i32", "i32", [("i32", a[1]), ("i32", a[0]), ("i32", a[2])])


@_handler
def _byte_perm(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    # PRMT's fourth selector bit spreads a sign; the function ignores it.
    selector = str(int(a[2]) & 0x7777) if a[2].lstrip("-").isdigit() else v.make(f"and i32 {a[2]}, {0x7777}")
    return v.intrinsic("llvm.nvvm.prmt", "i32", [("i32", a[0]), ("i32", a[1]), ("i32", selector)])


@_handler
def _abs(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    llvm = e.type.llvm
    v.module.declare(f"llvm.abs.{llvm}", f"{llvm} ({llvm}, i1 immarg)")
    return v.make(f"call {llvm} @llvm.abs.{llvm}({llvm} {a[0]}, i1 false)")


@_handler
def _minmax(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    t = e.type
    args = [v.convert(x, arg.type.bare, t) for x, arg in zip(a, e.args, strict=True)]
    name = f"llvm.{'s' if t.signed else 'u'}{d[0]}.{t.llvm}"
    return v.intrinsic(name, t.llvm, [(t.llvm, x) for x in args])


# -- atomics


def _scope(words: list[str]) -> str:
    return {"block": ' syncscope("block")', "system": ""}.get(words[-1] if words else "", ' syncscope("device")')


@_handler
def _atomic(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    t = e.type
    op = d[0]
    if t.kind == "float" and op == "add":
        op = "fadd"
    if op in ("min", "max") and not t.signed:
        op = "u" + op
    return v.make(f"atomicrmw {op} ptr {a[0]}, {t.llvm} {a[1]}{_scope(d[1:])} monotonic, align {t.align}")


@_handler
def _cas(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    llvm = e.type.llvm
    pair = v.make(
        f"cmpxchg ptr {a[0]}, {llvm} {a[1]}, {llvm} {a[2]}{_scope(d)} monotonic monotonic, align {e.type.align}"
    )
    return v.make(f"extractvalue {{ {llvm}, i1 }} {pair}, 0")


# -- floating point


@_handler
def _texture(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    from minicc.frontend.emit import texture

    return texture.texture(v, e, a, d)


@_handler
def _surface(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    from minicc.frontend.emit import texture

    return texture.surface(v, e, a, d)


@_handler
def _wmma(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    from minicc.frontend.emit import wmma

    return wmma.emit(v, e, a, d)


@_handler
def _halves(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    from minicc.frontend.emit import halves

    return halves.emit(v, e, a, d)


@_handler
def _bitcast(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.make(f"bitcast {e.args[0].type.llvm} {a[0]} to {e.type.llvm}")


@_handler
def _half_of_double(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    bits = v.make(f"bitcast double {a[0]} to i64")
    if d[0] == "32":
        bits = v.make(f"lshr i64 {bits}, 32")
    return v.make(f"trunc i64 {bits} to i32")


@_handler
def _hilo(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    high, low = v.make(f"zext i32 {a[0]} to i64"), v.make(f"zext i32 {a[1]} to i64")
    up = v.make(f"shl nuw i64 {high}, 32")
    return v.make(f"bitcast i64 {v.make(f'or disjoint i64 {up}, {low}')} to double")


@_handler
def _convert(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.convert(a[0], e.args[0].type.bare, e.type.bare)


@_handler
def _rounded(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    """__fadd_rn and its kind: never contracted. Through NVVM's intrinsics in modes other than to-nearest, and where
    denormals are flushed: LLVM makes x of x * 1, and does not flush constants of which it computes an fma."""
    op, mode = d
    t = e.type
    if mode == "rn" and (t.size == 8 or not v.ftz or v.module.host):
        if op == "fma":
            return v.intrinsic(f"llvm.fma.f{t.bits}", t.llvm, [(t.llvm, x) for x in a])
        return v.make(f"f{op} {t.llvm} {a[0]}, {a[1]}")
    if op == "sub":
        op, a = "add", [a[0], v.make(f"fneg {t.llvm} {a[1]}")]
    suffix = f"{v.ftz}.f" if t.size == 4 else ".d"
    return v.intrinsic(f"llvm.nvvm.{op}.{mode}{suffix}", t.llvm, [(t.llvm, x) for x in a])


@_handler
def _fdividef(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    if v.module.options.exact_div:
        return v.make(f"fdiv{v.flags} float {a[0]}, {a[1]}")
    return v.fast_divide(a[0], a[1])


@_handler
def _approx64(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    if v.module.host:
        x = a[0] if d[0] == "rcp" else v.intrinsic("llvm.sqrt.f64", "double", [("double", a[0])])
        return v.make(f"fdiv double 1.0, {x}")
    return v.intrinsic(f"llvm.nvvm.{d[0]}.approx.ftz.d", "double", [("double", a[0])])


@_handler
def _sqrt(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    if v.module.host:
        return v.intrinsic(f"llvm.sqrt.f{e.type.bits}", e.type.llvm, [(e.type.llvm, a[0])])
    if e.type.size == 8:
        return v.intrinsic("llvm.nvvm.sqrt.rn.d", "double", [("double", a[0])])
    how = "rn" if v.module.options.exact_sqrt else "approx"
    return _f(v, f"llvm.nvvm.sqrt.{how}{v.ftz}.f", a[0])


@_handler
def _math(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    t = e.type
    return v.intrinsic(f"llvm.{d[0]}.f{t.bits}", t.llvm, [(t.llvm, x) for x in a])


@_handler
def _fminmax(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    t = e.type
    args = [v.convert(x, arg.type.bare, t) for x, arg in zip(a, e.args, strict=True)]
    return v.intrinsic(f"llvm.{d[0]}.f{t.bits}", t.llvm, [(t.llvm, x) for x in args])


def _single(text: str) -> str:
    return float_bits(round_to_single(text, float(text)))


@_handler
def _exp_approx(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    scaled = v.make(f"fmul float {a[0]}, {_single(d[0])}")
    return _f(v, f"llvm.nvvm.ex2.approx{v.ftz}.f32", scaled)


@_handler
def _log_approx(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    log2 = _f(v, f"llvm.nvvm.lg2.approx{v.ftz}.f", a[0])
    return v.make(f"fmul float {log2}, {_single(d[0])}")


@_handler
def _pow_approx(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    log2 = _f(v, f"llvm.nvvm.lg2.approx{v.ftz}.f", a[0])
    return _f(v, f"llvm.nvvm.ex2.approx{v.ftz}.f32", v.make(f"fmul float {a[1]}, {log2}"))


@_handler
def _tan_approx(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    sine, cosine = _f(v, f"llvm.nvvm.sin.approx{v.ftz}.f", a[0]), _f(v, f"llvm.nvvm.cos.approx{v.ftz}.f", a[0])
    return _f(v, f"llvm.nvvm.div.approx{v.ftz}.f", sine, cosine)


@_handler
def _tanh_approx(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.make(f'call float asm "tanh.approx.f32 $0, $1;", "=f,f"(float {a[0]}) {ALONE}')


@_handler
def _sincos_approx(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    v.emit(f"store float {_f(v, f'llvm.nvvm.sin.approx{v.ftz}.f', a[0])}, ptr {a[1]}, align 4")
    v.emit(f"store float {_f(v, f'llvm.nvvm.cos.approx{v.ftz}.f', a[0])}, ptr {a[2]}, align 4")
    return ""


@_handler
def _classify(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    t = e.args[0].type
    llvm = t.llvm
    if d[0] == "nan":
        made = v.make(f"fcmp uno {llvm} {a[0]}, {number(t, 0.0)}")
    elif d[0] == "sign":
        bits = v.make(f"bitcast {llvm} {a[0]} to i{t.bits}")
        made = v.make(f"icmp slt i{t.bits} {bits}, 0")
    else:
        size = v.intrinsic(f"llvm.fabs.f{t.bits}", llvm, [(llvm, a[0])])
        infinity = float_bits(float("inf"))
        if d[0] == "inf":
            made = v.make(f"fcmp oeq {llvm} {size}, {infinity}")
        elif d[0] == "finite":
            made = v.make(f"fcmp olt {llvm} {size}, {infinity}")
        else:
            least = float_bits(2.0**-126 if t.size == 4 else 2.0**-1022)
            below = v.make(f"fcmp olt {llvm} {size}, {infinity}")
            above = v.make(f"fcmp oge {llvm} {size}, {least}")
            made = v.make(f"and i1 {below}, {above}")
    return made if e.type.kind == "bool" else v.make(f"zext i1 {made} to i32")


@_handler
def _constant_p(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    """Whether the optimiser finds the value constant, functions inlined."""
    t = e.args[0].type
    suffix = t.llvm if t.llvm[0] == "i" else f"f{t.bits}"
    known = v.intrinsic(f"llvm.is.constant.{suffix}", "i1", [(t.llvm, a[0])])
    return v.make(f"zext i1 {known} to i32")


@_handler
def _ordered(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.make(f"fcmp {d[0]} {e.args[0].type.llvm} {a[0]}, {a[1]}")


@_handler
def _constant(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return float_bits(constant.named_number(e))


# -- hints, memory, output


@_handler
def _assume(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.intrinsic("llvm.assume", "void", [("i1", a[0])])


@_handler
def _running(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    """What runs is no constant expression."""
    return "false"


@_handler
def _expect(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.intrinsic("llvm.expect.i64", "i64", [("i64", a[0]), ("i64", a[1])])


@_handler
def _assume_aligned(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    v.module.declare("llvm.assume", "void (i1)")
    v.emit(f'call void @llvm.assume(i1 true) [ "align"(ptr {a[0]}, i64 {a[1]}) ]')
    return a[0]


@_handler
def _is_space(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    made = v.intrinsic(f"llvm.nvvm.isspacep.{d[0]}", "i1", [("ptr", a[0])])
    return v.make(f"zext i1 {made} to i32")


@_handler
def _to_space(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    there = v.make(f"addrspacecast ptr {a[0]} to ptr addrspace({d[0]})")
    return v.make(f"ptrtoint ptr addrspace({d[0]}) {there} to {value_type(e.type)}")


@_handler
def _from_space(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    there = v.make(f"inttoptr i64 {a[0]} to ptr addrspace({d[0]})")
    return v.make(f"addrspacecast ptr addrspace({d[0]}) {there} to ptr")


@_handler
def _memory(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    if d[0] == "memset":
        byte = v.make(f"trunc i32 {a[1]} to i8")
        v.module.declare("llvm.memset.p0.i64", "void (ptr writeonly captures(none), i8, i64, i1 immarg)")
        v.emit(f"call void @llvm.memset.p0.i64(ptr align 1 {a[0]}, i8 {byte}, i64 {a[2]}, i1 false)")
        return a[0]
    name = f"llvm.{d[0]}.p0.p0.i64"
    only = "noalias " if d[0] == "memcpy" else ""
    v.module.declare(
        name, f"void (ptr {only}writeonly captures(none), ptr {only}readonly captures(none), i64, i1 immarg)"
    )
    v.emit(f"call void @{name}(ptr align 1 {a[0]}, ptr align 1 {a[1]}, i64 {a[2]}, i1 false)")
    return a[0]


@_handler
def _malloc(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.intrinsic("malloc", "ptr", [("i64", a[0])])


@_handler
def _free(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    return v.intrinsic("free", "void", [("ptr", a[0])])


@_handler
def _assert_fail(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    v.module.declare("__assertfail", "void (ptr, ptr, i32, ptr, i64) #6")
    v.emit(f"call void @__assertfail(ptr {a[0]}, ptr {a[1]}, i32 {a[2]}, ptr {a[3]}, i64 1) #6")
    v.emit("unreachable")
    v.dead = True
    return ""


def _printf(v: Values, e: ast.BuiltinCall) -> str:
    """Arguments are packed into a buffer as C lays out a struct of them; vprintf takes format and buffer, and has done
    with both when it returns."""
    text = v.value(e.args[0])
    parts: list[tuple[int, Type, str]] = []
    size = 0
    for arg in e.args[1:]:
        operand = v.value(arg)
        t = arg.type.bare
        size = align_up(size, t.align)
        parts.append((size, t, operand))
        size += t.size
    buffer = "null"
    if parts:
        buffer, v.printed = "%printf.arguments", max(v.printed, align_up(size, 8))
        for offset, t, operand in parts:
            v.store(t, operand, v.offset(buffer, offset), t.align)
    v.at(e.at)
    return v.intrinsic("vprintf", "i32", [("ptr", text), ("ptr", buffer)])


# -- loads and stores with hints


_LETTER = {"i16": "h", "i32": "r", "i64": "l", "float": "f", "double": "d", "i8": "h"}


def _suffix(t: Type) -> str:
    if t.kind == "float":
        return f"f{t.bits}"
    return f"{'s' if t.signed else 'u'}{t.bits}"


def _hinted(v: Values, how: str, e: ast.BuiltinCall) -> str:
    pointer = v.value(e.args[0])
    if how == "ldg":
        t = e.type
        there = v.make(f"addrspacecast ptr {pointer} to ptr addrspace(1)")
        made = v.make(f"load {t.llvm}, ptr addrspace(1) {there}, align {t.align}, !invariant.load {_empty(v)}")
        return v.make(f"trunc nuw i8 {made} to i1") if t.truth else made
    verb, hint = how.split(".")
    if verb == "st":
        t = e.args[1].type.bare
        operand = v.value(e.args[1])
        _hinted_store(v, hint, t, pointer, [operand], "")
        return ""
    t = e.type
    llvm = "i16" if t.size == 1 else t.llvm
    made = v.make(
        f'call {llvm} asm sideeffect "ld.global.{hint}.{_suffix(t)} $0, [$1];", "={_LETTER[t.llvm]},l,~{{memory}}"(ptr {pointer}) {ALONE}'  # noqa: E501
    )
    if t.size == 1:
        made = v.make(f"trunc i16 {made} to i8")
        return v.make(f"trunc nuw i8 {made} to i1") if t.truth else made
    return made


def _hinted_store(v: Values, hint: str, t: Type, pointer: str, operands: list[str], shape: str) -> None:
    letter = _LETTER[t.llvm]
    llvm = t.llvm
    if t.size == 1:
        operands = [v.make(f"zext {value_type(t)} {x} to i16") for x in operands]
        llvm = "i16"
    names = ", ".join(f"${k + 1}" for k in range(len(operands)))
    names = f"{{{names}}}" if shape else names
    args = ", ".join(f"{llvm} {x}" for x in operands)
    constraint = ",".join(["l", *[letter] * len(operands), "~{memory}"])
    v.emit(
        f'call void asm sideeffect "st.global.{hint}{shape}.{_suffix(t)} [$0], {names};", "{constraint}"(ptr {pointer}, {args}) {ALONE}'  # noqa: E501
    )


def _hinted_vector(v: Values, how: str, e: ast.BuiltinCall, target: str, align: int) -> None:
    pointer = v.value(e.args[0])
    verb, _, hint = how.partition(".")
    t = e.type if verb != "st" else e.args[1].type.bare
    record = t.record
    assert record is not None
    n, elem = len(record.fields), record.fields[0].type
    if verb == "ldg":
        there = v.make(f"addrspacecast ptr {pointer} to ptr addrspace(1)")
        values: list[str] = []
        for field in record.fields:
            at = there
            if field.offset:
                at = v.make(f"getelementptr inbounds nuw i8, ptr addrspace(1) {there}, i64 {field.offset}")
            fit = align_at(t.align, field.offset)
            values.append(v.make(f"load {elem.llvm}, ptr addrspace(1) {at}, align {fit}, !invariant.load {_empty(v)}"))
        for field, operand in zip(record.fields, values, strict=True):
            where = v.offset(target, field.offset)
            v.emit(f"store {elem.llvm} {operand}, ptr {where}, align {align_at(align, field.offset)}")
        return
    if n not in (1, 2, 4) or n * elem.size > 16:
        raise v.internal(f"'{how}' of type '{t}' is not supported", e.at)
    shape = f".v{n}" if n > 1 else ""
    if verb == "st":
        source, source_align = v.address(e.args[1])
        operands = [v.load(f.type, v.offset(source, f.offset), align_at(source_align, f.offset)) for f in record.fields]
        _hinted_store(v, hint, elem, pointer, operands, shape)
        return
    llvm = "i16" if elem.size == 1 else elem.llvm
    result = "{ " + ", ".join([llvm] * n) + " }" if n > 1 else llvm
    names = ", ".join(f"${k}" for k in range(n))
    names = f"{{{names}}}" if n > 1 else names
    constraint = ",".join([*[f"={_LETTER[elem.llvm]}"] * n, "l", "~{memory}"])
    made = v.make(
        f'call {result} asm sideeffect "ld.global.{hint}{shape}.{_suffix(elem)} {names}, [${n}];", "{constraint}"(ptr {pointer}) {ALONE}'  # noqa: E501
    )
    for k, field in enumerate(record.fields):
        operand = made if n == 1 else v.make(f"extractvalue {result} {made}, {k}")
        if elem.size == 1:
            operand = v.make(f"trunc i16 {operand} to i8")
        v.emit(
            f"store {elem.llvm} {operand}, ptr {v.offset(target, field.offset)}, align {align_at(align, field.offset)}"
        )


def _empty(v: Values) -> str:
    module = v.module
    if not module.invariant:
        module.invariant = module.node("!{}")
    return module.invariant


__all__ = ["emit", "emit_aggregate", "layout", "ty"]
