"""Published nights: which alarms are false, and which steps are found."""

import click
import numpy as np
import pytest
from comparison.nights_published import read_series, replay_series


def _write(path, slower_from=None, by=1.0, nights=120, software=lambda night: "a"):
    random = np.random.default_rng(5)
    rows = ["date,commit,figure,seconds"]
    for night in range(nights):
        for figure in range(6):
            step = by if slower_from is not None and figure == 2 and night >= slower_from else 1.0
            seconds = (1 + figure) * step * np.exp(random.normal(0, 0.01))
            day = f"2026-{1 + night // 28:02}-{1 + night % 28:02}"
            rows.append(f"{day},{software(night)},f{figure},{seconds}")
    path.write_text("\n".join(rows) + "\n")
    return path


def test_nights_without_a_change_have_no_alarm_and_large_steps_are_found(tmp_path):
    nights = read_series(_write(tmp_path / "a.csv"))
    found = replay_series(nights, (1.25,), np.random.default_rng(1))
    assert (found.nights, found.figures, found.same) == (100, 6, 100)
    assert found.alarms <= 2
    assert found.steps[1.25] == (99, 99)


def test_an_alarm_is_false_only_where_software_was_the_same(tmp_path):
    path = tmp_path / "a.csv"
    same = replay_series(read_series(_write(path, 60, 1.5)), (), np.random.default_rng(1))
    assert same.alarms == same.false >= 1
    changed = _write(path, 60, 1.5, software=lambda night: "a" if night < 60 else "b")
    other = replay_series(read_series(changed), (), np.random.default_rng(1))
    assert other.alarms == same.alarms
    assert other.false < same.false


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("date,figure\n", "no column commit"),
        ("date,commit,figure,seconds\n1,a,f,x\n", "line 2: 'x'"),
    ],
)
def test_another_file_is_refused(tmp_path, text, said):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(click.UsageError, match=said):
        read_series(tmp_path / "a.csv")


def test_short_and_rare_figures_and_other_names_are_left_out(tmp_path):
    path = _write(tmp_path / "a.csv")
    assert {len(night.seconds) for night in read_series(path, least_s=3.5)} == {3}
    assert {len(night.seconds) for night in read_series(path, only="f3")} == {1}
    assert not any(night.seconds for night in read_series(_write(path, nights=90)))
