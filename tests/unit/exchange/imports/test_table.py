"""CSV with a mapping: figures, tables and limits in their units, and what is damaged named."""

import math
import re

import pytest
from checkout import CHECKOUT

from leadline.core.errors import UserError
from leadline.exchange.imports import mapping
from leadline.exchange.imports.collect import import_files
from leadline.exchange.imports.results import bytes_per_second

DATASETS = CHECKOUT / "datasets"

HEADING = "lib,procs,words,ms,rate\n"
MAPPING = """
benchmark = "some/exchange"
mpi = { column = "lib", values = { a = "Library A" } }
processes = { column = "procs" }
nodes = 2
size = { column = "words", unit = "B", each = 8 }
"""
TIMES = '[[values]]\ncolumn = "ms"\nunit = "ms"\n'


@pytest.fixture
def read(tmp_path):
    """Import a table with its mapping beside it."""

    def make(mapping, table, **options):
        (tmp_path / "x.toml").write_text(mapping)
        (tmp_path / "x.csv").write_text(table)
        return import_files([tmp_path / "x.csv"], **options)

    return make


def test_a_row_becomes_a_figure_in_seconds_and_bytes(read):
    run = read(MAPPING + TIMES, HEADING + "a,4,1000,2.5,\n")
    (figure,) = run.imported.figures
    assert (figure.benchmark, figure.mpi, figure.series) == ("some/exchange", "Library A", "time")
    assert (figure.processes, figure.nodes, figure.processes_per_node) == (4, 2, 2)
    assert (figure.bytes, figure.axes) == (8000, {"bytes": 8000})
    assert figure.median_s == pytest.approx(0.0025)
    assert figure.bandwidth_MBps == pytest.approx(8000 / 0.0025 / 1e6)
    assert (figure.samples, figure.interval, figure.statistic) == (0, None, "single")
    assert run.outcome.state == "complete"


@pytest.mark.parametrize(
    ("unit", "bytes_per_s"),
    [("MB/s", 1e6), ("MiB/s", 2**20), ("Mbit/s", 125e3), ("Mibit/s", 2**17), ("Gbit/s", 125e6)],
)
def test_units_of_rates(unit, bytes_per_s):
    assert bytes_per_second(1, unit) == bytes_per_s


def test_a_rate_gives_the_time_of_what_was_moved(read):
    moved = '[[values]]\ncolumn = "rate"\nunit = "Mbit/s"\nmoved = [2, "bytes", "log2 processes"]\n'
    (figure,) = read(MAPPING + moved, HEADING + "a,8,1000,,100\n").imported.figures
    assert figure.median_s == pytest.approx(2 * 8000 * 3 * 8 / 100e6)
    assert figure.bandwidth_MBps == pytest.approx(12.5)


def test_ticks_of_a_clock(read):
    ticks = '[[values]]\ncolumn = "ms"\nunit = "ticks"\nclock_hz = 150e6\n'
    (figure,) = read(MAPPING + ticks, HEADING + "a,4,1,1272,\n").imported.figures
    assert figure.median_s == pytest.approx(8.48e-6)


def test_several_columns_are_several_figures_of_their_own_choices(read):
    mapping = (
        'place = "2x1"\n[axes.machine]\ndefault = "old"\n'
        '[[values]]\ncolumn = "o"\nunit = "s"\nseries = "step"\naxes = { machine = "old" }\n'
        '[[values]]\ncolumn = "n"\nunit = "s"\nseries = "step"\naxes = { machine = "new" }\n'
    )
    run = read(mapping, "o,n\n4,2\n")
    assert [(one.axes["machine"], one.median_s) for one in run.imported.figures] == [
        ("old", 4),
        ("new", 2),
    ]
    (benchmark,) = run.benchmarks
    (axis,) = benchmark.axes
    assert (axis.name, axis.default, axis.choices) == ("machine", "old", ("old", "new"))


def test_intervals_and_tails_that_were_printed(read):
    more = TIMES + 'low = "low"\nhigh = "high"\np99 = "tail"\nstatistic = "median"\n'
    (figure,) = read(
        MAPPING + more, "lib,procs,words,ms,low,high,tail\na,4,1,2,1.9,2.2,5\n"
    ).imported.figures
    assert figure.interval == pytest.approx((0.0019, 0.0022))
    assert figure.p99_s == pytest.approx(0.005) and figure.statistic == "median"


def test_damaged_rows_are_named_and_the_others_kept(read):
    table = (
        HEADING + "a,4,10,1,\na,4,ten,1,\na,4,20\na,5,30,1,\na,4,40,oops,\na,4,50,1,\na,4,60,nan,\n"
    )
    run = read(MAPPING + TIMES, table)
    assert [one.bytes for one in run.imported.figures] == [80, 400]
    told = {remark.line: remark.text for remark in run.imported.remarks}
    assert sorted(told) == [3, 4, 5, 6, 8]
    assert "words is 'ten'" in told[3] and "3 cells" in told[4] and "5 processes" in told[5]
    assert run.outcome.state == "incomplete" and ":3:" in run.outcome.message


@pytest.mark.parametrize("cell", ["1e-320", "1e300", "inf", "-1"])
def test_what_nobody_can_measure_is_damage(read, cell):
    run = read(MAPPING + TIMES, HEADING + f"a,4,10,{cell},\na,4,20,1,\n")
    assert [one.bytes for one in run.imported.figures] == [160]
    assert [remark.line for remark in run.imported.remarks] == [2]


