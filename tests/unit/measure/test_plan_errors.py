"""Wrong plans, answered in the words of a plan."""

import pytest

from leadline.core.errors import UserError
from leadline.measure.plan.plans import read_plan

ENTRY = '[[entries]]\nbenchmarks = ["mpi/pingpong"]\n'


LIST = 'write a list, such as ["A", "B"]'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[entries]]\nbenchmark = ["a/b"]',
         "unknown key benchmark in [[entries]] 1: did you mean benchmarks?"),
        ('[[entries]]\nbenchmarks = "a/b"', f"benchmarks in [[entries]] 1 is text: {LIST}"),
        (f"{ENTRY}[[entries]]\noptional = true",
         'benchmarks in [[entries]] 2 is missing: write benchmarks = ["A", "B"]'),
        (f'launches = "3"\n{ENTRY}', "launches is text: write a whole number, such as 3"),
        (f"lanches = 3\n{ENTRY}", "unknown key lanches: did you mean launches?"),
        ("", "entries is missing: write [[entries]] and its keys"),
        (f"{ENTRY}values = 'fast'", "values in [[entries]] 1 is 'fast': there is default, quick"),
        (f"{ENTRY}[stopping]\nprecision = 'low'",
         "precision in [stopping] is text: write a number, such as 0.5"),
        (f"mpi = [3]\n{ENTRY}", 'mpi 1 is a number: write text, such as "A"'),
    ],
)  # fmt: skip
def test_a_wrong_plan_names_the_key_and_what_to_write(tmp_path, text, told):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(UserError) as refused:
        read_plan(str(file))
    assert str(refused.value) == f"plan {file}: {told}"


@pytest.mark.parametrize(
    ("name", "told"), [("survye", "did you mean survey?"), ("qwertz", "there is .*survey.*TOML")]
)
def test_a_plan_that_is_not_there_is_answered_with_one_that_is(name, told):
    with pytest.raises(UserError, match=f"no plan {name!r}: {told}"):
        read_plan(name)
