"""The screen of an app as an SVG that needs nothing from elsewhere, and is the same for the same screen."""

from __future__ import annotations

import html
import io
import re
from typing import Any

from rich.console import Console
from textual.app import App

TITLE = "Stepgraph"
_FONTS = '"DejaVu Sans Mono", Menlo, "Cascadia Mono", Consolas, "Liberation Mono", monospace'
"""Each has the frames and the marks; the first one that is there is taken."""
_SIZE = 20.96  # pixels: so high a box of DejaVu Sans Mono fills the 24.4 that Rich gives to a line
_WIDTH = 0.602 * _SIZE  # of one of its cells
_UNIT = 20.0  # pixels: what Rich measures in
_FORMAT = """\
<svg viewBox="0 0 {width} {height:.1f}" xmlns="http://www.w3.org/2000/svg">
<title>TITLE</title>
<style>
.{unique_id}-matrix {{ font-family: FONTS; font-size: SIZEpx; white-space: pre }}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; font-weight: bold }}
{styles}
</style>
<clipPath id="{unique_id}-clip">
<rect x="0" y="0" width="{terminal_width:.1f}" height="{terminal_height:.1f}"/>
</clipPath>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip)">
{backgrounds}
<g class="{unique_id}-matrix" transform="translate(0, 1)">
{matrix}
</g>
</g>
</svg>
"""
_TEMPLATE = _FORMAT.replace("TITLE", TITLE).replace("FONTS", _FONTS).replace("SIZE", str(_SIZE))
_LINE_CLIP = re.compile(r' clip-path="url\(#stepgraph-line-(\d+)\)"')
_TEXT = re.compile(r'<text class="stepgraph-r\d+" x="([\d.]+)" y="([\d.]+)" .*?>(.*)</text>')


def picture(app: App[Any]) -> str:
    """What the app shows.

    Textual's own pictures load their font from the network. They are made for that font, too: in others
    their lines are cut, and frames have gaps.
    """
    width, height = app.size
    console = Console(
        width=width,
        height=height,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        record=True,
        legacy_windows=False,
        safe_box=False,
    )
    compositor = app.screen._compositor
    console.print(compositor.render_update(full=True, screen_stack=app._background_screens, simplify=True))
    svg = console.export_svg(
        title=TITLE, code_format=_TEMPLATE, font_aspect_ratio=_WIDTH / _UNIT, unique_id="stepgraph"
    )
    svg = (
        _LINE_CLIP.sub("", svg)
        .replace("><", ">\n<")
        .replace(" textLength", ' lengthAdjust="spacingAndGlyphs" textLength')
    )
    return "\n".join(line.strip() for line in svg.split("\n") if line.strip()) + "\n"


def text_of(svg: str) -> list[str]:
    """The lines of the screen in a picture, without their styles."""
    lines: dict[int, str] = {}
    for x, y, text in _TEXT.findall(svg):
        row, column = round((float(y) - _UNIT) / (_UNIT * 1.22)), round(float(x) / _WIDTH)
        lines[row] = lines.get(row, "").ljust(column) + html.unescape(text).replace("\xa0", " ")
    return [lines.get(row, "").rstrip() for row in range(max(lines, default=-1) + 1)]
