"""The pages of nights, over runs that were made without a probe."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from werkzeug.test import Client

from leadline.core.units import format_seconds
from leadline.library.nights import last_nights
from leadline.model.watched import FollowedFigure, NightFigure, Nights, WatchedNight
from leadline.output.server.application import Application
from leadline.output.server.catalogue import Entry, Listed
from leadline.output.server.nights import figure_rows, night_rows, shown_times

from served import Timed, imported_run, page_text, write_import  # isort: skip

SLOW_NIGHT, NIGHTS = 6, 7
FIGURE = imported_run().imported.figures[0]


class Night(Timed):
    """A run in which the last of three points takes `last` times as long."""

    last = 1.0

    def records(self, launch, points):
        table = super().records(launch, points)
        table["seconds"][table["point"] == 2] *= self.last
        return table


def night(runs, day, slower=1.0, confirms="", launches=5):
    run = Night(runs, day=day, slower=1 + day % 3 / 200, samples=10)
    run.last = slower
    run.run.plan = msgspec.structs.replace(run.run.plan, name="nightly")
    run.run.confirms = confirms
    run.folder.write(run.run)
    for launch in range(launches):
        run.launch(launch)
    return run.finish().name


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """Five usual nights, then two in which a point is slower, as launches made afterwards say."""
    runs = tmp_path_factory.mktemp("runs")
    names = [night(runs, day) for day in range(1, SLOW_NIGHT)]
    names.append(night(runs, SLOW_NIGHT, slower=1.5))
    again = night(runs, SLOW_NIGHT, slower=1.5, confirms=names[-1], launches=8)
    names.append(night(runs, NIGHTS, slower=1.5))
    write_import(runs)
    return Client(Application(runs, lambda *_: {}, watch=last_nights)), names, again


def the_key(client):
    (found,) = client.get("/api/nights").json["watched"]
    return found


def test_what_was_measured_twice_is_watched_without_what_was_measured_again(watched):
    client, names, _ = watched
    found = the_key(client)
    assert (found["plan"], found["host"], found["runs"]) == ("nightly", "node17", names)
    listed = page_text(client, "/nights")
    assert f'<a href="/nights/{found["key"]}">nightly</a>' in listed
    assert '<td class="number">7</td>' in listed
    assert 'aria-current="page">Nights' in listed


def test_a_night_that_was_confirmed_says_by_how_much_and_where(watched):
    client, names, again = watched
    key = the_key(client)["key"]
    page_text(client, f"/nights/{key}")
    found = client.get(f"/api/nights/{key}").json
    assert found["measured_again"] == {names[SLOW_NIGHT - 1]: again}
    assert len(found["figures"]) == 6
    slower = []
    for figure in found["figures"]:
        said = {each["run"]: each for each in figure["nights"]}
        assert list(said) == names
        assert {said[name]["said"] for name in names[:3]} == {"learning"}
        assert {said[name]["said"] for name in names[3 : SLOW_NIGHT - 1]} == {"usual"}
        if said[names[-1]]["said"] == "usual":
            continue
        slower.append(figure["name"])
        slow = said[names[SLOW_NIGHT - 1]]
        assert slow["said"] == "slower"
        assert slow["ratio"] == pytest.approx(1.5, rel=0.02)
        assert slow["fresh_ratio"] == pytest.approx(1.5, rel=0.02)
        assert slow["fresh_launches"] == 8
        assert said[names[-1]]["said"] == "slower"
    assert len(slower) == 2, "both series of the last point"


def test_the_page_has_verdicts_nights_and_the_chosen_figure(watched):
    client, names, again = watched
    key = the_key(client)["key"]
    shown = page_text(client, f"/nights/{key}")
    assert f"SLOWER since {names[SLOW_NIGHT - 1]}" in shown
    assert shown.count('aria-current="true"') == 1
    assert f'<a href="/runs/{again}">{again}</a>' in shown
    assert shown.index(f">{names[-1]}</a>") < shown.index(f">{names[0]}</a>")
    assert "2 slower, 4 usual" in shown
    assert shown.count(">1.5x in 8 launches</td>") == 2, "of the night in which it began"
    assert "1.5x, again 1.5x" in shown
    other = page_text(client, f"/nights/{key}?figure=3")
    assert f'<a href="/nights/{key}?figure=3" aria-current="true">' in other
    unknown = page_text(client, f"/nights/{key}?figure=none")
    assert unknown.count('aria-current="true"') == 1


def test_runs_of_one_day_and_trials_of_tune_are_no_nights(tmp_path):
    client = Client(Application(tmp_path, lambda *_: {}, watch=last_nights))
    for _ in range(3):
        Timed(tmp_path, day=1).finish()
    for day in (1, 2):
        trial = Timed(tmp_path, day=day)
        plan = msgspec.structs.replace(trial.run.plan, seed=7, name="tune mpich-4.0 031522")
        trial.run.plan = msgspec.structs.replace(plan, mpi=("mpich-4.0",))
        trial.folder.write(trial.run)
        trial.finish()
    assert client.get("/api/nights").json == {"watched": []}
    assert "Nothing was measured on two days yet" in page_text(client, "/nights")
    Timed(tmp_path, day=2).finish()
    assert len(the_key(client)["runs"]) == 4


def followed(seconds):
    """Nights of one figure that took these times, and entries of their runs."""
    entries, nights = {}, []
    for day, median_s in enumerate(seconds, 1):
        run = f"run-{day:02d}"
        started = f"2026-01-{day:02d}T00:00:00+00:00"
        listed = Listed(
            run=run, folder="", started=started, state="complete", message="", size_bytes=0
        )
        entries[run] = Entry(Path(run), listed, ())
        figure = msgspec.structs.replace(FIGURE, median_s=median_s)
        nights.append(NightFigure(run=run, said="usual", ratio=1.0, figure=figure))
    found = Nights(
        runs=tuple(entries),
        newest=WatchedNight(summary="", figures=()),
        figures=(FollowedFigure(name="f", nights=tuple(nights)),),
        machine_ratios=dict.fromkeys(entries, 1.0),
        measured_again={},
    )
    return found, entries


def changes_of(nights, entries):
    (row,) = figure_rows(nights, entries)
    return [(each.run.run, each.what, each.before, each.after) for each in row.changes]


def test_a_level_that_lasts_is_marked_where_it_began_and_scatter_is_not():
    random = np.random.default_rng(3)
    seconds = np.where(np.arange(20) < 12, 1e-6, 1.5e-6) * random.lognormal(0, 0.02, 20)
    before, after = np.median(seconds[:12]), np.median(seconds[12:])
    assert changes_of(*followed(seconds)) == [
        ("run-13", "time", format_seconds(before), format_seconds(after))
    ]
    scatter = (1e-6 * random.lognormal(0, 0.1, 25) for _ in range(200))
    assert sum(bool(changes_of(*followed(seconds))) for seconds in scatter) <= 8
    assert changes_of(*followed([0.0] * 20)) == [], "an import may have times of 0"


@pytest.mark.parametrize(("fact", "what"), [("host", "machine"), ("kernel", "kernel")])
def test_another_machine_or_kernel_is_a_change_where_it_is_known(fact, what):
    nights, entries = followed([1e-6] * 6)
    for entry, value in zip(list(entries.values()), "aaba c", strict=True):
        changed = msgspec.structs.replace(entry.listed, **{fact: value.strip()})
        entries[entry.listed.run] = entry._replace(listed=changed)
    assert changes_of(nights, entries) == [("run-03", what, "a", "b"), ("run-04", what, "b", "a")]


def test_a_night_whose_folder_was_removed_meanwhile_is_passed_over():
    nights, entries = followed([1e-6] * 4)
    del entries["run-02"]
    (row,) = figure_rows(nights, entries)
    assert [run.run for run, _ in row.points] == ["run-01", "run-03", "run-04"]
    assert [run for run, *_ in night_rows(nights)][2] == "run-02"


def test_folders_that_were_renamed_keep_their_nights(tmp_path):
    for day, name in ((1, "monday"), (2, "tuesday")):
        (tmp_path / night(tmp_path, day)).rename(tmp_path / name)
    client = Client(Application(tmp_path, lambda *_: {}, watch=last_nights))
    page = page_text(client, f"/nights/{the_key(client)['key']}")
    assert "monday" in page and "tuesday" in page


def test_nothing_watched_and_nothing_at_an_address_are_said(tmp_path):
    write_import(tmp_path)
    client = Client(Application(tmp_path, lambda *_: {}, watch=last_nights))
    assert "leadline watch quick --confirm" in page_text(client, "/nights")
    assert client.get("/nights/none").status_code == 404
    assert client.get("/api/nights/none").status_code == 404


def with_interval(median_s, low, high):
    return msgspec.structs.replace(FIGURE, median_s=median_s, ci95_low_s=low, ci95_high_s=high)


def test_one_long_interval_does_not_flatten_a_trend():
    usual = [with_interval(time, time - 1e-7, time + 1e-7) for time in (1e-6, 1.1e-6, 1.5e-6)]
    low, high = shown_times([*usual, with_interval(1.2e-6, 1e-7, 1500e-6)])
    assert 0.8e-6 < low < 0.9e-6 and 1.6e-6 < high < 1.7e-6
    assert shown_times([with_interval(1e-6, 1e-7, 2e-6)])[1] > 2e-6, "the only one is usual"
    assert shown_times([with_interval(1.0, None, None)]) == pytest.approx((0.94, 1.06))
    assert shown_times([]) == (0.0, 1e-6)
