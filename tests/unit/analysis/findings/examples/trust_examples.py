"""Examples of findings on trust: a function makes the evidence of its kind."""

import dataclasses

import msgspec
from example_platform import machine

from leadline.analysis.results.pairs import missing_figure
from leadline.model.imported import Bound
from leadline.model.interference import Interference, InterferingProgram
from leadline.model.noise import LevelChange, Mode, Shape
from leadline.model.placement import Placement
from leadline.model.plan import Entry
from leadline.model.platform import Calibration
from leadline.model.run import MachineReading, Outcome, Skip
from leadline.model.summary import MissingFigure, StateFigure


def busy_machine(makers):
    """A compiler that ran in two of three launches."""
    program = InterferingProgram(command="cc1plus", user="anna", processes=1, cores=0.94)
    company = Interference(
        host="here", seconds=10.0, looks=3, looks_cpu_s=0.001, cores=0.94, processors=2,
        programs=(program,),
    )  # fmt: skip
    busy = {"busy_fraction": 0.47, "stolen_fraction": 0.12}
    return makers.evidence([makers.figure()], launch={"company": company}, load_during=busy)


def clock_uncertain(makers):
    """Messages timed with two clocks."""
    return makers.evidence([makers.figure()], result={"clock_error_s": 2e-7})


def company(makers):
    """A program that ran in every launch."""
    program = InterferingProgram(command="cc1plus", user="anna", processes=1, cores=0.94)
    company = Interference(
        host="here", seconds=10.0, looks=3, looks_cpu_s=0.001, programs=(program,)
    )
    return makers.evidence([makers.figure()], launch={"company": company})


def disturbed(makers):
    """Repetitions without a core, and repetitions that began late."""
    hit = makers.figure(1e-4, 2**20, flags={"preempted": 93, "late_start": 230})
    return makers.evidence([makers.figure(samples=9000), hit])


def erratic(makers):
    """Single measurements on a busy machine."""

    def seconds(size):
        return (1e-6 + size / 1e9) * (1 + 3 * (size.bit_length() % 3 == 0))

    return makers.evidence(makers.curve(seconds, ci95_low_s=None, ci95_high_s=None))


def impossible(makers):
    """A rate beyond the limit of the link."""
    bound = Bound(quantity="bandwidth_MBps", value=125.0, where="node", source="maker")
    return dataclasses.replace(makers.evidence([makers.figure(3.8e-4, 2**16)]), bounds=(bound,))


def imprecise(makers):
    """Messages that one second was too short for."""
    return makers.evidence([makers.figure(stopped_by="seconds", within_launch_precision=0.046)])


def incomplete(makers):
    """A run whose host is unknown."""
    message = "ssh: Could not resolve hostname nosuchhost1: Name or service not known"
    plan = {
        "entries": (Entry(benchmarks=("family/thing",), axes={"bytes": "8"}),),
        "hosts": ("nosuchhost1", "b"),
        "placements": (Placement(2, 1),),
        "launches": 1,
    }
    whole = makers.evidence(
        [makers.figure()],
        launch={"points": (), "outcome": Outcome(state="failed", message=message)},
        outcome=Outcome(state="failed", message=message),
        plan=plan,
    )
    missing = tuple(missing_figure(whole.run, point, {}) for point in whole.run.points)
    return dataclasses.replace(whole, missing=missing)


def knob_not_taken(makers):
    """A limit that the library ignored."""
    said = {
        "library": "a library",
        "knobs": {"limit": "16K"},
        "asked_controls": {"SOME_LIMIT": "16K"},
        "controls": {"SOME_LIMIT": "8192"},
    }
    return makers.evidence([makers.figure(knobs={"limit": "16K"})], launch=said)


def launches_differ(makers):
    """Messages that are slower in one launch."""
    restless = makers.figure(9.5e-7, 128, launch_medians_s=(8.63e-7, 9.5e-7, 1.08e-6))
    return makers.evidence([makers.figure(), restless])


