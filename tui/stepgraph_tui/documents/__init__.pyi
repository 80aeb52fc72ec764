"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .buffer import Buffer as Buffer
from .buffer import Saved as Saved
from .buffer import graph_at as graph_at
from .difference import TextDifference as TextDifference
from .disk import DiskState as DiskState
from .disk import Editor as Editor
from .disk import GraphDraft as GraphDraft
from .disk import GraphDrafts as GraphDrafts
from .disk import Watcher as Watcher
from .disk import chosen_editor as chosen_editor
from .disk import editor_command as editor_command
from .opened_graph import Checked as Checked
from .opened_graph import OpenedGraph as OpenedGraph
from .python_graph import PythonGraph as PythonGraph
from .suspending import SuspendingEditor as SuspendingEditor
from .suspending import lent_terminal as lent_terminal
