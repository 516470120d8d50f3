"""The jobs in a folder: read again where files are new, and what is said of all and of each."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from leadline.explain.job_file import stamp_of
from leadline.explain.jobs.folder import PROCESSES, Files, Found, job_files, read_all
from leadline.explain.jobs.kept import keep, read_kept
from leadline.explain.jobs.report import Chosen, moment, report
from leadline.model.job_report import Grouping, JobReport, JobSummary
from leadline.output.html.program import render_program
from leadline.output.server.cache import Cache
from leadline.output.server.results import Report, packed_report

if TYPE_CHECKING:
    from leadline.explain.report import Explained

# Says where the time of the job of a file went.
ExplainJob = Callable[[Path], "Explained"]
# What jobs can be chosen by, as the options of `leadline jobs`.
FIELDS = ("since", "until", "user", "program", "node")

_STALE_S = 60.0


class Jobs:
    """What is said of the jobs in a folder, which is looked at again each minute.

    `explain` says where the time of the job of a file went.
    """

    def __init__(self, folder: Path, explain: ExplainJob) -> None:
        self.folder = folder.absolute()
        self._explain = explain
        self._known = read_kept(self.folder)
        self._found: Found | None = None
        self._read_at = 0.0
        self._jobs: dict[str, JobSummary] = {}
        self._reports = Cache(20)
        self._explained = Cache(20)
        self._lock = threading.Lock()

    def files(self) -> Files:
        """Return the files of all jobs. Raises `UserError` where there is none."""
        return job_files(self.folder, None, None)

    def read(
        self,
        there: Files,
        tell: Callable[[int], None] = lambda _: None,
        processes: int = PROCESSES,
    ) -> None:
        """Read those of the files that are new, as `read_all` does."""
        found = read_all(there, time.time(), tell, self._known, processes)
        keep(self.folder, self._known, found.new)
        known = self._known | found.new
        self._known = {file: known[file] for file in there.files if file in known}
        self._jobs = {self.name(job.path): job for job in found.jobs}
        self._reports = Cache(20)
        self._found, self._read_at = found, time.monotonic()

    def report(self, arguments: Mapping[str, str]) -> JobReport:
        """Return what is said of the jobs that the arguments of an address choose.

        Raises `UserError` where there is none.
        """
        found, reports = self._now()
        asked = [arguments.get(field, "").strip() for field in FIELDS]

        def make() -> JobReport:
            now = time.time()
            chosen = Chosen(moment(asked[0], now), moment(asked[1], now), *asked[2:])
            return report(self.folder, found, chosen, get_args(Grouping))

        return reports.get(tuple(asked), make)

    def name(self, path: str) -> str:
        """Return how a job is called here: by its file, below the folder."""
        return path.removeprefix(f"{self.folder}/")

    def job(self, name: str) -> JobSummary | None:
        """Return the job of that name: none but those that were found has one."""
        self._now()
        return self._jobs.get(name)

    def explained(self, job: JobSummary) -> Explained:
        """Return where the time of the job went. Raises `UserError`."""
        return self._explained.get((job.path, _stamp(job)), lambda: self._explain(Path(job.path)))

    def page(self, job: JobSummary, menu: str) -> Report:
        """Return the page that shows it. Raises `UserError`."""
        return self._explained.get(
            (job.path, _stamp(job), menu),
            lambda: packed_report(render_program(self.explained(job)), menu),
        )

    def _now(self) -> tuple[Found, Cache]:
        with self._lock:
            if self._found is None or time.monotonic() - self._read_at > _STALE_S:
                # No process is forked from a thread beside others.
                self.read(self.files(), processes=1)
            assert self._found
            return self._found, self._reports


def _stamp(job: JobSummary) -> object:
    try:
        return stamp_of(os.lstat(job.path))
    except OSError:
        # Removed since: the reader says so.
        return None
