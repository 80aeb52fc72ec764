"""Parts of widgets are painted as Textual's style sheets would have them, in every theme."""

from __future__ import annotations

import asyncio
from typing import ClassVar, get_args

import pytest
from textual.app import App, ComposeResult
from textual.theme import BUILTIN_THEMES
from textual.widget import Widget

from stepgraph_tui.drawing.picture.glyphs import State
from stepgraph_tui.themes import THEMES
from stepgraph_tui.widgets.graph_view.marks import TONES
from stepgraph_tui.widgets.graph_view.painter import GraphStyles
from stepgraph_tui.widgets.lines import LOOKS
from stepgraph_tui.widgets.lines.list import Role
from stepgraph_tui.widgets.part_styles import MUTED, PartStyles


class Sample(Widget):
    """Has the same parts by component classes and by looks."""

    DEFAULT_CSS = """
    Sample {
        background: $panel;
        & > .dim { color: $text-muted; }
        & > .faint { color: $foreground 45%; }
        & > .bad { color: $text-error; text-style: bold; }
        & > .cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
        & > .found { text-style: bold underline; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"dim", "faint", "bad", "cursor", "found"}
    LOOKS: ClassVar[dict[str, str]] = {
        "dim": MUTED,
        "faint": "$foreground 45%",
        "bad": "bold $text-error",
        "cursor": LOOKS["cursor-focused"],
        "found": "bold underline",
    }


class SampleApp(App[None]):
    """Shows one."""

    def compose(self) -> ComposeResult:
        """The sample alone."""
        yield Sample()


def test_looks_are_what_component_classes_are_also_after_the_theme_has_changed() -> None:
    async def script() -> None:
        app = SampleApp()
        async with app.run_test() as pilot:
            sample = app.query_one(Sample)
            styles = PartStyles(sample, Sample.LOOKS, over=("found",))
            for theme in THEMES:
                app.register_theme(theme)
            seen = set()
            for name in (*(theme.name for theme in THEMES), *BUILTIN_THEMES):
                app.theme = name
                await pilot.pause()
                for part in Sample.LOOKS:
                    expected = sample.get_component_rich_style(part, partial=part == "found")
                    assert styles[part] == expected, (name, part)
                seen.add(styles["dim"])
            assert len(seen) > 3

    asyncio.run(script())


@pytest.mark.parametrize("part", [*get_args(Role), "cursor", "cursor-focused", "found", "here"])
def test_every_part_of_a_line_has_a_look(part: str) -> None:
    assert part == "plain" or part in LOOKS


def test_every_mark_of_a_picture_has_a_look() -> None:
    styles = GraphStyles(Widget())
    assert {*TONES, *get_args(State)} <= styles._looks.keys()
