"""The way from the machines to the extension: instructions that few kernels have, compiled on their own.

mbarriers, bulk copies, clusters, warpgroup matrix instructions and textures are a third piece of machine code
(`extension`), so that a kernel without them does not wait until those are compiled. The machines call it by address.
"""

from __future__ import annotations

from runtime.device.sm.language.lang import Primitive

extension = Primitive(
    "extension", "int64(int64, int64, int64, int64, uint32, int64, int64)",
    "%f = inttoptr i64 %0 to ptr\n%t = inttoptr i64 %6 to ptr\n"
    "%r = call i64 %f(i64 %1, i64 %2, i64 %3, i32 %4, i64 %5, ptr %t) nounwind\nret i64 %r",
)  # fmt: skip
"""(address, what, w, i, mask, t, tables): call `extension.extend`; `tables`: the address of their list (G_TABLES)."""
