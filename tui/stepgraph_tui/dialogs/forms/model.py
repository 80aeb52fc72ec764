"""What one kind of form has of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from .field import Answers

if TYPE_CHECKING:
    from .field import Field, FormProblem
    from .field_view import Style
    from .form import FormContents
    from .formats import Format

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class FormKind:
    """What the forms of one kind have in common."""

    verb: str
    """What accepting does, in one word."""
    style: Style = "question"
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
    """Whether what stands in the fields is there to be typed over."""

    @abstractmethod
    def result(self, answers: Answers) -> Result | None:
        """Give what the form hands back; a value stands in each field. None when nothing is to be done.

        Raises:
            Misfit: What no field could know is wrong.
        """

    def formats(self, texts: Mapping[Field, str]) -> Mapping[Field, Format]:
        """Tell how fields are read where that depends on what stands in others."""
        return {}

    def answers(self, texts: Mapping[Field, str] | None = None) -> Answers:
        """Make the answers of what stands in the fields; a field without a text is as it was at first."""
        texts = texts or {}
        return Answers(self.contents.fields, texts, self.formats(texts))

    def refilled(self, answers: Answers) -> Mapping[Field, str] | None:
        """Look whether an answer has changed what is to be asked for.

        Returns:
            What is to stand in the fields of the new contents; None where they are the same.
        """
        return None

    def absent(self, answers: Answers) -> Collection[Field]:
        """Tell which fields are not there at the moment."""
        return ()

    def remarks(self, answers: Answers) -> Mapping[Field, str]:
        """Say something of use about some fields."""
        return {}

    def problems(self, answers: Answers) -> Iterable[FormProblem]:
        """Tell what is wrong with the answers; a value stands in each field that is there."""
        return ()

    def is_slow(self, answers: Answers) -> bool:
        """Tell whether to look for problems takes so long that it would hold up the keys."""
        return False

    @property
    def begins_at(self) -> Field | None:
        """The field that is gone to first; None for the first that can be edited."""
        return None

    @property
    def question(self) -> tuple[str, str] | None:
        """What is asked once more before the result is handed back, and the verb that says yes."""
        return None
