"""The text format of Prometheus: its "Exposition formats", version 0.0.4, gauges only."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

Labels = dict[str, str]


class Gauge(NamedTuple):
    """A value of a metric, what the metric is, and the labels that tell its values apart."""

    metric: str
    help: str
    labels: Labels
    value: float


def gauges(values: Iterable[Gauge]) -> str:
    """Return the text: the values of one metric stand together."""
    families: dict[str, list[Gauge]] = {}
    for value in values:
        families.setdefault(value.metric, []).append(value)
    return "".join(f"{line}\n" for family in families.values() for line in _lines(family))


def identifier(name: str) -> str:
    """Return `name` as the name of a metric or label.

    >>> identifier("both ways")
    'both_ways'
    """
    return re.sub(r"^(?=\d)|^_+|[^A-Za-z0-9_]", "_", name)


def _lines(family: Sequence[Gauge]) -> Iterator[str]:
    metric, words = family[0].metric, family[0].help
    yield f"# HELP {metric} {_escape(words)}"
    yield f"# TYPE {metric} gauge"
    for sample in family:
        labels = ",".join(
            f'{name}="{_escape(value, quote=True)}"' for name, value in sample.labels.items()
        )
        yield f"{metric}{f'{{{labels}}}' if labels else ''} {float(sample.value)!r}"


def _escape(text: str, quote: bool = False) -> str:
    escaped = text.replace("\\", r"\\").replace("\n", r"\n")
    return escaped.replace('"', r"\"") if quote else escaped
