"""Where LangGraph is in a visit that asks a person, as JSON, so that another process continues from there.

A node that asks is executed again from its beginning, and that is all LangGraph does, too. But where graphs
stand inside of it, or where other tasks have finished beside it, LangGraph continues from its checkpoints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Interrupt

from ...values.errors import StateError
from ...values.messages import error_detail

if TYPE_CHECKING:
    from langgraph.checkpoint.base import CheckpointTuple

    from ...values.json_values import Json
    from .values import StateValues

_WHAT = "what LangGraph kept of this visit"
_START_OVER = "edit the state of the run and retry it, and the node starts over; or fork it before this step"


def written_standing(saver: InMemorySaver, values: StateValues, with_history: bool) -> Json:
    """Write the checkpoints of a visit: the newest of its graph, and of each graph inside of it.

    Args:
        saver: Has them.
        values: Writes what they hold.
        with_history: Whether to write those before them, too: a ``DeltaChannel`` is read from all.

    Raises:
        StateError: What one of them holds cannot be written.
    """
    places: set[str] = set()
    kept: list[CheckpointTuple] = []
    for each in saver.list(None):  # the newest first
        place = each.config["configurable"]["checkpoint_ns"]
        if with_history or place not in places:
            kept.append(each)
        places.add(place)
    standing = [
        [
            each.config["configurable"]["checkpoint_ns"],
            (each.parent_config or {}).get("configurable", {}).get("checkpoint_id"),
            each.checkpoint,
            each.metadata,
            [
                [task, channel, _without_questions(value)]
                for task, channel, value in each.pending_writes or ()
            ],
        ]
        for each in kept
    ]
    return values.to_json(standing, "what LangGraph keeps of this visit")


def _without_questions(value: Any) -> Any:
    """Leave out what was asked: the tasks that did so are executed again, and ask it again."""
    if isinstance(value, list):
        return [_without_questions(each) for each in value]
    return Interrupt(None, id=value.id) if isinstance(value, Interrupt) else value


def stand_again(saver: InMemorySaver, thread: str, standing: Json, values: StateValues) -> None:
    """Load the checkpoints of a visit into a saver.

    Raises:
        StateError: They cannot be read, or are none.
    """
    try:
        for place, parent, checkpoint, metadata, writes in values.read(standing, _WHAT):
            config: Any = {"thread_id": thread, "checkpoint_ns": place, "checkpoint_id": parent}
            at = saver.put({"configurable": config}, checkpoint, metadata, checkpoint["channel_versions"])
            for task in dict.fromkeys(task for task, _, _ in writes):
                saver.put_writes(at, [(channel, value) for by, channel, value in writes if by == task], task)
    except StateError as error:
        raise StateError(error.message, hint=_START_OVER) from error
    except Exception as error:  # whatever a row has that is damaged, or that somebody wrote
        raise damaged(error_detail(error)) from error


def damaged(why: str = "") -> StateError:
    """Build the error for what was kept of a visit and cannot be used, whoever wrote it."""
    return StateError(f"{_WHAT} is damaged{why}", hint=_START_OVER)
