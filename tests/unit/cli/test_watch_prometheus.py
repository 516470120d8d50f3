"""`watch --prometheus`: the nights as a file that node_exporter reads."""

import os

import pytest
from click.testing import CliRunner

from leadline.cli import group
from leadline.core.errors import UserError


@pytest.fixture
def nights(tmp_path):
    """Outputs of OSU of eight nights, of which the last two are slower."""
    for day in range(8):
        factor = (13.0 if day > 5 else 10.0) * (1 + day % 3 / 50)
        rows = "".join(f"{size:<10}{factor:>12.2f}\n" for size in (1, 8, 64))
        path = tmp_path / f"osu-{day}.txt"
        path.write_text("# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n" + rows)
        os.utime(path, (1_700_000_000 + 86_400 * day,) * 2)
    return tmp_path


def watch(nights, pattern, file):
    command = ["watch", "--import", str(nights / pattern), "--summary", "--prometheus", str(file)]
    return CliRunner().invoke(group, command)


def test_alarms_and_ratios_are_written(nights, tmp_path):
    file = tmp_path / "watch.prom"
    found = watch(nights, "osu-*.txt", file)
    assert found.exit_code == 1, found.output
    lines = file.read_text().splitlines()
    assert 'leadline_watch_figures{plan="import",verdict="slower"} 3.0' in lines
    alarms = [line for line in lines if line.startswith("leadline_watch_alarm{")]
    assert len(alarms) == 3
    assert all(line.endswith(" 1.0") for line in alarms)
    ratios = [line for line in lines if line.startswith("leadline_watch_ratio{")]
    assert all(1.2 < float(line.rpartition(" ")[2]) < 1.4 for line in ratios)
    watch(nights, "osu-[0-5].txt", file)
    again = file.read_text()
    assert 'verdict="slower"} 0.0' in again, "the file is that of the last night alone"


def test_the_first_night_has_no_verdict_yet(nights, tmp_path):
    file = tmp_path / "watch.prom"
    assert watch(nights, "osu-0.txt", file).exit_code == 0
    text = file.read_text()
    assert 'leadline_watch_figures{plan="import",verdict="learning"} 3.0' in text
    assert "leadline_watch_ratio" not in text


def test_a_file_that_cannot_be_written_is_said_first(nights, tmp_path):
    found = watch(nights, "osu-*.txt", tmp_path / "none" / "watch.prom")
    assert isinstance(found.exception, UserError)
    assert str(found.exception).startswith("cannot write")
    assert not found.output, "nothing was judged in vain"
