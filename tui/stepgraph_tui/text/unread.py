"""What is said where the store cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.values.errors import StoreUnreachable

from .plain import visible

if TYPE_CHECKING:
    from stepgraph.values.errors import StepgraphError


def unread_text(error: StepgraphError) -> str:
    """Say on one line why the store was not read, safe to show; a server that is down is asked again."""
    if isinstance(error, StoreUnreachable):
        return f"the store {visible(error.what)}; looking again"
    return visible(error.message)
