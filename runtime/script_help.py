"""How the functions of a launch script are called: for `minicc run --help`, and beside an error in a call."""

from __future__ import annotations

USAGE = {
    "Arrays": (
        "zeros(shape, dtype=f32)", "ones(shape, dtype=f32)", "full(shape, value, dtype=f32)",
        "arange(stop, dtype=i64)", "arange(start, stop, dtype=i64)", "uniform(low, high, shape, dtype=f32)",
        "randint(low, high, shape, dtype=i32)", "copy(a)", "reshape(a, shape)", "transpose(a)", "transpose(a, axes)",
        "concatenate((a, b))", "meshgrid(x, y)",
    ),
    "Numbers": (
        "abs(x)", "sqrt(x)", "cbrt(x)", "exp(x)", "log(x)", "sin(x)", "cos(x)", "tanh(x)", "cdf(x)", "floor(x)",
        "ceil(x)", "maximum(a, b)", "minimum(a, b)", "where(condition, a, b)", "rotr(x, bits)", "cdiv(a, b)", "int(x)",
        "float(x)",
    ),
    "Of whole arrays": (
        "sum(a, axis=None)", "mean(a, axis=None)", "max(a, axis=None)", "min(a, axis=None)", "any(a)", "all(a)",
        "cumsum(a)", "sort(a)", "bincount(a, size)", "len(a)", "range(start, stop, step)",
    ),
    "Types, also as conversions, f32(x)": (
        "bool", "f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
    ),
    "Device": (
        "kernel[grid, block, shared bytes, stream](arguments)", 'store("variable", a)',
        "expect(got, want, ulp=0, abs=0, rel=0, order=\"fixed\")",
    ),
}  # fmt: skip
"""How each function is called, by what it is for."""


def of(name: str) -> list[str]:
    """The ways to call one."""
    return [usage for usages in USAGE.values() for usage in usages if usage.partition("(")[0] == name]


def text() -> str:
    """All of it, for a terminal."""
    import textwrap

    lines = [
        "The //! lines are Python's assignments, for, while, if, arithmetic and calls, bounded in time and memory:"
    ]
    for group, usages in USAGE.items():
        body = "  ".join(usage.replace(" ", "\0") for usage in usages)
        lines += [f"  {group}:", *textwrap.wrap(body, 114, initial_indent="    ", subsequent_indent="    ")]
    return "\n".join(lines).replace("\0", " ") + "\n"
