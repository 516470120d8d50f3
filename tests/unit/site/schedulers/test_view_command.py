"""What all views have in common: bad input, systems that hang, and watching."""

import pytest

from leadline.model.jobs import Job, Node
from leadline.output.terminal.jobs import jobs_table
from leadline.output.terminal.table import draw
from leadline.site.hardware.files import Files
from leadline.site.schedulers.job_source import in_turn, kinds, with_local_clock
from leadline.site.schedulers.slurm.jobs import Rows


def _job(number, queue="q", **more):
    facts = {"phase": "waiting", "state": "Q", "user": "anna", "name": "job", **more}
    return Job(id=str(number), queue=queue, **facts)


def test_turns():
    """Each queue has its own; who asks for several has the best turn, and is ahead in all."""
    waiting = [_job(1), _job(2, "q,r"), _job(3, "r"), _job(4, "r"), _job(5, "s")]
    assert [job.position for job in in_turn(waiting)] == [1, 1, 2, 3, 1]


def test_kinds():
    """Alike is what has the same size and queues, whatever it does and in whichever order."""
    alike = {"state": "", "queues": ("a",), "cores": 4, "features": ("x", "y")}
    nodes = [
        Node(name="1", phase="idle", cores_in_use=0, load=0.5, **alike),
        Node(name="2", phase="mixed", cores_in_use=3, load=2.5, **alike),
        Node(name="3", phase="down", **{**alike, "features": ("y", "x")}),
        Node(name="4", phase="allocated", **{**alike, "cores": 8}),
    ]
    first, second = kinds(nodes)
    assert (first.nodes, first.idle, first.in_use, first.down) == (3, 1, 1, 1)
    assert (first.cores_in_use, first.load) == (3, 1.5)
    assert (second.nodes, second.cores, second.cores_in_use, second.load) == (1, 8, None, None)


def test_only_the_clock_of_the_own_node_is_known(tmp_path, monkeypatch):
    """And it stands for its kind."""
    folder = tmp_path / "sys/devices/system/cpu/cpu0/cpufreq"
    folder.mkdir(parents=True)
    (folder / "base_frequency").write_text("2400000")
    monkeypatch.setattr("platform.node", lambda: "n2.cluster.example")
    nodes = [Node(name=name, phase="idle", state="idle") for name in ("n1", "n2", "n3")]
    known = with_local_clock(nodes, Files(tmp_path))
    assert [node.clock_hz for node in known] == [None, 2.4e9, None]
    (kind,) = kinds(known)
    assert (kind.nodes, kind.clock_hz) == (3, 2.4e9)


def test_rows_cannot_be_forged():
    rows = Rows({"name": "j", "user": "u"})
    between, end = rows.form[2:-2].split("%u")[0], rows.form.partition("%u")[2]
    other = Rows({"name": "j", "user": "u"})
    assert other.form != rows.form
    evil = other.form.replace("%j", "x").replace("%u", "root")
    text = f"{evil}{between}anna{end}\ncut{between}an"
    assert rows.read(text) == [{"name": evil, "user": "anna"}]


def _shown(jobs, width, height=None):
    table = jobs_table(jobs)._replace(caption="caption")
    return [line.plain for line in draw(table, width, height, "─")]


@pytest.mark.parametrize("width", [30, 60, 80, 120, 200])
def test_a_table_is_as_wide_as_the_terminal(width):
    """What is long is cut, what is spare is left out and named, and each job has its line."""
    jobs = [_job(n, name="n" * 90, command="c" * 5000, reason="Resources", nodes=4) for n in "12"]
    shown = _shown(jobs, width)
    assert max(map(len, shown)) <= width
    first = [line.split()[0] for line in shown if line.strip()]
    assert first[2:4] == ["1", "2"]
    assert len(first) == 5
    if width == 200:
        assert "no room" not in shown[-1]
        assert "command" in shown[1]
    if width == 60:
        assert shown[-1].startswith("caption; no room for: command")


def test_a_table_is_as_high_as_the_terminal():
    shown = _shown([_job(n) for n in range(50)], 100, 20)
    assert len(shown) <= 20
    assert shown[-1].startswith("caption; 36 more do not fit here")
