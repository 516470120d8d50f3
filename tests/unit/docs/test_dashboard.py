"""The Grafana dashboard of examples/nightly asks for what leadline exports, and is well-formed."""

import copy
import itertools
import json
import re

import msgspec
import pytest
from checkout import CHECKOUT
from exports_examples import IMPORTED, MEASURED, a_run, analysis, figure

from leadline.exchange.exports import export
from leadline.exchange.exports.prometheus import night_text, screen_text
from leadline.model.screen import Screen, Suspect
from leadline.model.summary import MissingFigure
from leadline.model.watched import WatchedFigure, WatchedNight

parser = pytest.importorskip("prometheus_client.parser", reason="needs prometheus-client")

DASHBOARD = json.loads((CHECKOUT / "examples" / "nightly" / "grafana-dashboard.json").read_text())
PANELS = DASHBOARD["panels"]
DRAWN = [panel for panel in PANELS if panel["type"] != "row"]
VARIABLES = {each["name"]: each for each in DASHBOARD["templating"]["list"]}

# What Prometheus adds to every sample that it collects.
COLLECTED = {"instance", "job", "__name__"}
WORDS = {"and", "by", "max", "min", "offset", "sum", "time"}


def exported():
    """Return the metrics that leadline writes, each with its labels."""
    missing = MissingFigure(
        point=1, benchmark="mpi/pingpong", mpi="mpich", nodes=1, processes_per_node=2, processes=2,
        reason="failed", axes={"bytes": 8}, settings={}, bytes=8,
    )  # fmt: skip
    suspect = Suspect(kind="node", name="h3", figure="bandwidth", ratio=1.3, probability=1.0,
                      is_new=True)  # fmt: skip
    slower = WatchedFigure(name="f", said="slower", ratio=1.5, chance=0.0, fresh_ratio=1.4,
                           fresh_launches=6, old_mpi="old", old_ratio=1.3)  # fmt: skip
    measured = analysis(MEASURED, figure(IMPORTED, mpi="other"))
    texts = (
        export("prometheus").write(a_run(), msgspec.structs.replace(measured, missing=(missing,))),
        screen_text(Screen(run="r", nodes=("a", "b"), rounds=7, seconds=12.5, suspects=(suspect,))),
        night_text(WatchedNight(summary="", figures=(slower,)), "quick"),
    )
    found = {}
    for text in texts:
        for family in parser.text_string_to_metric_families(text):
            for sample in family.samples:
                found.setdefault(sample.name, set()).update(sample.labels)
    return found


EXPORTED = exported()


def queries():
    for panel in DRAWN:
        for target in panel["targets"]:
            yield target["expr"], target["legendFormat"]
    for variable in VARIABLES.values():
        if variable["type"] == "query":
            yield variable["query"]["query"], ""


def faults(query, legend=""):
    """Return what of a query or its legend leadline does not export."""
    text = query
    if values := re.fullmatch(r"label_values\((.+), (\w+)\)", query):
        text, legend = values[1], f"{{{{{values[2]}}}}}"
    found, known = [], []
    grouped = {name for inner in re.findall(r"by \(([^)]*)\)", text) for name in inner.split(", ")}
    text = re.sub(r"by \([^)]*\)", "by ", text)
    # A name, and in braces what its labels must be.
    for name, chosen in re.findall(r"(?<![\w\"$])([a-z_]\w*)?(\{[^}]*\})?", text):
        matchers = dict(re.findall(r'(\w+)=~?"([^"]*)"', chosen))
        metrics = [name] if name else matchers.get("__name__", "").split("|")
        for metric in filter(None, metrics):
            if metric in WORDS or re.fullmatch(r"\d+[smhdw]", metric):
                continue
            if metric not in EXPORTED:
                found.append(metric)
                continue
            known.append(metric)
            found += [f"{metric}{{{label}}}" for label in set(matchers) - labels_of(metric)]
        found += [value for value in matchers.values()
                  if value.startswith("$") and value[1:] not in VARIABLES]  # fmt: skip
    shown = set(re.findall(r"\{\{(\w+)\}\}", legend)) | grouped
    found += [f"{metric}{{{label}}}" for metric in known for label in shown - labels_of(metric)]
    return found if known else [*found, f"no metric in {query}"]


