"""The node type ``approval``: wait for a person's decision."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, ClassVar

from ..reviews.model import ReviewRequest, Risk, Verb
from ..reviews.request import refuse_without_table
from ..templates.template import Template
from ..values.declared import Converted, Declared, field
from ..values.json_values import Json, by_path, identical, read_path
from ..values.state import ValueType
from .base import BaseNode, NodeFacts, NodeResult, holding, in_tables_too

if TYPE_CHECKING:
    from ..values.state import DecisionMade, State

MEMBERS = ("decision", "comment", "text", "by", "at", "edited")
"""What is in the table that an approval node writes under its record key."""


def _flat(editable: object) -> object:
    """Accept paths without quotes too, which TOML reads as tables in tables."""
    return by_path(editable) if isinstance(editable, dict) else editable


class ApprovalSettings(Declared):
    """The settings of an ``approval`` node."""

    prompt: str = field(
        min_length=1,
        description="The question; a template.",
        examples=["May this go on?"],
        json_schema_extra=holding("template"),
    )
    action: str = field(
        "", description="What will be done on approval; a template.", json_schema_extra=holding("template")
    )
    show: tuple[str, ...] = field(
        (),
        description="The state keys (dotted paths) that the reviewer sees.",
        examples=[["order", "draft"]],
        json_schema_extra=holding("path"),
    )
    editable: Annotated[dict[str, ValueType], Converted(_flat, first=True, takes=in_tables_too)] = field(
        default_factory=dict,
        description="The state keys (dotted paths) that the reviewer may change, with types.",
        examples=[{"order.amount": "number"}],
        json_schema_extra=holding("path"),
    )
    allow: tuple[Verb, ...] = field(
        (),
        description="The decisions offered; approve and reject (and edit) by default.",
        json_schema_extra={"empty": "approve, reject and, where something can be edited, edit"},
    )
    risk: Risk = field("unknown", description="How much a wrong decision costs.")
    output: str = field(
        "decision",
        min_length=1,
        description="The state key for the decision.",
        json_schema_extra=holding("key"),
    )
    record: str = field(
        "review",
        min_length=1,
        description="The state key for a record of the decision, with the reviewer's words.",
        json_schema_extra=holding("key"),
    )

    def _check(self) -> None:
        """Refuse settings that do not fit together."""
        wrong = [path for path in (*self.show, *self.editable) if not all(path.split("."))]
        if wrong:
            raise ValueError(f"{wrong[0]!r} is not a path into the state: write keys with dots between them")
        if self.record == self.output:
            raise ValueError(
                f"'output' and 'record' both name the key {self.output!r}, but one takes a word and the "
                "other a table: name two keys"
            )
        written = [path for path in self.editable if path.split(".")[0] in (self.output, self.record)]
        if written:
            raise ValueError(
                f"{written[0]!r} is 'editable', but the node itself writes that key: name another one in "
                "'output' or 'record'"
            )
        if len(set(self.allow)) < len(self.allow):
            raise ValueError("'allow' names a decision twice")
        if "edit" in self.allow and not self.editable:
            raise ValueError("'allow' has edit, but nothing is 'editable'")
        if self.editable and self.allow and "edit" not in self.allow:
            raise ValueError("there are 'editable' fields, but 'allow' has no edit")


class ApprovalNode(BaseNode):
    """Asks a person and waits for the decision.

    The first execution of a visit pauses the run. The second finds the decision: ``approve``, ``reject`` or
    ``respond`` goes under its output key (an edit is an approval with changes), a table of it with the
    reviewer's words goes under its record key, the changes are merged, and the node's output is the text of a
    response, else the comment. A decision about something else than what would be asked now does not count:
    the node asks again.
    """

    type: ClassVar[str] = "approval"
    Settings = ApprovalSettings
    settings: ApprovalSettings

    def execute(self, state: State) -> NodeResult:
        """Ask, or take the decision."""
        request = self._request(state)
        values = self._values(state)
        decision = state.decision
        if decision is None:
            return NodeResult.pause(request)
        if not decision.is_about(self.name, request, values):
            return NodeResult.pause(request)
        verdict = "approve" if decision.verb == "edit" else decision.verb
        written = {self.settings.output: verdict, self.settings.record: _record(verdict, decision, values)}
        words = decision.text if decision.verb == "respond" else decision.comment
        return NodeResult({**decision.apply_to(values), **written}, words)

    def _request(self, state: State) -> ReviewRequest:
        settings = self.settings
        prompt, action = (template.render(state) for template in self._texts)
        return ReviewRequest(
            prompt=prompt,
            action=action,
            show=settings.show,
            editable=settings.editable,
            allow=settings.allow,
            risk=settings.risk,
            merge_edits=False,  # is_about looks at the state as it was when it was asked
        )

    def _values(self, state: State) -> dict[str, Json]:
        """Read the part of the state that the request shows and offers to change.

        Raises:
            NodeFailed: A table that an editable path leads through is missing, so that no edit could work.
        """
        paths = (*self.settings.show, *self.settings.editable)
        values = {key: state[key] for path in paths for key in (path, path.split(".")[0]) if key in state}
        refuse_without_table(values, self.settings.editable)
        return values

    @property
    def _texts(self) -> tuple[Template, Template]:
        """The question, and what will be done on approval."""
        return Template(self.settings.prompt, "prompt"), Template(self.settings.action, "action")

    def facts(self) -> NodeFacts:
        """Declare its question, the keys that it shows or offers to change, its decision and its record."""
        settings = self.settings
        edited = {path.split(".")[0] for path in settings.editable}
        return NodeFacts(
            templates=self._texts,
            reads=frozenset(edited.union(path.split(".")[0] for path in settings.show)),
            writes=frozenset({settings.output, settings.record, *edited}),
            tables={settings.record: MEMBERS},
            editable=tuple(settings.editable),
        )


def _record(verdict: str, decision: DecisionMade, values: dict[str, Json]) -> dict[str, Json]:
    """Write what was decided for the graph; what was not said is an empty text, never missing."""
    return {
        "decision": verdict,
        "comment": decision.comment,
        "text": decision.text,
        "by": decision.by,
        "at": _iso(decision.at),
        "edited": [path for path, value in decision.values.items() if not _holds(values, path, value)],
    }


def _holds(values: dict[str, Json], path: str, value: Json) -> bool:
    try:
        return identical(read_path(values, path), value)
    except KeyError:
        return False


def _iso(at: float) -> str:
    """Write a time in UTC; empty for a decision that nobody has recorded yet."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else ""
