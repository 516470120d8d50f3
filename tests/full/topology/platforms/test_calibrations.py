"""The shipped platforms give the ping-pongs that they say, as far off as they say."""

import json
import shutil
import sys

import pytest
from programs import run

from leadline.topology.platforms.catalogue import known_platforms, read_platform

pytestmark = [
    pytest.mark.mpi,
    # The first of them may build the probe.
    pytest.mark.skipif(
        not (shutil.which("smpirun") and shutil.which("smpicxx")),
        reason="no SimGrid here: see tools/test-packages",
    ),
]


def one_way(runs, platform, calibration):
    """Return the simulated times in seconds by bytes."""
    sizes = ",".join(str(size) for size, _ in calibration.one_way)
    words = [
        *("simulate", "mpi/pingpong", "--on", platform, "--bytes", sizes, "--mode", "blocking"),
        *("--place", "1x2" if calibration.within_node else "2x1"),
        *("--runs", str(runs), "--json"),
    ]
    done = run(sys.executable, "-m", "leadline", *words, status=0)
    points = json.loads(done.stdout)["points"]
    assert all(point["verified"] for point in points)
    return {point["bytes"]: point["median_s"] for point in points}


@pytest.mark.parametrize("name", sorted(known_platforms()))
def test_a_platform_gives_the_published_ping_pong(name, tmp_path):
    for calibration in read_platform(name).calibration:
        found = one_way(tmp_path, name, calibration)
        for size, seconds in calibration.one_way:
            assert abs(found[size] / seconds - 1) <= calibration.error, (size, found[size])


def test_a_wrong_curve_is_noticed(tmp_path):
    text = known_platforms()["cray-xt"].read_text().replace("[16384, 19.9e-6]", "[16384, 29.9e-6]")
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    calibration = read_platform(str(file)).calibration[0]
    found = one_way(tmp_path, str(file), calibration)
    assert any(
        abs(found[size] / seconds - 1) > calibration.error for size, seconds in calibration.one_way
    )
