"""A run against the one before."""

from dataclasses import replace

from leadline.analysis.findings.evidence import Past

SOURCE = "synthetic"


def evidence(makers):
    def figures(slower):
        return [
            makers.figure(seconds, size, launches=12, launch_medians_s=spread(seconds))
            for size, seconds in ((8, 1e-6), (1024, 2e-6 * slower), (65536, 2e-5))
        ]

    whole = makers.evidence(figures(1.5))
    before = Past("2026-01-02T030405-survey-0a1b", "2026-01-02", tuple(figures(1.0)))
    return replace(whole, past=(before,))


def spread(seconds):
    return tuple(seconds * (1 + 0.002 * (number % 5 - 2)) for number in range(12))
