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
_SIZE = 20.96  # pixels: so large, a frame of DejaVu Sans Mono fills the 24.4 that Rich gives to a line
_WIDTH = 0.602 * _SIZE  # of one of its cells
_UNIT, _LINE, _TOP = 20.0, 24.4, 1.5  # pixels that Rich measures in: its font, a line, above the first line
_BLANK = "\N{NO-BREAK SPACE}"
"""Browsers leave other ones out where there are several."""
_FORMAT = """\
<svg viewBox="0 0 {width} {height:.1f}" xmlns="http://www.w3.org/2000/svg">
<title>TITLE</title>
<style>
.screen {{ font-family: FONTS; font-size: SIZEpx }}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; font-weight: bold }}
{styles}
</style>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})">
<g shape-rendering="crispEdges">
{backgrounds}
</g>
<g class="screen" xml:space="preserve" transform="translate(0, 1)">
{matrix}
</g>
</g>
</svg>
"""
_TEMPLATE = _FORMAT.replace("TITLE", TITLE).replace("FONTS", _FONTS).replace("SIZE", str(_SIZE))
_LINE_CLIP = re.compile(r' clip-path="url\(#s-line-\d+\)"')
_BACKGROUND = re.compile(
    r'<rect fill="(#\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="[\d.]+" '
    r'shape-rendering="crispEdges"/>\n?'
)
_STYLE = re.compile(r"\.(s-r\d+) { (.*) }")
_RECT = re.compile(r'<rect fill="(#\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="24.65"/>')
_TEXT = re.compile(r'<text class="(s-r\d+)" x="([\d.]+)" y="([\d.]+)" .*?>(.*)</text>')


def picture(app: App[Any]) -> str:
    """What the app shows.

    Textual's own pictures load their font from the network, and in other fonts their frames have gaps.
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
        title=TITLE, code_format=_TEMPLATE, font_aspect_ratio=_WIDTH / _UNIT, unique_id="s"
    )
    svg = _LINE_CLIP.sub("", svg).replace("><", ">\n<").replace("&#160;", _BLANK)
    svg = svg.replace(" textLength", ' lengthAdjust="spacingAndGlyphs" textLength')
    return "\n".join(line.strip() for line in _with_wide_backgrounds(svg).split("\n") if line.strip()) + "\n"


def _with_wide_backgrounds(svg: str) -> str:
    """The picture with one background for all neighbors of a color: it has half the size then."""
    found = list(_BACKGROUND.finditer(svg))
    if not found:
        return svg
    wide: list[tuple[str, float, float, float]] = []  # color, top, left, right
    for fill, x, y, width in (each.groups() for each in found):
        left, right = float(x), float(x) + float(width)
        if wide and wide[-1][:2] == (fill, float(y)) and abs(wide[-1][3] - left) < 0.1:
            left = wide.pop()[2]
        wide.append((fill, float(y), left, right))
    rects = [
        f'<rect fill="{fill}" x="{left:g}" y="{top:g}" width="{right - left:g}" height="24.65"/>'
        for fill, top, left, right in wide
    ]
    return svg[: found[0].start()] + "\n".join(rects) + "\n" + svg[found[-1].end() :]


def text_of(svg: str) -> list[str]:
    """The lines of the screen in a picture, without their styles."""
    lines: dict[int, str] = {}
    for _, x, y, text in _TEXT.findall(svg):
        row, column = round((float(y) - _UNIT) / _LINE), round(float(x) / _WIDTH)
        lines[row] = lines.get(row, "").ljust(column) + html.unescape(text).replace(_BLANK, " ")
    return [lines.get(row, "").rstrip() for row in range(max(lines, default=-1) + 1)]


def styles_of(svg: str) -> list[list[tuple[str, ...]]]:
    """How the lines of the screen in a picture are painted: for each, its backgrounds and its texts."""
    styles = dict(_STYLE.findall(svg))
    lines: dict[int, list[tuple[str, ...]]] = {}
    for fill, x, y, width in _RECT.findall(svg):
        lines.setdefault(round((float(y) - _TOP) / _LINE), []).append((fill, x, width))
    for style, x, y, text in _TEXT.findall(svg):
        lines.setdefault(round((float(y) - _UNIT) / _LINE), []).append((styles[style], x, text))
    return [lines.get(row, []) for row in range(max(lines, default=-1) + 1)]
