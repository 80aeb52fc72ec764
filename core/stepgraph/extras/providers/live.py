"""A model of a provider that streams: what is the same whichever it is."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar

from ...models.catalog import cost, has_price, missing_library
from ...models.client import (
    CallPlace,
    CallStopped,
    CallWatch,
    Message,
    ModelReply,
    ModelRequest,
    ToolCall,
    Usage,
    token_count,
)
from ...models.settings import KeySieve, key_source
from ...values.errors import ModelError, StateError
from ...values.json_values import plain, with_texts
from .thinking import ThinkTags
from .wire import FailureWords, ReplyStream, StreamReader, Unavailable

if TYPE_CHECKING:
    from ...models.settings import ModelSettings
    from .wire import WireMaker


Finish = Literal["", "whole", "length", "context", "filter"]

_A_TOKEN = 16
"""More characters than a token has: a reply with more than this for each of its ``max_tokens`` never ends."""
_A_CALL = 10 * _A_TOKEN
"""What the shortest call of a tool counts."""
_THOUGHTS = 20_000
"""The most characters of a model's thoughts that the ledger keeps."""
_NAME = 200
"""The most characters of a model's name."""


@dataclass
class CallDraft:
    """A tool call while it comes."""

    id: object = ""
    """As the server says it."""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


@dataclass
class Draft:
    """What has come of a reply so far."""

    max_tokens: int
    pieces: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    tags: ThinkTags = field(default_factory=ThinkTags)
    signed: list[dict[str, Any]] = field(default_factory=list)
    """The thoughts in blocks that the provider wants back with the tool calls."""
    calls: dict[int, CallDraft] = field(default_factory=dict)
    """The tool calls by their places in the reply."""
    input: object = None
    """The tokens of the input, as the server says it; None where it does not."""
    output: object = 0
    cached: object = 0
    model: str = ""
    finish: Finish = ""
    """Why it ended; empty while it has not."""
    refusal: str = ""
    began: bool = False
    """Whether anything of the protocol has come."""
    size: int = 0

    def grow(self, piece: str) -> None:
        """Count what came, be it shown or not.

        Raises:
            ModelError: It is longer than any reply of that many tokens.
        """
        self.size += max(1, len(piece))
        if self.size > self.max_tokens * _A_TOKEN + 4096:
            raise ModelError(
                f"it does not stop: {self.size:,} characters came, far more than {self.max_tokens:,} tokens",
                hint="the server ignores max_tokens; look at its settings, then retry",
            )

    def call(self, place: int) -> CallDraft:
        """Return the tool call at a place."""
        if place not in self.calls:
            self.calls[place] = CallDraft()
            self.grow(" " * _A_CALL)
        return self.calls[place]

    def name_model(self, name: object, clean: Callable[[str], str]) -> None:
        """Take the model's full name, as far as it is one."""
        if not self.model and isinstance(name, str):
            self.model = clean(name[:_NAME])

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self.pieces)

    @property
    def usage(self) -> Usage | None:
        """The tokens so far; None where the provider does not say them as numbers."""
        input_tokens, output_tokens = token_count(self.input), token_count(self.output)
        if input_tokens is None or output_tokens is None or not input_tokens + output_tokens:
            # a server that counts no token at all has not counted
            return None
        return Usage(input_tokens, output_tokens, token_count(self.cached) or 0)

    def tool_calls(self, clean: Callable[[str], str]) -> tuple[ToolCall, ...]:
        """Read the tool calls of a whole reply.

        Args:
            clean: Makes a text of the server's one that may be kept.

        Raises:
            ModelError: The arguments of one are not a table of JSON.
        """
        found: dict[str, ToolCall] = {}
        for place in sorted(self.calls):
            call = self._read(self.calls[place], clean)
            if call.id in found or not call.id:  # who uses it gives it another one
                call = replace(call, id="")
            found[call.id or f" {place}"] = call
        return tuple(found.values())

    def _read(self, call: CallDraft, clean: Callable[[str], str]) -> ToolCall:
        text = "".join(call.arguments)
        why = ""
        try:
            found: Any = json.loads(text, parse_constant=_no_number) if text.strip() else {}
            arguments = plain(with_texts(found, clean), "the table")
        except StateError as error:
            arguments, why = None, f" ({error.message})"
        except (ValueError, RecursionError):
            arguments = None
        if not call.name or not isinstance(arguments, dict):
            raise ModelError(
                f"it calls the tool {clean(call.name)[:80]!r} with arguments that are not a JSON table{why}: "
                f"{text[:80]!r}",
                hint="retry to ask it again; if this happens often, use a larger model",
            )
        return ToolCall(clean(call.name), arguments, clean(call.id) if isinstance(call.id, str) else "")


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


