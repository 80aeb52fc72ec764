"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .audit import audit_damages as audit_damages
from .audit import broken_links as broken_links
from .base import AuditEntry as AuditEntry
from .base import BigValue as BigValue
from .base import Damage as Damage
from .base import Listing as Listing
from .base import StateStore as StateStore
from .base import StoredReview as StoredReview
from .base import StoredRun as StoredRun
from .base import each_row as each_row
from .big_values import is_big as is_big
from .checking import store_damages as store_damages
from .ledger import MAX_ID as MAX_ID
from .ledger import Outcome as Outcome
from .ledger import Pointer as Pointer
from .ledger import Row as Row
from .ledger import RowKind as RowKind
from .ledger import RunHead as RunHead
from .ledger import RunStatus as RunStatus
from .ledger import calls_of as calls_of
from .ledger import is_id as is_id
from .ledger import replay as replay
from .ledger import stopped_by as stopped_by
from .opening import ALONE as ALONE
from .opening import BACKUP as BACKUP
from .opening import RescuableStore as RescuableStore
from .opening import Salvage as Salvage
from .opening import conflict as conflict
from .opening import damaged as damaged
from .opening import default_store_url as default_store_url
from .opening import is_served as is_served
from .opening import left_log as left_log
from .opening import mending as mending
from .opening import moved as moved
from .opening import open_store as open_store
from .opening import replaced as replaced
from .opening import store_file as store_file
from .opening import without_password as without_password
from .serving import Outage as Outage
from .serving import ServedStore as ServedStore
from .serving import ServerStore as ServerStore
