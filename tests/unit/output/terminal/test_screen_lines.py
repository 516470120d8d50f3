"""What a screening says to people: answer, number beside bound, cause, command."""

from leadline.model.screen import Difference, Screen, Suspect
from leadline.output.terminal.screen import lines

OWN = ["memory"]


def _screen(*suspects, rounds=7, **changes):
    nodes = tuple(f"h{i}" for i in range(32))
    measured = {"nodes": nodes, "levels": {node: {"memory": 1.0} for node in nodes}}
    return Screen(run="r", rounds=rounds, seconds=41.4, suspects=suspects, **(measured | changes))


def _suspect(kind="node", name="h3", figure="bandwidth", ratio=1.25, **changes):
    return Suspect(kind=kind, name=name, figure=figure, ratio=ratio, probability=0.987, **changes)


def _text(screen, **options):
    chosen = {"drains": False, "all_pairs": False} | options
    return "\n".join(lines(screen, OWN, 0.05, **chosen))


def test_a_healthy_cluster_is_one_line_and_what_was_not_looked_at():
    text = _text(_screen())
    assert text.startswith("nothing is slow: 32 nodes in 41 s, 7 rounds of pairs\n")
    assert "23 % of the pairs did" in text
    assert text.endswith("leadline screen --all-pairs")
    assert "--all-pairs" not in _text(_screen(rounds=31))
    assert _text(_screen(rounds=0)) == "nothing is slow: 32 nodes in 41 s"


def test_of_nodes_that_share_cores_it_is_said_what_was_not_measured():
    said = "The nodes share cores, so only pairs were measured, no node by itself."
    assert said in _text(_screen(share_cores=True)).splitlines()
    assert "share cores" not in _text(_screen())


def test_a_node_has_numbers_cause_and_command():
    suspect = _suspect(looks=7, is_new=True, ratios={"bandwidth": 1.25, "latency": 1.02})
    text = _text(_screen(suspect), drains=True)
    assert "suspected: 1 node: 32 nodes" in text
    assert "node h3: bandwidth takes 1.25x the usual time, more than 1.05x" in text
    assert "(probability 98.7 %, 7 measurements, new)" in text
    assert "also: latency 1.02x" in text
    assert "every partner" in text
    command = 'scontrol update nodename=h3 state=drain reason="leadline: bandwidth 1.25x"'
    assert f"    {command}" in text.splitlines()


def test_no_command_without_slurm_nor_for_what_is_no_node():
    assert "scontrol" not in _text(_screen(_suspect()))
    links = _screen(_suspect("link", "h1 - h2"), _suspect("uplink", "s1"))
    text = _text(links, drains=True)
    assert "scontrol" not in text
    assert "suspected: 1 link and 1 uplink" in text
    assert "between them" in text
    assert "links to other switches" in text
    assert "its nodes" not in text
    named = _text(_screen(_suspect("uplink", "s1"), switches={"s1": ("h1", "h2"), "s2": ("h3",)}))
    assert "    its nodes: h1, h2" in named.splitlines()


def test_causes_differ():
    assert "slow by itself" in _text(_screen(_suspect(figure="memory")))
    dead = _text(_screen(_suspect(figure="answer", ratio=None)), drains=True)
    assert "node h3: does not answer" in dead
    assert 'reason="leadline: no answer"' in dead


def test_who_does_not_answer_is_named_first_and_why():
    silent = _suspect(name="h40", figure="answer", ratio=None, reason="No route to host")
    text = _text(_screen(silent)).splitlines()
    assert text[:3] == [
        "node h40: does not answer: No route to host",
        "",
        "nothing else is suspected: 32 nodes in 41 s, 7 rounds of pairs",
    ]
    assert "suspected: 1 node: 32 nodes" in _text(_screen(silent, _suspect()))


def test_without_a_measurement_there_is_no_answer():
    silent = [_suspect(name=f"h{at}", figure="answer", ratio=None) for at in range(4)]
    failed = {"levels": {}, "rounds": 0, "is_complete": False, "message": "1 of 1 launches failed"}
    none = _text(_screen(*silent, nodes=(), **failed), drains=True)
    assert none.startswith("node h0: does not answer\n")
    assert "\nno answer: no node was measured\n" in none
    assert "nothing" not in none and "scontrol" not in none
    alone = _text(_screen(**failed, past=9))
    assert alone.startswith("no answer: no node was measured\n")


def test_of_a_part_it_is_not_said_that_nothing_is_slow():
    levels = {f"h{at}": {"memory": 1.0} for at in range(30)}
    text = _text(_screen(levels=levels, is_complete=False, message="interrupted")).splitlines()
    assert text[:2] == [
        "not measured: h30, h31",
        "no answer: not all was measured, and nothing of it is slow: 30 nodes in 41 s, 7 rounds of "
        "pairs",
    ]


def test_what_is_missing_is_said():
    text = _text(_screen(is_complete=False, message="host h4 does not answer any more"))
    assert "Not complete: host h4 does not answer any more" in text


def test_what_is_set_otherwise_stands_below_the_suspect_alone():
    differences = tuple(
        Difference(node=node, check="frequency-governor", observed="powersave", usual="performance")
        for node in ("h3", "h9")
    )
    line = "    frequency governor: powersave; other nodes: performance"
    text = _text(_screen(_suspect(), differences=differences))
    assert text.splitlines().count(line) == 1
    assert "powersave" not in _text(_screen(differences=differences))
    link = _text(_screen(_suspect("link", "h1 - h9"), differences=differences))
    assert "frequency governor on h9: powersave; other nodes: performance" in link
    assert "powersave" not in _text(_screen(_suspect("uplink", "h3"), differences=differences))


def test_kinds_are_listed_where_there_are_several():
    assert "kind" not in _text(_screen(kinds={"Xeon": ("h0", "h1")}))
    several = {"Xeon": tuple(f"h{i}" for i in range(29)), "EPYC": ("h29", "h30"), "ARM": ("h31",)}
    text = _text(_screen(kinds=several)).splitlines()
    at = text.index("3 kinds of nodes, each compared with its own:")
    assert text[at + 1 : at + 4] == [
        "    29 nodes: Xeon",
        "    h29 and h30, alone of their kind, compared with nothing: EPYC",
        "    h31, alone of its kind, compared with nothing: ARM",
    ]


def test_a_node_alone_says_how_long_its_past_is():
    text = _text(_screen(rounds=0, past=2))
    assert text == (
        "no history yet: 32 nodes in 41 s, against 2 earlier screenings, and 5 are needed"
    )
    assert _text(_screen(rounds=0, past=12)).endswith(", against 12 earlier screenings")
    slow = _text(_screen(_suspect(figure="memory", looks=2), rounds=0, past=12))
    assert slow.startswith("suspected: 1 node: 32 nodes in 41 s, against 12 earlier screenings\n")


def test_a_node_that_hangs_has_its_own_line():
    hung = _suspect(figure="hang", ratio=None, reason="is stopped", is_new=True)
    text = _text(_screen(hung), drains=True)
    assert "node h3: hangs, its rank is stopped, new" in text
    assert "It answers, but a program stood still there" in text
    assert 'state=drain reason="leadline: hangs"' in text
