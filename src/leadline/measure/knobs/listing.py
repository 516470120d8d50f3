"""What can be set in an MPI installation: knobs, environment variables, and what MPI_T lists."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.core.names import nearest
from leadline.measure.knobs.inherited import all_prefixes, parameters
from leadline.measure.knobs.knob import DEFAULT, Documented, Knob, Unsupported, networks
from leadline.measure.knobs.known import knobs
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.model.software import Setting

VERBOSITIES = ("user", "tuner", "developer")
# Name the files that Open MPI reads beside its environment: what the variable and what MPI_T calls
# them.
_FILES = ("mca_base_param_files", "mca_param_files")
_TAG = re.compile(r"@(\w+):#\s*([^@]*)")
# A description with one name has an example, not an enumeration.
_FEWEST_NAMES = 2
_NAME_OF_LINE = re.compile(r"^\s*(\w+) +- ", re.MULTILINE)
_NAME_BEFORE_DASH = re.compile(r"(\S*\w) +- ")
_LAST_WORD = re.compile(
    r"^(\S*[).:,]|algorithms(?=sched)|algorithm|collectives|primitives|Tree|Allgather|phase|receives"
    r"|\w+(?=mpir$)|error(?=print$))(?=\w)"
)


class _Variables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Variables of the `families`, or of all that are built with one of the `networks`."""

    variables: dict[str, Documented]
    families: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()

    def of(self, installation: Installation) -> bool:
        return installation.family in self.families or not {*networks(installation)}.isdisjoint(
            self.networks
        )


class _Listed(msgspec.Struct):
    """What a probe prints with `--controls` (docs/explanation/architecture.md, "Probe")."""

    controls: list[dict[str, object]]
    counters: list[dict[str, object]]


def named_knobs(installation: Installation) -> list[Setting]:
    """Return leadline's knobs, with what each becomes with the installation."""
    return [_example_setting(knob, installation) for _, knob in sorted(knobs().items())]


def _example_setting(knob: Knob, installation: Installation) -> Setting:
    such = re.search(r"such as ([^\s;,]+)", knob.values)
    example = such[1] if such else knob.values.split()[0].strip(",")
    setting = Setting(
        name=knob.name,
        kind="knob",
        description=knob.summary,
        values=knob.values,
        default=DEFAULT,
        value=DEFAULT,
        example=example,
        choices=tuple(knob.choices(installation)) if knob.choices else (),
    )
    job = Job(program=("PROGRAM",), placement=Placement(2, 2), folder="FOLDER")
    try:
        changed = knob.apply(knob.canonical(example), job, installation)
    except Unsupported as error:
        return msgspec.structs.replace(setting, lacking=str(error))
    except UserError:
        return setting
    return msgspec.structs.replace(setting, sets=changed.environment)


def variables(installation: Installation, environment: Mapping[str, str]) -> list[Setting]:
    """Return the documented variables of the installation that MPI_T does not show."""
    return [
        Setting(
            name=name,
            kind="variable",
            description=each.description,
            values=each.values,
            default=each.default,
            value=environment.get(name),
            source="environment" if name in environment else "",
            variable=name,
            categories=(group,),
        )
        for group, known in known_variables().items()
        if known.of(installation)
        for name, each in known.variables.items()
    ]


# The beginnings of variables of which every one that a family reads is known: by MPI_T, or by the
# words in its library.
_WHOLE = {
    "openmpi": ("OMPI_MCA_",),
    "mpich": ("MPIR_CVAR_",),
    "mvapich": ("MPIR_CVAR_",),
    "cray-mpich": ("MPIR_CVAR_",),
    "intel": ("MPIR_CVAR_", "I_MPI_"),
}
# Parts of Open MPI 5's launcher, which MPI_T does not show.
_LAUNCHER = re.compile(
    r"OMPI_MCA_(orte|prte|pmix|ess|plm|ras|rmaps|oob|odls|iof|routed|state|errmgr|grpcomm|filem"
    r"|schizo|rtc|hwloc|if|event)(_|$)"
)


def strays(
    installation: Installation, environment: Mapping[str, str], settings: Sequence[Setting]
) -> list[Setting]:
    """Return the variables that by their beginning are for the installation, which reads none.

    `settings` are all that it has.
    """
    whole = _WHOLE.get(installation.family, ())
    names = {each.variable or each.name for each in settings if each.kind != "hint"}
    suspects = [
        name
        for name in sorted(environment)
        if name.startswith(whole) and name not in names and not _LAUNCHER.match(name)
    ]
    if suspects and installation.family == "intel":
        names |= _words_in_programs(installation, "I_MPI_")
    return [
        Setting(
            name=name,
            kind="stray",
            description=f"{installation.name} has no setting of this name" + _meant(name, names),
            value=environment[name],
            source="environment",
            variable=name,
        )
        for name in suspects
        if name not in names
    ]


def _meant(name: str, names: Iterable[str]) -> str:
    near = nearest(name, names, 0.7)
    return f": did you mean {near}?" if near else ""


def _words_in_programs(installation: Installation, prefix: str) -> set[str]:
    """Return the words with this beginning in the library and the programs beside the launcher."""
    beside = Path(installation.mpiexec).resolve().parent if installation.mpiexec else None
    paths = [*filter(None, [installation.library]), *(beside.iterdir() if beside else ())]
    found: set[str] = set()
    for path in map(Path, paths):
        if not path.name.startswith(("libmpi", "mpi", "hydra")):
            continue
        with suppress(OSError):
            found.update(
                word.decode()
                for word in re.findall(rb"\b%s\w+" % prefix.encode(), path.read_bytes())
            )
    return found


