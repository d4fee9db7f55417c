"""Places, texts, recovery, warnings; the preprocessor's output and file list."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import minicc
from minicc import cli, frontend
from minicc.diagnostics import CompileError, SourceFile
from minicc.frontend.options import Options
from tests.conftest import NVCC


def errors(text: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        frontend.compile(SourceFile("a.k", text), Options())
    return caught.value


@pytest.mark.parametrize("name", ["N", "xy", "eps"])
def test_a_launch_may_name_what_a_library_has(name: str) -> None:
    """A host's name that stands nowhere else is a slip only if it is nearly another (short names all are)."""
    text = "__global__ void k(int *, int) {}\nint main() { int *e, n = 1, xz; k<<<1, n>>>(e, NAME); }\n"
    frontend.compile(SourceFile("a.cu", text.replace("NAME", name)), Options())
    assert "did you mean 'length'" in str(errors(text.replace("xz", "length").replace("NAME", "lenght")))


def test_caret() -> None:
    assert str(errors("__global__ void k(int *out)\n{\n    out[0] = ont[1];\n}\n")) == (
        "a.k:3:14: error: use of undeclared identifier 'ont'; did you mean 'out'?\n        out[0] = ont[1];\n                 ^~~"  # noqa: E501
    )


def test_missing_semicolon_points_past_the_expression() -> None:
    error = errors("__global__ void k(int *o)\n{\n    o[0] = 1\n    o[1] = 2;\n}\n")
    assert "a.k:3:13: error: expected ';' after expression" in str(error)


def test_several_errors_and_recovery() -> None:
    text = "__global__ void k(int *o) {\n o[0] = x;\n o[1] = 2;\n int *p = 1.0f;\n for (;;) { y++; }\n}\n__global__ void l(int *o) { z; }\n"  # noqa: E501
    lines = [d.where.source.position(d.where.start)[0] for d in errors(text).diagnostics if d.where]
    assert lines == [2, 4, 5, 7]


def test_error_in_declaration_does_not_cascade() -> None:
    found = errors("__global__ void k(int *o) { auto a = missing; int b = other; o[0] = a + b; }").diagnostics
    assert [d.message for d in found] == [
        "use of undeclared identifier 'missing'",
        "use of undeclared identifier 'other'",
    ]


def test_macro_errors_point_at_the_use() -> None:
    error = errors("#define BAD(x) missing(x)\n__global__ void k(int *o) {\n  o[0] = BAD(o[1]);\n}\n")
    assert str(error).startswith("a.k:3:10: error: use of undeclared identifier 'missing'")


def test_notes_and_json() -> None:
    error = errors("__device__ int f(int a, int b) { return a + b; }\n__global__ void k(int *o) { o[0] = f(1); }\n")
    (only,) = error.diagnostics
    assert only.notes[0].message == "candidate function not viable: requires 2 arguments, but 1 was provided"
    as_json = only.to_json()
    assert (as_json["code"], as_json["line"], as_json["column"]) == ("frontend.no-match", 2, 36)


def test_error_limit() -> None:
    text = "__global__ void k(int *o) {" + "".join(f"o[0] = x{i};\n" for i in range(100)) + "}"
    assert len(errors(text).diagnostics) == 20


def test_warnings_are_left_in_options() -> None:
    options = Options()
    frontend.compile(
        SourceFile("a.k", "__global__ void k(int *o) { int a[2]; a[1] = 1 << 40; o[0] = a[5] / 0; }"), options
    )
    assert [d.message for d in options.diagnostics] == [
        "shift count >= width of type",
        "array index 5 is past the end of the array (which contains 2 elements)",
        "division by zero is undefined",
    ]


