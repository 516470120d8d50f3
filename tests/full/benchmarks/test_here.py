"""The whole command with real MPI processes, where MPICH and IMB are here."""

import json
import os
import sys
from pathlib import Path

import pytest
from checkout import CHECKOUT
from programs import run

from leadline.site.mpi.discovery import find_installations

BENCHMARKS = CHECKOUT / "benchmarks"


def imb():
    """Return IMB-MPI1, or skip with the package's name."""
    more = os.environ.get("LEADLINE_TEST_MPI_PREFIXES", "").split(":")
    prefixes = [*more, *(each.prefix for each in find_installations())]
    for program in (Path(prefix) / "bin" / "IMB-MPI1" for prefix in prefixes):
        if os.access(program, os.X_OK):
            return program
    return pytest.skip("IMB-MPI1 is not here: `leadline mpi install intel` brings it")


@pytest.mark.mpi
def test_the_quick_comparison_gives_every_figure(tmp_path):
    if not any(Path(each.prefix) == Path(sys.prefix) for each in find_installations()):
        pytest.skip("leadline's environment has no MPICH: install the package mpich from PyPI")
    answer = tmp_path / "answer.json"
    words = ("peers", "--quick", "--anyway", "--imb", imb(), "--json", answer)
    run(BENCHMARKS / "run", *words, status=0)
    told = json.loads(answer.read_text())
    assert told["outcome"] == "complete"
    assert {(each["case"], each["bytes"]) for each in told["figures"]} == {
        ("ping-pong", 8), ("ping-pong", 65536), ("allreduce", 8), ("allreduce", 2**20),
    }  # fmt: skip
    assert {each["condition"] for each in told["ratios"]} == {"quiet", "disturbed"}
    assert all(0 < each["median_s"] < 1 for each in told["figures"])
    # Six contenders of leadline, two launches each, all of which looked for disturbances.
    assert told["findings"]["disturbed"]["runs"] == 12
