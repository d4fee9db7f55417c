"""The `//!` lines of a kernel file: how to launch it and what must come out.

To a C++ compiler they are comments. To `minicc run` they are a small script in Python's syntax, read with `ast` and
interpreted here against a whitelist: a `.k` file is untrusted input, so nothing of it ever reaches Python's `eval`, and
the work and memory that it can ask for are bounded.

    //! teaches: what a reader learns here
    //! n = 1 << 20
    //! a = uniform(-1, 1, n, f32)
    //! c = zeros(n, f32)
    //! scale[cdiv(n, 256), 256](a, c, n)        a launch: kernel[grid, block, dynamic shared bytes, stream](arguments)
    //! store("table", a)                        writes a __constant__ or __device__ variable
    //! expect(c, 2 * a, ulp=1)                  a check: exact unless ulp, rel or abs give a bound
    //! assert n % 4 == 0, "n: fours"            sizes that the kernel cannot take end here, with these words

Values are numpy arrays and scalars; `/` between integers divides as C does. Launches in streams (numbers from 1 on)
that follow each other run beside each other; whatever comes behind them waits for all.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import attrs
import numpy as np

from minicc.diagnostics import Diagnostic, SourceFile, Span, fail
from runtime.errors import LaunchError

MAX_BYTES = 1 << 30
"""Largest array a script may make, in bytes."""
MAX_STEPS = 200_000
"""Statements a script may execute."""
MAX_ELEMENTS = 4_000_000_000
"""Array elements a script may touch in all."""

Launcher = Callable[..., Any]
"""Called with kernel, grid, block, shared and arguments, and, for a launch in a stream, `stream=`."""
Storer = Callable[[str, np.ndarray], None]
MAX_STREAM = 128
"""The largest number of a stream."""


@attrs.frozen
class DType:
    """An element type by its short name: usable as an argument (`zeros(n, f32)`) and as a conversion (`f32(x)`)."""

    dtype: np.dtype[Any]

    def __call__(self, value: Any) -> Any:
        with np.errstate(all="ignore"):
            converted = np.asarray(value).astype(self.dtype)
        return converted if converted.ndim else converted[()]


DTYPES = {
    name: DType(np.dtype(full))
    for name, full in {
        "bool": "bool", "f16": "f2", "f32": "f4", "f64": "f8",
        "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
    }.items()
}  # fmt: skip


@attrs.define
class Check:
    """One `expect`: what was compared and how far apart the worst element was."""

    name: str
    ok: bool
    count: int
    worst: float
    """Largest |got - want|; for integers the number of elements that differ."""
    worst_ulp: float | None
    bound: str
    where: int | None = None
    """Flat index of the first element out of bounds."""
    got: Any = None
    want: Any = None
    free_order: bool = False


@attrs.define
class LaunchRecord:
    """One launch the script made and what the device said."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared: int
    result: Any
    stream: int = 0
    """0: none, nothing else ran meanwhile."""


@attrs.define
class Outcome:
    """All that happened: launches in order, checks in order, and the script's variables at the end."""

    launches: list[LaunchRecord] = attrs.field(factory=list)
    checks: list[Check] = attrs.field(factory=list)
    variables: dict[str, Any] = attrs.field(factory=dict)
    outputs: list[str] = attrs.field(factory=list)
    """Names of the arrays that launches were given, in order of first use."""

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)


@attrs.define
class Overrides:
    """What the command line changes: top-level assignments by name, and the shape of every launch."""

    assign: dict[str, str] = attrs.field(factory=dict)
    grid: tuple[int, ...] | None = None
    block: tuple[int, ...] | None = None
    shared: int | None = None
    kernel: str | None = None


