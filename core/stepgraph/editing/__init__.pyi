"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .design import Design as Design
from .design import Edit as Edit
from .design import Edited as Edited
from .design import EditError as EditError
from .design import EditHistory as EditHistory
from .design import Kind as Kind
from .design import Part as Part
from .design import ReplaceDesign as ReplaceDesign
from .design import Turned as Turned
from .edges import Connect as Connect
from .edges import DeleteDeclaration as DeleteDeclaration
from .edges import DeleteEdge as DeleteEdge
from .edges import EditEdge as EditEdge
from .edges import EditPart as EditPart
from .edges import EditSettings as EditSettings
from .edges import MoveEdge as MoveEdge
from .naming import new_name as new_name
from .nodes import AddNode as AddNode
from .nodes import ChangeType as ChangeType
from .nodes import DeleteNodes as DeleteNodes
from .nodes import DuplicateNodes as DuplicateNodes
from .nodes import SetStart as SetStart
from .pasting import Paste as Paste
from .pasting import copied as copied
from .placing import fallback as fallback
from .renaming import Rename as Rename
from .text import design_text as design_text
from .text import losses as losses
from .text import read_design as read_design
