"""Cases of rules on choices: algorithms, libraries, knobs, and wrong answers that are fast."""

import msgspec
from rule_cases import Silence, case, declared, imported

from leadline.model.description import Delivery, Series
from leadline.model.imported import Column, Table
from leadline.model.run import RankPlace


def pair(m, seconds, **changes):
    """The default way of 1 us, and another one."""
    return m.evidence([m.figure(), m.figure(seconds, way="clever", **changes)])


def clever(size):
    return (1e-6 + size / 1e10) * (2.0 if size < 1024 else 1.0 if size < 2**20 else 0.5)


def mixed(m):
    plain = m.curve(lambda size: 1e-6 + size / 1e10)
    return m.evidence([*m.curve(clever, way="clever"), *plain])


def with_choices(whole, *choices):
    """The same run with a benchmark whose `way` has these choices, the first its default."""
    (one,) = whole.run.benchmarks
    axes = [
        msgspec.structs.replace(axis, choices=choices, default=choices[0])
        if axis.name == "way"
        else axis
        for axis in one.axes
    ]
    return declared(whole, axes=tuple(axes))


def algorithms(m):
    seconds = {"library": (4e-6, 4e-6), "shared": (1e-6, 3e-6), "ring": (2e-6, 2e-6)}
    points = [
        m.figure(time, size, way=way)
        for way, both in seconds.items()
        for size, time in zip((8, 1024), both, strict=True)
    ]
    return with_choices(m.evidence(points), *seconds)


def libraries(m, *seconds):
    names = ("first", "library"), ("first", "ring"), ("second", "library"), ("second", "ring")
    return m.evidence(
        [m.figure(time, way=way, mpi=mpi) for (mpi, way), time in zip(names, seconds, strict=True)]
    )


def at_two_sizes(m, sizes, **changes):
    return m.evidence(
        [m.figure(time, size, mpi=mpi, **changes)
         for mpi, both in sizes.items() for size, time in zip((8, 1024), both, strict=True)]
    )  # fmt: skip


def two_sizes(m, **changes):
    return at_two_sizes(m, {"first": (1e-6, 8e-6), "second": (2e-6, 2e-6)}, **changes)


def nowhere_slower(m):
    return at_two_sizes(m, {"first": (8e-6, 8e-6), "second": (2e-6, 2e-6)})


def three_libraries(m):
    return at_two_sizes(m, {"first": (8e-6, 8e-6), "second": (2e-6, 8e-6), "third": (6e-6, 4e-6)})


def knobs(m, name="limit", launches=3, **seconds):
    return m.evidence(
        [m.figure(time * (4.0 if size > 8 and value == "default" else 1.0), size,
                  knobs={name: value}, launches=launches)
         for value, time in seconds.items() for size in (8, 16384)]
    )  # fmt: skip


def overlapped(m, way, together=2e-5):
    series = ("communication", "computation", "together")
    seconds = (1e-5, 1e-5, together)
    return m.evidence(
        [m.figure(time, series=name, way=way) for name, time in zip(series, seconds, strict=True)]
    )


def wrong(m, seconds=1e-6):
    return m.evidence([m.figure(2e-6), m.figure(seconds, way="clever", verified=False)])


def with_knobs(m, *limits):
    return m.evidence(
        [m.figure(seconds, mpi=mpi, knobs={"limit": limit})
         for mpi, seconds in (("first", 1e-6), ("second", 2e-6)) for limit in limits]
    )  # fmt: skip


def table(m, roles, *rows):
    """A table of an import, by the roles of its columns."""
    columns = tuple(Column(name=role, role=role) for role in roles)
    tables = (Table(name="t", title="Things", columns=columns, rows=rows),)
    return imported(m.evidence([]), tables=tables)


MACHINES = ("year", "peak", "processors")


