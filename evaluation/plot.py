"""Plots as SVG: stated confidence against the share of right results, and faults against the size of the directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log10

_SIZE, _LEFT, _TOP, _SIDE = 520, 62, 24, 400
_STYLES = (("#1d4f91", "none"), ("#b3541e", "6 4"), ("#5b7f3a", "2 3"))
_COLOURS = ("#1d4f91", "#b3541e", "#5b7f3a", "#7a3b8f")

Point = tuple[float, float]
"""Confidence and share right, both 0 to 1."""


def reliability_plot(curves: Mapping[str, Sequence[Point]]) -> str:
    """Return the SVG text; `curves` are named lines, the first one with dots."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIZE} {_SIZE}" font-family="sans-serif" font-size="13"'
        ' role="img" aria-label="confianza y aciertos / confidence and share right">',
        f'<rect width="{_SIZE}" height="{_SIZE}" fill="#fff"/>',
        *_axes(),
    ]
    for (name, points), (colour, dash), row in zip(curves.items(), _STYLES, range(len(_STYLES)), strict=False):
        places = [(_x(confidence), _y(share)) for confidence, share in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-dasharray="{dash}"/>')
        if row == 0:
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in places]
        height = _TOP + 18 + 18 * row
        parts.append(
            f'<path d="M{_LEFT + 12} {height - 4}h26" stroke="{colour}" stroke-dasharray="{dash}" stroke-width="2"/>'
            f'<text x="{_LEFT + 44}" y="{height}" fill="#222">{name}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


def _x(share: float) -> float:
    return _LEFT + share * _SIDE


def _y(share: float) -> float:
    return _TOP + (1 - share) * _SIDE


def _axes() -> list[str]:
    parts = [
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#888"/>',
        f'<line x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}" stroke="#bbb"/>',
        f'<line x1="{_x(0.85)}" y1="{_y(0)}" x2="{_x(0.85)}" y2="{_y(1)}" stroke="#bbb" stroke-dasharray="2 4"/>',
        f'<text x="{_LEFT + _SIDE / 2}" y="{_TOP + _SIDE + 46}" text-anchor="middle">confianza / confidence</text>',
        f'<text transform="translate(16 {_TOP + _SIDE / 2}) rotate(-90)" text-anchor="middle">aciertos / right</text>',
    ]
    for tenth in range(0, 11, 2):
        share = tenth / 10
        parts += [
            f'<text x="{_x(share)}" y="{_TOP + _SIDE + 20}" text-anchor="middle" fill="#444">{share:.1f}</text>',
            f'<text x="{_LEFT - 8}" y="{_y(share) + 4}" text-anchor="end" fill="#444">{share:.1f}</text>',
        ]
    return parts


def size_plot(curves: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """Return the SVG text of shares against sizes, each power of ten as far from the next; `curves` are named lines."""
    sizes = sorted({size for points in curves.values() for size, _ in points})
    top = ceil(max(share for points in curves.values() for _, share in points) * 20 + 0.1) / 20
    low, wide = log10(sizes[0]), max(1.0, log10(sizes[-1] / sizes[0]))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIZE} {_SIZE}" font-family="sans-serif" font-size="13"'
        ' role="img" aria-label="errores según el tamaño / faults against size">',
        f'<rect width="{_SIZE}" height="{_SIZE}" fill="#fff"/>',
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#888"/>',
    ]
    for size in sizes:
        place = f'x="{_x((log10(size) - low) / wide):.1f}" y="{_TOP + _SIDE + 20}"'
        parts.append(f'<text {place} text-anchor="middle" fill="#444">{size:,}</text>')
    for fifth in range(6):
        height = _y(fifth / 5)
        parts.append(f'<text x="{_LEFT - 8}" y="{height + 4:.1f}" text-anchor="end">{top * fifth / 5:.2f}</text>')
        parts.append(f'<path d="M{_LEFT} {height:.1f}h{_SIDE}" stroke="#ddd"/>')
    for row, ((name, points), colour) in enumerate(zip(curves.items(), _COLOURS, strict=False)):
        places = [(_x((log10(size) - low) / wide), _y(share / top)) for size, share in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in places]
        height = _TOP + 18 + 18 * row
        parts.append(
            f'<path d="M{_LEFT + 12} {height - 4}h26" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{_LEFT + 44}" y="{height}" fill="#222">{name}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])
