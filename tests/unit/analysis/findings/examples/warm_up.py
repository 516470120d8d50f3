"""First repetitions that are slow."""

from leadline.model.noise import Shape

SOURCE = "invented figures"


def evidence(makers):
    shape = Shape(effective_samples=900.0, modes=(), warm_up_repetitions=20, warm_up_factor=1.8)
    return makers.evidence([makers.figure(shape=shape)])
