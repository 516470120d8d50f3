"""Runs folders, and a server over them as a user starts it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys

import msgspec
from figures import printed
from measured import Measured

from leadline.model.description import Axis, Benchmark, Processes, Series
from leadline.model.imported import Import
from leadline.model.installation import Installation
from leadline.model.plan import Plan
from leadline.model.run import Outcome, Run
from leadline.store.folder import RunFolder

SCRIPT = "</script><script>window.broken=1</script><img src=x onerror=window.broken=2>"


class Timed(Measured):
    """A run whose every time is `slower` times as long, measured on some day with some MPI."""

    def __init__(self, runs, day, slower=1.0, version="4.0", kernel="6.1", host="node17", **rest):
        super().__init__(runs, **rest)
        self.slower = slower
        self.run.started = f"2026-01-{day:02d}T03:04:05+00:00"
        self.run.machine = {"host": host, "cpu_model": "Example CPU", "kernel": kernel}
        name = f"mpich-{version}"
        self.run.installations = [
            Installation(name=name, family="mpich", version=version, prefix="/opt", source="path")
        ]
        self.run.points = [msgspec.structs.replace(point, mpi=name) for point in self.run.points]
        self.folder.write(self.run)

    def records(self, launch, points):
        table = super().records(launch, points)
        wobble = 0.001 * launch + 1e-5 * (table["repetition"] % 7)
        table["seconds"] = 1e-6 * self.slower * (1 + wobble)
        return table

    def base(self, number):
        return msgspec.structs.replace(super().base(number), mpi=self.run.points[0].mpi)


def history(runs):
    """Write five runs of one figure: a slower kernel on the third day, a new MPI on the fourth."""
    changes = [
        {"day": 1},
        {"day": 2},
        {"day": 3, "slower": 1.5, "kernel": "6.2"},
        {"day": 4, "slower": 1.5, "kernel": "6.2", "version": "5.0"},
        {"day": 5, "slower": 1.5, "kernel": "6.2", "version": "5.0"},
    ]
    names = []
    for change in changes:
        run = Timed(runs, **change, samples=40)
        for launch in range(5):
            run.launch(launch)
        names.append(run.finish().name)
    return names


def imported_run(name="published", **rest):
    """Return a run with a figure that another program printed."""
    figure = printed(
        5e-6, benchmark="mpi/pingpong", series="half_round_trip", axes={}, nodes=2,
        processes_per_node=1, mpi="Example MPI", bandwidth_MBps=1.6,
    )  # fmt: skip
    return Run(
        run=name,
        leadline="0",
        plan=Plan(entries=(), name=name),
        started="2026-01-06T00:00:00+00:00",
        ended="2026-01-06T00:00:00+00:00",
        outcome=Outcome(state="complete"),
        benchmarks=[
            Benchmark(
                name="mpi/pingpong",
                summary="There and back.",
                axes=(Axis(name="bytes", kind="bytes", summary="message size", default="8"),),
                processes=Processes(minimum=2),
                series=(Series(name="half_round_trip", definition="half of it"),),
                api="mpi",
                start="ready",
            )
        ],
        imported=Import(program="a benchmark 3", files=("a.txt",), figures=(figure,)),
        **rest,
    )


def write_import(runs, **rest):
    """Write an import into a folder of its own, as `leadline runs import` does."""
    folder = RunFolder.create(runs, "published")
    folder.write(imported_run(folder.name, **rest))
    folder.close()
    return folder.name


def page_text(client, target, status=200):
    """Return the text of a page."""
    answer = client.get(target)
    assert answer.status_code == status, answer.text
    return answer.text


class Server:
    """A server over the runs in a folder."""

    def __init__(self, runs, home, *options, **variables):
        environment = {
            **os.environ, "LEADLINE_HOME": str(home), "PYTHONUNBUFFERED": "1", **variables
        }  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-m", "leadline", "serve", "--port", "0", "--runs", str(runs),
             *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self.first_line = self.process.stdout.readline()
        assert self.first_line, self.process.stderr.read()
        page, _, self.token = self.first_line.split()[0].partition("?token=")
        self.address = page.rpartition("/")[0]
        assert len(self.token) > 16
        self.port = int(self.address.rsplit(":", 1)[1])

    def raw(self, request, host="127.0.0.1"):
        """Send bytes and return status, headers by lower-case name, and body.

        The status is 0 where the server hangs up.
        """
        answer = b""
        with (
            socket.create_connection((host, self.port), timeout=60) as connection,
            contextlib.suppress(ConnectionResetError, BrokenPipeError),
        ):
            connection.sendall(request)
            while part := connection.recv(65536):
                answer += part
        if not answer:
            return 0, {}, b""
        head, _, body = answer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {
            name.lower(): text.strip() for name, _, text in (line.partition(":") for line in lines)
        }
        return int(lines[0].split()[1]), headers, body

    def ask(self, target, method="GET", host=None, **headers):
        """Send a request for `target` as it stands, with the token unless told otherwise."""
        headers = {"Authorization": f"Bearer {self.token}", **headers}
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}"]
        lines += [f"{name.replace('_', '-')}: {text}" for name, text in headers.items()]
        lines += ["Connection: close", "", ""]
        return self.raw("\r\n".join(lines).encode("latin-1"))

    def entrance(self, target):
        """Return the address of a page as a browser needs it that was not here before."""
        return f"{self.address}{target}{'&' if '?' in target else '?'}token={self.token}"

    def page(self, target):
        """Return the page at an address."""
        status, _, body = self.ask(target)
        return status, body.decode()

    def json(self, target):
        """Return what a program is told."""
        status, headers, body = self.ask(target)
        assert headers["content-type"] == "application/json"
        return status, msgspec.json.decode(body)

    def stop(self):
        """Interrupt the server and return its exit status and what it printed."""
        self.process.send_signal(signal.SIGINT)
        printed, errors = self.process.communicate()
        return self.process.returncode, printed, errors
