"""Profiles as files: TOML that the runtime reads (`runtime/profile`), and people."""

from __future__ import annotations

import ctypes
import itertools
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from leadline.core.errors import UserError
from leadline.core.schema import explain
from leadline.core.toml import format_toml
from leadline.core.units import count
from leadline.measure.knobs.inherited import readers
from leadline.model.profile import LIBRARY, PROFILE_FORMAT, Effect, Profile, Rule, Setting

_ROWS = "measured has rows of: bytes, library us, algorithm us, least gain with confidence"
_SETTINGS = (
    "programs are started with the settings, unless the variable is set; an effect's second time "
    "is that with all of them"
)
# A name that a shell can export.
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NAME_BYTES = 256


def profile_text(profile: Profile, notes: Iterable[str] = ()) -> str:
    """Return the file's text; `notes` are lines of comment at its beginning.

    >>> rule = Rule(collective="bcast", algorithm="shared", nodes=1, processes=2, to_bytes=64)
    >>> print(profile_text(Profile(format=1, machine="m", library="l", rule=(rule,))))
    format = 1
    machine = "m"
    library = "l"
    <BLANKLINE>
    [[rule]]
    collective = "bcast"
    nodes = 1
    processes = 2
    from_bytes = 0
    to_bytes = 64
    algorithm = "shared"
    <BLANKLINE>
    """
    measured = [
        *(each.measured for each in profile.rule),
        *(each.measured for each in profile.effect),
    ]
    table = {
        "format": profile.format,
        "machine": _one_line(profile.machine),
        "library": _one_line(profile.library),
        "settings_gain": [round(each, 3) for each in profile.settings_gain],
        "rule": [_table(rule) for rule in profile.rule],
        "setting": [_table(each) for each in profile.setting],
        "effect": [_table(each) for each in profile.effect],
    }
    comments = [
        *notes,
        *([_ROWS] if any(measured) else []),
        *([_SETTINGS] if profile.setting else []),
    ]
    given = {key: value for key, value in table.items() if value != [] or key == "rule"}
    return format_toml(given, comments)


def write_profile(path: Path, profile: Profile, notes: Iterable[str] = ()) -> None:
    """Write the profile to `path`, whole or not at all. Raises `UserError`."""
    write_file(path, profile_text(profile, notes))


def write_file(path: Path, text: str) -> None:
    """Write `text` to `path`, whole or not at all; its folder is made. Raises `UserError`."""
    from leadline.store.disk import replacing, writing

    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial:
        partial.write_text(text)


def read_profile(path: Path) -> Profile:
    """Return the profile in the file. Raises `UserError` that names the file and what is wrong."""
    try:
        table = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise UserError(
            f"profile {path} cannot be read ({reason}): `leadline tune` writes one"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"profile {path} is not TOML: {error}") from error
    if table.get("format") != PROFILE_FORMAT:
        raise UserError(
            f"profile {path} is in format {table.get('format')}, this leadline reads format "
            f"{PROFILE_FORMAT}: write it anew with `leadline tune`"
        )
    try:
        profile = msgspec.convert(table, Profile)
    except msgspec.ValidationError as error:
        raise UserError(f"profile {path} is wrong: {explain(error, Profile)}") from error
    if faults := [*_faults(profile.rule), *_setting_faults(profile)]:
        raise UserError(f"profile {path} is wrong: {faults[0]}")
    return profile


def machine_name(preloaded: Path) -> str:
    """Return the machine by which profiles are known: leadline_machine() of the runtime.

    `preloaded` is its library. Raises `UserError`.
    """
    try:
        function = ctypes.CDLL(str(preloaded)).leadline_machine
    except (OSError, AttributeError) as error:
        raise UserError(f"{preloaded} is not leadline's runtime: {error}") from error
    name = ctypes.create_string_buffer(_NAME_BYTES)
    function.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    function.restype = ctypes.c_char_p
    function(name, _NAME_BYTES)
    return name.value.decode(errors="replace")


def name_of(rule: Rule) -> str:
    """Return the rule in a few words, such as `bcast on 1 node, 2 processes, 0 to 64 bytes`."""
    shape = [
        count(amount, word)
        for amount, word in ((rule.nodes, "node"), (rule.processes, "process"))
        if amount is not None
    ]
    last = "any" if rule.to_bytes is None else rule.to_bytes
    where = f" on {', '.join(shape)}" if shape else ""
    return f"{rule.collective}{where}, {rule.from_bytes} to {last} bytes"


def _faults(rules: Sequence[Rule]) -> Iterator[str]:
    """Yield what the runtime refuses too: empty ranges, and two rules for the same."""
    for rule in rules:
        if rule.to_bytes is not None and rule.to_bytes < rule.from_bytes:
            yield f"the rule for {name_of(rule)} has an empty range"
    for one, other in itertools.combinations(rules, 2):
        if _shape(one) == _shape(other) and not (_before(one, other) or _before(other, one)):
            yield f"the rules for {name_of(one)} and for {name_of(other)} overlap"


def _setting_faults(profile: Profile) -> Iterator[str]:
    """Yield what no program could be started with, or would change more than its library."""
    there = set()
    for each in profile.setting:
        if not _VARIABLE.fullmatch(each.variable):
            yield f"the setting {each.variable!r} is no name of a variable: letters, digits and _"
        elif not any(reader.configured_by(each.variable) for reader in readers()):
            yield (
                f"the setting {each.variable} is of no MPI library (`leadline mpi knobs` lists "
                "them)"
            )
        elif _one_line(each.value) != each.value or not each.value:
            yield f"the setting {each.variable} is {each.value!r}: a value is one line of text"
        elif each.variable in there:
            yield f"the setting {each.variable} is there twice"
        there.add(each.variable)
    if profile.settings_gain and len(profile.settings_gain) != 3:
        yield "settings_gain is a list of three numbers: the gain and both ends of its interval"


def _shape(rule: Rule) -> tuple[object, ...]:
    return rule.collective, rule.nodes, rule.processes


def _before(one: Rule, other: Rule) -> bool:
    return one.to_bytes is not None and one.to_bytes < other.from_bytes


def _table(each: Rule | Setting | Effect) -> dict[str, Any]:
    """Return the table of a file without what says nothing."""
    table: dict[str, Any] = {
        name: _one_line(value) if isinstance(value, str) else value
        for name, value in msgspec.structs.asdict(each).items()
    }
    if "measured" in table:
        table["measured"] = [
            [row.bytes, *(round(value, 3) for value in msgspec.structs.astuple(row)[1:])]
            for row in table["measured"]
        ]
    return {name: value for name, value in table.items() if value not in (None, "", [])}


def _one_line(text: str) -> str:
    """Return the text with blanks in place of line ends and of signs that nobody sees."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f]", " ", text).split())


def unknown_names(profile: Profile, known: dict[str, set[str]]) -> Iterator[str]:
    """Yield a line for each rule whose collective or algorithm leadline does not have.

    `known` has the algorithms of each collective.
    """
    for rule in profile.rule:
        if rule.collective not in known:
            yield (
                f"the rule for {name_of(rule)}: there is no collective {rule.collective!r}, but "
                f"{', '.join(sorted(known))}"
            )
        elif rule.algorithm not in {LIBRARY, *known[rule.collective]}:
            there = ", ".join([LIBRARY, *sorted(known[rule.collective])])
            yield (
                f"the rule for {name_of(rule)}: there is no algorithm {rule.algorithm!r}, but "
                f"{there}"
            )
