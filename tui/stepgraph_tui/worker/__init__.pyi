"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .background import BackgroundRuns as BackgroundRuns
from .background import Underway as Underway
from .calls import CallNow as CallNow
from .calls import Decided as Decided
from .calls import GraphLoaded as GraphLoaded
from .calls import Halted as Halted
from .calls import NodeBegan as NodeBegan
from .calls import NodeTried as NodeTried
from .calls import RunStarted as RunStarted
from .calls import StoreWaits as StoreWaits
from .calls import VisitCalls as VisitCalls
from .calls import WorkDone as WorkDone
from .calls import WorkFailed as WorkFailed
from .capture import Capture as Capture
from .capture import Printed as Printed
from .capture import Source as Source
from .capture import own_terminal as own_terminal
from .thread import Abandon as Abandon
from .thread import Adopt as Adopt
from .thread import Decide as Decide
from .thread import EditState as EditState
from .thread import Extend as Extend
from .thread import Fork as Fork
from .thread import Go as Go
from .thread import Load as Load
from .thread import Retry as Retry
from .thread import SetMode as SetMode
from .thread import Start as Start
from .thread import Step as Step
from .thread import SteppingThread as SteppingThread
from .thread import Try as Try
from .thread import Work as Work