def test_host_code_is_stepped_over() -> None:
    text = """
#include <iostream>
#include <vector>
#include <cuda_runtime.h>
using namespace std;
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { exit(1); } } while (0)
template <typename T, int N> __global__ void fill(T *p, T v) { p[threadIdx.x] = v * N; }
__global__ void plain(int *p) { p[0] = 1; }
struct Config { std::string name; int n; };
static std::vector<float> table;
std::vector<float> make(const std::string &s, int n = 3) { return std::vector<float>(n); }
static void launch(float *p) { fill<float, 4><<<1, 32>>>(p, 2.0f); plain<<<dim3(1), 32, 0>>>(nullptr); }
int main(int argc, char **argv)
{
    float *d; CHECK(cudaMalloc(&d, 128)); launch(d);
    for (auto &v : table) cout << v << endl;
    auto f = [&](int x) { return x + argc; };
    return f(0);
}
"""
    ir = frontend.compile(SourceFile("a.cu", text), Options())
    kernels = [line.split("@")[1].split("(")[0] for line in ir.splitlines() if line.startswith("define ptx_kernel")]
    assert sorted(kernels) == ["_Z4fillIfLi4EEvPT_S0_", "_Z5plainPi"]


def test_kernel_templates_that_host_code_launches() -> None:
    """Explicit, deduced, through host function templates, in namespaces, with the host's constants; and what is not."""
    text = """
#include <vector>
template <typename T> __global__ void scale(T *p, T v, int n) { p[n] = v; }
template <int N, typename T> __global__ void fixed(T *p) { p[0] = N; }
namespace ns { template <typename T> __global__ void inner(const T *p, T *q) { q[0] = p[0]; } }
template <typename T> __global__ void never(T *p) { p->no_such_member(); }
template <typename T> void run(T *data, int n)
{
    cudaMalloc((void **)&data, n);
    dim3 grid((n + 31) / 32), block(32);
    if (n > 3) scale<<<grid, block>>>(data, (T)2, n);
    else { const int K = 4 * 2; fixed<K><<<1, K>>>(data); }
    std::vector<T> host(n);
}
template void run<double>(double *, int);
int main(int argc, char **argv)
{
    float *a, *b = nullptr; short *s; unsigned char c[4];
    cudaMalloc(&a, 16); cudaMalloc(&b, 16);
    for (int i = 0; i < argc; i++) scale<<<1, 32, 0>>>(a + i, 1.0f, i);
    auto launch = [&](int m) { ns::inner<<<1, m>>>(s, s); };
    run(&argc, 7);
    std::vector<int> v; fixed<3><<<1, 1>>>(thrust::raw_pointer_cast(v.data()));
    fixed<5, unsigned char><<<1, 1>>>(c);
    return launch(3), 0;
}
"""
    ir = frontend.compile(SourceFile("a.cu", text), Options())
    kernels = [line.split("@")[1].split("(")[0] for line in ir.splitlines() if line.startswith("define ptx_kernel")]
    assert sorted(kernels) == sorted(
        [
            "_Z5scaleIdEvPT_S0_i",
            "_Z5fixedILi8EdEvPT0_",
            "_Z5scaleIfEvPT_S0_i",
            "_ZN2ns5innerIsEEvPKT_PS1_",
            "_Z5fixedILi3EiEvPT0_",
            "_Z5scaleIiEvPT_S0_i",
            "_Z5fixedILi8EiEvPT0_",
            "_Z5fixedILi5EhEvPT0_",
        ]
    )


def test_classes_of_the_host_are_left_out() -> None:
    text = """
#include <pthread.h>
struct Task { int n; pthread_barrier_t *barrier; };
typedef struct { FILE *file; } Log;
class Stream { public: virtual int read(float *to) = 0; virtual ~Stream() {} };
class File : public Stream { Log log; public: int read(float *to) { return 0; } };
class Timer { static bool running; cudaEvent_t begin; std::vector<float> times; public: float stop(); };
bool Timer::running = false;
float Timer::stop() { return times.back(); }
static Task tasks[4];
void use(Stream *s, Log &l);
struct Kept { int a; float b; };
__global__ void k(Kept *p) { p->a = 1; }
"""
    assert "define ptx_kernel void @_Z1kP4Kept" in frontend.compile(SourceFile("a.cu", text), Options())
    error = errors("struct Log { DIR *folder; int n; };\n__global__ void k(Log *p) { p->n = 1; }\n")
    assert "a.k:1:14: error: unknown type name 'DIR'" in str(error)


