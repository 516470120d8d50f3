"""LAMMPS: a Lennard-Jones liquid, 4000 atoms, 1000 steps.

Every step asks all ranks whether neighbour lists are out of date: an allreduce of one number, the
default of LAMMPS. Every tenth step prints sums over all ranks.
"""

import re
from pathlib import Path

from comparison.application import Ended, Prepared, installed
from leadline.core.errors import UserError
from leadline.model.installation import Installation

_STEPS = 1000
_INPUT = f"""\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 1 check yes
fix 1 all nve
thermo 10
run {_STEPS}
"""
# Energy of an atom and temperature once the crystal has melted, with their fluctuations. Atoms move
# chaotically: another order of sums changes all digits of their places, but neither of these.
_ENERGY = (-4.6205, 0.005)
_TEMPERATURE = (0.705, 0.05)


def prepare(installation: Installation, _folder: Path) -> Prepared:
    """Return Debian's LAMMPS."""
    words = (installed("lmp", "lammps", installation), "-in", "in.melt", "-log", "none")
    return Prepared(words, {"OMP_NUM_THREADS": "1"}, {"in.melt": _INPUT})


def read(ended: Ended) -> float:
    """Return LAMMPS' loop time, after a look at the last line of its table."""
    rows = [line.split() for line in ended.output.splitlines()]
    heads = [at for at, row in enumerate(rows) if row[:2] == ["Step", "Temp"]]
    time = re.search(rf"^Loop time of (\S+) on 2 procs for {_STEPS} steps", ended.output, re.M)
    if not heads or not time:
        raise UserError("no table and loop time of 2 processes")
    names, *table = rows[heads[0] :]
    kept = [row for row in table if len(row) == len(names) and row[0].isdigit()]
    if not kept or kept[-1][0] != str(_STEPS):
        raise UserError(f"its table does not end with step {_STEPS}")
    last = dict(zip(names, map(float, kept[-1]), strict=True))
    for name, (right, most) in (("TotEng", _ENERGY), ("Temp", _TEMPERATURE)):
        if not abs(last[name] - right) <= most:
            raise UserError(f"{name} is {last[name]} at the end instead of {right}")
    return float(time[1])
