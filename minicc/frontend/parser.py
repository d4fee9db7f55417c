"""The whole parser: grammar and semantic actions together, plus what names mean without a declaration."""

from __future__ import annotations

import re
from collections import Counter

from minicc.diagnostics import Diagnostics
from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.builtins import library, table
from minicc.frontend.builtins.library import Deferred
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.options import Options
from minicc.frontend.parse.brackets import unmatched
from minicc.frontend.parse.hostcode import HostCode
from minicc.frontend.parse.signatures import Signatures
from minicc.frontend.tokens import EOF, Token
from minicc.frontend.types import Type

_TYPEDEFS: dict[str, Type] = {
    "size_t": ty.ULONG, "ptrdiff_t": ty.LONG, "ssize_t": ty.LONG, "int8_t": ty.SCHAR, "int16_t": ty.SHORT, "int32_t": ty.INT,  # noqa: E501
    "int64_t": ty.LONG, "uint": ty.UINT, "ushort": ty.USHORT, "ulong": ty.ULONG, "u_int8_t": ty.UCHAR, "u_int16_t": ty.USHORT,  # noqa: E501
    "u_int32_t": ty.UINT, "u_int64_t": ty.ULONG, "u_char": ty.UCHAR, "u_short": ty.USHORT, "u_int": ty.UINT,
    "u_long": ty.ULONG, "clock_t": ty.LONG, "time_t": ty.LONG, "off_t": ty.LONG, "pid_t": ty.INT,
    "uid_t": ty.UINT, "gid_t": ty.UINT, "mode_t": ty.UINT, "useconds_t": ty.UINT, "suseconds_t": ty.LONG,
    "error_t": ty.INT, "off64_t": ty.LONG, "dev_t": ty.ULONG, "ino_t": ty.ULONG, "key_t": ty.INT, "id_t": ty.UINT,
    "clockid_t": ty.INT, "socklen_t": ty.UINT, "pthread_t": ty.ULONG,
    **{f"__int{8 << k}_t": t for k, t in enumerate((ty.SCHAR, ty.SHORT, ty.INT, ty.LONG))},
    **{f"__uint{8 << k}_t": t for k, t in enumerate((ty.UCHAR, ty.USHORT, ty.UINT, ty.ULONG))},
    "__int128_t": ty.INT128, "__uint128_t": ty.UINT128, "va_list": ty.pointer(ty.VOID),
    "__builtin_va_list": ty.pointer(ty.VOID), "float_t": ty.FLOAT, "double_t": ty.DOUBLE,
    "__m64": ty.LLONG, **{f"__m128{kind}": ty.INT128 for kind in ("", "i", "d")},
    "CUdeviceptr": ty.ULLONG, "CUtexObject": ty.ULLONG, "CUsurfObject": ty.ULLONG,
}  # fmt: skip
_MAKERS = {f"make_{name}{n}": f"{name}{n}" for name in ty._VECTORS for n in ("1", "2", "3", "4", "4_16a", "4_32a")}


_C_TYPES = frozenset(("FILE", "tm", "timespec", "timeval", "div_t", "ldiv_t"))
"""Of the C library's headers that nvcc reads before every file: `include/std/c_types.h`."""
_DRIVER = "CU[A-Za-z_]|cuuint(32|64)_t|cu(blas|blasLt|dnn|sparse|solverDn|fft)Handle(_t)?|curandGenerator_t"
_TEXTURES = "tex(1D|2D|3D|Cubemap)|surf(1D|2D|3D|Cubemap)"


