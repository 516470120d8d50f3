"""Predictions for people: the times, which algorithm would be fastest where, what was left out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TextIO

from rich.text import Text

from leadline.core.units import format_bytes, format_seconds, percent, rate_text
from leadline.model.prediction import Fastest, LeftOut, LogGPMachine, Prediction, Predictions
from leadline.output.table import Table, number, table_of, words
from leadline.output.terminal.map import Drawing
from leadline.output.terminal.table import Drawn
from leadline.output.terminal.text import console_for, printable


def print_predictions(
    predictions: Predictions, file: TextIO | None = None, *, drawn: bool = False
) -> None:
    """Print them on `file` (default: stdout), in colour only on a terminal.

    Their map is `drawn` in letters, where they have one.
    """
    console = console_for(file)
    for line in _machine(predictions.on):
        console.print(Text(printable(line), style="dim"))
    fastest = {(one.processes, one.bytes): one.algorithm for one in predictions.fastest}
    if predictions.predictions:
        console.print()
        console.print(Drawn(_table(predictions.predictions, fastest), ruled=False))
    if any(one.jitter for one in predictions.predictions):
        console.print()
        console.print(Drawn(_jitter(predictions.predictions), ruled=False))
        console.print("(1) of tasks that wait for nobody, in closed form")
    for line in (
        *_winners(predictions.fastest),
        *_limits(predictions),
        *_format_left_out(predictions.left_out),
    ):
        console.print(Text(printable(line)))
    if drawn and predictions.map:
        console.print()
        console.print(Drawing(predictions.map))


def _machine(machine: LogGPMachine) -> Iterator[str]:
    small, large = machine.between.wire[0], machine.between.wire[-1]
    rate = rate_text(1e-6 / large.seconds_per_byte) if large.seconds_per_byte else "no limit"
    overhead = format_seconds(machine.between.send[0].seconds)
    yield (
        f"Predicted by LogGP for {machine.origin} {machine.name}, not measured: o {overhead}, "
        f"L {format_seconds(small.seconds)}{' a link' if machine.by_distance else ''}, "
        f"G as {rate}"
    )
    shared = (
        "messages that meet on a link share it"
        if machine.contention
        else "links inside the network are never shared"
    )
    yield f"Assumed: {'; '.join((shared, *machine.assumed))}"


def _table(found: Sequence[Prediction], fastest: dict[tuple[int, int], str]) -> Table:
    rows = (
        (
            one.processes,
            format_bytes(one.bytes),
            one.algorithm
            + (" *" if fastest.get((one.processes, one.bytes)) == one.algorithm else ""),
            format_seconds(one.seconds),
            one.steps,
            one.messages,
            _amount(one.network_bytes),
        )
        for one in found
    )
    numbers = map(number, ("time", "steps", "messages", "network"))
    return table_of((number("processes"), number("size"), "algorithm", *numbers), rows)


def _jitter(found: Sequence[Prediction]) -> Table:
    rows = (
        (
            one.processes,
            format_bytes(one.bytes),
            one.algorithm,
            format_seconds(one.jitter.alone_s),
            format_seconds(one.jitter.average_s),
            format_seconds(one.jitter.maximum_s),
            f"{one.jitter.maximum_over_average:.2f}",
            f"{one.jitter.late_fraction:.1%}",
            f"{one.jitter.independent_maximum_over_average:.2f}",
            f"{one.jitter.independent_late_fraction:.1%}",
        )
        for one in found
        if one.jitter
    )
    columns = ("undisturbed", "AVG", "MAX", "MAX/AVG", "late calls", "MAX/AVG (1)")
    numbers = map(number, (*columns, "late calls (1)"))
    return table_of((number("tasks"), number("size"), words("pattern"), *numbers), rows)


def _winners(fastest: Sequence[Fastest]) -> Iterator[str]:
    if fastest:
        yield "\nFastest (*):"
    for processes, group in itertools.groupby(fastest, key=lambda one: one.processes):
        ranges = []
        for algorithm, sizes in itertools.groupby(group, key=lambda one: one.algorithm):
            all_ = [one.bytes for one in sizes]
            to = f" to {format_bytes(all_[-1])}" if len(all_) > 1 else ""
            ranges.append(f"{format_bytes(all_[0])}{to} {algorithm}")
        yield f"  {processes} processes: {', '.join(ranges)}"


def _limits(predictions: Predictions) -> Iterator[str]:
    known = [one for one in predictions.predictions if one.busiest]
    if known:
        one = max(known, key=lambda one: one.busiest.busy_fraction if one.busiest else 0.0)
        assert one.busiest
        link = one.busiest
        name = link.one if link.one == link.other else f"{link.one} to {link.other}"
        yield (
            f"\nBusiest link: {name}, for {percent(link.busy_fraction)} of the time of "
            f"{one.algorithm} with {format_bytes(one.bytes)} on {one.processes} processes "
            f"({_amount(link.bytes)})"
        )
    alone = sorted({one.nodes for one in predictions.predictions if not one.contention})
    if predictions.on.contention and alone:
        nodes = ", ".join(map(str, alone))
        yield f"Links inside the network were not shared on {nodes} nodes: they are too many"


def _format_left_out(left_out: Sequence[LeftOut]) -> Iterator[str]:
    for algorithm, reason in dict.fromkeys((one.algorithm, one.reason) for one in left_out):
        times = sum((one.algorithm, one.reason) == (algorithm, reason) for one in left_out)
        yield f"Left out: {algorithm} ({times} of them): {reason}"


def _amount(size: int) -> str:
    for power, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= power:
            return f"{size / power:.3g} {unit}"
    return f"{size} B"
