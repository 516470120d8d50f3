"""Cases of rules on the hardware and on steadiness."""

import dataclasses

import msgspec
from rule_cases import KIB, Silence, bursting, case, declared, limited, smooth

from leadline.model.description import Delivery
from leadline.model.imported import Bound
from leadline.model.noise import Shape
from leadline.model.summary import Impact


def curve(m, seconds, **changes):
    return m.evidence(m.curve(seconds, **changes))


def delayed(m, value, where="node", delivery=True):
    """A curve whose links take at least so long, of a benchmark that declares a delivery."""
    bound = Bound(quantity="latency_s", value=value, where=where)
    declares = Delivery(sides="two-sided", series="time") if delivery else None
    whole = declared(curve(m, smooth), delivery=declares)
    return dataclasses.replace(whole, bounds=(bound,))


def both_ways(m):
    figures = m.curve(smooth)
    return m.evidence(
        [msgspec.structs.replace(one, bandwidth_MBps=2 * one.bandwidth_MBps) for one in figures]
    )


def jumping(size):
    return smooth(size) * (1 + 3 * (size.bit_length() % 3 == 0))


def tail(m, p99_s=4e-6, low_s=2e-6, **changes):
    shape = Shape(effective_samples=900.0, modes=(), p99_low_s=low_s, p99_high_s=2 * low_s)
    return m.evidence([m.figure(p99_s=p99_s, shape=shape, **changes)])


def pairs(m, *seconds, first=1, place=(8, 1), distance="half", **changes):
    """Figures of 1, 4 and so on pairs at once."""
    nodes, each = place
    figures = [
        msgspec.structs.replace(
            m.figure(
                time, 65536, axes={"pairs": n, "distance": distance}, metrics={"pairs": float(n)}
            ),
            nodes=nodes,
            processes=nodes * each,
            processes_per_node=each,
        )
        for n, time in zip((first, 4), seconds, strict=False)
    ]
    return m.evidence([*figures[:-1], msgspec.structs.replace(figures[-1], **changes)])


def stolen(m, *percents, flags=20):
    return m.evidence(
        [
            m.figure(
                1e-3, None, way=str(one), metrics={"stolen_percent": one}, flags={"stolen": flags}
            )
            for one in percents
        ]
    )


def jittered(m, *every, busy=0.0, sends=True, **changes):
    """Figures of these jitters: each the clean one with its changes."""
    made = [m.jitter(**(one | changes)) for one in every or ({},)]
    jitter = tuple(msgspec.structs.replace(one, point=at) for at, one in enumerate(made))
    figures = [m.figure(10e-6, 2 ** (3 + at)) for at in range(len(jitter))]
    whole = m.evidence(figures, load_during={"busy_fraction": busy})
    return dataclasses.replace(declared(whole, messages=sends), jitter=jitter)


def level(m, **changes):
    """Jitter whose slowest task takes as long on more tasks."""
    flat = [msgspec.structs.replace(one, maximum_s=20.5e-6) for one in m.jitter().predictions]
    return jittered(m, tasks=8, predictions=tuple(flat), **changes)


def beside(kind, spacer):
    return {"settings": {"neighbour": kind, "spacer": spacer, "neighbour_bytes": 0}, "nodes": 2,
            "processes_per_node": 1}  # fmt: skip


def impact(alone, disturbed, ratio, spacer=0, neighbour="flood", **changes):
    usual = {
        "median_low": ratio * 0.95, "median_high": ratio * 1.05, "p99_ratio": 2 * ratio,
        "p99_low": None, "p99_high": None, "neighbour_MBps": 12.0,
    }  # fmt: skip
    return Impact(
        alone=alone, disturbed=disturbed, neighbour=neighbour, spacer=spacer, median_ratio=ratio,
        **(usual | changes),
    )  # fmt: skip


def impacted(m, *impacts):
    """Two sizes alone, beside a neighbour, and with two idle nodes between them."""
    figures = [
        m.figure(1e-6 * (1 + index), size, **beside(kind, spacer))
        for size in (8, 65536)
        for index, (kind, spacer) in enumerate((("none", 0), ("flood", 0), ("flood", 2)))
    ]
    return dataclasses.replace(m.evidence(figures, plan={"victims": 2}), impacts=impacts)


