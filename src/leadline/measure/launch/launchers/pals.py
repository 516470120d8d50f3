"""HPE's parallel application launch service: its `mpiexec` on Cray machines with PBS."""

from leadline.core.failures import Failure, explain_first
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.launch import direct
from leadline.model.installation import Installation
from leadline.model.job import Job, Start

_FAILURES = (
    Failure(
        r"rank \d+ died from signal \d+( and dumped core)?",
        "the program crashed; what it printed last is in stderr.txt",
    ),
    Failure(
        r"rank \d+ exited with code \d+",
        "the program ended by itself with that status; its own words are in stderr.txt",
    ),
    Failure(r"[Ll]aunch failed( on [^\s:]+)?", "see the words after it in stderr.txt"),
)


class Pals:
    """Cray MPICH, and any MPI whose PMI it serves, inside a PBS job.

    >>> from leadline.model.placement import Placement
    >>> cray = Installation(name="cray-mpich-8.1", family="cray-mpich", version="8.1",
    ...     prefix="/opt/cray", source="modules")
    >>> job = Job(program=("./probe",), placement=Placement(2, 4), hosts=("x1", "x2", "x3"))
    >>> LAUNCHER.start(job, cray).argv  # doctest: +NORMALIZE_WHITESPACE
    ('mpiexec', '-n', '8', '--ppn', '4', '--hosts', 'x1,x2', '--cpu-bind', 'core', './probe')
    """

    name = "pals"
    by_name_only = True

    def serves(self, installation: Installation, job: Job) -> bool:
        """Tell whether the job's program is one of message passing or SHMEM."""
        return direct.serves(installation, job)

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute. Raises `Unsupported` for an order of ranks other than block."""
        if job.ranks_by_node:
            raise Unsupported(
                "launcher pals fills one node after the other: leave out --order, or leave out "
                "--launcher pals"
            )
        placement = job.placement
        hosts = job.hosts[: placement.nodes]
        bound = job.bind and not job.oversubscribe
        return Start(
            argv=(
                "mpiexec",
                "-n",
                str(placement.processes),
                "--ppn",
                str(placement.processes_per_node),
                *(["--hosts", ",".join(hosts)] if hosts else []),
                "--cpu-bind",
                "core" if bound else "none",
                *job.program,
            ),
            environment=direct.environment(job, installation),
        )

    def explain(self, output: str) -> str | None:
        """Return one line on a failure that the service reports."""
        return explain_first(_FAILURES, output)


LAUNCHER = Pals()
