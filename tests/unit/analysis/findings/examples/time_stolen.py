"""Cores that the hypervisor lent."""

SOURCE = "invented figures"


def evidence(makers):
    stolen = makers.figure(1e-3, None, metrics={"stolen_percent": 2.5}, flags={"stolen": 20})
    return makers.evidence([stolen])
