"""Eight sizes that were all slow in the same launch."""

SOURCE = "invented figures"


def evidence(makers):
    return makers.evidence(
        [makers.figure(size=2**n, launch_medians_s=(1e-6, 3.4e-5, 1.01e-6)) for n in range(8)]
    )