def test_other_encodings_pass_through(tmp_path: Path) -> None:
    source = tmp_path / "latin.cu"
    source.write_bytes(
        b'// caf\xe9\n__device__ char s[] = "\xe9\xff";\n__global__ void k(char *o) { o[0] = s[o[1]]; }\n'
    )
    text = source.read_bytes().decode("utf-8", "surrogateescape")
    assert "[i8 233, i8 255, i8 0]" in frontend.compile(SourceFile(str(source), text), Options())
    source.with_name("own.cu").write_text('#include "latin.cu"\n')
    again = SourceFile(str(source.with_name("own.cu")), '#include "latin.cu"\n')
    assert "[i8 233, i8 255, i8 0]" in frontend.compile(again, Options())


def test_headers_of_the_host_are_empty() -> None:
    names = "cstdarg stdarg.h sys/resource.h fcntl.h error.h getopt.h pthread.h unordered_map omp.h driver_types.h"
    names += " bits/stdc++.h cufftXt.h source_location sys/epoll.h"
    text = "".join(f"#include <{name}>\n" for name in names.split()) + "__global__ void k() {}\n"
    assert "define ptx_kernel void @_Z1kv" in frontend.compile(SourceFile("a.cu", text), Options())


def test_device_code_may_not_call_host_functions() -> None:
    error = errors("int h(int a) { return a; }\n__global__ void k(int *o) { o[0] = h(1); }\n")
    assert "reference to __host__ function 'h' in __global__ function 'k'" in str(error)


def unmarked(out: str) -> str:
    """Without line markers."""
    return re.sub(r"^# \d+ .*$", "", out, flags=re.MULTILINE)


def test_preprocess() -> None:
    text = '#define F(a, ...) g(a, ##__VA_ARGS__)\n#define S(x) #x\n#define C(a, b) a ## b\n#if 2 * (3 + 1) == 8 && !defined(NO)\nF(1) F(1, 2) S(a  "b\\n") C(x, 1)\n#else\nnever\n#endif\n__LINE__\n'  # noqa: E501
    out = frontend.preprocess(SourceFile("a.k", text), Options(defines=["Q=3"]))
    assert unmarked(out).split() == ["g(1)", "g(1,", "2)", '"a', '\\"b\\\\n\\""', "x1", "9"]


MARKED = """#include "a.h"
#define TWICE(x) \\
    (x + x)
#pragma unroll
__device__ int g(int x)
{
    return TWICE(f(x)) +
        __LINE__;
}



// Far below, behind an include in a function.
__global__ void k(int *o)
{
    int i =
#include "b.h"
        ;
    for (; i < 40; i++) _Pragma("unroll 1") for (int j = 0; j < 4; j++) o[i * j] = g(j); o[0] = 1;
#line 200 "gen\\"er.y"
    o[i] = f(i);
}
"""


