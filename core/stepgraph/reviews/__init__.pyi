"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .inbox import RULES as RULES
from .inbox import TIME_HAS_COME as TIME_HAS_COME
from .inbox import DueReviews as DueReviews
from .inbox import Reviews as Reviews
from .inbox import delete_runs as delete_runs
from .model import Decision as Decision
from .model import Gate as Gate
from .model import Review as Review
from .model import ReviewRequest as ReviewRequest
from .model import ReviewStatus as ReviewStatus
from .model import Risk as Risk
from .model import Side as Side
from .model import Verb as Verb
from .model import as_output as as_output
from .model import payload_hash as payload_hash
from .model import shown_values as shown_values
from .request import MOST_TOLD as MOST_TOLD
from .stored import NOTED as NOTED
from .terms import TIMEOUT as TIMEOUT
from .terms import OnTimeout as OnTimeout
from .terms import person as person
from .voters import missing_text as missing_text
from .voters import refusal as refusal
from .waiting import ORDERS as ORDERS
from .waiting import POSSIBLE as POSSIBLE
from .waiting import InboxFilter as InboxFilter
from .waiting import ListedReview as ListedReview
from .waiting import ReviewGroup as ReviewGroup
from .waiting import ReviewOrder as ReviewOrder
from .waiting import deadline_of as deadline_of
from .waiting import grouped as grouped
from .waiting import in_order as in_order
from .waiting import question_of as question_of
from .waiting import refuse_together as refuse_together
from .waiting import soonest_deadline as soonest_deadline
from .waiting import urgency as urgency
