"""Cases of rules on trust in the figures."""

import dataclasses

import msgspec
from example_platform import machine
from rule_cases import Silence, case, imported

from leadline.analysis.results.pairs import missing_figure
from leadline.model.imported import Remark
from leadline.model.noise import LevelChange, Mode, Shape
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Stopping
from leadline.model.platform import Calibration
from leadline.model.run import MachineReading, Outcome, Skip
from leadline.model.summary import MissingFigure, StateFigure

FAILED = Outcome(state="failed", message="rank 1 was killed")
CUT = {"points": (), "outcome": FAILED}
LEFT_OUT = {"points": (), "skipped": (Skip(point=0, reason="too few ranks"),)}
FEW = {"samples": 6, "within_launch_precision": None, "stopped_by": "seconds"}
ONE_MODE = (Mode(at_s=1e-6, fraction=1.0),)


def stopped(m, **changes):
    """A run that did not end well, with its points that have no figure."""
    whole = m.evidence([m.figure()], **changes)
    missing = tuple(missing_figure(whole.run, point, {}) for point in whole.run.points)
    return dataclasses.replace(whole, missing=missing)


def unknown_host(m):
    message = "ssh: Could not resolve hostname nosuchhost1: Name or service not known: check it"
    plan = {
        "entries": (Entry(benchmarks=("family/thing",), axes={"bytes": "8"}),),
        "hosts": ("nosuchhost1", "b"), "placements": (Placement(2, 1),), "launches": 1,
        "mpi": ("first",), "knobs": {"limit": "default,16K"}, "bind": False,
    }  # fmt: skip
    failed = Outcome(state="failed", message=message)
    return stopped(m, launch={"points": (), "outcome": failed}, outcome=failed, plan=plan)


def of_state(m, state, message="", **changes):
    return m.evidence([m.figure()], outcome=Outcome(state=state, message=message), **changes)


def shaped(m, modes=ONE_MODE, **changes):
    return m.evidence([m.figure(shape=Shape(effective_samples=900, modes=modes, **changes))])


def two_modes(m, follow, second=1.5e-6):
    modes = (Mode(at_s=1e-6, fraction=0.7), Mode(at_s=second, fraction=0.3))
    period = 4 if follow == "repetition" else None
    return shaped(m, modes, modes_follow=follow, modes_period=period)


def changed(m, *steps):
    return shaped(
        m, changes=tuple(LevelChange(launch=a, repetition=b, factor=c) for a, b, c in steps)
    )


def met(m, numbers, *slowness):
    """A run whose launches read these round trips, in units of 0.1 us."""
    states = tuple(
        StateFigure(state=number, times=1.0 + 2 * number, launches=(number,), median_s=1.0)
        for number in numbers
    )
    one = m.evidence([m.figure(states=states)])
    launches = [
        msgspec.structs.replace(
            one.run.launches[0],
            launch=number,
            readings=tuple(
                MachineReading(points=at, round_trip_s=1e-7 * slow) for at, slow in enumerate(each)
            ),
        )
        for number, each in enumerate(slowness)
    ]
    return dataclasses.replace(one, run=msgspec.structs.replace(one.run, launches=launches))


def files(m, *seconds):
    """A figure of several files of another program."""
    point = m.figure(launch_medians_s=seconds, samples=0, within_launch_precision=None)
    return imported(m.evidence([point]))


def remarked(m, line, text):
    return imported(m.evidence([m.figure()]), remarks=(Remark(file="f.txt", line=line, text=text),))


def found_wrong(m):
    return imported(m.evidence([m.figure(), m.figure(2e-6, 16, verified=False)]))


def check(m, status):
    result = {
        "name": "governor", "status": status, "observed": "powersave", "meaning": "Clocks change.",
        "advice": "Set it.", "command": "cpupower", "numbers": {"cores": 2.0},
    }  # fmt: skip
    return m.evidence([m.figure()], doctor=[result])


