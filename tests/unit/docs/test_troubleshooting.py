"""Every message that is explained is one that leadline, or its set-up, prints."""

import re

import pytest

_ROW = re.compile(r"^\| (`+)([^|]+?)\1(?: and nothing else)? \|", re.MULTILINE)


@pytest.fixture(scope="module")
def sources(root):
    """All texts of the sources, those that are written in several strings put together."""
    kept = (".py", ".cpp", ".hpp")
    folders = (root / "src" / "leadline", root / "runtime")
    files = [path for each in folders for path in each.rglob("*") if path.suffix in kept]
    text = "".join(path.read_text() for path in [*files, root / "tools" / "setup"])
    return re.sub(r'"\s*f?"', "", text)


def test_every_message_occurs_in_the_sources(documents, root, sources):
    page = documents[root / "docs" / "troubleshooting.md"]
    messages = [message for _, message in _ROW.findall(page)]
    assert len(messages) > 35
    parts = {part.strip() for message in messages for part in message.split("…")}
    assert [part for part in parts if part not in sources] == []
