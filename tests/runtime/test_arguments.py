"""Packing Python values into a parameter area, and reading C++ names."""

from __future__ import annotations

import ctypes
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minicc
from minicc.binary import read_cubin
from minicc.binary.mangling import signature
from minicc.diagnostics import SourceFile
from runtime.api import typed_parameters
from runtime.driver.arguments import Parameter, pack
from runtime.errors import LaunchError


class Pair(ctypes.Structure):
    _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_float))


def one(name: str, size: int, value: object) -> bytes:
    """The bytes of a single argument of a kernel of that name."""
    return pack("k", typed_parameters(name, [(0, size)]), [value], lambda array: 0x1000)[0]


@pytest.mark.parametrize(
    ("name", "size", "value", "want"),
    [
        ("_Z1ki", 4, -2, struct.pack("<i", -2)),
        ("_Z1kj", 4, 2**32 - 1, b"\xff" * 4),
        ("_Z1kf", 4, 1, struct.pack("<f", 1.0)),
        ("_Z1kf", 4, np.float64(0.1), struct.pack("<f", 0.1)),
        ("_Z1kd", 8, np.float32(0.5), struct.pack("<d", 0.5)),
        ("_Z1kDh", 2, 1.5, struct.pack("<e", 1.5)),
        ("_Z1kb", 1, True, b"\1"),
        ("_Z1kPf", 8, None, bytes(8)),
        ("_Z1kPf", 8, 0x7F0000001234, struct.pack("<Q", 0x7F0000001234)),
        ("_Z1kPf", 8, np.zeros(4, np.float32), struct.pack("<Q", 0x1000)),
        ("_Z1kP6float4", 8, np.zeros(4, np.float32), struct.pack("<Q", 0x1000)),
        ("_Z1k1S", 12, b"x" * 12, b"x" * 12),
        ("_Z1k1E", 4, -3, struct.pack("<i", -3)),  # an enumeration
        ("_Z1k1E", 1, 255, b"\xff"),
        ("_Z1k6float4", 16, np.ones(4, np.float32), np.ones(4, np.float32).tobytes()),
        ("k", 4, 3.0, struct.pack("<f", 3.0)),
        ("k", 8, 3.0, struct.pack("<d", 3.0)),
        ("k", 8, -1, b"\xff" * 8),
        ("k", 4, np.int64(7), struct.pack("<i", 7)),
        ("_Z1kf", 4, ctypes.c_int(7), struct.pack("<f", 7.0)),
        ("_Z1k1S", 8, Pair(1, 2.5), struct.pack("<if", 1, 2.5)),
        ("_Z1kIfEvT_", 4, 3, struct.pack("<f", 3.0)),
    ],
)
def test_values(name, size, value, want):
    assert one(name, size, value) == want


SCALARS = """bool char/signed,char/unsigned,char short/unsigned,short int/unsigned long/unsigned,long long,long
unsigned,long,long wchar_t __int128/unsigned,__int128 float double int* const,void*""".replace("/", " ").split()


@pytest.mark.parametrize("spelled", SCALARS)
def test_scalars_have_the_size_and_kind_that_the_compiler_gives_them(spelled):
    """One parameter: what its mangled name says of it, and what stands in the cubin."""
    spelled = spelled.replace(",", " ")
    text = f"__global__ void k({spelled} x) {{}}"
    image = minicc.compile(SourceFile("k.cu", text), options="-w").cubin
    function = next(f for f in read_cubin(image, "k").functions if f.entry)
    (read,) = signature(function.name).params
    assert read.size == function.params[0].size
    signed = not any(word in spelled for word in ("unsigned", "*", "bool", "float", "double"))
    pointed, real = "*" in spelled, spelled in ("float", "double")
    want = "pointer" if pointed else "float" if real else "bool" if spelled == "bool" else "int" if signed else "uint"
    assert read.kind == want


@pytest.mark.parametrize(
    ("name", "size", "value", "match"),
    [
        ("_Z1ki", 4, 2**31, "does not fit"),
        ("_Z1kj", 4, -1, "does not fit"),
        ("_Z1kh", 1, 256, "does not fit"),
        ("_Z1ki", 4, 1.5, "is a float"),
        ("_Z1kPf", 8, 1.5, "is a float"),
        ("_Z1kPf", 8, np.zeros(3), "not an array of float64"),
        ("_Z1kPf", 8, np.zeros(3, np.int32), "not an array of int32"),
        ("_Z1kPi", 8, np.zeros(3, np.float32), "not an array of float32"),
        ("_Z1kf", 4, np.zeros(1, np.float32), "not an array"),
        ("_Z1kPf", 8, np.zeros(3, ">f4"), "order of other machines"),
        ("_Z1k1S", 8, (1, 2.5), "give 8 bytes"),
        ("_Z1kIiEvT_", 4, 1.5, "is a float"),
        ("_Z1kf", 4, "1", "cannot pass a str"),
        ("_Z1ki", 4, None, "None is no value"),
        ("_Z1k1S", 12, b"x" * 11, "11 bytes"),
        ("_Z1k1S", 12, 3, "an integer is no value"),
        ("_Z1k1E", 1, 256, "256 does not fit"),
        ("_Z1k1E", 4, 1.5, "is a float"),
        ("k", 4, np.zeros(5, np.float32), "not an array"),
        ("k", 8, np.array([None]), "Python objects"),
    ],
)
def test_wrong_values(name, size, value, match):
    with pytest.raises(LaunchError, match=match):
        one(name, size, value)


