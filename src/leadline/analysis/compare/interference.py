"""Interference with a run, launch by launch: who else used the machine."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leadline.core.units import count
from leadline.model.interference import (
    Interference,
)
from leadline.model.run import Launch, Run

# Less than this of one core, over a whole launch, is the system's own housekeeping.
_CORES = 0.1
# Programs that come and go are only known by the time that nobody else took.
_UNSEEN_CORES = 0.5
# Of all processors' time.
_STOLEN = 0.05
# Of the time of a launch: the batch system tells whole seconds.
_OVERLAP = 0.1
_LINK_BYTES_PER_S = 10e6
_MOST_HOSTS = 4


class Interferer(NamedTuple):
    """Somebody who was there, by `name` and in words, in the launches with these numbers.

    `amount` makes those of a `kind` comparable: nodes of a `job`, cores of a `program` or of the
    `kernel`'s threads, the part of all processors' time that was `stolen`, bytes/s over a `link`;
    of the launches in which it was there, the mean. `near` is one that used the ranks' own nodes.
    """

    kind: str
    name: str
    words: str
    launches: tuple[int, ...]
    amount: float
    near: bool


class Party(NamedTuple):
    """Companions that were there in the same launches, the most important first."""

    members: tuple[Interferer, ...]

    @property
    def launches(self) -> tuple[int, ...]:
        """The numbers of the launches in which they were there."""
        return self.members[0].launches

    def text(self, most: int = 2) -> str:
        """Return who they are, the first `most` of them by name."""
        named = [each.words for each in self.members[:most]]
        left = len(self.members) - len(named)
        return " and ".join(named) if not left else f"{', '.join(named)} and {left} more"


def watched(run: Run) -> tuple[int, ...]:
    """Return the numbers of the launches at which somebody looked on."""
    return tuple(launch.launch for launch in run.launches if launch.company)


def interferers(run: Run) -> tuple[Interferer, ...]:
    """Return all that were there in a launch or more: jobs, then programs, the largest first."""
    seen: dict[tuple[str, str], list[tuple[int, str, float, bool]]] = defaultdict(list)
    for launch in run.launches:
        if launch.company:
            for kind, name, words, amount, near in _see(launch, launch.company):
                seen[kind, name].append((launch.launch, words, amount, near))
    found = []
    for (kind, name), each in seen.items():
        amount = sum(one[2] for one in each) / len(each)
        words = max(each, key=lambda one: one[2])[1]
        numbers = tuple(dict.fromkeys(one[0] for one in each))
        near = any(one[3] for one in each)
        found.append(Interferer(kind, name, _fill(kind, words, amount), numbers, amount, near))
    kinds = ("job", "stolen", "program", "programs", "kernel", "link")
    return tuple(sorted(found, key=lambda one: (kinds.index(one.kind), not one.near, -one.amount)))


def parties(run: Run) -> tuple[Party, ...]:
    """Return the interferers by the launches in which they were there, in the order of these."""
    groups: dict[tuple[int, ...], list[Interferer]] = {}
    for one in interferers(run):
        groups.setdefault(one.launches, []).append(one)
    return tuple(Party(tuple(members)) for members in groups.values())


def launches_text(numbers: Sequence[int], of: int) -> str:
    """Return launches in words, counted from 1, of so many there are.

    >>> launches_text([0, 1, 2, 4], 6), launches_text([0], 6), launches_text([0, 1], 2)
    ('in launches 1 to 3 and 5', 'in launch 1', 'in all 2 launches')
    """
    if len(numbers) == of:
        return f"in all {of} launches" if of > 1 else "in the only launch"
    stretches = []
    for _, group in itertools.groupby(enumerate(sorted(numbers)), lambda each: each[1] - each[0]):
        members = [number + 1 for _, number in group]
        # Two in a row are listed: 1 and 2, not 1 to 2.
        if len(members) > 2:
            stretches.append(f"{members[0]} to {members[-1]}")
        else:
            stretches += map(str, members)
    text = " and ".join(filter(None, [", ".join(stretches[:-1]), stretches[-1]]))
    return f"in launch{'es' if len(numbers) > 1 else ''} {text}"


def interference_text(run: Run) -> str:
    """Return in one line who was there and may matter to figures; empty for nobody.

    Jobs on other nodes are counted where they are many, since there always are some.
    """
    of = len(watched(run))
    kept = [
        Party(tuple(one for one in party.members if one.kind != "job" or one.near or of < 2
                    or len(one.launches) < of))
        for party in parties(run)
    ]  # fmt: skip
    texts = [f"{each.text()} {launches_text(each.launches, of)}" for each in kept if each.members]
    everywhere = _jobs_throughout(run)
    return "; ".join([*texts[:3], *everywhere])


def seen_at(launch: Launch) -> str:
    """Return who was there during one launch: `nobody` to be named, or `-` where nobody looked."""
    if not launch.company:
        return "-"
    seen = _see(launch, launch.company)
    return ", ".join(_fill(kind, words, amount) for kind, _, words, amount, _ in seen) or "nobody"


def _jobs_throughout(run: Run) -> list[str]:
    seen = [launch.company for launch in run.launches if launch.company]
    most = max((one for one in seen if one.jobs_running), key=lambda one: one.jobs_running,
               default=None)  # fmt: skip
    named = {(job.user, job.name) for one in seen for job in one.jobs}
    if most is None or len(seen) < 2 or most.jobs_running <= len(named):
        return []
    jobs, nodes = count(most.jobs_running, "other job"), count(most.jobs_nodes, "node")
    return [f"up to {jobs} of {most.batch_system} on {nodes}"]


def _see(launch: Launch, found: Interference) -> Iterator[tuple[str, str, str, float, bool]]:
    for user, name in dict.fromkeys((job.user, job.name) for job in found.jobs):
        mine = [
            job
            for job in found.jobs
            if (job.user, job.name) == (user, name) and job.seconds >= _OVERLAP * launch.seconds
        ]
        if mine:
            nodes = sum(job.nodes for job in mine)
            hosts = list(dict.fromkeys(host for job in mine for host in job.hosts))
            shared = any(job.shared_nodes for job in mine)
            words = f"job {name} of {user} on {_nodes(nodes, hosts)}"
            yield "job", f"{user}/{name}", words, float(nodes), shared
    for program in found.programs:
        if program.cores >= _CORES:
            name = f"{program.command} of {program.user}"
            kind = "kernel" if program.kernel else "program"
            yield kind, name, f"{name} ({{}})", program.cores, True
    if found.cores is not None:
        unseen = found.cores - sum(program.cores for program in found.programs)
        if unseen >= _UNSEEN_CORES:
            yield "programs", "", "programs that came and went ({})", unseen, True
    if (found.stolen_fraction or 0.0) >= _STOLEN:
        words = "other virtual machines ({})"
        yield "stolen", "", words, found.stolen_fraction or 0.0, True
    for link in found.links:
        rate = (link.others_bytes or 0) / max(found.seconds, 1e-3)
        if rate >= _LINK_BYTES_PER_S:
            yield "link", link.name, f"others' traffic over {link.name} ({{}})", rate, True


def _fill(kind: str, words: str, amount: float) -> str:
    cores = f"{amount:.2g} core{'' if f'{amount:.2g}' == '1' else 's'}"
    units = {
        "program": cores,
        "programs": cores,
        "kernel": cores,
        "stolen": f"{100 * amount:.2g} % of the processors' time",
        "link": f"{amount / 1e6:.3g} MB/s",
    }
    # A program may be called anything: only the last of such places is ours.
    name, place, rest = words.rpartition("{}")
    return f"{name}{units[kind]}{rest}" if place and kind in units else words


def _nodes(nodes: int, hosts: Sequence[str]) -> str:
    named = ", ".join(hosts[:_MOST_HOSTS]) + (", ..." if nodes > _MOST_HOSTS else "")
    return count(nodes, "node") + (f" ({named})" if hosts else "")


def interference_differs(one: Run, other: Run) -> bool:
    """Tell whether either run had somebody on the ranks' own nodes whom the other never met.

    Who took less than a quarter of a core over all launches, or was there in fewer than a quarter
    of them, does not count. Runs at which nobody looked on do not differ.
    """
    if not (watched(one) and watched(other)):
        return False
    return any(
        _regulars(here) - {_name(each) for each in interferers(there)}
        for here, there in ((one, other), (other, one))
    )


def _regulars(run: Run) -> set[str]:
    of = len(watched(run))
    return {
        _name(one)
        for one in interferers(run)
        if one.near
        and len(one.launches)
        / of
        * (one.amount if one.kind.startswith(("program", "kernel")) else 1)
        >= 0.25
    }


def _name(one: Interferer) -> str:
    return f"{one.kind} {one.name}"
