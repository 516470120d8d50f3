"""Settings of an MPI for people: in full where they are few, one line each where they are many."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

from leadline.model.software import Setting
from leadline.output.terminal.text import printable

# So many are shown with all that is known of them.
_FEW = 20
_WIDEST = 100
_HEADINGS = {
    "knob": "knobs: the same with every MPI (leadline run ... --knob NAME=VALUE,...)",
    "variable": "environment variables that MPI_T does not show",
    "stray": "environment variables that nothing of this MPI reads",
    "hint": "hints of MPI-IO, for an MPI_Info or leadline tune --hints NAME=VALUE",
    "control": "control variables of MPI_T",
    "counter": "performance variables of MPI_T",
}


def settings_text(settings: Sequence[Setting], width: int | None) -> Text:
    """Return the list, with its colours; `width` is the terminal's, None where there is none."""
    text = Text()
    for kind, heading in _HEADINGS.items():
        group = [each for each in settings if each.kind == kind]
        if group:
            text.append(f"{heading}: {len(group)}\n", "bold")
            lines = _in_full if len(settings) <= _FEW else _one_line
            for each in group:
                for words, style in lines(each, width):
                    text.append(words, style)
            text.append("\n")
    return text


def _one_line(setting: Setting, width: int | None) -> Iterator[tuple[str, str]]:
    value = (
        f" = {_value_text(setting)}" if setting.value is not None and setting.kind != "knob" else ""
    )
    yield f"  {setting.name}", "bold yellow" if setting.changed else "cyan"
    room = None if width is None else width - len(setting.name) - 4
    words = printable(f"{value}  {setting.description}")
    yield (words if room is None else words[: max(room, 0)]) + "\n", ""


def _in_full(setting: Setting, width: int | None) -> Iterator[tuple[str, str]]:
    yield f"  {setting.name}", "bold yellow" if setting.changed else "bold cyan"
    if setting.kind != "knob" and setting.value is not None:
        yield f" = {printable(_value_text(setting))}", "bold"
    if setting.changed and setting.default is not None:
        yield f" (default {printable(setting.default) or 'empty'})", ""
    yield "\n", ""
    for line in _facts(setting):
        for part in textwrap.wrap(printable(line), min(width or _WIDEST, _WIDEST) - 6):
            yield f"      {part}\n", ""


def _facts(setting: Setting) -> Iterator[str]:
    yield setting.description
    if setting.source:
        yield f"from: {setting.source}"
    if setting.values:
        yield f"values: {setting.values}"
    if setting.choices:
        yield f"one of: {', '.join(setting.choices)}"
    if setting.kind in ("variable", "hint") and setting.default and not setting.changed:
        yield f"default: {setting.default}"
    if setting.variable and setting.variable != setting.name:
        yield f"set by: {setting.variable}"
    if setting.sets:
        variables = " ".join(f"{name}={value}" for name, value in setting.sets.items())
        yield f"{setting.example} is here: {variables}"
    if setting.lacking:
        yield f"not here: {setting.lacking}"
    kinds = [setting.type, setting.scope and f"scope {setting.scope}", setting.verbosity]
    known = [*filter(None, kinds), *(f"in {each}" for each in setting.categories)]
    if known and setting.kind in ("control", "counter"):
        yield ", ".join(known)


def _value_text(setting: Setting) -> str:
    return setting.value or "(empty)"
