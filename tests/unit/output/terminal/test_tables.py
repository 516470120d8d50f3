"""Tables of published measurements, filled in from made-up runs whose figures are known."""

import msgspec
import pytest
from checkout import CHECKOUT
from figures import flat

from leadline.analysis.findings import conclude
from leadline.core.errors import UserError
from leadline.exchange.imports.collect import import_files
from leadline.model.description import Axis, Benchmark, Processes, Series
from leadline.model.plan import Plan
from leadline.model.run import Outcome, Run
from leadline.model.summary import Analysis
from leadline.output.terminal.table import lines
from leadline.output.terminal.tables import TABLE_NAMES, run_table
from leadline.output.terminal.tables.choices import choices
from leadline.output.terminal.tables.programs import by_processes, phases
from leadline.output.terminal.tables.publications import global_sum, newsletter
from leadline.output.terminal.tables.traffic import bandwidth


def figure(series, size, seconds, *, processes=2, benchmark="some/transfer", mpi="lib-1", **axes):
    place = {"processes": processes, "processes_per_node": processes}
    measured = {"benchmark": benchmark, "series": series, "mpi": mpi, "launches": 1, "axes": axes}
    return flat(seconds, size, **measured, **place)


def made_up(*points, **machine):
    described = Benchmark(
        name="some/transfer",
        summary="",
        axes=(),
        processes=Processes(),
        series=(
            Series(name="sender", definition="until the call returns"),
            Series(name="receiver", definition="until the data are there"),
        ),
        api="any",
        start="agreed",
    )
    run = Run(
        run="the-run",
        leadline="1",
        plan=Plan(entries=()),
        started="",
        outcome=Outcome(state="complete"),
        machine={"host": "node17", "cpu_model": "T3E", **machine},
        benchmarks=[described],
    )
    return run, Analysis(points=points, sweeps=())


def records(sheet):
    names = [column.name for column in sheet.columns]
    return [dict(zip(names, row.cells, strict=True)) for row in sheet.rows]


# Of the newsletter: a PE of the T3E runs at 300 MHz.
T3E = (
    figure("sender", 8000, 31.806667e-6),
    figure("receiver", 8000, 35.466667e-6),
    figure("sender", 8, 9.666667e-6),
    figure("receiver", 8, 10.7e-6),
)
CLOCK = {"nominal_frequency_hz": 300e6, "nominal_frequency_source": "the manual"}


def test_the_newsletter_s_figures_come_out_as_printed_there():
    found = records(newsletter(*made_up(*T3E, **CLOCK)))
    assert [(row["role"], row["words"], row["clock_ticks"]) for row in found] == [
        ("receiver", 1, 3210), ("receiver", 1000, 10640),
        ("sender", 1, 2900), ("sender", 1000, 9542),
    ]  # fmt: skip
    assert [row["microseconds"] for row in found] == pytest.approx(
        [10.7, 35.466667, 9.666667, 31.806667]
    )
    rates = [row["megabytes_per_second"] for row in found]
    assert rates[:2] == pytest.approx([0.747664, 225.563910], rel=1e-6)
    assert rates[2:] == [None, None]
    assert {(row["machine"], row["run"]) for row in found} == {("node17", 1)}


def test_each_choice_of_axes_and_library_is_a_run_of_its_own():
    points = [
        figure(series, 8, 1e-6, mpi=mpi, check=check)
        for mpi in ("lib-1", "lib-2")
        for check in ("flag", "all")
        for series in ("sender", "receiver")
    ]
    sheet = newsletter(*made_up(*points, **CLOCK))
    assert sorted({row["run"] for row in records(sheet)}) == [1, 2, 3, 4]
    assert "run 3: some/transfer, lib-2, 1x2, check=flag" in sheet.notes
    assert "receiver: until the data are there" in sheet.notes


def test_without_a_known_clock_there_are_no_ticks_and_the_notes_say_so():
    sheet = newsletter(*made_up(*T3E))
    assert {row["clock_ticks"] for row in records(sheet)} == {None}
    assert any("No clock ticks" in note for note in sheet.notes)
    known = newsletter(*made_up(*T3E, **CLOCK))
    assert any("300 MHz (the manual)" in note for note in known.notes)


def test_sizes_that_are_not_whole_words_and_lone_senders_are_left_out():
    run, analysis = made_up(*T3E, figure("sender", 12, 1e-6), figure("receiver", 12, 1e-6))
    assert len(newsletter(run, analysis).rows) == len(T3E)
    with pytest.raises(UserError, match="the-run has no such figures"):
        newsletter(*made_up(figure("sender", 8, 1e-6), figure("origin", 8, 1e-6)))


