"""What a node says to a model when a visit begins: a system text, a conversation, and its own prompt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..models.messages import Message
from ..templates.template import Template
from ..values.declared import field
from ..values.errors import NodeFailed
from .conversation import conversation

if TYPE_CHECKING:
    from ..values.state import State


MODEL = field("default", min_length=1, description="The alias of the model in the user's settings.")
"""The setting ``model``, as all nodes that ask one declare it."""


class SaysPrompt(Protocol):
    """The settings of a node that asks a model."""

    @property
    def prompt(self) -> str:
        """What it says itself; a template."""
        ...

    @property
    def system(self) -> str:
        """What comes before everything; a template."""
        ...

    @property
    def messages(self) -> str | None:
        """The state key of the conversation that comes before the prompt."""
        ...


def templates_of(settings: SaysPrompt) -> Iterator[Template]:
    """Give the templates of a node that asks a model: first its system text, then its prompt."""
    yield Template(settings.system, "system")
    yield Template(settings.prompt, "prompt")


def conversation_in(settings: SaysPrompt) -> dict[str, str]:
    """Name the setting of a node's conversation, with the key that it appends to; nothing without one."""
    return {} if settings.messages is None else {"messages": settings.messages}


def refuse_silence(settings: SaysPrompt) -> None:
    """Refuse settings by which a node would have nothing to say.

    Raises:
        ValueError: They are such.
    """
    if not settings.prompt and settings.messages is None:
        raise ValueError("its 'prompt' is empty, and it has no 'messages' to go on with")


@dataclass(frozen=True, slots=True)
class Opening:
    """What is said first on a visit."""

    system: str
    earlier: tuple[Message, ...]
    """The conversation so far."""
    own: tuple[Message, ...]
    """What the node itself says, which the conversation grows by."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """All of it, in order."""
        head = (Message("system", self.system),) if self.system else ()
        return (*head, *self.earlier, *self.own)


def opening(settings: SaysPrompt, state: State) -> Opening:
    """Write what a node says first on a visit.

    On a later visit, unless feedback is off, a section with the previous output and the feedback follows the
    prompt. A blank prompt is not said where there is a conversation.

    Raises:
        NodeFailed: A template cannot be filled in, a message cannot be read, or there is nothing to say.
    """
    key = settings.messages
    system, prompt = (template.render(state) for template in templates_of(settings))
    if key is None:
        return Opening(system, (), (_revised(prompt, state),))
    earlier = conversation(state, key)
    own = (_revised(prompt, state),) if prompt.strip() else ()
    if not earlier and not own:
        raise NodeFailed(
            f"there is nothing to say: {key!r} has no messages, and the prompt is blank",
            hint="write a prompt, or begin the conversation in an earlier node",
        )
    return Opening(system, earlier, own)


def _revised(prompt: str, state: State) -> Message:
    feedback = state.feedback
    if feedback is None:
        return Message("user", prompt)
    # The feedback speaks of the output "above", so it comes second.
    revision = (
        f"## Revision (attempt {state.visit - 1})\n\n"
        f"### Previous output\n\n{state.previous_output or ''}\n\n### Feedback\n\n{feedback}"
    )
    return Message("user", "\n\n".join(filter(None, (prompt, revision))))
