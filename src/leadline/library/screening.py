"""A cluster screened: rounds of pairs and every node by itself, in one job, then judged.

The first rounds are chosen beforehand. While the probe waits for the next line of its schedule,
what they showed is looked at, and the suspects are measured again.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from leadline.analysis.screen.figures import (
    NODE_FIGURES,
    Columns,
    node_looks,
    pair_looks,
)
from leadline.analysis.screen.history import node_levels, pair_levels
from leadline.analysis.screen.judge import Suspicion, judge
from leadline.analysis.screen.kinds import kind_numbers
from leadline.analysis.screen.latency_switches import switches_from_latencies
from leadline.analysis.screen.matchings import (
    Matching,
    confirming_count,
    first_rounds,
    later_rounds,
    nodes_of,
)
from leadline.analysis.screen.observations import pair_groups
from leadline.core.errors import UserError
from leadline.library.screening_plan import (
    FEWEST,
    SCHEDULE,
    Screening,
    Watch,
    differences,
    figure_of,
    in_order,
    kinds_by_rank,
    kinds_of,
    of_pairs,
    plan_of,
    round_of,
    schedule_text,
)
from leadline.measure.launch.hosts import hung_hosts, silent_hosts
from leadline.measure.plan.checks import hosts_of
from leadline.measure.run.preparation import prepare
from leadline.measure.run.run import execute
from leadline.model.hosts import Hosts
from leadline.model.placement import Placement
from leadline.model.plan import Plan, Point
from leadline.model.progress import Observer
from leadline.model.run import RankFacts, RankPlace, Run
from leadline.model.samples import excluding_bits
from leadline.model.screen import Screen, Suspect
from leadline.site.schedulers.batch_system import batch_system
from leadline.site.schedulers.topology import leaf_switches
from leadline.store.folder import RunFolder
from leadline.store.history import keep_screen, last_screen
from leadline.store.launches import LaunchFiles
from leadline.store.samples import StoredSamples

if TYPE_CHECKING:
    from leadline.analysis.screen.observations import Observations

# Before that, hosts are asked which rank stands still.
_QUIET_S = 40.0
# A screening is begun again where nodes stopped answering.
_ATTEMPTS = 3
# So many nodes that do not answer are named in one line.
_NAMED = 3


def screen(wanted: Screening, runs: Path, observer: Observer) -> tuple[Screen, Run]:
    """Screen the nodes, keep what was found in the run's folder, and return it with the run.

    Nodes that do not answer are suspects, and the others are screened without them, also where
    they stop answering meanwhile, or where their rank hangs: those of a batch job in another one,
    where the system can be told which nodes to leave out. Raises `UserError` for what cannot be
    measured at all.
    """
    asked = () if wanted.plan.batch else hosts_of(wanted.plan).names
    alive = list(asked)
    silent: dict[str, str] = {}
    hung: dict[str, str] = {}
    job: ScreeningJob | None = None
    for _ in range(_ATTEMPTS):
        if asked:
            alive = _answering(wanted.plan, alive, silent)
        try:
            if asked:
                _check_enough(alive, silent)
            left = _on(wanted, alive) if asked else _without(wanted, hung)
            following = ScreeningJob(left, runs, observer)
            began = time.monotonic()
            run = following.execute()
        except UserError as error:
            if job is None:
                raise
            observer.warn(f"the nodes that are left: {error}")
            break
        job = following
        if run.outcome.state not in ("failed", "incomplete", "timed out"):
            break
        hung |= job.hung
        if not asked:
            if not job.hung or not _can_leave_out(wanted, hung):
                break
            continue
        if not job.hung and _answering(wanted.plan, alive, silent) == alive:
            break
        alive = [name for name in alive if name not in hung]
        if len(alive) < FEWEST:
            break
    assert job
    # Nodes of which none answers are called dead only where their launch failed, too.
    maybe = alive if any(launch.points for launch in run.launches) else ()
    dead = {name: silent[name] for name in asked if name in silent and name not in (*hung, *maybe)}
    found = job.found(dead, hung, time.monotonic() - began)
    keep_screen(job.folder, found)
    return found, run


def _answering(plan: Plan, names: Sequence[str], silent: dict[str, str]) -> list[str]:
    """Return those of the nodes that answer; `silent` gets why each of the others does not.

    All are returned where none answers: what asks may be wrong.
    """
    silent |= _silent(plan, names)
    return [name for name in names if name not in silent] or list(names)


def _silent(plan: Plan, names: Sequence[str]) -> dict[str, str]:
    """Return why nodes do not answer; a virtual cluster knows itself which are down."""
    try:
        hosts = hosts_of(plan)
    except UserError:
        source = (plan.hosts[0].partition(":")[0],)
        hosts = hosts_of(msgspec.structs.replace(plan, hosts=source))
    there = [name for name in hosts.names if name in names]
    silent = silent_hosts(msgspec.structs.replace(hosts, names=tuple(there)))
    return {name: silent.get(name, "") for name in names if name not in there or name in silent}


def _check_enough(names: Sequence[str], silent: Mapping[str, str]) -> None:
    """Raise `UserError` where these nodes are too few, and say which others do not answer."""
    if len(names) >= FEWEST:
        return
    said = ""
    if silent:
        said = ", ".join(list(silent)[:_NAMED])
        if len(silent) > _NAMED:
            said += f" and {len(silent) - _NAMED} more"
        why = next(filter(None, silent.values()), "")
        said += f" {'does' if len(silent) == 1 else 'do'} not answer{f' ({why})' if why else ''}: "
    answering = [name for name in names if name not in silent]
    raise UserError(
        f"{said}screen needs {FEWEST} nodes that answer and has {len(answering)}: name more with "
        "--hosts, or start it in a larger job"
    )


def _on(wanted: Screening, names: Sequence[str]) -> Screening:
    """Return the screening of these nodes alone."""
    hosts = wanted.plan.hosts
    source, colon, first = hosts[0].partition(":")
    if not colon and len(hosts) > 1:
        hosts = tuple(names)
    elif not colon or (first, *hosts[1:]) != tuple(names):
        hosts = (f"{source}:{names[0]}", *names[1:])
    placements = (Placement(len(names), 1),)
    plan = msgspec.structs.replace(wanted.plan, hosts=hosts, placements=placements)
    return msgspec.structs.replace(wanted, plan=plan)


def _can_leave_out(wanted: Screening, hung: Collection[str]) -> bool:
    """Return whether a batch job can have enough nodes without those."""
    left = wanted.plan.placements[0].nodes - len(hung)
    return left >= FEWEST and bool(batch_system(wanted.plan.batch).excluding(sorted(hung)))


def _without(wanted: Screening, hung: Collection[str]) -> Screening:
    """Return the screening as a batch job without nodes that hung in one before."""
    if not hung:
        return wanted
    plan = wanted.plan
    options = batch_system(plan.batch).excluding(sorted(hung))
    plan = msgspec.structs.replace(
        plan,
        batch_options=(*plan.batch_options, *options),
        placements=(Placement(plan.placements[0].nodes - len(hung), 1),),
    )
    return msgspec.structs.replace(wanted, plan=plan)


class ScreeningJob:
    """One job that measures everything, and watches itself."""

    def __init__(self, wanted: Screening, runs: Path, observer: Observer) -> None:
        self._wanted = wanted
        self._nodes = wanted.plan.placements[0].nodes
        self._random = Random(wanted.plan.seed)
        hosts = hosts_of(wanted.plan)
        self._known = leaf_switches(hosts.names, hosts.bootstrap)
        self._switches = self._known
        self._rounds: list[Matching] = []
        count = 0
        if not wanted.is_node_only:
            self._rounds = first_rounds(
                self._nodes, self._switches, self._random, all_pairs=wanted.has_all_pairs
            )
            count = len(self._rounds) + confirming_count(self._nodes)
        self._again_from = len(self._rounds)
        prepared = prepare(plan_of(wanted, count), observer.doing)
        self._share_cores = any(each.oversubscribed for each in prepared.launches)
        if self._share_cores and wanted.is_node_only:
            raise UserError(
                "--node-only: the nodes share cores, so what each measures by itself cannot be "
                "compared: leave it out, and pairs are"
            )
        if self._share_cores:
            prepared = of_pairs(prepared)
        self._by_point = {
            point.index: figure
            for point in prepared.points
            if (figure := figure_of(point, wanted.figures))
        }
        self._points = {point.index: point for point in prepared.points}
        self._first = {
            point.index for point in prepared.points if 0 <= round_of(point) < len(self._rounds)
        }
        self._prepared = in_order(prepared, self._by_point, wanted.figures, self._rounds)
        self._runs = runs
        self._observer = observer
        self.begin, self.end = observer.begin, observer.end
        self.doing, self.warn = observer.doing, observer.warn
        self.folder: RunFolder
        self.hung: dict[str, str] = {}
        self._watch = Watch(_QUIET_S, self._ask)

    def execute(self) -> Run:
        """Measure all, in a new folder; `hung` then says whose ranks stood still, and why."""
        self.folder = RunFolder.create(self._runs, self._wanted.plan.name)
        with self._watch:
            self._run = execute(self._prepared, self.folder, self, [])
        if self._run.outcome.state != "complete":  # it may be quiet for long, and go on
            self.hung = self._watch.hung
        return self._run

    def _ask(self) -> dict[str, str]:
        """Return which rank's process stands still, as its host says."""
        try:
            ranks = LaunchFiles(self.folder.launch_path(0)).of("rank", RankPlace)
            ranks.sort(key=lambda each: each.rank)
            batch = self.folder.stored().batch
            if batch:
                names = tuple(each.host for each in ranks)
                hosts = Hosts(names=names, bootstrap=batch_system(batch.system).bootstrap)
            else:
                hosts = hosts_of(self._wanted.plan)
        except UserError:
            return {}
        pids = [each.pid for each in ranks]
        if not ranks or len(pids) != len(hosts.names):
            return {}
        return hung_hosts(hosts, pids, batch.job if batch else "")

    def names(self) -> tuple[str, ...]:
        """Return the node of each rank, when all is measured."""
        return _names(self._run, hosts_of(self._wanted.plan).names)

    def looks(self) -> tuple[Observations, Observations]:
        """Return what was measured of nodes by themselves and of pairs."""
        run = self._run
        source = StoredSamples(self.folder)
        measured = {
            result.point: source.columns(result.point)
            for launch in run.launches
            for result in launch.points
        }
        facts = [each for launch in run.launches for each in launch.facts]
        return self._looks(measured, excluding_bits(run.flags), facts)

    def found(self, dead: Mapping[str, str], hung: Mapping[str, str], seconds: float) -> Screen:
        """Return what is slow by all that was measured, after what is `dead` or `hung`, and why."""
        run = self._run
        names = self.names()
        last = last_screen(self._runs, names)
        before = {(each.kind, each.name) for each in last.suspects} if last else None
        own, pairs = self.looks()
        tolerance = self._wanted.tolerance
        suspects = [_dead(name, before, "answer", reason) for name, reason in dead.items()]
        suspects += [_dead(name, before, "hang", reason) for name, reason in hung.items()]
        if not self._share_cores:
            suspects += [_suspect(each, names, before) for each in judge(own, tolerance=tolerance)]
        if self._rounds:
            suspects += [
                _suspect(each, names, before, self._again_from)
                for each in judge(pairs, self._switches, tolerance=tolerance)
            ]
        return Screen(
            run=run.run,
            nodes=names if set(names) - set(dead) else (),
            rounds=len(np.unique(pairs.round)),
            seconds=round(seconds, 1),
            suspects=_merged(suspects),
            against=last.run if last else None,
            is_complete=run.outcome.state == "complete",
            message=run.outcome.told,
            differences=differences(run, names),
            levels={} if self._share_cores else node_levels(own, names),
            pair_levels=pair_levels(pairs, names),
            kinds=kinds_of(run, names),
            switches=nodes_of(self._switches or (), names),
            share_cores=self._share_cores,
        )

    def measuring(self, launch: int, point: Point) -> None:
        """Pass it on."""
        self._watch.news()
        self._observer.measuring(launch, point)

    def finished(self, launch: int, point: Point) -> None:
        """Pass it on; after the last point of the first rounds, say which come next."""
        self._watch.news()
        self._observer.finished(launch, point)
        if not self._first or point.index not in self._first:
            return
        self._first.discard(point.index)
        if not self._first:
            self._confirm(launch)

    def _confirm(self, launch: int) -> None:
        """Choose the rounds that measure the suspects again, and write them where probes look."""
        place = self.folder.launch_path(launch)
        files = LaunchFiles(place)
        measured: dict[int, Columns] = {}
        for block in files.blocks():
            for records in files.read(block, at_most=max(1, block.stop - block.start)):
                measured[block.point] = {name: records[name] for name in records.dtype.names or ()}
        flags = next(iter(self._prepared.probe_sets[0].probes.values())).description.flags
        _, pairs = self._looks(measured, excluding_bits(flags), files.facts())
        later = later_rounds(pairs, self._nodes, self._switches, self._random)
        self._rounds += later
        with (place / SCHEDULE).open("a") as file:
            file.write(schedule_text(later))

    def _looks(
        self, measured: Mapping[int, Columns], excluding: int, facts: Sequence[RankFacts]
    ) -> tuple[Observations, Observations]:
        kinds = kind_numbers(kinds_by_rank(facts, self._nodes))
        by_node: dict[str, Columns] = {}
        by_pair: dict[tuple[int, str], Columns] = {}
        for index, columns in measured.items():
            figure = self._by_point[index]
            if figure.is_pair:
                by_pair[round_of(self._points[index]), figure.name] = columns
            else:
                by_node[figure.name] = columns
        figures = [each.name for each in self._wanted.figures if each.is_pair]
        pairs = pair_looks(figures, by_pair, self._known, excluding, kinds)
        self._switches = self._known or switches_from_latencies(pairs, self._nodes)
        group = pair_groups(pairs.first, pairs.second, self._switches, kinds)
        return (
            node_looks(NODE_FIGURES, by_node, self._nodes, excluding, kinds),
            pairs._replace(group=group),
        )


