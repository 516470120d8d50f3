"""A program that exchanges messages, built for each MPI here."""

import pytest
from injected.checked import MPIS, built, installations


@pytest.fixture(scope="session")
def programs(tmp_path_factory, leadline_home):
    folder = tmp_path_factory.mktemp("check")
    return {label: built(each, folder) for label, each in installations(MPIS).items()}


@pytest.fixture(params=MPIS)
def start(request, programs):
    if request.param not in programs:
        pytest.skip(f"no {request.param} here")
    return programs[request.param]
