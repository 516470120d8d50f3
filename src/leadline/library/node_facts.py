"""What the nodes of a screening said of themselves: their kind, and what is set otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.analysis.screen.kinds import clock_differences, kinds, setting_differences
from leadline.model.run import RankFacts, Run
from leadline.model.screen import Difference
from leadline.site.doctor.elsewhere import examine_elsewhere, sent_files
from leadline.site.hardware.kind import hardware


def kinds_by_rank(facts: Sequence[RankFacts], nodes: int) -> list[str]:
    """Return the kind of each rank's node; those that said nothing are of one kind."""
    found = kinds({str(each.rank): hardware(sent_files(each.files)) for each in facts})
    return [found.get(str(rank), "") for rank in range(nodes)]


def kinds_of(run: Run, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the nodes of each kind, without those that said nothing; `names` are by rank."""
    facts = [each for launch in run.launches for each in launch.facts]
    by_rank = kinds_by_rank(facts, len(names))
    return {
        kind: tuple(name for name, own in zip(names, by_rank, strict=True) if own == kind)
        for kind in dict.fromkeys(by_rank)
        if kind
    }


def differences(run: Run, names: Sequence[str]) -> tuple[Difference, ...]:
    """Return how nodes differ from the others in what they said; `names` are those of the ranks.

    Settings are compared with those of nodes of the same kind.
    """
    found: list[Difference] = []
    for launch in run.launches:
        by_rank = kinds_by_rank(launch.facts, len(names))
        for kind in dict.fromkeys(by_rank):
            found += setting_differences(
                {
                    names[each.rank]: examine_elsewhere(each.files)
                    for each in launch.facts
                    if by_rank[each.rank] == kind
                }
            )
        error_s = launch.clock.sync_error_s if launch.clock else 0.0
        wall_s = {names[each.rank]: each.wall_s for each in launch.facts}
        found += clock_differences(wall_s, error_s)
    return tuple(found)
