"""Large messages that speed up while they are measured."""

from leadline.model.noise import Shape

SOURCE = "invented figures"


def evidence(makers):
    shape = Shape(effective_samples=900.0, modes=(), drift_factor=0.806)
    return makers.evidence([makers.figure(3e-4, 2**22, shape=shape)])
