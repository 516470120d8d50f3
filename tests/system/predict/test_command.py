"""`leadline simulate --predict` as users give it."""

import json

import pytest
from replaced import replace_everywhere

from leadline.cli import main


@pytest.fixture
def predict(schedules, capsys, monkeypatch, tmp_path):
    """Run `leadline simulate --predict`; returns status and what it printed on both."""
    monkeypatch.chdir(tmp_path)
    replace_everywhere(
        monkeypatch, "leadline.measure.build.schedules.schedules_for", lambda say: schedules
    )

    def call(*words):
        with pytest.raises(SystemExit) as ended:
            main(
                [
                    "simulate",
                    "--predict",
                    "mpi/allgather",
                    "--on",
                    "cray-t3e",
                    "--algorithm",
                    "ring",
                    *words,
                ]
            )
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return call


def test_links_are_drawn_in_letters_and_as_a_page(predict, tmp_path):
    words = ("--processes", "16", "--bytes", "1K", "--map", "--html", "map.html")
    status, out, err = predict(*words)
    assert (status, err.splitlines()[-1]) == (0, "map: map.html")
    assert "links under mpi/allgather 1 KiB algorithm=ring" in out
    assert "0  A A A A A A A A" in out
    assert "<canvas" in (tmp_path / "map.html").read_text()
    status, out, _ = predict(*words, "--json")
    drawn = json.loads(out)["map"]
    assert (len(drawn["links"]), drawn["traffic"]["predicted"]) == (1536, True)


def test_a_map_of_several_predictions_is_refused(predict):
    status, out, err = predict("--processes", "16,32", "--bytes", "8", "--map")
    assert (status, out) == (2, "")
    assert "2 are asked for: give one value each" in err
