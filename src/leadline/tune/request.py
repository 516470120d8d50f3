"""A tuning as it is asked for: prepared, resumed where it stopped, carried out."""

from __future__ import annotations

import fnmatch
import os
import platform
import shlex
import shutil
import time
from collections.abc import Sequence, Set
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from leadline import __version__
from leadline.analysis.results.summary import summarise
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.build.probe import probe_for
from leadline.measure.build.runtime import runtime_for
from leadline.measure.run.preparation import prepare
from leadline.measure.run.run import execute_in
from leadline.model.installation import Installation
from leadline.model.placement import Placement
from leadline.model.plan import Plan
from leadline.model.profile import PROFILE_FORMAT, Profile, Rule
from leadline.model.progress import Observer
from leadline.model.tuning import Tuning
from leadline.site.mpi.choice import choose_one
from leadline.site.mpi.discovery import find_installations
from leadline.site.mpi.families import library_words
from leadline.store.folder import RunFolder, run_paths
from leadline.store.samples import StoredSamples
from leadline.tune.candidates import Candidates, LibraryAlgorithms, OurAlgorithms, UnderRuntime
from leadline.tune.conformance import conformance_of
from leadline.tune.deployment import AsProfile, Deployment
from leadline.tune.export import AsSettings
from leadline.tune.library_exports import export_for
from leadline.tune.profile import machine_name, write_profile
from leadline.tune.recorded import Wanted, cells_of, without_rules_for
from leadline.tune.session import PROOF, Measurement, Session, Times, add_launches
from leadline.tune.settings.known import choices, feeling
from leadline.tune.settings.race import SettingsTask, benchmarks_on, tune_settings
from leadline.tune.settings.stored import has_settings, store, usable_profile
from leadline.tune.subjects import Subject, known_algorithms, of_one_rule, subjects
from leadline.tune.tuning import Shape, Task, tune

if TYPE_CHECKING:
    from leadline.model.run import Run
    from leadline.model.summary import PointSummary


# The part of the time that the library's settings have where collectives are tuned, too.
_SETTINGS = 0.3

# Protocols change at less, and windows of larger messages take half a GiB.
_LARGEST_MESSAGE = 4 << 20