# Of the source: 16 processes, 2097152 doubles, 9309 Mbit/s by the cube and 1862 by the library.
CHIC = tuple(
    figure("completion", 8 * 2097152, 8 * 2 * 4 * 16 / rate, processes=16, algorithm=name)
    for name, rate in (("cube", 9309), ("library", 1862))
)


def test_the_global_sum_comes_out_as_published():
    found = records(global_sum(*made_up(*CHIC)))
    assert [row["algorithm"] for row in found] == ["cube", "library"]
    for row, rate in zip(found, (9309, 1862), strict=True):
        assert (row["processes"], row["vector_length"]) == (16, 2097152)
        assert (row["packet_MiB"], row["data_flow_GiB"]) == (16, 1)
        assert row["megabit_per_second_per_process"] == pytest.approx(rate)


def test_other_numbers_of_processes_and_other_sizes_have_no_rate():
    odd = figure("completion", 8, 1e-6, processes=6, algorithm="cube")
    halves = figure("completion", 12, 1e-6, processes=4, algorithm="cube")
    alone = figure("completion", 8, 1e-6, processes=1, algorithm="cube")
    assert len(global_sum(*made_up(*CHIC, odd, halves, alone)).rows) == len(CHIC)
    with pytest.raises(UserError, match="the-run has no such figures"):
        global_sum(*made_up(odd, halves, alone, figure("completion", 8, 1e-6, processes=4)))


def test_what_else_differs_stands_beside_the_algorithm():
    points = [
        figure("completion", 8, 1e-6, processes=4, algorithm="cube", in_place=choice)
        for choice in ("no", "yes")
    ]
    found = records(global_sum(*made_up(*points)))
    assert [row["algorithm"] for row in found] == ["cube in_place=no", "cube in_place=yes"]


ALGORITHM = Axis(
    name="algorithm", kind="choice", default="library", summary="", choices=("library", "cube")
)


def choosing(*points):
    run, analysis = made_up(*points)
    run.benchmarks = [msgspec.structs.replace(run.benchmarks[0], axes=(ALGORITHM,))]
    return run, analysis


def test_each_choice_stands_beside_the_default_with_its_ratio():
    points = [
        figure("completion", size, seconds, algorithm=name)
        for name, scale in (("cube", 1e-6), ("library", 2e-6))
        for size, seconds in ((8, scale), (64, 4 * scale))
    ]
    slow = figure("completion", 512, 8e-6, algorithm="cube")
    fast = figure("completion", 512, 2e-6, algorithm="library")
    sheet = choices(*choosing(*points, slow, fast, figure("completion", 9, 1.0)))
    found = records(sheet)
    assert [(row["choice"], row["bytes"]) for row in found] == [
        ("algorithm=cube", 8), ("algorithm=cube", 64), ("algorithm=cube", 512),
    ]  # fmt: skip
    assert [row["ratio"] for row in found] == pytest.approx([2, 2, 0.25])
    assert [row["improvement_percent"] for row in found] == pytest.approx([50, 50, -300])
    assert all(
        row["percent_low"] <= row["improvement_percent"] <= row["percent_high"] for row in found
    )
    assert [row["base_microseconds"] for row in found] == pytest.approx([2, 8, 2])
    assert any("geometric mean over 3 sizes 1.00, smallest 0.25 at 512 B" in n for n in sheet.notes)
    assert any("faster at 8 B to 64 B; slower at 512 B" in note for note in sheet.notes)


def test_figures_that_differ_in_more_than_the_choice_are_not_compared():
    here = figure("completion", 8, 1e-6, algorithm="cube", root=0)
    there = figure("completion", 8, 1e-6, algorithm="library", root=1)
    with pytest.raises(UserError, match="the-run has none"):
        choices(*choosing(here, there))


def test_text_has_a_line_for_each_row_with_its_figures_under_their_headings():
    sheet = newsletter(*made_up(*T3E, **CLOCK))
    text = lines(sheet)
    table = text[text.index("") + 1 :]
    assert len(table) == 1 + len(sheet.rows)
    assert table[0].split("  ") != [""]
    assert table[1].split() == ["node17", "1", "receiver", "1", "3210", "10.700", "0.748"]
    end = table[0].index("clock ticks") + len("clock ticks")
    assert table[1][:end].endswith(" 3210")
    assert all(len(line) <= 100 for line in text)


def test_a_host_s_name_cannot_steer_the_terminal():
    sheet = newsletter(*made_up(*T3E, host="node\x1b[31m17"))
    assert "\x1b" not in "".join(lines(sheet))


@pytest.mark.parametrize("name", TABLE_NAMES)
def test_every_table_refuses_a_run_that_does_not_fit(name):
    with pytest.raises(UserError, match=f"the table {name} takes .*the-run "):
        run_table(name, *made_up())


