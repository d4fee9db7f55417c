"""Members' own initialisers, how long what a reference refers to lives, and what it is: values that C++ says."""

from __future__ import annotations

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile

HEAD = """#include <initializer_list>
union U { int a; float f = 2.5f; };
struct InUnion { int k; union { int x; unsigned y = 77; }; };
struct Steps { int *n; int a = (*n = *n * 3 + 1); int b; int c = (*n = *n * 5 + 2); };
struct Ends { int *n; int v; __device__ ~Ends() { *n = *n * 10 + v; v = -1; } };
struct First { int a = 1; };
struct Derived : First, Ends { __device__ Derived(int *n, int v) : Ends{n, v} {} };
__constant__ float NANS[] = {NAN, -NAN};
struct View { const int &x; const float &f; };
struct Pair { int x, y; };
template <class T> struct Both { T a, b; __device__ Both() : a{T{}}, b{T{3}} {} };
template <class T> struct Constant { static constexpr int value = 0; };
template <class T> struct Constant<const T> { static constexpr int value = 1; };
template <class T> __device__ int constant(T &&x) { return Constant<T>::value; }
template <class T> __device__ T &&moved(T &x) { return static_cast<T &&>(x); }
"""
CASES = {
    # [dcl.init.aggr]: of a union of which nothing is said, the member that has an initialiser.
    "U u{}; o[0] = __float_as_int(u.f) == 0x40200000;": 1,
    "U u[2] = {{1}, {}}; o[0] = u[0].a + (u[1].f == 2.5f);": 2,
    "U *u = new U(); o[0] = u->f == 2.5f; delete u;": 1,
    "InUnion i{4}; o[0] = i.k + i.y;": 81,
    # In the order of the members, whether named or not: 1 -> 4 -> 40 -> 202.
    "int n = 1; Steps s{.n = &n, .b = (n = n * 10)}; o[0] = s.a * 1000000 + s.b * 1000 + s.c;": 4040202,
    # The whole object lives as long as the reference to a base of it.
    "int n = 1; { const Ends &e = Derived(&n, 2); n = n * 10 + e.v + 3; } o[0] = n;": 152,
    # Numbers that are objects keep their qualifiers, also where they may be moved from.
    "const int a = 1; int b = 2; o[0] = 9 * constant(moved(a)) + constant(moved(b)) + constant((const int)3);": 9,
    # The host's NaN (the machine's own is 0x7fffffff), its sign, and the number that a text spells.
    'o[0] = (__float_as_int(NAN) == 0x7fc00000) + 2 * (__float_as_int(nanf("0x123")) == 0x7fc00123)'
    ' + 4 * (__double_as_longlong(nan("")) == 0x7ff8ll << 48) + 8 * (__float_as_int(NANS[1]) == (int)0xffc00000);': 15,
    # [dcl.type.auto.deduct]: a list behind "=" is one.
    "auto a = {1, 2, o[1] + 4}; auto b = {7}; auto c{9}; for (int x : a) o[0] += x; o[0] += b.size() * 10 + c;": 26,
    # [dcl.init.list]: of one element of the same class the list is a copy, whatever it is made by.
    "Both<Pair> b; Pair p{Pair{7, 8}}; Pair q = {Pair{.y = 5}}; o[0] = b.a.x + b.b.x * 100 + p.y * 10 + q.y;": 385,
    "View v{o[1] + 7, 1.5f}; View w{v.x, 2}; o[0] = v.x * 10 + w.x + (v.f == 1.5f) + (w.f == 2);": 79,
}


@pytest.mark.parametrize("options", ["-O3", "-O0"])
def test_initialisers(options: str) -> None:
    kernels = [f'extern "C" __global__ void k{i}(int *o) {{ {text} }}\n' for i, text in enumerate(CASES)]
    source = SourceFile("k.cu", HEAD + "".join(kernels))
    module = runtime.Device().load(minicc.compile(source, options=f"-w -std=c++20 {options}").cubin)
    for i, (text, expected) in enumerate(CASES.items()):
        out = np.zeros(2, np.int32)
        module[f"k{i}"][1, 1](out)
        assert out[0] == expected, text
