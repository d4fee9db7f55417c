"""From a semantic form to LLVM IR text: one function over 32 lanes, with the signature that `abi` fixes.

A node that is the same in all lanes becomes a scalar, any other a <32 x iN> vector, which LLVM splits to the host's
vectors. Directed rounding uses `llvm.set.rounding` and constrained intrinsics; the function restores nearest-even.
"""

from __future__ import annotations

from collections.abc import Sequence

from minicc.numbers import signed
from minicc.sass.semantics import Form, Slot
from minicc.sass.semantics.expr import E
from runtime.device.sm.execute import abi

N = abi.LANES
_FLOAT = {"f32": ("float", "f32"), "f64": ("double", "f64")}
_ROUNDING = {"RZ": 0, "RN": 1, "RP": 2, "RM": 3}
_BINARY = {"add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "or", "xor": "xor", "shl": "shl",
           "lshr": "lshr", "ashr": "ashr"}  # fmt: skip
_COMPARE = {"eq": "eq", "ult": "ult", "ule": "ule", "slt": "slt", "sle": "sle"}
_REDUCE_IDENTITY = {"add": 0, "or": 0, "xor": 0, "umax": 0, "and": -1, "umin": -1}


def register_slots(form: Form) -> list[int]:
    """Slot numbers that have an entry in `Operands.src`, in order."""
    return [n for n, s in enumerate(form.slots) if s.kind in ("R", "U", "P", "UP")]


def value_slots(form: Form) -> list[int]:
    """Slot numbers that have an entry in `Operands.imm`, in order."""
    return [n for n, s in enumerate(form.slots) if s.kind == "K"]


