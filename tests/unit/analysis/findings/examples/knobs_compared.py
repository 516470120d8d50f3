"""Eager limits: two that are tried against the library's own."""

SOURCE = "synthetic"


def evidence(makers):
    return makers.evidence(
        [
            makers.figure(seconds * factor, size, knobs={"eager_limit": value})
            for value, seconds in {"default": 1e-6, "16K": 1e-6, "0": 2e-6}.items()
            for size, factor in ((8, 1.0), (16384, 3.0 if value == "default" else 1.2))
        ]
    )
