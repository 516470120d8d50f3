"""The program that lists messages and replays them, asked one question after the other."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from leadline.core.errors import UserError
from leadline.model.platform import Step
from leadline.model.prediction import LogGPMachine, Way
from leadline.predict.network import Network


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a replay; `slowest_s` and `sum_s` are of each call, over all ranks.

    `carried` are the bytes over each link of the network, where there is one.
    """

    seconds: float
    messages: int
    bytes: int
    network_messages: int
    network_bytes: int
    steps: int
    most_sent: int
    list_bytes: int
    slowest_s: tuple[float, ...]
    sum_s: tuple[float, ...]
    carried: tuple[float, ...]


class Refused(Exception):
    """There is no answer to a question, and why."""


class TooMany(Refused):
    """About so many messages would be replayed, which is more than is allowed."""

    def __init__(self, messages: float) -> None:
        super().__init__(f"{messages:.1e} messages".replace("e+0", "e").replace("e+", "e"))
        self.messages = messages


class Engine:
    """A process that holds a machine; it ends with the `with` that it is used in."""

    def __init__(self, program: Path, say: Callable[[str], None] = lambda _: None) -> None:
        self._say = say
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def use(self, machine: LogGPMachine) -> None:
        """Hold all that follows to this machine, of which `nodes` and the distances come next."""
        for name, way in (("between", machine.between), ("within", machine.within)):
            self._curves(name, way)
        values = {
            "gap_s": machine.gap_s,
            "port_fraction": machine.port_fraction,
            "one_medium": int(machine.one_medium),
            "contention": int(machine.contention),
            "rendezvous_bytes": 2**62 if machine.eager_bytes is None else machine.eager_bytes,
            "reduce_s_per_byte": machine.reduce_s_per_byte,
            "copy_s_per_byte": machine.copy_s_per_byte,
        }
        for name, value in values.items():
            self._tell(["value", name, repr(value)])

    def place(self, node_of: Sequence[int], links: float, network: Network | None = None) -> None:
        """Say on which node each rank is, and what lies between the nodes.

        A message takes the latency of a link `links` times, and that of each link of its way
        through the `network`.
        """
        self._tell(["nodes", *map(str, node_of)])
        self._tell(["value", "links", repr(links)])
        if network is None:
            self._tell(["network", "0"])
            return
        counts = (*network.next_.shape, len(network.led_to), len(network.capacity))
        self._tell(["network", *map(str, counts), repr(network.port)])
        for table in (network.capacity, network.led_to, network.share, network.next_):
            self._write(table.tobytes())

    def allow(self, messages: float) -> None:
        """Refuse collectives of more messages than this with `TooMany`; 0 refuses none."""
        self._tell(["value", "most_messages", repr(float(messages))])

    def collective(self, benchmark: str, algorithm: str, size: int, root: int) -> Outcome:
        """Return what one call takes. Raises `Refused`, and `UserError` where the program fails."""
        return self._ask(["collective", benchmark, algorithm, str(size), str(root)])

    def halo(
        self,
        pattern: str,
        size: int,
        *,
        periodic: bool,
        calls: int = 1,
        probability: float = 0.0,
        delay_s: float = 0.0,
        seed: int = 0,
    ) -> Outcome:
        """Return what `calls` exchanges in a row take. Raises as `collective` does."""
        noise = [repr(probability), repr(delay_s), str(seed)]
        return self._ask(
            ["halo", pattern, str(size), "yes" if periodic else "no", str(calls), *noise]
        )

    def _curves(self, name: str, way: Way) -> None:
        for part, steps in (("send", way.send), ("receive", way.receive), ("wire", way.wire)):
            self._tell(["curve", f"{name}.{part}", *_words(steps)])

    def _tell(self, words: Iterable[str]) -> None:
        self._write(" ".join(words).encode() + b"\n")

    def _write(self, data: bytes) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except OSError:
            raise self._read_error() from None

    def _ask(self, words: Iterable[str]) -> Outcome:
        assert self._process.stdout
        self._tell(words)
        for line in self._process.stdout:
            answer: dict[str, Any] = msgspec.json.decode(line)
            if "seconds" in answer:
                return msgspec.convert(answer, Outcome, strict=False)
            if "messages" in answer and "refused" in answer:
                raise TooMany(answer["messages"])
            if "refused" in answer:
                raise Refused(answer["refused"])
            self._say(_progress(answer))
        raise self._read_error()

    def _read_error(self) -> UserError:
        _, stderr = self._process.communicate()
        last = stderr.decode(errors="replace").strip().splitlines()[-1:] or ["without a word"]
        return UserError(f"the replay ended early ({last[0]}): ask for fewer processes or bytes")


def _words(steps: Sequence[Step]) -> Iterable[str]:
    for step in steps:
        yield from (str(step.bytes), repr(step.seconds), repr(step.seconds_per_byte))


def _progress(answer: dict[str, Any]) -> str:
    if "recorded" in answer:
        return f"messages of {answer['recorded']:.0f} ranks listed"
    return f"{answer.get('replayed', 0) / 1e6:.1f} million messages"
