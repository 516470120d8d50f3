"""Single measurements on a busy machine."""

SOURCE = "invented figures"


def evidence(makers):
    def seconds(size):
        return (1e-6 + size / 1e9) * (1 + 3 * (size.bit_length() % 3 == 0))

    return makers.evidence(makers.curve(seconds, ci95_low_s=None, ci95_high_s=None))
