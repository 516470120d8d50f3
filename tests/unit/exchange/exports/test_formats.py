"""Each format is read again by the tool that it is for, or by the rules of its documents."""

import csv
import io
import json
import re

import pytest
from exports_examples import HOSTILE, IMPORTED, MEASURED, a_run, analysis, figure, sized

from leadline.exchange.exports import export, names
from leadline.exchange.exports.figures import figure_names, quantities
from leadline.exchange.exports.formats import ResultExport, SampleExport


def written(name, run, found):
    return export(name).write(run, found)


def test_every_format_says_what_it_writes():
    kinds = {name: type(export(name)) for name in names()}
    assert set(kinds.values()) == {SampleExport, ResultExport}
    assert all(export(name).title for name in kinds)
    assert [name for name, kind in kinds.items() if kind is SampleExport] == [
        "csv",
        "json",
        "parquet",
    ]


@pytest.mark.parametrize("name", [n for n in names() if isinstance(export(n), ResultExport)])
def test_every_format_copes_with_any_run_and_changes_nothing(name, any_run):
    once, again = written(name, *any_run), written(name, *any_run)
    assert once == again and once.endswith("\n")
    assert "NaN" not in once and "Infinity" not in once


def test_tables_have_a_row_a_figure(any_run):
    run, found = any_run
    rows = json.loads(written("figures-json", run, found))
    cells = list(csv.DictReader(io.StringIO(written("figures-csv", run, found), newline="")))
    assert len(rows) == len(cells) == len(found.points)
    for row, cell, point in zip(rows, cells, found.points, strict=True):
        assert list(row) == list(cell)
        assert row["median_s"] == float(cell["median_s"]) == point.median_s
        assert row["launch_medians_s"] == list(point.launch_medians_s)
        assert [float(s) for s in cell["launch_medians_s"].split()] == row["launch_medians_s"]
        for name, value in point.axes.items():
            assert row[f"axis_{name}"] == value and cell[f"axis_{name}"] == str(value)


def test_a_column_that_one_figure_has_is_empty_for_the_others():
    found = analysis(MEASURED, figure(axes={"bytes": 8, "algorithm": "ring"}))
    first, second = json.loads(written("figures-json", a_run(), found))
    assert (first["axis_algorithm"], second["axis_algorithm"]) == (None, "ring")
    assert (first["axis_mode"], second["axis_mode"]) == ("blocking", None)


def test_lines_are_a_name_a_value_and_a_unit(any_run):
    run, found = any_run
    first, *lines = written("lines", run, found).splitlines()
    assert first.startswith("# leadline 0.1.0, ")
    parsed = [re.fullmatch(r"(\S+): (\S+) (\S+)", line).groups() for line in lines]
    values = {name: (float(value), unit) for name, value, unit in parsed}
    assert len(values) == len(lines)
    assert values["leadline/complete"] == (1, "1")
    assert values["leadline/figures"] == (len(found.points), "1")
    for name, point in zip(figure_names(found.points), found.points, strict=True):
        for quantity, number in quantities(point).items():
            assert values[f"{name}/{quantity}"] == number


def test_lines_say_what_is_wrong_with_a_run():
    from leadline.model.run import Outcome

    run = a_run(outcome=Outcome(state="incomplete"))
    lines = written("lines", run, analysis(MEASURED, figure(verified=False))).splitlines()
    assert {"leadline/complete: 0 1", "leadline/unverified: 1 1"} <= set(lines)


def parsed(text):
    parser = pytest.importorskip("prometheus_client.parser", reason="needs prometheus-client")
    families = list(parser.text_string_to_metric_families(text))
    assert len({family.name for family in families}) == len(families)
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def test_prometheus_reads_every_figure_once(any_run):
    run, found = any_run
    text = written("prometheus", run, found)
    samples = parsed(text)
    lines = [line for line in text.splitlines() if line[0] != "#"]
    assert len(samples) == len(lines)
    for name, labels in samples:
        assert re.fullmatch("leadline_[a-z0-9_]+", name)
        assert all(re.fullmatch("(?!__)[A-Za-z_][A-Za-z0-9_]*", label) for label, _ in labels)
    medians = [value for (name, _), value in samples.items() if "_verified" in name]
    assert len(medians) == len(found.points)


