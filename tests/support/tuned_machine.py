"""A machine that is tuned: its times are made up, and its clock goes by what it measures."""

import random

import msgspec
from launched import figure

from leadline.core.units import expand_values
from leadline.model.plan import Plan, Point
from leadline.model.run import Launch, Outcome, PointResult, Run
from leadline.tune.session import Measurement

SAID = "MPICH Version:\t5.0.2\nMPICH Release date: today"


class Machine:
    """Measures plans; the run of number `interrupted_in`, from 1 on, is interrupted.

    Subclasses have `medians`: those of a figure's launches, None where they fail.
    """

    point_s = 0.1

    def __init__(self, interrupted_in=0, wrong=(), seed=1):
        self.plans = []
        self.clock = 0.0
        self.chance = random.Random(seed)
        self._interrupted_in = interrupted_in
        self._wrong = wrong

    def now(self):
        return self.clock

    def medians(self, plan, entry, way, size, knobs):
        raise NotImplementedError

    def seconds(self, plan, figures):
        return plan.launches * len(figures) * self.point_s

    def measure(self, plan: Plan) -> Measurement:
        self.plans.append(plan)
        figures = []
        for entry in plan.entries:
            for size in expand_values(entry.axes.get("bytes", "0")):
                for way in entry.axes.get("algorithm", "").split(","):
                    for knobs in combinations(plan):
                        medians = self.medians(plan, entry, way, size, knobs)
                        if medians:
                            figures.append(self._figure(plan, entry, way, size, knobs, medians))
        self.clock += self.seconds(plan, figures)
        state = "interrupted" if len(self.plans) == self._interrupted_in else "complete"
        launch = Launch(
            launch=0, mpi="mpich-5.0.2", api="mpi", argv=(), environment={}, processes=2, nodes=1,
            processes_per_node=2, oversubscribed=False, started="", ended="",
            outcome=Outcome(state="complete"), library=SAID,
            points=(PointResult(point=0, wall_s=self.point_s, repetitions=1000),),
        )  # fmt: skip
        launches = [
            msgspec.structs.replace(launch, knobs=knobs)
            for knobs in combinations(plan)
            for _ in range(plan.launches)
        ]
        run = Run(
            run=f"run-{len(self.plans)}", leadline="0", plan=plan, started="",
            outcome=Outcome(state=state), launches=launches, points=list[Point](),
        )  # fmt: skip
        return Measurement(run, figures)

    def _figure(self, plan, entry, way, size, knobs, medians):
        (placement,) = plan.placements
        axes = {
            **entry.axes,
            **({"bytes": size} if size else {}),
            **({"algorithm": way} if way else {}),
        }
        return figure(
            medians, size or None, benchmark=entry.benchmarks[0], axes=axes, knobs=knobs,
            processes=placement.processes, nodes=placement.nodes,
            processes_per_node=placement.processes_per_node, verified=way not in self._wrong,
        )  # fmt: skip


def combinations(plan):
    """Return the combinations of a plan's knobs, of which it has one at most."""
    return [{name: one} for name, all_ in plan.knobs.items() for one in all_.split(",")] or [{}]
