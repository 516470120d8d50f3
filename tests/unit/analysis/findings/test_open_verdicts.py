"""Which verdicts of a run launches more would settle, and how many it takes."""

from leadline.analysis.findings import open_verdicts as module
from leadline.analysis.findings.conclude import judge_pairs


def open_verdicts(whole, *options, **more):
    return module.open_verdicts(whole, judge_pairs(whole), *options, **more)


def ways(figure, other, size=8):
    """Return the figure of two ways at one size, with these launches of the other."""
    plain = tuple(seconds * (1 + size * 1e-9) for seconds in (1.0e-6, 1.01e-6, 0.99e-6))
    return [
        figure(1e-6, size, way="plain", launch_medians_s=plain),
        figure(sorted(other)[1], size, way="other", launch_medians_s=other),
    ]


def test_what_differs_and_what_is_the_same_is_settled(evidence, figure):
    different = ways(figure, (3.0e-6, 3.02e-6, 2.98e-6))
    same = ways(figure, (1.0001e-6, 1.0101e-6, 0.9899e-6), 16)
    assert not list(open_verdicts(evidence([*different, *same]), 0.05))


def test_what_is_near_needs_few_launches_and_what_is_not_needs_many(evidence, figure):
    near = ways(figure, (1.15e-6, 1.25e-6, 1.35e-6))
    far = ways(figure, (1.03e-6, 0.5e-6, 2.0e-6), 16)
    found = list(open_verdicts(evidence([*near, *far]), 0.05))
    assert [each.points for each in found] == [{0, 1}, {2, 3}]
    assert 3 < found[0].launches < 100 < found[1].launches
    assert "family/thing, 8 B against family/thing (other), 8 B" in found[0].text


def test_intervals_are_looked_at_where_a_width_was_asked_for(evidence, figure):
    points = [figure(1e-6, 8)]
    assert not list(open_verdicts(evidence(points), 0.05))
    (found,) = open_verdicts(evidence(points), 0.05, widest=0.01)
    assert found.points == {0} and found.launches in (12, 13)
    assert not list(open_verdicts(evidence(points), 0.05, widest=0.05))
