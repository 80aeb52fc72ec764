"""What a listing says of runs that are damaged, beside all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stepgraph.stores.refusals import is_served, mending
from stepgraph_tui.text.plain import visible
from stepgraph_tui.text.runs import DAMAGED

from .exits import Exit

if TYPE_CHECKING:
    from stepgraph.stores.base import Damage

    from .output import Output

_TOLD = 10


def damage_json(damage: Damage, run: str, url: str) -> dict[str, Any]:
    """Write a damage as JSON.

    Args:
        damage: What is damaged.
        run: The field that names the run, where it is known which.
        url: The store.
    """
    return {run: damage.run, "status": DAMAGED, "damage": damage.what, "hint": mending(url)}


def tell_damages(output: Output, damages: Sequence[Damage], url: str) -> Exit:
    """Say what is damaged, and what to do next; the exit code of the listing."""
    if not damages:
        return Exit.DONE
    if not output.as_json:
        for damage in damages[:_TOLD]:
            output.narrate(visible(f"damaged: {damage}"))
        if len(damages) > _TOLD:
            output.narrate(f"and {len(damages) - _TOLD:,} more")
        if is_served(url):
            output.narrate("see all that is damaged; what a server keeps is mended there, from a backup:")
            output.suggest("doctor")
            return Exit.FAILED
        output.narrate("see all that is damaged, then save all that is whole to a new store:")
        output.suggest("doctor")
        output.suggest("doctor", "--repair")
    return Exit.FAILED
