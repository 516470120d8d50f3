"""Why hosts do not answer, as what asks them says it."""

import pytest

from leadline.measure.launch.hosts import silent_hosts
from leadline.model.hosts import Hosts

SHELL = """#!/bin/sh
case "$1" in
  there) shift; exec "$@" ;;
  slow) exec sleep 60 ;;
  mute) exit 255 ;;
esac
echo "ssh: Could not resolve hostname $1: Name or service not known" >&2
exit 255
"""


@pytest.fixture
def shell(tmp_path):
    found = tmp_path / "shell"
    found.write_text(SHELL)
    found.chmod(0o755)
    return str(found)


def test_each_silent_host_has_its_reason(shell):
    hosts = Hosts(names=("there", "slow", "mute", "gone"), remote_shell=shell)
    assert silent_hosts(hosts, limit_s=0.5) == {
        "slow": "nothing came within 0.5 s",
        "mute": "",
        "gone": "Could not resolve hostname gone: Name or service not known: check the names given "
        "to --hosts",
    }


def test_what_cannot_ask_is_the_reason():
    assert silent_hosts(Hosts(names=("a",), remote_shell="/no/shell")) == {
        "a": "/no/shell: No such file or directory"
    }
