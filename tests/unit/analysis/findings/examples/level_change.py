"""Messages that a neighbour had slowed for a while."""

from leadline.model.noise import LevelChange, Shape

SOURCE = "invented figures"


def evidence(makers):
    changes = (LevelChange(launch=1, repetition=30, factor=0.000104),)
    shape = Shape(effective_samples=900.0, modes=(), changes=changes)
    return makers.evidence([makers.figure(shape=shape)])
