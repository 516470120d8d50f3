import math
import os
import time
from dataclasses import replace

import pytest

from leadline.core.errors import UserError
from leadline.site.hardware import load
from leadline.site.hardware.activity import Counters, OtherLoad, rates, read_counters
from leadline.site.hardware.files import Files

BEFORE = Counters(busy=100, idle=900, stolen=0, context_switches=50, running=1, time_s=10.0)


def test_load_is_cheap_and_finite(monkeypatch):
    slept = []
    monkeypatch.setattr(time, "sleep", slept.append)
    found = load()
    assert 0 < sum(slept) < 0.05
    assert all(math.isfinite(value) and value >= 0 for value in found.values())
    assert 0 <= found["busy_fraction"] <= 1
    assert {"load_1_min", "load_5_min", "load_15_min", "running_processes"} <= set(found)
    assert "sample_s" in found


def test_rates_are_shares_of_all_processors_time():
    after = replace(
        BEFORE, busy=130, idle=960, stolen=10, context_switches=250, time_s=BEFORE.time_s + 0.5
    )
    assert rates(BEFORE, after) == {
        "busy_fraction": pytest.approx(0.3),
        "stolen_fraction": pytest.approx(0.1),
        "context_switches_per_s": pytest.approx(400),
        "sample_s": pytest.approx(0.5),
    }


def test_two_readings_in_the_same_tick_are_no_division_by_zero():
    assert rates(BEFORE, BEFORE)["busy_fraction"] == 0


def test_interrupts_are_busy_and_waiting_for_disks_is_idle(tmp_path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text(
        "cpu  1 2 4 8 16 32 64 128 5 5\ncpu0 1 2 4 8 16 32 64 128 5 5\nctxt 7\nprocs_running 3\n"
    )
    counters = read_counters(Files(tmp_path))
    assert (counters.busy, counters.idle, counters.stolen) == (1 + 2 + 4 + 32 + 64, 8 + 16, 128)
    assert (counters.context_switches, counters.running) == (7, 3)


def test_no_proc_is_one_clear_line(tmp_path):
    with pytest.raises(UserError, match="/proc/stat cannot be read"):
        load(Files(tmp_path))


def test_what_this_process_does_is_no_bystander():
    others = OtherLoad(Files())
    before = read_counters(Files())
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    found = others.rates()
    after = read_counters(Files())
    left_out = rates(before, after)["busy_fraction"] - found["busy_fraction"]
    own_s = left_out * (after.total - before.total) / os.sysconf("SC_CLK_TCK")
    assert own_s == pytest.approx(0.3, abs=0.1)
