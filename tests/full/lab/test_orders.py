"""Orders of ranks across hosts, from the command line to the findings."""

import json
from pathlib import Path

import pytest

BRIEF = ("--bytes", "8", "--launches", "1", "--minimum", "5", "--maximum", "5", "--seconds", "0.1")


@pytest.mark.mpi
def test_each_order_takes_effect_and_its_file_is_kept(flat, tmp_path):
    file = tmp_path / "order"
    file.write_text("0,5,4,1\n7-6,2-3\n")
    orders = {
        "smp": "00112233", "round-robin": "01230123", "folded": "01233210", str(file): "01331022",
    }  # fmt: skip
    answer = flat.measure("mpi/allreduce", "--place", "4x2", "--order", ",".join(orders), *BRIEF)
    run = json.loads((Path(answer["folder"]) / "run.json").read_text())
    found = {
        launch["knobs"]["order"]: "".join(rank["host"][1:] for rank in launch["ranks"])
        for launch in run["launches"]
    }
    assert found == orders
    assert "placement_differs" not in {finding["kind"] for finding in answer["findings"]}
    assert not any(point["misplaced"] for point in answer["points"])
    for launch in run["launches"]:
        hosts_of_nodes = {(rank["host"], rank["node"]) for rank in launch["ranks"]}
        assert len(hosts_of_nodes) == 4


@pytest.mark.mpi
def test_on_one_node_every_order_is_the_same(flat):
    words = ("mpi/allreduce", "--place", "1x2", "--order", "smp,round-robin,folded", *BRIEF)
    done = flat.call("run", *words, "--hosts", "lab", "--runs", flat.runs, "--json")
    assert done.returncode == 0, done.stderr
    run = json.loads((Path(json.loads(done.stdout)["folder"]) / "run.json").read_text())
    assert [launch["knobs"] for launch in run["launches"]] == [{"order": "smp"}]
    assert [point["knobs"] for point in run["points"]] == [{"order": "smp"}]
    assert "order=round-robin, order=folded would be the same as order=smp: measured" in done.stderr
