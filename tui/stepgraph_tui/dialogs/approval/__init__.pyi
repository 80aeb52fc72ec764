"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .drafts import ReviewDraft as ReviewDraft
from .drafts import ReviewDrafts as ReviewDrafts
from .onward import Onward as Onward
from .screen import ReviewScreen as ReviewScreen
