"""Hooks of mkdocs: generated pages, and links to source files, which become their names."""

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))
import reference

_LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)\s]+)\)")


def on_files(files, *, config):
    """Add the pages of the reference that are made from the code."""
    for name, text in reference.pages(reference.known_descriptions()).items():
        files.append(File.generated(config, f"reference/{name}", content=text))
    return files


def on_page_markdown(markdown, *, page, **_):
    """Return a page's text whose links all lead to pages."""

    def name(link):
        text, target = link.groups()
        path = posixpath.normpath(
            posixpath.join("docs", posixpath.dirname(page.file.src_uri), target.partition("#")[0])
        )
        if path.startswith("docs/"):
            return link[0]
        return f"`{path}`" if posixpath.basename(path) == text else f"{text} (`{path}`)"

    return _LINK.sub(name, markdown)
