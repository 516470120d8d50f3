"""Who is measured with whom: rounds of disjoint pairs of nodes.

All rounds of `n` nodes, in which each meets each other one once, are made by the circle method:
one node stays, the others move on by one place a round (Kirkman, 1847; Anderson, "Combinatorial
Designs and Tournaments", 1997, chapter 1). A few rounds are some of those with nodes placed at
random, so that no two rounds have a pair in common.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random

import numpy as np

from leadline.analysis.screen.judge import Suspicion, candidates
from leadline.analysis.screen.observations import Observations, residuals

Pair = tuple[int, int]
Matching = tuple[Pair, ...]

ROUNDS = 5
# Rounds in which suspects meet nodes that are certainly good.
CONFIRMING = 2
# A pair that is slow by chance in all rounds that it is measured in again: at most so probable.
_CHANCE = 0.005


def circle(nodes: int) -> list[Matching]:
    """Return all rounds: each pair of `nodes` once, in n-1 rounds, or n for an odd n.

    With an odd number one node idles in each round.

    >>> circle(4)
    [((0, 3), (1, 2)), ((1, 3), (0, 2)), ((2, 3), (0, 1))]
    """
    return [_turn(nodes, turn) for turn in range(nodes - 1 + nodes % 2)]


def _turn(nodes: int, turn: int) -> Matching:
    moving = nodes - 1 + nodes % 2
    pairs = [] if nodes % 2 else [_pair(turn, nodes - 1)]
    pairs += [
        _pair((turn + step) % moving, (turn - step) % moving)
        for step in range(1, (moving + 1) // 2)
    ]
    return tuple(pairs)


def random_rounds(nodes: int, count: int, random: Random) -> list[Matching]:
    """Return `count` rounds of `nodes` placed at random; pairs come again only when all have been.

    >>> [len(one) for one in random_rounds(9, 3, Random(1))]
    [4, 4, 4]
    """
    rounds: list[Matching] = []
    while len(rounds) < count:
        names = random.sample(range(nodes), nodes)
        turns = range(nodes - 1 + nodes % 2)
        for turn in random.sample(turns, min(len(turns), count - len(rounds))):
            pairs = _turn(nodes, turn)
            rounds.append(tuple(_pair(names[first], names[second]) for first, second in pairs))
    return rounds


def structured_rounds(switches: Sequence[str], count: int, random: Random) -> list[Matching]:
    """Return `count` rounds, of which every other one, from the second on, stays inside switches.

    `switches` has the leaf switch of each node. In a round inside, those who are left over in their
    switches meet each other. The other rounds are random ones across: nodes of one switch meet only
    where no others are left.
    """
    members: dict[str, list[int]] = {}
    for node, switch in enumerate(switches):
        members.setdefault(switch, []).append(node)
    if len(members) < 2 or len(members) == len(switches):
        return random_rounds(len(switches), count, random)
    inside = {
        switch: random_rounds(len(nodes), count, random)
        for switch, nodes in members.items()
        if len(nodes) > 1
    }
    seen: set[Pair] = set()
    rounds = []
    for turn in range(count):
        if turn % 2:
            pairs = [
                _pair(members[switch][first], members[switch][second])
                for switch, matchings in inside.items()
                for first, second in matchings[turn // 2]
            ]
        else:
            pairs = []
        pairs += _across(switches, pairs, seen, random)
        seen.update(pairs)
        rounds.append(tuple(pairs))
    return rounds


def confirming_rounds(
    nodes: int,
    suspects: Collection[int],
    pairs: Collection[Pair],
    good: Sequence[int],
    count: int,
    random: Random,
    met: Collection[Pair] = (),
) -> list[Matching]:
    """Return `count` rounds: suspects with good partners, suspected pairs as they were.

    `good` has the nodes that nothing is held against, the surest first; `met` the pairs that were
    measured before, which a suspect avoids where it can. The rest are matched at random, so that
    the network is loaded as before.
    """
    rounds = []
    known = set(met)
    for _ in range(count):
        taken: set[int] = set()
        matching: list[Pair] = []

        def add(pair: Pair, taken: set[int] = taken, matching: list[Pair] = matching) -> None:
            matching.append(pair)
            taken.update(pair)

        for pair in pairs:
            if taken.isdisjoint(pair):
                add(_pair(*pair))
        for suspect in suspects:
            if suspect in taken:
                continue
            free = [each for each in good if each not in taken and each != suspect]
            new = [each for each in free if _pair(suspect, each) not in known]
            if choice := new or free:
                add(_pair(suspect, random.choice(choice[: max(1, len(choice) // 2)])))
        rest = [each for each in range(nodes) if each not in taken]
        random.shuffle(rest)
        for first, second in zip(rest[::2], rest[1::2], strict=False):
            add(_pair(first, second))
        known.update(matching)
        rounds.append(tuple(matching))
    return rounds


def confirming_count(nodes: int) -> int:
    """Return how many confirming rounds make a slow pair sure: more where there are few pairs.

    Were the slow ones drawn by lot, one pair of n/2 would be among them each time with 2/n.

    >>> [confirming_count(each) for each in (4, 8, 32, 1024)]
    [8, 4, 2, 2]
    """
    pairs = nodes // 2
    count = CONFIRMING
    while pairs > 1 and count < 8 and pairs**-count > _CHANCE:
        count += 1
    return count


def nodes_of(switches: Sequence[str], nodes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the nodes of each switch; `switches` has that of each node.

    >>> nodes_of(["s1", "s2", "s1"], ["a", "b", "c"])
    {'s1': ('a', 'c'), 's2': ('b',)}
    """
    return {
        switch: tuple(node for node, leaf in zip(nodes, switches, strict=True) if leaf == switch)
        for switch in dict.fromkeys(switches)
    }


