"""What a screening found, as Prometheus' text for the textfile collector of node_exporter."""

from collections.abc import Iterator

from leadline.exchange.exports.gauges import Gauge, gauges
from leadline.model.screen import Screen


def screen_text(screen: Screen) -> str:
    """Return the gauges of a screening: counts, and probability and ratio of each suspect."""
    return gauges(_gauges(screen))


def _gauges(screen: Screen) -> Iterator[Gauge]:
    counts = (
        ("nodes", "Nodes that answered.", len(screen.nodes)),
        ("rounds", "Rounds of pairs that were measured.", screen.rounds),
        ("seconds", "Time that the screening took.", screen.seconds),
        ("complete", "Whether all was measured.", screen.is_complete),
        ("suspects", "Nodes, links and uplinks that are slow or silent.", len(screen.suspects)),
    )
    for name, words, value in counts:
        yield Gauge(f"leadline_screen_{name}", words, {}, value)
    for each in screen.suspects:
        labels = {"kind": each.kind, "name": each.name, "figure": each.figure}
        words = "Probability that it is at fault."
        yield Gauge("leadline_screen_suspect_probability", words, labels, each.probability)
        if each.ratio is not None:
            words = "How many times as long as usual its figure takes."
            yield Gauge("leadline_screen_suspect_ratio", words, labels, each.ratio)
        if each.is_new is not None:
            words = "Whether the last screening of the same nodes did not have it."
            yield Gauge("leadline_screen_suspect_new", words, labels, each.is_new)
