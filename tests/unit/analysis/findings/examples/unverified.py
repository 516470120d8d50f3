"""A figure whose launch ended before the check."""

SOURCE = "invented figures"


def evidence(makers):
    return makers.evidence([makers.figure(verified=False)])
