"""Messages that take one of two times, at random."""

from leadline.model.noise import Mode, Shape

SOURCE = "invented figures"


def evidence(makers):
    modes = (Mode(at_s=834e-9, fraction=0.66), Mode(at_s=1.27e-6, fraction=0.34))
    shape = Shape(effective_samples=900.0, modes=modes, modes_follow="chance")
    return makers.evidence([makers.figure(9e-7, 64, shape=shape), makers.figure()])
