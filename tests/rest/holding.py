"""Events that a node waits for, which the test and the node share."""

from __future__ import annotations

import threading


class Hold:
    """Says that a node has begun, and lets it go on."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.go = threading.Event()


HOLD = Hold()
