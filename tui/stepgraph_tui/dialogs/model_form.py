"""The form that adds a model to the user's settings: its alias, who answers, where, with which key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from stepgraph.models import ModelSettings, Preset, presets, read_model
from stepgraph.values import NAME, UNSET

from .forms.field import Answers, EmptyField, Field, FormKind, FormModel, FormProblem
from .forms.fields import fields_of
from .forms.form import FormContents, NoteRow
from .forms.formats import Misfit, TextFormat, one_of

if TYPE_CHECKING:
    from stepgraph.values import KeyPath

_FIRST = ("model", "base_url", "key_env", "input_price", "output_price")
_PRESET = ("model", "base_url", "key_env", "input_price", "output_price")
"""What a provider has a usual value of."""
_KEY = "The key is not written here: the variable holds it, or the keyring, whose entry is under More."


class ModelWanted(NamedTuple):
    """A model as somebody wants it in the settings."""

    alias: str
    table: Mapping[str, Any]


class ModelForm(FormModel[ModelWanted]):
    """Asks for a new model. Of what is left empty, what is usual at the provider holds.

    Args:
        alias: What it is to be called; it can be changed.
        taken: The aliases that there are.
    """

    KIND = FormKind("Add", done="typed")
    heading = "Add a model to your settings"

    def __init__(self, alias: str, taken: Collection[str]) -> None:
        self._taken = frozenset(taken)
        self._presets = presets()
        self._alias = Field(
            "alias",
            TextFormat("line"),
            alias or UNSET,
            note="What graphs call it: their nodes ask default unless they say another name.",
            required=True,
            accept=self._free,
            is_example=True,
        )
        names = tuple(self._presets)
        self._provider = Field("provider", one_of(names), names[0], note="Who answers.")
        fields = fields_of(ModelSettings, {})
        del fields["provider"]
        self._fields = {name: replace(field, format=_on_a_line(field)) for name, field in fields.items()}
        self._fields["model"] = replace(self._fields["model"], required=True, accept=_require_name)
        self._fields["replies"] = replace(self._fields["replies"], required=True, accept=_replying)
        first = [self._fields[name] for name in (*_FIRST, "replies")]
        more = [field for name, field in self._fields.items() if field not in first]
        rows: list[Field | NoteRow] = [self._alias, self._provider, *first, NoteRow(_KEY)]
        self.contents = FormContents(rows, more, f"More: {len(more)} settings")

    def _preset(self, answers: Answers) -> Preset:
        return self._presets[answers.text(self._provider)]

    def remarks(self, answers: Answers) -> Mapping[Field, str]:
        """Describe what holds of what is left empty."""
        preset = self._preset(answers)
        usual = {name: getattr(preset, name) for name in _PRESET if getattr(preset, name) not in (None, "")}
        notes = {self._fields[name]: f"empty: {value}" for name, value in usual.items()}
        if preset.example and not preset.model:
            notes[self._fields["model"]] = f"such as {preset.example}"
        return notes

    def absent(self, answers: Answers) -> Collection[Field]:
        """Leave out what a scripted model does not have, or what only that one has."""
        names = _FIRST if answers.text(self._provider) == "scripted" else ("replies",)
        return [self._fields[name] for name in names]

    def result(self, answers: Answers) -> ModelWanted:
        """Return the model."""
        return ModelWanted(answers.value(self._alias), self._table(answers))

    def _table(self, answers: Answers) -> dict[str, Any]:
        preset = self._preset(answers)
        table: dict[str, Any] = {"provider": preset.provider}
        absent = self.absent(answers)
        for name, field in self._fields.items():
            value = answers.value(field) if field not in absent else UNSET
            if value is UNSET and name in _PRESET and not (name == "key_env" and "keyring" in table):
                value = getattr(preset, name)
            if value not in (UNSET, None, ""):
                table[name] = value
        return table

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Find what is wrong with the settings, as reading them would."""
        wrong: list[tuple[KeyPath, str]] = []
        read_model(self._table(answers), ("model",), lambda where, what: wrong.append((where, what)))
        for where, what in wrong:
            field = self._fields.get(str(where[1])) if len(where) > 1 else None
            yield FormProblem(what.removeprefix("model: "), field)

    def _free(self, value: Any) -> Any:
        if value is UNSET:
            raise EmptyField("name it, such as default")
        if not NAME.fullmatch(value):
            raise Misfit("takes letters, digits, dots, dashes and underscores")
        if value in self._taken:
            raise Misfit("is a model already")
        return value


def _require_name(value: Any) -> Any:
    """Accept the name of a model."""
    if value is UNSET:
        raise EmptyField("name it as its provider does")
    return value


def _replying(value: Any) -> Any:
    """Accept the replies of a scripted model."""
    if value is UNSET:
        raise EmptyField('write what it replies, such as ["fine"]')
    return value


def _on_a_line(field: Field) -> Any:
    """Keep a text on one line: names and addresses have no breaks."""
    return TextFormat("line") if isinstance(field.format, TextFormat) else field.format
