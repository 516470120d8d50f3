"""Hints of MPI-IO for programs that cannot be changed: by pattern of file names, and as files.

A pattern file has one line for each pattern: the pattern, as a shell has it, and `key=value` pairs,
all separated by blanks; `#` begins a comment. Every line whose pattern matches a file counts, a
later one before an earlier one.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.core.errors import UserError
from leadline.core.names import nearest, suggestion
from leadline.measure.knobs.knob import Documented, Knob, Unsupported, adding
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.software import Setting

EVERY_FILE = "*"
_ROMIO_FILE = "romio-hints.txt"

# Variables that make an MPI read hints, and whose they are.
READERS = {
    "LEADLINE_MPIIO_HINTS": "any MPI with leadline's runtime under it, by pattern",
    "ROMIO_HINTS": "MPICH, MVAPICH, Intel MPI; Open MPI where it uses ROMIO; for every file",
    "MPICH_MPIIO_HINTS": "HPE Cray MPICH, by pattern",
    "OMPI_MCA_io_ompio_num_aggregators": "Open MPI, for every file",
    "OMPI_MCA_io_ompio_bytes_per_agg": "Open MPI, for every file",
}
# Open MPI's own MPI-IO reads no file of hints; these variables do the same.
OMPIO = {
    "cb_nodes": "OMPI_MCA_io_ompio_num_aggregators",
    "cb_buffer_size": "OMPI_MCA_io_ompio_bytes_per_agg",
}
# Who does the MPI-IO of a family.
_OMPIO, _ROMIO, _STANDARD = "ompio", "romio", "standard"
_ROMIO_FAMILIES = ("mpich", "mvapich", "intel", "cray-mpich")
# As near is a slip of the hand; a hint of a library that is not known here is farther.
_SLIP = 0.85


class Rule(NamedTuple):
    """What holds for the files whose names match `pattern`."""

    pattern: str
    hints: dict[str, str]


def checked(pattern: str) -> str:
    """Return `pattern` where it can stand in a line. Raises `UserError`."""
    if not pattern or any(c.isspace() or c in ":#," for c in pattern):
        raise UserError(f"pattern {pattern!r} has a blank, colon, comma or #: write '*.h5'")
    return pattern


def parse_pairs(words: Iterable[str]) -> dict[str, str]:
    """Return the hints that `key=value` words name. Raises `UserError` for any other word."""
    hints = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not (key and equals and value) or any(c.isspace() or c in ":#" for c in word):
            raise UserError(f"hint {word!r} is not KEY=VALUE: write cb_nodes=4")
        hints[key] = value
    if not hints:
        raise UserError("no hint is given: write KEY=VALUE, such as romio_cb_write=enable")
    return hints


@cache
def known_hints() -> dict[str, dict[str, Documented]]:
    """Return what is known of each hint by who reads it: `standard`, `romio` and `ompio`."""
    text = Path(__file__).with_suffix(".toml").read_text()
    return msgspec.convert(tomllib.loads(text), dict[str, dict[str, Documented]])


def io_hints(installation: Installation) -> list[Setting]:
    """Return the hints that MPI reserves and those that the installation's MPI-IO may read."""
    tables = known_hints()
    reader = {"openmpi": _OMPIO, **dict.fromkeys(_ROMIO_FAMILIES, _ROMIO)}.get(installation.family)
    own = tables[reader] if reader else {}
    # Open MPI can use ROMIO in place of OMPIO.
    others = (_STANDARD, _ROMIO) if reader == _OMPIO else (_STANDARD,)
    readers = (reader, *others) if reader else others
    known = {name: each for by in reversed(readers) for name, each in tables[by].items()}
    return [
        Setting(
            name=name,
            kind="hint",
            description=each.description,
            values=each.values,
            default=each.default if name in own else None,
            variable=OMPIO.get(name, "") if reader == _OMPIO else "",
            categories=(next(by for by in readers if name in tables[by]),),
            lacking=_lacking(name, reader) if reader and name not in own else "",
        )
        for name, each in sorted(known.items())
    ]


def _lacking(name: str, reader: str) -> str:
    other = reader == _OMPIO and name in known_hints()[_ROMIO]
    return f"{reader.upper()} does not read it" + ("; ROMIO does (OMPI_MCA_io)" if other else "")


def unknown_hints(hints: Mapping[str, str]) -> list[str]:
    """Return the keys that no MPI-IO known here reads.

    Raises `UserError` for a misspelt key, and for a value that no MPI-IO allows: a word where a
    number is needed, or a word that is not listed.
    """
    names = {name for table in known_hints().values() for name in table}
    unknown = [key for key in hints if key not in names]
    for key in hints.keys() & names:
        meant = [table[key].values for table in known_hints().values() if key in table]
        if not any(_may_be(hints[key], values) for values in meant):
            raise UserError(f"hint {key}={hints[key]}: wanted is {min(meant, key=len)}")
    for key in unknown:
        if near := nearest(key, sorted(names), _SLIP):
            raise UserError(f"no hint {key!r}: did you mean {near}?")
    return unknown


def _may_be(value: str, values: str) -> bool:
    """Tell whether a value is one of those that are described so; of names and lists any.

    >>> _may_be("abc", "number"), _may_be("8", "number, at most 9"), _may_be("on", "such as off")
    (False, True, True)
    >>> _may_be("on", "enable, disable or automatic"), _may_be("enable", "enable or disable")
    (False, True)
    """
    if values.startswith(("number", "size")):
        return value.removeprefix("-").isdigit()
    words = re.split(r", | or ", values)
    closed = len(words) > 1 and not any(" " in word for word in words)
    return not closed or value.lower() in words