def spaced(m, *by_size, interval=True):
    """The ratio and half width at each spacer, by size."""
    figures, impacts = [], []
    for size, ratios in zip((8, 65536), by_size, strict=False):
        alone = len(figures)
        figures.append(m.figure(1e-6, size, **beside("none", 0)))
        for spacer, (ratio, half) in enumerate(ratios):
            ends = {"median_low": ratio - half if interval else None,
                    "median_high": ratio + half if interval else None}  # fmt: skip
            impacts.append(impact(alone, len(figures), ratio, spacer, p99_ratio=None, **ends))
            figures.append(m.figure(1e-6 * ratio, size, **beside("flood", spacer)))
    whole = m.evidence(figures, plan={"victims": 2})
    return dataclasses.replace(whole, impacts=tuple(impacts))


SAME, NEAR, FAR = (1.0, 0.01), (1.3, 0.05), (2.0, 0.1)

CASES = [
    # The worst size stands for its curve.
    case("impact_factor", lambda m: impacted(m, impact(0, 1, 1.5), impact(3, 4, 3.0)),
         "family/thing, 64 KiB", "Worst of 2 such figures.", median_ratio=3.0),
    case("impact_factor", lambda m: impacted(m, impact(
        0, 1, 1.01, median_low=0.97, p99_ratio=None, neighbour_MBps=None)),
         "Neighbour flood has no clear effect on family/thing, 8 B: 1.0x", severity="fact",
         advice=None),
    case("far_enough", lambda m: spaced(m, [FAR, NEAR]),
         "a distance of 1 idle node is not enough. The victim takes 1.3x", severity="notice",
         advice="wider spacers"),
    # A wide interval is neither, nor is none.
    case("far_enough", lambda m: spaced(m, [FAR, (1.01, 0.2)]),
         "may be enough or not. The victim takes 1.0x (0.81 to 1.2)", command="leadline run"),
    case("far_enough", lambda m: spaced(m, [FAR, SAME], interval=False),
         "may be enough or not. The victim takes 1.0x its time alone"),
    # Every size has to be as alone.
    case("far_enough", lambda m: spaced(m, [SAME] * 3, [(3.0, 0.1), (1.5, 0.1), SAME]),
         "at every size",
         "With 1 idle node the victim is slower: 1.5x", silent=("bytes",), far_enough_spacer=2.0),
    # A lucky spacer before one that disturbs is not far enough.
    case("far_enough", lambda m: spaced(m, [FAR, SAME, (1.4, 0.1), SAME]), far_enough_spacer=3.0),
    case("far_enough", lambda m: spaced(m, [SAME, (1.01, 0.01)]),
         "a distance of 0 idle nodes is enough", advice=None),

    case("link_limit", lambda m: limited(curve(m, smooth), 1100.0), severity="fact",
         limit_fraction=0.909),
    case("link_limit", lambda m: limited(curve(m, smooth), 5000.0), severity="notice",
         advice=None),
    # Just below and just above four fifths of the limit.
    case("link_limit", lambda m: limited(curve(m, smooth), 1260.0), severity="notice"),
    case("link_limit", lambda m: limited(curve(m, smooth), 1240.0), severity="fact", advice=None),
    # The last size is a little less, and a little more, than a twentieth faster.
    *(
        case("link_limit", lambda m, step=step: limited(
            curve(m, lambda size: size / 1e9 * (step if size < 4096 * KIB else 1)), 5000.0),
             still_rising=rising, advice=advice)
        for step, rising, advice in (
            (1.04, 0.0, None),
            (1.06, 1.0, "Measure larger messages"),
        )
    ),
    # Both directions at once may have twice the limit.
    case("link_limit", lambda m: limited(both_ways(m), 1100.0), limit_MBps=2200.0),
    case("impossible", lambda m: limited(curve(m, smooth), 500.0), beyond_factor=2.0),

    *(
        case("link_shared", lambda m, together=together: pairs(m, 1e-5, together), words,
             severity=severity, slowdown_ratio=together / 1e-5, links=4e-5 / together)
        for together, severity, words in (
            (1.0e-5, "fact", "each pair has its own link"),
            (1.09e-5, "fact", "each pair has its own link"),
            (1.11e-5, "notice", "the pairs share a link"),
            (4.0e-5, "notice", "the pairs share a link"),
            (2.0e-5, "notice", "the pairs share a link"),
        )
    ),
    # Between neighbours inside a node each, or on one node, there is no link.
    *(
        case("link_shared", lambda m, place=place: pairs(m, 1e-5, 4e-5, place=place,
                                                         distance="neighbours"),
             "inside a node, pairs slow each other down. With 4 pairs at once, the slowest takes "
             "4.0x the time of one alone.", severity="notice", advice=None, command=None)
        for place in ((1, 8), (4, 2))
    ),
    case("link_shared", lambda m: pairs(m, 1e-5, 0.76e-5, oversubscribed=True),
         "each pair has its own link. With 4 pairs at once, the slowest takes 0.76x the time of "
         "one alone, as on 5.3 links.", severity="fact"),
    case("link_shared", lambda m: pairs(m, 1e-5, 1.3e-5, launch_medians_s=(0.8e-5, 1.3e-5, 2.5e-5)),
         "unclear whether", severity="fact"),
    case("time_stolen", lambda m: stolen(m, 0.05, 0.7, 2.5), "took 2.5 % of the cores' time",
         "2 % of the calls", severity="notice", points=(1, 2), stolen_fraction=0.025),

    case("latency_limit", lambda m: delayed(m, 0.8e-6), least_s=0.8e-6,
         software_s=smooth(1) - 0.8e-6),
    case("heavy_tail", lambda m: tail(m, 4e-6, 3e-6, max_s=9e-6), "9.00 us", p99_over_median=4.0),
    case("heavy_tail", tail, "take at least 4.00 us (median 1.00 us, 4.0x; slowest 3.00 us)",
         command="leadline check"),
]  # fmt: skip

