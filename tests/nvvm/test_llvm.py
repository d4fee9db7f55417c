"""Our few calls into LLVM against llvmlite's binding of it."""

import llvmlite.binding as theirs
import pytest

from minicc.nvvm import llvm, load
from minicc.nvvm.optimise import TRIPLE

IR = """
define i32 @twice(i32 %a) alwaysinline { %r = add i32 %a, %a ret i32 %r }
define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %x = call i32 @twice(i32 %n)
  %y = call i32 @twice(i32 %n)
  %z = mul i32 %x, %y
  store i32 %z, ptr addrspace(1) %p
  ret void
}
"""


@pytest.fixture(autouse=True)
def initialised() -> None:
    load()


def machines() -> tuple[llvm.Machine, theirs.TargetMachine]:
    their = theirs.Target.from_triple(TRIPLE).create_target_machine(cpu="sm_90", features="+ptx78", opt=2)
    return llvm.Machine(TRIPLE, "sm_90", "+ptx78", 2), their


def test_passes_and_code_are_those_of_llvmlite() -> None:
    (our, their), names = machines(), list(llvm.PASSES)
    assert our.data_layout == str(their.target_data)
    module, other = llvm.Module(IR), theirs.parse_assembly(IR)
    module.set_triple(TRIPLE)
    other.triple = TRIPLE
    assert str(module) == str(other)
    builder = llvm.Builder(our, 2)
    builder.passes(module, *names)
    manager = theirs.create_new_module_pass_manager()
    for name in ("always_inliner", "post_order_function_attributes", "instruction_combine", "loop_unroll", "new_gvn",
                 "simplify_cfg", "sroa"):  # fmt: skip
        getattr(manager, f"add_{name}_pass")()
    passes = theirs.create_pass_builder(their, theirs.create_pipeline_tuning_options(speed_level=2))
    manager.run(other, passes)
    assert "call" not in str(module).replace("callinst", "") and str(module) == str(other)
    builder.pipeline(module)
    passes.getModulePassManager().run(other, passes)
    assert str(module) == str(other)
    assert our.emit_assembly(module) == their.emit_assembly(other)


def test_modules_are_linked() -> None:
    module = llvm.Module("declare i32 @f(i32)\ndefine i32 @g(i32 %a) { %r = call i32 @f(i32 %a) ret i32 %r }")
    other = llvm.Module("define internal i32 @f(i32 %a) { ret i32 %a }")
    other.set_linkage("f", "external")
    module.link_in(other)
    assert "define dso_local i32 @f" in str(module)
    module.set_linkage("f", "internal")
    assert "define internal i32 @f" in str(module)
    module.verify()


@pytest.mark.parametrize("text", ["define", "define i32 @f() { ret i64 0 }"])
def test_failures_are_in_llvms_words(text: str) -> None:
    with pytest.raises(RuntimeError) as ours:
        llvm.Module(text)
    with pytest.raises(RuntimeError) as expected:
        theirs.parse_assembly(text)
    assert str(ours.value) == str(expected.value)
    with pytest.raises(RuntimeError, match="triple"):
        llvm.Machine("nonsense", "", "", 2)


def test_verify_says_what_is_wrong() -> None:
    module = llvm.Module("define void @f(i1 %c) { a: br i1 %c, label %b, label %d b: %x = add i32 1, 2 br label %d d: "
                         "%y = add i32 1, 2 ret void }")  # fmt: skip
    module.verify()
    text = "define i32 @f(i1 %c) { a: br i1 %c, label %b, label %d b: %x = add i32 1, 2 br label %d d: ret i32 %x }"
    with pytest.raises(RuntimeError, match="dominate"):
        llvm.Module(text).verify()
