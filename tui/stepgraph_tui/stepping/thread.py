"""The stepping thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.message import Message

    from stepgraph.stepping import Clock
    from stepgraph.stores.base import StateStore

    from .messages import NodeBegan
    from .work import Work


class SteppingThread:
    """Runs nodes, one at a time, in a daemon thread that owns the executor and its store connection.

    Args:
        connect: Opens the thread's store connection; called in the thread.
        post: Tells the app; called from the thread.
        clock: What tells the time; the standard ``time`` module when None.
        ids: Makes an id from a prefix; random ones when None.
    """

    def __init__(
        self,
        connect: Callable[[], StateStore],
        post: Callable[[Message], object],
        *,
        clock: Clock | None = None,
        ids: Callable[[str], str] | None = None,
    ) -> None:
        self.idle = threading.Event()
        """Set while nothing is being done; tests wait for it."""
        self.pause_after: frozenset[str] = frozenset()
        """The nodes after which a continued run stops; may be replaced at any time."""

    @property
    def busy(self) -> bool:
        """Whether it has work."""
        return not self.idle.is_set()

    @property
    def running(self) -> NodeBegan | None:
        """The node that runs now, if one does."""
        raise NotImplementedError

    def submit(self, work: Work) -> bool:
        """Give it work.

        Returns:
            False when it has some already: nothing was taken.
        """
        raise NotImplementedError

    def stop(self) -> None:
        """Stop after the node that runs now."""
        raise NotImplementedError

    def close(self) -> None:
        """Take no more work. A node that runs is left to itself; its step will not be recorded."""
        raise NotImplementedError