LONGEST_WAIT = 60.0
"""Seconds; a server that asks for more is not waited for, and its step fails at once."""
_FIRST_WAIT = 0.5
_LONGEST_BACKOFF = 8.0
_LOOK = 0.03

T = TypeVar("T")


def with_retries(
    call: Callable[[], T], retries: int, watch: CallWatch, now: Callable[[], float] = time.time
) -> T:
    """Call, and retry while the server is busy or cannot be reached.

    Args:
        call: What is called.
        retries: How often it is called again.
        watch: Is told of each wait, says when to stop, and how much time is left.
        now: What tells the time, for dates in ``Retry-After``.

    Raises:
        ModelError: It failed, also after all retries.
        CallStopped: A person stopped it while it waited.
    """
    for attempt in range(retries + 1):
        try:
            return call()
        except Unavailable as error:
            seconds = _wait(error.after, attempt, now)
            refused = _refusal(error, attempt, retries, seconds, watch.time_left)
            if refused is not None:
                raise refused from None
            watch.waits(seconds, error.message)
        _pause(seconds, watch)
    raise AssertionError("the last attempt returns or raises")


def _wait(after: str, attempt: int, now: Callable[[], float]) -> float:
    asked = retry_after(after, now())
    if asked is not None:
        return asked
    backoff = min(_LONGEST_BACKOFF, _FIRST_WAIT * 2.0**attempt)
    return backoff * random.uniform(1, 1.25)  # noqa: S311  # so that many clients do not come back together


def retry_after(text: str, now: float) -> float | None:
    """Read a ``Retry-After``: seconds, or a date; None where it says neither."""
    text = text.strip()
    try:
        seconds = float(text)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if seconds == seconds else None
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.fromtimestamp(now, UTC)).total_seconds())


def _refusal(
    error: Unavailable, attempt: int, retries: int, seconds: float, left: float | None
) -> ModelError | None:
    """Explain why it is not worth waiting; None where it is."""
    if attempt == retries:
        tried = "" if attempt == 0 else f", {attempt + 1} times"
        return ModelError(f"{error.message}{tried}", hint=error.hint)
    if seconds > LONGEST_WAIT:
        return ModelError(
            f"{error.message}; it asks to wait for {seconds:,.0f} seconds",
            hint="retry after that time",
        )
    if left is not None and seconds >= left:
        return ModelError(
            f"{error.message}; its node has no time left to ask again",
            hint="give the node more time, or retry",
        )
    return None


def _pause(seconds: float, watch: CallWatch) -> None:
    until = time.monotonic() + seconds
    bell = threading.Event()
    watch.check()
    while (left := until - time.monotonic()) > 0:
        bell.wait(min(left, _LOOK))
        watch.check()


