"""`leadline screen` itself on a virtual cluster: links slowed in turn with healthy rounds."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

NAME = "screening"
LEADLINE = (sys.executable, "-m", "leadline")
# What the link of a host gets: a share of its rate, or a latency; None leaves it as it is.
FAULTS: dict[str, float | str | None] = {
    "healthy": None,
    "90 % of the rate": 0.9,
    "half of the rate": 0.5,
    "50 us more": "50us",
}
# Of large messages, for links that are slow enough for many hosts on a few cores.
SIZE = "64K"


def _call(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LEADLINE, *map(str, words)], capture_output=True, text=True, check=False
    )


def _must(*words: object) -> None:
    done = _call(*words)
    if done.returncode:
        sys.exit(done.stderr.strip() or f"leadline {' '.join(map(str, words))} failed")


@contextmanager
def _cluster(hosts: int, rate: int) -> Iterator[None]:
    up = ("up", "--nodes", hosts, "--cores", 1, "--link", f"{rate}mbit", "--name", NAME)
    _must("virtual-cluster", *up)
    try:
        yield
    finally:
        _must("virtual-cluster", "down", NAME, "--yes")


def trial(fault: str, hosts: int, rate: int, seed: int) -> tuple[str, dict[str, object]]:
    """Screen with a fault at a host drawn by `seed`; return the host and what was found."""
    host = f"h{random.Random(f'{fault} {seed}').randrange(hosts)}"
    change = FAULTS[fault]
    link = ("virtual-cluster", "link", host)
    if change:
        word = change if isinstance(change, str) else f"{rate * change:g}mbit"
        _must(*link, word, "--name", NAME)
    try:
        done = _call("screen", "--hosts", f"lab/{NAME}", "--bytes", SIZE, "--seed", seed, "--json")
    finally:
        if change:
            _must(*link, "heal", "--name", NAME)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr.strip())
    return host, json.loads(done.stdout)


def run(hosts: int, rate: int, trials: int) -> int:
    """Print a line for each fault; exit status 1 where a goal is missed.

    Ctrl-C prints what was found so far.
    """
    results: dict[str, list[tuple[bool, bool, float]]] = {fault: [] for fault in FAULTS}
    with _cluster(hosts, rate):
        try:
            for seed in range(trials):
                # In turn, so that a spell of the machine meets each.
                for fault in FAULTS:
                    results[fault].append(_judged(fault, hosts, rate, seed))
        except KeyboardInterrupt:
            print("interrupted")
    missed = False
    print(f"{hosts} hosts, links {rate} Mbit/s{'':20}{'trials':>7}{'found':>7}{'false':>7}{'s':>7}")
    for fault, of_fault in results.items():
        count = len(of_fault)
        named, false = (sum(each[at] for each in of_fault) for at in (0, 1))
        seconds = sum(each[2] for each in of_fault) / max(count, 1)
        is_healthy = FAULTS[fault] is None
        text = "" if is_healthy else str(named)
        print(f"{fault:40}{count:>7}{text:>7}{false:>7}{seconds:>7.1f}")
        missed |= false > 0.05 * count if is_healthy else named < 0.95 * count
    return 1 if missed else 0


def _judged(fault: str, hosts: int, rate: int, seed: int) -> tuple[bool, bool, float]:
    """Screen once; return whether the fault is named, whether anything else is, and seconds."""
    began = time.monotonic()
    host, found = trial(fault, hosts, rate, seed)
    seconds = time.monotonic() - began
    suspects = found["suspects"]
    assert isinstance(suspects, list)
    names = {each["name"] for each in suspects}
    put = {host} if FAULTS[fault] else set()
    told = ", ".join(sorted(map(str, names))) or "nothing"
    at = f" of {host}" if put else ""
    print(f"{NAME}: {fault}{at}: {told} suspected, {seconds:.0f} s", file=sys.stderr)
    return put <= names, bool(names - put), seconds
