"""Stores of parts of sectors to local memory: together by array, and in order where they may meet."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import runtime
from minicc.analysis.mix import instructions
from minicc.binary import write_cubin
from minicc.ptxas.mir import TRUE, MInst
from minicc.ptxas.schedule import dag
from minicc.sass.instr import Mem
from minicc.sass.program import Program
from tests.ptxas.conftest import ARCH, assemble

SIZE, OFFSETS = 64, 24
"""Bytes of the local array; the least that an access's own offset does not reach."""
NEAR = 10
"""Cycles from one store to another to the same line up to which L1 loses nothing (h200.md)."""


def kernel(body: str) -> Program:
    """Runs `body` with two addresses of a local array, x and y, of one word that the launch gives and of another."""
    clear = " ".join(f"st.local.u32 [d+{at}], 0;" for at in range(0, SIZE, 4))
    fold = " ".join(f"ld.local.u32 t, [d+{at}]; mad.lo.u32 s, s, 31, t;" for at in range(0, SIZE, 4))
    return assemble(f""".version 8.0
.target sm_90
.address_size 64
.entry f(.param .u64 o) {{
    .local .align 16 .b8 d[{SIZE}];
    .reg .b32 x, y, s, t, v, w, base; .reg .b16 h; .reg .b64 p; .reg .pred g;
    ld.param.u64 p, [o]; mov.u32 base, d;
    ld.global.v2.u32 {{x, y}}, [p]; ld.global.v2.u32 {{v, w}}, [p+8];
    add.u32 x, x, base; add.u32 y, y, base; mov.u32 s, 0;
    {clear}
    {body}
    {fold}
    st.global.u32 [p+16], s; ret;
}}""")


ACCESS = st.tuples(
    st.sampled_from(["store", "store", "load"]),
    st.sampled_from([1, 2, 4]),
    st.booleans(),
    st.sampled_from("xy"),
    st.integers(0, OFFSETS - 1),
    st.integers(1, 1 << 30),
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(accesses=st.lists(ACCESS, min_size=2, max_size=24), x=st.integers(0, 4), y=st.integers(0, 8))
def test_what_is_stored_is_loaded(accesses: list[tuple[str, int, bool, str, int, int]], x: int, y: int) -> None:
    """Against an array of bytes, wherever the two addresses lie to one another; of the stores under guards those whose
    value is odd happen."""
    x, y, v, mask = 4 * x, 4 * y, 12345, (1 << 32) - 1
    body, memory, total = "", bytearray(SIZE), 0
    for what, size, guarded, base, offset, number in accesses:
        offset -= offset % size
        at, place = (x if base == "x" else y) + offset, f"[{base}+{offset}]"
        if what == "store":
            body += f"mad.lo.u32 v, v, {number}, s; and.b32 t, v, 1; setp.ne.u32 g, t, 0;\n"
            body += f"{'@g ' if guarded else ''}st.local.u{8 * size} {place}, v;\n".replace("u8 ", "b8 ")
            v = (v * number + total) & mask
            if v & 1 or not guarded:
                memory[at : at + size] = v.to_bytes(4, "little")[:size]
        else:
            body += f"ld.local.u{8 * size} t, {place}; mad.lo.u32 s, s, 7, t;\n"
            total = (total * 7 + int.from_bytes(memory[at : at + size], "little")) & mask
    for at in range(0, SIZE, 4):
        total = (total * 31 + int.from_bytes(memory[at : at + 4], "little")) & mask
    data = np.array([x, y, 12345, 0, 0, 0], np.uint32)
    runtime.Device("sm_90").load(write_cubin(kernel(body)))["f"][1, 1](data)
    assert int(data[4]) == total


def test_stores_by_turns_to_two_arrays_stand_together() -> None:
    """Each array's neighbours follow one another, with nothing between that takes a while."""
    body = ""
    for turn in range(4):
        body += f"mad.lo.u32 v, v, w, 1; st.local.u16 [x+{2 * turn}], v;"
        body += f"mad.lo.u32 w, w, v, 3; st.local.u16 [x+{2 * turn + 16}], w;\n"
    code = instructions(kernel(body).functions[0].code, ARCH)
    places = [
        (at, operand.offset)
        for at, inst in enumerate(code)
        if inst.mnemonic == "STL" and "U16" in inst.modifiers
        for operand in inst.operands
        if isinstance(operand, Mem)
    ]
    assert [offset for _, offset in places] == [0, 2, 4, 6, 16, 18, 20, 22]
    assert places[-1][0] - places[0][0] <= 2 * len(places)


def test_guarded_stores_of_words_stand_together() -> None:
    """As a walk with a stack makes them: the second is of a place that hangs on whether the first happens."""
    body = "setp.lt.u32 g, v, w; @g st.local.u32 [x], v; @g add.u32 x, x, 4;\n"
    body += "mad.lo.u32 w, w, v, 3; mad.lo.u32 w, w, v, 5; mad.lo.u32 w, w, v, 7; setp.lt.u32 g, w, s;"
    body += "@g st.local.u32 [x], w;\n"
    code = instructions(kernel(body).functions[0].code, ARCH)
    at = [at for at, inst in enumerate(code) if inst.mnemonic == "STL" and inst.guard != TRUE]
    assert len(at) == 2
    assert sum(inst.control.stall for inst in code[at[0] : at[1]]) <= NEAR


def test_a_frame_s_words_stay_where_they_are() -> None:
    """Stores of whole words to places of the frame itself lose nothing: no register is held for them."""
    body = "st.local.u32 [d], v; mad.lo.u32 w, w, v, 3; ld.local.u32 t, [y]; add.u32 w, w, t; st.local.u32 [d+4], w;"
    code = instructions(kernel(body).functions[0].code, ARCH)
    assert not any(dag.part_of_local(MInst(i.mnemonic, i.modifiers, (), i.operands)) for i in code)
