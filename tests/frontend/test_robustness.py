"""No input may end in a traceback, a hang or invalid IR."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from minicc import frontend
from minicc.cli import main
from minicc.diagnostics import CompileError, Diagnostics, SourceFile
from minicc.frontend.options import Options
from minicc.frontend.parser import Parser, parse
from minicc.frontend.preprocessor import Preprocessor
from tests.counting import calls

from .test_language import ACCEPTED

KERNEL = "__global__ void k(int *o) { %s }"
DEEP = {
    "parentheses": KERNEL % ("o[0] = " + "(" * 5000 + "1" + ")" * 5000 + ";"),
    "unary": KERNEL % ("o[0] = " + "! " * 5000 + "1;"),
    "sums": KERNEL % ("o[0] = " + "+".join(["o[1]"] * 5000) + ";"),
    "conditions": KERNEL % ("o[0] = " + "o[1] ? 1 : " * 3000 + "2;"),
    "assignments": KERNEL % ("o[0] = " * 3000 + "2;"),
    "blocks": KERNEL % ("{" * 3000 + "}" * 3000),
    "ifs": KERNEL % ("if (o[0]) " * 3000 + ";"),
    "subscripts": KERNEL % ("o[0] = " + "o[" * 2000 + "0" + "]" * 2000 + ";"),
    "braces": KERNEL % ("int a[] = {" + "{" * 3000 + "1" + "}" * 3000 + "};"),
    "declarators": "__global__ void k(int " + "(" * 3000 + "p" + ")" * 3000 + ") {}",
    "doubling macros": "#define A0 1 1\n"
    + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 60))
    + KERNEL % "A59",
    "endless template": "template <int N> __device__ int f() { return f<N + 1>(); } " + KERNEL % "o[0] = f<0>();",
    "growing template": "template <class T> struct S { S<S<T> > q; }; " + KERNEL % "S<int> s;",
    "endless constexpr": "constexpr int f(int n) { while (true) n++; return n; } " + KERNEL % "int a[f(1)];",
    "nested #if": "#if " + "(" * 3000 + "1" + ")" * 3000 + "\n#endif\n",
    "open #ifs": "#if 1\n" * 5000,
    "wide case range": KERNEL % "switch (o[0]) { case 0 ... 2000000000: o[1] = 1; }",
    "a dot at the end": "struct S { int v; }; __global__ void k(S s, int *o) { o[0] = s.",
    "huge array": KERNEL % "int a[100000000] = {1}; o[0] = a[o[1]];",
}


@pytest.mark.parametrize("name", DEEP)
def test_bounds(name: str) -> None:
    def compiled() -> None:
        try:
            frontend.compile(SourceFile("t.k", DEEP[name]), Options())
        except CompileError as error:
            assert str(error)

    calls(compiled, limit=20_000_000)


def test_two_brackets_that_close_move_their_own_declaration() -> None:
    """`>>` becomes two tokens where it ends two lists: of the whole file it would copy all that follows."""
    text = (
        "template <class T> struct A {}; namespace n { A<A<int>> a; } A<A<int>> b, *c; " + KERNEL % "o[0] = sizeof(b);"
    )
    diagnostics = Diagnostics()
    tokens = Preprocessor(Options(), diagnostics).run(SourceFile("t.cu", text))
    parser = parse(tokens, Options(), diagnostics)
    assert parser.tokens is tokens
    assert sum(t.text == ">>" for t in tokens) == 2


def test_calls_alike_are_deduced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What becomes of a template's parameters is kept for the next call with arguments of the same types, and a name
    that was read to see whether it is a type is not read again."""
    counted: Counter[str] = Counter()

    def count(name: str) -> None:
        real = getattr(Parser, name)

        def counting(self: Parser, *args: object) -> object:
            counted[name] += 1
            return real(self, *args)

        monkeypatch.setattr(Parser, name, counting)

    count("template_default")
    count("template_id")
    text = """template <bool B, class T> struct If {}; template <class T> struct If<true, T> { using type = T; };
template <class T> struct Size { static constexpr int value = sizeof(T); using type = T; };
template <class T, typename If<sizeof(T) == 4, int>::type = 0> __device__ int f(T x) { return 4; }
template <class T, typename If<sizeof(T) == 8, int>::type = 0> __device__ int f(T x) { return 8; }
"""
    body = "o[0] = " + " + ".join(["f(1) + f(1.0) + Size<Size<int>>::value"] * 50) + ";"
    frontend.compile(SourceFile("t.cu", text + KERNEL % body), Options())
    assert counted["template_default"] < 10
    assert 100 <= counted["template_id"] < 120


def test_names_may_be_long() -> None:
    """LLVM cuts names of more than 1,024 characters."""
    a, b = "a" * 2000, "a" * 1999 + "b"
    text = f"__global__ void k(int *{a}, int {b}) {{ int {a}0 = {a}[0], {a}1 = {a}[1]; {a}[2] = {a}0 * {a}1 + {b}; }}"
    llvm.parse_assembly(frontend.compile(SourceFile("t.k", text), Options()))


LONG: dict[str, Callable[[int], str]] = {
    "else if": lambda n: "else ".join(f"if (o[0] == {i}) o[1] = {i}; " for i in range(n)),
    "conditional": lambda n: "o[1] = " + "".join(f"o[0] == {i} ? {i} : " for i in range(n)) + "0;",
    "sum": lambda n: "o[1] = " + " + ".join(f"o[{i}]" for i in range(n)) + ";",
    "unused": lambda n: "".join(f"int v{i} = o[{i}];" for i in range(n)),
    "shared": lambda n: "".join(f"{{ __shared__ int s[4]; s[o[0]] = {i}; o[1] = s[o[2]]; }}" for i in range(n)),
}
"""What goes on, but does not nest."""


