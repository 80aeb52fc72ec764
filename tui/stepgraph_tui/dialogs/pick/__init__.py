"""Taking one of many by a part of its name, and giving names."""

from __future__ import annotations

from .name_prompt import NamePrompt
from .options import PickOption, ranked, targets_to_pick, types_to_pick
from .pick import Pick, PickField, PickList

__all__ = [
    "NamePrompt", "Pick", "PickField", "PickList", "PickOption", "ranked", "targets_to_pick", "types_to_pick",
]  # fmt: skip
