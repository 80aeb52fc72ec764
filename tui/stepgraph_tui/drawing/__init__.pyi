"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .layout import TooLargeToDrawError as TooLargeToDrawError
from .layout import lay_out as lay_out
from .layout import least_width as least_width
from .model import Box as Box
from .model import Diagram as Diagram
from .model import DiagramEdge as DiagramEdge
from .model import DiagramNode as DiagramNode
from .model import Direction as Direction
from .model import Label as Label
from .model import Picture as Picture
from .model import Route as Route
from .picture.paint import BoxContent as BoxContent
from .picture.paint import paint as paint