class LiveModel:
    """A model that is asked over a connection.

    Args:
        settings: What the user says of it.
        address: Where it is asked.
        wire: Makes what speaks to it.

    Raises:
        ModelError: The library or the key is missing.
    """

    def __init__(self, settings: ModelSettings, address: str, wire: WireMaker) -> None:
        self.settings = settings
        self.provider = settings.provider
        self.native_tools = settings.tools == "native"
        """Whether it is offered tools by the provider's own way; otherwise by the text protocol."""
        source = key_source(settings)
        self._key = key = source.read()
        self._words = FailureWords(settings, source, key, address)
        try:
            self._wire = wire(settings, key, address)
        except ImportError as error:
            raise _unusable(settings.provider, error) from None

    @property
    def is_priced(self) -> bool:
        """Whether it is known beforehand what its calls cost."""
        return has_price(self.settings)

    def generate(self, prompt: str) -> str:
        """Reply to a prompt, outside of any run."""
        nobody = CallWatch(CallPlace("", "", 0, "model", self.settings.model))
        return self.reply(ModelRequest((Message("user", prompt),)), nobody).text

    def reply(self, request: ModelRequest, watch: CallWatch) -> ModelReply:
        """Answer a request; text is streamed as it comes.

        Raises:
            ModelError: It could not be reached, refused, or gave no answer that can be read.
            CallStopped: A person stopped it.
        """
        return with_retries(lambda: self._once(request, watch), self.settings.retries, watch)

    def _once(self, request: ModelRequest, watch: CallWatch) -> ModelReply:
        draft, sieve, thinking = Draft(self.settings.max_tokens), KeySieve(self._key), KeySieve(self._key)
        reader = StreamReader(lambda: self._open(request), watch, self.settings.timeout)
        failed: ModelError | None = None
        try:
            with reader:
                for event in reader:
                    thought, piece = self._wire.take(draft, event)
                    draft.name_model(self._wire.model_in(event), sieve.clean)
                    draft.grow(thought + piece)
                    _add(draft.thoughts, thinking.take(thought), watch.thought)
                    _add(draft.pieces, sieve.take(piece), watch.text)
                if draft.finish:  # it is whole: it does not end within the key
                    thought, piece = draft.tags.rest()
                    _add(draft.thoughts, thinking.take(thought) + thinking.rest(), watch.thought)
                    _add(draft.pieces, sieve.take(piece) + sieve.rest(), watch.text)
            failed = self._words.finished(draft)
            calls = draft.tool_calls(sieve.clean) if failed is None else ()
        except CallStopped as stopped:
            stopped.spent = self._spent(draft)
            raise
        except Exception as error:  # the library's, or what an answer of any shape makes of our reading
            failed = self._words.of(error, draft, reader.answered)
        if failed is not None:
            failed.spent = self._spent(draft)
            raise failed from None  # what the library raised may hold the key
        usage = draft.usage
        model = draft.model or self.settings.model
        thoughts = "".join(draft.thoughts)[:_THOUGHTS]
        signed = tuple(with_texts(block, sieve.clean) for block in draft.signed) if calls else ()
        price = cost(self.settings, model, usage)
        return ModelReply(draft.text, calls, usage, price, model, thoughts, signed)

    def _open(self, request: ModelRequest) -> ReplyStream:
        stream = self._wire.open(request)
        kind = stream.response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind in ("text/html", "application/json", "application/xhtml+xml"):
            beginning = stream.response.read()[:2000].decode("utf-8", "replace")
            stream.close()
            raise self._words.not_a_stream(kind, beginning)
        return stream

    def _spent(self, draft: Draft) -> dict[str, Any]:
        """Describe what a failed call took, as the ledger keeps it."""
        usage = draft.usage
        if usage is None:
            return {}
        spent = {"model": draft.model, "input_tokens": usage.input, "output_tokens": usage.output}
        price = cost(self.settings, draft.model, usage)
        return spent if price is None else {**spent, "cost": price}

    def close(self) -> None:
        """Close its connections."""
        self._wire.close()


def _add(pieces: list[str], piece: str, tell: Callable[[str], None]) -> None:
    if piece:
        pieces.append(piece)
        tell(piece)


def _unusable(provider: str, error: ImportError) -> ModelError:
    if error.name == provider:
        return missing_library(provider)
    upgrade = f"pip install --upgrade 'stepgraph[{provider}]'"
    return ModelError(f"the library of {provider} is broken: {error}", hint=upgrade)
