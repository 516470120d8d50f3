"""Every plot, in the order in which a page shows them."""

from leadline.output.html.plots.calls import CALLS
from leadline.output.html.plots.generations import GENERATIONS
from leadline.output.html.plots.launches import INTERVAL, LAUNCHES, RATIO
from leadline.output.html.plots.over_ranks import BY_NODES, SPEED_UP
from leadline.output.html.plots.over_sizes import BANDWIDTH, IMPROVEMENT, LATENCY
from leadline.output.html.plots.pairs import PAIR_MATRIX, PAIR_SHARES
from leadline.output.html.plots.rate import RATE
from leadline.output.html.plots.samples import DISTRIBUTION

PLOTS = (
    RATIO,
    LATENCY,
    BANDWIDTH,
    IMPROVEMENT,
    INTERVAL,
    DISTRIBUTION,
    PAIR_MATRIX,
    PAIR_SHARES,
    LAUNCHES,
    CALLS,
    RATE,
    BY_NODES,
    SPEED_UP,
    GENERATIONS,
)
