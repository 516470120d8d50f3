"""What people read of settings that were tuned, and of a profile that has some."""

import io
import math

import msgspec
import pytest

from leadline.model.profile import Effect, Measured, Profile, Setting
from leadline.model.tuning import RacedSetting, Trial, TunedSettings, Tuning, Verdict
from leadline.output.terminal.tuning import print_profile, print_tuning

RACED = (
    RacedSetting(setting="cells", value="128", about="cells of a queue", gain=1.31, gain_low=1.2,
                 gain_high=1.4, outcome="faster"),
    RacedSetting(setting="copy", value="off", about="copy once", gain=math.nan, gain_low=0.0,
                 gain_high=math.inf, outcome="does not run"),
)  # fmt: skip
VERDICT = Verdict(
    trial=Trial(
        collective="mpi/pingpong", nodes=1, processes=2, bytes=4096, choice="cells=128",
        without_s=(2e-6,), with_s=(1e-6,),
    ),
    without_us=2.0, with_us=1.0, gain=2.0, gain_low=1.8, gain_high=2.2, p_value=0.001,
)  # fmt: skip
SETTINGS = TunedSettings(
    benchmarks=("mpi/pingpong",), raced=RACED, chosen=("cells=128",), variables={"A": "128"},
    gain=2.0, gain_low=1.8, gain_high=2.2, p_value=0.001, reason="", verdicts=(VERDICT,),
)  # fmt: skip
USE = "leadline exec mpiexec -n 2 ./app"


def printed(print_it, what):
    text = io.StringIO()
    print_it(what, file=text)
    return " ".join(text.getvalue().split())


def tuning(settings, state="complete", files=("p.toml",)):
    return Tuning(
        kind="settings", mpi="m-1", machine="this", library="l", seconds=1.0, state=state,
        runs=(), undecided=0, library_best=0, verdicts=(), files=files, use=USE, settings=settings,
    )  # fmt: skip


def test_a_gain_is_told_with_what_gives_it_and_the_command_that_uses_it():
    said = printed(print_tuning, tuning(SETTINGS))
    assert "cells 128 1.3x 1.2 to 1.4x faster cells of a queue" in said
    assert "copy off - - does not run copy once" in said
    assert "mpi/pingpong 1x2 4 KiB 2.000 1.000 2.00x 1.80 to 2.20x" in said
    assert "messages are 2.0x faster with cells=128 (95 %: 1.8 to 2.2x)" in said
    assert said.endswith(f"written: p.toml now: {USE}")
    assert "choices kept" not in said


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"reason": "not for sure"}, "cells=128 did not prove to be better (not for sure)"),
        (
            {"chosen": (), "verdicts": (), "gain": math.nan},
            "no setting of the library beat its default for sure: all stay as they are",
        ),
    ],
)
def test_what_is_not_kept_is_told_and_no_command_with_it(changes, told):
    lost = msgspec.structs.replace(SETTINGS, **changes)
    said = printed(print_tuning, tuning(lost, files=()))
    assert said.endswith(told) or told in said
    assert USE not in said


def test_what_was_not_tried_to_the_end_is_not_called_dropped():
    trial = msgspec.structs.replace(VERDICT.trial, collective="allreduce", without_s=())
    untried = msgspec.structs.replace(
        VERDICT, trial=trial, gain=math.nan, gain_low=0.0, gain_high=math.inf,
        reason="too few launches",
    )  # fmt: skip
    cut = msgspec.structs.replace(tuning(None, "interrupted", ()), verdicts=(untried,))
    said = printed(print_tuning, cut)
    assert "1 choice was not held against the library in launches enough" in said
    assert "nan" not in said and "inf" not in said and "Dropped" not in said


def test_a_profile_lists_its_settings_and_what_they_were_worth():
    profile = Profile(
        format=1, machine="this", library="l", settings_gain=(2.0, 1.8, 2.2),
        setting=(Setting(variable="MPIR_CVAR_A", value="128", about="cells of a queue"),),
        effect=(
            Effect(benchmark="mpi/pingpong", nodes=1, processes=2,
                   measured=(Measured(4096, 2.0, 1.0, 1.8),)),
        ),
    )  # fmt: skip
    said = printed(print_profile, profile)
    assert "MPIR_CVAR_A 128 cells of a queue" in said
    assert "messages 2.0x faster (95 %: 1.8 to 2.2x)" in said
    assert "mpi/pingpong 1 2 4 KiB 2.000 1.000 1.8x" in said
    assert "collective" not in said