class TuningRequest(NamedTuple):
    """What is to be tuned, for how long, and where its runs and its profile go.

    `plan` has what holds for every run: hosts, binding, seed. What a program has is `wanted` in the
    place of `sizes`; `command` starts that program.
    """

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
    wanted: tuple[Wanted, ...] = ()
    command: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The words with which the names of its runs begin, so that they are found again."""
        kind = "library " if self.library else "" if self.api == "mpi" else "shmem "
        return f"tune {kind}{self.installation.name} "


class Former(NamedTuple):
    """What an earlier tuning has left: its name, times, and what the library said of itself."""

    name: str
    times: dict[Placement, Times]
    library: str


def choose_installation(name: str | None, api: str) -> Installation:
    """Return the one that is named, otherwise the default or the first with this api.

    Raises `UserError` where there is none.
    """
    if api == "mpi":
        return choose_one(name)
    there = [each for each in find_installations() if api in each.apis]
    found = choose_one(name) if name else there[0] if there else None
    if found is None or api not in found.apis:
        names = ", ".join(each.name for each in there)
        raise UserError(
            f"{found.name if found else 'this machine'} has no OpenSHMEM: "
            + (f"name {names} with --mpi" if names else "install one that `leadline mpi` finds")
        )
    return found


def run_tuning(request: TuningRequest, observer: Observer) -> Tuning:
    """Tune, and return what was found and written. Raises `UserError`."""
    _check(request)
    parts = divide(request)
    began = time.monotonic()
    task = former = None
    if parts.collectives is not None:
        task = prepare_task(request._replace(benchmarks=parts.collectives), observer)
        former = resume(request, task) if request.resume else None
    name = former.name if former else f"{request.kind}{datetime.now(UTC):%H%M%S}"

    def measure(plan: Plan, within: Observer | None = None) -> Measurement:
        within = within or _Within(observer)
        prepared = prepare(plan, within.doing)
        folder, run = execute_in(request.runs, prepared, within, [])
        return Measurement(run, _summarise(run, folder))

    def try_out(plan: Plan) -> Measurement:
        return measure(plan, _Trying(observer))

    plan = msgspec.structs.replace(request.plan, name=name)
    library = former.library if former else ""
    found = None
    if task:
        seconds = request.seconds * (1 - _SETTINGS if parts.messages else 1)
        session = Session(plan, measure, observer, seconds, library=library, try_out=try_out)
        found = tune(task, session, former.times if former else {}, observer)
    if parts.messages and (found is None or found.state == "complete"):
        least = request.seconds * (_SETTINGS if task else 1)
        seconds = max(least, request.seconds - (time.monotonic() - began))
        session = Session(plan, measure, observer, seconds, try_out=try_out)
        found = _with_settings(request, parts.messages, session, observer, found)
    assert found
    return msgspec.structs.replace(found, use=_next_command(request, found))


class Parts(NamedTuple):
    """What is tuned: names of collectives, all where empty, None for none; and benchmarks.

    The benchmarks `messages` are those that the library's settings are raced on.
    """

    collectives: tuple[str, ...] | None
    messages: tuple[str, ...]


def divide(request: TuningRequest) -> Parts:
    """Return what the names of a request mean; all that there is without any.

    A name that nothing has is left to the collectives, which say so. Raises `UserError` for
    settings where they cannot be tuned.
    """
    names = tuple(request.benchmarks)
    if request.wanted:
        return Parts(names, ())
    if request.api != "mpi" or request.installation.simulates:
        return Parts(names, ())
    messages = tuple(feeling(names))
    known = known_algorithms(source_folder())
    collectives = tuple(
        name
        for name in names
        if not feeling([name])
        or any(fnmatch.fnmatchcase(f"mpi/{collective}", name) for collective in known)
    )
    tunes_collectives = bool(collectives or not names)
    if request.library:
        if not tunes_collectives:
            raise UserError(
                f"--library chooses algorithms of collectives, {' '.join(names)} has none: "
                "leave it out"
            )
        return Parts(collectives, ())
    if request.resume and not tunes_collectives:
        raise UserError("--resume: settings are raced from the start: leave it out")
    return Parts(collectives if tunes_collectives else None, messages)


def _with_settings(
    request: TuningRequest,
    names: Sequence[str],
    session: Session,
    observer: Observer,
    before: Tuning | None,
) -> Tuning:
    """Race the library's settings; return `before`, if any, with what was found and written."""
    installation = request.installation
    began = time.monotonic()
    described = {
        each.name: each
        for each in probe_for(installation, request.api, observer.doing).description.benchmarks
    }
    benchmarks = [described[name] for name in names if name in described]
    folder = paths.profiles() / "trial" / f"{installation.name}-settings"
    task = SettingsTask(
        choices=choices(installation, request.placements),
        benchmarks=benchmarks,
        placements=[place for place in request.placements if benchmarks_on(benchmarks, place)],
        sizes=_of_messages(request.sizes),
        folder=folder,
        conformance=conformance_of(installation, described, folder / "conformance"),
    )
    if nothing := _nothing_raced(request, task):
        if before is None:
            raise UserError(nothing)
        observer.warn(nothing)
        return before
    machine = machine_name(runtime_for(installation, observer.doing) / paths.PRELOADED)
    found, state = tune_settings(task, session, observer)
    out = request.out or paths.profiles() / f"{installation.name}.toml"
    library = library_words(installation, session.library) or ""
    files: tuple[str, ...] = ()
    is_known = state == "complete" or (found.chosen and found.verdicts)
    if found.kept or (is_known and has_settings(out)):
        store(out, machine, library, found, task.choices, _notes(session.run_names), observer)
        files = (str(out),)
    if before is None:
        before = Tuning(
            kind="settings", mpi=installation.name, machine=machine, library=library,
            seconds=0.0, state=state, runs=(), undecided=0, library_best=0, verdicts=(), files=(),
        )  # fmt: skip
    return msgspec.structs.replace(
        before,
        seconds=before.seconds + time.monotonic() - began,
        state=state,
        runs=(*before.runs, *session.run_names),
        files=tuple(dict.fromkeys((*before.files, *files))),
        settings=found,
    )


def _nothing_raced(request: TuningRequest, task: SettingsTask) -> str:
    """Return why no setting can be raced, empty where some can."""
    if not task.choices:
        return f"{request.installation.name} has no settings of messages that leadline knows"
    if not task.placements:
        names = " ".join(each.name for each in task.benchmarks)
        places = ",".join(map(str, request.placements))
        return f"{names} cannot run as {places}: use --place 1x2"
    return ""


class _Within:
    """An observer of the runs of a tuning: it hands on points and warnings, not each launch."""

    def __init__(self, observer: Observer) -> None:
        self.begin, self.end, self.warn = observer.begin, observer.end, observer.warn
        self.measuring, self.finished = observer.measuring, observer.finished

    def doing(self, text: str) -> None:
        """Hand on nothing: the tuning says what it does, of dozens of launches."""


class _Trying(_Within):
    """The same of what may fail: that is what it is for, and no warning."""

    def __init__(self, observer: Observer) -> None:
        super().__init__(observer)
        self.warn = self.doing


def _next_command(request: TuningRequest, found: Tuning) -> str:
    """Return how a program is started with what was written; nothing where there is no profile."""
    installation = request.installation
    launcher = installation.oshrun if request.api == "shmem" else installation.mpiexec
    if request.library or not found.files or not launcher:
        return ""
    profile = f"--profile {shlex.quote(str(request.out))} " if request.out else ""
    if request.command:
        return f"leadline exec {profile}-- {shlex.join(request.command)}"
    words = (_as_typed(Path(launcher)), "-n", str(request.placements[0].processes), "./app")
    return f"leadline exec {profile}{shlex.join(words)}"


def _as_typed(program: Path) -> str:
    """Return the shortest word for which a shell starts the program."""
    for name in (program.name.partition(".")[0], program.name):
        found = shutil.which(name)
        if found and Path(found).resolve() == program.resolve():
            return name
    return str(program)


