"""A whole tuning over measurements that are made up: what is raced, proved, written and kept."""

import pytest
import tuned_machine

from leadline.model.installation import Installation
from leadline.model.placement import Placement
from leadline.model.plan import Plan
from leadline.model.progress import Silent
from leadline.tune.candidates import OurAlgorithms, UnderRuntime
from leadline.tune.deployment import AsProfile
from leadline.tune.profile import read_profile
from leadline.tune.session import PROOF, Session
from leadline.tune.subjects import Subject
from leadline.tune.tuning import Task, tune

BCAST = Subject(
    collective="bcast", benchmark="mpi/bcast", algorithms=("quick", "late"), sized=True,
    axes={"algorithm": "library"},
)  # fmt: skip
MPICH = Installation(name="mpich-5.0.2", family="mpich", version="5.0.2", prefix="", source="")


class Machine(tuned_machine.Machine):
    """Measures plans by `times(way, bytes)` in the race, and `proof(bytes, with_it)` in the proof.

    What the runtime does is `shared`; the calls of a benchmark have candidates each: `call/name`.
    """

    def __init__(self, times, proof, **given):
        super().__init__(**given)
        self._times, self._proof = times, proof

    def medians(self, plan, entry, way, size, knobs):
        if not way:
            way = "library" if knobs.get("runtime", "off") == "off" else "shared"
        if "call" in entry.axes:
            way = f"{entry.axes['call']}/{way}"
        if PROOF in knobs:
            level = self._proof(size, knobs[PROOF] != "default")
        else:
            level = self._times(way, size)
        return [level * self.chance.uniform(1, 1.02) for _ in range(plan.launches)]


@pytest.fixture
def tuned(tmp_path):
    """Tune broadcasts on such a machine; return what came of it, and the profile if any."""

    def run(
        machine,
        sizes=(8, 1024),
        budget=600.0,
        earlier=None,
        of=(BCAST,),
        candidates=None,
        one_rule=(),
    ):
        session = Session(Plan(entries=()), machine.measure, Silent(), budget, machine.now)
        task = Task(
            kind="profile", installation=MPICH, machine="this", subjects=of,
            placements=[Placement(1, 2)], sizes=sizes, candidates=candidates or OurAlgorithms(),
            deployment=lambda library, *_: AsProfile(
                "p", "this", library, tmp_path / "libleadline.so", None, []
            ),
            trial_folder=tmp_path / "trial", final_folder=tmp_path, one_rule=frozenset(one_rule),
        )  # fmt: skip
        found = tune(task, session, earlier or {}, Silent())
        path = tmp_path / "p.toml"
        return found, read_profile(path) if path.exists() else None

    return run


def race(way, size):
    return {"library": 2e-6, "quick": 1e-6, "late": 3e-6}[way]


def test_what_wins_and_proves_it_is_written(tuned):
    machine = Machine(race, lambda size, with_it: 1e-6 if with_it else 2e-6)
    found, profile = tuned(machine)
    (rule,) = profile.rule
    assert (rule.collective, rule.algorithm, rule.from_bytes, rule.to_bytes) == (
        "bcast", "quick", 0, 1024
    )  # fmt: skip
    assert [row.bytes for row in rule.measured] == [8, 1024]
    assert all(1.9 < row.least_gain < 2.1 for row in rule.measured)
    assert profile.library == "MPICH Version: 5.0.2"
    assert (found.state, found.undecided) == ("complete", 0)


def test_a_rule_that_is_slower_when_it_is_proved_is_dropped_and_told(tuned):
    """The race was wrong, or the runtime costs more than the algorithm gains: never slower."""
    machine = Machine(race, lambda size, with_it: 3e-6 if with_it and size == 8 else 2e-6)
    found, profile = tuned(machine)
    assert profile.rule == ()
    reasons = {verdict.trial.bytes: verdict.reason for verdict in found.verdicts}
    assert reasons[8] == "not faster" and reasons[1024]


def test_only_the_size_that_proves_it_keeps_its_rule(tuned):
    machine = Machine(race, lambda size, with_it: 1e-6 if with_it and size == 1024 else 2e-6)
    _, profile = tuned(machine)
    (rule,) = profile.rule
    assert rule.from_bytes == 91 and [row.bytes for row in rule.measured] == [1024]


def test_ranks_that_know_no_common_size_have_one_rule_that_each_size_proves(tuned):
    """The runtime asks the rule for 0 bytes, whatever a call moves."""
    times = {
        "quick": {8: 0.2e-6, 1024: 3e-6},
        "late": {8: 1e-6, 1024: 1.5e-6},
        "library": {8: 2e-6, 1024: 2e-6},
    }

    machine = Machine(
        lambda way, size: times[way][size], lambda size, with_it: 1e-6 if with_it else 2e-6
    )
    found, profile = tuned(machine, one_rule=("bcast",))
    (rule,) = profile.rule
    assert (rule.algorithm, rule.from_bytes, rule.to_bytes) == ("late", 0, None)
    assert [row.bytes for row in rule.measured] == [8, 1024]
    assert (found.library_best, found.left) == (0, ())


