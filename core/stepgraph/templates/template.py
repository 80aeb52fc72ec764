"""The templates in settings: texts with ``{{ names }}`` of the state, rendered when their node runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..expressions.tree import FACTS
from ..values.errors import NodeFailed, StateError, pointed
from ..values.json_values import Json, plain
from ..values.problems import Place, Problem, nearest
from ..values.state import UNSET

if TYPE_CHECKING:
    from .names import Path
    from .parsing import Parsed


class Template:
    """One text of a node's settings. Jinja2 is loaded only for texts that have a brace.

    Args:
        text: The template.
        where: The setting that it comes from, for the messages.
    """

    __slots__ = ("text", "where")

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where

    @property
    def _parsed(self) -> Parsed | None:
        """The template parsed (and kept by its text); None for a text without any brace."""
        if "{" not in self.text:
            return None
        from .parsing import parse

        return parse(self.text)

    @property
    def names(self) -> frozenset[str]:
        """The state keys that it reads."""
        parsed = self._parsed
        return parsed.names if parsed is not None else frozenset()

    @property
    def needed(self) -> frozenset[str]:
        """The state keys that it cannot do without: of those with ``default`` or ``is defined`` it can."""
        parsed = self._parsed
        return parsed.needed if parsed is not None else frozenset()

    @property
    def variables(self) -> frozenset[str]:
        """The names that it uses: state keys, ``state`` itself, and facts about the run."""
        parsed = self._parsed
        return parsed.variables if parsed is not None else frozenset()

    @property
    def visits_read(self) -> frozenset[str]:
        """The nodes whose visits it counts."""
        parsed = self._parsed
        return parsed.visits_read if parsed is not None else frozenset()

    def problems(self, node: str) -> Iterator[Problem]:
        """Find what is wrong with the text itself, whatever the state."""
        parsed = self._parsed
        if parsed is not None and parsed.error:
            message = f"node {node!r}: {self._unusable(parsed)}"
            place = Place(node=node, key=self.where)
            excerpt = "" if parsed.offset is None else pointed(self.text, parsed.offset)
            yield Problem("G034", "error", message, place, parsed.hint, excerpt=excerpt)

    def render(self, state: Mapping[str, Any]) -> str:
        """Render the text with the state's values.

        Raises:
            NodeFailed: A name is missing (all of them are listed), or the template cannot be rendered.
        """
        parsed = self._usable()
        if parsed is None:
            return self.text
        from .evaluate import Rendering

        rendering = Rendering(_variables(parsed, state))
        try:
            return rendering.text(parsed.tree)
        except Exception as error:  # whatever a value does is the template's failure
            raise failure(self.where, parsed.paths, state, error, rendering.line) from None

    def value(self, state: Mapping[str, Any]) -> Json:
        """Compute a text that is exactly one expression, with its type; else render it.

        Raises:
            NodeFailed: As ``render``, or the value is not JSON.
        """
        parsed = self._usable()
        if parsed is None or parsed.expression is None:
            return self.render(state)
        from .evaluate import Rendering

        rendering = Rendering(_variables(parsed, state))
        try:
            value = rendering.value(parsed.expression)
            rendering.budget.weigh(value)
            return plain(value, repr(self.where))
        except Exception as error:  # as in render
            raise failure(self.where, parsed.paths, state, error, rendering.line) from None

    def _usable(self) -> Parsed | None:
        parsed = self._parsed
        if parsed is not None and parsed.error:
            raise NodeFailed(self._unusable(parsed), hint=parsed.hint)
        return parsed

    def _unusable(self, parsed: Parsed) -> str:
        why = "is not allowed" if parsed.refused else "does not parse"
        return f"the template {self.where!r} {why}: {parsed.error}"


def templates_in(value: Json, where: str) -> Iterator[Template]:
    """Yield every text in a setting, with the path at which it is."""
    if isinstance(value, str):
        yield Template(value, where)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from templates_in(item, f"{where}.{index}")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from templates_in(item, f"{where}.{key}")


def rendered(value: Json, where: str, state: Mapping[str, Any]) -> Json:
    """Render every text in a setting; one that is exactly one expression keeps its type.

    Raises:
        NodeFailed: A template cannot be rendered.
    """
    if isinstance(value, str):
        return Template(value, where).value(state)
    if isinstance(value, list):
        return [rendered(item, f"{where}.{index}", state) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {key: rendered(item, f"{where}.{key}", state) for key, item in value.items()}
    return value


def _variables(parsed: Parsed, state: Mapping[str, Any]) -> dict[str, Any]:
    """Collect what the template sees: copies of the keys that it reads, the whole state, facts of the run."""
    return {name: found for name in parsed.variables if (found := _variable(name, state)) is not UNSET}


def _variable(name: str, state: Mapping[str, Any]) -> Any:
    """Read a name as conditions do: ``state`` and the facts of the run hide the keys of their names."""
    if name == "state":
        return dict(state)
    if name in FACTS:
        return getattr(state, name, UNSET)  # a node may have been given a plain table, which tells no facts
    return state.get(name, UNSET)


def failure(
    where: str, paths: Iterable[Path], state: Mapping[str, Any], error: Exception, line: int
) -> NodeFailed:
    """Build the failure for whatever rendering a template raised.

    Args:
        where: The setting that the template comes from.
        paths: The paths that the template cannot do without.
        state: The state that it was rendered with.
        error: What was raised.
        line: The line of the template at which it was; 0 where that is not known.
    """
    from .render_budget import MissingValue, TemplateError

    if isinstance(error, MissingValue):
        lacking = list(_lacking(paths, state))
        if lacking:
            names = ", ".join(text for text, _ in lacking)
            message = f"the template {where!r} needs what the state does not have: {names}"
            return NodeFailed(message, hint=_known_keys(state) if any(lost for _, lost in lacking) else "")
    if isinstance(error, StateError):
        return NodeFailed(f"the template {where!r} does not give JSON: {error.message}", hint=error.hint)
    if isinstance(error, RecursionError):
        reason = "the value is nested too deeply"
    else:
        reason = str(error) if isinstance(error, TemplateError) else f"{type(error).__name__}: {error}"
    return NodeFailed(f"the template {where!r} failed{f' at line {line}' if line else ''}: {reason}")


def _lacking(paths: Iterable[Path], state: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Find the paths that the state does not have, each once.

    Yields:
        The path with the nearest one that the state has; and whether nothing at all comes near.
    """
    seen: set[Path] = set()
    for path in paths:
        value = _variable(str(path[0]), state)
        among: Any
        among, depth = (state, 0) if value is UNSET else (value, 1)
        while depth and depth < len(path) and _has(among, path[depth]):
            among, depth = among[path[depth]], depth + 1
        missing = path[1 if path[0] == "state" else 0 : depth + 1]
        if depth < len(path) and missing not in seen:
            seen.add(missing)
            yield _described(missing, among)


def _described(missing: Path, among: Any) -> tuple[str, bool]:
    name = repr(".".join(map(str, missing)))
    close = nearest(str(missing[-1]), among) if isinstance(among, Mapping) else None
    if close is None:
        return name, len(missing) == 1
    return f"{name} (did you mean {'.'.join(map(str, (*missing[:-1], close)))!r}?)", False


def _has(value: Any, part: str | int) -> bool:
    if isinstance(value, Mapping):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and -len(value) <= part < len(value)


def _known_keys(state: Mapping[str, Any]) -> str:
    names = list(state)
    more = ", …" if len(names) > 10 else ""
    return f"it has: {', '.join(names[:10])}{more}" if names else "it is empty"
