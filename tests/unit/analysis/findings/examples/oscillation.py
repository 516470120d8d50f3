"""Messages that are cut into packets."""

SOURCE = "invented figures"


def evidence(makers):
    def seconds(size):
        return (1e-6 + size / 1e9) * (1 + 0.2 * (-1) ** size.bit_length())

    return makers.evidence(makers.curve(seconds))
