"""Slurm's `srun`: in a job it uses the job's nodes, outside it asks for its own."""

from leadline.core.failures import explain_first
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.launch import direct
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.site.schedulers.slurm import failures as slurm

# How ranks find each other; other families know Slurm's default best.
_PMI = {"mpich": "pmi2", "mvapich": "pmi2", "intel": "pmi2", "openmpi": "pmix"}


class Srun:
    """Any MPI or SHMEM on a machine with Slurm.

    >>> from leadline.model.placement import Placement
    >>> mpich = Installation(name="mpich-5.0.2", family="mpich", version="5.0.2", prefix="/opt",
    ...     source="PATH")
    >>> job = Job(program=("./probe",), placement=Placement(2, 4), environment={"A": "b c"})
    >>> start = LAUNCHER.start(job, mpich)
    >>> start.argv  # doctest: +NORMALIZE_WHITESPACE
    ('srun', '--mpi=pmi2', '--nodes=2', '--ntasks=8', '--ntasks-per-node=4',
     '--distribution=block', '--cpu-bind=cores', '--kill-on-bad-exit=1', '--export=ALL', './probe')
    >>> start.environment
    {'A': 'b c'}
    """

    name = "srun"
    by_name_only = True

    def serves(self, installation: Installation, job: Job) -> bool:
        """Tell whether the job's program is one of message passing or SHMEM."""
        return direct.serves(installation, job)

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute. Raises `Unsupported` for an order that Slurm cannot make."""
        pmi = _PMI.get(installation.family)
        placement = job.placement
        bound = job.bind and not job.oversubscribe
        return Start(
            argv=(
                "srun",
                *([f"--mpi={pmi}"] if pmi else []),
                f"--nodes={placement.nodes}",
                f"--ntasks={placement.processes}",
                f"--ntasks-per-node={placement.processes_per_node}",
                *_distribution(job, pmi),
                f"--cpu-bind={'cores' if bound else 'none'}",
                *(["--overcommit"] if job.oversubscribe else []),
                "--kill-on-bad-exit=1",
                "--export=ALL",
                *job.program,
            ),
            environment=direct.environment(job, installation),
        )

    def explain(self, output: str) -> str | None:
        """Return one line on a failure that Slurm reports."""
        return explain_first(slurm.FAILURES, output)


def _distribution(job: Job, pmi: str | None) -> tuple[str, ...]:
    """Return which ranks go to which nodes; an arbitrary order lists the node of each rank."""
    nodes = job.hosts[: job.placement.nodes]
    named = (f"--nodelist={','.join(nodes)}",) if nodes else ()
    if not job.ranks_by_node:
        return (*named, "--distribution=block")
    if block := direct.dealt_by(job):
        return (*named, "--distribution=cyclic" if block == 1 else f"--distribution=plane={block}")
    if pmi == "pmi2":
        raise Unsupported(
            "srun deals ranks to the nodes in turn (smp, round-robin); in any other order its "
            "PMI-2 tells the library that a node which comes back is another one"
        )
    listed = ",".join(direct.hosts_by_rank(job))
    return (f"--nodelist={listed}", "--distribution=arbitrary")


LAUNCHER = Srun()
