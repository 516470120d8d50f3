"""A screening as Prometheus reads it."""

from leadline.exchange.exports.prometheus import screen_text
from leadline.model.screen import Screen, Suspect


def test_counts_and_suspects_are_gauges():
    suspects = (
        Suspect(kind="node", name='h"3', figure="bandwidth", ratio=1.25, probability=0.99),
        Suspect(kind="node", name="h4", figure="answer", ratio=None, probability=1.0),
    )
    levels = {"a": {"memory": 1.0}, "b": {"memory": 1.1}}
    text = screen_text(
        Screen(run="r", nodes=("a", "b"), rounds=7, seconds=12.5, suspects=suspects, levels=levels)
    )
    lines = text.splitlines()
    assert "leadline_screen_nodes 2.0" in lines
    assert "leadline_screen_suspects 2.0" in lines
    labels = '{kind="node",name="h\\"3",figure="bandwidth"}'
    assert f"leadline_screen_suspect_ratio{labels} 1.25" in lines
    assert f"leadline_screen_suspect_probability{labels} 0.99" in lines
    assert sum(line.startswith("leadline_screen_suspect_ratio{") for line in lines) == 1
    assert sum(line.startswith("# TYPE leadline_screen_suspect_probability") for line in lines) == 1


def test_a_suspect_is_new_known_or_neither():
    suspects = tuple(
        Suspect(kind="node", name=name, figure="f", ratio=2.0, probability=1.0, is_new=is_new)
        for name, is_new in (("a", True), ("b", False), ("c", None))
    )
    text = screen_text(Screen(run="r", nodes=("a",), rounds=7, seconds=1.0, suspects=suspects))
    new = [line for line in text.splitlines() if line.startswith("leadline_screen_suspect_new{")]
    assert new == [
        'leadline_screen_suspect_new{kind="node",name="a",figure="f"} 1.0',
        'leadline_screen_suspect_new{kind="node",name="b",figure="f"} 0.0',
    ]
