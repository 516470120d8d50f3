"""The JSON Schema that is made from the types fits what is printed, and refuses what is not."""

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest
from example_run import example_analysis, example_run

from leadline.cli.show import answer


@pytest.fixture(scope="module")
def validator(made):
    schema = json.loads(made["schema.json"])
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture
def printed():
    """What is printed of the example run, with few of its points."""
    run, analysis = example_run(), example_analysis()
    few = msgspec.structs.replace(analysis, points=analysis.points[:2])
    return json.loads(msgspec.json.encode(answer(run, Path("r"), few)))


def test_a_run_is_valid(validator):
    found = answer(example_run(), Path("r"), example_analysis())
    printed = json.loads(msgspec.json.encode(found))
    assert len(printed["points"]) > 10
    assert not list(validator.iter_errors(printed))


def test_what_a_program_does_not_know_yet_is_valid(validator, printed):
    printed["points"][0]["a_later_field"] = 1
    assert not list(validator.iter_errors(printed))


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (["points", 0, "median_s"], "1 us"),
        (["outcome", "state"], "perhaps"),
        (["findings", 0, "severity"], 3),
        (["format"], 2),
    ],
)
def test_a_wrong_type_or_value_is_refused(validator, printed, path, wrong):
    part = printed
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = wrong
    errors = list(validator.iter_errors(printed))
    assert [list(error.absolute_path) for error in errors] == [path]


def test_a_missing_key_is_refused(validator, printed):
    del printed["findings"]
    assert [error.validator for error in validator.iter_errors(printed)] == ["required"]
