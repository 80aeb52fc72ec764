"""Keys that were meant for something else do not decide: they count only after a moment of quiet."""

from __future__ import annotations

QUIET = 0.5
"""Seconds without a key or a click before keys count."""


class Arming:
    """Tells which keys count.

    All times are seconds of one clock, and those of keys are when they were read from the terminal: a key
    that waited while the app was busy is judged by when it was pressed.

    Args:
        at: When the waiting begins.
    """

    def __init__(self, at: float) -> None:
        self._since = at
        self._armed = False

    def anew(self, at: float) -> None:
        """Wait again: something else is shown, or the person comes back from elsewhere."""
        self._since = max(self._since, at)
        self._armed = False

    def stir(self, at: float) -> bool:
        """A key or a click happened.

        Returns:
            Whether it counts. One that comes too early does not, and the waiting begins again.
        """
        if self.left(at) > 0:
            self._since = max(self._since, at)
        else:
            self._armed = True
        return self._armed

    def left(self, at: float) -> float:
        """How many seconds of quiet are still wanted; 0 when keys count."""
        return 0.0 if self._armed else max(0.0, self._since + QUIET - at)
