"""Both themes have every colour, and enough contrast to be read."""

import re

import pytest

from leadline.output.html.theme import (
    DARK,
    LIGHT,
    ON_PAPER,
    VARIABLES,
    configuration,
    style_sheet,
)

TEXT = ("ink", "muted", "link", "problem", "notice", "fact", "good")


def luminance(colour):
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK, ON_PAPER], ids=["light", "dark", "paper"])
@pytest.mark.parametrize("ground", ["paper", "raised"])
def test_text_and_curves_can_be_told_from_the_ground(theme, ground):
    for name in TEXT:
        assert contrast(theme[name], theme[ground]) >= 4.5, name
    for name in theme:
        if name.startswith("curve-"):
            assert contrast(theme[name], theme[ground]) >= 3, name


def test_themes_have_the_same_colours():
    assert list(LIGHT) == list(DARK) == list(VARIABLES)
    assert len(set(LIGHT.values())) == len(LIGHT)


def test_every_variable_of_the_style_sheet_is_defined():
    sheet = style_sheet()
    defined = set(re.findall(r"^\s*--([\w-]+):", sheet, re.MULTILINE))
    assert set(re.findall(r"var\(--([\w-]+)\)", sheet)) <= defined
    assert sheet.count("{") == sheet.count("}")


def test_configuration_of_a_page_names_colours_and_that_of_a_paper_holds_them():
    assert "var(--" not in str(configuration(LIGHT))
    assert "#" not in str(configuration(VARIABLES))
    assert configuration(DARK)["range"]["category"][0] == DARK["curve-1"]
