"""Checks of a node by the files that it sent."""

import json

from leadline.site.doctor.elsewhere import SentFiles, examine_elsewhere, wanted_files

CPU = "/sys/devices/system/cpu"
HUGE = "/sys/kernel/mm/transparent_hugepage"
SENT = {
    f"{CPU}/online": {"0-3": ""},
    f"{CPU}/present": {"0-3": ""},
    f"{CPU}/cpu*/cpufreq/scaling_governor": {"performance": "0 1 3", "powersave": "2"},
    f"{HUGE}/enabled": {"[always] madvise never": ""},
    f"{HUGE}/defrag": {"[always] defer madvise never": ""},
    "/proc/self/limits": {"Max locked memory         8388608       8388608     bytes": ""},
    "/sys/class/infiniband/*/ports/1/state": {"4: ACTIVE": "mlx5_0"},
    "/sys/devices/system/clocksource/clocksource0/current_clocksource": {"hpet": ""},
}


def test_a_node_is_judged_as_doctor_would_on_it():
    found = {each.name: each for each in examine_elsewhere(SENT)}
    assert found["frequency-governor"].status == "warn"
    assert found["frequency-governor"].numbers == {"processors": 4, "not_performance": 1}
    assert found["transparent-huge-pages"].status == "warn"
    assert found["memory-lock"].status == "bad"
    assert "mlx5_0" in found["memory-lock"].observed
    assert (found["clock-source"].status, found["clock-source"].observed) == ("bad", "hpet")
    assert found["cores"].observed == "4 allowed (0-3) of 4 online"


def test_what_was_not_sent_is_not_judged():
    assert {each.name for each in examine_elsewhere({})} == set()
    names = {each.name for each in examine_elsewhere(SENT)}
    assert names == {
        "clock-source", "cores", "frequency-governor", "memory-lock", "transparent-huge-pages",
    }  # fmt: skip


def test_every_check_reads_only_what_it_asks_for(monkeypatch):
    """Else it would judge another node by nothing."""
    read = set()

    def text(files, path):
        read.add(path)
        return files.texts.get(path)

    monkeypatch.setattr(SentFiles, "text", text)
    examine_elsewhere({**SENT, f"{CPU}/isolated": {"3": ""}, "/proc/sys/kernel/numa_balancing": {}})
    wanted = set(wanted_files())
    for path in read - {"/proc/self/status"}:
        pattern = path.replace("/mlx5_0/", "/*/")
        for cpu in range(4):
            pattern = pattern.replace(f"/cpu{cpu}/", "/cpu*/")
        known = {pattern} | {
            pattern.replace(f"/{name}", "/state") for name in ("link_layer", "rate")
        }
        assert known & wanted, path


def test_patterns_are_one_a_line_with_one_star():
    assert len(set(wanted_files())) == len(wanted_files()) > 10
    assert all(pattern.count("*") <= 1 and "\n" not in pattern for pattern in wanted_files())
    assert json.dumps(wanted_files())
