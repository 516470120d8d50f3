"""Every table as people read it, filled in from made-up runs and published data.

`golden/TABLE.txt` holds what each case shows; `LEADLINE_GOLDEN=write pytest` of this file writes
them, to be read before they are committed.
"""

import os
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from checkout import CHECKOUT
from example_run import example_analysis, example_run
from kernel_run import ROOF, WAYS, run_of, way
from launched import figure as launched
from more_panels import pairs_on_places, sweep_over_nodes

from leadline.analysis.findings.conclude import conclude, evidence_of, judge_pairs
from leadline.analysis.results.published import replay
from leadline.core.errors import UserError
from leadline.core.units import times
from leadline.exchange.imports.collect import import_files
from leadline.model.description import Axis, Benchmark, Processes, Series
from leadline.model.noise import Noise, NoiseCost, Period, RankNoise
from leadline.model.plan import Plan
from leadline.model.published import Held, Program, ProgramCalls
from leadline.model.run import Outcome, Run
from leadline.model.summary import Analysis, StateFigure
from leadline.output.table import Column, number, table_of
from leadline.output.terminal.table import draw, lines
from leadline.output.terminal.tables import TABLE_NAMES, run_table

GOLDEN = Path(__file__).parent / "golden"
EXAMPLE = example_run()
FIGURES = example_analysis()
TRANSFER = Benchmark(
    name="some/transfer", summary="", api="any", start="agreed", processes=Processes(),
    axes=(Axis(name="algorithm", kind="choice", default="library", summary="",
               choices=("library", "cube")),),
    series=(Series(name="sender", definition="until the call returns"),
            Series(name="receiver", definition="until the data are there")),
)  # fmt: skip


def changed(value, **changes):
    return msgspec.structs.replace(value, **changes)


def made_up(*points, machine=(), **analysis):
    run = Run(
        run="the-run", leadline="1", plan=Plan(entries=()), started="", benchmarks=[TRANSFER],
        outcome=Outcome(state="complete"), machine={"host": "node17", "cpu_model": "T3E"},
    )  # fmt: skip
    run.machine |= dict(machine)
    return run, Analysis(points=points, sweeps=(), **analysis)


def figure(series, size, seconds, *, nodes=1, each=2, metrics=None, knobs=None, **axes):
    """Return the figure of one launch on `nodes` nodes with `each` processes."""
    one = launched([seconds], size=size)
    return changed(
        one, benchmark="some/transfer", series=series, axes={"bytes": size, **axes}, settings={},
        nodes=nodes, processes_per_node=each, processes=nodes * each, mpi="lib-1",
        ci95_low_s=seconds, ci95_high_s=seconds, bandwidth_MBps=(size or 0) / seconds / 1e6,
        metrics=metrics or {}, knobs=knobs or {},
    )  # fmt: skip


def published(name, most_size=float("inf"), sizes=(), nodes=0):
    """Return published data, without larger problems, of `sizes` in bytes and `nodes` alone."""

    class NoSamples:
        def columns(self, point):
            raise LookupError

    run = changed(import_files([CHECKOUT / "datasets" / f"{name}.csv"]), run="published")
    analysis = conclude(run, NoSamples())
    points = [p for p in analysis.points if p.metrics.get("problem_size", 0) < most_size]
    kept = tuple(
        point
        for point in points
        if (not sizes or point.bytes in sizes) and nodes in (0, point.nodes)
    )
    return run, changed(analysis, points=kept, sweeps=(), findings=())


# Of the newsletter: a PE of the T3E runs at 300 MHz.
T3E = (
    figure("sender", 8000, 31.806667e-6),
    figure("receiver", 8000, 35.466667e-6),
    figure("sender", 8, 9.666667e-6),
    figure("receiver", 8, 10.7e-6),
    # No whole number of words.
    figure("sender", 12, 1e-6),
    figure("receiver", 12, 1e-6),
)
CLOCK = {"nominal_frequency_hz": 300e6, "nominal_frequency_source": "the manual"}
# Of the source: 16 processes, 2097152 doubles, 9309 Mbit/s by the cube and 1862 by the library.
CHIC = tuple(
    figure("completion", 8 * 2097152, 8 * 2 * 4 * 16 / rate, each=16, algorithm=name)
    for name, rate in (("cube", 9309), ("library", 1862))
)
CHOICES = (
    *(figure("completion", size, seconds, algorithm=name)
      for name, scale in (("cube", 1e-6), ("library", 2e-6))
      for size, seconds in ((8, scale), (64, 4 * scale))),
    figure("completion", 512, 8e-6, algorithm="cube"),
    figure("completion", 512, 2e-6, algorithm="library"),
    figure("completion", 9, 1.0),
)  # fmt: skip


