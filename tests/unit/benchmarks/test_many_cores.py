"""The table of collectives at growing numbers of ranks: its arithmetic, without any program."""

import doctest

import pytest
from comparison import many_cores
from comparison.many_cores import Launch, components_in, lines, rows, ways_of

from leadline.core.errors import UserError
from leadline.model.installation import Installation

SMALL, LARGE = ("allreduce", 8), ("allreduce", 1024)


def launches(gains, ranks=4, rounds=5):
    """Rounds whose machine is ever slower; gains over the library are those given, by way."""
    for number in range(rounds):
        slow = 1e-6 * (1 + number)
        yield Launch("m", ranks, "library", number, {SMALL: slow, LARGE: slow, ("copy", 8): 1.0})
        for way, (small, large) in gains.items():
            seconds = {SMALL: slow / small, LARGE: slow / large, ("copy", 8): 1.0}
            yield Launch("m", ranks, way, number, seconds)


def installation(family):
    return Installation(
        name="m", family=family, version="1", prefix="", source="", mpicc="", mpiexec=""
    )


def test_examples():
    assert doctest.testmod(many_cores).failed == 0


def test_a_gain_is_the_mean_over_sizes_and_the_library_s_best_takes_each_size_its_own_way():
    (row,) = rows([*launches({"han": (4.0, 0.5), "learnt": (8.0, 2.0)})])
    assert (row.collective, row.ranks, row.harmed) == ("allreduce", 4, None)
    assert row.gains == {"han": pytest.approx(2**0.5), "learnt": pytest.approx(4.0)}
    assert row.best == pytest.approx(2.0)  # han at 8 bytes, the library's default at 1024


def test_a_size_that_the_runtime_slows_down_is_named():
    (row,) = rows([*launches({"learnt": (2.0, 0.5)})])
    assert row.harmed == 1024
    assert lines([row])[-1].endswith("up to 1 KiB")
    (slow_component,) = rows([*launches({"han": (2.0, 0.5)})])
    assert slow_component.harmed is None


def test_each_number_of_ranks_has_its_row():
    table = rows([*launches({"learnt": (2.0, 2.0)}, 2), *launches({"learnt": (3.0, 3.0)}, 8)])
    assert [(each.ranks, round(each.best, 6)) for each in table] == [(2, 1.0), (8, 1.0)]
    assert len(lines(table)) == 4


def test_a_way_that_did_not_end_everywhere_is_left_out():
    cut = [each for each in launches({"han": (2.0, 2.0)}) if each.way == "library"]
    half = Launch("m", 4, "han", 0, {SMALL: 1e-6})
    (row,) = rows([*cut, half])
    assert row.gains == {} and row.best == pytest.approx(1.0)


def test_ways_are_those_of_the_family(tmp_path, monkeypatch):
    profile = tmp_path / "profile.toml"
    monkeypatch.setenv("LEADLINE_PROFILE", str(profile))
    components = components_in("mca:coll:han:version:1\nmca:coll:self:version:1\nmca:btl:sm:x")
    names = [each.name for each in ways_of(installation("openmpi"), components)]
    assert names == ["library", "han", "learnt"]
    profile.touch()
    names = [each.name for each in ways_of(installation("mpich"), [])]
    assert names == ["library", "mpir", "release_gather", "learnt", "tuned"]
    assert [each.name for each in ways_of(installation("intel"), [])][:2] == ["library", "learnt"]


@pytest.mark.parametrize("text", ["1", "two", "2,,4", "-4"])
def test_numbers_of_ranks_that_make_no_sense_are_named(text):
    with pytest.raises(UserError, match="is no number from 2 on"):
        many_cores._numbers(text)
