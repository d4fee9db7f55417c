"""Calling an execute function by address from compiled code.

`invoke(address, state, operands, mask, out, dst)`: void (*address)(state, operands, mask, out, dst), all pointers as
int64 addresses. It is one indirect call by the C signature in `abi`, which touches no table.
"""

from __future__ import annotations

from runtime.device.sm.language.lang import RAW, Primitive

invoke = Primitive(
    "invoke", "void(int64, int64, int64, uint32, int64, int64)",
    "%f = inttoptr i64 %0 to ptr\n%a = inttoptr i64 %1 to ptr\n%b = inttoptr i64 %2 to ptr\n"
    "%c = inttoptr i64 %4 to ptr\n%d = inttoptr i64 %5 to ptr\n"
    f"call void %f(ptr %a, ptr %b, i32 %3, ptr %c, ptr %d) nounwind{RAW}\nret void",
)  # fmt: skip