def test_an_empty_cell_is_no_figure_and_no_damage(read):
    run = read(MAPPING + TIMES, HEADING + "# a remark\na,4,10,,\n")
    assert run.imported.figures == () and run.imported.remarks == ()


def test_limits_and_tables(read):
    more = (
        '[[bounds]]\nvalue = 10\nunit = "Gbit/s"\nwhere = "network"\nsource = "maker"\n'
        '[[tables]]\nname = "t"\ntitle = "T"\ncolumns = [{ column = "lib", role = "machine" }, '
        '{ column = "ms", unit = "ms" }]\n'
    )
    imported = read(MAPPING + more, HEADING + "a,4,10,1.5,\nb,4,10,,\n").imported
    assert imported.bounds[0].value == pytest.approx(1250)
    assert imported.tables[0].rows == (("a", 1.5), ("b", None))
    assert [column.role for column in imported.tables[0].columns] == ["machine", ""]


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ("benchmark = [", "not TOML"),
        ("bench = 'x'\n" + TIMES, "bench"),
        (
            '[[values]]\ncolumn = "ms"\nunit = "parsec"\n',
            "unit in [[values]] 1 is 'parsec': there is ms",
        ),
        ('[[values]]\ncolumn = "no"\nunit = "s"\n', "no column 'no'"),
        ('[[values]]\ncolumn = "ms"\nunit = "ticks"\n', "clock_hz"),
        ('[[values]]\ncolumn = "ms"\nunit = "s"\naxes = { way = "x" }\n', "[axes.way]"),
        ("processes = 4\n" + TIMES, "two of"),
        ("delimiter = ''\n" + TIMES, "delimiter"),
        ("", "takes no column"),
        (TIMES + "[metrics.m]\nunit = 'percent'\n", "metric 'm'"),
    ],
)
def test_a_wrong_mapping_is_one_line_that_names_it(read, mapping, words):
    with pytest.raises(UserError) as caught:
        read(mapping, HEADING + "a,4,10,1,\n")
    text = str(caught.value)
    assert "x.toml" in text and words in text and "\n" not in text


def test_a_table_without_a_mapping_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text(HEADING)
    with pytest.raises(UserError, match="mapping"):
        import_files([tmp_path / "x.csv"])
    with pytest.raises(UserError, match=r"x\.toml"):
        import_files([tmp_path / "x.csv"], form="csv")
    with pytest.raises(UserError, match="cannot be read"):
        import_files([tmp_path / "x.csv"], mapping=tmp_path / "none.toml")


def test_a_copy_of_a_published_table_needs_no_mapping(tmp_path):
    name = "waseda-pingpong-score.csv"
    (tmp_path / name).write_text((DATASETS / name).read_text())
    assert len(import_files([tmp_path / name]).imported.figures) == 99
    (tmp_path / name).write_text("another,heading\n1,2\n")
    with pytest.raises(UserError, match="mapping"):
        import_files([tmp_path / name])


def test_an_empty_table_is_refused(read):
    with pytest.raises(UserError, match="empty"):
        read(MAPPING + TIMES, "")


def test_every_published_table_is_read_whole():
    paths = sorted(DATASETS.glob("*.csv"))
    assert len(paths) == 11
    figures = {path.stem: len(import_files([path]).imported.figures) for path in paths}
    assert figures["arsc-shmem-put-1997"] == 56 and figures["waseda-pingpong-score"] == 99
    assert figures["chic-global-sum-2007"] == 48 and figures["chemnitz-machines"] == 0
    assert figures["chic-fem2d-parallel-2007"] == 34 and figures["arsc-hydrology-mpi-1997"] == 20
    for path in paths:
        imported = import_files([path]).imported
        assert imported.remarks == () and imported.source
        assert all(math.isfinite(one.median_s) for one in imported.figures)


def test_the_global_sum_has_the_time_that_its_rate_was_made_of():
    figures = import_files([DATASETS / "chic-global-sum-2007.csv"]).imported.figures
    # Rate = 8 * 2 n L / t with n = 4, L = 16 MiB: t = 8 * 2 * 4 * 16 / 9309 s.
    first = next(one for one in figures if one.axes["algorithm"] == "recursive_doubling")
    assert first.median_s == pytest.approx(8 * 2 * 4 * 16 / 9309)
    assert first.bytes == 16 * 2**20


PAGE = (CHECKOUT / "docs" / "reference" / "import-table.md").read_text()


def test_the_example_of_the_page_is_one(tmp_path):
    table, written = re.findall(r"^```\n(.*?)^```$", PAGE, re.M | re.S)
    (tmp_path / "exchange.csv").write_text(table)
    (tmp_path / "exchange.toml").write_text(written)
    imported = import_files([tmp_path / "exchange.csv"]).imported
    first, second = imported.figures
    assert (first.mpi, first.nodes, first.median_s) == ("Library A", 2, 0.0005)
    assert second.bytes == 8000 and imported.bounds[0].value == 1250
    assert imported.remarks == ()


@pytest.mark.parametrize("part", [mapping.Mapping, mapping.Measure, mapping.Size, mapping.Axis])
def test_the_page_names_every_key(part):
    named = set(re.findall(r"[a-z_0-9]+", PAGE))
    assert set(part.__struct_fields__) - {"delimiter", "summary"} <= named
