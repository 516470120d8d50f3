"""Median time against message size."""

from leadline.report.panels import Panel
from leadline.report.plot import Plot, Specification, curve_against_size


def _specification(panel: Panel) -> Specification:
    return curve_against_size(
        panel, "median_us", "ci95_low_us", "ci95_high_us", "time (µs)", "median (µs)"
    )


PLOT = Plot(
    name="latency",
    order=10,
    title="Latency against message size",
    shows=(
        "Median time of one operation in microseconds against message size, both axes "
        "logarithmic. The band is the 95 % interval of the median; a dashed line stands where "
        "another protocol begins; ringed figures are in doubt."
    ),
    applies=lambda panel: len(panel.sizes) > 1,
    specification=_specification,
)