def placed(m, hosts="aabb", nodes=(0, 0, 1, 1), order=(), **launch):
    """A launch of 4 ranks on a and b that ran on these hosts and nodes."""
    ranks = tuple(
        RankPlace(rank=rank, host=host, node=node, cpus="0", cpu=0, pid=1)
        for rank, (host, node) in enumerate(zip(hosts, nodes, strict=True))
    )
    there = {
        "processes": 4, "nodes": 2, "processes_per_node": 2, "ranks": ranks,
        "asked_ranks_by_node": order, "asked_hosts": ("a", "b"),
        "knobs": {"order": "round-robin"} if order else {}, **launch,
    }  # fmt: skip
    return m.evidence([m.figure(), m.figure(size=16)], launch=there)


ROUND_ROBIN = ((0, 2), (1, 3))
SIZES = [2**power for power in range(0, 21, 4)]


def puts(size):
    return 2e-7 + size / 5e9


def messages(size):
    return 8e-7 + size / 1e10


def delivered(m, *curves, where=None):
    """Curves of puts and messages: benchmark, seconds by size and changes of each."""
    figures = [
        m.figure(seconds(size), size, benchmark=f"family/{name}", **changes)
        for name, seconds, sizes, changes in curves
        for size in sizes
    ]
    whole = m.evidence(figures)
    (model,) = whole.run.benchmarks
    sides = {"put": ("one-sided", where or {}), "message": ("two-sided", {})}
    whole.run.benchmarks = [
        msgspec.structs.replace(
            model, name=f"family/{name}", series=(Series(name="time", definition=""),),
            delivery=Delivery(sides=side, series="time", where=only),
        )
        for name, (side, only) in sides.items()
    ]  # fmt: skip
    return whole


def put(seconds=puts, sizes=SIZES, **changes):
    return ("put", seconds, sizes, changes)


def message(seconds=messages, **changes):
    return ("message", seconds, SIZES, changes)


def scaled(seconds, factor):
    return lambda size: seconds(size) * factor


