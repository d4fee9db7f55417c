"""Probes of patterns as kernels for one warp: what has to happen before and after an instruction for its effect to be
seen, as PTX around it.

Every lane has 256 bytes of each region: operands, results, memory. The first half of the memory stands in shared memory
(or each lane's part in local memory) while the instruction runs and is copied back after it. The registers of this
text are %x*: %xr0 the lane, %xd1 its memory, %xd2 its operands, %xd3 its results, %xd4 shared memory, %xd5 its part.
"""

from __future__ import annotations

import re

from minicc import ptx
from minicc.isel.cover.database import ADDR, IMM, Leaf, Tree
from minicc.ptx import model
from tests.isel.synthesise import LANE, SLOT, Probe, space

MEMORY = 64 * LANE
"""Bytes of memory: half of it is what shared memory begins with."""
BARRIER = 32 * LANE
"""Where in shared memory a barrier for copies stands, after what is copied back."""
COUNTED = 8
"""Place of the operand that says how many arrivals a barrier waits for."""
SEEN = 16
"""Place of the first result that the text around the instruction adds."""
PARAMETERS = (
    f"(.param .u64 f_param_0, .param .u64 f_param_1, .param .u64 f_param_2, .param .align 16 .b8 f_param_3[{SLOT}])"
)
REGISTERS = """ .reg .pred %xp<4>; .reg .b32 %xr<48>; .reg .f32 %xf<4>; .reg .b64 %xd<48>;
 mov.u32 %xr0, %tid.x; setp.eq.u32 %xp1, %xr0, 0;
 ld.param.u64 %xd0, [f_param_2]; mad.wide.u32 %xd1, %xr0, 256, %xd0;
 ld.param.u64 %xd2, [f_param_1]; mad.wide.u32 %xd2, %xr0, 256, %xd2;
 ld.param.u64 %xd3, [f_param_0]; mad.wide.u32 %xd3, %xr0, 256, %xd3;
"""
SHARED = " mov.u64 %xd4, buffer; mad.wide.u32 %xd5, %xr0, 256, %xd4;\n"
HEAD = f""".extern .shared .align 1024 .b8 nothing[];
.shared .align 1024 .b8 buffer[{BARRIER + 64}];
.global .u32 called;
.func callee() {{ .reg .b64 %rd<2>; mov.u64 %rd1, called; red.global.add.u32 [%rd1], 1; ret; }}
"""


def copy(source: str, at: str, target: str, to: str) -> str:
    """A lane's part, from one space and base to another."""
    four = "{%xr4,%xr5,%xr6,%xr7}"
    return "".join(
        f" ld.{source}.v4.u32 {four}, [{at}+{i}]; st.{target}.v4.u32 [{to}+{i}], {four};\n" for i in range(0, LANE, 16)
    )


def see(predicate: str, number: int) -> str:
    """Keep a predicate as a result."""
    return f" selp.u32 %xr1, 1, 0, {predicate}; st.global.u32 [%xd3+{8 * (SEEN + number)}], %xr1;\n"


def barrier(count: str, arrive: str = "") -> str:
    """A barrier at the place that `mbar` patterns name."""
    made = f" @%xp1 mbarrier.init.shared.b64 [%xd4+128], {count};"
    return f" ld.global.u32 %xr2, [%xd2+{8 * COUNTED}];{made} bar.sync 0; {arrive}\n"


def phase(number: int) -> str:
    return f" bar.sync 0; mbarrier.test_wait.parity.shared.b64 %xp0, [%xd4+128], 0;\n{see('%xp0', number)}"


ARRIVE = " bar.sync 0; mbarrier.arrive.shared.b64 %xd6, [%xd4+128];\n"
PHASES = phase(0) + ARRIVE + phase(1)
DONE = f""" cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
WAIT: mbarrier.try_wait.parity.shared.b64 %xp0, [%xd4+{BARRIER}], 0; @!%xp0 bra WAIT;
"""


def expecting(each: str) -> str:
    """A barrier for copies: every lane's bytes are expected."""
    return f""" @%xp1 mbarrier.init.shared.b64 [%xd4+{BARRIER}], 32; bar.sync 0; fence.proxy.async; {each}
 mbarrier.arrive.expect_tx.shared.b64 %xd6, [%xd4+{BARRIER}], %xr2; bar.sync 0;
"""


