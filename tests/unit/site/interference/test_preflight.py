"""Who is busy just before measuring, on a made-up machine."""

import os

import pytest

from leadline.site.interference.preflight import BusyLook

# Of a sample of 0.15 s.
TICKS = os.sysconf("SC_CLK_TCK") * 15 // 100
RELAY = "LEADLINE_LAB=/run/lab"


def test_busy_programs_are_named_without_the_kernel_and_without_leadline_and_its_parents(machine):
    shell, launcher = 10_000_001, 10_000_002
    machine.process(1, "init", parent=0)
    machine.process(2, "kthreadd", parent=0)
    machine.process(shell, "bash")
    machine.process(os.getpid(), "leadline", parent=shell)
    machine.process(4111, "cc1plus", ticks=900)
    machine.process(4112, "idler", ticks=900)

    def spend(seconds):
        machine.process(3, "kdamond.0", ticks=TICKS, parent=2)
        machine.process(shell, "bash", ticks=TICKS)
        machine.process(os.getpid(), "leadline", ticks=TICKS, parent=shell)
        machine.process(launcher, "mpiexec", ticks=TICKS, parent=os.getpid())
        machine.process(4111, "cc1plus", ticks=900 + TICKS)
        machine.process(4112, "idler", ticks=901)
        machine.process(4113, "as", ticks=TICKS // 2, start=7)
        machine.process(4114, "relay", ticks=TICKS, start=7, mark=RELAY)

    found = BusyLook(machine.files, spend).end(RELAY)
    assert [(each.command, each.pid) for each in found] == [("cc1plus", 4111), ("as", 4113)]
    assert [each.cores for each in found] == pytest.approx([1.0, 0.5], rel=0.1)


def test_a_quiet_machine_has_no_busy_program(machine):
    assert BusyLook(machine.files, lambda _: None).end() == []
