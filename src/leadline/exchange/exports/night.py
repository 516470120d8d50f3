"""What `watch` says of a night, as Prometheus' text for the textfile collector of node_exporter."""

from collections import Counter
from collections.abc import Iterator
from typing import get_args

from leadline.exchange.exports.gauges import Gauge, gauges
from leadline.model.watched import Said, WatchedNight


def night_text(night: WatchedNight, plan: str) -> str:
    """Return the gauges of a night: counts of verdicts, and each figure against its usual time.

    `plan` becomes a label, since several plans of a node may be watched. Ratios are plain numbers.
    """
    return gauges(_gauges(night, plan))


def _gauges(night: WatchedNight, plan: str) -> Iterator[Gauge]:
    of = {"plan": plan}
    verdicts = Counter(each.said for each in night.figures)
    for said in get_args(Said):
        labels = of | {"verdict": said}
        yield Gauge("leadline_watch_figures", "Figures with this verdict.", labels, verdicts[said])
    words = "How many times as long as usual most figures took, 1 where they did not move alike."
    yield Gauge("leadline_watch_machine_ratio", words, of, night.machine_ratio)
    words = "Launches that met a slow spell of the whole machine."
    yield Gauge("leadline_watch_slow_launches", words, of, night.slow_launches)
    seen: Counter[str] = Counter()
    for each in night.figures:
        seen[each.name] += 1
        name = f"{each.name} ({seen[each.name]})" if seen[each.name] > 1 else each.name
        labels = of | {"figure": name}
        words = "Whether the figure is slower for sure."
        yield Gauge("leadline_watch_alarm", words, labels, each.said == "slower")
        if each.said == "learning":
            continue
        words = "How many times its usual time the figure took."
        yield Gauge("leadline_watch_ratio", words, labels, each.ratio)
        if each.fresh_ratio is not None:
            words = "How many times its usual time the figure took when it was measured again."
            yield Gauge("leadline_watch_again_ratio", words, labels, each.fresh_ratio)
            words = "Launches that measured the figure again."
            yield Gauge("leadline_watch_again_launches", words, labels, each.fresh_launches)
        if each.old_ratio is not None:
            words = "How many times as long as with the software of the run before, in turn."
            yield Gauge("leadline_watch_earlier_software_ratio", words, labels, each.old_ratio)
