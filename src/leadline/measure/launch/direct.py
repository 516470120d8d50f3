"""The launchers of resource managers: they know nodes and cores by themselves."""

import re
from contextlib import suppress

import msgspec

from leadline.core.errors import CRASHED, ENDED
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.knobs.messages import WAIT_MODE
from leadline.measure.launch import openmpi
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.topology.rank_order.formats import cray_order
from leadline.topology.rank_order.order import DEFAULT_FILE, cycle, node_of_each

APRUN_FAILURES = {
    r"claim exceeds reservation's [\w-]+": (
        "the job has fewer nodes or cores than this placement wants: ask for more"
    ),
    r"OOM killer terminated this process": (
        "the ranks used more memory than a node has: take smaller sizes or fewer processes"
    ),
    r"PE RANK \d+ exit signal [A-Z][a-z]+( fault)?|exit signals: [A-Z][a-z]+": (
        "the program crashed or was killed; what it printed last is in stderr.txt"
    ),
    r"exit codes: \d+": ENDED,
}
FLUX_FAILURES = {
    r"unsatisfiable request|type=alloc[^.]{0,60}unsatisfiable": (
        "the instance has no such nodes or too few cores (`flux resource list`)"
    ),
    r"Unable to connect to Flux[^.]{0,60}": (
        "no Flux instance answers here: start one with `flux start` or `flux alloc`"
    ),
    r"resource allocation expired|type=timeout[^.]{0,40}": (
        "the job's time was over: measure less, or ask for a longer allocation"
    ),
    r"lost contact with job shell[^.]{0,60}": (
        "a node went away (`flux resource drain` says why): measure again without it"
    ),
    r"task\(s\) exited with exit code \d+": ENDED,
    r"task\(s\) (Segmentation fault|Killed|Aborted|Bus error)": CRASHED,
}
PALS_FAILURES = {
    r"rank \d+ died from signal \d+( and dumped core)?": CRASHED,
    r"rank \d+ exited with code \d+": ENDED,
    r"[Ll]aunch failed( on [^\s:]+)?": "see the words after it in stderr.txt",
}
# How ranks find each other under Slurm; other families know its default best.
_PMI = {"mpich": "pmi2", "mvapich": "pmi2", "intel": "pmi2", "openmpi": "pmix"}


def environment(job: Job, installation: Installation) -> dict[str, str]:
    """Return the variables that the ranks inherit; the job's own win.

    Ranks that share cores yield where leadline knows how to ask for that.
    """
    yielding: dict[str, str] = {}
    if job.oversubscribe:
        with suppress(Unsupported):
            yielding = WAIT_MODE.apply("yield", job, installation).environment
    network = ("UCX_NET_DEVICES", "FI_TCP_IFACE", "OMPI_MCA_btl_tcp_if_include")
    return {
        **installation.environment,
        **(openmpi.oshrun_variables(installation) if job.api == "shmem" else {}),
        **(dict.fromkeys(network, job.hosts.interface) if job.hosts.interface else {}),
        **yielding,
        **job.environment,
    }


def aprun(job: Job, installation: Installation) -> tuple[str, ...]:
    """Return the command of Cray's ALPS, on XE, XK and XC machines.

    Hosts are named by their numbers, as in nid00012. Raises `Unsupported` for an order of ranks
    other than block.

    >>> from leadline.model.hosts import Hosts
    >>> from leadline.model.placement import Placement
    >>> cray = Installation(name="c", family="cray-mpich", version="7", prefix="", source="")
    >>> job = Job(program=("./probe",), placement=Placement(2, 4),
    ...     hosts=Hosts(names=("nid00012", "nid00100")))
    >>> aprun(job, cray)
    ('aprun', '-n', '8', '-N', '4', '-L', '12,100', '-cc', 'cpu', './probe')
    """
    _check_block(job, "aprun")
    numbers = [re.fullmatch(r"nid0*(\d+)", host) for host in job.nodes]
    nodes = ",".join(number[1] for number in numbers if number)
    return (
        "aprun",
        *("-n", str(job.placement.processes)),
        *("-N", str(job.placement.processes_per_node)),
        *(("-L", nodes) if nodes and all(numbers) else ()),
        *("-cc", "cpu" if job.is_bound else "none"),
        *job.program,
    )


def pals(job: Job, installation: Installation) -> tuple[str, ...]:
    """Return the command of HPE's application launch service, on Cray machines with PBS.

    Raises `Unsupported` for an order of ranks other than block.

    >>> from leadline.model.hosts import Hosts
    >>> from leadline.model.placement import Placement
    >>> cray = Installation(name="c", family="cray-mpich", version="8", prefix="", source="")
    >>> job = Job(program=("./probe",), placement=Placement(2, 4), hosts=Hosts(names=("x", "y")))
    >>> pals(job, cray)
    ('mpiexec', '-n', '8', '--ppn', '4', '--hosts', 'x,y', '--cpu-bind', 'core', './probe')
    """
    _check_block(job, "pals")
    return (
        "mpiexec",
        *("-n", str(job.placement.processes)),
        *("--ppn", str(job.placement.processes_per_node)),
        *(("--hosts", ",".join(job.nodes)) if job.nodes else ()),
        *("--cpu-bind", "core" if job.is_bound else "none"),
        *job.program,
    )


