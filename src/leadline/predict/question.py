"""The question to `leadline simulate --predict`, checked, and its answer."""

import itertools
from collections.abc import Callable, Iterator, Sequence

import msgspec

from leadline.core.errors import UserError
from leadline.measure.build.schedules import Listing
from leadline.model.placement import Placement
from leadline.model.prediction import (
    BusiestLink,
    Fastest,
    LeftOut,
    LogGPMachine,
    PredictedJitter,
    Prediction,
    Predictions,
)
from leadline.predict.engine import Engine, Outcome, Refused, TooMany
from leadline.predict.network import MOST_NODES, Network, busiest, drawn, mean_links, network_of
from leadline.store.renamed import current_value
from leadline.topology.platforms.routes import Routes
from leadline.topology.rank_order.order import node_of_each, order_for

MOST_PROCESSES = 1 << 17
_MOST_BYTES = 1 << 31
# About a million messages are replayed in a second: an algorithm of more than the first number is
# left out where it was not named, and one of more than the second takes over ten minutes.
_MANY_MESSAGES, _LONG_MESSAGES = 1e8, 6e8
_DEFAULT_BYTES = (8, 1024, 65536, 1 << 20)
# A call that takes so many times what it takes when nobody is late has met somebody who was.
_LATE = 1.5


