"""A second job beside a launch, which disturbs it: `leadline congest` in a process of its own."""

import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

import msgspec

from leadline.core.errors import UserError
from leadline.measure.knobs.knob import DEFAULT
from leadline.model.interference import BESIDE, Congestion
from leadline.model.plan import Plan
from leadline.model.run import Launch
from leadline.site.schedulers.allocation import hosts_for

# Starting ranks on many hosts takes its time.
_START_S = 120.0
_END_S = 30.0


def check_neighbour_job(plan: Plan, kinds: Sequence[str], there: Sequence[str]) -> None:
    """Raise `UserError` for a second job that cannot be.

    `kinds` are the congestors asked for, `there` those that there are.
    """
    kinds = [kind for kind in kinds if kind != DEFAULT]
    if plan.background_hosts and not kinds:
        raise UserError(
            "--background-hosts goes with --background KIND: the congestor that runs there"
        )
    if not kinds:
        return
    if plan.batch:
        raise UserError(
            f"beside {kinds[0]}: a batch job has its nodes for itself: use --victims instead"
        )
    for kind in kinds:
        if kind not in there:
            raise UserError(f"beside {kind}: there is {', '.join(there)}")
    if plan.background_hosts:
        own = hosts_for(plan.hosts, plan.remote_shell).names
        most = max(placement.nodes for placement in plan.placements)
        shared = set(own[:most]) & set(hosts_for(plan.background_hosts, plan.remote_shell).names)
        if shared and plan.hosts:
            raise UserError(
                f"--background-hosts {','.join(plan.background_hosts)}: {sorted(shared)[0]} is a "
                "host of the first job too: take another"
            )


def neighbour_job_command(plan: Plan, launch: Launch) -> list[str]:
    """Return the command that starts the second job of `launch`.

    It has as many processes on a host. Without hosts it has two or more on this machine. Its ranks
    are not bound: the first job's are.
    """
    per_node, hosts = launch.processes_per_node, plan.background_hosts
    nodes = len(hosts_for(hosts, plan.remote_shell).names) if hosts else 1
    place = f"{nodes}x{per_node if hosts else max(2, per_node)}"
    words = [sys.executable, "-m", "leadline", "congest", launch.knobs[BESIDE]]
    words += ["--place", place, "--mpi", launch.mpi, "--no-bind", "--oversubscribe", "--json"]
    words += ["--hosts", ",".join(hosts)] if hosts else []
    return words + (["--remote-shell", plan.remote_shell] if plan.remote_shell else [])


class NeighbourJob:
    """Runs while the block does: it has moved its first bytes when the block begins.

    `did` is what it did, once it has ended. Raises `UserError` where it does not begin.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self.did: Congestion | None = None

    def __enter__(self) -> "NeighbourJob":
        self._process = subprocess.Popen(
            self._words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        try:
            self._await_first_line()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        output, _errors = self._end()
        lines = output.splitlines()
        if lines:
            # Beside the fields there is what is made of them.
            self.did = msgspec.json.decode(lines[-1], type=Congestion)

    def _await_first_line(self) -> None:
        assert self._process.stdout
        deadline = time.monotonic() + _START_S
        while not select.select([self._process.stdout], [], [], 0.1)[0]:
            if time.monotonic() > deadline:
                raise UserError(f"the job beside did not begin within {_START_S:g} s")
        # Unbuffered, so that nothing of the lines that follow is taken with it.
        if not self._process.stdout.readline():
            _, errors = self._end()
            last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
            raise UserError(f"the job beside did not begin: {last[0].removeprefix('leadline: ')}")

    def _end(self) -> tuple[bytes, bytes]:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.communicate(timeout=_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.communicate()
