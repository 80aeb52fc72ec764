"""A page that tells what is known of a damaged run, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from stepgraph.stores.refusals import is_served
from stepgraph_tui.text.plain import visible
from stepgraph_tui.text.system import command
from stepgraph_tui.text.wrapping import hanging

from .page import Copy, Page

if TYPE_CHECKING:
    from stepgraph.stores.base import Damage


class DamagePage(Page):
    """Shows what is damaged, and the commands that save what is whole.

    Args:
        damage: What is damaged.
        address: The store's address where commands must name it.
        url: The store's address in any case.
        deletes: What deletes the run, in words; empty where nothing can.
        copy: Copies a text.
    """

    def __init__(self, damage: Damage, address: str | None, url: str, deletes: str, copy: Copy) -> None:
        super().__init__(f"DAMAGED RUN {visible(damage.run)}" if damage.run else "DAMAGED STORE", copy)
        self._told = list(_told(damage, address, is_served(url), deletes))

    def lines(self, width: int) -> list[Text]:
        """Wrap the lines; those that are indented stay so."""
        return [Text(row) for line in self._told for row in hanging(line, width, hang=0)]

    def text(self) -> str:
        """Join the lines as they are: a command that is wrapped would be none."""
        return "\n".join(self._told)


def _told(damage: Damage, address: str | None, served: bool, deletes: str) -> Iterator[str]:
    where = "" if damage.row is None else f" (row {damage.row} of its ledger)"
    what = visible(damage.what)
    yield f"{what[:1].upper()}{what[1:]}{where}."
    yield ""
    if damage.run is not None:
        yield "It cannot be opened or go on; no other run is harmed by it."
        yield ""
    yield "See all that is damaged in the store:"
    yield f"  {command('doctor', store=address)}"
    if served:
        yield "What a server keeps is mended there: restore a backup of its database."
    else:
        yield "Save all that is whole to a new store; this one stays as it is:"
        yield f"  {command('doctor', '--repair', store=address)}"
    if deletes:
        yield ""
        yield deletes
