"""What the pages' templates say is in plain words."""

from pathlib import Path

import pytest
from templates import visible_texts
from wording import faults

import leadline.output

TEMPLATES = sorted(Path(leadline.output.__path__[0]).rglob("*.html"))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_templates_are_in_plain_words(template):
    texts = list(visible_texts(template.read_text(encoding="utf-8")))
    told = {
        text: found
        for text in texts
        if (found := [fault for fault in faults(text) if fault != "is no clean sentence"])
    }
    assert told == {}


def test_every_template_is_read():
    assert {path.parent.name for path in TEMPLATES} == {"page", "pages"}
    assert len(TEMPLATES) >= 12
    read = list(visible_texts((TEMPLATES[0].parent / "run.html").read_text(encoding="utf-8")))
    assert "All findings are about trust: see the verdict." in read
    assert "How figures are made" in read


@pytest.mark.parametrize(
    ("template", "texts"),
    [
        ("<p>It <b>comes</b> {{ here }}.</p>", ["It comes value."]),
        ("<a title='is told'>see {% if x %}more{% endif %}</a>", ["is told", "see more"]),
        ("<td>{{ 'goes back to it' if x else '%d are alike' | format(3) }}</td>",
         ["value", "goes back to it", "3 are alike"]),
        ("<style>so it is at</style><script>comes</script><p>here</p>", ["here"]),
    ],
)  # fmt: skip
def test_what_people_see_is_found(template, texts):
    assert list(visible_texts(template)) == texts
