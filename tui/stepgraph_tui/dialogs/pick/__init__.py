"""Taking one of many by a part of its name, and giving names."""

from __future__ import annotations

from .choice import Choice, ranked
from .choices import targets_to_pick, types_to_pick
from .name_prompt import NamePrompt
from .pick import Pick

__all__ = ["Choice", "NamePrompt", "Pick", "ranked", "targets_to_pick", "types_to_pick"]
