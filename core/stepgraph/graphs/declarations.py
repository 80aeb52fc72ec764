"""What a graph declares beside its nodes and edges: the keys of its state, and tools."""

from __future__ import annotations

from ..nodes.tools import ToolEntry, ToolLike
from ..values.json_values import Json
from ..values.problems import Place, Problem
from ..values.state import UNSET, Reducer, StateKey, ValueType


class Declarations:
    """The keys and tools of a graph that is being built. Nothing raises for content: it is noted."""

    def __init__(self) -> None:
        self.keys: dict[str, StateKey] = {}
        self.tools: dict[str, ToolEntry] = {}
        self.noted: list[Problem] = []
        """What was wrong with what was added and could not be kept in the model, such as duplicates."""

    def add_key(
        self,
        name: str,
        *,
        reducer: Reducer = "replace",
        default: object = UNSET,
        type: ValueType | None = None,
        input: bool = False,
        secret: bool = False,
        note: str = "",
    ) -> None:
        """Declare a key of the state; keys that are not declared are allowed and plainly replaced.

        Args:
            name: The key.
            reducer: How updates merge: ``replace``; ``append`` (a list is concatenated, any other value
                becomes one item); ``merge`` (tables, one level deep).
            default: Its value at the start, copied for every run.
            type: ``text``, ``number``, ``boolean``, ``list`` or ``table``; anything when None.
            input: Whether it is asked for at the start.
            secret: Whether screens and exports mask it.
            note: What it is for.
        """
        given: object = name
        if not isinstance(given, str):
            self._note("G022", f"the state key {name!r} is no text", Place(), "name it by a text")
            return
        if name in self.keys:
            self._note(
                "G023", f"the state key {name!r} is declared twice", Place(key=f"state.{name}"), "remove one"
            )
            return
        self.keys[name] = StateKey(name, reducer, default, type, input, secret, note)

    def add_tool(
        self,
        name: str,
        tool: ToolLike | None = None,
        *,
        handler: str | None = None,
        returns: Json | None = None,
        side_effects: bool = False,
        requires_approval: bool = False,
        note: str = "",
    ) -> None:
        """Declare a tool that the graph's nodes may use.

        Args:
            name: Its name, unique in the graph.
            tool: A function with type hints, or an object with ``execute``.
            handler: Or where its function is, as ``module:function``.
            returns: Or its canned answers: a table, or a list with one for each visit.
            side_effects: Whether it changes the world outside the state.
            requires_approval: Whether a person must agree to each call.
            note: What it is for.
        """
        given: object = name
        if not isinstance(given, str):
            self._note("G027", f"the tool name {name!r} is no text", Place(), "name it by a text")
        elif name in self.tools:
            place = Place(key=f"tools.{name}")
            self._note("G024", f"the tool {name!r} is declared twice", place, "rename one")
        else:
            self.tools[name] = ToolEntry(name, tool, handler, returns, side_effects, requires_approval, note)

    def _note(self, code: str, message: str, place: Place, hint: str) -> None:
        self.noted.append(Problem(code, "error", message, place, hint))
