"""Four pairs that share a link, and two that do not."""

SOURCE = "synthetic"


def evidence(makers):
    return makers.evidence(
        [
            makers.figure(seconds, 65536, axes={"pairs": pairs}, metrics={"pairs": float(pairs)})
            for pairs, seconds in ((1, 1e-5), (2, 1.01e-5), (4, 2.1e-5))
        ]
    )
