"""A library with launches of two states."""

SOURCE = "invented figures"


def evidence(makers):
    restless = tuple(1e-6 * (1.0 + 0.8 * (n % 2)) for n in range(12))
    return makers.evidence(
        [
            makers.figure(1e-6, launches=12),
            makers.figure(1.4e-6, mpi="second", launches=12, launch_medians_s=restless),
        ]
    )