class Parser(HostCode):
    def __init__(
        self,
        options: Options,
        diagnostics: Diagnostics,
        tokens: list[Token],
        scope: ast.Scope | None = None,
        library: bool = False,
    ) -> None:
        self.options, self.diagnostics, self.tokens, self.unit = options, diagnostics, tokens, tokens
        self.turn = tokens
        self.scope = scope or ast.Scope("file")
        self.library = self.strict = library
        self.todo, self.functions, self.variables, self.waiting, self.constraints = [], [], [], [], []
        self.late = []
        self.host_members, self.unread, self.signatures = [], {}, Signatures()
        self.switches, self.labels, self.gotos = [], {}, []
        self.locals, self.warned = [], set()
        self.deduced = {}
        self.closures, self.structural, self.packing = {}, {}, {}
        self.named_types = []
        self.host_instances, self.numbers, self.host_copies = Counter(), Counter(), {}
        self.pointed: dict[tuple[str, tuple[Type, ...]], ast.Function] = {}
        self.known: dict[str, object] = {}
        self.unknown: tuple[tuple[int, int], set[str]] = (0, 0), set()
        self.libraries: dict[str, ast.Scope] = {}
        self.offered: list[Deferred] = []
        self.always: set[str] = set()
        self.standard_files: set[str] = set()
        self.runtime_types = ast.Scope("file")

    def builtin(self, name: str) -> object | None:
        """What the language itself knows under `name`."""
        found = self.known.get(name)
        if found is None and name not in self._unknown():
            found = self._find_builtin(name)
            if found is not None:
                self.known[name] = found
            else:
                self._unknown().add(name)
        return found

    def _unknown(self) -> set[str]:
        """Names that were looked up in vain, since the last header was offered or read."""
        read = len(self.offered), len(self.standard_files)
        if self.unknown[0] != read:
            self.unknown = read, set()
        return self.unknown[1]

    def _find_builtin(self, name: str) -> object | None:
        if name in _TYPEDEFS:
            return _TYPEDEFS[name]
        special = table.SPECIAL.get(name)
        if special is not None:
            t = ty.INT if special[0] == "int" else ty.vector(special[0])
            assert t is not None
            v = ast.Variable(name, ty.qualified(t, ty.CONST), self.tokens[0], "special", symbol=special[1])
            return v
        vector = ty.vector(name)
        if vector is not None:
            return vector
        if name in _MAKERS:
            return [self._maker(name, _MAKERS[name])]
        if name == "std":
            return self._standard_scope()
        if name == "cuda":
            return self._cuda_scope()
        if name == "thrust":
            return self._thrust_scope()
        if name.startswith("cuda") and "runtime" not in self.standard_files:
            # The runtime's types, declared at file scope.
            self._read_standard("runtime", self.runtime_types)
        if re.match(_TEXTURES, name) and "texture" not in self.standard_files:
            self._find_builtin("cudaTextureObject_t")
            self._read_standard("texture", self.runtime_types)
        if re.match(_DRIVER, name) and "driver" not in self.standard_files:
            self._find_builtin("cudaStream_t")
            self._read_standard("driver", self.runtime_types)
        if name in _C_TYPES and "c_types" not in self.standard_files:
            self._read_standard("c_types", self.runtime_types)
        if name in self.runtime_types.names:
            return self.runtime_types.names[name]
        found = table.find(name, self.options.fast_math)
        file = next((file for prefix, file in library.ALWAYS if name.startswith(prefix)), None)
        if file is not None and file not in self.always:
            self.always.add(file)
            self.offered.append(Deferred([file]))
        for deferred in self.offered:
            declared = self._declare_deferred(deferred, name)
            if declared:
                found = declared + (found or [])
        return found

    def _standard_scope(self) -> ast.Scope:
        """Namespace std, also for what cuda:: and thrust:: have of it."""
        if self.std_scope is None:
            self.std_scope = ast.Scope("namespace", self.global_scope(), name="std")
        return self.std_scope

    def _cuda_scope(self) -> ast.Scope:
        """Namespace cuda: what std has, and cuda::std with complex numbers of its own."""
        if self.cuda_scope is None:
            self.cuda_scope = ast.Scope("namespace", self.global_scope(), name="cuda")
            self.cuda_scope.using = [self._standard_scope()]
            self.cuda_scope.names["std"] = self.cuda_std_scope(self.cuda_scope)
        return self.cuda_scope

    def cuda_std_scope(self, cuda: ast.Scope) -> ast.Scope:
        """Namespace std of a cuda: complex numbers in the inline namespace of CUDA 13's symbols; else std's."""
        scope = ast.Scope("namespace", cuda, name="std")
        own = ast.Scope("namespace", scope, name="__4")
        own.inline, own.files = True, ("complex",)
        scope.using = [own, self._standard_scope()]
        return scope

    def _thrust_scope(self) -> ast.Scope:
        """Thrust's namespace: complex numbers of its own, under the name that CUDA 13's has in symbols; else std's."""
        scope = ast.Scope("namespace", self.global_scope(), name="thrust")
        own = ast.Scope("namespace", scope, name=f"THRUST_300001_SM_{self.options.sm}0_NS")
        own.inline, own.files = True, ("complex", "random")
        scope.using = [own, self._standard_scope()]
        return scope

    def standard(self, name: str, scope: ast.Scope | None = None) -> object | None:
        """What our own part of the C++ library declares as `name`."""
        from minicc.frontend.builtins import standard

        files, scope = (scope.files if scope is not None else None), scope or self._standard_scope()
        for file in standard.names().get(name, ()):
            if (file == "concepts" and not self.constrains) or file not in (files or standard.FOR_STD):
                continue
            self._read_standard(file, scope)
        return scope.names.get(name)

    def _read_standard(self, file: str, scope: ast.Scope) -> None:
        from minicc.frontend.builtins import standard
        from minicc.frontend.preprocessor import Preprocessor

        key = f"{file}@{scope.name}" if scope.files else file
        if key in self.standard_files:
            return
        self.standard_files.add(key)
        for other in standard.NEEDS[file]:
            self._read_standard(other, scope)
        options = self.options.of_library()
        if scope.files:
            options.defines = ("__ALIGNED",) if scope.name == "__4" else ("__ALIGNED", "__THRUST")
        tokens = Preprocessor(options, self.diagnostics).run(standard.source(file))
        top = scope
        while top.parent is not None:
            top = top.parent
        outer = {n: top.names.pop(n) for n in ("std",) if n in top.names}
        if top is not scope:
            top.names["std"] = scope
        todo: list[ast.Function] = []
        with self.having(
            tokens=tokens, i=0, scope=top, function=None, nest=0, greater_ends=False, extern_c=False, quiet=0,
            pattern=0, unevaluated=0, todo=todo,
        ):  # fmt: skip
            self.declarations()
            for name, found in scope.names.items():
                # std::abs is complex numbers' and that of CUDA; std::min is a template that compares with <.
                own = file in standard.names().get(name, ()) and name not in ("min", "max")
                plain = self.builtin(name) if own and isinstance(found, list) else None
                if isinstance(plain, list) and isinstance(found, list):
                    found += [f for f in plain if f not in found]
        self.todo += todo
        top.names.pop("std", None)
        top.names.update(outer)

    def offer(self, files: list[str]) -> None:
        """Make the functions of library files known, for a header of ours."""
        if all(deferred.files != files for deferred in self.offered):
            self.offered.append(Deferred(files))
            self.known.clear()

    def _declare_deferred(self, deferred: Deferred, name: str) -> list[object]:
        """The functions called `name` that a header's library files define; their bodies wait until they are called."""
        if name not in deferred.items:
            return deferred.declared.get(name, [])
        options = self.options.of_library()
        tokens = deferred.tokens(name, options, Diagnostics())
        last = tokens[-1]
        scope = ast.Scope("file", self.global_scope(), name="library")
        eof = Token(EOF, "", last.source, last.start, True, True)
        inner = Parser(self.options, self.diagnostics, [*tokens, eof], scope=scope, library=True)
        inner.known, inner.libraries, inner.offered = self.known, self.libraries, self.offered
        inner.always = self.always
        inner.standard_files, inner.runtime_types = self.standard_files, self.runtime_types
        inner.strict = False
        inner.declare_all()
        # Not left in the scope: inside the bodies, too, the name stands for these and the built-in ones.
        found = scope.names.pop(name, None)
        deferred.declared[name] = found if isinstance(found, list) else []
        return deferred.declared[name]

    def _maker(self, name: str, of: str) -> Builtin:
        t = ty.vector(of)
        assert t is not None and t.record is not None
        return Builtin(name, t, tuple(f.type for f in t.record.fields), "e", "make")

    def builtin_function(self, builtin: Builtin, at: Token) -> ast.Function | None:
        """A function that calls a built-in one, to point at."""
        made = self.pointed.get((builtin.name, builtin.params))
        if made is None and builtin.how != "same-type" and builtin.ret.kind != "void" and not builtin.variadic:
            made = ast.Function(builtin.name, ty.function(builtin.ret, list(builtin.params)), at)
            made.scope, made.parsed, made.extern_c = self.global_scope(), True, True
            made.params = [ast.Variable(f"a{k}", p, at, "param", owner=made) for k, p in enumerate(builtin.params)]
            outer, self.function = self.function, made
            try:
                values = [self.convert(self.use_variable(p, at), p.type) for p in made.params]
                made.body = ast.Block(at, [ast.Return(at, self.builtin_call(builtin, values, at))], at)
            finally:
                self.function = outer
            self.pointed[builtin.name, builtin.params] = made
        return made

    def library_function(self, where: str, builtin: Builtin) -> ast.Function:
        file, _, name = where.partition(":")
        scope = self.libraries.get(file)
        if scope is None:
            scope = self._read_library(file)
        found = scope.names.get(name)
        for f in found if isinstance(found, list) else ():
            if isinstance(f, ast.Function) and f.type.params == builtin.params:
                return f
        self.fail(
            f"function '{name}' is not in the device library yet",
            self.tokens[max(0, self.i - 1)],
            code="frontend.library",
        )

    def _read_library(self, file: str) -> ast.Scope:
        """Declare a library file's functions; their bodies wait until they are called."""
        from minicc.frontend.preprocessor import Preprocessor

        scope = self.libraries[file] = ast.Scope("file", None, name="library")
        options = self.options.of_library()
        tokens = Preprocessor(options, Diagnostics()).run(library.source(file))
        inner = Parser(self.options, self.diagnostics, tokens, scope=scope, library=True)
        inner.known, inner.libraries = self.known, self.libraries
        inner.declare_all()
        self.variables += inner.variables
        return scope

    def declare_all(self) -> None:
        """Like `declarations`, but function bodies are put off."""
        while self.token.kind != "eof":
            if self.at("extern") or self.at("template") or self.at("static_assert"):
                self.declaration()
                continue
            specs = self.specifiers()
            assert specs.type is not None
            if self.accept(";"):
                continue
            d = self.declarator(specs.type)
            if d.params is None:
                self.variable(specs, d)
                self.expect(";")
                continue
            f = self.function_declarator(specs, d)
            if self.accept(";"):
                continue
            start = self.i
            self.skip_balanced()
            f.pending = (self.closed(start, self.i), 0)


def parse(tokens: list[Token], options: Options, diagnostics: Diagnostics) -> Parser:
    """Parse and check a whole translation unit; raises CompileError if anything was wrong."""
    parser = Parser(options, diagnostics, tokens)
    fault = unmatched(tokens)
    parser.parcelled = fault is None
    parser.declarations()
    parser.finish_todo()
    parser.need_waiting()
    parser.finish_todo()
    while parser.need_unread():
        parser.finish_todo()
    if not options.relocatable:
        _define_externs(parser)
    diagnostics.check()
    if fault is not None:
        message, where, opened = fault
        notes = [parser.note(f"to match this '{opened.text}'", opened)] if opened is not None else []
        diagnostics.error("frontend.syntax", message, where.span, notes)
        diagnostics.check()
    return parser


def _define_externs(parser: Parser) -> None:
    """Where no other file is linked, `extern __device__ int x;` alone is the definition, as nvcc has it."""
    for v in parser.variables:
        if (
            v.extern
            and v.storage in ("device", "constant")
            and v.init is None
            and v.defined is None
            and v.type.size > 0
        ):
            what = f"extern declaration of the entity {v.name} is treated as a static definition"
            parser.warn("20044-D", what, v.at)
            v.extern = False
