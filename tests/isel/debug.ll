source_filename = "x.k"
target triple = "nvptx64-nvidia-cuda"
define dso_local i32 @inl(i32 noundef %x) #1 !dbg !8 {
  %y = mul nsw i32 %x, 3, !dbg !10
  ret i32 %y, !dbg !10
}
define ptx_kernel void @k(ptr noundef %p, i32 %n) local_unnamed_addr #0 !dbg !11 {
entry:
  #dbg_value(ptr %p, !14, !DIExpression(), !12)
  %c = call i32 @inl(i32 %n), !dbg !12
  store i32 %c, ptr %p, align 4, !dbg !13
  ret void, !dbg !13
}
attributes #0 = { "nvvm.maxntid"="256" "nvvm.minctasm"="2" }
attributes #1 = { alwaysinline }
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!5}
!nvvm.annotations = !{!30}
!30 = !{ptr @k, !"maxnreg", i32 64}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "m", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: "x.k", directory: "/src")
!2 = !{}
!5 = !{i32 2, !"Debug Info Version", i32 3}
!6 = !DISubroutineType(types: !2)
!8 = distinct !DISubprogram(name: "inl", scope: !1, file: !1, line: 1, type: !6, unit: !0, spFlags: DISPFlagDefinition | DISPFlagOptimized)
!10 = !DILocation(line: 2, column: 5, scope: !8)
!11 = distinct !DISubprogram(name: "k", linkageName: "k", scope: !1, file: !1, line: 4, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!12 = !DILocation(line: 5, column: 7, scope: !11)
!13 = !DILocation(line: 6, column: 1, scope: !15)
!15 = distinct !DILexicalBlock(scope: !11, file: !1, line: 5)
!14 = !DILocalVariable(name: "p", scope: !11, file: !1, line: 4)
