"""Bad input: one line that helps, status 2, and nothing written."""

import json

import pytest
from command import InProcess

from leadline.core import shipped
from leadline.core.shipped import source_folder

FAKE = ("run", "fake/transfer", "--mpi", "fake")
REFUSED = {
    "unknown benchmark": (("run", "fake/transfr", "--mpi", "fake"), "did you mean fake/transfer?"),
    "unknown family": (("run", "no/such", "--mpi", "fake"), "fake/..., mpi/..."),
    "unknown axis": ((*FAKE, "--byte", "8"), "'--bytes'"),
    "unknown choice": ((*FAKE, "--distribution", "flat"), "lognormal, normal, constant, two_modes"),
    "unknown setting's value": ((*FAKE, "--cache", "lukewarm"), "cache=lukewarm"),
    "negative size": ((*FAKE, "--bytes", "-8"), "size '-8'"),
    "size that is no number": ((*FAKE, "--bytes", "8,abc"), "size 'abc'"),
    "size with a fraction": (
        (*FAKE, "--bytes", "1.3K"),
        "size '1.3K' is not a whole number of bytes: write 1331",
    ),
    "no size": ((*FAKE, "--bytes", ""), "size ''"),
    "size larger than memory": ((*FAKE, "--bytes", "900000G"), "bytes="),
    "size of many digits": ((*FAKE, "--bytes", "9" * 5000), "bytes="),
    "range backwards": ((*FAKE, "--bytes", "8:4:1"), "ends below its start"),
    "endless range": ((*FAKE, "--bytes", "1:8:x1"), "never ends"),
    "number that is none": ((*FAKE, "--spread", "wide"), "spread=wide"),
    "not a number": ((*FAKE, "--spread", "nan"), "spread=nan"),
    "negative number": ((*FAKE, "--latency_us", "-1"), "latency_us=-1"),
    "one process of two": ((*FAKE, "--place", "1x1"), "try --place 1x2"),
    "three processes of two": ((*FAKE, "--place", "1x3"), "try --place 1x2"),
    "placement": ((*FAKE, "--place", "2,2"), "placement '2'"),
    "empty placement": ((*FAKE, "--place", "1x2,"), "empty item"),
    "unknown MPI": (("run", "fake/transfer", "--mpi", "nosuch"), "no MPI 'nosuch'"),
    "no launch": ((*FAKE, "--launches", "0"), "launches 0"),
    "half a launch": ((*FAKE, "--launches", "1.5"), "--launches"),
    "precision": ((*FAKE, "--precision", "nan"), "precision nan"),
    "endless seconds": ((*FAKE, "--seconds", "inf"), "seconds inf"),
    "no time": ((*FAKE, "--time-limit", "0"), "time limit 0"),
    "maximum below minimum": ((*FAKE, "--minimum", "9", "--maximum", "8"), "maximum 8"),
    "negative seed": ((*FAKE, "--seed", "-1"), "seed -1"),
    "report in no folder": ((*FAKE, "--html", "none/report.html"), "cannot write none/report.html"),
    "nothing to run": (("run",), "Missing argument"),
    "unknown plan": (("run", "nosuchplan"), "survey"),
    "benchmark and plan": (("run", "fake/transfer", "survey", "--mpi", "fake"), "neither"),
    "unknown command": (("meassure",), "meassure"),
    "unknown run": (("show", "2001"), "2001"),
    "unknown format": (("show", "last", "--export", "xml"), "xml"),
}


@pytest.fixture
def leadline(leadline):
    return InProcess(leadline.runs, leadline.environment)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.replace(" ", "-"))
def test_refused(leadline, case):
    words, told = REFUSED[case]
    runs = ("--runs", leadline.runs) if case != "unknown command" else ()
    assert told in leadline.refused(*words, *runs)
    assert not leadline.runs.exists()


def test_placements_beyond_the_machine(leadline):
    """The fake has as many nodes as it is told; real ranks need real ones."""
    if not json.loads(leadline("mpi", "--json").stdout)["installations"]:
        pytest.skip("no MPI here: install mpich and libmpich-dev")
    for words, told in (
        (("mpi/barrier", "--place", "3x5"), "this machine is one node"),
        (("mpi/barrier", "--place", "1x4096"), "--oversubscribe"),
        (("mpi/barrier", "--place", "2x1", "--hosts", "a"), "--hosts names 1"),
        (("mpi/barrier", "--place", "2x1", "--hosts", "a,-oProxyCommand=x"), "is not a name"),
        (("mpi/pingpong", "--place", "1x1"), "mpi/pingpong needs 2 processes"),
    ):
        result = leadline.in_runs("run", *words)
        assert (result.returncode, result.stdout) == (2, "")
        # The first command of a session tells that it builds the probes.
        assert told in result.stderr.splitlines()[-1]
        assert "Traceback" not in result.stderr
    assert not leadline.runs.exists()


def test_folder_that_cannot_be_written(leadline, tmp_path):
    file = tmp_path / "file"
    file.write_text("precious")
    for place in (file, file / "runs"):
        assert str(place) in leadline.refused(*FAKE, "--bytes", "8", "--runs", place)
    assert "LEADLINE_HOME" in leadline.refused(*FAKE, "--bytes", "8", LEADLINE_HOME=str(file))
    assert file.read_text() == "precious"


