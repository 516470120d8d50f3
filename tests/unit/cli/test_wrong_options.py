"""Options that people type by habit, and what is measured instead of what was meant."""

import msgspec
import pytest

from leadline import cli
from leadline.cli import benchmark_command, measure
from leadline.cli.plan_options import AXIS, SETTING
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.model.plan import Plan, Stopping


@pytest.fixture
def refused(capsys, monkeypatch, tmp_path):
    """Return the one line on standard error of a command line that is refused."""
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path))
    axes = [f"{AXIS}bytes", f"{AXIS}mode", f"{SETTING}cache", f"{SETTING}neighbour"]
    options = [benchmark_command.click.Option([f"--{name.split('__')[1]}", name]) for name in axes]
    monkeypatch.setattr(benchmark_command, "_axis_options", lambda *given, **how: options)
    monkeypatch.setattr(benchmark_command, "_check", lambda *given: None)

    def called(line):
        with pytest.raises(SystemExit) as ended:
            cli.main(line.split() if isinstance(line, str) else line)
        out, err = capsys.readouterr()
        assert (ended.value.code, out, err.count("\n")) == (2, "", 1)
        return err

    return called


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("run mpi/pingpong --algorithm ring",
         "mpi/pingpong has no axis algorithm; it has bytes, mode, cache ("),
        ("run mpi/pingpong -n 2", "no option -n: --place 1x2 is 2 processes on one node"),
        ("run mpi/pingpong -np 8", "no option -n: --place 1x8 is 8 processes on one node"),
        ("survey --np=4", "no option --np: --place 1x4 is 4 processes on one node"),
        ("run halo --ntasks", "no option --ntasks: --place 1x2 is 2 processes on one node"),
        ("run mpi/pingpong --byte 8", "'--bytes'"),
        ("show last --as choicez", ": did you mean choices?"),
        ("runs query x --format csw", ": did you mean csv?"),
    ],
)  # fmt: skip
def test_an_option_that_is_not_there_is_answered_with_what_to_type(refused, line, told):
    assert told in refused(line)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["module", "--write", ""], "--write"),
        (["jobs", ""], "FOLDER"),
        (["runs", "--runs", ""], "--runs"),
    ],
)
def test_an_empty_path_is_not_the_present_folder(refused, words, named):
    assert f"{named}': it is empty: name a path (" in refused(words)


@pytest.mark.parametrize(
    ("word", "meant"),
    [("pingpong", "mpi/pingpong"), ("survye", "survey"), ("mpi-pingpong", "mpi/pingpong")],
)
def test_a_word_that_is_no_plan_is_answered_with_a_plan_or_benchmark(word, meant):
    with pytest.raises(benchmark_command.UserError, match=rf"{word}': did you mean {meant}\?"):
        benchmark_command._check_word(word)


class _Prepared(msgspec.Struct):
    plan: Plan
    launches: list


class _Launch(msgspec.Struct):
    points: object
    job: object


def _prepared(points, processes=2, **plan):
    job = Job(program=(), placement=Placement(1, processes))
    return _Prepared(Plan(entries=(), **plan), [_Launch(range(points), job)] * 3)


@pytest.mark.parametrize(
    ("prepared", "told"),
    [
        (_prepared(200), ""),
        (_prepared(620), "1860 measurements take up to 31 minutes"),
        (_prepared(620, time_limit_s=300.0), ""),
        (_prepared(620, stopping=Stopping(seconds=10)), "take up to 5.2 hours"),
        (_prepared(620, platform="cray-xt"), ""),
        (_prepared(2, 1024, platform="cray-xt", stopping=Stopping(minimum=1)), ""),
        (
            _prepared(3, 1024, platform="cray-xt", stopping=Stopping(minimum=1)),
            "9 simulations of up to 1024 processes may take over ten minutes: --quick",
        ),
        (_prepared(3, 1024, platform="cray-xt", time_limit_s=300.0), ""),
        (_prepared(620, batch="slurm"), ""),
    ],
)
def test_a_run_that_may_take_long_is_announced(capsys, prepared, told):
    measure._announce_length(prepared, anyway=False)
    err = capsys.readouterr().err
    assert told in err and bool(err) == bool(told)


def test_a_person_is_asked_before_a_long_run(monkeypatch, capsys):
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    monkeypatch.setattr(measure.click, "confirm", lambda *given, **how: (_ for _ in ()).throw(
        measure.click.Abort
    ))  # fmt: skip
    with pytest.raises(measure.click.Abort):
        measure._announce_length(_prepared(620), anyway=False)
    assert "up to 31 minutes" in capsys.readouterr().err
