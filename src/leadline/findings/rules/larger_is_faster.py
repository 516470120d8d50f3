"""Sizes at which a larger message would be faster.

The guideline of monotony: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance Guidelines",
IEEE TPDS 21(5), 2010. A program that pads its data up would gain.
"""

from collections.abc import Iterator

from leadline.analyse.comparison import clearly_longer, time_ratio
from leadline.findings.evidence import Evidence
from leadline.findings.kinds import kind_of
from leadline.findings.words import command, name_of, ratio_text
from leadline.model.summary import Finding, Sweep
from leadline.units import format_bytes


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each curve on which some size takes clearly longer than a larger one."""
    for sweep in evidence.sweeps:
        yield from _of_sweep(evidence, sweep)


def _of_sweep(evidence: Evidence, sweep: Sweep) -> Iterator[Finding]:
    found = []
    sound = [index for index in sweep.points if not evidence.mostly_disturbed(index)]
    for place, small in enumerate(sound[:-1]):
        large = min(sound[place + 1 :], key=lambda index: evidence.points[index].median_s)
        ratio = time_ratio(evidence.points[small], evidence.points[large])
        if ratio is not None and clearly_longer(ratio):
            found.append((ratio, small, large))
    if not found:
        return
    ratio, small, large = max(found, key=lambda one: one[0].median)
    sizes = [evidence.points[index].bytes or 0 for index in (small, large)]
    again = command(evidence, [small, large], launches=10)
    yield Finding(
        kind=kind_of(__name__),
        severity="notice",
        text=f"{name_of(evidence, small, without=['bytes'])}: {format_bytes(sizes[0])} takes "
        f"longer than {format_bytes(sizes[1])}, {ratio_text(ratio)}; so it is at {len(found)} of "
        f"{len(sweep.points)} sizes.",
        evidence={
            "sizes_slower": float(len(found)),
            **ratio.evidence(),
            "at_bytes": float(sizes[0]),
            "faster_at_bytes": float(sizes[1]),
        },
        advice=f"Padding the data up to {format_bytes(sizes[1])} would be faster; the threshold "
        f"between two ways of the library lies wrong. Prove it first with `{again}`.",
        points=tuple(dict.fromkeys(index for _, *both in found for index in both)),
    )
