"""The commands that work right now: what footer, help and palette are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from . import COMMANDS, PREFIXES
from .command import THEN, Command, Wording, character_of, key_name

if TYPE_CHECKING:
    from textual.binding import ActiveBinding
    from textual.dom import DOMNode
    from textual.screen import Screen


@runtime_checkable
class RenamesCommands(Protocol):
    """A screen on which a key may do one thing now and another one then."""

    def renamed(self) -> Mapping[str, Wording]:
        """Describe the commands that now do something else than mostly, by their ids."""


@dataclass(frozen=True, slots=True)
class LiveCommand:
    """A command that works now, with the keys that lead to it and the node that it acts on."""

    command: Command
    keys: tuple[str, ...]
    """As people write them; as they are mapped now, without those that something nearer has taken."""
    node: DOMNode
    action: str
    """The action of the node, as Textual spells it."""
    renamed: Wording | None
    """What it does now, where that is something else than mostly."""

    @property
    def wording(self) -> Wording:
        """What it does now."""
        return self.renamed or self.command.wording

    @property
    def rank(self) -> int:
        """Its rank in the footer, from 1; 0 for a key that is not named there."""
        rank = self.renamed.footer if self.renamed is not None else None
        return self.command.footer if rank is None else rank

    async def run(self) -> None:
        """Run it, if it still applies; the node may be gone by now."""
        if self.node.is_attached:
            await self.node.app.run_action(self.action, self.node)


_BEGINNING = {command.id for command in PREFIXES.values()}


def live_commands(screen: Screen[Any]) -> list[LiveCommand]:
    """List what works on a screen now, the commands nearest to the focus first.

    Only keys of the table count, not those by which a text field edits its text; a first key of two counts
    where a second one does more than move.
    """
    renamed = _renamed(screen)
    keyed = list(_keyed(screen))
    begun = {key.partition(THEN)[0] for key, command, _ in keyed if THEN in key and not command.moves}
    found: dict[tuple[DOMNode, str], LiveCommand] = {}
    for key, command, active in keyed:
        if command.id in _BEGINNING and key not in begun:
            continue
        place = active.node, command.id
        before = found.get(place)
        if before is not None:
            found[place] = replace(before, keys=(*before.keys, key_name(key)))
        else:
            found[place] = _live(renamed, key, command, active)
    return list(found.values())


def continued(screen: Screen[Any], prefix: str) -> list[tuple[str, LiveCommand]]:
    """List the second keys that lead somewhere now, as people write them, with where.

    Args:
        screen: The screen that has the keys.
        prefix: The first key, as Textual names it.
    """
    renamed = _renamed(screen)
    return [
        (key_name(second), _live(renamed, key, command, active))
        for key, command, active in _keyed(screen)
        for first, _, second in (key.partition(THEN),)
        if second and first == prefix
    ]


def _keyed(screen: Screen[Any]) -> Iterator[tuple[str, Command, ActiveBinding]]:
    """Yield each key that works, as Textual names it, with its command."""
    field = screen.focused
    for key, active in screen.active_bindings.items():
        command = COMMANDS.get(active.binding.id or "")
        if command is None or not active.enabled:
            continue
        if field is not None and field.check_consume_key(key, character_of(key)):
            continue  # Textual leaves out letters, but not all signs
        yield key, command, active


def _renamed(screen: Screen[Any]) -> Mapping[str, Wording]:
    return screen.renamed() if isinstance(screen, RenamesCommands) else {}


def _live(renamed: Mapping[str, Wording], key: str, command: Command, active: ActiveBinding) -> LiveCommand:
    now = renamed.get(command.id)
    return LiveCommand(command, (key_name(key),), active.node, active.binding.action, now)


def live_keys(screen: Screen[Any]) -> dict[str, tuple[str, ...]]:
    """Map the id of each command that works on a screen now to its keys."""
    return {live.command.id: live.keys for live in live_commands(screen)}