class Noise(msgspec.Struct, frozen=True, kw_only=True):
    """Of `calls` exchanges in a row a task begins so many late, by an exchange that meets none."""

    probability: float
    calls: int
    seed: int


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark, and lists of what is to vary. No algorithms are all, no sizes the usual ones.

    `order` is a named order of ranks or a file. Without `local_work` reductions and copies take no
    time, as in a simulation that does not count them. Without `contention` messages share no links,
    nor with `noise`: many calls in a row would take too long. One that is `drawn` has a map.
    """

    benchmark: str
    processes: tuple[int, ...]
    algorithms: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    per_node: int = 1
    order: str = "smp"
    root: int = 0
    periodic: bool = True
    local_work: bool = True
    contention: bool = True
    noise: Noise | None = None
    drawn: bool = False


class _Case(msgspec.Struct, frozen=True, kw_only=True):
    placement: Placement
    algorithm: str
    size: int


def algorithms_of(query: Asked, listing: Listing) -> tuple[str, ...]:
    """Return the algorithms, or patterns, of the query. Raises `UserError` for unknown ones."""
    known = {each.benchmark: [one.name for one in each.algorithms] for each in listing.collectives}
    known[listing.halo] = list(listing.patterns)
    if query.benchmark not in known:
        raise UserError(
            f"{query.benchmark} cannot be predicted: take one of {', '.join(sorted(known))}"
        )
    there = known[query.benchmark]
    wanted = tuple(current_value(query.benchmark, "algorithm", name) for name in query.algorithms)
    for name in wanted:
        if name not in there:
            raise UserError(
                f"{query.benchmark} has no algorithm {name} whose messages can be listed: take "
                f"{', '.join(there)}"
            )
    return wanted or tuple(there)


def sizes_of(query: Asked, listing: Listing) -> tuple[int, ...]:
    """Return the sizes of the query. Raises `UserError` for sizes the collective cannot have."""
    units = {each.benchmark: each.unit_bytes for each in listing.collectives}
    unit = units.get(query.benchmark, 1)
    if unit == 0:
        if any(query.sizes):
            raise UserError(f"--bytes {query.sizes[0]}: {query.benchmark} has none: leave it out")
        return (0,)
    for size in query.sizes:
        if size % unit:
            raise UserError(f"--bytes {size}: {query.benchmark} takes multiples of {unit}")
        if not 0 <= size <= _MOST_BYTES:
            raise UserError(f"--bytes {size}: take from 0 to 2G")
    return query.sizes or _DEFAULT_BYTES


def check(query: Asked, machine: LogGPMachine, *, is_halo: bool) -> None:
    """Hold the numbers to what makes sense. Raises `UserError` for the first that does not."""
    for processes in query.processes:
        if not 2 <= processes <= MOST_PROCESSES:
            raise UserError(f"--processes {processes}: take from 2 to {MOST_PROCESSES}")
        if processes % query.per_node:
            raise UserError(
                f"--processes {processes} do not fill nodes of {query.per_node}: take a multiple"
            )
        nodes = processes // query.per_node
        if machine.nodes is not None and nodes > machine.nodes:
            raise UserError(
                f"--processes {processes} need {nodes} nodes at {query.per_node} on each, and "
                f"{machine.name} has {machine.nodes}: take fewer, or change the machine with "
                "--change nodes=N and its topology"
            )
        if not 0 <= query.root < processes:
            raise UserError(f"--root {query.root}: there is no such rank among {processes}")
    if query.noise and not is_halo:
        raise UserError(
            "--noise is for halo exchanges, whose calls follow each other: leave it out"
        )


def answer(
    query: Asked,
    listing: Listing,
    machine: LogGPMachine,
    ways: Routes | None,
    engine: Engine,
    say: Callable[[str], None] = lambda _: None,
    warn: Callable[[str], None] = lambda _: None,
) -> Predictions:
    """Return the predictions; `say` gets a line before each one, `warn` one before a long replay.

    Algorithms of very many messages are left out unless they are named.

    `ways` are those of the messages, where they are known. Raises `UserError` for an
    invalid query.
    """
    algorithms, sizes = algorithms_of(query, listing), sizes_of(query, listing)
    is_halo = query.benchmark == listing.halo
    check(query, machine, is_halo=is_halo)
    if query.drawn:
        check_drawn(query, ways, len(query.processes) * len(sizes) * len(algorithms))
    if not query.local_work:
        machine = msgspec.structs.replace(machine, reduce_s_per_byte=0.0, copy_s_per_byte=0.0)
    if query.noise or not query.contention:
        machine = msgspec.structs.replace(machine, contention=False)
    engine.use(machine)
    found, left_out, picture = [], [], None
    for processes in query.processes:
        placement = Placement(processes // query.per_node, query.per_node)
        node_of = node_of_each(order_for(query.order, placement))
        network = _place(engine, machine, ways, placement, node_of)
        for size, algorithm in itertools.product(sizes, algorithms):
            case = _Case(placement=placement, algorithm=algorithm, size=size)
            say(f"{query.benchmark} {algorithm} {processes} x {size} bytes")
            try:
                outcome, jitter = _affordable_outcome(engine, query, case, is_halo, warn)
            except Refused as refused:
                unless = f"; --algorithm {algorithm} predicts it anyway"
                reason = f"{refused}{unless if isinstance(refused, TooMany) else ''}"
                left_out.append(
                    LeftOut(algorithm=algorithm, bytes=size, processes=processes, reason=reason)
                )
                continue
            link = None
            if ways and network and outcome.seconds:
                link = busiest(ways, network, outcome.carried, outcome.seconds)
            contention = machine.contention and network is not None
            found.append(_prediction(query, case, outcome, jitter, contention, link))
            if query.drawn and ways and network:
                picture = drawn(found[-1], ways, node_of, outcome.carried)
    return Predictions(
        on=machine,
        predictions=tuple(found),
        fastest=tuple(_fastest(found)),
        left_out=tuple(left_out),
        map=picture,
    )


def check_drawn(query: Asked, ways: Routes | None, cases: int) -> None:
    """Raise `UserError` where there is not one prediction on links that are known."""
    if cases != 1:
        raise UserError(
            f"a map has one prediction and {cases} are asked for: give one value each of "
            "--processes, --bytes and --algorithm"
        )
    if ways is None:
        raise UserError("a map needs links, which a run does not know: take a platform for --on")
    if query.processes[0] // query.per_node > MOST_NODES:
        raise UserError(f"--processes {query.processes[0]}: a map has up to {MOST_NODES} nodes")


def _place(
    engine: Engine,
    machine: LogGPMachine,
    ways: Routes | None,
    placement: Placement,
    node_of: Sequence[int],
) -> Network | None:
    links, network = machine.links, None
    if ways and machine.by_distance:
        if placement.nodes <= MOST_NODES:
            network = network_of(ways, placement.nodes)
        else:
            links += mean_links(ways, placement.nodes)
    engine.place(node_of, links, network)
    return network


def _affordable_outcome(
    engine: Engine, query: Asked, case: _Case, is_halo: bool, warn: Callable[[str], None]
) -> tuple[Outcome, PredictedJitter | None]:
    """Return the outcome. Raises `TooMany` for an algorithm that was not named, `Refused` else."""
    engine.allow(_LONG_MESSAGES if query.algorithms else _MANY_MESSAGES)
    try:
        return _outcome(engine, query, case, is_halo=is_halo)
    except TooMany as refused:
        if not query.algorithms:
            raise
        warn(f"{case.algorithm} on {case.placement}: {refused}: more than ten minutes")
        engine.allow(0)
        return _outcome(engine, query, case, is_halo=is_halo)


def _outcome(
    engine: Engine, query: Asked, case: _Case, *, is_halo: bool
) -> tuple[Outcome, PredictedJitter | None]:
    if not is_halo:
        return engine.collective(query.benchmark, case.algorithm, case.size, query.root), None
    alone = engine.halo(case.algorithm, case.size, periodic=query.periodic)
    if not query.noise:
        return alone, None
    noise = query.noise
    disturbed = engine.halo(
        case.algorithm,
        case.size,
        periodic=query.periodic,
        calls=noise.calls,
        probability=noise.probability,
        delay_s=alone.seconds,
        seed=noise.seed,
    )
    return alone, _jitter(noise, alone.seconds, disturbed, case.placement.processes)


def _jitter(noise: Noise, alone_s: float, disturbed: Outcome, tasks: int) -> PredictedJitter:
    average = sum(disturbed.sum_s) / (tasks * noise.calls)
    maximum = sum(disturbed.slowest_s) / noise.calls
    late = sum(each >= _LATE * alone_s for each in disturbed.slowest_s)
    somebody: float = 1 - (1 - noise.probability) ** tasks
    return PredictedJitter(
        calls=noise.calls,
        probability=noise.probability,
        seed=noise.seed,
        alone_s=alone_s,
        average_s=average,
        maximum_s=maximum,
        maximum_over_average=maximum / average,
        late_fraction=late / noise.calls,
        independent_maximum_over_average=(1 + somebody) / (1 + noise.probability),
        independent_late_fraction=somebody,
    )


def _prediction(
    query: Asked,
    case: _Case,
    outcome: Outcome,
    jitter: PredictedJitter | None,
    contention: bool,
    link: BusiestLink | None,
) -> Prediction:
    return Prediction(
        benchmark=query.benchmark,
        algorithm=case.algorithm,
        bytes=case.size,
        processes=case.placement.processes,
        nodes=case.placement.nodes,
        processes_per_node=case.placement.processes_per_node,
        order=query.order,
        seconds=outcome.seconds,
        steps=outcome.steps,
        messages=outcome.messages,
        most_messages=outcome.most_sent,
        moved_bytes=outcome.bytes,
        network_messages=outcome.network_messages,
        network_bytes=outcome.network_bytes,
        contention=contention,
        busiest=link,
        jitter=jitter,
    )


def _fastest(found: Sequence[Prediction]) -> Iterator[Fastest]:
    for processes, size in dict.fromkeys((one.processes, one.bytes) for one in found):
        same = [one for one in found if (one.processes, one.bytes) == (processes, size)]
        first, *others = sorted(same, key=lambda one: (one.seconds, one.algorithm))
        if others:
            yield Fastest(
                bytes=size,
                processes=processes,
                algorithm=first.algorithm,
                seconds=first.seconds,
                second=others[0].algorithm,
                factor=others[0].seconds / first.seconds if first.seconds else None,
            )