CASES = [
    *(
        case("placement_differs", lambda m, how=how: placed(m, **how), words,
             f"order={'round-robin' if 'order' in how else 'default'} on 2x2",
             "with first had no effect",
             severity="problem", misplaced_ranks=misplaced, points=(0, 1))
        for how, misplaced, words in (
            ({"order": ROUND_ROBIN}, 4.0, "rank 0 shares its node with 1 instead of 2"),
            ({"hosts": "abba", "nodes": (0, 1, 1, 0)}, 4.0,
            "rank 0 shares its node with 3 instead of 1"),
            # Hosts are right, but the library takes each visit of a launcher for a node.
            ({"nodes": (0, 1, 2, 2)}, 2.0, "rank 0 shares its node with nobody instead of 1"),
            ({"hosts": "bbaa"}, 4.0, "rank 0 is on b instead of a"),
        )
    ),
    # No one command measures two benchmarks with their own axes.
    case("one_sided", lambda m: delivered(m, put(), message()), severity="fact", command=None,
         advice="one-sided messages up to 4 KiB and two-sided ones from 64 KiB on"),
    case("one_sided", lambda m: delivered(m, put(messages), message(puts)),
         advice="two-sided messages up to 4 KiB and one-sided ones from 64 KiB on"),
    case("one_sided", lambda m: delivered(m, put(), message(puts)),
         "No clear difference between one-sided and two-sided.", advice=None, sizes_unclear=6.0),
    # A side is as fast as its fastest way.
    case("one_sided", lambda m: delivered(
        m, put(scaled(messages, 2.0), way="plain"), put(scaled(messages, 0.5), way="clever"),
        message()),
         "One-sided is family/put (clever)", sizes_faster=6.0),
    # Where the data of one way are not known, it does not count.
    case("one_sided", lambda m: delivered(
        m, put(scaled(messages, 1 / 9), way="clever"), put(messages), message(),
        where={"way": ("plain",)}), sizes_faster=0.0),
    # A side that only another library has is compared with it.
    case("one_sided", lambda m: delivered(m, put(mpi="second"), message(mpi="first")),
         "with the fastest library for each"),
    # A library that is the fastest everywhere is told once.
    case("one_sided", lambda m: delivered(
        m, put(mpi="first"), message(mpi="first"), put(scaled(puts, 3.0), mpi="second")),
         "with the fastest library for each"),
    case("one_sided", lambda m: delivered(
        m, put(sizes=SIZES[:-1]), put(sizes=SIZES[-1:], flags={"preempted": 600}), message()),
         sizes_disturbed=1.0),

    case("variants_compared", mixed, "clever is 2.0x faster than plain at 1 MiB to 4 MiB",
         "slower at 1 B to 512 B", "unclear at 1 KiB to 512 KiB", severity="notice",
         sizes_faster=3.0, sizes_slower=10.0, faster_ratio=2.0, gain=2.0,
         command="--way plain,clever"),
    case("variants_compared", lambda m: imported(pair(m, 2e-6)),
         "family/thing: plain is faster than clever (2.0x).", severity="fact", slower_ratio=2.0),
    case("variants_compared", algorithms,
         "the fastest of shared (8 B) and ring (1 KiB) is 2.0x to 4.0x faster than the library at "
         "8 B to 1 KiB, most at 8 B.", advice="leadline exec", gain=4.0,
         command="leadline tune family/thing --mpi first --place 1x2"),
    # Luck that launches share does not hide a difference.
    case("variants_compared", lambda m: m.evidence(
        [m.figure(4e-6, launch_medians_s=(2e-6, 4e-6, 8e-6)),
         m.figure(2e-6, way="clever", launch_medians_s=(1.01e-6, 1.99e-6, 4e-6))]),
         faster_ratio=2.0),
    case("variants_compared", lambda m: m.evidence([m.figure(2e-6, None), m.figure(1e-6, None,
         way="clever")]),
         "clever is 2.0x faster than plain."),
    # A choice that is the program's own is one that it gets.
    case("libraries_compared", lambda m: libraries(m, 1e-6, 8e-6, 1e-6, 1e-6), faster_ratio=8.0),
    case("libraries_compared", two_sizes, "second is 4.0x faster than first at 1 KiB; 2.0x slower",
         severity="notice", faster_ratio=4.0, faster_at_bytes=1024.0, command=None),
    case("libraries_compared", nowhere_slower, "second is 4.0x faster than first at 8 B to 1 KiB",
         command="leadline mpi default second"),
    case("libraries_compared", three_libraries,
         "the fastest of second (8 B) and third (1 KiB) is 2.0x to 4.0x faster than first",
         advice="Use each where its sizes matter.", command=None),
    case("knobs_compared", lambda m: knobs(m, default=1e-6, big=1e-6),
         "limit=big is 4.0x faster than limit=default at 16 KiB", "; unclear at 8 B.",
         severity="notice", gain=4.0, command="--knob limit=default,big"),
    case("knobs_compared", lambda m: knobs(m, default=1e-6, slow=2e-6), "2.0x faster",
         "at 16 KiB; 2.0x slower", severity="notice"),
    # Without default the first value is the base.
    case("knobs_compared", lambda m: knobs(m, small=1e-6, big=2e-6), "limit=small is 2.0x faster",
         "than limit=big", severity="fact", advice=None, gain=None),
    *(
        case("overlap", lambda m, together=together: overlapped(m, "plain", together),
             severity=severity, most_hidden_fraction=share, advice=None)
        for together, share, severity in (
            (1e-5, 1.0, "fact"), (1.5e-5, 0.5, "fact"), (2e-5, 0.0, "notice"),
            (2.5e-5, 0.0, "notice"),
        )
    ),
    case("fast_but_wrong", wrong, severity="problem", points=(1, 0), ratio=2.0),
    # Libraries as they come, where some are.
    case("libraries_compared", lambda m: with_knobs(m, "default", "16K"), "limit=default"),
    case("libraries_compared", lambda m: with_knobs(m, "16K"), slower_ratio=2.0),
    case("machine_generations", lambda m: table(
        m, MACHINES, *((1990.0 + 2 * n, 100.0 * 2**n, 10.0) for n in range(5))),
         peak_doubling_months=24.0, processors_yearly_factor=1.0),
    case("overlap", lambda m: overlapped(m, "clever"), severity="notice", advice=None),
]  # fmt: skip

