"""What a client is told when something was refused: a status, a code, a message and a hint."""

from __future__ import annotations

from collections.abc import Mapping

from stepgraph.values import errors

_STATUSES: tuple[tuple[type[errors.StepgraphError], int], ...] = (
    (errors.UnknownRun, 404),
    (errors.UnknownReview, 404),
    (errors.AlreadyDecided, 409),
    (errors.PayloadChanged, 409),
    (errors.Conflict, 409),
    (errors.RunExists, 409),
    (errors.NotReady, 409),
    (errors.DefinitionChanged, 409),
    (errors.GraphError, 409),
    (errors.HandlerError, 409),
    (errors.NotAllowed, 422),
    (errors.TrustError, 403),
    (errors.CommitsLost, 409),
    (errors.StoreError, 503),
    (errors.RunError, 422),
)
"""The first that fits says with which status an error of the engine is answered; any other one is 500."""


class RequestRefused(Exception):
    """The request was refused before the engine saw it; its code is ``H`` and the status.

    Args:
        status: The HTTP status.
        message: What is wrong, for people.
        hint: What to do next; may be empty.
        headers: What else the answer must say.
    """

    def __init__(
        self, status: int, message: str, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.hint = hint
        self.headers = dict(headers or {})

    @property
    def code(self) -> str:
        """The stable code of the answer."""
        return f"H{self.status}"


_HINTS: tuple[tuple[type[errors.StepgraphError], str], ...] = (
    (errors.AlreadyDecided, "nothing was changed; the execution's answer shows how it went on"),
    (errors.PayloadChanged, "read the review again, and decide what it asks now"),
    (errors.UnknownReview, "GET /api/v1/reviews lists what waits"),
    (errors.UnknownRun, "is it the right server?"),
    (errors.TrustError, "stop the server and start it anew: it asks for trust, or takes --trust"),
    (errors.Conflict, "read the execution again"),
    (errors.StoreUnreachable, "ask again in a moment; what was to be changed may have been: read it first"),
)
"""What clients do next, where the engine's own hint is for who sits at the command line."""
_PAGE_HINTS: tuple[tuple[type[errors.StepgraphError], str], ...] = (
    (errors.AlreadyDecided, "what you sent has changed nothing"),
    (errors.PayloadChanged, "read what it asks now, and decide that"),
    (errors.UnknownReview, "the inbox lists what waits"),
    (errors.UnknownRun, "the inbox lists what waits"),
    (errors.Conflict, "read it again, then decide"),
    (errors.StoreUnreachable, "it may be back in a moment"),
)
"""The same for people in front of a page."""


def told(error: errors.StepgraphError | RequestRefused, *, on_page: bool = False) -> dict[str, str]:
    """Write what an answer says of an error; where the store is, is nobody's business."""
    hints = _PAGE_HINTS if on_page else _HINTS
    hint = next((said for kind, said in hints if isinstance(error, kind)), error.hint)
    away = isinstance(error, errors.StoreUnreachable)
    return {
        "code": error.code,
        "message": "the store does not answer" if away else error.message,
        "hint": hint,
    }


def unexpected() -> RequestRefused:
    """Make the answer to what nobody expected; it says nothing of the error, which may quote anything."""
    return RequestRefused(500, "this is a bug in Stepgraph", "the server's console says where it was noted")


def status_of(error: errors.StepgraphError | RequestRefused) -> int:
    """Find the HTTP status with which an error is answered."""
    if isinstance(error, RequestRefused):
        return error.status
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)
