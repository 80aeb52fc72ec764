"""The scenes: what lies ready before the app starts, and the keys that are pressed then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from screenshots.acting import come_to, press
from screenshots.samples import DEPLOY, DEPLOYING, FAILING, PARCELS, large_graph
from screenshots.stage import Stage, on_stage
from screenshots.svg import picture
from stepgraph import Decision, Executor, MemoryStore
from stepgraph.files import examples_dir, read_graph
from stepgraph.formats.export import Exportable
from stepgraph_tui.exports import format_named

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
    said: bool = False
    """Whether the passing word of the last key stays."""
    until: str = ""
    """What is waited for in the end, on as many lines as runs continue in the background."""


def _refund(steps: int) -> Callable[[Stage], Path]:
    return lambda stage: stage.opened(REFUND, stage.run(REFUND, steps))


def _support(stage: Stage) -> Path:
    return stage.example("support_triage")


def _waiting(stage: Stage) -> None:
    """A review waits since twelve minutes, and a graph of the user's own was opened before."""
    stage.opened(stage.graph("parcels", PARCELS))
    stage.run(REFUND)
    stage.clock.advance(754)


def _team(stage: Stage) -> None:
    """Reviews of three graphs wait for several people; one person has agreed to one of them."""
    payment, support = (examples_dir() / f"{name}.toml" for name in ("supplier_payment", "support_triage"))
    for waits in (3 * 86_400, 86_400, 5_000):
        stage.run(REFUND)
        stage.clock.advance(waits)
    stage.run(payment, decide=Decision.approve(by="ben"))
    stage.clock.advance(46 * 3_600)
    stage.run(support, inputs={"customer": "C-219"})
    stage.run(payment)
    stage.clock.advance(700)


def _deploys(stage: Stage) -> None:
    """Five deployments wait for a person; of three of them it is the same that is asked."""
    path = stage.graph("deploy", DEPLOY, deploying=DEPLOYING)
    for service, waits in (("api", 60), ("web", 300), ("web", 20), ("web", 20), ("mail", 100)):
        stage.run(path, inputs={"service": service})
        stage.clock.advance(waits)
    stage.run(REFUND)
    stage.clock.advance(40)


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

# How a run of support_triage is debugged; each goes on from the one before.
_HALTED = "2 j j j j j j B c ctrl+j c"
_WATCHED = (
    f"{_HALTED} w 7 a v i s i t s full_stop d r a f t enter a d r a f t enter "
    "c c left_curly_bracket left_curly_bracket"
)
_EDITED = (
    f"{_WATCHED} escape 2 g g j j j j j j e down down down down down "
    "right right right right right right right right right right delete delete 5 "
    "tab 1 0 space i s space t o o space m u c h ctrl+j"
)
_FORKED = f"{_EDITED} y c 5 g g j f tab enter tab tab end ctrl+u C minus 2 1 9 ctrl+j y 8 space c escape"
_LISTED = f"{_FORKED} g r space k space"

SCENES = {
    "home": Scene(_waiting),
    "unstarted": Scene(lambda stage: REFUND),
    "form": Scene(lambda stage: REFUND, "c"),
    "ready": Scene(_refund(0)),
    "state": Scene(_refund(4)),
    "wide": Scene(_refund(4), "z less_than_sign z less_than_sign z less_than_sign"),
    "why": Scene(_refund(4), "3"),
    "node": Scene(_refund(4), "k 4"),
    "past": Scene(_refund(4), "[ ["),
    "approval": Scene(_waiting, "enter y r e v"),
    "ended": Scene(_ended),
    "failed": Scene(_failing, "s"),
    "inbox": Scene(_team, "g i"),
    "continuing": Scene(_deploys, "g i j j space enter y enter enter", until="running push", said=True),
    "help": Scene(_refund(4), "?"),
    "light": Scene(_refund(4), "3", theme="stepgraph-light"),
    "ascii": Scene(_refund(4), plain=True),
    "large": Scene(_large, "minus z z"),
    "design": Scene(_refund(4), _EDGE),
    "never": Scene(lambda stage: REFUND, "m o J o"),
    "pick": Scene(lambda stage: REFUND, "m a"),
    "halted": Scene(_support, _HALTED, said=True),
    "watched": Scene(_support, _WATCHED, said=True),
    "edited": Scene(_support, _EDITED),
    "listed": Scene(_support, _LISTED),
    "compared": Scene(_support, f"{_LISTED} equals_sign"),
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
                await press(pilot, *scene.keys.split(), said=scene.said)
                if scene.until:
                    await come_to(pilot, app, scene.until)
                return picture(app)
        finally:
            stage.release(app)
            app.context.store.close()

    with on_stage(folder) as stage:
        return asyncio.run(play(stage))


def exported(path: Path) -> str:
    """Run a graph to its first pause, and export that as a picture.

    Args:
        path: The graph.
    """
    with MemoryStore() as store:
        executor = Executor(read_graph(path).compile(), store)
        run = executor.run(executor.start({}, run_id=path.stem.replace("_", "-")))
        return format_named("svg").write(Exportable.of_run(run)).text
