"""Probes whose ranks are threads of one process: the fake one, and simulated ones."""

from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.topology.rank_order.order import node_of_each, smp

PLATFORM, HOSTS = "platform.xml", "hostfile"
# What holds on every platform. A processor takes no time, so that nothing of this machine is in a
# figure; nor does a look at the clock, and looks at a request take the same time each. Messages do
# not slow those of the other direction. Ranks share what is static: the probe is made for that.
_ALWAYS = (
    "smpi/simulate-computation:no",
    "smpi/wtime:0",
    "smpi/grow-injected-times:no",
    "smpi/test:1e-7",
    "smpi/iprobe:1e-7",
    "smpi/privatization:no",
    "smpi/coll-selector:ompi",
    "network/crosstraffic:0",
)
# Causes before what follows from them, which the script around the simulator tells last.
SMPIRUN_FAILURES = {
    r"(Oops! )?Deadlock detected, some activities are still around": (
        "ranks wait for messages that nobody sends: stderr.txt lists what each waits for"
    ),
    r"Host not found: '[^']*'": "the platform has no such host",
    r"Bad config key: \S+": "SimGrid has no such option: its name is misspelt",
    (
        r"(Memory allocation of \d+ bytes failed|std::bad_alloc|Cannot allocate memory"
        r"|Failed to mmap|Out of memory)"
    ): "the simulator needs more memory than is there: take fewer processes or smaller messages",
    r"Not yet implemented: \w+": "SimGrid lacks that function: leave out what calls it",
    r"(Killed|SIGKILL|Execution failed with code 137)": (
        "somebody killed the simulator, or the kernel did for want of memory (see `dmesg`): take "
        "fewer processes or smaller messages"
    ),
    r"Execution failed with code \d+": "the simulator gave up; its own words are in stderr.txt",
}


def fake(job: Job, installation: Installation) -> Start:
    """Return the start of the fake probe, told how many ranks and nodes to pretend.

    >>> from leadline.model.placement import Placement
    >>> one = Installation(name="fake", family="fake", version="1", prefix="", source="")
    >>> fake(Job(program=("./probe",), placement=Placement(2, 3), api="fake"), one).argv
    ('./probe', '--ranks', '6', '--nodes', '2')
    """
    placement = job.placement
    ranks = ("--ranks", str(placement.processes), "--nodes", str(placement.nodes))
    return Start(
        argv=(*job.program, *ranks),
        environment={**installation.environment, **job.environment},
    )


def smpirun(job: Job, installation: Installation) -> Start:
    r"""Return the start by SimGrid's SMPI, which runs all ranks on a simulated machine.

    Raises `UserError` where the job has no machine.

    >>> from leadline.model.job import Simulation
    >>> from leadline.model.placement import Placement
    >>> simgrid = Installation(name="s", family="simgrid", version="3", prefix="", source="")
    >>> machine = Simulation(platform="mine", text="<platform/>", hosts=("a", "b"),
    ...     options=("network/crosstraffic:1",))
    >>> job = Job(program=("./probe",), placement=Placement(2, 2), folder="/f",
    ...     ranks_by_node=((0, 2), (1, 3)), simulation=machine)
    >>> start = smpirun(job, simgrid)
    >>> start.argv[:7]
    ('smpirun', '-np', '4', '-platform', '/f/platform.xml', '-hostfile', '/f/hostfile')
    >>> start.argv[-2:]
    ('--cfg=network/crosstraffic:1', './probe')
    >>> start.files
    {'platform.xml': '<platform/>', 'hostfile': 'a\nb\na\nb\n'}
    """
    machine = job.simulation
    if machine is None:
        raise UserError(
            f"{installation.name} needs a platform: `leadline simulate BENCHMARK --on PLATFORM`"
        )
    nodes = node_of_each(job.ranks_by_node or smp(job.placement))
    options = {each.partition(":")[0]: each for each in (*_ALWAYS, *machine.options)}
    return Start(
        argv=(
            installation.mpiexec or "smpirun",
            *("-np", str(job.placement.processes)),
            *("-platform", f"{job.folder}/{PLATFORM}"),
            *("-hostfile", f"{job.folder}/{HOSTS}"),
            "--log=root.thres:critical",
            *(f"--cfg={each}" for each in options.values()),
            *job.program,
        ),
        environment={**installation.environment, **job.environment},
        files={
            PLATFORM: machine.text,
            HOSTS: "".join(f"{machine.hosts[node]}\n" for node in nodes),
        },
    )
