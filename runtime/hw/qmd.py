"""The QMD ("queue meta data"): the record that describes one grid to the compute work distributor.

Two versions are valid for Hopper's compute class (clcbc0qmd.h): V03_00 of 256 bytes and V04_00 of 384. The driver here
builds V04_00, as Mesa does for Hopper, because only it holds cluster sizes and 57-bit semaphore addresses; the device
reads both. Version numbers are at the same bits of both, so a reader can tell them apart.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from runtime.hw import qmd_fields
from runtime.hw.qmd_fields import ENUMS


@attrs.frozen
class Field:
    """Bits `low`..`high` of the QMD, both included."""

    name: str
    high: int
    low: int

    mask: int = attrs.field(init=False)
    """As many ones as it has bits."""

    @mask.default
    def _mask(self) -> int:
        return (1 << self.width) - 1

    @property
    def width(self) -> int:
        """How many bits it has."""
        return self.high - self.low + 1


@attrs.frozen
class Version:
    """One QMD layout. Array fields are named NAME[i]."""

    name: str
    major: int
    minor: int
    size: int
    """Bytes."""
    fields: Mapping[str, Field]


def _expand(rows: dict[str, qmd_fields.Row]) -> dict[str, Field]:
    out = {}
    for name, (high, low, stride, count) in rows.items():
        if stride:
            for i in range(count):
                out[f"{name}[{i}]"] = Field(f"{name}[{i}]", high + i * stride, low + i * stride)
        else:
            out[name] = Field(name, high, low)
    return out


V03_00 = Version("V03_00", 3, 0, 256, _expand(qmd_fields.V03_00))
V04_00 = Version("V04_00", 4, 0, 384, _expand(qmd_fields.V04_00))
VERSIONS = {(v.major, v.minor): v for v in (V03_00, V04_00)}

_MAJOR, _MINOR = Field("MAJOR", 583, 580), Field("MINOR", 579, 576)


def value_of(field: str, value: int | str) -> int:
    """A number, or the number behind an enumerator name of the field."""
    if isinstance(value, str):
        return ENUMS[field.split("[")[0]][value]
    return value


def pack(version: Version, values: Mapping[str, int | str]) -> bytes:
    """The QMD with these fields set, all others 0, and the version numbers filled in. KeyError for an unknown field,
    ValueError for a value that does not fit its bits."""
    bits = version.major << _MAJOR.low | version.minor << _MINOR.low
    for name, given in values.items():
        field, value = version.fields[name], value_of(name, given)
        if value < 0 or value > field.mask:
            raise ValueError(f"QMD {version.name} field {name}: 0x{value:x} does not fit in {field.width} bits")
        bits = bits & ~(field.mask << field.low) | value << field.low
    return bits.to_bytes(version.size, "little")


def version_of(data: bytes) -> Version:
    """The layout of a QMD in memory. ValueError if it is of no known version."""
    bits = int.from_bytes(data[:256], "little")
    number = (bits >> _MAJOR.low & 15, bits >> _MINOR.low & 15)
    if number not in VERSIONS:
        raise ValueError(f"QMD version {number[0]}.{number[1]} is not known")
    return VERSIONS[number]


def unpack(data: bytes) -> tuple[Version, dict[str, int]]:
    """(version, value of every field), zeros included. ValueError if the data is too short or of no known version."""
    if len(data) < 256:
        raise ValueError(f"a QMD is 256 bytes or more, not {len(data)}")
    version = version_of(data)
    if len(data) < version.size:
        raise ValueError(f"a {version.name} QMD is {version.size} bytes, not {len(data)}")
    bits = int.from_bytes(data[: version.size], "little")
    return version, {name: bits >> f.low & f.mask for name, f in version.fields.items()}
