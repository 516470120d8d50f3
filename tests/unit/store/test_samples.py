import duckdb
import msgspec
import numpy as np
import pytest

from leadline.core.errors import UserError
from leadline.store.samples import StoredSamples

NAMES = ("launch", "repetition", "rank", "peer", "batch", "series", "flags", "seconds",
         "begin", "waited", "page_faults")  # fmt: skip

BOTH = pytest.mark.parametrize("finished", [True, False], ids=["from parquet", "from launches"])


def expected(made, point, launches):
    found = []
    for launch in launches:
        order = [p.index for p in made.run.points][:: -1 if launch % 2 else 1]
        table = made.records(launch, order)
        found.append(table[table["point"] == point])
    columns = {name: np.concatenate([t[name] for t in found]) for name in NAMES[1:]}
    return {"launch": np.repeat(launches, made.samples), **columns}


@BOTH
@pytest.mark.parametrize("together", [1, 2**18], ids=["one by one", "all together"])
def test_every_sample_of_a_finished_point_comes_back_in_order(
    measured, finished, together, monkeypatch
):
    monkeypatch.setattr("leadline.store.samples._TOGETHER", together)
    made = measured(points=3)
    made.launch(0)
    made.launch(1, cut_after=1)  # visits point 2 first, is cut in point 1
    later = list(range(2, 10))
    for launch in later:
        made.launch(launch)
    if finished:
        made.finish()
    source = StoredSamples(made.folder)
    for point, launches in ((0, [0, *later]), (1, [0, *later]), (2, [0, 1, *later])):
        found, wanted = source.columns(point), expected(made, point, launches)
        assert tuple(found) == NAMES
        for name in NAMES:
            np.testing.assert_array_equal(found[name], wanted[name], err_msg=name)
        assert found["seconds"].dtype == np.float64
    assert {name: len(values) for name, values in source.columns(99).items()} == dict.fromkeys(
        NAMES, 0
    )


@BOTH
def test_a_time_that_is_no_number_stays_none(measured, finished, monkeypatch):
    made = measured(points=1)
    records = made.records

    def spoilt(launch, points):
        table = records(launch, points)
        table["seconds"][3] = np.nan
        return table

    monkeypatch.setattr(made, "records", spoilt)
    made.launch(0)
    if finished:
        made.finish()
    found = np.asarray(StoredSamples(made.folder).columns(0)["seconds"])
    assert np.flatnonzero(np.isnan(found)).tolist() == [3]


@BOTH
def test_samples_that_no_finished_point_owns_are_in_no_figure(measured, finished):
    made = measured(points=3)
    path = made.launch(0, known=False)
    lines = (path / "events.jsonl").read_text().splitlines(keepends=True)
    failed = [line for line in lines if '"event": "point", "point": 1' not in line]
    (path / "events.jsonl").write_text("".join(failed))
    made.note(0)
    made.launch(1, known=False)
    made.note(1)
    rejected = msgspec.structs.replace(made.run.launches[1], points=())
    made.run.launches[1] = rejected  # such as a probe that ran on another MPI
    made.folder.write(made.run)
    if finished:
        made.finish()
        assert (path / "samples.bin").exists()
        assert made.folder.launch_path(1).joinpath("samples.bin").exists()
    source = StoredSamples(made.folder)
    assert [len(source.columns(point)["seconds"]) for point in range(3)] == [10, 0, 10]
    wanted = expected(made, 2, [0])
    np.testing.assert_array_equal(source.columns(2)["seconds"], wanted["seconds"])


def test_a_run_that_never_launched_has_no_samples(measured):
    made = measured()
    for folder in (made.folder, made.finish(state="failed")):
        assert len(StoredSamples(folder).columns(0)["seconds"]) == 0


def test_the_table_has_the_promised_columns(measured):
    made = measured(points=2, samples=4)
    made.launch(0)
    made.launch(1)
    folder = made.finish()
    rows = duckdb.sql(f"SELECT * FROM read_parquet('{folder.parquet}')")
    assert rows.columns == [
        "run", "launch", "point", "benchmark", "variant", "series", "mpi", "bytes", "processes",
        "nodes", "processes_per_node", "rank", "peer", "repetition", "seconds", "batch", "flags",
        "series_index", "begin_s", "waited_s", "page_faults",
    ]  # fmt: skip
    assert rows.fetchall()[11] == (
        folder.name, 1, 1, "test/ping", "cache=warm,mode=blocking", "receiver", "mpich", 2, 2, 1,
        2, 1, 0, 1, pytest.approx(2.003e-6), 4, 0b100010, 1,
        pytest.approx(0.503), 0.25, 3,
    )  # fmt: skip


@BOTH
def test_what_an_earlier_probe_did_not_record_is_not_made_up(measured, finished):
    made = measured(points=2, samples=4, earlier=True)
    made.launch(0)
    if finished:
        made.finish()
        rows = duckdb.sql(f"SELECT begin_s, waited_s, page_faults FROM '{made.folder.parquet}'")
        assert set(rows.fetchall()) == {(None, None, None)}
    found = StoredSamples(made.folder).columns(1)
    assert np.isnan(found["begin"]).all() and np.isnan(found["waited"]).all()
    assert found["page_faults"].tolist() == [0, 0, 0, 0]


def test_a_table_of_an_earlier_leadline_is_read(measured):
    made = measured(points=2, samples=4)
    made.launch(0)
    folder = made.finish()
    later = folder.parquet.with_suffix(".earlier")
    duckdb.sql(
        f"COPY (SELECT * EXCLUDE (begin_s, waited_s, page_faults) FROM '{folder.parquet}') "
        f"TO '{later}' (FORMAT parquet)"
    )
    later.replace(folder.parquet)
    found = StoredSamples(folder).columns(1)
    assert len(found["seconds"]) == 4
    assert np.isnan(found["begin"]).all() and found["page_faults"].tolist() == [0, 0, 0, 0]


def test_the_order_of_recording_survives_many_windows(measured, monkeypatch):
    monkeypatch.setattr("leadline.store.parquet._WINDOW", 7)
    made = measured(points=3, samples=50)
    made.launch(0)
    made.launch(1)
    folder = made.finish()
    for point in range(3):
        found, wanted = StoredSamples(folder).columns(point), expected(made, point, [0, 1])
        np.testing.assert_array_equal(found["seconds"], wanted["seconds"])


def test_a_table_that_is_not_one_is_refused_in_one_line(measured):
    folder = measured().finish()
    folder.parquet.write_bytes(folder.parquet.read_bytes()[:-9])
    with pytest.raises(UserError, match=r"samples\.parquet is damaged") as error:
        StoredSamples(folder).columns(0)
    assert "\n" not in str(error.value)
