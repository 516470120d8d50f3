"""What `leadline tune` does with its options: the task, its runs, and what they measured before."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from leadline import __version__
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.model.placement import Placement
from leadline.model.plan import Plan
from leadline.model.tuning import Tuning

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from leadline.model.profile import Rule
    from leadline.model.progress import Observer
    from leadline.model.run import Run
    from leadline.model.summary import PointSummary
    from leadline.store.folder import RunFolder
    from leadline.tune.deployment import Deployment
    from leadline.tune.session import Measurement, Times
    from leadline.tune.subjects import Subject
    from leadline.tune.tuning import Shape
    from leadline.tune.ways import Ways


class Request(NamedTuple):
    """What the command line asks for."""

    benchmarks: Sequence[str]
    api: str
    installation: Installation
    placements: Sequence[Placement]
    sizes: Sequence[int]
    seconds: float
    library: bool
    resume: bool
    out: Path | None
    runs: Path
    plan: Plan


def tuned(request: Request) -> Tuning:
    """Tune, and return what was found and written. Raises `UserError`."""
    from leadline.core.shipped import source_folder
    from leadline.measure.build.probe import probe_for
    from leadline.measure.build.runtime import runtime_for
    from leadline.output.terminal.progress import progress_for
    from leadline.tune.deployment import AsProfile
    from leadline.tune.export import AsSettings, export_for
    from leadline.tune.machine import machine_name
    from leadline.tune.session import Session, add
    from leadline.tune.subjects import known_algorithms, subjects
    from leadline.tune.tuning import Task, tune
    from leadline.tune.ways import LibraryAlgorithms, OurAlgorithms

    _check_not_preloaded()
    observer = progress_for(sys.stderr)
    installation = request.installation
    probe = probe_for(installation, request.api, observer.doing)
    found = subjects(
        probe.description.benchmarks, known_algorithms(source_folder()), request.benchmarks
    )
    preloaded = runtime_for(installation, observer.doing) / paths.PRELOADED
    machine = machine_name(preloaded)
    out = request.out or paths.profiles() / f"{installation.name}.toml"
    notes = [f"written by leadline {__version__} on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC"]
    ways: Ways = OurAlgorithms()
    if request.library:
        export = export_for(installation)
        ways = LibraryAlgorithms(
            {each.collective: export.offered(each.collective, installation) for each in found}
        )
    elif request.api != "mpi":
        ways = _under_runtime(found, installation, machine)

    former = list(_former(request)) if request.resume else []
    session = Session(
        msgspec.structs.replace(request.plan, name=_run_name(request, former)),
        lambda plan: _measure(plan, request.runs, observer),
        observer,
        request.seconds,
    )

    def deployment(library: str, tuned: Set[Shape]) -> Deployment:
        measured = f"measured in {', '.join(run.run for run in session.runs)}"
        if request.library:
            return AsSettings(export, installation, out.stem, [*notes, measured])
        kept = _kept(out, machine, library, tuned, observer)
        return AsProfile(out.stem, machine, library, preloaded, kept, [*notes, measured])

    earlier: dict[Placement, Times] = {}
    for folder, run in former:
        session.library = next((each.library for each in run.launches if each.library), "")
        for placement in run.plan.placements:
            add(earlier.setdefault(placement, {}), _figures(run, folder), found, ways)
    return tune(
        Task(
            kind="library" if request.library else "profile",
            installation=installation,
            machine=machine,
            subjects=found,
            placements=request.placements,
            sizes=request.sizes,
            ways=ways,
            deployment=deployment,
            trial_folder=paths.profiles() / "trial",
            final_folder=out.parent,
        ),
        session,
        earlier,
    )


def _under_runtime(subjects: Sequence[Subject], installation: Installation, machine: str) -> Ways:
    """Return the race of the runtime against the library, and write the profile that it needs."""
    from leadline.model.profile import PROFILE_FORMAT, Profile, Rule
    from leadline.tune.profile import write_profile
    from leadline.tune.ways import UnderRuntime

    (algorithm,) = {name for each in subjects for name in each.algorithms}
    # What the library says of itself is not known before the first launch; its version is in it.
    profile = Profile(
        format=PROFILE_FORMAT,
        machine=machine,
        library=installation.version,
        rule=tuple(Rule(collective=each.collective, algorithm=algorithm) for each in subjects),
    )
    path = paths.profiles() / "trial" / f"{installation.name}-race.toml"
    write_profile(path, profile, ["for the race alone: it names what is tried, not what is better"])
    return UnderRuntime(algorithm, path)


def _check_not_preloaded() -> None:
    preloaded = os.environ.get("LD_PRELOAD", "")
    if paths.PRELOADED in preloaded and os.environ.get("LEADLINE") != "off":
        raise UserError(
            f"LD_PRELOAD={preloaded} puts the runtime under the library that is to be measured: "
            "tune with LEADLINE=off"
        )


def _run_name(request: Request, former: Sequence[tuple[RunFolder, Run]]) -> str:
    """Return what the runs of this tuning are called: as those that it goes on with."""
    if former:
        return former[-1][1].plan.name
    return f"{_beginning(request)}{datetime.now(UTC):%H%M%S}"


def _beginning(request: Request) -> str:
    kind = "library " if request.library else "" if request.api == "mpi" else "shmem "
    return f"tune {kind}{request.installation.name} "


def _former(request: Request) -> Iterator[tuple[RunFolder, Run]]:
    """Yield the runs of the race of the last tuning here, oldest first."""
    import platform

    from leadline.store.folder import RunFolder, run_paths
    from leadline.tune.session import PROOF

    found = []
    for path in run_paths(request.runs):
        folder = RunFolder(path)
        run = folder.read()
        of_tuning = run.plan.name.startswith(_beginning(request))
        if of_tuning and run.machine.get("host") == platform.node():
            found.append((folder, run))
    if not found:
        raise UserError(
            f"there is no tuning of {request.installation.name} in {request.runs} to go on with: "
            "leave out --resume"
        )
    for folder, run in found:
        if run.plan.name == found[-1][1].plan.name and PROOF not in run.plan.knobs:
            yield folder, run


def _measure(plan: Plan, runs: Path, observer: Observer) -> Measurement:
    from leadline.measure.run.preparation import prepare
    from leadline.measure.run.run import execute
    from leadline.store.folder import RunFolder
    from leadline.tune.session import Measurement

    prepared = prepare(plan, observer.doing)
    folder = RunFolder.create(runs, plan.name)
    run = execute(prepared, folder, observer, [])
    return Measurement(run, _figures(run, folder))


def _figures(run: Run, folder: RunFolder) -> Sequence[PointSummary]:
    from leadline.analysis.figures.summary import summarise
    from leadline.store.samples import StoredSamples

    return summarise(run, StoredSamples(folder))


def _kept(
    out: Path, machine: str, library: str, tuned: Set[Shape], observer: Observer
) -> list[Rule]:
    """Return the rules that the profile already has for other shapes than those `tuned`."""
    from leadline.tune.profile import read_profile

    if not out.exists():
        return []
    try:
        before = read_profile(out)
    except UserError as error:
        observer.warn(f"it is replaced: {error}")
        return []
    if (before.machine, before.library) != (machine, library):
        observer.warn(f"profile {out} was for {before.machine}, {before.library}: it is replaced")
        return []
    return [
        rule for rule in before.rule if (rule.collective, rule.nodes, rule.processes) not in tuned
    ]
