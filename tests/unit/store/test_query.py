import math
from io import BytesIO

import pytest

from leadline.core.errors import UserError
from leadline.store.query import Rows, query, write_csv, write_json


def rows(runs, sql):
    return [row for batch in query(runs, sql).batches for row in batch]


def test_a_query_sees_all_runs(measured):
    names = []
    for launches in (1, 2):
        made = measured(points=2, samples=10)
        for launch in range(launches):
            made.launch(launch)
        names.append(made.finish().name)
    runs = made.folder.path.parent
    assert rows(runs, "SELECT run, count(*) FROM samples GROUP BY run ORDER BY run") == [
        (names[0], 20),
        (names[1], 40),
    ]
    points = f"SELECT launch, point, bytes FROM points WHERE run = '{names[1]}' ORDER BY ALL"
    assert rows(runs, points) == [(0, 0, 1), (0, 1, 2), (1, 0, 1), (1, 1, 2)]
    assert rows(runs, "SELECT state, launches, finished FROM runs ORDER BY run") == [
        ("complete", 1, 2),
        ("complete", 2, 2),
    ]
    assert rows(runs, "SELECT median(seconds) FROM samples s JOIN runs USING (run)")[0][0] > 0


def test_the_views_are_there_before_the_first_run(tmp_path):
    for view in ("samples", "points", "runs"):
        assert rows(tmp_path / "none", f"SELECT count(*) FROM {view}") == [(0,)]
    assert query(tmp_path, "SELECT run, seconds FROM samples").names == ("run", "seconds")


def test_a_run_that_cannot_be_read_is_in_the_runs(measured):
    folder = measured().finish()
    (folder.path / "run.json").write_text("{")
    found = rows(folder.path.parent, "SELECT run, state, message FROM runs")
    assert found[0][:2] == (folder.name, "unreadable")
    assert "is damaged" in found[0][2]


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("SELECT nothing FROM samples", "nothing"),
        ("SELECT * FROM nowhere", "nowhere"),
        ("DROP TABLE runs", "a query is one SELECT"),
        ("DELETE FROM runs", "a query is one SELECT"),
        ("COPY runs TO 'FILE'", "a query is one SELECT"),
        ("ATTACH 'FILE'", "a query is one SELECT"),
        ("SELECT 1; SELECT 2", "a query is one SELECT"),
        ("", "a query is one SELECT"),
        ("SELECT error('stop' || run) FROM runs", "stop"),
    ],
)
def test_what_is_not_one_select_is_refused_in_one_line(measured, tmp_path, sql, words):
    runs = measured().finish().path.parent
    target = tmp_path / "file"
    with pytest.raises(UserError) as error:
        rows(runs, sql.replace("FILE", str(target)))
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert not target.exists()


def test_a_table_that_is_damaged_is_named(measured):
    folder = measured().finish()
    folder.parquet.write_bytes(b"nonsense")
    found = query(folder.path.parent, "SELECT * FROM samples")
    assert list(found.batches) == []
    (line,) = found.left_out
    assert line.startswith(f"{folder.name} is left out: samples.parquet is no Parquet file")


def test_json_never_holds_nan():
    stream = BytesIO()
    write_json(Rows(("a", "b"), iter([[(math.nan, "x"), (1.5, None)], [(math.inf, "é")]])), stream)
    assert stream.getvalue().decode() == (
        '[\n{"a":null,"b":"x"},\n{"a":1.5,"b":null},\n{"a":null,"b":"é"}\n]\n'
    )
    stream = BytesIO()
    write_json(Rows(("a",), iter([])), stream)
    assert stream.getvalue() == b"[]\n"


def test_csv_quotes_what_needs_it():
    stream = BytesIO()
    write_csv(Rows(("a", "b"), iter([[(1e-9, "x,y"), (None, "é")]])), stream)
    assert stream.getvalue().decode() == 'a,b\n1e-09,"x,y"\n,é\n'
    stream.write(b"still open")
