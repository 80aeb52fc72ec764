"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .evaluate import Facts as Facts
from .evaluate import Test as Test
from .evaluate import compile_test as compile_test
from .explaining import MISSING as MISSING
from .explaining import Explanation as Explanation
from .explaining import Missing as Missing
from .explaining import explain as explain
from .parsing import MAX_LENGTH as MAX_LENGTH
from .parsing import parse as parse
from .paths import Changes as Changes
from .paths import Path as Path
from .paths import changed_paths as changed_paths
from .paths import read_path as read_path
from .paths import updated as updated
from .paths import value_at as value_at
from .tree import FACTS as FACTS
from .tree import RunFact as RunFact
from .tree import Tree as Tree
from .tree import Visits as Visits
from .tree import operands as operands
from .tree import path_text as path_text
from .tree import step_text as step_text
from .tree import written_key as written_key
