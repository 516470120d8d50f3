"""Each rule fires with the right numbers, and stays silent where they only tempt it.

The cases are data: `CASES` and `SILENT` of the modules in `cases/`.
"""

import importlib.util
import re
from pathlib import Path

import pytest

from leadline.analysis.findings.conclude import findings
from leadline.analysis.findings.kinds import RULES, kinds

HERE = Path(__file__).parent


def cases(stem):
    """Return a module of cases."""
    spec = importlib.util.spec_from_file_location(f"{stem}_cases", HERE / "cases" / f"{stem}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def all_of(name):
    """Return the rows of that name in all modules of cases."""
    stems = sorted(path.stem for path in (HERE / "cases").glob("*.py"))
    return [row for stem in stems for row in getattr(cases(stem), name)]


CASES, SILENT = all_of("CASES"), all_of("SILENT")


@pytest.mark.parametrize("case", CASES, ids=[one.kind for one in CASES])
def test_a_rule_finds_it(case, makers) -> None:
    (found,) = RULES[case.kind].find(case.made(makers))
    case.check(found)


@pytest.mark.parametrize("silence", SILENT, ids=[one.kind for one in SILENT])
def test_a_rule_stays_silent_of_what_only_tempts_it(silence, makers) -> None:
    rule = RULES[silence.kind]
    assert list(rule.find(silence.loud(makers)))
    assert list(rule.find(silence.quiet(makers))) == []


def test_clean_figures_have_facts_only(makers) -> None:
    clean = [makers.figure(), makers.figure(2e-6, 16), makers.figure(5e-6, None)]
    found = findings(makers.evidence(clean))
    assert {one.kind for one in found if one.severity != "fact"} == set()


def test_every_kind_has_a_case_in_which_it_stays_silent() -> None:
    text = "".join(path.read_text() for path in sorted(HERE.glob("test_*.py")))
    known = {one.kind for one in SILENT} | set(re.findall(r"def test_(\w+?)_stays_silent_", text))
    assert [kind for kind in kinds() if kind not in known] == []


def test_each_library_and_all_together(makers):
    choice = cases("choice")
    curves = [
        choice.put(mpi="first"),
        choice.message(mpi="first"),
        choice.message(choice.scaled(choice.messages, 1 / 8), mpi="second"),
    ]
    found = list(RULES["one_sided"].find(choice.delivered(makers, *curves)))
    assert ["with first:" in one.text for one in found] == [True, False]
    assert [one.evidence["sizes_faster"] for one in found] == [4, 0]
    assert "with second" in found[1].text


def test_each_neighbour_has_its_own_finding(makers):
    hardware = cases("hardware")
    both = hardware.impact(0, 1, 2.0), hardware.impact(0, 1, 1.4, neighbour="drip")
    assert len(list(RULES["impact_factor"].find(hardware.impacted(makers, *both)))) == 2
