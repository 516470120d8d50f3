"""Cray's ALPS: `aprun` on XE, XK and XC machines."""

import re

from leadline.core.failures import Failure, explain_first
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.launch import direct
from leadline.model.installation import Installation
from leadline.model.job import Job, Start

_FAILURES = (
    Failure(
        r"claim exceeds reservation's [\w-]+",
        "the job has fewer nodes or cores than this placement wants: ask for more",
    ),
    Failure(
        r"OOM killer terminated this process",
        "the ranks used more memory than a node has: take smaller sizes or fewer processes",
    ),
    Failure(
        r"PE RANK \d+ exit signal [A-Z][a-z]+( fault)?|exit signals: [A-Z][a-z]+",
        "the program crashed or was killed; what it printed last is in stderr.txt",
    ),
    Failure(
        r"exit codes: \d+",
        "the program ended by itself with that status; its own words are in stderr.txt",
    ),
)


class Aprun:
    """Cray MPICH and Cray OpenSHMEM; hosts are named by their numbers, as in nid00012.

    >>> from leadline.model.placement import Placement
    >>> cray = Installation(name="cray-mpich-7.7", family="cray-mpich", version="7.7",
    ...     prefix="/opt/cray", source="modules")
    >>> job = Job(program=("./probe",), placement=Placement(2, 4), hosts=("nid00012", "nid00100"))
    >>> LAUNCHER.start(job, cray).argv
    ('aprun', '-n', '8', '-N', '4', '-L', '12,100', '-cc', 'cpu', './probe')
    """

    name = "aprun"
    by_name_only = True

    def serves(self, installation: Installation, job: Job) -> bool:
        """Tell whether the job's program is one of message passing or SHMEM."""
        return direct.serves(installation, job)

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute. Raises `Unsupported` for an order of ranks other than block."""
        if job.ranks_by_node:
            raise Unsupported(
                "launcher aprun fills one node after the other: leave out --order, or leave out "
                "--launcher aprun"
            )
        placement = job.placement
        numbers = [re.fullmatch(r"nid0*(\d+)", host) for host in job.hosts[: placement.nodes]]
        nodes = ",".join(number[1] for number in numbers if number)
        bound = job.bind and not job.oversubscribe
        return Start(
            argv=(
                "aprun",
                *("-n", str(placement.processes)),
                *("-N", str(placement.processes_per_node)),
                *(("-L", nodes) if nodes and all(numbers) else ()),
                *("-cc", "cpu" if bound else "none"),
                *job.program,
            ),
            environment=direct.environment(job, installation),
        )

    def explain(self, output: str) -> str | None:
        """Return one line on a failure that ALPS reports."""
        return explain_first(_FAILURES, output)


LAUNCHER = Aprun()
