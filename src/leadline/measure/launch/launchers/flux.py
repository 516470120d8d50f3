"""Flux: `flux run`, in an instance of one's own or the machine's."""

from leadline.core.failures import Failure, explain_first
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.launch import direct
from leadline.model.installation import Installation
from leadline.model.job import Job, Start

_FAILURES = (
    Failure(
        r"unsatisfiable request|type=alloc[^.]{0,60}unsatisfiable",
        "the instance has no such nodes or too few cores (`flux resource list`)",
    ),
    Failure(
        r"Unable to connect to Flux[^.]{0,60}",
        "no Flux instance answers here: start one with `flux start` or `flux alloc`",
    ),
    Failure(
        r"resource allocation expired|type=timeout[^.]{0,40}",
        "the job's time was over: measure less, or ask for a longer allocation",
    ),
    Failure(
        r"lost contact with job shell[^.]{0,60}",
        "a node went away (`flux resource drain` says why): measure again without it",
    ),
    Failure(
        r"task\(s\) exited with exit code \d+",
        "the program ended by itself with that status; its own words are in stderr.txt",
    ),
    Failure(
        r"task\(s\) (Segmentation fault|Killed|Aborted|Bus error)",
        "the program crashed; what it printed last is in stderr.txt",
    ),
)


class Flux:
    """Any MPI with a PMI that Flux serves.

    >>> from leadline.model.placement import Placement
    >>> mpich = Installation(name="mpich-5.0.2", family="mpich", version="5.0.2", prefix="/opt",
    ...     source="PATH")
    >>> job = Job(program=("./probe",), placement=Placement(2, 4))
    >>> LAUNCHER.start(job, mpich).argv  # doctest: +NORMALIZE_WHITESPACE
    ('flux', 'run', '--nodes=2', '--ntasks=8', '--exclusive', '-o', 'cpu-affinity=per-task',
     '-o', 'exit-on-error', './probe')
    """

    name = "flux"
    by_name_only = True

    def serves(self, installation: Installation, job: Job) -> bool:
        """Tell whether the job's program is one of message passing or SHMEM."""
        return direct.serves(installation, job)

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute; tasks are spread evenly over exclusive nodes.

        Raises `Unsupported` for an order of ranks that is neither block nor round robin.
        """
        bound = job.bind and not job.oversubscribe
        hosts = job.hosts[: job.placement.nodes]
        return Start(
            argv=(
                "flux",
                "run",
                f"--nodes={job.placement.nodes}",
                f"--ntasks={job.placement.processes}",
                "--exclusive",
                *([f"--requires=hosts:{','.join(hosts)}"] if hosts else []),
                *_task_map(job),
                "-o",
                f"cpu-affinity={'per-task' if bound else 'off'}",
                "-o",
                "exit-on-error",
                *job.program,
            ),
            environment=direct.environment(job, installation),
        )

    def explain(self, output: str) -> str | None:
        """Return one line on a failure that Flux reports."""
        return explain_first(_FAILURES, output)


def _task_map(job: Job) -> tuple[str, ...]:
    if not job.ranks_by_node:
        return ()
    if direct.dealt_by(job) == 1:
        return ("--taskmap=cyclic",)
    raise Unsupported(
        "launcher flux orders ranks by blocks or round robin only: leave out --order, or leave "
        "out --launcher flux"
    )


LAUNCHER = Flux()