def test_prometheus_has_base_units_and_labels_of_what_was_chosen():
    samples = parsed(written("prometheus", a_run(), analysis(MEASURED)))
    labels = frozenset(
        {
            "benchmark": "mpi/pingpong",
            "series": "one-way",
            "mpi": "mpich-5.0.2",
            "placement": "1x2",
            "bytes": "8",
            "mode": "blocking",
            "cache": "warm",
        }.items()
    )
    for name, value in {
        "median_seconds": 2e-6,
        "ci95_high_seconds": 3e-6,
        "bandwidth_bytes_per_second": 4e6,
        "message_rate_per_second": 1e6,
        "flow_bytes": 2 * 2**20,
        "swapped_fraction": 0.25,
        "launches": 3,
        "verified": 1,
    }.items():
        assert samples[f"leadline_operation_{name}", labels] == value
    assert samples["leadline_run_start_timestamp_seconds", frozenset()] == 1795246212
    kinds = frozenset({"kind": "heavy_tail", "severity": "notice"}.items())
    assert samples["leadline_findings", kinds] == 2


def test_prometheus_keeps_every_character_of_a_label():
    found = analysis(figure(mpi=HOSTILE))
    labels = [dict(labels) for _, labels in parsed(written("prometheus", a_run(), found))]
    assert HOSTILE in {each.get("mpi") for each in labels}


def test_google_benchmark_has_a_repetition_a_launch():
    document = json.loads(written("google-benchmark", a_run(), analysis(*sized(8, 64))))
    assert document["context"]["host_name"] == "node17"
    assert document["context"]["mhz_per_cpu"] == 2500
    first = [entry for entry in document["benchmarks"] if entry["family_index"] == 0]
    assert [(entry["run_type"], entry["real_time"]) for entry in first] == [
        ("iteration", pytest.approx(1000)),
        ("iteration", pytest.approx(2000)),
        ("iteration", pytest.approx(3000)),
        ("aggregate", pytest.approx(2000)),
    ]
    assert {entry["time_unit"] for entry in first} == {"ns"}
    assert [entry["bytes_per_second"] for entry in first] == pytest.approx([8e6, 4e6, 8e6 / 3, 4e6])
    assert [entry["repetition_index"] for entry in first[:-1]] == [0, 1, 2]
    assert first[-1]["name"] == first[0]["name"] + "_median"


def test_google_benchmark_has_no_median_of_one_launch():
    one = analysis(figure(launch_medians_s=(2e-6,)))
    document = json.loads(written("google-benchmark", a_run(), one))
    assert [entry["run_type"] for entry in document["benchmarks"]] == ["iteration"]


def test_pyperf_reads_a_run_a_launch(tmp_path, any_run):
    pyperf = pytest.importorskip("pyperf", reason="needs pyperf")
    run, found = any_run
    path = tmp_path / "figures.json"
    path.write_text(written("pyperf", run, found))
    if not found.points:
        return
    suite = pyperf.BenchmarkSuite.load(str(path))
    for name, point in zip(figure_names(found.points), found.points, strict=True):
        benchmark = suite.get_benchmark(name)
        assert benchmark.get_unit() == "second"
        assert benchmark.get_values() == (point.launch_medians_s or (point.median_s,))
        assert len(benchmark.get_runs()) == len(benchmark.get_values())
        assert benchmark.get_metadata().get("mpi", "") == " ".join(point.mpi.split())


def test_pyperf_gets_no_time_of_zero():
    found = analysis(figure(launch_medians_s=(0.0, 1e-6)), *sized(64))
    document = json.loads(written("pyperf", a_run(), found))
    assert len(document["benchmarks"]) == 1


def test_the_action_gets_one_entry_a_figure():
    found = analysis(*sized(8, 64), IMPORTED)
    entries = json.loads(written("github-action-benchmark", a_run(), found))
    assert [entry["name"] for entry in entries] == figure_names(found.points)
    assert [(entry["value"], entry["unit"]) for entry in entries] == [
        (pytest.approx(2), "us"),
        (pytest.approx(2), "us"),
        (pytest.approx(5), "us"),
    ]
    assert [entry.get("range") for entry in entries] == ["1.00 us to 3.00 us"] * 2 + [None]
    assert entries[0]["extra"] == "median of 3 launches"
    assert entries[-1]["extra"] == "mean of 1 launch"