def missing(m, set_aside):
    one = MissingFigure(
        point=0, benchmark="family/thing", axes={}, settings={}, bytes=8, processes=2, nodes=1,
        processes_per_node=2, mpi="first", reason="there are too few ranks",
        left_out=not set_aside, set_aside=set_aside,
    )  # fmt: skip
    return dataclasses.replace(m.evidence([m.figure()]), missing=(one,))


def asked(m, controls, **launch):
    said = {
        "library": "Some MPI 1.0", "knobs": {"limit": "16K"}, "controls": controls,
        "asked_controls": {"SOME_LIMIT": "16K"}, **launch,
    }  # fmt: skip
    figures = [m.figure(knobs={"limit": value}) for value in ("default", "16K")]
    return m.evidence(figures, launch=said)


def simulation(m):
    calibration = Calibration(source="a paper", error=0.07, one_way=((8, 1e-6),))
    platform = msgspec.structs.replace(machine({"kind": "crossbar"}, 4), calibration=(calibration,))
    figures = [m.figure(simulated=True), m.figure(simulated=True, processes=8)]
    return m.evidence(figures, platform=platform)


def wide(m, limit="seconds", precision=0.08, seconds=1.0):
    stopping = {"stopping": Stopping(precision=0.02, seconds=seconds, maximum=10_000)}
    ended = m.figure(stopped_by=limit, within_launch_precision=precision)
    return m.evidence([ended], plan=stopping)


SLOW = ((1.0, 1.01), (1.02, 1.0), (3.1, 3.12))