def parse_rules(text: str) -> list[Rule]:
    """Return the rules of a pattern file. Raises `UserError` that names the line."""
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            try:
                rules.append(Rule(words[0], parse_pairs(words[1:])))
            except UserError as error:
                raise UserError(f"line {number} of the hints: {error}") from error
    return rules


def rules_text(rules: Sequence[Rule]) -> str:
    r"""Return the pattern file of these rules.

    >>> rules_text([Rule("*.h5", {"cb_nodes": "4", "romio_cb_write": "enable"})])
    '*.h5 cb_nodes=4 romio_cb_write=enable\n'
    """
    return "".join(
        " ".join([rule.pattern, *(f"{key}={value}" for key, value in rule.hints.items())]) + "\n"
        for rule in rules
    )


def with_rule(rules: Sequence[Rule], added: Rule) -> list[Rule]:
    """Return the rules with the hints of `added`, in the line of its pattern where it has one."""
    if all(rule.pattern != added.pattern for rule in rules):
        return [*rules, added]
    same = Rule(added.pattern, merged(r for r in (*rules, added) if r.pattern == added.pattern))
    return [same if rule.pattern == added.pattern else rule for rule in rules]


def without(rules: Sequence[Rule], words: Sequence[str]) -> list[Rule]:
    """Return the rules without what `words` name: a pattern, or keys of it (default: of all files).

    Raises `UserError` where there is nothing of that name.
    """
    if not words:
        raise UserError("nothing is named: write --remove PATTERN, or --remove PATTERN KEY...")
    patterns = [rule.pattern for rule in rules]
    pattern, keys = (words[0], words[1:]) if words[0] in patterns else (EVERY_FILE, words)
    if pattern in patterns and not keys:
        return [rule for rule in rules if rule.pattern != pattern]
    hints = merged(rule for rule in rules if rule.pattern == pattern)
    for key in keys:
        if hints.pop(key.partition("=")[0], None) is None:
            there = [*patterns, *hints] if pattern != words[0] else list(hints)
            raise UserError(f"no hint {key!r} for {pattern!r}: {suggestion(key, there)}")
    found = [rule._replace(hints=hints) if rule.pattern == pattern else rule for rule in rules]
    return [rule for rule in found if rule.hints]


def merged(rules: Iterable[Rule]) -> dict[str, str]:
    """Return the hints of all rules, for an MPI that knows no patterns; a later one wins."""
    return {key: value for rule in rules for key, value in rule.hints.items()}


def hints_of(rules: Iterable[Rule], file: str) -> dict[str, str]:
    """Return the hints for a file of this name."""
    return merged(rule for rule in rules if fnmatchcase(file, rule.pattern))


def variables(rules: Sequence[Rule], romio_file: str) -> dict[str, str]:
    """Return the variables of each MPI; `romio_file` is the path of the file that ROMIO reads."""
    return {
        "LEADLINE_MPIIO_HINTS": cray_text(rules),
        "ROMIO_HINTS": romio_file,
        "MPICH_MPIIO_HINTS": cray_text(rules),
        **{OMPIO[key]: value for key, value in merged(rules).items() if key in OMPIO},
    }


def romio_text(hints: dict[str, str]) -> str:
    r"""Return what ROMIO reads from the file that ROMIO_HINTS names.

    >>> romio_text({"cb_nodes": "4"})
    'cb_nodes 4\n'
    """
    return "".join(f"{key} {value}\n" for key, value in hints.items())


def cray_text(rules: Sequence[Rule]) -> str:
    """Return the value of MPICH_MPIIO_HINTS, Cray's variable, which knows patterns; of ours, too.

    >>> cray_text([Rule("*.h5", {"cb_nodes": "4"}), Rule("*", {"romio_ds_write": "disable"})])
    '*.h5:cb_nodes=4,*:romio_ds_write=disable'
    """
    return ",".join(
        ":".join([rule.pattern, *(f"{key}={value}" for key, value in rule.hints.items())])
        for rule in rules
    )


def _pairs(text: str) -> str:
    hints = parse_pairs(text.split("+"))
    unknown_hints(hints)
    return "+".join(f"{key}={value}" for key, value in hints.items())


def _hinted(value: str, job: Job, installation: Installation) -> Job:
    """Return the job with the family's variables, and with the file that one of them names.

    ROMIO (MPICH, Intel MPI) reads a file that a variable names; Open MPI's OMPIO has variables. A
    program's own hints are beside these; `MPI_File_get_info` tells what holds.
    """
    hints = parse_pairs(value.split("+"))
    if installation.family == "openmpi":
        if unknown := [key for key in hints if key not in OMPIO]:
            raise Unsupported(f"OMPIO can be told {' and '.join(OMPIO)}, not {', '.join(unknown)}")
        return adding(job, {OMPIO[key]: text for key, text in hints.items()})
    if installation.family == "cray-mpich":
        return adding(job, {"MPICH_MPIIO_HINTS": cray_text([Rule(EVERY_FILE, hints)])})
    if installation.family not in ("mpich", "mvapich", "intel"):
        raise Unsupported("leadline does not know its MPI-IO")
    named = adding(job, {"ROMIO_HINTS": f"{job.folder}/{_ROMIO_FILE}"})
    return msgspec.structs.replace(named, files={**job.files, _ROMIO_FILE: romio_text(hints)})


KNOBS = (
    Knob(
        "mpiio_hints",
        "hints for MPI-IO from outside the program",
        "KEY=VALUE, such as romio_cb_write=enable; more with +",
        _pairs,
        _hinted,
    ),
)
