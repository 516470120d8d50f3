"""`leadline tune --show, --check, --export, --hints`: what a profile and hints choose."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from leadline.cli.options import PATH, Shared, argument, declared, option, print_json, say
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.core.units import count
from leadline.measure.knobs import hints
from leadline.measure.knobs.hints import Rule
from leadline.model.installation import Installation
from leadline.model.profile import Profile
from leadline.site.mpi.choice import choose_one
from leadline.site.mpi.families import is_library_of
from leadline.store.disk import writing

_FILE = argument("[FILE]", required=False, type=PATH)


@declared()
def show(
    file: Path | None = _FILE, mpi: str | None = Shared.mpi, as_json: bool = Shared.json
) -> None:
    """Show a profile's algorithms and settings.

    Without FILE: the profile of the MPI.
    """
    from leadline.output.terminal.tuning import print_profile
    from leadline.tune.profile import read_profile

    profile = read_profile(file or _of(mpi))
    if as_json:
        print_json(profile)
    else:
        print_profile(profile)


@declared()
def check(file: Path | None = _FILE, mpi: str | None = Shared.mpi) -> None:
    """Check whether a profile can be used here.

    It has to be for this machine and this library, with algorithms that leadline has.
    """
    from leadline.measure.build.runtime import runtime_for
    from leadline.tune.profile import machine_name, unknown_names
    from leadline.tune.subjects import known_algorithms

    path, profile, installation = _profile_of(
        file, mpi, "name its MPI with --mpi, or tune with `leadline tune`"
    )
    machine = machine_name(runtime_for(installation, say) / paths.PRELOADED)
    if profile.machine != machine:
        raise UserError(
            f"profile {path} is for the machine {profile.machine!r}, but this is {machine!r}: "
            "tune here with `leadline tune`"
        )
    for line in unknown_names(profile, known_algorithms(source_folder())):
        raise UserError(f"profile {path}: {line}")
    settings = f", {count(len(profile.setting), 'setting')}" if profile.setting else ""
    click.echo(
        f"{path} is for this machine and {profile.library}: "
        f"{count(len(profile.rule), 'rule')}{settings}"
    )


@declared()
def export(file: Path | None = _FILE, mpi: str | None = Shared.mpi) -> None:
    """Print a profile's settings in the library's own form.

    For Open MPI that is a file of parameters, for any other MPI lines for a shell. Programs then
    have them without leadline. The rules of the profile need `leadline exec`.
    """
    from leadline.tune.settings.stored import library_form

    path, profile, installation = _profile_of(file, mpi, "name its MPI with --mpi")
    if not profile.setting:
        raise UserError(
            f"profile {path} has no settings: `leadline tune --mpi {installation.name}` races them"
        )
    text, place = library_form(installation.family, profile.setting)
    click.echo(f"# {profile.library}; for {place}")
    click.echo(text, nl=False)


def _of(mpi: str | None) -> Path:
    return paths.profiles() / f"{choose_one(mpi).name}.toml"


def _profile_of(
    file: Path | None, mpi: str | None, advice: str
) -> tuple[Path, Profile, Installation]:
    """Return a profile and its MPI. Raises `UserError` where that is not the profile's."""
    from leadline.tune.profile import read_profile

    path = file or _of(mpi)
    profile, installation = read_profile(path), choose_one(mpi)
    if not is_library_of(installation, profile.library):
        raise UserError(
            f"profile {path} is for {profile.library!r}, not for {installation.name}: {advice}"
        )
    return path, profile, installation


@declared()
def hint(
    words: tuple[str, ...] = argument("[PATTERN] [KEY=VALUE]..."),
    file: Path = option(
        "The file of patterns; more calls add to it.", default=Path("leadline.hints")
    ),
    name: str | None = option("Only show the hints for a file of this name.", "--of NAME"),
    gone: bool = option("Remove PATTERN, or only the KEYs named after it.", "--remove"),
    as_json: bool = Shared.json,
) -> None:
    """Write MPI-IO hints for files.

    They apply to files whose names match PATTERN (default: every file). A second file, FILE.romio,
    is what ROMIO reads. Printed are the variables that make a program's MPI read the hints.
    """
    pattern, pairs = hints.EVERY_FILE, words
    if words and "=" not in words[0]:
        pattern, pairs = words[0], words[1:]
    romio = file.with_name(f"{file.name}.romio")
    before = rules = _read_hints(file)
    if gone:
        rules = hints.without(rules, words)
        _write(rules, file, romio)
    elif pairs or (pattern != hints.EVERY_FILE and not name):
        added = hints.Rule(hints.checked(pattern), hints.parse_pairs(pairs))
        for key in hints.unknown_hints(added.hints):
            say(f"no MPI-IO known here reads the hint {key}: others ignore it without a word")
        rules = hints.with_rule(rules, added)
        _write(rules, file, romio)
    elif not rules:
        raise UserError(
            f"no hint is given and {file} has none: write leadline tune --hints '*.h5' cb_nodes=4"
        )
    if name:
        chosen = hints.hints_of(rules, name)
        if as_json:
            print_json({"file": name, "hints": chosen}, indent=2)
        else:
            click.echo("\n".join(f"{key}={value}" for key, value in chosen.items()))
        return
    variables = hints.variables(rules, str(romio.absolute())) if rules else {}
    if as_json:
        print_json({"rules": [rule._asdict() for rule in rules], "variables": variables}, indent=2)
        return
    for rule in rules:
        click.echo(hints.rules_text([rule]), nl=False)
    if rules:
        click.echo()
    for variable, value in variables.items():
        click.echo(f"export {variable}={shlex.quote(value)}  # {hints.READERS[variable]}")
    if unset := hints.variables(before, "").keys() - variables.keys() if gone else ():
        click.echo(f"unset {' '.join(sorted(unset))}")


def _write(rules: Sequence[Rule], file: Path, romio: Path) -> None:
    """Write both files, or remove them where no rule is left."""
    with writing(file):
        if rules:
            file.write_text(hints.rules_text(rules))
            romio.write_text(hints.romio_text(hints.merged(rules)))
        else:
            file.unlink()
            romio.unlink(missing_ok=True)


def _read_hints(file: Path) -> list[Rule]:
    try:
        return hints.parse_rules(file.read_text())
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {file}: {error}: choose another --file") from None
    except UserError as error:
        raise UserError(f"{file}: {error}") from error
