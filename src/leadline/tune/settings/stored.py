"""Settings in a profile: how they get there, and what a program is started with of them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.measure.knobs.values import same_value
from leadline.model.placement import Placement
from leadline.model.profile import PROFILE_FORMAT, Effect, Measured, Profile, Setting
from leadline.model.progress import Observer
from leadline.model.software import Variable
from leadline.model.tuning import TunedSettings
from leadline.tune.profile import read_profile, write_profile
from leadline.tune.settings.known import Choice


def store(
    path: Path,
    machine: str,
    library: str,
    found: TunedSettings,
    choices: Sequence[Choice],
    notes: Sequence[str],
    observer: Observer,
) -> None:
    """Write what was found to the profile in `path`, in the place of its former settings.

    Its rules stay, unless it is for another machine or library. Raises `UserError`.
    """
    former = usable_profile(path, machine, library, observer)
    comments = [*_comments(path), *notes] if former else notes
    profile = former or Profile(format=PROFILE_FORMAT, machine=machine, library=library)
    chosen = [each for each in choices if each.name in found.chosen] if found.kept else []
    # Two settings may come down to the same variable; they agree on its value.
    settings = {
        name: Setting(variable=name, value=value, raced=each.name, about=each.about)
        for each in reversed(chosen)
        for name, value in each.variables.items()
    }
    gain = (found.gain, found.gain_low, found.gain_high)
    profile = msgspec.structs.replace(
        profile,
        settings_gain=gain if settings else (),
        setting=tuple(settings[name] for name in sorted(settings)),
        effect=_effects(found) if settings else (),
    )
    write_profile(path, profile, comments)


def usable_profile(path: Path, machine: str, library: str, observer: Observer) -> Profile | None:
    """Return the profile in `path` where it is for this machine and library; say why where not."""
    if not path.exists():
        return None
    try:
        before = read_profile(path)
    except UserError as error:
        observer.warn(f"it is replaced: {error}")
        return None
    if (before.machine, before.library) != (machine, library):
        observer.warn(f"profile {path} was for {before.machine}, {before.library}: it is replaced")
        return None
    return before


def has_settings(path: Path) -> bool:
    """Tell whether the file is a profile with settings; not where it cannot be read at all."""
    try:
        return bool(tomllib.loads(path.read_text()).get("setting"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        # The runtime, which reads it too, says what is wrong.
        return False


def exported(
    settings: Iterable[Setting], inherited: Iterable[Variable], home: str
) -> tuple[dict[str, str], list[str]]:
    """Return the variables for the start of a program, and a remark on each one left out.

    `inherited` are those that configure its library already. What the user has set stays, in the
    environment or in a file under `home`; tuning has raced against what the system's files set.
    Variables that were raced as one are used together or not at all: a library may refuse to start
    with some of them.

    >>> wanted = [Setting(variable="A", value="1"), Setting(variable="B", value="2")]
    >>> exported(wanted, [Variable(name="A", value="9", source="environment")], "/home/me")
    ({'B': '2'}, ['A=9 is set (environment): A=1 of the profile is not used'])
    """
    preset = {each.name: each for each in inherited if _is_of_user(each.source, home)}
    together: dict[str, list[Setting]] = {}
    for each in settings:
        together.setdefault(each.raced or f"{each.variable}={each.value}", []).append(each)
    variables: dict[str, str] = {}
    remarks: list[str] = []
    for raced, members in together.items():
        others = [
            preset[each.variable]
            for each in members
            if each.variable in preset and not same_value(preset[each.variable].value, each.value)
        ]
        if others:
            there = others[0]
            remarks.append(
                f"{there.name}={there.value} is set ({there.source}): {raced} of the profile is "
                "not used"
            )
        else:
            variables |= {one.variable: one.value for one in members if one.variable not in preset}
    return variables, remarks


def _is_of_user(source: str, home: str) -> bool:
    return source == "environment" or (bool(home) and Path(source).is_relative_to(home))


def library_form(family: str, settings: Sequence[Setting]) -> tuple[str, str]:
    """Return the settings as a text in the library's own form, and where such a text goes.

    Open MPI reads a file of parameters; other libraries read variables alone.

    >>> setting = Setting(variable="OMPI_MCA_btl_sm_fbox_size", value="16384", about="boxes")
    >>> print(library_form("openmpi", [setting])[0], end="")
    # boxes
    btl_sm_fbox_size = 16384
    """
    prefix = "OMPI_MCA_"
    if family == "openmpi" and all(each.variable.startswith(prefix) for each in settings):
        lines = [f"{each.variable.removeprefix(prefix)} = {each.value}" for each in settings]
        return _commented(lines, settings), "~/.openmpi/mca-params.conf"
    from leadline.tune.deployment import shell_text

    lines = [shell_text({each.variable: each.value}).rstrip("\n") for each in settings]
    return _commented(lines, settings), "a file that the shell of the job sources"


def _commented(lines: Sequence[str], settings: Sequence[Setting]) -> str:
    found = []
    for line, setting in zip(lines, settings, strict=True):
        found += [*([f"# {setting.about}"] if setting.about else []), line]
    return "".join(f"{line}\n" for line in found)


def _effects(found: TunedSettings) -> tuple[Effect, ...]:
    rows: dict[tuple[str, Placement], list[Measured]] = {}
    for verdict in found.verdicts:
        trial = verdict.trial
        where = Placement(trial.nodes, trial.processes // trial.nodes)
        row = Measured(trial.bytes, verdict.without_us, verdict.with_us, verdict.gain_low)
        rows.setdefault((trial.collective, where), []).append(row)
    return tuple(
        Effect(
            benchmark=benchmark,
            nodes=where.nodes,
            processes=where.processes,
            measured=tuple(measured),
        )
        for (benchmark, where), measured in rows.items()
    )


def _comments(path: Path) -> list[str]:
    """Return the lines of comment at the head of a profile, without what explains its tables."""
    found = []
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            break
        found.append(line.removeprefix("#").strip())
    return [line for line in found if line.startswith(("written by", "measured in"))]
