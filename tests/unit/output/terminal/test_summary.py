"""The summary that people read when a run is over."""

import io

import msgspec
import pytest
from example_run import example_analysis, example_findings, example_run

from leadline.core.units import format_figure
from leadline.model.interference import Interference, InterferingProgram
from leadline.model.run import Outcome
from leadline.model.summary import Analysis
from leadline.output.terminal.summary import groups, print_summary

# Four figures with round numbers: a size each, one wrong, one oversubscribed.
SIZES = (8, 1024, 65536, 1048576)


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def run():
    return example_run()


@pytest.fixture(scope="module")
def small(run):
    model = example_analysis(run).points[0]
    points = [
        msgspec.structs.replace(
            model,
            axes={"bytes": size},
            bytes=size,
            median_s=median,
            ci95_low_s=median * 0.99,
            ci95_high_s=median * 1.01,
            p99_s=median * 2,
            max_s=median * 10,
            bandwidth_MBps=size / median / 1e6,
            samples=1200,
            excluded=0,
            flags={},
        )
        for size, median in zip(SIZES, (0.5e-6, 1e-6, 10e-6, 125e-6), strict=True)
    ]
    points[1] = msgspec.structs.replace(points[1], verified=False)
    points[2] = msgspec.structs.replace(
        points[2], oversubscribed=True, flags={"preempted": 48, "page_fault": 1}
    )
    return Analysis(points=tuple(points), sweeps=(), findings=example_findings())


def text_of(run, analysis, width=None, monkeypatch=None):
    if width:
        monkeypatch.setenv("COLUMNS", str(width))
    stream = io.StringIO()
    print_summary(run, analysis, stream)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_whole_summary(run, small):
    assert text_of(run, small) == WHOLE.splitlines()


WHOLE = """\
2026-11-21T073012-survey-3f2a · node17 · mpich · 1x2 · 6 launches · complete

problem: 4.2 % of the samples were preempted: something else ran on these cores.
  → end what runs beside the measurement; leadline doctor names it

notice: algorithm=hypercube is 1.25 times as fast as the default, algorithm=library.
  → leadline run mpi/allreduce --algorithm hypercube --launches 10

fact: mpi/pingpong takes another protocol from 4 KiB: 0.81 µs becomes 2.02 µs.

mpi/pingpong half round trip
mpich · 1x2 · cache=warm
 bytes  median us  95 % interval us  p99 us  max us   MB/s                samples  flags
   8 B     0.5000   0.4950 - 0.5050   1.000   5.000  16.00                   1200
 1 KiB      1.000    0.9900 - 1.010   2.000   10.00   1024  █▌               1200  WRONG DATA
64 KiB      10.00     9.900 - 10.10   20.00   100.0   6554  █████████▍       1200  OVERSUBSCRIBED,
                                                                                   preempted 4%
 1 MiB      125.0     123.8 - 126.2   250.0    1250   8389  ████████████     1200
"""


@pytest.mark.parametrize("width", [80, 100, 300])
def test_fits_the_width(run, small, width, monkeypatch):
    lines = text_of(run, small, width, monkeypatch)
    assert max(map(len, lines)) <= min(width, 100)
    assert not any("…" in line for line in lines)


def test_findings_come_first_and_problems_before_the_rest(run, small):
    lines = text_of(run, small)
    kinds = [line.split(":")[0] for line in lines if line.startswith(("problem", "notice", "fact"))]
    assert kinds == ["problem", "notice", "fact"]
    assert lines.index("mpi/pingpong half round trip") > max(
        index for index, line in enumerate(lines) if line.startswith("fact")
    )


def test_kind_that_repeats_itself_is_counted(run, small):
    alike = [
        msgspec.structs.replace(small.findings[1], text=f"variant {number}") for number in range(9)
    ]
    lines = text_of(run, msgspec.structs.replace(small, findings=tuple(alike)))
    assert [line for line in lines if line.startswith("notice")] == [
        "notice: variant 0",
        "notice: variant 1",
    ]
    assert "  and 7 more of this kind (variants): see the report or --json" in lines


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colour_on_a_terminal_only(run, small, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b" not in "".join(text_of(run, small))
    screen = Terminal()
    print_summary(run, small, screen)
    assert "\x1b[1;31mproblem" in screen.getvalue()
    assert "\x1b[31m" in next(line for line in screen.getvalue().splitlines() if "WRONG" in line)


def test_no_color_is_respected(run, small, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    screen = Terminal()
    print_summary(run, small, screen)
    assert "31m" not in screen.getvalue()


def test_how_the_run_ended_is_in_the_head(run, small):
    cut = msgspec.structs.replace(
        run, outcome=Outcome(state="interrupted", message="Ctrl-C after 3 points")
    )
    lines = text_of(cut, small)
    assert lines[0].endswith("· interrupted")
    assert lines[1] == "Ctrl-C after 3 points"


def test_run_without_figures(run):
    lines = text_of(run, Analysis(points=(), sweeps=()))
    assert len(lines) == 1


def test_stream_that_knows_ascii_alone(run, small):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    print_summary(run, small, stream)
    stream.flush()
    assert b"median us" in raw.getvalue()


def test_hostile_names_cannot_steer_the_terminal(run, small):
    hostile = msgspec.structs.replace(run, run="x\x1b[2J\x07[bold]y[/bold]")
    assert text_of(hostile, small)[0].startswith("x[2J[bold]y[/bold] ·")


def test_one_group_a_curve(run):
    found = groups(example_analysis(run).points)
    assert len(found) == 2 * (1 + 3 + 1)
    assert all(len({(p.mpi, p.axes.get("algorithm")) for p in group}) == 1 for group in found)


def test_a_figure_keeps_the_digits_that_count():
    assert [
        format_figure(value) for value in (0.35942, 12.3456, 123.456, 123456.7, None, float("nan"))
    ] == [
        "0.3594",
        "12.35",
        "123.5",
        "123457",
        "-",
        "-",
    ]


def test_message_rate_is_shown_where_messages_are_counted(run, small):
    counted = [msgspec.structs.replace(p, message_rate_per_s=4 / p.median_s) for p in small.points]
    lines = text_of(run, msgspec.structs.replace(small, points=tuple(counted)))
    assert max(map(len, lines)) <= 100
    heading = next(line for line in lines if "messages/s" in line)
    assert "4000000" in lines[lines.index(heading) + 2]
    assert not any("messages/s" in line for line in text_of(run, small))


def test_who_else_was_there_is_one_line_of_the_head(run, small):
    hostile = InterferingProgram(command="\x1b[2Jeater", user="ann", processes=1, cores=0.98)
    company = Interference(host="h", seconds=1.0, looks=1, looks_cpu_s=0.0, programs=(hostile,))
    alone = msgspec.structs.replace(company, programs=())
    (launch, *_) = run.launches
    launches = [
        msgspec.structs.replace(launch, launch=number, company=alone if number % 2 else company)
        for number in range(4)
    ]
    text = "\n".join(text_of(msgspec.structs.replace(run, launches=launches), small))
    assert "eater of ann (0.98 cores) in launches 1 and 3" in text
    assert "\x1b" not in text
    assert text.count("others were there: ") == 1
    assert "others were there" not in "\n".join(text_of(run, small))
