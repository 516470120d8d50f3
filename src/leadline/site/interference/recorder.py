"""The recorder of interference with launches: others' processes here, others' batch jobs."""

import os
import threading
import time
from collections.abc import Callable, Collection, Iterable
from datetime import datetime

import msgspec

from leadline.core.errors import UserError
from leadline.model.interference import Interference, InterferingJob
from leadline.model.jobs import Job
from leadline.model.run import BatchJob, Launch
from leadline.site.interference.watcher import InterferenceWatcher
from leadline.site.processes import TAG
from leadline.site.schedulers.batch_system import batch_systems
from leadline.site.schedulers.job_source import NoAnswer, Source, sources

# The batch system serves everybody: it is asked when a launch begins and ends, and now and then
# during a long one.
_FRESH_S, _FIRST_ASK_S, _LAST_ASK_S = 1.0, 2.0, 60.0
# Nobody waits longer for its answer, and one that gave none is left in peace for a while.
_PATIENCE_S, _LEFT_ALONE_S = 5.0, 300.0

_MOST_JOBS, _MOST_HOSTS = 8, 32


class InterferenceRecorder:
    """Records interference while the launches of `run` are carried out, one after the other.

    This machine has a part in them unless a batch `job` carries them out; `virtual` hosts are all
    of its kernel, and `network` is the variable of programs that carry messages between them.
    """

    def __init__(
        self, run: str, *, virtual: bool = False, network: str = "", job: BatchJob | None = None
    ) -> None:
        self._run, self._virtual, self._elsewhere = run, virtual, job is not None
        self._network = network
        variables = [system.job_variable for system in batch_systems()]
        excluded = {os.environ[name] for name in variables if name in os.environ}
        source = _batch_source(job.system if job else "")
        self._jobs = JobWatch(source, excluded | {job.job} if job else excluded) if source else None
        self._watch: InterferenceWatcher | None = None

    def watch(self, launch: Launch, tick: Callable[[], bool]) -> Callable[[], bool]:
        """Begin to watch `launch`, and return `tick` with a look at others added to it."""
        jobs, watch = self._jobs, None
        if jobs:
            jobs.look_now()
        if not self._elsewhere:
            alone = launch.nodes == 1 and not launch.asked_hosts
            mark = f"{TAG}={self._run}/{launch.launch}"
            watch = InterferenceWatcher(mark, network=self._network, alone=alone)
        self._watch = watch

        def both() -> bool:
            if watch:
                watch.tick()
            if jobs:
                jobs.look_if_due()
            return tick()

        return both

    def interference_of(self, launch: Launch) -> Interference:
        """Return the interference with `launch`, which has ended and says where its ranks ran."""
        if self._watch:
            found = self._watch.end()
        else:
            found = Interference(host="", seconds=0.0, looks=0, looks_cpu_s=0.0)
        hosts = list(dict.fromkeys(place.host for place in launch.ranks))
        seen = hosts if self._watch and self._virtual else [found.host]
        unseen = [host for host in hosts if _short(host) not in map(_short, seen)]
        found = msgspec.structs.replace(found, unseen_hosts=tuple(unseen[:_MOST_HOSTS]))
        if not self._jobs:
            return found
        self._jobs.look_now()
        began, ended = (
            datetime.fromisoformat(moment).timestamp() for moment in (launch.started, launch.ended)
        )
        return self._jobs.add_to(found, began, ended, hosts)


def _short(host: str) -> str:
    return host.partition(".")[0]


def _batch_source(system: str) -> Source | None:
    names = {system} if system else {each.name for each in batch_systems()}
    known = [each for each in sources() if each.name in names]
    return next((each for each in known if system or each.here()), None)


class _Known:
    """A job, from when on it was there and when it was last seen, in seconds since 1970."""

    def __init__(self, job: Job, start: float) -> None:
        self.job, self.start, self.seen = job, start, start
        self.gone = False


class JobWatch:
    """The jobs that run, queried now and then; those in `excluded` are left out.

    A job ran for sure from the start time that the system gives, or else its first listing, to its
    last listing; one that is still listed, as long as the last answer counts as fresh.
    """

    def __init__(
        self, source: Source, excluded: Collection[str], clock: Callable[[], float] = time.time
    ) -> None:
        self._source, self._excluded, self._clock = source, excluded, clock
        self._known: dict[str, _Known] = {}
        self._last_request = float("-inf")
        self._pause = _FIRST_ASK_S
        self._unknown = ""
        self._question: threading.Thread | None = None

    def look_now(self) -> None:
        """Ask, unless it was done just now, and wait for the answer for some seconds."""
        self._pause = _FIRST_ASK_S
        if self._clock() - self._last_request >= (_LEFT_ALONE_S if self._unknown else _FRESH_S):
            self._ask()
        if self._question:
            self._question.join(_PATIENCE_S)
            if self._question.is_alive():
                self._unknown = f"{self._source.name} gave no answer in {_PATIENCE_S:g} s"

    def look_if_due(self) -> None:
        """Ask if it is time to, without waiting for the answer."""
        if not self._unknown and self._clock() - self._last_request >= self._pause:
            self._pause = min(2 * self._pause, _LAST_ASK_S)
            self._ask()

    def add_to(
        self, company: Interference, began: float, ended: float, hosts: Iterable[str]
    ) -> Interference:
        """Return `company` with the jobs that were there from `began` to `ended`.

        Jobs that were gone by then are forgotten. `hosts` are those of the launch.
        """
        nodes = {_short(host) for host in hosts}
        found = []
        for known in self._known.values():
            until = known.seen if known.gone else known.seen + _FRESH_S
            seconds = min(until, ended) - max(known.start, began)
            if seconds > 0:
                found.append(_others_job(known, seconds, nodes))
        found.sort(key=lambda job: (not job.shared_nodes, -job.nodes, job.id))
        self._known = {
            name: known
            for name, known in self._known.items()
            if not known.gone or known.seen > ended
        }
        return msgspec.structs.replace(
            company,
            batch_system=self._source.name,
            jobs=tuple(found[:_MOST_JOBS]),
            jobs_running=len(found),
            jobs_nodes=sum(job.nodes for job in found),
            jobs_unknown=self._unknown,
        )

    def _ask(self) -> None:
        """Ask in a thread of its own: a system that hangs must not keep leadline."""
        if self._question and self._question.is_alive():
            return
        self._last_request = self._clock()
        self._question = threading.Thread(target=self._look, daemon=True)
        self._question.start()

    def _look(self) -> None:
        try:
            jobs = self._source.jobs()
        except (NoAnswer, UserError) as error:
            self._unknown = str(error)
            return
        except ValueError as error:
            self._unknown = f"{self._source.name} said what leadline cannot read: {error}"
            return
        now = self._clock()
        self._unknown = ""
        known = dict(self._known)
        running = {
            job.id: job
            for job in jobs
            if job.phase in ("running", "ending") and job.id not in self._excluded
        }
        for name, job in running.items():
            if name not in known or known[name].gone:
                known[name] = _Known(job, now - (job.used_s or 0.0))
            known[name].seen = now
        for name, one in known.items():
            one.gone = name not in running
        self._known = known


def _others_job(known: _Known, seconds: float, nodes: Collection[str]) -> InterferingJob:
    job = known.job
    hosts = job.hosts or ((job.base_node,) if job.base_node else ())
    return InterferingJob(
        id=job.id,
        user=job.user,
        name=job.name,
        nodes=job.nodes if job.nodes is not None else len(hosts),
        hosts=hosts[:_MOST_HOSTS],
        shared_nodes=sum(_short(host) in nodes for host in hosts),
        seconds=seconds,
    )
