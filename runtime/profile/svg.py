"""Small pictures as SVG text: line charts, stacked bars, and spans over time. No dependencies, the same bytes each
time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

import attrs

COLOURS = (
    "#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e", "#9498a0",
    "#1b3a8a", "#8a6100", "#a3281a", "#2b7a68", "#1c5c23", "#b0306a", "#5c1fa8", "#3d6fc4", "#5b3a24",
)  # fmt: skip
FONT = 'font-family="system-ui, sans-serif" font-size="12"'


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


@attrs.define
class Canvas:
    """A picture being drawn, in pixels from the top left."""

    width: float
    height: float
    parts: list[str] = attrs.field(factory=list)

    def text(self, x: float, y: float, text: str, anchor: str = "start", size: int = 12, turn: bool = False) -> None:
        """`anchor`: start, middle or end."""
        spin = f' transform="rotate(-90 {_n(x)} {_n(y)})"' if turn else ""
        self.parts.append(
            f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" font-size="{size}"{spin}>{escape(text)}</text>'
        )

    def line(self, x0: float, y0: float, x1: float, y1: float, colour: str = "#ccc", width: float = 1) -> None:
        """A straight line."""
        ends = f'x1="{_n(x0)}" y1="{_n(y0)}" x2="{_n(x1)}" y2="{_n(y1)}"'
        self.parts.append(f'<line {ends} stroke="{colour}" stroke-width="{_n(width)}"/>')

    def box(self, x: float, y: float, w: float, h: float, colour: str, title: str = "") -> None:
        """A filled rectangle; `title` shows when the pointer rests on it."""
        inner = f"<title>{escape(title)}</title>" if title else ""
        self.parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(max(w, 0.3))}" height="{_n(h)}" fill="{colour}">{inner}</rect>'
        )

    def curve(self, points: Sequence[tuple[float, float]], colour: str, dashed: bool = False) -> None:
        """A broken line with dots."""
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        self.parts += [f'<circle cx="{_n(x)}" cy="{_n(y)}" r="2.5" fill="{colour}"/>' for x, y in points]

    def render(self) -> str:
        """The file's text."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(self.width)}" height="{_n(self.height)}" '
            f'viewBox="0 0 {_n(self.width)} {_n(self.height)}" {FONT}>'
        )
        return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *self.parts, "</svg>"]) + "\n"