def test_what_is_preprocessed_compiles_to_the_same_at_the_same_lines(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("\n" * 30 + "__device__ int f(int x)\n{\n    return 3 * x;\n}\n")
    (tmp_path / "b.h").write_text("f(o[2])\n")

    def lines(text: str) -> tuple[list[str], list[tuple[str, str]]]:
        where = SourceFile(str(tmp_path / "a.cu"), text)
        ptx = minicc.compile(where, options="-lineinfo -arch=sm_90 -Xnvvm --disable=all").ptx
        files = dict(re.findall(r'\.file\s+(\d+) "(.*)"', ptx))
        code = [line for line in ptx.splitlines() if not re.match(r"\s*\.(loc|file)", line)]
        return code, [(files[file], line) for file, line in re.findall(r"\.loc\s+(\d+) (\d+)", ptx)]

    once = frontend.preprocess(SourceFile(str(tmp_path / "a.cu"), MARKED), Options())
    assert lines(once) == lines(MARKED)
    assert "#include" not in once and once.count(" 2\n") == 2


def test_recursive_macros_stop() -> None:
    out = frontend.preprocess(
        SourceFile("a.k", "#define f(x) x + f(x)\n#define A B\n#define B A\nf(f(1)) A\n"), Options()
    )
    assert unmarked(out).strip() == "1 + f(1) + f(1 + f(1)) A"


def test_includes_and_file_list(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.h").write_text('#pragma once\n#include "b.h"\n__device__ int f(int x) { return x * B; }\n')
    (tmp_path / "sub" / "b.h").write_text("#ifndef B\n#define B 3\n#endif\n")
    main = tmp_path / "m.k"
    main.write_text(
        '#include "sub/a.h"\n#include <a.h>\n#include <cstdint>\n__global__ void k(uint32_t *o) { o[0] = f(D); }\n'
    )
    options = Options(includes=[str(tmp_path / "sub")], defines=["D=2"])
    frontend.compile(SourceFile(str(main), main.read_text()), options)
    assert options.files_read == [str(main), str(tmp_path / "sub/a.h"), str(tmp_path / "sub/b.h")]


def test_a_file_of_include_is_no_part_of_the_library(tmp_path: Path) -> None:
    """Functions of ours and of std are read from files, too: -include, -D and -U are for the source alone."""
    head = tmp_path / "h.h"
    head.write_text("#define q 3\nstruct S { int a; };\nstatic __device__ int f(int x) { return x; }\n")
    text = "__global__ void k(double *o, S s) { o[0] = sin(o[1]) + std::max(o[1], o[2]) + f(s.a); }"
    options = Options(pre_includes=[str(head)], defines=["reduce_slow=7"])
    own = f"{head.read_text()}{text}"
    assert frontend.compile(SourceFile("a.k", text), options) == frontend.compile(SourceFile("a.k", own), Options())


def test_line_tables() -> None:
    text = (
        "__device__ float f(float x)\n{\n    return x * 2;\n}\n__global__ void k(float *o)\n{\n    o[0] = f(o[1]);\n}\n"
    )
    ir = frontend.compile(SourceFile("a.k", text), Options(debug="lineinfo"))
    assert "emissionKind: DebugDirectivesOnly" in ir and 'DISubprogram(name: "f"' in ir
    assert any("fmul" in line and "!dbg" in line for line in ir.splitlines())


def test_same_input_same_output() -> None:
    text = "__global__ void k(double *o) { o[0] = pow(o[1], 2.5) + sin(o[2]) + expf(o[3]); }"
    assert frontend.compile(SourceFile("a.k", text), Options()) == frontend.compile(SourceFile("a.k", text), Options())


UNUSED = """template <typename T> __device__ T f(T a) {
  T u = a; if constexpr (sizeof(T) == 4) { return u; } else { int z = 2; return a + z; }
}
struct Guard { __device__ Guard() {} __device__ ~Guard() {} };
__device__ int empty(int a) { return; }
__global__ void k(int *p) {
  Guard g; [[maybe_unused]] int m; int s = sizeof(p); (void)s; auto [a, b] = make_int2(1, 2);
  __shared__ int here;
  int arr[4]; const int c = 3;
  auto l = [](int q) { int inner = 1; return q; };
  int cap = 4; auto l2 = [&](auto x) { return cap + x; };
  for (int i = 0; i < 3; i++) { int deep; }
  p[0] = f(a) + f(2.0) + l2(2) + empty(1);
}
"""


@pytest.mark.parametrize("head, names", [("", "here arr c l inner deep"), ("#pragma nv_diag_suppress 177\n", "")])
def test_variables_that_nothing_names(head: str, names: str) -> None:
    """The same as nvcc's 177-D."""
    options = Options()
    frontend.compile(SourceFile("a.k", head + UNUSED), options)
    texts = [d.message for d in options.diagnostics]
    assert "non-void function 'empty' should return a value" in texts
    found = [t.split('"')[1] for t in texts if "never referenced" in t]
    assert sorted(found) == sorted(names.split())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("__device__ int f() { }", 1),
        ("__device__ int f(int a) { if (a) return 1; }", 1),
        ("__device__ int f(int a) { if (a) return 1; else return 2; }", None),
        ("template <int N> __device__ int f() { if constexpr (N > 1) return 3; else return 2; }", None),
        ("__device__ int f(int a) { while (true) { if (a++ > 3) return a; } }", None),
        ("__device__ int f(int a) { switch (a) { case 1: return 3; default: return 4; } }", None),
        ("__device__ int f() { __trap(); }", None),
        ("__device__ void f(unsigned z, int *o) {\n if (z >= 0) *o = 1;\n }", 2),
        ("__device__ void f(unsigned z, int *o) {\n if (0 > z) *o = 1;\n }", 2),
        ("__device__ void f(unsigned char z, int *o) {\n if (z > 0) *o = 1;\n }", None),
    ],
)
def test_flow_and_comparisons(text: str, line: int | None) -> None:
    """What nvcc warns of as 940-D and 186-D (but for functions that end in assembly or a call)."""
    options = Options()
    call = "template __device__ int f<1>();" if text.startswith("template") else ""
    frontend.compile(SourceFile("a.k", f"{text}\n{call}\n__global__ void k() {{}}\n"), options)
    found = [d.where.source.position(d.where.start)[0] for d in options.diagnostics if d.where]
    assert found == ([line] if line else [])


