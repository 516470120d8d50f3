"""The command's start, before there is anything to lose."""

import pytest

from leadline import __main__, cli


def test_an_interrupt_while_the_command_is_loaded_is_no_traceback(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    with pytest.raises(SystemExit) as ended:
        __main__.start()
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "")
