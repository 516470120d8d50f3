import pytest

from leadline.core.errors import UserError
from leadline.core.plugins import plugins_of_folders
from leadline.model.hosts import Hosts
from leadline.site.schedulers import allocation
from leadline.site.schedulers.allocation import hosts_for


class Queue:
    name = "queue"
    several = True

    def find(self, which=""):
        if which:
            return Hosts(names=(which,))
        return Hosts(names=("a", "b"), cores=(2, 4), remote_shell="its-own", shared_cores=2)


@pytest.fixture(autouse=True)
def only_a_queue(monkeypatch):
    monkeypatch.setattr(allocation, "plugins_of_folders", lambda *places: [Queue()])


def test_hosts_are_named_one_by_one():
    assert hosts_for(("a", "b"), "rsh") == Hosts(names=("a", "b"), remote_shell="rsh")
    assert hosts_for((), "") == Hosts()


def test_an_allocation_stands_for_its_hosts():
    assert hosts_for(("queue",), "") == Queue().find()
    assert hosts_for(("queue",), "rsh").remote_shell == "rsh"


def test_some_hosts_of_an_allocation_in_an_order_of_ones_own():
    found = hosts_for(("queue:b", "a"), "")
    assert found == Hosts(names=("b", "a"), cores=(4, 2), remote_shell="its-own", shared_cores=2)
    assert hosts_for(("queue:b",), "").names == ("b",)
    with pytest.raises(UserError, match=r"^host c is not of queue: it has a, b$"):
        hosts_for(("queue:a", "c"), "")
    with pytest.raises(UserError, match=r"^host a is named twice$"):
        hosts_for(("queue:a", "a"), "")


def test_one_of_several_of_a_kind(monkeypatch):
    assert hosts_for(("queue/red",), "").names == ("red",)
    assert hosts_for(("queue/red:red",), "").names == ("red",)
    assert hosts_for(("queue/",), "").names == ("queue/",)
    monkeypatch.setattr(Queue, "several", False)
    assert hosts_for(("queue/red",), "").names == ("queue/red",)


def test_an_allocation_beside_other_hosts_is_refused():
    with pytest.raises(UserError, match=r"^hosts a,queue: queue stands for all hosts"):
        hosts_for(("a", "queue"), "")


def test_every_allocation_has_a_name_of_its_own():
    names = [
        each.name
        for each in plugins_of_folders("leadline.site.schedulers", "allocation", "ALLOCATION")
    ]
    assert "lab" in names
    assert len(names) == len(set(names))
