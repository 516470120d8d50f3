"""Every plot, in the order in which a page shows them."""

from leadline.output.html.plots.calls import CALLS, MORE_TASKS, TASK_MAP
from leadline.output.html.plots.generations import GENERATIONS
from leadline.output.html.plots.launches import INTERVAL, LAUNCHES, RATIO
from leadline.output.html.plots.noise import NOISE_COST, SPECTRUM
from leadline.output.html.plots.over_ranks import BY_NODES, BY_NODES_RATE, SPEED_UP
from leadline.output.html.plots.over_sizes import BANDWIDTH, IMPROVEMENT, LATENCY, RESIDUALS
from leadline.output.html.plots.pairs import PAIR_MATRIX, PAIR_SHARES
from leadline.output.html.plots.rate import RATE
from leadline.output.html.plots.samples import DISTRIBUTION, STRIP

PLOTS = (
    RATIO,
    LATENCY,
    BANDWIDTH,
    RESIDUALS,
    IMPROVEMENT,
    INTERVAL,
    DISTRIBUTION,
    STRIP,
    PAIR_MATRIX,
    PAIR_SHARES,
    LAUNCHES,
    CALLS,
    TASK_MAP,
    MORE_TASKS,
    SPECTRUM,
    NOISE_COST,
    RATE,
    BY_NODES,
    SPEED_UP,
    BY_NODES_RATE,
    GENERATIONS,
)
