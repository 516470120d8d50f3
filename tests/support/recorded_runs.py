"""Recordings of programs as runs in the store, as `leadline explain` keeps them."""

from recordings import late_rank, rank, row, write_node

from leadline.model.plan import Plan
from leadline.model.recorded import Recorded
from leadline.model.run import Outcome, Run
from leadline.store.folder import RunFolder


def talking_ranks(size=4):
    """Return ranks that send to both neighbours of a ring, twice as much to the right."""
    rows = [row("MPI_Send", calls=30, size=3000, seconds=1.5, waiting=0.5, site=2, ranks=size)]
    return [
        rank(at, mpi=1.5, waiting=0.5, rows=rows,
             sent={(at + 1) % size: (20, 60_000), (at - 1) % size: (10, 30_000)})
        for at in range(size)
    ]  # fmt: skip


def keep(runs, ranks=None, *, program="app", state="complete", started="2026-02-01", headline=""):
    """Write ranks (default: one of four is late) as a run and return its name."""
    folder = RunFolder.create(runs, f"explain-{program}")
    folder.recording.mkdir()
    ranks = late_rank() if ranks is None else ranks
    write_node(folder.recording, ranks)
    run = Run(
        run=folder.name,
        leadline="1",
        plan=Plan(entries=(), mpi=("m-1",), name=program),
        started=f"{started}T10:15:00.000+00:00",
        outcome=Outcome(state=state),
        machine={"host": "node7"},
        explained=Recorded(
            command=("mpirun", "-n", str(len(ranks)), f"./{program}"), mpi="m-1", status=0,
            ranks=len(ranks), nodes=1, headline=headline,
        ),
    )  # fmt: skip
    folder.finish(run)
    return folder.name
