"""What is compared with what: the two tools' options, and what their figures mean."""

from itertools import product
from typing import Literal

import msgspec


class Contender(msgspec.Struct, frozen=True, kw_only=True):
    """A tool with its options. `definition` says what its figure is, in one sentence.

    `column` is the column of IMB's table that holds the figure; leadline has none.
    """

    name: str
    tool: Literal["leadline", "IMB"]
    arguments: tuple[str, ...]
    definition: str
    pinned: bool = True
    column: str = ""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """Contenders that measure the same sizes in bytes; no sizes mean the tools' own sweep.

    `pairs` names leadline's contender and the one of IMB that it is compared with.
    """

    name: str
    bytes: tuple[int, ...]
    contenders: tuple[Contender, ...]
    pairs: tuple[tuple[str, str], ...] = ()


def _leadline(name: str, definition: str, *arguments: str) -> Contender:
    return Contender(name=name, tool="leadline", arguments=arguments, definition=definition)


def _imb(name: str, column: str, definition: str, *arguments: str) -> tuple[Contender, Contender]:
    """Return IMB as it is shipped, which leaves ranks free to move, and pinned like leadline."""
    free = Contender(
        name=name,
        tool="IMB",
        arguments=arguments,
        definition=definition,
        column=column,
        pinned=False,
    )
    pinned = msgspec.structs.replace(
        free,
        name=f"{name}, pinned",
        definition=f"{definition}; under mpiexec -bind-to core",
        pinned=True,
    )
    return free, pinned


_PINGPONG, _PINGPONG_PINNED = _imb(
    "IMB",
    "t[usec]",
    "half of the round trip, mean over one back-to-back loop; receives with MPI_ANY_TAG",
    "PingPong",
)

_DOUBLES = ("-red_data_type", "double", "Allreduce")
_BARRIER, _BARRIER_PINNED = _imb(
    "IMB",
    "t_max[usec]",
    "each call timed alone, a barrier between calls; mean on each rank, the slowest rank",
    *_DOUBLES,
)
_LOOP, _LOOP_PINNED = _imb(
    "IMB back-to-back",
    "t_avg[usec]",
    "each call timed alone, nothing between calls (-sync off); mean over calls and ranks",
    "-sync",
    "off",
    *_DOUBLES,
)

_ALLREDUCE = ("mpi/allreduce", "--algorithm", "library")
_BATCHES = "back-to-back batches; median over batches of the slowest rank's mean"
_MEDIAN_OF_LAUNCHES = "the same, and the median of leadline's default of six launches"


def points() -> tuple[Case, Case]:
    """Return the comparisons of figures: ping-pong and allreduce, two sizes each."""
    one = _leadline(
        "leadline, 1 launch",
        "half of the round trip; median over back-to-back batches",
        "mpi/pingpong",
        "--launches",
        "1",
    )
    several = _leadline("leadline", _MEDIAN_OF_LAUNCHES, "mpi/pingpong")
    loop_one = _leadline(
        "leadline back-to-back, 1 launch",
        _BATCHES,
        *_ALLREDUCE,
        "--start",
        "back_to_back",
        "--launches",
        "1",
    )
    loop = _leadline(
        "leadline back-to-back", _MEDIAN_OF_LAUNCHES, *_ALLREDUCE, "--start", "back_to_back"
    )
    agreed = _leadline(
        "leadline",
        "as shipped: from a start agreed on synchronised clocks to the last rank's return; median",
        *_ALLREDUCE,
    )
    barrier = _leadline(
        "leadline barrier",
        "each call after a barrier; median over calls of the slowest rank",
        *_ALLREDUCE,
        "--start",
        "barrier",
    )
    return (
        Case(
            name="ping-pong",
            bytes=(8, 2**16),
            contenders=(one, _PINGPONG, several, _PINGPONG_PINNED),
            pairs=_pairs((one, several), (_PINGPONG, _PINGPONG_PINNED)),
        ),
        Case(
            name="allreduce",
            bytes=(8, 2**20),
            contenders=(
                loop_one,
                _LOOP,
                loop,
                _LOOP_PINNED,
                agreed,
                _BARRIER,
                barrier,
                _BARRIER_PINNED,
            ),
            pairs=(
                *_pairs((loop_one, loop), (_LOOP, _LOOP_PINNED)),
                *_pairs((agreed, barrier), (_BARRIER, _BARRIER_PINNED)),
            ),
        ),
    )


def sweep() -> Case:
    """Return the comparison of wall times: the default ping-pong sweep of both tools."""
    own = _leadline("leadline", "default sweep, six launches", "mpi/pingpong")
    one = _leadline("leadline, 1 launch", "default sweep", "mpi/pingpong", "--launches", "1")
    return Case(
        name="ping-pong sweep",
        bytes=(),
        contenders=(own, _PINGPONG, one, _PINGPONG_PINNED),
        pairs=_pairs((own, one), (_PINGPONG, _PINGPONG_PINNED)),
    )


def _pairs(own: tuple[Contender, ...], peers: tuple[Contender, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((each.name, peer.name) for each, peer in product(own, peers))
