"""Programs measured through the real command line: what they report, and what they refuse."""

import os

import pytest
from real_ranks import REAL_RANKS

pytestmark = REAL_RANKS
BRIEF = ("--seconds", "0.02", "--minimum", "3", "--maximum", "10", "--launches", "1")


def test_fem2d(leadline, mpich):
    words = ("--level", "3", "--place", "1x2", "--method", "csr", "--problem", "A,B")
    answer = leadline.measure("app/fem2d", *words, "--mpi", mpich["name"], *BRIEF)
    found = {(point["series"], point["axes"]["problem"]): point for point in answer["points"]}
    assert set(found) == {(series, p) for series in ("assembly", "pcg") for p in "AB"}
    for (series, problem), point in found.items():
        assert point["verified"]
        metrics = point["metrics"]
        assert metrics["unknowns"] == 129**2
        assert 0 < metrics["reduction"] <= 1e-6
        assert abs(metrics["iterations"] - {"A": 42, "B": 29}[problem]) <= 1
        assert metrics["assembly_s"] > 0 and metrics["pcg_s"] > 0
        # 11.5 entries of a row, with their columns, are read in each iteration.
        assert metrics["traffic_bytes"] > 138 * metrics["iterations"] * 127**2 / 2
        shares = {"communication_percent", "communication_max_percent"}
        assert metrics.keys() & shares == (shares if series == "pcg" else set())
    for problem in "AB":
        share = found["pcg", problem]["metrics"]
        most = share["communication_max_percent"]
        assert 0 < share["communication_percent"] <= most < 100


@pytest.mark.skipif(
    os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 250e9, reason="level 11 would fit"
)
def test_fem2d_that_does_not_fit_is_left_out(leadline, mpich):
    words = ("--level", "3,11", "--place", "1x1", "--method", "csr", "--mpi", mpich["name"])
    answer = leadline.measure("app/fem2d", *words, *BRIEF)
    assert {point["axes"]["level"] for point in answer["points"]} == {3}
    (found,) = (each for each in answer["findings"] if each["kind"] == "not_available")
    assert "level 11 needs about 279.1 GB on a node" in found["text"]
    assert "choose a lower level or more nodes" in found["text"]


def test_fem2d_refuses_what_it_cannot_do(leadline, mpich):
    run = ("run", "app/fem2d", "--mpi", mpich["name"])
    assert "level=2 is too small" in leadline.refused(*run, "--level", "2")
    assert "tolerance=0.0 is too small" in leadline.refused(*run, "--tolerance", "0")
    assert "at most 128 processes" in leadline.refused(*run, "--place", "1x129", "--oversubscribe")
