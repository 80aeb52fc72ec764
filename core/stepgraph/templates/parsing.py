"""Templates parsed: what they read, whether they are one expression, what is wrong."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache

import jinja2
from jinja2 import nodes

from ..expressions.spelling import HIDDEN
from .allowed import refusal
from .names import Names, Path
from .places import parsed_with_places, place_of_error, place_of_word, start_of_line


@dataclass(frozen=True, slots=True)
class Parsed:
    """A template that can be rendered, or what is wrong with it."""

    tree: nodes.Template = field(default_factory=nodes.Template)
    read: Names = field(default_factory=Names)
    """The names in it."""
    names: frozenset[str] = frozenset()
    """The state keys that it reads."""
    variables: frozenset[str] = frozenset()
    """The names that it uses: keys of the state, ``state`` itself, and facts about the run."""
    visits_read: frozenset[str] = frozenset()
    """The nodes whose visits it counts."""
    expression: nodes.Node | None = None
    """The expression, when the text is exactly one ``{{ expression }}``."""
    error: str = ""
    refused: bool = False
    """Whether what is wrong is sound Jinja2, which templates may not use."""
    hint: str = ""
    offset: int | None = None
    """Where it is wrong, in characters from 0; None where that is not known."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths that it cannot do without, in their order."""
        return tuple(self.read.needed)


@cache
def environment() -> jinja2.Environment:
    """Make the one environment, when it is first needed: its lexer and its parser are used, nothing else."""
    return jinja2.Environment(keep_trailing_newline=True, autoescape=False, cache_size=0)  # noqa: S701  # text


@lru_cache(maxsize=16_384)  # a few texts for each node of the largest graph, checked again at every edit
def parse(text: str) -> Parsed:
    """Parse a template; nothing of it runs."""
    env = environment()
    try:
        tree = parsed_with_places(text, env)
        refused = refusal(tree)
        if refused is not None:
            place = place_of_word(text, refused.word, refused.line, env)
            message = f"line {refused.line}: {refused.message}"
            return Parsed(error=message, refused=True, hint=refused.hint, offset=place)
        read = Names()
        read.visit(tree)
    except jinja2.TemplateSyntaxError as error:
        message = f"line {error.lineno}: {_lower(error.message or 'it cannot be read')}"
        return Parsed(error=message, hint=_hint(message), offset=_place(text, error, env))
    except RecursionError:
        return Parsed(error="it is nested too deeply", refused=True, hint="name a part of it with {% set %}")
    variables = frozenset(map(str, read.free)) | read.unclear
    return Parsed(
        tree,
        read,
        variables - HIDDEN | read.below("state"),
        variables,
        read.below("visits"),
        _alone(tree),
    )


def _place(text: str, error: jinja2.TemplateSyntaxError, env: jinja2.Environment) -> int:
    """Find where a template is wrong; Jinja2 tells the line alone."""
    with suppress(RecursionError):
        return place_of_error(text, env)
    return start_of_line(text, error.lineno)


def _alone(tree: nodes.Template) -> nodes.Node | None:
    """Give the expression, when a template is one and nothing else."""
    if len(tree.body) != 1 or not isinstance(tree.body[0], nodes.Output):
        return None
    output = tree.body[0].nodes
    return output[0] if len(output) == 1 and not isinstance(output[0], nodes.TemplateData) else None


def _hint(message: str) -> str:
    return "there are if, for, set and raw" if "unknown tag" in message else ""


def _lower(message: str) -> str:
    message = message.rstrip(".")
    return message[:1].lower() + message[1:]
