"""Eight processes on two cores."""

SOURCE = "invented figures"


def evidence(makers):
    crowded = makers.figure(processes=8, processes_per_node=8, oversubscribed=True)
    return makers.evidence([makers.figure(), crowded])
