"""Where the work stands: the newest only, for a fast run moves on faster than anybody can look."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from .messages import StepTaken
from .pace import Pace

if TYPE_CHECKING:
    from textual.message import Message

    from .messages import NodeBegan


class News:
    """Tells which node began and that a step was taken, at a pace that the app can follow.

    Args:
        post: Tells the app; called from any thread.
    """

    def __init__(self, post: Callable[[Message], object]) -> None:
        self.running: NodeBegan | None = None
        """The node that runs now; always as it is, told or not."""
        self._post = post
        self._lock = threading.Lock()
        self._taken: StepTaken | None = None
        self._began: NodeBegan | None = None
        self._pace = Pace(self._send)

    def began(self, began: NodeBegan) -> None:
        """Note that a node is about to run."""
        self.running = began
        with self._lock:
            self._began = began
        self._pace.ask()

    def ended(self) -> None:
        """Note that the node does not run any more; whether anything came of it is another matter."""
        self.running = None
        with self._lock:
            self._began = None

    def taken(self, run_id: str) -> None:
        """Note that a run was moved on in the store."""
        with self._lock:
            self._taken = StepTaken(run_id)
        self._pace.ask()

    def flush(self) -> None:
        """Tell what has not been told yet."""
        self._pace.now()

    def _send(self) -> None:
        with self._lock:
            taken, began, self._taken, self._began = self._taken, self._began, None, None
        for message in (taken, began):
            if message is not None:
                self._post(message)
