"""The page of a program's time: whole, by itself, and safe from the program's own names."""

import re

import pytest
from recorded_runs import talking_ranks
from recordings import late_rank, rank

from leadline.core.errors import UserError
from leadline.output.html.program import write_program

HOSTILE = "</script><img src=x onerror=alert(1)>"


def page(tmp_path, found):
    path = tmp_path / "page.html"
    write_program(path, found)
    return path.read_text()


def test_bars_are_as_long_as_the_owners_times(tmp_path, explained):
    text = page(tmp_path, explained(late_rank(late=3, delay=2.0)))
    ranks = text.partition('id="owners"')[2].partition("</table>")[0]
    bars = re.findall(r'<rect class="(\w+)" x="([\d.]+)" y="0" width="([\d.]+)"', ranks)
    assert len(bars) == 3 * 3 + 2
    assert "A full bar is 10 s" in text
    waiting = [float(width) for owner, _, width in bars if owner == "waiting_s"]
    assert waiting == pytest.approx([120.0] * 3)
    assert "rank 3 is late by 2 ms a call" in text and "Rank 3 made others wait 3000 times" in text


def test_the_matrix_has_a_cell_for_each_pair_that_talks(tmp_path, explained):
    ranks = [rank(0, sent={1: (2, 4096)}), rank(1, sent={0: (1, 16)}), rank(2)]
    text = page(tmp_path, explained(ranks))
    cells = re.findall(r'x="([\d.]+)" y="([\d.]+)" .*fill-opacity="([\d.]+)"><title>([^<]*)<', text)
    assert [(x, y, title) for x, y, _, title in cells] == [
        ("72.0", "0.0", "0 to 1: 4.0 KiB in 2 messages"),
        ("0.0", "72.0", "1 to 0: 16 B in 1 message"),
    ]
    assert float(cells[0][2]) == 1.0 > float(cells[1][2])


def test_the_matrix_says_what_its_sides_are(tmp_path, explained):
    text = page(tmp_path, explained(talking_ranks(4)))
    assert re.findall(r'text-anchor="middle">(\w+)</text>', text) == [
        "receiver", "sender", "0", "1", "2", "3"
    ]  # fmt: skip
    many = [rank(0, sent={1: (1, 8)}), *(rank(at) for at in range(1, 300))]
    assert "A cell is 3 by 3 ranks." in page(tmp_path, explained(many))


def test_a_program_without_messages_says_so(tmp_path, explained):
    text = page(tmp_path, explained(late_rank()))
    assert "No message from one rank to another was seen." in text and "receiver" not in text


def test_each_part_has_content(tmp_path, explained):
    for ranks in (late_rank(), talking_ranks(), [rank(0)], [rank(0, seconds=0.0)]):
        text = page(tmp_path, explained(ranks))
        parts = text.split('<section aria-labelledby="')[1:]
        sections = [part.partition("</section>")[0].split('">', 1) for part in parts]
        assert {"sent", "calls", "trust"} <= {name for name, _ in sections}
        for name, body in sections:
            said = re.sub(r"<h2.*?</h2>|<[^>]*>", "", body, flags=re.S).split()
            assert len(said) > 3, name
        assert text.count("<caption></caption>") == 0


def test_names_of_the_program_are_text(tmp_path, explained):
    ranks = [{**each, "sites": ("", HOSTILE)} for each in late_rank()]
    text = page(tmp_path, explained(ranks, run=HOSTILE))
    assert HOSTILE not in text and "onerror=alert(1)&gt;" in text


def test_a_file_that_cannot_be_written_is_one_line(tmp_path, explained):
    with pytest.raises(UserError, match="cannot be written"):
        write_program(tmp_path / "none/page.html", explained(late_rank()))
