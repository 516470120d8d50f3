"""Messages that are slower in one launch."""

SOURCE = "invented figures"


def evidence(makers):
    restless = makers.figure(9.5e-7, 128, launch_medians_s=(8.63e-7, 9.5e-7, 1.08e-6))
    return makers.evidence([makers.figure(), restless])
