"""Random functions of LLVM IR (`random_ir.py`) give the bits that LLVM's code for the host gives, optimised and not."""

from __future__ import annotations

import os
import pickle

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from tests.isel import random_ir
from tests.isel.forms import Case
from tests.isel.test_host import differences, on_host


def apart(cases: list[Case]) -> dict[str, bytes]:
    """`on_host` in a process of its own: LLVM's own code generator ends it for one function in five hundred."""
    out, into = os.pipe()
    if (child := os.fork()) == 0:
        os.close(out)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(into, "wb") as file:
            pickle.dump(on_host(cases), file)
        os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as file:
        given = file.read()
    if os.waitpid(child, 0)[1]:
        reject()
    found: dict[str, bytes] = pickle.loads(given)
    return found


@pytest.mark.parametrize("level", [0, 3])
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32 - 1))
def test_as_on_the_host(level: int, seed: int) -> None:
    """Eight functions a module."""
    cases = [random_ir.function(seed + k) for k in range(8)]
    wrong = differences(cases, apart(cases), level)
    assert not wrong, "\n".join(wrong)