WARNED = "#ifdef A\n#define A 2\n#endif\n__global__ void k(int *p) { int u; p[0] = 1%s; }\n"


@pytest.mark.parametrize(
    ("flags", "fault", "macro", "unused"),
    [
        ("-DA", "", "warning", "warning"),
        ("-DA -w", " + b", "", ""),
        ("-DA -Werror all-warnings", "", "error", ""),
        ("-Werror all-warnings", "", "", "error"),
        ("-Werror all-warnings", " + b", "", "error"),
        ("-DA -w -Werror all-warnings", "", "", ""),
        ("-w -diag-error 177", "", "", "error"),
        ("-diag-error 177 -diag-suppress 177", "", "", ""),
        ("-diag-suppress 177 -Werror all-warnings", "", "", ""),
        ("-DA=2", "", "", "warning"),
        ("-DA -UA", "", "", "warning"),
    ],
)
def test_what_warnings_count_as(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], flags: str, fault: str, macro: str, unused: str
) -> None:
    """As nvcc counts them, with and without an error beside them; an error of the preprocessor is the last."""
    (tmp_path / "k.cu").write_text(WARNED % fault)
    command = [*flags.split(), "-ptx", "-o", str(tmp_path / "k.ptx"), str(tmp_path / "k.cu")]

    def counted(status: int, said: str) -> tuple[int, str, str]:
        found = {}
        for what in ("redefined", "never referenced"):
            lines = [line for line in said.splitlines() if what in line]
            found[what] = "error" if any("error" in line for line in lines) else "warning" if lines else ""
        return status, found["redefined"], found["never referenced"]

    wanted = int(bool(fault) or "error" in (macro, unused)), macro, unused
    assert counted(cli.main(command), capfd.readouterr().err) == wanted
    if NVCC:
        done = subprocess.run([NVCC, *command], capture_output=True, text=True)
        assert counted(done.returncode, done.stderr) == wanted


