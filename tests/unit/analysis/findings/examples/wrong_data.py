"""A library that delivers wrong bytes."""

SOURCE = "invented figures"


def evidence(makers):
    return makers.evidence([makers.figure(), makers.figure(1e-6, 16)], result={"wrong_bytes": 5})
