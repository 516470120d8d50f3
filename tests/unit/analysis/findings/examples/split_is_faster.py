"""Three libraries on one machine."""

SOURCE = "recorded/libraries.json"


def evidence(makers):
    return makers.recorded("libraries")
