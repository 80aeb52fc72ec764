"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .catalog import ModelCatalog as ModelCatalog
from .catalog import Preset as Preset
from .catalog import check_library as check_library
from .catalog import has_price as has_price
from .catalog import presets as presets
from .catalog import prices as prices
from .catalog import provider_names as provider_names
from .client import CallBegan as CallBegan
from .client import CallEnded as CallEnded
from .client import CallEvent as CallEvent
from .client import CallListener as CallListener
from .client import CallPlace as CallPlace
from .client import CallWaits as CallWaits
from .client import LLMClient as LLMClient
from .client import ModelReply as ModelReply
from .client import TextCame as TextCame
from .client import ToolSpec as ToolSpec
from .settings import KeySource as KeySource
from .settings import ModelSettings as ModelSettings
from .settings import keep_in_keyring as keep_in_keyring
from .settings import key_source as key_source
from .settings import probe as probe
from .settings import read_model as read_model
from .settings import read_models as read_models
