"""Applying relocations: putting an address into code or data.

`FIELDS` says for each relocation kind which bits of the address go where. A name such as R_CUDA_ABS32_HI_32 is "address
bits 32.., in a field of 32 bits that starts at bit 32 of the instruction"; the two-part field of
R_CUDA_ABS55_16_34 was read off CALL.ABS encodings: a code address / 4, its low 8 bits at bit 16 and the rest at bit 34.
"""

from __future__ import annotations

from runtime.errors import LaunchError

_Part = tuple[int, int, int]
"""(bit of the address, bit of the place, width)."""

FIELDS: dict[str, tuple[_Part, ...]] = {
    "R_CUDA_32": ((0, 0, 32),),
    "R_CUDA_64": ((0, 0, 64),),
    "R_CUDA_G32": ((0, 0, 32),),
    "R_CUDA_G64": ((0, 0, 64),),
    "R_CUDA_32_LO": ((0, 0, 32),),
    "R_CUDA_32_HI": ((32, 0, 32),),
    "R_CUDA_ABS32_32": ((0, 32, 32),),
    "R_CUDA_ABS32_LO_32": ((0, 32, 32),),
    "R_CUDA_ABS32_HI_32": ((32, 32, 32),),
    "R_CUDA_FUNC_DESC32_32": ((0, 32, 32),),
    "R_CUDA_FUNC_DESC32_LO_32": ((0, 32, 32),),
    "R_CUDA_FUNC_DESC32_HI_32": ((32, 32, 32),),
    "R_CUDA_FUNC_DESC_32": ((0, 0, 32),),
    "R_CUDA_FUNC_DESC_64": ((0, 0, 64),),
    "R_CUDA_ABS47_34": ((2, 34, 47),),
    "R_CUDA_ABS55_16_34": ((2, 16, 8), (10, 34, 47)),
    "R_CUDA_ABS56_16_34": ((2, 16, 8), (10, 34, 48)),
    **{f"R_CUDA_{g}8_{bit}": ((bit, 0, 8),) for g in ("", "G", "FUNC_DESC_") for bit in range(0, 64, 8)},
}

IGNORED = {"R_CUDA_UNUSED_CLEAR32", "R_CUDA_UNUSED_CLEAR64"}


def apply(data: bytearray, offset: int, kind: str, value: int, what: str) -> None:
    """Patch `data` at `offset` with the address `value`; `what` names the place in errors."""
    if kind in IGNORED:
        return
    if kind not in FIELDS:
        raise LaunchError("load.relocation", f"{what}: relocation {kind} is not supported")
    width = max(place + bits for _, place, bits in FIELDS[kind])
    size = (width + 7) // 8
    if offset < 0 or offset + size > len(data):
        raise LaunchError("load.relocation", f"{what}: relocation {kind} at byte 0x{offset:x} is outside the section")
    word = int.from_bytes(data[offset : offset + size], "little")
    for source, place, bits in FIELDS[kind]:
        mask = (1 << bits) - 1
        word = word & ~(mask << place) | (value >> source & mask) << place
    data[offset : offset + size] = word.to_bytes(size, "little")
