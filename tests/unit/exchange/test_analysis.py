"""Screens are the same, whether what a run says was kept or is worked out now."""

import io
import shutil

import msgspec
import pytest
from checkout import CHECKOUT, TESTS
from example_run import MadeUpSamples, example_run
from in_process import leadline
from served import history, write_import

from leadline.analysis.findings.conclude import conclude, find
from leadline.analysis.results.sweep import sweeps
from leadline.cli.show import answer
from leadline.core import paths
from leadline.exchange.analysis import analysis_of
from leadline.model.noise import Noise
from leadline.model.run import Run
from leadline.model.summary import Analysis, Jitter, PointSummary
from leadline.output.terminal.summary import print_summary
from leadline.store import kept
from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))


DATASETS = sorted((CHECKOUT / "datasets").glob("*.csv"))
RECORDED = sorted((TESTS / "unit/analysis/findings/recorded").glob("*.json"))


class Recorded(msgspec.Struct):
    """A run as it was measured, without its samples."""

    run: Run
    points: tuple[PointSummary, ...]
    jitter: tuple[Jitter, ...] = ()
    noise: tuple[Noise, ...] = ()


def screens(run, analysis):
    """Return what a terminal and a program are told."""
    terminal = io.StringIO()
    print_summary(run, analysis, terminal, full=True)
    return terminal.getvalue(), msgspec.json.encode(answer(run, None, analysis))


def commands(name, runs):
    """Return what commands print of a run."""
    every = [("show",), ("show", "--full"), ("show", "--json"), ("show", "--export=figures-csv")]
    every += [("show", "--findings"), ("show", "--plot")]
    return [leadline(*words, name, "--runs", runs).stdout for words in every]


def check_kept(run, analysis):
    """Check that the analysis comes back as it was made, and is shown alike."""
    kept.keep_analysis("this", analysis)
    again = kept.read_analysis("this")
    assert again == analysis
    assert screens(run, again) == screens(run, analysis)


def count_kept():
    return len(list(paths.analyses().iterdir()))


def test_of_samples():
    run = example_run()
    check_kept(run, conclude(run, MadeUpSamples(run)))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_of_runs_that_were_recorded(path):
    run, points, jitter, noise = msgspec.structs.astuple(
        msgspec.json.decode(path.read_bytes(), type=Recorded)
    )
    made = Analysis(points=points, sweeps=sweeps(points), jitter=jitter, noise=noise)
    check_kept(run, msgspec.structs.replace(made, findings=find(run, made)))


@pytest.mark.parametrize("path", DATASETS, ids=lambda path: path.stem)
def test_of_imports(path, tmp_path):
    assert leadline("runs", "import", path, "--runs", tmp_path).returncode in (0, 1)
    folder = RunFolder.open("last", tmp_path)
    if folder.read().explained is None:
        assert count_kept() == 1
        shown = commands("last", tmp_path)
        shutil.rmtree(paths.analyses())
        assert commands("last", tmp_path) == shown


def test_of_run_folders(tmp_path):
    for number, name in enumerate([*history(tmp_path), write_import(tmp_path)], 1):
        worked_out = commands(name, tmp_path)
        assert count_kept() == number
        assert commands(name, tmp_path) == worked_out


def test_comparisons_and_findings_against_others(tmp_path):
    old, *_, new = history(tmp_path)

    def printed():
        pair = (old, new, "--full", "--runs", tmp_path)
        against = ("show", "--findings", new, "--against", old, "--runs", tmp_path)
        return leadline("compare", *pair).stdout, leadline(*against).stdout

    worked_out = printed()
    for name in (old, new):
        folder = RunFolder(tmp_path / name)
        analysis_of(folder.read(), StoredSamples(folder))
    assert printed() == worked_out