@pytest.mark.parametrize("name", LONG)
def test_work_is_linear(name: str) -> None:
    """Four times the code takes about four times as many calls."""

    def spent(count: int) -> int:
        source = SourceFile("t.k", KERNEL % LONG[name](count))
        return calls(lambda: frontend.compile(source, Options()))

    spent(1)
    assert spent(1200) < 5 * spent(300)


def test_overloads_for_other_classes_are_passed_by() -> None:
    """Each call looks at each overload once, and soon sees that a class without conversions is another one."""

    def spent(count: int) -> int:
        numbers = range(count)
        text = "".join(f"struct S{i} {{ int v; }}; __device__ int f(S{i} s) {{ return s.v + {i}; }}\n" for i in numbers)
        text += "".join(f"__device__ void g{i}(int *o) {{ S{i} s; s.v = o[{i}]; o[{i}] = f(s); }}\n" for i in numbers)
        text += f"__global__ void k(int *o) {{ {' '.join(f'g{i}(o);' for i in numbers)} }}"
        return calls(lambda: frontend.compile(SourceFile("t.k", text), Options()))

    spent(1)
    once, twice = spent(50), spent(100)
    assert twice - 2 * once < 12 * 2 * 50 * 50  # calls for each pair of a call and an overload


def mutate(text: str, rng: random.Random) -> str:
    choice = rng.random()
    if choice < 0.2:
        return text[: rng.randrange(len(text))]
    if choice < 0.4:
        letters = list(text)
        for _ in range(rng.randint(1, 4)):
            letters[rng.randrange(len(letters))] = chr(rng.choice([rng.randrange(32, 127), 0, 10, 200, 0x1234]))
        return "".join(letters)
    words = re.findall(r"\w+|\s+|[^\w\s]", text)
    for _ in range(rng.randint(1, 3)):
        i, what = rng.randrange(len(words)), rng.random()
        if what < 0.3:
            del words[i]
        elif what < 0.6:
            words[i] = rng.choice(words)
        else:
            words.insert(i, rng.choice(words))
    return "".join(words)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_programs(seed: int) -> None:
    rng = random.Random(seed)
    programs = [p.replace("K(", "k(") for p in ACCEPTED.values()]
    programs += [path.read_text() for path in sorted((Path(__file__).parent / "constructs").glob("*.cu"))]
    for _ in range(150):
        text = mutate(rng.choice(programs), rng)
        try:
            ir = frontend.compile(SourceFile("t.k", text), Options(debug=rng.choice(["none", "lineinfo"])))
        except CompileError as error:
            assert str(error)
            assert all(d.to_json() for d in error.diagnostics)
            continue
        llvm.parse_assembly(ir).verify()


def test_declarations_do_not_look_at_those_before_them() -> None:
    """Overloads are found by their parameters, and what may be the host's keeps no copy of all that was declared."""

    def spent(count: int) -> int:
        numbers = range(count)
        text = "".join(f"struct S{i} {{ int v; }}; __device__ int f(S{i} s) {{ return s.v; }}\n" for i in numbers)
        return calls(lambda: frontend.compile(SourceFile("t.k", text + KERNEL % "o[0] = 1;"), Options()))

    spent(1)
    assert spent(400) < 4.4 * spent(100)


@pytest.mark.parametrize("program", ["", "int main() { return 0; }"])
def test_overloads_of_a_declaration_that_is_left_out_go_with_it(program: str) -> None:
    """What has failed as the device's and is left to the host has declared nothing; what came before it stays."""
    host = "struct W { std::vector<int> v; friend int f(W w) { return w.v[0]; } };\n"
    text = f"""__device__ int f(int x) {{ return x + 1; }}
__device__ int f(float x) {{ return 2; }}
{host if program else ""}{program}
__device__ int f(double x) {{ return 3; }}
__global__ void k(int *o) {{ o[0] = f(1) + f(1.0f) + f(1.0); }}
"""
    ir = frontend.compile(SourceFile("t.cu", text), Options())
    assert ir.count("define internal") == 3


def test_members_are_found_by_their_names() -> None:
    """No access looks at the members before its own, nor at those that classes in between pass on."""

    def spent(count: int) -> int:
        numbers = range(count)
        text = "struct C0 { int v0; };\n" + "".join(f"struct C{i} : C{i - 1} {{ int v{i}; }};\n" for i in range(1, 12))
        text += f"struct S : C11 {{ {' '.join(f'int m{i};' for i in numbers)} }};\n"
        text += f"__global__ void k(S *s) {{ {' '.join(f's->m{i} = s->v{i % 12};' for i in numbers)} }}"
        return calls(lambda: frontend.compile(SourceFile("t.k", text), Options()))

    spent(1)
    assert spent(1200) < 4.4 * spent(300)


def test_an_architecture_that_is_meant_alone_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """nvcc 13.0 defines these for sm_90a; CUTLASS leaves wgmma out without the first."""
    file = tmp_path / "a.cu"
    file.write_text("__CUDA_ARCH_FEAT_SM90_ALL __CUDA_ARCH_SPECIFIC__ __CUDA_ARCH_FAMILY_SPECIFIC__\n")
    for arch, told in ("sm_90a", ["1", "900", "900"]), ("sm_90", file.read_text().split()):
        assert main(["-E", f"-arch={arch}", str(file)]) == 0
        assert capsys.readouterr().out.splitlines()[-1].split() == told
