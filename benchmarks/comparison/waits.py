"""The command `benchmarks/run waits`: does `leadline explain` find the waits that are there?"""

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from comparison import preloaded
from leadline.core.errors import UserError
from leadline.measure.launch.start import start_for
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.site.mpi.choice import choose_one

_PATIENCE_S = 120
KINDS = ("late", "noise", "balanced")
CALLS = ("collectives", "messages", "both")
# The verdicts that are right for each kind of program.
_RIGHT = {"late": {"rank"}, "noise": {"noise"}, "balanced": {"none", "library"}}
# A wait is right within this part of the truth, or of the run.
OF_THE_TRUTH, OF_THE_RUN = 0.05, 0.01


class Call(NamedTuple):
    """A call as the program itself saw it: when it began and ended, in seconds on one clock.

    `part` is the rank's in it, `peer` the root or the other rank of a message.
    """

    step: int
    name: str
    part: str
    peer: int
    begin: float
    end: float


class Program(NamedTuple):
    """One of the random programs."""

    seed: int
    ranks: int
    kind: str
    calls: str


class Outcome(NamedTuple):
    """What was found in one program: seconds of each rank, known and found, and the verdict."""

    program: Program
    run_s: float
    known_s: list[float]
    found_s: list[float]
    verdict: str

    @property
    def ranks_right(self) -> int:
        """The number of ranks whose waits are as they were."""
        return sum(
            abs(found - known) <= max(OF_THE_TRUTH * known, OF_THE_RUN * self.run_s)
            for known, found in zip(self.known_s, self.found_s, strict=True)
        )

    @property
    def waits_right(self) -> bool:
        """Whether each rank's waits are as they were."""
        return self.ranks_right == len(self.known_s)

    @property
    def verdict_right(self) -> bool:
        """Whether who is late, or what, is as it was."""
        return self.verdict in _RIGHT[self.program.kind]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--programs", "count", type=click.IntRange(1), default=100, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--ranks", default="2", show_default=True, help="Of the programs in turn: 2,4,8.")
@click.option("--steps", type=click.IntRange(1), default=2000, show_default=True)
@click.option("--mpi", default="mpich", show_default=True)
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def command(
    count: int, seed: int, ranks: str, steps: int, mpi: str, json_file: Path | None
) -> None:
    """Explain random programs whose waits are known, and say how often the answer is right.

    Each program computes for random times before random calls, one rank longer than the others,
    and notes when each of its calls began and ended. So each rank's waits are known, by the same
    definitions. Ctrl-C prints what is there so far.
    """
    counts = [int(word) for word in ranks.split(",") if word.strip().isdigit()]
    if not counts or min(counts) < 2 or len(counts) != ranks.count(",") + 1:
        raise UserError(f"--ranks {ranks}: write 2 or 2,4,8, each 2 or more")
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="leadline-waits-") as folder:
        installation = choose_one(mpi)
        program = preloaded.compiled_by(installation, "delays", Path(folder))
        try:
            for each in drawn(count, seed, counts):
                outcomes.append(outcome(installation, program, each, steps, Path(folder)))
                print(_line(outcomes[-1]), file=sys.stderr)
        except KeyboardInterrupt:
            click.echo("interrupted")
    for line in _lines(outcomes):
        click.echo(line)
    if json_file:
        answer = [{**each._asdict(), "program": each.program._asdict()} for each in outcomes]
        json_file.write_text(json.dumps({"format": 1, "programs": answer}))