def test_nothing_is_said_of_loops_that_llvm_does_not_unroll(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from minicc import cli

    (tmp_path / "k.cu").write_text(
        "__global__ void k(float *o, int n) {\n#pragma unroll\nfor (int i = 0; i < n; i++) "
        "{ if (o[i] > 3) break; o[i] += 1; __syncthreads(); }\n}\n"
    )
    assert cli.main([str(tmp_path / "k.cu"), "-arch=sm_90", "-ptx", "-o", str(tmp_path / "k.ptx")]) == 0
    assert capfd.readouterr().err == ""


def test_kernels_may_have_references() -> None:
    ir = frontend.compile(SourceFile("a.k", "__global__ void k(int &a, const float &b) { a = b; }"), Options())
    assert "@_Z1kRiRKf(" in ir


SET_AND_USED = """
__device__ void change(int &); __device__ void look(const int *);
template <class T> __device__ void of_template(T *o) { int set; set = 1; int early; o[0] = early; }
__device__ int again(int n, int (*f)(int, int) = nullptr) { int q; q = 1; if (n) again(n - 1); (void)again; return n; }
__device__ void result(int &out) { int set, &same = set; out = 1; same = 2; }
__global__ void k(int *o, int n, int given) {
    int before; o[0] = before; o[1] = before;
    int self; self = self + 1;
    int set; set = n;
    int twice; twice = 1; twice = 2;
    float elements[4]; elements[n] = 1;
    struct { int x, y; } whole; whole.x = 1;
    struct { int x, y; } part; o[2] = part.y;
    int counted = 0; counted += n;
    int steps; steps++;
    int by_branch; if (n) by_branch = 1; o[3] = by_branch;
    int other_branch; if (n) o[3] = other_branch; else other_branch = 2;
    int around; for (int i = 0; i < n; i++) { if (i) o[4] = around; around = i; }
    int jumped; again: o[5] = jumped; jumped = 2; if (n > o[6]) goto again;
    int referred; change(referred);
    int array[3]; look(array);
    int element[3]; o[7] = element[1];
    int *pointer; *pointer = 3;
    int *unread; unread = o;
    int written; asm("mov.u32 %0, 1;" : "=r"(written));
    int read; asm("mov.u32 %0, 1;" : "=r"(o[8]) : "r"(read));
    int captured; auto l = [&] { captured = 1; }; l();
    int measured; o[9] = sizeof(measured);
    int ignored; (void)ignored;
    int chosen, value; chosen = value = 3;
    volatile int seen; seen = 1;
    [[maybe_unused]] int marked; marked = 1;
    __shared__ int shared[4]; shared[n] = 1;
    { int inner; inner = 2; }
    given = 3;
}
template __device__ void of_template<int>(int *);
"""


def test_variables_set_and_used() -> None:
    """The same as nvcc's 549-D and 550-D."""
    options = Options()
    frontend.compile(SourceFile("a.cu", SET_AND_USED.replace("&);", "&) {}").replace("*);", "*) {}", 1)), options)
    found = [(d.code, d.message.split('"')[1]) for d in options.diagnostics if d.code in ("549-D", "550-D")]
    early = "before self part steps other_branch element pointer read early"
    idle = "q set twice elements whole unread written chosen value shared inner given"
    assert sorted(found) == sorted([("549-D", n) for n in early.split()] + [("550-D", n) for n in idle.split()])


def test_warnings_by_number(tmp_path, capsys) -> None:
    path, out = tmp_path / "a.cu", tmp_path / "a.ptx"
    path.write_text("__global__ void k(int *o) { int a; int b; b = 1; }\n")
    command = ["-ptx", "-arch=sm_90", "-o", str(out), str(path)]
    assert cli.main(command) == 0
    assert capsys.readouterr().err.count("warning #") == 2
    assert cli.main(["-diag-suppress", "177,550", *command]) == 0
    assert "#" not in capsys.readouterr().err
    assert cli.main(["-w", *command]) == 0
    assert "#" not in capsys.readouterr().err
    out.unlink()
    assert cli.main(["--diag-error=550", *command]) == 1
    assert 'error #550-D: variable "b" was set but never used' in capsys.readouterr().err
    assert cli.main(["-Werror", "all-warnings", *command]) == 1
    assert not out.exists()


RENUMBERED = """#line 70 "gen.y"
__device__ int f(int x) {
    return x * __LINE__; }
# 5 "other.y" 1 3
__global__ void k(int *a) {
    int i = threadIdx.x;
#line 100 "third.y"
    a[i] = f(a[i]);
}
"""


def test_lines_are_of_the_file_that_a_directive_names() -> None:
    """In messages, in __LINE__ and __FILE__, and in line tables, also within a function."""
    with pytest.raises(CompileError) as caught:
        frontend.compile(SourceFile("a.cu", RENUMBERED + "int b = c;\nconst char *file = __FILE__ 1;"), Options())
    first, second = caught.value.diagnostics[:2]
    assert str(first.where) == "third.y:102:9" and first.to_json()["file"] == "third.y"
    assert first.render().splitlines()[1].strip() == "int b = c;"
    assert str(second.where).startswith("third.y:103:")
    options = "-lineinfo -arch=sm_90"
    ptx = minicc.compile(SourceFile("a.cu", RENUMBERED), options=options).ptx
    files = dict(re.findall(r'\.file\s+(\d+) "([^"]*)"', ptx))
    places = {(files[file], line) for file, line in re.findall(r"\.loc\s+(\d+) (\d+)", ptx)}
    assert places == {("other.y", "6"), ("third.y", "100"), ("third.y", "101"), ("gen.y", "71")}
    assert ", 71;" in ptx
    text = '#line 7 "x.y"\nconst char *name = __FILE__;\n#line 3\nconst char *same = __FILE__; int n = __LINE__;\n'
    out = frontend.preprocess(SourceFile("a.cu", text), Options())
    assert unmarked(out).count('"x.y"') == 2 and "n = 3" in out
