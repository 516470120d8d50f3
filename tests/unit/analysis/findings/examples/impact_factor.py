"""A victim next to a flood of messages."""

from example_impacts import with_a_flood

SOURCE = "invented figures"


def evidence(makers):
    return with_a_flood(makers)
