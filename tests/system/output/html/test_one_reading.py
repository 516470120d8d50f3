"""Samples are read once: analysis and report look at each point together."""

from collections import Counter

import msgspec
import pytest
from example_run import MadeUpSamples, example_run
from measured import Measured
from more_panels import NoisySamples, noisy_run

from leadline.analysis.findings.conclude import conclude
from leadline.analysis.samples import analyse_samples, read_points
from leadline.output.html.charts import panels_with_data, sample_collector
from leadline.output.html.html import render
from leadline.store.samples import StoredSamples


class Counted:
    """A source that counts how often each point is asked for."""

    def __init__(self, source):
        self._source = source
        self.counts = Counter()

    def columns(self, point):
        self.counts[point] += 1
        return self._source.columns(point)


@pytest.mark.parametrize("kind", ["example", "noise"])
def test_a_report_asks_for_each_point_once(kind):
    run = example_run()
    source = Counted(MadeUpSamples(run))
    if kind == "noise":
        run, source = noisy_run(run), Counted(NoisySamples())
    kept = sample_collector(run)
    page = render(run, conclude(run, source, collectors=[kept]), kept)
    assert source.counts == dict.fromkeys((point.index for point in run.points), 1)
    assert len(page) > 1000


def test_a_stored_run_is_one_query_a_batch(tmp_path, monkeypatch):
    made = Measured(tmp_path / "runs", points=6, samples=40)
    made.launch(0)
    folder = made.finish()
    queries = []
    plain = StoredSamples._batch

    def counted(self, points):
        queries.append(points)
        return plain(self, points)

    monkeypatch.setattr(StoredSamples, "_batch", counted)
    run = folder.read()
    kept = sample_collector(run)
    analysis = conclude(run, StoredSamples(folder), collectors=[kept])
    drawn = panels_with_data(run, analysis, kept)
    assert sum(len(panel.data["distribution"]) for panel in drawn) == len(analysis.points) == 12
    assert len(queries) == 1


def test_what_is_kept_does_not_grow_with_the_samples():
    """Ten times the repetitions, hardly more bytes kept."""

    class More(MadeUpSamples):
        def columns(self, point):
            columns = super().columns(point)
            times = 10
            size = len(columns["seconds"])
            return {
                name: values.repeat(times) if name != "repetition" else _numbered(values, times)
                for name, values in columns.items()
                if len(values) == size
            }

    def _numbered(values, times):
        import numpy as np

        return values.repeat(times) * times + np.tile(np.arange(times), len(values))

    def kept_bytes(source):
        run = example_run()
        kept = sample_collector(run)
        analysis = analyse_samples(run, source(run), [kept])
        rows = [
            kept.of(plot, figure)
            for plot in ("distribution", "calls", "pair_matrix")
            for figure in analysis.points
        ]
        return len(msgspec.json.encode(rows))

    assert kept_bytes(More) < 2 * kept_bytes(MadeUpSamples)


def test_ranks_that_only_work_come_first():
    run = noisy_run(example_run())
    work = run.points[0]
    other = msgspec.structs.replace(work, index=1, benchmark="mpi/barrier")
    both = msgspec.structs.replace(
        run, points=[other, work], benchmarks=[*run.benchmarks, example_run().benchmarks[2]]
    )
    seen = list(read_points(both, NoisySamples()))
    assert [each.point.index for each in seen] == [0, 1]
    assert seen[0].noise is not None and seen[1].noise is seen[0].noise
