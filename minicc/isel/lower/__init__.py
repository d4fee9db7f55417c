"""From LLVM IR to expressions: legal types, explicit addresses and calls, intrinsics."""
