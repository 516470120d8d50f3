"""Clusters come, go, and are found again however they were left."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from programs import run

from leadline.cli import main
from leadline.site.vcluster import namespaces, usage

WORDS = [sys.executable, "-m", "leadline"]
STREAM = Path(__file__).with_name("stream.py")


def machine():
    """Return the network devices of the machine's own namespace, and the mounts."""
    devices = subprocess.run(["ip", "-brief", "address"], capture_output=True, check=True).stdout
    return devices, Path("/proc/self/mounts").read_text()


def test_a_cluster_comes_and_goes_and_leaves_the_machine_as_it_was(none):
    before = machine()
    assert "3 hosts are up, h0 to h2, links 1 Gbit/s" in none("up", "--nodes", 3, "--cores", "1")
    assert machine() == before
    status = none.status()
    assert [host["name"] for host in status["hosts"]] == ["h0", "h1", "h2"]
    assert {host["state"] for host in status["hosts"]} == {"up"}
    assert {host["link_bps"] for host in status["hosts"]} == {10**9}
    assert status["backbone_bps"] is None
    assert none.processes()
    assert none("down") == "the virtual cluster is gone\n"
    assert none.processes() == set()
    assert not none.folder.exists()
    assert none("down") == "no virtual cluster was up\n"
    assert machine() == before


def test_a_second_cluster_is_refused(small):
    line = small.refused("virtual-cluster", "up")
    assert "a virtual cluster is up already" in line
    assert "leadline virtual-cluster down" in line
    assert len(small.status()["hosts"]) == 2


@pytest.mark.parametrize("after_s", [0.15, 0.25, 0.4])
def test_what_a_killed_up_leaves_is_removed(none, after_s):
    up = subprocess.Popen(
        [sys.executable, "-m", "leadline", "virtual-cluster", "up", "--nodes", "8"],
        env=none.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(after_s)
    up.kill()
    up.wait()
    none("down")
    assert none.processes() == set()
    assert not none.folder.exists()


def test_a_half_dead_cluster_says_so_and_is_removed(none):
    none("up", "--nodes", 2)
    os.kill(int((none.folder / "switch.pid").read_text()), signal.SIGKILL)
    os.kill(int((none.folder / "h1.pid").read_text()), signal.SIGKILL)
    assert [host["state"] for host in none.status()["hosts"]] == ["up", "down"]
    assert "switch is down" in none.refused("virtual-cluster", "link", "h0", "cut")
    none("down")
    assert none.processes() == set()
    none("up", "--nodes", 1)


def test_an_up_that_fails_leaves_nothing(none, tmp_path):
    """A kernel without token buckets, as its `tc` says it."""
    tc = tmp_path / "bin" / "tc"
    tc.parent.mkdir()
    tc.write_text("#!/bin/sh\necho 'Error: Specified qdisc kind is unknown.' >&2\nexit 1\n")
    tc.chmod(0o755)
    line = none.refused("virtual-cluster", "up", PATH=f"{tc.parent}:{os.environ['PATH']}")
    assert line == (
        "leadline: this kernel has no token buckets (CONFIG_NET_SCH_TBF, module sch_tbf), which a "
        "virtual cluster needs"
    )
    assert none.processes() == set()
    assert not none.folder.exists()


def test_a_folder_with_other_files_is_not_removed(none):
    none.folder.mkdir(parents=True)
    (none.folder / "thesis.tex").write_text("years of work")
    assert "is up already, or was left half made" in none.refused("virtual-cluster", "up")
    assert "holds what is not the cluster's" in none.refused("virtual-cluster", "down")
    assert (none.folder / "thesis.tex").exists()
    (none.folder / "thesis.tex").unlink()


def refused(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


@pytest.mark.parametrize("words", [("up",), ("down",), ("status",), ("kill", "h0")])
def test_without_root_one_line_says_so(capsys, monkeypatch, words):
    monkeypatch.setattr(namespaces.os, "geteuid", lambda: 1000)
    assert refused(capsys, "virtual-cluster", *words) == (
        "leadline: a virtual cluster needs root: give the command as root or with sudo\n"
    )


def test_a_missing_program_is_named_with_its_package(capsys, monkeypatch):
    monkeypatch.setattr(namespaces.os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "tc" else name)
    assert refused(capsys, "virtual-cluster", "up") == (
        "leadline: the program tc is missing: install the package iproute2\n"
    )


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("up", "--link", "fast"), "rate 'fast': write it as 100mbit or 2.5gbit"),
        (("up", "--nodes", "100"), "100 nodes: 1 to 64 are possible"),
        (("up", "--backbone", "1gbit"), "backbone 1gbit: one switch has none"),
    ],
)
def test_bad_input_is_one_line(capsys, words, line):
    assert line in refused(capsys, "virtual-cluster", *words)


