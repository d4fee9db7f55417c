"""The roofline as a picture: operations a second over operations for each byte of DRAM, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

from runtime.profile import metrics
from runtime.profile.facts import Facts
from runtime.profile.svg import COLOURS, Canvas

NAMES = {"fp32": "single", "fp64": "double", "fp16": "half", "tensor": "tensor"}


def picture(launches: Sequence[Facts], width: int = 680, height: int = 420) -> str:
    """Roofs of the machine and a point for each launch and precision."""
    f = launches[0]
    hertz = f.clock_mhz * 1e6
    bandwidth = f.arch.memory.dram_bandwidth * hertz
    roofs = {name: peak * hertz for name, peak in metrics.peaks(f).items()}
    points = []
    for n, one in enumerate(launches):
        out = metrics.values(one)
        for precision in roofs:
            intensity = metrics.number(out, f"model__arithmetic_intensity_{precision}.ratio")
            rate = metrics.number(out, f"model__flops_{precision}.sum.per_second")
            if intensity and rate:
                points.append((n, precision, intensity, rate))
    low_x, high_x = 0.01, max([1000.0, *(2 * x for _, _, x, _ in points)])
    high_y = 2 * max(roofs.values())
    low_y = min([bandwidth * low_x, *(rate / 2 for *_, rate in points)])
    left, top, bottom = 76, 40, 50
    c = Canvas(width, height + 18 * len(launches))

    def px(x: float) -> float:
        return left + log10(x / low_x) / log10(high_x / low_x) * (width - left - 20)

    def py(y: float) -> float:
        return height - bottom - log10(y / low_y) / log10(high_y / low_y) * (height - top - bottom)

    c.text(width / 2, 22, f"Roofline, {f.device}", "middle", 14)
    for k in range(-2, 6):
        if low_x <= 10.0**k <= high_x:
            c.line(px(10.0**k), top, px(10.0**k), height - bottom)
            c.text(px(10.0**k), height - bottom + 16, f"{10.0**k:g}", "middle")
    for k in range(6, 17):
        if low_y <= 10.0**k <= high_y:
            c.line(left, py(10.0**k), width - 20, py(10.0**k))
            unit = {6: "M", 9: "G", 12: "T", 15: "P"}[k - k % 3]
            c.text(left - 6, py(10.0**k) + 4, f"{10 ** (k % 3)} {unit}flop/s", "end", 11)
    c.text((left + width) / 2, height - bottom + 36, "operations for each byte read from DRAM", "middle")
    for peak in sorted(set(roofs.values())):
        ridge = peak / bandwidth
        name = " and ".join(NAMES[one] for one, value in roofs.items() if value == peak)
        c.line(px(max(ridge, low_x)), py(peak), width - 20, py(peak), "#555", 1.5)
        c.text(width - 24, py(peak) - 4, f"{name} {peak / 1e12:.1f} Tflop/s", "end", 11)
    tallest = max(roofs.values())
    c.line(px(low_x), py(bandwidth * low_x), px(tallest / bandwidth), py(tallest), "#555", 1.5)
    c.text(px(0.08) - 4, py(bandwidth * 0.08) - 4, f"DRAM {bandwidth / 1e12:.1f} TB/s", "end", 11)
    for n, precision, intensity, rate in points:
        c.curve([(px(intensity), py(rate))], COLOURS[n % len(COLOURS)])
        c.text(px(intensity) + 6, py(rate) + 4, NAMES[precision], size=10)
    for n, one in enumerate(launches):
        y = height - 2 + 18 * n
        c.box(left, y - 10, 12, 12, COLOURS[n % len(COLOURS)])
        none = "" if any(n == number for number, *_ in points) else " (no such operations, or nothing read from DRAM)"
        c.text(left + 18, y, f"#{n} {one.demangled.split('(')[0]}{none}")
    return c.render()