def prepare_task(request: TuningRequest, observer: Observer) -> Task:
    """Build what is measured, and return the task: subjects, candidates, what is written."""
    installation = request.installation
    probe = probe_for(installation, request.api, observer.doing)
    found = subjects(
        probe.description.benchmarks,
        known_algorithms(source_folder()),
        request.benchmarks,
        feeling(()) if request.api == "mpi" and not request.library else (),
    )
    preloaded = runtime_for(installation, observer.doing) / paths.PRELOADED
    machine = machine_name(preloaded)
    out = request.out or paths.profiles() / f"{installation.name}.toml"
    one_rule = of_one_rule(source_folder())
    spans = cells_of(request.wanted, found)
    if request.wanted and not spans:
        names = ", ".join(request.benchmarks)
        raise UserError(f"the program's calls of {names} move no data: there is nothing to tune")

    def as_profile(library: str, shapes: Set[Shape], runs: Sequence[str]) -> Deployment:
        before = usable_profile(out, machine, library, observer)
        kept = without_rules_for(shapes, before, spans, one_rule)
        return AsProfile(out.stem, machine, library, preloaded, kept, _notes(runs))

    def as_settings(library: str, shapes: Set[Shape], runs: Sequence[str]) -> Deployment:
        return AsSettings(export, installation, out.stem, _notes(runs))

    candidates: Candidates = OurAlgorithms()
    if request.library:
        export = export_for(installation)
        offered = {each.collective: export.offered(each.collective, installation) for each in found}
        candidates = LibraryAlgorithms(offered)
    elif request.api != "mpi":
        candidates = _race_under_runtime(found, installation, machine)
    return Task(
        kind="library" if request.library else "profile",
        installation=installation,
        machine=machine,
        subjects=found,
        placements=request.placements,
        sizes=request.sizes,
        candidates=candidates,
        deployment=as_settings if request.library else as_profile,
        trial_folder=paths.profiles() / "trial",
        final_folder=out.parent,
        # The library itself may know sizes.
        one_rule=frozenset() if request.library else one_rule,
        spans=spans,
        conformance=conformance_of(
            installation,
            {each.name: each for each in probe.description.benchmarks},
            paths.profiles() / "trial" / "conformance",
        )
        if request.api == "mpi" and not installation.simulates
        else None,
    )


def _of_messages(sizes: Sequence[int]) -> Sequence[int]:
    """Return the sizes of messages to race settings at: all of them where all are large.

    >>> _of_messages([8, 1 << 20, 8 << 20])
    [8, 1048576]
    >>> _of_messages([16 << 20])
    [16777216]
    """
    return [size for size in sizes if size <= _LARGEST_MESSAGE] or sizes


def resume(request: TuningRequest, task: Task) -> Former:
    """Return what the race of the last tuning of this kind on this host has measured.

    Raises `UserError` where there is none.
    """
    found: list[tuple[RunFolder, Run]] = []
    for path in run_paths(request.runs):
        folder = RunFolder(path)
        try:
            run = folder.read()
        except UserError:  # of no use here; `leadline runs` says what is wrong with it
            continue
        of_kind = run.plan.name.startswith(request.kind)
        if of_kind and run.machine.get("host") == platform.node():
            found.append((folder, run))
    if not found:
        raise UserError(
            f"there is no tuning of {request.installation.name} in {request.runs} to go on with: "
            "leave out --resume"
        )
    former = Former(found[-1][1].plan.name, {}, "")
    for folder, run in found:
        if run.plan.name != former.name or PROOF in run.plan.knobs:
            continue
        library = next((each.library for each in run.launches if each.library), "")
        former = former._replace(library=library)
        figures = _summarise(run, folder)
        for placement in run.plan.placements:
            times = former.times.setdefault(placement, {})
            add_launches(times, figures, task.subjects, task.candidates)
    return former


def _check(request: TuningRequest) -> None:
    """Raise `UserError` for what cannot be tuned, or not in this environment."""
    preloaded = os.environ.get("LD_PRELOAD", "")
    if paths.PRELOADED in preloaded and os.environ.get("LEADLINE") != "off":
        raise UserError(
            f"LD_PRELOAD={preloaded} puts the runtime under the library that is to be measured: "
            "tune with LEADLINE=off"
        )
    if request.api == "mpi":
        return
    if request.library:
        raise UserError("--library: leadline knows no settings of OpenSHMEM: leave it out")
    for placement in request.placements:
        if placement.nodes > 1:
            raise UserError(
                f"--place {placement}: OpenSHMEM's collectives are replaced within one node: "
                f"take 1x{placement.processes_per_node}"
            )


def _notes(runs: Sequence[str]) -> list[str]:
    written = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    return [f"written by leadline {__version__} on {written}", f"measured in {', '.join(runs)}"]


def _summarise(run: Run, folder: RunFolder) -> Sequence[PointSummary]:
    return summarise(run, StoredSamples(folder))


def _race_under_runtime(
    subjects: Sequence[Subject], installation: Installation, machine: str
) -> Candidates:
    """Return the race of the runtime against the library, and write the profile that it needs."""
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
