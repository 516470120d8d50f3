"""Software as tables and lines for the terminal."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from leadline.core.units import count
from leadline.model.software import Item, Software, SoftwareChange
from leadline.output.table import Table, table_of
from leadline.output.terminal.text import printable


def items(software: Software) -> Table:
    """Return a row for each item; what is no file has one row for all its versions.

    A kind is named in its first row only.
    """
    rows = []
    before = ""
    for each in _together(software.items):
        first = each[0]
        versions = ", ".join(_version_text(item) for item in each if item.version)
        where = first.path + "".join(
            f" ({first.detail[key]})" for key in ("hidden", "called") if key in first.detail
        )
        rows.append((first.kind if first.kind != before else "", first.name, versions, where))
        before = first.kind
    return table_of(("kind", "name", "version", "where"), rows)


def defaults(software: Software) -> Table:
    """Return a row for each default that is not plain from the items.

    Plain is a program of that name of which there is one version, and what is no file is marked
    among its versions.
    """
    several = Counter((item.kind, item.name) for item in software.items)
    rows = (
        (word, f"{item.name} {item.version}".strip(), why)
        for item in software.items
        for word, why in (item.default_for.items() if item.path else ())
        if several[item.kind, item.name] > 1 or word != Path(item.path).name
    )
    return table_of(("what you write", "what you get", "because"), rows)


def libraries(software: Software) -> Table:
    """Return a row for each library that a program loads."""
    rows = (
        (each.name, each.version, each.detail.get("package", ""), each.path,
         each.detail.get("because", ""))
        for each in software.items
        if each.kind == "library"
    )  # fmt: skip
    return table_of(("library", "version", "package", "file", "because"), rows)


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


def changed(changes: tuple[SoftwareChange, ...]) -> Table:
    """Return a row for each difference."""
    rows = (
        (each.kind, each.name, each.change, each.base or "-", each.other or "-") for each in changes
    )
    return table_of(("kind", "name", "what", "base", "other"), rows)


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


def _version_text(item: Item) -> str:
    marks = ["default"] * bool(item.default_for) + ["loaded"] * ("loaded" in item.detail)
    return f"{item.version} ({', '.join(marks)})" if marks and not item.path else item.version


def compared_line(base: Software, other: Software, changes: int) -> str:
    """Return what was compared, and how much differs."""
    common = [kind for kind in base.kinds if kind in other.kinds]
    found = count(changes, "difference") if changes else "no difference"
    return printable(
        f"{found} in {', '.join(common) or 'nothing'}: "
        f"base is {_title(base)}, other is {_title(other)}"
    )


def _title(software: Software) -> str:
    return f"{software.of + ' on ' if software.of else ''}{software.host} at {software.time}"
