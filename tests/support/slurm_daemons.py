"""A real Slurm of daemons that a test starts and ends: no root, no Munge, no control groups."""

import getpass
import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

CONFIGURATION = """\
ClusterName=leadline
SlurmctldHost={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={port}
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
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
THIS_MACHINE = "NodeHostname=localhost NodeAddr=127.0.0.1"
NODE = "NodeName={name} CPUs={cores} CoresPerSocket={cores} {address} Port={port}\n"
# slurmd looks for mounted control groups although nothing here uses them, unless told which.
CONTROL_GROUPS = "CgroupPlugin=cgroup/v1\n"
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "salloc", "scancel", "scontrol", "squeue")


class Slurm:
    """The daemons, and the programs that ask them.

    `nodes` are told apart by their names; all may be this machine. `on_head` are the words before a
    command for the machine of the controller.
    """

    def __init__(self, folder: Path, nodes: Sequence[str], settings: str = "") -> None:
        self.folder = folder
        self.nodes = nodes
        self.settings = settings
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        self.on_head: tuple[str, ...] = ()
        self._daemons: list[subprocess.Popen[bytes]] = []

    def on_node(self, node: str) -> tuple[str, ...]:
        """Return the words before a command that a node is to execute."""
        return ()

    def configure(self, controller: str, address: str, more: dict[str, str] | None = None) -> None:
        """Write the configuration; `address` is a pattern of what a node's line says of it."""
        cores = os.cpu_count() or 1
        ports = free_ports(len(self.nodes) + 1)
        lines = [
            NODE.format(name=name, cores=cores, port=port, address=address)
            for name, port in zip(self.nodes, ports[1:], strict=True)
        ]
        text = CONFIGURATION.format(
            controller=controller, user=getpass.getuser(), folder=self.folder, port=ports[0]
        )
        files = {
            "slurm.conf": text + self.settings + "".join(lines),
            "cgroup.conf": CONTROL_GROUPS,
            **(more or {}),
        }
        for name, content in files.items():
            (self.folder / name).write_text(content)

    def start(self) -> None:
        """Start the daemons and wait until all nodes are ready."""
        (self.folder / "state").mkdir()
        self._daemon(self.on_head, "slurmctld", "-D", "-c")
        for node in self.nodes:
            (self.folder / f"spool-{node}").mkdir()
            self._daemon(self.on_node(node), "slurmd", "-D", "-N", node)
        while self.ask("sinfo", "-h", "-t", "idle", "-o", "%D", check=False) != str(
            len(self.nodes)
        ):
            time.sleep(0.05)

    def stop(self) -> None:
        """End all jobs, and the daemons."""
        jobs = self.ask("squeue", "-h", "-o", "%i", check=False).split()
        if jobs:
            self.ask("scancel", *jobs, check=False)
            for job in jobs:
                self.wait_until_gone(job)
        # Whoever starts a daemon on another host does not pass signals on.
        self.ask("scontrol", "shutdown", check=False)
        for daemon in self._daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def ask(self, *words: str, check: bool = True) -> str:
        """Return what a program of Slurm's prints."""
        done = subprocess.run(
            [*self.on_head, *words],
            env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert not check or done.returncode == 0, (words, done.stderr)
        return done.stdout.strip()

    def jobs(self) -> list[str]:
        """Return the jobs that wait, run or are being ended."""
        return self.ask("squeue", "-h", "-o", "%i").split()

    def wait_until_gone(self, job: str) -> None:
        """Return when a job is gone."""
        while job in self.jobs():
            time.sleep(0.05)

    def wait_until_running(self, job: str) -> None:
        """Return when a job runs."""
        while self.ask("squeue", "-h", "-j", job, "-o", "%T") != "RUNNING":
            time.sleep(0.05)

    def log(self) -> str:
        """Return what the daemons logged."""
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def _daemon(self, before: Sequence[str], name: str, *words: str) -> None:
        configuration = ("-f", str(self.folder / "slurm.conf"))
        self._daemons.append(
            subprocess.Popen(
                [*before, str(program(name)), *words, *configuration],
                env=self.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )
        )  # fmt: skip


class SlurmOnHosts(Slurm):
    """A Slurm on the hosts of a virtual cluster, its controller on the head node."""

    def __init__(self, folder: Path, nodes: Sequence[str], lab: Path) -> None:
        super().__init__(folder, nodes)
        self._lab = lab
        self.on_head = (f"{lab}/head",)

    def on_node(self, node: str) -> tuple[str, ...]:
        """Return the words before a command that a host is to execute."""
        return (f"{self._lab}/ssh", node, "exec")


@contextmanager
def running(
    slurm: Slurm,
    controller: str = "localhost",
    address: str = THIS_MACHINE,
    files: dict[str, str] | None = None,
) -> Iterator[Slurm]:
    """Give a Slurm that runs, or skip where none can be started."""
    if why := why_not():
        pytest.skip(why)
    slurm.configure(controller, address, files)
    try:
        slurm.start()
        yield slurm
    finally:
        slurm.stop()


def why_not() -> str:
    """Return why no Slurm can be started here; empty where one can."""
    lacking = [name for name in PROGRAMS if not program(name)]
    return f"no {lacking[0]} here: install slurm-wlm" if lacking else ""


def program(name: str) -> str | None:
    """Return where a program is; Debian has the daemons where only root's PATH looks."""
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


def free_ports(count: int) -> list[int]:
    """Return ports that nobody uses now, none of those that the kernel hands out in between."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    sockets: list[socket.socket] = []
    try:
        for port in random.sample(range(1024, lowest), lowest - 1024):
            if len(sockets) == count:
                break
            each = socket.socket()
            try:
                each.bind(("", port))
            except OSError:
                each.close()
            else:
                sockets.append(each)
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