def labels_of(metric):
    return EXPORTED[metric] | COLLECTED


@pytest.mark.parametrize(("query", "legend"), list(queries()))
def test_a_query_asks_for_what_is_exported(query, legend):
    assert faults(query, legend) == []


@pytest.mark.parametrize(
    ("query", "legend"),
    [
        ("leadline_screen_suspected", ""),
        ('sum(leadline_screen_nodes{switch="a"})', ""),
        ("leadline_watch_alarm == 1 and leadline_watch_alarms", ""),
        ("sum by (kind, node) (leadline_findings)", ""),
        ("leadline_screen_suspect_ratio", "{{kind}} {{node}}"),
        ("label_values(leadline_run_complete, host)", ""),
        ('leadline_watch_alarm{plan=~"$plan"}', ""),
        ('label_values({__name__=~"leadline_screen_nodes|leadline_nights"}, instance)', ""),
        ("up", ""),
    ],
)
def test_what_is_not_exported_would_be_seen(query, legend):
    assert faults(query, legend)


def test_every_metric_of_nights_and_suspects_is_looked_at():
    asked = " ".join(query for query, _ in queries())
    for metric in EXPORTED:
        if metric.startswith(("leadline_watch_again", "leadline_watch_alarm", "leadline_screen_s")):
            assert metric in asked or metric == "leadline_screen_seconds"


def test_panels_lie_beside_each_other():
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
    taken = set()
    for panel in PANELS:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        across = range(place["x"], place["x"] + place["w"])
        cells = set(itertools.product(across, range(place["y"], place["y"] + place["h"])))
        assert len(cells) == place["w"] * place["h"] > 0
        assert not taken & cells, panel["title"]
        taken |= cells


def test_every_panel_says_what_it_shows_and_takes_the_chosen_prometheus():
    assert re.fullmatch(r"[a-z-]{8,40}", DASHBOARD["uid"])
    assert DASHBOARD["schemaVersion"] >= 36
    assert "id" not in DASHBOARD
    assert VARIABLES["datasource"]["type"] == "datasource"
    chosen = {"type": VARIABLES["datasource"]["query"], "uid": "${datasource}"}
    sources = [each["datasource"] for each in VARIABLES.values() if each["type"] == "query"]
    for panel in DRAWN:
        assert panel["title"] and panel["description"].endswith(".")
        assert not any("datasource" in target for target in panel["targets"])
        sources.append(panel["datasource"])
        references = [each["refId"] for each in panel["targets"]]
        assert len(set(references)) == len(references) > 0
    assert all(source == chosen for source in sources)


def lost(before, after, name=""):
    """Return what of a document is another one in a copy, to which defaults may be added."""
    if isinstance(before, dict):
        return [
            each
            for key, value in before.items()
            for each in (lost(value, after[key], key) if key in after else [(key, value)])
        ]
    if isinstance(before, list) and len(before) == len(after):
        return [each for pair in zip(before, after, strict=True) for each in lost(*pair, name)]
    return [] if before == after else [(name, before)]


def test_grafanas_own_library_knows_every_field():
    pytest.importorskip("grafana_foundation_sdk", reason="needs grafana-foundation-sdk")
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.cog.plugins import register_default_plugins
    from grafana_foundation_sdk.models.dashboard import Dashboard

    def again(dashboard):
        return json.loads(JSONEncoder().encode(Dashboard.from_json(copy.deepcopy(dashboard))))

    register_default_plugins()
    assert lost(DASHBOARD, again(DASHBOARD)) == []
    wrong = copy.deepcopy(DASHBOARD)
    level = next(panel for panel in wrong["panels"] if panel["type"] == "timeseries")
    level["fieldConfig"]["defaults"]["custom"]["lineWidht"] = 1
    assert [name for name, _ in lost(wrong, again(wrong))] == ["lineWidht"]
