"""A victim and a flood of messages, for the examples of findings on neighbours."""

import dataclasses

from leadline.model.summary import Impact


def _figures(makers, kinds):
    settings = [{"neighbour": kind, "spacer": spacer} for kind, spacer in kinds]
    return [
        makers.figure(1e-6, 8, settings=each, nodes=2, processes_per_node=1) for each in settings
    ]


def _impact(disturbed, ratio, spacer):
    return Impact(
        alone=0, disturbed=disturbed, neighbour="flood", spacer=spacer, median_ratio=ratio,
        median_low=ratio * 0.99, median_high=ratio * 1.01, p99_ratio=2 * ratio, p99_low=None,
        p99_high=None, neighbour_MBps=12.0,
    )  # fmt: skip


def with_a_flood(makers):
    """Return the evidence of a victim alone, and with up to two idle nodes to the flood."""
    kinds = (("none", 0), ("flood", 0), ("flood", 1), ("flood", 2))
    impacts = (_impact(1, 2.1, 0), _impact(2, 1.3, 1), _impact(3, 1.01, 2))
    whole = makers.evidence(_figures(makers, kinds), plan={"victims": 2})
    return dataclasses.replace(whole, impacts=impacts)
