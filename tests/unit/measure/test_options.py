"""Options of measuring commands, as click parses them and as a plan takes them."""

from pathlib import Path

import pytest

from leadline.cli.plan_options import AXIS, SETTING, read_options, with_options
from leadline.model.plan import Plan

RUNS = {"runs": Path("runs")}


def test_axes_and_settings_are_told_apart():
    options = read_options(RUNS | {f"{AXIS}bytes": "8", f"{SETTING}cache": None, "launches": 5})
    assert (options.axes, options.settings, options.launches) == ({"bytes": "8"}, {}, 5)


@pytest.mark.parametrize("names", [("background", "background_hosts"), ("beside", "beside_hosts")])
def test_a_second_job_is_asked_for_by_the_old_names_too(names):
    kind, hosts = names
    plan = with_options(Plan(entries=()), read_options(RUNS | {kind: "incast", hosts: "a,b"}))
    assert plan.knobs == {"beside": "default,incast"}
    assert plan.background_hosts == ("a", "b")


def test_what_is_not_given_changes_nothing():
    plan = Plan(entries=(), launches=7, roofs=False)
    assert with_options(plan, read_options(RUNS)) == plan