def test_phases_of_a_program_stand_side_by_side():
    def solved(nodes, each, level, pcg_s, percent):
        place = {"nodes": nodes, "processes_per_node": each, "processes": nodes * each}
        work = {"problem_size": float((16 * 2**level + 1) ** 2), "iterations": 45.0}
        return [
            msgspec.structs.replace(
                figure(series, 8, seconds, level=level), metrics={**work, **metrics}, **place
            )
            for series, seconds, metrics in (
                ("assembly", 0.1, {}),
                ("pcg", pcg_s, {"communication_percent": percent}),
            )
        ]

    sheet = phases(
        *made_up(
            *solved(16, 4, 7, 0.49, 10.0),
            *solved(64, 1, 7, 0.36, 10.0),
            *solved(64, 1, 8, 1.72, 4.0),
        )
    )
    rows = records(sheet)
    assert [(row["level"], row["placement"], row["pcg_s"]) for row in rows] == [
        (7, "64x1", 0.36),
        (7, "16x4", 0.49),
        (8, "64x1", 1.72),
    ]
    assert rows[0]["problem_size"] == 4198401.0 and rows[0]["iterations"] == 45.0
    assert rows[2]["communication_in_pcg_%"] == 4.0
    assert "communication_in_assembly_%" not in rows[0]
    assert "16785409" in "\n".join(lines(sheet))


def test_phases_of_programs_with_other_axes_stand_side_by_side():
    programs = [
        msgspec.structs.replace(figure("step", 8, 1.0, **axes), metrics={"problem_size": 1.0})
        for axes in ({"way": "puts"}, {"way": "messages", "input": "file"})
    ]
    rows = records(phases(*made_up(*programs)))
    assert [row["input"] for row in rows] == ["file", None]


def test_phases_need_a_problem_size():
    with pytest.raises(UserError, match="problem_size"):
        phases(*made_up(figure("sender", 8, 1e-6)))


def run_on(processes, series, seconds, **axes):
    return msgspec.structs.replace(
        figure(series, 8, seconds, processes=processes, **axes), metrics={"problem_size": 1.0}
    )


def test_times_by_processes_have_a_column_for_each_way():
    sheet = by_processes(
        *made_up(
            *(run_on(n, "start", 3.64, way="puts") for n in (2, 4)),
            *(run_on(n, "step", 6.2 / n, way="puts") for n in (2, 4)),
            *(run_on(n, "step", 7.2 / n, way="messages") for n in (2, 4)),
        )
    )
    assert records(sheet) == [
        {"processes": 2, "start puts_s": 3.64, "step puts_s": 3.1, "step messages_s": 3.6},
        {"processes": 4, "start puts_s": 3.64, "step puts_s": 1.55, "step messages_s": 1.8},
    ]
    assert "4  " in lines(sheet)[-1] and "1.55" in lines(sheet)[-1]


def test_times_by_processes_need_several():
    with pytest.raises(UserError, match="several numbers of processes"):
        by_processes(*made_up(run_on(2, "step", 1.0)))


def imported(name):
    class NoSamples:
        def columns(self, point):
            raise LookupError

    run = import_files([CHECKOUT / "datasets" / name])
    return run, conclude(run, NoSamples())


def test_the_newsletter_keeps_what_it_printed_of_each_figure():
    sheet = newsletter(*imported("arsc-shmem-put-1997.csv"))
    assert len(sheet.rows) == 56
    found = {(row["machine"], row["run"], row["role"], row["words"]): row for row in records(sheet)}
    assert found["T3D", 1, "receiver", 1]["clock_ticks"] == 1272
    assert found["T3E", 2, "sender", 100]["clock_ticks"] == 817
    assert {(machine, number) for machine, number, *_ in found} == {
        ("T3D", 1), ("T3E", 1), ("T3E", 2), ("T3E", 3),
    }  # fmt: skip
    text = "\n".join(sheet.notes)
    assert "Single measurements" in text and "edians" not in text
    assert "Clock ticks are those that were published." in text
    assert "run 3: shmem/put, SHMEM, 2x1, machine=T3E, spacer=16 PEs" in sheet.notes
    assert "run 1: shmem/put, SHMEM, 1x2, machine=T3D, spacer=none" in sheet.notes


@pytest.mark.parametrize(
    ("table", "name", "words"),
    [
        (global_sum, "chic-global-sum-2007.csv", "single measurements"),
        (by_processes, "arsc-hydrology-mpi-1997.csv", "single measurements"),
        (phases, "chic-fem2d-parallel-2007.csv", "single measurements"),
        (bandwidth, "waseda-pingpong-score.csv", "means"),
        (choices, "chic-global-sum-2007.csv", "single measurements"),
    ],
)
def test_what_was_published_is_not_called_a_median(table, name, words):
    text = "\n".join(table(*imported(name)).notes)
    assert words in text and "median" not in text
    assert " launches" not in text