def level_change(makers):
    """Messages that a neighbour had slowed for a while."""
    changes = (LevelChange(launch=1, repetition=30, factor=0.000104),)
    shape = Shape(effective_samples=900.0, modes=(), changes=changes)
    return makers.evidence([makers.figure(shape=shape)])


def machine_check(makers):
    """A governor that saves power."""
    check = {
        "name": "frequency-governor",
        "status": "bad",
        "observed": "powersave on 2 processors",
        "meaning": "Any governor but performance lowers the clock of a core that waits.",
        "advice": "Set the governor performance.",
        "command": "sudo cpupower frequency-set --governor performance",
        "numbers": {"other_governors": 2.0},
    }
    return makers.evidence([makers.figure()], doctor=[check])


def near_clock(makers):
    """A barrier of a few hundred nanoseconds, timed one by one."""
    return makers.evidence([makers.figure(295e-9, None)], result={"batch": 1})


def no_figure(makers):
    """A point whose repetitions all began late."""
    missing = MissingFigure(
        point=0, benchmark="family/thing", axes={}, settings={}, bytes=8, processes=2, nodes=1,
        processes_per_node=2, mpi="first", set_aside=40, flags={"late_start": 40},
        reason="every repetition is set aside: a rank came too late for the agreed start",
    )  # fmt: skip
    return dataclasses.replace(makers.evidence([makers.figure()]), missing=(missing,))


def not_available(makers):
    """A benchmark that needs more ranks."""
    skipped = (Skip(point=0, reason="too few ranks"),)
    return makers.evidence([makers.figure()], launch={"points": (), "skipped": skipped})


def oversubscribed(makers):
    """Eight processes on two cores."""
    crowded = makers.figure(processes=8, processes_per_node=8, oversubscribed=True)
    return makers.evidence([makers.figure(), crowded])


def several_modes(makers):
    """Messages that take one of two times, at random."""
    modes = (Mode(at_s=834e-9, fraction=0.66), Mode(at_s=1.27e-6, fraction=0.34))
    shape = Shape(effective_samples=900.0, modes=modes, modes_follow="chance")
    return makers.evidence([makers.figure(9e-7, 64, shape=shape), makers.figure()])


def simulated(makers):
    """A figure that a model of a machine gave."""
    platform = machine({"kind": "crossbar"}, 4)
    calibration = Calibration(source="a paper", error=0.07, one_way=((8, 1e-6),))
    platform = msgspec.structs.replace(platform, calibration=(calibration,))
    return makers.evidence([makers.figure(simulated=True)], platform=platform)


def slow_spell(makers):
    """One of three launches met the cores three times farther apart."""
    states = tuple(
        StateFigure(state=number, times=times, launches=launches, median_s=1e-6 * times)
        for number, times, launches in ((0, 1.0, (0, 2)), (1, 3.1, (1,)))
    )
    one = makers.evidence([msgspec.structs.replace(makers.figure(), states=states)])
    launches = [
        msgspec.structs.replace(
            one.run.launches[0],
            launch=number,
            readings=(
                MachineReading(points=0, round_trip_s=1e-7 * slowness),
                MachineReading(points=1, round_trip_s=1.01e-7 * slowness),
            ),
        )
        for number, slowness in enumerate((1.0, 3.1, 1.0))
    ]
    return dataclasses.replace(one, run=msgspec.structs.replace(one.run, launches=launches))


def time_stolen(makers):
    """Cores that the hypervisor lent."""
    stolen = makers.figure(1e-3, None, metrics={"stolen_percent": 2.5}, flags={"stolen": 20})
    return makers.evidence([stolen])


def unverified(makers):
    """A figure whose launch ended before the check."""
    return makers.evidence([makers.figure(verified=False)])


def warm_up(makers):
    """First repetitions that are slow."""
    shape = Shape(effective_samples=900.0, modes=(), warm_up_repetitions=20, warm_up_factor=1.8)
    return makers.evidence([makers.figure(shape=shape)])


def wrong_data(makers):
    """A library that delivers wrong bytes."""
    return makers.evidence([makers.figure(), makers.figure(1e-6, 16)], result={"wrong_bytes": 5})