@cache
def known_variables() -> dict[str, _Variables]:
    """Return the documented variables by the name of their file."""
    folder = Path(__file__).parent / "variables"
    return {
        path.stem: msgspec.convert(tomllib.loads(path.read_text()), _Variables)
        for path in sorted(folder.glob("*.toml"))
    }


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return `environment` without what configures an MPI, by variable or by file."""
    kept = {name: text for name, text in environment.items() if not name.startswith(all_prefixes())}
    return {**kept, f"OMPI_MCA_{_FILES[0]}": os.devnull}


def listed(
    text: bytes,
    clean: Sequence[bytes],
    installation: Installation,
    environment: Mapping[str, str],
) -> list[Setting]:
    """Return what the library lists through MPI_T. Raises `UserError` where that cannot be read.

    `text` is what a probe prints with `--controls` in `environment`, `clean` are what it prints in
    a clean one: the values on which these agree are the defaults.
    """
    values: dict[str, set[object]] = {}
    for control in (each for one in clean for each in _decode(one).controls):
        values.setdefault(str(control["name"]), set()).add(control["value"])
    # Open MPI has some that it never sets.
    defaults = {name: each.pop() for name, each in values.items() if len(each) == 1}
    defaults |= dict.fromkeys(_FILES)
    now = _decode(text)
    settings = [
        _control({**each, "default": defaults.get(str(each["name"]))}, installation)
        for each in now.controls
    ]
    counters = [
        {**each, "kind": "counter", "type": f"{each['class']}, {each['type']}"}
        for each in now.counters
    ]
    sources = _sources(settings, environment)
    return [
        *(msgspec.structs.replace(each, source=sources.get(each.name, "")) for each in settings),
        *msgspec.convert(counters, list[Setting]),
    ]


def _decode(text: bytes) -> _Listed:
    try:
        # Libraries' descriptions are not all UTF-8.
        return msgspec.json.decode(text.decode(errors="replace"), type=_Listed)
    except msgspec.DecodeError as error:
        raise UserError(f"the probe does not list its controls: {error}") from None


def _control(fields: Mapping[str, object], installation: Installation) -> Setting:
    control = msgspec.convert({**fields, "kind": "control"}, Setting)
    if control.type == "int" and not control.choices and installation.family != "openmpi":
        control = _named(control)
    tags = {name: text.strip() for name, text in _TAG.findall(control.description)}
    plain = " ".join(_TAG.sub("", control.description).replace("$", " ").split())
    own = f"OMPI_MCA_{control.name}" if installation.family == "openmpi" else control.name
    return msgspec.structs.replace(
        control, description=plain, variable=tags.get("Alias", "").partition(" ")[0] or own
    )


def _named(control: Setting) -> Setting:
    """Return a control of MPICH's with the names that its description has for its numbers.

    MPI_T does not have them. They are numbered in their order, from 0 on.
    """
    names = tuple(_names(control.description))
    if len(names) < _FEWEST_NAMES or not all(map(str.islower, names)) or "true" in names:
        return control

    def name_of(value: str | None) -> str | None:
        at = int(value) if value and value.isdecimal() else len(names)
        return names[at] if at < len(names) else value

    return msgspec.structs.replace(
        control, choices=names, value=name_of(control.value), default=name_of(control.default)
    )


def _names(description: str) -> Iterator[str]:
    r"""Yield the names that begin a line, before a dash.

    MPICH 4.0 has lost the ends of lines: there a name is what follows the last word of the line
    before it.

    >>> list(_names("Select algorithm\nauto - by size (FILE)\nnb - Force nonblocking algorithm"))
    ['auto', 'nb']
    >>> list(_names("Select algorithmauto - by size (FILE)nb - Force nonblocking algorithm"))
    ['auto', 'nb']
    """
    if "\n" in description:
        yield from _NAME_OF_LINE.findall(description)
        return
    for word in _NAME_BEFORE_DASH.findall(description):
        yield _LAST_WORD.sub("", word)


def _sources(settings: Sequence[Setting], environment: Mapping[str, str]) -> dict[str, str]:
    """Return what changed each control: a variable, or the first of Open MPI's files with it."""
    sources: dict[str, str] = {}
    named = next((each.value or "" for each in settings if each.name in _FILES), "")
    for name in filter(None, re.split("[:,]", named)):
        with suppress(OSError):
            for key, _ in parameters(Path(name).read_text(errors="replace")):
                sources.setdefault(key, f"file {name}")
    for each in settings:
        # MPICH reads three spellings.
        other = each.name.removeprefix("MPIR_CVAR_")
        spellings = (each.variable, each.name, f"MPIR_PARAM_{other}", f"MPICH_{other}")
        if not each.changed:
            sources.pop(each.name, None)
        elif variable := next((name for name in spellings if name in environment), None):
            sources[each.name] = f"environment {variable}"
    return sources


def search(
    settings: Iterable[Setting],
    words: Sequence[str] = (),
    category: str = "",
    verbosity: str = VERBOSITIES[-1],
    changed: bool = False,
) -> Iterator[Setting]:
    """Yield the settings with all `words` in name, variable or description.

    `category` is the whole name of one, in any case; what has more than `verbosity` is left out,
    and with `changed` all that has its default.
    """
    shown = VERBOSITIES[: VERBOSITIES.index(verbosity) + 1]
    for each in settings:
        text = " ".join((each.name, each.variable, each.description, *each.sets)).casefold()
        if (
            all(word.casefold() in text for word in words)
            and (not category or category.casefold() in map(str.casefold, each.categories))
            and (not each.verbosity or each.verbosity.startswith(shown))
            and (each.changed or not changed)
        ):
            yield each
