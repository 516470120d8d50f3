"""Calls MPI from lines that have the names of their calls' places."""

import sys
import threading
from array import array

from mpi4py import MPI
from mpi4py.util import pkl5

WORLD = MPI.COMM_WORLD


def add_up():
    one, all_of_them = array("d", [1.0]), array("d", [0.0])
    for _ in range(3):
        WORLD.Allreduce(one, all_of_them)  # first
    WORLD.Allreduce(all_of_them, one)  # second


def meet():
    WORLD.Barrier()  # meeting


def hand_out():
    pkl5.Intracomm(WORLD).bcast("word")  # by mpi4py's own Python


add_up()
meet()
hand_out()
if sys.argv[1:] == ["thread"]:
    other = threading.Thread(target=meet)
    other.start()
    other.join()
