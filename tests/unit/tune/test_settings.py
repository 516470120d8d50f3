"""The race of a library's settings over measurements that are made up, and what a profile keeps."""

import random
from pathlib import Path

import msgspec
import pytest
import tuned_machine

from leadline.core.errors import UserError
from leadline.measure.knobs.inherited import readers
from leadline.measure.knobs.program import read_variables
from leadline.model.description import Benchmark, Processes
from leadline.model.installation import Installation
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan
from leadline.model.profile import Effect, Measured, Profile, Rule, Setting
from leadline.model.progress import Silent
from leadline.model.software import Variable
from leadline.model.tuning import Trial
from leadline.tune.conformance import Conformance
from leadline.tune.profile import read_profile, write_profile
from leadline.tune.session import PROOF, Session
from leadline.tune.settings.judgement import judge_settings
from leadline.tune.settings.known import Choice, choices, feeling, settings_files
from leadline.tune.settings.race import SettingsTask, tune_settings
from leadline.tune.settings.stored import exported, has_settings, library_form, store

MPICH = Installation(name="mpich-5.0.2", family="mpich", version="5.0.2", prefix="", source="")
PINGPONG = Benchmark(
    name="mpi/pingpong", summary="", axes=(), processes=Processes(minimum=2, maximum=2), series=(),
    api="mpi", start="back_to_back",
)  # fmt: skip
CHOICES = (
    Choice("cells", "128", "cells of a queue", {"MPIR_CVAR_CELLS": "128"}),
    Choice("copy", "off", "copy once", {"MPIR_CVAR_COPY": "0"}),
    Choice("cells", "256", "cells of a queue", {"MPIR_CVAR_CELLS": "256"}),
)


class Machine(tuned_machine.Machine):
    """Measures plans: a size takes `factor(variables, bytes)` of a microsecond.

    Launches with a variable that is `broken` fail. They scatter as a whole and size by size.
    """

    point_s = 0.02

    def __init__(self, factor, noise=0.02, broken=(), **given):
        super().__init__(**given)
        self._factor, self._noise, self._broken = factor, noise, broken
        self._luck = {}

    def seconds(self, plan, figures):
        return 0.5 * plan.launches * len(tuned_machine.combinations(plan))

    def medians(self, plan, entry, way, size, knobs):
        value = knobs[PROOF]
        variables = {} if value == "default" else read_variables(Path(value))
        if variables.keys() & set(self._broken):
            return None
        luck = [self.chance.gauss(1, self._noise) for _ in range(plan.launches)]
        luck = self._luck.setdefault((len(self.plans), value), luck)
        level = self._factor(variables, size) * 1e-6
        return [level * each * self.chance.uniform(1, 1 + self._noise) for each in luck]


@pytest.fixture
def tuned(tmp_path):
    def run(machine, budget=600.0, of=CHOICES, sizes=(8, 4096, 65536), conformance=None):
        session = Session(Plan(entries=()), machine.measure, Silent(), budget, machine.now)
        places, folder = [Placement(1, 2)], tmp_path / "trial"
        task = SettingsTask(of, [PINGPONG], places, sizes, folder, conformance)
        return tune_settings(task, session, Silent())

    return run


def outcomes(found):
    return {f"{each.setting}={each.value}": each.outcome for each in found.raced}


def test_values_that_win_are_put_together_and_proved(tuned):
    def factor(variables, size):
        cells = {"128": 0.9, "256": 0.6}.get(variables.get("MPIR_CVAR_CELLS"), 1)
        return cells * (0.7 if "MPIR_CVAR_COPY" in variables else 1)

    found, state = tuned(Machine(factor))
    assert (state, found.reason) == ("complete", "")
    assert found.kept and set(found.chosen) == {"cells=256", "copy=off"}
    assert found.variables == {"MPIR_CVAR_CELLS": "256", "MPIR_CVAR_COPY": "0"}
    assert found.gain == pytest.approx(1 / 0.42, rel=0.05) and found.gain_low > 1.9
    assert [verdict.trial.bytes for verdict in found.verdicts] == [8, 4096, 65536]
    assert outcomes(found)["cells=256"] == outcomes(found)["copy=off"] == "faster"


def test_what_loses_changes_nothing(tuned):
    found, _ = tuned(Machine(lambda variables, _: 1.2 if variables else 1))
    assert not found.kept and not found.chosen and not found.verdicts
    assert set(outcomes(found).values()) == {"slower"}


