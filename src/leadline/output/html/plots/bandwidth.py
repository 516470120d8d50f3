"""Bandwidth against message size."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, curve_against_size


def _applies(panel: Panel) -> bool:
    rated = {row["bytes"] for row in panel.points if row["bandwidth_MBps"]}
    return len(rated) > 1


def _specification(panel: Panel) -> Specification:
    return curve_against_size(
        panel,
        "bandwidth_MBps",
        "bandwidth_low_MBps",
        "bandwidth_high_MBps",
        "bandwidth (MB/s)",
        "bandwidth (MB/s)",
        limits=True,
    )


PLOT = Plot(
    name="bandwidth",
    order=20,
    title="Bandwidth against message size",
    shows=(
        "Bytes moved by one operation over its time, in MB/s (10⁶ bytes a second), against message "
        "size, both axes logarithmic. The band, where there is one, is the 95 % interval; a dashed "
        "line stands where another protocol begins, a level one at a known physical limit; ringed "
        "figures are in doubt."
    ),
    applies=_applies,
    specification=_specification,
)