@attrs.frozen
class Script:
    """A parsed script. `teaches` is the file's one-line purpose; `body` the statements; `source` for messages."""

    source: SourceFile
    teaches: str
    body: list[ast.stmt]

    @property
    def kernels(self) -> list[str]:
        """Names of the kernels that the script launches, in order of appearance."""
        found = [
            node.func.value.id
            for stmt in self.body
            for node in ast.walk(stmt)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Subscript)
            and isinstance(node.func.value, ast.Name)
        ]
        return list(dict.fromkeys(found))


_LINE = re.compile(r"^[ \t]*//! ?(.*)$")


def parse(source: SourceFile) -> Script:
    """Read the `//!` lines of a source. Text that is no script is a `CompileError` at its place."""
    teaches, kept = "", []
    for line in source.text.split("\n"):
        match = _LINE.match(line)
        text = match.group(1).rstrip() if match else ""
        if text.startswith("teaches:"):
            teaches, text = text.removeprefix("teaches:").strip(), ""
        kept.append(text)
    try:
        tree = _parsed("\n".join(kept), "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line_number = getattr(error, "lineno", None) or 1
        fail("script.syntax", f"{getattr(error, 'msg', error)} in a //! line", _line_span(source, line_number))
    return Script(source, teaches, tree.body)


def _parsed(text: str, mode: str) -> Any:
    """Python's tree of the text, without its warnings (of 1if, say), which would go to standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode=mode)


def _line_span(source: SourceFile, line: int) -> Span:
    lines = source.text.split("\n")
    line = min(max(line, 1), len(lines))
    start = sum(len(text) + 1 for text in lines[: line - 1])
    return Span(source, start, start + len(lines[line - 1]))


def _c_divide(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        quotient = abs(a) // abs(b)
        return quotient if (a < 0) == (b < 0) else -quotient
    return a / b


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and abs(a) > 1 and b > 64:
        raise ValueError("integers are limited to 64 bits")
    return a**b


_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: _c_divide,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.Pow: _power,
}  # fmt: skip
_UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_,
}  # fmt: skip
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def _cdf(x: Any) -> Any:
    from math import erfc

    return np.vectorize(lambda v: 0.5 * erfc(-v / 2**0.5), otypes=[np.float64])(x)


def _rotr(x: Any, n: int) -> Any:
    bits = np.asarray(x).dtype.itemsize * 8
    kind = np.asarray(x).dtype.type
    return (x >> kind(n)) | (x << kind(bits - n))


class _Interpreter:
    """Walks the statements. Every limit is checked before numpy is asked for anything."""

    def __init__(
        self, script: Script, launch: Launcher, store: Storer, overrides: Overrides, wait: Callable[[], None]
    ) -> None:
        self.source = script.source
        """Where the text stands that is evaluated: the script, or an option."""
        self.script, self.launch_, self.store, self.overrides, self.wait = script, launch, store, overrides, wait
        self.waiting = False
        """Whether launches in streams may be under way."""
        self.outcome = Outcome()
        self.names: dict[str, Any] = {}
        self.steps = 0
        self.elements = 0
        self.draws = 0
        self.functions: dict[str, Callable[..., Any]] = {
            "zeros": lambda shape, dtype=DTYPES["f32"]: np.zeros(self.shape(shape, dtype), dtype.dtype),
            "ones": lambda shape, dtype=DTYPES["f32"]: np.ones(self.shape(shape, dtype), dtype.dtype),
            "full": lambda shape, value, dtype=DTYPES["f32"]: np.full(self.shape(shape, dtype), value, dtype.dtype),
            "arange": self.arange, "uniform": self.uniform, "randint": self.randint,
            "copy": np.copy, "transpose": np.transpose, "reshape": np.reshape, "concatenate": np.concatenate,
            "meshgrid": np.meshgrid, "sort": np.sort, "cumsum": np.cumsum, "where": np.where,
            "bincount": lambda x, size=1: np.bincount(x, minlength=self.shape(size, DTYPES["i64"])[0]),
            "sum": np.sum, "max": np.max, "min": np.min, "any": np.any, "all": np.all, "mean": np.mean,
            "maximum": np.maximum, "minimum": np.minimum, "abs": np.abs, "floor": np.floor, "ceil": np.ceil,
            "sqrt": np.sqrt, "cbrt": np.cbrt, "exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos,
            "tanh": np.tanh, "cdf": _cdf, "rotr": _rotr, "cdiv": lambda a, b: -(-a // b), "int": int, "float": float,
            "len": len, "range": self.range_, "expect": self.expect, "store": self.store_,
            **DTYPES,
        }  # fmt: skip

    # Bounded makers of arrays

    def shape(self, shape: Any, dtype: DType) -> tuple[int, ...]:
        dims = tuple(int(d) for d in (shape if isinstance(shape, tuple | list) else (shape,)))
        count = 1
        for d in dims:
            count *= d
        if any(d < 0 for d in dims) or count * dtype.dtype.itemsize > MAX_BYTES:
            raise ValueError(f"array of shape {dims} is negative or above {MAX_BYTES >> 20} MiB")
        return dims

    def arange(self, *bounds: Any, dtype: DType = DTYPES["i64"]) -> np.ndarray:
        if bounds and isinstance(bounds[-1], DType):
            bounds, dtype = bounds[:-1], bounds[-1]
        values = range(*bounds)
        self.shape(len(values), DTYPES["i64"])
        return np.arange(values.start, values.stop, values.step, dtype=np.int64).astype(dtype.dtype)

    def range_(self, *args: int) -> range:
        return range(*args)

    def generator(self) -> np.random.Generator:
        self.draws += 1
        return np.random.Generator(np.random.PCG64(self.draws))

    def uniform(self, low: float, high: float, shape: Any, dtype: DType = DTYPES["f32"]) -> np.ndarray:
        values = self.generator().random(self.shape(shape, DTYPES["f64"]))
        return (low + (high - low) * values).astype(dtype.dtype)

    def randint(self, low: int, high: int, shape: Any, dtype: DType = DTYPES["i32"]) -> np.ndarray:
        drawn = self.generator().integers(low, high, self.shape(shape, DTYPES["i64"]), dtype=np.int64)
        return drawn.astype(dtype.dtype)

    # Statements

    def run(self, body: Iterable[ast.stmt], top: bool = False) -> None:
        for stmt in body:
            self.steps += 1
            if self.steps > MAX_STEPS:
                self.error(stmt, f"the script takes more than {MAX_STEPS} steps")
            self.statement(stmt, top)

    def settle(self) -> None:
        """Wait for what is under way."""
        if self.waiting:
            self.waiting = False
            self.wait()

    def statement(self, stmt: ast.stmt, top: bool) -> None:
        if not isinstance(stmt, ast.Expr):
            self.settle()
        match stmt:
            case ast.Assign(targets=[target], value=value):
                if top and isinstance(target, ast.Name) and target.id in self.overrides.assign:
                    return
                self.assign(target, self.value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                load = ast.copy_location(ast.BinOp(_as_load(target), op, value), stmt)
                self.assign(target, self.value(load))
            case ast.For(target=target, iter=iterable, body=body, orelse=[]):
                items = self.value(iterable)
                if not isinstance(items, range):
                    self.error(iterable, "for needs a range(...)")
                for item in items:
                    self.assign(target, item)
                    self.run(body)
            case ast.While(test=test, body=body, orelse=[]):
                while self.truth(test):
                    self.run(body)
            case ast.If(test=test, body=body, orelse=orelse):
                self.run(body if self.truth(test) else orelse)
            case ast.Assert(test=test, msg=None | ast.Constant(value=str())):
                if not self.truth(test):
                    self.error(
                        test, str(stmt.msg.value) if isinstance(stmt.msg, ast.Constant) else "this does not hold"
                    )
            case ast.Expr(value=ast.Call(func=ast.Subscript() as shape) as call):
                self.launch(call, shape)
            case ast.Expr(value=ast.Call() as call):
                self.settle()
                self.value(call)
            case _:
                self.error(stmt, f"{type(stmt).__name__} is not part of the launch script")

    def truth(self, test: ast.expr) -> bool:
        value = self.value(test)
        try:
            return bool(value)
        except ValueError as error:
            self.error(test, str(error))

    def assign(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self.names[name] = value
            case ast.Tuple(elts=parts):
                try:
                    items = list(zip(parts, value, strict=True))
                except (ValueError, TypeError):
                    self.error(target, f"{len(parts)} names for something else than {len(parts)} values")
                for part, item in items:
                    self.assign(part, item)
            case ast.Subscript(value=base, slice=index):
                array, place = self.value(base), self.index(index)
                try:
                    array[place] = value
                except (ValueError, TypeError, IndexError, OverflowError) as error:
                    self.error(target, str(error))
            case _:
                self.error(target, "cannot assign to this")

    def launch(self, call: ast.Call, shape: ast.Subscript) -> None:
        if not isinstance(shape.value, ast.Name) or call.keywords:
            self.error(call, "a launch is kernel[grid, block](arguments)")
        parts = [node for arg in call.args if not isinstance(arg, ast.Name) for node in ast.walk(arg)]
        if any(isinstance(part, ast.Name) and isinstance(self.names.get(part.id), np.ndarray) for part in parts):
            # It looks at what may be under way.
            self.settle()
        config = self.value(shape.slice)
        if not isinstance(config, tuple) or not 2 <= len(config) <= 4:
            self.error(shape, "a launch needs [grid, block], [grid, block, shared bytes] or those and a stream")
        try:
            stream = int(config[3] if len(config) > 3 else 0)
            grid = self.overrides.grid or self.dims(config[0])
            block = self.overrides.block or self.dims(config[1])
            given = self.overrides.shared
            shared = given if given is not None else int(config[2] if len(config) > 2 else 0)
        except (ValueError, TypeError, OverflowError) as error:
            self.error(shape, f"grid, block, shared bytes and stream are numbers: {error}")
        if not 0 <= stream <= MAX_STREAM:
            self.error(shape, f"stream {stream}: 1 to {MAX_STREAM}, or 0 for none")
        arguments = [self.value(arg) for arg in call.args]
        for node, argument in zip(call.args, arguments, strict=True):
            if isinstance(node, ast.Name) and isinstance(argument, np.ndarray) and node.id not in self.outcome.outputs:
                self.outcome.outputs.append(node.id)
        kernel = self.overrides.kernel or shape.value.id
        if stream:
            self.waiting = True
        else:
            self.settle()
        try:
            result = self.launch_(kernel, grid, block, shared, arguments, **({"stream": stream} if stream else {}))
        except LaunchError as error:
            fail(error.code, error.message, self.span(call))
        self.outcome.launches.append(LaunchRecord(kernel, grid, block, shared, result, stream))

    @staticmethod
    def dims(value: Any) -> tuple[int, ...]:
        return tuple(int(v) for v in value) if isinstance(value, tuple) else (int(value),)

    # Expressions

    def value(self, node: ast.expr) -> Any:
        try:
            with np.errstate(all="ignore"):
                result = self.evaluate(node)
        except (ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError, MemoryError) as error:
            self.error(node, str(error))
        except AttributeError:  # zeros(4, 32), sum("x")
            self.error(node, "an argument is of the wrong kind (a type like f32, a number, an array)")
        if isinstance(result, np.ndarray):
            self.elements += result.size
            if self.elements > MAX_ELEMENTS or result.nbytes > MAX_BYTES:
                self.error(node, "the script asks for too much work or memory")
        elif isinstance(result, int) and abs(result) >> 64:
            self.error(node, "integers are limited to 64 bits")
        return result

    def evaluate(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value) if isinstance(value, int | float | str):
                return value
            case ast.Name(id=name):
                if name in self.names:
                    return self.names[name]
                if name in DTYPES:
                    return DTYPES[name]
                self.error(node, f"'{name}' is not defined")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                a, b = self.value(left), self.value(right)
                if isinstance(op, ast.LShift) and isinstance(a, int) and isinstance(b, int) and not 0 <= b < 64:
                    raise ValueError("shift count out of range")
                if isinstance(a, str) or isinstance(b, str):
                    raise TypeError("text has no arithmetic")
                return _BINARY[type(op)](a, b)
            case ast.UnaryOp(op=op, operand=operand):
                return _UNARY[type(op)](self.value(operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
                return _COMPARE[type(op)](self.value(left), self.value(right))
            case ast.BoolOp(op=op, values=values):
                wanted = isinstance(op, ast.Or)
                return any(self.value(v) for v in values) if wanted else all(self.value(v) for v in values)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.value(body) if self.value(test) else self.value(orelse)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return tuple(self.value(e) for e in elts)
            case ast.Subscript(value=base, slice=index):
                return self.value(base)[self.index(index)]
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                if name not in self.functions:
                    known = ", ".join(sorted(self.functions))
                    note = Diagnostic("note", "script.functions", f"known functions: {known}")
                    fail("script.unknown-function", f"no function '{name}'", self.span(node), notes=[note])
                if name == "expect":
                    return self.expect(args, {k.arg or "": self.value(k.value) for k in keywords}, node)
                return self.call(name, node, args, keywords)
        part = (
            f"'.{node.func.attr}()'" if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else "this"
        )
        self.error(node, f"{part} is not part of the launch script (minicc run --script-help)")

    def call(self, name: str, node: ast.expr, args: list[ast.expr], keywords: list[ast.keyword]) -> Any:
        """A function of the script; what it does not take is told with how it is called."""
        given, named = [self.value(a) for a in args], {k.arg: self.value(k.value) for k in keywords if k.arg}
        try:
            return self.functions[name](*given, **named)
        except (TypeError, AttributeError) as error:  # of the wrong number or kind: zeros(4, 32), sum("x")
            from runtime.script_help import of

            usage = " or ".join(of(name)) or f"{name}(x)"
            why = "" if isinstance(error, AttributeError) or "lambda" in str(error) else f" ({error})"
            self.error(node, f"'{name}' is called as {usage}{why}")

    def index(self, node: ast.expr) -> Any:
        match node:
            case ast.Slice(lower=lower, upper=upper, step=step):
                return slice(*(None if part is None else int(self.value(part)) for part in (lower, upper, step)))
            case ast.Tuple(elts=elts):
                return tuple(self.index(e) for e in elts)
        return self.value(node)

    # Effects

    def store_(self, name: str, value: Any) -> None:
        self.store(name, np.ascontiguousarray(value))

    def expect(self, args: list[ast.expr], bounds: dict[str, Any], node: ast.expr) -> None:
        if len(args) != 2 or bounds.keys() - {"ulp", "abs", "rel", "order"}:
            self.error(node, "expect(got, want, ulp=, abs=, rel=, order=)")
        name = ast.unparse(args[0])
        got, want = np.asarray(self.value(args[0])), np.asarray(self.value(args[1]))
        try:
            want = np.broadcast_to(want, got.shape)
        except ValueError:
            self.error(node, f"{name} has shape {got.shape}, what is expected has {want.shape}")
        self.outcome.checks.append(compare(name, got, want, bounds))

    # Errors

    def span(self, node: ast.AST) -> Span:
        source, line = self.source, getattr(node, "lineno", 1)
        whole = _line_span(source, line)
        prefix = _LINE.match(source.line(line))
        shift = prefix.start(1) if prefix else 0
        start = whole.start + shift + getattr(node, "col_offset", 0)
        same = getattr(node, "end_lineno", line) == line
        return Span(source, start, whole.start + shift + node.end_col_offset if same else whole.end)  # type: ignore[attr-defined]

    def error(self, node: ast.AST, message: str) -> NoReturn:
        fail("script.error", message, self.span(node))


def _as_load(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            return ast.copy_location(ast.Name(name, ast.Load()), target)
        case ast.Subscript(value=value, slice=index):
            return ast.copy_location(ast.Subscript(value, index, ast.Load()), target)
    return target


def compare(name: str, got: np.ndarray, want: np.ndarray, bounds: dict[str, Any]) -> Check:
    """Hold `got` to `want`, of one shape. With no bound, equal to the last bit (any NaN equals any NaN).
    `ulp` is in units of the last place of got's type around `want`; `abs` + `rel` * |want| otherwise; the widest bound
    given counts."""
    free = bounds.get("order") == "free"
    if got.dtype.kind not in "fc":
        wrong = got.astype(object) != want.astype(object) if got.dtype.kind == "u" else got != want
        worst, worst_ulp, bound = float(np.count_nonzero(wrong)), None, "exact"
    else:
        exact = want.astype(np.float64)
        value = got.astype(np.float64)
        with np.errstate(all="ignore"):
            error = np.abs(value - exact)
            error[(value == exact) | (np.isnan(value) & np.isnan(exact))] = 0.0
            unit = np.spacing(np.abs(exact.astype(got.dtype))).astype(np.float64)
            ulps = error / unit
        allowed = np.zeros_like(error)
        parts = []
        if "ulp" in bounds:
            allowed = np.maximum(allowed, bounds["ulp"] * unit)
            parts.append(f"{bounds['ulp']:g} ulp")
        if "abs" in bounds or "rel" in bounds:
            allowed = np.maximum(allowed, bounds.get("abs", 0.0) + bounds.get("rel", 0.0) * np.abs(exact))
            parts += [f"{key} {bounds[key]:g}" for key in ("abs", "rel") if key in bounds]
        wrong = ~(error <= allowed)
        bound = ", ".join(parts) or "exact"
        worst = float(np.max(error, initial=0.0)) if not np.isnan(error).any() else float("nan")
        worst_ulp = float(np.max(ulps, initial=0.0)) if not np.isnan(ulps).any() else float("nan")
    first = int(np.argmax(wrong)) if wrong.any() else None
    check = Check(name, first is None, int(got.size), worst, worst_ulp, bound, first, free_order=free)
    if first is not None:
        check.got, check.want = got.reshape(-1)[first].item(), want.reshape(-1)[first].item()
    return check


def run(
    script: Script,
    launch: Launcher,
    store: Storer,
    overrides: Overrides | None = None,
    wait: Callable[[], None] = lambda: None,
) -> Outcome:
    """Interpret a script. `launch(kernel, grid, block, shared, arguments)` runs a kernel on numpy arrays in place; with
    `stream=` it may leave that until `wait()` is called. `store(name, array)` writes a module variable. Errors are
    `CompileError`s that point into the file."""
    overrides = overrides or Overrides()
    interpreter = _Interpreter(script, launch, store, overrides, wait)
    assigned = {node.id for item in script.body for node in ast.walk(item)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}  # fmt: skip
    for name, text in overrides.assign.items():
        if name not in assigned:
            fail("script.set", f"--set {name}: the script sets no '{name}'; it sets {', '.join(sorted(assigned))}")
        source = SourceFile(f"--set {name}", text)
        try:
            node = _parsed(text, "eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            fail("script.syntax", getattr(error, "msg", str(error)), Span(source, 0, len(text)))
        interpreter.source = source
        interpreter.names[name] = interpreter.value(node)
    interpreter.source = script.source
    interpreter.run(script.body, top=True)
    interpreter.settle()
    interpreter.outcome.variables = interpreter.names
    return interpreter.outcome
