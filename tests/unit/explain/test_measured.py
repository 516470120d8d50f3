"""Curves from runs in the store: of the same library, on one of the same hosts."""

import msgspec
import pytest
from measured import BENCHMARK, measured  # noqa: F401 - a fixture
from recordings import rank, row

from leadline.exchange.subject import subject
from leadline.explain.bounds import MESSAGE, Shape
from leadline.explain.measured import find_curves
from leadline.library.runs import OpenRun
from leadline.model.description import Delivery
from leadline.store.samples import StoredSamples

SENDS = [rank(0, mpi=1.0, rows=[row("MPI_Send", size=2, seconds=1.0, ranks=2)]), rank(1)]
HERE = {"library": "A library 1.0", "host": "h.site"}


@pytest.fixture
def runs(measured):  # noqa: F811
    """A folder of runs with one of three sizes; `change` its description before it ends."""

    def make(**changes):
        made = measured(points=3)
        described = {"delivery": Delivery(sides="two-sided", series="receiver"), **changes}
        made.run.benchmarks = [msgspec.structs.replace(BENCHMARK, **described)]
        made.launch(0)
        return made.finish().path.parent

    return make


def test_a_run_with_messages_is_a_curve(runs, read):
    [(shape, curve)] = find_curves(read(SENDS, **HERE), runs()).items()
    assert shape == Shape(MESSAGE, 2, 1)
    assert sorted(curve.seconds) == [1, 2, 4]
    # The samples of this launch begin at 1 us, four operations in a batch.
    assert all(0.2e-6 < seconds < 2e-6 for seconds in curve.seconds.values())


@pytest.mark.parametrize(
    "elsewhere",
    [{**HERE, "library": "A library 2.0"}, {**HERE, "host": "other"}, {**HERE, "library": ""}],
)
def test_another_library_or_host_is_no_bound(runs, read, elsewhere):
    assert find_curves(read(SENDS, **elsewhere), runs()) == {}


def test_a_benchmark_of_something_else_is_no_bound(runs, read):
    assert find_curves(read(SENDS, **HERE), runs(delivery=None)) == {}


def test_a_damaged_run_is_passed_over(runs, read):
    folder = runs()
    sound = find_curves(read(SENDS, **HERE), folder)
    runs()
    newest = sorted(folder.iterdir())[-1]
    (newest / "run.json").write_text("{")
    assert find_curves(read(SENDS, **HERE), folder) == sound


def test_what_is_kept_of_a_run_gives_the_same_curve_and_no_sample_is_read(runs, read, monkeypatch):
    folder = runs()
    recording = read(SENDS, **HERE)
    worked_out = find_curves(recording, folder)
    OpenRun(*subject("last", folder)).keep_grade()
    monkeypatch.delattr(StoredSamples, "columns")
    assert find_curves(recording, folder) == worked_out
