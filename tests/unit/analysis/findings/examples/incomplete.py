"""A run whose host is unknown."""

import dataclasses

from leadline.analysis.results.pairs import missing_figure
from leadline.model.placement import Placement
from leadline.model.plan import Entry
from leadline.model.run import Outcome

SOURCE = "invented figures"


def evidence(makers):
    message = "ssh: Could not resolve hostname nosuchhost1: Name or service not known"
    plan = {
        "entries": (Entry(benchmarks=("family/thing",), axes={"bytes": "8"}),),
        "hosts": ("nosuchhost1", "b"),
        "placements": (Placement(2, 1),),
        "launches": 1,
    }
    whole = makers.evidence(
        [makers.figure()],
        launch={"points": (), "outcome": Outcome(state="failed", message=message)},
        outcome=Outcome(state="failed", message=message),
        plan=plan,
    )
    missing = tuple(missing_figure(whole.run, point, {}) for point in whole.run.points)
    return dataclasses.replace(whole, missing=missing)
