"""Whether programs work with what a tuning found: the plan `conformance`, without it and with it.

What makes messages faster may break what no benchmark of messages calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.measure.plan.plans import read_plan
from leadline.model.description import Benchmark
from leadline.model.installation import Installation
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Point
from leadline.model.progress import Observer
from leadline.model.run import Run
from leadline.tune.candidates import Part
from leadline.tune.deployment import variables_file
from leadline.tune.session import PROOF, Interrupted, Measurement, Session

PLAN = "conformance"
# What gives a program several threads that send, so that these can be tried, too.
_THREADS = {
    "mpich": {"MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE"},
    "openmpi": {"OMPI_MPI_THREAD_LEVEL": "3"},
}
# What nothing is changed in is called.
_WITHOUT = "as-it-is"


class Conformance(NamedTuple):
    """What is tried, of the plan's entries, as far as the library's probes have it.

    Files of variables go to `folder`.
    """

    entries: tuple[Entry, ...]
    threads: Mapping[str, str]
    benchmarks: Mapping[str, Benchmark]
    folder: Path

    def entries_on(self, placement: Placement) -> Iterator[Entry]:
        """Yield what can use all processes of a placement."""
        for entry in self.entries:
            names = tuple(
                name
                for name in entry.benchmarks
                if name in self.benchmarks
                and self.benchmarks[name].processes.allow(placement.processes)
            )
            if names:
                yield msgspec.structs.replace(entry, benchmarks=names)


def conformance_of(
    installation: Installation, benchmarks: Mapping[str, Benchmark], folder: Path
) -> Conformance:
    """Return what is tried of an installation whose probes have these benchmarks."""
    threads = _THREADS.get(installation.family, {})
    return Conformance(read_plan(PLAN).entries, threads, benchmarks, folder)


def broken_by(
    values: Mapping[str, Mapping[str, str]],
    conformance: Conformance | None,
    session: Session,
    placement: Placement,
    observer: Observer,
) -> dict[str, str]:
    """Return which of the named variables break what works without them, and what that is.

    Nothing is known of what does not work without them either. Raises `Interrupted`.
    """
    entries = tuple(conformance.entries_on(placement)) if conformance else ()
    if not conformance or not entries or not values:
        return {}
    observer.doing(
        f"{placement}: what programs use of MPI is tried with {', '.join(values)}, and without"
    )
    without = {_WITHOUT: {}, **values}
    files = {
        name: str(variables_file(conformance.folder, name, {**conformance.threads, **variables}))
        for name, variables in without.items()
    }
    return _broken(entries, files, session, placement)


def _broken(
    entries: tuple[Entry, ...], files: Mapping[str, str], session: Session, placement: Placement
) -> dict[str, str]:
    """Return what breaks by name of the file; what ends the launch without any is left out."""
    found = session.try_out(Part(entries, {PROOF: ",".join(files.values())}), placement)
    if found.interrupted:
        raise Interrupted
    ended = {each.knobs.get(PROOF): each.outcome.state for each in found.run.launches}
    if ended.get(files[_WITHOUT]) == "complete":
        values = (name for name in files if name != _WITHOUT)
        lacking = {name: _first_lacking(found, files[name], files[_WITHOUT]) for name in values}
        return {name: why for name, why in lacking.items() if why}
    half = len(entries) // 2
    if not half:
        return {}
    parts = (entries[half:], entries[:half])
    of_parts = [_broken(each, files, session, placement) for each in parts]
    return of_parts[0] | of_parts[1]


def _first_lacking(found: Measurement, value: str, without: str) -> str:
    """Return what the launch with a value lacks or has wrong, where that without it is right."""
    held: dict[str, dict[str, bool]] = {value: {}, without: {}}
    for figure in found.figures:
        of_value = held.get(str(figure.knobs.get(PROOF)), {})
        key = _key(figure.benchmark, figure.axes)
        of_value[key] = of_value.get(key, True) and figure.verified
    right = [key for key, verified in held[without].items() if verified]
    if wrong := [key for key in right if held[value].get(key) is False]:
        return f"wrong data in {wrong[0]}"
    missing = [key for key in right if key not in held[value]]
    return _why_missing(found.run, value, missing[0]) if missing else ""


def _key(benchmark: str, axes: Mapping[str, object]) -> str:
    return " ".join([benchmark, *(f"{name}={value}" for name, value in axes.items())])


def _why_missing(run: Run, value: str, key: str) -> str:
    """Return why a point has no figure: its launch ended before, or it was found not to work."""
    launches = [each for each in run.launches if each.knobs.get(PROOF) == value]
    for launch in launches:
        if launch.outcome.state != "complete":
            return launch.outcome.message.partition(", on rank")[0]
        points: dict[int, Point] = {point.index: point for point in run.points}
        for skip in launch.skipped:
            point = points[skip.point]
            if _key(point.benchmark, point.axes) == key:
                return f"{key}: {skip.reason}"
    return f"{key} is not measured"
