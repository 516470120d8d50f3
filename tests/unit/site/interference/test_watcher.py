"""Who else is there: on a made-up machine to the tick, and on this one beside a known process."""

import os
import socket

import pytest

from leadline.site.interference.watcher import Counted, InterferenceWatcher, link_counters

HERTZ = os.sysconf("SC_CLK_TCK")
MARK = "LEADLINE_TAG=run/0"


def programs(company):
    return {each.command: (each.processes, each.cores) for each in company.programs}


def test_others_are_told_by_program_and_not_what_leadline_started(machine):
    own = 10_000_001
    machine.process(2, "old (daemon)", ticks=5000)
    watch = machine.watch()
    machine.now_s = 10.0
    machine.process(2, "old (daemon)", ticks=5000 + 5 * HERTZ, state="R")
    machine.process(3, "eater", ticks=10 * HERTZ, start=7)
    machine.process(4, "eater", ticks=2 * HERTZ, start=7, state="R")
    machine.process(own, "probe", ticks=10 * HERTZ, start=7, parent=os.getpid(), state="R")
    machine.process(own + 1, "helper", ticks=10 * HERTZ, start=7, parent=own)
    found = watch.end()
    assert programs(found) == {
        "eater": (2, pytest.approx(1.2)),
        "old (daemon)": (1, pytest.approx(0.5)),
    }
    assert [each.command for each in found.programs] == ["eater", "old (daemon)"]
    assert (found.load_1_min, found.running_most, found.looks) == (1.5, 2, 1)
    assert found.cores is not None


def test_threads_of_the_kernel_go_by_their_work(machine):
    watch = machine.watch()
    machine.now_s = 1.0
    for pid, name in ((20, "kworker/0:1"), (21, "kworker/1:1H-kblockd")):
        machine.process(pid, name, ticks=HERTZ // 4, start=7, parent=2)
    assert programs(watch.end()) == {"kworker": (2, pytest.approx(0.5))}


def test_ranks_that_are_nobodys_children_are_known_by_their_mark(machine):
    watch = machine.watch()
    machine.now_s = 1.0
    machine.process(5, "probe", ticks=HERTZ, start=7, state="R", mark=MARK)
    machine.process(6, "probe", ticks=HERTZ, start=7, state="R", mark="LEADLINE_TAG=other/0")
    found = watch.end()
    assert programs(found) == {"probe": (1, pytest.approx(1.0))}
    # How much of the processors' time was theirs is not known.
    assert found.cores is None


def test_a_number_that_is_used_again_is_another_process(machine):
    machine.process(7, "first", ticks=1000)
    watch = machine.watch()
    machine.now_s = 1.0
    machine.process(7, "second", ticks=HERTZ // 2, start=9)
    assert programs(watch.end()) == {"second": (1, pytest.approx(0.5))}


def test_looks_are_few_and_memory_is_flat(machine):
    watch = machine.watch()
    for step in range(20_000):
        machine.now_s = step * 0.05
        if step % 100 == 99:
            machine.process(9, f"program-{step}", ticks=HERTZ // 10 * step, start=step)
        watch.tick()
    found = watch.end()
    # 1000 s, with a look every 5 s at the most, but for the first ones and the last.
    assert 50 < found.looks <= 205
    assert len(found.programs) <= 8
    assert len(watch._ticks) <= 256 and len(watch._marked) <= 2
    assert found.programs[0].cores == max(each.cores for each in found.programs)


def test_stolen_time_is_a_part_of_all(machine):
    machine.spend(busy=100, idle=100)
    watch = machine.watch()
    machine.spend(busy=150, idle=130, stolen=20)
    found = watch.end()
    assert found.stolen_fraction == pytest.approx(0.2)


def test_counters_of_links(machine):
    def port(words, errors):
        at = "sys/class/infiniband/mlx5_0/ports/1/counters"
        machine.write(f"{at}/port_rcv_data", str(words))
        machine.write(f"{at}/port_xmit_data", "10")
        machine.write(f"{at}/symbol_error", str(errors))

    def interface(name, received, dropped=0):
        at = f"sys/class/net/{name}/statistics"
        for key, value in {"rx_bytes": received, "tx_bytes": 7, "rx_dropped": dropped}.items():
            machine.write(f"{at}/{key}", str(value))

    port(1000, 1)
    interface("eth0", 50)
    interface("lo", 0)
    assert link_counters(machine.files)["mlx5_0/1"] == Counted(4000, 40, 1, 0)
    for alone in (True, False):
        port(1000, 1)
        interface("eth0", 50)
        interface("lo", 0)
        interface("again", 10**9)
        watch = machine.watch(alone=alone)
        port(251_000, 3)
        interface("eth0", 500_050, dropped=4)
        interface("lo", 300_000)
        interface("again", 10**6)
        found = {each.name: each for each in watch.end().links}
        assert list(found) == ["mlx5_0/1", "eth0", "lo"]
        assert (found["mlx5_0/1"].received_bytes, found["mlx5_0/1"].errors) == (10**6, 2)
        assert (found["eth0"].received_bytes, found["eth0"].dropped) == (500_000, 4)
        assert found["eth0"].others_bytes == (500_000 if alone else None)
        assert found["lo"].others_bytes is None


def test_this_machines_loopback():
    watch = InterferenceWatcher(MARK)
    data = bytes(2_000_000)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as sender,
        server.accept()[0] as receiver,
    ):
        sent = got = 0
        while got < len(data):
            # What is sent at once fits into the buffers of a loopback.
            sent += sender.send(data[sent : sent + 65536])
            while got < sent:
                got += len(receiver.recv(65536))
    (loopback,) = [each for each in watch.end().links if each.name == "lo"]
    assert loopback.received_bytes >= 2_000_000
    assert loopback.others_bytes is None
