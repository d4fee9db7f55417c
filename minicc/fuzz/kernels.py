"""Random CUDA kernels without undefined behaviour: whatever compiles one, the same words come out.

A kernel reads a row of `INPUTS` words for each thread and writes a row of `OUTPUTS` words of 64 bits. It has variables
of every integer and floating type, arrays, structs with bit-fields, pointers, loops, switches, functions (inlined or
called), recursion, shared memory, shuffles, votes and atomics, and variables that have a value on some ways only. What
C leaves open is closed by construction: signed sums are made unsigned, shifts and indices are masked, divisors and
conversions are guarded. Float results depend on contraction: compile with `-fmad=false`. A NaN's payload may differ, so
a NaN is written as a constant.

The strategy draws each choice with the simplest first, so that Hypothesis shrinks a failing kernel to a few lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import attrs
from hypothesis import strategies as st

from minicc.fuzz.choices import Choices

INPUTS = 8
OUTPUTS = 8
NAME = "kernel"
HEADER = "#include <cuda_fp16.h>\n"


@attrs.frozen
class Type:
    """A C type: `kind` is s(igned), u(nsigned) or f(loat)."""

    name: str
    bits: int
    kind: str


INT, UINT = Type("int", 32, "s"), Type("unsigned", 32, "u")
LONG, ULONG = Type("long long", 64, "s"), Type("unsigned long long", 64, "u")
CHAR, UCHAR = Type("signed char", 8, "s"), Type("unsigned char", 8, "u")
SHORT, USHORT = Type("short", 16, "s"), Type("unsigned short", 16, "u")
FLOAT, DOUBLE = Type("float", 32, "f"), Type("double", 64, "f")
INTEGERS = (UINT, INT, ULONG, LONG, UCHAR, SHORT, CHAR, USHORT)
FLOATS = (FLOAT, DOUBLE)
_UNSIGNED = {8: UCHAR, 16: USHORT, 32: UINT, 64: ULONG}


@attrs.frozen
class Place:
    """Something that can be read, and written if `fixed` is not set."""

    text: str
    type: Type
    fixed: bool = False


@attrs.frozen
class Function:
    name: str
    result: Type
    parameters: tuple[Type, ...]


# Built-in functions: text with operands, their types, type of the result. Not __vimax_s32_relu: ptxas 13.0 makes
# "max(x, 0) is not 0" of it by VIMNMX's result predicate, the wrong way round (an H200 and the model say so, as does
# its own code at -O0).
_BUILTINS: list[tuple[str, tuple[Type, ...], Type]] = [
    ("min({}, {})", (INT, INT), INT), ("max({}, {})", (UINT, UINT), UINT), ("__popc({})", (UINT,), INT),
    ("__clz({})", (INT,), INT), ("__ffs({})", (INT,), INT), ("__brev({})", (UINT,), UINT),
    ("__popcll({})", (ULONG,), INT), ("__clzll({})", (LONG,), INT), ("__ffsll({})", (LONG,), INT),
    ("__brevll({})", (ULONG,), ULONG), ("__umulhi({}, {})", (UINT, UINT), UINT), ("__mulhi({}, {})", (INT, INT), INT),
    ("__umul64hi({}, {})", (ULONG, ULONG), ULONG), ("__mul64hi({}, {})", (LONG, LONG), LONG),
    ("__byte_perm({}, {}, {})", (UINT, UINT, UINT), UINT), ("__funnelshift_l({}, {}, {})", (UINT, UINT, UINT), UINT),
    ("__funnelshift_rc({}, {}, {})", (UINT, UINT, UINT), UINT), ("__usad({}, {}, {})", (UINT, UINT, UINT), UINT),
    ("__sad({}, {}, {})", (INT, INT, UINT), UINT), ("__mul24({}, {})", (INT, INT), INT),
    ("__umul24({}, {})", (UINT, UINT), UINT), ("__rhadd({}, {})", (INT, INT), INT), ("__hadd({}, {})", (INT, INT), INT),
    ("__dp4a({}, {}, {})", (INT, INT, INT), INT), ("__dp4a({}, {}, {})", (UINT, UINT, UINT), UINT),
    ("__vadd4({}, {})", (UINT, UINT), UINT), ("__vabsdiffu4({}, {})", (UINT, UINT), UINT),
    ("__vmaxs2({}, {})", (UINT, UINT), UINT), ("__vimin3_u32({}, {}, {})", (UINT, UINT, UINT), UINT),
    ("__viaddmax_s32({}, {}, {})", (INT, INT, INT), INT),
    ("min({}, {})", (LONG, LONG), LONG), ("max({}, {})", (ULONG, ULONG), ULONG),
    ("__float_as_int({} + 0.0f) % 4096", (FLOAT,), INT), ("__float2int_rn({} * 0.5f)", (FLOAT,), INT),
    ("__double2ll_rz({})", (DOUBLE,), LONG), ("__float2uint_rz({})", (FLOAT,), UINT),
    ("sqrtf(fabsf({}))", (FLOAT,), FLOAT), ("floorf({})", (FLOAT,), FLOAT), ("rint({})", (DOUBLE,), DOUBLE),
    ("fminf({}, {})", (FLOAT, FLOAT), FLOAT), ("fmax({}, {})", (DOUBLE, DOUBLE), DOUBLE),
    ("fmaf({}, {}, {})", (FLOAT, FLOAT, FLOAT), FLOAT), ("fma({}, {}, {})", (DOUBLE, DOUBLE, DOUBLE), DOUBLE),
    ("__fadd_rz({}, {})", (FLOAT, FLOAT), FLOAT), ("__dmul_ru({}, {})", (DOUBLE, DOUBLE), DOUBLE),
    ("__half2float(__float2half({}))", (FLOAT,), FLOAT), ("ldexpf({}, 3)", (FLOAT,), FLOAT),
    ("__saturatef({})", (FLOAT,), FLOAT), ("__uint2float_rz({})", (UINT,), FLOAT),
]  # fmt: skip
_CONVERGENT = (
    "__shfl_xor_sync(~0u, {}, 5)", "__shfl_down_sync(~0u, {}, 3)", "__shfl_sync(~0u, {}, 7)",
    "__ballot_sync(~0u, {} & 4)", "__reduce_add_sync(~0u, {})", "__reduce_xor_sync(~0u, {})",
    "(unsigned)__any_sync(~0u, {} > 9)", "__match_any_sync(~0u, {} & 3)", "(unsigned)__syncthreads_count({} & 1)",
)  # fmt: skip


_BITS = {"float": "__float_as_uint", "double": "__double_as_longlong"}


def mixed(values: Iterable[tuple[str, str]], row: str = "out") -> list[str]:
    """Statements that mix values (text, type's name) into the words of a row: floats by their bits, of which all NaNs
    have the same."""
    out = []
    for at, (text, type_) in enumerate(values):
        if type_ in _BITS:
            text = f"({text} == {text} ? (unsigned long long){_BITS[type_]}({text}) : 99ull)"
        place = f"{row}[{at % OUTPUTS}]"
        out.append(f"{place} = {place} * 31ull + (unsigned long long){text};")
    return out


class Writer(Choices):
    """Writes one program."""

    def __init__(self, draw: st.DrawFn, floats: bool) -> None:
        super().__init__(draw)
        self.types = INTEGERS + FLOATS * 2 if floats else INTEGERS
        self.places: list[Place] = []
        self.arrays: list[tuple[str, Type, int]] = []
        self.structs: dict[str, list[tuple[str, Type]]] = {}
        self.objects: list[tuple[str, str]] = []
        self.functions: list[Function] = []
        self.left = 0
        """Statements that may still be written."""
        self.loops = 0

    # --- expressions --------------------------------------------------------------------------------------------

    def literal(self, type_: Type) -> str:
        if type_.kind == "f":
            text = self.one(("1.0", "0.0", "0.5", "-2.25", "3e10", "1e-30", "-1e-40", "16777216.0", "-0.0"))
            return text + "f" if type_ is FLOAT else text
        value = self.one(
            (1, 0, 2, 3, 7, 255, 100, 0x5A5A, 1 << type_.bits - 1, (1 << type_.bits) - 1, 0x123456789ABCDEF)
        )
        return f"({type_.name}){value & (1 << type_.bits) - 1:#x}ull"

    def leaf(self, type_: Type) -> str:
        """A place of the type, another one converted, or a constant."""
        found = [place.text for place in self.places if place.type is type_]
        found = found or [f"({type_.name}){place.text}" for place in self.places if place.type.kind != "f"]
        return self.one(found) if found and self.number(0, 4) else self.literal(type_)

    def value(self, type_: Type, depth: int) -> str:
        """An expression of exactly this type, in parentheses."""
        if depth <= 0:
            return self.leaf(type_)
        makers = [self.leaf_of, self.operation, self.operation, self.cast, self.choice, self.builtin, self.element]
        makers.append(self.call)
        if type_.kind != "f":
            makers += [self.comparison, self.shift, self.division]
        return self.one(makers)(type_, depth)

    def leaf_of(self, type_: Type, depth: int) -> str:
        return self.leaf(type_)

    def operation(self, type_: Type, depth: int) -> str:
        a, b = self.value(type_, depth - 1), self.value(type_, depth - 1)
        if type_.kind == "f":
            return f"({a} {self.one('+-*/')} {b})"
        op = self.one(("+", "^", "&", "|", "-", "*", "& ~"))
        wide = _UNSIGNED[max(type_.bits, 32)].name  # a product of two unsigned shorts would be a signed one
        return f"(({type_.name})(({wide}){a} {op} ({wide}){b}))"

    def shift(self, type_: Type, depth: int) -> str:
        a = self.value(type_, depth - 1)
        by = (
            f"({self.value(UINT, depth - 1)} & {type_.bits - 1})"
            if self.often()
            else str(self.number(0, type_.bits - 1))
        )
        if self.often():
            return f"(({type_.name})({a} >> {by}))"
        return f"(({type_.name})(({_UNSIGNED[max(type_.bits, 32)].name}){a} << {by}))"

    def division(self, type_: Type, depth: int) -> str:
        a, op = self.value(type_, depth - 1), self.one("/%")
        if self.often():
            return f"(({type_.name})({a} {op} ({type_.name}){self.one((3, 7, 10, 16, 1, 100, 2, 127))}))"
        unsigned = _UNSIGNED[type_.bits]
        return f"(({type_.name})(({unsigned.name}){a} {op} (({unsigned.name}){self.value(type_, depth - 1)} | 1u)))"

    def comparison(self, type_: Type, depth: int) -> str:
        return f"(({type_.name}){self.condition(depth - 1)})"

    def condition(self, depth: int) -> str:
        kind = self.number(0, 5) if depth > 0 else 0
        if kind == 1:
            return f"(!{self.condition(depth - 1)})"
        if kind == 2:
            return f"({self.condition(depth - 1)} {self.one(('&&', '||'))} {self.condition(depth - 1)})"
        type_ = self.one(self.types)
        op = self.one(("<", ">", "==", "!=", "<=", ">="))
        return f"({self.value(type_, depth - 1)} {op} {self.value(type_, depth - 1)})"

    def cast(self, type_: Type, depth: int) -> str:
        source = self.one(self.types)
        a = self.value(source, depth - 1)
        if source.kind != "f" or type_.kind == "f":
            return f"(({type_.name}){a})"
        if source is FLOAT:
            return f"(({type_.name})__float2ll_rz({a}))"
        return f"(({type_.name})__double2int_rz({a}))"

    def choice(self, type_: Type, depth: int) -> str:
        return f"({self.condition(depth - 1)} ? {self.value(type_, depth - 1)} : {self.value(type_, depth - 1)})"

    def builtin(self, type_: Type, depth: int) -> str:
        found = [row for row in _BUILTINS if row[2] is type_]
        if not found:
            return self.cast(type_, depth)
        text, operands, _ = self.one(found)
        return f"({text.format(*[self.value(operand, depth - 2) for operand in operands])})"

    def element(self, type_: Type, depth: int) -> str:
        """An array's element, a field, a struct's copy."""
        found = self.target(type_, depth)
        return self.leaf(type_) if found is None else found

    def target(self, type_: Type, depth: int) -> str | None:
        """A place of the type inside of something."""
        arrays = [f"{name}[{self.index(size, depth)}]" for name, of, size in self.arrays if of is type_]
        fields = [
            f"{name}.{field}" for name, struct in self.objects for field, of in self.structs[struct] if of is type_
        ]
        return self.one(arrays + fields) if arrays or fields else None

    def index(self, size: int, depth: int) -> str:
        return str(self.number(0, size - 1)) if self.often() else f"{self.value(UINT, depth - 2)} % {size}u"

    def call(self, type_: Type, depth: int) -> str:
        found = [f for f in self.functions if f.result is type_]
        if not found:
            return self.operation(type_, depth)
        function = self.one(found)
        return f"{function.name}({', '.join(self.value(p, depth - 2) for p in function.parameters)})"

    # --- statements ---------------------------------------------------------------------------------------------

    def block(self, depth: int, most: int = 4) -> list[str]:
        """Statements; what they declare ends with them."""
        saved = list(self.places), list(self.arrays), list(self.objects)
        out: list[str] = []
        for _ in range(self.number(1, most)):
            out += self.statement(depth)
        self.places, self.arrays, self.objects = saved
        return ["    " + line for line in out]

    def statement(self, depth: int) -> list[str]:
        self.left -= 1
        simple = [self.assign, self.declare, self.assign, self.partly]
        nested = [self.branch, self.loop, self.switch]
        makers = simple if depth <= 0 or self.left < 0 else simple + nested + ([self.leave] if self.loops else [])
        return self.one(makers)(depth)

    def assign(self, depth: int) -> list[str]:
        free = [place for place in self.places if not place.fixed]
        type_ = self.one(self.types)
        inner = self.target(type_, 2) if self.often() else None
        place = Place(inner, type_) if inner is not None else self.one(free)
        value = self.value(place.type, 3)
        if self.often() and place.type.kind == "u":
            return [f"{place.text} {self.one(('+=', '^=', '-=', '|=', '*='))} {value};"]
        return [f"{place.text} = {value};"]

    def declare(self, depth: int) -> list[str]:
        kind = self.number(0, 9)
        if kind >= 8 and self.structs:
            struct, name = self.one(list(self.structs)), self.name("s")
            same = [other for other, of in self.objects if of == struct]
            made = self.one(same) if same and self.often() else f"{struct}()"
            self.objects.append((name, struct))
            return [f"{struct} {name} = {made};"]
        type_ = self.one(self.types)
        if kind >= 6:
            name, size = self.name("a"), self.one((4, 2, 8, 5))
            values = ", ".join(self.value(type_, 1) for _ in range(self.number(1, size)))
            self.arrays.append((name, type_, size))
            return [f"{type_.name} {name}[{size}] = {{{values}}};"]
        same_type = [
            place for place in self.places if place.type is type_ and place.text.isidentifier() and not place.fixed
        ]
        if kind == 5 and same_type:
            name = self.name("p")
            inner = self.target(type_, 1)
            self.places.append(Place(f"(*{name})", type_))
            # A bit-field has no address; its names say so.
            target = inner if inner is not None and self.often() and ".b" not in inner else self.one(same_type).text
            return [f"{type_.name} *{name} = &{target};"]
        name = self.name("v")
        value = self.value(type_, 2)
        self.places.append(Place(name, type_))
        return [f"{type_.name} {name} = {value};"]

    def partly(self, depth: int) -> list[str]:
        """A variable that has a value only where a condition holds, which is where what is made of it counts."""
        type_, of = self.one(self.types), self.one(self.types)
        name, known, made = self.name("v"), self.name("k"), self.name("v")
        lines = [f"{type_.name} {name};", f"const bool {known} = {self.condition(1)};"]
        lines.append(f"if ({known}) {name} = {self.division(type_, 2) if type_.kind != 'f' else self.value(type_, 2)};")
        fitting = [f for f in self.functions if type_ in f.parameters]
        if fitting:
            function = self.one(fitting)
            of = function.result
            given = [name if p is type_ else self.leaf(p) for p in function.parameters]
            value = f"{function.name}({', '.join(given)})"
        else:
            others, self.places = self.places, [*self.places, Place(name, type_, fixed=True)]
            value = self.value(of, 2)
            self.places = others
        self.places.append(Place(made, of))
        return [*lines, f"{of.name} {made} = {value};", f"if (!{known}) {made} = {self.literal(of)};"]

    def branch(self, depth: int) -> list[str]:
        out = [f"if {self.condition(2)} {{", *self.block(depth - 1)]
        if self.often():
            out += ["} else {", *self.block(depth - 1)]
        return [*out, "}"]

    def loop(self, depth: int) -> list[str]:
        name, bound = self.name("i"), self.name("n")
        turns = f"{self.value(UINT, 1)} % 7u" if self.often() else f"{self.number(0, 5)}u"
        self.places.append(Place(name, UINT, fixed=True))
        self.loops += 1
        body = self.block(depth - 1)
        self.loops -= 1
        self.places = [place for place in self.places if place.text != name]
        head = f"unsigned {bound} = {turns};"
        match self.number(0, 3):
            case 0:
                return [head, f"for (unsigned {name} = 0; {name} < {bound}; {name}++) {{", *body, "}"]
            case 1:
                also = self.condition(1)
                return [head, f"for (unsigned {name} = 0; {name} < {bound} && {also}; {name} += 2) {{", *body, "}"]
            case 2:
                return [f"{head} unsigned {name} = {bound};", f"while ({name}-- > 0) {{", *body, "}"]
            case _:
                return [f"{head} unsigned {name} = 0;", "do {", *body, f"}} while (++{name} < {bound});"]

    def switch(self, depth: int) -> list[str]:
        apart = self.one((1, 1, 37))
        out = [f"switch ({self.value(UINT, 2)} % {self.one((4, 8, 12))}u * {apart}u) {{"]
        loops, self.loops = self.loops, 0
        for case in range(self.number(1, 9)):
            out += [
                f"case {case * apart}: {{",
                *self.block(depth - 1, 2),
                "}" + (" break;" if self.number(0, 3) else ""),
            ]
        if self.often():
            out += ["default: {", *self.block(depth - 1, 2), "}"]
        self.loops = loops
        return [*out, "}"]

    def leave(self, depth: int) -> list[str]:
        return [f"if {self.condition(1)} {self.one(('break', 'continue'))};"]

    def together(self) -> list[str]:
        """What all threads do at once."""
        target = self.one([place for place in self.places if place.type is UINT and not place.fixed])
        match self.number(0, 3):
            case 0:
                return [f"{target.text} ^= {self.one(_CONVERGENT).format(self.value(UINT, 2))};"]
            case 1:
                other = f"shared[(threadIdx.x + {self.number(0, 63)}) % 64u]"
                stored = f"shared[threadIdx.x] = {self.value(UINT, 2)};"
                return [stored, "__syncthreads();", f"{target.text} += {other};", "__syncthreads();"]
            case 2:
                op = self.one(("Add", "Xor", "Max", "Min", "Exch", "And", "Or"))
                place = f"(unsigned *)&out[{self.number(0, OUTPUTS - 1)}]"
                return [f"{target.text} += atomic{op}({place}, {self.value(UINT, 2)});"]
            case _:
                lut = self.number(0, 255)
                a, b = self.value(UINT, 1), self.value(UINT, 1)
                return [f'asm("lop3.b32 %0, %0, %1, %2, {lut};" : "+r"({target.text}) : "r"({a}), "r"({b}));']

    # --- the program --------------------------------------------------------------------------------------------

    def struct(self) -> list[str]:
        name = self.name("S")
        out: list[str] = []
        fields: list[tuple[str, Type]] = []
        for _ in range(self.number(1, 5)):
            type_ = self.one(self.types)
            bits = self.number(1, type_.bits) if type_.kind != "f" and self.number(0, 2) == 2 else 0
            field = self.name("b" if bits else "f")
            fields.append((field, type_))
            out.append(f"    {type_.name} {field}{f' : {bits}' if bits else ''};")
        self.structs[name] = fields
        return [f"struct {name} {{", *out, "};"]

    def function(self) -> list[str]:
        self.places, self.arrays, self.objects = [], [], []
        self.left = 8
        result = self.one(self.types)
        parameters = [self.one(self.types) for _ in range(self.number(1, 4))]
        names = [self.name("q") for _ in parameters]
        self.places += [Place(n, t) for n, t in zip(names, parameters, strict=True)]
        name = self.name("f")
        body = [f"    {line}" for line in self.declare(1)]
        body += self.block(2)
        listed = ", ".join(f"{t.name} {n}" for n, t in zip(names, parameters, strict=True))
        how = self.one(("", "__noinline__ ", "__forceinline__ "))
        if how == "__noinline__ " and UINT in parameters and self.often():  # recursion that ends
            at = parameters.index(UINT)
            inner = ["bound / 2u" if i == at else n for i, n in enumerate(names)]
            # The body may have changed the parameter: squared each time it would never be small.
            body = [f"    const unsigned bound = {names[at]};", *body]
            body.append(f"    if (bound > 3u) return {name}({', '.join(inner)});")
        out = [f"__device__ {how}{result.name} {name}({listed}) {{", *body, f"    return {self.value(result, 2)};", "}"]
        self.functions.append(Function(name, result, tuple(parameters)))
        return out

    def program(self, size: int) -> str:
        out: list[str] = []
        for _ in range(self.number(0, 2)):
            out += self.struct()
        for _ in range(self.number(0, 3)):
            out += self.function()
        self.places, self.arrays, self.objects = [], [], []
        body = [f"in += threadIdx.x * {INPUTS};", f"out += threadIdx.x * {OUTPUTS};", "__shared__ unsigned shared[64];"]
        self.places += [Place(text, UINT, fixed=True) for text in ("threadIdx.x", f"in[{INPUTS - 1}]")]
        starts = [UINT, *[self.one(self.types) for _ in range(self.number(1, 5))]]
        for at, type_ in enumerate(starts):
            name = self.name("v")
            wide = f"in[{at}] | (unsigned long long)in[{at + 1}] << 32" if type_.bits == 64 else f"in[{at}]"
            value = f"({type_.name})(int)in[{at}] * 0.125f" if type_.kind == "f" else f"({type_.name})({wide})"
            body.append(f"{type_.name} {name} = {value};")
            self.places.append(Place(name, type_))
        self.left = size
        for _ in range(self.number(1, 6)):
            body += self.together() if self.number(0, 3) == 3 else self.statement(3)
        body += self.results()
        text = [
            f"__global__ void {NAME}(const unsigned *in, unsigned long long *out) {{",
            *[f"    {x}" for x in body],
            "}",
        ]
        return HEADER + "\n".join([*out, f'extern "C" {text[0]}', *text[1:]]) + "\n"

    def results(self, row: str = "out") -> list[str]:
        """All that is alive at the end, written to the row."""
        values = [(place.text, place.type) for place in self.places]
        values += [(f"{name}[{i}]", type_) for name, type_, size in self.arrays for i in range(size)]
        values += [(f"{name}.{field}", type_) for name, of in self.objects for field, type_ in self.structs[of]]
        return mixed([(text, type_.name) for text, type_ in values], row)


@st.composite
def kernels(draw: st.DrawFn, floats: bool | None = None, size: int = 12) -> str:
    """The text of a `.cu` file with one kernel, `kernel(const unsigned *in, unsigned long long *out)`, for blocks of 64
    threads or fewer in whole warps. `floats`: with floating-point values (None: some)."""
    return Writer(draw, draw(st.booleans()) if floats is None else floats).program(size)


Run = Callable[[str], Any]
"""Compiles a text and runs it: what it gives is compared."""


def check(text: str, first: Run, *others: Run) -> None:
    """All ways to run a kernel agree. Raises AssertionError with the kernel."""
    wanted = first(text)
    for other in others:
        got = other(text)
        assert got == wanted, f"{text}\n{got}\nis not\n{wanted}"
