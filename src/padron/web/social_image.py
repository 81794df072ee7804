"""The image beside a shared link: name, country and identifier in the colours of the site."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Final

from PIL import Image, ImageDraw, ImageFont
from PIL.ImageFont import FreeTypeFont

from padron.web.assets import FOLDER
from padron.web.plain import plain

SIZE: Final = (1200, 630)
_PAPER, _INK, _SOFT, _ACCENT = "#fbfaf6", "#1c2023", "#565b5e", "#0a5c4c"
_LEFT, _RIGHT = 90, 1110
_MOST_LINES: Final = 4


@lru_cache
def _font(size: int) -> FreeTypeFont:
    return ImageFont.truetype(FOLDER / "source-serif-4-600.woff2", size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=256)
def draw(title: str, line: str) -> bytes:
    """Draw a PNG with a title and a line below it; text that does not fit is cut."""
    image = Image.new("RGB", SIZE, _PAPER)
    canvas = ImageDraw.Draw(image)
    canvas.rectangle((0, 0, 24, SIZE[1]), fill=_ACCENT)
    canvas.text((_LEFT, 70), "Padrón", font=_font(44), fill=_ACCENT)
    top = 190
    for text in _lines(plain(title, 140), _font(64)):
        canvas.text((_LEFT, top), text, font=_font(64), fill=_INK)
        top += 78
    canvas.text((_LEFT, 530), _cut(plain(line, 90), _font(36)), font=_font(36), fill=_SOFT)
    out = io.BytesIO()
    image.quantize(32).save(out, "PNG", optimize=True)
    return out.getvalue()


def _lines(text: str, font: FreeTypeFont) -> list[str]:
    """`text` in lines that fit the image."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if font.getlength(longer) <= _RIGHT - _LEFT:
            lines[-1] = longer
        elif len(lines) == _MOST_LINES:
            lines[-1] = _cut(f"{lines[-1]} …", font)
            break
        else:
            lines.append(_cut(word, font))
    return lines


def _cut(text: str, font: FreeTypeFont) -> str:
    while font.getlength(text) > _RIGHT - _LEFT:
        text = text[:-2].rstrip() + "…"
    return text
