"""The owners of the nodes of a map: the jobs of a scheduler, or the ranks of runs."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from leadline.core.errors import UserError
from leadline.model.jobs import Job, Node
from leadline.model.map import MapJob, MapNode, MapPhase
from leadline.model.run import Launch, Run

# Not x, which marks a node that is down.
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwyz0123456789"
BEYOND = "#"


class NodeOwners(NamedTuple):
    """The nodes of a map in order, and the jobs on them, or what else the `letters` are of."""

    nodes: tuple[MapNode, ...]
    jobs: tuple[MapJob, ...]
    notes: tuple[str, ...] = ()
    letters: Literal["jobs", "suspects"] = "jobs"


def nobody(names: Sequence[str]) -> NodeOwners:
    """Return nodes without jobs."""
    return NodeOwners(tuple(MapNode(name=name) for name in names), ())


def by_jobs(
    names: Sequence[str], jobs: Sequence[Job], nodes: Sequence[Node], letters: dict[str, str]
) -> NodeOwners:
    """Return the nodes called `names` with the jobs that have them.

    Where a system's nodes have other names, they are taken in order. `letters` are those of jobs
    that were drawn before; new ones are added, and those of jobs that are gone are free again.
    """
    at, notes = _places(names, [node.name for node in nodes])
    running = [job for job in jobs if any(host in at for host in job.hosts)]
    _letter(running, letters)
    held: list[list[int]] = [[] for _ in names]
    drawn = []
    for number, job in enumerate(running):
        job_nodes = sorted({at[host] for host in job.hosts if host in at})
        for node in job_nodes:
            held[node].append(number)
        drawn.append(
            MapJob(
                id=job.id,
                user=job.user,
                name=job.name,
                letter=letters[job.id],
                nodes=len(job_nodes),
                used_s=job.used_s,
            )
        )
    known = {at[node.name]: node for node in nodes if node.name in at}
    return NodeOwners(
        tuple(
            _node(known[place].name if place in known else name, known.get(place), held[place])
            for place, name in enumerate(names)
        ),
        tuple(drawn),
        notes,
    )


def by_runs(names: Sequence[str], runs: Sequence[Run]) -> NodeOwners:
    """Return the nodes called `names` with the ranks of the runs, each run in one launch.

    Victims and those that disturb them, or keep away, are two jobs of one run.
    Where the run's hosts have other names, they are taken in order.
    """
    held: list[list[int]] = [[] for _ in names]
    ranks: list[list[int]] = [[] for _ in names]
    drawn: list[MapJob] = []
    notes: list[str] = []
    for run in runs:
        launch = widest(run)
        nodes, remarks = node_of_rank(names, launch)
        notes += remarks
        for title, party_ranks in _parties(run, launch):
            for rank in party_ranks:
                ranks[nodes[rank]].append(rank)
            on = {nodes[rank] for rank in party_ranks}
            for node in on:
                held[node].append(len(drawn))
            letter = LETTERS[len(drawn)] if len(drawn) < len(LETTERS) else BEYOND
            drawn.append(MapJob(id=run.run, user="", name=title, letter=letter, nodes=len(on)))
    return NodeOwners(
        tuple(
            MapNode(
                name=name,
                phase="used" if held[place] else "free",
                jobs=tuple(held[place]),
                ranks=tuple(sorted(ranks[place])),
            )
            for place, name in enumerate(names)
        ),
        tuple(drawn),
        tuple(dict.fromkeys(notes)),
    )


def _parties(run: Run, launch: Launch) -> list[tuple[str, list[int]]]:
    """Return the ranks of a launch, those apart that disturb the others or keep away from them."""
    victims = run.plan.victims
    measuring = [
        place.rank
        for place in launch.ranks
        if not victims or (place.node if launch.nodes > 1 else place.rank) < victims
    ]
    beside = sorted({place.rank for place in launch.ranks} - set(measuring))
    if not beside:
        return [(run.plan.name, measuring)]
    return [("measured", measuring), ("beside the measured", beside)]


def widest(run: Run) -> Launch:
    """Return the launch with the most nodes, and of those with the most ranks.

    Raises `UserError` where no launch says where its ranks were.
    """
    known = [launch for launch in run.launches if launch.ranks]
    if not known:
        raise UserError(f"run {run.run} does not say where its ranks were: take another")
    return max(known, key=lambda launch: (launch.nodes, launch.processes, -launch.launch))


def hosts_of(runs: Sequence[Run]) -> list[str]:
    """Return the hosts of the runs, in the order of their nodes; raises `UserError` as `widest`."""
    launches = [widest(run) for run in runs]
    return list(dict.fromkeys(host for launch in launches for host in _hosts(launch).values()))


def node_of_rank(names: Sequence[str], launch: Launch) -> tuple[dict[int, int], tuple[str, ...]]:
    """Return the place among `names` of each rank of a launch, and what was assumed for it."""
    hosts = _hosts(launch)
    at, notes = _places(names, list(hosts.values()))
    return {place.rank: at[hosts[place.node]] for place in launch.ranks}, notes


def _hosts(launch: Launch) -> dict[int, str]:
    """Return the host of each node; where several are on one host, they get names of their own."""
    hosts = {place.node: place.host for place in sorted(launch.ranks, key=lambda one: -one.node)}
    several = len(set(hosts.values())) == len(hosts)
    return {node: hosts[node] if several else f"node {node}" for node in sorted(hosts)}


def _places(names: Sequence[str], hosts: Sequence[str]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return where each host is among `names`: by its name, or else all in order."""
    at = {name: place for place, name in enumerate(names)}
    short = {name.partition(".")[0]: place for name, place in at.items()}
    if all(host in at or host.partition(".")[0] in short for host in hosts):
        return {host: at.get(host, short.get(host.partition(".")[0], 0)) for host in hosts}, ()
    if len(hosts) > len(names):
        raise UserError(
            f"{len(hosts)} nodes do not fit on a machine of {len(names)}: take a larger platform "
            "with --on"
        )
    return {host: place for place, host in enumerate(hosts)}, (
        "The names of the nodes are not those of the platform: they are drawn on its first nodes, "
        "in order.",
    )


def _letter(jobs: Sequence[Job], letters: dict[str, str]) -> None:
    there = {job.id for job in jobs}
    for gone in set(letters) - there:
        del letters[gone]
    free = iter([letter for letter in LETTERS if letter not in letters.values()])
    for job in jobs:
        if job.id not in letters:
            letters[job.id] = next(free, BEYOND)


_PHASES: Mapping[str, MapPhase] = {"down": "down", "drained": "drained"}


def _node(name: str, node: Node | None, jobs: Sequence[int]) -> MapNode:
    phase: MapPhase = "used" if jobs else "free"
    if node is None:
        return MapNode(name=name, phase=phase, jobs=tuple(jobs))
    if node.phase in _PHASES:
        phase = _PHASES[node.phase]
    elif node.phase in ("allocated", "mixed"):
        phase = "used"
    return MapNode(name=name, phase=phase, jobs=tuple(jobs), note=node.note)