def test_of_noise_alone_hardly_ever_anything_is_kept(tuned):
    kept = 0
    for seed in range(6):
        found, _ = tuned(Machine(lambda *_: 1, noise=0.1, seed=seed), budget=40.0, sizes=(8, 64))
        kept += found.kept
    # Each has a probability of 5 % at most; that of three or more is 0.2 %.
    assert kept <= 2


def test_the_proof_of_noise_alone_holds_hardly_ever():
    kept = 0
    for seed in range(20):
        chance = random.Random(seed)
        # Launches are faster or slower as a whole, too.
        luck = [[chance.gauss(1, 0.1) for _ in range(7)] for _ in range(2)]
        trials = [
            trial(size, *(tuple(one * chance.gauss(1, 0.03) for one in side) for side in luck))
            for size in (8, 64, 512)
        ]
        kept += not judge_settings(trials).reason
    # One is expected; more than 4 have a probability of 0.3 %.
    assert kept <= 4


def test_a_gain_that_costs_another_size_for_sure_is_refused(tuned):
    """Three quarters less at one size are a gain over all, but no one is to be slower."""

    def factor(variables, size):
        return (0.25 if size == 65536 else 1.2) if "MPIR_CVAR_COPY" in variables else 1

    found, _ = tuned(Machine(factor), of=CHOICES[1:2])
    assert not found.kept
    assert outcomes(found)["copy=off"].startswith("slower at mpi/pingpong ")


def test_what_does_not_prove_itself_is_dropped_with_its_reason(tuned):
    # The first run is the race, the second one the proof.
    machine = Machine(lambda variables, _: 0.5 if variables and len(machine.plans) == 1 else 1)
    found, _ = tuned(machine, of=CHOICES[1:2])
    assert found.chosen == ("copy=off",)
    assert not found.kept and found.reason in ("not faster", "not for sure")


def test_what_does_not_run_takes_nothing_else_with_it(tuned):
    def factor(variables, size):
        return 0.5 if "MPIR_CVAR_COPY" in variables else 1

    found, _ = tuned(Machine(factor, broken=("MPIR_CVAR_CELLS",)))
    assert found.kept and found.chosen == ("copy=off",)
    assert outcomes(found)["cells=128"] == outcomes(found)["cells=256"] == "does not run"


def test_an_interrupt_of_the_race_chooses_nothing_and_one_of_the_proof_what_is_sure(tuned):
    def factor(variables, size):
        return 0.5 if variables else 1

    found, state = tuned(Machine(factor, interrupted_in=1), of=CHOICES[1:2])
    assert (state, found.kept, found.chosen) == ("interrupted", False, ())
    assert outcomes(found) == {"copy=off": "faster"}
    found, state = tuned(Machine(factor, interrupted_in=2), of=CHOICES[1:2])
    assert (state, found.kept) == ("interrupted", True)


def test_with_little_time_the_first_values_are_raced(tuned):
    machine = Machine(lambda *_: 1)
    found, _ = tuned(machine, budget=20.0)
    assert len(found.raced) < len(CHOICES)
    assert [each.value for each in found.raced] == [
        each.value for each in CHOICES[: len(found.raced)]
    ]


def trial(size, without, with_them, **changes):
    return Trial(
        collective="mpi/pingpong", nodes=1, processes=2, bytes=size, choice="a=1",
        without_s=without, with_s=with_them, **changes,
    )  # fmt: skip


def scattered(level, count=8, seed=1):
    chance = random.Random(seed)
    return tuple(level * chance.uniform(1, 1.02) for _ in range(count))


@pytest.mark.parametrize(
    ("trials", "reason"),
    [
        ((), "not proved"),
        ((trial(8, scattered(2), scattered(1)),), ""),
        ((trial(8, scattered(1), scattered(1, seed=2)),), "not faster"),
        ((trial(8, scattered(2, 2), scattered(1, 2)),), "too few launches"),
        ((trial(8, scattered(2), scattered(1), verified=False),), "wrong data"),
        (
            (trial(8, scattered(4), scattered(1)), trial(64, scattered(1), scattered(1.3, seed=2))),
            "slower at mpi/pingpong 64 B",
        ),
        (
            (
                trial(8, scattered(4), scattered(1)),
                trial(64, (1.0, 1.01, 1.02, 1.2, 1.0), (1.2, 1.21, 1.0, 1.2, 1.01)),
            ),
            "perhaps slower at mpi/pingpong 64 B",
        ),
    ],
)
def test_settings_are_judged_over_all_sizes_and_at_each(trials, reason):
    assert judge_settings(trials).reason == reason


