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
    from langgraph.checkpoint.base import Checkpoint, CheckpointTuple

    from ...values.json_values import Json
    from .values import StateValues

_WHAT = "what LangGraph kept of this visit"
_START_OVER = "edit the state of the run and retry it, and the node starts over; or fork it before this step"


def written_standing(saver: InMemorySaver, values: StateValues) -> Json:
    """Write the checkpoints of a visit: the newest of its graph, and of each graph inside of it.

    Those before them are written where LangGraph counts what a ``DeltaChannel`` was given since its value was
    kept whole: it is read from all of them.

    Args:
        saver: Has them.
        values: Writes what they hold.

    Raises:
        StateError: What one of them holds cannot be written.
    """
    with_history: dict[str, bool] = {}
    kept: list[CheckpointTuple] = []
    for each in saver.list(None):  # the newest first
        place = each.config["configurable"]["checkpoint_ns"]
        if with_history.get(place, True):
            kept.append(each)
        with_history.setdefault(place, "counters_since_delta_snapshot" in each.metadata)
    standing = [
        [
            each.config["configurable"]["checkpoint_ns"],
            (each.parent_config or {}).get("configurable", {}).get("checkpoint_id"),
            _with_plain_values(each.checkpoint),
            each.metadata,
            [
                [task, channel, _without_questions(value)]
                for task, channel, value in each.pending_writes or ()
            ],
        ]
        for each in kept
    ]
    return values.to_json(standing, "what LangGraph keeps of this visit")


def _with_plain_values(checkpoint: Checkpoint) -> dict[str, Any]:
    """Unpack what is kept whole of a ``DeltaChannel``: LangGraph reads the value itself, too."""
    held = checkpoint["channel_values"]
    plain = {name: value.value if _is_kept_whole(value) else value for name, value in held.items()}
    return {**checkpoint, "channel_values": plain}


def _is_kept_whole(value: Any) -> bool:
    """Check whether a value is in LangGraph's wrapper for such ones, which has no public name."""
    return getattr(value, "_fields", None) == ("value",) and type(value).__module__.startswith("langgraph.")


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
