"""A benchmark that needs more ranks."""

from leadline.model.run import Skip

SOURCE = "invented figures"


def evidence(makers):
    skipped = (Skip(point=0, reason="too few ranks"),)
    return makers.evidence([makers.figure()], launch={"points": (), "skipped": skipped})
