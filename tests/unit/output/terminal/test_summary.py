"""The summary that people read when a run is over."""

import io

import msgspec
import pytest
from example_run import example_analysis, example_findings, example_run
from kernel_run import run_of, way

from leadline.core.units import format_figure
from leadline.model.interference import Interference, InterferingProgram
from leadline.model.question import Question
from leadline.model.run import Outcome
from leadline.model.summary import Analysis, Gain
from leadline.output.terminal.summary import groups, print_answer, print_summary

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
    model = example_analysis().points[0]
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


def text_of(run, analysis, width=None, monkeypatch=None, **options):
    if width:
        monkeypatch.setenv("COLUMNS", str(width))
    stream = io.StringIO()
    print_summary(run, analysis, stream, **options)
    return stream.getvalue().splitlines()


def test_whole_summary(run, small):
    assert text_of(run, small) == WHOLE.splitlines()


WHOLE = """\
node17 (Example CPU 3000 @ 2.00GHz, 2 cores): 1 node x 2 processes, 6 launches
2026-11-21T073012-survey-3f2a · 2026-11-21 07:30, 48 s
Verdict   unclear: mend what the line on trust names, and measure again.
Problem   4.2 % of the samples were preempted: something else ran on these cores
Trust     poor: more processes than cores, 1 figure with wrong data, 1 % of the samples disturbed,
          launches agree within 0.54 %, medians known to 1 %

                              mpich  bound or usual
mpi/pingpong, 8 B    us  0.500 ±1 %  0.26 to 0.64 inside a node
mpi/pingpong, 1 MiB  us    125 ±1 %

mpi/pingpong half round trip
mpich · 1x2 · cache=warm
 bytes  median us  95 % interval us  p99 us  max us   MB/s                samples  flags
   8 B     0.5000   0.4950 - 0.5050   1.000   5.000  16.00                   1200
 1 KiB      1.000    0.9900 - 1.010   2.000   10.00   1024  █▌               1200  WRONG DATA
64 KiB      10.00     9.900 - 10.10   20.00   100.0   6554  █████████▍       1200  OVERSUBSCRIBED,
                                                                                   preempted 4%
 1 MiB      125.0     123.8 - 126.2   250.0    1250   8389  ████████████     1200

Next      leadline check  # First find out what disturbs this machine
All       leadline show 2026-11-21T073012-survey-3f2a --full  # 3 findings
"""


def test_the_first_ten_lines_say_whether_it_is_good_what_is_wrong_and_what_to_trust(
    run, monkeypatch
):
    analysis = example_analysis()
    slow = msgspec.structs.replace(
        analysis.findings[0],
        kind="variants_compared",
        severity="notice",
        topic="choice",
        text="MPI_Allreduce: hypercube is 1.2x to 1.3x faster than the library at 4 B to 1 MiB, "
        "most at 8 B. Also: MPI_Barrier 1.1x.",
        gain=Gain(times=1.3, low=1.2, high=1.4),
        command="leadline tune mpi/allreduce --mpi mpich --place 1x2",
    )
    told = msgspec.structs.replace(analysis, findings=(slow,))
    lines = text_of(run, told, 80, monkeypatch)
    head, *_ = "\n".join(lines[:10]).split("\n\n")
    assert "Verdict   good: 2 of 2 figures of mpich are within 25 % of a bound, the usual" in head
    words = " ".join(head.split())
    assert "Trust good: " in words and "launches agree within 2.5 %" in words
    assert "Improve MPI_Allreduce: hypercube is 1.2x to 1.3x faster than the library" in words
    assert "most at" not in head
    assert "     leadline tune mpi/allreduce --mpi mpich --place 1x2" in head.splitlines()
    assert len(lines) <= 24


@pytest.mark.parametrize("width", [80, 100, 300])
def test_fits_the_width(run, small, width, monkeypatch):
    lines = text_of(run, small, width, monkeypatch)
    assert max(map(len, lines)) <= min(width, 100)
    assert not any("…" in line or line != line.rstrip() for line in lines)


def test_everything_stands_under_its_question_where_it_is_asked_for(run, small):
    asked = tuple(
        msgspec.structs.replace(one, topic="trust" if one.severity == "problem" else "speed")
        for one in small.findings
    )
    lines = text_of(run, msgspec.structs.replace(small, findings=asked), full=True)
    order = [lines.index(question) for question in ("How fast?", "Can I trust it?")]
    assert order == sorted(order)
    assert lines[order[1] + 1].startswith("!! 4.2 % of the samples were preempted")
    assert "leadline show --findings" not in "\n".join(lines)


def test_a_command_stands_on_a_line_that_is_never_broken(run, small, monkeypatch):
    command = "leadline run mpi/allreduce --algorithm " + ",".join(f"way{n}" for n in range(40))
    long = [msgspec.structs.replace(one, command=command) for one in small.findings]
    found = text_of(run, msgspec.structs.replace(small, findings=tuple(long)), 80, monkeypatch)
    assert f"     {command}" in found


