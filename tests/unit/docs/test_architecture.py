"""What the documents say of plug-ins, files and columns is so."""

import importlib
import re
import tomllib

import pytest

from leadline.core.plugins import plugins_of_folders
from leadline.model.run import RUN_FORMAT
from leadline.store.launches import STREAM_FORMAT
from leadline.store.parquet import COLUMNS


@pytest.fixture(scope="module")
def text(documents, root):
    return documents[root / "docs" / "explanation" / "architecture.md"]


@pytest.fixture(scope="module")
def formats(documents, root):
    return documents[root / "docs" / "reference" / "formats.md"]


def _table(text, title):
    """The rows of the first table in the section of that title, the headings left out."""
    section = re.search(rf"^#+ {re.escape(title)}$(.*?)(?=^#+ |\Z)", text, re.M | re.S)[1]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:1] == "|"]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def _sources_with(folder, declaration):
    pattern = re.escape(declaration).replace(re.escape("..."), r"\w*")
    return [path for path in folder.rglob("*.cpp") if re.search(rf"{pattern}\b", path.read_text())]


def test_every_kind_of_plugin_has_at_least_one(text, root):
    rows = _table(text, "Plug-ins")
    assert len(rows) > 5
    for thing, place, attribute in rows:
        place, attribute = place.strip("`"), attribute.strip("`")
        if ".SYSTEM." in place:
            package, _, module = place.partition(".SYSTEM.")
            assert plugins_of_folders(package, module, attribute), f"{thing}: no {attribute}"
        else:
            folder = root / place.partition("/")[0]
            parts = [part for part in place.split("/") if part and not part.isupper()]
            folder = root.joinpath(*parts)
            assert _sources_with(folder, attribute), f"{thing}: no {attribute} in {folder}"


def test_stages_are_where_the_table_says(text, root):
    for stage, place, *_ in _table(text, "Architecture"):
        for name in re.findall(r"`([\w./]+)`", place):
            if name.startswith("leadline."):
                assert importlib.import_module(name), stage
            else:
                assert (root / name).is_dir(), stage


def test_rooms_are_the_folders_in_the_order_of_the_contract(text, root):
    rooms = [row[0].strip("`") for row in _table(text, "Rooms")]
    folders = {path.parent.name for path in (root / "src/leadline").glob("*/__init__.py")}
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = contracts["contracts"][0]["layers"]
    above = {room.strip().removeprefix("leadline."): place
             for place, layer in enumerate(layers) for room in layer.split("|")}  # fmt: skip
    assert set(rooms) == folders == set(above)
    assert [above[room] for room in rooms] == sorted((above[room] for room in rooms), reverse=True)


def test_columns_are_those_of_the_table_of_samples(formats):
    named = re.search(r"^Columns of `samples.parquet`: ([\w\s,`]+)\.", formats, re.MULTILINE)[1]
    assert re.findall(r"\w+", named) == list(COLUMNS)


def test_fields_and_flags_are_those_of_the_record(text, root):
    record = (root / "probes" / "harness" / "record.hpp").read_text()
    fields = [name for row in _table(text, "Stream") for name in row[0].split(", ")]
    declared = re.findall(r"LEADLINE_FIELD\((\w+), \"", record)
    assert sorted(fields[: len(declared)]) == sorted(declared)
    names = re.search(r"kFlagNames\{(.*?)\}", record, re.DOTALL)[1]
    said = re.search(r"^Flags, by bit: (.*?)\.", text, re.MULTILINE | re.DOTALL)[1]
    assert re.findall(r"`(\w+)`", said) == re.findall(r'"(\w+)"', names)


def test_events_carry_the_keys_that_are_listed(text, root):
    """Each key is added to an event somewhere in the harness, and none but these."""
    harness = root / "probes" / "harness"
    code = "".join(
        (harness / name).read_text() for name in ("probe.cpp", "facts.cpp", "stream.cpp")
    )
    events = re.findall(r'event\("(\w+)"', code)
    section = text[text.index("`events.jsonl` holds") :]
    listed = dict(re.findall(r"^\| `(\w+)` \| (.*)\|$", section, re.MULTILINE))
    assert set(listed) == set(events)
    keys = set(re.findall(r"\w+", " ".join(re.sub(r"\(.*?\)", "", row) for row in listed.values())))
    added = set(re.findall(r'\.add(?:_json)?\("(\w+)"', code))
    assert keys == added - {"event", "time"}


def test_formats_are_those_of_the_code(text, formats):
    assert f"format {RUN_FORMAT} of `run.json`" in formats
    assert f"format {STREAM_FORMAT} of the stream" in text
