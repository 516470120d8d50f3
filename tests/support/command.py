"""The real command line in processes of its own, and runs of it in the background."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import in_process
import pytest

# Commands that only look at runs, or say what is here: they do so in the process of the test.
LOOKS = frozenset({"compare", "export", "runs", "show"})
WORDS = [sys.executable, "-m", "leadline"]
# Enough simulated repetitions for a tight median, in a moment.
BRIEF = ("--minimum", "50", "--maximum", "400", "--seconds", "5", "--seed", "1")


class Leadline:
    """The command line over a folder of runs of its own."""

    _described: ClassVar[dict[str, dict[str, dict[str, Any]]]] = {}

    def __init__(self, runs: Path, environment: dict[str, str]) -> None:
        self.runs = runs
        self.environment = environment

    def __call__(self, *words: object, **changes: str) -> subprocess.CompletedProcess[str]:
        if words[0] in LOOKS or words == ("mpi", "--json"):
            return self.here(*words, **changes)
        return subprocess.run(
            [*WORDS, *map(str, words)],
            env={**self.environment, **changes},
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip

    def here(self, *words: object, **changes: str) -> subprocess.CompletedProcess[str]:
        """Run a command that starts no rank without a process of its own."""
        return in_process.leadline(*words, environment={**self.environment, **changes})

    def in_runs(self, *words: object) -> subprocess.CompletedProcess[str]:
        """Run a command over this folder of runs."""
        return self(*words, "--runs", self.runs)

    def json(self, *words: object) -> Any:
        """Run a command with --json and return what it prints."""
        result = self(*words, "--json")
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def benchmarks(self, mpi: str) -> dict[str, dict[str, Any]]:
        """Return the benchmarks of an MPI by name, as its probe describes them."""
        if mpi not in self._described:
            listed = self.json("run", "--list", "--build", "--mpi", mpi)["benchmarks"]
            self._described[mpi] = {each["name"]: each for each in listed}
        return self._described[mpi]

    def choices(self, mpi: str, benchmark: str, axis: str) -> list[str]:
        """Return the values of an axis as the probe lists them."""
        axes = self.benchmarks(mpi)[benchmark]["axes"]
        return next(each["choices"] for each in axes if each["name"] == axis)

    def stored(self, run: str = "*") -> dict[str, Any]:
        """Return what is stored of a run, by default the only one."""
        (path,) = self.runs.glob(f"{run}/run.json")
        return json.loads(path.read_text())

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """Return the rows that a query of all runs gives."""
        result = self.in_runs("runs", "query", sql, "--format", "json")
        return json.loads(result.stdout)

    def measure(self, *words: object, status: int = 0) -> dict[str, Any]:
        """Run `leadline run` and return its JSON, strictly read."""
        result = self.in_runs("run", *words, "--json")
        assert result.returncode == status, result.stderr
        return strict_json(result.stdout)

    def fake(self, benchmark: str, *words: object, status: int = 0) -> dict[str, Any]:
        return self.measure(f"fake/{benchmark}", "--mpi", "fake", *BRIEF, *words, status=status)

    def refused(self, *words: object, **changes: str) -> str:
        """Prove that a command is refused in one line, and return the line."""
        result = self.here(*words, **changes)
        assert result.returncode == 2, result
        assert result.stdout == ""
        assert result.stderr.startswith("leadline: ") and result.stderr.count("\n") == 1
        return result.stderr

    def started(self, *words: object, command: str = "run") -> "Started":
        return Started(self, (command, *words))


class InProcess(Leadline):
    """The command line without a process for any command, where nothing is measured."""

    __call__ = Leadline.here


class Started:
    """A measurement in the background, of which this test knows what its probe has reported."""

    def __init__(self, leadline: Leadline, words: Sequence[object]) -> None:
        self._leadline = leadline
        self.process = subprocess.Popen(
            [*WORDS, *map(str, words), "--runs", str(leadline.runs), "--json"],
            env=leadline.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # Whoever started the tests in the background made them, and so leadline, ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip

    @property
    def folder(self) -> Path:
        (folder,) = self._leadline.runs.iterdir()
        return folder

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Return what the first launch has reported until now."""
        found = self._leadline.runs.glob("*/launches/000/events.jsonl")
        lines = [line for path in found for line in path.read_text().splitlines(keepends=True)]
        whole = [json.loads(line) for line in lines if line.endswith("\n")]
        return [event for event in whole if event["event"] == kind]

    def has_samples(self) -> bool:
        """Tell whether the first launch has written samples: its warm-up is over."""
        found = self._leadline.runs.glob("*/launches/000/samples.bin")
        return any(path.stat().st_size for path in found)

    def wait_for(self, condition: Callable[[], object]) -> None:
        while not condition():
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.02)

    def end(self) -> tuple[int, str, str]:
        """Return the exit status, standard output and standard error of the ended command."""
        output, errors = self.process.communicate()
        return self.process.returncode, output, errors

    def processes(self) -> set[int]:
        """Return the identifiers of the processes that carry this run's tag."""
        mark = f"LEADLINE_TAG={self.folder.name}/".encode()
        found = set()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes():
                    found.add(int(folder.name))
            except OSError:
                continue
        return found

    def wait_until_gone(self) -> None:
        """Return when no process of the run is left."""
        while self.processes():
            time.sleep(0.05)


def strict_json(text: str) -> dict[str, Any]:
    """Return the JSON object in `text`, in which there is no NaN and no infinity."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} in JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture(scope="session")
def environment(leadline_home: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Give an environment in which leadline's home is the session's, with the fake probe built."""
    if not (shutil.which("c++") and shutil.which("cc")):
        pytest.skip("no compiler: install g++")
    environment = {**os.environ, "HOME": str(tmp_path_factory.mktemp("home"))}
    built = subprocess.run(
        [*WORDS, "run", "--list", "--build", "--mpi", "fake"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    return environment


@pytest.fixture
def leadline(environment: dict[str, str], tmp_path: Path) -> Leadline:
    return Leadline(tmp_path / "runs", environment)


@pytest.fixture
def begun(leadline: Leadline):
    """Give a function that starts a run in the background; it is ended with the test."""
    started = []

    def begin(*words: object) -> Started:
        started.append(leadline.started(*words))
        return started[-1]

    yield begin
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
        each.process.communicate()
