"""The scenes: what lies ready before the app starts, and the keys that are pressed then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from screenshots.acting import press
from screenshots.samples import FAILING, PARCELS, large_graph
from screenshots.stage import Stage, on_stage
from screenshots.svg import picture
from stepgraph import Decision
from stepgraph.files import examples_dir

SMALL, LARGE = (80, 24), (120, 40)
"""The sizes of a terminal that everything is made for: the least, and a usual one."""
REFUND = examples_dir() / "refund_triage.toml"


@dataclass(frozen=True, slots=True)
class Scene:
    """A screen of the app, and the way to it."""

    prepare: Callable[[Stage], Path | None]
    """Puts things on the stage; returns the graph that is opened, None for the home screen."""
    keys: str = ""
    """The keys that are pressed, with blanks between."""
    theme: str = "stepgraph-dark"
    plain: bool = False
    """Whether it is drawn in ASCII."""


def _refund(steps: int) -> Callable[[Stage], Path]:
    return lambda stage: stage.opened(REFUND, stage.run(REFUND, steps))


def _waiting(stage: Stage) -> None:
    """A review waits since twelve minutes, and a graph of the user's own was opened before."""
    stage.opened(stage.graph("parcels", PARCELS))
    stage.run(REFUND)
    stage.clock.advance(754)


def _ended(stage: Stage) -> Path:
    run = stage.run(REFUND, decide=Decision.approve(by="ana", comment="the bank shows two payments"))
    return stage.opened(REFUND, run)


def _failing(stage: Stage) -> Path:
    path = stage.graph("parcels", PARCELS, parcels=FAILING)
    return stage.opened(path, stage.run(path, 1))


def _large(stage: Stage) -> Path:
    path = stage.graph("pipeline", large_graph(200))
    return stage.opened(path, stage.run(path, 25))


_EDGE = (
    "m k o enter tab tab end space o r space "
    "o r d e r full_stop a m o u n t space greater_than_sign space 9 0"
)
"""Opens the form of an edge in Design, and makes its condition longer."""

SCENES = {
    "home": Scene(_waiting),
    "unstarted": Scene(lambda stage: REFUND),
    "form": Scene(lambda stage: REFUND, "c"),
    "ready": Scene(_refund(0)),
    "state": Scene(_refund(4)),
    "wide": Scene(_refund(4), "less_than_sign less_than_sign less_than_sign"),
    "why": Scene(_refund(4), "3"),
    "node": Scene(_refund(4), "k 4"),
    "past": Scene(_refund(4), "[ ["),
    "approval": Scene(_waiting, "enter y r e v"),
    "ended": Scene(_ended),
    "failed": Scene(_failing, "s"),
    "help": Scene(_refund(4), "?"),
    "light": Scene(_refund(4), "3", theme="stepgraph-light"),
    "ascii": Scene(_refund(4), plain=True),
    "large": Scene(_large, "Z plus"),
    "design": Scene(_refund(4), _EDGE),
    "never": Scene(lambda stage: REFUND, "m o J o"),
    "pick": Scene(lambda stage: REFUND, "m a"),
}
"""All scenes by their names."""


def shoot(name: str, size: tuple[int, int], folder: Path) -> str:
    """Play a scene, and take its picture.

    Args:
        name: The scene's.
        size: The columns and rows of the terminal.
        folder: An empty one, for the files of the scene.
    """
    scene = SCENES[name]

    async def play(stage: Stage) -> str:
        app = stage.app(scene.prepare(stage), theme=scene.theme, plain=scene.plain)
        try:
            async with app.run_test(size=size) as pilot:
                await press(pilot, *scene.keys.split())
                return picture(app)
        finally:
            app.context.store.close()

    with on_stage(folder) as stage:
        return asyncio.run(play(stage))
