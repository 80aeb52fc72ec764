"""The form of a model of the user's settings: its alias, who answers, where, with which key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from stepgraph.models.settings import ALIAS, ModelSettings, read_model
from stepgraph.values.state import UNSET

from .forms.field import Answers, EmptyField, Field, FormProblem
from .forms.form import FormContents, NoteRow
from .forms.formats import Misfit, TextFormat
from .forms.model import FormKind, FormModel
from .forms.of_model import fields_of

if TYPE_CHECKING:
    from stepgraph.values.problems import KeyPath

_FIRST = ("provider", "model", "base_url", "key_env", "keyring", "input_price", "output_price")


class ModelWanted(NamedTuple):
    """A model as somebody wants it in the settings."""

    alias: str
    table: Mapping[str, Any]


class ModelForm(FormModel[ModelWanted]):
    """Asks for a model. The key itself is never asked for: a variable or the keyring holds it.

    Args:
        alias: The model that is edited, or the name that a new one is to have.
        table: Its settings; None for a new one.
        taken: The aliases that there are.
    """

    KIND = FormKind("Keep", is_edit=True)

    def __init__(self, alias: str, table: Mapping[str, Any] | None, taken: Collection[str]) -> None:
        self.heading = "Add a model to your settings" if table is None else f"Model {alias}"
        self._taken = frozenset(taken) - ({alias} if table is not None else set())
        self._table = dict(table or {})
        self._alias = Field(
            "alias",
            TextFormat("line"),
            alias,
            note="What graphs call it: llm nodes ask default unless they say another name.",
            required=True,
            accept=self._free,
            is_example=table is None,
        )
        self._fields = fields_of(ModelSettings, self._table)
        first = [replace(self._fields[name]) for name in _FIRST]
        self._fields |= zip(_FIRST, first, strict=True)
        more = [field for name, field in self._fields.items() if name not in _FIRST]
        note = NoteRow(
            "The key is not written here: name the variable that holds it, or its place in the keyring."
        )
        self.contents = FormContents([self._alias, *first, note], more, f"More: {len(more)} settings")

    def result(self, answers: Answers) -> ModelWanted:
        """Give the model."""
        return ModelWanted(answers.value(self._alias), self._values(answers))

    def _values(self, answers: Answers) -> dict[str, Any]:
        values = {name: answers.value(field) for name, field in self._fields.items()}
        return {name: value for name, value in values.items() if value is not UNSET}

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Tell what is wrong with the settings, as reading them would."""
        wrong: list[tuple[KeyPath, str]] = []
        read_model(self._values(answers), (), lambda where, what: wrong.append((where, what)))
        for where, what in wrong:
            field = self._fields.get(str(where[0])) if where else None
            yield FormProblem(what.removeprefix(": "), field)

    def _free(self, value: Any) -> Any:
        if value is UNSET:
            raise EmptyField("name it, such as default")
        if not ALIAS.fullmatch(value):
            raise Misfit("takes letters, digits, dots, dashes and underscores")
        if value in self._taken:
            raise Misfit("is another model already")
        return value
