"""Median time against message size."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, curve_against_size


def _specification(panel: Panel) -> Specification:
    return curve_against_size(
        panel, "median_us", "ci95_low_us", "ci95_high_us", "time (µs)", "median (µs)"
    )


PLOT = Plot(
    name="latency",
    order=10,
    title="Latency against message size",
    shows=(
        "Time of one operation in microseconds, a median where nothing else is said, against "
        "message size, both axes logarithmic. The band, where there is one, is its 95 % interval; "
        "a dashed line stands where another protocol begins; ringed figures are in doubt."
    ),
    applies=lambda panel: len(panel.sizes) > 1,
    specification=_specification,
)