CASES = [
    case("wrong_data", lambda m: m.evidence([m.figure(), m.figure(1e-6, 16)],
         result={"wrong_bytes": 5}),
         "30 wrong bytes at 2 points in 3 launches", severity="problem", points=(0, 1),
         wrong_bytes=30.0, launches=3.0),
    # Even when no figure is left.
    case("wrong_data", lambda m: dataclasses.replace(
        m.evidence([m.figure()], result={"wrong_bytes": 1}), points=()), points=()),
    case("unverified", lambda m: m.evidence([m.figure(), m.figure(1e-6, 16, verified=False)]),
         points=(1,), command="--bytes 16"),
    case("not_available", lambda m: m.evidence([m.figure(), m.figure(1e-6, 16)],
         launch={"skipped": tuple(
        Skip(point=index, reason="there are too few ranks") for index in (0, 1))}),
         "2 points not measured, because there are too few ranks.",
         evidence={"points_skipped": 2.0}),
    case("incomplete", lambda m: stopped(m, launch=CUT, outcome=Outcome(state="incomplete")),
         "All 3 launches failed: rank 1 was killed.", "Nothing was measured.", severity="problem",
         launches_failed=3.0, command="leadline run family/thing --place 1x2"),
    case("incomplete", lambda m: remarked(m, 7, "cut"), "f.txt:7: cut", severity="notice",
         first_line=7.0),
    # What a file does not say is no damage.
    case("incomplete", lambda m: remarked(m, 0, "no nodes"), "f.txt: no nodes.", severity="fact"),
    case("wrong_data", found_wrong, severity="problem", points=(1,)),
    case("launches_differ", lambda m: files(m, 1e-6, 1.6e-6, 1.1e-6), silent=("steady within",),
         command=None),
    case("incomplete", unknown_host,
         "Host nosuchhost1 is unknown: check --hosts. Nothing was measured.",
         command="leadline run family/thing --bytes 8 --place 2x1 --mpi first --hosts "
         "nosuchhost1,b --launches 1 --knob limit=default,16K --no-bind"),
    case("incomplete", lambda m: stopped(m, outcome=Outcome(state="interrupted", message="SIGINT")),
         "The run was interrupted. Each point was measured.",
         advice="Measure again to get the rest; what was measured is kept.",
         command="leadline run family/thing --place 1x2"),
    # The cure of a spent budget is another budget, not a part of what was asked for.
    case("incomplete", lambda m: stopped(m, plan={"budget_s": 15.0},
                                         outcome=Outcome(state="timed out", message="spent")),
         "The budget of 15 s was spent. Each point was measured. The same command with a larger "
         "--budget makes all launches.", advice=None, command=None),
    case("incomplete", lambda m: stopped(m, plan={"launches": 9},
                                         outcome=Outcome(state="interrupted", message="SIGINT")),
         "The run was interrupted. Each point was measured, in 3 of 9 complete launches."),
    case("incomplete", lambda m: stopped(m, plan={"budget_s": 15.0, "time_limit_s": 9.0},
                                         outcome=Outcome(state="timed out", message="spent")),
         "The time limit of the run was reached.",
         advice="Measure again to get the rest; what was measured is kept."),
    case("incomplete", lambda m: of_state(m, "incomplete", "leadline itself was killed"),
         "leadline itself was killed", severity="problem"),
    case("incomplete", lambda m: of_state(m, "running",
         launch={"outcome": Outcome(state="running")}),
         "is still being measured: 1 of 1 point finished so far", severity="notice", launches=3.0,
         command="leadline show run"),
    case("incomplete", lambda m: of_state(m, "running", "on login1 as process 7: only there"),
         "may still go on (on login1 as process 7"),
    case("disturbed", lambda m: m.evidence([
        m.figure(1e-6, 16, samples=990, excluded=10),
        m.figure(flags={"preempted": 120, "page_fault": 1}, samples=900, excluded=100)]),
         "Another process took a core in 6 % of the repetitions (most: family/thing, 8 B, 12 %).",
         advice=None, points=(1,), evidence={"preempted_fraction": 0.06,
                                             "preempted_repetitions": 120.0,
                                             "worst_fraction": 0.12}),
    case("disturbed", lambda m: m.evidence(
        [m.figure(flags={"preempted": 90, "late_start": 60}), m.figure(1e-6, 16)]),
         "4.5 % of the repetitions (most: family/thing, 8 B, 9 %)",
         "3 % of the repetitions started late and are left out", late_start_repetitions=60.0),
    case("disturbed", lambda m: m.evidence([m.figure(flags={"migrated": 100})],
         plan={"bind": False}),
         advice="Pin the ranks.", command="leadline run family/thing --place 1x2"),
    # Nobody was seen who could be stopped.
    case("busy_machine", lambda m: m.evidence([m.figure()], load_during={"busy_fraction": 0.52}),
         "Other programs used 52 % of the processors' time.", advice=None, command=None,
         evidence={"busy_fraction": 0.52}),
    case("busy_machine", lambda m: m.evidence([m.figure()], load_during={"stolen_fraction": 0.2}),
         "20 %", advice=None),
    case("machine_check", lambda m: check(m, "bad"), "governor: powersave. Clocks change.",
         severity="notice", cores=2.0, command="cpupower"),
    case("machine_check", lambda m: check(m, "warn"), severity="fact"),
    # Standard deviation 3.606 over a mean of 5.
    case("launches_differ", lambda m: m.evidence(
        [m.figure(), m.figure(4e-6, 64, launch_medians_s=(2e-6, 4e-6, 9e-6))]),
         "varies between 3 launches: 2.00 us to 9.00 us (72 %)", launch_variation=0.7211,
         points=(1,),
         command="leadline run family/thing --place 1x2 --mpi first --bytes 64 --launches 10"),
    case("imprecise", wide, command="--seconds 16", precision_reached=0.08),
    # No more time is advised than there was.
    case("imprecise", lambda m: wide(m, seconds=60.0), advice="Accept less precision.",
         command="--precision 0.05"),
    case("imprecise", lambda m: wide(m, "maximum"), command="--maximum 160000"),
    case("imprecise", lambda m: m.evidence([m.figure(**FEW), m.figure(1e-6, 16, **FEW)]),
         "reached after 2 samples a launch; an interval needs 6", points=(0, 1),
         command="--seconds ",
         evidence={"samples_per_launch": 2.0, "samples_needed": 6.0, "figures": 2.0}),
    case("imprecise", lambda m: wide(m, precision=550.21),
         "an interval of 550 medians to each side", silent=("%",)),
    case("oversubscribed", lambda m: m.evidence(
        [m.figure(), m.figure(processes_per_node=8, processes=8, oversubscribed=True)]),
         "1x8", points=(1,), evidence={"figures": 1.0, "most_processes": 8.0}),
    case("clock_uncertain", lambda m: m.evidence(
        [m.figure(1e-6), m.figure(1e-3, 16)], result={"clock_error_s": 2e-7}),
         "200 ns", points=(0,), clock_error_s=2e-7, command="--start barrier"),
    case("clock_uncertain", lambda m: m.evidence([m.figure(flags={"clock_uncertain": 300})]),
         clock_uncertain_fraction=0.3),
    case("near_clock", lambda m: m.evidence([m.figure(1e-7)], result={"batch": 1}),
         "21 %", clock_and_harness_s=2.1e-8),
    *(
        case("impossible", lambda m, change=change: m.evidence(
            [msgspec.structs.replace(m.figure(), **change), m.figure(1e-6, 16)]),
             severity="problem", points=(0,), clock_step_s=1e-10)
        for change in ({"min_s": 0.0}, {"min_s": -1e-9}, {"median_s": 5e-11})
    ),
    *(
        case("several_modes", lambda m, follow=follow: two_modes(m, follow), words,
             "times cluster at 1.00 us (70 %) and 1.50 us (30 %)", mode_2_s=1.5e-6,
             mode_2_fraction=0.3, command="--launches" if follow == "launch" else command)
        for follow, words, command in (
            ("launch", "by launch", ""), ("time", "in stretches of time", "leadline check"),
            ("repetition", "in turn, every 4 repetitions", None), ("chance", "at random", None),
        )
    ),
    case("simulated", simulation, "2 figures", "example", "7 %", severity="notice", points=(0, 1),
         command="leadline platforms example", evidence={"figures": 2.0, "most_processes": 8.0}),
    case("warm_up", lambda m: shaped(m, warm_up_repetitions=20, warm_up_factor=1.8),
         "first 20 repetitions", "1.8x slower", warm_up_fraction=0.06),
    case("level_change", lambda m: changed(m, (1, 300, 1.5), (2, None, 0.5)),
         "became 2.0x faster from launch 3 on", "2 changes",
         evidence={"factor": 0.5, "launch": 2.0, "changes": 2.0}),
    case("level_change", lambda m: changed(m, (1, 300, 1.5)),
         "1.5x slower from repetition 300 of launch 2 on"),
    case("level_change", lambda m: changed(m, (0, 9, 0.000104)),
         "became 9620x faster from repetition 9 of launch 1 on"),
    case("slow_spell", lambda m: met(m, (0, 1), *SLOW),
         "1 of 3 launches met a slow spell of the machine: cores are 3.1x farther apart. "
         "Figures are of the other launches.", points=(0,), slow_launches=1.0),
    case("slow_spell", lambda m: met(m, (1, 0), *SLOW), "Figures are of the slow launches."),
    *(
        case("knob_not_taken", lambda m, has=has: asked(m, has), "first ignored limit=16K: ", words,
             "3 launches", severity="problem", points=(1,),
             command="leadline mpi knobs --mpi first SOME_LIMIT")
        for has, words in (({"SOME_LIMIT": "8192"}, "SOME_LIMIT is 8192, not 16K"),
                           ({}, "SOME_LIMIT is unknown"))
    ),
]  # fmt: skip

