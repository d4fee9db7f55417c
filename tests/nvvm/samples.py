# ruff: noqa: E501
"""IR texts for the tests of the middle end."""

from __future__ import annotations

VADD = """
define ptx_kernel void @vadd(ptr noalias readonly %a, ptr %b, ptr %c, i32 %n) {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %2 = mul i32 %0, %1
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %2, %3
  %cmp = icmp slt i32 %i, %n
  br i1 %cmp, label %then, label %end
then:
  %ie = sext i32 %i to i64
  %pa = getelementptr inbounds float, ptr %a, i64 %ie
  %x = load float, ptr %pa, align 4
  %pb = getelementptr inbounds float, ptr %b, i64 %ie
  %y = load float, ptr %pb, align 4
  %z = fadd contract float %x, %y
  %pc = getelementptr inbounds float, ptr %c, i64 %ie
  store float %z, ptr %pc, align 4
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""

EVERYTHING = r"""
source_filename = "all.k"
target triple = "nvptx64-nvidia-cuda"
%S = type { i32, %T, [4 x i32] }
%T = type <{ i8, ptr addrspace(3) }>
%"odd name" = type opaque
$comdat = comdat any
@plain = addrspace(1) global i32 7, align 4
@"quoted \22name" = internal addrspace(3) global [8 x float] undef, align 16
@text = private unnamed_addr constant [4 x i8] c"a\0A\\\00", align 1
@table = internal constant { i16, [2 x double], ptr } { i16 -1, [2 x double] [double 1.5, double 0x7FF8000000000000], ptr addrspacecast (ptr addrspace(1) getelementptr inbounds (i8, ptr addrspace(1) @plain, i64 2) to ptr) }
@ext = external addrspace(4) constant [0 x i8]
@alias = alias i32, ptr addrspace(1) @plain
declare i32 @printf(ptr noundef, ...) #1
declare float @llvm.fma.f32(float, float, float)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)

define linkonce_odr noundef range(i32 0, 10) i32 @f(ptr noundef byval(%S) align 8 %0, i64 %1, <4 x half> %v, bfloat %b, i1 zeroext %c) unnamed_addr comdat($comdat) align 16 !prof !4 {
  %3 = alloca [4 x i32], align 16
  %4 = getelementptr inbounds nuw %S, ptr %0, i64 0, i32 2, i64 %1
  %5 = load volatile i32, ptr %4, align 4, !tbaa !5, !range !6
  %6 = add nuw nsw i32 %5, -3
  %7 = icmp samesign ult i32 %6, 100
  %8 = zext nneg i32 %6 to i64
  br i1 %7, label %9, label %20, !prof !4, !llvm.loop !7

9:                                                ; preds = %2
  %10 = cmpxchg weak volatile ptr %4, i32 %5, i32 %6 syncscope("device") acq_rel monotonic, align 4
  %11 = extractvalue { i32, i1 } %10, 0
  %12 = atomicrmw fadd ptr %4, float 1.000000e+00 syncscope("block") monotonic, align 4
  fence syncscope("device") seq_cst
  %13 = shufflevector <4 x half> %v, <4 x half> poison, <2 x i32> <i32 3, i32 poison>
  %14 = insertelement <2 x half> %13, half 0xH3C00, i64 1
  %15 = select reassoc nnan i1 %c, <2 x half> %14, <2 x half> splat (half 0xH4000)
  %16 = call { i32, i32 } asm sideeffect "{ add.u32 $0, $2, 1; mov.u32 $1, $3; }", "=r,=r,r,n,~{memory}"(i32 %11, i32 9) #2
  %17 = tail call contract float @llvm.fma.f32(float %12, float 0x3FF8000000000000, float -0.000000e+00)
  %18 = fcmp fast oge float %17, 1.000000e+01
  switch i32 %11, label %20 [
    i32 -1, label %9
    i32 5, label %19
  ]

19:                                               ; preds = %9
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %3, ptr align 1 @text, i64 4, i1 false)
  %call = call i32 (ptr, ...) @printf(ptr @text, double 1.0, i32 %6)
  unreachable

20:                                               ; preds = %9, %2
  %21 = phi i32 [ 0, %2 ], [ %11, %9 ]
  %22 = freeze i32 %21
  %23 = insertvalue { i32, [2 x i16] } poison, i16 7, 1, 0
  %24 = extractvalue { i32, [2 x i16] } %23, 1, 0
  %25 = fneg double 1.0
  %26 = trunc nuw i64 %8 to i32
  %27 = or disjoint i32 %26, 8
  %28 = lshr exact i32 %27, 1
  store atomic i32 %28, ptr %3 release, align 4
  ret i32 %22
}
attributes #1 = { nounwind "target-cpu"="sm_90" }
attributes #2 = { convergent nounwind memory(none) }
!named = !{!0, !1}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Some Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, isOptimized: true, emissionKind: DebugDirectivesOnly, flags: "a \22b\22")
!2 = !DIFile(filename: "all.k", directory: "")
!4 = !{!"branch_weights", i32 1, i32 2000}
!5 = !{!8, !8, i64 0}
!6 = !{i32 0, i32 10}
!7 = distinct !{!7, !9}
!8 = !{!"int", !10, i64 0}
!10 = !{!"root"}
!9 = !{!"llvm.loop.unroll.disable"}
"""