def _steps(top: float) -> list[float]:
    """Round numbers from 0 to at least `top`, five or so."""
    for scale in (10.0**k for k in range(-6, 16)):
        for step in (scale, 2 * scale, 2.5 * scale, 5 * scale):
            if top / step <= 6:
                return [step * k for k in range(int(-(-top // step)) + 1)]
    return [0.0, top]


@attrs.frozen
class Series:
    """One line of a chart; `marks` are drawn as dashes (someone else's figures)."""

    name: str
    points: tuple[tuple[float, float], ...]
    dashed: bool = False


def chart(title: str, x_name: str, y_name: str, series: Sequence[Series]) -> str:
    """A line chart. Every x of the first series is marked on the axis."""
    width, height = 640, 400
    c = Canvas(width, height)
    left, right, top, bottom = 60, 20, 40, 60 + 18 * (1 + (len(series) - 1) // 3)
    xs = [x for s in series for x, _ in s.points]
    ys = _steps(max((y for s in series for _, y in s.points), default=1.0))
    low, high = min(xs), max(xs)
    span = (high - low) or 1.0

    def px(x: float) -> float:
        return left + (x - low) / span * (width - left - right)

    def py(y: float) -> float:
        return height - bottom - y / ys[-1] * (height - top - bottom)

    c.text(width / 2, 22, title, "middle", 14)
    for y in ys:
        c.line(left, py(y), width - right, py(y))
        c.text(left - 6, py(y) + 4, _n(y), "end")
    last = -99.0
    for x in sorted(set(xs)):
        if px(x) - last > 34:
            c.text(px(x), height - bottom + 16, _n(x), "middle")
            last = px(x)
    c.text((left + width - right) / 2, height - bottom + 36, x_name, "middle")
    c.text(16, (top + height - bottom) / 2, y_name, "middle", turn=True)
    for k, s in enumerate(series):
        colour = COLOURS[k % len(COLOURS)]
        c.curve([(px(x), py(y)) for x, y in s.points], colour, s.dashed)
        x, y = left + k % 3 * (width - left) / 3, height - bottom + 54 + 18 * (k // 3)
        c.line(x, y - 4, x + 18, y - 4, colour, 3)
        c.text(x + 24, y, s.name)
    return c.render()


def _colours(names: Iterable[str], order: Iterable[str]) -> dict[str, str]:
    """By place in `order`; names that are not in it have those that follow."""
    return {name: COLOURS[k % len(COLOURS)] for k, name in enumerate(dict.fromkeys((*order, *names)))}


def bars(
    title: str,
    rows: Sequence[tuple[str, Sequence[tuple[str, float]]]],
    unit: str = "",
    width: int = 760,
    gauges: Sequence[tuple[str, float, float]] = (),
    order: Iterable[str] = (),
) -> str:
    """Stacked horizontal bars: (label, [(part, value)]). A part has one colour in all rows, and in all pictures
    with the same `order`. `gauges` are drawn below the bars, one each: (label, reached, limit) of 100."""
    names = list(dict.fromkeys(name for _, parts in rows for name, _ in parts))
    colour = _colours(names, order)
    left = 20 + 7 * max((len(label) for label, _ in rows), default=0)
    legend = -(-len(names) // 3)
    high = 52 if gauges else 30
    c = Canvas(width, 60 + high * len(rows) + 18 * legend)
    top = max((sum(v for _, v in parts) for _, parts in rows), default=1.0) or 1.0
    c.text(width / 2, 22, title, "middle", 14)
    for k, (label, parts) in enumerate(rows):
        y = 38 + high * k
        c.text(left - 6, y + 15, label, "end")
        if gauges:
            text, reached, limit = gauges[k]
            full = width - left - 90
            c.text(left - 6, y + 37, text, "end", 11)
            c.box(left, y + 28, full, 8, "#eee")
            c.box(left, y + 28, full * limit / 100, 8, "#bbb", f"{text}: {limit:.1f} % possible")
            c.box(left, y + 28, full * reached / 100, 8, "#555", f"{text}: {reached:.1f} % reached")
            c.text(left + full + 6, y + 37, f"{reached:.0f} of {limit:.0f} %", size=11)
        x = float(left)
        for name, value in parts:
            w = value / top * (width - left - 90)
            c.box(x, y, w, 22, colour[name], f"{name}: {value:.2f} {unit}".strip())
            x += w
        c.text(x + 6, y + 15, f"{_n(sum(v for _, v in parts))} {unit}".strip())
    for k, name in enumerate(names):
        x, y = 20 + k % 3 * (width - 20) / 3, 56 + high * len(rows) + 18 * (k // 3)
        c.box(x, y - 10, 12, 12, colour[name])
        c.text(x + 18, y, name)
    return c.render()


@attrs.frozen
class Span:
    """Something on a lane from `start` to `end`."""

    lane: str
    start: float
    end: float
    kind: str
    title: str = ""


def spans(
    title: str, found: Sequence[Span], width: int = 1200, lane_height: int = 16, order: Iterable[str] = ()
) -> str:
    """Spans over time in cycles, a row a lane, lanes in the order in which they come; a kind has the same colour in all
    pictures with the same `order`."""
    lanes = list(dict.fromkeys(span.lane for span in found))
    kinds = list(dict.fromkeys(span.kind for span in found))
    colour = _colours(kinds, order)
    left = 20 + 7 * max((len(lane) for lane in lanes), default=0)
    low = min((s.start for s in found), default=0.0)
    high = max((s.end for s in found), default=1.0)
    scale = (width - left - 20) / ((high - low) or 1.0)
    bottom = 46 + (lane_height + 3) * len(lanes)
    c = Canvas(width, bottom + 40 + 18 * -(-len(kinds) // 6))
    c.text(width / 2, 22, title, "middle", 14)
    for t in _steps(high):
        if low <= t <= high:
            c.line(left + (t - low) * scale, 38, left + (t - low) * scale, bottom)
            c.text(left + (t - low) * scale, bottom + 14, _n(t), "middle")
    c.text(left, bottom + 30, "cycle")
    for k, lane in enumerate(lanes):
        c.text(left - 6, 46 + (lane_height + 3) * k + lane_height - 4, lane, "end")
    row = {lane: 46 + (lane_height + 3) * k for k, lane in enumerate(lanes)}
    for s in found:
        c.box(left + (s.start - low) * scale, row[s.lane], (s.end - s.start) * scale, lane_height, colour[s.kind],
              f"{s.title or s.kind}: {_n(s.start)} to {_n(s.end)}")  # fmt: skip
    for k, kind in enumerate(kinds):
        x, y = left + k % 6 * (width - left) / 6, bottom + 46 + 18 * (k // 6)
        c.box(x, y - 10, 12, 12, colour[kind])
        c.text(x + 18, y, kind)
    return c.render()