def test_nothing_is_uploaded_when_an_argument_is_wrong():
    uploaded = []
    with pytest.raises(LaunchError, match="argument 1"):
        pack("k", typed_parameters("_Z1kPfi", [(0, 8), (8, 4)]), [np.zeros(2, np.float32), 0.5], uploaded.append)
    with pytest.raises(LaunchError, match="takes 2 arguments; 1"):
        pack("k", typed_parameters("_Z1kPfi", [(0, 8), (8, 4)]), [np.zeros(2, np.float32)], uploaded.append)
    assert not uploaded


def test_an_array_given_twice_is_one_buffer():
    addresses = iter(range(0x1000, 0x9000, 0x1000))
    a, places = np.zeros(4, np.float32), [(0, 8), (8, 8), (16, 8)]
    area, arrays = pack("k", typed_parameters("_Z1kPKfPfS_", places), [a, a, a[:2]], lambda x: next(addresses))
    assert struct.unpack("<3Q", area) == (0x1000, 0x1000, 0x2000)
    assert [x.written for x in arrays] == [True, True]
    _, arrays = pack("k", typed_parameters("_Z1kPKfPf", places[:2]), [a, a[:2]], lambda x: 0)
    assert [x.written for x in arrays] == [False, True]


@given(st.lists(st.sampled_from([1, 2, 4, 8]), max_size=10), st.data())
def test_offsets_are_kept(sizes, data):
    at, parameters, values = 0, [], []
    for size in sizes:
        at += data.draw(st.integers(0, 3))
        parameters.append(Parameter(at, size))
        values.append(data.draw(st.integers(-(1 << 8 * size - 1), (1 << 8 * size) - 1)))
        at += size
    area, _ = pack("k", parameters, values, lambda array: 0, at + 5)
    assert len(area) == at + 5
    for p, v in zip(parameters, values, strict=True):
        assert int.from_bytes(area[p.offset : p.offset + p.size], "little") == v % (1 << 8 * p.size)


@pytest.mark.parametrize(
    ("name", "base", "kinds"),
    [
        ("_Z4vaddPKfS0_Pfi", "vadd", "pointer pointer pointer int"),
        ("k_one", "k_one", None),
        ("_Z4gemmILi16EEvPKfS1_Pfiii", "gemm", "pointer pointer pointer int int int"),
        ("_ZN2ns3fooEPK6float4dmb", "foo", "pointer float uint bool"),
        ("_Z3addIfEvPT_S1_i", "add", "pointer pointer int"),
        ("_ZN2ns1kIfEEvPT_PKS1_S4_PKjS6_S1_", "k", "pointer pointer pointer pointer pointer float"),
        ("_Z1kN2ns1VIiEES1_PS1_S2_", "k", "class class pointer pointer"),
        ("_Z1kP6__halfS0_", "k", "pointer pointer"),
        ("_Z1kv", "k", ""),
        ("_ZN12_GLOBAL__N_14kernE6float41S", "kern", "class class"),
        ("_Z", "_Z", None),
        ("_Z999x", "_Z999x", None),
    ],
)
def test_mangled_names(name, base, kinds):
    found = signature(name)
    assert found.base == base
    assert (None if found.params is None else [p.kind for p in found.params]) == (
        None if kinds is None else kinds.split()
    )


@given(st.text("_ZNKPSTLIEvifdmbj0123456789abAB", max_size=40))
def test_any_name_is_read_without_failing(text):
    assert isinstance(signature("_Z" + text).base, str)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("_Z4vaddPKfS0_Pfi", "vadd(const float *, const float *, float *, int)"),
        ("_ZN2ns1kIfLi4ELb1EEEvPT_i", "k<float, 4, true>(float *, int)"),
        ("_Z1kIN2ns1VIiEELin3EEvT_", "k<V, -3>(V)"),
        ("_Z3mapI4AddSfEvPKfPfT0_", "map<AddS, float>(const float *, float *, float)"),
        ("_Z1kIJifEEvDpT_", "k<int, float>"),
        ("k_one", "k_one"),
    ],
)
def test_names_as_they_are_shown(name, shown):
    assert signature(name).shown == shown
