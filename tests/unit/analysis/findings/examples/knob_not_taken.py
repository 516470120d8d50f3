"""A limit that the library ignored."""

SOURCE = "invented figures"


def evidence(makers):
    said = {
        "library": "a library",
        "knobs": {"limit": "16K"},
        "asked_controls": {"SOME_LIMIT": "16K"},
        "controls": {"SOME_LIMIT": "8192"},
    }
    return makers.evidence([makers.figure(knobs={"limit": "16K"})], launch=said)