def test_of_many_sizes_those_that_tell_are_shown(run, small):
    many = tuple(
        msgspec.structs.replace(small.points[0], axes={"bytes": 2**n}, bytes=2**n)
        for n in range(23)
    )
    whole = msgspec.structs.replace(small, points=many)
    shown = text_of(run, whole)
    rows = shown[next(n for n, line in enumerate(shown) if line.startswith("bytes")) + 1 :][:4]
    assert [line.split()[:2] for line in rows] == [
        ["1", "B"],
        ["8", "B"],
        ["1", "MiB"],
        ["4", "MiB"],
    ]
    assert "19 more sizes: --full" in shown
    assert sum("0.5000" in line for line in text_of(run, whole, full=True)) == 23


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colour_on_a_terminal_only_and_not_where_it_is_not_wanted(run, small, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b" not in "".join(text_of(run, small))
    screen = Terminal()
    print_summary(run, small, screen)
    assert "\x1b[1;31m" in screen.getvalue()
    assert "\x1b[31m" in next(line for line in screen.getvalue().splitlines() if "WRONG" in line)
    monkeypatch.setenv("NO_COLOR", "1")
    screen = Terminal()
    print_summary(run, small, screen)
    assert "31m" not in screen.getvalue()


def test_how_the_run_ended_is_in_the_head(run, small):
    cut = msgspec.structs.replace(
        run, outcome=Outcome(state="interrupted", message="Ctrl-C after 3 points")
    )
    lines = text_of(cut, small)
    assert lines[2] == "The run is interrupted: Ctrl-C after 3 points"


def test_run_without_figures(run):
    lines = text_of(run, Analysis(points=(), sweeps=()))
    assert lines[0].endswith("no figures") or "launches" in lines[0]
    assert any(line.startswith("Trust     unknown: no samples") for line in lines)


def test_stream_that_knows_ascii_alone(run, small):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    print_summary(run, small, stream)
    stream.flush()
    assert b"median us" in raw.getvalue()


def test_hostile_names_cannot_steer_the_terminal(run, small):
    hostile = msgspec.structs.replace(run, run="x\x1b[2J\x07[bold]y[/bold]")
    assert text_of(hostile, small)[1].startswith("x[2J[bold]y[/bold] ·")


def test_one_group_a_curve(run):
    found = groups(example_analysis().points)
    assert len(found) == 2 * (1 + 3 + 1)
    assert all(len({(p.mpi, p.axes.get("algorithm")) for p in group}) == 1 for group in found)


def test_a_figure_keeps_the_digits_that_count():
    values = (0.35942, 12.3456, 123.456, 123456.7, None, float("nan"))
    assert [*map(format_figure, values)] == ["0.3594", "12.35", "123.5", "123457", "-", "-"]


def test_message_rate_is_shown_where_messages_are_counted(run, small):
    counted = [msgspec.structs.replace(p, message_rate_per_s=4 / p.median_s) for p in small.points]
    lines = text_of(run, msgspec.structs.replace(small, points=tuple(counted)))
    assert max(map(len, lines)) <= 100
    heading = next(line for line in lines if "messages/s" in line)
    assert "4000000" in lines[lines.index(heading) + 2]
    assert not any("messages/s" in line for line in text_of(run, small))


def test_who_else_ran_is_told_beside_the_grade(run, small):
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
    assert text.count("Also ran  ") == 1
    assert "Also ran" not in "\n".join(text_of(run, small))


def test_a_figure_without_an_interval_says_what_would_give_one(run, small):
    *others, last = small.points
    unsure = msgspec.structs.replace(last, ci95_low_s=None, ci95_high_s=None)
    lines = text_of(run, msgspec.structs.replace(small, points=(*others, unsure)))
    (said,) = [line for line in lines if line.startswith("no ±")]
    assert said == "no ±: too few independent samples for an interval; --launches 6 gives one"
    assert not any(line.startswith("no ±") for line in text_of(run, small))


def test_ways_to_compute_the_same_are_one_table_and_roofs_as_usual():
    text = "\n".join(text_of(*run_of()))
    assert text.count("plain.c") == 1 and text.count("test/memory call") == 1
    # At 80 columns the answer goes on in the next line.
    assert "WRONG: nan," in text and "denormals" in text
    many = [figure for number in range(20) for figure in way(f"v{number}.c", {100: 1})]
    assert "and 4 more ways: leadline show RUN --as kernels" in text_of(*run_of(many))


def answered(run, points):
    text = io.StringIO()
    question = Question(name="q", text="Which?", answers=("overlap",), plan=run.plan)
    print_answer(question, (), run, Analysis(points=tuple(points), sweeps=()), file=text)
    return " ".join(text.getvalue().split())


def test_no_answer_has_its_reason(run, small):
    replace = msgspec.structs.replace
    one = small.points[0]
    assert "no answer: nothing was measured." in answered(run, ())
    assert "no answer: all data were wrong." in answered(run, [replace(one, verified=False)])
    busy = replace(one, flags={"preempted": one.samples})
    assert "no answer: other programs interrupted" in answered(run, [busy])
    assert "one launch tells too little" in answered(run, [replace(one, launches=1)])
    assert "one way alone was measured of each." in answered(run, [one])
    other = replace(one, axes={**one.axes, "algorithm": "other"})
    assert "no way is surely faster than another" in answered(run, [one, other])
