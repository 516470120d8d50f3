"""Allreduce of 1 MiB on a machine that other programs share."""

from leadline.model.noise import Shape

SOURCE = "invented figures"


def evidence(makers):
    shape = Shape(effective_samples=2000.0, modes=(), p99_low_s=300e-6, p99_high_s=420e-6)
    tail = makers.figure(128e-6, 2**20, p99_s=365e-6, max_s=450e-6, shape=shape)
    return makers.evidence([makers.figure(), tail])
