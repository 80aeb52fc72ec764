"""The question whether real models may answer: which ones, for which nodes, at which price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Static

from stepgraph.models.keys import key_source
from stepgraph.models.prices import has_price
from stepgraph.runs.spending import NO_LIMITS, SpendingLimits
from stepgraph_tui.commands import LIVE, dialog_bindings
from stepgraph_tui.text.calls import limits_text
from stepgraph_tui.text.models import key_text, missing_text, model_text, price_text
from stepgraph_tui.text.plain import plural, visible

from .questions import QuestionDialog

if TYPE_CHECKING:
    from stepgraph.models.settings import ModelSettings

LiveAnswer = Literal["yes", "models", ""]
"""Models may answer; which models there are is to be shown first; nobody is asked."""
_NODES = 4  # nodes that are named for a model


class LiveQuestion(QuestionDialog[LiveAnswer], inherit_bindings=False):
    """Names the models that may be asked, with what they cost; no is the default.

    Args:
        what: What would ask them: ``run r-7``.
        callers: The nodes that may ask each model, by alias.
        models: The models of the user's settings.
        limits: How much the run may spend.
        remarks: What else there is to know of who answers.
    """

    BINDINGS = dialog_bindings(LIVE)

    def __init__(
        self,
        what: str,
        callers: Mapping[str, Sequence[str]],
        models: Mapping[str, ModelSettings],
        limits: SpendingLimits = NO_LIMITS,
        remarks: Sequence[str] = (),
    ) -> None:
        budget = limits_text(limits)
        nothing = "No spending limit. Set max_cost or max_tokens in the graph file."
        bound = f"It may spend {budget}." if budget else nothing
        kept = "Each answer is kept in the run, with what it took and cost."
        super().__init__(f"Let real models answer in {what}?", [*remarks, bound, kept])
        self._callers, self._models = callers, models
        self._is_bound = limits.max_cost is not None

    def details(self) -> ComposeResult:
        """List the models, and say what else there is to know."""
        for alias, nodes in self._callers.items():
            yield Static(Text("\n").join(self._about(alias, nodes)), classes="files")
        yield from super().details()

    def _about(self, alias: str, nodes: Sequence[str]) -> Iterable[Text]:
        settings = self._models.get(alias)
        if settings is None:
            yield Text.assemble((visible(alias), "bold"), "  ", (missing_text(alias), "bold red"))
        else:
            source = key_source(settings)
            is_there = source.kind != "variable" or source.is_there()  # a keyring may ask a person
            key = key_text(source, is_there) if source.kind != "keyring" else source.text
            yield Text.assemble((visible(alias), "bold"), f"  {model_text(settings)}")
            yield Text.assemble(f"  {price_text(settings)}; ", (key, "" if is_there else "bold red"))
            if self._is_bound and not has_price(settings):
                yield Text("  refused: its calls cannot be held to max_cost", "bold red")
        named = ", ".join(map(visible, nodes[:_NODES]))
        more = f" and {plural(len(nodes) - _NODES, 'more node')}" if len(nodes) > _NODES else ""
        yield Text(f"  asked by {named}{more}")
