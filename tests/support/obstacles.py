"""What axe-core finds on a page that keeps people from using it."""

import importlib.resources

import pytest


def obstacles(browser):
    """Return the rules that the page breaks, each with how often and where first."""
    package = pytest.importorskip("axe_core_python", reason="needs axe-core-python")
    browser.execute_script(
        (importlib.resources.files(package) / "axe.min.js").read_text(encoding="utf-8")
    )
    browser.set_script_timeout(120)
    return browser.execute_async_script(
        "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']})"
        ".then(found => done(found.violations.map(one =>"
        " [one.id, one.nodes.length, one.nodes[0].html.slice(0, 200)])), e => done([String(e)]))"
    )
