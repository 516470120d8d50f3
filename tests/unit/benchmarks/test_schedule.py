"""What is launched, how often, and in which order."""

from collections import Counter

from comparison.cases import points, sweep
from comparison.schedule import schedule


def test_every_contender_of_a_figure_is_launched_equally_often_under_each_condition():
    steps = schedule(10, 3)
    counts = Counter((step.case.name, step.condition, step.contender.name) for step in steps)
    for case in points():
        for contender in case.contenders:
            assert counts[case.name, "quiet", contender.name] == 10
            assert counts[case.name, "disturbed", contender.name] == 10
    for contender in sweep().contenders:
        assert counts[sweep().name, "quiet", contender.name] == 3
        assert counts[sweep().name, "disturbed", contender.name] == 0


def test_contenders_take_turns():
    for case in points():
        order = [step for step in schedule(4, 1) if step.case == case and step.condition == "quiet"]
        rounds = len(case.contenders)
        for start in range(0, len(order), rounds):
            turn = order[start : start + rounds]
            assert [step.contender for step in turn] == list(case.contenders)
        # Neither tool has its launches in a row: what drifts meets both.
        tools = "".join(step.contender.tool[0] for step in order)
        assert "LLL" not in tools
        assert "III" not in tools


def test_all_of_the_quiet_machine_comes_first():
    conditions = [step.condition for step in schedule(3, 2)]
    assert conditions == sorted(conditions, reverse=True)


def test_pairs_name_contenders_of_different_tools_and_imbs_have_a_column():
    for case in (*points(), sweep()):
        tools = {each.name: each.tool for each in case.contenders}
        assert len(tools) == len(case.contenders) and case.pairs
        for own, peer in case.pairs:
            assert (tools[own], tools[peer]) == ("leadline", "IMB")
        for each in case.contenders:
            assert bool(each.column) == (each.tool == "IMB") and each.definition
