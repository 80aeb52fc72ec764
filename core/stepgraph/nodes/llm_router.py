"""The node type ``llm_router``: a model chooses one of the node's own edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..models.client import Message, ModelReply, ModelRequest
from ..values.declared import Declared, field
from ..values.errors import NodeFailed
from ..values.json_values import json_line
from ..values.messages import some_of
from .base import BaseNode, Choice, NodeFacts, NodeResult, holding
from .calls import ask_model, scripted_reply
from .conversation import conversation
from .llm import MODEL, Unfit, ask_until_fit, templates_of
from .router import normalized

if TYPE_CHECKING:
    from ..values.state import State

_NAMED = 12  # labels that a failure names


class LLMRouterSettings(Declared):
    """The settings of an ``llm_router`` node."""

    prompt: str = field(
        min_length=1,
        description="What the model decides by; a template. The labels of the edges are added.",
        examples=["Which team is this ticket for?"],
        json_schema_extra=holding("template"),
    )
    system: str = field(
        "",
        description="The system prompt, such as the model's role; a template.",
        json_schema_extra=holding("template"),
    )
    model: str = MODEL
    messages: str | None = field(
        None,
        min_length=1,
        description="The state key of a conversation sent first; it is not extended.",
        json_schema_extra=holding("key"),
    )
    output: str = field(
        "route",
        min_length=1,
        description="The state key for the chosen label.",
        json_schema_extra=holding("key"),
    )
    replies: tuple[str, ...] = field(
        (),
        description="Scripted replies, one per visit; the last one repeats. Each names a label.",
        examples=[["refund", "other"]],
    )


class LLMRouterNode(BaseNode):
    """Lets a model choose one of the node's edges.

    The model sees the labels of the edges that have no ``when`` (of an edge without a label, where it
    leads) with their notes, and must answer with one of them; it is asked once more where it does not. The
    label goes under the output key, and the edge of that label is taken. Edges with a ``when`` ask that.
    """

    type: ClassVar[str] = "llm_router"
    Settings = LLMRouterSettings
    settings: LLMRouterSettings

    def execute(self, state: State) -> NodeResult:
        """Ask, and write the label that the model names."""
        choices = self._choices
        labels = {normalized(choice.label): choice.label for choice in choices}
        if not labels:
            hint = "give it [[edges]] with a label and without when, and run it as part of its graph"
            raise NodeFailed("it has no edges to choose among", hint=hint)
        scripted = scripted_reply(self.settings.replies, state.visit)

        def ask(request: ModelRequest) -> ModelReply:
            return ask_model(self, state, self.settings.model, request, scripted)

        def read(reply: ModelReply) -> str:
            label = labels.get(normalized(reply.text))
            if label is None:
                named = some_of([repr(label) for label in labels.values()], _NAMED)
                raise Unfit(f"{json_line(reply.text)} is not one of the labels: {named}")
            return label

        wanted = f"Answer with one of these labels and nothing else:\n{_choices_text(choices)}"
        _, label = ask_until_fit(ask, self.model_request(state), read, wanted)
        return NodeResult({self.settings.output: label}, label)

    def model_request(self, state: State) -> ModelRequest:
        """Write what the model is asked on this visit: the prompt, with the labels after it."""
        system, prompt = (template.render(state) for template in templates_of(self.settings))
        earlier = conversation(state, self.settings.messages) if self.settings.messages is not None else ()
        asked = f"{prompt}\n\nChoose one of these, and answer with its label and nothing else:\n"
        messages = (*earlier, Message("user", asked + _choices_text(self._choices)))
        head = (Message("system", system),) if system else ()
        return ModelRequest((*head, *messages), idempotency_key=state.idempotency_key)

    @property
    def _choices(self) -> tuple[Choice, ...]:
        return self.services.choices if self.services is not None else ()

    def facts(self) -> NodeFacts:
        """Declare its texts, the conversation that it goes by, its choice and its model."""
        settings, model = self.settings, frozenset({self.settings.model})
        return NodeFacts(
            templates=tuple(templates_of(settings)),
            reads=frozenset() if settings.messages is None else frozenset({settings.messages}),
            writes=frozenset({settings.output}),
            chooses=settings.output,
            models=frozenset() if settings.replies else model,
            may_call=model,
        )


def _choices_text(choices: tuple[Choice, ...]) -> str:
    return "\n".join(map(_line, choices))


def _line(choice: Choice) -> str:
    about = " ".join(filter(None, (choice.note, choice.target_note)))
    return f"- {choice.label}: {about}" if about else f"- {choice.label}"
