"""`leadline module`: module files for the tool, and for programs that preload its libraries."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from leadline import __version__
from leadline.cli.completion import complete_mpis
from leadline.cli.options import FOLDER, declared, option, say, write_text
from leadline.cli.watching import watch_of
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.measure.launch.module_file import (
    LANGUAGES,
    Change,
    ModuleFile,
    module_text,
    preloaded,
)
from leadline.model.installation import Installation
from leadline.store.disk import writing

_TOOL, _EXEC, _EXPLAIN = "leadline", "leadline-exec", "leadline-explain"
_JOBS = "leadline-jobs"


@declared()
def command(
    write: Path = option(
        "The folder to write them into, which `module use` takes.",
        "DIR",
        type=FOLDER,
        required=True,
    ),
    mpi: tuple[str, ...] = option(
        "An MPI as `leadline mpi` lists it; may be repeated  [default: all]",
        "NAME",
        shell_complete=complete_mpis,
    ),
    jobs: Path | None = option(
        "Write leadline-jobs/MPI, not leadline-exec/MPI: each job leaves a small file in FOLDER",
        "FOLDER",
        type=FOLDER,
    ),
    watch: str | None = option(
        "With --jobs: name dead ranks, and after TIME without movement a hang; such as 10m", "TIME"
    ),
) -> None:
    """Write module files for all users of a site.

    Each is there for Lmod (.lua) and for Environment Modules. `leadline` puts the tool on the
    path. `leadline-exec/MPI` puts faster collectives under all programs of that MPI, as
    `leadline exec` does for one. `leadline-explain/MPI` records each of them: a line at its end
    says how to read where its time went. With --jobs there is `leadline-jobs/MPI` in the place of
    `leadline-exec/MPI`: it watches each in silence, for `leadline jobs FOLDER`, and is built in a
    fraction of the time. A site that wants both calls this twice.
    """
    from leadline.site.mpi.choice import choose

    if watch is not None and jobs is None:
        raise UserError(f"--watch {watch} is for --jobs FOLDER: add the folder of all jobs")
    settings = {} if jobs is None else _settings_of_jobs(jobs, watch)
    there = [each for each in choose(mpi or ["all"], None) if "mpi" in each.apis]
    modules = {f"{_TOOL}/{__version__}": _tool()}
    for installation in there:
        if installation.simulates:
            continue
        try:
            modules |= _of_mpi(installation, settings)
        except UserError as error:
            say(f"no modules for {installation.name}: {error}")
    for name, module in modules.items():
        for suffix, language in LANGUAGES.items():
            write_text(write / f"{name}{suffix}", module_text(language, module))
    if jobs is not None and not jobs.is_dir():
        say(f"{jobs} is not there yet: `leadline jobs {jobs} --prepare` makes it for all users")
    click.echo(f"module use {write.absolute()}")
    for name in modules:
        click.echo(f"module load {name}")


def _tool() -> ModuleFile:
    """Return the module of the tool, and make the folder that it puts on the path.

    Programs of its environment, such as Python and an MPI, are not to hide the user's.
    """
    program = paths.program()
    link = _program()
    with writing(link.parent):
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(program)
    return ModuleFile(
        "leadline: measures, explains and tunes MPI",
        ("leadline measures MPI and OpenSHMEM, explains programs and makes them faster.",),
        (_TOOL,),
        (Change("PATH", str(link.parent), ":"),),
    )


def _program() -> Path:
    """Return the file by which the tool is called, in a folder of its own."""
    return paths.home() / "bin/leadline"


def _settings_of_jobs(jobs: Path, watch: str | None) -> dict[str, str]:
    """Return the variables of programs of which each leaves a file in a folder."""
    settings = {"LEADLINE_JOBS": str(jobs.absolute())}
    found = watch_of(watch, None) if watch is not None else None
    if found is None:
        return settings
    return settings | found.variables(_program())


def _of_mpi(installation: Installation, jobs: dict[str, str]) -> Iterator[tuple[str, ModuleFile]]:
    """Build what is preloaded under programs of an MPI, and return its modules by name."""
    from leadline.cli.launching import library_settings, stored_profile
    from leadline.measure.build import observer_for, runtime_for
    from leadline.measure.knobs.knob import major

    name = installation.name

    def changes(library: Path, settings: dict[str, str], *, last: bool) -> tuple[Change, ...]:
        family = installation.family
        return preloaded(str(library), settings, family, major(installation), last=last)

    observer = observer_for(installation, say) / paths.RECORDING
    if jobs:
        yield (
            f"{_JOBS}/{name}",
            ModuleFile(
                f"a small file of each job of {name}",
                (
                    f"MPI programs of {name} leave a file of where their time went, in",
                    f"{jobs['LEADLINE_JOBS']}. LEADLINE_EXPLAIN=off turns it off.",
                ),
                (_JOBS,),
                changes(observer, jobs, last=False),
            ),
        )
    yield (
        f"{_EXPLAIN}/{name}",
        ModuleFile(
            f"where the time of programs of {name} goes",
            (
                f"MPI programs of {name} are recorded, each in a folder explain-... where it runs.",
                "`leadline explain FOLDER` reads it. LEADLINE_EXPLAIN=off turns it off.",
            ),
            (_EXEC, _EXPLAIN),
            changes(observer, {"LEADLINE_EXPLAIN": "./"}, last=False),
        ),
    )
    if jobs:
        return
    engine = runtime_for(installation, say) / paths.PRELOADED
    profile = stored_profile(name)
    used = Path(profile["LEADLINE_PROFILE"]) if profile else None
    # What programs learn is theirs: users cannot write where the site's profiles are.
    learning = {"LEADLINE_LEARN": os.environ.get("LEADLINE_LEARN", "1")}
    yield (
        f"{_EXEC}/{name}",
        ModuleFile(
            f"faster collectives for programs of {name}",
            (
                f"MPI programs of {name} communicate by the algorithms measured to be best.",
                "LEADLINE=off turns it off for one program.",
            ),
            (_EXEC, _EXPLAIN),
            changes(
                engine,
                {**learning, **profile, **library_settings(used, installation, engine)},
                last=True,
            ),
        ),
    )