def test_without_a_cluster_one_line_says_so(none):
    for words in (("status",), ("exec", "h0", "true"), ("kill", "h0")):
        assert "no virtual cluster is up" in none.refused("virtual-cluster", *words)


def test_hosts_are_apart(flat):
    """Names, processes, shared memory, temporary files."""
    assert flat("exec", "h2", "hostname") == "h2\n"
    assert flat("run", "hostname") == "head\n"
    script = "echo here >/dev/shm/leadline-lab && echo here >$TMPDIR/leadline-lab && echo $TMPDIR"
    folder = flat("exec", "h0", "sh", "-c", script).strip()
    seen = "ls /dev/shm $TMPDIR"
    assert flat("exec", "h0", "sh", "-c", seen).count("leadline-lab") == 2
    assert "leadline-lab" not in flat("exec", "h1", "sh", "-c", f"{seen} | grep -v {folder}")
    assert not Path("/dev/shm/leadline-lab").exists()
    assert list(Path(folder).iterdir()) == []
    flat("exec", "h0", "sh", "-c", "rm /dev/shm/leadline-lab $TMPDIR/leadline-lab")
    assert len(flat("exec", "h1", "ls", "/proc/self/task", "/proc/1/task").split()) == 4
    assert "eth0" in flat("exec", "h1", "ls", "/sys/class/net")


def test_words_arrive_as_they_are_and_the_status_comes_back(flat):
    assert flat("exec", "h0", "printf", "%s|", "a b", "$HOME", "'") == "a b|$HOME|'|"
    assert flat.call("virtual-cluster", "exec", "h0", "sh", "-c", "exit 7").returncode == 7
    assert flat.call("virtual-cluster", "run", "sh", "-c", "exit 7").returncode == 7
    assert "no host 'h9': there is h0, h1, h2, h3" in flat.refused(
        "virtual-cluster", "exec", "h9", "true"
    )


def megabits(lab, source, target):
    """Return the rate of a TCP stream between two hosts, in 10^6 bits of payload a second."""
    address = next(h["address"] for h in lab.status()["hosts"] if h["name"] == target)
    shell = str(lab.folder / "ssh")
    with subprocess.Popen(
        [shell, target, f"exec python3 {STREAM} receive"], stdout=subprocess.PIPE, text=True
    ) as receiver:
        assert receiver.stdout.readline() == "ready\n"
        subprocess.run([shell, source, f"python3 {STREAM} send {address} 0.8"], check=True)
        return float(receiver.stdout.read())


@pytest.mark.timing
def test_a_link_has_the_rate_that_was_asked_for(flat):
    """Of 1538 bytes that Ethernet counts for a frame, tc shapes 1514, and 1448 are the payload."""
    flat("link", "h1", "100mbit")
    assert megabits(flat, "h0", "h1") == pytest.approx(100 * 1448 / 1514, rel=0.05)
    flat("link", "h1", "50mbit")
    assert flat.status()["hosts"][1]["link_bps"] == 50 * 10**6
    assert megabits(flat, "h0", "h1") == pytest.approx(50 * 1448 / 1514, rel=0.05)
    flat("link", "h1", "100mbit")


@pytest.mark.timing
def test_the_backbone_has_a_rate_of_its_own(islands):
    islands("link", "backbone", "50mbit")
    assert islands.status()["backbone_bps"] == 50 * 10**6
    assert megabits(islands, "h0", "h1") == pytest.approx(100 * 1448 / 1514, rel=0.05)
    assert megabits(islands, "h0", "h2") == pytest.approx(50 * 1448 / 1514, rel=0.05)
    islands("link", "backbone", "100mbit")


