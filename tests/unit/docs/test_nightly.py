"""The command lines of examples/nightly are ones that leadline understands."""

import re
import shlex

import pytest
from checkout import CHECKOUT
from click.testing import CliRunner

from leadline.cli import group
from leadline.cli.commands.watch import command

FOLDER = CHECKOUT / "examples" / "nightly"


@pytest.mark.parametrize("name", ["crontab", "leadline-nightly.service", "nightly.sbatch"])
def test_the_command_line_is_one_of_leadline(monkeypatch, name):
    monkeypatch.setattr(command, "callback", lambda **_: None)
    (line,) = re.findall(
        r"leadline (watch.*?)(?: 2>.*)?$", (FOLDER / name).read_text(), re.MULTILINE
    )
    found = CliRunner().invoke(group, shlex.split(line))
    assert found.exit_code == 0, found.output


def test_the_timer_starts_the_service():
    timer = FOLDER / "leadline-nightly.timer"
    assert timer.with_suffix(".service").exists()
    assert "OnCalendar=" in timer.read_text()
