"""The provider ``scripted``: prepared replies from the settings, to try a graph without a provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .client import ModelReply, ScriptedModel, Usage

if TYPE_CHECKING:
    from .client import CallWatch, ModelRequest
    from .settings import ModelSettings


class ScriptedChat(ScriptedModel):
    """A model with scripted replies that streams them word by word and counts words as tokens.

    Args:
        settings: What the user says of it.
    """

    provider = "scripted"

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__(settings.replies)
        self._name = settings.model or "scripted"

    def reply(self, request: ModelRequest, watch: CallWatch) -> ModelReply:
        """Return the next reply."""
        prompt = request.prompt()
        text = self.generate(prompt)
        for piece in text.splitlines(keepends=True):
            watch.check()
            watch.text(piece)
        return ModelReply(
            text, usage=Usage(len(prompt.split()), len(text.split())), cost=0.0, model=self._name
        )


def scripted_model(settings: ModelSettings) -> ScriptedChat:
    """Build a model with the replies of the settings."""
    return ScriptedChat(settings)