def test_every_file_names_settings_of_libraries_and_benchmarks():
    for file in settings_files():
        for known in file.setting:
            assert bool(known.knob) != bool(known.variable and known.name and known.about)
            assert known.values
            if known.variable:
                assert any(reader.configured_by(known.variable) for reader in readers())
    assert feeling(["mpi/ping*"]) == ["mpi/pingpong"] and feeling(["mpi/bcast"]) == []


@pytest.mark.parametrize(
    ("family", "version", "one"),
    [
        ("mpich", "5.0.2", "MPIR_CVAR_GENQ_SHMEM_POOL_FREE_QUEUE_SENDER_SIDE"),
        ("openmpi", "4.1.4", "OMPI_MCA_btl_vader_fbox_size"),
        ("openmpi", "5.0.11", "OMPI_MCA_btl_sm_fbox_size"),
        ("intel", "2021.19", "I_MPI_SHM_CELL_BWD_SIZE"),
    ],
)
def test_each_family_has_settings_first_values_first(family, version, one):
    there = Installation(name="x", family=family, version=version, prefix="", source="")
    found = choices(there, [Placement(1, 2)])
    assert one in {name for each in found for name in each.variables}
    names = [each.setting for each in found]
    firsts = list(dict.fromkeys(names))
    assert names[: len(firsts)] == firsts
    assert "eager_limit" not in names
    assert "eager_limit" in [each.setting for each in choices(there, [Placement(2, 1)])] or (
        family in ("mpich", "intel")
    )


PROFILE = Profile(
    format=1,
    machine="this",
    library="MPICH Version: 5.0.2",
    rule=(Rule(collective="bcast", algorithm="shared", nodes=1, processes=2),),
    settings_gain=(1.3, 1.2, 1.4),
    setting=(
        Setting(variable="MPIR_CVAR_A", value="64", raced="cells=64", about="cells"),
        Setting(variable="MPIR_CVAR_B", value="1 2"),
    ),
    effect=(
        Effect(
            benchmark="mpi/pingpong", nodes=1, processes=2,
            measured=(Measured(8, 0.4, 0.3, 1.2), Measured(64, 0.5, 0.3, 1.3)),
        ),
    ),
)  # fmt: skip


def test_a_profile_with_settings_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "p.toml"
    write_profile(path, PROFILE)
    assert read_profile(path) == PROFILE
    assert has_settings(path)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("variable = 'A B'\nvalue = '1'", "'A B' is no name of a variable"),
        ("variable = 'LD_PRELOAD'\nvalue = '/x.so'", "LD_PRELOAD is of no MPI library"),
        ("variable = 'MPIR_CVAR_A'\nvalue = ''", "a value is one line of text"),
        ("variable = 'MPIR_CVAR_A'\nvalue = \"1\\n2\"", "a value is one line of text"),
        ("variable = 'MPIR_CVAR_A'\nvalue = 1", "text"),
        ("variable = 'MPIR_CVAR_A'\nvalues = '1'", "values"),
        (
            "variable = 'MPIR_CVAR_A'\nvalue = '1'\n[[setting]]\nvariable = 'MPIR_CVAR_A'\n"
            "value = '2'",
            "there twice",
        ),
    ],
)
def test_a_wrong_setting_is_refused_in_one_line(tmp_path, lines, said):
    path = tmp_path / "p.toml"
    path.write_text(f"format = 1\nmachine = ''\nlibrary = ''\n[[setting]]\n{lines}\n")
    with pytest.raises(UserError, match=said) as refusal:
        read_profile(path)
    assert str(path) in str(refusal.value) and "\n" not in str(refusal.value)


def test_settings_are_stored_beside_rules_and_taken_away_when_they_do_not_hold(tmp_path, tuned):
    path = tmp_path / "p.toml"
    write_profile(path, msgspec.structs.replace(PROFILE, setting=(), effect=(), settings_gain=()))
    found, _ = tuned(
        Machine(lambda variables, _: 0.5 if "MPIR_CVAR_COPY" in variables else 1), of=CHOICES[1:2]
    )
    store(path, "this", PROFILE.library, found, CHOICES, ["measured in run-1"], Silent())
    kept = read_profile(path)
    assert kept.rule == PROFILE.rule
    assert kept.setting == (
        Setting(variable="MPIR_CVAR_COPY", value="0", raced="copy=off", about="copy once"),
    )
    assert kept.settings_gain[1] > 1 and [row.bytes for row in kept.effect[0].measured] == [
        8, 4096, 65536,
    ]  # fmt: skip
    assert "# measured in run-1" in path.read_text()
    lost = msgspec.structs.replace(found, reason="not faster")
    store(path, "this", PROFILE.library, lost, CHOICES, [], Silent())
    assert read_profile(path).setting == () and read_profile(path).rule == PROFILE.rule


