"""A hook of mkdocs: a link to a source file becomes its name, for the site has documents only."""

import posixpath
import re

_LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)\s]+)\)")


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
