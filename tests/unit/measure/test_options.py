"""Options of measuring commands: parsed into a plan, and printed again by what findings advise."""

import shlex
from pathlib import Path

import msgspec
import pytest
from tests.unit.output.terminal.test_tables import figure, made_up

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, tuning, whole_run
from leadline.cli.plan_options import AXIS, SETTING, read_options, with_options
from leadline.model.description import Axis
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan, Stopping
from leadline.model.plan_options import OPTIONS, with_written
from probes import made_benchmark

RUNS = {"runs": Path("runs")}
# For each option something that is not the default, as it is written.
WRITTEN = {
    "place": "2x3,1x4",
    "mpi": "one,two",
    "hosts": "a,b",
    "background_hosts": "c,d",
    "remote_shell": "rsh -x",
    "launcher": "srun",
    "victims": 2,
    "launches": 7,
    "batch": "slurm",
    "precision": 0.5,
    "minimum": 3,
    "maximum": 30,
    "seconds": 2.5,
    "time_limit": 62.5,
    "budget": 30.5,
    "knob": ("eager_limit=default,16K", "order=smp"),
    "batch_option": ("--partition=short", "--qos=low"),
    "bind": False,
    "oversubscribe": True,
    "name": "some",
    "seed": 5,
    "roofs": False,
}
FORMS = {"bind": "--no-bind", "roofs": "--no-roofs", "oversubscribe": "--oversubscribe"}


def evidence(plan):
    run, analysis = made_up(figure("completion", 8, 1e-6))
    run = msgspec.structs.replace(run, plan=plan)
    return Evidence(run, analysis.points, ())


def printed(option, value):
    """The words by which a command repeats an option."""
    if option.parameter in FORMS:
        return FORMS[option.parameter]
    values = [value] if not isinstance(value, tuple) else value
    return " ".join(f"{option.flag} {shlex.quote(str(each))}" for each in values)


def test_every_field_of_a_plan_is_set_by_its_option_or_by_none():
    fields = {*Plan.__struct_fields__, *Stopping.__struct_fields__}
    elsewhere = {"entries", "stopping", "platform", "changes", "claims", "program"}
    assert {option.field for option in OPTIONS} == fields - elsewhere
    assert {option.parameter for option in OPTIONS} == WRITTEN.keys()


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.parameter)
def test_what_differs_from_the_default_is_printed_by_commands(option):
    value = WRITTEN[option.parameter]
    usual = Plan(entries=(Entry(benchmarks=("some/thing",)),), name="")
    plan = with_written(usual, {option.parameter: value})
    assert plan != usual
    words = printed(option, value)
    assert (words in str(whole_run(evidence(plan)))) == option.repeats
    if option.starts:
        assert words in command(evidence(plan), [0])
        assert words not in command(evidence(usual), [0])


@pytest.mark.parametrize("name", ["hosts", "remote_shell", "bind"])
def test_the_command_that_tunes_starts_where_the_run_did(name):
    plan = with_written(Plan(entries=()), {name: WRITTEN[name]})
    axis = Axis(name="algorithm", kind="choice", summary="", default="library",
                choices=("library", "ring"))  # fmt: skip
    here = evidence(plan)
    benchmark = made_benchmark(here.points[0].benchmark, axis)
    run = msgspec.structs.replace(here.run, benchmarks=[benchmark])
    option = next(each for each in OPTIONS if each.parameter == name)
    told = tuning(Evidence(run, here.points, ()), 0)
    assert told is not None and printed(option, WRITTEN[name]) in told


def test_a_run_is_repeated_on_the_placements_of_its_entries():
    entry = Entry(benchmarks=("some/thing",), placements=(Placement(2, 1),))
    plan = Plan(entries=(entry,), placements=(Placement(1, 2), Placement(2, 1)))
    assert whole_run(evidence(plan)) == "leadline run some/thing --place 2x1"


def test_a_value_of_the_advice_stands_for_that_of_the_plan():
    plan = with_written(Plan(entries=(Entry(benchmarks=("some/thing",)),)), {"launches": 7})
    assert whole_run(evidence(plan), launches=9, place="1x4") == (
        "leadline run some/thing --place 1x4 --launches 9"
    )
    assert "--place 1x4 " in command(evidence(plan), [0], place="1x4")


def test_axes_settings_and_options_of_the_plan_are_kept_apart():
    options = read_options(RUNS | {f"{AXIS}bytes": "8", f"{SETTING}cache": None, "launches": 5})
    assert (options.axes, options.settings) == ({"bytes": "8"}, {})
    assert options.plan == {"launches": 5}


@pytest.mark.parametrize("names", [("background", "background_hosts"), ("beside", "beside_hosts")])
def test_a_second_job_is_asked_for_by_the_old_names_too(names):
    kind, hosts = names
    plan = with_options(Plan(entries=()), read_options(RUNS | {kind: "incast", hosts: "a,b"}))
    assert plan.knobs == {"beside": "default,incast"}
    assert plan.background_hosts == ("a", "b")


def test_what_is_not_given_changes_nothing():
    plan = Plan(entries=(), launches=7, roofs=False)
    assert with_options(plan, read_options(RUNS)) == plan
