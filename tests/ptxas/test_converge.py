"""Threads meet again before a CTA barrier although some paths end early (on an H200 the barrier fails otherwise)."""

import re

import pytest

import minicc
from minicc.diagnostics import SourceFile

BODIES = {
    "unreachable": """switch (x & 3) { case 0: p[t + 64] = x * 3; break;
        case 1: for (int i = 0; i < x; i++) p[t + 64] += i * p[t]; break;
        case 2: p[t + 64] = x / 7; break; case 3: p[t + 64] = __popc(x) * p[0]; break; }""",
    "trap": "if (x & 1) { for (int i = 0; i < x; i++) p[i] += p[t]; if (p[t] == 77) __trap(); p[t + 64] = x; }",
    "return": 'if (x & 1) { if (x == 3) { p[t] = 9; asm volatile("exit;"); } for (int i = 0; i < x; i++) p[i]++; }',
}


@pytest.mark.parametrize("name", BODIES)
def test_meeting_before_a_barrier(name):
    source = f"""__global__ void k(int *p) {{ __shared__ int s[64]; int t = threadIdx.x, x = p[t]; {BODIES[name]}
        s[t] = x; __syncthreads(); p[t + 128] = s[(t + 33) & 63]; }}"""
    text = minicc.compile(SourceFile("k.cu", source)).sass
    before = re.findall(r"\b(BSSY|BSYNC|BRA)\b", text.partition("BAR.SYNC")[0])
    assert before[-1] == "BSYNC"
    assert before.count("BSSY") <= before.count("BSYNC") + 1