COPIED = " cp.async.ca.shared.global [%xd5], [%xd1+8192], 16;"
SENT = " fence.proxy.async; cp.async.bulk.global.shared::cta.bulk_group [%xd1+8192], [%xd5], 16;"
STATE = " st.global.u64 [%xd2+8], %xd6; bar.sync 0;"
ONE_STATE = (
    " @%xp1 st.shared.u64 [%xd4+136], %xd6; bar.sync 0; ld.shared.u64 %xd7, [%xd4+136]; st.global.u64 [%xd2], %xd7;"
)
AROUND = [
    (r"mbar\.init", "", " bar.sync 0;" + PHASES),
    (r"mbar\.inval", barrier("1"), " bar.sync 0;" + barrier("%xr2") + ARRIVE + phase(0)),
    (r"mbar\.(test|try)\.wait\.parity", barrier("%xr2", ARRIVE + " bar.sync 0;"), ""),
    (r"mbar\.(test|try)\.wait", barrier("%xr2", ARRIVE + STATE), ""),
    (r"mbar\.pending", barrier("%xr2", ARRIVE.replace("mbar", "@%xp1 mbar", 1) + ONE_STATE), ""),
    (r"mbar\.expect", barrier("32"), ARRIVE + phase(0) + " bar.sync 0; ld.global.u32 %xr2, [%xd2+8];"
     " mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%xd4+128], %xr2;" + phase(1)),
    (r"mbar\.copies", barrier("%xr2"), " cp.async.wait_all;" + PHASES),
    (r"mbar\.arrive", barrier("%xr2"), PHASES),
    (r"(bulk\.g2s|bulk\.s2c)", expecting(" ld.global.u32 %xr2, [%xd2+16];"), DONE),
    (r"tensor\.g2s", expecting(" mov.u32 %xr2, 16;"), DONE),
    (r"(bulk\.s2g|tensor\.(s2g|reduce))", " fence.proxy.async;", DONE.split("\n")[0]),
    (r"cpasync", "", " cp.async.wait_all;"),
    (r"cpcommit", COPIED, " cp.async.wait_group 0;"),
    (r"cpwait\.", COPIED + " cp.async.commit_group;", ""),
    (r"cpwaitall", COPIED, ""),
    (r"bulkcommit", SENT, " cp.async.bulk.wait_group 0;"),
    (r"bulkwait", SENT + " cp.async.bulk.commit_group;", ""),
    (r"clusterarrive", "", " barrier.cluster.wait;"),
    (r"clusterwait", " barrier.cluster.arrive;", ""),
    (r"bararrive|barrierarrive", "", " ld.global.u32 %xr2, [%xd2]; bar.sync %xr2, 64;"),
    (r"exit", "", see("1", 0).replace("selp.u32 %xr1, 1, 0, 1", "mov.u32 %xr1, 1")),
    (r"call\.", " st.global.u32 [called], 0; bar.sync 0;",
     f" bar.sync 0; ld.global.u32 %xr1, [called]; st.global.u32 [%xd3+{8 * SEEN}], %xr1;"),
    (r"stackrestore", " stacksave.u64 %xd6; st.global.u64 [%xd2], %xd6;", ""),
]  # fmt: skip
"""(operation, PTX before it, PTX after it)"""


def spaces(probe: Probe) -> set[str]:
    """Where the addresses of a pattern point."""
    found: set[str] = set()

    def walk(tree: Tree, op: str) -> None:
        for child in tree.children:
            if isinstance(child, Tree):
                walk(child, child.op)
            elif isinstance(child, Leaf) and child.accept & ADDR and not child.accept & IMM:
                found.add(space(op, child.name))

    walk(probe.tree, probe.op)
    return found


def body(probe: Probe) -> str:
    """Instructions of a probe, its register declarations first."""
    module = model.Module((9, 0), "sm_90a")
    module.functions, module.order = [probe.function], [probe.function]
    text = ptx.format(module)
    return text[text.index("\n{") + 2 : text.rindex("ret;")]


def entry(probe: Probe, around: tuple[str, str] | None = None) -> str:
    """The kernel."""
    name, used, inner = probe.function.name, spaces(probe), body(probe)
    before, after = around or next(((b, a) for where, b, a in AROUND if re.match(where, probe.op)), ("", ""))
    if "param" in used and re.match(r"st\d?\.", probe.op):
        return _called(name, inner)
    start, end = REGISTERS, ""
    if "buffer" in inner or "%xd4" in before + after or "%xd5" in before + after:
        start += SHARED
    if used & {"shared", "window"} or "%xd5" in before + after or "wmma" in before:
        start += copy("global", "%xd1", "shared", "%xd5") + " bar.sync 0;\n"
        if "mbar" not in probe.op:
            end = " bar.sync 0; fence.proxy.async;\n" + copy("shared", "%xd5", "global", "%xd1")
    frame = f".local .align 16 .b8 frame[{SLOT}];"
    if frame in inner:
        inner = inner.replace(frame, "")
        start = f" {frame}\n{start}" + copy("global", "%xd1", "local", "frame")
        end = copy("local", "frame", "global", "%xd1")
    # A place of its own for each label.
    text = f"{start}{before}{inner}{after}{end}".replace("WAIT", f"WAIT_{name}")
    return f".visible .entry {name}{PARAMETERS}\n{{\n{text} ret;\n}}\n"


def _called(name: str, inner: str) -> str:
    """A function that stores to its result, and the kernel that calls it."""
    result = f".param .align 16 .b8 result[{SLOT}]"
    back = copy("param", "result", "global", "%xd1")
    pointers = PARAMETERS.rpartition(",")[0] + ")"
    given = "".join(f" .param .u64 p{i}; st.param.u64 [p{i}], %xd{8 + i};" for i in range(3))
    loads = "".join(f" ld.param.u64 %xd{8 + i}, [f_param_{i}];" for i in range(3))
    return (
        f".func ({result}) {name}_stores{pointers}\n{{{inner} ret;\n}}\n"
        f".visible .entry {name}{PARAMETERS}\n{{\n{REGISTERS}{loads}\n{{ {result};{given}\n"
        f" call (result), {name}_stores, (p0, p1, p2);\n{back} }}\n ret;\n}}\n"
    )
