"""A program in four of ten launches, all of which were slower."""

import msgspec

from leadline.model.interference import Interference, InterferingProgram

SOURCE = "invented figures"


def evidence(makers):
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
