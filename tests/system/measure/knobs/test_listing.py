"""What the listing says that every knob becomes, asked of this machine."""

from tests.unit.measure.knobs.test_known import INTEL, MPICH5, OPENMPI4, OTHER

from leadline.measure.knobs.known import knobs
from leadline.measure.knobs.listing import (
    named_knobs,
)


def test_every_knob_is_shown_with_what_it_becomes():
    found = {each.name: each for each in named_knobs(INTEL)}
    assert set(found) == set(knobs())
    assert found["shm_eager_limit"].sets == {"I_MPI_SHM_CELL_FWD_SIZE": "16448"}
    assert found["shm_eager_limit"].example == "16K"
    assert "no variable" in found["eager_limit"].lacking
    assert {"allreduce:ring", "bcast:1-22"} <= set(found["collective_algorithm"].choices)
    assert found["wait_mode"].choices == ()
    assert found["collective_algorithm"].sets == {"I_MPI_ADJUST_ALLREDUCE": "1"}
    for made in (MPICH5, OPENMPI4, OTHER):
        for each in named_knobs(made):
            without_variables = each.name in ("beside", "order", "variables")
            assert each.sets or each.lacking or without_variables, each
