"""Cases of rules on speed: curves over sizes and over numbers of processes."""

import math

import msgspec
from rule_cases import KIB, Silence, bursting, case, declared, limited, smooth

WORK = {"problem_size": 1.0}


def queue(m, factor):
    return m.evidence(
        [m.figure(3e-7 * slower, axes={"depth": at}) for at, slower in ((0, 1.0), (64, factor))]
    )


def streams(m, ways):
    return m.evidence(
        [
            m.figure(1e-4, 2**20, axes={"window": 64}, series=name, message_rate_per_s=each / 1e-4)
            for name, each in (("one", 1), ("both", ways))
        ]
    )


def fast(size):
    return 1e-6 + size / 1e10


def stepped(size):
    return fast(size) + (2e-6 if size >= 8192 else 0)


def falling(size):
    return fast(size) + max(0, size - 2**19) / 5e9


def cached(size):
    return 1e-7 + size / 1e11 + max(0, size - 2**18) / 2e10


def split_in_cache(m, level_bytes):
    """A message of 64 KiB that two halves beat, on cores with caches of that size."""
    curve = m.curve(lambda size: fast(size) + 6e-6 * (size == 65536))
    return m.evidence(curve, machine={"caches_bytes": {"L1d": 16384, "L2": level_bytes}})


def curve(m, seconds, **changes):
    return m.evidence(m.curve(seconds, **changes))


def in_cache(m):
    return m.evidence(m.curve(cached), machine={"caches_bytes": {"L1d": 49152, "L2": 2**20}})


def both_ways(m):
    """A curve of which the rate counts both directions."""
    figures = m.curve(stepped)
    return m.evidence(
        [msgspec.structs.replace(one, bandwidth_MBps=2 * one.bandwidth_MBps) for one in figures]
    )


def some_sizes(m, seconds, first, last):
    return m.evidence([one for one in m.curve(seconds) if first <= one.bytes <= last])


def unsure_end(m):
    *rest, last = m.curve(falling)
    medians = tuple(last.median_s * x for x in (0.3, 1.0, 3.0))
    return m.evidence([*rest, msgspec.structs.replace(last, launch_medians_s=medians)])


def placed(m, seconds, **changes):
    """Figures on so many processes, one a node; `changes` may be functions of their number."""
    figures = []
    for processes, time in seconds.items():
        place = {"processes": processes, "nodes": processes, "processes_per_node": 1}
        named = {key: one(processes) if callable(one) else one for key, one in changes.items()}
        figures.append(m.figure(time, None, **place, **named))
    return m.evidence(figures)


def times(seconds, counts=(1, 2, 4, 8)):
    return {count: seconds(count) for count in counts}


def packed(m, *places, **changes):
    """Figures of 1 KiB by nodes, processes on each and seconds."""
    return m.evidence(
        [
            m.figure(
                seconds, 1024, processes=nodes * each, nodes=nodes, processes_per_node=each, **one
            )
            for (nodes, each, seconds), one in zip(
                places, changes.get("each", [{}] * 9), strict=False
            )
        ]
    )


def dented(size):
    return fast(size) + (5e-6 if 2048 <= size < 8192 else 0)


def by_library(m):
    """Work that stops with one library and goes on with the other."""
    figures = [
        m.figure(seconds / n + wait * n, None, metrics=WORK, mpi=mpi, processes=n, nodes=n,
                 processes_per_node=1)
        for mpi, seconds, wait in (("first", 4.0, 1.0), ("second", 8.0, 0.0)) for n in (1, 2, 4, 8)
    ]  # fmt: skip
    return m.evidence(figures)


def two_ways(m):
    figures = [
        m.figure(3.0, None, metrics=WORK, way=way, processes=n, nodes=n, processes_per_node=1)
        for n in (2, 4, 8) for way in ("plain", "clever")
    ]  # fmt: skip
    return m.evidence(figures)


def two_places(m, *places, metrics):
    return m.evidence(
        [m.figure(8.0 / (nodes * each), None, metrics=metrics, processes=nodes * each, nodes=nodes,
                  processes_per_node=each) for nodes, each in places]
    )  # fmt: skip


def weak(m, last, **more):
    work = {1: 1.0, 4: (1 + last) / 2, 16: last}
    metrics = {n: {"problem_size": 100.0 * n, **{k: v[n] for k, v in more.items()}} for n in work}
    return placed(m, work, metrics=lambda n: metrics[n])


