"""What a run shows that costs most, with the command that cures or proves it."""

import itertools
import math
import re
from collections.abc import Sequence

from leadline.core.units import count, times
from leadline.model.run import Run
from leadline.model.summary import Analysis, Finding
from leadline.model.verdict import Action, Trust

# Fewer actions are reported where figures are disturbed.
_MOST, _MOST_DISTURBED = 3, 2
# A gain whose interval reaches 1, or that has none, weighs less; so does a cost without a cure.
_UNSURE, _NO_CURE = 0.3, 0.2
# So does what is to be gained with another MPI than the one that the verdict is on.
_OTHER_MPI = 0.3
# What is slower by more than this without a cure weighs no more: it is another question.
_LARGEST_COST = math.log(4)
# What moves less is no action.
_LEAST = math.log(1.05)
_TUNE = ["leadline", "tune"]
# A clause that names its subject, a number and a comparison has more words than this.
_SHORTEST_CLAUSE = 5


def actions(run: Run, analysis: Analysis, trust: Trust) -> tuple[Action, ...]:
    """Return at most three actions: what is wrong first, then by time lost or gained.

    Findings about the measuring are none: the grade of trust has them. Nor are those on steadiness
    where the grade is poor: they are about what disturbed the run. Findings that one command cures
    are one action.
    """
    weighed = [
        (weight, index, finding)
        for index, finding in enumerate(analysis.findings)
        if not (trust.grade == "poor" and finding.topic == "steadiness")
        if (weight := _weight(finding) * _relevance(analysis, finding)) >= _LEAST
    ]
    groups: dict[object, list[tuple[int, Finding]]] = {}
    for _, index, finding in sorted(weighed, key=lambda one: (-one[0], one[1])):
        groups.setdefault(_cure(finding, index), []).append((index, finding))
    most = _MOST_DISTURBED if trust.grade == "poor" else _MOST
    return tuple(_action(run, analysis, group) for group in list(groups.values())[:most])


def _weight(finding: Finding) -> float:
    if finding.severity == "problem":
        return math.inf
    if finding.topic == "trust" or finding.severity != "notice":
        return 0.0
    if gain := finding.gain:
        sure = gain.low is not None and gain.low > 1
        return math.log(max(gain.times, 1.0)) * (1.0 if sure else _UNSURE)
    if finding.effect:
        cost = min(abs(math.log(finding.effect)), _LARGEST_COST)
        return cost * (_UNSURE if finding.command else _NO_CURE)
    return 0.0


def _relevance(analysis: Analysis, finding: Finding) -> float:
    mine = analysis.points[0].mpi if analysis.points else ""
    mpis = {analysis.points[index].mpi for index in finding.points if index < len(analysis.points)}
    return _OTHER_MPI if mpis and mine not in mpis and finding.severity != "problem" else 1.0


def _cure(finding: Finding, index: int) -> object:
    """Return what is the same for findings which one command cures, or that are of one kind."""
    if finding.severity == "problem":
        return index
    words = (finding.command or "").split()
    return ("tune", *words[3:]) if words[:2] == _TUNE else finding.kind


def _action(run: Run, analysis: Analysis, group: Sequence[tuple[int, Finding]]) -> Action:
    first = group[0][1]
    words = (first.command or "").split()
    tunes = words[:2] == _TUNE and len(words) > 2
    commands = [first.command] if first.command else []
    if tunes:
        subjects = dict.fromkeys(str(finding.command).split()[2] for _, finding in group)
        commands = [" ".join([*_TUNE, *subjects, *words[3:]]), _execution(words)]
    return Action(
        short=_first_clause(first.text),
        text=first.text + _others(run, analysis, group),
        commands=tuple(commands),
        gain=first.gain,
        findings=tuple(index for index, _ in group),
    )


def _first_clause(text: str) -> str:
    """Return a sentence up to the first comma that follows what it states, and where it is worse.

    >>> _first_clause("MPI_Bcast, 8 B: ring is 2.0x faster (1.9, 2.1) at 8 B, most at 8 B.")
    'MPI_Bcast, 8 B: ring is 2.0x faster (1.9, 2.1) at 8 B'
    >>> _first_clause("MPI_Bcast: ring is 2.0x faster at 8 B; 1.5x slower at 1 MiB; unclear.")
    'MPI_Bcast: ring is 2.0x faster at 8 B; 1.5x slower at 1 MiB'
    """
    for end in re.finditer(r"[,;.](?= |$)", text):
        clause = text[: end.start()]
        whole = clause.count("(") == clause.count(")")
        if whole and len(clause.split()) > _SHORTEST_CLAUSE:
            worse = re.match(r"; [^;]*? slower[^;]*?(?=[;.](?: |$))", text[end.start() :])
            return clause + (worse[0] if worse else "")
    return text


def _execution(tuning: Sequence[str]) -> str:
    """Return how a program is started with what a command tunes: with the launcher of its MPI."""
    mpi = itertools.dropwhile(lambda word: word != "--mpi", tuning)
    return " ".join(["leadline", "exec", *itertools.islice(mpi, 2), "mpiexec ./app"])


def _others(run: Run, analysis: Analysis, group: Sequence[tuple[int, Finding]]) -> str:
    """Return what else is cured, by the names of the benchmarks that the first does not name."""
    titles = {benchmark.name: benchmark.title or benchmark.name for benchmark in run.benchmarks}
    names: dict[str, float] = {}
    for _, finding in group:
        for index in finding.points[:1]:
            name = analysis.points[index].benchmark
            largest = finding.gain.times if finding.gain else 0.0
            names.setdefault(titles.get(name, name), largest)
    texts = [f"{name} {times(gain)}" if gain else name for name, gain in list(names.items())[1:]]
    if texts:
        return f" Also: {', '.join(texts)}."
    return f" {count(len(group) - 1, 'more finding')} of this kind." if len(group) > 1 else ""


def next_step(
    run: Run, analysis: Analysis, trust: Trust, urgent: Sequence[Action]
) -> tuple[str, str]:
    """Return one sentence, and a command where it needs one: what to do after reading this."""
    if run.imported:
        return "Every finding on these figures:", f"leadline show {run.run} --findings"
    if trust.grade == "poor":
        return "First find out what disturbs this machine:", "leadline check"
    if any(action.gain for action in urgent):
        return "Prove the largest gain first: its command stands above.", ""
    return "Which choices of this MPI are faster:", "leadline run collectives"
