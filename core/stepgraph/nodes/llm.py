"""The node type ``llm``: ask a language model, or give prepared replies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from ..models.messages import Message, ModelRequest
from ..templates.template import Template
from ..tools.call_line import tool_call_in
from ..values.declared import Declared, field
from .base import BaseNode, NodeResult
from .calls import ask_model
from .holding import holding

if TYPE_CHECKING:
    from ..values.state import State

RUN_TOOL = "RUN_TOOL"
RESPOND = "RESPOND"


class LLMSettings(Declared):
    """The settings of an ``llm`` node."""

    prompt: str = field(
        min_length=1,
        description="What the model is asked; a template.",
        examples=["Write here what the model is asked."],
        json_schema_extra=holding("template"),
    )
    system: str = field(
        "",
        description="What comes before every prompt, such as the model's role; a template.",
        json_schema_extra=holding("template"),
    )
    model: str = field("default", min_length=1, description="The alias of the model in the user's settings.")
    output: str = field(
        "response",
        min_length=1,
        description="The state key that takes the reply.",
        json_schema_extra=holding("key"),
    )
    replies: tuple[str, ...] = field(
        (),
        description="Canned replies, one a visit, the last repeated.",
        examples=[["billing", "other"]],
        json_schema_extra=holding("reply"),
    )


class LLMNode(BaseNode):
    """Asks a model and puts its reply into the state.

    A line ``CALL_TOOL: name {json}`` in the reply asks for a tool: ``next_action`` becomes ``RUN_TOOL`` and
    ``tool_call`` a table of ``name`` and ``arguments``. Otherwise ``next_action`` becomes ``RESPOND``, and
    ``tool_call`` is removed. With ``replies`` no model is asked unless the run is live.

    The model gets the system text (if any), an empty line, and the prompt. On a later visit, unless feedback
    is off, a section with the previous output and the feedback follows.
    """

    type: ClassVar[str] = "llm"
    Settings = LLMSettings
    settings: LLMSettings

    def execute(self, state: State) -> NodeResult:
        """Ask, and look for a tool call in the reply."""
        reply = self._reply(state)
        call = tool_call_in(reply)
        return NodeResult(
            {
                self.settings.output: reply,
                "next_action": RUN_TOOL if call else RESPOND,
                "tool_call": call,  # None removes an old one, so that it cannot run again
            },
            reply,
        )

    def _reply(self, state: State) -> str:
        request = self.model_request(state)
        self.log.debug("visit %d asks: %s", state.visit, request.prompt())
        replies = self.settings.replies
        canned = replies[min(state.visit, len(replies)) - 1] if replies else None
        return ask_model(self, state, self.settings.model, request, canned).text

    def model_request(self, state: State) -> ModelRequest:
        """Write what the model is asked on this visit."""
        system, prompt = (template.render(state) for template in self.templates())
        feedback = state.feedback
        if feedback is not None:
            revision = _revision(state.visit - 1, feedback, state.previous_output or "")
            prompt = "\n\n".join(section for section in (prompt, revision) if section)
        said = [Message("user", prompt)]
        return ModelRequest(
            tuple([Message("system", system), *said] if system else said),
            idempotency_key=state.idempotency_key,
        )

    def templates(self) -> Iterator[Template]:
        """Give those of its settings that are templates."""
        yield Template(self.settings.system, "system")
        yield Template(self.settings.prompt, "prompt")

    def writes(self) -> frozenset[str]:
        """Name its output, ``next_action`` and ``tool_call``."""
        return frozenset({self.settings.output, "next_action", "tool_call"})

    def models(self) -> frozenset[str]:
        """Name its model, unless it has canned replies."""
        return frozenset() if self.settings.replies else frozenset({self.settings.model})

    def may_call(self) -> frozenset[str]:
        """Name its model."""
        return frozenset({self.settings.model})


def _revision(attempt: int, feedback: str, previous: str) -> str:
    """Write the section for a later visit; the feedback speaks of the output "above", so it comes second."""
    return (
        f"## Revision (attempt {attempt})\n\n### Previous output\n\n{previous}\n\n### Feedback\n\n{feedback}"
    )
