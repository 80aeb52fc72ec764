"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .background import BackgroundRuns as BackgroundRuns
from .background import Underway as Underway
from .calls import CallNow as CallNow
from .calls import NodeBegan as NodeBegan
from .calls import VisitCalls as VisitCalls
from .capture import Capture as Capture
from .capture import own_terminal as own_terminal
from .hits import Decided as Decided
from .hits import GraphLoaded as GraphLoaded
from .hits import Halted as Halted
from .hits import NodeTried as NodeTried
from .hits import RunStarted as RunStarted
from .hits import StoreWaits as StoreWaits
from .hits import WorkDone as WorkDone
from .hits import WorkFailed as WorkFailed
from .printed import Printed as Printed
from .printed import Source as Source
from .thread import SteppingThread as SteppingThread
from .work import Abandon as Abandon
from .work import Adopt as Adopt
from .work import Decide as Decide
from .work import EditState as EditState
from .work import Extend as Extend
from .work import Fork as Fork
from .work import Go as Go
from .work import Load as Load
from .work import Retry as Retry
from .work import SetMode as SetMode
from .work import Start as Start
from .work import Step as Step
from .work import Try as Try
from .work import Work as Work
