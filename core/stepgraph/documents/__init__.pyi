"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .comparing import Difference as Difference
from .comparing import Document as Document
from .comparing import changes as changes
from .comparing import differences as differences
from .json_schema import TITLE as TITLE
from .json_schema import graph_schema as graph_schema
from .loader import GraphRebuilder as GraphRebuilder
from .loader import from_document as from_document
from .loader import terms_of as terms_of
from .notes import Notes as Notes
from .schema import COMMON as COMMON
from .schema import EdgePart as EdgePart
from .schema import GraphPart as GraphPart
from .schema import KeyPart as KeyPart
from .schema import NodePart as NodePart
from .schema import ReviewsPart as ReviewsPart
from .schema import ToolPart as ToolPart