SILENT = [
    *(
        Silence("placement_differs", lambda m: placed(m, "bbaa"), lambda m, how=how: placed(m,
                **how))
        for how in (
            {}, {"hosts": "abab", "nodes": (0, 1, 0, 1), "order": ROUND_ROBIN}, {"asked_hosts": ()},
            # Names that hosts give themselves may be others than those by which they were named.
            {"hosts": ("x1", "x1", "x2", "x2")},
            {"hosts": ("a.site", "a.site", "b.site", "b.site")}, {"ranks": ()},
        )
    ),
    *(
        Silence("one_sided", lambda m: delivered(m, put(settings={"start": "agreed"}), message()),
                lambda m, other=other: delivered(m, put(**other), message()))
        # Other caches and places, what others disturbed, and what is only sent.
        for other in ({"settings": {"cache": "cold"}}, {"nodes": 2, "processes_per_node": 1},
                      {"flags": {"preempted": 600}}, {"series": "sent"})
    ),
    Silence("one_sided", lambda m: delivered(m, put(way="clever"), message()),
            lambda m: delivered(m, put(way="clever"), message(), where={"way": ("plain",)})),

    Silence("fast_but_wrong", wrong, lambda m: wrong(m, 4e-6)),
    # Nobody recommends it either.
    Silence("variants_compared", lambda m: pair(m, 5e-7), wrong),
    Silence("machine_generations",
            lambda m: table(m, MACHINES, *((1990.0 + n, 100.0 * 2**n, 10.0) for n in range(5))),
            lambda m: table(m, MACHINES, *((1990.0, 100.0 * 2**n, 10.0) for n in range(5)))),

    Silence("overlap", lambda m: overlapped(m, "plain"),
            lambda m: m.evidence([m.figure(), m.figure(1e-5, 8, series="together")])),

    Silence("variants_compared", lambda m: pair(m, 5e-7), lambda m: declared(pair(m, 5e-7),
            ways=False)),
    # Of other ends.
    Silence("variants_compared", lambda m: pair(m, 5e-7), lambda m: declared(
        pair(m, 5e-7), series=(Series(name="time", definition="", ends_by=("way",)),))),
    *(
        Silence("variants_compared", lambda m: pair(m, 5e-7), lambda m, near=near: pair(m, near))
        for near in (0.97e-6, 1e-6, 1.03e-6, 2e-6)
    ),
    Silence("variants_compared", lambda m: pair(m, 5e-7),
            lambda m: pair(m, 5e-7, launch_medians_s=(3e-7, 5e-7, 2e-6))),
    Silence("variants_compared", lambda m: pair(m, 5e-7),
            lambda m: pair(m, 5e-7, processes_per_node=4, processes=4)),
    # Libraries race with what a program gets.
    Silence("libraries_compared", lambda m: libraries(m, 1e-6, 8e-6, 1e-6, 1e-6),
            lambda m: with_choices(libraries(m, 1e-6, 8e-6, 1e-6, 1e-6), "library", "ring")),
    Silence("libraries_compared", two_sizes, lambda m: two_sizes(m, launches=1)),
    # Nobody sets what runs beside to gain something.
    Silence("knobs_compared", lambda m: knobs(m, default=1e-6, x=9e-7),
            lambda m: knobs(m, "beside", default=1e-6, x=9e-7)),
    Silence("knobs_compared", lambda m: knobs(m, default=1e-6, big=3e-6),
            lambda m: knobs(m, launches=1, default=1e-6, big=3e-6)),
    Silence("knobs_compared", lambda m: knobs(m, small=1e-6, big=3e-6),
            lambda m: knobs(m, small=1e-6, big=1e-6)),
    Silence("fast_but_wrong", wrong, lambda m: declared(wrong(m), ways=False)),
]  # fmt: skip
