"""mbarriers and the copies that they follow. The model does not run them; an H200 did: bulk copies and cp.async."""

from __future__ import annotations

import pytest

from minicc.ptxas import Options
from minicc.sass import decode
from minicc.sass.instr import RZ, Mem
from tests.ptxas.conftest import ARCH, assemble

HEAD = ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
DECLARED = ".reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .pred %p<3>; .shared .align 8 .b8 s[4096];\n"
BODY = """
    ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 3; mov.u32 %r3, s; add.u32 %r4, %r3, %r2;
    mbarrier.init.shared.b64 [%r4], 1;
    cp.async.ca.shared.global [%r4+1024], [%rd1], 8;
    cp.async.mbarrier.arrive{noinc}.shared.b64 [%r4+16];
wait:
    mbarrier.test_wait.parity.shared.b64 %p1, [%r4], 0;
    @!%p1 bra wait;
    ret;
}
"""


@pytest.mark.parametrize(("noinc", "count"), [(".noinc", "ARVCNT"), ("", "TRANSCNT")])
def test_the_arrival_of_copies_has_a_uniform_address(noinc, count):
    """With a vector register in it the instruction is illegal on an H200, though nvdisasm prints it."""
    program = assemble(HEAD + DECLARED + BODY.replace("{noinc}", noinc), Options())
    (code,) = (function.code for function in program.functions)
    words = (int.from_bytes(code[at : at + 16], "little") for at in range(0, len(code), 16))
    found = [instr for instr in (decode(word, ARCH) for word in words) if instr.mnemonic == "ARRIVES"]
    assert [instr.modifiers[-1] for instr in found] == [count]
    (address,) = (op for op in found[0].operands if isinstance(op, Mem))
    assert address.ureg is not None
    assert address.base is None or address.base.index == RZ
    assert address.offset == 16
