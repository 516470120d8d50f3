"""The library as docs/reference/library.md shows it, and its tables."""

import sys

import pytest
from checkout import CHECKOUT
from documents import blocks

import leadline
from leadline.core.errors import UserError

CODE = blocks((CHECKOUT / "docs" / "reference" / "library.md").read_text(), "python")


@pytest.fixture(scope="module")
def printed():
    """What the page's blocks print, in their order; the first one measures."""
    import contextlib
    import io

    found = []
    for block in CODE:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            try:
                exec(compile(block, "docs/reference/library.md", "exec"), {})
            except UserError as error:  # what is not a dependency need not be here
                found.append(str(error))
            else:
                found.append(out.getvalue())
    return found


def test_every_block_of_the_page_works(printed):
    assert printed[0].split()[1] == "complete"
    assert "fake/transfer 65536" in printed[1]
    assert int(printed[2].split()[0]) >= 2 * 2 * 20  # sizes, launches, repetitions at least
    assert "is not installed: `python -m pip install" in printed[3] or "one-way" in printed[3]


def test_tables_have_a_row_for_each_sample_and_each_result(printed):
    found = leadline.open("last")
    assert set(found.samples().columns["bytes"]) == {8, 65536}
    assert len(found.results()) == len(found.analysis.points) == 2
    assert found.results().columns["median_s"] == [p.median_s for p in found.analysis.points]


@pytest.mark.parametrize(("package", "convert"), [("pandas", "to_pandas"), ("pyarrow", "to_arrow")])
def test_a_missing_package_is_one_line(printed, monkeypatch, package, convert):
    monkeypatch.setitem(sys.modules, package, None)
    table = leadline.open("last").results()
    with pytest.raises(leadline.UserError, match=f"^{package} is not installed: .* install"):
        getattr(table, convert)()


def test_what_leadline_does_not_have_is_said():
    with pytest.raises(AttributeError, match=r"leadline has no 'mesure': it has .*run"):
        _ = leadline.mesure