def test_foreign_and_truncated_folders(leadline, tmp_path):
    answer = leadline.fake("transfer", "--bytes", "8")
    run = leadline.runs / answer["run"] / "run.json"
    whole = run.read_text()
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    assert "is not a run folder" in leadline.refused("show", foreign)
    for text in (whole[: len(whole) // 2], "", "[]", '{"format": 99}', "\xff\x00"):
        run.write_text(text)
        for words in (("show", "last"), ("show", "last", "--json")):
            assert str(run) in leadline.refused(*words, "--runs", leadline.runs)
        assert run.read_text() == text
    run.write_text(whole)
    assert leadline.in_runs("show", "last").returncode == 0


def test_truncated_samples(leadline):
    answer = leadline.fake("transfer", "--bytes", "8")
    samples = leadline.runs / answer["run"] / "samples.parquet"
    samples.write_bytes(samples.read_bytes()[:-100])
    for words in (("show", "last"), ("show", "last", "--export", "csv")):
        assert "samples.parquet" in leadline.refused(*words, "--runs", leadline.runs)


# Of each class one: what a probe is not asked for.
BEFORE_A_PROBE = {
    "benchmark": (("run", "mpi/pingpng"), "did you mean mpi/pingpong?"),
    "family": (("run", "nosuch/thing"), "mpi/..., "),
    "number": (("run", "fake/transfer", "--mpi", "fake", "--launches", "0"), "launches 0"),
    "word for a number": (("run", "mpi/barrier", "--launches", "many"), "'many'"),
    "placement": (("run", "mpi/barrier", "--place", "2,2"), "placement '2'"),
    "nodes": (("run", "mpi/barrier", "--place", "3x5"), "this machine is one node"),
    "victims": (("run", "mpi/barrier", "--place", "1x2", "--victims", "2"), "victims 2"),
    "MPI": (("run", "mpi/barrier", "--mpi", "nosuch"), "no MPI 'nosuch'"),
    "listed": (("run", "--list", "mpi/barrier", "--mpi", "fake"), "no benchmark 'mpi/barrier'"),
    "listed name": (("run", "--list", "fake/transfr", "--mpi", "fake"), "mean fake/transfer?"),
    "knob": (("run", "mpi/barrier", "--mpi", "fake", "--knob", "nosuch=1"), "no knob 'nosuch'"),
    "second job": (
        ("run", "mpi/barrier", "--mpi", "fake", "--background", "flood"),
        "beside flood: there is alltoall, incast",
    ),
    "report": (("run", "mpi/barrier", "--mpi", "fake", "--html", "none/a.html"), "none/a.html"),
    "platform": (("simulate", "mpi/barrier", "--on", "cray-tx"), "did you mean cray-xt?"),
    "no platform": (("simulate", "mpi/barrier"), "--on is missing"),
    "processes": (("simulate", "mpi/barrier", "--on", "cray-xt", "--processes", "-2"), "-2: write"),
    "change": (("simulate", "mpi/barrier", "--on", "cray-xt", "--change", "nodes=inf"), "=inf"),
    "no number": (("simulate", "mpi/barrier", "--on", "cray-xt", "--change", "nodes=nan"), "=nan"),
    "prediction": (
        ("simulate", "--predict", "mpi/brcast", "--on", "cray-xt", "--processes", "64"),
        "mpi/bcast?",
    ),
    "predicted processes": (
        ("simulate", "--predict", "mpi/bcast", "--on", "cray-xt", "--processes", "0"),
        "--processes 0: take from 2",
    ),
    "calibrated name": (("platforms", "calibrate", "last", "--name", "a b"), "name 'a b'"),
    "name that is taken": (
        ("platforms", "calibrate", "last", "--name", "cray-xt"), "or add --replace"
    ),
    "calibrated run": (("platforms", "calibrate", "nosuch"), "nosuch"),
    "congestor": (("congest", "flood", "--mpi", "fake"), "no congestor 'flood': there is alltoall"),
    "congestor's place": (("congest", "rma", "--mpi", "fake", "--place", "2x1"), "one node"),
    "congestor's size": (("congest", "rma", "--mpi", "fake", "--bytes", "9000G"), "too large"),
    "congestor's time": (("congest", "rma", "--mpi", "fake", "--seconds", "nan"), "nan"),
}  # fmt: skip


@pytest.mark.parametrize("case", BEFORE_A_PROBE, ids=lambda case: case.replace(" ", "-"))
def test_what_is_known_without_a_probe_is_said_before_one_is_built(leadline, tmp_path, case):
    words, told = BEFORE_A_PROBE[case]
    home = tmp_path / "home"
    assert told in leadline.refused(*words, LEADLINE_HOME=str(home))
    assert not (home / "probes").exists() and not (home / "schedules").exists()


def test_sources_name_what_probes_have(leadline):
    described = leadline.json("run", "--list", "--build", "--mpi", "fake")["benchmarks"]
    named = [name for name in shipped.benchmarks(source_folder()) if name.startswith("fake/")]
    assert named == sorted(each["name"] for each in described)