def bandwidths():
    """96 bytes moved by each process in 4 ns; one of the figures has wrong data."""
    store = figure("copy", 64, 4e-9, way="store", metrics={"write_allocate_bytes": 64.0})
    read = figure("copy", 64, 4e-9, each=1, way="read")
    found = [changed(p, bandwidth_MBps=24000.0 * p.processes) for p in (store, read)]
    return made_up(*found, changed(found[1], axes={"bytes": 64, "way": "x"}, verified=False))


def slower_choices():
    """The example without the choice that is faster."""
    kept = [each for each in FIGURES.points if each.axes.get("algorithm") != "hypercube"]
    return EXAMPLE, changed(FIGURES, points=tuple(at_two_sizes(kept)))


def at_two_sizes(points):
    return [point for point in points if point.bytes in (64, 4096)]


def selections():
    def one(seconds, algorithm, selector="mpich", size=64):
        knobs = {"collective_selector": selector}
        return figure("completion", size, seconds, knobs=knobs, algorithm=algorithm)

    broken = changed(one(1e-6, "broken"), verified=False)
    return made_up(
        one(3e-6, "ring"), one(2e-6, "bruck"), broken, one(4e-6, "library"),
        one(2e-6, "library", "ompi"), one(1e-6, "ring", size=128), one(9e-6, "library", size=128),
    )  # fmt: skip


def states():
    found = (
        StateFigure(state=0, times=1.0, launches=(0, 2), median_s=1.0),
        StateFigure(state=1, times=3.1, launches=(1,), median_s=3.0),
        StateFigure(state=None, times=None, launches=(3,), median_s=2.0),
    )
    several = changed(launched([1.0, 3.0, 1.0, 2.0]), states=found)
    return made_up(several, launched([1.0], size=16))


def claims():
    held = Held(
        claim=0, text="order saves", source="a paper", quantity="saving", at={"bytes": "64K"},
        low=0.07, high=0.32, found=0.25, deviation=0.0, why="known",
    )  # fmt: skip
    rows = (
        held,
        changed(held, found=0.42, deviation=0.10),
        changed(held, found=0.0, deviation=-0.07),
        changed(held, found=None, deviation=None),
        changed(held, claim=1, quantity="slowdown", low=5.0, high=5.0, found=4.0, deviation=-1.0),
    )
    return made_up(published=rows)


def replayed(*figures):
    of = {"benchmark": "family/thing", "bytes": 64, "processes": 2, "nodes": 1}
    calls = (ProgramCalls(call="MPI_Thing", calls=2000, seconds=3.0, of=of),)
    program = Program(name="app", ranks=2, mpi="first", calls=calls)
    return made_up(*figures, replayed=replay(program, figures))


WIDE = [1e-3 * each for each in (1, 1.2, 1.4, 1.6, 1.8, 2)]
SECOND = launched([1.5e-3] * 6, size=64, mpi="second")


def noise(**changes):
    point = SimpleNamespace(
        benchmark="node/work", mpi="lib-1", nodes=1, processes_per_node=2, axes={"quantum_us": 100}
    )
    noisy = RankNoise(
        rank=0, quantum_s=1e-4, lost_fraction=0.05, detours_fraction=0.04, detours_per_s=812.4,
        detour_median_s=3e-6, detour_p99_s=1.5e-3, detour_max_s=7e-3,
    )  # fmt: skip
    quiet = changed(
        noisy, rank=1, lost_fraction=0.0, detours_fraction=0.0, detours_per_s=0.0,
        detour_median_s=None, detour_p99_s=None, detour_max_s=None,
    )  # fmt: skip
    tick = Period(
        period_s=4e-3, ci95_low_s=4e-3, ci95_high_s=4e-3, duration_s=3e-6, detours_per_period=1.0,
        lost_fraction=7.5e-4, preempted_fraction=0.0, ranks=(0,), together=None,
        source="timer tick",
    )  # fmt: skip
    costs = tuple(
        NoiseCost(phase_s=1e-3, tasks=tasks, slowdown=slowdown, ci95_low=1.1, ci95_high=high,
                  together_slowdown=1.05, reach=reach)
        for tasks, slowdown, high, reach in ((2, 1.1, 1.2, "samples"), (1000, 5.35, None, "beyond"))
    )  # fmt: skip
    known = {
        "point": 0, "observed_s": 8.0, "quantum_s": 1e-4, "lost_fraction": 0.025, "ci95_low": 0.02,
        "ci95_high": 0.03, "detours_fraction": 0.02, "detours_per_s": 406.0,
        "together_fraction": 0.1, "shortest_period_s": 8e-4, "longest_period_s": 0.8,
        "false_alarm_fraction": 0.01, "ranks": (noisy, quiet), "periods": (tick,), "costs": costs,
    }  # fmt: skip
    return made_up(point, noise=(Noise(**(known | changes)),))


