"""`leadline rank-order` as users give it."""

import json
import shlex

import pytest

from leadline.cli import main
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan, Point
from leadline.model.run import Launch, Outcome, PointResult, Run
from leadline.store.folder import RunFolder
from leadline.topology.rank_order.order import NAMED


@pytest.fixture
def place(capsys, monkeypatch, tmp_path):
    """Run `leadline rank-order` in an empty folder; returns status and what it printed on both."""
    monkeypatch.chdir(tmp_path)

    def run(text):
        with pytest.raises(SystemExit) as ended:
            main(["rank-order", *shlex.split(text)])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return run


def test_an_order_is_shown_with_what_leaves_nodes(place):
    status, out, _ = place("--order folded --place 4x2")
    assert status == 0
    assert out.splitlines()[:4] == [
        "order folded on 4x2",
        "",
        "node  ranks  messages to others",
        "0     0,7                     8",
    ]
    assert "the node of each rank on the grid:\n0 1\n2 3\n3 2\n1 0\n" in out
    assert "folded: 32 messages leave nodes, 8 from the busiest" in out
    assert "smp: 16 messages leave nodes, 4 from the busiest" in out


def test_bunching_is_what_the_source_says(place):
    _, out, _ = place("--place 16x16 --cell 4x4 --json")
    found = json.loads(out)
    assert found["order"] == "cells"
    assert (found["sent"]["busiest"], found["sent_smp"]["busiest"]) == (16, 32)


def test_a_matrix_asks_for_the_best_order(place, tmp_path):
    (tmp_path / "m.csv").write_text("0,0,7,0\n0,0,0,7\n7,0,0,0\n0,7,1,0\n")
    _, out, _ = place("--place 2x2 --matrix m.csv --json")
    found = json.loads(out)
    assert found["order"] == "optimised"
    assert sorted(found["nodes"]) == [[0, 2], [1, 3]]
    assert found["unit"] == "amount" and found["grid"] == []
    assert (found["sent"]["leaving"], found["sent_smp"]["leaving"]) == (1, 28)


def test_neighbours_of_a_run_are_a_matrix_too(place, tmp_path):
    folder = RunFolder.create(tmp_path / "runs", "halo")
    ring = ((3, 2), (2, 3), (0, 1), (1, 0))
    folder.write(halo_run(folder.name, ring))
    _, out, _ = place("--place 2x2 --neighbours last --runs runs")
    assert "a message between neighbours, as in some/halo of" in out
    assert "optimised: 4 messages leave nodes, 2 from the busiest" in out
    assert "smp: 8 messages leave nodes, 4 from the busiest" in out
    status, _, err = place("--place 3x2 --neighbours last --runs runs")
    assert status == 2 and "has no point of 6 ranks that tells its neighbours" in err


def halo_run(name, neighbours):
    """Return a run of one point, whose ranks wait for these."""
    ended = Outcome(state="complete")
    launch = Launch(
        launch=0, mpi="m", api="mpi", argv=(), environment={}, processes=4, nodes=2,
        processes_per_node=2, oversubscribed=False, started="", ended="", outcome=ended,
        points=(PointResult(point=0, neighbours=neighbours),),
    )  # fmt: skip
    point = Point(
        index=0, benchmark="some/halo", axes={}, settings={}, placement=Placement(2, 2), mpi="m",
        api="mpi",
    )  # fmt: skip
    plan = Plan(entries=(Entry(benchmarks=("some/halo",)),))
    return Run(
        run=name, leadline="0", plan=plan, started="", outcome=ended, points=[point],
        launches=[launch],
    )  # fmt: skip


def test_a_file_is_checked_and_read_again(place, tmp_path):
    assert place("--place 4x2 --order 2 --write mpich MPICH_RANK_ORDER")[0] == 0
    status, out, _ = place("--place 4x2 --order 3 --json")
    assert status == 0
    assert json.loads(out)["nodes"] == [list(own) for own in NAMED["folded"](Placement(4, 2))]
    (tmp_path / "bad").write_text("0-6,6")
    status, out, err = place("--place 4x2 --order bad")
    assert status == 2 and not out
    assert err.count("\n") == 1
    assert "bad is no order of the 8 ranks of 4x2: ranks 6 there more than once; 7 missing" in err


def test_it_is_written_for_a_launcher_and_says_how_to_use_it(place, tmp_path):
    status, out, err = place("--place 2x2 --order folded --hosts a,b,c --write slurm hosts.txt")
    assert status == 0 and "order folded on 2x2" in out
    assert (tmp_path / "hosts.txt").read_text() == "a\nb\nb\na\n"
    assert "SLURM_HOSTFILE=hosts.txt srun --distribution=arbitrary --nodes=2 --ntasks=4" in err
    assert place("--place 2x2 --order folded --hosts a,b --write intel -")[1] == "a:1\nb:2\na:1\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("--place 4", "placement '4' is not NODESxPROCESSES"),
        ("--place 9999x9999", "more than 1048576 ranks"),
        ("--place 4x2 --order spiral", "no order 'spiral': there is round-robin, smp, folded, cel"),
        ("--place 4x2 --order 3", "order 'MPICH_RANK_ORDER' cannot be read"),
        ("--place 4x2 --order 7", "order '7' cannot be read"),
        ("--place 4x2 --order smp --cell 2x1", "--cell shapes the order cells and not smp"),
        ("--place 4x2 --grid 3x3", "take a grid such as 4x2"),
        ("--place 4x2 --write slurm -", "format slurm names the hosts: give them with --hosts"),
        ("--place 4x2 --hosts a,b --write slurm -", "4 nodes and 2 hosts"),
        ("--place 4x2 --matrix none.csv", "matrix none.csv cannot be read"),
        ("--place 4x2 --write mpich none/x", "cannot write none/x: No such file"),
        ("--place 4x2 --neighbours none", "none"),
        ("--order smp", "Missing option '--place'"),
    ],
)
def test_bad_input_is_one_line(place, text, words):
    status, out, err = place(text)
    assert status == 2 and not out
    assert err.count("\n") == 1 and words in err
