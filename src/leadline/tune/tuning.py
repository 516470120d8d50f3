"""A whole tuning: race, choose, put into force, prove, keep what is better."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.measure.knobs.program import read_variables
from leadline.model.installation import Installation
from leadline.model.placement import Placement
from leadline.model.profile import LIBRARY
from leadline.model.progress import Observer
from leadline.model.tuning import Left, Tuning, Verdict
from leadline.site.mpi.families import library_words
from leadline.tune.candidates import Candidates, Cell
from leadline.tune.conformance import Conformance, broken_by
from leadline.tune.contest import common_winner, is_best, survivors, winner
from leadline.tune.deployment import Choices, Deployment, Spans, Table, tables
from leadline.tune.proof import as_one, verdicts, without_harm
from leadline.tune.session import Interrupted, Session, Times
from leadline.tune.subjects import Subject

# Collective, nodes, processes.
Shape = tuple[str, int | None, int | None]


class Task(NamedTuple):
    """What is to be tuned, and by what."""

    kind: str
    installation: Installation
    machine: str
    subjects: Sequence[Subject]
    placements: Sequence[Placement]
    sizes: Sequence[int]
    candidates: Candidates
    # Given the words by which the library is known, the shapes of which it is to say all, and the
    # names of the runs.
    deployment: Callable[[str, Set[Shape], Sequence[str]], Deployment]
    trial_folder: Path
    final_folder: Path
    # Collectives of which one rule holds for all sizes.
    one_rule: frozenset[str] = frozenset()
    # Of a program: the cells that it has, those that cost it most first, and for which sizes each
    # speaks. They take the place of all subjects at all sizes.
    spans: Spans | None = None
    # What must not break.
    conformance: Conformance | None = None

    def cells(self, placement: Placement) -> tuple[Cell, ...]:
        """Return what is to be decided in communicators of a shape."""
        if self.spans:
            return tuple(self.spans.get(placement, {}))
        return tuple(
            Cell(each.collective, size)
            for each in self.subjects
            for size in (self.sizes if each.sized else (0,))
        )


def tune(
    task: Task, session: Session, earlier: Mapping[Placement, Times], observer: Observer
) -> Tuning:
    """Carry the task out; `earlier` is what runs before have measured.

    An interrupt ends it with what is proved until then. Nothing is written where nothing was
    proved.
    """
    began = time.monotonic()
    raced = {place: dict(earlier.get(place, {})) for place in task.placements}
    trials = []
    state, broken = "complete", ""
    files: list[Path] = []
    try:
        for index, placement in enumerate(task.placements):
            left = len(task.placements) - index
            session.race(
                task.subjects,
                placement,
                task.cells(placement),
                task.candidates,
                1 / left,
                raced[placement],
            )
        chosen = _choose_winners(raced, task.one_rule)
        if task.kind == "library":
            _add_others(chosen, task)
        deployment = _deployment(task, session, set())
        found = _tables(chosen, task, raced)
        if found:
            variables, _ = deployment.write(found, task.trial_folder, (), final=False)
            broken = _broken_by(variables, chosen, task, session, observer)
            for index, (placement, cells) in enumerate(chosen.items()):
                share = 1 / (len(chosen) - index)
                trials += session.prove(task.subjects, placement, cells, variables, share)
    except Interrupted as interrupt:
        state = "interrupted"
        trials += interrupt.trials
    except KeyboardInterrupt:
        # Between two runs, or after all of one was measured.
        state = "interrupted"
    judged = as_one(without_harm(verdicts(trials)), task.one_rule)
    if broken:
        why = f"breaks programs: {broken}"
        judged = [msgspec.structs.replace(each, reason=each.reason or why) for each in judged]
    if judged or state == "complete":
        kept = _select_kept(judged, task.placements)
        final = _deployment(task, session, _find_decided_shapes(task, judged, state))
        _, files = final.write(_tables(kept, task, raced), task.final_folder, judged, final=True)
    every = [times for of_place in raced.values() for times in of_place.values()]
    return Tuning(
        kind=task.kind,
        mpi=task.installation.name,
        machine=task.machine,
        library=_library(task, session),
        seconds=time.monotonic() - began,
        state=state,
        runs=tuple(session.run_names),
        undecided=sum(bool(survivors(times, LIBRARY)) for times in every),
        library_best=sum(is_best(times, LIBRARY) for times in every),
        verdicts=tuple(judged),
        files=tuple(map(str, files)),
        left=tuple(_left(raced, task.one_rule)),
    )


def _broken_by(
    file: Path,
    placements: Iterable[Placement],
    task: Task,
    session: Session,
    observer: Observer,
) -> str:
    """Return what no longer works with the variables of a file on one of the placements."""
    name = "the profile" if task.kind == "profile" else "the settings"
    values = {name: read_variables(file)}
    for placement in placements:
        if found := broken_by(values, task.conformance, session, placement, observer):
            return found[name]
    return ""


def _left(raced: Mapping[Placement, Times], one_rule: Set[str]) -> Iterator[Left]:
    """Yield the sizes at which nothing was chosen, since the library won or nobody for sure."""
    for place, times in raced.items():
        won = _winners(times, one_rule)
        for cell, of_cell in times.items():
            if won[cell] == LIBRARY:
                yield Left(
                    collective=cell.collective,
                    nodes=place.nodes,
                    processes=place.processes,
                    bytes=cell.bytes,
                    undecided=winner(of_cell, LIBRARY) == LIBRARY and not is_best(of_cell, LIBRARY),
                )


def _find_decided_shapes(task: Task, judged: Sequence[Verdict], state: str) -> set[Shape]:
    """Return the shapes of which something is known now: an interrupt leaves the others as is."""
    if state == "complete":
        return {
            (cell.collective, place.nodes, place.processes)
            for place in task.placements
            for cell in task.cells(place)
        }
    trials = [verdict.trial for verdict in judged]
    return {(each.collective, each.nodes, each.processes) for each in trials}


def _deployment(task: Task, session: Session, shapes: Set[Shape]) -> Deployment:
    return task.deployment(_library(task, session), shapes, session.run_names)


def _library(task: Task, session: Session) -> str:
    return library_words(task.installation, session.library) or ""


def _winners(times: Times, one_rule: Set[str]) -> dict[Cell, str]:
    """Return the winner of each cell: the same at all sizes of a collective of `one_rule`."""
    together: dict[str, list[Mapping[str, Sequence[float]]]] = {}
    for cell, of_cell in times.items():
        together.setdefault(cell.collective, []).append(of_cell)
    of_all = {each: common_winner(together[each], LIBRARY) for each in together if each in one_rule}
    return {
        cell: of_all.get(cell.collective) or winner(of_cell, LIBRARY)
        for cell, of_cell in times.items()
    }


def _choose_winners(
    raced: Mapping[Placement, Times], one_rule: Set[str]
) -> dict[Placement, dict[Cell, str]]:
    found = {}
    for placement, times in raced.items():
        won = _winners(times, one_rule)
        if better := {cell: name for cell, name in won.items() if name != LIBRARY}:
            found[placement] = better
    return found


def _add_others(chosen: Mapping[Placement, dict[Cell, str]], task: Task) -> None:
    """Add the sizes at which a collective is left as it is, to see that it is."""
    for placement, cells in chosen.items():
        collectives = {cell.collective for cell in cells}
        for cell in task.cells(placement):
            if cell.collective in collectives:
                cells.setdefault(cell, LIBRARY)


def _select_kept(judged: Sequence[Verdict], placements: Sequence[Placement]) -> Choices:
    """Return the choices that hold."""
    places = {(place.nodes, place.processes): place for place in placements}
    found: dict[Placement, dict[Cell, str]] = {}
    for trial in (verdict.trial for verdict in judged if verdict.kept):
        of_place = found.setdefault(places[trial.nodes, trial.processes], {})
        of_place[Cell(trial.collective, trial.bytes)] = trial.choice
    return found


def _tables(chosen: Choices, task: Task, raced: Mapping[Placement, Times]) -> list[Table]:
    return tables(chosen, task.sizes, task.one_rule, task.spans, raced)
