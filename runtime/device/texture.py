"""Texture objects of the model: records that the SM model reads by handle (`sm.layout`, TX_*).

A handle is the number of a record, from 1 on. Texels lie in device memory row after row, as the host gives them; a chip
shuffles arrays, which no instruction can see.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from minicc.numbers import bits_of
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L

ADDRESS_MODES = {"wrap": 0, "clamp": 1, "mirror": 2, "border": 3}
"""The driver's numbers."""
FORMATS = {
    "u1": (K.TF_UNSIGNED, 1), "u2": (K.TF_UNSIGNED, 2), "u4": (K.TF_UNSIGNED, 4), "i1": (K.TF_SIGNED, 1),
    "i2": (K.TF_SIGNED, 2), "i4": (K.TF_SIGNED, 4), "f2": (K.TF_FLOAT, 2), "f4": (K.TF_FLOAT, 4),
}  # fmt: skip
"""numpy kind and bytes -> format and bytes of a channel."""


@attrs.frozen
class Texture:
    """A texture or surface: pass it for a `cudaTextureObject_t` or `cudaSurfaceObject_t` parameter."""

    handle: int
    buffer: Any
    """The buffer that holds the texels; `numpy()` of it is what surface stores left."""


@attrs.define(eq=False)
class Textures:
    """All records of one device, int64[count, TX_COLUMNS]."""

    records: Any = attrs.field(factory=lambda: np.zeros((0, L.TX_COLUMNS), np.int64))

    def add(
        self,
        address: int,
        dtype: np.dtype[Any],
        channels: int,
        sizes: tuple[int, int, int],
        modes: tuple[int, int, int],
        linear: bool,
        normalized: bool,
        fractions: bool,
        border: tuple[float, ...],
    ) -> int:
        """The handle of a new record; `sizes` are texels (the last may be layers)."""
        row = np.zeros(L.TX_COLUMNS, np.int64)
        kind, width = FORMATS[dtype.str[1:]]
        pitch = sizes[0] * channels * width
        row[L.TX_ADDRESS], row[L.TX_FORMAT], row[L.TX_WIDTH_BYTES], row[L.TX_CHANNELS] = address, kind, width, channels
        row[L.TX_SIZE : L.TX_SIZE + 3] = sizes
        row[L.TX_PITCH], row[L.TX_SLICE] = pitch, pitch * sizes[1]
        row[L.TX_MODE : L.TX_MODE + 3] = modes
        row[L.TX_LINEAR], row[L.TX_NORMALIZED], row[L.TX_NORMALIZED_READ] = linear, normalized, fractions
        for k in range(4):
            value = border[k] if k < len(border) else 0.0
            if kind == K.TF_FLOAT or fractions:
                row[L.TX_BORDER + k] = bits_of(value, 32)
            else:
                row[L.TX_BORDER + k] = int(value)
        self.records = np.vstack([self.records, row])
        return len(self.records)
