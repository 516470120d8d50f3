"""Every link between documents leads somewhere, and every page is in the site's navigation."""

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
            there = target in documents or target.exists()
            if not there or (anchor and anchor not in _anchors(documents[target])):
                broken.append(f"{path.name}: {link}")
    assert not broken


def test_the_readme_leads_to_the_documents(documents, root):
    links = _LINK.findall(documents[root / "README.md"])
    assert "docs/index.md" in links


def test_the_index_leads_to_every_page(documents, root):
    """A reader of the files, without the site, finds all of them, too."""
    index = root / "docs" / "index.md"
    linked = {
        (index.parent / link.partition("#")[0]).resolve()
        for link in _LINK.findall(documents[index])
    }
    pages = {path for path in documents if root / "docs" in path.parents} - {index}
    assert pages <= linked
