"""Random CUDA kernels over memory, as people write them: what optimisers transform.

Loops of every kind (`loops`) that load, store, search and sum; slices of global, shared and local memory through
pointers that may be one another, and their bytes; structs and vectors that are copied; trees and scans between
barriers; votes and exchanges among the lanes of a branch; atomics whose order does not matter; functions by reference,
template, lambda and pointer; gotos; sums that leave their type beside the same ones that do not.

Each thread writes its own slices and row of results. The first line of a text says how it is launched; `launch` does.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from minicc.fuzz.kernels import CHAR, DOUBLE, FLOAT, INT, LONG, SHORT, UCHAR, UINT, ULONG, USHORT, Place, Type
from minicc.fuzz.loops import Loops
from minicc.fuzz.ranges import ELEMENTS, PRELUDE, Range, Slice, fits

if TYPE_CHECKING:
    import numpy as np

SLICE, MARGIN, BLOCKS, COUNTS, ROW = 16, 256, 2, 64, 8
"""Elements of a thread's slice, those before and behind all slices, blocks of a launch, words for atomics, words of a
thread's results."""
FAR = (2_000_000_000, 2_000_000_000, 294_967_300)
"""Arguments whose sum is 4 in 32 bits, and thrice the first 5 less a constant."""
_FAR = (("(long long)p + q + r", "(int)((unsigned)p + (unsigned)q + (unsigned)r"),
        ("(long long)p * 3 + 2589934597ll", "(int)((unsigned)p * 3u + 2589934597u"))  # fmt: skip
_VECTORS = {CHAR: "char4", UCHAR: "uchar4", SHORT: "short2", USHORT: "ushort4", INT: "int4", UINT: "uint2",
            FLOAT: "float4", DOUBLE: "double2", LONG: "longlong2", ULONG: "ulonglong2"}  # fmt: skip
_ATOMICS = ("Add", "Add", "Min", "Max", "And", "Or", "Xor", "Sub")
_AMONG = ("__shfl_sync({q}, {x}, __ffs({q}) - 1)", "__reduce_add_sync({q}, {x})", "__ballot_sync({q}, {x} & 1u)",
          "__popc(__match_any_sync({q}, {x} & 3u))", "__reduce_max_sync({q}, {x})",
          "(unsigned)__all_sync({q}, {x} & 1u)")  # fmt: skip
_TREE = ("tile[tid] += tile[tid + {i}]", "tile[tid] = max(tile[tid], tile[tid + {i}])",
         "tile[tid] ^= tile[tid + {i}]")  # fmt: skip
_VOTES = ("__any_sync(~0u, {c})", "__ballot_sync(~0u, {c}) != 0", "__syncthreads_or({c})")
_SYNC = "__syncthreads();"