def drawn(count: int, seed: int, ranks: Sequence[int]) -> list[Program]:
    """Return random programs: three kinds of lateness with three kinds of calls."""
    generator = random.Random(seed)
    return [
        Program(
            seed=generator.randrange(1 << 30),
            ranks=ranks[number % len(ranks)],
            kind=KINDS[number % 3],
            calls=CALLS[number // 3 % 3],
        )
        for number in range(count)
    ]


def outcome(
    installation: Installation, program: preloaded.Program, which: Program, steps: int, folder: Path
) -> Outcome:
    """Start one program under `leadline explain`. Raises `UserError` where that fails."""
    notes = folder / "notes"
    notes.mkdir(exist_ok=True)
    words = (*program.words, str(which.seed), str(steps), which.kind, which.calls, str(notes))
    start = start_for(Job(program=words, placement=Placement(1, which.ranks)), installation)
    explain = (sys.executable, "-m", "leadline", "explain", "--mpi", installation.name, "--json")
    started = subprocess.run(
        [*explain, "--", *start.argv],
        env={**os.environ, **start.environment},
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
    )
    if started.returncode:
        raise UserError(f"leadline explain failed: {started.stderr.strip()[-300:]}")
    told = json.loads(started.stdout)
    calls = [_calls(notes / str(rank)) for rank in range(which.ranks)]
    found = {rank["rank"]: rank["waiting_s"] for rank in told["ranks"]}
    return Outcome(
        program=which,
        run_s=max(rank[-1].end - rank[0].begin for rank in calls),
        known_s=waits(calls),
        found_s=[found[rank] for rank in range(which.ranks)],
        verdict=told["late"]["verdict"],
    )


def _calls(path: Path) -> list[Call]:
    fields = [line.split() for line in path.read_text().splitlines()]
    return [
        Call(int(step), name, part, int(peer), float(begin), float(end))
        for step, name, part, peer, begin, end in fields
    ]


def waits(calls: Sequence[Iterable[Call]]) -> list[float]:
    """Return the seconds that each rank waited for a later one, by the definitions of `explain`.

    `calls` are those of each rank. All ranks of a collective wait for the last one, in a broadcast
    for the root, in a scan for the last lower rank; the root of a reduction waits for the last. A
    receiver waits for the sender to begin; the sender of a large message for the receiver.
    """
    begun = [{call.step: call.begin for call in rank} for rank in calls]
    return [sum(_wait(call, rank, begun) for call in of_rank) for rank, of_rank in enumerate(calls)]


def _wait(call: Call, rank: int, begun: Sequence[dict[int, float]]) -> float:
    ranks = range(len(begun))
    if call.part == "all":
        awaited = [other for other in ranks if other < rank or call.name != "scan"]
    elif call.name == "reduce":
        awaited = list(ranks) if call.part == "root" else []
    elif call.name == "small" and call.part == "sender":
        awaited = []
    else:
        awaited = [call.peer]
    last = max((begun[other][call.step] for other in awaited), default=call.begin)
    return min(max(last - call.begin, 0.0), call.end - call.begin)


def _line(one: Outcome) -> str:
    known, found = sum(one.known_s), sum(one.found_s)
    right = "right" if one.waits_right else "WRONG"
    verdict = "right" if one.verdict_right else "WRONG"
    return (
        f"waits: {one.program.kind} {one.program.calls}, {one.program.ranks} ranks, "
        f"{one.run_s:.2f} s: {known * 1e3:.1f} ms known, {found * 1e3:.1f} found ({right}), "
        f"verdict {one.verdict} ({verdict})"
    )


def _lines(outcomes: Sequence[Outcome]) -> Iterable[str]:
    if not outcomes:
        return
    right = sum(each.waits_right for each in outcomes)
    ranks = sum(each.ranks_right for each in outcomes)
    all_ranks = sum(len(each.known_s) for each in outcomes)
    yield f"waits within 5 % of the truth or 1 % of the run: {right} of {len(outcomes)} programs"
    yield f"                                                 {ranks} of {all_ranks} ranks"
    for kind in KINDS:
        alike = [each for each in outcomes if each.program.kind == kind]
        verdicts = sum(each.verdict_right for each in alike)
        if alike:
            yield f"verdict on {kind} programs right: {verdicts} of {len(alike)}"
