"""Messages that one second was too short for."""

SOURCE = "invented figures"


def evidence(makers):
    return makers.evidence([makers.figure(stopped_by="seconds", within_launch_precision=0.046)])
