"""Every link between documents leads somewhere."""

import re

_LINK = re.compile(r"\]\((?!https?:)([^)\s]*)\)")


def _anchors(text):
    """The anchors of a document's headings, as they are made from the headings' words."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_resolves(documents):
    broken = []
    for path, text in documents.items():
        for link in _LINK.findall(text):
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            if not target.exists() or (anchor and anchor not in _anchors(target.read_text())):
                broken.append(f"{path.name}: {link}")
    assert not broken


def test_the_readme_leads_to_every_document(documents, root):
    links = _LINK.findall(documents[root / "README.md"])
    linked = {(root / link.partition("#")[0]).resolve() for link in links}
    assert {path for path in documents if path.parent.name == "docs"} <= linked
