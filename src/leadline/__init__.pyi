from leadline.core.errors import UserError as UserError
from leadline.library.runs import open as open
from leadline.library.runs import run as run
from leadline.model.placement import Placement as Placement
from leadline.model.plan import Entry as Entry
from leadline.model.plan import Plan as Plan
from leadline.model.plan import Stopping as Stopping

__version__: str
