"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .deciding import ReviewDraft as ReviewDraft
from .deciding import ReviewDrafts as ReviewDrafts
from .proposal import Onward as Onward
from .screen import ReviewScreen as ReviewScreen
