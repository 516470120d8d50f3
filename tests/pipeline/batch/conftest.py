"""A real Slurm on this machine: a controller, and nodes that are told apart by their names."""

import getpass
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

NODES = 4
CONFIGURATION = """\
ClusterName=leadline
SlurmctldHost=localhost
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={ports[0]}
SlurmctldPidFile={folder}/controller.pid
SlurmctldLogFile={folder}/controller.log
StateSaveLocation={folder}/state
SlurmdPidFile={folder}/%n.pid
SlurmdLogFile={folder}/%n.log
SlurmdSpoolDir={folder}/spool-%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
{nodes}
PartitionName=all Nodes=n[0-{last}] Default=YES MaxTime=INFINITE State=UP
"""
NODE = (
    "NodeName=n{number} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} "
    "CPUs={cores} Boards=1 SocketsPerBoard=1 CoresPerSocket={cores} ThreadsPerCore=1"
)
# slurmd looks for mounted control groups although nothing here uses them, unless told which.
CONTROL_GROUPS = "CgroupPlugin=cgroup/v1\n"
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "salloc", "scancel", "scontrol", "squeue")


class Slurm:
    """The daemons, and the programs that ask them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        self._daemons: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        ports = free_ports(NODES + 1)
        cores = os.cpu_count() or 1
        nodes = [NODE.format(number=n, port=ports[n + 1], cores=cores) for n in range(NODES)]
        (self.folder / "state").mkdir()
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                user=getpass.getuser(), folder=self.folder, ports=ports,
                nodes="\n".join(nodes), last=NODES - 1,
            )
        )  # fmt: skip
        (self.folder / "cgroup.conf").write_text(CONTROL_GROUPS)
        self._daemon("slurmctld", "-D", "-c")
        for number in range(NODES):
            (self.folder / f"spool-n{number}").mkdir()
            self._daemon("slurmd", "-D", "-N", f"n{number}")
        deadline = time.monotonic() + 20
        while self.ask("sinfo", "-h", "-t", "idle", "-o", "%D", check=False) != str(NODES):
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.05)

    def stop(self) -> None:
        jobs = self.ask("squeue", "-h", "-o", "%i", check=False).split()
        if jobs:
            self.ask("scancel", *jobs, check=False)
            for job in jobs:
                self.wait_until_gone(job, 10)
        for daemon in reversed(self._daemons):
            daemon.terminate()
        for daemon in self._daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def ask(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(
            words, env=self.environment, capture_output=True, text=True, timeout=30, check=False
        )
        assert not check or done.returncode == 0, (words, done.stderr)
        return done.stdout.strip()

    def jobs(self) -> list[str]:
        return self.ask("squeue", "-h", "-o", "%i").split()

    def wait_until_gone(self, job: str, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while (there := job in self.jobs()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return not there

    def log(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def _daemon(self, name: str, *words: str) -> None:
        configuration = ("-f", str(self.folder / "slurm.conf"))
        self._daemons.append(
            subprocess.Popen(
                [program(name), *words, *configuration],
                env=self.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )
        )  # fmt: skip


def program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def missing(names: Sequence[str]) -> list[str]:
    return [name for name in names if not program(name)]


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    """Give a Slurm of four nodes, all of them this machine."""
    if lacking := missing(PROGRAMS):
        pytest.skip(f"no {lacking[0]} here: install slurm-wlm")
    started = Slurm(tmp_path_factory.mktemp("slurm"))
    try:
        started.start()
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="session")
def environment(environment: dict[str, str], slurm: Slurm) -> dict[str, str]:
    """Give the environment of leadline, in which Slurm's programs find this Slurm."""
    return {**environment, "SLURM_CONF": slurm.environment["SLURM_CONF"]}


@pytest.fixture
def mpich(leadline) -> str:
    """Give the name of an MPICH, whose ranks find each other under Slurm without more."""
    for each in json.loads(leadline("mpi", "--json").stdout)["installations"]:
        if each["family"] == "mpich" and each["mpiexec"]:
            return each["name"]
    pytest.skip("no mpich here: install mpich")