def _across(
    switches: Sequence[str], pairs: Collection[Pair], seen: Collection[Pair], random: Random
) -> list[Pair]:
    """Match those whom `pairs` leave over, across switches as long as there are two."""
    taken = {node for pair in pairs for node in pair}
    left: dict[str, list[int]] = {}
    for node in random.sample(range(len(switches)), len(switches)):
        if node not in taken:
            left.setdefault(switches[node], []).append(node)
    found = []
    while sum(map(len, left.values())) > 1:
        # The fullest switch first: else it is left over with itself.
        fullest = max(left, key=lambda switch: (len(left[switch]), random.random()))
        first = left[fullest].pop()
        others = [node for switch, nodes in left.items() if switch != fullest for node in nodes]
        choice = others or left[fullest]
        new = [node for node in choice if _pair(first, node) not in seen] or choice
        second = random.choice(new)
        left[switches[second]].remove(second)
        found.append(_pair(first, second))
    return found


def _pair(first: int, second: int) -> Pair:
    return (first, second) if first < second else (second, first)


# Of the pairs of a round so many are links that are measured again, at most: one in two.
_LINKS = 2


def first_rounds(
    nodes: int, switches: Sequence[str] | None, random: Random, *, all_pairs: bool = False
) -> list[Matching]:
    """Return the rounds to begin with: five, or all there are with `all_pairs`."""
    if all_pairs:
        return circle(nodes)
    if switches:
        return structured_rounds(switches, ROUNDS, random)
    return random_rounds(nodes, ROUNDS, random)


def later_rounds(
    seen: Observations, nodes: int, switches: Sequence[str] | None, random: Random
) -> list[Matching]:
    """Return the confirming rounds: suspects with good partners, suspected links again."""
    found = candidates(seen, switches)
    links = [each.names for each in found if each.kind == "link"][: max(1, nodes // 2 // _LINKS)]
    suspects = [each.names[0] for each in found if each.kind == "node"]
    met = set(zip(seen.first.tolist(), seen.second.tolist(), strict=True))
    return confirming_rounds(
        nodes,
        [int(each) for each in suspects],
        [(int(pair[0]), int(pair[1])) for pair in links],
        _good(seen, nodes, found),
        confirming_count(nodes),
        random,
        met,
    )


def _good(seen: Observations, nodes: int, found: Sequence[Suspicion]) -> list[int]:
    """Return the nodes that are in no suspicion, those first whose looks exceed others least."""
    accused = {name for each in found if each.kind != "uplink" for name in each.names}
    left = residuals(seen)
    worst = np.full(nodes, -np.inf)
    standard = (left.excess / left.scatter).max(axis=0)
    for node in range(nodes):
        looks = (seen.first == node) | (seen.second == node)
        if looks.any():
            worst[node] = np.median(standard[looks])
    return [node for node in np.argsort(worst).tolist() if node not in accused]