def shares(m, *percents):
    counts = {2**n: 1.0 for n in range(1, 1 + len(percents))}
    given = dict(zip(counts, percents, strict=True))
    return placed(m, counts, metrics=lambda n: {"communication_percent": given[n]})


WAITING = times(lambda n: 8.0 / n + 0.1 * n, (1, 2, 4, 8, 16, 32))
RISING = times(lambda n: 8.0 / n + n)
LINEAR = times(lambda n: 1e-5 * n, (2, 4, 8, 16))

CASES = [
    case("protocol_switch", lambda m: curve(m, stepped),
         "switches protocol between 4 KiB and 8 KiB: 1.41 us becomes 3.82 us",
         # One cause: that two halves are faster is said here, and nowhere else.
         "Two of 4 KiB are 1.4x faster than one.", severity="notice", from_bytes=4096.0,
         to_bytes=8192.0, from_s=fast(4096), to_s=stepped(8192), step_factor=2.2309,
         advice="Try an eager limit of 8 KiB.",
         command="--bytes 4096,8192 --knob shm_eager_limit=default,8192"),
    case("protocol_switch", lambda m: curve(m,
         lambda size: 1e-6 + size / (5e9 if size < 65536 else 1e10)),
         "faster than expected", severity="fact"),
    # 90 % of the rate at 4 MiB, where 10000 / (1 + 10000 / n) is within a tenth of it.
    case("best_size", lambda m: curve(m, fast),
         "family/thing: 1.00 us to 1.41 us up to 4 KiB. Peak 9.98 GB/s at 4 MiB, 90 % of it from "
         "128 KiB to 4 MiB.", best_size_bytes=float(2**22), plateau_from_bytes=float(2**17),
         half_size_bytes=10_000.0, advice="Join small messages into 128 KiB to 4 MiB."),
    case("best_size", both_ways, "1.41 us up to 4 KiB; 3.82 us at 8 KiB (protocol switch). Peak",
         " The rate counts 2.0x the size."),
    case("best_size", in_cache, " The data stay in the L2 cache."),
    # No eager limit moves the switch of a put.
    case("protocol_switch", lambda m: declared(curve(m, stepped), api="shmem"),
         severity="notice", advice=None, command=None, gain=None),
    case("rate_falls", in_cache, "Larger buffers no longer fit the L2 cache (1 MiB)."),
    # Where no cache is known to end there, none is named.
    case("rate_falls", lambda m: curve(m, cached), silent=("cache",)),
    case("rate_falls", lambda m: curve(m, falling), severity="fact", advice=None, command=None),
    case("rate_falls", lambda m: curve(m, falling, nodes=2, processes_per_node=1), "512 KiB",
         "4 MiB",
         best_size_bytes=float(2**19),
         rate_factor=2**19 / falling(2**19) / (2**22 / falling(2**22)),
         severity="notice", advice=None, gain=None),
    case("rate_falls", lambda m: declared(curve(m, falling), sizes=("join", "pad")),
         severity="notice", advice=None),
    # Sizes that only a buffer lets pass are not recommended.
    case("best_size", lambda m: curve(m, bursting), best_size_bytes=16.0 * KIB),
    case("best_size", lambda m: limited(curve(m, bursting), 100.0, burst=16 * KIB), best_MBps=96.35,
         plateau_from_bytes=256.0 * KIB),
    case("best_size", lambda m: declared(curve(m, smooth), sizes=("join",), messages=False),
         advice="Join small calls"),
    case("speedup_stops", lambda m: placed(m, {1: 10.0, 2: 5.0, 4: 3.0, 8: 2.9}, metrics=WORK),
         "stops scaling at 4 processes: 10.0 s on 1, 3.00 s on 4; 8 processes take 2.90 s.",
         silent=("fastest",)),
    case("speedup", lambda m: placed(m, times(lambda n: 8.0 / n), metrics=WORK), speed_up=8.0,
         efficiency_fraction=1.0, karp_flatt_fraction=0.0),
    case("speedup", lambda m: two_places(m, (1, 1), (1, 2), (1, 4), metrics=WORK), speed_up=4.0),
    case("speedup", lambda m: placed(m, {1: 8.0, 2: 3.4}, metrics=WORK), "smaller parts fit the"),
    # A disturbed run on one process.
    case("speedup", lambda m: placed(m, {1: 14.4, 2: 1.0}, metrics=WORK), "is unclear",
         silent=("%", "caches.")),
    # A number of processes in two places keeps them apart.
    case("speedup", lambda m: two_places(m, (2, 1), (4, 1), (1, 2), (2, 2), metrics=WORK),
         "in 2 cases", speed_up=2.0, least_speed_up=2.0),
    # 8/n of work and 0.1 n of waiting: the least is at sqrt(80), between 8 and 16.
    case("speedup_stops", lambda m: placed(m, WAITING, metrics=WORK), fastest_processes=8.0,
         stops_at_processes=8.0, slowdown_at_most=3.45 / 1.8,
         advice=None),
    case("speedup_stops", by_library, "with second scales to 8 processes (1.00 s)"),
    case("speedup_stops", two_ways, "More processes gain nothing: ", curves=2.0),
    case("weak_scaling", lambda m: weak(m, 1.02), "holds", severity="fact", weak_ratio=1.02),
    case("weak_scaling", lambda m: weak(m, 1.8), "breaks", severity="notice", weak_ratio=1.8),
    # More iterations are not worse scaling.
    case("weak_scaling", lambda m: weak(m, 2.0, iterations={1: 10, 4: 15, 16: 20}), severity="fact",
         weak_ratio=1.0),
    case("placements_compared", lambda m: packed(m, (4, 1, 1e-3), (2, 2, 1.5e-3)),
         "on more nodes (4x1) is 1.5x faster", severity="notice", slower_ratio=1.5,
         command="--place"),
    # 1.1 ms against 0.1 ms of communication, of 1 ms that is lost.
    case("placements_compared", lambda m: packed(
        m, (4, 1, 1e-3), (2, 2, 2e-3),
        each=[{"metrics": {"communication_percent": share}} for share in (10.0, 55.0)]),
         silent=("share its memory",), explained_by_communication_fraction=1.0),
    case("communication_share", lambda m: shares(m, 2.0, 4.0, 30.0), "on 8x1", severity="fact",
         communication_fraction=0.04),
    case("communication_share", lambda m: shares(m, 60.0, 60.0, 60.0), severity="notice"),
    case("grows_with_processes", lambda m: placed(m, times(lambda n: 1e-5 * n, (4, 8, 16, 64))),
         severity="notice", growth_factor=16 / 3),
    case("grows_with_processes", lambda m: placed(
        m, times(lambda n: 1e-5 * math.log(n), (4, 8, 16, 64))), severity="fact",
        to_processes=64.0),
    case("larger_is_faster", lambda m: curve(m, dented),
         "too slow at 2 KiB to 4 KiB: 6.41 us at 4 KiB but 1.82 us at 8 KiB.", at_bytes=4096.0,
         faster_at_bytes=8192.0, ratio=dented(4096) / dented(8192)),
    case("split_is_faster", lambda m: curve(m, lambda size: fast(size) + 6e-6 * (size == 65536)),
         "two messages of 32 KiB are 1.6x faster", at_bytes=65536.0, ratio=1.5895, advice=None,
         gain=None),
    # How much of the time messages take is told.
    case("speedup_stops", lambda m: placed(m, RISING, metrics={**WORK,
         "communication_percent": 80.0}), "Communication is 80 % of the time there."),
    case("speedup_stops", lambda m: placed(m, RISING, metrics={**WORK,
         "communication_percent": 3.0}), "Communication is 3 % of the time there."),
]  # fmt: skip

