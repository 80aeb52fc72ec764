"""The themes: readable, each of them."""

from __future__ import annotations

import pytest
from textual.app import App
from textual.color import Color
from textual.pilot import Pilot
from textual.theme import Theme

from stepgraph_tui.settings import Settings
from stepgraph_tui.themes import THEMES, theme_names
from tests.app.playing import play

ENOUGH = 4.5  # WCAG 2 AA, for text of any size

GROUNDS = ("background", "surface", "panel")
INKS = (
    "foreground", "primary", "secondary", "accent", "success", "warning", "error", "text-primary",
    "text-secondary", "text-accent", "text-success", "text-warning", "text-error",
)  # fmt: skip
PAIRS = [
    *((ink, ground) for ink in INKS for ground in GROUNDS),
    ("foreground", "boost"),
    ("block-cursor-foreground", "block-cursor-background"),
    ("block-cursor-blurred-foreground", "block-cursor-blurred-background"),
    ("footer-foreground", "footer-background"),
    ("footer-key-foreground", "footer-background"),
    ("foreground", "input-selection-background"),
]


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_text_stands_out_from_its_ground(theme: Theme) -> None:
    colors = {name: color for name, color in theme.to_color_system().generate().items() if "#" in color}
    low = {
        pair: round(contrast, 2)
        for pair in PAIRS
        if (contrast := _contrast(Color.parse(colors[pair[0]]), Color.parse(colors[pair[1]]))) < ENOUGH
    }
    assert not low


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("alpha", [0.55, 0.6])
def test_muted_text_can_still_be_read(theme: Theme, alpha: float) -> None:
    colors = theme.to_color_system().generate()
    for name in GROUNDS:
        ground = Color.parse(colors[name])
        muted = ground.blend(ground.get_contrast_text(1.0), alpha)
        assert _contrast(muted, ground) >= ENOUGH


def _contrast(one: Color, other: Color) -> float:
    """The contrast ratio of WCAG 2, from 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Color) -> float:
    parts = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color.normalized
    )
    return sum(part * weight for part, weight in zip(parts, (0.2126, 0.7152, 0.0722), strict=True))


def test_the_default_theme_is_ours_and_all_can_be_chosen() -> None:
    assert THEMES[0].name == Settings().theme
    assert set(theme_names()) >= {theme.name for theme in THEMES} | {"textual-dark"}

    async def put_on_each(pilot: Pilot[None]) -> list[str]:
        for theme in THEMES:
            pilot.app.register_theme(theme)
        for name in theme_names():
            pilot.app.theme = name
            await pilot.pause()
        return sorted(pilot.app.available_themes)

    assert play(App[None](), put_on_each) == sorted(theme_names())
