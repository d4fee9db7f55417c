"""Costs as (mantissa, exponent) pairs: the eight functions of the pattern database's cost model.

A cost is `mantissa * 2**exponent`, 64-bit mantissa in [2**63, 2**64) when not zero, exponent a signed 16-bit scale in
[-16382, 16383]. Zero has one form, infinity saturates. Every operation rounds half up to 64 bits (relative error at
most 2**-63), comparison is exact. The model follows the seed on the pattern database as reconciled with LLVM's public
`ScaledNumber`: docs/isel.md has the table of readings. Names in brackets are the functions of that document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Cost = tuple[int, int]

DIGITS = 64
MAX_MANTISSA = (1 << DIGITS) - 1
MIN_SCALE = -16382
MAX_SCALE = 16383
ALIGN_LIMIT = 127
"""Addition ignores the smaller cost when exponents are further apart than this."""

ZERO: Cost = (0, -32768)
INFINITY: Cost = (MAX_MANTISSA, MAX_SCALE)
"""Not feasible. Also what overflow saturates to."""

LATENCY_WEIGHT = 1
THROUGHPUT_WEIGHT = 3
NORMALISER = 100


def _pack(digits: int, scale: int) -> Cost:
    """Round `digits * 2**scale` (digits any non-negative integer) half up into a cost."""
    if digits == 0:
        return ZERO
    excess = digits.bit_length() - DIGITS
    if excess > 0:
        digits = (digits + (1 << (excess - 1))) >> excess
        scale += excess
        if digits >> DIGITS:
            digits >>= 1
            scale += 1
    elif excess < 0:
        digits <<= -excess
        scale += excess
    if scale > MAX_SCALE:
        return INFINITY
    if scale < MIN_SCALE:
        shift = MIN_SCALE - scale
        digits = (digits + (1 << (shift - 1))) >> shift
        return (digits, MIN_SCALE) if digits else ZERO
    return digits, scale


def from_int(value: int) -> Cost:
    """The cost equal to a non-negative integer (exact below 2**64)."""
    return _pack(value, 0)


def fixed_quotient(mantissa: int, divisor: int) -> Cost:
    """[sub_F04200] mantissa / divisor to 64 bits, with the exponent the quotient's digits are worth.

    Division by zero is infinite."""
    if divisor == 0:
        return INFINITY
    if mantissa == 0:
        return ZERO
    shift = max(0, DIGITS + 1 + divisor.bit_length() - mantissa.bit_length())
    quotient, rest = divmod(mantissa << shift, divisor)
    # One sticky bit below the guard bit keeps the final rounding a single one.
    return _pack(quotient << 1 | (rest != 0), -shift - 1)


def adjust(cost: Cost, delta: int) -> Cost:
    """[sub_D78C90] cost * 2**delta: the scale takes all of it that fits in its range, the digits what is left."""
    mantissa, exponent = cost
    return _pack(mantissa, exponent + delta) if cost != INFINITY else cost


def normalise(cost: Cost, divisor: int = NORMALISER) -> Cost:
    """[sub_FDE760] cost / divisor, mantissa back in [2**63, 2**64)."""
    if cost == INFINITY:
        return INFINITY
    digits, scale = fixed_quotient(cost[0], divisor)
    if digits == 0 or (digits, scale) == INFINITY:
        return digits, scale
    return adjust((digits, scale), cost[1])


def compare(a: Cost, b: Cost) -> int:
    """[sub_D788E0] -1 if a < b (a is cheaper), 0 if equal, +1 if a > b. Exact."""
    if a[0] == 0 or b[0] == 0:
        return (a[0] != 0) - (b[0] != 0)
    top_a, top_b = a[0].bit_length() + a[1], b[0].bit_length() + b[1]
    if top_a != top_b:
        return -1 if top_a < top_b else 1
    low = min(a[1], b[1])
    left, right = a[0] << (a[1] - low), b[0] << (b[1] - low)
    return (left > right) - (left < right)


def add(a: Cost, b: Cost) -> Cost:
    """[sub_FDCA70] a + b. Beyond 127 binary places apart the larger is the sum."""
    if a[1] < b[1]:
        a, b = b, a
    if b[0] == 0 or a == INFINITY:
        return a
    if a[0] == 0:
        return b
    difference = a[1] - b[1]
    if difference > ALIGN_LIMIT:
        return a
    return _pack((a[0] << difference) + b[0], b[1])


def subtract(a: Cost, b: Cost) -> Cost:
    """[sub_2F9CA30] a - b, zero if b is the larger."""
    if b[0] == 0 or a == INFINITY:
        return a
    if compare(a, b) <= 0:
        return ZERO
    difference = a[1] - b[1]
    if difference > ALIGN_LIMIT:
        return a
    if difference < 0:
        return _pack(a[0] - (b[0] << -difference), a[1])
    return _pack((a[0] << difference) - b[0], b[1])


def weigh(weight: Cost, cost: Cost) -> Cost:
    """[sub_2F9DA20] weight * cost: digits multiply, scales add."""
    if weight[0] == 0 or cost[0] == 0:
        return ZERO
    if INFINITY in (weight, cost):
        return INFINITY
    return _pack(weight[0] * cost[0], weight[1] + cost[1])


def combine(latency: int | Cost, throughput: int | Cost) -> Cost:
    """The seed's aggregate: (latency * 1 + throughput * 3) / 100."""
    first = from_int(latency) if isinstance(latency, int) else latency
    second = from_int(throughput) if isinstance(throughput, int) else throughput
    total = add(weigh(from_int(LATENCY_WEIGHT), first), weigh(from_int(THROUGHPUT_WEIGHT), second))
    return normalise(total, NORMALISER)


def cheapest(costs: Sequence[Cost]) -> int:
    """[the selection step of sub_2F9DAC0] Index of the least cost, the first among equals; -1 if none is feasible."""
    best, least = -1, INFINITY
    for index, cost in enumerate(costs):
        if compare(cost, least) < 0:
            best, least = index, cost
    return best


def total(costs: Iterable[Cost]) -> Cost:
    """Sum in order."""
    result = ZERO
    for cost in costs:
        result = add(result, cost)
    return result
