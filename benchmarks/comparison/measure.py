"""Carrying out the launches, one after the other, each watched and cleared up after."""

import contextlib
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from comparison.busy import busy
from comparison.cases import Contender
from comparison.schedule import Condition, Step
from comparison.tool import Reading, Tool
from leadline.core.errors import UserError
from leadline.measure.launch.supervise import run_supervised

_TIME_LIMIT_S = 600.0


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """One launch: what it reported, and its wall time from start to the end of all processes."""

    condition: Condition
    round: int
    case: str
    contender: str
    wall_s: float
    reading: Reading


def carry_out(
    steps: Iterable[Step],
    tools: Mapping[str, Tool],
    processor: int,
    folder: Path,
    say: Callable[[str], None],
) -> Iterator[Measurement]:
    """Yield the measurement of each step; `processor` is the one disturbed where a step asks.

    Raises `KeyboardInterrupt` when the user stops it and `UserError` when a launch fails; no
    process of a launch is left in either case.
    """
    for condition, block in itertools.groupby(steps, key=lambda step: step.condition):
        with busy(processor) if condition == "disturbed" else contextlib.nullcontext():
            for step in block:
                say(f"{condition}, round {step.round + 1}, {step.case.name}: {step.contender.name}")
                tool = tools[step.contender.tool]
                reading, wall_s = launch(tool, step.contender, step.case.bytes, folder)
                yield Measurement(
                    condition=condition,
                    round=step.round,
                    case=step.case.name,
                    contender=step.contender.name,
                    wall_s=wall_s,
                    reading=reading,
                )


def launch(
    tool: Tool, contender: Contender, sizes: tuple[int, ...], folder: Path
) -> tuple[Reading, float]:
    """Launch a tool once; return what it reported and its wall time in seconds."""
    start = tool.start(contender, sizes)
    stdout, stderr = folder / "stdout.txt", folder / "stderr.txt"
    ended = run_supervised(
        start,
        stdout=stdout,
        stderr=stderr,
        tag=f"peers/{os.getpid()}",
        tick=lambda: False,
        # The end is noticed at once; waking up oftener would only disturb.
        tick_seconds=1.0,
        time_limit_s=_TIME_LIMIT_S,
    )
    if ended.outcome.state == "interrupted":
        raise KeyboardInterrupt
    if ended.outcome.state != "complete":
        last = (stderr.read_text(errors="replace").strip().splitlines() or [""])[-1]
        message = f"{ended.outcome.message}; its last words: {last!r}"
        raise UserError(f"{contender.name} failed: {message}")
    return tool.read(stdout.read_text(errors="replace"), contender, sizes), ended.seconds


def as_json(measurements: Iterable[Measurement]) -> list[dict[str, Any]]:
    """Return the measurements as JSON holds them; sizes become text, as keys must be."""
    return [msgspec.to_builtins(each, str_keys=True) for each in measurements]