def reaches(lab, source, address):
    script = f"import socket; socket.create_connection(('{address}', 1), timeout=0.5)"
    done = run(lab.folder / "ssh", source, f'python3 -c "{script}"')
    return "refused" in done.stderr


def test_a_link_can_be_cut_and_heals(flat):
    """With its first rate."""
    assert reaches(flat, "h0", "h3")
    first = flat.status()["hosts"][3]["link_bps"]
    flat("link", "h3", "20mbit")
    flat("link", "h3", "cut")
    now = flat.status()["hosts"][3]
    assert now["cut"] and now["link_bps"] == 20_000_000 != first
    assert not reaches(flat, "h0", "h3")
    flat("link", "h3", "heal")
    assert reaches(flat, "h0", "h3")
    now = flat.status()["hosts"][3]
    assert not now["cut"] and now["link_bps"] == first


@pytest.mark.parametrize("change", ["fast", "50", ""])
def test_what_is_no_change_of_a_link_is_refused(flat, change):
    assert flat.refused("virtual-cluster", "link", "h0", change).endswith(
        f"{change!r}: write a rate as 100mbit, a latency as 50us, or cut or heal"
    )


def test_what_is_no_link_is_refused(flat):
    assert "no link 'backbone': there is h0, h1, h2, h3" in flat.refused(
        "virtual-cluster", "link", "backbone", "cut"
    )


def test_a_killed_host_is_gone_with_all_that_ran_on_it(small):
    asleep = subprocess.Popen([small.folder / "ssh", "h1", "sleep 100"])
    small("kill", "h1")
    assert asleep.wait(10) != 0
    assert [host["state"] for host in small.status()["hosts"]] == ["up", "down"]
    assert "h1 is down" in small.refused("virtual-cluster", "exec", "h1", "true")
    said = run(small.folder / "ssh", "h1", "true", status=255)
    assert said.stderr == "ssh: connect to host h1 port 22: No route to host\n"


ECHO = Path(__file__).with_name("echo.py")


def round_trips_us(lab, source, target, address):
    """Return the shortest and the median time of a datagram to `address` and back."""
    shell = lab.folder / "ssh"
    with subprocess.Popen(
        [shell, target, f"exec python3 {ECHO} answer"], stdout=subprocess.PIPE, text=True
    ) as answering:
        assert answering.stdout.readline() == "ready\n"
        done = run(shell, source, f"python3 {ECHO} ask {address}", status=0)
        assert answering.wait(10) == 0
    return [float(word) for word in done.stdout.split()]


@pytest.mark.timing
def test_links_take_the_latency_that_was_asked_for(none):
    words = ("--nodes", 4, "--switches", 2, "--link", "100mbit", "--latency", "500us")
    assert "links 100 Mbit/s and 500 us" in none("up", *words)
    assert none.status()["hosts"][0]["link_latency_s"] == 500e-6
    near, usual_near = round_trips_us(none, "h0", "h1", "10.77.0.2")
    far, usual_far = round_trips_us(none, "h0", "h2", "10.77.0.3")
    # Never less than four links, or six; what is more is the software's and the machine's.
    assert 2000 <= near <= usual_near
    assert 3000 <= far <= usual_far
    assert near < 2500
    assert far < 3600
    assert megabits(none, "h0", "h1") == pytest.approx(100 * 1448 / 1514, rel=0.1)
    none("link", "h1", "cut")
    assert not reaches(none, "h0", "h1")
    none("link", "h1", "heal")
    assert reaches(none, "h0", "h1")


