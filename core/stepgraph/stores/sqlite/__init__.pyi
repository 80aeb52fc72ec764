"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from ..snapshots import SnapshotPolicy as SnapshotPolicy
from .checking import file_damages as file_damages
from .checking import free_name as free_name
from .checking import opened_to_look as opened_to_look
from .checking import repair as repair
from .store import SqliteStore as SqliteStore
from .store import open_sqlite as open_sqlite