@pytest.mark.parametrize("at_1024_s", [3e-6, 2e-6])
def test_one_rule_for_all_sizes_is_dropped_where_one_size_is_not_faster(tuned, at_1024_s):
    def proof(size, with_it):
        return {(8, True): 1e-6, (1024, True): at_1024_s}.get((size, with_it), 2e-6)

    found, profile = tuned(Machine(race, proof), one_rule=("bcast",))
    assert profile.rule == ()
    assert not any(each.kept for each in found.verdicts)
    assert found.verdicts[0].reason.endswith("at 1 KiB")


def test_a_size_of_which_nothing_is_known_is_not_one_at_which_the_library_is_best(tuned):
    """At 8 B the library and the others scatter by four, at 1 KiB the library wins."""

    class Scattered(Machine):
        def medians(self, plan, entry, way, size, knobs):
            found = super().medians(plan, entry, way, size, knobs)
            return [each * self.chance.uniform(1, 4) for each in found] if size == 8 else found

    levels = {"library": 1e-6, "quick": 1.1e-6, "late": 3e-6}
    found, _ = tuned(Scattered(lambda way, size: levels[way], lambda *_: 1e-6), budget=1.0)
    assert found.library_best == 1
    assert {left.bytes: left.undecided for left in found.left} == {8: True, 1024: False}


def test_losers_are_not_measured_to_the_end(tuned):
    """A close race goes on without the one that has lost."""

    def close(way, size):
        return {"library": 1e-6, "quick": 0.985e-6, "late": 5e-6}[way]

    machine = Machine(close, lambda size, with_it: 1e-6)
    tuned(machine)
    raced = [plan.entries[0].axes["algorithm"] for plan in machine.plans if not plan.knobs]
    assert raced[0] == "library,quick,late"
    assert len(raced) > 1 and set(raced[1:]) == {"library,quick"}


def test_wrong_data_win_nothing(tuned):
    machine = Machine(race, lambda size, with_it: 1e-6, wrong=("quick",))
    found, profile = tuned(machine)
    assert profile.rule == () and found.library_best == 2
    assert [(left.collective, left.bytes) for left in found.left] == [("bcast", 8), ("bcast", 1024)]


def test_an_interrupt_of_the_race_writes_nothing_and_loses_nothing(tuned):
    machine = Machine(race, lambda size, with_it: 1e-6, interrupted_in=1)
    found, profile = tuned(machine)
    assert (found.state, profile, found.runs) == ("interrupted", None, ("run-1",))


def test_an_interrupt_of_the_proof_keeps_what_is_sure(tuned):
    machine = Machine(race, lambda size, with_it: 1e-6 if with_it else 2e-6, interrupted_in=2)
    found, profile = tuned(machine)
    assert found.state == "interrupted"
    assert [rule.algorithm for rule in profile.rule] == ["quick"]


def test_the_proof_has_its_launches_even_when_the_time_is_over(tuned):
    machine = Machine(race, lambda size, with_it: 1e-6 if with_it else 2e-6)
    tuned(machine, budget=1.0)
    assert [plan.launches for plan in machine.plans if plan.knobs] == [7]


@pytest.mark.parametrize(("budget", "launches"), [(20.0, 16), (600.0, 20)])
def test_the_proof_takes_the_time_that_is_left_for_many_short_launches(tuned, budget, launches):
    """A launch took half a second beside its points, and a point of the proof ends after 30 ms."""
    machine = Machine(race, lambda size, with_it: 1e-6 if with_it else 2e-6)
    tuned(machine, budget=budget)
    raced, proof = machine.plans
    assert proof.stopping.seconds == 0.03 < raced.stopping.seconds
    assert proof.launches == launches


def meeting(call):
    return Subject(
        collective=f"shmem_{call}", benchmark="shmem/meeting", algorithms=("shared",),
        sized=False, axes={"call": call},
    )  # fmt: skip


def test_what_cannot_be_called_by_name_is_raced_under_the_runtime(tuned, tmp_path):
    """Calls of one benchmark are collectives of their own: one gains, the other does not."""
    times = {"all/library": 2e-6, "all/shared": 1e-6, "set/library": 1e-6, "set/shared": 2e-6}
    machine = Machine(lambda way, _: times[way], lambda _, with_it: 1e-6 if with_it else 2e-6)
    race = tmp_path / "race.toml"
    found, profile = tuned(
        machine, of=(meeting("all"), meeting("set")), candidates=UnderRuntime("shared", race)
    )
    assert machine.plans[0].knobs == {"runtime": f"off,{race}"}
    assert {entry.axes["call"] for entry in machine.plans[0].entries} == {"all", "set"}
    (proof,) = [plan for plan in machine.plans if PROOF in plan.knobs]
    assert [entry.axes for entry in proof.entries] == [{"call": "all"}]
    (rule,) = profile.rule
    assert (rule.collective, rule.algorithm, rule.processes) == ("shmem_all", "shared", 2)
    assert (rule.from_bytes, rule.to_bytes, found.library_best) == (0, None, 1)