@pytest.mark.timing
def test_one_link_takes_a_latency_of_its_own_until_it_is_healed(none):
    none("up", "--nodes", 4, "--switches", 2, "--link", "100mbit")
    prompt, _ = round_trips_us(none, "h0", "h1", "10.77.0.2")
    none("link", "h1", "1ms")
    none("link", "backbone", "2ms")
    now = none.status()
    assert [host["link_latency_s"] for host in now["hosts"]] == [0.0, 1e-3, 0.0, 0.0]
    assert now["backbone_latency_s"] == 2e-3
    near, _ = round_trips_us(none, "h0", "h1", "10.77.0.2")
    far, _ = round_trips_us(none, "h0", "h2", "10.77.0.3")
    both, _ = round_trips_us(none, "h3", "h1", "10.77.0.2")
    assert 2000 <= near < 2000 + prompt + 500
    assert 4000 <= far < 4000 + prompt + 500
    assert 6000 <= both < 6000 + prompt + 500
    none("link", "h1", "500us")
    assert 1000 <= round_trips_us(none, "h0", "h1", "10.77.0.2")[0] < near
    assert megabits(none, "h0", "h1") == pytest.approx(100 * 1448 / 1514, rel=0.1)
    none("link", "h1", "heal")
    assert none.status()["hosts"][1]["link_latency_s"] == 0.0
    assert round_trips_us(none, "h0", "h1", "10.77.0.2")[0] < 1000


@pytest.mark.timing
def test_one_of_several_late_links_takes_longer_than_the_others(none):
    none("up", "--nodes", 2, "--link", "100mbit", "--latency", "200us")
    none("link", "h1", "1ms")
    assert [host["link_latency_s"] for host in none.status()["hosts"]] == [200e-6, 1e-3]
    assert 2400 <= round_trips_us(none, "h0", "h1", "10.77.0.2")[0] < 3000
    none("link", "h1", "heal")
    assert 800 <= round_trips_us(none, "h0", "h1", "10.77.0.2")[0] < 1400


def test_a_late_link_whose_forwarder_ended_is_told(none):
    none("up", "--nodes", 2)
    none("link", "h1", "1ms")
    os.kill(int((none.folder / "delay-h1.pid").read_text()), signal.SIGKILL)
    message = none.refused("run", "mpi/pingpong", "--hosts", "lab", "--place", "2x1")
    assert "what forwards between the hosts of the virtual cluster is gone" in message


def test_clusters_beside_each_other(small):
    try:
        small("up", "--name", "red", "--nodes", 3)
        small("up", "--name", "blue", "--nodes", 1)
        clusters = json.loads(small("list", "--json"))["clusters"]
        up = {each["name"]: each["hosts_up"] for each in clusters}
        assert up == {"": 2, "blue": 1, "red": 3}
        assert len({each["network"] for each in clusters}) == 3
        assert small("exec", "--name", "red", "h2", "hostname") == "h2\n"
        assert "there is h0, h1" in small.refused("virtual-cluster", "exec", "h2", "true")
        assert small("down", "red") == "the virtual cluster is gone\n"
        assert small("exec", "h1", "hostname") == "h1\n"
        assert "no virtual cluster red is up" in small.refused(
            "virtual-cluster", "status", "--name", "red"
        )
    finally:
        small("down", "red")
        small("down", "blue")


def test_down_asks_where_another_session_made_the_cluster(none):
    subprocess.run(
        [*WORDS, "virtual-cluster", "up", "--nodes", "1"],
        env=none.environment,
        start_new_session=True,
        check=True,
        capture_output=True,
    )
    line = none.refused("virtual-cluster", "down")
    assert "made it in another session at" in line
    assert "`leadline virtual-cluster down --yes` removes it" in line
    assert none.folder.exists()
    assert none("down", "--yes") == "the virtual cluster is gone\n"


def test_down_asks_where_something_uses_the_cluster(none):
    none("up", "--nodes", 1)
    asleep = subprocess.Popen([none.folder / "ssh", "h0", "exec sleep 100"])
    while "sleep runs in it (pid " not in (done := none.call("virtual-cluster", "down")).stderr:
        assert "(pid" in done.stderr or done.returncode == 2 or asleep.poll() is None
        assert none.folder.exists()
    assert done.returncode == 2
    assert none("down", "--yes") == "the virtual cluster is gone\n"
    assert asleep.wait(10) != 0


def test_down_names_the_run_that_uses_the_cluster(none, monkeypatch):
    none("up", "--nodes", 1)
    with usage.used(none.folder, "2030-01-01-some"):
        line = none.refused("virtual-cluster", "down")
        assert f"run 2030-01-01-some uses it (pid {os.getpid()}, since " in line
        (one,) = json.loads(none("list", "--json"))["clusters"]
        assert one["runs"] == ["2030-01-01-some"]
    assert none("down") == "the virtual cluster is gone\n"