def solver():
    """Two methods, one eight times as fast, at three levels that have four times the work each."""
    return made_up(*(
        figure("solve", None, 4.0**level * each * 1e-6, level=level, method=method,
               metrics={"problem_size": 4.0**level, "communication_percent": 10.0})
        for method, each in (("csr", 8.0), ("multigrid", 1.0))
        for level in (3, 4, 5)
    ))  # fmt: skip


def phases():
    def solved(nodes, each, level, pcg_s, percent):
        work = {"problem_size": float((16 * 2**level + 1) ** 2), "iterations": 45.0}
        told = {**work, "communication_percent": percent}
        place = {"nodes": nodes, "each": each, "level": level}
        yield figure("assembly", 8, 0.1, metrics=work, **place)
        yield figure("pcg", 8, pcg_s, metrics=told, **place)

    return made_up(
        *solved(16, 4, 7, 0.49, 10.0), *solved(64, 1, 7, 0.36, 10.0), *solved(64, 1, 8, 1.72, 4.0)
    )


def program_on(processes, series, seconds, **axes):
    return figure(series, 8, seconds, each=processes, metrics={"problem_size": 1.0}, **axes)


# Of each table its cases by what they show; each is a run and its analysis.
CASES = {
    "bandwidth": {
        "of all, of each, and with what caches fetch": bandwidths,
        "published means are not called medians": lambda: published(
            "waseda-pingpong-score", sizes=(4096, 16384)
        ),
    },
    "by-nodes": {"each eager limit": lambda: (EXAMPLE, sweep_over_nodes(FIGURES))},
    "by-processes": {
        "a column for each way": lambda: made_up(
            *(program_on(n, "start", 3.64, way="puts") for n in (2, 4)),
            *(program_on(n, "step", 6.2 / n, way="puts") for n in (2, 4)),
            *(program_on(n, "step", 7.2 / n, way="messages") for n in (2, 4)),
        ),
        "single measurements": lambda: published("arsc-hydrology-mpi-1997"),
    },
    "choices": {
        "each beside the default": lambda: made_up(*CHOICES),
        "single measurements": lambda: published("chic-global-sum-2007", sizes=(2**24,)),
    },
    "further-sizes": {
        "predicted below what was measured": lambda: published(
            "chic-fem2d-parallel-2007", nodes=64
        ),
        "a level that was measured is within what was predicted": lambda: published(
            "chic-fem2d-parallel-2007", most_size=2e8, nodes=64
        ),
        "two sizes predict nothing": lambda: published(
            "chic-fem2d-parallel-2007", most_size=2e7, nodes=64
        ),
        "choices keep their columns": solver,
    },
    "global-sum": {
        "as published": lambda: made_up(*CHIC),
        "what else differs": lambda: made_up(*(
            figure("completion", 8, 1e-6, each=4, algorithm="cube", in_place=choice)
            for choice in ("no", "yes")
        )),
        "only powers of two and whole doubles": lambda: made_up(
            *CHIC,
            figure("completion", 8, 1e-6, each=6, algorithm="cube"),
            figure("completion", 12, 1e-6, each=4, algorithm="cube"),
            figure("completion", 8, 1e-6, each=1, algorithm="cube"),
        ),
    },
    "headlines": {"several MPIs": lambda: (EXAMPLE, FIGURES)},
    "kernels": {
        "right ways first": run_of,
        "of many sizes the ends and some between": lambda: run_of(
            way("plain.c", {10 * 2**power: 1.0 for power in range(12)})
        ),
        "several placements": lambda: run_of([
            changed(each, processes=number, processes_per_node=number)
            for number in (1, 2)
            for each in (*WAYS, *ROOF)
        ]),
    },
    "newsletter": {
        "as printed there": lambda: made_up(*T3E, machine=CLOCK),
        "without a known clock, of a hostile host": lambda: made_up(
            *T3E, machine={"host": "node\x1b[31m17"}
        ),
        "each choice and library is a run": lambda: made_up(*(
            changed(figure(series, 8, 1e-6, check=check), mpi=mpi)
            for mpi in ("lib-1", "lib-2")
            for check in ("flag", "all")
            for series in ("sender", "receiver")
        ), machine=CLOCK),
        "published figures keep what was printed": lambda: published(
            "arsc-shmem-put-1997", sizes=(8,)
        ),
    },
    "noise": {"each rank": noise, "no period": lambda: noise(periods=())},
    "noise-cost": {"lower bounds have no upper end": noise},
    "pairs": {"least and most favoured": lambda: (EXAMPLE, pairs_on_places(FIGURES))},
    "phases": {
        "placements of one case below each other": phases,
        "programs with other axes": lambda: made_up(
            program_on(2, "step", 1.0, way="puts"),
            program_on(2, "step", 1.0, way="messages", input="file"),
        ),
    },
    "program": {
        "a total for each MPI": lambda: replayed(launched([1e-3] * 6, size=64), SECOND),
        "none is surely the fastest": lambda: replayed(launched(WIDE, size=64), SECOND),
        "what was not measured": lambda: replayed(
            changed(launched([1e-3], size=64), verified=False)
        ),
    },
    "published": {"as published, more, less": claims},
    "selections": {"against the fastest of ours": selections},
    "states": {"a row for each state": states},
    "winners": {
        "the fastest other choice": lambda: (
            EXAMPLE, changed(FIGURES, points=tuple(at_two_sizes(FIGURES.points)))
        ),
        "what only loses": slower_choices,
    },
}  # fmt: skip


