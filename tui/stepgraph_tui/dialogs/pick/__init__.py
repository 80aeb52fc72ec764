"""Taking one of many by a part of its name, and giving names."""

from __future__ import annotations

from .name_prompt import NamePrompt
from .pick import (
    BRANCH,
    NEW,
    Pick,
    PickField,
    PickList,
    PickOption,
    new_to_pick,
    places_to_pick,
    ranked,
    targets_to_pick,
    types_to_pick,
)

__all__ = [
    "BRANCH", "NEW", "NamePrompt", "Pick", "PickField", "PickList", "PickOption", "new_to_pick",
    "places_to_pick", "ranked", "targets_to_pick", "types_to_pick",
]  # fmt: skip