SILENT = [
    Silence("queue_search", lambda m: queue(m, 7.6), lambda m: queue(m, 1.0)),
    # Two streams the same way.
    Silence("both_ways", lambda m: streams(m, 2), lambda m: streams(m, 1)),
    Silence("best_size", lambda m: limited(curve(m, smooth), 1100.0),
            lambda m: limited(curve(m, smooth), 0.5)),
    Silence("best_size", lambda m: curve(m, fast), lambda m: curve(m, fast, bandwidth_MBps=None)),
    Silence("best_size", lambda m: declared(curve(m, smooth), sizes=("join",)),
            lambda m: declared(curve(m, smooth), sizes=("split", "pad"))),
    Silence("rate_falls", lambda m: curve(m, bursting),
            lambda m: limited(curve(m, bursting), 100.0, burst=16 * KIB)),
    Silence("rate_falls", lambda m: curve(m, falling), unsure_end),
    # Other processes shaped these curves.
    Silence("rate_falls", lambda m: curve(m, falling),
            lambda m: curve(m, falling, flags={"preempted": 600})),
    Silence("rate_falls", lambda m: some_sizes(m, falling, 1, 2**22),
            lambda m: some_sizes(m, stepped, 1024, 65536)),
    Silence("protocol_switch", lambda m: some_sizes(m, stepped, 1024, 65536),
            lambda m: curve(m, stepped, flags={"preempted": 600})),
    Silence("protocol_switch", lambda m: curve(m, stepped),
            lambda m: declared(curve(m, stepped), messages=False)),
    # The end of a buffer is no way of sending.
    Silence("protocol_switch", lambda m: curve(m, stepped),
            lambda m: limited(curve(m, bursting), 100.0, burst=16 * KIB)),
    # A half stays in a cache that the whole, or a program's data, do not fit.
    Silence("split_is_faster", lambda m: split_in_cache(m, 2**20),
            lambda m: split_in_cache(m, 98304)),
    Silence("split_is_faster", lambda m: curve(m,
            lambda size: smooth(size) + 6e-6 * (size == 65536)),
            lambda m: limited(curve(m, bursting), 100.0, burst=16 * KIB)),
    Silence("split_is_faster", lambda m: curve(m,
            lambda size: smooth(size) + 6e-6 * (size == 65536)),
            lambda m: declared(curve(m, lambda size: smooth(size) + 6e-6 * (size == 65536)),
                               sizes=("join", "pad"))),
    Silence("split_is_faster", lambda m: curve(m,
            lambda size: smooth(size) + 6e-6 * (size == 65536)),
            lambda m: curve(m, stepped)),
    Silence("larger_is_faster",
            lambda m: curve(m, lambda size: smooth(size) + 5e-5 * (2048 <= size < 8192)),
            lambda m: declared(curve(m, lambda size: smooth(size) + 5e-5 * (2048 <= size < 8192)),
                               sizes=("join", "split"))),
    # Each process hands over more, the more there are.
    Silence("grows_with_processes", lambda m: placed(m, LINEAR, bandwidth_MBps=lambda n: 0.8 / n),
            lambda m: placed(m, LINEAR, bandwidth_MBps=0.8)),
    Silence("grows_with_processes", lambda m: placed(m, LINEAR), lambda m: placed(m, LINEAR,
            metrics=WORK)),
    Silence("grows_with_processes", lambda m: placed(m, LINEAR),
            lambda m: placed(m, times(lambda n: 1e-5 * n, (2, 64)))),
    Silence("grows_with_processes", lambda m: placed(m, LINEAR),
            lambda m: placed(m, times(lambda n: 1e-5, (4, 8, 16, 64)))),
    Silence("placements_compared", lambda m: packed(m, (4, 1, 1e-3), (2, 2, 1.5e-3)),
            lambda m: packed(m, (4, 1, 1e-3), (2, 2, 1.02e-3))),
    Silence("placements_compared", lambda m: packed(m, (4, 1, 1e-3), (2, 2, 1.5e-3)),
            lambda m: packed(m, (4, 1, 1e-3), (4, 2, 5e-3))),
    # The edges of slow sizes are no switches of their own, nor sizes to split.
    Silence("protocol_switch", lambda m: curve(m, stepped), lambda m: curve(m, dented)),
    Silence("split_is_faster", lambda m: curve(m,
            lambda size: smooth(size) + 6e-6 * (size == 65536)),
            lambda m: curve(m, dented)),
    Silence("speedup", lambda m: placed(m, times(lambda n: 8.0 / n), metrics=WORK),
            lambda m: placed(m, WAITING, metrics=WORK)),
    Silence("speedup_stops", lambda m: placed(m, RISING, metrics=WORK),
            lambda m: placed(m, times(lambda n: 8.0 / n), metrics=WORK)),
    Silence("speedup", lambda m: placed(m, times(lambda n: 8.0 / n), metrics=WORK),
            lambda m: placed(m, times(lambda n: 8.0 / n), metrics=WORK, oversubscribed=True)),
    Silence("speedup_stops", lambda m: placed(m, RISING, metrics=WORK), lambda m: placed(m,
            RISING)),
    Silence("weak_scaling", lambda m: placed(m, RISING,
            metrics=lambda n: {"problem_size": 100.0 * n}),
            lambda m: placed(m, RISING, metrics={"problem_size": 100.0})),
    Silence("communication_share",
            lambda m: m.evidence([m.figure(metrics={"communication_percent": 90.0})]),
            lambda m: m.evidence([m.figure(metrics={"communication_us": 90.0})])),
]  # fmt: skip
