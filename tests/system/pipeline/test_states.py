"""A run that meets slow spells of the machine, from the probe's yardsticks to what is said."""

import pytest

from leadline.analysis.compare.compare import compare
from leadline.analysis.findings.conclude import conclude
from leadline.analysis.results.states import States
from leadline.measure.run.preparation import prepare
from leadline.measure.run.run import execute_in
from leadline.model.plan import Entry, Plan, Stopping
from leadline.model.progress import Silent
from leadline.store.samples import StoredSamples


@pytest.fixture
def measured(environment, monkeypatch, tmp_path):
    monkeypatch.setenv("LEADLINE_HOME", environment["LEADLINE_HOME"])

    def measure(share, after=0.0, seed=1, launches=12):
        monkeypatch.setenv("LEADLINE_FAKE_SPELL_SHARE", str(share))
        monkeypatch.setenv("LEADLINE_FAKE_SPELL_AFTER", str(after))
        entry = Entry(benchmarks=("fake/transfer",), axes={"bytes": "8,1K"})
        plan = Plan(
            entries=(entry,),
            mpi=("fake",),
            launches=launches,
            seed=seed,
            stopping=Stopping(minimum=20, maximum=200),
        )
        folder, run = execute_in(tmp_path, prepare(plan, lambda text: None), Silent(), [])
        return run, conclude(run, StoredSamples(folder))

    return measure


def test_a_quiet_run_has_readings_and_one_state(measured):
    run, analysis = measured(share=0.0, launches=2)
    for launch in run.launches:
        assert launch.readings[0].points == 0
        assert launch.readings[-1].points == len(launch.points)
        assert all(each.round_trip_s > 0 and each.work_s > 0 for each in launch.readings)
    assert all(len(point.readings) == 2 and not point.states for point in analysis.points)
    assert "slow_spell" not in {each.kind for each in analysis.findings}


def test_launches_that_met_a_spell_are_known_and_figures_are_of_the_others(measured):
    _, analysis = measured(share=0.4)
    point = analysis.points[0]
    fast, slow = point.states
    assert (fast.state, slow.state) == (0, 1) and slow.times == pytest.approx(3.0)
    assert sorted((*fast.launches, *slow.launches)) == list(range(12))
    assert slow.median_s == pytest.approx(3.0 * point.median_s, rel=0.1)
    assert len(point.launch_medians_s) == 12
    (found,) = [each for each in analysis.findings if each.kind == "slow_spell"]
    assert f"{len(slow.launches)} of 12 launches" in found.text and "3.0x" in found.text


def test_a_spell_that_begins_within_a_launch_leaves_it_in_no_state(measured):
    # Its simulated clock stands below 2 ms before the first point, and above after the last. Where
    # most launches change, nothing tells a spell from scatter.
    _, analysis = measured(share=0.4, after=2e-3)
    readings = [each for point in analysis.points for each in point.readings]
    found = States(readings)
    changed = [each for each in readings if max(each.round_trips_s) > 2 * min(each.round_trips_s)]
    assert changed and all(found.of(each) is None for each in changed)


def test_runs_are_compared_in_the_state_that_both_met(measured):
    _, base = measured(share=0.0, launches=6)
    _, other = measured(share=0.4)
    _, spell = measured(share=1.0, launches=6)
    for each in compare("base", base.points, "other", other.points).figures:
        assert each.verdict in ("same", "cannot tell") and 0.9 < each.ratio < 1.1
        assert each.states.state == 0 and each.states.base_launches == 6
    for each in compare("base", base.points, "spell", spell.points).figures:
        assert each.verdict == "cannot tell" and each.states.apart
