"""Software as rows for the terminal."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from leadline.model.software import Item, Software, SoftwareChange
from leadline.output.terminal.text import printable

ITEMS = ("kind", "name", "version", "where")
LIBRARIES = ("library", "version", "package", "file", "because")
DEFAULTS = ("what you write", "what you get", "because")
CHANGES = ("kind", "name", "what", "base", "other")


def item_rows(software: Software) -> Iterator[tuple[str, ...]]:
    """Yield a row for each item; what is no file has one row for all its versions.

    A kind is named in its first row only.
    """
    before = ""
    for each in _together(software.items):
        first = each[0]
        versions = ", ".join(_marked(item) for item in each if item.version)
        where = first.path + "".join(
            f" ({first.detail[key]})" for key in ("hidden", "called") if key in first.detail
        )
        yield tuple(
            printable(text)
            for text in (first.kind if first.kind != before else "", first.name, versions, where)
        )
        before = first.kind


def default_rows(software: Software) -> Iterator[tuple[str, ...]]:
    """Yield a row for each default that is not plain from the items.

    Plain is a program of that name of which there is one version, and what is no file is marked
    among its versions.
    """
    several = Counter((item.kind, item.name) for item in software.items)
    for item in software.items:
        for word, why in item.default_for.items() if item.path else ():
            if several[item.kind, item.name] > 1 or word != Path(item.path).name:
                yield (
                    printable(word),
                    printable(f"{item.name} {item.version}".strip()),
                    printable(why),
                )


def library_rows(software: Software) -> Iterator[tuple[str, ...]]:
    """Yield a row for each library that a program loads."""
    for item in software.items:
        if item.kind == "library":
            said = item.detail.get
            words = (item.name, item.version, said("package", ""), item.path, said("because", ""))
            yield tuple(map(printable, words))


def mpi_lines(software: Software) -> Iterator[str]:
    """Yield what is to be said of the MPI that a program loads."""
    for item in (each for each in software.items if each.kind == "MPI"):
        name = item.detail.get("called", f"{item.name} {item.version}".strip())
        yield printable(f"MPI: {name}, {item.path or 'which is not found'}")
        built, because = item.detail["built with"], item.detail["because"]
        asking = Path(item.detail["asked by"]).name or "it"
        words = {
            "yes": f"the one that {asking} was built with: {because}",
            "no": f"NOT the one that {asking} was built with, {built}: {because}",
        }
        unknown = f"{asking} was built with {built}: {because}"
        if ", " in built:
            unknown = f"{asking} was built with one of {built}: {because}"
        yield printable(f"     {words.get(item.detail['same'], unknown)}")


def change_rows(changes: tuple[SoftwareChange, ...]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each difference."""
    for each in changes:
        words = (each.kind, each.name, each.change, each.base or "-", each.other or "-")
        yield tuple(map(printable, words))


def _together(items: tuple[Item, ...]) -> list[list[Item]]:
    """Return the items one by one, but those of a name together where there is no file."""
    rows: list[list[Item]] = []
    for item in items:
        last = rows[-1][-1] if rows else None
        same = last and (last.kind, last.name, last.path) == (item.kind, item.name, "")
        if same:
            rows[-1].append(item)
        else:
            rows.append([item])
    return rows


def _marked(item: Item) -> str:
    """Return the version of what is no file, and whether it is the default and loaded."""
    marks = ["default"] * bool(item.default_for) + ["loaded"] * ("loaded" in item.detail)
    return f"{item.version} ({', '.join(marks)})" if marks and not item.path else item.version


def compared_line(base: Software, other: Software, changes: int) -> str:
    """Return what was compared, and how much differs."""
    common = [kind for kind in base.kinds if kind in other.kinds]
    found = f"{changes} difference{'s' if changes != 1 else ''}" if changes else "no difference"
    return printable(
        f"{found} in {', '.join(common) or 'nothing'}: "
        f"base is {_titled(base)}, other is {_titled(other)}"
    )


def _titled(software: Software) -> str:
    return f"{software.of + ' on ' if software.of else ''}{software.host} at {software.time}"
