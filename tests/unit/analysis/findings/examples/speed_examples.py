"""Examples of findings on speed: a function makes the evidence of its kind."""

from dataclasses import replace

from leadline.analysis.findings.evidence import Past


def spread(seconds):
    return tuple(seconds * (1 + 0.002 * (number % 5 - 2)) for number in range(12))


def changed_since(makers):
    """A run against the one before."""

    def figures(slower):
        return [
            makers.figure(seconds, size, launches=12, launch_medians_s=spread(seconds))
            for size, seconds in ((8, 1e-6), (1024, 2e-6 * slower), (65536, 2e-5))
        ]

    whole = makers.evidence(figures(1.5))
    before = Past("2026-01-02T030405-survey-0a1b", "2026-01-02", tuple(figures(1.0)))
    return replace(whole, past=(before,))


def seconds(size, nodes):
    return (5e-6 + size / 2e9) * nodes**0.5 * (2.6 if 2048 <= size <= 8192 else 1)


def larger_is_faster(makers):
    """A collective with a poor algorithm from 2 KiB to 8 KiB, on four numbers of processes."""
    return makers.evidence(
        [
            one
            for nodes in (2, 4, 8, 16)
            for one in makers.curve(
                lambda size, nodes=nodes: seconds(size, nodes),
                processes=nodes,
                nodes=nodes,
                processes_per_node=1,
            )
        ]
    )


def weak_scaling(makers):
    """Work of which each process has as much, on 1 to 16 processes."""
    return makers.evidence(
        [
            makers.figure(
                seconds,
                None,
                processes=count,
                nodes=count,
                processes_per_node=1,
                metrics={"problem_size": 100.0 * count},
            )
            for count, seconds in ((1, 1.0), (4, 1.1), (16, 1.8))
        ]
    )


def queue_search(makers, factor=7.6):
    """Matches in a queue that 4, 64 and 256 others wait in."""
    times = {0: 1.0, 4: 1.0, 64: 1 + (factor - 1) / 4, 256: factor}
    return makers.evidence(
        [makers.figure(3e-7 * slower, axes={"depth": depth}) for depth, slower in times.items()]
    )


def both_ways(makers, ways=2):
    """A stream one way, and one both ways of which each message takes 1.2x as long."""
    return makers.evidence(
        [
            makers.figure(each, 2**20, axes={"window": 64}, benchmark=name, series=name,
                          message_rate_per_s=number / each)
            for name, each, number in (("family/one", 1e-4, 1), ("family/both", 1.2e-4, ways))
        ]
    )  # fmt: skip
