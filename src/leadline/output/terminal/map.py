"""A map for people at a terminal: the picture in letters, its legend, the busiest links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from leadline.core.units import count, format_bytes
from leadline.model.map import Map, MapLink
from leadline.output.table import Column, number, table_of, without_empty_columns
from leadline.output.terminal.picture import DOWN, DRAINED, FREE, SEVERAL, USED, picture, style
from leadline.output.terminal.table import ENDLESS, draw
from leadline.output.terminal.text import cut, printable

# Wider pictures are no clearer.
_WIDEST = 120
_BUSIEST = 10
_LONGEST = 48


class Drawing:
    """The map as rich prints it, as wide as there is room, in at most so many `rows`."""

    def __init__(self, drawn: Map, rows: int | None = None) -> None:
        self._map = drawn
        self._rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines."""
        yield from drawn_in(self._map, options.max_width, self._rows)


def drawn_in(drawn: Map, width: int, rows: int | None = None) -> list[Text]:
    """Return the map in lines of at most `width` characters, as far as they fit into `rows`."""
    room = min(width, _WIDEST)
    found = list(lines(drawn, room))
    if rows is not None and len(found) > rows:
        hidden = len(found) - rows + 1
        found = [*found[: rows - 1], Text(f"{hidden} more lines do not fit here")]
    for line in found:
        line.truncate(room, overflow="ellipsis")
        line.no_wrap = True
    return found


def lines(drawn: Map, width: int) -> Iterator[Text]:
    """Yield the map, line by line."""
    shape = "x".join(map(str, drawn.shape))
    parts = [
        drawn.name,
        f"{drawn.topology.replace('_', ' ')} {shape}",
        count(len(drawn.nodes), "node"),
    ]
    yield Text(" · ".join(filter(None, (*map(printable, parts), printable(drawn.source)))))
    yield Text()
    yield from picture(drawn, width)
    yield Text()
    yield from _legend(drawn)
    if drawn.traffic:
        yield Text()
        yield from _traffic(drawn)
    for note in drawn.notes:
        yield Text()
        yield Text(f"Note: {printable(note)}", "dim")


def _legend(drawn: Map) -> Iterator[Text]:
    yield from _jobs(drawn)
    phases: Counter[str] = Counter(
        node.phase for node in drawn.nodes if not node.jobs or node.phase in ("down", "drained")
    )
    signs = {"free": f"{FREE} free", "used": f"{USED} in use, by whom is not known",
             "drained": f"{DRAINED} drained", "down": f"{DOWN} down"}  # fmt: skip
    counts = {words: phases[phase] for phase, words in signs.items()}
    counts[f"{SEVERAL} several {drawn.letters}"] = sum(len(node.jobs) > 1 for node in drawn.nodes)
    meanings = [f"{words}: {times}" for words, times in counts.items() if times]
    if meanings and drawn.jobs:
        yield Text()
    if meanings:
        yield Text("   ".join(meanings))


def _jobs(drawn: Map) -> list[Text]:
    letters = tuple((job.letter, style(at)) for at, job in enumerate(drawn.jobs))
    rows = (
        (job.letter, _short(job.id), _short(job.user), _short(job.name), job.nodes)
        for job in drawn.jobs
    )
    name = "suspect" if drawn.letters == "suspects" else "name"
    table = table_of((Column("", styles=letters), "job", "user", name, "nodes"), rows)
    return draw(without_empty_columns(table), ENDLESS)


def _traffic(drawn: Map) -> Iterator[Text]:
    traffic = drawn.traffic
    assert traffic is not None
    simulated = ", simulated" if traffic.simulated else ", predicted" if traffic.predicted else ""
    yield Text(f"links under {printable(traffic.figure)}")
    yield Text(f"of {printable(traffic.run)}{simulated}", "dim")
    carrying = sorted((link for link in drawn.links if link.bytes), key=lambda e: -(e.bytes or 0))
    if not carrying:
        yield Text("no link carries anything: all messages stay inside nodes")
        return
    rows = [_row(drawn, link) for link in carrying[:_BUSIEST]]
    columns = (Column("link"), *map(number, ("bytes an operation", "MB/s", "pairs")))
    yield from draw(table_of(columns, rows), ENDLESS)
    sizes = [link.bytes or 0.0 for link in carrying]
    mean = sum(sizes) / len(sizes)
    yield Text(
        f"{len(carrying)} of {len(drawn.links)} links carry something, the busiest "
        f"{sizes[0] / mean:.3g} times as much as their mean"
    )


def _row(drawn: Map, link: MapLink) -> tuple[str, str, str, str]:
    ends = [
        drawn.nodes[end].name if end < len(drawn.nodes) else drawn.vertices[end].name
        for end in (link.one, link.other)
    ]
    name = " - ".join(map(_short, ends)) + (" (around)" if link.around else "")
    pairs = "-" if link.pairs is None else str(link.pairs)
    return name, format_bytes(link.bytes or 0), f"{link.MBps or 0:.4g}", pairs


def _short(text: str) -> str:
    return cut(" ".join(printable(text).split()), _LONGEST)