def test_what_the_user_has_set_stays_and_is_told_where_it_differs():
    def variable(name, value, source):
        return Variable(name=name, value=value, source=source)

    variables, said = exported(
        PROFILE.setting,
        [
            variable("MPIR_CVAR_A", "9", "/home/me/.conf"),
            variable("MPIR_CVAR_B", "7", "/etc/site.conf"),
        ],
        "/home/me",
    )
    assert variables == {"MPIR_CVAR_B": "1 2"}
    (line,) = said
    assert line == ("MPIR_CVAR_A=9 is set (/home/me/.conf): cells=64 of the profile is not used")


def test_of_variables_that_belong_together_none_is_used_without_the_others():
    """MPICH does not start with a cell that is larger than the buffer that the user has set."""
    pair = [
        Setting(variable="MPIR_CVAR_CELL", value="16512", raced="shm_eager_limit=16K"),
        Setting(variable="MPIR_CVAR_BUFFER", value="16512", raced="shm_eager_limit=16K"),
    ]
    own = Variable(name="MPIR_CVAR_BUFFER", value="16384", source="environment")
    assert exported(pair, [own], "")[0] == {}
    same = Variable(name="MPIR_CVAR_BUFFER", value="16512", source="environment")
    assert exported(pair, [same], "") == ({"MPIR_CVAR_CELL": "16512"}, [])


def test_the_librarys_own_form_is_parameters_or_lines_for_a_shell():
    text, _ = library_form("mpich", PROFILE.setting)
    assert text == "# cells\nexport MPIR_CVAR_A=64\nexport MPIR_CVAR_B='1 2'\n"
    openmpi = [Setting(variable="OMPI_MCA_btl", value="self,sm")]
    assert library_form("openmpi", openmpi)[0] == "btl = self,sm\n"
    # Not all that Open MPI's messages depend on is a parameter of its own.
    ucx = [*openmpi, Setting(variable="UCX_TLS", value="all")]
    assert library_form("openmpi", ucx)[0].startswith("export OMPI_MCA_btl=")


PUT = Benchmark(
    name="rma/put", summary="", axes=(), processes=Processes(minimum=2), series=(), api="mpi",
    start="back_to_back",
)  # fmt: skip


class Breaking(Machine):
    """Every variable makes messages faster; with those that `break`, no put works."""

    def __init__(self, breaks, **given):
        super().__init__(lambda variables, _: 0.9 ** len(variables), **given)
        self._breaks = breaks

    def medians(self, plan, entry, way, size, knobs):
        if entry.benchmarks == ("rma/put",) and self._breaks(read_variables(Path(knobs[PROOF]))):
            return None
        return super().medians(plan, entry, way, size, knobs)


def conforming(tmp_path):
    entries = (Entry(benchmarks=("rma/put", "mpi/unknown"), axes={"bytes": "8"}),)
    return Conformance(entries, {}, {"rma/put": PUT}, tmp_path / "conformance")


def test_what_breaks_programs_is_left_out_and_the_others_are_kept(tuned, tmp_path):
    machine = Breaking(lambda variables: "MPIR_CVAR_COPY" in variables)
    found, _ = tuned(machine, conformance=conforming(tmp_path))
    assert found.kept and found.chosen == ("cells=128",)
    assert outcomes(found)["copy=off"] == "breaks programs"
    (broken,) = (each for each in found.raced if each.broken)
    assert broken.value == "off" and broken.broken == "rma/put bytes=8 is not measured"


def test_the_next_best_value_of_a_setting_takes_the_place_of_one_that_breaks(tuned, tmp_path):
    machine = Breaking(lambda variables: variables.get("MPIR_CVAR_CELLS") == "128")
    found, _ = tuned(machine, of=CHOICES[::2], conformance=conforming(tmp_path))
    assert found.kept and found.chosen == ("cells=256",)


def test_of_settings_that_break_programs_together_one_is_left_out(tuned, tmp_path):
    machine = Breaking(lambda variables: len(variables) > 1)
    found, _ = tuned(machine, conformance=conforming(tmp_path))
    assert found.kept and len(found.chosen) == 1


def test_nothing_is_kept_where_everything_breaks(tuned, tmp_path):
    found, _ = tuned(Breaking(bool), conformance=conforming(tmp_path))
    assert not found.kept and not found.chosen and not found.verdicts


def test_what_fails_without_any_setting_is_held_against_none(tuned, tmp_path):
    found, _ = tuned(Breaking(lambda _: True), conformance=conforming(tmp_path))
    assert found.kept and not any(each.broken for each in found.raced)
