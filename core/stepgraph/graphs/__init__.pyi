"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .builder import StateGraph as StateGraph
from .parts import END as END
from .parts import MAX_STEPS as MAX_STEPS
from .parts import OPAQUE as OPAQUE
from .parts import Edge as Edge
from .parts import Locator as Locator
from .parts import NodeEntry as NodeEntry
from .parts import definition_hash as definition_hash
from .parts import to_document as to_document
from .plan import CompiledGraph as CompiledGraph
