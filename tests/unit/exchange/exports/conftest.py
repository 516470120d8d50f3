"""Makes `exports_examples` importable, and gives runs of every kind."""

import pytest
from exports_examples import HOSTILE, IMPORTED, MEASURED, a_run, analysis, figure

from leadline.model.run import Run
from leadline.model.summary import Analysis


@pytest.fixture(params=["measured", "imported", "both", "nameless", "hostile", "twice", "none"])
def any_run(request: pytest.FixtureRequest) -> tuple[Run, Analysis]:
    hostile = {HOSTILE: HOSTILE, "mpi": "not the MPI", "1st": 1}
    points = {
        "measured": (MEASURED,),
        "imported": (IMPORTED,),
        "both": (MEASURED, figure(IMPORTED, mpi="other")),
        "hostile": (figure(benchmark=HOSTILE, mpi=HOSTILE, axes=hostile, metrics={HOSTILE: 1.0}),),
        "nameless": (figure(IMPORTED, mpi=""),),
        "twice": (MEASURED, MEASURED),
        "none": (),
    }[request.param]
    return a_run(run=HOSTILE if request.param == "hostile" else "a"), analysis(*points)
