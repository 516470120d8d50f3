"""What `leadline screen` found, for people: answer, number beside bound, cause, command."""

from collections.abc import Collection, Iterator, Sequence

from leadline.analysis.screen.history import FEWEST_PAST
from leadline.analysis.screen.kinds import FEWEST_ALIKE
from leadline.core.units import count, precise_times
from leadline.model.screen import Screen, Suspect
from leadline.output.terminal.text import printable

_MOST_FIGURES = 4


def lines(
    screen: Screen, own: Collection[str], tolerance: float, *, drains: bool, all_pairs: bool
) -> Iterator[str]:
    """Yield the lines of the answer.

    `own` are the figures that a node measures by itself. With `drains` there is a command of Slurm
    for each node. Without `all_pairs` it is said what was not looked at.
    """
    silent = [each for each in screen.suspects if _is_silent(each)]
    # Where nobody was measured, what is at fault may be who asks.
    drains = drains and bool(screen.measured)
    for suspect in silent:
        yield _line(suspect, tolerance)
        if not suspect.reason:
            yield f"    {_cause(suspect, own)}"
        if drains:
            yield f"    {drain_command(suspect)}"
    if silent:
        yield ""
    if screen.measured and screen.unmeasured:
        yield printable(f"not measured: {', '.join(screen.unmeasured)}")
    slow = [each for each in screen.suspects if not _is_silent(each)]
    yield _answer(screen, slow)
    for suspect in slow:
        yield ""
        yield _line(suspect, tolerance)
        others = _other_figures(suspect)
        if others:
            yield f"    also: {others}"
        yield from _settings(screen, suspect)
        if suspect.kind == "uplink" and suspect.name in screen.switches:
            yield printable(f"    its nodes: {', '.join(screen.switches[suspect.name])}")
        yield f"    {_cause(suspect, own)}"
        if drains and suspect.kind == "node":
            yield f"    {drain_command(suspect)}"
    yield from _kinds(screen)
    if screen.share_cores:
        yield ""
        yield "The nodes share cores, so only pairs were measured, no node by itself."
    if screen.rounds and not all_pairs:
        yield from _unseen(screen)
    if not screen.is_complete:
        yield ""
        yield f"Not complete: {printable(screen.message)}"


def _kinds(screen: Screen) -> Iterator[str]:
    if len(screen.kinds) < 2:
        return
    yield ""
    yield f"{count(len(screen.kinds), 'kind')} of nodes, each compared with its own:"
    for kind, nodes in screen.kinds.items():
        text = f"{count(len(nodes), 'node')}: {kind}"
        if len(nodes) < FEWEST_ALIKE:
            names = " and ".join(map(printable, nodes))
            whose = "its" if len(nodes) == 1 else "their"
            text = f"{names}, alone of {whose} kind, compared with nothing: {kind}"
        yield f"    {printable(text)}"


def drain_command(suspect: Suspect) -> str:
    """Return the command that takes a node out of Slurm, to be copied.

    >>> drain_command(Suspect(kind="node", name="n7", figure="bandwidth", ratio=1.25,
    ...                       probability=0.99))
    'scontrol update nodename=n7 state=drain reason="leadline: bandwidth 1.25x"'
    """
    silent = "hangs" if suspect.figure == "hang" else "no answer"
    what = silent if suspect.ratio is None else f"{suspect.figure} {precise_times(suspect.ratio)}"
    return f'scontrol update nodename={suspect.name} state=drain reason="leadline: {what}"'


def _is_silent(suspect: Suspect) -> bool:
    return suspect.figure == "answer"


def _answer(screen: Screen, slow: Sequence[Suspect]) -> str:
    """Return what is to be thought of the nodes that were measured."""
    if not screen.measured:
        return "no answer: no node was measured"
    pairs = f", {count(screen.rounds, 'round')} of pairs" if screen.rounds else ""
    where = f"{count(len(screen.measured), 'node')} in {screen.seconds:.0f} s{pairs}"
    if screen.past is not None:
        where += f", against {count(screen.past, 'earlier screening')}"
        if screen.past < FEWEST_PAST:
            return f"no history yet: {where}, and {FEWEST_PAST} are needed"
    if not slow and not screen.is_complete:
        return f"no answer: not all was measured, and nothing of it is slow: {where}"
    if not slow:
        return f"nothing {'else is suspected' if screen.suspects else 'is slow'}: {where}"
    kinds = [
        count(sum(each.kind == kind for each in slow), kind)
        for kind in ("node", "link", "uplink")
        if any(each.kind == kind for each in slow)
    ]
    return f"suspected: {' and '.join(kinds)}: {where}"


def _line(suspect: Suspect, tolerance: float) -> str:
    name = f"{suspect.kind} {printable(suspect.name)}"
    new = {True: ", new", False: ", known", None: ""}[suspect.is_new]
    if suspect.ratio is None and suspect.figure == "hang":
        return f"{name}: hangs, its rank {suspect.reason}{new}"
    if suspect.ratio is None:
        why = f": {printable(suspect.reason)}" if suspect.reason else ""
        return f"{name}: does not answer{new}{why}"
    bound = precise_times(1 + tolerance)
    sure = f"probability {100 * suspect.probability:.1f} %"
    return (
        f"{name}: {suspect.figure} takes {precise_times(suspect.ratio)} the usual time, more than "
        f"{bound} ({sure}, {count(suspect.looks, 'measurement')}{new})"
    )


def _other_figures(suspect: Suspect) -> str:
    others = [(ratio, name) for name, ratio in suspect.ratios.items() if name != suspect.figure]
    worst = sorted(others, reverse=True)[:_MOST_FIGURES]
    return ", ".join(f"{name} {precise_times(ratio)}" for ratio, name in worst)


def _settings(screen: Screen, suspect: Suspect) -> Iterator[str]:
    """Yield what is set otherwise on a suspected node, or on one of a link, than on the others."""
    for each in screen.differences:
        if each.node in suspect.ends:
            where = f" on {printable(each.node)}" if suspect.kind == "link" else ""
            check = each.check.replace("-", " ")
            yield printable(f"    {check}{where}: {each.observed}; other nodes: {each.usual}")


def _cause(suspect: Suspect, own: Collection[str]) -> str:
    if suspect.ratio is None and suspect.figure == "hang":
        return "It answers, but a program stood still there: look at its kernel log and its disks."
    if suspect.ratio is None:
        return "It is down, hangs, or its network is cut."
    if suspect.kind == "link":
        return "Both nodes are as usual with others: look at cables and ports between them."
    if suspect.kind == "uplink":
        return "Pairs inside the switch are as usual: look at its links to other switches."
    if suspect.figure in own:
        return "It is slow by itself: look at its clock, its memory and who else uses it."
    return "It is slow with every partner: look at its adapter, its cable and the switch port."


def _unseen(screen: Screen) -> Sequence[str]:
    nodes = len(screen.nodes)
    every = nodes - 1 + nodes % 2
    if every <= screen.rounds:
        return ()
    seen = 100 * min(1.0, screen.rounds / every)
    return (
        "",
        f"A slow link between two good nodes is found only if they met: {seen:.0f} % of the pairs "
        "did. Every pair:",
        "    leadline screen --all-pairs",
    )
