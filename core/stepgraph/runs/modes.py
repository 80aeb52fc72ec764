"""Who answers in a run: scripted replies, live models, or what another run has recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..stores.ledger import Row, RowKind
from ..values.json_values import Json

if TYPE_CHECKING:
    from ..stores.base import StateStore

ModeWord = Literal["SCRIPTED", "LIVE", "REPLAY"]

SAYING_MODE: tuple[RowKind, ...] = ("start", "mode", "fork")
"""The kinds of rows that may say a run's mode."""


@dataclass(frozen=True, slots=True)
class RunMode:
    """Who answers where a node asks a model or a tool."""

    live: bool = False
    """Whether models are asked, also by nodes that have scripted replies."""
    replay: str | None = None
    """The run whose recorded answers are given; None where nothing is replayed."""

    @property
    def word(self) -> ModeWord:
        """The mode in one word, as the header says it."""
        return "REPLAY" if self.replay is not None else "LIVE" if self.live else "SCRIPTED"

    def to_json(self) -> dict[str, Json]:
        """Write it as the ledger keeps it; empty for a scripted run."""
        table: dict[str, Json] = {"live": True} if self.live else {}
        return table if self.replay is None else {**table, "replay": self.replay}

    @classmethod
    def from_json(cls, data: object) -> RunMode:
        """Read what ``to_json`` wrote; anything else is scripted, so that nothing costs by mistake."""
        if not isinstance(data, Mapping):
            return SCRIPTED
        replay = data.get("replay")
        return cls(data.get("live") is True, replay if isinstance(replay, str) else None)


SCRIPTED = RunMode()
"""Models are never asked: nodes have scripted replies, or fail."""


def mode_in(rows: Iterable[Row]) -> RunMode:
    """Read the mode out of a run's rows of the kinds SAYING_MODE: the last one that says it."""
    modes = [row.data["mode"] for row in rows if row.data is not None and "mode" in row.data]
    return RunMode.from_json(modes[-1]) if modes else SCRIPTED


def mode_of(store: StateStore, run_id: str, upto: int | None = None) -> RunMode:
    """Read the mode in which a run goes on, or went on from one of its rows."""
    return mode_in(store.rows(run_id, upto=upto, kinds=SAYING_MODE))


ModesSaid = Sequence[tuple[int, RunMode]]
"""The modes that a run was in, each with the step behind which it began."""


def modes_said(rows: Iterable[Row]) -> ModesSaid:
    """List the modes that a run was in, out of its rows of the kinds SAYING_MODE."""
    modes = [(row.step, mode_in((row,))) for row in rows if row.data is not None and "mode" in row.data]
    return modes if modes and modes[0][0] == 0 else [(0, SCRIPTED), *modes]


def mode_word(modes: ModesSaid, step: int, *, ended: bool) -> str:
    """Return one word for who answered in a run: ``MIXED`` where steps were answered differently.

    A run that goes on says also who answers from here on: ``MIXED, LIVE``.

    Args:
        modes: The modes that it was in.
        step: How many steps it has taken.
        ended: Whether it has ended.
    """
    ends = [*(began for began, _ in modes[1:]), step]
    answered = {mode.word for (began, mode), end in zip(modes, ends, strict=True) if end > began}
    word = modes[-1][1].word
    if len(answered) > 1 and ended:
        return "MIXED"
    if ended and answered:
        return answered.pop()
    return word if answered <= {word} else f"MIXED, {word}"
