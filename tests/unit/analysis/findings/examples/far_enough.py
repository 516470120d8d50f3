"""A victim and a flood, with none to two idle nodes between them."""

from example_impacts import with_a_flood

SOURCE = "invented figures"


def evidence(makers):
    return with_a_flood(makers)
