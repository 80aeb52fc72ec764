"""What a model thinks before it answers: in a field of OpenAI's protocol, or between tags in the text."""

from __future__ import annotations

from typing import Any

_OPENS, _CLOSES = "<think>", "</think>"
_BLANKS = 100  # characters that are held back until it is known whether the tag comes


class ThinkTags:
    """Splits what a model thinks from what it says, where its server sends both as one text with tags."""

    def __init__(self) -> None:
        self._held = ""
        self._tag = _OPENS
        """The tag that may come; empty once the model speaks."""
        self._blanks = False  # whether what it says has not begun after its thoughts

    def take(self, piece: str) -> tuple[str, str]:
        """Split the next piece into what the model thinks and what it says; what may begin a tag is held."""
        text = self._held + piece
        if self._tag == _OPENS:
            begun = text.lstrip()
            if begun.startswith(_OPENS):
                self._tag, text = _CLOSES, begun.removeprefix(_OPENS)
            elif _OPENS.startswith(begun) and len(text) < _BLANKS:
                self._held = text
                return "", ""
            else:
                self._tag = ""
        if not self._tag:
            self._held = ""
            return "", self._said(text)
        thought, closed, said = text.partition(_CLOSES)
        if closed:
            self._held, self._tag, self._blanks = "", "", True
            return thought, self._said(said)
        sizes = range(min(len(_CLOSES) - 1, len(text)), 0, -1)
        held = next((size for size in sizes if _CLOSES.startswith(text[-size:])), 0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held], ""

    def _said(self, text: str) -> str:
        if self._blanks:
            text = text.lstrip()
            self._blanks = not text
        return text

    def rest(self) -> tuple[str, str]:
        """Return what was held back, once the reply has come to its end."""
        held, self._held = self._held, ""
        return (held, "") if self._tag == _CLOSES else ("", held)


def thought_in(delta: Any) -> str:
    """Read what a model thinks from its field: Ollama and OpenRouter use ``reasoning``, others the first."""
    for name in ("reasoning_content", "reasoning"):
        if isinstance(said := getattr(delta, name, None), str):
            return said
    return ""
