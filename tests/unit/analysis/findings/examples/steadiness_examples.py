"""Examples of findings on steadiness: a function makes the evidence of its kind."""

import dataclasses

import msgspec
from example_impacts import with_a_flood

from leadline.model.interference import Interference, InterferingProgram
from leadline.model.noise import Shape


def far_enough(makers):
    """A victim and a flood, with none to two idle nodes between them."""
    return with_a_flood(makers)


def heavy_tail(makers):
    """Allreduce of 1 MiB on a machine that other programs share."""
    shape = Shape(effective_samples=2000.0, modes=(), p99_low_s=300e-6, p99_high_s=420e-6)
    tail = makers.figure(128e-6, 2**20, p99_s=365e-6, max_s=450e-6, shape=shape)
    return makers.evidence([makers.figure(), tail])


def impact_factor(makers):
    """A victim next to a flood of messages."""
    return with_a_flood(makers)


def jitter_cause(makers):
    """A rank that lost its core, and one that waited."""
    return dataclasses.replace(makers.evidence([makers.figure()]), jitter=(makers.jitter(),))


def max_on_more_tasks(makers):
    """A halo exchange of 16 tasks."""
    jitter = makers.jitter(tasks=16)
    return dataclasses.replace(makers.evidence([makers.figure()]), jitter=(jitter,))


def max_over_average(makers):
    """A halo exchange of two tasks."""
    return dataclasses.replace(makers.evidence([makers.figure()]), jitter=(makers.jitter(),))


def slower_in_company(makers):
    """A program in four of ten launches, all of which were slower."""
    there = (1, 3, 6, 8)
    seconds = tuple(1e-3 * (1 + 0.001 * n + 0.5 * (n in there)) for n in range(10))
    figures = [
        makers.figure(factor * 1e-3, size, launches=10,
                      launch_medians_s=tuple(factor * each for each in seconds))
        for factor, size in ((1.0, 2**20), (2.0, 2**21))
    ]  # fmt: skip
    whole = makers.evidence(figures)
    (launch, *_) = whole.run.launches
    quiet = Interference(host="here", seconds=10.0, looks=3, looks_cpu_s=0.001)
    program = InterferingProgram(command="eater", user="ann", processes=1, cores=1.0)
    busy = msgspec.structs.replace(quiet, programs=(program,))
    whole.run.launches = [
        msgspec.structs.replace(launch, launch=n, company=busy if n in there else quiet)
        for n in range(10)
    ]
    return whole