class _Emitter:
    def __init__(self, form: Form, name: str):
        self.form, self.name = form, name
        self.lines: list[str] = []
        self.globals: list[str] = []
        self.declared: dict[str, str] = {}
        self.values: dict[int, str] = {}
        self.splats: dict[int, str] = {}
        self.count = 0
        self.nodes: list[E] = []  # keeps ids alive
        self.src_index = {n: k for k, n in enumerate(register_slots(form))}
        self.imm_index = {n: k for k, n in enumerate(value_slots(form))}
        self.offsets: dict[int, str] = {}
        self.lane_mask: str | None = None
        self.strict = any(_directed(r.value) for r in form.results)

    # -- text helpers
    def new(self, text: str) -> str:
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def call(self, result: str, function: str, arguments: Sequence[tuple[str, str]], attribute: str = "") -> str:
        self.declared.setdefault(function, f"declare {result} @{function}({', '.join(t for t, _ in arguments)})")
        text = f"call {result} @{function}({', '.join(f'{t} {v}' for t, v in arguments)}){attribute}"
        if result == "void":
            self.lines.append("  " + text)
            return ""
        return self.new(text)

    def offset(self, k: int) -> str:
        """Word offset of source k as i64."""
        if k not in self.offsets:
            p = self.new(f"getelementptr i8, ptr %d, i64 {abi.SRC_OFFSET + 4 * k}")
            v = self.new(f"load i32, ptr {p}, align 4, !invariant.load !0")
            self.offsets[k] = self.new(f"zext i32 {v} to i64")
        return self.offsets[k]

    def row_pointer(self, k: int, plus: int = 0) -> str:
        at = self.offset(k)
        if plus:
            at = self.new(f"add i64 {at}, {plus}")
        return self.new(f"getelementptr i32, ptr %w, i64 {at}")

    def lanes(self) -> str:
        """The mask as <32 x i1>."""
        if self.lane_mask is None:
            self.lane_mask = self.new(f"bitcast i32 %mask to <{N} x i1>")
        return self.lane_mask

    # -- values
    def vector(self, e: E) -> str:
        """The node as a vector, splatting if it is uniform."""
        if e.vec:
            return self.value(e)
        if e.op == "const":
            return _splat_text(e)
        key = id(e)
        if key not in self.splats:
            scalar = self.value(e)
            t = f"<{N} x i{e.width}>"
            first = self.new(f"insertelement {t} poison, i{e.width} {scalar}, i64 0")
            self.splats[key] = self.new(f"shufflevector {t} {first}, {t} poison, <{N} x i32> zeroinitializer")
        return self.splats[key]

    def as_kind(self, e: E, vec: bool) -> str:
        return self.vector(e) if vec else self.value(e)

    def value(self, e: E) -> str:
        """The node in its own kind (scalar or vector). Iterative over the tree's depth by explicit ordering."""
        key = id(e)
        found = self.values.get(key)
        if found is not None:
            return found
        for node in _postorder(e, self.values):
            self.nodes.append(node)
            self.values[id(node)] = self.emit(node)
        return self.values[key]

    def emit(self, e: E) -> str:
        vec, w, op = e.vec, e.width, e.op
        t = _type(w, vec)
        if op == "const":
            return str(signed(e.attr, w)) if w > 1 else ("true" if e.attr else "false")
        if op == "src":
            return self.source(e.attr, self.form.slots[e.attr], w)
        if op in _BINARY:
            a, b = (self.as_kind(x, vec) for x in e.args)
            return self.new(f"{_BINARY[op]} {t} {a}, {b}")
        if op in _COMPARE:
            a, b = (self.as_kind(x, vec) for x in e.args)
            return self.new(f"icmp {_COMPARE[op]} {_type(e.args[0].width, vec)} {a}, {b}")
        if op == "select":
            c, yes, no = e.args
            a, b = self.as_kind(yes, vec), self.as_kind(no, vec)
            return self.new(f"select {_type(1, c.vec)} {self.value(c)}, {t} {a}, {t} {b}")
        if op in ("zext", "sext", "trunc"):
            return self.new(f"{op} {_type(e.args[0].width, vec)} {self.as_kind(e.args[0], vec)} to {t}")
        if op in ("ctpop", "bitreverse"):
            return self.call(t, f"llvm.{op}.{_suffix(w, vec)}", [(t, self.value(e.args[0]))])
        if op in ("ctlz", "cttz"):
            arguments = [(t, self.value(e.args[0])), ("i1", "false")]
            return self.call(t, f"llvm.{op}.{_suffix(w, vec)}", arguments)
        if op == "lane":
            return "<" + ", ".join(f"i32 {i}" for i in range(N)) + ">"
        if op == "active":
            return "%mask"
        if op == "round":
            return "%round"
        if op in ("fadd", "fmul", "fma", "fcmp", "fext", "ftrunc", "frint", "itof", "ftoi"):
            return self.float_op(e)
        if op == "table":
            return self.table(e)
        return self.cross_lane(e)

    def source(self, number: int, slot: Slot, width: int) -> str:
        kind = slot.kind
        if kind == "K":
            p = self.new(f"getelementptr i8, ptr %d, i64 {abi.IMM_OFFSET + 8 * self.imm_index[number]}")
            return self.new(f"load i{width}, ptr {p}, align 8")
        if kind in ("PR", "UPR"):
            base = abi.P if kind == "PR" else abi.UP
            p = self.new(f"getelementptr i32, ptr %w, i64 {base + int(slot.part)}")
            word = self.new(f"load i32, ptr {p}, align 4")
            return self.new(f"bitcast i32 {word} to <{N} x i1>" if kind == "PR" else f"icmp ne i32 {word}, 0")
        if kind == "SPECIAL":
            words = []
            for row in range(width // 32):
                p = self.new(f"getelementptr i32, ptr %w, i64 {(abi.SPECIAL_ROW + row) * N}")
                words.append(self.new(f"load <{N} x i32>, ptr {p}, align 4"))
            return self.join(words, True)
        k = self.src_index[number]
        if kind == "R":
            words = []
            for row in range(width // 32):
                p = self.row_pointer(k, row * N)
                words.append(self.new(f"load <{N} x i32>, ptr {p}, align 4"))
            return self.join(words, True)
        if kind == "U":
            words = []
            for row in range(width // 32):
                p = self.row_pointer(k, row)
                words.append(self.new(f"load i32, ptr {p}, align 4"))
            return self.join(words, False)
        p = self.row_pointer(k)
        word = self.new(f"load i32, ptr {p}, align 4")
        return self.new(f"bitcast i32 {word} to <{N} x i1>" if kind == "P" else f"icmp ne i32 {word}, 0")

    def join(self, words: list[str], vec: bool) -> str:
        """One 32- or 64-bit value from its words, low first."""
        if len(words) == 1:
            return words[0]
        a, b = _type(32, vec), _type(64, vec)
        low, high = (self.new(f"zext {a} {x} to {b}") for x in words)
        thirty_two = f"splat (i64 {32})" if vec else "32"
        high = self.new(f"shl {b} {high}, {thirty_two}")
        return self.new(f"or {b} {low}, {high}")

    # -- floats
    def as_float(self, e: E, vec: bool) -> tuple[str, str]:
        """(float type text, value) of a bit pattern."""
        ft = _float_type(e.width, vec)
        return ft, self.new(f"bitcast {_type(e.width, vec)} {self.as_kind(e, vec)} to {ft}")

    def float_op(self, e: E) -> str:
        vec, t = e.vec, _type(e.width, e.vec)
        if e.op == "fcmp":
            ft, a = self.as_float(e.args[0], vec)
            _, b = self.as_float(e.args[1], vec)
            predicate = e.attr[1]
            if self.strict:
                name = f"llvm.experimental.constrained.fcmp.{_float_suffix(e.args[0].width, vec)}"
                return self.call(t, name, [(ft, a), (ft, b), ("metadata", f'!"{predicate}"'), _EXCEPT], " strictfp")
            return self.new(f"fcmp {predicate} {ft} {a}, {b}")
        if e.op == "ftoi":
            ft, a = self.as_float(e.args[0], vec)
            kind = "fptosi" if e.attr[1] else "fptoui"
            name = f"llvm.{kind}.sat.{_suffix(e.width, vec)}.{_float_suffix(e.args[0].width, vec)}"
            return self.call(t, name, [(ft, a)])
        ft = _float_type(e.width, vec)
        fs = _float_suffix(e.width, vec)
        rm = e.attr if e.op == "ftrunc" else (e.attr[-1] if e.attr else "RN")
        if e.op == "frint":
            name = {"RN": "roundeven", "RM": "floor", "RP": "ceil", "RZ": "trunc"}[rm]
            result = self.call(ft, f"llvm.{name}.{fs}", [self.as_float(e.args[0], vec)])
        elif e.op == "itof":
            kind = "sitofp" if e.attr[1] else "uitofp"
            source_type, source = _type(e.args[0].width, vec), self.as_kind(e.args[0], vec)
            if self.strict:
                name = f"llvm.experimental.constrained.{kind}.{fs}.{_suffix(e.args[0].width, vec)}"
                result = self.rounded(ft, name, [(source_type, source)], rm)
                if rm == "RM":
                    # Without AVX-512 LLVM takes a constant from a float that holds both; downwards, x - x is -0.
                    zero = self.new(f"icmp eq {source_type} {source}, zeroinitializer")
                    result = self.new(f"select {_type(1, vec)} {zero}, {ft} zeroinitializer, {ft} {result}")
            else:
                result = self.new(f"{kind} {source_type} {source} to {ft}")
        elif e.op in ("fext", "ftrunc"):
            source_type, source = self.as_float(e.args[0], vec)
            word = "fpext" if e.op == "fext" else "fptrunc"
            if self.strict:
                name = f"llvm.experimental.constrained.{word}.{fs}.{_float_suffix(e.args[0].width, vec)}"
                if e.op == "fext":
                    result = self.call(ft, name, [(source_type, source), _EXCEPT], " strictfp")
                else:
                    result = self.rounded(ft, name, [(source_type, source)], rm)
            else:
                result = self.new(f"{word} {source_type} {source} to {ft}")
        else:
            arguments = [self.as_float(x, vec) for x in e.args]
            if self.strict:
                result = self.rounded(ft, f"llvm.experimental.constrained.{e.op}.{fs}", arguments, rm)
            elif e.op == "fma":
                result = self.call(ft, f"llvm.fma.{fs}", arguments)
            else:
                result = self.new(f"{e.op} {ft} {arguments[0][1]}, {arguments[1][1]}")
        return self.new(f"bitcast {ft} {result} to {t}")

    def rounded(self, ft: str, name: str, arguments: list[tuple[str, str]], rm: str) -> str:
        """A constrained operation under rounding `rm`."""
        if rm != "RN":
            self.call("void", "llvm.set.rounding", [("i32", str(_ROUNDING[rm]))], " strictfp")
        result = self.call(ft, name, [*arguments, ("metadata", '!"round.dynamic"'), _EXCEPT], " strictfp")
        if rm != "RN":
            self.call("void", "llvm.set.rounding", [("i32", "1")], " strictfp")
        return result

    # -- tables and other lanes
    def table(self, e: E) -> str:
        w = e.width
        name = f"@t.{self.name}.{len(self.globals)}"
        values = ", ".join(f"i{w} {v}" for v in e.attr)
        self.globals.append(f"{name} = private unnamed_addr constant [{len(e.attr)} x i{w}] [{values}], align 64")
        index = self.value(e.args[0])
        if not e.vec:
            p = self.new(f"getelementptr i{w}, ptr {name}, i32 {index}")
            return self.new(f"load i{w}, ptr {p}")
        p = self.new(f"getelementptr i{w}, ptr {name}, <{N} x i32> {index}")
        return self.masked_gather(p, w)

    def masked_gather(self, pointers: str, w: int) -> str:
        t = f"<{N} x i{w}>"
        self.declared.setdefault(
            f"llvm.masked.gather.v{N}i{w}.v{N}p0",
            f"declare {t} @llvm.masked.gather.v{N}i{w}.v{N}p0(<{N} x ptr>, i32, <{N} x i1>, {t})",
        )
        return self.new(
            f"call {t} @llvm.masked.gather.v{N}i{w}.v{N}p0(<{N} x ptr> {pointers}, i32 4, "
            f"<{N} x i1> splat (i1 true), {t} poison)"
        )

    def cross_lane(self, e: E) -> str:
        w, t = e.width, f"<{N} x i{e.width}>"
        if e.op == "gather":
            row = self.row_pointer(self.src_index[e.attr])
            p = self.new(f"getelementptr i32, ptr {row}, <{N} x i32> {self.vector(e.args[0])}")
            return self.masked_gather(p, 32)
        x = e.args[0]
        if e.op == "ballot":
            if not x.vec:
                return self.new(f"select i1 {self.value(x)}, i32 %mask, i32 0")
            word = self.new(f"bitcast <{N} x i1> {self.value(x)} to i32")
            return self.new(f"and i32 {word}, %mask")
        if e.op == "first":
            if not x.vec:
                return self.value(x)
            count = self.call("i32", "llvm.cttz.i32", [("i32", "%mask"), ("i1", "false")])
            at = self.new(f"and i32 {count}, {N - 1}")
            return self.new(f"extractelement {t} {self.value(x)}, i32 {at}")
        if e.op == "reduce":
            name: str = e.attr
            identity = _REDUCE_IDENTITY.get(name)
            if identity is None:
                identity = (1 << (w - 1)) - 1 if name == "smin" else -(1 << (w - 1))
            kept = self.new(f"select <{N} x i1> {self.lanes()}, {t} {self.vector(x)}, {t} splat (i{w} {identity})")
            return self.call(f"i{w}", f"llvm.vector.reduce.{name}.v{N}i{w}", [(t, kept)])
        if e.op == "match":
            xt, values = f"<{N} x i{x.width}>", self.vector(x)
            result = f"<{N} x i32> poison"
            for i in range(N):
                one = self.new(f"extractelement {xt} {values}, i64 {i}")
                start = self.new(f"insertelement {xt} poison, i{x.width} {one}, i64 0")
                splat = self.new(f"shufflevector {xt} {start}, {xt} poison, <{N} x i32> zeroinitializer")
                same = self.new(f"icmp eq {xt} {values}, {splat}")
                word = self.new(f"bitcast <{N} x i1> {same} to i32")
                word = self.new(f"and i32 {word}, %mask")
                result = f"<{N} x i32> " + self.new(f"insertelement {result}, i32 {word}, i64 {i}")
            return result.split(" ")[-1]
        raise AssertionError(e.op)

    # -- the function
    def results(self) -> None:
        """Evaluates everything, then stores."""
        values = [
            self.vector(r.value) if r.file in ("R", "P", "ADDRESS") else self.value(r.value) for r in self.form.results
        ]
        files = [r.file for r in self.form.results]
        places = [self.place(2 * k if file == "ADDRESS" else k) for k, file in enumerate(files)]
        if "R" not in files:
            for file, p, value in zip(files, places, values, strict=True):
                self.store(file, p, value)
            return
        # Most instructions execute in all lanes: those store without reading what was there.
        whole = self.new("icmp eq i32 %mask, -1")
        self.lines += [f"  br i1 {whole}, label %all, label %some", "all:"]
        for file, p, value in zip(files, places, values, strict=True):
            self.store(file, p, value, whole=True)
        self.lines += ["  br label %end", "some:"]
        self.lane_mask = None
        for file, p, value in zip(files, places, values, strict=True):
            self.store(file, p, value)
        self.lines += ["  br label %end", "end:"]

    def place(self, row: int) -> str:
        """Pointer to result row `row`."""
        entry = self.new(f"getelementptr i32, ptr %dst, i64 {row}")
        at = self.new(f"load i32, ptr {entry}, align 4")
        return self.new(f"getelementptr i32, ptr %o, i32 {at}")

    def store(self, file: str, p: str, value: str, whole: bool = False) -> None:
        """A result to its place, merged by the mask unless all lanes execute."""
        if file == "R" and whole:
            self.lines.append(f"  store <{N} x i32> {value}, ptr {p}, align 4")
        elif file == "R":
            # A blend and a whole store: a masked store cannot be forwarded to the loads of the next instruction. The
            # load is volatile so that LLVM does not make a masked store of it again.
            t = f"<{N} x i32>"
            old = self.new(f"load volatile {t}, ptr {p}, align 4")
            blend = self.new(f"select <{N} x i1> {self.lanes()}, {t} {value}, {t} {old}")
            self.lines.append(f"  store {t} {blend}, ptr {p}, align 4")
        elif file == "ADDRESS":
            self.lines.append(f"  store <{N} x i64> {value}, ptr {p}, align 4")
        elif file == "P":
            bits = self.new(f"bitcast <{N} x i1> {value} to i32")
            old = self.new(f"load i32, ptr {p}, align 4")
            difference = self.new(f"xor i32 {bits}, {old}")
            kept = self.new(f"and i32 {difference}, %mask")
            self.lines.append(f"  store i32 {self.new(f'xor i32 {old}, {kept}')}, ptr {p}, align 4")
        else:
            word = self.new(f"sext i1 {value} to i32") if file == "UP" else value
            self.lines.append(f"  store i32 {word}, ptr {p}, align 4")

    def loop(self) -> None:
        """`rounds` evaluations; rows are kept aside until all are computed, since a destination may be a source."""
        form, rounds = self.form, self.form.rounds
        rows = len(form.results) * rounds
        entry = f"  %kept = alloca [{rows} x <{N} x i32>], align 64"
        body = self.lines
        start = ["  br label %loop", "loop:", "  %round = phi i32 [ 0, %entry ], [ %next, %loop ]"]
        self.lines = [entry, *start, *body]
        for k, r in enumerate(form.results):
            value = self.vector(r.value)
            at = self.new(f"add i32 %round, {k * rounds}")
            p = self.new(f"getelementptr <{N} x i32>, ptr %kept, i32 {at}")
            self.lines.append(f"  store <{N} x i32> {value}, ptr {p}, align 64")
        self.lines += [
            "  %next = add i32 %round, 1",
            f"  %more = icmp ult i32 %next, {rounds}",
            "  br i1 %more, label %loop, label %done",
            "done:",
        ]
        self.lane_mask = None
        for row in range(rows):
            p = self.new(f"getelementptr <{N} x i32>, ptr %kept, i32 {row}")
            self.store("R", self.place(row), self.new(f"load <{N} x i32>, ptr {p}, align 64"))

    def text(self, wide: bool) -> str:
        if self.form.rounds > 1:
            self.loop()
        else:
            self.results()
        attributes = 'nounwind "no-builtins"' + (" strictfp" if self.strict else "")
        if wide:
            attributes += ' "prefer-vector-width"="512" "min-legal-vector-width"="512"'
        head = (
            f"define void @{self.name}(ptr %w, ptr readonly %d, i32 %mask, ptr %o, ptr readonly %dst) {attributes} {{"
        )
        tail = ["  ret void", "}", *self.declared.values(), "!0 = !{}"]
        return "\n".join([*self.globals, head, "entry:", *self.lines, *tail]) + "\n"


_EXCEPT = ("metadata", '!"fpexcept.strict"')


def _directed(e: E) -> bool:
    """Whether any float operation below rounds other than to nearest."""
    for node in _postorder(e, {}):
        if node.op in ("fadd", "fmul", "fma", "itof") and node.attr[-1] != "RN":
            return True
        if node.op == "ftrunc" and node.attr != "RN":
            return True
    return False


def _postorder(root: E, done: dict[int, str]) -> list[E]:
    """Nodes under `root` that are not in `done`, arguments first."""
    out: list[E] = []
    seen: set[int] = set()
    stack: list[tuple[E, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            out.append(node)
            continue
        if id(node) in seen or id(node) in done:
            continue
        seen.add(id(node))
        stack.append((node, True))
        stack.extend((a, False) for a in reversed(node.args))
    return out


def _type(width: int, vec: bool) -> str:
    return f"<{N} x i{width}>" if vec else f"i{width}"


def _suffix(width: int, vec: bool) -> str:
    return f"v{N}i{width}" if vec else f"i{width}"


def _float_type(width: int, vec: bool) -> str:
    name = "float" if width == 32 else "double"
    return f"<{N} x {name}>" if vec else name


def _float_suffix(width: int, vec: bool) -> str:
    return f"v{N}f{width}" if vec else f"f{width}"


def _splat_text(e: E) -> str:
    if e.width == 1:
        return f"splat (i1 {'true' if e.attr else 'false'})"
    return f"splat (i{e.width} {signed(e.attr, e.width)})"


def lower(form: Form, name: str, wide: bool = False) -> str:
    """LLVM IR text of the form as function `name`; `wide` asks for 512-bit vectors."""
    return _Emitter(form, name).text(wide)