class Memory(Loops):
    """Writes one kernel."""

    threads = 64
    atomic = "Add"
    """The one operation on the words for atomics."""
    kernel = leaving = cooperative = False
    """Whether this is the kernel, whether threads may return, whether they meet at barriers."""

    def __init__(self, draw: st.DrawFn, floats: bool) -> None:
        super().__init__(draw, floats)
        self.helpers: list[tuple[str, Type]] = []
        self.ranges, self.slices, self.uniform = [], [], False
        self.constants = Slice("ctab[32 + ", "]", INT, 32)
        self.tables, self.n = [self.constants], 3
        self.words = {"n": "3", "m": "3u", "z": "0", "s": "5ll"}

    # --- statements ------------------------------------------------------------------------------------------------

    def statement(self, depth: int) -> list[str]:
        self.left -= 1
        makers = [self.assign, self.declare, self.store, self.store, self.number_of, self.local, self.vector,
                  self.exchange, self.alone, self.mixed, self.bytes, self.restricted, self.far]  # fmt: skip
        if depth > 0 and self.left >= 0:
            makers += [self.branch, self.loop, self.loop, self.loop, self.switch, self.object, self.jump] * 2
            makers += [self.leave] * 2 if self.loops else []
        return self.one(makers)(depth)

    def number_of(self, depth: int) -> list[str]:
        """A variable of a known range."""
        made = self.narrow() if self.often() else self.affine()
        kinds = [t for t in (INT, INT, UINT, LONG, SHORT, UCHAR) if fits(made.low, made.high, t)]
        if not fits(made.low, made.high, INT):
            return self.assign(depth)
        name, type_ = self.name("k"), self.one(kinds)
        self.ranges.append(Range(name, type_, made.low, made.high))
        return [f"{type_.name} {name} = ({type_.name})({made.text});"]

    def exchange(self, depth: int) -> list[str]:
        if not self.slices:
            return self.assign(depth)
        of, x, a, b = self.one(self.slices), self.name("x"), self.name("i"), self.name("i")
        guard = f"if ({of.at(a)} > {of.at(b)}) " if self.often() else ""
        swap = f"{of.type.name} {x} = {of.at(a)}; {of.at(a)} = {of.at(b)}; {of.at(b)} = {x};"
        place = self.ranged(0, of.size - 1)
        return [f"int {a} = {place}, {b} = {self.ranged(0, of.size - 1)};", f"{guard}{{ {swap} }}"]

    def mixed(self, depth: int) -> list[str]:
        """A pointer into one of two memories. (nvcc 13.0 -O3 may lose a store behind a choice of a local array
        and global memory; its code of -G does not.)"""
        if not self.slices:
            return self.assign(depth)
        of, p, q = self.one(self.slices), self.name("p"), self.name("p")
        other, t = self.one([s for s in self.slices if s.type is of.type]), of.type.name
        lines = [f"{t} *{p} = {self.condition(1)} ? &{self.access(of)} : &{self.access(other)};",
                 f"*{p} = {self.value(of.type, 2)};", f"{t} {q} = {self.access(other)};"]  # fmt: skip
        self.places += [Place(f"(*{p})", of.type), Place(q, of.type)]
        return lines + ([f"{self.access(of)} = {self.value(of.type, 1)};"] if self.often() else [])

    def bytes(self, depth: int) -> list[str]:
        """An array's bytes, and words of them at any place."""
        found = [s for s in self.slices if s.plain and s.type.kind != "f" and s.type.bits > 8]
        if not found:
            return self.local(depth)
        of, b, v, type_ = self.one(found), self.name("b"), self.name("v"), self.one((USHORT, UINT, ULONG, SHORT))
        size, width = of.size * of.type.bits // 8, type_.bits // 8
        lines = [f"unsigned char *{b} = (unsigned char *)&{of.at(0)};"]
        self.slices.append(Slice(f"{b}[", "]", UCHAR, size))
        lines.append(f"{type_.name} {v} = {self.value(type_, 1)};")
        if self.often():
            lines.append(f"memcpy(&{b}[{self.ranged(0, size - width)}], &{v}, {width});")
        if self.often():
            lines.append(f"{self.access(of)} = {self.value(of.type, 1)};")
        lines.append(f"memcpy(&{v}, &{b}[{self.ranged(0, size - width)}], {width});")
        if self.number(0, 3) == 0:
            lines.append(f"memset({b}, {self.number(0, 255)}, {self.number(1, size)});")
        self.places.append(Place(v, type_))
        return lines

    def restricted(self, depth: int) -> list[str]:
        """A function whose pointers are promised to be apart in each call; a later one loads what one has stored."""
        found = [s for s in self.slices if s.plain and s.size >= 12]
        if not found:
            return self.store(depth)
        of, i, d, put = self.one(found), self.name("i"), self.name("k"), self.one(("put1", "put2", "put3"))
        end, p, c = self.ranged(0, of.size - 5), of.plain, self.value(of.type, 1)
        apart = self.one(("1", "(n & 1) + 1", f"1 + (int)({self.value(UINT, 1)} & 1u)")) if self.kernel else "1"
        back = f"{put}({p} + {of.size - 3} - {i} - {d}, {p} + {of.size - 3} - {i}, {c});"
        forth = f"{put}({p} + {i} + {d}, {p} + {i}, {c});"
        start, call = self.one(((1, back), (0, forth), (0, forth)))
        kind = self.one(("int", "int", "size_t", "unsigned"))
        return [f"int {d} = {apart};", f"for ({kind} {i} = {start}; {i} + 1 < {end}; {i}++) {call}"]

    def far(self, depth: int) -> list[str]:
        """Sums that leave their type beside the same ones that do not."""
        found = [s for s in self.tables if s.before == "t["]
        if not found:
            return self.store(depth)
        (of,), f, v, (wide, narrow) = found, self.name("f"), self.name("v"), self.one(_FAR)
        c = self.ranged(0, 100)
        lines = [f"long long {f} = {wide} + {c};", f"{of.type.name} {v} = 0;", f"if ({f} < 4000) {v} = t[{f}];",
                 *self.assign(0), f"if ({f} < 4001 + n) {v} = {self.plus(of.type, v, f't[{f} + 1]')};",
                 f"{v} = {self.plus(of.type, v, f't[{narrow} + {c})]')};"]  # fmt: skip
        self.places.append(Place(v, of.type))
        return lines

    def vector(self, depth: int) -> list[str]:
        found = [s for s in self.slices if s.before.startswith("gw")]
        if not found:
            return self.store(depth)
        of, name = self.one(found), self.name("w")
        vector = _VECTORS[of.type]
        parts = "xyzw"[: int(vector[-1])]
        at = f"(({vector} *)&{of.at(0)})[{self.ranged(0, of.size // len(parts) - 1)}]"
        lines = [f"{vector} {name} = {at};"]
        self.places += [Place(f"{name}.{part}", of.type) for part in parts]
        if self.often():
            lines += [f"{name}.{self.one(parts)} = {self.value(of.type, 2)};", f"{at} = {name};"]
        return lines

    def local(self, depth: int) -> list[str]:
        """An array of the thread's own."""
        type_, name, i, size = self.one(ELEMENTS), self.name("l"), self.name("i"), self.one((3, 4, 5, 8, 12, 20, 40))
        made = Slice(f"{name}[", "]", type_, size)
        if self.number(0, 3) == 0:
            lines = [f"{type_.name} {name}[{size}] = {{}};"]
        else:
            self.ranges.append(Range(i, INT, 0, size - 1))
            head = f"for (int {i} = 0; {i} < {size}; {i}++)"
            lines = [f"{type_.name} {name}[{size}];", f"{head} {name}[{i}] = {self.value(type_, 2)};"]
            self.ranges.pop()
        self.slices.append(made)
        return lines + (self.sort(made) if self.number(0, 5) == 0 else [])

    def sort(self, of: Slice) -> list[str]:
        i, j, key = self.name("i"), self.name("j"), self.name("k")
        return [f"for (int {i} = 1; {i} < {of.size}; {i}++) {{",
                f"    {of.type.name} {key} = {of.at(i)}; int {j} = {i} - 1;",
                f"    while ({j} >= 0 && {of.at(j)} > {key}) {{ {of.at(f'{j} + 1')} = {of.at(j)}; {j}--; }}",
                f"    {of.at(f'{j} + 1')} = {key};", "}"]  # fmt: skip

    def object(self, depth: int) -> list[str]:
        """A struct in an array, copied, changed, copied back."""
        if not self.structs:
            return self.local(depth)
        struct, name, one, i = self.one(list(self.structs)), self.name("o"), self.name("s"), self.name("i")
        size, fields = self.one((2, 3, 5)), self.structs[struct]
        (field, type_), (other, kind) = self.one(fields), self.one(fields)
        lines = [f"{struct} {name}[{size}] = {{}};",
                 f"for (int {i} = 0; {i} < {size}; {i}++) {name}[{i}].{field} = {self.value(type_, 2)};",
                 f"{struct} {one} = {name}[{self.ranged(0, size - 1)}];", f"{one}.{other} = {self.value(kind, 2)};",
                 f"{name}[{self.ranged(0, size - 1)}] = {one};"]  # fmt: skip
        self.slices += [Slice(f"{name}[", f"].{f}", t, size) for f, t in fields if "b" not in f]
        self.objects.append((one, struct))
        return lines

    # --- ways through ------------------------------------------------------------------------------------------------

    def switch(self, depth: int) -> list[str]:
        """By a number of a known range."""
        if self.often():
            return super().switch(depth)
        low = self.one((0, -2, 5))
        out = [f"switch (({self.one((INT, INT, CHAR, LONG)).name}){self.ranged(low, low + 7)}) {{"]
        cases = sorted({self.number(low, low + 8) for _ in range(self.number(1, 9))}, reverse=self.often())
        for case in cases:
            out += [f"case {case}: {{", *self.calm(depth - 1, 2), "}" + (" break;" if self.number(0, 2) else "")]
        return [*out, *(["default: {", *self.calm(depth - 1, 2), "}"] if self.often() else []), "}"]

    def jump(self, depth: int) -> list[str]:
        """A goto over statements, back as often as a counter says, or into a loop."""
        label, i, condition, turns = self.name("L"), self.name("i"), self.condition(1), self.ranged(0, 6)
        match self.number(0, 2):
            case 0:
                return [f"if ({condition}) goto {label};", "{", *self.block(depth - 1, 2), "}", f"{label}:;"]
            case 1:
                again = f"if (++{i} < {turns}) goto {label};"
                return [f"int {i} = 0;", f"{label}:;", "{", *self.block(depth - 1, 2), "}", again]
        return [f"int {i} = 0;", f"if ({condition}) goto {label};", f"while ({i} < {turns}) {{", "    {",
                *self.calm(0, 2), "    }", f"    {label}:;", "    {", *self.calm(depth - 1, 2), "    }",
                f"    {i}++;", "}"]  # fmt: skip

    def alone(self, depth: int) -> list[str]:
        """What lanes of a branch do together, a way out, a lambda, atomics whose order does not matter."""
        match self.number(0, 4):
            case 0 if self.kernel:
                return [f"atomic{self.atomic}(&counts[{self.ranged(0, COUNTS - 1)}], {self.value(UINT, 2)});"]
            case 1 if self.kernel:
                add = f"atomic{self.atomic}(&counts[{self.number(0, 3)}], {self.value(UINT, 1)});"
                return [f"if ({self.condition(1)}) {add}"]
            case 2 if self.cooperative and self.uniform:
                q, v = self.name("q"), self.word()
                asked = self.one(_AMONG).format(q=q, x=self.value(UINT, 1))
                return [f"{{ bool c = {self.condition(2)}; unsigned {q} = __ballot_sync(~0u, c);",
                        f"if (c) {{ {v} += {asked}; }} }}"]  # fmt: skip
            case 3 if self.leaving:
                return [f"if ({self.condition(2)}) {{ results[7] = {self.value(UINT, 1)}; return; }}"]
            case 4 if self.slices:
                of, h, v = self.one(self.slices), self.name("h"), self.name("v")
                t, beside = of.type.name, of.at(f"(i ^ 1) % {of.size}")
                call = f"{h}({self.ranged(0, of.size - 1)}, {self.value(of.type, 1)})"
                self.places.append(Place(v, of.type))
                return [f"auto {h} = [&](int i, {t} x) {{ {of.at('i')} = x; return ({t}){beside}; }};",
                        f"{t} {v} = {call};"]  # fmt: skip
        return self.assign(depth)

    def word(self) -> str:
        """A variable of 32 bits."""
        return self.one([p.text for p in self.places if p.type is UINT and not p.fixed])

    # --- between barriers --------------------------------------------------------------------------------------------

    def cooperate(self) -> list[str]:
        """What all threads of a block do together."""
        v, i, x = self.word(), self.name("i"), self.name("x")
        stored = [f"tile[tid] = {self.value(UINT, 2)};", _SYNC]
        match self.number(0, 8):
            case 0:
                return [*stored, f"{v} += tile[(unsigned){self.ranged(0, 255)} % {self.threads}u];", _SYNC]
            case 1:
                turn = f"if (tid < {i}) {self.one(_TREE).format(i=i)}; {_SYNC}"
                head = f"for (int {i} = {self.threads // 2}; {i} > 0; {i} >>= 1)"
                return [*stored, *self.pragma(), f"{head} {{ {turn} }}", f"{v} += tile[0];", _SYNC]
            case 2:
                turn = f"unsigned {x} = tid >= {i} ? tile[tid - {i}] : 0u; {_SYNC} tile[tid] += {x}; {_SYNC}"
                got = f"{v} ^= tile[{self.ranged(0, self.threads - 1)}];"
                return [*stored, f"for (int {i} = 1; {i} < {self.threads}; {i} *= 2) {{ {turn} }}", got, _SYNC]
            case 3:
                self.ranges.append(Range(i, INT, 0, 31))
                body = [*self.cooperate(), *self.quiet(1)]
                self.ranges.pop()
                head = f"for (int {i} = 0; {i} < {self.one(('n', '3', 'n - 1', 'z'))}; {i}++) {{"
                return [*self.pragma(), head, *body, "}"]
            case 4:
                exchange = f"__shfl_{self.one(('xor', 'down', 'up'))}_sync(~0u, {v}, {i})"
                start, step = self.one((("16", ">>= 1"), ("1", "<<= 1")))
                head = f"for (int {i} = {start}; {i} > 0 && {i} < 32; {i} {step})"
                return [f"{head} {v} = {self.plus(UINT, v, exchange)};"]
            case 5:
                place = f"{self.value(UINT, 2)} % {self.threads}u"
                head = f"for (int {i} = tid; {i} < {self.one(('n * 8', '100'))}; {i} += blockDim.x)"
                add = f"atomicAdd(&tile[{place}], {self.one(('1u', v))});"
                return ["tile[tid] = 0;", _SYNC, f"{head} {add}", _SYNC, f"{v} += tile[tid];", _SYNC]
            case 6:
                lines = [f"grid2[tid / 8][tid % 8] = {self.value(UINT, 2)};", _SYNC]
                return [*lines, f"{v} += grid2[tid % 8][tid / 8 % 8];", _SYNC]
            case 7:  # as long as a lane wants
                lines = [f"int {x} = {self.ranged(0, 12)};"]
                vote = self.one(_VOTES).format(c=f"{i} < {x}")
                self.ranges.append(Range(i, INT, 0, 12))
                inside = ["    {", *self.quiet(1), "    }"] if self.often() else [f"    {v} ^= {i};"]
                asked = f"__shfl_xor_sync(~0u, {self.value(UINT, 1)}, {self.one((1, 8, 16))})"
                self.ranges.pop()
                head = f"for (int {i} = 0; {vote}; {i}++) {{"
                return [*lines, head, f"    if ({i} < {x})", *inside, f"    {v} += {asked};", "}"]
        # Places that an atomic gives, in any order.
        add = f"if ({self.condition(1)}) {x} = atomicAdd(&tile[0], {self.one(('1u', '2u'))}) + 1u;"
        return ["tile[tid] = 0;", _SYNC, f"unsigned {x} = 0;", add, _SYNC, f"{v} += tile[0];",
                f"{v} += __syncthreads_count({x} > 5u);", _SYNC]  # fmt: skip

    def quiet(self, depth: int) -> list[str]:
        """Statements whose variables end with them."""
        return self.calm(min(depth, 1), 2)

    # --- the program -------------------------------------------------------------------------------------------------

    def helper(self) -> list[str]:
        """A template over memory that changes what a reference names."""
        name, type_ = self.name("fn"), self.one(ELEMENTS)
        self.helpers.append((name, type_))
        self.places, self.arrays, self.objects = [Place("x", type_), Place("u", UINT)], [], []
        self.ranges, self.slices = [Range("k", INT, 0, 7), Range("N", INT, 4, 4)], [Slice("p[", "]", type_, 8)]
        self.left, t = 6, type_.name
        body = self.block(2)
        head = f"__device__ {self.one(('', '__noinline__ ', '__forceinline__ '))}{t} {name}"
        return [f"template <int N> {head}({t} *p, int k, {t} &x, unsigned u) {{", *body,
                f"    x = {self.value(type_, 1)};", f"    return {self.value(type_, 2)};", "}"]  # fmt: skip

    def use(self) -> list[str]:
        found = [(n, s) for n, t in self.helpers for s in self.slices if s.type is t and s.size >= 8 and s.plain]
        if not found:
            return self.store(2)
        (name, of), x, y = self.one(found), self.name("v"), self.name("v")
        place = f"&{of.at(self.number(0, of.size - 8))}"
        call = f"{name}<4>({place}, {self.ranged(0, 7)}, {x}, {self.value(UINT, 1)})"
        lines = [f"{of.type.name} {x} = {self.value(of.type, 1)};", f"{of.type.name} {y} = {call};"]
        self.places += [Place(x, of.type), Place(y, of.type)]
        return lines

    def program(self, size: int) -> str:
        out = [f"__constant__ int ctab[64] = {{{', '.join(str(self.number(-100, 100)) for _ in range(64))}}};"]
        for make, most in ((self.struct, 2), (self.function, 2), (self.helper, 2)):
            for _ in range(self.number(0, most)):
                self.ranges, self.slices = [], []
                out += make()
        self.places, self.arrays, self.objects, self.slices = [], [], [], []
        self.kernel, self.words = True, {name: name for name in "nmzs"}
        self.threads, self.atomic = self.one((64, 64, 128, 32)), self.one(_ATOMICS)
        said: dict[str, Any] = {"block": self.threads, "n": self.number(1, 9), "z": self.one((0, 0, 1, 3))}
        said["s"] = self.one((-5, 3, 1 << 32, (1 << 31) - 20, -(1 << 31) - 3))
        self.n, self.cooperative, self.uniform = said["n"], self.often(), True
        self.leaving = not self.cooperative and self.often()
        known = [("n", INT, self.n), ("m", UINT, self.n)] * 2 + [("z", INT, said["z"])]
        self.ranges = [Range("tid", INT, 0, self.threads - 1), Range("lane", INT, 0, 31)]
        self.ranges += [Range(name, type_, value, value) for name, type_, value in known]
        parameters, body = self.memory(said)
        for name, type_ in ((self.name("v"), t) for t in (UINT, self.one(ELEMENTS), UINT)):
            found = [s for s in self.slices + self.tables if s.type is type_]
            body.append(f"{type_.name} {name} = {self.access(self.one(found)) if found else f'({type_.name})tid'};")
            self.places.append(Place(name, type_))
        self.left = size
        for _ in range(self.number(2, 7)):
            kind = self.number(0, 5)
            if kind < 2 and self.cooperative:
                body += self.cooperate()
            else:
                body += self.use() if kind == 2 else self.statement(3)
        body += self.results("results")
        bounds = self.one(("", "", "", f"__launch_bounds__({self.threads}) ", f"__launch_bounds__({self.threads}, 8) "))
        out += [f'extern "C" __global__ void {bounds}kernel({", ".join(parameters)}) {{']
        text = "\n".join([*out, *("    " + line for line in body), "}", ""])
        before = [
            f"// {json.dumps(said)}",
            *(["#include <cuda_fp16.h>"] if "half" in text or "halves(" in text else []),
        ]
        return "\n".join([*before, *(more for name, more in PRELUDE.items() if name in text), text])

    def memory(self, said: dict[str, Any]) -> tuple[list[str], list[str]]:
        """Parameters, and what a kernel begins with; the memory that both make."""
        parameters: list[str] = []
        body = ["const int tid = threadIdx.x, lane = tid & 31, gid = blockIdx.x * blockDim.x + tid;",
                f"results += gid * {ROW};"]  # fmt: skip
        total, first = self.threads * BLOCKS, self.one(ELEMENTS)
        restrict = self.one(("", "", "__restrict__ "))
        alias = not restrict and self.number(0, 2) == 0
        said["buffers"] = []
        for at in range(3):
            same = alias and at < 2
            type_, name = first if same else self.one(ELEMENTS), f"g{at}"
            parameters.append(f"{type_.name} *{restrict}{name}")
            of, shift = (0, self.number(0, 4)) if same and at else (at, 0)
            said["buffers"].append([_dtype(type_), total * SLICE, of, MARGIN + shift])
            if not same and self.often():
                stride = self.one((f"{total}", "total", "(int)(gridDim.x * blockDim.x)"))
                self.slices.append(Slice(f"{name}[gid + {stride} * ", "]", type_, SLICE))
            elif self.often():
                pointer = f"p{at}" if same else f"gw{at}"  # those are aligned for vectors
                start = self.one((f"gid * {SLICE}", f"(size_t)gid * {SLICE}", f"(unsigned)gid * {SLICE}u"))
                body.append(f"{type_.name} *{pointer} = {name} + {start};")
                self.slices.append(Slice(f"{pointer}[", "]", type_, SLICE - 4 * same))
            else:
                self.slices.append(Slice(f"{name}[gid * {SLICE} + ", "]", type_, SLICE - 4 * same))
        type_ = self.one(ELEMENTS)
        parameters.append(f"const {type_.name} *{self.one(('', '__restrict__ '))}t")
        said["buffers"].append([_dtype(type_), 2 * MARGIN, 3, 2 * MARGIN])
        self.tables = [self.constants, Slice("t[", "]", type_, MARGIN)]
        if self.often():
            before = self.one(("lane", "n", "7 + lane", "tid"))
            self.tables.append(Slice(f"t[{before} + ", "]", type_, MARGIN - 128))
        if self.often():
            places = (("own[tid * 4 + ", "]"), (f"own[tid + {self.threads} * ", "]"))
            own = Slice(*self.one(places), first, 4)
            body.append(f"__shared__ {first.name} own[{self.threads * 4}];")
            body.append(f"for (int i = 0; i < 4; i++) {own.at('i')} = ({first.name})(i + tid);")
            self.slices.append(own)
        said["shared"] = 0
        if self.cooperative:
            rows = max(8, self.threads // 8)
            said["shared"] = self.threads * 4 * self.often()
            tile = "extern __shared__ unsigned tile[];"
            body.append(tile if said["shared"] else f"__shared__ unsigned tile[{self.threads}];")
            body.append(f"__shared__ unsigned grid2[{rows}][9];")
            body += [f"if (tid < 8) for (int i = 0; i < {rows}; i++) grid2[i][tid] = i;", _SYNC]
        return [*parameters, "unsigned *counts", "unsigned long long *results", "int n", "unsigned m", "int z",
                "long long s", "int total", "int p", "int q", "int r"], body  # fmt: skip


def _dtype(type_: Type) -> str:
    """numpy's name of a type."""
    return f"{'i' if type_.kind == 's' else type_.kind}{type_.bits // 8}"


@st.composite
def kernels(draw: st.DrawFn, floats: bool | None = None, size: int = 12) -> str:
    """The text of a `.cu` file with one kernel. `floats`: with floating-point values (None: some)."""
    return Memory(draw, draw(st.booleans()) if floats is None else floats).program(size)


def launch(text: str, device: Any, load: Callable[[], Any]) -> tuple[list[np.ndarray[Any, Any]], Any]:
    """What the kernel of a text leaves in its buffers on a device, NaNs alike, and the launch; `load` gives it."""
    import numpy as np

    said = json.loads(text.partition("\n")[0][3:])
    rnd, total = np.random.default_rng(1), said["block"] * BLOCKS
    kinds = [np.dtype(kind) for kind, *_ in said["buffers"]]
    memory = {
        at: device.buffer(_drawn(rnd, kinds[at], elements + 2 * MARGIN))
        for at, (_, elements, of, _) in enumerate(said["buffers"])
        if at == of
    }
    counts = device.buffer(rnd.integers(0, 1 << 32, COUNTS, dtype=np.uint32))
    results = device.buffer(np.zeros(total * ROW, np.uint64))
    pointers = [
        memory[of].address + start * kind.itemsize
        for (_, _, of, start), kind in zip(said["buffers"], kinds, strict=True)
    ]
    numbers = said["n"], said["n"], said["z"], said["s"], total, *FAR
    done = load()[BLOCKS, said["block"], said["shared"]](*pointers, counts, results, *numbers)
    out = [buffer.numpy() for buffer in (*memory.values(), counts, results)]
    for array in out:
        if array.dtype.kind == "f":
            array[np.isnan(array)] = np.nan
    return out, done


def _drawn(rnd: np.random.Generator, kind: np.dtype[Any], size: int) -> np.ndarray[Any, Any]:
    """Elements of any value, many of them small, some next to the largest."""
    import numpy as np

    if kind.kind == "f":
        out = (rnd.integers(-64, 64, size) / 8).astype(kind)
        some = rnd.random(size) < 0.05
        out[some] = rnd.choice(np.array([0, -0.0, 1e30, 1e-40, np.inf, 3e9, 0.1], kind), int(some.sum()))
        return out
    out = rnd.integers(0, 256, size * kind.itemsize, dtype=np.uint8).view(kind)
    small, large = rnd.random(size) < 0.6, rnd.random(size) < 0.1
    out[small] = rnd.integers(0, 20, int(small.sum())).astype(kind)
    out[large] = np.array(np.iinfo(kind).max, kind) - rnd.integers(0, 3, int(large.sum())).astype(kind)
    return out
