"""A manual page of all that can be set in an MPI installation, in the man macros of roff.

man-pages(7), groff_man(7): text of others is data here, and no letter of it may be a request.
"""

import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from leadline.model.installation import Installation
from leadline.model.software import Setting

# What roff reads otherwise than it is written; quotes and dashes must be as they are typed.
_SPECIAL = str.maketrans(
    {
        "\\": r"\e",
        "-": r"\-",
        "'": r"\(aq",
        '"': r"\(dq",
        "`": r"\(ga",
        "^": r"\(ha",
        "~": r"\(ti",
    }
)
_WIDTH = 79
_LONG_WORD = 30
_MOST_CHOICES = 40
_OTHERS = "other"
_SECTIONS = {
    "control": "CONTROL VARIABLES",
    "variable": "ENVIRONMENT",
    "hint": "HINTS OF MPI-IO",
    "counter": "PERFORMANCE VARIABLES",
}


def manual_page(
    installation: Installation, settings: Sequence[Setting], day: str, version: str
) -> str:
    """Return the page of section 7; `day` and `version`, of leadline, are for its last line."""
    name = escape(installation.name)
    lines = [
        f'.TH "{name.upper()}" 7 "{escape(day)}" "leadline {escape(version)}" "MPI variables"',
        # Names of variables are neither hyphenated nor spread.
        ".nh",
        ".ad l",
        ".SH NAME",
        rf"{name} \- what can be set in this MPI, with its defaults",
        ".SH DESCRIPTION",
        *paragraph(
            "Default is the value in a clean environment, and now the value where this page was "
            "written, with what set it. Variables are set in the environment of mpiexec, which "
            "hands them to the ranks. A knob is the same with every MPI: "
            "leadline run BENCHMARK --knob NAME=VALUE."
        ),
        ".PP",
        *paragraph(f"The installation is {installation.prefix}, found in {installation.source}."),
    ]
    lines += _knobs([each for each in settings if each.kind == "knob"])
    known = _knobs_of(settings)
    for kind, heading in _SECTIONS.items():
        found = [each for each in settings if each.kind == kind]
        if found:
            lines.append(f".SH {heading}")
        for component, group in _by_component(found).items():
            lines.append(f".SS {escape(component)}")
            for each in sorted(group, key=lambda one: one.name):
                lines += _entry(each, known)
    lines += [".SH SEE ALSO", *paragraph("mpiexec(1), leadline mpi knobs, leadline mpi software")]
    return "\n".join(lines) + "\n"


def _by_component(settings: Sequence[Setting]) -> Mapping[str, list[Setting]]:
    """Return settings by the last of their categories, by name; those without one come last."""
    found: dict[str, list[Setting]] = defaultdict(list)
    for each in settings:
        found[each.categories[-1] if each.categories else _OTHERS].append(each)
    return dict(sorted(found.items(), key=lambda one: (one[0] == _OTHERS, one[0])))


def _knobs_of(settings: Sequence[Setting]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for knob in settings:
        for variable in knob.sets:
            found[variable].append(f"{knob.name}={knob.example}")
    return found


def _knobs(knobs: Sequence[Setting]) -> Iterator[str]:
    if knobs:
        yield ".SH KNOBS"
    for knob in knobs:
        yield ".TP"
        yield f".B {escape(knob.name)}"
        yield from paragraph(knob.description)
        yield from _line(f"values: {knob.values}")
        if knob.sets:
            variables = " ".join(f"{name}={value}" for name, value in knob.sets.items())
            yield from _line(f"{knob.example} is here: {variables}")
        if knob.lacking:
            yield from _line(f"not here: {knob.lacking}")


def _entry(setting: Setting, knobs: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield ".TP"
    # What a hint sets is its own; a variable does the same for every file.
    hint = setting.kind == "hint"
    yield f".B {escape(setting.name if hint else setting.variable or setting.name)}"
    yield from paragraph(setting.description.strip() or "no description")
    if setting.values:
        yield from _line(f"values: {setting.values}")
    if setting.kind != "counter" and not setting.lacking:
        yield from _line(f"default: {_value(setting.default)}")
    if setting.changed and setting.value is not None:
        origin = f", from {setting.source}" if setting.source else ""
        yield from _line(f"now: {_value(setting.value)}{origin}")
    if setting.choices:
        more = len(setting.choices) - _MOST_CHOICES
        named = [*setting.choices[:_MOST_CHOICES], *([f"{more} more"] if more > 0 else [])]
        yield from _line(f"one of: {', '.join(named)}")
    scope = setting.scope and f"scope {setting.scope}"
    if known := [*filter(None, (setting.type, scope, setting.verbosity))]:
        yield from _line(", ".join(known))
    if setting.variable and setting.variable != setting.name:
        other = f"set for every file by {setting.variable}"
        yield from _line(other if hint else f"called {setting.name} by MPI_T")
    if setting.lacking:
        yield from _line(f"not here: {setting.lacking}")
    if found := knobs.get(setting.variable or setting.name):
        yield from _line(f"knob: {', '.join(found)}")


def _value(value: str | None) -> str:
    if value is None:
        return "the library's own, which it does not tell"
    return value or "empty"


def _line(text: str) -> Iterator[str]:
    yield ".br"
    yield from paragraph(text)


def paragraph(text: str) -> Iterator[str]:
    """Yield text in lines that are none of them a request."""
    for line in textwrap.wrap(_clean(text), _WIDTH, break_long_words=False, break_on_hyphens=False):
        escaped = " ".join(_breakable(word) for word in line.split())
        # A line that begins with a dot or a quote is a request.
        yield rf"\&{escaped}" if escaped.startswith((".", r"\(aq")) else escaped


def _breakable(word: str) -> str:
    """Return an escaped word that may be broken inside where it is too long for a line."""
    if len(word) <= _LONG_WORD:
        return escape(word)
    return r"\:".join(map(escape, re.findall(rf"[^,:/=_]{{1,{_LONG_WORD}}}[,:/=_]*|[,:/=_]", word)))


def _clean(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)


def escape(text: str) -> str:
    """Return text as roff has to find it; letters beyond ASCII by their number."""
    found = _clean(text).translate(_SPECIAL)
    return "".join(letter if letter.isascii() else rf"\[u{ord(letter):04X}]" for letter in found)