def _check_block(job: Job, launcher: str) -> None:
    if job.ranks_by_node:
        raise Unsupported(
            f"launcher {launcher} fills one node after the other: leave out --order, or leave out "
            f"--launcher {launcher}"
        )


def flux(job: Job, installation: Installation) -> tuple[str, ...]:
    """Return the command of Flux, for any MPI with a PMI that it serves.

    Tasks are spread evenly over exclusive nodes. Raises `Unsupported` for an order of ranks that
    is neither block nor round robin.

    >>> from leadline.model.placement import Placement
    >>> mpich = Installation(name="m", family="mpich", version="5", prefix="", source="")
    >>> flux(Job(program=("./probe",), placement=Placement(2, 4)), mpich)
    ... # doctest: +NORMALIZE_WHITESPACE
    ('flux', 'run', '--nodes=2', '--ntasks=8', '--exclusive', '-o', 'cpu-affinity=per-task',
     '-o', 'exit-on-error', './probe')
    """
    if job.ranks_by_node and _dealt_by(job) != 1:
        raise Unsupported(
            "launcher flux orders ranks by blocks or round robin only: leave out --order, or leave "
            "out --launcher flux"
        )
    return (
        *("flux", "run", f"--nodes={job.placement.nodes}", f"--ntasks={job.placement.processes}"),
        "--exclusive",
        *([f"--requires=hosts:{','.join(job.nodes)}"] if job.nodes else []),
        *(["--taskmap=cyclic"] if job.ranks_by_node else []),
        *("-o", f"cpu-affinity={'per-task' if job.is_bound else 'off'}"),
        *("-o", "exit-on-error"),
        *job.program,
    )


def srun(job: Job, installation: Installation) -> tuple[str, ...]:
    """Return the command of Slurm: in a job it uses the job's nodes, outside it asks for its own.

    Raises `Unsupported` for an order that Slurm cannot make.

    >>> from leadline.model.placement import Placement
    >>> mpich = Installation(name="m", family="mpich", version="5", prefix="", source="")
    >>> srun(Job(program=("./probe",), placement=Placement(2, 4)), mpich)
    ... # doctest: +NORMALIZE_WHITESPACE
    ('srun', '--mpi=pmi2', '--nodes=2', '--ntasks=8', '--ntasks-per-node=4',
     '--distribution=block', '--cpu-bind=cores', '--kill-on-bad-exit=1', '--export=ALL', './probe')
    """
    pmi = _PMI.get(installation.family)
    return (
        "srun",
        *([f"--mpi={pmi}"] if pmi else []),
        f"--nodes={job.placement.nodes}",
        f"--ntasks={job.placement.processes}",
        f"--ntasks-per-node={job.placement.processes_per_node}",
        *_distribution(job, pmi),
        f"--cpu-bind={'cores' if job.is_bound else 'none'}",
        *(["--overcommit"] if job.oversubscribe else []),
        "--kill-on-bad-exit=1",
        "--export=ALL",
        *job.program,
    )


def _distribution(job: Job, pmi: str | None) -> tuple[str, ...]:
    """Return which ranks go to which nodes; an arbitrary order lists the node of each rank.

    Raises `Unsupported` where that cannot be said.
    """
    named = (f"--nodelist={','.join(job.nodes)}",) if job.nodes else ()
    if not job.ranks_by_node:
        return (*named, "--distribution=block")
    if block := _dealt_by(job):
        return (*named, "--distribution=cyclic" if block == 1 else f"--distribution=plane={block}")
    if pmi == "pmi2":
        raise Unsupported(
            "srun deals ranks to the nodes in turn (smp, round-robin); in any other order its "
            "PMI-2 tells the library that a node which comes back is another one"
        )
    if not job.nodes:
        raise Unsupported(
            "this order of ranks needs the names of hosts: inside a job give --hosts slurm, or the "
            "name of another scheduler"
        )
    listed = ",".join(job.nodes[node] for node in node_of_each(job.ranks_by_node))
    return (f"--nodelist={listed}", "--distribution=arbitrary")


def _dealt_by(job: Job) -> int:
    """Return how many ranks each node takes in turn, 0 where the order is not of that kind."""
    in_turn = cycle(job.ranks_by_node)
    first_to_last = list(range(job.placement.nodes))
    return in_turn[1] if in_turn and in_turn[0] == first_to_last else 0


def reordered(job: Job) -> Job:
    r"""Return the job with its order left to Cray MPICH, which numbers its ranks anew by itself.

    What starts it fills one node after the other.

    >>> from leadline.model.placement import Placement
    >>> job = Job(program=("./probe",), placement=Placement(2, 2), folder="/f",
    ...     ranks_by_node=((0, 2), (1, 3)))
    >>> reordered(job).environment
    {'MPICH_RANK_REORDER_METHOD': '3', 'MPICH_RANK_REORDER_FILE': '/f/MPICH_RANK_ORDER'}
    >>> reordered(job).files
    {'MPICH_RANK_ORDER': '0,2\n1,3\n'}
    """
    variables = {
        "MPICH_RANK_REORDER_METHOD": "3",
        "MPICH_RANK_REORDER_FILE": f"{job.folder}/{DEFAULT_FILE}",
    }
    text = cray_order(job.ranks_by_node, job.hosts.names)
    return msgspec.structs.replace(
        job,
        ranks_by_node=(),
        environment={**job.environment, **variables},
        files={**job.files, DEFAULT_FILE: text},
    )
