"""A barrier of a few hundred nanoseconds, timed one by one."""

SOURCE = "invented figures"


def evidence(makers):
    return makers.evidence([makers.figure(295e-9, None)], result={"batch": 1})