SILENT = [
    Silence("impact_factor", lambda m: impacted(m, impact(0, 1, 2.0)), impacted),
    # A victim that is as alone at the only spacer has not been shown a nearer neighbour.
    Silence("far_enough", lambda m: spaced(m, [SAME, SAME]), lambda m: spaced(m, [SAME])),

    Silence("link_limit", lambda m: limited(curve(m, smooth), 1100.0),
            lambda m: limited(curve(m, smooth), 1100.0, where="network")),
    Silence("link_limit", lambda m: limited(curve(m, smooth), 1100.0),
            lambda m: limited(curve(m, smooth), 500.0)),
    Silence("impossible", lambda m: limited(curve(m, smooth), 500.0),
            lambda m: limited(both_ways(m), 1100.0)),

    Silence("link_shared", lambda m: pairs(m, 1e-5, 4e-5), lambda m: pairs(m, 1e-5, first=2)),
    Silence("time_stolen", lambda m: stolen(m, 2.5), lambda m: stolen(m, 0.05, flags=500)),
    Silence("jitter_cause", jittered, lambda m: jittered(m, excess_fraction=0.04)),
    # Tasks that do not exchange with neighbours.
    Silence("max_over_average", jittered, lambda m: jittered(m, predictions=())),
    Silence("max_on_more_tasks", lambda m: jittered(m, tasks=8), level),
    Silence("max_on_more_tasks", lambda m: jittered(m, tasks=8),
            lambda m: jittered(m, tasks=8, predictions=())),

    Silence("link_limit", lambda m: limited(curve(m, smooth), 5000.0),
            lambda m: declared(limited(curve(m, smooth), 5000.0), messages=False)),
    Silence("impossible", lambda m: limited(curve(m, bursting), 100.0),
            lambda m: limited(curve(m, bursting), 100.0, burst=16 * KIB)),
    # Calls that return before the message is there may take less.
    Silence("impossible", lambda m: delayed(m, 5e-6), lambda m: delayed(m, 5e-6, delivery=False)),
    Silence("latency_limit", lambda m: delayed(m, 0.8e-6), lambda m: delayed(m, 0.8e-6,
            delivery=False)),
    Silence("latency_limit", lambda m: delayed(m, 0.8e-6), lambda m: delayed(m, 0.8e-6, "network")),
    Silence("latency_limit", lambda m: delayed(m, 0.8e-6), lambda m: delayed(m, 5e-6)),
    Silence("erratic", lambda m: curve(m, jumping, ci95_low_s=None, ci95_high_s=None),
            lambda m: curve(m, jumping)),
    # Too few samples have no p99, however long the longest of them took.
    Silence("heavy_tail", tail, lambda m: m.evidence([m.figure(p99_s=None, max_s=1.0,
            samples=50)])),
    Silence("heavy_tail", tail, lambda m: m.evidence([m.figure(p99_s=1.0, samples=90)])),
    Silence("heavy_tail", tail, lambda m: tail(m, low_s=1.9e-6)),
]  # fmt: skip
