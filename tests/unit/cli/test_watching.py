"""`leadline explain --watch`: what it takes, and what is said of a hang."""

from pathlib import Path

import pytest

from leadline import cli
from leadline.cli.watching import Watch, say_hangs, watch_of
from leadline.core.errors import UserError


@pytest.mark.parametrize(("given", "seconds"), [("60s", 60), ("5", 5), ("2m", 120), ("1h", 3600)])
def test_a_time_has_the_usual_suffixes_and_is_seconds_without(given, seconds, monkeypatch):
    monkeypatch.setenv("LEADLINE_EXPLAIN_WATCH", "7s")
    assert watch_of(given, None) == (seconds, False)
    monkeypatch.setenv("LEADLINE_EXPLAIN_WATCH", given)
    assert watch_of(None, "abort") == (seconds, True)


@pytest.mark.parametrize("given", ["", "0", "-5", "1.5s", "soon", "60 sec"])
def test_what_is_no_time_is_told(given, monkeypatch):
    with pytest.raises(UserError, match=r"^--watch: .* is no duration: write 90s, 30m"):
        watch_of(given, None)
    if given:
        monkeypatch.setenv("LEADLINE_EXPLAIN_WATCH", given)
        with pytest.raises(UserError, match=r"^LEADLINE_EXPLAIN_WATCH: .* is no duration"):
            watch_of(None, None)


def test_nobody_watches_where_nobody_asked(monkeypatch):
    monkeypatch.setenv("LEADLINE_EXPLAIN_WATCH", "")
    assert watch_of(None, None) is None


@pytest.mark.parametrize(("aborts", "text"), [(False, "120s"), (True, "120s,abort")])
def test_the_watcher_reads_what_is_wanted(aborts, text, monkeypatch):
    variables = Watch(120, aborts).variables(Path("/bin/leadline"))
    assert variables == {"LEADLINE_EXPLAIN_WATCH": text, "LEADLINE_COMMAND": "/bin/leadline"}
    monkeypatch.setenv("LEADLINE_EXPLAIN_WATCH", text)
    assert watch_of(None, None) == (120, aborts)


@pytest.mark.parametrize(("line", "told"), [
    ("explain --watch soon -- mpirun -n 2 ./app", "--watch: 'soon' is no duration"),
    ("explain --then abort -- mpirun -n 2 ./app", "--then abort is for --watch TIME"),
    ("explain --watch 5s", "--watch 5s is for a program"),
    ("explain --watch 5s --replay last", "--watch 5s is for a program"),
    ("explain --watch 5s last", "--watch 5s is for a program"),
    ("explain --watch 5s --then stop -- mpirun ./app", "'stop' is not 'abort'"),
])  # fmt: skip
def test_what_cannot_be_watched_is_one_line(line, told, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path))
    monkeypatch.delenv("LEADLINE_EXPLAIN_WATCH", raising=False)
    with pytest.raises(SystemExit) as ended:
        cli.main(line.split())
    out, err = capsys.readouterr()
    assert (ended.value.code, out, err.count("\n")) == (2, "", 1)
    assert told in err


def test_hangs_that_were_told_are_named_at_the_end(tmp_path, capsys):
    say_hangs(tmp_path)
    assert capsys.readouterr().err == ""
    text = "leadline: 2026-01-31 10:15:00: no rank has moved for 61 s\n=== leadline stuck: x\n"
    (tmp_path / "hang.txt").write_text(text)
    say_hangs(tmp_path)
    assert capsys.readouterr().err == f"leadline: it hung while it ran: {tmp_path}/hang.txt\n"
    (tmp_path / "hang.txt").write_text(text * 2)
    say_hangs(tmp_path)
    assert "it hung 2 times while it ran" in capsys.readouterr().err
    (tmp_path / "hang.txt").write_text("leadline: 2026-01-31 10:15:00: a rank has died\n")
    say_hangs(tmp_path)
    assert capsys.readouterr().err == f"leadline: it lost ranks while it ran: {tmp_path}/hang.txt\n"
