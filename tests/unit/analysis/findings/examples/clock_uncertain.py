"""Messages timed with two clocks."""

SOURCE = "invented figures"


def evidence(makers):
    return makers.evidence([makers.figure()], result={"clock_error_s": 2e-7})
