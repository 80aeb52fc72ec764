"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .export import FORMATS as FORMATS
from .export import Exportable as Exportable
from .export import Exported as Exported
from .export import ExportFormat as ExportFormat
from .export import file_stem as file_stem
from .reading import MAX_BYTES as MAX_BYTES
from .reading import READERS as READERS
from .reading import Imported as Imported
from .reading import read_foreign_bytes as read_foreign_bytes
from .reading import read_foreign_file as read_foreign_file