def _names(run: Run, asked: Sequence[str]) -> tuple[str, ...]:
    """Return the node of each rank, as asked for, or as the ranks say in a batch job."""
    for launch in run.launches:
        hosts = launch.asked_hosts
        if hosts and len(hosts) == launch.processes:
            return hosts
        if launch.ranks:
            return tuple(place.host for place in sorted(launch.ranks, key=lambda each: each.rank))
    return tuple(asked)


Before = Collection[tuple[str, str]] | None


def _dead(name: str, before: Before, figure: str, reason: str) -> Suspect:
    return Suspect(
        kind="node",
        name=name,
        figure=figure,
        ratio=None,
        reason=reason,
        probability=1.0,
        is_new=None if before is None else ("node", name) not in before,
    )


def _suspect(
    found: Suspicion, names: Sequence[str], before: Before, again_from: int | None = None
) -> Suspect:
    """Return the suspect; rounds `again_from` on, if any, are those that measured it again."""
    ends = found.names
    name = ends if isinstance(ends, str) else " - ".join(names[each] for each in ends)
    again = [
        ratios
        for turn, ratios in found.by_round.items()
        if again_from is not None and turn >= again_from
    ]
    figures = again[0] if again else ()
    return Suspect(
        kind=found.kind,
        name=name,
        figure=found.figure,
        ratio=round(found.ratio, 3),
        probability=round(found.probability, 4),
        ratios={figure: round(ratio, 3) for figure, ratio in found.ratios.items()},
        looks=found.looks,
        is_new=None if before is None else (found.kind, name) not in before,
        again_ratios={one: round(median(each[one] for each in again), 3) for one in figures},
        again_rounds=len(again),
    )


def _merged(suspects: Sequence[Suspect]) -> tuple[Suspect, ...]:
    """Return each suspect once: what a node shows by itself and with others is one line."""
    merged: dict[tuple[str, str], Suspect] = {}
    for each in suspects:
        other = merged.setdefault((each.kind, each.name), each)
        if other is not each:
            merged[each.kind, each.name] = msgspec.structs.replace(
                max(other, each, key=lambda one: one.probability),
                ratios={**other.ratios, **each.ratios},
                again_ratios={**other.again_ratios, **each.again_ratios},
                again_rounds=max(other.again_rounds, each.again_rounds),
                looks=other.looks + each.looks,
                probability=round(1 - (1 - other.probability) * (1 - each.probability), 4),
            )
    return tuple(merged.values())
