"""The style sheet of a picture: one set of rules, written for light and for dark.

Colours are written out instead of named by variables, because not every viewer knows those.
"""

from __future__ import annotations

from stepgraph_tui.colours import DARK, LIGHT, Palette

TITLE, SMALL, LABEL, HEADING = 14, 11, 12, 16
"""Sizes of fonts: a node's name, what stands below it, an edge's label, the graph's name."""

_SHAPE = f"""
text {{ font-family: ui-sans-serif, system-ui, sans-serif; unicode-bidi: isolate; white-space: pre }}
.heading {{ font-size: {HEADING}px; font-weight: 600 }}
.name {{ font-size: {TITLE}px; font-weight: 600 }}
.small, .type {{ font-size: {SMALL}px }}
.letter {{ font-size: {SMALL}px; font-weight: 700; text-anchor: middle }}
.label {{ font-family: ui-monospace, monospace; font-size: {LABEL}px }}
.ends {{ font-size: {LABEL}px; font-weight: 700; letter-spacing: 0.5px }}
.middle, .ends {{ text-anchor: middle }}
.line, .sign {{ fill: none; stroke-linecap: round; stroke-linejoin: round }}
.line {{ stroke-width: 1.5 }}
.sign {{ stroke-width: 2 }}
.back .line {{ stroke-dasharray: 5 4 }}
.bundle .line {{ stroke-width: 3.5 }}
.fired .line {{ stroke-width: 2.25 }}
.frame {{ stroke-width: 1.25 }}
.next .frame, .waits .frame, .failed .frame {{ stroke-width: 2.5 }}
"""


def style_sheet() -> str:
    """Write the style sheet: its shapes, its light colours, and the dark ones for whoever prefers them."""
    return f"{_SHAPE}{_colours(LIGHT)}@media (prefers-color-scheme: dark) {{\n{_colours(DARK)}}}\n"


def _colours(of: Palette) -> str:
    line, muted = of.mixed(of.foreground, 0.5), of.mixed(of.foreground, 0.68)
    rules = {
        ".ground, .plate": f"fill: {of.background}",
        "text": f"fill: {of.foreground}",
        ".small, .type, .letter": f"fill: {muted}",
        ".chip": f"fill: {of.panel}",
        ".frame": f"fill: {of.surface}; stroke: {of.border}",
        ".line": f"stroke: {line}",
        ".head": f"fill: {line}",
        ".sign": f"stroke: {muted}",
        ".dot": f"fill: {muted}",
        ".signs": f"fill: {of.warning}",
        ".fired .line": f"stroke: {of.success}",
        ".fired .head, .fired .label": f"fill: {of.success}",
    }
    states = {"done": of.success, "next": of.primary, "waits": of.warning, "failed": of.error}
    for state, colour in states.items():
        rules[f".{state} .frame"] = f"fill: {of.mixed(colour, 0.08, of.surface)}; stroke: {colour}"
        rules[f".{state} .sign"] = f"stroke: {colour}"
        rules[f".{state} .type, .word-{state}"] = f"fill: {colour}"
    return "".join(f"{which} {{ {said} }}\n" for which, said in rules.items())
