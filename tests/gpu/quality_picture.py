"""The picture of docs/quality.md: our cycles over nvcc's on an H200, every launch of every unseen set.

    python -m tests.gpu.quality_picture DOCS

Read from tests/gpu/data, where each set stands as it was measured before anybody looked at it.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from pathlib import Path

from tests.gpu.accuracy_page import CYCLES, DATA, UNSEEN

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 820, 400, 46, 16, 44
LOWEST, HIGHEST = 0.25, 4.0
"""Ratios that the picture has room for; others lie at its edge."""
GOAL, SLOWER = 0.95, 1.05
"""What the geometric mean of a set should be at most, and a single launch."""

ROUND = ' fill="none" stroke-width="4" stroke-linecap="round"'
GOLDEN = (5**0.5 - 1) / 2
"""Steps by this share of a circle come near each other last."""


def ratios(file: str) -> list[float]:
    """Ours over nvcc's cycles of the launches that both made, as first measured."""
    data = json.loads((DATA / f"{file}.json").read_text())
    sides = [{label: row["h200"][CYCLES] for label, row in data[way].items()} for way in ("ours", "nvcc")]
    return [sides[0][label] / sides[1][label] for label in sides[0].keys() & sides[1].keys()]


def height(ratio: float) -> float:
    """Where a ratio stands, from the top; the axis is logarithmic."""
    share = math.log(min(max(ratio, LOWEST), HIGHEST) / LOWEST) / math.log(HIGHEST / LOWEST)
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def picture(sets: dict[str, list[float]]) -> str:
    """A column of dots for each set, spread so that they can be told apart, and its geometric mean."""
    step = (WIDTH - LEFT) / len(sets)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"',
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for ratio in (0.25, 0.5, 1.0, 2.0, 4.0):
        y = height(ratio)
        parts += [
            f'<path d="M{LEFT} {y:.1f}H{WIDTH}" stroke="#ddd"/>',
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{ratio:g}</text>',
        ]
    parts.append(f'<path d="M{LEFT} {height(SLOWER):.1f}H{WIDTH}" stroke="#d93025" stroke-dasharray="4 3"/>')
    for place, (name, found) in enumerate(sets.items()):
        x = LEFT + (place + 0.5) * step
        spread = [(x + step * (n * GOLDEN % 1 - 0.5) * 0.7, ratio) for n, ratio in enumerate(sorted(found))]
        for late, color in ((False, "#1a73e8"), (True, "#d93025")):
            dots = "".join(f"M{at:.1f} {height(ratio):.1f}h0" for at, ratio in spread if (ratio > SLOWER) == late)
            parts.append(f'<path d="{dots}" stroke="{color}" stroke-opacity="0.6"{ROUND}/>')
        mean = statistics.geometric_mean(found)
        parts += [
            f'<path d="M{x - step * 0.38:.1f} {height(mean):.1f}h{step * 0.76:.1f}" stroke="black" stroke-width="2"/>',
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{name}</text>',
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 34}" text-anchor="middle" font-size="10"'
            f' font-weight="{"bold" if mean <= GOAL else "normal"}">{mean:.2f}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    files = [file for name, file in UNSEEN.items() if name != "second"]
    Path(sys.argv[1], "quality.svg").write_text(picture({f.removeprefix("unseen"): ratios(f) for f in files}))
