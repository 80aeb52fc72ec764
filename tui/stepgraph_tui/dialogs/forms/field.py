"""One thing that a form asks for, and what is in all fields of a form; it knows no widgets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from stepgraph.values import UNSET

from ...text.state_text import toml_text
from .formats import Format, Misfit, SomeFormat, TextFormat, TomlFormat, same

if TYPE_CHECKING:
    from .completing import Completer
    from .field_view import FieldStyle
    from .form import FormContents


Holds = Literal["", "template", "expression", "key", "path", "node", "place", "tool"]
"""What may be completed in a field: names in a template or in a condition, keys of the state and paths
into it, nodes, nodes or END, tools."""
LONGEST = 20_000
"""Characters that can be edited in a form; what is longer is kept as it is."""


class EmptyField(Misfit):
    """Nothing is where something must. That is not wrong before somebody accepts the form."""


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, eq=False)
class Field:
    """Describe a value that a form asks for."""

    name: str
    """As it is, not made safe to show."""
    format: Format
    """How the value is written, and read again."""
    value: Any = UNSET
    """What it is now; UNSET for none."""
    default: Any = UNSET
    """What holds when it is left out; UNSET when it must not be."""
    note: str = ""
    """What it is for, in a sentence; not made safe to show."""
    kind: str = ""
    """What may be written, in a few words."""
    holds: Holds = ""
    completer: Completer | None = None
    """Offers names while somebody types."""
    secret: bool = False
    """Whether it must not be seen."""
    title: str = ""
    """What people call it, where that is not its name."""
    empty: str = ""
    """What holds when it is left out, in words, where the default does not say it."""
    required: bool = False
    """Whether ``accept`` is asked also when nothing is there and nothing was typed."""
    accept: Callable[[Any], Any] = _as_it_is
    """Takes the value that was typed, UNSET for none, and gives what comes of it, or raises Misfit."""
    example: Any = UNSET
    """A value that could be there, for those who are to write one as TOML."""
    arrows: str = ""
    """What the arrow keys do, where that is more than to choose a word."""
    is_example: bool = False
    """Whether what is there is selected at first, to be typed over."""
    begins: bool = False
    """Whether it decides what else is asked for: Enter accepts the form, and a change of it is no work that
    could be lost."""

    @property
    def label(self) -> str:
        """What it is called; not made safe to show."""
        return self.title or self.name

    @cached_property
    def text(self) -> str:
        """What is in the field at first, so that reading it gives the value again."""
        if self.value is UNSET:
            default = UNSET if self.default is None else self.default
            return (self.format.write(default) if self.format.editor == "choice" else None) or ""
        written = self.format.write(self.value)
        return written if written is not None else toml_text(self.value)

    @cached_property
    def is_odd(self) -> bool:
        """Whether the value is of another format, or cannot be shown as it is."""
        return self.value is not UNSET and self.format.write(self.value) is None

    @property
    def placeholder(self) -> str:
        """What holds while the field is empty."""
        if self.default is UNSET or self.default in (None, "", (), [], {}):
            return self.empty or (f"such as {self._example}" if self._example else "")
        if isinstance(self.format, SomeFormat):
            return ", ".join(map(str, self.default))
        return self.default if isinstance(self.default, str) else toml_text(self.default)

    @property
    def help(self) -> str:
        """What it is for, and how its values are written; not made safe to show."""
        return " ".join(filter(None, (self.note, f"{self.syntax}." if self.syntax else "")))

    @property
    def syntax(self) -> str:
        """Describe in a few words how its values are written; empty if text is taken as it is."""
        format_ = self._format_here
        if self.example is not UNSET and isinstance(format_, TomlFormat):
            return format_.syntax_like(self._example)
        return format_.syntax

    @property
    def _example(self) -> str:
        """Write a value that would do; empty where a text is taken as it is, or chosen."""
        if not isinstance(self.format, TomlFormat):
            return ""
        written = self.format.write(self.example) if self.example is not UNSET else None
        first, *others = (written or self.format.example).split("\n")
        return f"{first} …" if others else first  # it is in one line

    def read(self, text: str) -> Any:
        """Parse the text into a value; the very same one while the text is the first.

        What holds anyway is left out, which is UNSET.

        Raises:
            Misfit: It stands for none.
        """
        if text == self.text:
            if self.value is not UNSET or not self.required:
                return self.value
            return self.accept(UNSET)
        format_ = self._format_here
        if not text.strip() and not format_.takes_blank(text):
            return self.accept(UNSET)
        value = format_.read(text)
        return self.accept(UNSET if self._is_default(value) else value)

    @property
    def _format_here(self) -> Format:
        """What a field cannot show as it is, it shows as TOML, to be edited so."""
        is_text = isinstance(self.value, str) and isinstance(self.format, TextFormat)
        return TomlFormat(("text",)) if self.is_odd and is_text else self.format

    def _is_default(self, value: Any) -> bool:
        default = list(self.default) if isinstance(self.default, tuple) else self.default
        if value in ([], {}) or value == "":
            return default is not UNSET
        return same(value, default)


@dataclass(frozen=True, slots=True)
class FormProblem:
    """Something that is wrong with what is in a form."""

    message: str
    field: Field | None = None
    """Below which field it is shown; below all when None."""
    is_error: bool = True
    excerpt: str = ""
    """The line that is wrong with a caret below it, as a problem of the graph has it."""


class Answers:
    """What is in the fields of a form.

    Args:
        fields: All fields that count.
        texts: What is in them; a field that is not among them is as it was at first.
        formats: How texts are read that depend on what is in other fields.
    """

    def __init__(
        self,
        fields: Iterable[Field],
        texts: Mapping[Field, str] | None = None,
        formats: Mapping[Field, Format] | None = None,
    ) -> None:
        self.fields = tuple(fields)
        self._texts = texts or {}
        self._read_as = {field: replace(field, format=format_) for field, format_ in (formats or {}).items()}

    def text(self, field: Field) -> str:
        """Return what is in a field."""
        return self._texts.get(field, field.text)

    def value(self, field: Field) -> Any:
        """Return the value in a field; UNSET for none.

        Raises:
            Misfit: It stands for none.
        """
        return self._read_as.get(field, field).read(self.text(field))

    def has_changed(self, field: Field) -> bool:
        """Whether somebody changed a field."""
        return self.text(field) != self._read_as.get(field, field).text

    @property
    def changed(self) -> list[Field]:
        """The fields that somebody changed."""
        return [field for field in self.fields if self.has_changed(field)]

    def misfits(self, absent: Collection[Field] = ()) -> dict[Field, Misfit]:
        """Find the fields in which no value stands.

        Args:
            absent: Fields that do not count at the moment.
        """
        found = {}
        for field in self.fields:
            try:
                _ = field in absent or self.value(field)
            except Misfit as misfit:
                found[field] = misfit
        return found

    def problems(self, misfits: Mapping[Field, Misfit], *, asked: bool) -> list[FormProblem]:
        """Find what is wrong with fields; with one that nobody touched only once the form was accepted."""
        return [
            FormProblem(str(misfit), field)
            for field, misfit in misfits.items()
            if asked or (self.has_changed(field) and not isinstance(misfit, EmptyField))
        ]


Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class FormKind:
    """What the forms of one kind have in common."""

    verb: str
    """What accepting does, in one word."""
    style: FieldStyle = "question"
    done: str = "typed"
    """What was done to the fields by somebody who leaves."""
    is_edit: bool = False
    """Whether something is edited: texts may go to $EDITOR, and what was changed is not lost in silence."""


class FormModel(ABC, Generic[Result]):
    """Says what a form asks for, what is wrong with the answers, and what comes of them, without widgets."""

    KIND: ClassVar[FormKind]
    heading: str
    contents: FormContents
    are_examples: bool = False
    """Whether what is in the fields is there to be typed over."""

    @abstractmethod
    def result(self, answers: Answers) -> Result | None:
        """Return what the form hands back; a value is in each field. None when nothing is to be done.

        Raises:
            Misfit: What no field could know is wrong.
        """

    def formats(self, texts: Mapping[Field, str]) -> Mapping[Field, Format]:
        """Find how fields are read where that depends on what is in others."""
        return {}

    def answers(self, texts: Mapping[Field, str] | None = None) -> Answers:
        """Collect the answers in the fields; a field without a text is as it was at first."""
        texts = texts or {}
        return Answers(self.contents.fields, texts, self.formats(texts))

    def refilled(self, answers: Answers) -> Mapping[Field, str] | None:
        """Check whether an answer has changed what is to be asked for.

        Returns:
            What is to be in the fields of the new contents; None where they are the same.
        """
        return None

    def absent(self, answers: Answers) -> Collection[Field]:
        """Find which fields are not there at the moment."""
        return ()

    def remarks(self, answers: Answers) -> Mapping[Field, str]:
        """Return useful remarks about some fields."""
        return {}

    def problems(self, answers: Answers) -> Iterable[FormProblem]:
        """Find what is wrong with the answers; a value is in each field that is there."""
        return ()

    def is_slow(self, answers: Answers) -> bool:
        """Check whether looking for problems takes long enough to hold up the keys."""
        return False

    @property
    def begins_at(self) -> Field | None:
        """The field that is gone to first; None for the first that can be edited."""
        return None

    @property
    def question(self) -> tuple[str, str] | None:
        """What is asked once more before the result is handed back, and the verb that says yes."""
        return None
