"""A model of a provider that streams: what is the same whichever it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..values.errors import ModelError
from .draft import Draft
from .failures import FailureWords
from .keys import KeySieve, key_source
from .messages import Message, ModelReply, ModelRequest
from .prices import cost, has_price
from .providers import missing_library
from .reading import ReplyStream, StreamReader
from .retry import with_retries
from .watch import CallPlace, CallStopped, CallWatch

if TYPE_CHECKING:
    from .settings import ModelSettings
    from .wire import WireMaker


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
        """Answer a request; text is told of as it comes.

        Raises:
            ModelError: It could not be reached, refused, or gave no answer that can be read.
            CallStopped: A person stopped it.
        """
        return with_retries(lambda: self._once(request, watch), self.settings.retries, watch)

    def _once(self, request: ModelRequest, watch: CallWatch) -> ModelReply:
        draft, sieve = Draft(self.settings.max_tokens), KeySieve(self._key)
        reader = StreamReader(lambda: self._open(request), watch, self.settings.timeout)
        failed: ModelError | None = None
        try:
            with reader:
                for event in reader:
                    piece = self._wire.take(draft, event)
                    draft.name_model(self._wire.model_in(event), sieve.clean)
                    draft.grow(piece)
                    _add(draft, sieve.take(piece), watch)
                if draft.finish:  # it is whole: it does not end within the key
                    _add(draft, sieve.rest(), watch)
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
        return ModelReply(draft.text, calls, usage, cost(self.settings, model, usage), model)

    def _open(self, request: ModelRequest) -> ReplyStream:
        stream = self._wire.open(request)
        kind = stream.response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind in ("text/html", "application/json", "application/xhtml+xml"):
            beginning = stream.response.read()[:2000].decode("utf-8", "replace")
            stream.close()
            raise self._words.not_a_stream(kind, beginning)
        return stream

    def _spent(self, draft: Draft) -> dict[str, Any]:
        """Tell what a failed call took, as the ledger keeps it."""
        usage = draft.usage
        if usage is None:
            return {}
        spent = {"model": draft.model, "input_tokens": usage.input, "output_tokens": usage.output}
        price = cost(self.settings, draft.model, usage)
        return spent if price is None else {**spent, "cost": price}

    def close(self) -> None:
        """Close its connections."""
        self._wire.close()


def _add(draft: Draft, piece: str, watch: CallWatch) -> None:
    if piece:
        draft.pieces.append(piece)
        watch.text(piece)


def _unusable(provider: str, error: ImportError) -> ModelError:
    if error.name == provider:
        return missing_library(provider)
    upgrade = f"pip install --upgrade 'stepgraph[{provider}]'"
    return ModelError(f"the library of {provider} is broken: {error}", hint=upgrade)