def test_winners_gain_what_the_findings_say():
    points = tuple(at_two_sizes(FIGURES.points))
    table = run_table("winners", EXAMPLE, changed(FIGURES, points=points))
    judged = judge_pairs(evidence_of(EXAMPLE, changed(FIGURES, points=points)))
    known = {
        (times(ratio.median), " to ".join(times(end).removesuffix("x") for end in ratio.interval))
        for ratio in (*judged.judged.values(), *(each.inverse() for each in judged.judged.values()))
    }
    gains = {row.cells[-2:] for row in table.rows if row.cells[-2] not in ("slower", "open")}
    assert gains and gains <= known


@pytest.mark.parametrize("name", CASES)
def test_a_table_is_the_golden_one(name):
    shown = [
        "\n".join([f"# {title}", *lines(run_table(name, *make())), ""])
        for title, make in CASES[name].items()
    ]
    text = "\n".join(shown)
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("LEADLINE_GOLDEN") == "write":
        path.write_text(text)
    assert text == path.read_text()
    assert "\x1b" not in text


def test_every_table_has_a_case():
    assert {*CASES, "impact"} == set(TABLE_NAMES)


@pytest.mark.parametrize("name", TABLE_NAMES)
def test_a_run_that_does_not_fit_is_refused(name):
    with pytest.raises(UserError, match=f"the table {name} takes .*the-run "):
        run_table(name, *made_up())


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("newsletter", [figure("sender", 8, 1e-6), figure("origin", 8, 1e-6)]),
        ("global-sum", [figure("completion", 8, 1e-6, each=6, algorithm="cube")]),
        ("global-sum", [figure("completion", 8, 1e-6, each=4)]),
        ("choices", [figure("completion", 8, 1e-6, algorithm="cube", root=0),
                     figure("completion", 8, 1e-6, algorithm="library", root=1)]),
        ("phases", [figure("sender", 8, 1e-6)]),
        ("by-processes", [program_on(2, "step", 1.0)]),
        ("further-sizes", [program_on(2, "step", 1.0)]),
        ("states", [launched([1.0, 1.1])]),
        ("selections", [figure("completion", 8, 1e-6, algorithm="library",
                               knobs={"collective_selector": "mpich"})]),
    ],
)  # fmt: skip
def test_figures_that_do_not_make_a_table_are_refused(name, points):
    with pytest.raises(UserError, match=f"the table {name} takes .*the-run has n"):
        run_table(name, *made_up(*points))


def test_calls_on_one_number_of_nodes_are_no_sweep():
    with pytest.raises(UserError, match="several numbers of nodes"):
        run_table("by-nodes", EXAMPLE, FIGURES)


def test_what_is_too_wide_breaks_its_headings_and_loses_nothing():
    columns = [number(f"gain of change {n} (percent)") for n in range(5)]
    row = ("smp placement", *range(5), "against the default placement")
    shown = [
        line.plain
        for line in draw(table_of([Column("change"), *columns, Column("remark")], [row]), 80)
    ]
    assert max(map(len, shown)) <= 80 and "…" not in "".join(shown)
    assert {"change", "remark", "against", "default", "(percent)", "4"} <= set(
        " ".join(shown).split()
    )