SILENT = [
    Silence("incomplete", lambda m: remarked(m, 7, "cut"),
            lambda m: imported(m.evidence([m.figure()]))),
    Silence("unverified", lambda m: m.evidence([m.figure(verified=False)]), found_wrong),
    # Files that differ need to differ by more.
    Silence("launches_differ", lambda m: files(m, 1e-6, 1.6e-6, 1.1e-6),
            lambda m: files(m, 1e-6, 1.1e-6, 1.05e-6)),

    Silence("no_figure", lambda m: missing(m, 40), lambda m: missing(m, 0)),
    Silence("busy_machine",
            lambda m: m.evidence([m.figure()], load_during={"busy_fraction": 0.3}),
            lambda m: m.evidence([m.figure()], load_during={"busy_fraction": 0.09,
            "stolen_fraction": 0.01})),
    Silence("clock_uncertain",
            lambda m: m.evidence([m.figure(1e-6)], result={"clock_error_s": 2e-6}),
            lambda m: m.evidence([m.figure(1e-3)], result={"clock_error_s": 2e-6})),
    Silence("near_clock", lambda m: m.evidence([m.figure(1e-8)], result={"batch": 1}),
            lambda m: m.evidence([m.figure(1e-8)], result={"batch": 1000})),
    Silence("near_clock", lambda m: m.evidence([m.figure(1e-7)], result={"batch": 1}),
            lambda m: m.evidence([m.figure(1e-7)], result={"batch": 1, "operations_per_call": 10})),
    Silence("disturbed", lambda m: m.evidence([m.figure(flags={"preempted": 90})]),
            lambda m: m.evidence([m.figure(flags={"preempted": 9})])),
    Silence("imprecise", wide, lambda m: wide(m, precision=0.01)),
    Silence("launches_differ",
            lambda m: m.evidence([m.figure(launch_medians_s=(1e-6, 1.3e-6, 1.6e-6))]),
            lambda m: m.evidence([m.figure(launch_medians_s=(1e-6, 1.3e-6, 1.6e-6),
                                           within_launch_precision=0.3)])),
    # Too few samples.
    Silence("launches_differ",
            lambda m: m.evidence([m.figure(launch_medians_s=(1e-6, 1.6e-6, 1.1e-6))]),
            lambda m: m.evidence([m.figure(launch_medians_s=(1e-6, 1.6e-6, 1.1e-6), samples=6,
                                           within_launch_precision=None)])),
    Silence("machine_check", lambda m: check(m, "bad"), lambda m: check(m, "unknown")),
    Silence("machine_check", lambda m: check(m, "bad"), lambda m: check(m, "ok")),
    Silence("incomplete", lambda m: m.evidence([m.figure()], launch=CUT),
            lambda m: m.evidence([m.figure()], launch=LEFT_OUT)),
    Silence("not_available", lambda m: m.evidence([m.figure()], launch=LEFT_OUT),
            lambda m: m.evidence([m.figure()], launch=CUT)),
    Silence("oversubscribed",
            lambda m: m.evidence([m.figure(processes=64, processes_per_node=64,
            oversubscribed=True)]),
            lambda m: m.evidence([m.figure(processes=64, processes_per_node=64)])),
    Silence("unverified", lambda m: m.evidence([m.figure(verified=False)]),
            lambda m: m.evidence([m.figure(verified=False)], result={"wrong_bytes": 1})),
    Silence("wrong_data", lambda m: m.evidence([m.figure(verified=False)],
            result={"wrong_bytes": 1}),
            lambda m: m.evidence([m.figure(verified=False)], result={"verified": False})),
    Silence("simulated", simulation,
            lambda m: m.evidence([m.figure()], plan={"platform": "chic"})),
    Silence("level_change", lambda m: changed(m, *[(1, None, 1.3)] * 3),
            lambda m: changed(m, *[(1, None, 1.2)] * 3)),
    Silence("several_modes", lambda m: two_modes(m, "chance"), lambda m: two_modes(m, "chance",
            1.2e-6)),
    Silence("warm_up", lambda m: shaped(m, warm_up_repetitions=20, warm_up_factor=2.0),
            lambda m: shaped(m, warm_up_repetitions=20, warm_up_factor=0.5)),
    Silence("slow_spell", lambda m: met(m, (0, 1), *SLOW),
            lambda m: met(m, (0, 1), (1.0, 1.01), (1.1, 1.02))),
    Silence("knob_not_taken", lambda m: asked(m, {}), lambda m: asked(m, {"SOME_LIMIT": "16384"})),
    Silence("knob_not_taken", lambda m: asked(m, {}), lambda m: asked(m, {}, library="")),
    Silence("knob_not_taken", lambda m: asked(m, {}), lambda m: asked(m, {}, api="shmem")),
]  # fmt: skip
