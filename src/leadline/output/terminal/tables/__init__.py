"""Tables of a run that people ask for by name, such as those of published measurements."""

import importlib
from typing import cast

from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output.table import Table

# The module that holds the function which fills each in, called as the table.
_MODULES = {
    "bandwidth": "traffic",
    "by-nodes": "traffic",
    "by-processes": "programs",
    "choices": "choices",
    "further-sizes": "programs",
    "global-sum": "publications",
    "headlines": "choices",
    "impact": "disturbances",
    "kernels": "kernels",
    "newsletter": "publications",
    "noise": "disturbances",
    "noise-cost": "disturbances",
    "pairs": "traffic",
    "phases": "programs",
    "program": "programs",
    "published": "publications",
    "selections": "choices",
    "states": "disturbances",
    "winners": "choices",
}
TABLE_NAMES = tuple(_MODULES)


def run_table(name: str, run: Run, analysis: Analysis) -> Table:
    """Return the table of that name, of `TABLE_NAMES`.

    Raises `UserError` for a run that it does not fit.
    """
    module = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    return cast(Table, getattr(module, name.replace("-", "_"))(run, analysis))
