"""The command `benchmarks/run alike`: how often are two runs of one plan called different?"""

import json
import math
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from comparison.quiet import require_quiet
from leadline.analysis.compare.compare import compare
from leadline.analysis.results.states import pooled_readings, restricted
from leadline.analysis.results.summary import summarise
from leadline.core.errors import UserError
from leadline.library.until_sure import SpellsAgain
from leadline.measure.run.preparation import prepare
from leadline.measure.run.run import execute
from leadline.model.plan import Entry, Plan, Stopping
from leadline.model.progress import Silent
from leadline.model.summary import PointSummary
from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples

Figures = tuple[PointSummary, ...]

_ENTRIES = (("mpi/pingpong", "8,4K,256K"), ("mpi/allreduce", "8,64K"))


class Trial(NamedTuple):
    """What one comparison of like with like said, and one with a figure that is slower.

    `wrong` are the figures that were called different, `found` whether the slower one was.
    """

    order: str
    figures: int
    wrong: tuple[str, ...]
    found: bool


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--pairs", type=click.IntRange(1), default=60, show_default=True)
@click.option("--launches", type=click.IntRange(2), default=32, help="Of each side.")
@click.option("--mpi", default="mpich-5", show_default=True)
@click.option("--slower", type=float, default=10.0, show_default=True, help="Per cent.")
@click.option("--anyway", is_flag=True, help="Start even where the machine is not quiet.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--runs", type=click.Path(path_type=Path), help="Keep the run folders here.")
def command(
    pairs: int,
    launches: int,
    mpi: str,
    slower: float,
    anyway: bool,
    json_file: Path | None,
    runs: Path | None,
) -> None:
    """Measure one plan twice, compare the two, and do so --pairs times.

    Every figure that is called faster or slower is a false alarm. Then one figure of the second run
    is made --slower per cent slower, another one in each pair: how often is that found? The same
    launches are also dealt to two sides in turn, as if both had been measured in turn. Ctrl-C
    prints what is there so far.
    """
    if not anyway:
        require_quiet()
    began = time.monotonic()
    trials: list[Trial] = []
    with tempfile.TemporaryDirectory(prefix="leadline-alike-") as temporary:
        folder = runs or Path(temporary)
        plan = _plan(mpi, launches)
        for number in range(pairs):
            both = [_measured(plan, folder) for _ in range(2)]
            if not all(both):
                break
            trials += tried(both[0], both[1], number, 1 + slower / 100)
            print(f"alike: pair {number + 1} of {pairs}", file=sys.stderr)
    if not trials:
        raise UserError("interrupted before the first pair was measured")
    summary = summarised(trials)
    for line in lines(summary, slower, launches):
        click.echo(line)
    click.echo(f"{time.monotonic() - began:.0f} s")
    if json_file:
        json_file.write_text(json.dumps(msgspec.to_builtins({"format": 1, "orders": summary})))


def _plan(mpi: str, launches: int) -> Plan:
    return Plan(
        entries=tuple(Entry(benchmarks=(name,), axes={"bytes": b}) for name, b in _ENTRIES),
        mpi=(mpi,),
        launches=launches,
        stopping=Stopping(seconds=0.02),
        name="alike",
    )


def _measured(plan: Plan, runs: Path) -> Figures:
    """Return the figures of a new run of `plan`, as `leadline run` measures it.

    None if it was interrupted.
    """
    prepared = prepare(plan, lambda text: print(f"alike: {text}", file=sys.stderr))
    folder = RunFolder.create(runs, plan.name)
    run = execute(prepared, folder, Silent(), [], SpellsAgain(Silent()))
    if run.outcome.state == "interrupted":
        return ()
    if run.outcome.state != "complete":
        raise UserError(f"a run did not end well: {run.outcome.message}")
    return summarise(run, StoredSamples(folder))


def tried(first: Figures, second: Figures, number: int, factor: float) -> list[Trial]:
    """Return what is said of two runs of one plan, as they are and dealt in turn.

    The figure `number` (modulo their count) takes `factor` times as long in the second trial.
    """
    return [
        _trial("one after the other", first, second, number, factor),
        _trial("in turn", *_dealt(first, second), number, factor),
    ]


def _trial(order: str, base: Figures, other: Figures, number: int, factor: float) -> Trial:
    chosen = number % len(other)
    slowed = tuple(
        _slower(point, factor if index == chosen else 1.0) for index, point in enumerate(other)
    )
    alike = compare("first", base, "second", other).figures
    unlike = compare("first", base, "second", slowed).figures
    return Trial(
        order=order,
        figures=len(alike),
        wrong=tuple(each.name for each in alike if each.verdict in ("faster", "slower")),
        found=any(each.verdict == "slower" and each.other is slowed[chosen] for each in unlike),
    )


def _slower(point: PointSummary, factor: float) -> PointSummary:
    return msgspec.structs.replace(
        point,
        median_s=point.median_s * factor,
        launch_medians_s=tuple(seconds * factor for seconds in point.launch_medians_s),
    )


def _dealt(first: Figures, second: Figures) -> tuple[Figures, Figures]:
    """Return the launches of both runs, in the order of time, dealt to two sides in turn."""
    every = [
        msgspec.structs.replace(
            one,
            launch_medians_s=(*one.launch_medians_s, *two.launch_medians_s),
            readings=pooled_readings([one, two]),
        )
        for one, two in zip(first, second, strict=True)
    ]
    sides = [
        tuple(restricted(one, range(side, len(one.launch_medians_s), 2)) for one in every)
        for side in (0, 1)
    ]
    return sides[0], sides[1]


def summarised(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """Return for each order how many comparisons raised a false alarm, and how many found it."""
    found = []
    for order in dict.fromkeys(trial.order for trial in trials):
        own = [trial for trial in trials if trial.order == order]
        alarms = sum(bool(trial.wrong) for trial in own)
        found.append(
            {
                "order": order,
                "comparisons": len(own),
                "figures": own[0].figures,
                "false_alarms": alarms,
                "false_alarms_at_most": at_most(alarms, len(own)),
                "found": sum(trial.found for trial in own),
                "wrong": [name for trial in own for name in trial.wrong],
            }
        )
    return found


def lines(summary: Sequence[dict[str, Any]], slower: float, launches: int) -> list[str]:
    """Return the summary for people."""
    first = summary[0]
    told = [
        f"{first['comparisons']} comparisons of {first['figures']} figures, {launches} launches of "
        "each side",
        f"{'':22}{'false alarms':>14}{'at most (95 %)':>18}{f'{slower:g} % slower found':>24}",
    ]
    for each in summary:
        count = each["comparisons"]
        told.append(
            f"{each['order']:22}{each['false_alarms']:>6} of {count:<4}"
            f"{each['false_alarms_at_most']:>18.1%}{each['found']:>17} of {count:<4}"
        )
        if each["wrong"]:
            told.append(f"  called different: {'; '.join(dict.fromkeys(each['wrong']))}")
    return told


def at_most(count: int, trials: int) -> float:
    """Return the largest share of which so few in so many trials are no rare chance (5 %).

    Clopper and Pearson's upper limit, "The Use of Confidence or Fiducial Limits", Biometrika 26,
    1934, one-sided.
    """
    if count == trials:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(40):
        share = (low + high) / 2
        chance = sum(
            math.comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(count + 1)
        )
        low, high = (share, high) if chance > 0.05 else (low, share)
    return high
